"""Shapes of verdicts can be seen on light and dark pages, and on their own tint: WCAG 2.1, 1.4.11, 3 to 1."""

import re
import tomllib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from mteval.figures.colors import ROLE_COLORS
from mteval.render.html import STRONGEST_TINT

ROOT = Path(__file__).parents[2]
THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
STYLES = (ROOT / "mteval" / "render" / "blocks.css").read_text(encoding="utf-8")
VARIABLE_OF = {"good": "good", "bad": "bad", "apart": "note", "open": "open", "unsaid": "open"}
TINTED = ("good", "bad", "apart")

Color = npt.NDArray[np.float64]


def rgb(color: str) -> Color:
    return np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)], dtype=float)


def mixed(color: Color, share: float, other: Color) -> Color:
    return share * color + (1 - share) * other


def luminance(color: Color) -> float:
    """WCAG's relative luminance."""
    part = color / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first: Color, second: Color) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def color_of(role: str) -> Color:
    (color,) = re.findall(rf"--mt-{VARIABLE_OF[role]}: (#[0-9a-f]{{6}});", STYLES)
    return rgb(color)


def shape_on_tint(role: str, text: Color) -> Color:
    """The colour of a shape in a tinted cell, by its rule."""
    mix = rf"color-mix\(in srgb, var\(--mt-{VARIABLE_OF[role]}\) (\d+)%, currentColor\)"
    (share,) = re.findall(rf"\.mt-tint-{role} \.mt-role-{role} {{ color: {mix}; }}", STYLES)
    return mixed(color_of(role), int(share) / 100, text)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("role", TINTED)
def test_a_shape_can_be_seen_on_every_tint_of_its_color(role: str, mode: str) -> None:
    page = rgb(THEMES[mode]["backgroundColor"])
    text = rgb(THEMES[mode]["textColor"])
    for percent in range(STRONGEST_TINT + 1):
        tinted = mixed(color_of(role), percent / 100, page)
        assert contrast(shape_on_tint(role, text), tinted) >= 3
        assert contrast(text, tinted) >= 4.5  # 1.4.3


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("role", VARIABLE_OF)
def test_a_shape_can_be_seen_on_the_page_in_tables_and_figures(role: str, mode: str) -> None:
    page = rgb(THEMES[mode]["backgroundColor"])
    assert contrast(color_of(role), page) >= 3
    assert contrast(rgb(ROLE_COLORS[role]), page) >= 3
