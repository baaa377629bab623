"""Which models are in memory when: a target leaves once no reply uses it, and loads asked for later wait for that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

import mlx.core as mx

from engine.loading import Loader, Request
from engine.messages import Event, Finished, LoadModel, ModelUnloaded, Progress, UnloadModel
from engine.wired_limit import WiredLimit


class Residence:
    """Owns the order of loads and unloads: they are done as they were asked for, one behind the other.

    What is asked of a model that is loaded and stays waits for none of them. One that is to leave stays where it is
    loaded again before it has left and nothing else waits for its leave.
    """

    def __init__(
        self,
        loader: Loader,
        emit: Callable[[Event], None],
        is_used: Callable[[str, Collection[int]], bool],
        wired: WiredLimit | None = None,
    ) -> None:
        """`is_used(target, besides)`: whether a reply needs a target, other than the requests that wait here."""
        self._loader = loader
        self._emit = emit
        self._is_used = is_used
        self._wired = wired or WiredLimit()
        self._queue: deque[UnloadModel | Request] = deque()  # begins with an unload that waits, if with anything

    def want(self, request: Request) -> None:
        """Go on with a request whose models are there; else load them, behind the unloads that wait."""
        if isinstance(request, LoadModel) and self._can_stay(request):
            self._queue = deque(one for one in self._queue if one != UnloadModel(request.target))
        leaving = {waiting.target for waiting in self._queue if isinstance(waiting, UnloadModel)}
        if not leaving or (request.target not in leaving and self._loader.has(request)):
            self._loader.want(request)
            return
        self._queue.append(request)
        self._emit(Progress(request.request_id, "waiting", 0, 0))

    def unload(self, command: UnloadModel) -> None:
        """Have a target leave; loads of it that no reply waits for end as cancelled."""
        queued = [one for one in self._queue if isinstance(one, LoadModel) and one.target == command.target]
        for request_id in [*self._loader.loads_of(command.target), *(one.request_id for one in queued)]:
            self.cancel(request_id)
            self._emit(Finished(request_id, "cancelled"))
        self._queue.append(command)

    def advance(self) -> bool:
        """Do a slice of a load, and the unloads whose time has come; False where there was nothing to do."""
        is_busy = self._loader.advance()
        while self._queue and self._is_due(self._queue[0]):
            self._take(self._queue.popleft())
            is_busy = True
        if is_busy:
            self._wired.keep(is_raised=self._loader.target_bytes > 0)
        return is_busy

    def cancel(self, request_id: int) -> bool:
        """Drop a request that waits for a model, and its load where nobody else waits; False where it is not here."""
        for waiting in self._queue:
            if not isinstance(waiting, UnloadModel) and waiting.request_id == request_id:
                self._queue.remove(waiting)
                return True
        return self._loader.cancel(request_id)

    def waiting_ids(self) -> list[int]:
        """Requests that wait for a model."""
        return [*self._loader.waiting_ids(), *self._queued_ids()]

    def drop(self) -> list[int]:
        """Let go of every model, and tell of those that were to leave; returns the requests that waited for one."""
        request_ids = self.waiting_ids()
        self._loader.drop()
        self._wired.keep(is_raised=False)
        for waiting in self._queue:
            if isinstance(waiting, UnloadModel):
                self._emit(ModelUnloaded(waiting.target))
        self._queue.clear()
        return request_ids

    def _can_stay(self, load: LoadModel) -> bool:
        """Whether a target that is to leave is there, and no request for another one waits until it has left."""
        waiting = [one for one in self._queue if not isinstance(one, UnloadModel)]
        return self._loader.has(load) and all(one.target == load.target for one in waiting)

    def _queued_ids(self) -> list[int]:
        return [waiting.request_id for waiting in self._queue if not isinstance(waiting, UnloadModel)]

    def _is_due(self, waiting: UnloadModel | Request) -> bool:
        if not isinstance(waiting, UnloadModel):
            return True
        return not (self._loader.is_loading(waiting.target) or self._is_used(waiting.target, self._queued_ids()))

    def _take(self, due: UnloadModel | Request) -> None:
        if not isinstance(due, UnloadModel):
            self._loader.want(due)
            return
        self._loader.unload(due.target)
        mx.clear_cache()  # else MLX keeps what the weights took for arrays to come
        self._emit(ModelUnloaded(due.target))
