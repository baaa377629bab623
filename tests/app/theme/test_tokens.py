"""The contrast that both themes promise, computed again."""

from __future__ import annotations

from math import floor

import pytest

from app.theme.tokens import DARK, LIGHT, Tokens, contrast

PLAIN_GROUNDS = ("canvas", "sidebar", "raised", "sunken")
ALL_GROUNDS = (*PLAIN_GROUNDS, "hover", "target_soft", "draft_soft", "alert_soft")
TEXTS = {  # token -> lowest contrast on the plain grounds: light, dark
    "ink": (15.9, 13.6),
    "ink2": (7.1, 7.7),
    "ink3": (5.0, 5.5),
    "target": (6.2, 7.5),
    "draft": (5.8, 8.9),
    "alert": (5.9, 7.2),
    "ok": (5.6, 7.7),
}
EVERYWHERE = 4.5


def lowest(tokens: Tokens, colour: str, grounds: tuple[str, ...]) -> float:
    return min(contrast(getattr(tokens, colour), getattr(tokens, ground)) for ground in grounds)


def test_black_on_white_is_the_greatest_contrast() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


@pytest.mark.parametrize("name", TEXTS)
def test_text_has_the_contrast_that_the_palette_states(name: str) -> None:
    light, dark = TEXTS[name]
    assert floor(10 * lowest(LIGHT, name, PLAIN_GROUNDS)) == round(10 * light)
    assert floor(10 * lowest(DARK, name, PLAIN_GROUNDS)) == round(10 * dark)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "ink2", "ink3", "target"])
def test_text_can_be_read_on_selected_and_tinted_grounds(tokens: Tokens, name: str) -> None:
    assert lowest(tokens, name, ALL_GROUNDS) >= EVERYWHERE - 0.05


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_buttons_and_code_can_be_read(tokens: Tokens) -> None:
    assert contrast(tokens.on_target, tokens.target) >= 7.0
    for name in ("code_type", "code_number", "code_attribute", "target", "ok", "ink3"):
        assert contrast(getattr(tokens, name), tokens.sunken) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_edges_and_drawings_can_be_seen(tokens: Tokens) -> None:
    for name in ("edge", "draft_fill"):
        assert lowest(tokens, name, PLAIN_GROUNDS) >= 3.05
