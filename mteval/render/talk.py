"""A talk: slides in large type, and one HTML file that plays them offline."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import plotly.graph_objects as go

from mteval import figures
from mteval.answers.section import Section
from mteval.render import html
from mteval.render.html import Markup, join, tag

STYLE = Path(__file__).with_name("talk.css")  # of slides, on the page and in the file
_FILE_STYLE = Path(__file__).with_name("talk_file.css")
_SCRIPT = Path(__file__).with_name("talk.js")
_KEYS = (
    ("next", "→"), ("previous", "←"), ("draw", "D: draw"), ("hundred", "H: draw a hundred"), ("again", "S: start over"),
    ("png", "P: PNG"), ("svg", "V: SVG"), ("full", "F: full screen"),
)  # fmt: skip
NOTHING = Markup("")


@dataclass(frozen=True)
class Slide:
    """A section as one slide.

    Parameters
    ----------
    other
        Shown instead of a table if the section has none.
    """

    section: Section
    other: Markup = NOTHING

    @cached_property
    def figure(self) -> go.Figure | None:
        """The figure, on the left or over the whole slide."""
        return None if self.section.figure is None else self.section.figure()

    @property
    def head(self) -> Markup:
        """Title and lead."""
        lead = [tag("p", text) for text in self.section.lead]
        title = tag("h1", self.section.title, class_="mt-slide-title")
        return join((title, tag("div", *lead, class_="mt-slide-lead")))

    @property
    def beside(self) -> Markup:
        """What is to the right of the figure."""
        return self.other if self.section.table is None else html.section_table(self.section.table)

    @property
    def aside(self) -> Markup:
        """The same with its style."""
        alone = "" if self.section.figure is not None else " mt-slide-alone"
        return tag("div", self.beside, class_=f"mt-slide-beside{alone}")

    @property
    def foot(self) -> Markup:
        """The notes below."""
        return tag("div", *(tag("p", note.said) for note in self.section.notes), class_="mt-slide-notes")


def talk_file(slides: Sequence[Slide], drawings: Sequence[Slide]) -> str:
    """Return the slides as one HTML file.

    Parameters
    ----------
    drawings
        The slide of the draws after none, one, two … draws; its first state is among ``slides``. Empty if there is no
        such slide.
    """
    parts = [_section(number, slide) for number, slide in enumerate(slides)]
    drawn = (None if slide.figure is None else html.figure_json(slide.figure) for slide in drawings)
    frames = [[slide.head, slide.beside, figure] for slide, figure in zip(drawings, drawn, strict=True)]
    recorded = Markup(f'<script type="application/json" id="drawings">{html.safe_json(json.dumps(frames))}</script>')
    key = drawings[0].section.key if drawings else ""
    stage = tag("main", *parts, recorded, class_="mt-talk", data_drawing=key)
    buttons = [tag("button", words, type="button", data_does=does) for does, words in _KEYS]
    bar = tag("nav", tag("span", "", id="place"), *buttons, class_="mt-talk-bar")
    scripts = [figures.style.script(), *(path.read_text(encoding="utf-8") for path in (html.FIGURES_SCRIPT, _SCRIPT))]
    body = tag("body", stage, bar, *(html.raw("script", script) for script in scripts))
    return html.document(slides[0].section.title, (html.BLOCKS, STYLE, _FILE_STYLE), body)


def _section(number: int, slide: Slide) -> Markup:
    """Return one slide."""
    middle = [] if slide.figure is None else [html.figure_block(slide.figure, f"figure-{number}", "height")]
    middle += [slide.aside] if slide.beside else []
    parts = [tag("header", slide.head), tag("div", *middle, class_="mt-slide-middle"), slide.foot]
    return tag("section", *parts, class_="mt-slide", data_key=slide.section.key)
