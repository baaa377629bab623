"""Whether a model may draft for another one: what both files say, before any weights are read. No MLX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from engine.failure import clause
from engine.messages import ModelFacts
from engine.models.errors import DrafterError
from engine.models.tokenizer_files import has_tokenizer, tokenizer_identity
from engine.text.tokenizer import Tokenizer, load_tokenizer
from engine.text.tokenizer_settings import read_special_tokens

# Names of entries that only round a vocabulary up: "[PAD151646]", "<unused12>", "<|reserved_special_token_3|>".
_PADDING = re.compile(r"\W*(pad|unused|reserved|extra|dummy)[\w ]*?_?\d+\W*", re.IGNORECASE)
_COMPARED_NAMES = ("bos_token", "eos_token", "unk_token")  # which token pads a batch is of no account here


def check_pair(target: ModelFacts, drafter: ModelFacts) -> None:
    """Raise DrafterError with the reason where `drafter` cannot propose tokens for `target`.

    Vocabularies are compared token by token, since models of the same size may number their tokens differently; rows
    that only pad an embedding are no difference.
    """
    if target.batch_refusal:
        raise DrafterError(f"{clause(target.batch_refusal)}; choose the drafter 'none'")
    if drafter.batch_refusal:
        raise DrafterError(f"{drafter.name!r} cannot draft: {clause(drafter.batch_refusal)}; choose another drafter")
    reason = tokenizer_difference(Path(target.folder), Path(drafter.folder))
    if reason:
        raise DrafterError(
            f"{drafter.name!r} cannot draft for {target.name!r}: {reason}; choose a drafter with the model's tokenizer"
        )


def tokenizer_difference(ours: Path, theirs: Path) -> str:
    """What the tokenizers of a target's and a drafter's folder disagree on; "" where they agree or the drafter has
    none."""
    if not has_tokenizer(theirs):
        return ""
    if tokenizer_identity(ours) != tokenizer_identity(theirs):
        first, second = load_tokenizer(ours), load_tokenizer(theirs)
        return vocabulary_difference(first.vocabulary(), second.vocabulary()) or _special_difference(first, second)
    names = read_special_tokens(ours), read_special_tokens(theirs)
    return _name_difference(*names)


def vocabulary_difference(target: Mapping[str, int], drafter: Mapping[str, int]) -> str:
    """What two vocabularies disagree on, "" for nothing but padding at the end of one of them."""
    ours, theirs = ({token_id: text for text, token_id in side.items()} for side in (target, drafter))
    shared_end = min(max(ours, default=-1), max(theirs, default=-1)) + 1
    wrong = [
        token_id
        for token_id in sorted({*ours, *theirs})
        if ours.get(token_id) != theirs.get(token_id)
        and not (token_id >= shared_end and _PADDING.fullmatch(ours.get(token_id) or theirs[token_id]))
    ]
    if not wrong:
        return ""
    example = wrong[0]
    return (
        f"{len(wrong):,} of their token ids differ, {example:,} for one is {ours.get(example)!r} in the model "
        f"and {theirs.get(example)!r} in the drafter"
    )


def _special_difference(target: Tokenizer, drafter: Tokenizer) -> str:
    extra = target.special_texts ^ drafter.special_texts
    unlike = sorted(text for text in extra if not _PADDING.fullmatch(text))
    if unlike:
        return f"{unlike[0]!r} is a special token in one of them only"
    return _name_difference(target.special_tokens, drafter.special_tokens)


def _name_difference(target: Mapping[str, str], drafter: Mapping[str, str]) -> str:
    for name in _COMPARED_NAMES:
        ours, theirs = target.get(name), drafter.get(name)
        if ours and theirs and ours != theirs:  # many files leave one out
            return f"their {name} is {ours!r} in the model and {theirs!r} in the drafter"
    return ""
