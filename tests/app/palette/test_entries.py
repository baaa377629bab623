"""What is found among many entries, and in which order."""

from __future__ import annotations

from app.palette.entries import MOST_SHOWN, Entry, find


def entry(words: str, **more: object) -> Entry:
    return Entry(words, words, lambda: None, **more)  # type: ignore[arg-type]


def words_of(entries: list[Entry], typed: str, recent: tuple[str, ...] = ()) -> list[str]:
    return [found.entry.words for found in find(entries, typed, recent)]


def test_the_best_comes_first_and_equals_as_they_came() -> None:
    entries = [entry("Some ice"), entry("Nice"), entry("Ice two"), entry("Ice one"), entry("Frost")]
    assert words_of(entries, "ice") == ["Ice two", "Ice one", "Some ice", "Nice"]


def test_among_equals_what_was_run_lately_comes_first() -> None:
    entries = [entry("Ice one"), entry("Ice two"), entry("Some ice")]
    assert words_of(entries, "ice", ("Some ice", "Ice two")) == ["Ice two", "Ice one", "Some ice"]
    assert words_of(entries, "", ("Some ice", "gone")) == ["Some ice", "Ice one", "Ice two"]


def test_what_cannot_be_done_comes_after_its_equals() -> None:
    entries = [entry("Ice one", is_enabled=False), entry("Ice two")]
    assert words_of(entries, "ice", ("Ice one",)) == ["Ice two", "Ice one"]
    assert words_of(entries, "", ("Ice one",)) == ["Ice one", "Ice two"]


def test_of_thousands_only_the_best_are_shown() -> None:
    entries = [entry(f"A chat about ice {number}") for number in range(3000)]
    found = words_of([*entries, entry("Ice")], "ice")
    assert found[0] == "Ice"
    assert len(found) == MOST_SHOWN
