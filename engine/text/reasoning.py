"""Reasoning in replies: the tags that enclose it, where it stands in a text, and whether a prompt has opened it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from engine.messages import KNOWN_TAGS, ReasoningTags, Turn
from engine.text.detokenizer import open_detokenizer

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

CHANNELS = ReasoningTags("<|channel|>analysis<|message|>", "<|end|>")  # of gpt-oss
THOUGHT_CHANNEL = ReasoningTags("<|channel>thought", "<channel|>")  # of Gemma 4
CHANNEL_TOKENS = frozenset(("<|start|>", "<|channel|>", "<|message|>", "<|end|>"))
# A message of gpt-oss begins with a header and has a channel. Source: OpenAI's harmony response format.
_CHANNEL_HEADER = re.compile(
    r"(?:<\|start\|>assistant[^<\n]{0,200})?<\|channel\|>([a-z]+)[^<\n]{0,200}"
    r"(?:<\|constrain\|>[^<\n]{0,200})?<\|message\|>"
)
_CHANNEL_END = re.compile(r"<\|end\|>|<\|return\|>|<\|call\|>|<\|start\|>assistant")
_TEXT_END = re.compile(rf"(?:{_CHANNEL_END.pattern})?\Z")  # of a final message, which may write of channels
_GENERAL = re.compile(r"<[\w:]+>|\[\w+\]")
_SPACE = re.compile(r"\s+")
_NAME = re.compile("think|thought|reason", re.IGNORECASE)
_CLOSING_WORDS = (("start", "end"), ("START", "END"), ("begin", "end"), ("BEGIN", "END"), ("open", "close"))


@dataclass(frozen=True, slots=True)
class Body:
    """A stretch of a reply between its tags: text[start:end]."""

    start: int
    end: int
    is_reasoning: bool


def find_tags(tokens: Iterable[str], named: Sequence[ReasoningTags] = ()) -> tuple[ReasoningTags, ...]:
    """The tags that a tokenizer has tokens for, after those that its settings name."""
    known = set(tokens)
    found = list(named)
    for opening in sorted(token for token in known if _NAME.search(token)):
        found += [ReasoningTags(opening, closing) for closing in _closings(opening) if closing in known]
    if {"<|channel>", "<channel|>"} <= known:
        found.append(THOUGHT_CHANNEL)
    if known >= CHANNEL_TOKENS:
        found.append(CHANNELS)
    return tuple(dict.fromkeys(found))


def named_tags(settings: Mapping[str, Any]) -> tuple[ReasoningTags, ...]:
    """The tags that tokenizer_config.json names by pairs of keys, such as "think_start_token" and "think_end_token"."""
    extra = (settings.get("extra_special_tokens"), settings.get("model_specific_special_tokens"))
    found = []
    for section in [settings, *(section for section in extra if isinstance(section, dict))]:
        for key, opening in section.items():
            names = [key.replace(*words) for words in _CLOSING_WORDS if words[0] in key]
            closing = next((section[name] for name in names if name in section), "")
            if _NAME.search(key) and all(isinstance(tag, str) and tag.strip() for tag in (opening, closing)):
                found.append(ReasoningTags(opening, closing))
    return tuple(found)


def tokens_of_tags(tags: Iterable[ReasoningTags], tokens: Iterable[str]) -> frozenset[str]:
    """The tokens that tags are written with."""
    tags = tuple(tags)
    written = [text for pair in tags for text in (pair.opening, pair.closing)]
    structural = CHANNEL_TOKENS if CHANNELS in tags else frozenset[str]()
    return structural | {token for token in tokens if token.strip() and any(token in text for text in written)}


def find_bodies(
    text: str, tags: Sequence[ReasoningTags], opening: str = "", generated: Collection[int] = ()
) -> list[Body]:
    """What stands between the tags of a reply, in order; `opening` is the tag that its prompt ended with.

    Tags count at the reply's start and right after what other tags enclose, but for a final message. Where some were
    `generated` as tokens, at these places, a closing tag is one of those if one follows.
    """
    known = tuple(dict.fromkeys((*tags, *KNOWN_TAGS, *_general_tags(opening))))
    whole = opening + text
    places = frozenset(place + len(opening) for place in generated)
    bodies: list[Body] = []
    position = 0
    while found := _body_at(whole, position, known, places):
        body, position = found
        bodies.append(body)
    if position < len(whole):
        bodies.append(Body(position, len(whole), False))
    return [_shifted(body, len(opening)) for body in bodies]


def find_reply_bodies(tokenizer: Tokenizer, turn: Turn) -> list[Body]:
    """The same of a turn; where it does not say that its prompt had opened the reasoning, its tokens tell that a tag
    closes it."""
    pair = _opened(tokenizer, turn)
    generated = _generated_tags(tokenizer, turn)
    bodies = find_bodies(turn.text, tokenizer.reasoning, pair.opening if pair else "", generated)
    if any(body.is_reasoning for body in bodies) or turn.tokenizer_id != tokenizer.identity:
        return bodies
    for pair, closing_id in tokenizer.closing_ids.items():
        if pair != CHANNELS and pair.closing in turn.text and closing_id in turn.token_ids:
            return find_bodies(turn.text, tokenizer.reasoning, pair.opening, generated)
    return bodies


def is_open(tokenizer: Tokenizer, turn: Turn) -> bool:
    """Whether a reply ends in the reasoning that its prompt had opened: it was stopped there."""
    if _opened(tokenizer, turn) is None:
        return False
    bodies = find_reply_bodies(tokenizer, turn)
    return len(bodies) == 1 and bodies[0].is_reasoning and bodies[0].end == len(turn.text)


def written_reply(tokenizer: Tokenizer, turn: Turn) -> str:
    """A reply for a template that takes it as it was written; one that is open stands between the tags."""
    pair = _opened(tokenizer, turn)
    return f"{pair.opening}{turn.text}{pair.closing}" if pair and is_open(tokenizer, turn) else turn.text


def split_reply(text: str, bodies: Sequence[Body]) -> tuple[str, str]:
    """A reply's reasoning and its answer, without the tags."""
    reasoning = "".join([text[body.start : body.end] for body in bodies if body.is_reasoning])
    return reasoning, "".join([text[body.start : body.end] for body in bodies if not body.is_reasoning])


def find_opening(prompt: str, tags: Sequence[ReasoningTags]) -> str:
    """The opening tag that a prompt ends with; "" where it ends with none."""
    tail = prompt.rstrip()
    return next((pair.opening for pair in (*tags, *KNOWN_TAGS, CHANNELS) if tail.endswith(pair.opening)), "")


def _opened(tokenizer: Tokenizer, turn: Turn) -> ReasoningTags | None:
    """The tags whose opening a turn's prompt ended with; none that are the tokenizer's control tokens by chance."""
    tag = turn.opening.strip()
    general = [pair for pair in _general_tags(tag) if tokenizer.special_texts.isdisjoint((pair.opening, pair.closing))]
    known = (*tokenizer.reasoning, *KNOWN_TAGS, CHANNELS, *general)
    return next((pair for pair in known if pair.opening == tag), None)


def _generated_tags(tokenizer: Tokenizer, turn: Turn) -> list[int]:
    """Where a reply's text has tags that were generated as tokens; looked for where one is written several times."""
    if not any(turn.text.count(pair.closing) > 1 for pair in tokenizer.closing_ids) or not tokenizer.wrote(turn):
        return []
    detokenizer = open_detokenizer(tokenizer)
    written = [detokenizer.push(token_id) for token_id in turn.token_ids]
    if "".join(written) != turn.text:
        return []
    ends = zip(turn.token_ids, accumulate(map(len, written)), strict=True)
    return [end - len(tokenizer.tag_tokens[token_id]) for token_id, end in ends if token_id in tokenizer.tag_tokens]


def _body_at(
    text: str, position: int, tags: Sequence[ReasoningTags], generated: Collection[int]
) -> tuple[Body, int] | None:
    """The body whose opening tag follows a position, and where its closing tag ends; None where none follows."""
    space = _SPACE.match(text, position)
    start = space.end() if space else position
    if header := _CHANNEL_HEADER.match(text, start):
        ending, start, is_reasoning = _CHANNEL_END, header.end(), header[1] == "analysis"
        if header[1] == "final":
            ending = _TEXT_END
    else:
        pair = next((pair for pair in tags if text.startswith(pair.opening, start)), None)
        if pair is None:
            return None
        ending, start, is_reasoning = re.compile(re.escape(pair.closing)), start + len(pair.opening), True
    end = _find_end(text, start, ending, generated)
    stop, after = (end.start(), end.end()) if end else (len(text), len(text))
    return Body(start, stop, is_reasoning), after


def _find_end(text: str, start: int, ending: re.Pattern[str], generated: Collection[int]) -> re.Match[str] | None:
    """The closing tag: the first that was generated as a token, else the first that is written."""
    real = (found for found in ending.finditer(text, start) if found.start() in generated)
    return (next(real, None) if generated else None) or ending.search(text, start)


def _general_tags(opening: str) -> list[ReasoningTags]:
    """The tags of an opening that is none of the known ones, as such are written in general."""
    return [ReasoningTags(tag, f"{tag[0]}/{tag[1:]}") for tag in _GENERAL.findall(opening)[:1]]


def _shifted(body: Body, num_before: int) -> Body:
    return Body(max(0, body.start - num_before), max(0, body.end - num_before), body.is_reasoning)


def _closings(opening: str) -> list[str]:
    """What the tag that closes this one may be called."""
    slashed = opening[:1] + "/" + opening[1:]
    return [slashed, *(opening.replace(*words) for words in _CLOSING_WORDS if words[0] in opening)]
