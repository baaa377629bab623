"""Tokens as a QPalette and as the application's one style sheet."""

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files
from string import Template

from PySide6.QtGui import QColor, QPalette

from app.theme.tokens import Tokens


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
        role.BrightText: tokens.alert,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.ink,
        role.Highlight: tokens.target_soft,
        role.HighlightedText: tokens.ink,
        role.Link: tokens.target,
        role.LinkVisited: tokens.target,
        role.Accent: tokens.target,
        role.Light: tokens.raised,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.edge,
        role.Shadow: tokens.edge,
    }
    palette = QPalette()
    for colour_role, colour in colours.items():
        palette.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, colour_role, QColor(tokens.ink3))
    return palette


def build_sheet(tokens: Tokens) -> str:
    text = (files("resources") / "style.qss").read_text(encoding="utf-8")
    return Template(text).substitute({name: str(value) for name, value in asdict(tokens).items()})
