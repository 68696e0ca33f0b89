"""HTML of outputs with marked errors: what is marked, what overlaps, how it looks, and that text stays text."""

import re
import tomllib
from pathlib import Path

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
    odd = ErrorSpan(4, 7, '"><script>', '<img src=x onerror="1">')
    for html in (text_with_errors(TEXT, (odd,)), output_with_errors(TEXT, (odd,)), error_legend((odd,))):
        assert "<script" not in html
        assert "<img" not in html
        assert 'onerror="' not in html
    assert "mt-severity-neutral" in text_with_errors(TEXT, (odd,))


def test_errors_are_told_in_words_and_what_is_not_known_is_not_said_to_be_none():
    told = output_with_errors(TEXT, (ErrorSpan(0, 3, "minor"), ErrorSpan(15, 18, "major", confidence=0.5)))
    assert "2 errors: “the” (minor), “sat” (major, confidence 0.50)" in told
    assert "no errors marked" in output_with_errors(TEXT, ())
    assert "No error annotation for this output." in output_with_errors(TEXT, None)
    assert error_legend((), None) == ""


def looks() -> dict[str, tuple[str, int, str]]:
    css = BLOCKS.read_text(encoding="utf-8")
    return {name: (color, int(share), style) for name, color, share, style in MIX.findall(css)}


def luminance(color: tuple[float, ...]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))


def test_each_severity_has_a_line_of_its_own_form():
    assert set(looks()) == {*SEVERITIES}
    assert len({style for *_, style in looks().values()}) == len(looks())


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("severity", SEVERITIES)
def test_marked_text_and_its_line_stand_out_on_light_and_dark_pages(severity: str, mode: str):
    """WCAG 2.1, 1.4.3: 4.5 to 1; the line has the colour of the text."""
    theme = THEMES[mode]
    behind, text = rgb(theme["backgroundColor"]), rgb(theme["textColor"])
    color, share, _ = looks()[severity]
    mixed = tuple(share / 100 * one + (1 - share / 100) * other for one, other in zip(rgb(color), behind, strict=True))
    light, dark = sorted((luminance(mixed), luminance(text)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
