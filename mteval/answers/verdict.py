"""The verdict on a system against the baseline: in a word, on a card, and the notes beside it.

A verdict is never shown without what it rests on: its interval, its p-values (labelled as adjusted if they are), and
the segments that were compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mteval.analysis.results import Results
from mteval.analysis.summary import MeanInterval
from mteval.answers.findings import finding_notes
from mteval.answers.scores import adjusted_by, covered
from mteval.answers.section import Cell, Note, Section, noted
from mteval.base.words import counted, listed, plural
from mteval.metrics.base import MetricSpec
from mteval.values.findings import Finding
from mteval.values.notation import DASH, level, p_equals, percent, significant
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design, Settings, looks_in_words
from mteval.values.verdict import OF_RELEASED, PROVISIONAL, Answer, Conclusion, Correction, Verdict

_DESIGNS: Mapping[Design, str] = {
    "independent": "",
    "paired": "{Runs} with the same name are compared in pairs.",
    "fixed": "{baseline} is treated as a fixed system: its own {luck} is not part of the test.",
    "candidate": "A system's single {run} is assumed to vary as the {runs} of {baseline} do.",
    "released": "Neither system is trained again: verdicts are about these models, on other text like this.",
}
_BY: Mapping[Correction, str] = {"looks": "interim analyses", "systems": "Holm", "metrics": "metrics and systems"}
_NOT_FOR: Mapping[Correction, str] = {
    "looks": "interim analyses", "systems": "the number of systems", "metrics": "the number of metrics and systems",
}  # fmt: skip
_SAYS: Mapping[Answer, str] = {"ruled out": "ruled out", "open": "could explain the difference"}
TEST_SET_LUCK = "Test-set luck"


def both_question(runs: RunWord) -> str:
    """Return the name of the second question."""
    return f"Test-set and {runs.luck}"


def unadjusted(corrections: Sequence[Correction]) -> str:
    """Return what an interval beside an adjusted p is not adjusted for; empty if p is not adjusted either."""
    return f", not adjusted for {listed([_NOT_FOR[one] for one in corrections])}" if corrections else ""


def p_before_and_after(raw: float, adjusted: float, corrections: Sequence[Correction] = ("systems",)) -> str:
    """Return ``p = 0.009``, or ``adjusted p = 0.018, Holm; unadjusted p = 0.009``."""
    if raw == adjusted or adjusted != adjusted:
        return p_equals(raw)
    return f"adjusted {p_equals(adjusted)}, {', '.join(_BY[one] for one in corrections)}; unadjusted {p_equals(raw)}"


def declared_sentence(design: Design, baseline: str, runs: RunWord = RUN) -> str:
    """Return what the second answer takes as declared; empty if runs are independent."""
    return runs.filled(_DESIGNS[design], baseline=baseline)


def test_set_luck_answer(verdict: Verdict) -> str:
    """Return whether the choice of the test set could explain the difference, with p."""
    if verdict.is_identical:
        return "the outputs are identical"
    if verdict.test_set_luck == "refused":
        return f"not tested. {verdict.note_test_set}".rstrip()
    says = "no difference to explain" if verdict.difference == 0 else _SAYS[verdict.test_set_luck]
    return f"{says} ({_p_of_test_set(verdict)})"


def _p_of_test_set(verdict: Verdict) -> str:
    return p_before_and_after(verdict.p_test_set, verdict.p_test_set_adjusted, (verdict.family,))


def _p_of_both(verdict: Verdict) -> str:
    return p_before_and_after(verdict.p_both, verdict.p_both_adjusted, verdict.corrections)


def both_answer(verdict: Verdict) -> str:
    """Return whether new segments and new runs could explain the difference, with p or the reason why it is unknown."""
    if verdict.is_identical:
        return "the outputs are identical"
    if verdict.both == "refused":
        needs_runs, why = verdict.n_runs < 2, why_unknown(verdict)
        return f"unknown: {why}" if needs_runs else f"unknown. {verdict.note_both}".rstrip()
    says = "a hidden difference is not ruled out" if verdict.difference == 0 else _SAYS[verdict.both]
    return f"{says} ({_p_of_both(verdict)})"


def luck_unknown(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return the heading of verdicts on the test set alone: training luck is unknown, and what more runs would add."""
    found = dict[str, None]()
    for verdict in (one for one in verdicts if one.is_of_test_set):
        details = [finding.detail for finding in verdict.findings if finding.code == "single-runs"]
        said = (details or [f"{why_unknown(verdict)}."])[0]
        said = said[:1].lower() + said[1:] if said.startswith("One ") else said
        found[f"{verdict.runs.filled('{Luck} unknown: ')}{said} Until then, verdicts cover the test set only."] = None
    return tuple(found)


def why_unknown(verdict: Verdict) -> str:
    """Return why there is no answer about both kinds of luck; empty if there is one."""
    if verdict.both != "refused":
        return ""
    if verdict.n_runs < 2:
        of = {"fixed": f"of {verdict.system}", "candidate": f"of {verdict.baseline}"}
        return verdict.runs.filled("needs 3 {runs} {of}", of=of.get(verdict.design, "per system"))
    return verdict.note_both.removesuffix(".") or "the test gives no p-value for these scores"


def verdict_sentences(verdicts: Sequence[Verdict], primary: str, confidence: float) -> Iterator[str]:
    """Yield the verdict on each system in one line: by the primary metric with all that it rests on, then by others.

    Before them stands what none of them covers.
    """
    yield from luck_unknown(verdicts)
    by_system: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_system.setdefault(verdict.system, []).append(verdict)
    for found in by_system.values():
        first, *others = sorted(found, key=lambda one: one.metric != primary)
        if first.is_identical:
            yield f"{first.system} vs {first.baseline}: {word(first)}. The outputs are identical."
            continue
        why = f": {why_unknown(first)}" if first.both == "refused" and not first.is_of_test_set else ""
        parts = [f"{first.system} vs {first.baseline}: {word(first)}{why}", gain(first, confidence)]
        if first.test_set_luck != "refused" or first.note_test_set != first.note_both or first.n_runs < 2:
            parts.append(f"{TEST_SET_LUCK}: {test_set_luck_answer(first)}")
        if first.both != "refused" and not first.is_released:
            parts.append(f"{both_question(first.runs)}: {both_answer(first)}")
        parts += [f"{one.metric_name}: {word(one)}{_briefly(one, first)}" for one in others]
        yield " ".join(f"{part.removesuffix('.')}." for part in parts)


def _briefly(verdict: Verdict, first: Verdict) -> str:
    """Return the p that decides, or the other answer where there is none; no reason that the first gave."""
    if verdict.is_of_test_set and verdict.test_set_luck != "refused":
        return f" ({_p_of_test_set(verdict)})"
    if verdict.both == "refused":
        if verdict.test_set_luck == "refused" and verdict.note_test_set == first.note_test_set:
            return ""
        return f"; test-set luck {test_set_luck_answer(verdict)}"
    return f" ({_p_of_both(verdict)})"


def mean_sentence(system: str, spec: MetricSpec, about: MeanInterval, confidence: float) -> str:
    """Return the mean score of one system with its interval."""
    text = f"{system}: {spec.notation.number(about.mean)} {spec.name}"
    if about.low != about.low:  # NaN
        return f"{text}."
    between = spec.notation.range(about.low, about.high)
    return f"{text} ({level(confidence)} CI {between}, test-set luck only, units: {plural(about.unit)})."


def gain(verdict: Verdict, confidence: float) -> str:
    """Return the difference with its interval: of both kinds of luck, else of the test set's alone.

    The interval is adjusted for the number of systems, as p is, or says that it is not.
    """
    notation, ci, about = verdict.notation, f"{level(confidence)} CI", ""
    difference = f"{notation.difference(verdict.difference)} {verdict.metric_name}"
    interval, left = notation.interval(*verdict.ends_both), [*verdict.corrections]
    if interval == DASH:
        interval, about = notation.interval(*verdict.ends_test_set), ", test-set luck only"
        left = [verdict.family] if verdict.p_test_set_adjusted != verdict.p_test_set else []
    if interval == DASH:
        return difference
    if verdict.is_simultaneous:
        ci, about = f"simultaneous {ci}", f", {verdict.simultaneous}{about}"
        left = [one for one in left if one != "systems"]
    return f"{difference} ({ci} {interval}{about}{unadjusted(left)})"


def look_sentences(settings: Settings) -> Iterator[str]:
    """Yield what the methods say of interim analyses; nothing if none were planned."""
    if (plan := settings.look_plan) is None:
        return
    shown = [f"{significant(100 * one, 2)}%" for one in plan.levels]
    levels = f"{shown[0]} each" if len(set(shown)) == 1 else listed(shown)
    yield (
        f"Interim analyses were planned at {looks_in_words(plan.looks, settings.runs.nouns)} per system (levels"
        f" {levels}); the second p-value is adjusted so that {level(plan.level)} holds over all of them."
    )


def disagreement_note(verdict: Verdict) -> str:
    """Return what it means that the two answers differ; empty if they agree."""
    match verdict.test_set_luck, verdict.both:
        case "ruled out", "open":
            text = "Test-set luck is ruled out, but new {runs} could reverse the result. The verdict covers both."
        case "open", "ruled out" if verdict.unit != verdict.unit_both:
            # what of the test set could have been chosen otherwise: segments, even if single outputs are exchanged
            first, second = plural(verdict.unit), "documents" if verdict.unit_both == "document" else "segments"
            text = f"The two answers disagree: the first permutes {first}, the second resamples {second}. Report both."
        case "open", "ruled out":
            text = "The two answers disagree: they approximate p differently. Report both."
        case _:
            return ""
    return verdict.runs.filled(text)


def word(verdict: Verdict) -> str:
    """Return ``better``, or ``better, provisional``."""
    about = PROVISIONAL if verdict.is_provisional else OF_RELEASED if verdict.is_released else ""
    return f"{verdict.conclusion.word}, {about}" if about else verdict.conclusion.word


def headline(verdict: Verdict) -> Cell:
    """Return the verdict in a word, with its shape."""
    return Cell.of(verdict.conclusion, word(verdict))


def against_sentence(verdicts: Sequence[Verdict]) -> str:
    """Return how many systems have which verdict, and what all of the verdicts lack."""
    runs, found = verdicts[0].runs, [verdict.conclusion for verdict in verdicts]
    tally = ", ".join(f"{found.count(one):,} {one.word}" for one in Conclusion if one in found)
    text = f"{verdicts[0].metric_name}, against {verdicts[0].baseline}: {tally}."
    reasons = {verdict.note_both for verdict in verdicts if verdict.both == "refused" and not verdict.is_of_test_set}
    if len(reasons) == 1:  # such as interim analyses that are not due; several reasons stand on the cards
        text = f"{text} {reasons.pop()}".rstrip()
    if any(verdict.is_provisional for verdict in verdicts):
        text += f" Verdicts from two {runs.nouns} per system are {PROVISIONAL}."
    return text


def forest_help(verdicts: Sequence[Verdict], confidence: float) -> str:
    """Return how to read the forest plot."""
    first, ci = verdicts[0], f"{level(confidence)} CI"
    wide = next((f" (simultaneous, {one.simultaneous})" for one in verdicts if one.is_simultaneous), "")
    text = f"Bars: {ci} for test-set luck{wide}."
    if any(one.low == one.low and not one.is_released for one in verdicts):
        narrow = " (not adjusted)" if wide else ""
        text = f"Thick bars: {ci} for test-set luck{narrow}. Thin bars: for test-set and {first.runs.luck}{wide}."
    by = adjusted_by(any("looks" in one.corrections for one in verdicts), max(2, len(verdicts)), first.decision)
    text += f" Verdicts are adjusted ({by})"
    text += "." if wide else f", intervals not for {_NOT_FOR[first.family]}."
    return f"{text} {declared_sentence(first.design, first.baseline, first.runs)}".rstrip()


def verdict_notes(verdicts: Sequence[Verdict]) -> tuple[Note, ...]:
    """Return notes on disagreeing answers and of the procedures, each once with the metrics and systems it is about."""
    about: dict[str, dict[str, list[str]]] = {}
    for verdict in verdicts:
        notes = [disagreement_note(verdict)]
        notes += [verdict.note_test_set] if verdict.test_set_luck != "refused" else []
        notes += [verdict.note_both] if verdict.both != "refused" and not verdict.is_released else []
        for note in filter(None, dict.fromkeys(notes)):
            about.setdefault(note, {}).setdefault(verdict.metric_name, []).append(verdict.system)
    is_pair = len({verdict.system for verdict in verdicts}) == 1
    found = list[Note]()
    for note, metrics in about.items():
        names = (name if is_pair else f"{name} ({_named(some)})" for name, some in metrics.items())
        found.append(Note(note, about=tuple(names)))
    return (*found, *failures_note(verdicts))


def failures_note(verdicts: Sequence[Verdict]) -> tuple[Note, ...]:
    """Return how often training may fail although no run at hand failed; nothing without verdicts on training luck."""
    counts = [verdict.n_runs for verdict in verdicts if verdict.both != "refused" and not verdict.is_released]
    if not counts:
        return ()
    share, runs = percent(1 - 0.05 ** (1 / min(counts)), 0), verdicts[0].runs
    text = "Without a failed {run} among {n}, up to {share} of {runs} may fail (95% confidence). No test shows that."
    return (Note(runs.filled(text, n=str(min(counts)), share=share), is_wide=True),)


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
    units = dict.fromkeys(map(plural, (verdict.unit, verdict.unit_both)))
    size = [covered(verdict.coverage)] if verdict.coverage is not None else []
    return "; ".join((*size, f"units: {', '.join(units)}"))


def own_findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Return what is odd about the data of this system alone; the rest concerns its baseline or other systems too."""
    return tuple(finding for finding in verdict.findings if finding.systems == (verdict.system,))


def card(verdict: Verdict, confidence: float) -> Section:
    """Return the verdict on one system: the word, the difference, the two answers, and what was compared."""
    terms = [(TEST_SET_LUCK, test_set_luck_answer(verdict))]
    if not (verdict.is_released or verdict.is_of_test_set):
        if verdict.both == verdict.test_set_luck == "refused" and verdict.note_both == verdict.note_test_set:
            terms = [(TEST_SET_LUCK, "not tested")]  # for the reason below
        terms.append((both_question(verdict.runs), both_answer(verdict)))
    terms.append(("Compared on", compared_on(verdict)))
    declared = noted(declared_sentence(verdict.design, verdict.baseline, verdict.runs))
    return Section(
        f"{verdict.metric}-verdict-{verdict.system}", f"{verdict.system} vs {verdict.baseline}",
        (gain(verdict, confidence),), verdict=headline(verdict), terms=tuple(terms),
        notes=(*declared, *finding_notes(own_findings(verdict))),
    )  # fmt: skip


def verdict_line(verdict: Verdict, confidence: float) -> Section:
    """Return the verdict in one line, for pages that do not show its card."""
    about = f"{verdict.system} vs {verdict.baseline}: {gain(verdict, confidence)}"
    question, answer = both_question(verdict.runs), both_answer(verdict)
    if verdict.is_released or verdict.is_of_test_set:
        question, answer = TEST_SET_LUCK, test_set_luck_answer(verdict)
    text = f"{about}. {question}: {answer.removesuffix('.')}. {compared_on(verdict)}."
    text, notes = " ".join((text, *luck_unknown([verdict]))), finding_notes(verdict.findings)
    return Section(f"{verdict.metric}-line-{verdict.system}", "", (text,), verdict=headline(verdict), notes=notes)
