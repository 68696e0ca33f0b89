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
def found() -> mteval.Comparison:
    rng = np.random.default_rng(1)
    mqm = {system: rng.random((3, len(LINES))) for system in RUNS}
    return mteval.compare(RUNS, REFERENCE, "BLEU,mqm", scores={"mqm": mqm}, lower_is_better=["mqm"], settings=FAST)


def test_a_single_test_is_that_of_the_verdict(found: mteval.Comparison) -> None:
    bleu, mqm = found.verdicts
    assert found.statistic == pytest.approx(bleu.difference)
    assert found.confidence_interval == pytest.approx((bleu.low, bleu.high))
    assert found.standard_error > 0 < found.df
    assert found.test(metric="mqm").p_value == pytest.approx(mqm.p_both)
    assert mqm.improvement == -mqm.difference  # lower is better
    assert found.test(side="better").p_value == pytest.approx(bleu.p_both / 2)
    assert set(found.equal(0.5)["metric"]) == {"bleu", "mqm"}
    assert found.pairs()[["better", "worse"]].to_numpy().tolist() == [["reordering", "baseline"]]
    with pytest.raises(mteval.MtevalError, match="was not computed"):
        found.pairs(metric="ter")


def test_a_pickled_comparison_has_the_same_numbers(found: mteval.Comparison) -> None:
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    assert again.comparisons.equals(found.comparisons)


def test_settings_and_keywords_go_together_in_every_function() -> None:
    both = mteval.compare(RUNS, REFERENCE, settings=FAST, metrics=["TER"], seed=7).settings
    assert (both.metrics, both.seed, both.n_shuffles) == (("ter",), 7, 100)
    scores = {"A": [[0.1, 0.4, 0.2]], "B": [[0.2, 0.5, 0.4]]}
    assert mteval.compare_scores(scores, n_shuffles=50, settings=FAST, confidence=0.9).settings.n_shuffles == 50


def test_claims_cover_several_test_sets_without_the_tuning_set() -> None:
    one = {"systems": RUNS, "references": REFERENCE}
    further = {"news": one, "tuning": {**one, "role": "dev"}}
    found = mteval.compare(RUNS, REFERENCE, "length", test_sets=further, settings=FAST)
    assert found.test_sets == ("test", "news", "tuning")
    assert found.on("news").summary["mean"].equals(found.summary["mean"])
    claimed = mteval.claim(found)
    assert claimed["n_test_sets"].tolist() == [2, 2, 2]
    assert claimed["difference"].iloc[0] == pytest.approx(found.statistic)


def test_every_test_set_has_its_own_scores() -> None:
    rng = np.random.default_rng(1)
    mqm = {name: {system: rng.random((3, len(LINES))) for system in RUNS} for name in ("test", "news")}
    news: inputs.TestSetInputs = {"systems": RUNS, "references": REFERENCE, "scores": {"mqm": mqm["news"]}}
    found = mteval.compare(
        RUNS, REFERENCE, "mqm", scores={"mqm": mqm["test"]}, test_sets={"news": news}, lower_is_better=["mqm"],
        settings=FAST,
    )  # fmt: skip
    expected = {(name, system): mqm[name][system].mean() for name in mqm for system in RUNS}
    assert found.summary.set_index(["test_set", "system"])["mean"].to_dict() == pytest.approx(expected)


def test_samples_of_a_run_are_averaged() -> None:
    sampled = {system: [path for path in paths for _ in range(2)] for system, paths in RUNS.items()}
    found = mteval.compare(sampled, REFERENCE, "length", samples=2, settings=FAST)
    assert found.summary["n_runs"].tolist() == [3, 3]
    assert mteval.compare(RUNS, REFERENCE, "length", settings=FAST).summary["mean"].equals(found.summary["mean"])


def test_references_are_paths_in_every_shape() -> None:
    asked: tuple[object, ...] = (REFERENCE, str(REFERENCE), [REFERENCE], [str(REFERENCE)], (str(REFERENCE),), LINES)
    frames = [mteval.score(RUNS, references, "bleu") for references in asked]  # type: ignore[arg-type]
    assert all(frame.equals(frames[0]) for frame in frames)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: mteval.score({"A": [["x"], ["y"], ["z"]]}, ["x", "y", "z"]), "System 'A'.* looks transposed"),
        (lambda: mteval.score({"A": [["x", "y", "z"]]}, [["x"], ["y"], ["z"]]), "References .* looks transposed"),
        (lambda: mteval.compare_scores({"A": np.zeros((100, 3))}), "look transposed"),
        (lambda: mteval.compare_scores({"A": [[1e308, 1.0]], "B": [[1.0, 2.0]]}), "segment 1 is 1e\\+308"),
        (lambda: mteval.score({"A": ["a text"]}, ["a text"]), "A run is a list of strings or a path"),
    ],
)
def test_wrong_shapes_and_sizes_are_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(mteval.MtevalError, match=said):
        ask()


def test_lists_of_hypotheses_are_scored(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0 ||| a b ||| f=1 ||| -1\n0 ||| a b c ||| f=1 ||| -2\n", encoding="utf-8")
    oracles = mteval.nbest(tmp_path / "list", ["a b c"], "wer").oracles.set_index("choice")["score"]
    assert oracles["oracle"] == 0 < oracles["topbest"]


def test_the_page_of_the_interface_names_all_of_it_and_its_example_runs() -> None:
    page = ROOT / "docs" / "api.md"
    words = set(re.findall(r"\w+", page.read_text(encoding="utf-8")))
    inside = {"results", "loaded", "scored", "scored_on_all"}
    public = {name for name in dir(results.Comparison) if name[0] != "_"} - inside
    assert public | set(mteval.__all__) <= words
    assert doctest.testfile(str(page), module_relative=False).failed == 0
