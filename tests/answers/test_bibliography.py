"""Everything that a report says to cite has an entry that BibTeX can read."""

import re
from dataclasses import replace

import pytest

import mteval
from mteval.answers.bibliography import bibliography, papers_of
from mteval.answers.methods import SOURCES
from mteval.answers.people import SOURCES as SOURCES_ON_PEOPLE
from mteval.metrics import METRICS

REFERENCE = ["a cat sat down"] * 8
RUNS = {"old": [["a cat sat"] * 8], "new": [["a cat sat down"] * 8]}
ENTRY = re.compile(r"@(\w+)\{([\w-]+),\n((?:  \w+ = \{.+\},?\n)+)\}\n")


@pytest.mark.parametrize("source", sorted({spec.source for spec in METRICS.values()}))
def test_every_reference_of_a_metric_has_a_paper_per_year_that_it_names(source: str) -> None:
    papers = papers_of(source)
    assert [str(paper.year) for paper in papers] == re.findall(r"\b(?:19|20)\d\d\b", source)
    for paper in papers:
        assert paper.surname in source


@pytest.mark.parametrize("source", [*SOURCES, *SOURCES_ON_PEOPLE])
def test_every_reference_of_the_methods_has_one_paper_with_its_title(source: str) -> None:
    (paper,) = papers_of(source)
    assert paper.title.lower() in source.lower()
    assert source.startswith(paper.surname)


def test_a_metric_that_a_model_computed_has_an_entry_with_its_signature() -> None:
    results = mteval.compare(RUNS, REFERENCE, ["chrf"], n_shuffles=10).results
    test_set = results.test_set.name
    signature = "nrefs:1|judge:gpt_4|host:here"
    judged = replace(results.evaluation, signatures={test_set: {"chrf": signature}})
    assert "note = {nrefs:1|judge:gpt\\_4|host:here}" in bibliography(replace(results, evaluation=judged))
    assert "@misc" not in bibliography(results)


def test_a_report_s_bibliography_has_the_metrics_the_tests_and_mteval() -> None:
    text = bibliography(mteval.compare(RUNS, REFERENCE, ["chrf", "ter"], n_shuffles=10).results)
    entries = {key: kind for kind, key, _ in ENTRY.findall(text)}
    assert ENTRY.sub("", text).strip() == ""
    assert entries["mteval"] == "software"
    assert entries["popovic2015chrf"] == "inproceedings"
    assert entries["holm1979simple"] == "article"
    assert {"snover2006study", "clark2011better", "riezler2005some"} <= entries.keys()
    assert "papineni2002bleu" not in entries
