"""Reads cells, figures and sentences off the files of a report."""

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.report.shown_experiment import SIZES


def plain(text: str) -> str:
    """Text of a cell of HTML, with one kind of minus and of space."""
    return html.unescape(re.sub("<[^>]*>", "", text)).replace("−", "-").replace("\N{NO-BREAK SPACE}", " ").strip()


def table_rows(page: str, test_set: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Metric with its arrow, system, HTML of its strip of runs and of the other cells, row by row."""
    head = rf"<table class=\"mt-table mt-overview\"><caption>{SIZES[test_set]} segments of {test_set}\."
    (table,) = re.findall(rf"{head}.*?</table>", page, re.S)
    body = table[table.index("</thead>") :]
    metric = ""
    for row in re.findall("<tr>(.*?)</tr>", body, re.S):
        # A metric stands in the first of its rows, beside all of them.
        headings = re.findall("<th.*?</th>", row, re.S)
        if headings:
            metric = plain(headings[0])
        system, strip, *cells = re.findall("<td.*?</td>", row, re.S)
        yield metric, plain(system), strip, cells


def figures_of(page: str) -> Iterator[Mapping[str, Any]]:
    """The figures on the page."""
    for text in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S):
        yield json.loads(text)


def values_of(axis: Any) -> list[float]:
    """An axis of a figure, which may be packed."""
    if isinstance(axis, Mapping):
        return [float(value) for value in np.frombuffer(base64.b64decode(axis["bdata"]), axis["dtype"])]
    return [float(value) for value in axis]


def strips_and_histograms(page: str) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """The two figures of each metric's runs, in the order of the metrics."""
    strips = []
    histograms = []
    for figure in figures_of(page):
        title = figure["layout"]["xaxis"]["title"]["text"]
        if is_forest(figure) or "Difference in word" in title:
            continue
        if figure["data"][0]["type"] == "bar":
            histograms.append(figure)
        else:
            strips.append(figure)
    return strips, histograms


def is_forest(figure: Mapping[str, Any]) -> bool:
    """Whether a figure shows differences from the baseline."""
    return any(trace.get("name") == "baseline" for trace in figure["data"])


def answers_on(page: str, metric: str) -> dict[str, tuple[str, str, str, str, str]]:
    """Of each system in the section of a metric: the colour's role, the lead of its card, and the two answers."""
    (section,) = re.findall(rf'<h2 id="[^"]*">{metric}\b.*?(?=<h2|</body>)', page, re.S)
    pattern = (
        r'<section class="mt-verdict mt-edge-(\w+)"><h4>(.*?) vs .*?</h4>.*?<b>(.*?)</b>.*?<p class="mt-gain">(.*?)</p>'
        r".*?<dd>(.*?)</dd>.*?<dd>(.*?)</dd>.*?</section>"
    )
    answers = {}
    for texts in re.findall(pattern, section, re.S):
        role, system, word, lead, first, second = map(plain, texts)
        answers[system] = (role, word, lead, first, second)
    return answers


CHARACTERS = {r"\ddagger": "‡", r"\dagger": "†", r"\uparrow": "↑", r"\downarrow": "↓"}


def latex_rows(text: str) -> Iterator[list[str]]:
    """The cells of the table, without what only sets them off; marks and arrows as characters."""
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    for tex, character in CHARACTERS.items():
        body = body.replace(tex, character)
    for line in body.splitlines():
        metric = re.match(r"\\multirow\{\d+\}\{\*\}\{(.*)\}$", line)
        if metric:
            cells = [metric[1]]
        elif "&" in line:
            cells = line.removesuffix(r"\\").split("&")
        else:
            continue
        yield [re.sub(r"[${}^]|\\textbf", "", cell).strip() for cell in cells]
