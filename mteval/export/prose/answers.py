"""What the numbers say, in words: the two answers, where they disagree, and what the spreads suggest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mteval.counts import listed
from mteval.export.significance import UNIT_NAMES
from mteval.notation import MINUS, level, p_equals
from mteval.run_words import RUN, RunWord
from mteval.settings import Design
from mteval.verdict import Correction, Verdict

_DESIGNS: Mapping[Design, str] = {
    "independent": "",
    "paired": "Runs of the same name are compared in pairs, as they were declared.",
    "fixed": "{baseline} is taken as a fixed system, as it was declared: its own luck with training is left out.",
}


AFTER: Mapping[Correction, str] = {"looks": "the planned looks", "systems": "Holm over the systems"}
NOT_FOR: Mapping[Correction, str] = {"looks": "the planned looks", "systems": "the number of systems"}


def provisional_help(runs: RunWord) -> str:
    """What an answer from two runs is worth."""
    return f"two {runs.nouns} a system say little about {runs.luck}; three or more give a verdict."


@dataclass(frozen=True)
class Said:
    """What stands as the question, and what is answered."""

    question: str
    answer: str


def strip_help(most_runs: int, runs: RunWord = RUN) -> str:
    """How the strip of runs is read, where a system has at most so many."""
    bar = "The thin bar is s (test set) to both sides, which another choice of sentences would bring"
    if most_runs == 1:
        return runs.said(
            f"Each dot is the one run of its system, as the diamond is. {bar}; from one run nothing is known of others."
        )
    return runs.said(
        "Each dot is a run, the open one the median run; the diamond is the average."
        f" {bar}; the thick one is s (training), which another run would."
    )


def test_set_luck_answer(verdict: Verdict) -> Said:
    """Could the choice of sentences explain this difference, these runs taken as given?"""
    return Said("Test-set luck", _test_set_luck(verdict))


def both_answer(verdict: Verdict, confidence: float) -> Said:
    """Could re-running the optimizer or seed explain it as well? Answered from three runs a system on."""
    return Said(both_question(verdict.runs), _both(verdict, confidence))


def both_question(runs: RunWord) -> str:
    """What the second question is called."""
    return f"Test-set and {runs.luck} together"


def unadjusted(corrections: Sequence[Correction]) -> str:
    """What an interval that stands beside an adjusted p is not adjusted for; empty where p is not either."""
    return f", not adjusted for {listed([NOT_FOR[one] for one in corrections])}" if corrections else ""


def _test_set_luck(verdict: Verdict) -> str:
    units, nouns = _units(verdict.unit), verdict.runs.nouns
    what = f"{_difference(verdict)}, {_direction(verdict)}"
    p = p_before_and_after(verdict.p_test_set, verdict.p_test_set_adjusted)
    if verdict.test_set_luck == "refused":
        return f"{what}, cannot be tested. {verdict.runs.said(verdict.note_test_set)}"
    if verdict.difference == 0:
        return f"{_difference(verdict)}, {_direction(verdict)}: there is nothing for luck to explain ({p})."
    if verdict.test_set_luck == "ruled out":
        return f"{what}, is not explained by the choice of {units}, these {nouns} taken as given ({p})."
    return f"{what}; the choice of {units} as its explanation cannot be ruled out, these {nouns} taken as given ({p})."


def _both(verdict: Verdict, confidence: float) -> str:
    if verdict.both == "refused":
        return _why_refused(verdict)
    interval = f"{level(confidence)} interval {verdict.notation.interval(verdict.low, verdict.high)}"
    interval += unadjusted(verdict.corrections)
    numbers = f"({interval}; {p_before_and_after(verdict.p_both, verdict.p_both_adjusted, verdict.corrections)})"
    what = _difference(verdict)
    if verdict.difference == 0:
        return f"{what}, {_direction(verdict)}; a difference that luck hides is not ruled out {numbers}."
    answer = (
        f"{what} is not explained by new {_units(verdict.unit_both)} and {verdict.runs.again}{_whose(verdict)}"
        f" {numbers}."
        if verdict.both == "ruled out"
        else f"Luck cannot be ruled out as the explanation of {what} {numbers}."
    )
    answer += f" {declared_sentence(verdict.design, verdict.baseline)}".rstrip()
    if verdict.is_provisional:
        answer += f" Provisional: {provisional_help(verdict.runs)}"
    return answer


def declared_sentence(design: Design, baseline: str) -> str:
    """What the second answer takes as declared; empty where runs are independent."""
    return _DESIGNS[design].format(baseline=baseline)


def _whom(verdict: Verdict) -> str:
    """Of which systems runs are needed."""
    if verdict.design == "fixed":
        return verdict.system
    return "each system; or declare the baseline as fixed in the settings, if it will never be trained or decoded again"


def _whose(verdict: Verdict) -> str:
    return f" of {verdict.system}" if verdict.design == "fixed" else ""


def disagreement_remark(verdict: Verdict) -> str:
    """What it means that the two answers differ; empty where they agree or none was given."""
    answers, nouns = (verdict.test_set_luck, verdict.both), verdict.runs.nouns
    if answers == ("ruled out", "open"):
        return (
            f"The two answers disagree: the choice of {_units(verdict.unit)} does not explain what these {nouns} show,"
            f" but new {nouns} could undo it. The second answer is the verdict."
        )
    if answers == ("open", "ruled out"):
        return f"The two answers disagree: {_ways(verdict)}. Neither is beyond doubt; report both."
    if answers == ("ruled out", "refused"):
        return (
            f"Only luck with the test set is ruled out. Whether new {nouns} would show the same difference is unknown,"
            " and a small p-value here says nothing of it."
        )
    return ""


def _ways(verdict: Verdict) -> str:
    """Why only the second of two answers rules luck out, though it asks about more of it."""
    if verdict.unit != verdict.unit_both:
        units = _units(verdict.unit_both)
        return f"the first exchanges single {UNIT_NAMES[verdict.unit]}, the second takes {units} as units"
    return (
        f"both take {_units(verdict.unit)} as units, but judge by different approximations, exchange at random and"
        " Student's t"
    )


def _units(unit: str) -> str:
    """What of the test set could have been chosen otherwise: outputs are exchanged singly, sentences are chosen."""
    return UNIT_NAMES["document" if unit == "document" else "segment"]


def _difference(verdict: Verdict) -> str:
    return f"{verdict.notation.difference(verdict.difference)} {verdict.metric_name}"


def _direction(verdict: Verdict) -> str:
    if verdict.difference == 0:
        return f"{verdict.system} level with {verdict.baseline}"
    better, worse = verdict.notation.comparatives
    hardly = "" if verdict.notation.difference(verdict.difference).startswith(("+", MINUS)) else "hardly "
    return f"{verdict.system} {hardly}{better if verdict.improvement > 0 else worse} than {verdict.baseline}"


def p_before_and_after(raw: float, adjusted: float, corrections: Sequence[Correction] = ("systems",)) -> str:
    """``p = 0.009``; after the correction where that changes it, even where both are written alike."""
    before, after = p_equals(raw), p_equals(adjusted)
    if raw == adjusted:
        return before
    by = listed([AFTER[one] for one in corrections])
    if before == after:
        return f"{before}, before and after {by}"
    return f"{before}, after {by} {after}"


def _why_refused(verdict: Verdict) -> str:
    if verdict.n_runs < 2:
        runs = verdict.runs
        redone = "re-running the optimizer or training" if runs == RUN else runs.again
        return (
            f"No answer where a system has one {runs.noun}: {redone} could change this difference, and one"
            f" {runs.noun} cannot show by how much. Load three or more {runs.nouns} of {_whom(verdict)}."
        )
    return verdict.runs.said(verdict.note_both)
