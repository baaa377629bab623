"""The limit of open files, which mlx-lm sets for the whole process when it is imported."""

from __future__ import annotations

import importlib
import resource
import sys

LEAST_FILES = 2048  # mlx-lm's own number: models come in many files


def import_mlx_lm() -> None:
    """Import mlx-lm before anything that needs it, and keep the limit of open files; called at each way in.

    Its import sets 2048, at most 4096, whatever was there: less than a process with many files has, for good, and an
    error where the system allows less.
    """
    if "mlx_lm" in sys.modules:
        return
    set_limit = resource.setrlimit
    resource.setrlimit = lambda which, limits: None
    try:
        importlib.import_module("mlx_lm")
    finally:
        resource.setrlimit = set_limit
    _raise_limit()


def _raise_limit() -> None:
    """Allow as many open files as mlx-lm asks for, where the system does and there are fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = LEAST_FILES if hard == resource.RLIM_INFINITY else min(LEAST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
