"""The verdict on a system against the baseline, in a word, on a card and in full, and what there is to know beside it.

A verdict is nowhere shown without what it rests on: the p-values that decide are the adjusted ones, and say so; beside
them stand the interval, and the segments that the two systems were compared on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mteval.analysis.results import Results
from mteval.answers.procedures import UNIT_NAMES
from mteval.answers.scores import covered
from mteval.answers.section import Cell, Note, Section, noted
from mteval.base.words import counted, listed
from mteval.values.notation import DASH, MINUS, level, p_equals, significant
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design, Settings, looks_in_words
from mteval.values.verdict import PROVISIONAL, Answer, Conclusion, Correction, Verdict

_DESIGNS: Mapping[Design, str] = {
    "independent": "",
    "paired": "{Runs} of the same name are compared in pairs, as they were declared.",
    "fixed": "{baseline} is taken as a fixed system, as it was declared: its own luck with training is left out.",
}


AFTER: Mapping[Correction, str] = {"looks": "the planned looks", "systems": "Holm over the systems"}
TEST_SET_LUCK = "Test-set luck"
NOT_FOR: Mapping[Correction, str] = {"looks": "the planned looks", "systems": "the number of systems"}


def both_question(runs: RunWord) -> str:
    """What the second question is called."""
    return f"Test-set and {runs.luck} together"


def unadjusted(corrections: Sequence[Correction]) -> str:
    """What an interval that stands beside an adjusted p is not adjusted for; empty where p is not either."""
    return f", not adjusted for {listed([NOT_FOR[one] for one in corrections])}" if corrections else ""


def interval_text(verdict: Verdict, confidence: float) -> str:
    """``95% interval −0.28 to +0.85`` of both kinds of luck, with what it is adjusted for beside an adjusted p."""
    text, left = verdict.notation.interval(verdict.low, verdict.high), [*verdict.corrections]
    if verdict.simultaneous and "systems" in left:
        left.remove("systems")
        wide = verdict.notation.interval(verdict.low_simultaneous, verdict.high_simultaneous)
        text += f", for the number of systems {wide} ({verdict.simultaneous})"
    return f"{level(confidence)} interval {text}{unadjusted(left)}"


def test_set_luck_answer(verdict: Verdict) -> str:
    """Could the choice of sentences explain this difference, these runs taken as given?"""
    units, nouns = _units(verdict.unit), verdict.runs.nouns
    what = f"{_difference(verdict)}, {_direction(verdict)}"
    p = p_before_and_after(verdict.p_test_set, verdict.p_test_set_adjusted)
    if verdict.test_set_luck == "refused":
        return f"{what}, cannot be tested. {verdict.note_test_set}"
    if verdict.difference == 0:
        return f"{what}: there is nothing for luck to explain ({p})."
    if verdict.test_set_luck == "ruled out":
        return f"{what}, is not explained by the choice of {units}, these {nouns} taken as given ({p})."
    return f"{what}; the choice of {units} as its explanation cannot be ruled out, these {nouns} taken as given ({p})."


def both_answer(verdict: Verdict, confidence: float) -> str:
    """Could re-running the optimizer or seed explain it as well? Answered from three runs a system on."""
    if verdict.both == "refused":
        return _why_refused(verdict)
    interval, runs = interval_text(verdict, confidence), verdict.runs
    numbers = f"({interval}; {p_before_and_after(verdict.p_both, verdict.p_both_adjusted, verdict.corrections)})"
    what = _difference(verdict)
    if verdict.difference == 0:
        return f"{what}, {_direction(verdict)}; a difference that luck hides is not ruled out {numbers}."
    if verdict.both == "ruled out":
        whose = f" of {verdict.system}" if verdict.design == "fixed" else ""
        answer = f"{what} is not explained by new {_units(verdict.unit_both)} and {runs.again}{whose} {numbers}."
    else:
        answer = f"Luck cannot be ruled out as the explanation of {what} {numbers}."
    answer += f" {declared_sentence(verdict.design, verdict.baseline, runs)}".rstrip()
    if verdict.is_provisional:
        answer += f" Provisional: two {runs.nouns} a system say little about {runs.luck}; three or more give a verdict."
    return answer


def declared_sentence(design: Design, baseline: str, runs: RunWord = RUN) -> str:
    """What the second answer takes as declared; empty where runs are independent."""
    return runs.filled(_DESIGNS[design], baseline=baseline)


def look_sentences(settings: Settings) -> Iterator[str]:
    """For the methods of a paper; nothing where all runs were made before the first number was seen."""
    plan = settings.look_plan
    if plan is None:
        return
    nouns = settings.runs.nouns
    is_constant = len(set(plan.levels)) == 1
    shown = [f"{significant(100 * one, 2)}%" for one in plan.levels]
    levels = f"{shown[0]} each" if is_constant else listed(shown)
    yield (
        f"{nouns.capitalize()} were added after looking: looks were planned at {looks_in_words(plan.looks, nouns)} of"
        f" each system, at {levels}, and p-values of both kinds of luck are multiplied so that {level(plan.level)}"
        " holds over all looks."
    )


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
    if verdict.n_runs >= 2:
        return verdict.note_both
    runs, is_fixed = verdict.runs, verdict.design == "fixed"
    redone = "re-running the optimizer or training" if runs == RUN else runs.again
    declare = (
        "each system; or declare the baseline as fixed in the settings, if it will never be trained or decoded again"
    )
    return (
        f"No answer where a system has one {runs.noun}: {redone} could change this difference, and one {runs.noun}"
        f" cannot show by how much. Load three or more {runs.nouns} of {verdict.system if is_fixed else declare}."
    )


MOST_NAMED = 3
_SHORT: Mapping[Correction, str] = {"looks": "the looks", "systems": "Holm"}


def word(verdict: Verdict) -> str:
    """``better``, or ``better, provisional``."""
    return f"{verdict.conclusion.word}, {PROVISIONAL}" if verdict.is_provisional else verdict.conclusion.word


def gain(verdict: Verdict, confidence: float) -> str:
    """The difference with its interval: of both kinds of luck, else of the test set's alone, which is then said."""
    notation = verdict.notation
    difference = f"{notation.difference(verdict.difference)} {verdict.metric_name}"
    both, test_set = (verdict.low, verdict.high), (verdict.low_test_set, verdict.high_test_set)
    if notation.interval(*both) != DASH:
        return f"{difference}, {interval_text(verdict, confidence)}"
    if notation.interval(*test_set) != DASH:
        alone = notation.interval(*test_set)
        interval = f"{difference}, {level(confidence)} interval {alone} for test-set luck alone"
        return interval + unadjusted(_of_systems(verdict.p_test_set, verdict.p_test_set_adjusted))
    return difference


def test_set_luck_in_short(verdict: Verdict) -> str:
    """Whether luck with the test set is ruled out."""
    corrections = _of_systems(verdict.p_test_set, verdict.p_test_set_adjusted)
    return _in_short(verdict.test_set_luck, verdict.p_test_set_adjusted, corrections)


def both_in_short(verdict: Verdict) -> str:
    """Whether luck with the test set and with training together is."""
    if verdict.both == "refused" and verdict.n_runs < 2:
        return f"no answer from one {verdict.runs.noun}"
    return _in_short(verdict.both, verdict.p_both_adjusted, verdict.corrections)


def _of_systems(raw: float, adjusted: float) -> tuple[Correction, ...]:
    return ("systems",) if adjusted != raw else ()


def _in_short(answer: Answer, adjusted: float, corrections: Sequence[Correction]) -> str:
    if answer == "refused":
        return "no answer"
    corrected = f" after {listed([_SHORT[one] for one in corrections])}" if corrections else ""
    return f"{'ruled out' if answer == 'ruled out' else 'cannot be ruled out'} ({p_equals(adjusted)}{corrected})"


def tally(verdicts: Sequence[Verdict]) -> str:
    """How many systems have which verdict: ``3 better, 2 worse, 6 not shown``, all of them in order of the words."""
    found = [verdict.conclusion for verdict in verdicts]
    return ", ".join(f"{found.count(one):,} {one.word}" for one in Conclusion if one in found)


def against_sentence(verdicts: Sequence[Verdict]) -> str:
    """The same as a sentence about the baseline, with what is provisional."""
    baseline, metric, runs = verdicts[0].baseline, verdicts[0].metric_name, verdicts[0].runs
    if all(verdict.both == "refused" and verdict.n_runs < 2 for verdict in verdicts):
        return (
            f"Against {baseline} by {metric} no verdict can be said: one {runs.noun} shows nothing of {runs.luck}."
            " What follows is about test-set luck alone."
        )
    text = f"Against {baseline} by {metric}: {tally(verdicts)}."
    reasons = {verdict.note_both for verdict in verdicts if verdict.both == "refused"}
    if len(reasons) == 1:  # as where planned looks have not come; several are said system by system
        text = f"{text} {reasons.pop()}".rstrip()
    if any(verdict.is_provisional for verdict in verdicts):
        text += f" Verdicts from two {runs.nouns} of a system are {PROVISIONAL}."
    return text


def forest_help(verdicts: Sequence[Verdict], confidence: float) -> str:
    """What the bars of the forest plot are, of those that it has."""
    nouns = verdicts[0].runs.nouns
    text = f"Thick bars: {level(confidence)} interval for another choice of the test set, these {nouns} taken as given."
    if any(verdict.low == verdict.low for verdict in verdicts):
        text += f" Thin bars: for new {nouns} as well."
    has_looks = any("looks" in verdict.corrections for verdict in verdicts)
    looks, and_looks = ("the planned looks and ", "for the looks and ") if has_looks else ("", "")
    text += f" Intervals are not adjusted for {looks}the number of systems; verdicts are, {and_looks}by Holm."
    return f"{text} {declared_sentence(verdicts[0].design, verdicts[0].baseline, verdicts[0].runs)}".rstrip()


def verdict_notes(verdicts: Sequence[Verdict]) -> tuple[Note, ...]:
    """What there is to know beside the verdicts, each once with the metrics and systems that it is about.

    Where the two answers disagree, and what the procedures remark; why there is no answer is said in its place.
    """
    about: dict[str, dict[str, list[str]]] = {}
    for verdict in verdicts:
        remarks = [disagreement_remark(verdict)]
        remarks += [verdict.note_test_set] if verdict.test_set_luck != "refused" else []
        remarks += [verdict.note_both] if verdict.both != "refused" else []
        for remark in filter(None, dict.fromkeys(remarks)):
            about.setdefault(remark, {}).setdefault(verdict.metric_name, []).append(verdict.system)
    is_pair = len({verdict.system for verdict in verdicts}) == 1
    return tuple(
        Note(remark, about=tuple(name if is_pair else f"{name} ({_named(some)})" for name, some in metrics.items()))
        for remark, metrics in about.items()
    )


def _named(systems: Sequence[str]) -> str:
    """The names of a few systems, the number of many."""
    return ", ".join(systems) if len(systems) <= MOST_NAMED else counted(len(systems), "system")


def nothing_compared(results: Results, metric: str | None = None) -> str:
    """Why no system is compared, by a metric or at all: there is none, or its scores were given for too few."""
    baseline = results.experiment.baseline
    if baseline not in results.systems:
        return f"The baseline {baseline} has no output on {results.test_set.name}, so nothing is compared."
    if metric is None or len(results.systems) == 1:
        return one_system(results.run_word)
    name = results.spec(metric).name
    return f"{name} has scores of the baseline or of the other systems only, so nothing is compared by it."


def one_system(runs: RunWord) -> str:
    """Why one system alone is not compared."""
    return f"There is one system, so there is nothing to compare it with. Load the {runs.nouns} of a second one."


def headline(conclusion: Conclusion, *, is_provisional: bool = False) -> Cell:
    """A verdict in a word, with its shape."""
    said = f"{conclusion.word}, {PROVISIONAL}" if is_provisional else conclusion.word
    return Cell(said, shape=conclusion.shape, role=conclusion.role)


def compared_on(verdict: Verdict) -> str:
    """``820 of 1,910 segments in 40 of 97 documents; units: documents``."""
    units = dict.fromkeys(UNIT_NAMES[unit] for unit in (verdict.unit, verdict.unit_both))
    size = [covered(verdict.coverage)] if verdict.coverage is not None else []
    return "; ".join((*size, f"units: {', '.join(units)}"))


def card(verdict: Verdict, confidence: float) -> Section:
    """What is shown of one system, how large it is, the two questions, and what was compared; in full folded away."""
    key, questions = f"{verdict.metric}-verdict-{verdict.system}", (TEST_SET_LUCK, both_question(verdict.runs))
    in_short = zip(questions, (test_set_luck_in_short(verdict), both_in_short(verdict)), strict=True)
    in_full = zip(questions, (test_set_luck_answer(verdict), both_answer(verdict, confidence)), strict=True)
    return Section(
        key,
        f"{verdict.system} against {verdict.baseline}",
        (gain(verdict, confidence),),
        verdict=headline(verdict.conclusion, is_provisional=verdict.is_provisional),
        terms=(*in_short, ("Compared on", compared_on(verdict))),
        notes=noted(*verdict.warnings, level="warning"),
        parts=(Section(f"{key}-full", "In full", terms=tuple(in_full), is_detail=True),),
    )


def verdict_line(verdict: Verdict, confidence: float) -> Section:
    """The verdict in one line, where its card stands elsewhere."""
    about = f"{verdict.system} against {verdict.baseline}: {gain(verdict, confidence)}"
    p = f"{both_question(verdict.runs)}: {both_in_short(verdict)}"
    return Section(
        f"{verdict.metric}-line-{verdict.system}",
        "",
        (f"{about}. {p}. {compared_on(verdict)}.",),
        verdict=headline(verdict.conclusion, is_provisional=verdict.is_provisional),
    )
