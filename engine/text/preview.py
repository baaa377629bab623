"""Shows what a chat template makes of some turns, for who writes it."""

from __future__ import annotations

import time
from dataclasses import replace

from engine.messages import RenderedPrompt
from engine.text.prompt import encode_rendered, mark_turns, start_ids
from engine.text.rendering import all_within
from engine.text.spans import find_spans
from engine.text.templates import Clockwork, Turns, choose_layout, find_layout
from engine.text.tokenizer import Tokenizer

RENDER_SECONDS = 0.7  # a template that is being typed shall show its error within a second
SPAN_SECONDS = 0.1


def preview(tokenizer: Tokenizer, turns: Turns, switches: tuple[tuple[str, str], ...]) -> RenderedPrompt:
    """Render turns as a prompt of theirs would be; raises TemplateError where the template takes them in no way."""
    marked, marks = mark_turns(tokenizer, turns, tokenizer.template)
    clockwork = Clockwork(RENDER_SECONDS, switches=switches)
    start = time.perf_counter()
    with all_within(RENDER_SECONDS):
        layout, text = (find_layout if tokenizer.template else choose_layout)(tokenizer, marked, clockwork)
    seconds = time.perf_counter() - start
    token_ids = encode_rendered(tokenizer, text, marks)
    num_tokens = len(start_ids(tokenizer, layout, token_ids)) + len(token_ids)
    spans = find_spans(tokenizer, marked, layout, text, replace(clockwork, limit_seconds=SPAN_SECONDS), marks)
    return RenderedPrompt(text.replace(marks.cut, ""), num_tokens, seconds, spans, layout.reasons)
