"""How often the answers of LLM judges were understood, by system, and whether that differs between systems.

An output without a score does not count. If that happens to one system more often than to another, the averages are of
different segments, and a judge may well fail on outputs that are unusual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from mteval.analysis.scoring import Scored
from mteval.base.arrays import FloatArray, StatArray
from mteval.metrics.neural.endpoints import OF_ANSWERS
from mteval.metrics.neural.judge import Judge
from mteval.stats.agreement import sign_test

LEVEL = 0.05  # of a difference between systems that is warned of
AT_ONCE, LATER = OF_ANSWERS[:2]


@dataclass(frozen=True)
class JudgeAnswers:
    """The answers of one LLM judge about the distinct outputs of one system on one test set.

    Parameters
    ----------
    n_answers
        Outputs times repeats.
    at_once, later, never
        Answers that were understood at once, after asking again, and never.
    p_value
        Exact sign test over segments that as many answers are never understood as of the baseline's outputs, times the
        number of systems compared; NaN for the baseline.
    """

    test_set: str
    metric: str
    system: str
    n_answers: int
    at_once: int
    later: int
    never: int
    p_value: float = nan

    @property
    def differs(self) -> bool:
        """Whether the judge fails on this system's outputs more or less often than on the baseline's."""
        return self.p_value <= LEVEL


def judge_answers(scored: Scored, baseline: str) -> Iterator[JudgeAnswers]:
    """Yield one row per system, the baseline first; nothing if the metric is no LLM judge."""
    if not isinstance(scored.metric, Judge):
        return
    rows_of = _rows_by_system(scored)
    at_once, later = (scored.metric.fields.index(name) for name in (AT_ONCE, LATER))
    never_of = {
        system: np.mean([100 - rows[:, at_once] - rows[:, later] for _, rows in outputs], axis=0)
        for system, outputs in rows_of.items()
    }
    n_compared = len(rows_of) - (baseline in rows_of)
    for system in sorted(rows_of, key=lambda system: system != baseline):
        distinct = _distinct(rows_of[system])
        n_answers = len(distinct) * scored.metric.repeats
        n_at_once = round(distinct[:, at_once].sum() / 100 * scored.metric.repeats)
        n_later = round(distinct[:, later].sum() / 100 * scored.metric.repeats)
        p_value = nan
        if baseline in rows_of and system != baseline:
            p_value = min(1.0, n_compared * _p_of_difference(never_of[baseline], never_of[system]))
        yield JudgeAnswers(
            test_set=scored.test_set.name,
            metric=scored.metric.key,
            system=system,
            n_answers=n_answers,
            at_once=n_at_once,
            later=n_later,
            never=n_answers - n_at_once - n_later,
            p_value=p_value,
        )


def judged_outputs(scored: Scored) -> FloatArray:
    """Return statistics of the distinct outputs of all systems, shape ``(outputs, d)``."""
    return _distinct([pair for outputs in _rows_by_system(scored).values() for pair in outputs])


_Outputs = list[tuple[Sequence[str], StatArray]]  # texts and statistics of some runs


def _rows_by_system(scored: Scored) -> dict[str, _Outputs]:
    """Return the outputs of each system, also of those that are not compared."""
    outputs_of: dict[str, _Outputs] = {}
    for system, statistics in scored.statistics.items():
        runs = scored.test_set.runs_of(system)
        outputs_of[system] = []
        for place, (run, mean) in enumerate(zip(runs, statistics, strict=True)):
            samples = scored.samples[system][place] if system in scored.samples else mean[np.newaxis]
            texts = [sample.hypotheses for sample in run.decodings]
            outputs_of[system] += zip(texts, samples, strict=True)
    for run, rows in scored.left_out.items():
        outputs_of.setdefault(run.system, []).append((run.hypotheses, rows))
    return outputs_of


def _distinct(outputs: _Outputs) -> FloatArray:
    """Return the statistics of each pair of segment and text once."""
    rows_of: dict[tuple[int, str], StatArray] = {}
    for texts, statistics in outputs:
        rows_of.update(zip(enumerate(texts), statistics, strict=True))
    return np.array(list(rows_of.values()), dtype=np.float64)


def _p_of_difference(one: FloatArray, other: FloatArray) -> float:
    """Return the p-value that neither share is the larger one on more segments."""
    return sign_test(int(np.count_nonzero(one > other)), int(np.count_nonzero(one < other)))
