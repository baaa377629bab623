"""What the report's table has in its columns, and how a reader is told; standard library only."""

from __future__ import annotations

import textwrap

COLUMNS = {
    "contender": "this engine with a drafter, or one of mlx-lm's own generators",
    "decode tok/s": "tokens a second, prompts not counted; of a batch, of all its rows and only while all of them run: "
    "from the last row's first token to the first row's last one, – where they never do",
    "decode × mlx-lm": "over that of mlx-lm's line on the same prompts: the median of the runs [their middle half]",
    "wall s": "seconds from the request to the last token, prompts counted; of a batch, until its last row ends",
    "wall × mlx-lm": "mlx-lm's seconds over these, likewise",
    "same ids": "replies that are mlx-lm's token for token; other kernels may round a near tie the other way",
    "acceptance length": "proposed tokens that were right + 1, mean of the rounds that proposed",
    "tok/forward": "tokens of a reply over the rounds that it took part in",
    "forwards saved": "rounds that proposals made needless, of all replies",
    "cost": "time that proposals took, drafting and verifying beyond a plain forward, in the decoding time",
    "draft ms": "of drafting in a round",
    "verify ms": "of the forward in a round",
    "own ×N": "the gain over plain decoding that the engine itself reports, as the window shows it",
}
ALL_ROWS = "decode tok/s (all rows running)"
FOOTNOTE = (
    "× mlx-lm: the median of runs on the same prompts [their middle half], above 1 in favour of this line; "
    "`slipstream-engine bench --help` explains every column."
)


def headers(batch_size: int) -> list[str]:
    """The names of the columns; in a batch that of decoding says what it is of."""
    return [ALL_ROWS if batch_size > 1 and name == "decode tok/s" else name for name in COLUMNS]


def legend() -> str:
    """One paragraph for each column, for --help."""
    lines = [f"{name}: {meaning}" for name, meaning in COLUMNS.items()]
    return "\n".join(["columns of the table:", *(_wrap(line) for line in lines)])


def _wrap(line: str) -> str:
    return textwrap.fill(line, 100, initial_indent="  ", subsequent_indent="      ")
