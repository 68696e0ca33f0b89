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
_BUTTONS = {  # label of each action of the script
    "next": "→",
    "previous": "←",
    "draw": "D: draw",
    "hundred": "H: draw a hundred",
    "again": "S: start over",
    "png": "P: PNG",
    "svg": "V: SVG",
    "full": "F: full screen",
}
NOTHING = Markup("")


@dataclass(frozen=True)
class Slide:
    """A section as one slide.

    Parameters
    ----------
    instead_of_table
        Shown to the right of the figure if the section has no table.
    """

    section: Section
    instead_of_table: Markup = NOTHING

    @cached_property
    def figure(self) -> go.Figure | None:
        """The figure, on the left or over the whole slide."""
        if self.section.figure is None:
            return None
        return self.section.figure()

    @property
    def head(self) -> Markup:
        """Title and lead."""
        lead = [tag("p", text) for text in self.section.lead]
        title = tag("h1", self.section.title, class_="mt-slide-title")
        return join((title, tag("div", *lead, class_="mt-slide-lead")))

    @property
    def beside(self) -> Markup:
        """What is to the right of the figure."""
        if self.section.table is None:
            return self.instead_of_table
        return html.section_table(self.section.table)

    @property
    def aside(self) -> Markup:
        """What is to the right of the figure, in a block of its own; without a figure it fills the slide."""
        classes = "mt-slide-beside"
        if self.section.figure is None:
            classes += " mt-slide-alone"
        return tag("div", self.beside, class_=classes)

    @property
    def foot(self) -> Markup:
        """The notes below."""
        notes = [tag("p", note.said) for note in self.section.notes]
        return tag("div", *notes, class_="mt-slide-notes")


def talk_file(slides: Sequence[Slide], drawings: Sequence[Slide]) -> str:
    """Return the slides as one HTML file.

    Parameters
    ----------
    drawings
        The slide of the draws after none, one, two … draws; its first state is among ``slides``. Empty if there is no
        such slide.
    """
    parts = [_slide(number, slide) for number, slide in enumerate(slides)]
    # The script shows each state of the draws by its head, its table and its figure.
    states = []
    for slide in drawings:
        figure = None if slide.figure is None else html.figure_json(slide.figure)
        states.append([slide.head, slide.beside, figure])
    recorded = Markup(f'<script type="application/json" id="drawings">{html.safe_json(json.dumps(states))}</script>')
    key = drawings[0].section.key if drawings else ""
    stage = tag("main", *parts, recorded, class_="mt-talk", data_drawing=key)
    buttons = [tag("button", label, type="button", data_does=action) for action, label in _BUTTONS.items()]
    bar = tag("nav", tag("span", "", id="place"), *buttons, class_="mt-talk-bar")
    scripts = [html.raw("script", figures.style.script())]
    for path in (html.FIGURES_SCRIPT, _SCRIPT):
        scripts.append(html.raw("script", path.read_text(encoding="utf-8")))
    body = tag("body", stage, bar, *scripts)
    return html.document(slides[0].section.title, (html.BLOCKS, STYLE, _FILE_STYLE), body)


def _slide(number: int, slide: Slide) -> Markup:
    """Return one slide."""
    middle = []
    if slide.figure is not None:
        middle.append(html.figure_block(slide.figure, f"figure-{number}", "height"))
    if slide.beside:
        middle.append(slide.aside)
    parts = [tag("header", slide.head), tag("div", *middle, class_="mt-slide-middle"), slide.foot]
    return tag("section", *parts, class_="mt-slide", data_key=slide.section.key)
