"""One system without another: every page works to the end, and one message says what is missing."""

import json

import numpy as np
import pandas as pd
import pytest

from mteval.ui.segments.page import DISTRIBUTION_VIEW, KINDS_VIEW

TO_LOAD = "go-to-load"


@pytest.fixture
def segments(app):
    """The segments of one system with three runs."""
    return app.drop_systems(base=3).compute().go("segments")


def table(app) -> pd.DataFrame:
    """The table of segments."""
    assert not app.page.exception
    (found,) = [one for one in app.page.dataframe if "segment" in one.value]
    return found.value


def view(app, name: str):
    app.page.session_state["seg-view"] = name
    app.page.run()
    assert not app.page.exception
    return app


def bleu_of_segments(app) -> np.ndarray:
    """The mean of each segment's BLEU over the runs, from the scores of the evaluation's own statistics."""
    memory = app.page.session_state["statistics"]
    (scored,) = [kept for kept, _ in memory._kept._values.values() if kept.metric.key == "bleu"]
    return scored.scorer.segment_score(scored.statistics["base"]).mean(axis=0)


def test_the_worst_segment_comes_first_and_is_open(segments) -> None:
    shown = table(segments)
    means = bleu_of_segments(segments)
    assert shown["mean_score"].tolist() == pytest.approx(np.sort(means), abs=0.051)
    assert shown["segment"].iloc[0] == np.argmin(means) + 1
    assert segments.page.session_state["seg-open"] == shown["segment"].iloc[0]
    assert "1 of 40 in the table" in segments.text
    assert not {column for column in shown.columns if "difference" in column or column.startswith("baseline")}


def test_nothing_speaks_of_a_second_side(segments) -> None:
    assert "Underlined: on this side only" not in segments.text
    assert "Shaded: in a matched sequence of" in segments.text
    labels = {widget.label for widget in segments.page.selectbox}
    assert "The two outputs" not in labels
    assert "All runs say" not in labels
    tabs = {tab.label for tab in segments.page.tabs}
    assert {"Segments", DISTRIBUTION_VIEW, KINDS_VIEW} <= tabs
    assert "Words" not in tabs


def test_two_runs_of_it_are_compared_on_request(segments) -> None:
    segments.choose("seg-runs", "chosen")
    segments.choose("seg-right", "base · 1")
    assert "bleu.difference" in table(segments)


def test_a_bar_of_the_distribution_leaves_its_segments(segments) -> None:
    view(segments, DISTRIBUTION_VIEW)
    figure = segments.page.get("plotly_chart")[0]
    (bars,) = json.loads(figure.proto.spec)["data"]
    counts = [int(text.rpartition(": ")[2].split()[0]) for text, _, _ in bars["customdata"]]
    assert sum(counts) == 40
    place = int(np.argmax(counts))
    _, low, high = bars["customdata"][place]
    segments.page.session_state["seg-from"] = float(low)
    segments.page.session_state["seg-to"] = float(high)
    view(segments, "Segments")
    means = bleu_of_segments(segments)
    assert len(table(segments)) == np.sum((means >= float(low)) & (means <= float(high)))


def test_kinds_of_segments_have_the_corpus_score_of_their_segments(segments) -> None:
    view(segments, KINDS_VIEW)
    (kinds,) = [one.value for one in segments.page.dataframe if "size" in one.value]
    assert kinds["size"].sum() == 40
    assert {"mean", "run_sd"} <= set(kinds)


def test_one_run_has_no_choice_of_runs(app) -> None:
    app.drop_systems(base=1).compute().go("segments")
    assert "seg-runs" not in {widget.key for widget in app.page.selectbox}
    assert "mean_score" not in table(app)


@pytest.mark.arrival
@pytest.mark.parametrize("n_runs", [1, 3])
def test_scores_need_no_click_and_the_first_page_waits_for_a_second_system(app, n_runs: int) -> None:
    app.drop_systems(base=n_runs)
    assert not app.page.exception
    assert "One system: nothing is compared" in app.text
    assert "start" not in app.buttons
    app.press("show-scores").settle()
    assert "All metrics" in [title.value for title in app.page.subheader]
    assert app.text.count("only one system") == 1


def test_nothing_is_asked_or_said_that_only_comparisons_need(app) -> None:
    app.drop_systems(base=3).compute().go("scores")
    assert "Baseline" not in {widget.label for widget in app.page.selectbox}
    assert "Bold" not in app.text
    assert "Click a dot to see its segments." in app.text
    app.go("segments")
    assert "Which segments are worst?" in app.text
    app.go("report")
    (methods,) = [code.value for code in app.page.code if "Appendix" in code.value]
    assert methods.startswith("We evaluate base on 40 segments")
    assert "|runs:3|bs:" in methods, "a signature without a test"
    assert "Systems" not in {widget.label for widget in app.page.multiselect}


@pytest.mark.parametrize("page", ["scores", "significance", "replication"])
def test_what_lacks_a_second_system_says_so_once_with_the_way_to_add_it(app, page: str) -> None:
    app.drop_systems(base=3).compute().go(page)
    assert app.text.count("only one system") == 1
    app.press(TO_LOAD)
    assert "Load an experiment" in [title.value for title in app.page.title]


@pytest.mark.parametrize("page", ["scores", "significance", "replication", "segments", "report"])
def test_without_a_reference_one_message_says_so_on_every_page(app, files, page: str) -> None:
    app.drop({name: text for name, text in files(base=3).items() if "refs" not in name})
    assert app.text.count("No file is recognised as the reference") == 1
    assert "BLEU needs references" not in app.text
    app.go(page)
    assert app.text.count("No file is recognised as the reference") == 1
    assert "needs references" not in app.text
    assert app.buttons & {"start", TO_LOAD} == {TO_LOAD}
