"""The page of models and presets: what is changed there is what replies are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.conversations.records import Conversation
from app.frame.focus_order import chain_of
from app.settings.model_form import memory_words
from app.settings.models_page import ModelsAndPresetsPage
from app.settings.preferences import ModelChoice, Preferences, Settings
from app.settings.preset_form import read_stops, write_stops
from app.settings.presets import DEFAULT, DEFAULT_ID, Preset, Presets
from app.tasks import finish
from app.theme.theme import Theme
from engine.messages import CountTokens, EstimateMemory, Failed, MemoryEstimate, ModelLoaded, Sampling, TokenCount
from tests.app.driver import RunAsync, until
from tests.app.fake_engine import FakeEngine, facts_of

GB = 1_000_000_000
ASKED = Sampling(temperature=0.7, top_k=20)
CHAT = Conversation("c", "T", "m", "", 1.0, 1.0)


@pytest.fixture
def settings(settings: Settings, target: str) -> Settings:
    settings.change(Preferences(target=target))
    return settings


@pytest.fixture
def page(
    qtbot: QtBot,
    run_async: RunAsync,
    settings: Settings,
    planner: Planner,
    bridge: EngineBridge,
    presets: Presets,
    fake_engine: FakeEngine,
) -> Iterator[ModelsAndPresetsPage]:
    fake_engine.make_facts = lambda target: replace(facts_of(target), context_length=32_768, sampling=ASKED)
    fake_engine.count = lambda question: TokenCount(sum(len(turn.text.split()) for turn in question.turns), 32_768)
    fake_engine.estimate = MemoryEstimate(4 * GB, 0, GB, 20 * GB, 0, 24 * GB)
    presets.add("Editor")
    chats = [replace(CHAT, preset=preset_id) for preset_id in (DEFAULT_ID, presets.latest[0].id, DEFAULT_ID)]
    page = ModelsAndPresetsPage(
        Theme(), settings, planner, bridge, targets=lambda: ("/models/other",), chats=lambda: chats
    )
    qtbot.addWidget(page)
    page.show()
    run_async(until(lambda: page.models.context_row.sentence.text() != ""))
    yield page
    page.hide()
    run_async(finish())


@pytest.fixture
def settle(run_async: RunAsync) -> Callable[[Callable[[], bool]], None]:
    return lambda is_there: run_async(until(is_there))


def write(qtbot: QtBot, field, text: str) -> None:
    field.setFocus()
    field.clear()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_choices_for_a_model_are_kept(page, qtbot, settings, target) -> None:
    write(qtbot, page.models.context, "4096")
    page.models.bits.chosen.emit("8")
    page.models.preset.chosen.emit("default")
    assert settings.preferences.model(target) == ModelChoice(4096, 8, preset="default")
    assert settings.preferences.model("/models/other") == ModelChoice()


def test_other_model_shows_its_own_choices(page, qtbot, settings) -> None:
    settings.change_model("/models/other", ModelChoice(2048, 4, "suffix"))
    page.model.setCurrentIndex(1)
    page.model.activated.emit(1)
    assert (page.models.context.value, page.models.bits.key) == (2048, "4")
    with qtbot.waitSignal(page.drafters_asked) as asked:
        page.models.choose_drafter.click()
    assert asked.args == ["/models/other"]


def test_memory_and_the_models_own_values_are_told(page) -> None:
    assert "5 GB of 24 GB: 4 GB of weights, 1 GB for the context" in page.models.context_row.sentence.text().replace(
        "\u00a0", " "
    )
    placeholders = [page.form.numbers[name].placeholderText() for name in ("temperature", "top_k", "seed")]
    assert (page.models.context.placeholderText(), placeholders) == ("32,768", ["0.7", "20", "another each"])


def test_memory_of_a_context_that_is_too_long_is_that_of_the_one_that_is_used(
    page, fake_engine, settle, settings
) -> None:
    settings.change_model(page.models.target, replace(page.models.choice, context_length=100_000))
    settle(lambda: "32,768" in page.models.context_row.problem.text())
    questions = [one for one in fake_engine.commands if isinstance(one, EstimateMemory)]
    assert questions[-1].context_length == 32_768


def test_a_model_that_was_not_looked_at_before_the_page_went_is_when_it_comes_back(page, fake_engine, settle) -> None:
    fake_engine.answers_on_models = False
    page.choose_model("/models/other")
    page.hide()
    fake_engine.answers_on_models = True
    page.show()
    settle(lambda: page.models.context.placeholderText() == "32,768")


def test_a_model_that_comes_later_is_looked_at_then(page, bridge, fake_engine, settle) -> None:
    fake_engine.unreadable["/models/other"] = "It is being imported."
    page.choose_model("/models/other")
    settle(lambda: page.models.context_row.problem.text() != "")
    fake_engine.unreadable.clear()
    bridge.received.emit(ModelLoaded(0, facts_of("/models/other")))
    settle(lambda: page.models.context.placeholderText() == "32,768")
    assert page.models.context_row.problem.text() == ""


def test_memory_of_another_model_is_asked_with_its_own_automatic_drafter(page, planner, fake_engine, settle) -> None:
    class Best:
        def resolve(self, target: str) -> str:
            return f"dspark:{target}-drafter"

    planner.use_automatic(Best())
    page.choose_model("/models/other")

    def asked() -> list[str]:
        questions = [one for one in fake_engine.commands if isinstance(one, EstimateMemory)]
        return [one.drafter for one in questions if one.target == "/models/other"]

    settle(lambda: bool(asked()))
    assert set(asked()) == {"dspark:/models/other-drafter"}


def test_refusal_of_the_bits_is_the_engines(page, fake_engine, settle, settings, tmp_path) -> None:
    fake_engine.estimate = Failed(0, "model", "Its layers keep no keys: choose 16 bits.")
    settings.change_model(str(tmp_path), ModelChoice(kv_bits=4))
    page.choose_model(str(tmp_path))
    settle(lambda: page.models.bits_row.problem.text() == "Its layers keep no keys: choose 16 bits.")


def test_files_that_are_gone_are_told_of_once(page, fake_engine, settle, settings) -> None:
    settings.change_model("/models/other", ModelChoice(2048))
    fake_engine.unreadable["/models/other"] = "nothing found; give a model folder or a .gguf file"
    fake_engine.estimate = Failed(0, "model", fake_engine.unreadable["/models/other"])
    page.choose_model("/models/other")
    words = "The files of this model are gone from /models/other. Put them back, or choose another model."
    row = page.models.context_row
    settle(lambda: row.problem.text() == words and not row.sentence.text())


def test_model_that_does_not_fit_says_so() -> None:
    words = memory_words(MemoryEstimate(30 * GB, GB, GB, GB, 0, 27 * GB)).replace("\u00a0", " ")
    assert words == "Needs about 32 GB; 27 GB is allowed. Choose a shorter context or fewer cache bits."


def test_preset_is_changed_field_by_field(page, qtbot, presets, settle) -> None:
    page.list.setCurrentRow(1)
    write(qtbot, page.form.name, "Brief")
    write(qtbot, page.form.numbers["temperature"], "0.3")
    page.prompt.area.setPlainText("Be brief please")
    page.form.stops.setPlainText("END\n\\n\\n")
    page.hide()
    preset = presets.latest[0]
    assert preset == Preset(preset.id, "Brief", "Be brief please", temperature=0.3, stops=("END", "\n\n"))
    page.show()
    write(qtbot, page.form.numbers["temperature"], "")
    assert presets.latest[0].temperature is None


def test_what_was_typed_is_kept_for_its_own_preset(page, presets) -> None:
    page.list.setCurrentRow(1)
    page.prompt.area.setPlainText("Be brief.")
    page.list.setCurrentRow(0)
    assert (presets.get(DEFAULT_ID).system_prompt, presets.latest[0].system_prompt) == ("", "Be brief.")
    assert page.prompt.area.toPlainText() == ""


def test_system_prompt_is_counted(page, settle) -> None:
    page.prompt.area.setPlainText("Be very brief")
    settle(lambda: page.prompt.count.text() == "About 3\u00a0tokens")


def test_system_prompt_is_not_counted_again_where_nothing_changed(page, fake_engine, settle, qtbot) -> None:
    page.prompt.area.setPlainText("One two three")
    settle(lambda: page.prompt.count.text() == "About 3\u00a0tokens")
    num_before = len(fake_engine.commands)
    page.prompt.count_again()
    qtbot.wait(300)
    page.prompt.area.setPlainText("One two three four")
    settle(lambda: page.prompt.count.text() == "About 4\u00a0tokens")
    counts = [one for one in fake_engine.commands[num_before:] if isinstance(one, CountTokens)]
    assert [one.turns[0].text for one in counts] == ["One two three four"]


def test_deleted_preset_is_had_back(page, presets) -> None:
    page.list.setCurrentRow(1)
    page.delete.click()
    assert presets.all == (DEFAULT,)
    assert page.used.text() == "Deleted “Editor”."
    page.undo.click()
    assert (page.list.preset.name, page.undo.isHidden()) == ("Editor", True)


def test_default_preset_stays_and_chats_are_counted(page) -> None:
    assert page.used.text().replace("\u00a0", " ") == "Used by 2 chats"
    assert not page.delete.isEnabled()
    page.duplicate.click()
    assert (page.list.preset.name, page.used.text()) == ("Default copy", "Used by no chat")


def test_restored_page_keeps_presets_and_template(page, settings, presets, target) -> None:
    settings.change_model(target, ModelChoice(4096, 8, "none", template="{{ mine }}"))
    presets.change(replace(DEFAULT, temperature=1.0))
    page.restore.click()
    assert settings.preferences.model(target) == ModelChoice(template="{{ mine }}")
    assert (presets.get(DEFAULT_ID), len(presets.all)) == (DEFAULT, 2)


def test_tab_goes_through_the_page_from_its_start(page, qtbot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    line = QHBoxLayout(window)
    for part in (QListWidget(), page):
        line.addWidget(part)
    window.show()
    chain = chain_of(page)
    assert chain[0] is page.model
    assert chain[-1] is page.restore


def test_stops_come_back_as_they_were_written() -> None:
    stops = ("END", "\n\nUser:", "a\\nb", "\\")
    assert read_stops(write_stops(stops)) == stops
