from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.procedures.randomization import ar_segment
from mteval.stats.resampling.streams import seeds_for

bootstrap_shift = PROCEDURES["bootstrap-shift"].function
bootstrap_rm2005 = PROCEDURES["bootstrap-rm2005"].function
paired_bootstrap = PROCEDURES["paired-bootstrap"].function


def _ratio(sums: np.ndarray) -> np.ndarray:
    """The score of a metric that is no mean over segments."""
    return 100 * sums[..., 0] / sums[..., 1]


def _run(procedure, pair, alternative: Alternative = "two-sided", score=_ratio, n: int = 30_000) -> PairedResult:
    """What a procedure says of a pair, with so many replicates."""
    baseline, system = pair
    return procedure(baseline, system, score, How(n, seeds_for(1, "t"), alternative, confidence=0.9))


@pytest.fixture(scope="module")
def pair() -> tuple[np.ndarray, np.ndarray]:
    """Two runs against three, five segments, two statistics."""
    generator = np.random.default_rng(3)
    baseline = generator.integers(4, 20, (2, 5, 2))
    system = generator.integers(6, 20, (3, 5, 2))
    return baseline, system


def _difference(pair, segments: list[int]) -> float:
    """The difference in score on segments, some of which may come several times, from the mean over runs."""
    baseline, system = pair
    of_baseline = baseline.mean(axis=0)[segments].sum(axis=0)
    of_system = system.mean(axis=0)[segments].sum(axis=0)
    return float(_ratio(of_system) - _ratio(of_baseline))


def _observed(pair) -> float:
    return _difference(pair, [0, 1, 2, 3, 4])


@pytest.fixture(scope="module")
def every_difference(pair) -> np.ndarray:
    """Differences on all 5^5 replicates."""
    return np.array([_difference(pair, list(segments)) for segments in product(range(5), repeat=5)])


def test_shift_to_zero_agrees_with_all_replicates_enumerated(pair, every_difference):
    observed = _observed(pair)
    shifted = every_difference - every_difference.mean()
    share_below = (shifted <= observed).mean()
    for alternative, expected in (
        ("two-sided", (np.abs(shifted) >= abs(observed)).mean()),
        ("greater", (shifted >= observed).mean()),
        ("less", share_below),
    ):
        result = _run(bootstrap_shift, pair, alternative)
        assert result.statistic == pytest.approx(observed)
        assert result.p_value == pytest.approx(expected, abs=0.012)
    assert 0.02 < share_below < 0.98, "the pair tells nothing about one-sided tests"


def test_the_printed_bootstrap_agrees_with_all_replicates_enumerated(pair, every_difference):
    absolute = np.abs(every_difference)
    expected = (absolute - absolute.mean() >= abs(_observed(pair))).mean()
    assert _run(bootstrap_rm2005, pair).p_value == pytest.approx(expected, abs=0.012)


def test_the_printed_bootstrap_has_no_one_sided_form(pair):
    result = _run(bootstrap_rm2005, pair, "greater", n=10)
    assert np.isnan(result.p_value)
    assert "no one-sided form" in result.note


def test_paired_bootstrap_agrees_with_all_replicates_enumerated(pair, every_difference):
    greater = (every_difference <= 0).mean()
    less = (every_difference >= 0).mean()
    assert _run(paired_bootstrap, pair, "greater").p_value == pytest.approx(greater, abs=0.012)
    assert _run(paired_bootstrap, pair, "less").p_value == pytest.approx(less, abs=0.012)

    result = _run(paired_bootstrap, pair, "two-sided")
    assert result.p_value == pytest.approx(2 * min(greater, less), abs=0.012)
    spread = every_difference.std()
    low, high = np.quantile(every_difference, [0.05, 0.95])
    assert result.low == pytest.approx(low, rel=1e-7, abs=0.05 * spread)
    assert result.high == pytest.approx(high, rel=1e-7, abs=0.05 * spread)
    assert result.standard_error == pytest.approx(spread, rel=0.02)
    assert result.null is None


def _as_bleu(sums: np.ndarray) -> np.ndarray:
    """Columns in sacreBLEU's order: hypothesis and reference length, matches, attempts."""
    precisions = np.log(sums[..., 2:6] / sums[..., 6:10]).mean(axis=-1)
    return 100 * np.exp(precisions + np.minimum(0, 1 - sums[..., 1] / sums[..., 0]))


@pytest.mark.real_data
@pytest.mark.parametrize(("kind", "ours"), [("bs", bootstrap_rm2005), ("ar", ar_segment)])
def test_on_single_runs_sacrebleus_paired_tests_agree(data_directory: Path, kind: str, ours):
    folder = data_directory / "data" / "multeval-example"

    def lines(name: str) -> list[str]:
        """The first 900 lines of a file."""
        return (folder / name).read_text(encoding="utf-8").split("\n")[:900]

    baseline = lines("hyps.lc.tok.en.baseline.opt0")
    system = lines("hyps.lc.tok.en.sys1.opt1")
    references = [lines("refs.test2010.lc.tok.en.0")]
    metric = BLEU(tokenize="none", force=True)
    systems = [("baseline", baseline), ("system", system)]
    _, results = PairedTest(systems, {"BLEU": metric}, references, test_type=kind, n_samples=2_000)()
    _, result_of_system = results["BLEU"]

    statistics = [np.array([metric._extract_corpus_statistics(text, references)]) for text in (baseline, system)]
    result = _run(ours, statistics, score=_as_bleu, n=10_000)

    assert result.p_value == pytest.approx(result_of_system.p_value, abs=0.035)
    assert 0.01 < result.p_value < 0.95
