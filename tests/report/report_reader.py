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
    (table,) = re.findall(
        rf"<table class=\"mt-table mt-overview\"><caption>{SIZES[test_set]} segments of {test_set}\..*?</table>",
        page,
        re.S,
    )
    metric = ""
    for row in re.findall("<tr>(.*?)</tr>", table[table.index("</thead>") :], re.S):
        metric = plain(head[0]) if (head := re.findall("<th.*?</th>", row, re.S)) else metric
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
    kinds: dict[bool, list[Mapping[str, Any]]] = {True: [], False: []}
    for figure in figures_of(page):
        if not is_forest(figure) and "Difference in word" not in figure["layout"]["xaxis"]["title"]["text"]:
            kinds[figure["data"][0]["type"] == "bar"].append(figure)
    return kinds[False], kinds[True]


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
    found = (map(plain, texts) for texts in re.findall(pattern, section, re.S))
    return {system: (role, word, lead, first, second) for role, system, word, lead, first, second in found}


def latex_rows(text: str) -> Iterator[list[str]]:
    """The cells of the table, without what only sets them off; marks and arrows as characters."""
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    for line in body.splitlines():
        metric = re.match(r"\\multirow\{\d+\}\{\*\}\{(.*)\}$", line)
        if metric or "&" in line:
            cells = [metric[1]] if metric else line.removesuffix(r"\\").split("&")
            for tex, character in ((r"\ddagger", "‡"), (r"\dagger", "†"), (r"\uparrow", "↑"), (r"\downarrow", "↓")):
                cells = [cell.replace(tex, character) for cell in cells]
            yield [re.sub(r"[${}^]|\\textbf", "", cell).strip() for cell in cells]
