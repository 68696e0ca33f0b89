"""What the first page explains before anything is loaded: what to drop, what is read, and what one gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from mteval.base.words import counted
from mteval.render.html import Markup, folded, tag
from mteval.ui.elements import show

ANSWER = Path(__file__).with_name("sample_answer.html")  # written by ``python -m tests.golden``

SCORES_FILE = "scores.tsv"
SCORES_HEAD = ("system", "run", "segment", "COMET")
SCORES_ROWS = (
    ("base", "0", "1", "0.81"),
    ("base", "1", "1", "0.78"),
    ("new", "0", "1", "0.84"),
    ("new", "1", "1", "0.86"),
)


@dataclass(frozen=True)
class Way:
    """A way to begin.

    Parameters
    ----------
    files
        Names of files as one would drop them; of scores, the rows of the only file.
    runs
        From system to the names of its runs, as mteval recognises them.
    advice
        One or two sentences below the drawing.
    """

    files: tuple[str, ...]
    runs: Mapping[str, tuple[str, ...]]
    advice: str


WAYS: Mapping[str, Way] = {
    "My runs": Way(
        ("reference.txt", "base.0.txt", "base.1.txt", "base.2.txt", "new.0.txt", "new.1.txt", "new.2.txt"),
        {"base": ("0", "1", "2"), "new": ("0", "1", "2")},
        "One segment per line. Folders work too, e.g. new/0.txt. You can correct what is recognised.",
    ),
    "One system only": Way(
        ("reference.txt", "new.0.txt", "new.1.txt"),
        {"new": ("0", "1")},
        "Shows its scores, its worst segments, and how much its runs differ. Add a second system at any time.",
    ),
    "Scores without texts": Way(
        (SCORES_FILE,),
        {"base": ("0", "1"), "new": ("0", "1")},
        "One row per system, run and segment. Logs of lm-eval, Inspect, promptfoo and W&B work too.",
    ),
}

# What is read, by kind, with the readers of ``uploads.FORMATS`` and ``uploads.LINE_FORMATS`` that read it
READ: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Texts": {
        "plain text": (),
        "SGML": ("sgml.read_sgml",),
        "WMT XML": ("wmt_xml.read_wmt_xml",),
        "TMX": ("tmx.read_tmx",),
        "XLIFF": ("xliff.read_xliff",),
        "CoNLL-U": ("conllu.read_conllu",),
        "fairseq output": ("tables.read_fairseq",),
        "WMT25 JSON lines": ("wmt_documents.read_wmt_documents",),
        "n-best lists": (),
    },
    "Tables": {"TSV, CSV, XLSX and JSON lines": ("score_tables.read_table", "wide_tables.read_wide_table")},
    "Scores": {
        "COMET and MetricX": ("comet.read_comet_json", "comet.read_comet_output"),
        "WMT score files": (),
        "logs of lm-eval, Inspect, promptfoo and W&B": ("evaluation_logs.read_log",),
    },
    "Judgements": {
        "MQM, ESA and ranking tables": ("judgement_tables.judged_document",),
        "WMT human evaluation": ("wmt_humeval.read_humeval_document",),
    },
    "Packed": {".zip, .tar, .gz, .bz2, .xz, .zst": ()},
}
READ_IN_ONE_LINE = "Reads text, tables, XML, JSON, score files and archives."


def explanation() -> None:
    """Show what to drop, by way to begin, what is read, and beside it what one gets."""
    with st.container(key="first-page"):
        left, right = st.columns([1, 1], gap="large")
        with left:
            for tab, way in zip(st.tabs(list(WAYS), key="ways-in"), WAYS.values(), strict=True):
                with tab:
                    show(drawing(way), tag("p", way.advice, class_="mt-quiet"))
            show(folded(READ_IN_ONE_LINE, formats()))
        with right:
            show(Markup(ANSWER.read_text(encoding="utf-8")))


def drawing(way: Way) -> Markup:
    """Return files, an arrow, and the systems × runs that are recognised in them; read out as one sentence."""
    n_runs = max(map(len, way.runs.values()))
    heads = [tag("th", "")]
    heads += [tag("th", f"run {run}") for run in next(iter(way.runs.values()))]
    rows = [tag("tr", *heads)]
    for system, runs in way.runs.items():
        rows.append(tag("tr", tag("th", system), *(tag("td", "●") for _ in runs)))
    recognised = f"{counted(len(way.runs), 'system')} × {counted(n_runs, 'run')}"
    caption = tag("p", recognised, class_="mt-recognised")
    return tag(
        "div",
        tag("div", *_files(way), class_="mt-files"),
        tag("div", "→", class_="mt-arrow"),
        tag("div", tag("table", *rows), caption),
        class_="mt-drawing",
        role="img",
        aria_label=f"{', '.join(way.files)}: {recognised}.",
    )


def _files(way: Way) -> list[Markup]:
    """Return the names of the files, or the rows of a file of scores."""
    if way.files != (SCORES_FILE,):
        return [tag("code", name) for name in way.files]
    rows = [tag("tr", *(tag("th", name) for name in SCORES_HEAD))]
    rows += [tag("tr", *(tag("td", value) for value in row)) for row in SCORES_ROWS]
    return [tag("code", SCORES_FILE), tag("table", *rows)]


def formats() -> Markup:
    """Return the kinds of files that are read, with their formats."""
    kinds = [tag("div", tag("dt", kind), tag("dd", ", ".join(names))) for kind, names in READ.items()]
    return tag("dl", *kinds, class_="mt-terms")
