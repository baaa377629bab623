"""What one message of ChatGPT's export says: its content comes in a dozen types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.conversations.importing.values import fields_of, items_of, number_of, text_of
from app.conversations.markdown_code import fence

_CITATION = re.compile("\ue200[^\ue200\ue201]{0,2000}\ue201")  # marks that mean something in ChatGPT's window alone
_HIDDEN_TYPES = ("user_editable_context", "model_editable_context", "app_pairing_content")


@dataclass(frozen=True, slots=True)
class Content:
    role: str  # "system", "user" or "assistant"; what a tool gave belongs to the reply that asked for it
    answer: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    thought_seconds: float = 0.0
    model: str = ""


def read_content(message: Mapping[str, Any]) -> Content | None:
    """None for what ChatGPT shows no one, and for what has no text."""
    role = fields_of(message.get("author")).get("role")
    metadata = fields_of(message.get("metadata"))
    content = fields_of(message.get("content"))
    kind = content.get("content_type")
    is_hidden = metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0
    if role not in ("system", "user", "assistant", "tool") or is_hidden or kind in _HIDDEN_TYPES:
        return None
    if role == "tool" and kind != "execution_output":
        return None
    model = text_of(metadata.get("model_slug"))
    shown_role = "assistant" if role == "tool" else str(role)
    if kind == "thoughts":
        return Content(shown_role, reasoning=_thoughts(content), model=model)
    if kind == "reasoning_recap":
        seconds = max(0.0, number_of(metadata.get("finished_duration_sec")))
        return Content(shown_role, thought_seconds=seconds, model=model)
    text = _text(content, kind)
    return Content(shown_role, answer=(text,), model=model) if text.strip() else None


def _thoughts(content: Mapping[str, Any]) -> tuple[str, ...]:
    thoughts = [fields_of(thought) for thought in items_of(content.get("thoughts"))]
    return tuple(
        "\n\n".join(part for part in (text_of(one.get("summary")), text_of(one.get("content"))) if part)
        for one in thoughts
    )


def _text(content: Mapping[str, Any], kind: object) -> str:
    if kind == "code":
        language = text_of(content.get("language"))
        return fence(text_of(content.get("text")), "" if language == "unknown" else language)
    if kind == "execution_output":
        return fence(text_of(content.get("text")))
    parts = "\n".join(_part(part) for part in items_of(content.get("parts")))
    return _CITATION.sub("", parts or text_of(content.get("text")))


def _part(part: object) -> str:
    """Text as it is; a picture or sound is named, as the file has no more of it."""
    if isinstance(part, str):
        return text_of(part)
    fields = fields_of(part)
    if text := text_of(fields.get("text")):
        return text
    kind = text_of(fields.get("content_type"))
    return f"[{kind.split('_')[0]}]" if kind.endswith("asset_pointer") else ""
