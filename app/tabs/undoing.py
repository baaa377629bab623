"""Undoing: what is taken back first: what was written, chats that were deleted, or messages."""

from __future__ import annotations

from collections.abc import Callable

from app.conversations.deletion import Deletion
from app.frame.page_stack import PageStack


class Undoing:
    def __init__(self, pages: PageStack, deletion: Deletion) -> None:
        self._pages = pages
        self._deletion = deletion

    def undo(self) -> None:
        """Take back what was done last; nothing where that is not known."""
        done = self._done()
        if done:
            _, take_back = max(done, key=lambda each: each[0])
            take_back()

    def redo(self) -> None:
        """Write again what was taken back."""
        tab = self._pages.current
        if tab is not None and tab.composer.field.hasFocus():
            tab.composer.field.redo()

    def _done(self) -> list[tuple[float, Callable[[], object]]]:
        """What can be taken back, each with its time."""
        done: list[tuple[float, Callable[[], object]]] = []
        if self._deletion.offered_titles:
            done.append((self._deletion.offered_at, self._deletion.undo))
        if (tab := self._pages.current) is not None:
            composer, messages = tab.composer, tab.actions_on_messages
            if composer.field.hasFocus() and composer.can_undo:
                done.append((composer.field.written_at, composer.undo))
            if tab.session.can_undo_deletion:
                done.append((messages.deleted_at, messages.undo_deletion))
        return done
