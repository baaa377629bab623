"""Rows that wait until there is memory for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from engine.amounts import write_size
from engine.messages import Event, Failed, Notice, Progress
from engine.row import Row
from engine.target import Target

ORDINALS = ("A first", "A second", "A third", "A fourth", "A fifth", "A sixth", "A seventh", "An eighth")
SHORT = "Memory was short for the reply before it, so the chat was read again."


@dataclass(slots=True, eq=False)
class Waiting:
    target: Target
    row: Row
    has_notice: bool = False


class Admission:
    """Owns these rows in the order in which they came; none passes an earlier one. Each is told once why it waits."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._waiting: deque[Waiting] = deque()

    @property
    def first(self) -> Waiting | None:
        return self._waiting[0] if self._waiting else None

    @property
    def rows(self) -> list[Row]:
        return [waiting.row for waiting in self._waiting]

    def uses(self, target: Target | None) -> bool:
        return any(waiting.target is target for waiting in self._waiting)

    def add(self, target: Target, row: Row) -> None:
        """Let a row wait behind the others."""
        self._waiting.append(Waiting(target, row))

    def leave(self) -> None:
        """Let the first row go where it has room, or where it failed."""
        self._waiting.popleft()

    def hold(self, num_rows: int, need: Callable[[Waiting], int], room_bytes: int) -> None:
        """Tell those that do not know yet why they wait, beside so many rows that run."""
        for index, waiting in enumerate(self._waiting):
            if not waiting.has_notice:
                waiting.has_notice = True
                row, needed = waiting.row, need(waiting)
                self._emit(Progress(row.request_id, "waiting", 0, len(row.prompt_ids)))
                text = _why(num_rows + index, row.most_tokens, needed, max(0, room_bytes))
                self._emit(Notice(row.request_id, "memory", text))

    def let_go(self) -> bool:
        """Have the rows behind the first read their prompts anew, so that what they hold can go; False where they hold
        nothing."""
        holding = [row for row in self.rows[1:] if row.held]
        for row in holding:
            row.read_anew(SHORT)
        return bool(holding)

    def refuse(self, needed_bytes: int, room_bytes: int) -> None:
        """Fail the first row, which nothing makes room for."""
        row = self._waiting.popleft().row
        text = (
            f"A reply at {row.most_tokens:,} tokens needs {write_size(needed_bytes)}; "
            f"{write_size(max(0, room_bytes))} is free. "
            "Choose a shorter context, fewer bits for the cache, or a smaller model."
        )
        self._emit(Failed(row.request_id, "request", text))

    def cancel(self, request_id: int) -> bool:
        """End a row that waits as cancelled; False where it is not here."""
        waiting = next((one for one in self._waiting if one.row.request_id == request_id), None)
        if waiting is None:
            return False
        self._waiting.remove(waiting)
        for event in waiting.row.end("cancelled"):
            self._emit(event)
        return True

    def end(self) -> None:
        """End every row as cancelled."""
        for row in self.rows:
            self.cancel(row.request_id)

    def fail(self, text: str) -> None:
        """Fail every row."""
        for row in self.rows:
            self._emit(Failed(row.request_id, "engine", text))
        self._waiting.clear()


def _why(num_before: int, num_tokens: int, needed_bytes: int, room_bytes: int) -> str:
    """The sentence for a row that waits behind so many."""
    which = f"{ORDINALS[num_before] if num_before < len(ORDINALS) else 'Another'} reply"
    if needed_bytes <= room_bytes:
        return f"{which} waits behind one that there is no memory for. It starts after that one."
    return (
        f"{which} at {num_tokens:,} tokens needs {write_size(needed_bytes)} more; {write_size(room_bytes)} is free. "
        "It starts when another ends."
    )
