"""One window for a data folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSysInfo
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.system.single import NOTHING, Handed, SingleInstance, read_handed

SENSELESS_PATHS = b'{"model": "", "drafter": "", "paths": [7]}'


def test_a_second_start_raises_the_first(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    first, second = SingleInstance(tmp_path), SingleInstance(tmp_path)
    assert first.take()
    assert not second.take()
    with qtbot.waitSignal(first.raise_asked) as raised:
        assert second.raise_other(Handed("/models/a", "ngram", ("/a chat.json", "/b")))
    assert raised.args == [Handed("/models/a", "ngram", ("/a chat.json", "/b"))]
    first.release()
    assert second.take()
    second.release()


def test_what_comes_before_there_is_a_window_waits_for_it(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    first, taken = SingleInstance(tmp_path), list[Handed]()
    assert first.take()
    early, late = Handed("/models/early"), Handed("/models/late")
    with qtbot.waitSignal(first.raise_asked):
        assert SingleInstance(tmp_path).raise_other(early)
    first.follow(taken.append)
    assert taken == [early]
    with qtbot.waitSignal(first.raise_asked):
        assert SingleInstance(tmp_path).raise_other(late)
    assert taken == [early, late]
    first.release()


def test_what_is_said_while_the_data_is_moved_is_handed_on(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    old, new, taken = SingleInstance(tmp_path), SingleInstance(tmp_path / "new"), list[Handed]()
    assert old.take()
    for name in ("one", "two"):
        assert SingleInstance(tmp_path).raise_other(Handed(name))
    assert new.take()
    old.hand_on(new)
    old.release()
    new.follow(taken.append)
    assert taken == [Handed("one"), Handed("two")]
    new.release()


@pytest.mark.parametrize("host", [QSysInfo.machineHostName(), "its-old-name"])
def test_the_lock_of_a_dead_process_blocks_nothing(qapp: QApplication, tmp_path: Path, host: str) -> None:
    (tmp_path / "window.lock").write_text(f"999999999\nslipstream\n{host}\n")
    instance = SingleInstance(tmp_path)
    assert instance.take()
    instance.release()


@pytest.mark.parametrize(
    "said", [b"", b"[1]", b'{"model": 3, "drafter": ""}', b"\xff", b'{"model": "a"}', SENSELESS_PATHS]
)
def test_what_another_version_says_only_raises_the_window(said: bytes) -> None:
    assert read_handed(said) == NOTHING
