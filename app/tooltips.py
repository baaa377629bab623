"""Tooltips of texts that others wrote: Qt takes what looks like HTML for HTML."""

from __future__ import annotations

import html


def plain_tooltip(text: str) -> str:
    """The text as a tooltip that shows every character of it."""
    return f"<qt>{html.escape(text)}</qt>" if text else ""
