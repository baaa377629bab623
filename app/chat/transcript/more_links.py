"""MoreLinks: words behind the last note under a reply, which open those that are folded away."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QPushButton

from app.chat.transcript.painting import behind_reasons_rect
from app.chat.transcript.section import Section
from app.chat.transcript.view import TranscriptView


class MoreLinks(QObject):
    chosen = Signal(object)  # Section

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._links: list[QPushButton] = []  # made once and used again
        self._sections: list[Section] = []  # that have the first of them

    def place(self) -> None:
        view = self._view
        shown = view.sections.between(view.offset, view.offset + view.viewport().height())
        found = [(index, view.sections[index]) for index in shown if view.sections[index].more_words]
        while len(self._links) < len(found):
            self._links.append(self._make(len(self._links)))
        self._sections = [section for _, section in found]
        for link in self._links[len(found) :]:
            link.hide()
        for (index, section), link in zip(found, self._links, strict=False):
            place = behind_reasons_rect(section)
            place.translate(view.column_left, round(view.sections.tops[index]) - view.offset)
            link.setText(section.more_words)
            link.setAccessibleName(f"Show {section.more_words} on this reply")
            link.setGeometry(place.toRect())
            policy = Qt.FocusPolicy.TabFocus if index == view.focus_index else Qt.FocusPolicy.NoFocus
            if link.focusPolicy() != policy:  # Tab goes through what the message with the keyboard offers
                link.setFocusPolicy(policy)
            link.show()

    def of(self, section: Section) -> list[QAbstractButton]:
        return [link for one, link in zip(self._sections, self._links, strict=False) if one is section]

    def _make(self, at: int) -> QPushButton:
        link = make_link("", "", self._view)
        link.clicked.connect(lambda: self.chosen.emit(self._sections[at]))
        return link


def make_link(words: str, name: str, view: TranscriptView) -> QPushButton:
    """A word among the text that does something; hidden until it has a place."""
    link = QPushButton(words, view.viewport())
    link.setProperty("kind", "link")
    link.setAccessibleName(name)
    link.setCursor(Qt.CursorShape.ArrowCursor)
    link.hide()
    return link
