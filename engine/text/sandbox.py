"""The Jinja environment that chat templates run in: what they use of Hugging Face's, every operation paid for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter

from engine.text.bounded_filters import offered_filters, offered_functions, offered_tests
from engine.text.budget import ENTRY_BYTES, check_bits, check_number, join_texts, pay, size_of, text_of, weigh
from engine.text.text_methods import check_method, check_printf, check_widths, join_values, replace_text


class Generation(Extension):
    """`{% generation %}` marks a reply for training; here it is its contents."""

    tags: set[str] = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _BoundedCode(CodeGenerator):
    """Sends what Jinja would do with bare Python operators through the environment."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.join_operands((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        self.write("(")
        self._visit_compared(node.expr, frame, "compared")
        for operand in node.ops:
            self.visit(operand, frame)
        self.write(")")

    def visit_Operand(self, node: nodes.Operand, frame: Frame) -> None:
        operators = {"eq": "==", "ne": "!=", "gt": ">", "gteq": ">=", "lt": "<", "lteq": "<=", "in": "in"}
        self.write(f" {operators.get(node.op, 'not in')} ")
        self._visit_compared(node.expr, frame, "searched" if node.op in ("in", "notin") else "compared")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if not isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
            return
        self.write("environment.cut(")
        self.visit(node.node, frame)
        for bound in (node.arg.start, node.arg.stop, node.arg.step):
            self.write(", ")
            self.visit(bound or nodes.Const(None), frame)
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        self.write("environment.pair_up((")
        for pair in node.items:
            for part in (pair.key, pair.value):
                self.visit(part, frame)
                self.write(", ")
        self.write("))")

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier, frame: Frame) -> None:
        """`{% autoescape %}` is its contents: a prompt is no HTML."""
        for child in node.body:
            self.visit(child, frame)

    def _visit_compared(self, node: nodes.Expr, frame: Frame, method: str) -> None:
        if isinstance(node, nodes.Const):
            self.visit(node, frame)
            return
        self.write(f"environment.{method}(")
        self.visit(node, frame)
        self.write(")")


class _BoundedFormatter(SandboxedFormatter):
    """str.format, each field paid for."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        check_widths(format_spec)
        pay(size_of(format_spec) + (size_of(value) if isinstance(value, str) else 0))
        weigh(value)
        return super().format_field(value, format_spec)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion and isinstance(value, str):
            pay(10 * size_of(value))
        elif conversion:
            weigh(value)
        return super().convert_field(value, conversion)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox where operators, filters and methods pay for what they make; to be used in a `budget` block."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "**", "%"})
    code_generator_class = _BoundedCode

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=self.written, **options)
        allowed_range = self.globals["range"]
        self.filters, self.tests = offered_filters(), offered_tests()
        self.globals = {"range": allowed_range, **offered_functions()}

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Pay for the result of an operator."""
        for operand in (left, right):
            if isinstance(operand, int):
                check_number(operand)
        if operator in ("*", "**"):
            _check_product(operator, left, right)
        elif operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            _check_sum(left, right)
        elif operator == "%" and isinstance(left, str):
            check_printf(left, right)
        elif not isinstance(left, (int, float)):
            weigh((left, right))
        return super().call_binop(context, operator, left, right)

    def join_operands(self, parts: tuple[Any, ...]) -> str:
        """Join the operands of `~`."""
        return join_texts("", [text_of(part) for part in parts])

    def concat(self, parts: Iterable[str]) -> str:
        """Join what a macro or a block has written."""
        return join_texts("", list(parts))

    def written(self, value: Any) -> Any:
        """Pay for a value that is written out; what is text is paid for when it is joined."""
        return text_of(value)

    def compared(self, value: Any) -> Any:
        """Pay for a comparison with all that a value holds."""
        if not isinstance(value, str):
            weigh(value)
        return value

    def searched(self, value: Any) -> Any:
        """The same for what follows `in`; a mapping is not gone through."""
        return value if isinstance(value, dict) else self.compared(value)

    def cut(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """Pay for a slice."""
        part = slice(start, stop, step)
        if isinstance(value, (str, list, tuple)):
            length = len(range(*part.indices(len(value))))
            pay(length * (ENTRY_BYTES if not isinstance(value, str) else 1 if value.isascii() else 4))
        return value[part]

    def pair_up(self, parts: tuple[Any, ...]) -> dict[Any, Any]:
        """Make a mapping of keys and values in turn."""
        weigh(tuple(key for key in parts[::2] if isinstance(key, tuple)))
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Pay for looking up a key that is made of values, and for writing it where it is not there."""
        weigh((argument,))
        return super().getitem(obj, argument)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call a function or method; built-in ones are paid for."""
        owner = getattr(__obj, "__self__", None)
        # Jinja adds arguments of its own, whose names begin with "_".
        own = {key: value for key, value in kwargs.items() if not key.startswith("_")}
        if isinstance(owner, str) and __obj.__name__ == "replace":
            return replace_text(owner, *args, **own)
        if isinstance(owner, str) and __obj.__name__ == "join" and len(args) == 1:
            return join_values(owner, args[0])
        check_method(__obj, args, own)
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Any:
        """Give str.format bounded fields."""
        if super().wrap_str_format(value) is None:
            return None
        pattern, is_mapped = value.__self__, value.__name__ == "format_map"

        def formatted(*args: Any, **kwargs: Any) -> str:
            pay(size_of(pattern))
            fields = args[0] if is_mapped else kwargs
            return _BoundedFormatter(self).vformat(pattern, () if is_mapped else args, fields)

        return formatted


def chat_environment() -> ChatEnvironment:
    """An environment that reads templates as Hugging Face does."""
    return ChatEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])


def _check_sum(left: Any, right: Any) -> None:
    if isinstance(left, str) and isinstance(right, str):
        length = len(left) + len(right)
        pay(length if left.isascii() and right.isascii() else 4 * length)
    else:
        pay(ENTRY_BYTES * (len(left) + len(right)))


def _check_product(operator: str, left: Any, right: Any) -> None:
    for sequence, count in ((left, right), (right, left)):
        if hasattr(sequence, "__len__") and isinstance(count, int):
            pay(count * (size_of(sequence) if isinstance(sequence, str) else ENTRY_BYTES * len(sequence)))
    if isinstance(left, int) and isinstance(right, int):
        check_bits(left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length())
