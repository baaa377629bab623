"""Carries out what the window asks of the prompt cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from engine.messages import (
    Answer,
    CacheCommand,
    CachedConversation,
    CacheReport,
    ClearCache,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    Event,
    KeepConversations,
    RemoveCached,
    SetCacheLimits,
)
from engine.prompt_cache.cache import PromptCache

NOT_DELETED = (
    "What the prompt cache saved of this chat could not be deleted now. It goes within a week, once the cache can be "
    "written again; `slipstream-engine cache clear` removes it at once."
)


def carry_out(command: CacheCommand, cache: PromptCache | None, folder: Path, emit: Callable[[Event], None]) -> None:
    """Do it, and answer once it is done; without a cache there is nothing to do."""
    match command:
        case DeleteConversation():
            if cache is None:
                emit(ConversationDeleted(command.conversation_id))
            else:
                cache.forget(command.conversation_id, lambda: emit(_deleted(command, cache)))
        case KeepConversations():
            if cache is not None:
                cache.keep(command.conversation_ids)
        case SetCacheLimits():
            if cache is not None:
                cache.set_limits(command.memory_bytes, command.budget_bytes, command.daily_bytes)
        case DescribeCache():
            emit(Answer(command.request_id, describe(cache, folder) if cache else CacheReport()))
        case ClearCache(request_id=request_id) | RemoveCached(request_id=request_id) if cache is None:
            emit(Answer(request_id, CacheReport()))
        case ClearCache():
            assert cache is not None
            cache.clear(lambda: emit(Answer(command.request_id, describe(cache, folder))))
        case RemoveCached():
            assert cache is not None
            cache.remove(command.conversation_id, lambda: emit(Answer(command.request_id, describe(cache, folder))))
        case _:
            assert_never(command)


def _deleted(command: DeleteConversation, cache: PromptCache) -> ConversationDeleted:
    return ConversationDeleted(command.conversation_id, NOT_DELETED if cache.is_read_only else "")


def describe(cache: PromptCache, folder: Path) -> CacheReport:
    """What the window shows of the cache."""
    report = cache.report()
    return CacheReport(
        folder=str(folder),
        memory_bytes=report.ram_bytes,
        memory_limit_bytes=report.ram_limit_bytes,
        disk_bytes=report.disk_bytes,
        drafter_bytes=report.drafter_bytes,
        budget_bytes=report.budget_bytes,
        default_budget_bytes=report.default_budget_bytes,
        written_today_bytes=report.written_today_bytes,
        daily_limit_bytes=report.daily_limit_bytes,
        is_read_only=report.is_read_only,
        problem=report.problem,
        conversations=tuple(
            CachedConversation(one.conversation_id, one.disk_bytes, one.num_tokens, one.drafter_bytes, one.drafters)
            for one in report.conversations
            if not one.tag  # of the window
        ),
        max_storage_wait_seconds=report.max_storage_wait_seconds,
    )
