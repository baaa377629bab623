"""Small JSON files in the data folder that bring the window back as it was; without one it begins anew."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

logger = logging.getLogger(__name__)
T = TypeVar("T")
SENSELESS = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def read_kept(path: Path, build: Callable[[Any], T], otherwise: T) -> T:
    """What `build` makes of the file; `otherwise` where it is missing or says something else."""
    try:
        return build(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return otherwise
    except SENSELESS as error:
        logger.warning("%s was not read: %s", path.name, error)
        return otherwise


def set_aside(path: Path) -> Path:
    """Keep a damaged file under another name, so that nothing is written over it; where it is from then on."""
    place = path.with_name(f"{path.stem}.damaged-{datetime.now():%Y%m%d-%H%M%S}{path.suffix}")
    try:
        path.replace(place)
    except OSError as error:
        logger.warning("%s was not set aside: %s", path.name, error)
        return path
    return place


def write_kept(path: Path, kept: DataclassInstance) -> bool:
    """Replace the file in one step; False where that failed."""
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(json.dumps(asdict(kept)), encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        logger.warning("%s was not saved: %s", path.name, error)
        return False
    return True
