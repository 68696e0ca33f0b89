"""Marked errors: their words, who agrees, in how many runs they stand; how often each system makes each kind."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from mteval.analysis.people.judgements import (
    campaign_test_set,
    is_of_people,
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
    return Judgement(annotator, system, str(segment), MQM, -float(len(errors)), None, None, errors, text)


def frame(*judgements: Judgement, test_set: TestSet | None = TEST_SET) -> pd.DataFrame:
    return marked_frame(judgements, test_set, Work())


@pytest.mark.parametrize(
    ("other", "stands"),
    [
        ("the cat sat on a mat", True),
        ("well the cat sat on a mat", True),
        ("a dog sat on a mat", True),
        ("the cat is on a mat", False),
        ("on a mat there was a cat that once sat", False),  # elsewhere, among other words
    ],
)
def test_words_occur_in_another_text_if_aligned(other: str, stands: bool) -> None:
    assert stands_in(TEXTS[0], CAT.start, CAT.end, other) is stands


def test_a_part_of_a_word_does_not_match() -> None:
    assert not stands_in("he ran", 3, 6, "he frantically ate")


@pytest.mark.parametrize(
    ("other", "stands"),
    [
        ("well the cat sat on a mat", True),  # nothing between "cat" and "sat" there either
        ("the cat then sat on a mat", False),
        ("a dog sat on a mat", False),
    ],
)
def test_a_missing_word_is_missing_where_the_words_around_it_are_neighbours(other: str, stands: bool) -> None:
    assert TEXTS[0][7:8] == " "
    assert stands_in(TEXTS[0], 7, 8, other) is stands


def test_outputs_that_are_not_loaded_have_no_text_beside_those_that_are() -> None:
    gap = RatedError("accuracy/omission", "major", "hypothesis", 7, 8)
    found = frame(judged("ann", "A", gap, text=TEXTS[0]), judged("ann", "not loaded", CAT))
    assert found["output"].tolist() == [TEXTS[0], ""]
    shown = example(found, "not loaded", "1", TEST_SET, RUN)
    assert (shown.output, shown.said[0]) == ("", "characters 9 to 11: accuracy/mistranslation, major (ann)")
    assert "not loaded" in example_block(shown)
    opened = example(found, "A", "1", TEST_SET, RUN)
    assert opened.said[0].startswith("missing word: accuracy/omission")
    assert "cat<mark" in example_block(opened)
    assert "␣</mark>sat" in example_block(opened)
    assert errors_table(found, RUN).texts[0][2] == "missing word"
    assert frame(judged("ann", "A", CAT), test_set=None)["output"].tolist() == [""]


def test_errors_of_a_metric_are_judgements_of_median_runs() -> None:
    texts = (TEXTS, ("a cat", "it rained"), ("the cat", "rain"))
    runs = tuple(Run("A", str(run), one) for run, one in enumerate(texts))
    spans = ((ErrorSpan(3, 4, "major"),), ())
    scores = tuple(GivenScores("t", "A", run.key, (float(at), 1.0), spans=spans) for at, run in enumerate(runs))
    given = GivenMetric("xcomet", "xCOMET", scores)
    experiment = Experiment((TestSet("t", (("r",), ("r",)), runs),), "A", (given,))
    (scored,) = score_experiment(experiment, [Imported(given)], Work())
    first, second = judged_by_metric(scored)
    assert (first.annotator, first.system, first.run, first.segment, first.hypothesis) == (
        "xCOMET",
        "A",
        "1",
        "1",
        "a cat",
    )
    assert [(one.start, one.end, one.severity) for one in first.errors] == [(3, 4, "major")]
    assert (first.value, second.errors) == (-5, ())


def test_an_error_has_its_words_and_the_runs_that_have_them() -> None:
    (row,) = frame(judged("ann", "A", CAT, text=TEXTS[0])).to_dict("records")
    assert (row["run"], row["words"], row["n_same"], row["n_runs"]) == ("1", "sat", 2, 3)
    (row,) = frame(judged("ann", "B", CAT)).to_dict("records")
    assert (row["run"], row["words"], row["n_same"], row["n_runs"]) == ("1", "sat", 1, 1)


def test_the_judged_run_is_unknown_among_several() -> None:
    (row,) = frame(judged("ann", "A", CAT)).to_dict("records")
    assert (row["run"], row["words"], row["n_runs"]) == ("", "", 0)
    (row,) = frame(judged("ann", "A", CAT, text="another text than any")).to_dict("records")
    assert (row["run"], row["words"], row["n_runs"]) == ("", "tex", 0)


def test_errors_of_the_source_have_its_words() -> None:
    (row,) = frame(judged("ann", "B", RatedError("accuracy/omission", "major", "source", 3, 7))).to_dict("records")
    assert (row["words"], row["n_runs"]) == ("chat", 0)


def test_disputed_errors_come_first() -> None:
    found = frame(
        judged("ann", "B", CAT, MAT), judged("bob", "B", CAT), judged("cat", "B"), judged("ann", "A", MAT, segment=2)
    )
    assert list(found["disagreement"])[:3] == [1.0, 0.5, 0.5]
    assert np.isnan(found["disagreement"].iloc[3])
    assert found["words"].iloc[0] == "a"
    assert list(found["n_agree"])[1:3] == [1, 1]


def test_rates_are_errors_in_a_hundred_readings_with_intervals_over_documents() -> None:
    read = [
        Judgement("ann", "A", str(n), MQM, 0.0, f"d{n // 5}", None, (CAT,) * (n % 2) + (MAT,) * (n // 5 == 0))
        for n in range(20)
    ]
    found = profile_frame(read, "category", 0.95).set_index("kind")
    assert found.loc[CAT.category, "rate"] == PER * 10 / 20
    assert found.loc[MAT.category, "rate"] == PER * 5 / 20
    assert set(found["unit"]) == {"document"}
    assert set(found["n_units"]) == {4}
    # of four documents one has all of them: Student's t of rates 100, 0, 0, 0, which are not negative
    high = 25 + t.ppf(0.975, 3) * 25
    assert (found.loc[MAT.category, "low"], found.loc[MAT.category, "high"]) == (0.0, pytest.approx(high))
    assert found.index[0] == CAT.category


def test_intervals_over_segments_are_those_of_the_mean() -> None:
    generator = np.random.default_rng(3)
    read = [Judgement("ann", "A", str(n), MQM, 0.0, errors=(MAT,) * int(generator.poisson(0.4))) for n in range(300)]
    (row,) = profile_frame(read, "severity", 0.95).to_dict("records")
    counts = np.array([len(one.errors) for one in read])
    half = 1.96 * PER * counts.std(ddof=1) / np.sqrt(300)
    assert row["high"] - row["low"] == pytest.approx(2 * half, rel=0.01)


def test_without_texts_and_documents_errors_are_still_compared() -> None:
    found = frame(judged("ann", "A", CAT), judged("bob", "A", CAT), test_set=None)
    assert list(found["n_agree"]) == [1, 1]
    assert set(found["place"]) == {-1}


@pytest.mark.parametrize(
    ("name", "is_human"),
    [("he-en.mqm", True), ("da-sqm", True), ("ESA", True), ("Human ratings", True), ("COMET-refA", False),
     ("BLEU", False), ("madam", False), ("wmt22-comet-da", False), ("GEMBA-MQM", False)],
)  # fmt: skip
def test_scores_of_people_are_known_by_their_name(name: str, is_human: bool) -> None:
    assert is_of_people(GivenMetric("x", name, ())) is is_human


def test_scores_become_judgements_that_are_better_when_higher() -> None:
    given = GivenMetric("mqm", "mqm", (GivenScores("test", "A", "1", (2.0, None)),), higher_is_better=False)
    (one,) = judgements_of_scores(given, "test")
    assert (one.system, one.segment, one.scale, one.value) == ("A", "1", MQM, -2.0)
    assert judgements_of_scores(given, "dev") == ()


def test_a_campaign_becomes_judgements_of_its_outputs() -> None:
    outputs = (Output("A", "1", TEXTS), Output("B", "1", TEXTS))
    campaign = Campaign("u", "c", "errors", "test", "d", outputs, TEST_SET.references, documents=("x", "y"))
    mark = Mark("hypothesis", 8, 11, "Fluency/Grammar", "major")
    done = Task("ann", 0, 0, "random", 1, is_complete=True, marks=(mark,))
    (one,) = judgements_of_campaign(campaign, [done, Task("ann", 1, 1, "random", 0)])
    assert (one.system, one.segment, one.document, one.value, one.hypothesis) == ("B", "1", "x", -5.0, TEXTS[0])
    assert prepared(judgement_frame([one]))["value"].tolist() == [-5.0]
    (row,) = marked_frame([one], campaign_test_set(campaign), Work()).to_dict("records")
    assert (row["words"], row["weight"], row["n_runs"]) == ("sat", 5.0, 1)
