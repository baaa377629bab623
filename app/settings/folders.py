"""Where the user's data lies; nothing is written beside the code or the models."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """The folder of conversations and imported models, made for the user alone where it is missing.

    An existing folder that SLIPSTREAM_DATA names keeps the permissions that its owner gave it.
    """
    override = os.environ.get("SLIPSTREAM_DATA")
    folder = Path(override).expanduser() if override else platformdirs.user_data_path("slipstream", appauthor=False)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not override:
        folder.chmod(0o700)
    return folder
