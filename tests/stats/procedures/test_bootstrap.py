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

bootstrap_shift, bootstrap_rm2005, paired_bootstrap = (
    PROCEDURES[key].function for key in ("bootstrap-shift", "bootstrap-rm2005", "paired-bootstrap")
)


def _ratio(sums: np.ndarray) -> np.ndarray:
    return 100 * sums[..., 0] / sums[..., 1]


def _run(procedure, pair, alternative: Alternative = "two-sided", score=_ratio, n: int = 30_000) -> PairedResult:
    return procedure(*pair, score, How(n, seeds_for(1, "t"), alternative, confidence=0.9))


@pytest.fixture(scope="module")
def pair() -> tuple[np.ndarray, np.ndarray]:
    """Two runs against three, five segments."""
    generator = np.random.default_rng(3)
    return generator.integers(4, 20, (2, 5, 2)), generator.integers(6, 20, (3, 5, 2))


@pytest.fixture(scope="module")
def every_difference(pair) -> np.ndarray:
    """Differences on all 5^5 replicates."""
    one, other = pair[0].mean(axis=0), pair[1].mean(axis=0)
    replicates = [list(units) for units in product(range(5), repeat=5)]
    return np.array([_ratio(other[units].sum(axis=0)) - _ratio(one[units].sum(axis=0)) for units in replicates])


def _observed(pair) -> float:
    return float(_ratio(pair[1].mean(axis=0).sum(axis=0)) - _ratio(pair[0].mean(axis=0).sum(axis=0)))


def test_shift_to_zero_agrees_with_all_replicates_enumerated(pair, every_difference):
    d, shifted = _observed(pair), every_difference - every_difference.mean()
    for alternative, expected in (
        ("two-sided", (np.abs(shifted) >= abs(d)).mean()),
        ("greater", (shifted >= d).mean()),
        ("less", (shifted <= d).mean()),
    ):
        result = _run(bootstrap_shift, pair, alternative)
        assert result.statistic == pytest.approx(d)
        assert result.p_value == pytest.approx(expected, abs=0.012)
    assert 0.02 < expected < 0.98


def test_the_printed_bootstrap_agrees_with_all_replicates_enumerated(pair, every_difference):
    absolute = np.abs(every_difference)
    expected = (absolute - absolute.mean() >= abs(_observed(pair))).mean()
    assert _run(bootstrap_rm2005, pair).p_value == pytest.approx(expected, abs=0.012)


def test_the_printed_bootstrap_has_no_one_sided_form(pair):
    result = _run(bootstrap_rm2005, pair, "greater", n=10)
    assert np.isnan(result.p_value)
    assert "no one-sided form" in result.note


def test_paired_bootstrap_agrees_with_all_replicates_enumerated(pair, every_difference):
    greater, less = (every_difference <= 0).mean(), (every_difference >= 0).mean()
    for alternative, expected in (("greater", greater), ("less", less), ("two-sided", 2 * min(greater, less))):
        result = _run(paired_bootstrap, pair, alternative)
        assert result.p_value == pytest.approx(expected, abs=0.012)
    spread = every_difference.std()
    np.testing.assert_allclose(
        (result.low, result.high), np.quantile(every_difference, [0.05, 0.95]), atol=0.05 * spread
    )
    assert result.standard_error == pytest.approx(spread, rel=0.02)
    assert result.null is None


def _as_bleu(sums: np.ndarray) -> np.ndarray:
    """Columns in sacreBLEU's order: hypothesis and reference length, matches, attempts."""
    precisions = np.log(sums[..., 2:6] / sums[..., 6:10]).mean(axis=-1)
    return 100 * np.exp(precisions + np.minimum(0, 1 - sums[..., 1] / sums[..., 0]))


@pytest.mark.real_data
@pytest.mark.parametrize(("kind", "ours"), [("bs", bootstrap_rm2005), ("ar", ar_segment)])
def test_on_single_runs_sacrebleus_paired_tests_agree(data_directory: Path, kind: str, ours):
    directory, metric = data_directory / "data" / "multeval-example", BLEU(tokenize="none", force=True)

    def lines(name: str) -> list[str]:
        return (directory / name).read_text(encoding="utf-8").split("\n")[:900]

    systems = [(name, lines(f"hyps.lc.tok.en.{name}")) for name in ("baseline.opt0", "sys1.opt1")]
    references = [lines("refs.test2010.lc.tok.en.0")]
    _, theirs = PairedTest(systems, {"BLEU": metric}, references, test_type=kind, n_samples=2_000)()
    statistics = [np.array([metric._extract_corpus_statistics(text, references)]) for _, text in systems]
    result = _run(ours, statistics, score=_as_bleu, n=10_000)
    assert result.p_value == pytest.approx(theirs["BLEU"][1].p_value, abs=0.035)
    assert 0.01 < result.p_value < 0.95
