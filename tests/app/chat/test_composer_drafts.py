"""What is written, waits or is edited stays a message of its own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.draft import Draft
from app.conversations.records import Attachment, Message

NOTES = Attachment("notes.md", "# Notes")
EARLIER = Message("m", "c", None, "user", "as it was", attachments=(NOTES,))


def test_a_message_that_was_not_sent_is_put_back_whole(composer: Composer) -> None:
    draft = Draft("one", (NOTES,))
    composer.put_back(draft)
    assert composer.draft == draft
    assert composer.unsent() == (draft,)


def test_a_message_put_back_beside_a_newer_text_waits_to_be_sent_by_hand(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    qtbot.keyClicks(composer.field, "newer")
    composer.put_back(Draft("one"))
    assert composer.unsent() == (Draft("one"), Draft("newer"))
    (chip,) = composer.queued.chips
    assert composer.queued.next_draft() is None
    qtbot.mouseClick(chip.send_button, Qt.MouseButton.LeftButton)
    assert sent == [Draft("one")]
    assert composer.unsent() == (Draft("newer"),)


def test_taking_a_message_back_lets_what_was_written_wait_in_its_place(composer: Composer, qtbot: QtBot) -> None:
    composer.set_busy(True)
    for text in ("one", "two"):
        qtbot.keyClicks(composer.field, text)
        composer.submit()
    qtbot.keyClicks(composer.field, "three")
    qtbot.mouseClick(composer.queued.chips[0], Qt.MouseButton.LeftButton)
    assert composer.unsent() == (Draft("three"), Draft("two"), Draft("one"))
    assert composer.draft == Draft("one")
    assert composer.queued.next_draft() == Draft("two")


def test_a_held_message_that_is_sent_while_a_reply_runs_goes_at_its_end(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    composer.restore((Draft("one"), Draft("two")))
    composer.set_busy(True)
    qtbot.mouseClick(composer.queued.chips[0].send_button, Qt.MouseButton.LeftButton)
    assert sent == []
    composer.set_busy(False)
    composer.send_next()
    assert sent == [Draft("one")]
    assert composer.draft == Draft("two")


def test_an_edit_is_sent_in_place_of_the_message_even_while_a_reply_runs(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    qtbot.keyClicks(composer.field, "half")
    composer.set_busy(True)
    composer.begin_edit(EARLIER)
    assert composer.draft == Draft("as it was", (NOTES,), "m")
    assert composer.unsent() == (Draft("half"), composer.draft)
    assert composer.foot.send_button.accessibleName() == "Send this message"
    composer.field.setPlainText("as it should be")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("as it should be", (NOTES,), "m")]
    assert composer.draft == Draft("half")
    assert composer.foot.send_button.accessibleName() == "Stop this reply"


@pytest.mark.parametrize("how", ["button", "key"])
def test_a_cancelled_edit_brings_back_what_was_written(composer: Composer, qtbot: QtBot, how: str) -> None:
    composer.set_busy(True)
    qtbot.keyClicks(composer.field, "half")
    composer.begin_edit(EARLIER)
    stops: list[None] = []
    composer.stop_requested.connect(lambda: stops.append(None))
    if how == "key":
        qtbot.keyClick(composer.field, Qt.Key.Key_Escape)
    else:
        qtbot.mouseClick(composer.editing.button, Qt.MouseButton.LeftButton)
    assert (composer.draft, composer.editing.isHidden(), stops) == (Draft("half"), True, [])


def test_an_edit_that_was_not_sent_is_edited_on(composer: Composer) -> None:
    composer.put_back(Draft("as it should be", (), "m"))
    assert composer.draft.edits == "m"
    assert composer.editing.button.accessibleName() == "Cancel"


def test_nothing_is_sent_while_sending_is_off_and_the_reason_is_said(
    composer: Composer, sent: list[Draft], qtbot: QtBot
) -> None:
    composer.set_refusal("This chat is not saved: the disk is full.")
    qtbot.keyClicks(composer.field, "one")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert (sent, composer.draft) == ([], Draft("one"))
    assert composer.note.text == composer.foot.send_button.toolTip() == "This chat is not saved: the disk is full."
    composer.set_refusal("")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("one")]


def test_the_words_of_an_empty_field_are_those_that_its_width_holds(composer: Composer) -> None:
    composer.set_busy(True)
    composer.resize(744, 120)
    assert composer.field.placeholderText() == "Write a follow-up. It is sent when this reply ends."
    composer.resize(300, 120)
    assert composer.field.placeholderText() == "Write a follow-up"


def test_in_a_narrow_window_quantisation_cost_and_drafter_give_way_in_turn(composer: Composer) -> None:
    foot = composer.foot
    foot.cost.show_words("16 tokens to read, 2,380 cached")
    widths = {}
    for width in (744, 560, 400, 300):
        composer.resize(width, 120)
        foot.fit()
        widths[width] = (foot.model_chip.sizeHint().width(), foot.cost.isHidden(), foot.drafter_chip.sizeHint().width())
    assert widths[744][0] > widths[300][0]
    assert not widths[744][1]
    assert widths[300][1]
    assert foot.send_button.toolTip() == "Send this message\n16 tokens to read, 2,380 cached"
    assert widths[744][2] > widths[300][2]


def test_in_a_narrow_window_the_preset_stays_longer_than_the_quantisation(composer: Composer) -> None:
    foot = composer.foot
    foot.set_preset("Pirate")
    composer.resize(744, 120)
    whole = foot.model_chip.sizeHint().width()
    assert "Model: SmolLM2 135M 4-bit, preset Pirate" in foot.model_chip.toolTip()
    foot.set_preset("")
    assert foot.model_chip.accessibleName() == "Model: SmolLM2 135M 4-bit"
    foot.set_model("SmolLM2 135M", "")
    bare = foot.model_chip.sizeHint().width()
    foot.set_model("SmolLM2 135M", "4-bit")
    foot.set_preset("Pirate")
    foot.cost.show_words("16 tokens to read, 2,380 cached")
    composer.resize(400, 120)
    foot.fit()
    assert bare < foot.model_chip.sizeHint().width() < whole


def test_the_note_of_what_cannot_be_sent_goes_when_it_can(composer: Composer, qtbot: QtBot) -> None:
    composer.set_refusal("The disk is full.")
    composer.field.setPlainText("one")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert composer.note.text == "The disk is full."
    composer.set_refusal("")
    assert composer.note.text == ""


@pytest.mark.parametrize(("written", "waiting"), [("mine", ("mine",)), ("waits", ())])
def test_a_message_taken_back_over_a_text_says_where_that_went(
    composer: Composer, qtbot: QtBot, written: str, waiting: tuple[str, ...]
) -> None:
    composer.put_back(Draft("mine"))
    composer.put_back(Draft("waits"))
    composer.field.setPlainText(written)
    qtbot.keyClick(composer.queued.chips[0], Qt.Key.Key_Space)
    assert composer.draft == Draft("waits")
    assert tuple(chip.draft.text for chip in composer.queued.chips) == waiting
    assert composer.note.text == ("What you wrote waits in the place of this message." if waiting else "")
