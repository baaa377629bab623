"""Files as other programs export them."""

from __future__ import annotations

from typing import Any


def chatgpt_node(
    key: str, parent: str | None, role: str, text: str | dict[str, Any] = "", **message: Any
) -> tuple[str, dict[str, Any]]:
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    body = {"id": key, "author": {"role": role}, "create_time": 1.7e9, "content": content, "weight": 1.0, **message}
    return key, {"id": key, "parent": parent, "children": [], "message": body}


def chatgpt_chat(*nodes: tuple[str, dict[str, Any]], current: str | None = None, **fields: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    mapping.update(nodes)
    return {
        "title": "Ice",
        "create_time": 1.7e9,
        "update_time": 1.7e9 + 60,
        "mapping": mapping,
        "current_node": current or nodes[-1][0],
        "conversation_id": "6568-ab",
        **fields,
    }


def lm_studio_message(role: str, *texts: str, selected: int = 0) -> dict[str, Any]:
    """One version for each text."""
    versions = [
        {"type": "singleStep", "role": role, "content": [{"type": "text", "text": text}]}
        if role == "user"
        else {
            "type": "multiStep",
            "role": role,
            "senderInfo": {"senderName": "qwen/qwen3"},
            "steps": [{"type": "contentBlock", "content": [{"type": "text", "text": text}]}],
        }
        for text in texts
    ]
    return {"versions": versions, "currentlySelected": selected}


def lm_studio_chat(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": "Ice", "createdAt": 1_700_000_000_000, "messages": list(messages), **fields}
