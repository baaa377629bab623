"""The picker over the real engine: tiny drafters on the disk; some fit, one has another vocabulary, one is torn."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import pytest

from app.parts.settings import DRAFTERS
from app.settings.drafters.measurements import TOGETHER
from app.settings.drafters.page import DraftersPage
from app.settings.drafters.picker import Picker
from app.settings.drafters.rows import Kind
from app.tasks import finish
from engine.messages import Command, Submit
from engine.thread import EngineThread
from tests.app.driver import Driver, RunAsync, until
from tests.engine.drafters.tiny_block import tiny_dflash
from tests.engine.models.test_pairing import swap_ten
from tests.engine.tiny import tiny_folder

CONTEXT = {"max_position_embeddings": 4096}


class Spied:
    """The real engine, and the replies that it was asked for."""

    def __init__(self, folder: Path) -> None:
        self._engine = EngineThread(data_dir=folder)
        self.start, self.join = self._engine.start, self._engine.join
        self.submits: list[Submit] = []

    def send(self, *commands: Command) -> None:
        self.submits += [one for one in commands if isinstance(one, Submit) and not one.is_trial]
        self._engine.send(*commands)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    target = tiny_folder(root / "target", num_hidden_layers=4, **CONTEXT)
    tiny_dflash(root / "fits", target, **CONTEXT)
    pad(tiny_folder(root / "padded", seed=4, **CONTEXT))
    swap_ten(tiny_folder(root / "swapped", seed=4, **CONTEXT))
    change_weights(tiny_dflash(root / "torn", target), lambda name, array: None if "q_proj" in name else array)
    return root


def change_weights(folder: Path, change) -> None:
    path = str(folder / "model.safetensors")
    changed = {name: change(name, array) for name, array in mx.load(path).items()}
    mx.save_safetensors(path, {name: array for name, array in changed.items() if array is not None}, {"format": "mlx"})


def pad(folder: Path) -> None:
    """Let the vocabulary be 61 rows longer than the tokenizer."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": config["vocab_size"] + 61}), "utf-8")
    is_padded = ("model.embed_tokens.weight", "lm_head.weight")
    change_weights(folder, lambda name, array: mx.pad(array, ((0, 61), (0, 0))) if name in is_padded else array)


@pytest.fixture
def target(disk: Path) -> str:
    return str(disk / "target")


@pytest.fixture
def fake_engine(data_dir: Path) -> Spied:
    return Spied(data_dir)


@pytest.fixture
def picker(driver: Driver, disk: Path, target: str, run_async: RunAsync) -> Picker:
    """Of a window that has found the four."""
    driver.window.models.planner.use_drafter("")
    picker = driver.window.drafters.picker
    for name in ("fits", "padded", "swapped", "torn"):
        picker.add_folder(str(disk / name))
    run_async(until(lambda: len(picker.candidates.of(target).candidates) == 8, 20))
    picker.measuring.num_tokens = 16
    return picker


def show_page(driver: Driver, run_async: RunAsync) -> DraftersPage:
    driver.window.drafters.show_page()
    run_async(finish())
    page = driver.window.settings_pages.window.made_page(DRAFTERS)
    assert isinstance(page, DraftersPage)
    return page


def test_o20_the_right_ones_can_be_used_and_the_others_say_why_not(driver, picker, disk, run_async):
    page = show_page(driver, run_async)
    usable = [row.words for row in page.list.rows if row.kind is Kind.DRAFTER]
    assert usable == ["None", "n-gram", "Suffix", "padded", "DFlash"]
    reasons = {Path(row.candidate.path).name: row.reason for row in page.list.rows if row.kind is Kind.MISFIT}
    assert reasons.keys() == {"swapped", "torn", "target"}
    assert "10 of their token ids differ" in reasons["swapped"]
    assert "q_proj" in reasons["torn"]


def test_measure_here_gives_a_speed_and_automatic_takes_the_best(driver, picker, fake_engine, disk, target, run_async):
    scan = picker.candidates.of(target)
    fits = next(one for one in scan.fitting if one.path == str(disk / "fits"))
    picker.measure(target, [fits, scan.candidate("ngram")])
    run_async(until(lambda: not picker.measuring.is_any, 60))
    assert picker.measuring.errors == {}
    speeds = {one: picker.measurements.of(target, one).speedup for one in (fits.drafter, "ngram")}
    assert picker.measurements.of(target, fits.drafter, TOGETHER).speedup > 0
    best = max(speeds, key=lambda one: speeds[one])
    taken = picker.automatic.resolve(target)
    assert speeds.get(taken, 1.0) >= max(speeds[best], 1.0) / 1.03
    driver.type("Hello")
    driver.wait(lambda: driver.tab.session.running is not None)
    assert fake_engine.submits[-1].drafter == taken
    driver.tab.stop()
    driver.wait(lambda: not driver.tab.session.is_busy)


def test_a_change_acts_on_the_next_reply_while_another_tab_runs(driver, picker, fake_engine, disk, target):
    fits = next(one for one in picker.candidates.of(target).fitting if one.path == str(disk / "fits"))
    driver.type("a b c d")
    first = driver.tab
    driver.wait(lambda: first.session.running is not None and len(first.session.running.token_ids) > 2)
    picker.choose(target, fits.drafter)
    assert first.session.is_busy
    driver.window.workspace.new_tab()
    driver.type("e f g h")
    driver.wait(lambda: driver.tab.session.running is not None and len(driver.tab.session.running.token_ids) > 2)
    assert [one.drafter for one in fake_engine.submits] == ["ngram", fits.drafter]
    assert [tab.session.is_busy for tab in (first, driver.tab)] == [True, True]
    for tab in (first, driver.tab):
        tab.stop()
    driver.wait(lambda: not driver.window.workspace.busy_sessions)
