"""Block drafters whose acceptance is known, and their target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.drafters.block.pairs import stepping_dflash, stepping_dspark, stepping_target


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds "target", "dflash" and "dspark"."""
    folder = tmp_path_factory.mktemp("stepping")
    stepping_target(folder / "target")
    stepping_dflash(folder / "dflash", folder / "target")
    stepping_dspark(folder / "dspark", folder / "target")
    return folder
