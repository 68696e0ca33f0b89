"""Each distinct pair is scored once, and what the store has is not scored again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.scoring import Progress, Work, score_experiment
from mteval.base.errors import CancelledError
from mteval.base.parallel import Engine
from mteval.base.store import StatisticsStore
from mteval.metrics.base import FloatArray, StatArray
from mteval.values.model import Experiment, Run, TestSet


@dataclass(frozen=True)
class Characters:
    """A metric that counts characters and remembers what it was asked to score."""

    asked: list[tuple[int, str]] = field(default_factory=list, compare=False)
    key = "characters"
    name = "Characters"
    higher_is_better = True
    is_segment_mean = True
    fields = ("characters", "segments")
    submetric_names = ()
    reads = ("references",)

    def signature(self) -> str:
        return "characters"

    def prepare(self, test_set: TestSet) -> "Characters":
        return self

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> StatArray:
        self.asked.extend(zip(segment_ids, hypotheses, strict=True))
        return np.array([[len(hypothesis), 1] for hypothesis in hypotheses], dtype=np.int64).reshape(-1, 2)

    def score(self, statistics: StatArray) -> FloatArray:
        return statistics[..., 0] / statistics[..., 1]

    segment_score = score

    def submetrics(self, statistics: StatArray) -> FloatArray:
        return np.empty((*statistics.shape[:-1], 0))


RUNS = (
    Run("base", "0", ("a", "bb", "a")),
    Run("base", "1", ("a", "bb", "cc")),
    Run("new", "0", ("ddd", "bb", "a")),
    Run("copy", "0", ("a", "bb", "a")),
)


def experiment(*runs: Run, references: tuple[tuple[str, ...], ...] = (("r",),) * 3) -> Experiment:
    return Experiment((TestSet("test", references, runs),), baseline="base")


def test_statistics_are_ordered_by_run_and_segment() -> None:
    (scored,) = score_experiment(experiment(*RUNS), [Characters()], Work())
    assert scored.statistics["base"][..., 0].tolist() == [[1, 2, 1], [1, 2, 2]]
    assert scored.statistics["new"][..., 0].tolist() == [[3, 2, 1]]
    assert scored.run_scores["base"].tolist() == [4 / 3, 5 / 3]


def test_each_distinct_pair_is_scored_once_in_order_of_segments_and_runs() -> None:
    metric = Characters()
    score_experiment(experiment(*RUNS), [metric], Work())
    assert metric.asked == [(0, "a"), (0, "ddd"), (1, "bb"), (2, "a"), (2, "cc")]


class OfOneHash(str):
    """A text whose hash is that of all others."""

    def __hash__(self) -> int:
        return 1


def test_different_outputs_with_the_same_hash_stay_apart() -> None:
    runs = [Run(run.system, run.key, tuple(map(OfOneHash, run.hypotheses))) for run in RUNS]
    metric = Characters()
    (scored,) = score_experiment(experiment(*runs), [metric], Work())
    assert metric.asked == [(0, "a"), (0, "ddd"), (1, "bb"), (2, "a"), (2, "cc")]
    assert scored.statistics["new"][..., 0].tolist() == [[3, 2, 1]]


def test_an_added_run_is_scored_only_on_new_hypotheses(tmp_path: Path) -> None:
    store = StatisticsStore(tmp_path)
    score_experiment(experiment(*RUNS[:2]), [Characters()], Work(store=store))
    metric = Characters()
    (scored,) = score_experiment(experiment(*RUNS), [metric], Work(store=store))
    assert metric.asked == [(0, "ddd")]
    assert scored.statistics["new"][..., 0].tolist() == [[3, 2, 1]]


def test_cached_runs_are_not_scored_again(tmp_path: Path) -> None:
    first = score_experiment(experiment(*RUNS), [Characters()], Work(store=StatisticsStore(tmp_path)))
    metric = Characters()
    second = score_experiment(experiment(*RUNS), [metric], Work(store=StatisticsStore(tmp_path)))
    assert metric.asked == []
    for system, statistics in first[0].statistics.items():
        np.testing.assert_array_equal(second[0].statistics[system], statistics)


def test_other_references_are_scored_anew(tmp_path: Path) -> None:
    score_experiment(experiment(*RUNS), [Characters()], Work(store=StatisticsStore(tmp_path)))
    metric = Characters()
    other = experiment(*RUNS, references=(("r",), ("other",), ("r",)))
    score_experiment(other, [metric], Work(store=StatisticsStore(tmp_path)))
    assert len(metric.asked) == 5


def test_progress_increases_to_the_total() -> None:
    seen: list[Progress] = []
    score_experiment(experiment(*RUNS), [Characters(), Characters()], Work(report=seen.append))
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    assert "Characters" in seen[0].task


def test_cancelled_work_stops() -> None:
    engine = Engine()
    engine.cancelled.set()
    with pytest.raises(CancelledError):
        score_experiment(experiment(*RUNS), [Characters()], Work(engine=engine))


class Looked(Engine):
    """Counts how often somebody looked whether the work was told to stop."""

    looks = 0

    def check(self) -> None:
        type(self).looks += 1
        super().check()


@pytest.mark.parametrize("is_kept", [False, True])
def test_work_can_be_cancelled_before_each_run(tmp_path: Path, is_kept: bool) -> None:
    """When runs are told apart, their pairs collected, their statistics kept, and when kept ones are loaded."""
    looks = {}
    for n_runs in (10, 50):
        runs = [Run("base", str(number), ("a", "bb", str(number))) for number in range(n_runs)]
        store = StatisticsStore(tmp_path / str(n_runs)) if is_kept else None
        before = Looked.looks
        score_experiment(experiment(*runs), [Characters()], Work(Looked(workers=1), store))
        looks[n_runs] = Looked.looks - before
    assert looks[50] - looks[10] == (4 if is_kept else 3) * 40
