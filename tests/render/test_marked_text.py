"""Texts with their errors marked: everything that was loaded stays text."""

from mteval.render.html import marked_text
from mteval.report.page import examples_page
from mteval.values.marked_text import Example, Span

EVIL = "<script>alert(1)</script>"


def test_marks_have_the_colour_of_the_most_severe_error() -> None:
    html = marked_text("abcdef", [Span(1, 4, "minor", "one"), Span(3, 5, "Major", "two")])
    assert html == (
        'a<mark class="mt-marked mt-severity-minor" title="one">bc</mark>'
        '<mark class="mt-marked mt-severity-major" title="one; two">d</mark>'
        '<mark class="mt-marked mt-severity-major" title="two">e</mark>f'
    )


def test_spans_beyond_the_text_and_unknown_severities_do_no_harm() -> None:
    assert marked_text("ab", [Span(1, 9, "odd", "x")]) == (
        'a<mark class="mt-marked mt-severity-neutral" title="x">b</mark>'
    )


def test_no_text_of_an_example_is_markup() -> None:
    page = examples_page("Errors", EVIL, [Example(EVIL, [(EVIL, EVIL)], EVIL, [Span(0, 4, EVIL, EVIL)], [EVIL])])
    assert EVIL not in page
    assert page.count("&lt;script&gt;") >= 5
