"""What the numbers say, in words: the two answers, where they disagree, and what the spreads suggest."""

from dataclasses import dataclass

from mteval.export.significance import UNIT_NAMES
from mteval.notation import MINUS, level, p_equals
from mteval.verdict import Verdict


@dataclass(frozen=True)
class Said:
    """What stands as the question, and what is answered."""

    question: str
    answer: str


def strip_help(most_runs: int) -> str:
    """How the strip of runs is read, where a system has at most so many."""
    bar = "The thin bar is s (test set) to both sides, which another choice of sentences would bring"
    if most_runs == 1:
        return (
            f"Each dot is the one run of its system, as the diamond is. {bar}; from one run nothing is known of others."
        )
    return (
        "Each dot is a run, the open one the median run; the diamond is the average."
        f" {bar}; the thick one is s (training), which another run would."
    )


def test_set_luck_answer(verdict: Verdict) -> Said:
    """Could the choice of sentences explain this difference, these runs taken as given?"""
    return Said("Test-set luck", _test_set_luck(verdict))


def both_answer(verdict: Verdict, confidence: float) -> Said:
    """Could re-running the optimizer or seed explain it as well? Answered from three runs a system on."""
    return Said("Test-set and training luck together", _both(verdict, confidence))


def _test_set_luck(verdict: Verdict) -> str:
    units = _units(verdict.unit)
    what = f"{_difference(verdict)}, {_direction(verdict)}"
    p = _p(verdict.p_test_set, verdict.p_test_set_adjusted)
    if verdict.test_set_luck == "refused":
        return f"{what}, cannot be tested. {verdict.note_test_set}"
    if verdict.difference == 0:
        return f"{_difference(verdict)}, {_direction(verdict)}: there is nothing for luck to explain ({p})."
    if verdict.test_set_luck == "ruled out":
        return f"{what}, is not explained by the choice of {units}, these runs taken as given ({p})."
    return f"{what}; the choice of {units} as its explanation cannot be ruled out, these runs taken as given ({p})."


def _both(verdict: Verdict, confidence: float) -> str:
    if verdict.both == "refused":
        return _why_refused(verdict)
    is_adjusted = verdict.p_both != verdict.p_both_adjusted
    interval = f"{level(confidence)} interval {verdict.notation.interval(verdict.low, verdict.high)}"
    interval += ", not adjusted for the number of systems" if is_adjusted else ""
    numbers = f"({interval}; {_p(verdict.p_both, verdict.p_both_adjusted)})"
    what = _difference(verdict)
    if verdict.difference == 0:
        return f"{what}, {_direction(verdict)}; a difference that luck hides is not ruled out {numbers}."
    answer = (
        f"{what} is not explained by new {_units(verdict.unit_both)} and re-run training {numbers}."
        if verdict.both == "ruled out"
        else f"Luck cannot be ruled out as the explanation of {what} {numbers}."
    )
    if verdict.is_provisional:
        answer += " Provisional: two runs a system say little about training luck; three or more give a verdict."
    return answer


def disagreement_remark(verdict: Verdict) -> str:
    """What it means that the two answers differ; empty where they agree or none was given."""
    answers = (verdict.test_set_luck, verdict.both)
    if answers == ("ruled out", "open"):
        return (
            f"The two answers disagree: the choice of {_units(verdict.unit)} does not explain what these runs show, but"
            " new runs could undo it. The second answer is the verdict."
        )
    if answers == ("open", "ruled out"):
        return f"The two answers disagree: {_ways(verdict)}. Neither is beyond doubt; report both."
    if answers == ("ruled out", "refused"):
        return (
            "Only luck with the test set is ruled out. Whether new runs would show the same difference is unknown, and"
            " a small p-value here says nothing of it."
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


def _p(raw: float, adjusted: float) -> str:
    """``p = 0.009``; after the correction where that changes it, even where both are written alike."""
    before, after = p_equals(raw), p_equals(adjusted)
    if raw == adjusted:
        return before
    if before == after:
        return f"{before}, before and after Holm over the systems"
    return f"{before}, after Holm over the systems {after}"


def _why_refused(verdict: Verdict) -> str:
    if verdict.n_runs < 2:
        return (
            "No answer where a system has one run: re-running the optimizer or training could change this difference,"
            " and one run cannot show by how much. Load three or more runs of each system."
        )
    return verdict.note_both
