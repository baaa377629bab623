"""Dragging a chat of the sidebar to a folder."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.sidebar.list_model import ConversationModel
from app.sidebar.list_view import ConversationList, chat_data
from app.sidebar.rows import Kind
from tests.app.sidebar.conversations import conversation


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


@pytest.fixture
def chats(parent: QWidget) -> ConversationList:
    model = ConversationModel(parent)
    chats = ConversationList(model, parent)
    parent.resize(300, 400)
    chats.resize(300, 400)
    inside = conversation("inside", folder="Thesis")
    model.show([conversation("loose"), inside, conversation("pinned", folder="Thesis", is_pinned=True)])
    parent.show()
    return chats


def drop(chats: ConversationList, data: QMimeData, place: tuple[Kind, str] | None) -> bool:
    """Move something over a row, or below all of them, and let it go; whether that may be done."""
    model = chats.model()
    assert isinstance(model, ConversationModel)
    rect = chats.visualRect(model.index_of_place(place)) if place else chats.rect().adjusted(0, 390, 0, 0)
    point, move, left = QPointF(rect.center()), Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    over = QDragMoveEvent(point.toPoint(), move, data, left, none)
    chats.dragMoveEvent(over)
    event = QDropEvent(point, move, data, left, none)
    chats.dropEvent(event)
    assert event.isAccepted() == over.isAccepted()
    return over.isAccepted()


@pytest.mark.parametrize(
    ("name", "place", "folder"),
    [
        ("loose", (Kind.FOLDER, "Thesis"), "Thesis"),
        ("loose", (Kind.CHAT, "inside"), "Thesis"),
        ("inside", (Kind.CHAT, "loose"), ""),
        ("inside", None, ""),
    ],
)
def test_a_chat_goes_where_it_is_dropped(
    chats: ConversationList, name: str, place: tuple[Kind, str] | None, folder: str
) -> None:
    moved: list[tuple[tuple[str, ...], str]] = []
    chats.folder_asked.connect(lambda *each: moved.append(each))
    assert drop(chats, chat_data([name]), place)
    assert moved == [((name,), folder)]
    assert chats.target is None


def test_what_would_change_nothing_and_what_is_no_chat_is_refused(chats: ConversationList) -> None:
    moved: list[str] = []
    chats.folder_asked.connect(lambda name, folder: moved.append(name))
    text = QMimeData()
    text.setText("loose")
    assert not drop(chats, chat_data(["inside"]), (Kind.FOLDER, "Thesis"))
    assert not drop(chats, text, (Kind.FOLDER, "Thesis"))
    assert moved == []
