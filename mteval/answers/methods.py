"""The methods paragraph of a paper, and the appendix with settings, seed and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mteval.analysis.results import Results
from mteval.answers.claims import methods_sentences
from mteval.answers.procedures import simultaneous_sentence
from mteval.answers.runs import samples_methods
from mteval.answers.scores import extent, given_names, size_of_test_set
from mteval.answers.section import Section, noted
from mteval.answers.sensitivity import halvings_note, halvings_sentence
from mteval.answers.verdict import look_sentences
from mteval.base.words import agreeing, counted, counted_part, counted_range, listed, plural
from mteval.stats.crossed_layout import FEWEST_SYSTEMS, is_calibrated
from mteval.stats.units import MOST_DF
from mteval.values.notation import level
from mteval.values.settings import Decision
from mteval.values.verdict import Verdict

_CONVENTIONS = {
    "sacrebleu": "on detokenized text with sacreBLEU's tokenization (Post, 2018)",
    "multeval": "on the text as given, by MultEval's convention (Clark et al., 2011)",
}
_LEARNED = "on the text as given, by the models and packages in the signatures"
_EXCHANGED = {
    "segment": "exchanging all {runs} of a segment together",
    "document": "exchanging all {runs} of a document together",
    "output": "exchanging single outputs of paired {runs}",
}
SOURCES = (
    "Clark, Dyer, Lavie, Smith 2011: Better Hypothesis Testing for Statistical Machine Translation: Controlling for"
    " Optimizer Instability. ACL.",
    "Riezler, Maxwell 2005: On Some Pitfalls in Automatic Evaluation and Significance Testing for MT. ACL workshop.",
    "Post 2018: A Call for Clarity in Reporting BLEU Scores. WMT.",
    "Holm 1979: A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics.",
)


def methods_text(results: Results) -> str:
    """Return the paragraph and the appendix as plain text."""
    return f"{methods_paragraph(results)}\n\nAppendix A\n\n" + "\n".join(appendix(results))


def methods_section(results: Results) -> Section:
    """Return the paragraph, the appendix, and what they cite."""
    of_people: tuple[str, ...] = ()
    if results.people is not None:
        from mteval.answers import people  # few experiments have judgements

        of_people = people.SOURCES
    settings = Section("appendix", "Appendix A", tuple(appendix(results)))
    sources = Section("sources", "References", (*SOURCES, *of_people))
    return Section("methods", "Methods", (methods_paragraph(results),), parts=(settings, sources))


def methods_paragraph(results: Results) -> str:
    """Return the methods paragraph: three to six sentences."""
    return " ".join((*_design(results), *_tests(results)))


def _design(results: Results) -> Iterator[str]:
    """Yield the sentences on systems, test set and metrics."""
    names, runs, baseline = list(results.signatures), results.run_word, results.name_of(results.experiment.baseline)
    names[0] += " (primary)" if len(names) > 1 else ""
    is_single = max(results.run_counts) == 1
    over = f"one {runs.noun}" if is_single else counted_range(results.run_counts, runs.noun)
    averaged = f"with {over} per system" if is_single else f"averaged over {over} per system"
    verdicts = results.verdicts(results.metrics[0])
    which = results.name_of(verdicts[0].system) if len(verdicts) == 1 else "each system"
    compared = f"compare {which} with {baseline}" if verdicts else "evaluate each system"
    languages = f", {results.test_set.languages}" if results.test_set.languages else ""
    size = size_of_test_set(results.coverage(), f" ({results.test_set.name}{languages})")
    yield f"We {compared} on {size} using {listed(names)}, {averaged}."
    if results.settings.design == "released":
        yield "Neither system will be trained again: the comparison is about these models, on other text like this."
    elif is_single and results.settings.design != "candidate":
        yield f"Variation between {runs.nouns} is therefore not accounted for."


def _is_about_runs(verdict: Verdict) -> bool:
    return verdict.both != "refused" and not verdict.is_released


_DECISIONS: Mapping[Decision, str] = {
    "primary": "",
    "all": " A system is called better only if it is better by all metrics (intersection-union; Berger, 1982).",
    "any": " The family includes all metrics; the first p-value is adjusted by shared shuffles, step by step (max-T;"
    " Westfall and Young, 1993).",
}
_STUDENT = "Student's t, Satterthwaite degrees of freedom"


def _tests(results: Results) -> Iterator[str]:
    """Yield the sentences on the two tests, the adjustment and the software."""
    verdicts, settings, runs = results.verdicts(results.metrics[0]), results.settings, results.run_word
    n_compared, n_answered = len(verdicts), sum(map(_is_about_runs, verdicts))
    version = f"mteval {results.evaluation.versions['mteval']} (settings, signatures and seed in Appendix A)"
    if not n_compared:
        yield f"Scores were computed with {version}."
        return
    start = "We report two p-values. The first" if n_answered else "The p-value"
    is_single = max(results.run_counts) == 1
    exchanging = f"exchanging {plural(results.exchanged)}" if is_single else runs.filled(_EXCHANGED[results.exchanged])
    yield (
        f"{start} asks whether the difference could be due to the choice of {plural(results.unit)}: stratified"
        f" approximate randomization (Riezler and Maxwell, 2005; {counted(results.n_shuffles, 'shuffle')}),"
        f" {exchanging}."
    )
    if n_answered:
        part = f" (available for {counted_part(n_answered, n_compared, 'system')})" if n_answered < n_compared else ""
        declared = {
            "paired": ", with {runs} of the same name paired",
            "fixed": ", with the baseline as a fixed system whose own {luck} is not covered",
            "candidate": ", assuming that a system with a single {run} varies as the baseline's {runs} do",
        }.get(settings.design, "")
        at_least = "" if results.exchanged == "output" else "; it is never reported below the first"
        law = "averaged over the possible variances, which holds every level" if settings.strict else _STUDENT
        yield (
            f"The second{part} also accounts for variation between {runs.nouns}: a two-way random-effects test over"
            f" {plural(results.unit)} and {runs.nouns} ({law}){runs.filled(declared)}{at_least}."
        )
    yield from look_sentences(settings)
    n_tests = n_compared * (len(results.metrics) if settings.decision == "any" else 1)
    holm = f" and Holm-adjusted for {counted(n_tests, 'comparison')}" if n_tests > 1 else ""
    at = level(1 - settings.confidence)
    yield f"All tests are two-sided at the {at} level{holm}.{_DECISIONS[settings.decision]}"
    if results.planned is not None:
        n_deviations, digest = len(results.planned.deviations), results.planned.digest[:_SHOWN_OF_DIGEST]
        found = counted(n_deviations, "deviation") if n_deviations else "no deviation"
        yield f"The evaluation was planned beforehand (plan {digest}), with {found} from the plan."
    yield f"Scores were computed with {version}."


def appendix(results: Results) -> Iterator[str]:
    """Yield settings, definitions, seed and signatures, a line each; nothing about what was not computed."""
    settings, runs, coverage = results.settings, results.run_word, results.coverage()
    names, given = list(results.signatures), given_names(coverage)
    how = {False: _CONVENTIONS[settings.convention], True: _LEARNED}
    for is_learned in how:
        if some := [name for name in names if name not in given and (name in results.by_models) == is_learned]:
            yield f"{listed(some)} {agreeing(len(some), 'was', 'were')} computed {how[is_learned]}."
    if given:
        described = "; ".join(f"{name}: {extent(coverage[name])}" for name in given)
        yield f"Segment scores of {listed(given)} were provided, not computed ({described})."
    if given and not all(row.is_whole for name in given for row in coverage[name]):
        yield runs.filled("Segments that {a_run} has no score for are excluded from averages and comparisons.")
    if results.test_set.has_texts and not results.test_set.has_references:
        yield "The test set has no references."
    over = "" if max(results.run_counts) == 1 else f", averaged over {runs.nouns}"
    yield (
        f"SD (test set), s_sel: standard deviation of the corpus score over"
        f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the test set{over}."
    )
    if max(results.run_counts) > 1:
        yield runs.filled("SD ({kind}), s_test: standard deviation of the corpus score over {runs}.")
    yield from _test_details(results)
    yield from methods_sentences(results.evaluation.claims)
    yield from filter(None, (samples_methods(results), *_checks(results)))
    if results.people is not None:
        from mteval.answers.people import people_methods

        yield from people_methods(results.people)
    yield from (f"{name}: {source}" for name, source in results.sources.items())
    yield f"Random seed: {settings.seed}."
    yield from (f"Signature of {name}: {signature}" for name, signature in results.signatures.items())


def _test_details(results: Results) -> Iterator[str]:
    """Yield how the tests were computed."""
    verdicts, runs, units = results.verdicts(results.metrics[0]), results.run_word, plural(results.unit)
    is_strict = results.settings.strict
    if any(map(_is_about_runs, verdicts)):
        on = "linearised scores" if results.unit == "segment" else f"delete-one pseudo-values of {units}"
        share = "a quarter (an eighth with two)" if 2 in results.run_counts else "a quarter"
        n_documents = {row.n_documents for rows in results.coverage().values() for row in rows}
        is_bounded = results.unit == "document" and not n_documents.isdisjoint(MOST_DF)
        few = " The degrees of freedom are bounded, because there are fewer than five documents." if is_bounded else ""
        yield (
            f"p (both): two-way random-effects test on {on}. For its degrees of freedom, {share} of the"
            f" {runs.noun} × {results.unit} interaction is subtracted from the between-{runs.noun} variance.{few}"
            + ("" if is_strict else f" Below 5%, p is corrected for the number of {runs.nouns}.")
        )
        has_family = results.settings.design != "candidate" and len(verdicts) >= FEWEST_SYSTEMS - 1
        if has_family and is_calibrated(results.settings.confidence) and not is_strict:
            yield (
                f"Adjusted p (both): variances over {runs.nouns} below the square of the systems' mean SD are drawn"
                " towards it (two degrees of freedom) before Holm's adjustment."
            )
    if len(verdicts) > 1 and not any(verdict.is_simultaneous for verdict in verdicts):
        yield "Confidence intervals are not adjusted for the number of systems."


def plan_section(results: Results) -> Section | None:
    """Return whether the evaluation is as planned; None if no plan was named."""
    if (planned := results.planned) is None:
        return None
    found, plan = planned.deviations, f"the plan {planned.file} (digest {planned.digest[:_SHOWN_OF_DIGEST]})"
    if not found:
        return Section("plan", "Plan", (f"As planned: nothing deviates from {plan}.",))
    lead = f"{counted(len(found), 'deviation')} from {plan}:"
    return Section("plan", "Plan", (lead,), notes=noted(*found, level="warning"))


_SHOWN_OF_DIGEST = 12


def _checks(results: Results) -> Iterator[str]:
    """Yield the sentences on simultaneous intervals and the split-half check."""
    evaluation, confidence, runs = results.evaluation, results.settings.confidence, results.run_word
    yield simultaneous_sentence(results.rows(evaluation.simultaneous), confidence)
    halves = halves_sentences(results)
    yield " ".join([*halves, halvings_note(runs)]) if halves else ""


def halves_sentences(results: Results) -> list[str]:
    """Return the split-half check of each system by the primary metric."""
    here = (row for row in results.evaluation.halved if row.test_set == results.test_set.name)
    return [halvings_sentence(replace(row, system=results.name_of(row.system)), results.run_word) for row in here]
