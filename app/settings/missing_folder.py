"""What can be done at the start where the folder that the data was moved to is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from PySide6.QtWidgets import QMessageBox

from app.settings.folders import MovedFolderError, data_folder, default_folder, pointer_path
from app.shown_paths import write_place

TRY_AGAIN, USE_BEFORE, QUIT = "Try again", "Use the folder from before", "Quit"
BEFORE = "The folder from before has the chats of the time when the data was moved. It would be used this time only."


class Choice(Enum):
    TRY_AGAIN = auto()
    USE_BEFORE = auto()
    QUIT = auto()


class MissingFolderBox(QMessageBox):
    """The folder from before is offered where there still are chats in it."""

    def __init__(self, sentence: str, *, has_before: bool) -> None:
        super().__init__(QMessageBox.Icon.Warning, "Slipstream", sentence)
        role = QMessageBox.ButtonRole
        self.again = self.addButton(TRY_AGAIN, role.AcceptRole)
        self.before = self.addButton(USE_BEFORE, role.ActionRole) if has_before else None
        self.leave = self.addButton(QUIT, role.RejectRole)
        self.setInformativeText(BEFORE if has_before else "")
        self.setDefaultButton(self.again)
        self.setEscapeButton(self.leave)

    def ask(self) -> Choice:
        self.exec()
        if self.clickedButton() is self.again:
            return Choice.TRY_AGAIN
        is_before = self.before is not None and self.clickedButton() is self.before
        return Choice.USE_BEFORE if is_before else Choice.QUIT


def has_chats_from_before() -> bool:
    return (default_folder() / "conversations.sqlite").is_file()


def ask_what_to_do(sentence: str) -> Choice:
    return MissingFolderBox(sentence, has_before=has_chats_from_before()).ask()


def find_folder(ask: Callable[[str], Choice] | None) -> Path | None:
    """The data folder; None where the user would rather quit. Without `ask` a missing one raises MovedFolderError.

    Raises DataFolderError where another try does not help.
    """
    while True:
        try:
            return data_folder()
        except MovedFolderError as error:
            if ask is None:
                others = (
                    f", or remove {write_place(pointer_path())} to use the folder from before"
                    if has_chats_from_before()
                    else ""
                )
                raise MovedFolderError(f"{error} Connect its disk, then start again{others}.") from error
            choice = ask(f"{error} Connect its disk, then try again.")
        if choice is Choice.QUIT:
            return None
        if choice is Choice.USE_BEFORE:  # for this time: where the data was moved to stays known
            os.environ["SLIPSTREAM_DATA"] = str(default_folder())
