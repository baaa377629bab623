"""What the small files in the data folder say of models that lie in it themselves, as imported ones do."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

FILES = ("settings.json", "measurements.json")


def rename_paths(folder: Path, before: Path) -> None:
    """Have the files in a folder name what lies in it, where they were written in another; raises OSError."""
    # A drafter's path stands behind its kind and a colon.
    within = re.compile(rf"(?P<kind>(?:\w+:)?){re.escape(str(before))}(?={re.escape(os.sep)})")

    def renamed(found: Any) -> Any:
        match found:
            case str():
                hit = within.match(found)
                return f"{hit['kind']}{folder}{found[hit.end() :]}" if hit else found
            case dict():
                return {renamed(key): renamed(value) for key, value in found.items()}
            case list():
                return [renamed(one) for one in found]
        return found

    for path in (folder / name for name in FILES):
        try:
            text = json.dumps(renamed(json.loads(path.read_text(encoding="utf-8"))))
        except (FileNotFoundError, ValueError, RecursionError):
            continue  # a damaged one is told of where it is used
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, path)
