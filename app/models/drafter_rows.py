"""The rows of the drafter chip's popover: Automatic, what fits the model with its speed, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from app.figures import write_speedup
from app.models.drafters import drafter_name
from app.popover.rows import LINE, PopoverRow
from app.settings.drafters.automatic_card import TITLE
from app.settings.drafters.candidate import PLAIN, Candidate
from app.settings.drafters.painting import tone_of
from app.settings.drafters.picker import Picker
from app.settings.drafters.rows import QUEUED, memory_words, progress_words
from app.settings.preferences import AUTOMATIC
from app.system.machine import PLACE

NOT_MEASURED = "not measured yet"
NOTE = f"×N is measured on {PLACE} with 1 reply. The choice is for this tab, from the next reply."
MEASURE = "Measure"
STOP = "Stop measuring"
AS_SETTINGS = "As in the settings"
ALL = "All drafters…"


@dataclass(frozen=True, slots=True)
class DrafterDeeds:
    """What the popover does beside a choice."""

    choose: Callable[[str], object]  # a drafter, AUTOMATIC, or "" for what the settings say
    show_misfits: Callable[[], object]
    show_all: Callable[[], object]
    keys: str = ""  # that show all


def drafter_rows(
    picker: Picker,
    target: str,
    own: str,
    deeds: DrafterDeeds,
    *,
    used: Iterable[str] = (),
    shows_misfits: bool = False,
) -> list[PopoverRow]:
    """`own` is the chat's choice, "" where it follows the settings; `used` are drafters of its replies."""
    scan = picker.candidates.of(target)
    rows = list(_followed(picker, target, own, deeds))
    rows += [_fitting(picker, target, one, own, deeds) for one in scan.fitting]
    unknown = dict.fromkeys(one for one in (*used, own) if one not in ("", AUTOMATIC) and not scan.candidate(one))
    rows += [_unknown(one, own, deeds) for one in unknown]
    if scan.misfits and not shows_misfits:
        rows.append(PopoverRow(misfit_words(len(scan.misfits)), deeds.show_misfits, has_more=True))
    elif scan.misfits:
        rows += [PopoverRow(one.name, quiet=one.note, reason=one.refusal) for one in scan.misfits]
    rows += [LINE, PopoverRow(NOTE, is_note=True), LINE]
    return [*rows, *_measuring(picker), PopoverRow(ALL, deeds.show_all, at_end=deeds.keys)]


def misfit_words(count: int) -> str:
    return f"{count} does not fit" if count == 1 else f"{count} do not fit"


def chip_words(picker: Picker, target: str, drafter: str) -> tuple[str, str]:
    """What the drafter of the next reply is called, and how fast it is."""
    in_use = picker.in_use(target, drafter)
    return in_use.name, write_speedup(in_use.speedup) if in_use.speedup else NOT_MEASURED


def _followed(picker: Picker, target: str, own: str, deeds: DrafterDeeds) -> Iterator[PopoverRow]:
    """Automatic; where the settings say something else, that too."""
    choice = picker.choice(target)
    automatic = picker.automatic.explain(target)
    is_followed = choice == AUTOMATIC
    yield PopoverRow(
        TITLE,
        partial(deeds.choose, "" if is_followed else AUTOMATIC),
        f"now {automatic.name}",
        is_chosen=(own or choice) == AUTOMATIC,
    )
    if not is_followed:
        name = picker.in_use(target).name
        yield PopoverRow(AS_SETTINGS, partial(deeds.choose, ""), f"now {name}", is_chosen=not own)


def _fitting(picker: Picker, target: str, one: Candidate, chosen: str, deeds: DrafterDeeds) -> PopoverRow:
    """`chosen` is the chat's own choice; where it follows the settings only the row that says so has the mark."""
    speedup = picker.automatic.speedup(target, one.drafter)
    end, tone, act = write_speedup(speedup) if speedup else NOT_MEASURED, tone_of(speedup) if speedup else "ink3", None
    progress = picker.measuring.progress_of(target, one.drafter)
    if progress:
        end, tone = progress_words(progress), "ink3"
    elif picker.measuring.is_queued(target, one.drafter):
        end, tone = QUEUED, "ink3"
    elif not speedup and one.drafter != PLAIN:
        end, tone, act = MEASURE, "target", partial(picker.measure, target, [one])
    quiet = memory_words(one) if one.path else one.note
    is_chosen = bool(chosen) and one is picker.candidates.of(target).candidate(chosen)
    return PopoverRow(one.name, partial(deeds.choose, one.drafter), quiet, end, tone, is_chosen=is_chosen, act=act)


def _unknown(drafter: str, chosen: str, deeds: DrafterDeeds) -> PopoverRow:
    """One that the chat has had and that was not found."""
    return PopoverRow(
        drafter_name(drafter), partial(deeds.choose, drafter), at_end=NOT_MEASURED, is_chosen=drafter == chosen
    )


def _measuring(picker: Picker) -> list[PopoverRow]:
    return [PopoverRow(STOP, picker.measuring.stop, stays=True)] if picker.measuring.is_any else []
