"""A score that may be too good has one mark in all tables that show it, with the reason beside them."""

import csv
import io
import itertools
import json
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.findings import MARK_OF_DOUBT
from mteval.answers.grid import grid_section
from mteval.answers.ranking import all_verdicts_section, ranked_section, verdict_section
from mteval.answers.scores import crossed_scores, scores_caption, scores_of
from mteval.answers.section import Table
from mteval.report.leaderboard import leaderboard
from mteval.report.multeval import lines_below
from mteval.report.paper_table import ALL_LAYOUTS, LatexChoice, Layout, latex, latex_document
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.latex import set_by_latex

NAMES = ("base", "new", "other", "last")
TEST_SETS = ("cs-en", "de-en")
WORDS = ("the", "cat", "dog", "house", "tree", "river", "sat", "on", "red", "walks", "to", "with")
REASON = "new is declared as trained or decoded towards chrF"


@pytest.fixture(scope="module", params=[("chrf", "bleu"), ("bleu", "chrf")])
def results(request: pytest.FixtureRequest) -> Results:
    """Four systems on two test sets, one of which was decoded towards a metric, once the primary one."""
    random = np.random.default_rng(3)
    test_sets = []
    for test_set in TEST_SETS:
        references = [[str(word) for word in random.choice(WORDS, 8)] for _ in range(30)]
        runs = []
        for system, run in itertools.product(NAMES, "12"):
            outputs = []
            for words in references:
                kept = [word if random.random() < 0.7 else str(random.choice(WORDS)) for word in words]
                outputs.append(" ".join(kept))
            runs.append(Run(system, run, tuple(outputs)))
        test_sets.append(TestSet(test_set, tuple((" ".join(words),) for words in references), tuple(runs)))
    experiment = Experiment(tuple(test_sets), NAMES[0])
    settings = Settings(metrics=request.param, n_shuffles=99, n_bootstrap=20, optimized=("new=chrf",))
    return Results(experiment, evaluate(experiment, settings, Work()), reported_test_set(experiment))


def marked_in(table: Table | None) -> set[tuple[str, str]]:
    """The first cell of each row with a mark, and the column that has it."""
    assert table is not None
    marked = set()
    for first, *cells in table.cells:
        for column, cell in zip(table.columns[1:], cells, strict=True):
            if MARK_OF_DOUBT in cell.mark:
                marked.add((first.text, column.name))
    return marked


def test_only_scores_by_that_metric_are_marked_in_tables_of_pages(results: Results) -> None:
    grid = grid_section(results, "chrf")
    assert grid is not None
    assert marked_in(grid.table) == {("new", "cs-en"), ("new", "de-en"), ("new", "Average")}
    assert any(note.text.startswith(f"{MARK_OF_DOUBT} {REASON}") for note in grid.notes)
    other_grid = grid_section(results, "bleu")
    assert other_grid is not None
    assert marked_in(other_grid.table) == set()

    scores = scores_of(results)
    assert [row[1].text for row in scores.cells if any(MARK_OF_DOUBT in cell.mark for cell in row)] == ["new"]
    assert f"{MARK_OF_DOUBT} may be too good" in scores.caption
    crossed = crossed_scores(results, "average", "bleu")
    assert marked_in(crossed) == {("new", "chrF\N{NO-BREAK SPACE}↑")}
    verdicts = all_verdicts_section(results.verdicts()).table
    assert marked_in(verdicts) == {("new", "chrF\N{NO-BREAK SPACE}↑")}
    assert verdicts is not None
    assert f"{MARK_OF_DOUBT} may be too good" in verdicts.caption


def test_the_leaderboard_has_the_mark_in_tables_and_the_reason_in_data(results: Results) -> None:
    forms: tuple[Literal["md", "html"], ...] = ("md", "html")
    for form in forms:
        text = leaderboard(results, form)
        n_marks_of_average = 3 if results.settings.primary_metric == "chrf" else 0
        n_reasons = text.count(f"{MARK_OF_DOUBT} {REASON}")
        assert n_reasons >= 1
        assert text.count(MARK_OF_DOUBT) == len(TEST_SETS) + n_marks_of_average + n_reasons
    notes_in_csv = {row["system"]: row["note"] for row in csv.DictReader(io.StringIO(leaderboard(results, "csv")))}
    rows = json.loads(leaderboard(results, "json"))["leaderboard"]
    assert {row["test_set"] for row in rows} == {*TEST_SETS, "(average)"}
    for row in rows:
        assert row["note"].startswith(REASON) == (row["system"] == "new")
        assert notes_in_csv[row["system"]] == row["note"]


@pytest.mark.parametrize("layout", ALL_LAYOUTS)
def test_papers_have_the_mark_and_its_reason(results: Results, layout: Layout, tmp_path: Path) -> None:
    table = latex(results, LatexChoice(layout, metrics=("chrf",)))
    rows, caption = table.split(r"\caption")
    has_marks = layout != "multeval"
    assert ((r"$^{\S}$" in rows), ("new was trained or decoded towards chrF" in caption)) == (has_marks, has_marks)
    assert r"\S" not in latex(results, LatexChoice(layout, metrics=("bleu",)))
    set_by_latex(latex_document(table, layout), tmp_path)


@pytest.mark.parametrize("primary", ["bleu", "mqm"])
def test_text_says_once_and_pages_say_whose_lines_are_in_the_references_also_if_people_decide(primary: str) -> None:
    random = np.random.default_rng(5)
    references = [" ".join(random.choice(WORDS, 8)) for _ in range(100)]
    runs = []
    scores = []
    for place, system in enumerate(NAMES):
        outputs = [f"{line} more" for line in references]
        if system == "new":
            outputs[:50] = references[:50]
        runs.append(Run(system, "1", tuple(outputs)))
        scores.append(GivenScores("test", system, "1", tuple(random.normal(place, size=100).tolist())))
    test_set = TestSet("test", tuple((line,) for line in references), tuple(runs))
    experiment = Experiment((test_set,), NAMES[0], (GivenMetric("mqm", "MQM", tuple(scores)),))
    other = "mqm" if primary == "bleu" else "bleu"
    settings = Settings(metrics=(primary, other), n_shuffles=99, n_bootstrap=20)
    results = Results(experiment, evaluate(experiment, settings, Work()), test_set)

    ranked = ranked_section(results)
    assert ranked is not None
    lines = [note.text for note in ranked.parts[0].notes] + lines_below(results)
    assert sum("of 'new' on 'test' equal a reference" in line for line in lines) == 1
    notes = [note.text for part in verdict_section(results, primary).all for note in part.notes]
    assert any("of 'new' on 'test' equal a reference" in note for note in notes)
    caption = scores_caption(results)
    if primary == "mqm":  # on a page, the warning is folded with each system
        assert "§ may be too good (lines of new may be in the references)." in caption
    else:
        assert "§ may be too good: see the warnings." in caption
