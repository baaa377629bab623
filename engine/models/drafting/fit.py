"""Whether a drafter that reads its target fits the one that is given: by headers, configs and tokenizers. No MLX."""

from __future__ import annotations

from engine.failure import clause
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import TAPS, DrafterSpec
from engine.models.drafting.target import TargetShape
from engine.models.errors import DrafterError
from engine.models.pairing import tokenizer_difference


def check_fit(spec: DrafterSpec, files: DrafterFiles, target: TargetShape) -> None:
    """Raise DrafterError with the reason where the drafter cannot propose tokens for this target."""
    if target.batch_refusal:
        raise DrafterError(f"{clause(target.batch_refusal)}; choose the drafter 'none'")
    reason = misfit(spec, target) or tokenizer_difference(target.folder, files.folder)
    if reason:
        raise DrafterError(
            f"{spec.name!r} cannot draft for {target.name!r}: {reason}; choose a drafter that was trained for this "
            "model, or the model that it was trained for"
        )


def misfit(spec: DrafterSpec, target: TargetShape) -> str:
    """What of their shapes does not go together; "" where all does."""
    if spec.num_target_layers and spec.num_target_layers != target.num_layers:
        return f"it was trained for a target of {spec.num_target_layers} layers, and this model has {target.num_layers}"
    if spec.hidden_size != target.hidden_size:
        return f"it reads a hidden size of {spec.hidden_size:,}, and this model's is {target.hidden_size:,}"
    if spec.vocab_size and spec.vocab_size != target.vocab_size:
        return f"it knows {spec.vocab_size:,} tokens, and this model has {target.vocab_size:,}"
    return _tap_fault(spec, target.num_layers)


def _tap_fault(spec: DrafterSpec, num_layers: int) -> str:
    """References disagree on what the last layer's tap is, before or after the final norm, so nobody may ask for it.

    The hidden state after the final norm is no layer to one that reads taps.
    """
    most = num_layers - 1 if TAPS in spec.needs else num_layers
    for layer in spec.tap_layers:
        if not -1 <= layer <= most:
            return f"it reads layer {layer}, and this model has {num_layers}"
        if layer == num_layers - 1:
            return f"it reads the last layer ({layer}), whose output is not the same in all implementations"
    return ""
