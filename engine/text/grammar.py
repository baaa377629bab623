"""Grammars: a JSON schema or a regular expression compiled for a tokenizer, and where one reply is in it.

The library counts its work and gives up at limits, the same on every machine: that is the time limit of compiling and
of a mask, as a call into it cannot be ended. Copies of a matcher share that count, so a grammar near the limits may
give up earlier with a drafter than without; it never allows another token.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import llguidance

from engine.messages import Grammar
from engine.text.tokenizer import Tokenizer

KINDS = {"json_schema": "JSON schema", "regex": "regular expression"}
MAX_LENGTH = 400_000  # characters; half a second of compiling at most, measured on 100,000 alternatives
INITIAL_FUEL = 200_000  # one mask of "(a{1000}){1000}" takes 0.1 s; 1.3 s with the library's own 1,000,000
MAX_REASON = 160  # characters of a library's message that are told
DEAD_END = "The grammar allows no token after what is written. Change it or ask without one"


class GrammarError(Exception):
    """A grammar cannot be used; the text is the sentence for the user."""


class Vocabulary:
    """A tokenizer as the grammar library needs it; made once for each, as it takes 0.4 s for 50,000 tokens."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        try:
            self.tokens = llguidance.LLTokenizer(tokenizer.to_json(), eos_token=sorted(tokenizer.end_ids) or None)
        except ValueError as error:
            raise GrammarError(
                f"this model's tokenizer takes no grammar ({error}); choose another model or ask without one"
            ) from error

    def compile(self, grammar: Grammar, prefix_ids: Sequence[int] = ()) -> Matcher:
        """Start a reply, or go on after the ids of one that is continued; raises GrammarError."""
        name = KINDS[grammar.kind]
        limits = llguidance.LLParserLimits(initial_lexer_fuel=INITIAL_FUEL, verbose_errors=False)
        matcher = llguidance.LLMatcher(self.tokens, _source(grammar), log_level=0, limits=limits)
        if matcher.is_error():
            raise GrammarError(f"the {name} cannot be used ({_reason(matcher.get_error())}); change it")
        if matcher.try_consume_tokens(list(prefix_ids)) < len(prefix_ids):
            raise GrammarError(f"the reply begun so far does not match the {name}; regenerate it or change the {name}")
        start = Matcher(matcher)
        start.look_ahead(())
        if start.fault == DEAD_END:
            raise GrammarError(f"the {name} cannot be satisfied with this model's tokens; change it")
        if start.fault:
            raise GrammarError(start.fault)
        return start


class Matcher:
    """Where one reply is in its grammar: moves with delivered tokens only, and looks ahead on copies."""

    def __init__(self, matcher: llguidance.LLMatcher) -> None:
        self._matcher = matcher
        self._faults: list[str] = []  # of the window positions that are not delivered yet

    @property
    def is_complete(self) -> bool:
        """Whether the grammar is satisfied and nothing may follow."""
        return self._matcher.is_stopped() and not self._matcher.is_error()

    @property
    def fault(self) -> str:
        """Why no token can stand at the next position; "" where one can."""
        return self._faults[0] if self._faults else ""

    def look_ahead(self, proposal: Sequence[int]) -> tuple[bytes, ...]:
        """The masks of a window: a bit for each token that may stand first, after proposal[0], and so on.

        They end at a proposal token that is not allowed, which no later token of the window outlives.
        """
        copy = self._matcher.deep_copy()
        masks = [copy.compute_bitmask()]
        self._faults = [_fault(copy)]
        for token_id in proposal:
            if copy.is_stopped() or copy.try_consume_tokens([token_id]) == 0:
                break
            masks.append(copy.compute_bitmask())
            self._faults.append(_fault(copy))
        return tuple(masks)

    def take(self, token_id: int) -> None:
        """Move past a token that is delivered; where that fails, the next look ahead tells the fault."""
        self._faults = self._faults[1:]
        self._matcher.consume_token(token_id)


def _source(grammar: Grammar) -> str:
    if grammar.kind == "regex":
        return llguidance.LLMatcher.grammar_from_regex(grammar.text)
    try:
        json.loads(grammar.text)
    except (ValueError, RecursionError) as error:
        raise GrammarError(f"the JSON schema is not JSON ({_reason(str(error))}); correct it") from error
    try:
        return llguidance.LLMatcher.grammar_from_json_schema(grammar.text)
    except ValueError as error:
        raise GrammarError(f"the JSON schema cannot be used ({_reason(str(error))}); change it") from error


def _fault(matcher: llguidance.LLMatcher) -> str:
    """Why a matcher that has just made a mask cannot go on."""
    if not matcher.is_error():
        return ""
    reason = _reason(matcher.get_error())
    if reason.startswith("NoExtension"):
        return DEAD_END
    return f"The grammar is too complex to follow here ({reason}). Simplify it"


def _reason(error: str) -> str:
    """The line that says something in a message of a library, which may quote the grammar around it."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    named = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    reason = (named or lines or ["no reason was given"])[0].rstrip(".")
    return reason if len(reason) <= MAX_REASON else f"{reason[:MAX_REASON].rstrip()}…"
