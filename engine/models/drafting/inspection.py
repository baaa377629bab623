"""What drafts from a folder, and whether it fits a target: by headers, configs and tokenizers alone. No MLX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from engine.failure import clause, sentence
from engine.messages import DrafterFacts, ModelFacts
from engine.models.architecture import find_number, find_section, text_config
from engine.models.drafting import assistant, block, eagle3, mtp
from engine.models.drafting.files import CONFIG, DrafterFiles, read_files
from engine.models.drafting.fit import check_fit
from engine.models.drafting.spec import DrafterSpec
from engine.models.drafting.target import TargetShape, target_shape
from engine.models.errors import DrafterError, ModelError
from engine.models.facts import read_facts
from engine.models.locate import model_name
from engine.models.memory import drafter_bytes, loaded_bytes
from engine.models.pairing import check_pair
from engine.models.tokenizer_files import read_json

MTP = "mtp"  # the kind that a whole model's folder may carry
MODEL = "model"  # a whole model, which drafts token by token on its own
UNKNOWN = "unknown"
NO_THINKING = (
    "It was trained on replies without thinking; where the model thinks first, far fewer of its tokens are right."
)
ITSELF = "It is the model itself, and its weights hold no MTP head: nothing in the folder drafts for it."
NO_MTP = "Its config.json declares an MTP head, and its weights hold none: it cannot draft as 'mtp'."


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of drafter that reads its target: whether a folder is one, and its spec; raises DrafterError."""

    name: str
    algorithms: tuple[str, ...]  # what speculators calls it
    recognises: Callable[[DrafterFiles], bool]
    read_spec: Callable[[DrafterFiles, TargetShape | None], DrafterSpec]


KINDS = (  # asked in this order; a whole model may carry MTP layers, so these come last
    Kind(assistant.KIND, (), assistant.recognises, assistant.read_spec),
    Kind(eagle3.KIND, ("eagle3",), eagle3.recognises, eagle3.read_spec),
    Kind("dflash", ("dflash", "dspark"), block.recognises, block.read_spec),
    Kind(mtp.KIND, (), mtp.recognises, mtp.read_spec),
)


def inspect_drafter(path: str, folder: Path, target: ModelFacts | None) -> DrafterFacts:
    """Everything about the drafter in `folder`, which the user named as `path`; without a target, as far as it goes.

    A model with an MTP head of its own may draft as a whole for a target that the head is not for. Raises ModelError
    where the files cannot be read.
    """
    files = read_files(folder)
    kind, refusal = _kind_of(files)
    if refusal:
        return replace(_begin(folder, files.config), refusal=refusal)
    if kind is None:
        return _inspect_model(path, folder, target, has_mtp=False)
    facts = _inspect_head(path, files, kind, target)
    if facts.refusal and facts.is_model:
        whole = _inspect_model(path, folder, target, has_mtp=True)
        return facts if whole.refusal else whole
    return facts


def describe_drafter(path: str, folder: Path, target: ModelFacts, as_model: bool) -> DrafterFacts:
    """The same without comparing it with its target, beside which it is measured; `as_model`: whatever else it is."""
    if as_model:
        return _of_model(path, folder, has_mtp=False)[0]
    files = read_files(folder)
    kind, refusal = _kind_of(files)
    if refusal:
        return replace(_begin(folder, files.config), refusal=refusal)
    return _of_head(path, files, kind, target)[0] if kind else _of_model(path, folder, has_mtp=False)[0]


def read_model(target: str, folder: Path) -> ModelFacts:
    """Facts of a model's folder; ModelError says so where it is a drafter's."""
    try:
        return read_facts(target, folder)
    except ModelError as error:
        if not _is_drafter(folder):
            raise
        raise ModelError(
            f"{str(folder)!r} holds a drafter, not a model; choose it as a drafter, 'auto:{folder}', beside the model "
            "that it was made for"
        ) from error


def _is_drafter(folder: Path) -> bool:
    """Whether a folder holds a drafter that reads its target and nothing else; a model may carry MTP layers."""
    try:
        files = read_files(folder)
        kind = find_kind(files)
    except ModelError:
        return False
    return kind is not None and (kind.name != MTP or files.config.get("model_type") in mtp.SIDECAR_TYPES)


def find_kind(files: DrafterFiles) -> Kind | None:
    """The kind of a drafter that reads its target; None where the folder holds none.

    speculators says itself what it wrote; raises DrafterError where that is not known here, since some of it looks like
    what is.
    """
    if algorithm := files.algorithm:
        return next(kind for kind in KINDS if algorithm in kind.algorithms)
    return next((kind for kind in KINDS if kind.recognises(files)), None)


def _kind_of(files: DrafterFiles) -> tuple[Kind | None, str]:
    """The kind, and why there is none, "" where no drafter that reads its target is refused."""
    try:
        return find_kind(files), ""
    except DrafterError as error:
        return None, sentence(error)


def _inspect_head(path: str, files: DrafterFiles, kind: Kind, target: ModelFacts | None) -> DrafterFacts:
    facts, spec = _of_head(path, files, kind, target)
    if facts.refusal or spec is None or target is None:
        return facts
    return replace(facts, refusal=_why_not(partial(check_fit, spec, files, target_shape(target))))


def _inspect_model(path: str, folder: Path, target: ModelFacts | None, *, has_mtp: bool) -> DrafterFacts:
    facts, model = _of_model(path, folder, has_mtp=has_mtp)
    if facts.refusal or model is None or target is None:
        return facts
    if Path(target.folder).resolve() == folder.resolve():
        return replace(facts, refusal=ITSELF)
    return replace(facts, refusal=_why_not(partial(check_pair, target, model)))


def _of_head(
    path: str, files: DrafterFiles, kind: Kind, target: ModelFacts | None
) -> tuple[DrafterFacts, DrafterSpec | None]:
    """Facts of a drafter that reads its target, and its spec where its files are whole."""
    facts = replace(_begin(files.folder, files.config), kind=kind.name, drafter=f"{kind.name}:{path}")
    try:
        spec, refusal = _read_spec(files, kind, target)
    except DrafterError as error:
        return replace(facts, refusal=sentence(error)), None
    weight_bytes, kv_bytes_per_token = drafter_bytes(spec, target)
    is_model = spec.kind == MTP and _is_model(files.folder)
    return replace(
        facts,
        drafter=f"{spec.kind}:{path}",
        kind=spec.kind,
        refusal=refusal,
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
        notes=(NO_THINKING,) if spec.thinks is False else (),
    ), spec


def _read_spec(files: DrafterFiles, kind: Kind, target: ModelFacts | None) -> tuple[DrafterSpec, str]:
    """What the files say, and why that is nothing for the target, "" where it may be; raises DrafterError."""
    try:
        return kind.read_spec(files, target_shape(target) if target else None), ""
    except DrafterError as error:
        if target is None:
            raise
        return kind.read_spec(files, None), sentence(error)


def _of_model(path: str, folder: Path, *, has_mtp: bool) -> tuple[DrafterFacts, ModelFacts | None]:
    """Facts of a whole model that may draft by itself, and what else is known of it."""
    config = read_json(folder / CONFIG)
    facts = _begin(folder, config)
    try:
        model = read_facts(path, folder)
    except ModelError as error:
        reason = ModelError(f"nothing known here drafts from such files, and they are no whole model: {error}")
        return replace(facts, refusal=sentence(reason)), None
    declares_mtp = find_number(text_config(config), "num_nextn_predict_layers", "mtp_num_hidden_layers")
    return replace(
        facts,
        drafter=f"{MODEL}:{path}",
        kind=MODEL,
        refusal=f"It cannot draft: {clause(model.batch_refusal)}." if model.batch_refusal else "",
        vocab_size=model.vocab_size,
        context_length=model.context_length,
        quantisation=model.quantisation,
        weight_bytes=loaded_bytes(model),
        kv_bytes_per_token=model.kv_bytes_per_token,
        is_model=True,
        has_mtp=has_mtp,
        notes=(NO_MTP,) if declares_mtp and not has_mtp else (),
    ), model


def _is_model(folder: Path) -> bool:
    """Whether a whole model that runs here is in the folder."""
    try:
        read_facts("", folder)
    except ModelError:
        return False
    return True


def _begin(folder: Path, config: dict[str, Any]) -> DrafterFacts:
    """What every folder's config says; nothing that drafts so far."""
    verifier = find_section(find_section(config, "speculators_config"), "verifier")
    return DrafterFacts(
        drafter="",
        kind=UNKNOWN,
        folder=str(folder),
        name=model_name(folder),
        model_type=_text(config.get("model_type") or config.get("speculators_model_type")),
        made_for=_text(verifier.get("name_or_path") or config.get("target_model_name_or_path")),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _why_not(check: Callable[[], None]) -> str:
    """Why a check fails, as a sentence; "" where it does not."""
    try:
        check()
    except ModelError as error:
        return sentence(error)
    return ""
