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
GRID = ("metric", "system", "test_set", "mean", "difference", "conclusion", "p_test_set_adjusted", "p_run_adjusted")


def grid_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Return one row per metric, system and test set, the average over test sets last; columns ``GRID``.

    Its test sets are those of the claims: no system was tuned on them. The average weighs them equally; its verdict is
    that of the claim over them. Differences, conclusions and p-values are NaN or empty for the baseline. Empty without
    claims.
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


def _answer(verdict: Verdict | None) -> tuple[float, str, float, float]:
    """Return difference, conclusion and p-values of a verdict."""
    if verdict is None:
        return np.nan, "", np.nan, np.nan
    return verdict.difference, verdict.conclusion.word, verdict.p_test_set_adjusted, verdict.p_run_adjusted


def _answer_of_claim(claim: Claim | None) -> tuple[float, str, float, float]:
    """Return difference, conclusion and p-values of a claim over the test sets."""
    if claim is None:
        return np.nan, "", np.nan, np.nan
    return claim.difference, claim.conclusion.word, claim.these_runs.p_adjusted, claim.these_test_sets.p_adjusted
