"""`slipstream-engine inspect`: what drafts from a folder, and whether it fits a model; nothing is loaded."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TypeVar

from engine.amounts import write_count, write_size
from engine.command_line import BAD_INPUT, BadInputError, Commands
from engine.messages import Answer, DrafterFacts, Failed, Inspect, InspectDrafter, ModelFacts

Facts = TypeVar("Facts", DrafterFacts, ModelFacts)

_KINDS = {
    "assistant": "Gemma 4 assistant: attends to the model's own keys and values",
    "dflash": "DFlash: writes a block of tokens in one forward",
    "dspark": "DSpark: writes a block of tokens in one forward, and corrects it from left to right",
    "mtp": "MTP: the layer that the model was trained with to foretell its tokens",
    "eagle3": "EAGLE-3: writes token by token from the model's own layers",
    "model": "a whole model: writes token by token by itself",
    "unknown": "nothing that drafts",
}
_THINKS = {True: "replies that think first", False: "replies without thinking"}


def add_inspect(commands: Commands) -> None:
    """Add the command to the tool's subparsers."""
    inspect = commands.add_parser(
        "inspect",
        help="say what drafts from a folder, and whether it fits a model",
        epilog="The exit status is 0; 2 where the folder cannot be read, or cannot draft for the model.",
    )
    inspect.add_argument("folder", metavar="FOLDER", help="of a drafter or of a model; as --model of ask")
    inspect.add_argument("--target", default="", metavar="FOLDER", help="the model that it shall draft for")
    inspect.add_argument("--json", action="store_true", help="print one object")
    inspect.set_defaults(run=run_inspect)


def run_inspect(options: argparse.Namespace) -> int:
    """Returns the exit status: 0, or 2 for what cannot draft. Raises BadInputError for what cannot be read."""
    from engine.models.locate import default_data_dir
    from engine.text.desk import TextDesk

    desk = TextDesk(default_data_dir())
    facts = _answered(desk.answer(InspectDrafter(1, options.folder, options.target)), DrafterFacts)
    if options.json:
        print(json.dumps(asdict(facts), ensure_ascii=False))
        return BAD_INPUT if facts.refusal else 0
    target = _answered(desk.answer(Inspect(2, options.target)), ModelFacts) if options.target else None
    for line in report(facts, target):
        print(line)
    return BAD_INPUT if facts.refusal else 0


def _answered(answer: Answer | Failed, kind: type[Facts]) -> Facts:
    if isinstance(answer, Failed):
        raise BadInputError(answer.text)
    if isinstance(answer.value, kind):
        return answer.value
    raise AssertionError(f"{answer!r} answers another question")


def report(facts: DrafterFacts, target: ModelFacts | None) -> Iterator[str]:
    """The facts as lines for a reader; what the files do not say is left out."""
    yield facts.name
    rows = {
        "drafter": facts.drafter,
        "kind": _KINDS[facts.kind],
        "model type": facts.model_type,
        "made for": facts.made_for,
        "needs": _needs(facts),
        "reads": _taps(facts, facts.num_target_layers or (target.num_layers if target else 0)),
        "proposes": _proposes(facts),
        "context": write_count(facts.context_length, "token") if facts.context_length else "",
        "memory": _memory(facts),
        "trained on": "" if facts.thinks is None else _THINKS[facts.thinks],
        "MTP head": ("in its weights" if facts.has_mtp else "none in its weights") if facts.is_model else "",
    }
    if target:
        rows["fits"] = "no" if facts.refusal else f"yes, {target.target}"
    yield from (f"  {name:<11}{text}" for name, text in rows.items() if text)
    yield from (f"  {text}" for text in (facts.refusal, *facts.notes) if text)


def _needs(facts: DrafterFacts) -> str:
    sizes = {
        "hidden size {:,}": facts.hidden_size,
        "{:,} layers": facts.num_target_layers,
        "{:,} tokens": facts.vocab_size,
    }
    known = [text.format(size) for text, size in sizes.items() if size]
    return f"a model with {', '.join(known)}" if known else ""


def _taps(facts: DrafterFacts, num_layers: int) -> str:
    """Layers by their outputs, and what comes before the first and after the last one; `num_layers` 0: not known."""
    ends = {-1: "the embeddings"} | ({num_layers: "the final hidden state"} if num_layers else {})
    layers = [str(layer) for layer in facts.tap_layers if layer not in ends]
    parts = [f"layer{'s' * (len(layers) > 1)} {', '.join(layers)}"] if layers else []
    return " and ".join(parts + [ends[layer] for layer in facts.tap_layers if layer in ends])


def _proposes(facts: DrafterFacts) -> str:
    if not facts.depth:
        return ""
    block = f", in blocks of {facts.block_size}" if facts.block_size else ""
    part = f"; only {facts.draft_vocab_size:,} of the vocabulary" if facts.draft_vocab_size else ""
    return f"up to {write_count(facts.depth, 'token')} at once{block}{part}"


def _memory(facts: DrafterFacts) -> str:
    if not facts.weight_bytes:
        return ""
    kept = f", and {write_size(facts.kv_bytes_per_token)} a token" if facts.kv_bytes_per_token else ""
    return f"{write_size(facts.weight_bytes)} of weights ({facts.quantisation}){kept}"
