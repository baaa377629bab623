"""A model's tokenizer: text to ids and back, the ids that end a reply, and its chat template."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import tokenizers

from engine.messages import ReasoningTags, Turn
from engine.models.errors import ModelError
from engine.models.tokenizer_files import tokenizer_identity
from engine.text.control_tokens import ControlTokens
from engine.text.pieces import read_rules, token_bytes
from engine.text.reasoning import find_tags, tokens_of_tags
from engine.text.tokenizer_settings import (
    CHAT_END_TOKENS,
    add_listed_tokens,
    read_end_ids,
    read_named_tags,
    read_special_tokens,
    read_template,
)

ID_LIMIT = 1 << 32  # tokenizers takes no id beyond 32 bits
_GUARD = "\n"  # put before a text that is not the first, so that no space is added in front of it


class Tokenizer:
    """Wraps a `tokenizers.Tokenizer`; nothing in it changes after construction, so any thread may use it."""

    def __init__(
        self,
        backend: tokenizers.Tokenizer,
        *,
        identity: str,
        template: str = "",
        special_tokens: Mapping[str, str] | None = None,
        end_ids: frozenset[int] = frozenset(),
        named_tags: Sequence[ReasoningTags] = (),
    ) -> None:
        """`named_tags` are those of reasoning that its settings name, beside the ones that it has tokens for."""
        self.identity = identity
        self.base = self  # with the model's own template
        self.template_name = "The model's template"  # in sentences
        self.special_tokens = dict(special_tokens or {})
        self.end_ids = end_ids
        self._backend = backend
        self._rules = read_rules(backend)
        self._pieces: dict[int, bytes] = {}
        added = backend.get_added_tokens_decoder()
        self.reasoning = find_tags([token.content for token in added.values()], named_tags)
        shown = tokens_of_tags(self.reasoning, [token.content for token in added.values()])
        self._hidden_ids = frozenset(
            token_id
            for token_id, token in added.items()
            if token.special and (token.content not in shown or token_id in end_ids)
        )
        ids = {token.content: token_id for token_id, token in added.items()}
        self.closing_ids = {pair: ids[pair.closing] for pair in self.reasoning if pair.closing in ids}
        self.tag_tokens = {token_id: token.content for token_id, token in added.items() if token.content in shown}
        special = {token.content for token in added.values() if token.special}
        self._plain_texts = {token.content for token in added.values()} - special
        self.special_texts = frozenset(special)
        self._take_template(template)
        self.reply_control_tokens = ControlTokens(special)  # a reply shows tokens that are not special as text
        self.thought_control_tokens = ControlTokens(special | {pair.closing for pair in self.closing_ids})
        self._guard_ids = self._find_guard()
        self.bos_ids = self._find_bos()

    def with_template(self, template: str) -> Tokenizer:
        """The same tokens under a template of the user's, whose own chat ends end a reply too."""
        other = copy.copy(self)
        other.template_name = "Your template"
        other._take_template(template)
        ends = [self._backend.token_to_id(name) for name in CHAT_END_TOKENS if name in template]
        other.end_ids = self.end_ids | {token_id for token_id in ends if token_id is not None}
        return other

    @property
    def has_pieces(self) -> bool:
        """Whether each token's bytes are known without its neighbours."""
        return self._rules is not None

    @property
    def hidden_spaces(self) -> int:
        """How many spaces at the very start of a decoded text are left out."""
        return self._rules.hidden_spaces if self._rules else 0

    def wrote(self, turn: Turn) -> bool:
        """Whether the ids that a turn carries can be this tokenizer's."""
        return turn.tokenizer_id == self.identity and all(0 <= token_id < ID_LIMIT for token_id in turn.token_ids)

    def vocabulary(self) -> dict[str, int]:
        """Every token's text and id, added tokens among them."""
        return self._backend.get_vocab(with_added_tokens=True)

    def encode(self, text: str, *, inert: bool, is_first: bool = True) -> list[int]:
        """Turn text into ids; `inert` makes control tokens plain characters, no start token is ever added.

        `is_first` is whether nothing precedes the text; else no space is added in front of it.
        """
        token_ids: list[int] = []
        for piece in self.control_tokens.split(text) if inert else [text]:
            token_ids += self._encode_piece(piece, is_first and not token_ids)
        return token_ids

    def decode(self, token_ids: Sequence[int]) -> str:
        """Turn ids into text, special tokens left out but for those that tags of reasoning are written with."""
        shown = [token_id for token_id in token_ids if token_id not in self._hidden_ids]
        return self._backend.decode(shown, skip_special_tokens=False)

    def piece(self, token_id: int) -> bytes:
        """The bytes of one token; none for a token that is not shown and for an id beyond the vocabulary."""
        piece = self._pieces.get(token_id)
        if piece is None:
            name = None if token_id in self._hidden_ids else self._backend.id_to_token(token_id)
            if name is None or self._rules is None:
                piece = b""
            else:
                piece = name.encode() if token_id in self.tag_tokens else token_bytes(self._rules, name)
            self._pieces[token_id] = piece
        return piece

    def to_json(self) -> str:
        """The whole tokenizer in the form of tokenizer.json, tokens that were added later included."""
        return self._backend.to_str()

    def _take_template(self, template: str) -> None:
        self.template = template
        # Tokens such as "<think>" control a chat where its template writes them; runs of spaces never do.
        written = {content for content in self._plain_texts if content.strip() and content in template}
        self.control_tokens = ControlTokens(self.special_texts | written)

    def _encode_piece(self, text: str, is_first: bool) -> list[int]:
        if not text:
            return []
        if self._guard_ids and not is_first:
            guarded = self._backend.encode(_GUARD + text, add_special_tokens=False).ids
            if guarded[: len(self._guard_ids)] == self._guard_ids:
                return guarded[len(self._guard_ids) :]
        return self._backend.encode(text, add_special_tokens=False).ids

    def _find_guard(self) -> list[int]:
        tokens = self._backend.encode("a", add_special_tokens=False).tokens
        has_added_space = bool(tokens) and tokens[0][:1] in ("▁", "Ġ")
        return self._backend.encode(_GUARD, add_special_tokens=False).ids if has_added_space else []

    def _find_bos(self) -> list[int]:
        """The start token, where this tokenizer puts one before a text."""
        bos_id = self._backend.token_to_id(self.special_tokens.get("bos_token", ""))
        with_special = self._backend.encode("a", add_special_tokens=True).ids
        return [bos_id] if bos_id is not None and with_special[:1] == [bos_id] else []


@functools.lru_cache(maxsize=8)
def with_template(tokenizer: Tokenizer, template: str) -> Tokenizer:
    """A tokenizer under the user's template, under the model's own where that is empty or the same."""
    return tokenizer if template in ("", tokenizer.template) else tokenizer.with_template(template)


def load_tokenizer(folder: Path) -> Tokenizer:
    """Load the tokenizer of a model folder from its files alone; raises ModelError where it cannot be read."""
    if not folder.is_dir():
        raise ModelError(f"the model's folder {str(folder)!r} is gone; put it back, or choose another model")
    backend = _load_backend(folder)
    backend.no_truncation()
    backend.no_padding()
    add_listed_tokens(backend, folder)
    template = read_template(folder)
    return Tokenizer(
        backend,
        identity=tokenizer_identity(folder),
        template=template,
        special_tokens=read_special_tokens(folder),
        end_ids=read_end_ids(folder, backend, template),
        named_tags=read_named_tags(folder),
    )


def _load_backend(folder: Path) -> tokenizers.Tokenizer:
    path = folder / "tokenizer.json"
    try:
        # Read here: the library refuses a path that is not valid UTF-8.
        return tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8")) if path.is_file() else _convert(folder)
    except Exception as error:  # the library raises bare Exception for a damaged file
        raise ModelError(f"the tokenizer in {str(folder)!r} cannot be read ({error}); download it again") from error


def _convert(folder: Path) -> tokenizers.Tokenizer:
    """Build the tokenizer of a folder that has only a SentencePiece model."""
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False).backend_tokenizer
