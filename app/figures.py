"""Numbers as the window writes them: tabular, with a no-break space before the unit, never rounded up to flatter."""

from __future__ import annotations

from datetime import datetime

NO_BREAK = "\u00a0"
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def write_count(count: int, unit: str = "") -> str:
    """6214, "tokens" -> 6,214 tokens; one is "1 token"."""
    if not unit:
        return f"{count:,}"
    return f"{count:,}{NO_BREAK}{unit if count != 1 else unit.removesuffix('s')}"


def write_seconds(seconds: float) -> str:
    """Two digits after the point below 10 s, whole above."""
    return f"{seconds:.2f}{NO_BREAK}s" if seconds < 9.995 else f"{seconds:,.0f}{NO_BREAK}s"


def write_milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}{NO_BREAK}ms"


def write_rate(tokens_per_second: float) -> str:
    digits = 1 if tokens_per_second < 9.95 else 0
    return f"{tokens_per_second:,.{digits}f}{NO_BREAK}tok/s"


def write_ratio(value: float) -> str:
    return f"{value:.1f}"


def write_speedup(value: float) -> str:
    """1.94 -> ×1.9: the rate over that of plain decoding."""
    return f"×{value:.1f}"


def write_bytes(count: int) -> str:
    """11_440_000_000 -> 11.4 GB; three digits at most, zeros behind the point left out."""
    if not count:
        return f"0{NO_BREAK}MB"
    size, unit = next(((size, unit) for size, unit in _UNITS if count >= 0.9995 * size), _UNITS[-1])
    value = count / size
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    written = f"{value:,.{digits}f}"
    return (written.rstrip("0").rstrip(".") if digits else written) + f"{NO_BREAK}{unit}"


def write_loading(done: int, total: int) -> str:
    """ "0.1 of 0.5 GB"; megabytes where the whole is less than a tenth of a gigabyte."""
    if total < 100_000_000:
        return f"{done / 1e6:,.0f} of {total / 1e6:,.0f}{NO_BREAK}MB"
    return f"{done / 1e9:,.1f} of {total / 1e9:,.1f}{NO_BREAK}GB"


def write_percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


def write_clock(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp).strftime("%H:%M")


def write_when(timestamp: float, now: float) -> str:
    """20:51 of today, Sat within a week, else 5 Nov."""
    then, today = datetime.fromtimestamp(timestamp), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if days <= 0:
        return write_clock(timestamp)
    return f"{then:%a}" if days < 7 else f"{then.day} {then:%b}"


def in_words(count: int) -> str:
    """2 -> two; from 10 on in digits, as where there is none."""
    return _NUMBERS[count - 1] if 0 < count < 10 else f"{count:,}"


def write_amount(count: int, noun: str) -> str:
    """Small numbers in words, as sentences begin with them: 2, "reply" -> "2 replies"."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,}{NO_BREAK}{noun if count == 1 else plural}"
