"""The grid: every system on every test set or language pair, and on their average."""

from __future__ import annotations

from itertools import chain, product

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import verdicts
from mteval.values.claim import Claim
from mteval.values.verdict import Verdict

AVERAGE = "(average)"  # in place of a test set's name
_ANSWER = (
    "difference",
    "conclusion",
    "p_test_set_adjusted",
    "p_run_adjusted",
    "is_p_adjusted",
    "low",
    "high",
    "is_simultaneous",
)
GRID = ("metric", "system", "test_set", "mean", *_ANSWER)
_NONE = (np.nan, "", np.nan, np.nan, False, np.nan, np.nan, False)  # of the baseline

_Answer = tuple[float, str, float, float, bool, float, float, bool]


def grid_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Return one row per metric, system and test set, the average over test sets last; columns ``GRID``.

    Its test sets are those of the claims: no system was tuned on them. The average weighs them equally; its verdict is
    that of the claim over them. The interval, ``low`` to ``high``, is the one beside the verdict, ``is_simultaneous``
    if it covers all systems together; ``is_p_adjusted`` tells whether adjusting changed p. Differences, conclusions and
    p-values are NaN or empty for the baseline. Empty without claims.
    """
    rows_of_claims = chain.from_iterable(claim.rows for claim in evaluation.claims)
    test_sets = list(dict.fromkeys(row.test_set for row in rows_of_claims))
    systems = list(dict.fromkeys(row.system for row in evaluation.summaries))
    mean_of = {(row.metric, row.system, row.test_set): row.mean for row in evaluation.summaries}
    verdict_of = {(row.metric, row.system, row.test_set): row for row in verdicts(evaluation)}
    claim_of = {(claim.metric, claim.system): claim for claim in evaluation.claims}

    rows = []
    if test_sets:
        for metric, system in product(evaluation.metrics, systems):
            means = []
            for test_set in test_sets:
                mean = mean_of.get((metric, system, test_set), np.nan)
                answer = _answer(verdict_of.get((metric, system, test_set)))
                rows.append((metric, system, test_set, mean, *answer))
                means.append(mean)
            answer = _answer_of_claim(claim_of.get((metric, system)))
            rows.append((metric, system, AVERAGE, float(np.mean(means)), *answer))
    return pd.DataFrame(rows, columns=list(GRID))


def _answer(verdict: Verdict | None) -> _Answer:
    """Return difference, conclusion, p-values and interval of a verdict."""
    if verdict is None:
        return _NONE
    if verdict.is_of_test_set:
        low, high = verdict.ends_test_set
    else:
        low, high = verdict.ends_both
    return (
        verdict.difference,
        verdict.conclusion.word,
        verdict.p_test_set_adjusted,
        verdict.p_run_adjusted,
        verdict.has_adjusted_p,
        low,
        high,
        verdict.is_simultaneous,
    )


def _answer_of_claim(claim: Claim | None) -> _Answer:
    """Return difference, conclusion, p-values and interval of a claim over the test sets."""
    if claim is None:
        return _NONE
    deciding = claim.deciding
    return (
        claim.difference,
        claim.conclusion.word,
        claim.these_runs.p_adjusted,
        claim.these_test_sets.p_adjusted,
        bool(deciding.corrections),
        deciding.low,
        deciding.high,
        False,
    )
