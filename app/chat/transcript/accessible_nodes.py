"""The transcript as a screen reader goes through it: a list, in it one item a message, and in that its blocks."""

from __future__ import annotations

from collections.abc import Sequence, Set

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor, QWindow
from PySide6.QtWidgets import QWidget

from app.chat.blocks.block import Block
from app.chat.transcript.section import Section
from app.chat.transcript.view import TranscriptView
from app.chat.transcript.words import name_of

_MOST_CHARACTERS = 2_000  # of a message's text in its name; its blocks have all of it


class _Node(QAccessibleInterface):
    """What the levels share. Qt's cache owns what it was given, so it is kept here until it is dropped there."""

    def register(self) -> None:
        """Give it to Qt's cache, which a screen reader's first question would do too."""
        self._id = QAccessible.registerAccessibleInterface(self)

    def drop(self) -> None:
        """Take it out of Qt's cache, which ends it."""
        QAccessible.deleteAccessibleInterface(self._id)

    def isValid(self) -> bool:
        return True

    def object(self) -> QObject | None:  # type: ignore[override]  # None is what Qt wants for what is no QObject
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        parent = self.parent()
        return parent.window() if parent else None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        every = (self.child(place) for place in range(self.childCount()))
        return next((one for one in every if one is not None and one.rect().contains(x, y)), None)

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Nothing here is written by a screen reader."""

    def foregroundColor(self) -> QColor:
        return QColor()

    def backgroundColor(self) -> QColor:
        return QColor()


class BlockNode(_Node):
    def __init__(self, owner: SectionNode, place: int, block: Block) -> None:
        super().__init__()
        self._owner = owner
        self.place = place
        self.block = block
        self.register()

    def parent(self) -> QAccessibleInterface:
        return self._owner

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.StaticText

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.readOnly = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return self.block.describe()
        return self.block.text(0, self.block.length) if kind == QAccessible.Text.Value else ""

    def rect(self) -> QRect:
        return self._owner.rect_of_block(self.place) if self.isValid() else QRect()

    def isValid(self) -> bool:
        return self._owner.isValid() and self._owner.holds(self.place, self.block)


class SectionNode(_Node):
    def __init__(self, owner: TranscriptNode, section: Section) -> None:
        super().__init__()
        self._owner = owner
        self.section = section
        self._blocks: list[BlockNode] = []
        self.register()

    def drop(self) -> None:
        self._keep(0)
        super().drop()

    def isValid(self) -> bool:
        return self._owner.holds(self.section)

    def holds(self, place: int, block: Block) -> bool:
        """Whether a block is still the message's, and there."""
        blocks = self._shown_blocks
        return place < len(blocks) and blocks[place] is block

    @property
    def _shown_blocks(self) -> list[Block]:
        return self.section.blocks if self.section.is_made else []

    def keep_same(self) -> None:
        """Drop the nodes of blocks that have gone."""
        self._keep(self._num_same)

    @property
    def _num_same(self) -> int:
        blocks = self._shown_blocks
        num_same = min(len(blocks), len(self._blocks))
        while num_same and self._blocks[num_same - 1].block is not blocks[num_same - 1]:
            num_same -= 1  # only the last ones change
        return num_same

    def _keep(self, num_blocks: int) -> None:
        """Drop the nodes of the blocks from there on."""
        for node in self._blocks[num_blocks:]:
            node.drop()
        del self._blocks[num_blocks:]

    def parent(self) -> QAccessibleInterface:
        return self._owner

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        nodes = self._nodes()
        if index < len(nodes):
            return nodes[index]
        buttons = self._owner.buttons_of(self.section)
        place = index - len(nodes)
        return QAccessible.queryAccessibleInterface(buttons[place]) if place < len(buttons) else None

    def childCount(self) -> int:
        return len(self._nodes()) + len(self._owner.buttons_of(self.section))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.place if isinstance(child, BlockNode) else -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = True
        state.focused = self._owner.has_focus(self.section)
        state.busy = self.section.is_running
        state.readOnly = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        if kind != QAccessible.Text.Name:
            return ""
        return name_of(self.section.message, self.section.text[:_MOST_CHARACTERS])

    def rect(self) -> QRect:
        return self._owner.rect_of(self.section) if self.isValid() else QRect()

    def rect_of_block(self, place: int) -> QRect:
        return self._owner.rect_of(self.section, place)

    def _nodes(self) -> list[BlockNode]:
        """One for each block that is there; blocks that stay keep theirs."""
        self.keep_same()
        blocks = self._shown_blocks
        self._blocks += [BlockNode(self, place, blocks[place]) for place in range(len(self._blocks), len(blocks))]
        return self._blocks


class TranscriptNode(_Node):
    def __init__(self, view: TranscriptView) -> None:
        super().__init__()
        self._view = view
        self._nodes: dict[Section, SectionNode] = {}

    def object(self) -> QObject:
        return self._view

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        parent = self._view.parentWidget()
        return QAccessible.queryAccessibleInterface(parent) if parent else None

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self._view.window().windowHandle()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        sections = self._view.sections
        return self._node_of(sections[index]) if 0 <= index < len(sections) else None

    def childCount(self) -> int:
        return len(self._view.sections)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        if not isinstance(child, SectionNode) or not child.isValid():
            return -1
        return self._view.sections.items.index(child.section)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        return self.child(self._view.focus_index) if self._view.hasFocus() else None

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.List

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = True
        state.focused = self._view.hasFocus()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        return self._view.accessibleName() if kind == QAccessible.Text.Name else ""

    def rect(self) -> QRect:
        return _on_screen(self._view, self._view.rect())

    def rect_of(self, section: Section, block: int = -1) -> QRect:
        """A section, or one of its blocks, on the screen."""
        index = self._view.sections.items.index(section)
        place = self._view.rect_of_section(index)
        if block >= 0:
            place = self._view.rect_of_block(index, block).toRect()
        return _on_screen(self._view.viewport(), place)

    def holds(self, section: Section) -> bool:
        return section in self._view.sections.items

    def shows(self, view: TranscriptView) -> bool:
        return self._view is view

    def has_focus(self, section: Section) -> bool:
        index = self._view.focus_index
        return self._view.hasFocus() and 0 <= index < len(self._view.sections) and self._view.sections[index] is section

    def buttons_of(self, section: Section) -> Sequence[QWidget]:
        return self._view.buttons_of(section)

    def keep(self, sections: Set[Section]) -> None:
        """Drop the nodes of all other messages."""
        for section in self._nodes.keys() - sections:
            self._nodes.pop(section).drop()
        for node in self._nodes.values():
            node.keep_same()

    def _node_of(self, section: Section) -> SectionNode:
        """Made once; those of messages that have gone are dropped."""
        if section not in self._nodes:
            self.keep(set(self._view.sections))
            self._nodes[section] = SectionNode(self, section)
        return self._nodes[section]


def _on_screen(widget: QWidget, rect: QRect) -> QRect:
    return QRect(widget.mapToGlobal(rect.topLeft()), rect.size())
