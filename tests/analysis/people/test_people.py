"""What people said, as numbers, against closed forms and enumeration."""

import dataclasses
from itertools import permutations
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
    """A campaign on both runs in which people judge in some way."""
    return Campaign(
        uid="abcdef" + "0" * 26,
        name="reading",
        way=way,
        test_set="test",
        test_set_digest=TEST_SET.digest,
        outputs=tuple(Output(run.system, run.key, run.hypotheses) for run in RUNS),
        references=TEST_SET.references,
        source=SOURCE,
        documents=DOCUMENTS,
    )


def task(annotator: str, segment: int, output: int | None, stratum: str = "random", **judgement: object) -> Task:
    """A task that is done."""
    return Task(annotator, segment, segment, stratum, output, is_complete=True, **judgement)


def rated(annotator: str, *ratings: tuple[int, int, float, float]) -> list[Task]:
    """Tasks that are done, from segment, output, adequacy and fluency of each."""
    tasks = []
    for segment, output, adequacy, fluency in ratings:
        tasks.append(task(annotator, segment, output, adequacy=adequacy, fluency=fluency))
    return tasks


def frame_of(way: str, tasks: list[Task]):
    """The raw judgements of a campaign."""
    return judgement_frame(judgements_of_campaign(campaign(way), tasks))


def matrix_of(way: str, tasks: list[Task], scale: str) -> dict[str, dict[str, float]]:
    """The mean judgement of each system and segment that was judged."""
    matrix = Matrix.of(prepared(frame_of(way, tasks)), scale, Settings())
    means: dict[str, dict[str, float]] = {}
    for system, row in zip(matrix.systems, matrix.values, strict=True):
        by_segment = zip(matrix.segments, row, strict=True)
        means[system] = {segment: value for segment, value in by_segment if not np.isnan(value)}
    return means


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
    """A task that is done, with a mark on the first three characters for each category and severity."""
    return task(annotator, segment, output, marks=tuple(Mark("hypothesis", 0, 3, *mark) for mark in marks))


def agreement_on(way: str, tasks: list[Task], scale: str) -> dict[str, float]:
    """The agreement of all raters."""
    return rater_agreement_frame(frame_of(way, tasks), scale).to_dict("records")[0]


def test_mqm_is_minus_the_weights_averaged_over_annotators() -> None:
    """A major error weighs 5, a minor one of punctuation 0.1, and a non-translation 25; open tasks do not count."""
    of_ann = marked("ann", 0, 0, ("Accuracy/Mistranslation", "major"), ("Fluency/Punctuation", "minor"))
    of_bob = marked("bob", 0, 0, ("Non-translation!", "major"))
    flawless = marked("ann", 1, 0)
    still_open = dataclasses.replace(marked("bob", 1, 0, ("Other", "major")), is_complete=False)

    matrix = matrix_of("errors", [of_ann, of_bob, flawless, still_open], "mqm")

    assert matrix == {"base": {"1": pytest.approx(-(5.1 + 25) / 2), "2": 0}}
    assert [error.score for error in rated_errors(campaign("errors"), of_ann)] == [5, 0.1]
    assert [error.score for error in rated_errors(campaign("errors"), of_bob)] == [25]


def test_the_sign_test_counts_segments_won_by_votes() -> None:
    """Three segments are won and one is lost: p is the share of outcomes of four as rare as that, by enumeration."""
    votes_on = {
        0: ["second", "second", "second"],
        1: ["second", "first"],
        2: ["second", "equal"],
        3: ["first"],
        4: ["equal"],
        5: ["second"],
    }
    tasks = []
    for segment, votes in votes_on.items():
        for number, vote in enumerate(votes):
            tasks.append(task(f"annotator {number}", segment, None, preference=vote))
    n_as_rare = sum(comb(4, wins) for wins in range(5) if comb(4, wins) <= comb(4, 3))
    exact = binomtest(3, 4).proportion_ci(0.95, method="exact")

    election = voted(frame_of("preference", tasks), Settings(exchange_unit="segment"))

    assert (election.winner, election.other, election.votes) == ("new", "base", (6, 2, 2))
    assert (election.won, election.lost) == (3, 1)
    assert election.p_value == pytest.approx(n_as_rare / 2**4)
    assert (election.low, election.high) == pytest.approx((exact.low, exact.high))


def test_the_sign_test_without_a_winner_has_p_one() -> None:
    election = voted(frame_of("preference", [task("ann", 0, None, preference="equal")]), Settings())
    assert election.p_value == 1.0
    assert np.isnan(election.low)


def test_the_interval_of_wins_excludes_one_half_exactly_when_the_sign_test_is_significant() -> None:
    for n in range(1, 40):
        for won in range(n + 1):
            low, high = clopper_pearson(won, n, 0.95)
            assert (low > 0.5 or high < 0.5) == (sign_test(won, n - won) <= 0.05), (won, n)


def test_agreement_is_krippendorffs_alpha() -> None:
    """By its definition for interval data without gaps: 1 - observed over expected squared disagreement."""
    weights_of_ann = [0, 5, 1, 25, 0]
    weights_of_bob = [1, 5, 0, 25, 5]
    marks_of = {0: [], 1: [("Other", "minor")], 5: [("Other", "major")], 25: [("Other", "critical")]}
    tasks = [marked("ann", segment, 0, *marks_of[weight]) for segment, weight in enumerate(weights_of_ann)]
    tasks += [marked("bob", segment, 0, *marks_of[weight]) for segment, weight in enumerate(weights_of_bob)]
    tasks.append(marked("ann", 5, 0, ("Other", "critical")))  # by one annotator only: says nothing of agreement
    observed = np.mean((np.array(weights_of_ann) - np.array(weights_of_bob)) ** 2)
    pairs = permutations(weights_of_ann + weights_of_bob, 2)
    expected = np.mean([(first - second) ** 2 for first, second in pairs])

    agreement = agreement_on("errors", tasks, "mqm")

    assert agreement["n_raters"] == 2
    assert agreement["n_outputs"] == 5
    assert agreement["alpha_raw"] == pytest.approx(1 - observed / expected)


def test_agreement_is_undefined_where_nothing_varies() -> None:
    tasks = [task(name, segment, None, preference="first") for name in ("ann", "bob") for segment in range(3)]
    assert np.isnan(agreement_on("preference", tasks, "preference")["alpha_raw"])


def test_intervals_are_students_for_means_and_of_the_test_for_a_difference() -> None:
    """All six segments of new are better: 2 of 64 exchanges are as extreme, p = 0.03."""
    severities = ["minor", "major", "minor", "critical", "minor", "major"]
    tasks = [marked("ann", segment, 0, ("Other", severity)) for segment, severity in enumerate(severities)]
    tasks += [marked("ann", segment, 1) for segment in range(6)]
    judged = prepared(frame_of("errors", tasks))
    weights = np.array([1, 5, 1, 25, 1, 5])
    expected = ttest_1samp(-weights, 0).confidence_interval()

    by_segment = averages_frame(judged, "mqm", "base", BY_SEGMENT, Work()).set_index("system")
    base = by_segment.loc["base"]
    assert base["mean"] == pytest.approx(-weights.mean())
    assert base["n_units"] == 6
    assert (base["low"], base["high"]) == pytest.approx((expected.low, expected.high))
    new = by_segment.loc["new"]
    assert (new["low"], new["high"]) == (0, 0)
    assert 0 < new["from"] < weights.mean() < new["to"]
    assert new["p_value"] == pytest.approx(2 / 64, abs=0.006)

    # Of the documents a, b and c with 2, 3 and 1 segments there are too few for the test
    by_document = averages_frame(judged, "mqm", "base", Settings(), Work()).set_index("system")
    new = by_document.loc["new"]
    assert (new["n_units"], new["unit"]) == (3, "document")
    assert np.isnan(new[["from", "to"]].astype(float)).all()
    base = by_document.loc["base"]
    assert base["low"] < -weights.mean() < base["high"]


@pytest.mark.parametrize("shift", [0.2, 0.5, 0.9, 1.4])
def test_an_interval_of_a_difference_agrees_with_its_test(shift: float) -> None:
    """The outputs of base have errors of some kind, and those of new have the same or none."""
    generator = np.random.default_rng(int(10 * shift))
    minor = ("Other", "minor")
    major = ("Other", "major")
    kinds = [(minor,), (major,), (minor, major)]
    marks = [kinds[generator.integers(0, 3)] for _ in range(6)]
    is_better = [generator.random() < shift for _ in range(6)]
    tasks = [marked("ann", segment, 0, *marks[segment]) for segment in range(6)]
    for segment in range(6):
        if is_better[segment]:
            tasks.append(marked("ann", segment, 1))
        else:
            tasks.append(marked("ann", segment, 1, *marks[segment]))

    settings = Settings(exchange_unit="segment", confidence=0.9)
    frame = averages_frame(prepared(frame_of("errors", tasks)), "mqm", "base", settings, Work())
    (new,) = frame.query("system == 'new'").to_dict("records")

    if not np.isnan(new["from"]):
        assert (new["p_value"] <= 0.1) == (not new["from"] <= 0 <= new["to"])


def test_votes_on_one_document_count_once() -> None:
    votes = ["second", "second", "second", "first", "second", "first"]
    tasks = [task("ann", segment, None, preference=vote) for segment, vote in enumerate(votes)]
    election = voted(frame_of("preference", tasks), Settings())
    assert election.votes == (4, 2, 0)
    assert (election.won, election.lost, election.unit) == (2, 1, "document")
    assert election.p_value == 1.0


def test_annotators_who_differ_in_severity_alone_agree_once_standardised() -> None:
    ann = rated("ann", (0, 0, 10, 10), (1, 0, 20, 20), (2, 0, 30, 30), (3, 0, 40, 40))
    bob = rated("bob", (0, 0, 70, 70), (1, 0, 80, 80), (2, 0, 90, 90), (3, 0, 100, 100))
    agreement = agreement_on("rating", ann + bob, "adequacy")
    assert agreement["alpha_raw"] < 0
    assert agreement["alpha_standardised"] == pytest.approx(1)


def test_judgements_become_a_metric_on_the_same_texts() -> None:
    tasks = []
    for segment in range(3):
        tasks.append(marked("ann", segment, 0))
        tasks.append(marked("ann", segment, 1, ("Other", "minor")))
    critical = Mark("hypothesis", 0, 1, "Other", "critical")
    tasks.append(task("ann", 5, 0, "decline", marks=(critical,)))
    reading = campaign("errors")
    renamed = tuple(Run(f"my {run.system}", f"opt{run.key}", run.hypotheses) for run in RUNS)
    mine = TestSet("mine", TEST_SET.references, renamed)
    with_other_texts = TestSet("other", (("r",),) * 6, (Run("my base", "opt3", ("x",) * 6),))
    loaded = Experiment((with_other_texts, mine), "my base")

    (metric,) = human_metrics(reading, tasks, loaded)

    assert metric.name == "MQM (reading)"
    scored_of = {scored.test_set.name: scored for scored in score_experiment(loaded, [Imported(metric)], Work())}
    scored = scored_of["mine"]
    assert [scores.item() for scores in scored.run_scores.values()] == [0.0, -1.0]
    assert np.flatnonzero(scored.present("my base", "my new")).tolist() == [0, 1, 2]
    assert [row.n_judgements for row in coverages(scored_of.values())] == [3, 3]
    assert human_metrics(reading, tasks, Experiment((with_other_texts,), "my base")) == ()
    assert (judgements(reading, tasks)["stratum"] == "random").sum() == 6


def test_people_and_metrics_are_compared_segment_by_segment() -> None:
    """The metric counts errors, so it improves where people see fewer; segment 5 nobody read."""
    weights = np.array([0, 1, 5, 25, 1])
    marks_of = {0: [], 1: [("Other", "minor")], 5: [("Other", "major")], 25: [("Other", "critical")]}
    tasks = [marked("ann", segment, 0) for segment in range(5)]
    tasks += [marked("ann", segment, 1, *marks_of[weight]) for segment, weight in enumerate(weights)]
    counts = (2.0, 2.0, 4.0, 9.0, 3.0, 7.0)
    given = (GivenScores("test", "base", "3", (1.0,) * 6), GivenScores("test", "new", "1", counts))
    metric = Imported(GivenMetric("count", "Count", given, higher_is_better=False))
    scored = score_experiment(Experiment((TEST_SET,), "base"), [metric], Work())
    improvement = 1 - np.array(counts[:5])

    frame, points = beside_metrics(prepared(frame_of("errors", tasks)), "mqm", ("base", "new"), scored, BY_SEGMENT)

    (row,) = frame.to_dict("records")
    assert (row["n_segments"], row["n_units"], len(points)) == (5, 5, 5)
    assert row["human_difference"] == pytest.approx(-weights.mean())
    assert row["metric_difference"] == pytest.approx(improvement.mean())
    assert np.isnan([row["pearson"], row["low"], row["p_value"]]).all(), "five units are too few"
    correlation = np.corrcoef(points["human"], points["improvement"])[0, 1]
    assert correlation == pytest.approx(np.corrcoef(-weights, improvement)[0, 1])


def fisher_z(x: np.ndarray, y: np.ndarray) -> float:
    """Fisher's transformation of the correlation."""
    return float(np.arctanh(np.corrcoef(x, y)[0, 1]))


def test_a_correlation_has_the_jackknifes_interval_and_the_p_value_that_goes_with_it() -> None:
    """The jackknife over eight units of Fisher's z, written out, with Student's t of 7 degrees of freedom."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=24)
    y = x + 2 * generator.normal(size=24)
    units = np.repeat(np.arange(8), 3)
    z = fisher_z(x, y)
    z_without = np.array([fisher_z(x[units != unit], y[units != unit]) for unit in range(8)])
    error = np.sqrt(7 / 8 * np.sum((z_without - z_without.mean()) ** 2))
    reach = student.ppf(0.975, 7) * error

    r, low, high, p_value = correlation_over_units(x, y, units, 0.95)

    assert r == pytest.approx(np.tanh(z))
    assert p_value == pytest.approx(2 * student.sf(abs(z) / error, 7))
    assert low == pytest.approx(np.tanh(z - reach))
    assert high == pytest.approx(np.tanh(z + reach))
    assert np.isnan(correlation_over_units(x[:5], y[:5], np.arange(5), 0.95)).all()


def test_a_correlation_that_is_perfect_up_to_rounding_has_no_interval() -> None:
    x = np.random.default_rng(2).standard_normal(12)
    r, low, high, p_value = correlation_over_units(x, 3 * x + 0.1, np.arange(12), 0.95)
    assert r < 1, "by rounding"
    assert r == pytest.approx(1)
    assert np.isnan([low, high, p_value]).all()


def read(text: str) -> tuple:
    """The judgements of WMT's table."""
    return read_mqm(text, "x.tsv")


def test_a_campaign_survives_wmts_table() -> None:
    mistranslation = Mark("hypothesis", 4, 7, "Accuracy/Mistranslation", "major", "why\tnot")
    omission = Mark("source", 5, 9, "Accuracy/Omission", "minor")
    neutral = Mark("hypothesis", 0, 6, "x", "neutral")
    first = task("ann", 0, 0, marks=(mistranslation, omission))
    still_open = dataclasses.replace(first, annotator="cay", is_complete=False)
    tasks = [first, task("bob", 1, 1), task("ann", 4, 0, marks=(neutral,)), still_open]

    table = mqm_text(campaign("errors"), tasks)

    lines = [line.split("\t") for line in table.splitlines()]
    assert lines[1] == [
        "base",
        "a",
        "1",
        "1",
        "ann",
        "eins zwei 0",
        "one <v>two</v> three",
        "Accuracy/Mistranslation",
        "major",
        "why not",
    ]
    assert lines[2][5:9] == ["eins <v>zwei</v> 0", "one two three", "Accuracy/Omission", "minor"]
    assert lines[3] == ["new", "a", "2", "2", "bob", "eins zwei 1", "FOUR FIVE SIX", "No-error", "No-error", ""]

    judged_outputs, _ = read_judged_outputs(table, "again.mqm.tsv") or ([], [])
    spans_of = {}
    for judged in judged_outputs:
        spans = [(error.side, error.start, error.end, error.severity) for error in judged.errors]
        spans_of[judged.annotator, judged.segment, judged.system] = spans
    assert spans_of["ann", "1", "base"] == [("hypothesis", 4, 7, "major"), ("source", 5, 9, "minor")]
    assert spans_of["bob", "2", "new"] == []
    assert spans_of["ann", "5", "base"] == [("hypothesis", 0, 6, "neutral")]


def test_errors_of_an_imported_table_weigh_what_wmt_gives_them() -> None:
    """Errors of the source nothing, whatever their case and severity; punctuation a tenth."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    kinds = ("Source issue\tMajor", "fluency/punctuation\tMinor", "Accuracy/Creative Reinterpretation\tMinor")
    rows = [f"base\td\t1\t1\tr\ts\t<v>one</v> two three\t{kind}" for kind in kinds]
    table = head + "\n".join(rows) + "\n"
    ((judged,), _) = read_judged_outputs(table, "x.tsv") or ([], [])
    assert judged.value == pytest.approx(-0.1)


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
    ("vote", "values"), [("first", (1.0, 0.0)), ("second", (0.0, 1.0)), ("equal", (0.5, 0.5)), (None, ())]
)
def test_a_vote_is_shared_among_both_outputs(vote: str | None, values: tuple[float, ...]) -> None:
    shares = values_of(campaign("preference"), task("ann", 0, None, preference=vote))
    assert shares == [(output, "preference", value) for output, value in enumerate(values)]


def test_a_new_campaign_has_the_texts_and_names_of_its_runs() -> None:
    created = campaign_on(TEST_SET, "reading", "rating", RUNS, Plan(random=2), DEFAULT_TYPOLOGY)
    shown = [(output.system, output.run, output.hypotheses) for output in created.outputs]
    assert shown == [(run.system, run.key, run.hypotheses) for run in RUNS]
    assert (created.source, created.documents, created.references) == (SOURCE, DOCUMENTS, TEST_SET.references)
    assert (created.test_set, created.test_set_digest) == ("test", TEST_SET.digest)
