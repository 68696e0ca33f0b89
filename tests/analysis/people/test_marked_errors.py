"""Marked errors: their words, who agrees, in how many runs they stand; how often each system makes each kind."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from mteval.analysis.people.judgements import (
    campaign_test_set,
    judgement_frame,
    judgements_of_campaign,
    judgements_of_scores,
    prepared,
)
from mteval.analysis.people.marked_errors import PER, judged_by_metric, marked_frame, profile_frame, stands_in
from mteval.analysis.scoring import Work, score_experiment
from mteval.annotations import Campaign, Mark, Output, Task
from mteval.answers.errors import errors_table, example
from mteval.metrics.imported import Imported
from mteval.render.html import example_block
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import MQM, ErrorSpan, Judgement, RatedError
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.run_words import RUN
from mteval.values.settings import Settings

SETTINGS = Settings(n_bootstrap=400)
TEXTS = ("the cat sat on a mat", "it rained")
TEST_SET = TestSet(
    "test",
    (("the cat sat on the mat",), ("it was raining",)),
    (
        Run("A", "1", TEXTS),
        Run("A", "2", ("well the cat sat on a mat", "it rained")),
        Run("A", "3", ("the cat is on the mat", "it is raining")),
        Run("B", "1", TEXTS),
    ),
    source=("le chat", "il pleuvait"),
)
CAT = RatedError("accuracy/mistranslation", "major", "hypothesis", 8, 11)  # sat
MAT = RatedError("fluency/grammar", "minor", "hypothesis", 15, 16)  # a


def judged(annotator: str, system: str, *errors: RatedError, segment: int = 1, text: str | None = None) -> Judgement:
    """A judgement of an output, which may say what the text was."""
    return Judgement(annotator, system, str(segment), MQM, -float(len(errors)), None, None, errors, text)


def frame(*judgements: Judgement, test_set: TestSet | None = TEST_SET) -> pd.DataFrame:
    """The table of marked errors."""
    return marked_frame(judgements, test_set, Work())


def row_of(judgement: Judgement) -> dict[str, Any]:
    """The only error of a judgement, in the table."""
    (row,) = frame(judgement).to_dict("records")
    return row


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("the cat sat on a mat", True),
        ("well the cat sat on a mat", True),
        ("a dog sat on a mat", True),
        ("the cat is on a mat", False),
        ("on a mat there was a cat that once sat", False),  # elsewhere, among other words
    ],
)
def test_words_occur_in_another_text_if_aligned(text: str, stands: bool) -> None:
    assert stands_in(TEXTS[0], CAT.start, CAT.end, text) is stands


def test_a_part_of_a_word_does_not_match() -> None:
    assert not stands_in("he ran", 3, 6, "he frantically ate")


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("well the cat sat on a mat", True),  # nothing between "cat" and "sat" there either
        ("the cat then sat on a mat", False),
        ("a dog sat on a mat", False),
    ],
)
def test_a_missing_word_is_missing_where_the_words_around_it_are_neighbours(text: str, stands: bool) -> None:
    assert TEXTS[0][7:8] == " "
    assert stands_in(TEXTS[0], 7, 8, text) is stands


def test_outputs_that_are_not_loaded_have_no_text_beside_those_that_are() -> None:
    gap = RatedError("accuracy/omission", "major", "hypothesis", 7, 8)
    marked = frame(judged("ann", "A", gap, text=TEXTS[0]), judged("ann", "not loaded", CAT))
    assert marked["output"].tolist() == [TEXTS[0], ""]
    assert errors_table(marked, RUN).texts[0][2] == "missing word"

    not_loaded = example(marked, "not loaded", "1", TEST_SET, RUN)
    assert not_loaded.output == ""
    assert not_loaded.comments[0] == "characters 9 to 11: accuracy/mistranslation, major (ann)"
    assert "not loaded" in example_block(not_loaded)

    loaded = example(marked, "A", "1", TEST_SET, RUN)
    assert loaded.comments[0].startswith("missing word: accuracy/omission")
    assert "cat<mark" in example_block(loaded)
    assert "␣</mark>sat" in example_block(loaded)

    without_test_set = frame(judged("ann", "A", CAT), test_set=None)
    assert without_test_set["output"].tolist() == [""]


def test_errors_of_a_metric_are_judgements_of_median_runs() -> None:
    """The scores of the three runs are 0, 1 and 2 in the first segment, so the median run is the second."""
    texts = (TEXTS, ("a cat", "it rained"), ("the cat", "rain"))
    runs = tuple(Run("A", str(number), outputs) for number, outputs in enumerate(texts))
    spans = ((ErrorSpan(3, 4, "major"),), ())
    scores = tuple(GivenScores("t", "A", str(number), (float(number), 1.0), spans=spans) for number in range(3))
    given = GivenMetric("xcomet", "xCOMET", scores)
    experiment = Experiment((TestSet("t", (("r",), ("r",)), runs),), "A", (given,))
    (scored,) = score_experiment(experiment, [Imported(given)], Work())

    first, second = judged_by_metric(scored)

    assert (first.annotator, first.system, first.run) == ("xCOMET", "A", "1")
    assert (first.segment, first.hypothesis) == ("1", "a cat")
    assert [(error.start, error.end, error.severity) for error in first.errors] == [(3, 4, "major")]
    assert first.value == -5
    assert second.errors == ()


def test_an_error_has_its_words_and_the_runs_that_have_them() -> None:
    of_three_runs = row_of(judged("ann", "A", CAT, text=TEXTS[0]))
    assert (of_three_runs["run"], of_three_runs["words"]) == ("1", "sat")
    assert (of_three_runs["n_same"], of_three_runs["n_runs"]) == (2, 3)

    of_one_run = row_of(judged("ann", "B", CAT))
    assert (of_one_run["run"], of_one_run["words"]) == ("1", "sat")
    assert (of_one_run["n_same"], of_one_run["n_runs"]) == (1, 1)


def test_the_judged_run_is_unknown_among_several() -> None:
    without_text = row_of(judged("ann", "A", CAT))
    assert (without_text["run"], without_text["words"], without_text["n_runs"]) == ("", "", 0)

    of_no_run = row_of(judged("ann", "A", CAT, text="another text than any"))
    assert (of_no_run["run"], of_no_run["words"], of_no_run["n_runs"]) == ("", "tex", 0)


def test_errors_of_the_source_have_its_words() -> None:
    omission = RatedError("accuracy/omission", "major", "source", 3, 7)
    row = row_of(judged("ann", "B", omission))
    assert (row["words"], row["n_runs"]) == ("chat", 0)


def test_disputed_errors_come_first() -> None:
    """Of three raters of an output one marked the second error and two the first; the other output has one rater."""
    of_three = (judged("ann", "B", CAT, MAT), judged("bob", "B", CAT), judged("cat", "B"))
    of_one = judged("ann", "A", MAT, segment=2)

    marked = frame(*of_three, of_one)

    assert list(marked["disagreement"])[:3] == [1.0, 0.5, 0.5]
    assert np.isnan(marked["disagreement"].iloc[3])
    assert marked["words"].iloc[0] == "a"
    assert list(marked["n_agree"])[1:3] == [1, 1]


def test_rates_are_errors_in_a_hundred_readings_with_intervals_over_documents() -> None:
    """Every second segment has an error of one kind, and all segments of the first of four documents one of another.

    The interval of the latter is Student's of the rates 100, 0, 0 and 0, which are not negative.
    """
    readings = []
    for segment in range(20):
        document = segment // 5
        errors = ()
        if segment % 2:
            errors += (CAT,)
        if document == 0:
            errors += (MAT,)
        readings.append(Judgement("ann", "A", str(segment), MQM, 0.0, f"d{document}", None, errors))

    rates = profile_frame(readings, "category", 0.95).set_index("kind")

    assert rates.index[0] == CAT.category
    assert rates.loc[CAT.category, "rate"] == PER * 10 / 20
    assert rates.loc[MAT.category, "rate"] == PER * 5 / 20
    assert set(rates["unit"]) == {"document"}
    assert set(rates["n_units"]) == {4}
    assert rates.loc[MAT.category, "low"] == 0.0
    assert rates.loc[MAT.category, "high"] == pytest.approx(25 + t.ppf(0.975, 3) * 25)


def test_intervals_over_segments_are_those_of_the_mean() -> None:
    counts = np.random.default_rng(3).poisson(0.4, size=300)
    readings = []
    for segment, count in enumerate(counts):
        readings.append(Judgement("ann", "A", str(segment), MQM, 0.0, errors=(MAT,) * int(count)))
    half = 1.96 * PER * counts.std(ddof=1) / np.sqrt(300)

    (row,) = profile_frame(readings, "severity", 0.95).to_dict("records")

    assert row["high"] - row["low"] == pytest.approx(2 * half, rel=0.01)


def test_without_texts_and_documents_errors_are_still_compared() -> None:
    marked = frame(judged("ann", "A", CAT), judged("bob", "A", CAT), test_set=None)
    assert list(marked["n_agree"]) == [1, 1]
    assert set(marked["place"]) == {-1}


@pytest.mark.parametrize(
    ("name", "is_human"),
    [
        ("he-en.mqm", True),
        ("da-sqm", True),
        ("ESA", True),
        ("Human ratings", True),
        ("COMET-refA", False),
        ("BLEU", False),
        ("madam", False),
        ("wmt22-comet-da", False),
        ("GEMBA-MQM", False),
    ],
)
def test_scores_of_people_are_known_by_their_name(name: str, is_human: bool) -> None:
    assert GivenMetric("x", name, ()).is_of_people is is_human


def test_scores_become_judgements_that_are_better_when_higher() -> None:
    given = GivenMetric("mqm", "mqm", (GivenScores("test", "A", "1", (2.0, None)),), higher_is_better=False)
    (judgement,) = judgements_of_scores(given, "test")
    assert (judgement.system, judgement.segment, judgement.scale, judgement.value) == ("A", "1", MQM, -2.0)
    assert judgements_of_scores(given, "dev") == ()


def test_a_campaign_becomes_judgements_of_its_outputs() -> None:
    """Of tasks that are done alone."""
    outputs = (Output("A", "1", TEXTS), Output("B", "1", TEXTS))
    campaign = Campaign("u", "c", "errors", "test", "d", outputs, TEST_SET.references, documents=("x", "y"))
    mark = Mark("hypothesis", 8, 11, "Fluency/Grammar", "major")
    done = Task("ann", 0, 0, "random", 1, is_complete=True, marks=(mark,))
    still_open = Task("ann", 1, 1, "random", 0)

    (judgement,) = judgements_of_campaign(campaign, [done, still_open])

    assert (judgement.system, judgement.segment, judgement.document) == ("B", "1", "x")
    assert (judgement.value, judgement.hypothesis) == (-5.0, TEXTS[0])
    assert prepared(judgement_frame([judgement]))["value"].tolist() == [-5.0]
    (row,) = marked_frame([judgement], campaign_test_set(campaign), Work()).to_dict("records")
    assert (row["words"], row["weight"], row["n_runs"]) == ("sat", 5.0, 1)
