"""What people said, as numbers, against closed forms and enumeration."""

import dataclasses
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from scipy.stats import t as student

from mteval.analysis.people.averages import Matrix, averages_frame, beside_metrics, voted
from mteval.analysis.people.files import campaign_on, mqm_text
from mteval.analysis.people.judgements import (
    human_metrics,
    judgement_frame,
    judgements,
    judgements_of_campaign,
    prepared,
    rated_errors,
    values_of,
)
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.summary import coverages
from mteval.annotations import Campaign, Mark, Output, Plan, Task
from mteval.annotations.typology import DEFAULT_TYPOLOGY
from mteval.base.errors import InputError
from mteval.metrics.imported import Imported
from mteval.readers.formats.judgement_tables import read_judged_outputs, read_mqm
from mteval.stats.agreement.correlations import correlation_over_units
from mteval.stats.proportions import clopper_pearson, sign_test
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

BY_SEGMENT = Settings(exchange_unit="segment")
TEXTS = ("one two three", "four\tfive six", "seven eight", "nine <v> ten", "eleven", "twelve")
RUNS = (Run("base", "3", TEXTS), Run("new", "1", tuple(text.upper() for text in TEXTS)))
SOURCE = tuple(f"eins zwei {place}" for place in range(6))
DOCUMENTS = ("a", "a", "b", "b", "b", "c")
TEST_SET = TestSet("test", tuple((text,) for text in TEXTS), RUNS, source=SOURCE, documents=DOCUMENTS)


def campaign(way: str) -> Campaign:
    return Campaign(
        uid="abcdef" + "0" * 26,
        name="reading",
        way=way,  # type: ignore[arg-type]
        test_set="test",
        test_set_digest=TEST_SET.digest,
        outputs=tuple(Output(run.system, run.key, run.hypotheses) for run in RUNS),
        references=TEST_SET.references,
        source=SOURCE,
        documents=DOCUMENTS,
    )


def task(annotator: str, segment: int, output: int | None, stratum: str = "random", **said: object) -> Task:
    return Task(annotator, segment, segment, stratum, output, is_complete=True, **said)  # type: ignore[arg-type]


def rated(annotator: str, *ratings: tuple[int, int, float, float]) -> list[Task]:
    return [task(annotator, s, output, adequacy=a, fluency=f) for s, output, a, f in ratings]


def frame_of(way: str, tasks: list[Task]):
    """The raw judgements of a campaign."""
    return judgement_frame(judgements_of_campaign(campaign(way), tasks))


def matrix_of(way: str, tasks: list[Task], scale: str) -> dict[str, dict[str, float]]:
    """The mean judgement of each system and segment that was judged."""
    matrix = Matrix.of(prepared(frame_of(way, tasks)), scale, Settings())
    return {
        system: {segment: value for segment, value in zip(matrix.segments, row, strict=True) if value == value}
        for system, row in zip(matrix.systems, matrix.values, strict=True)
    }


def test_ratings_are_standardised_by_annotator() -> None:
    """An annotator who uses a third of the scale and starts higher says the same."""
    ann = rated("ann", (0, 0, 10, 0), (1, 0, 40, 50), (0, 1, 100, 100))
    bob = rated("bob", (0, 0, 60, 10), (1, 0, 70, 20), (0, 1, 90, 30))
    judged = judgements(campaign("rating"), ann + bob)
    adequacy = judged[judged["aspect"] == "adequacy"].groupby("annotator")["value"].agg(list)
    np.testing.assert_allclose(adequacy["ann"], adequacy["bob"])
    np.testing.assert_allclose(adequacy["ann"], np.array([-40, -10, 50]) / np.std([10, 40, 100], ddof=1))
    matrix = matrix_of("rating", ann + bob, "fluency")
    assert matrix == {"base": {"1": pytest.approx(-1), "2": pytest.approx(0)}, "new": {"1": pytest.approx(1)}}


def test_an_annotator_without_spread_says_nothing() -> None:
    judged = judgements(campaign("rating"), rated("ann", (0, 0, 50, 10), (1, 0, 50, 20)))
    assert set(judged["aspect"]) == {"fluency"}


def marked(annotator: str, segment: int, output: int, *marks: tuple[str, str]) -> Task:
    return task(annotator, segment, output, marks=tuple(Mark("hypothesis", 0, 3, *mark) for mark in marks))


def test_mqm_is_minus_the_weights_averaged_over_annotators() -> None:
    tasks = [
        marked("ann", 0, 0, ("Accuracy/Mistranslation", "major"), ("Fluency/Punctuation", "minor")),
        marked("bob", 0, 0, ("Non-translation!", "major")),
        marked("ann", 1, 0),
        dataclasses.replace(marked("bob", 1, 0, ("Other", "major")), is_complete=False),
    ]
    assert matrix_of("errors", tasks, "mqm") == {"base": {"1": pytest.approx(-(5.1 + 25) / 2), "2": 0}}
    weights = [error.score for one in tasks[:2] for error in rated_errors(campaign("errors"), one)]
    assert weights == [5, 0.1, 25]


def test_the_sign_test_counts_segments_won_by_votes() -> None:
    votes = {
        0: ["second"] * 3,
        1: ["second", "first"],
        2: ["second", "equal"],
        3: ["first"],
        4: ["equal"],
        5: ["second"],
    }
    tasks = [
        task(f"annotator {number}", segment, None, preference=vote)
        for segment, of_segment in votes.items()
        for number, vote in enumerate(of_segment)
    ]
    found = voted(frame_of("preference", tasks), Settings(exchange_unit="segment"))
    assert (found.winner, found.other, found.votes) == ("new", "base", (6, 2, 2))
    assert (found.won, found.lost) == (3, 1)
    as_extreme = sum(comb(4, wins) for wins in range(5) if comb(4, wins) <= comb(4, 3))
    assert found.p_value == pytest.approx(as_extreme / 2**4)
    exact = binomtest(3, 4).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def test_the_sign_test_without_a_winner_has_p_one() -> None:
    found = voted(frame_of("preference", [task("ann", 0, None, preference="equal")]), Settings())
    assert (found.p_value, np.isnan(found.low)) == (1.0, True)


def test_the_interval_of_wins_excludes_one_half_exactly_when_the_sign_test_is_significant() -> None:
    for n in range(1, 40):
        for won in range(n + 1):
            low, high = clopper_pearson(won, n, 0.95)
            assert (low > 0.5 or high < 0.5) == (sign_test(won, n - won) <= 0.05), (won, n)


def test_agreement_is_krippendorffs_alpha() -> None:
    """By its definition for interval data without gaps: 1 - observed over expected squared disagreement."""
    values = np.array([[0, 5, 1, 25, 0], [1, 5, 0, 25, 5]], dtype=float)
    severities = {0.0: [], 1.0: [("Other", "minor")], 5.0: [("Other", "major")], 25.0: [("Other", "critical")]}
    tasks = [
        marked(name, segment, 0, *severities[value])
        for name, row in zip(("ann", "bob"), values, strict=True)
        for segment, value in enumerate(row)
    ]
    tasks.append(marked("ann", 5, 0, ("Other", "critical")))  # by one annotator only: says nothing of agreement
    row, *_ = rater_agreement_frame(frame_of("errors", tasks), "mqm").to_dict("records")
    pooled = values.ravel()
    observed = np.mean((values[0] - values[1]) ** 2)
    expected = np.mean([(a - b) ** 2 for i, a in enumerate(pooled) for j, b in enumerate(pooled) if i != j])
    assert (row["n_raters"], row["n_outputs"]) == (2, 5)
    assert row["alpha_raw"] == pytest.approx(1 - observed / expected)


def test_agreement_is_undefined_where_nothing_varies() -> None:
    tasks = [task(name, segment, None, preference="first") for name in ("ann", "bob") for segment in range(3)]
    row, *_ = rater_agreement_frame(frame_of("preference", tasks), "preference").to_dict("records")
    assert np.isnan(row["alpha_raw"])


def test_intervals_are_students_for_means_and_of_the_test_for_a_difference() -> None:
    kinds = ["minor", "major", "minor", "critical", "minor", "major"]
    tasks = [marked("ann", segment, 0, ("Other", kind)) for segment, kind in enumerate(kinds)]
    tasks += [marked("ann", segment, 1) for segment in range(6)]
    judged, by_segment = prepared(frame_of("errors", tasks)), Settings(exchange_unit="segment")
    frame = averages_frame(judged, "mqm", "base", by_segment, Work()).set_index("system")
    weights = np.array([1, 5, 1, 25, 1, 5])
    expected = ttest_1samp(-weights, 0).confidence_interval()
    assert (frame.loc["base", "mean"], frame.loc["base", "n_units"]) == (pytest.approx(-weights.mean()), 6)
    assert (frame.loc["base", "low"], frame.loc["base", "high"]) == pytest.approx((expected.low, expected.high))
    assert (frame.loc["new", "low"], frame.loc["new", "high"]) == (0, 0)
    # all six are better: 2 of 64 exchanges are as extreme, p = 0.03
    assert 0 < frame.loc["new", "from"] < weights.mean() < frame.loc["new", "to"]
    assert frame.loc["new", "p_value"] == pytest.approx(2 / 64, abs=0.006)
    # of the documents a, b and c with 2, 3 and 1 segments there are too few for the test
    frame = averages_frame(judged, "mqm", "base", Settings(), Work()).set_index("system")
    assert (frame.loc["new", "n_units"], frame.loc["new", "unit"]) == (3, "document")
    assert np.isnan(frame.loc["new", ["from", "to"]].astype(float)).all()
    assert frame.loc["base", "low"] < -weights.mean() < frame.loc["base", "high"]


@pytest.mark.parametrize("shift", [0.2, 0.5, 0.9, 1.4])
def test_an_interval_of_a_difference_agrees_with_its_test(shift: float) -> None:
    generator = np.random.default_rng(int(10 * shift))
    kinds = [("minor",), ("major",), ("minor", "major")]
    segments, said = range(6), [generator.integers(0, 3) for _ in range(6)]
    tasks = [marked("ann", n, 0, *(("Other", kind) for kind in kinds[said[n]])) for n in segments]
    better = [generator.random() < shift for _ in segments]
    tasks += [
        marked("ann", n, 1, *(() if better[n] else [("Other", kind) for kind in kinds[said[n]]])) for n in segments
    ]
    settings = Settings(exchange_unit="segment", confidence=0.9)
    (row,) = averages_frame(prepared(frame_of("errors", tasks)), "mqm", "base", settings, Work()).query(
        "system == 'new'"
    ).to_dict("records")  # fmt: skip
    if row["from"] == row["from"]:
        assert (row["p_value"] <= 0.1) == (not row["from"] <= 0 <= row["to"])


def test_votes_on_one_document_count_once() -> None:
    votes = ["second", "second", "second", "first", "second", "first"]
    tasks = [task("ann", segment, None, preference=vote) for segment, vote in enumerate(votes)]
    found = voted(frame_of("preference", tasks), Settings())
    assert found.votes == (4, 2, 0)
    assert (found.won, found.lost, found.unit) == (2, 1, "document")
    assert found.p_value == 1.0


def test_annotators_who_differ_in_severity_alone_agree_once_standardised() -> None:
    ann = rated("ann", *((s, 0, value, value) for s, value in enumerate((10, 20, 30, 40))))
    bob = rated("bob", *((s, 0, value, value) for s, value in enumerate((70, 80, 90, 100))))
    row, *_ = rater_agreement_frame(frame_of("rating", ann + bob), "adequacy").to_dict("records")
    assert row["alpha_raw"] < 0
    assert row["alpha_standardised"] == pytest.approx(1)


def test_judgements_become_a_metric_on_the_same_texts() -> None:
    tasks = [
        marked("ann", segment, output, *[("Other", "minor")] * output) for segment in range(3) for output in (0, 1)
    ]
    tasks.append(task("ann", 5, 0, "decline", marks=(Mark("hypothesis", 0, 1, "Other", "critical"),)))
    renamed = tuple(Run(f"my {run.system}", f"opt{run.key}", run.hypotheses) for run in RUNS)
    other = TestSet("other", (("r",),) * 6, (Run("my base", "opt3", ("x",) * 6),))
    experiment = Experiment((other, TestSet("mine", TEST_SET.references, renamed)), "my base")
    one = campaign("errors")
    (metric,) = human_metrics(one, tasks, experiment)
    assert metric.name == "MQM (reading)"
    scored = {scored.test_set.name: scored for scored in score_experiment(experiment, [Imported(metric)], Work())}
    assert [scores.item() for scores in scored["mine"].run_scores.values()] == [0.0, -1.0]
    assert np.flatnonzero(scored["mine"].present("my base", "my new")).tolist() == [0, 1, 2]
    assert [row.n_judgements for row in coverages(scored.values())] == [3, 3]
    assert human_metrics(one, tasks, Experiment((other,), "my base")) == ()
    assert (judgements(one, tasks)["stratum"] == "random").sum() == 6


def test_people_and_metrics_are_compared_segment_by_segment() -> None:
    """The metric counts errors, so it improves where people see fewer; segment 5 nobody read."""
    human = [0, 1, 5, 25, 1]
    kinds = {0: [], 1: [("Other", "minor")], 5: [("Other", "major")], 25: [("Other", "critical")]}
    tasks = [marked("ann", s, 0) for s in range(5)] + [marked("ann", s, 1, *kinds[h]) for s, h in enumerate(human)]
    counts = (2.0, 2.0, 4.0, 9.0, 3.0, 7.0)
    given = (GivenScores("test", "base", "3", (1.0,) * 6), GivenScores("test", "new", "1", counts))
    metric = Imported(GivenMetric("count", "Count", given, higher_is_better=False))
    scored = score_experiment(Experiment((TEST_SET,), "base"), [metric], Work())
    frame, points = beside_metrics(prepared(frame_of("errors", tasks)), "mqm", ("base", "new"), scored, BY_SEGMENT)
    (row,) = frame.to_dict("records")
    improvement = 1 - np.array(counts[:5])
    assert (row["n_segments"], row["n_units"], len(points)) == (5, 5, 5)
    assert row["human_difference"] == pytest.approx(-np.mean(human))
    assert row["metric_difference"] == pytest.approx(improvement.mean())
    assert np.isnan([row["pearson"], row["low"], row["p_value"]]).all()  # five units are too few
    assert np.corrcoef(points["human"], points["improvement"])[0, 1] == pytest.approx(
        np.corrcoef(-np.array(human), improvement)[0, 1]
    )


def test_a_correlation_has_the_jackknifes_interval_and_the_p_value_that_goes_with_it() -> None:
    generator = np.random.default_rng(5)
    x = generator.normal(size=24)
    y, units = x + 2 * generator.normal(size=24), np.repeat(np.arange(8), 3)
    r, low, high, p_value = correlation_over_units(x, y, units, 0.95)
    z = np.arctanh(np.corrcoef(x, y)[0, 1])
    without = [np.arctanh(np.corrcoef(x[units != unit], y[units != unit])[0, 1]) for unit in range(8)]
    error = np.sqrt(7 / 8 * np.sum((without - np.mean(without)) ** 2))
    assert r == pytest.approx(np.tanh(z))
    assert p_value == pytest.approx(2 * student.sf(abs(z) / error, 7))
    reach = student.ppf(0.975, 7) * error
    assert (low, high) == pytest.approx((np.tanh(z - reach), np.tanh(z + reach)))
    assert np.isnan(correlation_over_units(x[:5], y[:5], np.arange(5), 0.95)).all()


def test_a_correlation_that_is_perfect_up_to_rounding_has_no_interval() -> None:
    x = np.random.default_rng(2).standard_normal(12)
    r, *rest = correlation_over_units(x, 3 * x + 0.1, np.arange(12), 0.95)
    assert r < 1  # by rounding
    assert r == pytest.approx(1)
    assert np.isnan(rest).all()


def read(text: str) -> tuple:
    return read_mqm(text, "x.tsv")


def test_a_campaign_survives_wmts_table() -> None:
    one = campaign("errors")
    marks = (
        Mark("hypothesis", 4, 7, "Accuracy/Mistranslation", "major", "why\tnot"),
        Mark("source", 5, 9, "Accuracy/Omission", "minor"),
    )
    tasks = [
        task("ann", 0, 0, marks=marks),
        task("bob", 1, 1),
        task("ann", 4, 0, marks=(Mark("hypothesis", 0, 6, "x", "neutral"),)),
    ]
    table = mqm_text(one, [*tasks, dataclasses.replace(tasks[0], annotator="cay", is_complete=False)])
    lines = [line.split("\t") for line in table.splitlines()]
    assert lines[1] == [
        "base", "a", "1", "1", "ann", "eins zwei 0", "one <v>two</v> three", "Accuracy/Mistranslation", "major",
        "why not",
    ]  # fmt: skip
    assert lines[2][5:9] == ["eins <v>zwei</v> 0", "one two three", "Accuracy/Omission", "minor"]
    assert lines[3] == ["new", "a", "2", "2", "bob", "eins zwei 1", "FOUR FIVE SIX", "No-error", "No-error", ""]
    back, _ = read_judged_outputs(table, "again.mqm.tsv") or ([], [])
    found = {(one.annotator, one.segment, one.system): one.errors for one in back}
    spans = {
        place: [(error.side, error.start, error.end, error.severity) for error in of] for place, of in found.items()
    }
    assert spans["ann", "1", "base"] == [(mark.side, mark.start, mark.end, mark.severity) for mark in marks]
    assert spans["bob", "2", "new"] == []
    assert spans["ann", "5", "base"] == [("hypothesis", 0, 6, "neutral")]


def test_errors_of_an_imported_table_weigh_what_wmt_gives_them() -> None:
    """Errors of the source nothing, whatever their case and severity; punctuation a tenth."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    kinds = ("Source issue\tMajor", "fluency/punctuation\tMinor", "Accuracy/Creative Reinterpretation\tMinor")
    rows = [f"base\td\t1\t1\tr\ts\t<v>one</v> two three\t{kind}" for kind in kinds]
    ((one,), _) = read_judged_outputs(head + "\n".join(rows) + "\n", "x.tsv") or ([], [])
    assert one.value == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("system\tseg_id\n", "named rater"),
        ("system\tseg_id\trater\tsource\ttarget\tcategory\tseverity\na\tb\n", "2 cells"),
        ("system\tseg_id\trater\tsource\ttarget\tcategory\tseverity\na\t0\tr\ts\tt\tc\tm\n", "segment is '0'"),
    ],
)
def test_a_broken_table_is_an_error(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(text)


@pytest.mark.parametrize(
    ("said", "values"), [("first", (1.0, 0.0)), ("second", (0.0, 1.0)), ("equal", (0.5, 0.5)), (None, ())]
)
def test_a_vote_is_shared_among_both_outputs(said: str | None, values: tuple[float, ...]) -> None:
    found = values_of(campaign("preference"), task("ann", 0, None, preference=said))
    assert found == [(output, "preference", value) for output, value in enumerate(values)]


def test_a_new_campaign_has_the_texts_and_names_of_its_runs() -> None:
    one = campaign_on(TEST_SET, "reading", "rating", RUNS, Plan(random=2), DEFAULT_TYPOLOGY)
    assert [(output.system, output.run, output.hypotheses) for output in one.outputs] == [
        (run.system, run.key, run.hypotheses) for run in RUNS
    ]
    assert (one.source, one.documents, one.references) == (SOURCE, DOCUMENTS, TEST_SET.references)
    assert (one.test_set, one.test_set_digest) == ("test", TEST_SET.digest)
