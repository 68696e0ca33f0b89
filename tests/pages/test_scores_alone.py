"""A table of scores without texts on the pages: all that asks for scores works, what is about texts steps aside."""

import re
from pathlib import Path

import numpy as np
import pytest

RNG = np.random.default_rng(5)
EASE = RNG.random(60)
SCORES = {name: (RNG.random((3, 60)) < EASE + more).astype(float) for name, more in (("old", 0.0), ("new", 0.15))}
LOGS = Path(__file__).parents[1] / "readers" / "formats" / "logs"


def table(name: str = "q") -> str:
    """The scores as a table, items called after a letter and their number."""
    rows = [
        f"{system}\t{run}\t{name}{item + 1}\t{value}"
        for system, runs in SCORES.items()
        for run, values in enumerate(runs)
        for item, value in enumerate(values)
    ]
    return "\n".join(["system\trun\tsegment\tscore", *rows]) + "\n"


@pytest.fixture
def scored(app):
    """The app with the table, its direction said, scored."""
    return app.open(baseline="old").drop({"accuracy.tsv": table()}).direct("accuracy", True).compute()


def test_nothing_is_made_of_scores_before_their_direction_is_known(app) -> None:
    app.drop({"accuracy.tsv": table()})
    assert app.experiment is None
    assert "are ignored until you choose" in app.text
    app.direct("accuracy", True)
    assert app.experiment is not None
    assert [len(system.runs) for system in app.experiment.test_sets[0].systems] == [3, 3]


def test_the_scores_are_the_metric_and_their_averages_those_of_the_table(scored) -> None:
    assert not scored.page.exception
    means = {(row.system, row.metric): row.mean for row in scored.evaluation.summaries}
    assert means == pytest.approx({(name, "accuracy"): runs.mean() for name, runs in SCORES.items()})
    assert "Convention" not in [one.label for one in scored.page.selectbox]
    assert scored.options == []


@pytest.mark.parametrize("page", ["scores", "significance", "replication", "segments", "report", "people", "annotate"])
def test_every_page_shows_itself_without_texts(scored, page: str) -> None:
    scored.go(page).settle()
    assert not scored.page.exception
    assert [one.value for one in scored.page.error] == []


def test_items_have_their_names_and_runs_their_scores(scored) -> None:
    scored.go("segments")
    (frame,) = [one.value for one in scored.page.dataframe]
    assert sorted(frame["item"]) == sorted(f"q{item + 1}" for item in range(60))
    opened = frame.iloc[0]["item"]
    place = int(opened[1:]) - 1
    assert f"Item {opened}" in " ".join(scored.text.split())
    (listed,) = [rows for rows in tables(scored) if rows[0][:2] == ["System", "Runs"]]
    shown = {(cells[0], cells[3]): float(cells[2]) for cells in listed[1:]}
    assert shown == {(name, str(run)): SCORES[name][run, place] for name in SCORES for run in range(3)}
    assert "Words of the reference: at least" not in [one.label for one in scored.page.number_input]


def tables(app) -> list[list[list[str]]]:
    """All tables of the page, as rows of cells."""
    found = re.findall("<table.*?</table>", app.html)
    rows = [[re.findall("<t[hd].*?</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", one)] for one in found]
    return [[[re.sub("<[^>]*>", "", cell) for cell in row] for row in one] for one in rows]


def test_texts_that_come_later_bring_the_usual_metrics_back(app) -> None:
    app.drop({"accuracy.tsv": table("")}).direct("accuracy", True).compute()
    lines = "".join(f"the cat sat on mat {item}\n" for item in range(60))
    texts = {f"{system}.opt{run}.txt": lines.replace("cat", system) for system in SCORES for run in range(3)}
    app.go("load").drop({"ref.txt": lines, **texts}).settle()
    assert not app.page.exception
    assert app.page.session_state["primary"] == "bleu"
    assert app.page.session_state["metrics"] == ["chrf", "ter", "length", "accuracy"]


@pytest.mark.parametrize(
    ("program", "metrics", "shown"),
    [
        ("inspect", ["match"], "Capital of France?"),
        ("promptfoo", ["promptfoo", "exact"], "PARIS"),
        ("wandb", ["accuracy"], "Lyon"),
        ("harness", ["acc"], "output of one system only"),
    ],
)
def test_logs_of_another_program_are_compared_by_their_scores(
    app, program: str, metrics: list[str], shown: str
) -> None:
    place = LOGS / program
    app.drop({str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*.*"))})
    for metric in metrics:
        app.direct(metric, True)
    app.compute()
    assert {row.metric for row in app.evaluation.summaries} == set(metrics)
    app.go("segments")
    assert not app.page.exception
    assert shown in app.text
