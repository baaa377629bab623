"""The colours of both themes, by meaning, and the contrast that they are held to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme; petrol (`target`) is what can be pressed, marigold (`draft`) is what the drafter did."""

    is_dark: bool
    canvas: str
    sidebar: str
    raised: str
    sunken: str
    hover: str
    line: str
    edge: str
    ink: str
    ink2: str
    ink3: str
    target: str
    target_hover: str
    on_target: str
    target_soft: str
    draft: str
    draft_fill: str
    draft_soft: str
    reject: str
    alert: str
    alert_soft: str
    ok: str
    code_type: str
    code_number: str
    code_attribute: str


LIGHT = Tokens(
    is_dark=False,
    canvas="#FBFCFC",
    sidebar="#EFF2F3",
    raised="#FFFFFF",
    sunken="#F3F5F6",
    hover="#E5EAEC",
    line="#DFE5E7",
    edge="#7F8B91",
    ink="#11181B",
    ink2="#465259",
    ink3="#5C686E",
    target="#0B6079",
    target_hover="#084C61",
    on_target="#FFFFFF",
    target_soft="#DCECF1",
    draft="#7F5400",
    draft_fill="#C87400",
    draft_soft="#FCF0D4",
    reject="#7F8B91",
    alert="#A8321C",
    alert_soft="#FBE9E4",
    ok="#2F6B3A",
    code_type="#2B5C8A",
    code_number="#8A4B2A",
    code_attribute="#7A4A8C",
)

DARK = Tokens(
    is_dark=True,
    canvas="#12181B",
    sidebar="#0C1113",
    raised="#1A2226",
    sunken="#171E22",
    hover="#222C31",
    line="#273237",
    edge="#6A7980",
    ink="#E7EDEF",
    ink2="#AAB6BB",
    ink3="#8D9AA0",
    target="#63BDD6",
    target_hover="#82CFE4",
    on_target="#06222B",
    target_soft="#12343F",
    draft="#F0B74C",
    draft_fill="#F0B74C",
    draft_soft="#392C10",
    reject="#6D7B82",
    alert="#FF8F76",
    alert_soft="#3A1D16",
    ok="#7CC48A",
    code_type="#A5C8F2",
    code_number="#E6B8A2",
    code_attribute="#D9A3E8",
)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two #RRGGBB colours. Source: WCAG 2.2, "contrast ratio"."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
