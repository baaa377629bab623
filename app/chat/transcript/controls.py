"""SectionControls: the buttons under a message: its statistics, its branches, its actions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QToolTip, QWidget

from app.chat.notes import Action
from app.chat.strip import describe, spoken
from app.chat.transcript import measures
from app.chat.transcript.section import Section
from app.chat.transcript.words import NO_BRANCH, branch_words
from app.theme.buttons import PaintedButton, SymbolButton
from app.theme.fonts import font
from app.theme.glyphs import draw_focus_ring, draw_round
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

_SYMBOLS = {
    Action.EDIT: ("edit", "Edit this message"),
    Action.COPY: ("copy", "Copy this message"),
    Action.AGAIN: ("again", "Write this reply again"),
    Action.BRANCH: ("branch", "Branch from this reply"),
    Action.MORE: ("more", "Show more actions for this reply"),
}
_RUNNING = "Statistics of the running reply"
_OF_REPLY = (Action.COPY, Action.AGAIN, Action.BRANCH, Action.MORE)
_OF_USER = (Action.EDIT, Action.COPY)


class StepButton(PaintedButton):
    """A chevron that shows another branch; `is_back` points to the start."""

    def __init__(self, theme: Theme, name: str, parent: QWidget, *, is_back: bool) -> None:
        super().__init__(theme, name, parent)
        self._is_back = is_back
        self.setFixedSize(QSize(measures.ROW, measures.ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self.theme.tokens
        rect = QRectF(self.rect())
        if self.isEnabled() and (self.is_hovered or self.isDown()):
            draw_round(painter, rect.adjusted(2, 2, -2, -2), 6, tokens.hover)
        points_left = self._is_back != self.isRightToLeft()
        painter.setFont(font("reply"))
        painter.setPen(QColor(tokens.ink2 if self.isEnabled() else tokens.edge))
        painter.drawText(rect.adjusted(0, -2, 0, -2), Qt.AlignmentFlag.AlignCenter, "‹" if points_left else "›")
        if self.has_keyboard_focus:
            draw_focus_ring(painter, tokens, rect, 7)


class BranchLabel(QWidget):
    """ "2 of 3", as wide as its widest form."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ""
        theme.tokens_changed.connect(self._fit)

    def set_words(self, words: str) -> None:
        if words == self._words:
            return
        self._words = words
        self.setAccessibleName(f"Branch {words}")
        self._fit()

    def _fit(self) -> None:
        """Also at another text size."""
        self.setFixedSize(round(QFontMetricsF(font("small")).horizontalAdvance(self._words)) + 4, measures.ROW)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        painter.setFont(font("small"))
        painter.setPen(self._theme.colour("ink2"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)


class StripButton(PaintedButton):
    """Lies over a painted strip: opens the details, and says the numbers to a screen reader."""

    words: Callable[[], str] = str  # of the tool tip, when it is asked for

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tooltip(self.words()).replace("\n", "<br>"), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.has_keyboard_focus:
            draw_focus_ring(QPainter(self), self.theme.tokens, QRectF(self.rect()), 7)


class SectionControls(QWidget):
    """Belongs to one section at a time."""

    chosen = Signal(object, object)  # Section, Action
    menu_wanted = Signal(object, object, QPoint)  # Section, Action whose menu is wanted, place on the screen

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.section: Section | None = None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.strip = StripButton(theme, "Statistics", self)
        self.strip.words = self._describe
        self.strip.clicked.connect(lambda: self._choose(Action.DETAILS))
        self.previous = StepButton(theme, "Show the previous branch", self, is_back=True)
        self.label = BranchLabel(theme, self)
        self.next = StepButton(theme, "Show the next branch", self, is_back=False)
        self.previous.clicked.connect(lambda: self._choose(Action.PREVIOUS))
        self.next.clicked.connect(lambda: self._choose(Action.NEXT))
        self.buttons = {action: self._make(theme, action) for action in _SYMBOLS}
        self._lay_out()

    def _make(self, theme: Theme, action: Action) -> SymbolButton:
        symbol, name = _SYMBOLS[action]
        button = SymbolButton(theme, symbol, name, self)
        button.setFixedSize(QSize(measures.ROW, measures.ROW))
        button.clicked.connect(lambda: self._choose(action))
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.strip, 1)
        row.addStretch(0)
        for widget in (self.previous, self.label, self.next, *self.buttons.values()):
            row.addWidget(widget)
        policy = self.strip.sizePolicy()
        policy.setHorizontalPolicy(policy.Policy.Expanding)
        policy.setVerticalPolicy(policy.Policy.Expanding)
        self.strip.setSizePolicy(policy)

    def show_section(self, section: Section, *, has_actions: bool, is_last: bool = False) -> None:
        self.section = section
        has_numbers = section.is_reply and section.latest.num_tokens > 0
        self.strip.setVisible(has_numbers)
        if has_numbers:
            self._name_strip(section)
        has_branches = len(section.siblings) > 1
        for widget in (self.previous, self.label, self.next):
            widget.setVisible(has_branches)
        if has_branches:
            place = section.siblings.index(section.message.id)
            self.label.set_words(branch_words(place, len(section.siblings)))
            self.previous.setEnabled(place > 0)
            self.next.setEnabled(place < len(section.siblings) - 1)
        offered = _OF_REPLY if section.is_reply else _OF_USER
        for action, button in self.buttons.items():
            button.setVisible(has_actions and action in offered and not section.is_running)
        self._allow_branch(is_allowed=not is_last)

    def _allow_branch(self, *, is_allowed: bool) -> None:
        """A branch begins where something follows."""
        branch = self.buttons[Action.BRANCH]
        if branch.isEnabled() != is_allowed:
            branch.setEnabled(is_allowed)
            branch.setToolTip(_SYMBOLS[Action.BRANCH][1] if is_allowed else NO_BRANCH)
            branch.setAccessibleDescription("" if is_allowed else NO_BRANCH)

    def _name_strip(self, section: Section) -> None:
        """Its numbers once they stand: a screen reader would be told of every one that ticks."""
        name = _RUNNING if section.is_running else spoken(section.statistics)
        if name != self.strip.accessibleName():
            self.strip.setAccessibleName(name)

    def _describe(self) -> str:
        return describe(self.section.latest, self.section.message) if self.section else ""

    def stops(self) -> list[QAbstractButton]:
        """What the keyboard goes through, from the start."""
        every = (self.strip, self.previous, self.next, *self.buttons.values())
        return [button for button in every if not button.isHidden() and button.isEnabled()]

    def set_copied(self, is_copied: bool) -> None:
        self.buttons[Action.COPY].set_symbol("check" if is_copied else "copy")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        copy = self.buttons[Action.COPY]
        if copy.isVisible() and copy.geometry().contains(event.pos()):
            self.menu_wanted.emit(self.section, Action.COPY, event.globalPos())
        else:
            event.ignore()

    def _choose(self, action: Action) -> None:
        if action is Action.MORE:
            button = self.buttons[action]
            self.menu_wanted.emit(self.section, action, button.mapToGlobal(button.rect().bottomLeft()))
        else:
            self.chosen.emit(self.section, action)
