"""`slipstream-engine bench`: our engine against mlx-lm, in one run on the same weights."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bench.columns import legend
from engine.bench.plan import Plan, read_plan
from engine.bench.prompts import DEFAULT_SET, supplied_sets
from engine.blas import missing_blas_hint
from engine.command_line import INTERRUPTED, Commands, tell, write_json_file
from engine.drafters.name import CHOICES
from engine.messages import STARTER
from engine.models.locate import default_data_dir

if TYPE_CHECKING:
    from engine.bench.measure import Entry
    from engine.bench.session import Session


INTERRUPTED_TEXT = "interrupted; only what was measured up to here is reported"


def add_bench(commands: Commands) -> None:
    """Add the command and its options."""
    bench = commands.add_parser(
        "bench",
        help="measure this engine against mlx-lm on this machine",
        epilog=legend(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    bench.set_defaults(run=run_bench)
    bench.add_argument("--model", default=STARTER, metavar="PATH", help="model folder, cache entry or GGUF file")
    bench.add_argument(
        "--prompts",
        default=DEFAULT_SET,
        metavar="FILE",
        help=f'JSON lines, {{"prompt": "…"}} or {{"turns": ["…", "…"]}}, or one of: {", ".join(supplied_sets())}',
    )
    bench.add_argument("--limit", type=int, metavar="N", help="measure the first N lines only")
    bench.add_argument("--seed", type=int, metavar="N", help="draw the lines of --limit at random with this seed")
    bench.add_argument("--max-tokens", type=int, default=128, metavar="N", help="of each reply; 128 by default")
    bench.add_argument(
        "--batch", default="1,4", metavar="N,N", help="prompts that are answered together; 1,4 by default"
    )
    bench.add_argument("--drafters", default="none,ngram,suffix", metavar="NAME,NAME", help=f"of {CHOICES}")
    bench.add_argument("--repeats", type=int, default=3, metavar="N", help="3 by default")
    bench.add_argument("--json", type=Path, metavar="FILE", help="save every figure there too")


def run_bench(options: argparse.Namespace) -> int:
    """Measure and report; an interrupt ends it at once with what was measured up to then."""
    plan = read_plan(options)
    if hint := missing_blas_hint():
        tell(hint)
    session: Session | None = None
    entries: list[Entry] = []
    is_whole = False
    try:
        session = _open(plan)
        _measure(session, plan, entries)
        is_whole = True
    except KeyboardInterrupt:
        tell("interrupted before anything was measured" if session is None else INTERRUPTED_TEXT)
    if session is not None:
        _report(session, plan, entries, is_whole)
    return 0 if is_whole else INTERRUPTED


def _open(plan: Plan) -> Session:
    from engine.bench.session import open_session  # brings in MLX, after the options were read

    return open_session(plan, default_data_dir(), tell)


def _measure(session: Session, plan: Plan, entries: list[Entry]) -> None:
    from engine.bench.measure import measure

    for entry in measure(session.contests, plan.repeats, tell):
        entries.append(entry)


def _report(session: Session, plan: Plan, entries: list[Entry], is_whole: bool) -> None:
    from engine.bench.report import render
    from engine.bench.saved import describe
    from engine.bench.summary import summarise

    summaries = [summary for contest in session.contests for summary in summarise(contest, entries)]
    notes = [*session.notes, *([] if is_whole else ["Interrupted: not all of it was measured."])]
    print(render(session.setting, summaries, notes))
    if plan.json is not None:
        write_json_file(plan.json, describe(session.setting, summaries, entries, notes, is_whole=is_whole))
        tell(f"every figure is in {plan.json}")
