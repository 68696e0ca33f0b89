"""Claims of several systems over several test sets: their family borrows its spread over runs."""

import warnings

import numpy as np
import pytest

import mteval
from mteval.answers.claims import claim_details
from mteval.values.claim import THESE_TEST_SETS, Claim

N_SYSTEMS = 6  # compared with the baseline


def claims_of(n_systems: int, *, with_copy: bool = False, confidence: float = 0.95) -> tuple[Claim, ...]:
    """Claims of systems that are better by about three standard errors, on three test sets with three shared runs."""
    generator = np.random.default_rng(12)
    shift_of = generator.standard_normal((n_systems + 1, 3, 1)) * 0.08
    test_sets = {}
    for name in ("test", "news", "talks"):
        systems = {}
        for place in range(n_systems + 1):
            gain = 0.0 if place == 0 else 0.4
            scores = gain + shift_of[place] + generator.standard_normal((3, 60))
            systems[f"s{place}"] = scores.tolist()
        if with_copy:
            systems["copy"] = systems["s0"]
        test_sets[name] = systems

    def texts(name: str) -> dict[str, list[list[str]]]:
        outputs = {}
        for system, runs in test_sets[name].items():
            source = "s0" if system == "copy" else system  # a copy has the baseline's texts
            outputs[system] = [[f"{source} {run} {segment}" for segment in range(60)] for run in range(len(runs))]
        return outputs

    further = {
        name: {"systems": texts(name), "references": None, "scores": {"quality": test_sets[name]}}
        for name in ("news", "talks")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the copy, which is meant
        comparison = mteval.compare(
            texts("test"),
            None,
            "quality",
            scores={"quality": test_sets["test"]},
            test_sets=further,
            n_shuffles=500,
            n_bootstrap=20,
            confidence=confidence,
        )
    return comparison.results.evaluation.claims


def test_many_systems_with_three_runs_can_be_better_on_average() -> None:
    claims = claims_of(N_SYSTEMS)
    assert len(claims) == N_SYSTEMS
    findings = [claim.these_test_sets for claim in claims]
    assert all(finding.question == THESE_TEST_SETS for finding in findings)
    # Holm over the printed p alone would find none
    smallest = min(finding.p_value for finding in findings)
    assert N_SYSTEMS * smallest > 0.05
    assert any(finding.p_adjusted <= 0.05 for finding in findings)
    assert all(finding.p_adjusted >= max(finding.p_value, finding.p_family) for finding in findings)
    words = " ".join(claim_details(claims))
    assert "variances over runs below the square of the systems' mean SD are shrunk towards it" in words


@pytest.mark.parametrize(("n_systems", "confidence"), [(1, 0.95), (N_SYSTEMS, 0.99)])
def test_a_pair_and_lower_levels_have_no_law_of_a_family(n_systems: int, confidence: float) -> None:
    claims = claims_of(n_systems, confidence=confidence)
    assert all(np.isnan(claim.these_test_sets.p_family) for claim in claims)
    assert "shrunk" not in " ".join(claim_details(claims))


def test_a_copy_of_the_baseline_changes_no_other_claim() -> None:
    without = {claim.system: claim.these_test_sets.p_adjusted for claim in claims_of(3)}
    with_copy = {claim.system: claim.these_test_sets.p_adjusted for claim in claims_of(3, with_copy=True)}
    assert with_copy.pop("copy") == 1.0
    assert with_copy == pytest.approx(without)
