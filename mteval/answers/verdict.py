"""The verdict on a system against the baseline: in a word, on a card, and the notes beside it.

A verdict is never shown without what it rests on: its interval, its p-values (labelled as adjusted if they are), and
the segments that were compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isnan

from mteval.analysis.results import Results
from mteval.analysis.summary import MeanInterval
from mteval.answers.findings import finding_notes, reasons_in_brief
from mteval.answers.scores import adjusted_by, covered
from mteval.answers.section import Cell, Note, Section, noted
from mteval.base.words import counted, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.values.findings import Finding
from mteval.values.notation import DASH, level, p_equals, percent, significant
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design, Settings, looks_in_words
from mteval.values.verdict import PROVISIONAL, SAMPLE_NOUN, Answer, Conclusion, Correction, Verdict

_DESIGNS: Mapping[Design, str] = {
    "independent": "",
    "paired": "{Runs} with the same name are compared in pairs.",
    "fixed": "{baseline} is treated as a fixed system: its own {luck} is not part of the test.",
    "candidate": "A system's single {run} is assumed to vary as the {runs} of {baseline} do.",
    "released": "Neither system is trained again: verdicts are about these models, on other text like this.",
}
_BY: Mapping[Correction, str] = {"looks": "interim analyses", "systems": "Holm", "metrics": "metrics and systems"}
_NOT_FOR: Mapping[Correction, str] = {
    "looks": "interim analyses",
    "systems": "the number of systems",
    "metrics": "the number of metrics and systems",
}
_SAYS: Mapping[Answer, str] = {"ruled out": "ruled out", "open": "could explain the difference"}
TEST_SET_LUCK = "Test-set luck"
PEOPLE = "People elsewhere"  # who judged the pairs of systems behind the published curves
SOURCE_OF_SHARES = (
    "Kocmi, Zouhar, Federmann, Post 2024: Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies."
    " ACL."
)
HARD_TO_REACH = 3.0  # a difference in standard errors; five runs and more need 2.0 to 2.2 at 5%
OUT_OF_REACH = 10.0


def both_question(runs: RunWord) -> str:
    """Return the name of the second question."""
    return f"Test-set and {runs.luck}"


def second_question(verdict: Verdict) -> str:
    """Return the name of the question that the second answer is to: both kinds of luck, or training luck alone."""
    if verdict.is_of_runs:
        return verdict.runs.filled("{Luck}")
    return both_question(verdict.runs)


def unadjusted(corrections: Sequence[Correction]) -> str:
    """Return what an interval beside an adjusted p is not adjusted for; empty if p is not adjusted either."""
    if not corrections:
        return ""
    return f", not adjusted for {listed([_NOT_FOR[correction] for correction in corrections])}"


def p_before_and_after(raw: float, adjusted: float, corrections: Sequence[Correction] = ("systems",)) -> str:
    """Return ``p = 0.009``, or ``adjusted p = 0.018, Holm; unadjusted p = 0.009``."""
    if raw == adjusted or adjusted != adjusted:
        return p_equals(raw)
    methods = ", ".join(_BY[correction] for correction in corrections)
    return f"adjusted {p_equals(adjusted)}, {methods}; unadjusted {p_equals(raw)}"


def declared_sentence(design: Design, baseline: str, runs: RunWord = RUN) -> str:
    """Return what the second answer takes as declared; empty if runs are independent."""
    return runs.filled(_DESIGNS[design], baseline=baseline)


def test_set_luck_answer(verdict: Verdict) -> str:
    """Return whether the choice of the test set could explain the difference, with p."""
    if verdict.is_identical:
        return "the outputs are identical"
    if verdict.test_set_luck == "refused":
        return f"not tested. {verdict.note_test_set}".rstrip()
    answer = _SAYS[verdict.test_set_luck]
    if verdict.difference == 0:
        answer = "no difference to explain"
    return f"{answer} ({_p_of_test_set(verdict)})"


def _p_of_test_set(verdict: Verdict) -> str:
    return p_before_and_after(verdict.p_test_set, verdict.p_test_set_adjusted, (verdict.family,))


def _p_of_both(verdict: Verdict) -> str:
    return p_before_and_after(verdict.p_run, verdict.p_run_adjusted, verdict.corrections)


def both_answer(verdict: Verdict) -> str:
    """Return whether new segments and new runs could explain the difference, with p or the reason why it is unknown."""
    if verdict.is_identical:
        return "the outputs are identical"
    if verdict.both == "refused":
        if verdict.n_runs < 2:
            return f"unknown: {why_unknown(verdict)}"
        return f"unknown. {verdict.note_both}".rstrip()
    answer = _SAYS[verdict.both]
    if verdict.difference == 0:
        answer = "a hidden difference is not ruled out"
    return f"{answer} ({_p_of_both(verdict)})"


def luck_unknown(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return the headings of verdicts on one kind of luck alone: which one is unknown, and what would show it."""
    headings = []
    for verdict in verdicts:
        if verdict.is_of_runs:
            text = "Test-set luck unknown: there is one score per {run}. Verdicts cover {luck} only (Welch's test)."
            headings.append(verdict.runs.filled(f"{text} Scores of segments would show both."))
        if not verdict.is_of_test_set:
            continue
        details = [finding.detail for finding in verdict.findings if finding.code == "single-runs"]
        reason = details[0] if details else f"{why_unknown(verdict)}."
        if reason.startswith("One "):  # it continues the sentence; other details begin with a name
            reason = reason[:1].lower() + reason[1:]
        unknown = verdict.runs.filled("{Luck} unknown: ")
        headings.append(f"{unknown}{reason} Until then, verdicts cover the test set only.")
    return tuple(dict.fromkeys(headings))


def why_unknown(verdict: Verdict) -> str:
    """Return why there is no answer about both kinds of luck; empty if there is one."""
    if verdict.both != "refused":
        return ""
    if verdict.n_runs >= 2:
        return verdict.note_both.removesuffix(".") or "the test gives no p-value for these scores"
    match verdict.design:
        case "fixed":
            whose = f"of {verdict.system}"
        case "candidate":
            whose = f"of {verdict.baseline}"
        case _:
            whose = "per system"
    return verdict.runs.filled("needs 3 {runs} {whose}", whose=whose)


def verdict_sentences(
    verdicts: Sequence[Verdict], primary: str, confidence: float, by_people: Sequence[Verdict] = ()
) -> Iterator[str]:
    """Yield the verdict on each system in one line: by the primary metric with all that it rests on, then by others.

    Before them stands what none of them covers. Systems on which human scores contradict the primary metric come first.

    Parameters
    ----------
    by_people
        Verdicts by human scores, whether or not they are among the others.
    """
    yield from luck_unknown(verdicts)
    verdicts_of: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        verdicts_of.setdefault(verdict.system, []).append(verdict)
    # Of each system, the verdict by the primary metric first
    for verdicts_of_system in verdicts_of.values():
        verdicts_of_system.sort(key=lambda verdict: verdict.metric != primary)
    contradicted_first = sorted(verdicts_of.values(), key=lambda verdicts: not contradictions(verdicts[0], by_people))
    for first, *others in contradicted_first:
        if first.is_identical:
            yield f"{first.system} vs {first.baseline}: {word(first)}. The outputs are identical."
            continue
        heading = f"{first.system} vs {first.baseline}: {word(first)}"
        if first.both == "refused" and not first.is_of_test_set:
            heading += f": {why_unknown(first)}"
        parts = [heading, gain(first, confidence)]
        parts += [f"{name}: {answer}" for name, answer in human_answers(first, by_people)]
        parts += doubts(first)
        # The heading gives a reason for which both answers are refused, and why there is one about runs alone.
        is_same_reason = first.note_test_set == first.note_both and first.n_runs >= 2
        if first.test_set_luck != "refused" or not (is_same_reason or first.is_of_runs):
            parts.append(f"{TEST_SET_LUCK}: {test_set_luck_answer(first)}")
        if first.both != "refused" and not first.is_released:
            parts.append(f"{second_question(first)}: {both_answer(first)}")
        if not isnan(first.share_of_pairs):
            parts.append(f"{PEOPLE} {preference(first.share_of_pairs)}")
        for verdict in others:
            if not verdict.is_of_people:
                parts.append(f"{verdict.metric_name}: {word(verdict)}{_briefly(verdict, first)}")
                opposite = [human.metric_name for human in contradictions(verdict, by_people)]
                if opposite:
                    parts[-1] += f"; people disagree by {listed(opposite)}"
        yield " ".join(f"{part.removesuffix('.')}." for part in parts)


def doubts(verdict: Verdict) -> Iterator[str]:
    """Yield why one of the two scores may be too good; human scores need no references."""
    if verdict.is_of_people:
        return
    reasons = reasons_in_brief(verdict.findings, {verdict.metric: verdict.metric_name})
    if reasons:
        yield f"{verdict.metric_name} {reasons}"


def contradictions(verdict: Verdict, by_people: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts on the same system by human scores that say the opposite."""
    return [human for human in _on_same_system(verdict, by_people) if human.contradicts(verdict)]


def human_answers(verdict: Verdict, by_people: Iterable[Verdict]) -> Iterator[tuple[str, str]]:
    """Yield the name and the answer of the verdicts on the same system by human scores, for those by another metric."""
    for human in _on_same_system(verdict, by_people):
        name = "People disagree" if human.contradicts(verdict) else "Human scores"
        yield name, brief_answer(human, verdict)


def brief_answer(human: Verdict, first: Verdict | None = None) -> str:
    """Return ``MQM −0.55, worse (p = 0.001)``, without a reason that the first verdict gave."""
    difference = human.notation.difference(human.difference)
    return f"{human.metric_name} {difference}, {word(human)}{_briefly(human, first)}"


def disagreement_sentences(
    verdicts: Iterable[Verdict], by_people: Collection[Verdict], *, has_metrics: bool = False
) -> Iterator[str]:
    """Yield a sentence per human score that contradicts verdicts, with the systems.

    Parameters
    ----------
    has_metrics
        Whether sentences name the metrics, one each; for verdicts by several.
    """
    systems_by_score: dict[str, list[str]] = {}
    for verdict in verdicts:
        with_metric = f" with {verdict.metric_name}" if has_metrics else ""
        for human in contradictions(verdict, by_people):
            difference = human.notation.difference(human.difference)
            p = human.p_test_set_adjusted if human.is_of_test_set else human.p_run_adjusted
            adjusted = "adjusted " if human.has_adjusted_p else ""
            told = f"{human.system} ({word(human)}, {difference}, {adjusted}{p_equals(p)})"
            systems_by_score.setdefault(f"{with_metric} by {human.metric_name}", []).append(told)
    for by_score, systems in systems_by_score.items():
        yield f"People disagree{by_score}: {listed(systems)}."


def _on_same_system(verdict: Verdict, by_people: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield the verdicts on the same system by human scores, other than this one."""
    for human in by_people:
        if human.system == verdict.system and human.metric != verdict.metric:
            yield human


def _briefly(verdict: Verdict, first: Verdict | None) -> str:
    """Return the p that decides, or the other answer where there is none; no reason that the first gave."""
    if verdict.is_of_test_set and verdict.test_set_luck != "refused":
        return f" ({_p_of_test_set(verdict)})"
    if verdict.both == "refused":
        is_same_reason = first is not None and verdict.note_test_set == first.note_test_set
        if verdict.test_set_luck == "refused" and is_same_reason:
            return ""
        return f"; test-set luck {test_set_luck_answer(verdict)}"
    return f" ({_p_of_both(verdict)})"


def mean_sentence(system: str, spec: MetricSpec, mean: MeanInterval, confidence: float) -> str:
    """Return the mean score of one system with its interval."""
    text = f"{system}: {spec.notation.number(mean.mean)} {spec.name}"
    if mean.low != mean.low:  # NaN
        return f"{text}."
    interval = spec.notation.range(mean.low, mean.high)
    return f"{text} ({level(confidence)} CI {interval}, test-set luck only, units: {plural(mean.unit)})."


def gain(verdict: Verdict, confidence: float) -> str:
    """Return the difference with its interval: of both kinds of luck, else of the test set's alone.

    The interval is adjusted for the number of systems, as p is, or says that it is not.
    """
    notation = verdict.notation
    difference = f"{notation.difference(verdict.difference)} {verdict.metric_name}"

    interval = notation.interval(*verdict.ends_both)
    corrections = list(verdict.corrections)
    coverage = ""
    if interval == DASH:
        interval = notation.interval(*verdict.ends_test_set)
        corrections = []
        is_known = not isnan(verdict.p_test_set_adjusted)
        if is_known and verdict.p_test_set_adjusted != verdict.p_test_set:
            corrections = [verdict.family]
        coverage = ", test-set luck only"
    elif verdict.is_of_runs:
        coverage = verdict.runs.filled(", {luck} only")
    if interval == DASH:
        return difference

    name = f"{level(confidence)} CI"
    if verdict.is_simultaneous:
        name = f"simultaneous {name}"
        ended = ", ended at 0 by Holm" if verdict.is_ended_at_zero else ""
        coverage = f", {verdict.simultaneous}{ended}{coverage}"
        corrections = [correction for correction in corrections if correction != "systems"]
    return f"{difference} ({name} {interval}{coverage}{unadjusted(corrections)})"


def look_sentences(settings: Settings) -> Iterator[str]:
    """Yield what the methods say of interim analyses; nothing if none were planned."""
    plan = settings.look_plan
    if plan is None:
        return
    levels = [f"{significant(100 * level_of_look, 2)}%" for level_of_look in plan.levels]
    in_words = listed(levels)
    if len(set(levels)) == 1:
        in_words = f"{levels[0]} each"
    yield (
        f"Interim analyses were planned at {looks_in_words(plan.looks, settings.runs.nouns)} per system (levels"
        f" {in_words}); the second p-value is adjusted so that {level(plan.level)} holds over all of them."
    )


def preference(share_of_pairs: float) -> str:
    """Return how often people prefer the better-scored system at a difference, for a sentence about people."""
    return (
        f"preferred the better-scored system in {percent(share_of_pairs, 0)} of pairs of systems with such a difference"
    )


def disagreement_note(verdict: Verdict) -> str:
    """Return what it means that the two answers differ; empty if they agree."""
    match verdict.test_set_luck, verdict.both:
        case "ruled out", "open":
            text = "Test-set luck is ruled out, but new {runs} could reverse the result. The verdict covers both."
        case "open", "ruled out" if verdict.unit != verdict.unit_both:
            # What of the test set could have been chosen otherwise: segments, even if single outputs are exchanged.
            permuted = plural(verdict.unit)
            resampled = "documents" if verdict.unit_both == "document" else "segments"
            text = (
                f"The two answers disagree: the first permutes {permuted}, the second resamples {resampled}. Report"
                " both."
            )
        case "open", "ruled out":
            text = "The two answers disagree: they approximate p differently. Report both."
        case _:
            return ""
    return verdict.runs.filled(text)


def word(verdict: Verdict) -> str:
    """Return ``better``, or ``better, provisional``."""
    if verdict.is_provisional:
        return f"{verdict.conclusion.word}, {PROVISIONAL}"
    if verdict.is_released:
        return f"{verdict.conclusion.word}, {SAMPLE_NOUN}"
    return verdict.conclusion.word


def headline(verdict: Verdict) -> Cell:
    """Return the verdict in a word, with its shape."""
    return Cell.of(verdict.conclusion, word(verdict))


def against_sentence(verdicts: Sequence[Verdict]) -> str:
    """Return how many systems have which verdict, and what all of the verdicts lack."""
    first = verdicts[0]
    n_systems = Counter(verdict.conclusion for verdict in verdicts)
    tally = [f"{n_systems[conclusion]:,} {conclusion.word}" for conclusion in Conclusion if conclusion in n_systems]
    text = f"{first.metric_name}, against {first.baseline}: {', '.join(tally)}."
    reasons = {verdict.note_both for verdict in verdicts if verdict.both == "refused" and not verdict.is_of_test_set}
    if len(reasons) == 1:  # such as interim analyses that are not due; several reasons stand on the cards
        text = f"{text} {reasons.pop()}".rstrip()
    if any(verdict.is_provisional for verdict in verdicts):
        text += f" Verdicts from two {first.runs.nouns} per system are {PROVISIONAL}."
    return text


def forest_help(verdicts: Sequence[Verdict], confidence: float) -> str:
    """Return how to read the forest plot."""
    first = verdicts[0]
    interval = f"{level(confidence)} CI"
    simultaneous = next(
        (f" (simultaneous, {verdict.simultaneous})" for verdict in verdicts if verdict.is_simultaneous), ""
    )
    covers_both = any(verdict.low == verdict.low and not verdict.is_released for verdict in verdicts)
    if covers_both:
        unadjusted_bars = " (not adjusted)" if simultaneous else ""
        bars = (
            f"Thick bars: {interval} for test-set luck{unadjusted_bars}. Thin bars: for test-set and"
            f" {first.runs.luck}{simultaneous}."
        )
    else:
        bars = f"Bars: {interval} for test-set luck{simultaneous}."

    has_looks = any("looks" in verdict.corrections for verdict in verdicts)
    corrections = adjusted_by(has_looks, max(2, len(verdicts)), first.decision)
    adjusted = f"Verdicts are adjusted ({corrections})"
    adjusted += "." if simultaneous else f", intervals not for {_NOT_FOR[first.family]}."
    return f"{bars} {adjusted} {declared_sentence(first.design, first.baseline, first.runs)}".rstrip()


def verdict_notes(verdicts: Sequence[Verdict]) -> tuple[Note, ...]:
    """Return notes on disagreeing answers and of the procedures, each once with the metrics and systems it is about.

    Systems are not named if the note is about all that were compared.
    """
    systems_by_note: dict[str, dict[str, list[str]]] = {}  # note, metric, systems
    for verdict in verdicts:
        texts = [disagreement_note(verdict)]
        if verdict.test_set_luck != "refused":
            texts.append(verdict.note_test_set)
        if verdict.both != "refused" and not verdict.is_released:
            texts.append(verdict.note_both)
        texts.append(level_note(verdict))
        for text in filter(None, dict.fromkeys(texts)):
            systems_by_note.setdefault(text, {}).setdefault(verdict.metric_name, []).append(verdict.system)

    is_pair = len({verdict.system for verdict in verdicts}) == 1
    compared_by: dict[str, set[str]] = {}
    for verdict in verdicts:
        compared_by.setdefault(verdict.metric_name, set()).add(verdict.system)
    notes = []
    for text, systems_by_metric in systems_by_note.items():
        subjects = list(systems_by_metric)
        if not is_pair:
            subjects = []
            for metric, systems in systems_by_metric.items():
                is_of_all = len(set(systems)) == len(compared_by[metric])
                subjects.append(metric if is_of_all else f"{metric} ({_named(systems)})")
        notes.append(Note(text, subjects=tuple(subjects)))
    return tuple(notes)


def level_note(verdict: Verdict) -> str:
    """Return what so few runs can show at this level; empty if they can show what any number of runs could."""
    if verdict.is_identical:  # no number of runs shows a difference of a copy
        return ""
    if verdict.both != "open" or not verdict.reach_in_errors > HARD_TO_REACH:
        return ""
    n_runs = counted(verdict.n_runs, verdict.runs.noun)
    if verdict.reach_in_errors > OUT_OF_REACH:
        text = f"{n_runs} per system cannot, in practice, show a difference at this level."
    else:
        reach = verdict.notation.number(verdict.reach)
        text = f"At this level, {n_runs} per system can only show differences of {reach} points or more."
    if verdict.more_runs and verdict.reach_of_more < verdict.reach:
        more = counted(verdict.more_runs, verdict.runs.noun)
        text += f" {more} could show a difference of {verdict.notation.number(verdict.reach_of_more)} points."
    return text


def failures_note(verdicts: Sequence[Verdict]) -> tuple[Note, ...]:
    """Return what to do if trainings sometimes fail; nothing without verdicts on training luck."""
    if all(verdict.both == "refused" or verdict.is_released for verdict in verdicts):
        return ()
    text = "If {runs} sometimes fail, add more {runs}: a single failure could change this verdict."
    return (Note(verdicts[0].runs.filled(text), is_wide=True),)


def _named(systems: Sequence[str]) -> str:
    """Return the names of a few systems, the number of many."""
    return ", ".join(systems) if len(systems) <= 3 else counted(len(systems), "system")


def nothing_compared(results: Results, metric: str | None = None) -> str:
    """Return why no system is compared, by a metric or at all."""
    baseline = results.experiment.baseline
    if baseline not in results.systems:
        return f"Nothing to compare: the baseline {baseline} has no output on {results.test_set.name}."
    if metric is None or len(results.systems) == 1:
        return one_system(results.run_word)
    return f"Nothing to compare: {results.spec(metric).name} has no scores of both the baseline and another system."


def one_system(runs: RunWord) -> str:
    """Return why one system alone is not compared."""
    return f"There is only one system. Load {runs.nouns} of a second one to compare them."


def compared_on(verdict: Verdict) -> str:
    """Return ``820 of 1,910 segments in 40 of 97 documents; units: documents``."""
    units = ", ".join(dict.fromkeys([plural(verdict.unit), plural(verdict.unit_both)]))
    if verdict.is_of_runs:
        units = verdict.runs.nouns
    if verdict.coverage is None:
        return f"units: {units}"
    return f"{covered(verdict.coverage)}; units: {units}"


def own_findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Return what is odd about the data of this system alone; the rest concerns its baseline or other systems too."""
    return tuple(finding for finding in verdict.findings if finding.systems == (verdict.system,))


def card(verdict: Verdict, confidence: float, by_people: Iterable[Verdict] = ()) -> Section:
    """Return the verdict on one system: the word, the difference, the two answers, and what was compared.

    Parameters
    ----------
    by_people
        Verdicts by human scores.
    """
    is_refused_alike = verdict.both == verdict.test_set_luck == "refused" and verdict.note_both == verdict.note_test_set
    if verdict.is_released or verdict.is_of_test_set:
        terms = [(TEST_SET_LUCK, test_set_luck_answer(verdict))]
    elif is_refused_alike:  # the second answer gives the reason
        terms = [(TEST_SET_LUCK, "not tested"), (both_question(verdict.runs), both_answer(verdict))]
    else:
        terms = [
            (TEST_SET_LUCK, test_set_luck_answer(verdict)),
            (second_question(verdict), both_answer(verdict)),
        ]
    terms += human_answers(verdict, by_people)
    if not isnan(verdict.share_of_pairs):
        terms.append((PEOPLE, preference(verdict.share_of_pairs)))
    terms.append(("Compared on", compared_on(verdict)))
    declared = noted(declared_sentence(verdict.design, verdict.baseline, verdict.runs))
    return Section(
        f"{verdict.metric}-verdict-{verdict.system}",
        f"{verdict.system} vs {verdict.baseline}",
        lead=(gain(verdict, confidence),),
        verdict=headline(verdict),
        terms=tuple(terms),
        notes=(*declared, *finding_notes(own_findings(verdict))),
    )


def verdict_line(verdict: Verdict, confidence: float) -> Section:
    """Return the verdict in one line, for pages that do not show its card."""
    if verdict.is_released or verdict.is_of_test_set:
        question = TEST_SET_LUCK
        answer = test_set_luck_answer(verdict)
    else:
        question = second_question(verdict)
        answer = both_answer(verdict)
    sentences = [
        f"{verdict.system} vs {verdict.baseline}: {gain(verdict, confidence)}.",
        f"{question}: {answer.removesuffix('.')}.",
        f"{compared_on(verdict)}.",
        *luck_unknown([verdict]),
    ]
    return Section(
        f"{verdict.metric}-line-{verdict.system}",
        "",
        lead=(" ".join(sentences),),
        verdict=headline(verdict),
    )
