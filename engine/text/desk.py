"""Answers everything that needs text but no arrays: prompts, counts, facts, estimates, previews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, assert_never

from engine.drafters.name import split_name
from engine.failure import failed
from engine.messages import (
    Answer,
    ChatTemplate,
    CountTokens,
    DrafterFacts,
    EstimateMemory,
    Failed,
    Grammar,
    Inspect,
    InspectDrafter,
    KvScheme,
    MemoryEstimate,
    ModelFacts,
    Notice,
    PreviewTemplate,
    Question,
    ReadTemplate,
    RenderedPrompt,
    Submit,
    TokenCount,
    Turn,
)
from engine.models.drafting.inspection import MODEL, describe_drafter, inspect_drafter, read_model
from engine.models.errors import ModelError
from engine.models.facts import kv_refusal, under_template
from engine.models.gguf_facts import read_gguf_facts
from engine.models.locate import GgufFile, resolve_target
from engine.models.memory import estimate_memory
from engine.text.checks import (
    check_context,
    check_kv,
    check_length,
    check_sampling,
    check_tokens,
    check_turns,
    choose_context,
)
from engine.text.counting import Counted, num_left_out
from engine.text.grammar import GrammarError, Vocabulary
from engine.text.preview import preview
from engine.text.prompt import Prompt, build_prompt, without_surrogates
from engine.text.rendering import TemplateError
from engine.text.templates import plain_template
from engine.text.tokenizer import Tokenizer, load_tokenizer, with_template

T = TypeVar("T")
Value = TokenCount | ModelFacts | DrafterFacts | ChatTemplate | RenderedPrompt | MemoryEstimate


class TextDesk:
    """Holds the tokenizers that were asked for; used by one thread at a time."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._tokenizers: dict[str, Tokenizer] = {}
        self._vocabularies: dict[tuple[Tokenizer, frozenset[int]], Vocabulary] = {}  # by the ids that end a reply too

    def prepare(self, submit: Submit, facts: ModelFacts) -> Prompt | Failed:
        """Turn a request into token ids, or say why it cannot be answered."""
        refusal = check_turns(submit.turns) or check_sampling(submit.sampling, facts.vocab_size) or check_kv(submit.kv)
        refusal = refusal or check_context(submit.context_length)
        if refusal:
            return Failed(submit.request_id, "request", refusal)
        try:
            prompt = self._prompt(submit, facts)
        except ModelError as error:
            return failed(submit.request_id, "model", error)
        refusal = check_tokens(prompt.token_ids, facts.vocab_size)
        if refusal:
            return Failed(submit.request_id, "model", refusal)
        refusal = check_length(len(prompt.token_ids), choose_context(submit.context_length, facts.context_length))
        if refusal:
            return Failed(submit.request_id, "context", refusal)
        try:
            return self._with_grammar(with_kv(prompt, submit.kv, facts), submit.sampling.grammar)
        except GrammarError as error:
            return failed(submit.request_id, "request", error)

    def answer(self, question: Question) -> Answer | Failed:
        """Answer a question about a model or a prompt; of a count without what the engine knows."""
        return _answered(question, lambda: Answer(question.request_id, self._value(question)))

    def count(self, question: CountTokens, between: Callable[[], None] = lambda: None) -> Counted | Failed:
        """Count a prompt for the engine to complete; `between` is called before each prompt that this takes."""
        return _answered(question, lambda: self._count(question, self._facts(question.target), between))

    def _value(self, question: Question) -> Value:
        if isinstance(question, InspectDrafter):
            if not question.path:
                raise ModelError("no folder is named; name that of a drafter or of a model")
            target = self._facts(question.target) if question.target else None
            return inspect_drafter(question.path, self._folder(question.path), target)
        facts = self._described(question)
        match question:
            case CountTokens():
                return self._count(question, facts).count
            case Inspect():
                return under_template(facts, without_surrogates(question.template))
            case EstimateMemory():
                drafter = self._drafter(question.drafter, facts)
                return estimate_memory(facts, drafter, question.context_length, question.num_rows, question.kv)
            case ReadTemplate():
                tokenizer = self._tokenizer(facts)
                return ChatTemplate(tokenizer.template or plain_template(tokenizer), bool(tokenizer.template))
            case PreviewTemplate():
                return preview(self._tokenizer(facts, question.template), question.turns, question.switches)
            case _:
                assert_never(question)

    def _count(self, question: CountTokens, facts: ModelFacts, between: Callable[[], None] = lambda: None) -> Counted:
        """What a prompt comes to, and what to leave out of one that is too long."""

        def ids_of(turns: Sequence[Turn]) -> tuple[int, ...]:
            between()
            return self._prompt(replace(question, turns=tuple(turns)), facts).token_ids

        token_ids = ids_of(question.turns)
        length = choose_context(question.context_length, facts.context_length)
        left_out = 0
        if check_length(len(token_ids), length):
            left_out = num_left_out(question.turns, length, len(token_ids), lambda turns: len(ids_of(turns)))
        count = TokenCount(len(token_ids), length, num_left_out=left_out)
        return Counted(question.request_id, question.target, token_ids, count)

    def _prompt(self, asked: Submit | CountTokens, facts: ModelFacts) -> Prompt:
        return build_prompt(
            self._tokenizer(facts, asked.template),
            asked.turns,
            asked.request_id,
            began_at=asked.began_at,
            switches=asked.switches,
            with_boundaries=isinstance(asked, Submit),
        )

    def _with_grammar(self, prompt: Prompt, grammar: Grammar | None) -> Prompt:
        if grammar is None:
            return prompt
        key = (prompt.tokenizer.base, prompt.tokenizer.end_ids)
        if key not in self._vocabularies:
            self._vocabularies[key] = Vocabulary(prompt.tokenizer)
        reply_ids = prompt.token_ids[len(prompt.token_ids) - prompt.num_reply_tokens :]
        return replace(prompt, grammar=self._vocabularies[key].compile(grammar, reply_ids))

    def _drafter(self, name: str, facts: ModelFacts) -> DrafterFacts | None:
        """What is known of a drafter by its name; None of one that has no weights."""
        kind, path = split_name(name)
        return describe_drafter(path, self._folder(path), facts, as_model=kind == MODEL) if path else None

    def _facts(self, target: str) -> ModelFacts:
        return read_model(target, self._folder(target))

    def _described(self, question: Question) -> ModelFacts:
        """Facts of the target, those of a GGUF file that was not imported yet where no more is asked for."""
        place = resolve_target(question.target, self._data_dir)
        if isinstance(place, GgufFile) and isinstance(question, Inspect | EstimateMemory):
            return read_gguf_facts(question.target, place.path)
        return self._facts(question.target)

    def _folder(self, name: str) -> Path:
        folder = resolve_target(name, self._data_dir)
        if not isinstance(folder, Path):
            raise ModelError(f"{name!r} is a GGUF file that was not imported yet; load it once, then ask again")
        return folder

    def _tokenizer(self, facts: ModelFacts, template: str = "") -> Tokenizer:
        """The model's tokenizer, under the user's template where there is one."""
        key = facts.folder + "\0" + facts.tokenizer_id
        if key not in self._tokenizers:
            self._tokenizers[key] = load_tokenizer(Path(facts.folder))
        return with_template(self._tokenizers[key], without_surrogates(template))


def _answered(question: Question, answer: Callable[[], T]) -> T | Failed:
    try:
        return answer()
    except ModelError as error:
        return failed(question.request_id, "model", error)
    except TemplateError as failure:
        return Failed(question.request_id, "template", failure.report())


def with_kv(prompt: Prompt, kv: KvScheme, facts: ModelFacts) -> Prompt:
    """The prompt with this scheme, or unquantised and with a notice where the target's layers cannot have it."""
    refusal = kv_refusal(facts, kv)
    if refusal:
        return replace(prompt, notices=(*prompt.notices, Notice(prompt.request_id, "kv", refusal)))
    return replace(prompt, kv=kv)
