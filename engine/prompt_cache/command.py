"""`slipstream-engine cache`: what the prompt cache holds, whether it is whole, and less of it."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.command_line import BadInputError, Commands
from engine.models.locate import default_data_dir
from engine.prompt_cache.report import FOLDER_NAME

FAULTS_FOUND = 1
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?")


def add_cache(commands: Commands) -> None:
    """Add the command and those below it."""
    cache = commands.add_parser("cache", help="look after the prompt cache")
    below = cache.add_subparsers(required=True)
    listing = below.add_parser("ls", help="list models and conversations with their sizes")
    listing.set_defaults(run=_run_ls)
    showing = below.add_parser("show", help="list what is saved of one conversation; never its text")
    showing.set_defaults(run=_run_show)
    showing.add_argument("conversation", help="its id, or the beginning of it")
    verifying = below.add_parser("verify", help="read every file and say what is wrong; exit status 1 for a fault")
    verifying.set_defaults(run=_run_verify)
    pruning = below.add_parser("prune", help="remove damaged files, then what goes first, down to the budget")
    pruning.set_defaults(run=_run_prune)
    pruning.add_argument(
        "--budget", type=_bytes_of, metavar="SIZE", help="such as 500MB or 2GB; once, this is not kept"
    )
    pruning.add_argument("--headless", action="store_true", help="remove what the headless tool saved")
    pruning.add_argument("--orphans", action="store_true", help="remove what belongs to no known conversation")
    clearing = below.add_parser("clear", help="remove everything")
    clearing.set_defaults(run=_run_clear)
    clearing.add_argument("--yes", action="store_true", help="do not ask")
    for command in (listing, showing, verifying, pruning, clearing):
        command.add_argument("--json", action="store_true", help="print one object")


def _run_ls(options: argparse.Namespace) -> int:
    from engine.prompt_cache.listing import describe, read_listed, table

    described = describe(read_listed(_root()))
    _print(described if options.json else table(described))
    return 0


def _run_show(options: argparse.Namespace) -> int:
    from engine.prompt_cache.listing import conversation_table, describe_conversation, read_listed

    described = describe_conversation(read_listed(_root()), options.conversation)
    _print(described if options.json else conversation_table(described))
    return 0


def _run_verify(options: argparse.Namespace) -> int:
    from engine.prompt_cache.verify import Verification, sentences, verify

    root = _root()
    verification = verify(root) if root.exists() else Verification()
    _print(asdict(verification) if options.json else sentences(verification))
    return 0 if verification.is_clean else FAULTS_FOUND


def _run_prune(options: argparse.Namespace) -> int:
    from engine.prompt_cache.pruning import is_headless, is_orphan, taken

    with taken(_root(), is_checked=True) as folder:
        if options.headless:
            folder.drop(is_headless)
        if options.orphans:
            folder.drop(is_orphan)
        if options.budget is not None or not (options.headless or options.orphans):
            folder.limit(options.budget)
    _print(asdict(folder.freed) if options.json else folder.freed.sentences())
    return 0


def _run_clear(options: argparse.Namespace) -> int:
    from engine.prompt_cache.pruning import taken

    with taken(_root()) as folder:  # before the question, which is vain where another program has the folder
        is_agreed = options.yes or _is_agreed(options.json)
        if is_agreed:
            folder.clear()
    freed = folder.freed
    text = freed.sentences() if is_agreed or freed.freed_bytes else ["Nothing was removed."]
    _print(asdict(freed) if options.json else text)
    return 0


def _is_agreed(is_json: bool) -> bool:
    if is_json or not sys.stdin.isatty():
        raise BadInputError("every saved prompt would be removed; add --yes to do it without being asked")
    return input(f"Remove every saved prompt in {_root()}? Chats stay. [y/N] ").strip().lower() in ("y", "yes")


def _root() -> Path:
    """The cache's folder, which need not be there; raises BadInputError where it cannot be."""
    root = default_data_dir().absolute() / FOLDER_NAME
    present = next(path for path in (root, *root.parents) if os.path.lexists(path))
    if not present.is_dir():
        raise BadInputError(f"{str(present)!r} is no folder; set SLIPSTREAM_DATA to one, or move what stands there")
    return root


def _bytes_of(text: str) -> int:
    """A size as a user writes it."""
    match = _SIZE.fullmatch(text.strip().upper())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give a number of bytes, or such as 500MB or 2GB")
    return int(float(match[1]) * _UNITS[match[2]])


def _print(described: dict[str, Any] | list[str]) -> None:
    for line in described if isinstance(described, list) else [json.dumps(described, ensure_ascii=False)]:
        print(line)
