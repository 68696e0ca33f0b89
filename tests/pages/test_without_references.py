"""A test set without references: what cannot be had is said, and everything else works on all pages."""

import json
from pathlib import Path
from statistics import fmean

import pytest

PAGES = ("scores", "significance", "replication", "segments", "report", "annotate", "people")


def files_of(files, has_source=True):
    """Three runs of each system with their sources and no reference, and xCOMET's scores of them."""
    texts = files(base=3, new=3)
    source = texts.pop("refs.txt")
    scores = {
        name: [
            {"src": "s", "mt": line, "COMET": len(line) / 100 + (number + len(name)) % 7 / 50}
            for number, line in enumerate(text.splitlines())
        ]
        for name, text in texts.items()
    }
    return texts | ({"source.txt": source} if has_source else {}) | {"kiwi.json": json.dumps(scores)}


@pytest.fixture
def loaded(app, files):
    """The numbers of such a test set."""
    app.drop(files_of(files)).direct("COMET", True)
    return app.press("start").settle()


def test_it_is_said_where_the_files_are_dropped(app, files) -> None:
    app.drop(files_of(files))
    assert not app.page.exception
    assert "has no reference, so reference-based metrics are unavailable" in app.text
    assert app.cells("Runs per system") == [["test", "test", "40", "0", "3", "3"]]


def test_scores_that_need_no_reference_take_the_place_of_those_that_do(loaded) -> None:
    assert not loaded.page.exception
    assert loaded.evaluation.settings.metrics == ("comet-given", "length")
    assert "new vs base" in loaded.text


@pytest.mark.parametrize("page", PAGES)
def test_every_page_works(loaded, page: str) -> None:
    app = loaded.go(page)
    assert not app.page.exception
    assert "comet-given" in app.evaluation.metrics


def test_segments_are_parted_by_their_sources_and_no_words_are_right_or_wrong(loaded) -> None:
    app = loaded.go("segments")
    labels = {tab.label for tab in app.page.tabs}
    assert "Kinds of segments" in labels
    assert "Words" not in labels
    assert "No explanation for COMET (given) and Length." in app.text
    app.page.session_state["seg-view"] = "Kinds of segments"
    app.page.run()
    assert not app.page.exception
    assert "All runs of each system, 95% CI. p is adjusted for" in app.text


def test_a_metric_that_needs_references_says_so_beside_the_metrics(loaded) -> None:
    app = loaded
    app.choose("metrics", ["length", "bleu"])
    assert not app.page.exception
    assert "BLEU needs references, and test set 'test' has none" in app.text


def test_who_has_chosen_a_primary_metric_keeps_it_and_no_other_that_cannot_be_had(open_app, files) -> None:
    texts = files_of(files)
    app = open_app(primary="COMET").drop({name: text for name, text in texts.items() if name != "kiwi.json"})
    assert (app.page.selectbox(key="primary").value, app.page.multiselect(key="metrics").value) == ("comet", ["length"])
    assert "chrF needs references" not in app.text


def test_references_that_come_bring_the_usual_metrics_back(loaded, files) -> None:
    app = loaded
    app.go("load").drop({"refs.txt": files(base=1)["refs.txt"]})
    assert not app.page.exception
    assert app.page.selectbox(key="primary").value == "bleu"
    assert "comet-given" in app.page.multiselect(key="metrics").value


def test_what_metricx_writes_brings_all_that_it_scored_and_is_known_to_count_errors(app) -> None:
    written = Path(__file__).parents[1] / "readers" / "formats" / "programs" / "metricx24"
    rows = {file.name: [json.loads(line) for line in file.read_text().splitlines()] for file in written.glob("*.jsonl")}
    files = {
        name: "".join(json.dumps(row | {"reference": ""}) + "\n" for row in of_run) for name, of_run in rows.items()
    }
    app.drop(files)
    assert app.cells("Runs per system") == [["test", "test", "12", "0", "2", "2"]]
    assert "not used" not in app.text
    app.press("start").settle()
    assert app.evaluation.settings.primary_metric == "metricx"
    scores = app.evaluation.scores.query("metric == 'metricx'").set_index(["system", "run"])["score"]
    expected = {tuple(name.split(".")[:2]): fmean(row["prediction"] for row in of_run) for name, of_run in rows.items()}
    assert scores.to_dict() == pytest.approx({(system, run[3:]): mean for (system, run), mean in expected.items()})


def test_without_sources_as_well_given_scores_are_enough(app, files) -> None:
    app.drop(files_of(files, has_source=False)).direct("COMET", True).press("start").settle().go("segments")
    assert not app.page.exception
    assert app.evaluation.settings.metrics == ("comet-given",)
