"""What a difference means for people."""

import math

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.noticed import Curve, curve_of
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Work
from mteval.base.errors import DataError
from mteval.metrics import METRICS, resolve
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings


def metric(name: str, factor: float = 1.0) -> GivenMetric:
    """Imported scores between 0 and the factor."""
    values = tuple(factor * np.random.default_rng(2).random(20))
    return GivenMetric(name.lower(), name, (GivenScores("test", "A", "0", values),))


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("COMET-refA", Curve("comet22", 100.0)),
        ("wmt22-comet-da", Curve("comet22", 100.0)),
        ("wmt20-comet-da", Curve("comet20", 100.0)),
        ("CometKiwi-src", Curve("cometkiwi22", 100.0)),
        ("wmt23-cometkiwi-da-xxl", Curve("cometkiwixxl", 100.0)),
        ("XCOMET-XL", Curve("xcometxl", 100.0)),
        ("XCOMET-Ensemble-refA", None),
        ("XCOMET-XXL-refA", Curve("xcometxxl", 100.0)),
        ("wmt21-comet-mqm", None),
        ("Unbabel/XCOMET-XL", Curve("xcometxl", 100.0)),
        ("COMET-src", None),
        ("wmt20-comet-qe-da", None),
        ("cometoid22-wmt22", None),
        ("metricx-23-xxl", None),
        ("google/metricx-23-large-v2p0", Curve("metricx-23-large")),
        ("BLEURT-20-D12", None),
        ("MetricX-23-refA", Curve("metricx-23-large")),
        ("MetricX-23-QE", Curve("metricx-23-qe-large")),
        ("MetricX-24-hybrid", None),
        ("BLEURT-20-refA", Curve("bleurt20", 100.0)),
        ("BERTscore", Curve("bertscore", 100.0)),
        ("BLEU-refA", None),
    ],
)
def test_given_scores_are_read_by_the_curve_of_their_name(name: str, curve: Curve | None) -> None:
    assert curve_of(Imported(metric(name))) == curve


@pytest.mark.parametrize(
    ("name", "difference"),
    [
        ("COMET", 0.56),
        ("COMET-20", 2.10),
        ("CometKiwi", 0.53),
        ("CometKiwi-XXL", 1.24),
        ("XCOMET-XXL", 1.24),
        ("XCOMET-XL", 1.08),
        ("BLEURT-20", 1.07),
        ("BERTscore", 0.62),
        ("MetricX-23", 0.07),
        ("MetricX-23-QE", 0.10),
    ],
)
def test_the_published_table_says_80_percent_at_these_differences(name: str, difference: float) -> None:
    """Kocmi et al. (2024), their main table, the column of 80%; scores out of a hundred but for MetricX."""
    small = Imported(metric(name))
    curve = curve_of(small)
    assert curve is not None
    rounding = 0.005 / difference  # of the table's two decimals
    assert curve.share(difference / curve.factor) == pytest.approx(0.8, abs=0.002 + 0.25 * rounding)


def test_scores_out_of_a_hundred_are_not_rescaled() -> None:
    import mt_thresholds

    large = Imported(metric("COMET", 100.0))
    small = Imported(metric("COMET"))
    assert curve_of(small) == Curve("comet22", 100.0)
    assert curve_of(large) == Curve("comet22")
    expected = mt_thresholds.accuracy(0.5, "comet22") / 100
    assert Curve("comet22").share(0.5) == pytest.approx(expected)
    assert Curve("comet22", 100.0).share(-0.005) == pytest.approx(expected)


def test_a_share_is_that_of_the_package() -> None:
    bleu = Curve("bleu")
    assert bleu.share(1.0) == pytest.approx(0.63989, abs=1e-5)  # as its documentation says
    assert bleu.share(-1.0) == bleu.share(1.0)
    assert Curve("chrf").share(2.0) > Curve("chrf").share(1.0) > 0.5
    assert bleu.share(0.0) < 0.5


def test_the_expected_share_is_averaged_over_the_differences_that_data_leave_open() -> None:
    """Against random draws of true differences: people who agree with a reversed one disagree with the scores."""
    bleu = Curve("bleu")
    generator = np.random.default_rng(1)
    shares = []
    for true_difference in 0.5 + 0.6 * generator.standard_t(5, 4_000):
        share = max(0.5, bleu.share(true_difference))
        shares.append(share if true_difference > 0 else 1 - share)
    assert bleu.expected_share(-0.5, 0.6, 5) == pytest.approx(np.mean(shares), abs=0.01)
    assert bleu.expected_share(0.5, float("nan"), float("nan")) == bleu.share(0.5)
    assert bleu.expected_share(0.0, 0.6, 5) == pytest.approx(0.5, abs=0.01)
    assert bleu.expected_share(0.01, float("nan"), float("nan")) == 0.5  # where the curve is below one half


@pytest.mark.parametrize("share", [0.51, 0.6, 0.8, 0.88])
@pytest.mark.parametrize("curve", [Curve("bleu"), Curve("comet22", 100.0)])
def test_a_share_is_reached_at_its_difference(curve: Curve, share: float) -> None:
    assert curve.share(curve.difference(share)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.9, "in 90% of pairs: the curve of bleu ends at 88%"), (0.5, "no more than a coin flip"), (-1, "coin flip")],
)
def test_a_share_that_no_difference_reaches_is_refused(share: float, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Curve("bleu").difference(share)


def test_other_options_have_no_curve() -> None:
    assert curve_of(METRICS["bleu"].configure("sacrebleu", {})) == Curve("bleu")
    assert curve_of(METRICS["bleu"].configure("sacrebleu", {"lowercase": True})) is None
    assert curve_of(METRICS["bleu"].configure("multeval", {})) is None
    assert curve_of(METRICS["chrf++"].configure("sacrebleu", {})) is None
    assert curve_of(resolve(Settings(metrics=("ter",)))[0]) is None


def test_a_verdict_has_the_share_of_its_difference() -> None:
    references = tuple((f"line {number} has words like these .",) for number in range(12))
    outputs = {
        "base": tuple(f"line {number} has other words ." for number in range(12)),
        "copy": tuple(f"line {number} has other words ." for number in range(12)),
        "new": tuple(f"line {number} has words like {'these' if number % 3 else 'others'} ." for number in range(12)),
    }
    runs = tuple(Run(system, "0", lines) for system, lines in outputs.items())
    experiment = Experiment((TestSet("test", references, runs),), "base")
    settings = Settings(metrics=("bleu", "ter"), n_shuffles=99, n_bootstrap=20)
    verdict_of = {(row.metric, row.system): row for row in verdicts(evaluate(experiment, settings, Work()))}
    new = verdict_of["bleu", "new"]
    assert new.share_of_pairs == Curve("bleu").expected_share(new.difference, new.error, new.df)
    assert 0.5 < new.share_of_pairs < Curve("bleu").share(math.inf)
    assert math.isnan(verdict_of["bleu", "copy"].share_of_pairs)
    assert math.isnan(verdict_of["ter", "new"].share_of_pairs)
