"""What every drafter that reads its target is known by before it is loaded. No MLX."""

from __future__ import annotations

from dataclasses import dataclass

# Target ports: what a drafter may read of its target.
TAPS = "taps"  # outputs of its layers
HIDDEN = "hidden"  # its last hidden state, after the final norm
EMBEDDING = "embedding"
HEAD = "head"
DONORS = "donors"  # keys and values of its last layers of each kind
PORT_WORDS = {  # for people
    TAPS: "the outputs of layers",
    HIDDEN: "the last hidden state",
    EMBEDDING: "the embedding",
    HEAD: "the head",
    DONORS: "keys and values of layers that others share",
}

OFFSETS = "d2t"  # the tensor that leads from drafted tokens to the target's: what each one's id is above its own


@dataclass(frozen=True, slots=True, kw_only=True)
class DrafterSpec:
    """One checkpoint by its headers; 0 stands for what its files do not say.

    tap_layers: i is the output of the target's layer i, -1 its embeddings, its number of layers the hidden state after
    the final norm, whatever the checkpoint's own convention.
    """

    kind: str
    name: str
    hidden_size: int  # of the target
    vocab_size: int  # of the target
    tap_layers: tuple[int, ...]
    depth: int  # most tokens that it proposes
    needs: frozenset[str]  # target ports
    num_target_layers: int = 0
    draft_vocab_size: int = 0  # tokens that it can propose, where these are not all
    block_size: int = 0  # that it was trained with
    weight_bytes: int = 0
    kv_elements_per_token: int = 0  # numbers that it keeps of every token
    context_length: int = 0  # tokens
    quantisation: str = ""  # "4-bit", "bf16", …
    thinks: bool | None = None  # whether it was trained on replies that think first; None where nothing says so
