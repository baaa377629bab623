"""Block drafters in the table of drafters, and pairs whose acceptance is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.drafters.block.load import load_block
from engine.drafters.table import DRAFTERS, DrafterKind
from tests.engine.drafters.block.pairs import stepping_dflash, stepping_dspark, stepping_target


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds "target", "dflash" and "dspark"."""
    folder = tmp_path_factory.mktemp("stepping")
    stepping_target(folder / "target")
    stepping_dflash(folder / "dflash", folder / "target")
    stepping_dspark(folder / "dspark", folder / "target")
    return folder


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("dflash", "dspark"):
        monkeypatch.setitem(DRAFTERS, kind, DrafterKind(load_block, has_path=True))
