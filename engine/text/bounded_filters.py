"""The filters, tests and functions that chat templates are offered, none of which makes more than is paid for."""

from __future__ import annotations

import functools
import html
import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import jinja2
from jinja2 import filters as jinja_filters
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_TESTS
from jinja2.exceptions import SecurityError
from jinja2.utils import Cycler, Joiner, Namespace

from engine.text.budget import NODE_BYTES, check_number, join_texts, pay, size_of, take, text_of, weigh
from engine.text.text_methods import LINE_ENDS, check_printf, check_strip, join_values, replace_text

MAX_INDENT = 16
MAX_PRECISION = 100
MAX_DIGITS = 5_000  # Python reads no more of them either

# Each gives one value of those it has, or reads them one at a time in Python, where the deadline is watched.
_AS_THEY_ARE = (
    *("abs", "count", "d", "default", "first", "items", "last", "length"),
    *("map", "reject", "rejectattr", "select", "selectattr"),
)
_MADE_OF_TEXT = ("capitalize", "lower", "title", "upper")
_COMPARING = ("dictsort", "groupby", "max", "min", "sort", "unique")
_COMPARING_TESTS = (
    *("!=", "<", "<=", "==", ">", ">=", "eq", "equalto", "ge", "greaterthan", "gt", "le", "lessthan", "lt", "ne"),
    *("divisibleby", "in"),
)
_OTHER_TESTS = (
    *("boolean", "callable", "defined", "even", "false", "filter", "float", "integer", "iterable", "lower"),
    *("mapping", "none", "number", "odd", "sameas", "sequence", "string", "test", "true", "undefined", "upper"),
)


def offered_filters() -> dict[str, Any]:
    """Filters by name."""
    own = {
        "e": _escape,
        "escape": _escape,
        "float": _number_filter(DEFAULT_FILTERS["float"]),
        "format": _format,
        "indent": _indent,
        "int": _number_filter(DEFAULT_FILTERS["int"]),
        "join": _join,
        "list": take,
        "replace": lambda text, *pair: replace_text(text_of(text), *pair),
        "reverse": _reverse,
        "round": _round,
        "safe": text_of,
        "string": text_of,
        "sum": _sum,
        "tojson": _to_json,
        "trim": _trim,
    }
    plain = {name: DEFAULT_FILTERS[name] for name in _AS_THEY_ARE}
    texts = {name: _text_filter(DEFAULT_FILTERS[name]) for name in _MADE_OF_TEXT}
    return plain | texts | {name: _comparing_filter(DEFAULT_FILTERS[name]) for name in _COMPARING} | own


def offered_tests() -> dict[str, Any]:
    """Tests by name."""
    comparing = {name: _comparing_test(DEFAULT_TESTS[name]) for name in _COMPARING_TESTS}
    return {name: DEFAULT_TESTS[name] for name in _OTHER_TESTS} | comparing


def offered_functions() -> dict[str, Any]:
    """Functions by name, besides the sandbox's own `range`."""
    return {
        "cycler": Cycler,
        "dict": _weighed(dict),
        "joiner": Joiner,
        "namespace": _weighed(Namespace),
        "raise_exception": _raise_exception,
    }


def _weighed(make: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, **kwargs: Any) -> Any:
        weigh(args)
        return make(*args, **kwargs)

    return made


def _text_filter(apply: Callable[..., str]) -> Callable[..., str]:
    def filtered(value: Any) -> str:
        text = text_of(value)
        pay(3 * size_of(text))  # a capital of one letter may have three
        return apply(text)

    return filtered


def _comparing_filter(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Pay for comparing all values with each other, which may go on to the last character of each."""
    place = 1 if hasattr(apply, "jinja_pass_arg") else 0

    @functools.wraps(apply)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        value = args[place]
        values = value if isinstance(value, Mapping) else take(value)
        weigh(values, times=max(1, len(values).bit_length()))
        return apply(*args[:place], values, *args[place + 1 :], **kwargs)

    return filtered


def _comparing_test(apply: Any) -> Callable[..., Any]:
    def tested(value: Any, other: Any) -> Any:
        weigh(value)
        weigh(None if isinstance(other, dict) and apply is DEFAULT_TESTS["in"] else other)
        return apply(value, other)

    return tested


def _number_filter(apply: Callable[..., Any]) -> Callable[..., Any]:
    def filtered(value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, str) and len(value) > MAX_DIGITS:
            raise SecurityError(f"a number of {len(value):,} characters is too long; {MAX_DIGITS:,} is the most")
        number = apply(value, *args, **kwargs)
        if isinstance(number, int):
            check_number(number)
        return number

    return filtered


def _escape(value: Any) -> str:
    text = text_of(value)
    pay(6 * size_of(text))
    return html.escape(text)


def _format(value: Any, *args: Any, **kwargs: Any) -> str:
    pattern = text_of(value)
    check_printf(pattern, args + tuple(kwargs.values()))
    return jinja_filters.do_format(pattern, *args, **kwargs)


def _indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = text_of(value)
    num_lines = sum(map(text.count, LINE_ENDS)) + 1
    pay(2 * size_of(text) + num_lines * (NODE_BYTES + (size_of(width) if isinstance(width, str) else 4 * width)))
    return jinja_filters.do_indent(text, width, first, blank)


@jinja2.pass_environment
def _join(environment: jinja2.Environment, values: Any, separator: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        values = map(jinja_filters.make_attrgetter(environment, attribute), values)
    return join_values(text_of(separator), values)


def _reverse(values: Any) -> Any:
    if isinstance(values, str):
        pay(size_of(values))
        return values[::-1]
    return reversed(take(values))


def _round(value: Any, precision: int = 0, method: str = "common") -> Any:
    if abs(precision) > MAX_PRECISION:
        raise SecurityError(f"a precision of {precision:,} is too large; {MAX_PRECISION} is the most")
    return jinja_filters.do_round(value, precision, method)  # type: ignore[arg-type]


@jinja2.pass_environment
def _sum(environment: jinja2.Environment, values: Any, attribute: Any = None, start: Any = 0) -> Any:
    if attribute is not None:
        values = map(jinja_filters.make_attrgetter(environment, attribute), values)
    numbers = take(values)
    if not all(isinstance(number, (int, float)) for number in [start, *numbers]):
        raise SecurityError("sum adds numbers only")
    return sum(numbers, start)


def _trim(value: Any, characters: str | None = None) -> str:
    text = text_of(value)
    check_strip(text, characters)
    return text.strip(characters)


def _to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    """Unlike Jinja's own filter, this leaves HTML characters alone, as Hugging Face's does."""
    indent, separators = options.get("indent"), options.get("separators")
    allowed = {key: options[key] for key in ("indent", "separators", "sort_keys") if key in options}
    width = indent if isinstance(indent, int) else len(indent or "")
    if width > MAX_INDENT or any(len(text) > MAX_INDENT for text in separators or ()):
        raise SecurityError(f"tojson indents by {MAX_INDENT} characters at most")
    if isinstance(value, str):
        pay(6 * size_of(value))
    depth = weigh(value)
    if width > 0 or separators:
        weigh(value, times=1 + depth * max(width, MAX_INDENT if separators else 0) // NODE_BYTES)
    return json.dumps(value, ensure_ascii=ensure_ascii, **allowed)


def _raise_exception(message: Any) -> NoReturn:
    raise jinja2.TemplateError(join_texts("", [text_of(message)]))
