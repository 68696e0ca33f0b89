"""Claims over several test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval import figures
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.answers.verdict import TEST_SET_LUCK, both_question, p_before_and_after, unadjusted
from mteval.base.words import counted, listed, plural
from mteval.values.claim import Claim, Finding
from mteval.values.notation import DASH, level, percent
from mteval.values.verdict import PROVISIONAL, Conclusion

if TYPE_CHECKING:
    import plotly.graph_objects as go

FEW_TEST_SETS = 5  # with fewer, the variation between test sets is uncertain
TITLE = "Several test sets together"
_LIKE_THESE = "Test sets like these"
_OTHER_INTERVALS = "A test set's own verdict has a wider interval if it also covers the shuffle test."


def claim_sections(claims: Sequence[Claim], confidence: float) -> list[Section]:
    """Return each claim with its verdict, the sentence to quote, and one row per test set."""
    return [_claim_section(claim, confidence) for claim in claims]


def _claim_section(claim: Claim, confidence: float) -> Section:
    title = f"{claim.metric_name}: {claim.system} vs {claim.baseline}"
    columns = [Column("test_set", "Test set")]
    if not claim.is_of_runs:
        columns.append(Column("units", "Units", "count", write=_n_units))
    columns += [
        Column("runs", claim.runs.filled("{Runs}"), "count", write=_n_runs),
        Column("difference", "Difference", "difference"),
    ]
    if claim.is_of_runs:
        columns.append(Column("interval", "CI", "interval", fields=("low", "high")))
    else:
        columns += [
            Column("interval_test_set", "CI (test set)", "interval", fields=("low_test_set", "high_test_set")),
            Column("interval", "CI (both)", "interval", fields=("low", "high")),
        ]
    table = Table(tuple(columns), pd.DataFrame(_rows(claim)), f"{title}, by test set", notation=claim.notation)

    def figure() -> go.Figure:
        return figures.forest.claim_forest(claim, confidence)

    # An answer about test-set luck, one about training luck as well, and one about other test sets like these
    second_question = claim.runs.filled("{Luck}") if claim.is_of_runs else both_question(claim.runs)
    questions = (TEST_SET_LUCK, second_question, _LIKE_THESE)
    terms = []
    for question, finding in zip(questions, claim.findings, strict=True):
        terms.append((question, _answer(claim, finding, confidence)))
    has_variation = claim.tau == claim.tau  # not NaN
    if has_variation:
        terms.append(("Variation between test sets", _variation(claim)))

    names = listed([row.test_set for row in claim.rows])
    sentences = [f"Test sets, equally weighted: {names}.", _groups_sentence(claim)]
    if not claim.is_of_runs:
        sentences.append(_OTHER_INTERVALS)
    note = " ".join((*sentences, *claim.notes))
    return Section(
        f"claim-{claim.metric}-{claim.system}",
        title,
        (claim_sentence(claim, confidence),),
        table,
        figure,
        _legend(claim, confidence),
        noted(note),
        verdict=Cell.of(claim.conclusion),
        terms=tuple(terms),
    )


def _n_units(row: Row) -> str:
    return f"{row['n_units']:,} {plural(row['unit'])}" if row["unit"] else DASH


def _n_runs(row: Row) -> str:
    """Return ``3``, or ``3 and 5`` if the systems differ; a dash for the mean."""
    if not row["n_runs"]:
        return DASH
    return " and ".join(str(number) for number in dict.fromkeys(row["n_runs"]))


def _rows(claim: Claim) -> Iterator[dict[str, Any]]:
    """Yield one row per test set, and the mean."""
    for row in claim.rows:
        yield asdict(row)
    of_runs, of_test_sets, of_others = claim.findings
    mean = {"test_set": "Mean", "unit": "", "n_units": 0, "n_runs": (), "difference": claim.difference}
    yield {
        **mean,
        "low_test_set": of_runs.low,
        "high_test_set": of_runs.high,
        "low": of_test_sets.low,
        "high": of_test_sets.high,
    }
    if of_others.answer != "refused":
        yield {**mean, "test_set": _LIKE_THESE, "low": of_others.low, "high": of_others.high}


def _legend(claim: Claim, confidence: float) -> str:
    text = claim.runs.filled(f"Bars: {level(confidence)} CI for {{luck}} (Welch's t); test-set luck is unknown.")
    if not claim.is_of_runs:
        text = _legend_of_both(claim, confidence)
    if claim.like_these.answer != "refused":
        text += " Last row: thick, the CI of the mean; thin, for other test sets as well."
    return text


def _legend_of_both(claim: Claim, confidence: float) -> str:
    """Return what the bars are that show test-set luck and both kinds of luck."""
    return (
        f"Thick bars: {level(confidence)} CI for test-set luck. Thin bars: for test-set and {claim.runs.luck}."
        " All are Student's t."
    )


def claim_sentence(claim: Claim, confidence: float) -> str:
    """Return the sentence to quote: the mean difference, its interval, and the verdict."""
    n_test_sets = counted(claim.n_test_sets, "test set")
    mean = f"{claim.notation.difference(claim.difference)} {claim.metric_name} on average over {n_test_sets}"
    if claim.conclusion is Conclusion.CANNOT_BE_SAID:
        return f"{mean}. {claim.deciding.note}"
    verdict = f"{claim.system} vs {claim.baseline}: {claim.conclusion.word}"
    if claim.is_provisional:
        verdict += f", {PROVISIONAL}"
    return f"{mean} ({_interval_and_p(claim, claim.deciding, confidence)}). {verdict}."


def claim_methods(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the sentences of the methods paragraph on claims over several test sets; none without claims."""
    if not claims:
        return
    first = claims[0]
    groups = ""
    if first.n_groups > 1:
        groups = f" ({counted(first.n_groups, 'group')} with {first.runs.nouns} of their own)"
    tested = f"Over the {counted(first.n_test_sets, 'test set')}, we test the equally weighted mean of the differences"
    if all(claim.is_of_runs for claim in claims):
        yield f"{tested} by Welch's t-test over the scores of {first.runs.nouns}{groups}."
        return
    units = listed(list(dict.fromkeys(plural(row.unit) for row in first.rows)))
    yield (
        f"{tested} (Student's t, Satterthwaite degrees of freedom), with {units} stratified by test set and crossed"
        f" with {first.runs.nouns}{groups}."
    )


def claim_details(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield how claims over several test sets were computed, for an appendix; nothing without claims."""
    if any(not isnan(claim.these_test_sets.p_family) for claim in claims):
        nouns = claims[0].runs.nouns
        yield (
            f"Adjusted p_run over test sets: variances over {nouns} below the square of the systems' mean SD"
            " are shrunk towards it (two degrees of freedom) before Holm's adjustment."
        )
    if any(claim.like_these.answer != "refused" for claim in claims):
        yield "For other test sets like these, the variance between test sets replaces the variance within them."
    if any(claim.tau == claim.tau for claim in claims):  # not NaN
        yield (
            "Variation between test sets is given as tau (Paule and Mandel, 1982) and I² (Higgins and Thompson, 2002)."
        )


def _answer(claim: Claim, finding: Finding, confidence: float) -> str:
    """Return whether this luck could explain the difference, with the numbers; why not, if refused."""
    if finding.answer == "refused":
        return finding.note
    answer = "ruled out" if finding.answer == "ruled out" else "could explain the difference"
    return f"{answer} ({_interval_and_p(claim, finding, confidence)})"


def _interval_and_p(claim: Claim, finding: Finding, confidence: float) -> str:
    interval = claim.notation.interval(finding.low, finding.high)
    p = p_before_and_after(finding.p_value, finding.p_adjusted, finding.corrections)
    coverage = claim.runs.filled(", {luck} only") if claim.is_of_runs else ""
    return f"{level(confidence)} CI {interval}{coverage}{unadjusted(finding.corrections)}; {p}"


def _variation(claim: Claim) -> str:
    """Return the standard deviation of the true differences between test sets, and how sure it is."""
    if claim.tau == 0:
        text = "no more than luck (τ = 0)"
    else:
        tau = f"{claim.notation.number(claim.tau)} {claim.metric_name}"
        text = f"SD of the true differences τ = {tau}; I² = {percent(claim.i_squared, 0)}"
    if claim.n_test_sets < FEW_TEST_SETS:
        text += f", uncertain with {counted(claim.n_test_sets - 1, 'degree')} of freedom"
    return text


def _groups_sentence(claim: Claim) -> str:
    """Return which test sets share their runs."""
    nouns = claim.runs.nouns
    if claim.n_groups == 1:
        return f"All test sets share the same {nouns}."
    if claim.n_groups == claim.n_test_sets:
        return f"Each test set has its own {nouns}."
    return f"{claim.n_groups} groups of test sets have their own {nouns}."
