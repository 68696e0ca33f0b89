"""A report as one HTML file that opens without a network: tables, figures with plotly.js inside, light and dark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
from plotly.offline import get_plotlyjs

from mteval.export.markup import BLOCKS, Markup, join, scrolling, tag

_STYLE = Path(__file__).with_name("page.css")
FIGURES_SCRIPT = Path(__file__).with_name("page.js")
# Whatever text got into the file, nothing is loaded from anywhere.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it: markup, text (escaped) and figures."""

    title: str
    parts: Sequence[str | go.Figure]


def html_page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The whole file."""
    written = _Body()
    body = [tag("h1", title), tag("p", lead), _contents(sections)]
    for number, section in enumerate(sections):
        body.append(tag("h2", section.title, id=f"section-{number}"))
        body += [written.part(part) for part in section.parts]
    head = [
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        raw("style", BLOCKS.read_text(encoding="utf-8") + _STYLE.read_text(encoding="utf-8")),
    ]
    scripts = [raw("script", get_plotlyjs()), raw("script", FIGURES_SCRIPT.read_text(encoding="utf-8"))]
    document = tag("html", tag("head", *head), tag("body", *body, *(scripts if written.n_figures else [])), lang="en")
    return f"<!DOCTYPE html>\n{document}\n"


def styled(*parts: Markup) -> Markup:
    """Blocks of a report with their look, to stand in a page of others, as a notebook."""
    return tag("div", raw("style", BLOCKS.read_text(encoding="utf-8")), *parts)


class _Body:
    """Writes parts; figures are numbered."""

    def __init__(self) -> None:
        self.n_figures = 0

    def part(self, part: str | go.Figure) -> Markup:
        """HTML of one part; text that is no markup is a paragraph."""
        if isinstance(part, Markup):
            return part
        if isinstance(part, str):
            return tag("p", part)
        self.n_figures += 1
        name = f"figure-{self.n_figures}"
        height = f"min-height:{part.layout.height or 400}px"
        data = Markup(f'<script type="application/json" id="{name}">{figure_json(part)}</script>')
        return join((tag("div", class_="mt-figure", data_figure=name, style=height), data))


def table_of(pairs: Mapping[str, str], caption: str = "", class_: str = "mt-name") -> Markup:
    """Two columns: names and values."""
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", value, class_=class_)) for name, value in pairs.items()]
    parts = [tag("caption", caption)] if caption else []
    return scrolling(tag("table", *parts, tag("tbody", *rows), class_="mt-table"))


def _contents(sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", section.title, href=f"#section-{number}")) for number, section in enumerate(sections)]
    return tag("nav", tag("ul", *links))


def figure_json(figure: go.Figure) -> str:
    """A figure for a page whose script gives it its colours."""
    plain: dict[str, Any] = figure.to_dict()  # another figure would check all of its values once more
    plain["layout"]["template"] = pio.templates["none"].to_plotly_json()
    return safe_json(str(pio.to_json(plain, validate=False)))


def safe_json(text: str) -> str:
    """JSON in which no text can end the script element."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def raw(name: str, content: str) -> Markup:
    """An element whose content is ours and not escaped."""
    return Markup(f"<{name}>{content}</{name}>")
