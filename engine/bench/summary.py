"""What the runs of one contender come to, alone and against another's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.bench.measure import OURS, THEIRS, Contender, Contest, Entry
from engine.bench.proposals import ProposalFigures, proposal_figures
from engine.bench.spread import Spread, ratios, spread
from engine.bench.timing import Delivery, Run, Span, add_spans, decode_span, full_span

Round = tuple[int, int]  # repeat and batch: what a pair has in common


@dataclass(frozen=True, slots=True)
class Comparison:
    """One contender against another, over the pairs of runs that answered the same batch in the same repeat.

    Ratios above 1 are in favour of the first: `full_ratio` of tokens per second while every row of the batch ran,
    `decode_ratio` of those from the first token of all to the last, `wall_ratio` of what the other's time is over its
    own. With one row the first two are the same.
    """

    against: str
    decode_ratio: Spread | None
    full_ratio: Spread | None
    wall_ratio: Spread | None
    num_same_ids: int  # prompts whose ids were equal in every repeat
    num_prompts: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Rates are the median over repeats, of a repeat's tokens over its decode time; seconds are of a batch, mean.

    `full_tokens_per_second`: while every row of a batch ran; `decode_tokens_per_second`: from the first token of all to
    the last, in which later prompts may be read.
    """

    batch_size: int
    label: str
    full_tokens_per_second: Spread | None
    decode_tokens_per_second: Spread | None
    wall_seconds: Spread | None
    num_tokens: int  # of the first repeat
    comparisons: tuple[Comparison, ...] = ()
    proposals: ProposalFigures | None = None


def summarise(contest: Contest, entries: Sequence[Entry]) -> list[Summary]:
    """Sum up a contest, of the rounds that every contender ended; what was stopped in the middle does not count."""
    rounds = full_rounds(contest, entries)
    if not rounds:
        return []
    baseline = contest.contenders[0]
    summaries = []
    for contender in contest.contenders:
        rivals = _rivals(contest, contender, baseline)
        summaries.append(_summarise(contest.batch_size, contender, rounds, rivals))
    return summaries


def full_rounds(contest: Contest, entries: Sequence[Entry]) -> dict[Round, dict[str, Run]]:
    """Runs by round and label, for the rounds in which nobody is missing."""
    rounds: defaultdict[Round, dict[str, Run]] = defaultdict(dict)
    for entry in entries:
        if entry.batch_size == contest.batch_size:
            rounds[entry.repeat, entry.batch][entry.label] = entry.run
    return {key: runs for key, runs in rounds.items() if len(runs) == len(contest.contenders)}


def compare(rounds: dict[Round, dict[str, Run]], label: str, against: str) -> Comparison:
    """Pair two contenders' runs."""
    mine = [runs[label] for runs in rounds.values()]
    theirs = [runs[against] for runs in rounds.values()]
    same = _same_by_prompt(rounds, label, against)
    return Comparison(
        against,
        spread(ratios(_rates(mine, decode_span), _rates(theirs, decode_span))),
        spread(ratios(_rates(mine, full_span), _rates(theirs, full_span))),
        spread(ratios([run.seconds for run in theirs], [run.seconds for run in mine])),
        sum(same.values()),
        len(same),
    )


def _rivals(contest: Contest, contender: Contender, baseline: Contender) -> list[str]:
    """The baseline, and for a drafter that mlx-lm speculates with, too, that contender."""
    if contender is baseline:
        return []
    twins = [
        other.label
        for other in contest.contenders
        if contender.side == OURS and other.side == THEIRS and other.drafter == contender.drafter
    ]
    return list(dict.fromkeys([baseline.label, *twins]))


def _summarise(
    batch_size: int, contender: Contender, rounds: dict[Round, dict[str, Run]], rivals: Sequence[str]
) -> Summary:
    by_repeat: defaultdict[int, list[Run]] = defaultdict(list)
    for (repeat, _), runs in rounds.items():
        by_repeat[repeat].append(runs[contender.label])
    return Summary(
        batch_size,
        contender.label,
        _rate_of_repeats(by_repeat, full_span),
        _rate_of_repeats(by_repeat, decode_span),
        spread([sum(run.seconds for run in runs) / len(runs) for runs in by_repeat.values()]),
        sum(len(reply) for run in by_repeat[min(by_repeat)] for reply in run.replies),
        tuple(compare(rounds, contender.label, rival) for rival in rivals),
        proposal_figures([run for runs in by_repeat.values() for run in runs]),
    )


def _rate_of_repeats(
    by_repeat: Mapping[int, Sequence[Run]], cut: Callable[[Sequence[Delivery]], Span]
) -> Spread | None:
    spans = [add_spans([cut(run.deliveries) for run in runs]) for runs in by_repeat.values()]
    return spread([span.rate for span in spans if span.num_tokens])


def _rates(runs: Sequence[Run], cut: Callable[[Sequence[Delivery]], Span]) -> list[float]:
    return [cut(run.deliveries).rate for run in runs]


def _same_by_prompt(rounds: dict[Round, dict[str, Run]], label: str, against: str) -> dict[tuple[int, int], bool]:
    """Whether the ids were equal in every repeat, by batch and row."""
    same: dict[tuple[int, int], bool] = {}
    for (_, batch), runs in rounds.items():
        for row, (mine, theirs) in enumerate(zip(runs[label].replies, runs[against].replies, strict=True)):
            same[batch, row] = same.get((batch, row), True) and mine == theirs
    return same
