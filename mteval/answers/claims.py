"""Claims over several test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from mteval import figures
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.answers.verdict import TEST_SET_LUCK, both_question, p_before_and_after, unadjusted
from mteval.base.words import counted, listed, plural
from mteval.values.claim import Claim, Finding
from mteval.values.notation import DASH, level, percent
from mteval.values.verdict import PROVISIONAL, Conclusion

FEW_TEST_SETS = 5  # with fewer, the variation between test sets is uncertain
TITLE = "Several test sets together"
_LIKE_THESE = "Test sets like these"


def claim_sections(claims: Sequence[Claim], confidence: float) -> list[Section]:
    """Return each claim with its verdict, the sentence to quote, and one row per test set."""
    return [_claim_section(claim, confidence) for claim in claims]


def _claim_section(claim: Claim, confidence: float) -> Section:
    about, conclusion = f"{claim.metric_name}: {claim.system} vs {claim.baseline}", claim.conclusion
    columns = (
        Column("test_set", "Test set"),
        Column("units", "Units", "count",
               write=lambda row: f"{row['n_units']:,} {plural(row['unit'])}" if row["unit"] else DASH),
        Column("runs", claim.runs.filled("{Runs}"), "count",
               write=lambda row: " and ".join(map(str, dict.fromkeys(row["n_runs"]))) or DASH),
        Column("difference", "Difference", "difference"),
        Column("interval_test_set", "CI (test set)", "interval", fields=("low_test_set", "high_test_set")),
        Column("interval", "CI (both)", "interval", fields=("low", "high")),
    )  # fmt: skip
    asked = (TEST_SET_LUCK, both_question(claim.runs), _LIKE_THESE)
    terms = list(zip(asked, (_answer(claim, finding, confidence) for finding in claim.findings), strict=True))
    if claim.tau == claim.tau:
        terms.append(("Variation between test sets", _spread(claim)))
    names = listed([row.test_set for row in claim.rows])
    return Section(
        f"claim-{claim.metric}-{claim.system}", about, (claim_sentence(claim, confidence),),
        Table(columns, pd.DataFrame(_rows(claim)), f"{about}, by test set", notation=claim.notation),
        lambda: figures.forest.claim_forest(claim, confidence), _legend(claim, confidence),
        noted(" ".join((f"Test sets, equally weighted: {names}.", _groups(claim), *claim.notes))), terms=tuple(terms),
        verdict=Cell.of(conclusion),
    )  # fmt: skip


def _rows(claim: Claim) -> Iterator[dict[str, Any]]:
    """Yield one row per test set, and the mean."""
    yield from map(asdict, claim.rows)
    runs, sets, others = claim.findings
    whole = {"unit": "", "n_units": 0, "n_runs": (), "difference": claim.difference}
    ends = {"low_test_set": runs.low, "high_test_set": runs.high, "low": sets.low, "high": sets.high}
    yield {"test_set": "Mean", **whole, **ends}
    if others.answer != "refused":
        yield {"test_set": _LIKE_THESE, **whole, "low": others.low, "high": others.high}


def _legend(claim: Claim, confidence: float) -> str:
    text = f"Thick bars: {level(confidence)} CI for test-set luck. Thin bars: for test-set and {claim.runs.luck}."
    text = f"{text} All are Student's t; on a test set's own page the interval also covers the shuffle test."
    last = " Last row: thick, the CI of the mean; thin, for other test sets as well."
    return text if claim.like_these.answer == "refused" else f"{text}{last}"


def claim_sentence(claim: Claim, confidence: float) -> str:
    """Return the sentence to quote: the mean difference, its interval, and the verdict."""
    n_test_sets = counted(claim.n_test_sets, "test set")
    mean = f"{claim.notation.difference(claim.difference)} {claim.metric_name} on average over {n_test_sets}"
    if claim.conclusion is Conclusion.CANNOT_BE_SAID:
        return f"{mean}. {claim.deciding.note}"
    provisional = f", {PROVISIONAL}" if claim.is_provisional else ""
    verdict = f"{claim.system} vs {claim.baseline}: {claim.conclusion.word}{provisional}"
    return f"{mean} ({_numbers(claim, claim.deciding, confidence)}). {verdict}."


def methods_sentences(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the sentences of the methods section on claims over several test sets; none without claims."""
    if not claims:
        return
    claim = claims[0]
    names = listed([row.test_set for row in claim.rows])
    units = listed(list(dict.fromkeys(plural(row.unit) for row in claim.rows)))
    groups = f" ({counted(claim.n_groups, 'group')} with {claim.runs.nouns} of their own)" if claim.n_groups > 1 else ""
    yield (
        f"Over {counted(claim.n_test_sets, 'test set')} ({names}), we test the equally weighted mean of the"
        f" differences (Student's t, Satterthwaite degrees of freedom). The {units} are stratified by test set and"
        f" crossed with {claim.runs.nouns}{groups}."
    )
    if any(one.like_these.answer != "refused" for one in claims):
        yield "For other test sets like these, the variance between test sets replaces the variance within them."
    yield "Variation between test sets is given as tau (Paule and Mandel, 1982) and I² (Higgins and Thompson, 2002)."


def _answer(claim: Claim, finding: Finding, confidence: float) -> str:
    if finding.answer == "refused":
        return finding.note
    says = "ruled out" if finding.answer == "ruled out" else "could explain the difference"
    return f"{says} ({_numbers(claim, finding, confidence)})"


def _spread(claim: Claim) -> str:
    text = "no more than luck (τ = 0)"
    if claim.tau != 0:
        tau = f"{claim.notation.number(claim.tau)} {claim.metric_name}"
        text = f"SD of the true differences τ = {tau}; I² = {percent(claim.i_squared, 0)}"
    few = f", uncertain with {counted(claim.n_test_sets - 1, 'degree')} of freedom"
    return f"{text}{few}" if claim.n_test_sets < FEW_TEST_SETS else text


def _numbers(claim: Claim, finding: Finding, confidence: float) -> str:
    ends = claim.notation.interval(finding.low, finding.high)
    interval = f"{level(confidence)} CI {ends}{unadjusted(finding.corrections)}"
    return f"{interval}; {p_before_and_after(finding.p_value, finding.p_adjusted, finding.corrections)}"


def _groups(claim: Claim) -> str:
    nouns = claim.runs.nouns
    if claim.n_groups == 1:
        return f"All test sets share the same {nouns}."
    if claim.n_groups == claim.n_test_sets:
        return f"Each test set has its own {nouns}."
    return f"{claim.n_groups} groups of test sets have their own {nouns}."
