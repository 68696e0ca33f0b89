"""What every registered test procedure must do, and where it may be named."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mteval.stats import PROCEDURES
from mteval.stats.base import Alternative, How, PairedResult
from mteval.stats.procedures import registry
from mteval.stats.procedures.spec import ProcedureSpec
from mteval.stats.resampling.streams import seeds_for
from mteval.values.settings import DESIGNS

KEYS = sorted(PROCEDURES)
RESAMPLED = [key for key in KEYS if PROCEDURES[key].is_resampled]
# Rejections at 5% where neither runs nor systems differ. The printed bootstrap is liberal by construction; two-way is
# cautious there, because runs and segments both look as if they differed by the noise of single outputs.
RATES = {
    "bootstrap-rm2005": 0.12,
    "two-way": 0.02,
    "two-way-paired": 0.02,
    "two-way-candidate": 0.02,
    "two-way-fixed": 0.04,
}


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def _system(generator: np.random.Generator, n_runs: int, n_units: int, shift: float = 0.0) -> np.ndarray:
    scores = generator.normal(50 + shift, 10, (n_runs, n_units))
    return np.stack([scores, np.ones_like(scores)], axis=2)


@pytest.fixture
def pair() -> tuple[np.ndarray, np.ndarray]:
    """Three runs a system, 60 segments, a difference of about one standard error."""
    generator = np.random.default_rng(1)
    return _system(generator, 3, 60), _system(generator, 3, 60, shift=1)


def _run(key: str, baseline: np.ndarray, system: np.ndarray, **changes: Any) -> PairedResult:
    how = How(3_000, seeds_for(4, key), "two-sided", 0.95)
    return PROCEDURES[key].function(baseline, system, _mean, dataclasses.replace(how, **changes))


def _same(result: PairedResult, expected: PairedResult) -> None:
    """Compare all that a result has but its note, bit for bit."""
    for field in ("statistic", "standard_error", "df", "low", "high", "p_value", "null", "draws"):
        np.testing.assert_equal(getattr(result, field), getattr(expected, field))


@pytest.mark.parametrize("key", KEYS)
def test_a_system_compared_with_itself_has_p_one(key: str, pair):
    spec = PROCEDURES[key]
    for alternative in spec.alternatives:
        result = _run(key, pair[0], pair[0].copy(), alternative=alternative)
        assert result.statistic == 0
        if alternative == "two-sided" or spec.luck == "test-set" or spec.design == "paired":
            assert result.p_value == 1
        else:  # its runs differ from one another, so chance could have gone either way
            assert 0.5 <= result.p_value < 0.8


@pytest.mark.parametrize("key", KEYS)
def test_the_same_seed_gives_the_same_bits_again(key: str, pair):
    seeds = seeds_for(4, key)
    _same(_run(key, *pair, seeds=seeds), _run(key, *pair, seeds=seeds))


@pytest.mark.parametrize("key", [key for key in RESAMPLED if PROCEDURES[key].luck == "test-set"])
def test_another_seed_gives_other_draws_of_nearly_the_same_p_value(key: str, pair):
    first = _run(key, *pair, seeds=seeds_for(1, key))
    second = _run(key, *pair, seeds=seeds_for(2, key))
    drawn = []
    for result in (first, second):
        drawn.append(result.draws if result.null is None else result.null)
    assert not np.array_equal(*drawn)
    assert first.p_value == pytest.approx(second.p_value, abs=0.06)


@pytest.mark.parametrize("key", KEYS)
def test_the_number_of_threads_changes_no_bit(key: str, pair):
    def in_threads(function: Any, items: Any) -> Iterator[Any]:
        with ThreadPoolExecutor(4) as pool:
            yield from pool.map(function, items)

    in_one_thread = _run(key, *pair, n_resamples=12_000)
    in_four_threads = _run(key, *pair, n_resamples=12_000, map_chunks=in_threads)
    _same(in_one_thread, in_four_threads)


@pytest.mark.parametrize("key", RESAMPLED)
def test_more_resamples_go_on_where_fewer_stopped(key: str, pair):
    few = _run(key, *pair, n_resamples=700)
    many = _run(key, *pair, n_resamples=5_200)
    if few.draws is not None:
        np.testing.assert_array_equal(few.draws, many.draws[:700])
    elif key != "run-permutation":  # all divisions of so few runs are enumerated
        np.testing.assert_array_equal(few.null, many.null[:700])


@pytest.mark.parametrize("key", [key for key in KEYS if len(PROCEDURES[key].alternatives) == 3])
def test_the_alternatives_look_at_the_raw_difference_from_opposite_sides(key: str, pair):
    p: dict[Alternative, float] = {}
    for alternative in PROCEDURES[key].alternatives:
        p[alternative] = _run(key, *pair, alternative=alternative).p_value
    assert p["greater"] < 0.5 < p["less"]
    assert 1 - 1e-9 <= p["greater"] + p["less"] <= 1.1  # a tie counts on both sides
    assert p["two-sided"] == pytest.approx(2 * p["greater"], abs=0.06)


@pytest.mark.parametrize("key", [key for key in KEYS if PROCEDURES[key].design != "fixed"])
def test_swapping_the_systems_swaps_the_sides(key: str, pair):
    mirrored: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    for alternative in PROCEDURES[key].alternatives:
        forth = _run(key, *pair, alternative=alternative)
        back = _run(key, *pair[::-1], alternative=mirrored[alternative])
        assert back.statistic == pytest.approx(-forth.statistic)
        assert back.p_value == pytest.approx(forth.p_value, abs=1e-9)
        np.testing.assert_allclose([back.low, back.high], [-forth.high, -forth.low])


@pytest.mark.parametrize("key", [key for key in KEYS if not PROCEDURES[key].pairs_runs])
def test_the_order_of_the_runs_does_not_matter(key: str, pair):
    baseline, system = pair
    result = _run(key, baseline, system)
    reordered = _run(key, baseline[[2, 0, 1]], system[::-1])
    assert reordered.statistic == pytest.approx(result.statistic)
    assert reordered.p_value == pytest.approx(result.p_value, abs=1e-9)


@pytest.mark.parametrize("key", KEYS)
def test_the_order_of_the_segments_matters_no_more_than_the_draws(key: str, pair):
    baseline, system = pair
    result = _run(key, baseline, system)
    reordered = _run(key, baseline[:, ::-1], system[:, ::-1])
    assert reordered.statistic == pytest.approx(result.statistic)
    assert reordered.p_value == pytest.approx(result.p_value, abs=0.06)


@pytest.mark.parametrize("key", KEYS)
def test_a_difference_beyond_all_luck_is_found_in_its_direction(key: str):
    generator = np.random.default_rng(2)
    baseline = _system(generator, 5, 60)
    system = _system(generator, 5, 60, shift=30)
    assert _run(key, baseline, system).p_value < 0.01
    if "less" in PROCEDURES[key].alternatives:
        assert _run(key, baseline, system, alternative="less").p_value > 0.99


@pytest.mark.parametrize("key", KEYS)
def test_too_few_or_unequal_runs_are_refused_with_a_note_or_answered(key: str):
    generator = np.random.default_rng(3)
    spec = PROCEDURES[key]
    for n_baseline, n_system in ((1, 1), (1, 3), (2, 3), (3, 3), (3, 1)):
        result = _run(key, _system(generator, n_baseline, 40), _system(generator, n_system, 40))
        has_enough_runs = spec.fewest_runs(n_baseline, n_system) >= spec.min_runs
        can_be_paired = n_baseline == n_system or not spec.pairs_runs
        is_answered = has_enough_runs and can_be_paired
        assert np.isfinite(result.statistic)
        assert np.isfinite(result.p_value) == is_answered
        assert is_answered or result.note


@pytest.mark.parametrize("key", KEYS)
def test_an_undefined_score_is_answered_by_a_note(key: str, pair):
    how = How(50, seeds_for(0, key), "two-sided", 0.95)
    result = PROCEDURES[key].function(*pair, lambda sums: np.full(sums.shape[:-1], np.nan), how)
    assert np.isnan(result.p_value)
    assert "undefined" in result.note


@pytest.mark.parametrize("key", KEYS)
def test_where_there_is_no_difference_it_is_claimed_as_often_as_the_level_says(key: str):
    # A strict procedure takes far longer, and is only asked for an upper bound
    is_strict = PROCEDURES[key].is_strict
    n_simulations = 200 if is_strict else 600
    generator = np.random.default_rng(6)
    n_rejected = 0
    for simulation in range(n_simulations):
        baseline = _system(generator, 5, 80)
        system = _system(generator, 5, 80)
        result = _run(key, baseline, system, n_resamples=199, seeds=seeds_for(simulation, key))
        n_rejected += result.p_value <= 0.05

    # Three standard errors of a share, by the binomial distribution
    rate = RATES.get(key, 0.05)
    error = 3 * np.sqrt(rate * (1 - rate) / n_simulations)
    share_rejected = n_rejected / n_simulations
    assert share_rejected <= rate + error
    assert is_strict or share_rejected >= rate - error


@pytest.mark.parametrize("key", KEYS)
def test_the_registry_describes_it(key: str):
    spec = PROCEDURES[key]
    assert spec.key == key
    assert spec.name
    assert spec.luck in ("test-set", "runs", "both")
    assert "two-sided" in spec.alternatives
    assert spec.summary.endswith(".")


@pytest.mark.parametrize("key", KEYS)
def test_it_draws_what_its_description_says(key: str, pair):
    """Signed differences have both signs where systems are alike; centred absolute ones have a mean of zero."""
    spec = PROCEDURES[key]
    result = _run(key, *pair)
    has_null = result.null is not None
    has_draws = result.draws is not None
    assert (has_null or has_draws) == spec.is_resampled
    assert has_null == (spec.null is not None)
    if spec.null == "signed":
        assert abs(result.null.mean()) < result.null.std()
    if spec.null == "absolute":
        sizes = np.abs(result.draws)
        np.testing.assert_allclose(result.null, sizes - sizes.mean())
    if spec.from_replicates is not None:
        how = How(len(result.draws), seeds_for(4, key), "two-sided", 0.95)
        _same(spec.from_replicates(result.statistic, result.draws, how), result)


def test_each_answer_has_a_procedure_for_every_unit_that_can_be_chosen():
    spec_of = {unit: registry.answering("test-set", unit) for unit in ("segment", "document", "output")}
    for unit, spec in spec_of.items():
        assert spec.unit_for(unit) == unit
    assert spec_of["output"].pairs_outputs
    assert not spec_of["segment"].pairs_outputs
    assert registry.answering("both", "segment") is registry.answering("both", "document")
    assert registry.answering("both", "segment", "released") is spec_of["segment"]
    for unit, design in product(("segment", "document"), DESIGNS):
        lucks = [spec.luck for spec in registry.showing_equal(unit, design)]
        answering_both = registry.answering("both", unit, design)
        if design == "released":
            assert lucks == ["test-set"]
            assert answering_both.design == "independent"
        else:
            assert lucks == ["test-set", "both"]
            assert answering_both.design == design


ROOT = Path(__file__).parents[2]
METHOD = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
CALIBRATION = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
# What the calibration calls the designs for which a procedure has variants; their error rates stand there.
DESIGNS_IN_CALIBRATION = {
    "paired": "**Runs paired by seed**",
    "fixed": "**A fixed baseline**",
    "candidate": "**One candidate run**",
}
EXACT_FIELDS = ("statistic", "standard_error", "df", "low", "high", "p_value")
REPLAY = """
from tests.contracts.test_procedures import PROCEDURES, numbers_of
for key, spec in PROCEDURES.items():
    print(key, *(number.hex() for number in numbers_of(spec)))
"""


def uneven_pair(is_segment_mean: bool) -> tuple[np.ndarray, np.ndarray]:
    """Three runs a system on 60 segments, with a few scores far from the others; of unequal weight if there may be."""
    generator = np.random.default_rng(9)
    systems = []
    for shift in (0.0, 2.0):
        weights = generator.integers(5, 40, (1, 60)).repeat(3, axis=0).astype(float)
        if is_segment_mean:
            weights = np.ones((3, 60))
        scores = generator.standard_t(2, (3, 60)) * 10 + 50 + shift
        systems.append(np.stack([scores * weights, weights], axis=2))
    return systems[0], systems[1]


def numbers_of(spec: ProcedureSpec) -> list[float]:
    """What a procedure says about ``uneven_pair``."""
    how = How(500, seeds_for(4, spec.key), "two-sided", 0.95)
    result = spec.function(*uneven_pair(spec.needs_segment_mean), _mean, how)
    return [float(getattr(result, field)) for field in EXACT_FIELDS]


def complaints(spec: ProcedureSpec) -> Iterator[str]:
    """What keeps a procedure from being one: whatever is printed as a difference must be it, again, and described."""
    numbers = numbers_of(spec)
    # The score of a run is its weighted mean; the difference is that of the mean run scores on the same segments.
    means = []
    for of_system in uneven_pair(spec.needs_segment_mean):
        run_scores = of_system[..., 0].sum(axis=1) / of_system[..., 1].sum(axis=1)
        means.append(run_scores.mean())
    if numbers[0] != pytest.approx(means[1] - means[0], rel=1e-9):
        yield "the statistic is not the difference of the mean run scores"
    if not np.array_equal(numbers, numbers_of(spec), equal_nan=True):
        yield "the same seed gives other numbers"
    if f"`{spec.key}`" not in METHOD:
        yield "docs/method.md does not name it: add its key and formula to Further procedures"
    design = DESIGNS_IN_CALIBRATION.get(spec.design)
    is_measured = re.search(rf"^\| {re.escape(spec.key)} \|", CALIBRATION, re.MULTILINE) is not None
    if not (is_measured if design is None else design in CALIBRATION):
        yield "docs/calibration.md does not tell its error rates: add the row that benchmarks.calibration prints"


@pytest.mark.parametrize("key", KEYS)
def test_it_reports_the_difference_of_mean_run_scores_again_and_is_documented(key: str) -> None:
    found = list(complaints(PROCEDURES[key]))
    assert not found, "\n".join(found)


def test_a_replay_in_a_fresh_process_gives_the_same_bits() -> None:
    command = [sys.executable, "-c", REPLAY]
    replayed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    expected = [" ".join([key, *(number.hex() for number in numbers_of(spec))]) for key, spec in PROCEDURES.items()]
    assert replayed.stdout.splitlines() == expected


def trimmed_mean_test(baseline: np.ndarray, system: np.ndarray, score: Any, how: How) -> PairedResult:
    """Leave out the extreme fifth of segments, of which each process and call draws some more."""
    result = PROCEDURES["paired-t"].function(baseline, system, score, how)
    differences = (system[..., 0] / system[..., 1] - baseline[..., 0] / baseline[..., 1]).mean(axis=0)
    kept = np.sort(differences)[6:-6]
    drawn = np.random.default_rng().choice(kept, 40)  # seeded by nothing
    return dataclasses.replace(result, statistic=float(drawn.mean()))


def test_a_trimmed_mean_that_is_drawn_without_a_seed_and_written_nowhere_is_refused() -> None:
    spec = dataclasses.replace(PROCEDURES["paired-t"], key="trimmed-mean", function=trimmed_mean_test)
    assert list(complaints(spec)) == [
        "the statistic is not the difference of the mean run scores",
        "the same seed gives other numbers",
        "docs/method.md does not name it: add its key and formula to Further procedures",
        "docs/calibration.md does not tell its error rates: add the row that benchmarks.calibration prints",
    ]


SOURCES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "mteval").rglob("*.py"))]
AT_HOME = {
    key: {Path(inspect.getfile(getattr(spec.function, "func", spec.function))), Path(registry.__file__)}
    for key, spec in PROCEDURES.items()
}


def keys_named(source: str) -> Iterator[str]:
    """Keys of procedures that stand in a source as strings, or quoted within one as in ``"procedure == 'welch'"``.

    Words of a sentence are no keys: texts may speak of a two-way procedure. A string that is a key and nothing else is
    taken for one, be it an ordinary word such as ``sign``: nothing tells the two apart.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            plain = re.sub(r"^ *>>>.*$", "", node.value, flags=re.MULTILINE)  # examples show how a key is given
            yield from (key for key in KEYS if node.value == key or re.search(rf"""['"]{key}['"]""", plain))


def test_keys_are_found_where_they_stand_and_not_in_sentences():
    assert list(keys_named('ORDER = {"two-way": 1}')) == ["two-way"]
    assert list(keys_named("frame.query(\"procedure == 'welch'\")")) == ["welch"]
    assert not list(keys_named('HELP = "Power of the two-way procedure"  # as "two-way" has it'))


def test_procedures_are_named_by_key_at_home_only():
    away = [
        f"{path.relative_to(ROOT)} names {key}"
        for path in SOURCES
        for key in keys_named(path.read_text(encoding="utf-8"))
        if path not in AT_HOME[key]
    ]
    assert not away, "read the ProcedureSpec instead:\n" + "\n".join(away)
