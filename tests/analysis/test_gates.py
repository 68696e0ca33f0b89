"""What would settle an open gate does: experiments grown by it are decided, slightly smaller ones are not."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mteval
from mteval.base.errors import SettingsError
from mteval.cli import main
from mteval.values.gate import Gate, Remedy

N_RUNS, N_ITEMS = 4, 120


def standard(n: int) -> np.ndarray:
    """Evenly spaced numbers with mean 0 and standard deviation 1, whatever their number."""
    values = np.linspace(-1, 1, n)
    return values / values.std(ddof=1) if n > 1 else np.zeros(1)


def gate(
    gain: float,
    of_runs: float,
    of_items: float,
    runs: tuple[int, int] = (N_RUNS, N_RUNS),
    n_items: int = N_ITEMS,
    design: Any = "independent",
    *,
    strict: bool = False,
) -> Gate:
    """The gate of experiments whose standard deviations over runs and items are the same in every size."""
    random, (n_old, n_new) = np.random.default_rng(0), runs
    shifts = of_runs * standard(n_old), gain + of_runs * random.permutation(standard(n_new))
    items = np.zeros(n_items), of_items * random.permutation(standard(n_items))
    scores = {
        name: 50 + shift[:, None] + item + 0.01 * random.normal(size=(len(shift), n_items))
        for name, shift, item in zip(("old", "new"), shifts, items, strict=True)
    }
    return mteval.gate(mteval.compare_scores(scores, "score", n_shuffles=50, design=design, strict=strict))


def remedy_of(found: Gate) -> Remedy:
    assert found.outcome == "no verdict"
    return found.rows[0].remedy


@pytest.mark.parametrize(("how", "wanted"), [
    ({"of_runs": 0.9, "of_items": 1}, "runs"),
    ({"of_runs": 0.3, "of_items": 10}, "items"),
    ({"of_runs": 0.7, "of_items": 5}, "either"),
    ({"of_runs": 0.9, "of_items": 8}, "both"),
    ({"of_runs": 0.9, "of_items": 8, "strict": True}, "both"),
    ({"of_runs": 0.9, "of_items": 1, "design": "fixed", "runs": (1, 4)}, "runs"),
    ({"of_runs": 0.9, "of_items": 1, "runs": (8, 1)}, "runs"),
])  # fmt: skip
def test_what_would_settle_an_answer_is_the_least_that_does(how: dict[str, Any], wanted: str) -> None:
    remedy, (n_old, n_new) = remedy_of(gate(1, **how)), how.get("runs", (N_RUNS, N_RUNS))
    more, times = remedy.candidate_runs or remedy.runs_each, remedy.times
    each, is_larger = remedy.runs_each > 0, not np.isnan(times)
    assert (more > 0, is_larger, remedy.needs_both) == {
        "runs": (True, False, False), "items": (False, True, False), "either": (True, True, False),
        "both": (True, True, True),
    }[wanted]  # fmt: skip

    def outcome(more: int, times: float = 1) -> str:
        grown = how | {"runs": (n_old + each * more, n_new + more), "n_items": round(times * N_ITEMS)}
        return gate(1, **grown).outcome

    if remedy.needs_both:
        assert outcome(more, times) == "pass"
        assert {outcome(more - 1, times), outcome(more), outcome(0, times)} == {"no verdict"}
    if more and not remedy.needs_both:
        assert [outcome(more), outcome(more - 1)] == ["pass", "no verdict"]
    if is_larger and not remedy.needs_both:
        assert [outcome(0, times), outcome(0, times / 1.11)] == ["pass", "no verdict"]


def test_nothing_settles_a_difference_that_is_almost_the_margin() -> None:
    found = gate(0.05, 0.9, 8)
    assert (remedy_of(found).candidate_runs, remedy_of(found).runs_each) == (0, 0)
    assert np.isnan(remedy_of(found).times)
    assert "even 30 more runs and a test set 100 times as large would not settle it" in str(found)


def test_adjusted_answer_needs_what_a_test_at_the_adjusted_level_needs(tmp_path: Path) -> None:
    """Among the metrics that Holm has not passed yet, one answer is tested at the level divided by their number."""
    random = np.random.default_rng(4)
    rows, gains = (
        ["\t".join(("system", "run", "segment", *"abcd"))],
        dict(zip("abcd", (4.0, 1.2, 1.1, 1.0), strict=True)),
    )
    for system, run in product(("old", "new"), range(4)):
        shifts = {name: random.normal(0, 0.5) + gain * (system == "new") for name, gain in gains.items()}
        for item in range(100):
            scores = (f"{50 + shift + random.normal(0, 6):.3f}" for shift in shifts.values())
            rows.append("\t".join((system, str(run), str(item), *scores)))
    (tmp_path / "scores.tsv").write_text("\n".join(rows))

    def answers(*words: str) -> dict[str, Any]:
        asked = ["gate", "--scores-higher", str(tmp_path / "scores.tsv"), "--baseline", "old", *words, "--json"]
        main([*asked, str(tmp_path / "gate.json")])
        return {row["metric"]: row for row in json.loads((tmp_path / "gate.json").read_text())["gate"]}

    together = answers("--any")
    left = [metric for metric, row in together.items() if row["outcome"] == "no verdict"]
    assert 1 < len(left) < len(gains)
    alone = answers("--confidence", str(1 - 0.05 / len(left)))
    fields = [field for field in alone["a"] if field.startswith("remedy")]
    for metric in left:
        assert [together[metric][field] for field in fields] == [alone[metric][field] for field in fields]
        assert together[metric]["remedy_runs_each"] or together[metric]["remedy_times"]


@pytest.mark.parametrize(("margin", "problem"), [(1, "between 0 and 1"), (0.99, "is large"), (0.01, "")])
def test_margin_on_another_scale_is_refused_or_noted(margin: float, problem: str) -> None:
    random = np.random.default_rng(1)
    right = {name: (random.random((3, 80)) < 0.7).astype(float) for name in ("old", "new")}
    found = mteval.compare_scores(right, "accuracy", n_shuffles=50)
    if margin == 1:
        with pytest.raises(SettingsError, match=problem):
            mteval.gate(found, worse_by=margin)
    else:
        assert ("is large" in str(mteval.gate(found, worse_by=margin))) == bool(problem)
