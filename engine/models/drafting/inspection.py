"""What drafts from a folder, and whether it fits a target: by headers, configs and tokenizers alone. No MLX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from engine.failure import sentence
from engine.messages import DrafterFacts, ModelFacts
from engine.models.architecture import find_number, find_section, text_config
from engine.models.drafting import assistant, block, eagle3, mtp
from engine.models.drafting.files import DrafterFiles, read_files
from engine.models.drafting.fit import check_fit
from engine.models.drafting.spec import DrafterSpec
from engine.models.drafting.target import TargetShape, target_shape
from engine.models.errors import DrafterError, ModelError
from engine.models.facts import read_facts
from engine.models.locate import model_name
from engine.models.memory import drafter_bytes, loaded_bytes
from engine.models.pairing import check_pair

MTP = "mtp"  # the kind that a whole model's folder may carry
MODEL = "model"  # a whole model, which drafts token by token on its own
UNKNOWN = "unknown"
NO_THINKING = (
    "It was trained on replies without thinking; where the model thinks first, far fewer of its tokens are right."
)
NO_MTP = "Its config.json declares an MTP head, and its weights hold none: it cannot draft as 'mtp'."


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of drafter that reads its target: whether a folder is one, and its spec; raises DrafterError."""

    name: str
    recognises: Callable[[DrafterFiles], bool]
    read_spec: Callable[[DrafterFiles, TargetShape | None], DrafterSpec]


KINDS = (  # asked in this order; a whole model may carry MTP layers, so these come last
    Kind(assistant.KIND, assistant.recognises, assistant.read_spec),
    Kind(eagle3.KIND, eagle3.recognises, eagle3.read_spec),
    Kind("dflash", block.recognises, block.read_spec),
    Kind(mtp.KIND, mtp.recognises, mtp.read_spec),
)


def inspect_drafter(path: str, folder: Path, target: ModelFacts | None) -> DrafterFacts:
    """Everything about the drafter in `folder`, which the user named as `path`; without a target, as far as it goes.

    Raises ModelError where the files cannot be read.
    """
    files = read_files(folder)
    kind = find_kind(files)
    if kind is None:
        facts, drafter = _of_model(path, files)
        check: Callable[[], None] | None = partial(check_pair, target, drafter) if target and drafter else None
    else:
        facts, spec = _of_head(path, files, kind, target)
        check = partial(check_fit, spec, files, target_shape(target)) if target and spec else None
    return facts if facts.refusal or check is None else replace(facts, refusal=_refusal(check))


def describe_drafter(path: str, folder: Path, target: ModelFacts, as_model: bool) -> DrafterFacts:
    """The same without comparing it with its target, beside which it is measured; `as_model`: whatever else it is."""
    files = read_files(folder)
    kind = None if as_model else find_kind(files)
    return (_of_head(path, files, kind, target) if kind else _of_model(path, files))[0]


def find_kind(files: DrafterFiles) -> Kind | None:
    """The kind of a drafter that reads its target; None where the folder holds none."""
    return next((kind for kind in KINDS if kind.recognises(files)), None)


def _of_head(
    path: str, files: DrafterFiles, kind: Kind, target: ModelFacts | None
) -> tuple[DrafterFacts, DrafterSpec | None]:
    """Facts of a drafter that reads its target, and its spec where nothing is wrong with it."""
    shape = target_shape(target) if target else None
    facts = _begun(files, f"{kind.name}:{path}", kind.name)
    try:
        spec = kind.read_spec(files, shape)
    except DrafterError as error:
        return replace(facts, refusal=sentence(error)), None
    weight_bytes, kv_bytes_per_token = drafter_bytes(spec, target)
    is_model = spec.kind == MTP and _model_facts(path, files) is not None
    return replace(
        facts,
        drafter=f"{spec.kind}:{path}",
        kind=spec.kind,
        hidden_size=spec.hidden_size,
        num_target_layers=spec.num_target_layers,
        vocab_size=spec.vocab_size,
        draft_vocab_size=spec.draft_vocab_size,
        tap_layers=spec.tap_layers,
        block_size=spec.block_size,
        depth=spec.depth,
        context_length=spec.context_length,
        quantisation=spec.quantisation,
        weight_bytes=weight_bytes,
        kv_bytes_per_token=kv_bytes_per_token,
        thinks=spec.thinks,
        is_model=is_model,
        has_mtp=is_model,
        notes=(*facts.notes, NO_THINKING) if spec.thinks is False else facts.notes,
    ), spec


def _of_model(path: str, files: DrafterFiles) -> tuple[DrafterFacts, ModelFacts | None]:
    """Facts of a whole model that may draft by itself, and what else is known of it."""
    facts = _begun(files, "", UNKNOWN)
    try:
        model = read_facts(path, files.folder)
    except ModelError as error:
        return replace(facts, refusal=sentence(error)), None
    declares_mtp = find_number(text_config(files.config), "num_nextn_predict_layers", "mtp_num_hidden_layers")
    refusal = f"It cannot draft: {model.batch_refusal}." if model.batch_refusal else ""
    return replace(
        facts,
        drafter=f"{MODEL}:{path}",
        kind=MODEL,
        refusal=refusal,
        vocab_size=model.vocab_size,
        context_length=model.context_length,
        quantisation=model.quantisation,
        weight_bytes=loaded_bytes(model),
        kv_bytes_per_token=model.kv_bytes_per_token,
        is_model=True,
        notes=(*facts.notes, NO_MTP) if declares_mtp else facts.notes,
    ), model


def _model_facts(path: str, files: DrafterFiles) -> ModelFacts | None:
    """Of the whole model in the folder, where there is one that runs here."""
    try:
        return read_facts(path, files.folder)
    except ModelError:
        return None


def _begun(files: DrafterFiles, drafter: str, kind: str) -> DrafterFacts:
    """What every folder's config says."""
    config = files.config
    verifier = find_section(find_section(config, "speculators_config"), "verifier")
    made_for = verifier.get("name_or_path") or config.get("target_model_name_or_path")
    return DrafterFacts(
        drafter,
        kind,
        str(files.folder),
        model_name(files.folder),
        model_type=_text(config.get("model_type") or config.get("speculators_model_type")),
        made_for=_text(made_for),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _refusal(check: Callable[[], None]) -> str:
    """Why a check fails, as a sentence; "" where it does not."""
    try:
        check()
    except DrafterError as error:
        return sentence(error)
    return ""
