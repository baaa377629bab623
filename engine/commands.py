"""The headless tool's commands, and how each way of ending is told."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from engine.ask import add_ask
from engine.bench.command import add_bench
from engine.command_line import (
    BAD_INPUT,
    ENGINE_FAILED,
    READER_GONE,
    BadInputError,
    CommandParser,
    EngineFailedError,
    tell,
)
from engine.inspecting import add_inspect
from engine.prompt_cache.command import add_cache
from engine.prove import add_prove
from engine.training.command import add_train_drafter


def run_command(arguments: Sequence[str] | None) -> int:
    """Run what the command line asks for; returns the exit status."""
    logging.basicConfig(level=logging.CRITICAL)  # every failure is told in a sentence of its own
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except BadInputError as error:
        tell(str(error))
        return BAD_INPUT
    except EngineFailedError as error:
        tell(str(error))
        return ENGINE_FAILED
    except BrokenPipeError:  # of `slipstream-engine … | head`; what Python still holds back has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="slipstream-engine", description="Slipstream's engine without a window.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True)
    add_ask(commands)
    add_prove(commands)
    add_bench(commands)
    add_inspect(commands)
    add_train_drafter(commands)
    add_cache(commands)
    return parser


def _version() -> str:
    try:
        return f"Slipstream {version('slipstream-chat')}"
    except PackageNotFoundError:
        return "Slipstream, run from its source without being installed"
