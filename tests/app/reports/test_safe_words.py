"""What a log may say of errors and values."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from app.reports.safe_words import LEFT_OUT, SafeFormatter, describe_error, shorten, without_quotes, write_traceback

SECRET = "Purple elephants waltz"


def raise_it(error: BaseException) -> None:
    raise error


def caught(work: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as found:  # noqa: PT011
        work()
    return found.value


def record(name: str, words: object, *values: object, error: BaseException | None = None) -> str:
    found = (type(error), error, error.__traceback__) if error else None
    return SafeFormatter().format(logging.LogRecord(name, logging.ERROR, "file", 1, words, values, found))


@pytest.mark.parametrize("kind", [ValueError, KeyError, TypeError, RuntimeError, AttributeError, AssertionError])
def test_words_that_code_gave_to_an_error_are_left_out(kind: type[Exception]) -> None:
    assert describe_error(caught(lambda: raise_it(kind(SECRET)))) == f"{kind.__name__}: {LEFT_OUT}"
    assert describe_error(kind(SECRET)) == f"{kind.__name__}: {LEFT_OUT}"


def test_words_that_the_interpreter_found_are_kept() -> None:
    error = caught(lambda: None.nothing)  # type: ignore[attr-defined]
    assert describe_error(error) == "AttributeError: 'NoneType' object has no attribute 'nothing'"
    assert describe_error(caught(lambda: 1 // 0)).startswith("ZeroDivisionError: integer division")


def test_an_operation_of_mlx_is_named_and_no_file() -> None:
    words = "[broadcast_shapes] Shapes (1,2) and (3) cannot be broadcast."
    assert describe_error(RuntimeError(words)) == f"RuntimeError: {words}"
    assert describe_error(RuntimeError(f"[a]\n“{SECRET}”")) == f"RuntimeError: {LEFT_OUT}"
    missing = caught(Path(f"/nowhere/{SECRET}").read_text)
    assert describe_error(missing) == "FileNotFoundError: No such file or directory"


def test_a_query_is_not_told_of_with_its_error() -> None:
    error = caught(lambda: sqlite3.connect(":memory:").execute(f"SELECT '{SECRET}' FROM nowhere"))
    assert describe_error(error) == "OperationalError: SQLITE_ERROR"


def test_a_traceback_has_its_causes_and_the_home_folder_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(Path(__file__).parents[1]))

    def work() -> None:
        try:
            raise_it(ValueError(SECRET))
        except ValueError as error:
            raise KeyError(SECRET) from error

    written = write_traceback(caught(work))
    assert written.index("ValueError") < written.index("This led to:") < written.index("KeyError")
    assert '"~/reports/test_safe_words.py"' in written
    assert SECRET not in written


def test_a_template_s_text_is_no_source() -> None:
    code = compile("\n\nraise ValueError(1)", "<template>", "exec")
    written = write_traceback(caught(lambda: exec(code, {})))
    assert '  File "<template>", line 3, in <module>\nValueError' in written


def test_our_records_keep_numbers_names_and_paths_and_no_text() -> None:
    written = record(
        "app.kept_file", "%s in %s: %d of %.1f, %s, %r", SECRET, Path("/data"), 3, 0.5, "open.json", [SECRET]
    )
    assert written.endswith("ERROR app.kept_file: (22 characters) in /data: 3 of 0.5, open.json, (list)")


def test_records_of_other_libraries_say_only_who_and_how_bad() -> None:
    assert record("transformers", SECRET).endswith(f"ERROR transformers: {LEFT_OUT}")
    assert SECRET not in record("jinja2", "%s", SECRET, error=ValueError(SECRET))


def test_a_record_whose_values_do_not_fit_is_told_without_them() -> None:
    assert record("app.x", "%d of them", SECRET).endswith("ERROR app.x: %d of them")


def test_what_qt_quotes_is_left_out() -> None:
    assert without_quotes(f'QUrl: "{SECRET}" is\n no address') == "QUrl: “…” is no address"


def test_only_a_home_folder_of_its_own_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert shorten("/a/b") == "/a/b"
