"""The note under a reply that did not end by itself: its sentence and what can be done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.conversations.records import Message, ReplyState
from app.figures import write_clock, write_count
from app.theme.fonts import font
from app.theme.glyphs import draw_round
from app.theme.symbols import draw_symbol, symbol_pixmap
from app.theme.theme import Theme

MIN_HEIGHT = 42
_LEAST_COLUMN = 260  # px of a sentence beside its buttons


class Action(StrEnum):
    """What can be done about a note or a message; the value is the word on its button or in its menu."""

    CONTINUE = "Continue"
    TRY_AGAIN = "Try again"
    DISCARD = "Discard"
    CLOSE = "Close"
    UNDO = "Undo"
    EDIT = "Edit"
    COPY = "Copy"
    AGAIN = "Again"
    BRANCH = "Branch"
    MORE = "More"
    DETAILS = "Details"
    CHECK = "Check without a drafter"
    TINT = "Tint drafted text"
    DELETE_FROM = "Delete from here"
    PREVIOUS = "Previous branch"
    NEXT = "Next branch"
    INCLUDE = "Include"
    BACK = "Go back"
    SHOW_FILES = "Show both files"
    SHOW_CACHE = "Prompt cache"
    FREE_CACHE = "Free cache…"
    SHOW_BOTH = "Show both"
    SAVE_REPORT = "Save report…"
    TEMPLATE = "Open template"
    CHOOSE_MODEL = "Choose another model"
    SHOW_REPORT = "Show report"
    START_ENGINE = "Start the engine"
    DO_NOT_WAIT = "Do not wait"
    FIND_MODEL = "Find a model"
    ADD_FOLDER = "Add folder…"
    CHANGE_LIMIT = "Change limit"
    RELEASE_PAGE = "Open its page"


_NAMES = {
    Action.CONTINUE: "Continue this reply",
    Action.TRY_AGAIN: "Try again",
    Action.DISCARD: "Discard this reply",
    Action.CLOSE: "Close this note",
    Action.UNDO: "Undo the deletion",
    Action.INCLUDE: "Include all messages",
    Action.AGAIN: "Write a reply",
    Action.SHOW_BOTH: "Show both replies",
    Action.SAVE_REPORT: "Save a report of the check",
    Action.BACK: "Go back to the messages that followed",
    Action.SHOW_FILES: "Show both files in their folders",
    Action.FREE_CACHE: "Clear the prompt cache, after a question",
    Action.SHOW_REPORT: "Show the report of what failed",
    Action.ADD_FOLDER: "Add a folder with models",
    Action.CHANGE_LIMIT: "Change the limit of the preset",
    Action.DO_NOT_WAIT: "Do not wait for memory",
    Action.RELEASE_PAGE: "Open the page of the newer release",
    Action.TEMPLATE: "Open the template of this model",
    Action.SHOW_CACHE: "Show the prompt cache, where it can be cleared",
}
# Shown as words, the quieter of two; or filled, where all waits for it.
_KINDS = {
    **dict.fromkeys((Action.DISCARD, Action.SHOW_REPORT, Action.ADD_FOLDER, Action.CHANGE_LIMIT), "link"),
    **dict.fromkeys((Action.START_ENGINE, Action.FIND_MODEL), "primary"),
}


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    actions: tuple[Action, ...] = ()
    is_alert: bool = False


def num_tokens_of(message: Message) -> int:
    """Tokens that a reply has, also where their ids were given up; 0 where that is unknown."""
    counted = message.statistics.num_tokens if message.statistics else 0
    return max(len(message.token_ids), counted)


def note_for(message: Message) -> Note | None:
    """The note of a reply's state; None where it is complete or running."""
    num_tokens = num_tokens_of(message)
    tokens = write_count(num_tokens, "tokens")
    match message.state:
        case ReplyState.STOPPED:
            when = "" if message.text else " before the first token"
            return Note(f"Stopped{f' after {tokens}' if num_tokens else when}.", (Action.CONTINUE,))
        case ReplyState.LIMIT:
            offered = (Action.CHANGE_LIMIT, Action.CONTINUE)
            return Note(f"Reached the limit{f' after {tokens}' if num_tokens else ''}.", offered)
        case ReplyState.CUT_OFF:
            saved = "was" if num_tokens == 1 else "were"
            kept = "What came was saved." if message.text and not num_tokens else f"{tokens} {saved} saved."
            return Note(f"Cut off at {write_clock(message.updated_at)}. {kept}", (Action.DISCARD, Action.CONTINUE))
        case ReplyState.FAILED:
            words = f"This reply failed: {_sentence(message.error)}"
            return Note(words, (Action.SHOW_REPORT, Action.TRY_AGAIN), is_alert=True)
    return None


def _sentence(text: str) -> str:
    text = text.strip() or "the engine gave no reason"
    return text if text.endswith((".", "!", "?")) else f"{text}."


class NoteBar(QFrame):
    """A note with its buttons; lies over the room that the transcript keeps for it."""

    chosen = Signal(object)  # Action

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._note = Note("")
        self._label = QLabel(self)
        self._label.setFont(font("interface"))
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(12, 5, 7, 5)
        self._layout.setSpacing(8)
        self._layout.setColumnStretch(0, 1)
        self._layout.addWidget(self._label, 0, 0)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._is_stacked: bool | None = None  # the buttons under the sentence
        self._buttons: list[QPushButton] = []
        self.setCursor(Qt.CursorShape.ArrowCursor)
        theme.tokens_changed.connect(self._tint)
        self.hide()

    @property
    def text(self) -> str:
        return self._note.text

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """What the keyboard goes through."""
        return tuple(self._buttons)

    @property
    def offered(self) -> tuple[Action, ...]:
        return () if self.isHidden() else self._note.actions

    def show_note(self, note: Note) -> None:
        if note == self._note and not self.isHidden():
            return
        self._note = note
        self._label.setText(note.text)
        side = Qt.AlignmentFlag.AlignRight if self.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
        self._label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute)
        self._label.setProperty("kind", "" if note.is_alert else "secondary")
        self._layout.setContentsMargins(38 if note.is_alert else 12, 9 if self._is_stacked else 5, 7, 5)
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._make_button(action) for action in note.actions]
        self._place(self.width())
        self._tint()
        self.show()

    def height_for(self, width: int) -> int:
        """Height that the whole sentence needs."""
        taken = self._width_of_buttons
        if not self._stacks_at(width):
            return max(MIN_HEIGHT, self._label.heightForWidth(max(60, self._room(width) - taken)) + 16)
        buttons = max(button.sizeHint().height() for button in self._buttons)
        return self._label.heightForWidth(max(60, self._room(width))) + self._layout.spacing() + buttons + 16

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(event.size().width())

    def _room(self, width: int) -> int:
        """For sentence and buttons."""
        return width - self._layout.contentsMargins().left() - 7

    @property
    def _width_of_buttons(self) -> int:
        return sum(button.sizeHint().width() + 8 for button in self._buttons)

    def _stacks_at(self, width: int) -> bool:
        """Whether the sentence would be squeezed into a narrow column beside its buttons."""
        beside = self._room(width) - self._width_of_buttons
        needed = QFontMetrics(self._label.font()).horizontalAdvance(self._note.text)
        return bool(self._buttons) and beside < min(needed, _LEAST_COLUMN)

    def _place(self, width: int) -> None:
        is_stacked = self._stacks_at(width)
        if is_stacked != self._is_stacked:
            self._is_stacked = is_stacked
            margins = self._layout.contentsMargins()
            self._layout.setContentsMargins(margins.left(), 9 if is_stacked else 5, margins.right(), 5)
            self._layout.removeItem(self._row)
            end = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            self._layout.addLayout(self._row, *((1, 0) if is_stacked else (0, 1)), end)

    def _make_button(self, action: Action) -> QPushButton:
        button = QPushButton(action.value, self)
        button.setProperty("kind", _KINDS.get(action, "plain"))
        button.setFont(font("interface-medium"))
        button.setAccessibleName(_NAMES.get(action, action.value))
        button.clicked.connect(lambda: self.chosen.emit(action))
        self._row.addWidget(button)
        button.show()
        return button

    def _tint(self) -> None:
        for button in self._buttons:
            if button.text() == Action.CONTINUE:
                button.setIcon(symbol_pixmap("continue", self._theme.tokens.ink, 16, self.devicePixelRatioF()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        draw_round(painter, QRectF(self.rect()), 9, tokens.alert_soft if self._note.is_alert else tokens.sunken)
        if self._note.is_alert:
            draw_symbol(painter, "warning", tokens.alert, QRectF(12, (self.height() - 16) / 2, 16, 16))
