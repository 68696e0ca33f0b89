"""HTML of outputs with marked errors: what is marked, what overlaps, how it looks, and that text stays text."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from mteval.render.html import BLOCKS, SEVERITIES
from mteval.ui.segments.opened_segment import error_legend, output_with_errors, text_with_errors
from mteval.values.judgements import ErrorSpan

TEXT = "the <b>cat</b> sat"
THEMES = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
MIX = re.compile(
    r"\.mt-marked\.mt-severity-(\w+) \{ background: color-mix\(in srgb, (#\w{6}) (\d+)%, transparent\);"
    r" text-decoration-style: (\w+); \}"
)


def test_errors_are_marked_by_severity_with_what_is_known_of_them():
    spans = (ErrorSpan(0, 3, "minor", "style", 0.416), ErrorSpan(15, 18, "major"))
    assert text_with_errors(TEXT, spans) == (
        '<mark class="mt-marked mt-severity-minor" title="minor, style, confidence 0.42">the</mark>'
        " &lt;b&gt;cat&lt;/b&gt; "
        '<mark class="mt-marked mt-severity-major" title="major">sat</mark>'
    )


def test_of_errors_that_overlap_the_severest_is_seen_and_all_are_named():
    html = text_with_errors("abcdef", (ErrorSpan(0, 4, "minor"), ErrorSpan(2, 6, "critical")))
    pieces = re.findall('<mark class="mt-marked mt-severity-(\\w+)" title="([^"]*)">(\\w+)</mark>', html)
    assert pieces == [("minor", "minor", "ab"), ("critical", "minor; critical", "cd"), ("critical", "critical", "ef")]


def test_nothing_of_an_error_is_read_as_html():
    hostile_error = ErrorSpan(4, 7, '"><script>', '<img src=x onerror="1">')

    text = text_with_errors(TEXT, (hostile_error,))
    output = output_with_errors(TEXT, (hostile_error,))
    legend = error_legend((hostile_error,))

    for html in (text, output, legend):
        assert "<script" not in html
        assert "<img" not in html
        assert 'onerror="' not in html
    assert "mt-severity-neutral" in text


def test_errors_are_told_in_words_and_what_is_not_known_is_not_said_to_be_none():
    output = output_with_errors(TEXT, (ErrorSpan(0, 3, "minor"), ErrorSpan(15, 18, "major", confidence=0.5)))

    assert "2 errors: “the” (minor), “sat” (major, confidence 0.50)" in output
    assert "no errors marked" in output_with_errors(TEXT, ())
    assert "No error annotation for this output." in output_with_errors(TEXT, None)
    assert error_legend((), None) == ""


class Look(NamedTuple):
    """How errors of a severity look: a colour, how much of it is mixed into the page's, and the form of the line."""

    color: str
    share: int  # percent
    line_style: str


def looks() -> dict[str, Look]:
    """The look of each severity by the style sheet."""
    css = BLOCKS.read_text(encoding="utf-8")
    return {severity: Look(color, int(share), style) for severity, color, share, style in MIX.findall(css)}


def luminance(color: np.ndarray) -> float:
    """The relative luminance of a colour (WCAG 2.1, from sRGB)."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb(color: str) -> np.ndarray:
    """The shares of red, green and blue in a colour such as #FF0000, from 0 to 1."""
    return np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])


def test_each_severity_has_a_line_of_its_own_form():
    assert set(looks()) == set(SEVERITIES)
    line_styles = [look.line_style for look in looks().values()]
    assert len(set(line_styles)) == len(line_styles)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("severity", SEVERITIES)
def test_marked_text_and_its_line_stand_out_on_light_and_dark_pages(severity: str, mode: str):
    """WCAG 2.1, 1.4.3: 4.5 to 1; the line has the colour of the text."""
    theme = THEMES[mode]
    page = rgb(theme["backgroundColor"])
    text = rgb(theme["textColor"])
    look = looks()[severity]
    share = look.share / 100
    background = share * rgb(look.color) + (1 - share) * page

    darker, lighter = sorted((luminance(background), luminance(text)))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
