"""The Jinja environment that chat templates run in: what Hugging Face's offers, with bounded sizes."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_LENGTH = 50_000_000  # characters of a text, entries of a list
MAX_NUMBER_BITS = 4096
_WIDTH = re.compile(r"\d{7}|\*")  # of a printf-style or a str.format field


class Generation(Extension):
    """`{% generation %}` marks a reply for training; here it is its contents."""

    tags: set[str] = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _BoundedCode(CodeGenerator):
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.concat_bounded((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox in which no single operation can take long or much memory."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    code_generator_class = _BoundedCode

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters["tojson"] = _to_json
        self.filters["replace"] = lambda text, *pair: self.call_replace(str(text), *pair)
        for name in ("center", "format", "indent"):
            self.filters[name] = _bounded(self.filters[name])
        self.globals["raise_exception"] = _raise_exception
        self.globals.pop("lipsum")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Refuse what would grow beyond bounds."""
        if operator in ("*", "**"):
            _check_product(operator, left, right)
        elif operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            _check_length(len(left) + len(right))
        elif operator == "%" and isinstance(left, str):
            _check_width(left)
        return super().call_binop(context, operator, left, right)

    def concat_bounded(self, parts: tuple[Any, ...]) -> str:
        """Join the operands of `~`."""
        texts = [str(part) for part in parts]
        _check_length(sum(map(len, texts)))
        return "".join(texts)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call a function or method; methods of text get bounded arguments."""
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str):
            name = __obj.__name__
            if name == "replace":  # Jinja adds arguments of its own, whose names begin with "_"
                return __self.call_replace(owner, *args, **{key: kwargs[key] for key in kwargs if key == "count"})
            if name == "join" and len(args) == 1:
                return _join(owner, args[0])
            _check_arguments(args, kwargs)
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Any:
        """Give str.format bounded fields."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None

        def checked(*args: Any, **kwargs: Any) -> str:
            _check_width(value.__self__)
            _check_arguments(args, kwargs)
            return wrapped(*args, **kwargs)

        return checked

    def call_replace(self, text: str, old: str, new: str, count: int | None = -1) -> str:
        """Like str.replace, with a bounded result."""
        count = -1 if count is None else count
        found = text.count(old) if count < 0 else min(count, text.count(old))
        _check_length(len(text) + found * len(new))
        return text.replace(old, new, count)


def _bounded(apply: Any) -> Any:
    @functools.wraps(apply)
    def checked(text: Any, *args: Any, **kwargs: Any) -> Any:
        _check_width(str(text) if apply.__name__ == "do_format" else "")
        _check_arguments(args, kwargs)
        return apply(text, *args, **kwargs)

    return checked


def _check_length(length: int) -> None:
    if length > MAX_LENGTH:
        raise SecurityError(f"a value of {length:,} characters or entries is too long; {MAX_LENGTH:,} is the most")


def _check_width(pattern: str) -> None:
    if _WIDTH.search(pattern):
        raise SecurityError("a format field is too wide")


def _check_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    for value in (*args, *kwargs.values()):
        if isinstance(value, int):
            _check_length(value)


def _check_product(operator: str, left: Any, right: Any) -> None:
    for sequence, count in ((left, right), (right, left)):
        if hasattr(sequence, "__len__") and isinstance(count, int):
            _check_length(len(sequence) * count)
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
        if bits > MAX_NUMBER_BITS:
            raise SecurityError(f"a number of {bits:,} bits is too large; {MAX_NUMBER_BITS:,} is the most")


def _join(separator: str, values: Any) -> str:
    texts = list(values)
    _check_length(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    """Unlike Jinja's own filter, this leaves HTML characters alone, as Hugging Face's does."""
    allowed = {key: options[key] for key in ("indent", "separators", "sort_keys") if key in options}
    return json.dumps(value, ensure_ascii=ensure_ascii, **allowed)
