"""What a model takes of the memory, beside what its files take of the disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.library.fit_panel import FitPanel
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.settings.preferences import Settings
from app.theme.theme import Theme
from engine.messages import MemoryEstimate
from tests.app.fake_engine import FakeEngine

MB, GB = 10**6, 10**9
MODEL = FoundModel("/models/one", "One", "4-bit", "Folder models", "added", "/models/one", 98 * MB, context_length=4096)
Wait = Callable[[Callable[[], bool]], None]


@pytest.mark.parametrize(("weight_bytes", "is_explained"), [(540 * MB, True), (98 * MB, False)])
def test_weights_that_take_much_more_than_their_files_are_explained(
    qtbot: QtBot, bridge: EngineBridge, settings: Settings, fake_engine: FakeEngine, wait: Wait, weight_bytes: int,
    is_explained: bool,
) -> None:  # fmt: skip
    fake_engine.estimate = MemoryEstimate(weight_bytes, 0, MB, 30 * GB, 0, 27 * GB)
    fits = Fits(bridge, settings)
    panel = FitPanel(Theme(), settings, fits)
    qtbot.addWidget(panel)
    fits.follow((MODEL,))
    wait(lambda: fits.of(MODEL) is not None)
    panel.show_model(MODEL)
    assert panel.widened.isHidden() is not is_explained
    fits.close()
