"""What several test sets say together, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from mteval import figures
from mteval.answers.procedures import UNIT_NAMES
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.answers.verdict import both_question, p_before_and_after, unadjusted
from mteval.base.words import agreeing, counted, listed
from mteval.values.claim import Claim, Finding
from mteval.values.notation import DASH, level, percent
from mteval.values.verdict import Conclusion

FEW_TEST_SETS = 5  # of fewer, how much test sets differ is known so badly that it is said
TITLE = "Several test sets together"
_LIKE_THESE = "Test sets like these"


def claim_sections(claims: Sequence[Claim], confidence: float) -> list[Section]:
    """Each claim with its verdict, the sentence to quote, a row a test set, and what is asked of the whole."""
    return [_claim_section(claim, confidence) for claim in claims]


def _claim_section(claim: Claim, confidence: float) -> Section:
    about, conclusion = f"{claim.metric_name}: {claim.system} against {claim.baseline}", claim.conclusion
    columns = (
        Column("test_set", "Test set"),
        Column("units", "Units", "count",
               write=lambda row: f"{row['n_units']:,} {UNIT_NAMES[row['unit']]}" if row["unit"] else DASH),
        Column("runs", claim.runs.filled("{Runs}"), "count",
               write=lambda row: " and ".join(map(str, dict.fromkeys(row["n_runs"]))) or DASH),
        Column("difference", "Difference", "difference"),
        Column("interval_test_set", "Interval, test-set luck", "interval", fields=("low_test_set", "high_test_set")),
        Column("interval", "Interval, both kinds", "interval", fields=("low", "high")),
    )  # fmt: skip
    asked = ("Test-set luck", both_question(claim.runs), _LIKE_THESE)
    answers = (
        f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" for text in _answers(claim, confidence)
    )
    terms = list(zip(asked, answers, strict=True))
    if claim.tau == claim.tau:
        terms.append(("How much test sets differ", _spread(claim)))
    names = listed([row.test_set for row in claim.rows])
    scope = " ".join((f"Test sets: {names}; each counts alike.", _groups(claim), *claim.notes))
    return Section(
        f"claim-{claim.metric}-{claim.system}",
        about,
        (claim_sentence(claim, confidence),),
        Table(columns, pd.DataFrame(_rows(claim)), f"{about}, by test set", notation=claim.notation),
        lambda: figures.forest.claim_forest(claim, confidence),
        legend=_legend(claim, confidence),
        notes=noted(scope),
        terms=tuple(terms),
        verdict=Cell(conclusion.word, shape=conclusion.shape, role=conclusion.role),
    )


def _rows(claim: Claim) -> Iterator[dict[str, Any]]:
    """A row a test set, and the whole."""
    yield from map(asdict, claim.rows)
    runs, sets, others = claim.findings
    whole = {"unit": "", "n_units": 0, "n_runs": (), "difference": claim.difference}
    ends = {"low_test_set": runs.low, "high_test_set": runs.high, "low": sets.low, "high": sets.high}
    yield {"test_set": "Mean", **whole, **ends}
    if others.answer != "refused":
        yield {"test_set": _LIKE_THESE, **whole, "low": others.low, "high": others.high}


def _legend(claim: Claim, confidence: float) -> str:
    """What the bars of the figure are."""
    nouns = claim.runs.nouns
    text = (
        f"A row a test set, and the mean, in which each counts alike. Thick bars: {level(confidence)} interval for"
        f" other {_units(claim)}, these {nouns} taken as given. Thin bars: for new {nouns} as well."
    )
    if claim.like_these.answer == "refused":
        return text
    last = "In the last row the thick bar is that of the thin one above it, and the thin one is for other test sets"
    return f"{text} {last} as well."


def claim_sentence(claim: Claim, confidence: float) -> str:
    """The one to quote: the mean difference, its interval, and what is ruled out."""
    difference = claim.notation.difference(claim.difference)
    mean = f"{difference} {claim.metric_name} on average over {counted(claim.n_test_sets, 'test set')}"
    if claim.difference == 0:
        mean = f"{mean}, {claim.system} level with {claim.baseline}"
    else:
        better, worse = claim.notation.comparatives
        mean = f"{mean}, {claim.system} {better if claim.improvement > 0 else worse} than {claim.baseline}"
    if claim.conclusion is Conclusion.CANNOT_BE_SAID:
        return f"{mean}. {claim.these_test_sets.note}"
    return f"{mean}: {_answers(claim, confidence)[1]}."


def methods_sentences(claims: Sequence[Claim]) -> Iterator[str]:
    """What was done, for the methods section; nothing where there is no claim over several test sets."""
    if not claims:
        return
    claim = claims[0]
    names = listed([row.test_set for row in claim.rows])
    translated = f"the test sets that they translated, of which there are {counted(claim.n_groups, 'group')}"
    crossed = "all of them" if claim.n_groups == 1 else translated
    yield (
        f"Claims over {counted(claim.n_test_sets, 'test set')} ({names}) are about the mean of their differences:"
        f" contributions of {_units(claim)} are weighted so that each test set counts alike, {_units(claim)} are drawn"
        f" within test sets, and {claim.runs.nouns} are crossed with {crossed} (Student's t with"
        " Satterthwaite's degrees of freedom)."
    )
    if any(one.like_these.answer != "refused" for one in claims):
        yield (
            "For other test sets like these the variance between test sets takes the place of that over"
            f" {_units(claim)}, with one degree of freedom less than there are test sets."
        )
    yield (
        "How much true differences vary between test sets is given as tau (Paule and Mandel, 1982) and I² (Higgins and"
        " Thompson, 2002)."
    )


def _answers(claim: Claim, confidence: float) -> list[str]:
    """What is said of these runs, of these test sets, and of test sets like these."""
    units, nouns = _units(claim), claim.runs.nouns
    given = f"these {nouns} taken as given"
    provisional = f"; provisional, from two {nouns} of a system" if claim.is_provisional else ""
    says = (
        (f"not explained by the choice of {units}, {given}",
         f"the choice of {units} as its explanation cannot be ruled out, {given}", ""),
        (f"not explained by new {units} and {claim.runs.again} on these test sets",
         "luck cannot be ruled out as the explanation on these test sets", provisional),
        ("not explained by the choice of these test sets among others like them either",
         "whether other test sets like these would show it is open", ""),
    )  # fmt: skip
    return [
        finding.note
        if finding.answer == "refused"
        else f"{ruled_out if finding.answer == 'ruled out' else is_open} {_numbers(claim, finding, confidence)}{end}"
        for finding, (ruled_out, is_open, end) in zip(claim.findings, says, strict=True)
    ]


def _spread(claim: Claim) -> str:
    notation, last = claim.notation, claim.n_test_sets - 1
    if claim.tau == 0:
        text = "Luck alone explains how the observed differences vary from test set to test set (τ = 0)"
    else:
        text = (
            "True differences vary from test set to test set with a standard deviation τ ="
            f" {notation.number(claim.tau)} {claim.metric_name}; I² = {percent(claim.i_squared, 0)} of what is observed"
            " is beyond luck"
        )
    few = claim.n_test_sets < FEW_TEST_SETS
    says = agreeing(last, "says", "say")
    return f"{text}, known from {counted(last, 'degree')} of freedom, which {says} little of it." if few else f"{text}."


def _numbers(claim: Claim, finding: Finding, confidence: float) -> str:
    ends = claim.notation.interval(finding.low, finding.high)
    interval = f"{level(confidence)} interval {ends}{unadjusted(finding.corrections)}"
    return f"({interval}; {p_before_and_after(finding.p_value, finding.p_adjusted, finding.corrections)})"


def _groups(claim: Claim) -> str:
    nouns = claim.runs.nouns
    if claim.n_groups == 1:
        return f"The same {nouns} of each system stand behind all test sets, so that their luck is common to these."
    if claim.n_groups == claim.n_test_sets:
        return f"Each test set has {nouns} of its own, whose luck is its own."
    return f"{claim.n_groups} groups of test sets have {nouns} of their own; within a group they are the same."


def _units(claim: Claim) -> str:
    return listed(list(dict.fromkeys(UNIT_NAMES[row.unit] for row in claim.rows)))
