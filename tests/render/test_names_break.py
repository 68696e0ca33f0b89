"""Long names break after ``_`` and ``-``, and stay what they are."""

import re

import pandas as pd
import pytest

from mteval.answers.section import Cell, Column, Section, Table
from mteval.render.html import breakable, card, section_table

NAME = "Samsung_Research-Philippines"
BROKEN = "Samsung_<wbr>Research-<wbr>Philippines"


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        (NAME, BROKEN),
        ("p_run", "p_run"),
        ("test-set luck", "test-set luck"),
        ("plain", "plain"),
        ("__init__", "__init__"),
        ("-x", "-x"),
        ("<b>_x</b>", "&lt;b&gt;_x&lt;/b&gt;"),
    ],
)
def test_a_name_breaks_between_its_words_only(name: str, broken: str) -> None:
    assert breakable(name) == broken


def test_names_break_in_cells_headings_and_cards() -> None:
    table = Table(
        (Column("system", "System"), Column(NAME, NAME, "count")), pd.DataFrame({"system": [NAME], NAME: [1]})
    )
    markup = str(section_table(table))
    assert markup.count(BROKEN) == 2
    assert NAME in re.sub("<[^>]*>", "", markup), "copied as it is"
    assert BROKEN in str(card(Section("key", NAME, verdict=Cell("better"))))


def test_cells_are_buttons_where_they_can_open_something() -> None:
    cell = Cell("30.9", opens=("new", "test <2>"))
    column = Column("mean", "test", "number", write=lambda row: cell)
    table = Table((column,), pd.DataFrame({"mean": [30.9]}))
    assert "<button" not in str(section_table(table)), "a report has no sentences to open"
    markup = str(section_table(table, opens=True))
    assert 'data-opens="[&#34;new&#34;, &#34;test &lt;2&gt;&#34;]"' in markup


def test_a_shape_stays_on_the_line_of_the_word_that_it_stands_for() -> None:
    table = Table(
        (Column("system", "System"),), pd.DataFrame({"system": ["a"]}), "Verdicts. ▲ better  ○ no clear difference"
    )
    markup = str(section_table(table))
    assert "Verdicts.\N{EN SPACE}▲\N{NO-BREAK SPACE}better\N{EN SPACE}○\N{NO-BREAK SPACE}no clear difference" in markup
