"""Python does what the command line does: tests, several test sets, given scores, settings."""

import doctest
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mteval
from mteval.interface import inputs, results
from tests.conftest import ROOT

SAMPLE = ROOT / "sample_data"
RUNS = {name: sorted((SAMPLE / name).glob("test.opt0[0-2].txt")) for name in ("baseline", "reordering")}
REFERENCE = SAMPLE / "reference.test.txt"
FAST = mteval.Settings(n_shuffles=100, n_bootstrap=20)
LINES = REFERENCE.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def comparison() -> mteval.Comparison:
    """Two systems compared by BLEU, and by scores that are drawn at random."""
    rng = np.random.default_rng(1)
    mqm = {system: rng.random((3, len(LINES))) for system in RUNS}
    return mteval.compare(RUNS, REFERENCE, "BLEU,mqm", scores={"mqm": mqm}, lower_is_better=["mqm"], settings=FAST)


def test_a_single_test_is_that_of_the_verdict(comparison: mteval.Comparison) -> None:
    bleu, mqm = comparison.verdicts
    assert comparison.statistic == pytest.approx(bleu.difference)
    assert comparison.confidence_interval == pytest.approx((bleu.low, bleu.high))
    assert comparison.standard_error > 0
    assert comparison.df > 0
    assert comparison.test(metric="mqm").p_value == pytest.approx(mqm.p_run)
    assert mqm.improvement == -mqm.difference  # lower is better
    assert comparison.test(side="better").p_value == pytest.approx(bleu.p_run / 2)
    assert set(comparison.equal(0.5)["metric"]) == {"bleu", "mqm"}
    assert comparison.pairs()[["better", "worse"]].to_numpy().tolist() == [["reordering", "baseline"]]
    with pytest.raises(mteval.MtevalError, match="was not computed"):
        comparison.pairs(metric="ter")


def test_a_pickled_comparison_has_the_same_numbers(comparison: mteval.Comparison) -> None:
    again = pickle.loads(pickle.dumps(comparison))
    assert str(again) == str(comparison)
    assert again.comparisons.equals(comparison.comparisons)


def test_settings_and_keywords_go_together_in_every_function() -> None:
    settings = mteval.compare(RUNS, REFERENCE, settings=FAST, metrics=["TER"], seed=7).settings
    assert (settings.metrics, settings.seed, settings.n_shuffles) == (("ter",), 7, 100)
    scores = {"A": [[0.1, 0.4, 0.2]], "B": [[0.2, 0.5, 0.4]]}
    assert mteval.compare_scores(scores, n_shuffles=50, settings=FAST, confidence=0.9).settings.n_shuffles == 50


def test_claims_cover_several_test_sets_without_the_tuning_set() -> None:
    inputs_again: inputs.TestSetInputs = {"systems": RUNS, "references": REFERENCE}
    further: dict[str, inputs.TestSetInputs] = {"news": inputs_again, "tuning": {**inputs_again, "role": "dev"}}
    comparison = mteval.compare(RUNS, REFERENCE, "length", test_sets=further, settings=FAST)
    assert comparison.test_sets == ("test", "news", "tuning")
    assert comparison.on("news").summary["mean"].equals(comparison.summary["mean"])
    claims = mteval.claim(comparison)
    assert claims["n_test_sets"].tolist() == [2, 2, 2]
    # The mean of two equal differences
    assert claims["difference"].iloc[0] == pytest.approx(comparison.statistic)


def test_every_test_set_has_its_own_scores() -> None:
    rng = np.random.default_rng(1)
    mqm = {}
    for test_set in ("test", "news"):
        mqm[test_set] = {system: rng.random((3, len(LINES))) for system in RUNS}
    news: inputs.TestSetInputs = {"systems": RUNS, "references": REFERENCE, "scores": {"mqm": mqm["news"]}}
    comparison = mteval.compare(
        RUNS,
        REFERENCE,
        "mqm",
        scores={"mqm": mqm["test"]},
        test_sets={"news": news},
        lower_is_better=["mqm"],
        settings=FAST,
    )
    expected = {}
    for test_set in mqm:
        for system in RUNS:
            expected[test_set, system] = mqm[test_set][system].mean()
    means = comparison.summary.set_index(["test_set", "system"])["mean"]
    assert means.to_dict() == pytest.approx(expected)


def test_samples_of_a_run_are_averaged() -> None:
    sampled = {}
    for system, (first, second, third) in RUNS.items():
        sampled[system] = [first, first, second, second, third, third]
    of_samples = mteval.compare(sampled, REFERENCE, "length", samples=2, settings=FAST).summary
    of_runs = mteval.compare(RUNS, REFERENCE, "length", settings=FAST).summary
    assert of_samples["n_runs"].tolist() == [3, 3]
    assert of_runs["mean"].equals(of_samples["mean"])


def test_references_are_paths_in_every_shape() -> None:
    shapes: tuple[object, ...] = (REFERENCE, str(REFERENCE), [REFERENCE], [str(REFERENCE)], (str(REFERENCE),), LINES)
    frames = [mteval.score(RUNS, references, "bleu") for references in shapes]
    assert all(frame.equals(frames[0]) for frame in frames)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: mteval.score({"A": [["x"], ["y"], ["z"]]}, ["x", "y", "z"]), "System 'A'.* looks transposed"),
        (lambda: mteval.score({"A": [["x", "y", "z"]]}, [["x"], ["y"], ["z"]]), "References .* looks transposed"),
        (lambda: mteval.compare_scores({"A": np.zeros((100, 3))}), "look transposed"),
        (lambda: mteval.compare_scores({"A": [[1e308, 1.0]], "B": [[1.0, 2.0]]}), "segment 1 is 1e\\+308"),
        (lambda: mteval.score({"A": ["a text"]}, ["a text"]), "A run is a list of strings or a path"),
    ],
)
def test_wrong_shapes_and_sizes_are_refused(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(mteval.MtevalError, match=message):
        ask()


def test_lists_of_hypotheses_are_scored(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0 ||| a b ||| f=1 ||| -1\n0 ||| a b c ||| f=1 ||| -2\n", encoding="utf-8")
    oracles = mteval.nbest(tmp_path / "list", ["a b c"], "wer").oracles.set_index("choice")["score"]
    assert oracles["oracle"] == 0
    assert oracles["topbest"] > 0


def test_the_page_of_the_interface_names_all_of_it_and_its_example_runs() -> None:
    page = ROOT / "docs" / "api.md"
    words = set(re.findall(r"\w+", page.read_text(encoding="utf-8")))
    internal = {"results", "loaded", "scored", "scored_on_all"}
    public = {name for name in dir(results.Comparison) if not name.startswith("_")} - internal
    assert public | set(mteval.__all__) <= words
    assert doctest.testfile(str(page), module_relative=False).failed == 0
