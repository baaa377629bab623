"""Texts that were written and not sent, kept for the chats whose tabs are closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Unsent:
    """Texts by conversation id; a chat that was never saved has none and shares one place."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def restore(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)

    def keep(self, conversation_id: str | None, text: str) -> None:
        """Add a text below what is kept of this chat."""
        if text:
            self._texts[conversation_id or ""] = _below(self._texts.get(conversation_id or "", ""), text)

    def has(self, conversation_id: str | None) -> bool:
        return (conversation_id or "") in self._texts

    def take(self, conversation_id: str | None) -> str:
        """Hand a chat's text back, and keep it no longer; "" where there is none."""
        return self._texts.pop(conversation_id or "", "")

    def together_with(self, written: Iterable[tuple[str | None, str]]) -> dict[str, str]:
        """All that is kept, and what stands in the composers of open tabs."""
        texts = dict(self._texts)
        for conversation_id, text in written:
            key = conversation_id or ""
            if whole := _below(texts.get(key, ""), text):
                texts[key] = whole
        return texts


def _below(first: str, second: str) -> str:
    return "\n".join(text for text in (first, second) if text)
