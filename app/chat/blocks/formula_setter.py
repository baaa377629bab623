"""LaTeX to a drawing with ziamath; no Qt, so that it can run on any thread."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, ModuleType

COLOUR = "#123456"  # stands in a drawing for the colour of the text around it
_UNKNOWN_COMMAND = re.compile(r">\s*\\[A-Za-z]")
_PART = re.compile(r"\\[A-Za-z]+|\\.|[^\s&]", re.DOTALL)
_DEPTHS = MappingProxyType({"{": 1, "}": -1, "\\left": 1, "\\right": -1, "\\begin": 1, "\\end": -1})
_MAX_DEPTH = 12
_MAX_COST = 2_500  # some 0.2 ms each
_TAG = re.compile(r"\\(?:tag|label)\*?\{[^{}]*\}")
_VIEW_BOX = re.compile(r'viewBox="([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+)"')
_SPELLINGS = MappingProxyType(
    {"\\dfrac": "\\frac", "\\tfrac": "\\frac", "{align}": "{align*}", "{gather}": "{align*}", "{equation}": "{align*}"}
)
_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class FormulaKey:
    source: str  # without its marks
    pixels: int  # size of the font
    is_display: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG; ascent and descent are from the line that letters stand on, in px."""

    svg: bytes
    width: float
    ascent: float
    descent: float


def is_too_deep(source: str) -> bool:
    """Whether ziamath would take over half a second: each level of nesting doubles what is in it."""
    depth = cost = 0
    for part in _PART.findall(source):
        depth = max(0, depth + _DEPTHS.get(part, 0))
        cost += 2 ** min(depth, _MAX_DEPTH)
    return cost > _MAX_COST


def set_formula(key: FormulaKey) -> Drawing | None:
    """None where ziamath cannot set it, or would set a command's name in place of what it means."""
    ziamath = _import_ziamath()
    source = _TAG.sub("", key.source)
    for written, meant in _SPELLINGS.items():
        source = source.replace(written, meant)
    try:
        mathml = ziamath.tex.tex2mml(source, inline=not key.is_display)
        if _UNKNOWN_COMMAND.search(mathml):
            return None
        svg = ziamath.Math(_tint(mathml), size=key.pixels).svg()
    except _errors():
        return None
    found = _VIEW_BOX.search(svg)
    if found is None:
        return None
    _, top, width, height = map(float, found.groups())
    return Drawing(svg.encode(), width, -top, height + top)


@cache
def _import_ziamath() -> ModuleType:
    """Takes 0.2 s."""
    import ziamath
    import ziamath.tex

    ziamath.config.svg2 = False  # QtSvg draws no <symbol>
    return ziamath


def _tint(mathml: str) -> str:
    return re.sub(r"^<(\w+)", rf'<\1 mathcolor="{COLOUR}"', mathml)


@cache
def _errors() -> tuple[type[Exception], ...]:
    """ziamath raises whatever its code meets; latex2mathml's exceptions have no class in common."""
    from latex2mathml import exceptions

    found = vars(exceptions).values()
    return (*_ERRORS, *(value for value in found if isinstance(value, type) and issubclass(value, Exception)))
