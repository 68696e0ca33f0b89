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
from mteval.stats.proportions import sign_test

LEVEL = 0.05  # of a difference between systems that is warned of
AT_ONCE, LATER = OF_ANSWERS[:2]

_Outputs = list[tuple[Sequence[str], StatArray]]  # texts and statistics of some runs


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
        Exact sign test over segments: is the share of answers never understood the baseline's? Multiplied by the number
        of systems compared; NaN for the baseline.
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
    outputs_of = _outputs_by_system(scored)
    at_once = scored.metric.fields.index(AT_ONCE)
    later = scored.metric.fields.index(LATER)

    # Percentage of answers that were never understood, mean over runs and samples, shape ``(segments,)``
    never_of = {}
    for system, outputs in outputs_of.items():
        never = [100 - statistics[:, at_once] - statistics[:, later] for _, statistics in outputs]
        never_of[system] = np.mean(never, axis=0)

    n_compared = len(outputs_of) - (baseline in outputs_of)
    for system in sorted(outputs_of, key=lambda system: system != baseline):
        distinct = _distinct(outputs_of[system])
        n_answers = len(distinct) * scored.metric.repeats
        n_at_once = round(distinct[:, at_once].sum() / 100 * scored.metric.repeats)
        n_later = round(distinct[:, later].sum() / 100 * scored.metric.repeats)
        p_value = nan
        if baseline in outputs_of and system != baseline:
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
    outputs: _Outputs = []
    for of_system in _outputs_by_system(scored).values():
        outputs += of_system
    return _distinct(outputs)


def _outputs_by_system(scored: Scored) -> dict[str, _Outputs]:
    """Return the outputs of each system, also of those that are not compared."""
    outputs_of: dict[str, _Outputs] = {}
    for system, statistics in scored.statistics.items():
        runs = scored.test_set.runs_of(system)
        outputs_of[system] = []
        for place, (run, mean_of_samples) in enumerate(zip(runs, statistics, strict=True)):
            samples = mean_of_samples[np.newaxis]
            if system in scored.samples:  # runs with several outputs per segment
                samples = scored.samples[system][place]
            texts = [sample.hypotheses for sample in run.decodings]
            outputs_of[system] += zip(texts, samples, strict=True)
    for run, rows in scored.left_out.items():
        outputs_of.setdefault(run.system, []).append((run.hypotheses, rows))
    return outputs_of


def _distinct(outputs: _Outputs) -> FloatArray:
    """Return the statistics of each pair of segment and text once."""
    rows_of: dict[tuple[int, str], StatArray] = {}  # by segment and text
    for texts, statistics in outputs:
        rows_of.update(zip(enumerate(texts), statistics, strict=True))
    return np.array(list(rows_of.values()), dtype=np.float64)


def _p_of_difference(baseline: FloatArray, system: FloatArray) -> float:
    """Return the two-sided p-value, over segments, that each share is as often the larger one."""
    n_baseline_larger = int(np.count_nonzero(baseline > system))
    n_system_larger = int(np.count_nonzero(baseline < system))
    return sign_test(n_baseline_larger, n_system_larger)
