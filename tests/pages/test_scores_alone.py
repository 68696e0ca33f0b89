"""A table of scores without texts on the pages: all that asks for scores works, what is about texts steps aside."""

import re
from pathlib import Path

import numpy as np
import pytest

N_RUNS = 3
N_ITEMS = 60
RNG = np.random.default_rng(5)
EASE = RNG.random(N_ITEMS)
# Of each system, runs x items: 1 where the answer is right, which is likelier for easy items and the new system.
SCORES = {
    "old": (RNG.random((N_RUNS, N_ITEMS)) < EASE).astype(float),
    "new": (RNG.random((N_RUNS, N_ITEMS)) < EASE + 0.15).astype(float),
}
LOGS = Path(__file__).parents[1] / "readers" / "formats" / "logs"


def table(letter: str = "q") -> str:
    """The scores as a table, items called after a letter and their number."""
    rows = ["system\trun\tsegment\tscore"]
    for system, scores in SCORES.items():
        for (run, item), score in np.ndenumerate(scores):
            rows.append(f"{system}\t{run}\t{letter}{item + 1}\t{score}")
    return "\n".join(rows) + "\n"


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
    mean_of = {(row.system, row.metric): row.mean for row in scored.evaluation.summaries}
    assert mean_of == pytest.approx({(system, "accuracy"): scores.mean() for system, scores in SCORES.items()})
    assert "Convention" not in [selectbox.label for selectbox in scored.page.selectbox]
    assert scored.options == []


@pytest.mark.parametrize("page", ["scores", "significance", "replication", "segments", "report", "people", "annotate"])
def test_every_page_shows_itself_without_texts(scored, page: str) -> None:
    scored.go(page).settle()
    assert not scored.page.exception
    assert [error.value for error in scored.page.error] == []


def test_items_have_their_names_and_runs_their_scores(scored) -> None:
    scored.go("segments")

    (dataframe,) = scored.page.dataframe
    items = dataframe.value["item"]
    assert sorted(items) == sorted(f"q{number}" for number in range(1, N_ITEMS + 1))

    opened = items.iloc[0]
    index = int(opened.removeprefix("q")) - 1
    assert f"Item {opened}" in " ".join(scored.text.split())
    expected = {}
    for system, scores in SCORES.items():
        for run in range(N_RUNS):
            expected[system, str(run)] = scores[run, index]
    assert scores_of_the_opened_item(scored) == expected
    assert "Words of the reference: at least" not in [field.label for field in scored.page.number_input]


def scores_of_the_opened_item(app) -> dict[tuple[str, str], float]:
    """The scores in the table of all outputs, by system and run."""
    (rows,) = [rows for rows in tables(app) if rows[0][:2] == ["System", "Runs"]]
    scores = {}
    for system, _, score, run, *_ in rows[1:]:
        scores[system, run] = float(score)
    return scores


def tables(app) -> list[list[list[str]]]:
    """All tables of the page, as rows of cells."""
    tables = []
    for table_html in re.findall("<table.*?</table>", app.html):
        rows = []
        for row_html in re.findall("<tr>(.*?)</tr>", table_html):
            cells = re.findall("<t[hd].*?</t[hd]>", row_html)
            rows.append([re.sub("<[^>]*>", "", cell) for cell in cells])
        tables.append(rows)
    return tables


def test_texts_that_come_later_bring_the_usual_metrics_back(app) -> None:
    app.drop({"accuracy.tsv": table("")}).direct("accuracy", True).compute()
    lines = "".join(f"the cat sat on mat {item}\n" for item in range(N_ITEMS))
    texts = {"ref.txt": lines}
    for system in SCORES:
        for run in range(N_RUNS):
            texts[f"{system}.opt{run}.txt"] = lines.replace("cat", system)

    app.go("load").drop(texts).settle()

    assert not app.page.exception
    assert app.page.session_state["primary"] == "bleu"
    assert app.page.session_state["metrics"] == ["chrf", "ter", "length", "accuracy"]


@pytest.mark.parametrize(
    ("program", "metrics", "shown"),
    [
        ("inspect", ["match"], "Capital of France?"),
        ("promptfoo", ["promptfoo", "exact"], "PARIS"),
        ("wandb", ["accuracy"], "Lyon"),
        ("harness", ["acc"], "in the table"),
    ],
)
def test_logs_of_another_program_are_compared_by_their_scores(
    app, program: str, metrics: list[str], shown: str
) -> None:
    folder = LOGS / program
    app.drop({str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.*"))})
    for metric in metrics:
        app.direct(metric, True)

    app.compute()
    assert {row.metric for row in app.evaluation.summaries} == set(metrics)

    app.go("segments")
    assert not app.page.exception
    texts = app.text
    for tab in ("All runs", "In context"):
        texts += app.closer_look(tab).text
    assert shown in texts
