"""What goes first: parts by their last use, and checkpoints that a newer turn has made needless."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.prompt_cache.tree import Part

if TYPE_CHECKING:
    from engine.prompt_cache.owners import Stand

MAX_BOUNDARIES = 3  # of one turn; a reply that is stopped and continued many times has one for each


class UseOrder:
    """The parts of one tier with their bytes: those that no current path needs, then the others, least recent first.

    Whoever touches a path does so from its end to its beginning: so whatever hangs from a part comes before it.
    """

    def __init__(self) -> None:
        self._old: OrderedDict[Part, int] = OrderedDict()
        self._current: OrderedDict[Part, int] = OrderedDict()
        self.num_bytes = 0

    def __contains__(self, part: Part) -> bool:
        return part in self._old or part in self._current

    def __len__(self) -> int:
        return len(self._old) + len(self._current)

    def __iter__(self) -> Iterator[tuple[Part, int]]:
        """In the order of going; the tier must not change meanwhile."""
        yield from self._old.items()
        yield from self._current.items()

    def add(self, part: Part, num_bytes: int) -> None:
        self.discard(part)
        self._queue_of(part)[part] = num_bytes
        self.num_bytes += num_bytes

    def discard(self, part: Part) -> None:
        for queue in (self._old, self._current):
            self.num_bytes -= queue.pop(part, 0)

    def touch(self, part: Part) -> None:
        """Make it the most recent, among those of its rank; a part that is not in this tier needs nothing."""
        for queue in (self._old, self._current):
            if part in queue:
                self._queue_of(part)[part] = queue.pop(part)
                return

    def victims(self, num_bytes: int, is_kept: Callable[[Part], bool]) -> list[Part]:
        """Parts to let go of, in order, so that `num_bytes` fewer are held, as far as not too much is kept."""
        chosen: list[Part] = []
        for part, size in self:
            if num_bytes <= 0:
                break
            if not is_kept(part):
                chosen.append(part)
                num_bytes -= size
        return chosen

    def _queue_of(self, part: Part) -> OrderedDict[Part, int]:
        return self._current if part.node.num_current else self._old


def superseded(stands: Sequence[Stand], latest: Stand, turn_start: int) -> list[Stand]:
    """A conversation's other stands in a stream that nothing needs once its latest place is stored.

    A place on the way to the latest is kept by it. A checkpoint is kept where the last message, which begins after
    `turn_start` tokens, may be edited or answered again: at the deepest place up to there, and at boundaries after it.
    """
    on_path = [stand for stand in stands if stand.is_current and stand is not latest]
    if latest.node.checkpoint is None:
        return on_path
    on_path.sort(key=lambda stand: stand.num_tokens)
    before = [stand for stand in on_path if stand.num_tokens <= turn_start]
    after = [stand for stand in on_path if stand.num_tokens > turn_start and stand.is_boundary]
    kept = {*before[-1:], *after[-MAX_BOUNDARIES:], latest}
    return [stand for stand in stands if stand not in kept]
