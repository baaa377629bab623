"""Storages of a test are closed with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.prompt_cache.disk_harness import OPENED


@pytest.fixture(autouse=True)
def _closed_storages() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close(1)
