"""Tokens as a QPalette, and the application's one style sheet, which takes every colour from there.

So the sheet is the same in every theme, and a change of the theme is a change of the palette. Setting another sheet
would have Qt restyle each widget again for every widget around it: 0.25 s with eight tabs.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from PySide6.QtGui import QColor, QPalette

from app.theme.tokens import Tokens

SHEET_ROLES = {  # token -> the palette's role that holds its colour, as a sheet names it
    "sidebar": "tooltip-base",
    "raised": "button",
    "sunken": "alternate-base",
    "hover": "midlight",
    "line": "mid",
    "edge": "dark",
    "ink": "text",
    "ink2": "tooltip-text",
    "ink3": "placeholder-text",
    "target": "link",
    "target_hover": "link-visited",
    "on_target": "bright-text",
    "target_soft": "highlight",
    "alert": "shadow",
}


def build_palette(tokens: Tokens) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.canvas,
        role.WindowText: tokens.ink,
        role.Base: tokens.canvas,
        role.AlternateBase: tokens.sunken,
        role.Text: tokens.ink,
        role.PlaceholderText: tokens.ink3,
        role.Button: tokens.raised,
        role.ButtonText: tokens.ink,
        role.BrightText: tokens.on_target,
        role.ToolTipBase: tokens.sidebar,
        role.ToolTipText: tokens.ink2,
        role.Highlight: tokens.target_soft,
        role.HighlightedText: tokens.ink,
        role.Link: tokens.target,
        role.LinkVisited: tokens.target_hover,
        role.Accent: tokens.target,
        role.Light: tokens.raised,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.edge,
        role.Shadow: tokens.alert,
    }
    palette = QPalette()
    for colour_role, colour in colours.items():
        palette.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, colour_role, QColor(tokens.ink3))
    return palette


@cache
def build_sheet() -> str:
    text = (files("resources") / "style.qss").read_text(encoding="utf-8")
    return Template(text).substitute({token: f"palette({role})" for token, role in SHEET_ROLES.items()})
