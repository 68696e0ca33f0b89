"""What people said, as numbers, against closed forms and enumeration."""

import dataclasses
from math import comb

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from mteval.analysis.people.files import campaign_of_mqm, campaign_on, mqm_text
from mteval.analysis.people.judgements import errors, human_metrics, judgements, random_stratum, score_matrix, values_of
from mteval.analysis.people.results import agreement_frame, correlation_frame, mean_frame, metric_pairs, preferences
from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import coverages
from mteval.analysis.work import Work
from mteval.annotations import Campaign, Mark, Output, Plan, Task
from mteval.annotations.typology import DEFAULT_TYPOLOGY
from mteval.base.errors import DataError, InputError
from mteval.metrics.imported import Imported
from mteval.readers.formats.judgement_tables import read_mqm
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

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


def test_ratings_are_standardised_by_annotator() -> None:
    """An annotator who uses a third of the scale and starts higher says the same."""
    ann = rated("ann", (0, 0, 10, 0), (1, 0, 40, 50), (0, 1, 100, 100))
    bob = rated("bob", (0, 0, 60, 10), (1, 0, 70, 20), (0, 1, 90, 30))
    judged = judgements(campaign("rating"), ann + bob)
    adequacy = judged[judged["aspect"] == "adequacy"].groupby("annotator")["value"].agg(list)
    np.testing.assert_allclose(adequacy["ann"], adequacy["bob"])
    np.testing.assert_allclose(adequacy["ann"], np.array([-40, -10, 50]) / np.std([10, 40, 100], ddof=1))
    matrix = score_matrix(campaign("rating"), judged, "fluency")
    assert matrix.shape == (2, 6)
    np.testing.assert_allclose(matrix[0, :2], [-1, 0])
    assert np.isnan(matrix[1, 1:]).all()


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
    one = campaign("errors")
    matrix = score_matrix(one, judgements(one, tasks), "mqm")
    np.testing.assert_allclose(matrix[0, :2], [-(5.1 + 25) / 2, 0])
    assert np.isnan(matrix[0, 2:]).all()
    assert errors(one, tasks)["weight"].tolist() == [5, 0.1, 25]


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
    found = preferences(judgements(campaign("preference"), tasks), 0.95)
    assert (found.first, found.second, found.equal) == (2, 6, 2)
    assert (found.units_first, found.units_second, found.share) == (1, 3, 0.75)
    as_extreme = sum(comb(4, wins) for wins in range(5) if comb(4, wins) <= comb(4, 3))
    assert found.p_value == pytest.approx(as_extreme / 2**4)
    z = 1.959963984540054
    middle, half = (0.75 + z**2 / 8) / (1 + z**2 / 4), z / (1 + z**2 / 4) * np.sqrt(0.75 * 0.25 / 4 + z**2 / 64)
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))


def test_the_sign_test_without_a_winner_has_p_one() -> None:
    found = preferences(judgements(campaign("preference"), [task("ann", 0, None, preference="equal")]), 0.95)
    assert (found.p_value, np.isnan(found.share)) == (1.0, True)


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
    one = campaign("errors")
    (row,) = agreement_frame(one, judgements(one, tasks)).to_dict("records")
    pooled = values.ravel()
    observed = np.mean((values[0] - values[1]) ** 2)
    expected = np.mean([(a - b) ** 2 for i, a in enumerate(pooled) for j, b in enumerate(pooled) if i != j])
    assert (row["n_annotators"], row["n_units"]) == (2, 5)
    assert row["alpha_raw"] == pytest.approx(1 - observed / expected)


def test_agreement_is_undefined_where_nothing_varies() -> None:
    one = campaign("preference")
    tasks = [task(name, segment, None, preference="first") for name in ("ann", "bob") for segment in range(3)]
    (row,) = agreement_frame(one, judgements(one, tasks)).to_dict("records")
    assert np.isnan(row["alpha_raw"])


def test_intervals_are_students_for_means_and_of_the_test_for_a_difference() -> None:
    one = campaign("errors")
    kinds = ["minor", "major", "minor", "critical", "minor", "major"]
    tasks = [marked("ann", segment, 0, ("Other", kind)) for segment, kind in enumerate(kinds)]
    tasks += [marked("ann", segment, 1) for segment in range(6)]
    by_segment = Settings(exchange_unit="segment")
    frame = mean_frame(one, judgements(one, tasks), (0, 1), by_segment, Work()).set_index("what")
    weights = np.array([1, 5, 1, 25, 1, 5])
    expected = ttest_1samp(-weights, 0).confidence_interval()
    assert (frame.loc["base", "mean"], frame.loc["base", "n_units"]) == (pytest.approx(-weights.mean()), 6)
    assert (frame.loc["base", "low"], frame.loc["base", "high"]) == pytest.approx((expected.low, expected.high))
    assert (frame.loc["new", "low"], frame.loc["new", "high"]) == (0, 0)
    # all six are better: 2 of 64 exchanges are as extreme, p = 0.03
    assert 0 < frame.loc["difference", "low"] < weights.mean() < frame.loc["difference", "high"]
    # of the documents a, b and c with 2, 3 and 1 segments there are too few for the test
    frame = mean_frame(one, judgements(one, tasks), (0, 1), Settings(), Work()).set_index("what")
    assert frame.loc["difference", "n_units"] == 3
    assert np.isnan(frame.loc["difference", ["low", "high"]].astype(float)).all()
    assert frame.loc["base", "low"] < -weights.mean() < frame.loc["base", "high"]


def test_votes_on_one_document_count_once() -> None:
    votes = ["second", "second", "second", "first", "second", "first"]
    tasks = [task("ann", segment, None, preference=vote) for segment, vote in enumerate(votes)]
    found = preferences(judgements(campaign("preference"), tasks), 0.95, DOCUMENTS)
    assert (found.first, found.second) == (2, 4)
    assert (found.units_first, found.units_second) == (1, 2)
    assert found.p_value == 1.0


def test_annotators_who_differ_in_severity_alone_agree_once_standardised() -> None:
    one = campaign("rating")
    ann = rated("ann", *((s, 0, value, value) for s, value in enumerate((10, 20, 30, 40))))
    bob = rated("bob", *((s, 0, value, value) for s, value in enumerate((70, 80, 90, 100))))
    frame = agreement_frame(one, judgements(one, ann + bob, standardise=False)).set_index("aspect")
    assert frame.loc["adequacy", "alpha_raw"] < 0
    assert frame.loc["adequacy", "alpha_standardised"] == pytest.approx(1)


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
    assert len(random_stratum(judgements(one, tasks))) == 6


def test_people_and_metrics_are_compared_segment_by_segment() -> None:
    """The metric counts errors, so it improves where people see fewer; segment 5 nobody read."""
    human = [0, 1, 5, 25, 1]
    kinds = {0: [], 1: [("Other", "minor")], 5: [("Other", "major")], 25: [("Other", "critical")]}
    tasks = [marked("ann", s, 0) for s in range(5)] + [marked("ann", s, 1, *kinds[h]) for s, h in enumerate(human)]
    counts = (2.0, 2.0, 4.0, 9.0, 3.0, 7.0)
    given = (GivenScores("test", "base", "3", (1.0,) * 6), GivenScores("test", "new", "1", counts))
    metric = Imported(GivenMetric("count", "Count", given, higher_is_better=False))
    scored = score_experiment(Experiment((TEST_SET,), "base"), [metric], Work())
    one = campaign("errors")
    pairs = metric_pairs(one, judgements(one, tasks), scored, (0, 1))
    (row,) = correlation_frame(pairs).to_dict("records")
    improvement = 1 - np.array(counts[:5])
    assert row["n_segments"] == 5
    assert row["human_difference"] == pytest.approx(-np.mean(human))
    assert row["metric_difference"] == pytest.approx(improvement.mean())
    assert row["pearson"] == pytest.approx(np.corrcoef(-np.array(human), improvement)[0, 1])
    assert row["kendall"] == pytest.approx(8 / 9)  # of 10 pairs 8 concordant, 1 tied on each side


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
    back = campaign_of_mqm(read(table), TEST_SET, "again")
    assert (back.n_rows, back.n_left_out) == (4, 0)
    found = {(t.annotator, t.segment, back.campaign.outputs[t.output or 0].system): t.marks for t in back.tasks}
    assert found["ann", 0, "base"] == tuple(dataclasses.replace(mark, comment="") for mark in marks)
    assert found["bob", 1, "new"] == ()
    assert found["ann", 4, "base"] == tasks[2].marks


def test_errors_of_an_imported_table_weigh_what_wmt_gives_them() -> None:
    """Errors of the source nothing, whatever their case and severity; punctuation a tenth."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    kinds = ("Source issue\tMajor", "fluency/punctuation\tMinor", "Accuracy/Creative Reinterpretation\tMinor")
    rows = [f"base\td\t1\t1\tr\ts\t<v>one</v> two three\t{kind}" for kind in kinds]
    back = campaign_of_mqm(read(head + "\n".join(rows) + "\n"), TEST_SET, "x")
    (judged,) = judgements(back.campaign, back.tasks)["value"]
    assert judged == pytest.approx(-0.1)


def test_rows_of_other_texts_are_skipped_and_counted() -> None:
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = [
        "base\td\t1\t1\tr\ts\t<v>one</v> two three\tStyle/Awkward\tMinor",
        "base\td\t1\t1\tr\ts\tanother text\tStyle/Awkward\tMinor",
        "base\td\t1\t99\tr\ts\tone two three\tStyle/Awkward\tMinor",
        "absent\td\t1\t1\tr\ts\tone two three\tStyle/Awkward\tMinor",
    ]
    back = campaign_of_mqm(read(head + "\n".join(rows) + "\n"), TEST_SET, "x")
    assert (back.n_rows, back.n_left_out) == (4, 3)
    assert back.tasks[0].marks == (Mark("hypothesis", 0, 3, "Style/Awkward", "minor"),)
    with pytest.raises(DataError, match=r"No row of 'x' .* test set 'test'"):
        campaign_of_mqm(read(head + rows[-1] + "\n"), TEST_SET, "x")


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
