"""What the command line of the window's program may say."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.models.drafters import DRAFTER_CHOICES, is_drafter
from app.system.machine import PLACE, program_version


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Ends the process after --help and --version, and with a sentence and status 2 for what is not known."""
    parser = argparse.ArgumentParser(prog="slipstream", description=f"Chat with a model on {PLACE}.")
    parser.add_argument("--model", metavar="PATH", help="a model folder, Hugging Face cache entry or GGUF file")
    parser.add_argument(
        "--drafter",
        type=known_drafter,
        metavar="NAME",
        help=f"of new chats: {DRAFTER_CHOICES}",
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a model to use, or an exported chat to import",
    )
    parser.add_argument("--self-test", action="store_true", help="check that the program is whole and works here")
    version = f"Slipstream {program_version() or 'run from its source without being installed'}"
    parser.add_argument("--version", action="version", version=version)
    return parser.parse_args(arguments)


def known_drafter(name: str) -> str:
    if is_drafter(name):
        return name
    raise argparse.ArgumentTypeError(f"unknown drafter {name!r}; choose one of: {DRAFTER_CHOICES}")
