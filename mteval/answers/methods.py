"""The methods paragraph of a paper, and the appendix with settings, seed and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isnan

from mteval.analysis.results import Results
from mteval.answers.claims import claim_details, claim_methods
from mteval.answers.procedures import simultaneous_sentence
from mteval.answers.runs import samples_methods
from mteval.answers.scores import extent, given_names, size_of_test_set
from mteval.answers.section import Section, noted
from mteval.answers.sensitivity import halvings_note, halvings_sentence
from mteval.answers.verdict import SOURCE_OF_SHARES, look_sentences
from mteval.base.words import agreeing, counted, counted_part, counted_range, listed, plural
from mteval.stats.crossed_layout import FEWEST_SYSTEMS, is_calibrated
from mteval.stats.units import MOST_DF
from mteval.values.claim import claimed_test_sets
from mteval.values.notation import level
from mteval.values.settings import Decision, Design
from mteval.values.verdict import Coverage, Verdict

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


MOST_NAMED = 6  # test sets that the paragraph lists


def methods_text(results: Results) -> str:
    """Return the paragraph and the appendix as plain text."""
    return f"{methods_paragraph(results)}\n\nAppendix A\n\n" + "\n".join(appendix(results))


def methods_section(results: Results) -> Section:
    """Return the paragraph, the appendix, and what they cite."""
    settings = Section("appendix", "Appendix A", tuple(appendix(results)))
    cited = Section("sources", "References", cited_sources(results))
    return Section("methods", "Methods", (methods_paragraph(results),), parts=(settings, cited))


def cited_sources(results: Results) -> tuple[str, ...]:
    """Return the references of the methods, without those of metrics."""
    of_shares: tuple[str, ...] = ()
    if _has_shares(results):
        of_shares = (SOURCE_OF_SHARES,)
    of_people: tuple[str, ...] = ()
    if results.people is not None:
        from mteval.answers import people  # few experiments have judgements

        of_people = people.SOURCES
    return tuple(dict.fromkeys((*SOURCES, *of_shares, *of_people)))


def _has_shares(results: Results) -> bool:
    """Return whether any verdict says how often people prefer the better-scored system."""
    return any(not isnan(verdict.share_of_pairs) for verdict in results.verdicts())


def methods_paragraph(results: Results) -> str:
    """Return the methods paragraph: three to six sentences, and two more on the claims over several test sets."""
    return " ".join((*_design(results), *_tests(results)))


def _on_each(results: Results) -> list[Results]:
    """Return the results on every test set that systems were not tuned on; on a tuning set, on it alone."""
    test_sets = claimed_test_sets(results.experiment.test_sets)
    if results.test_set.name not in {test_set.name for test_set in test_sets}:
        return [results]
    on_each = []
    for test_set in test_sets:
        is_own = test_set.name == results.test_set.name
        on_each.append(results if is_own else results.on(test_set))
    return on_each


def _all_verdicts(results: Results) -> list[Verdict]:
    """Return the verdicts by the primary metric on all test sets."""
    all_verdicts: list[Verdict] = []
    for on_one in _on_each(results):
        all_verdicts += on_one.verdicts(results.metrics[0])
    return all_verdicts


def _run_counts(results: Results) -> list[int]:
    """Return the distinct numbers of runs per system on all test sets."""
    return sorted(set(chain.from_iterable(on_one.run_counts for on_one in _on_each(results))))


def _one_of(values: Iterable[str]) -> str:
    """Return ``documents``, or ``documents or segments`` if test sets differ."""
    return listed(list(dict.fromkeys(values)), "or")


def _design(results: Results) -> Iterator[str]:
    """Yield the sentences on systems, test sets and metrics."""
    runs = results.run_word
    metrics = list(results.signatures)
    if len(metrics) > 1:
        metrics[0] += " (primary)"

    verdicts = _all_verdicts(results)
    baseline = results.name_of(results.experiment.baseline)
    compared_systems = list(dict.fromkeys(verdict.system for verdict in verdicts))
    match len(compared_systems):
        case 0:
            compared = "evaluate each system"
            if len(results.systems) == 1:
                compared = f"evaluate {results.name_of(results.systems[0])}"
        case 1:
            compared = f"compare {results.name_of(compared_systems[0])} with {baseline}"
        case _:
            compared = f"compare each system with {baseline}"

    run_counts = _run_counts(results)
    is_single = max(run_counts) == 1
    if is_single:
        n_runs = f"with one {runs.noun} per system" if len(results.systems) > 1 else f"with one {runs.noun}"
    else:
        n_runs = f"averaged over {counted_range(run_counts, runs.noun)}"
        if len(results.systems) > 1:
            n_runs += " per system"
    yield f"We {compared} on {_sizes(results)} using {listed(metrics)}, {n_runs}."

    if results.settings.design == "released":
        yield "Neither system will be trained again: the comparison is about these models, on other text like this."
    elif is_single and results.settings.design != "candidate":
        yield f"Variation between {runs.nouns} is therefore not accounted for."


def _sizes(results: Results) -> str:
    """Return the size of the test set, or of each; of many, their number and range."""
    on_each = _on_each(results)
    if len(on_each) == 1:
        return _size(results)
    n_test_sets = counted(len(on_each), "test set")
    if len(on_each) <= MOST_NAMED:
        return f"{n_test_sets} ({'; '.join(map(_size_after_name, on_each))})"
    n_segments = [on_one.test_set.n_segments for on_one in on_each]
    return f"{n_test_sets} of {counted_range(sorted(set(n_segments)), 'segment')} (listed in Appendix A)"


def _size(results: Results) -> str:
    """Return ``1,910 segments (wmt23) in 97 documents``; the name alone if its segments are unknown."""
    languages = f", {results.test_set.languages}" if results.test_set.languages else ""
    if _has_unknown_segments(results):
        return f"the test set {results.test_set.name}{languages}"
    return size_of_test_set(results.coverage(), f" ({results.test_set.name}{languages})")


def _size_after_name(results: Results) -> str:
    """Return ``wmt23: 1,910 segments in 97 documents``, with the numbers of runs if test sets differ in them."""
    parts = [results.test_set.name]
    if not _has_unknown_segments(results):
        parts = [f"{results.test_set.name}: {size_of_test_set(results.coverage(), '')}"]
    if results.run_counts != _run_counts(results):
        parts.append(counted_range(results.run_counts, results.run_word.noun))
    return ", ".join(parts)


def _has_unknown_segments(results: Results) -> bool:
    verdicts = results.verdicts(results.metrics[0])
    return bool(verdicts) and all(verdict.is_of_runs for verdict in verdicts)


def _is_about_runs(verdict: Verdict) -> bool:
    """Return whether a verdict answers for training luck, too."""
    return verdict.both != "refused" and not verdict.is_released


_DECISIONS: Mapping[Decision, str] = {
    "primary": "",
    "all": " A system is called better only if it is better by all metrics (intersection-union; Berger, 1982).",
    "any": " The family includes all metrics; the first p-value is adjusted by shared shuffles, step by step (max-T;"
    " Westfall and Young, 1993).",
}
_DECLARED: Mapping[Design, str] = {
    "independent": "",
    "paired": ", with {runs} of the same name paired",
    "fixed": ", with the baseline as a fixed system whose own {luck} is not covered",
    "candidate": ", assuming that a system with a single {run} varies as the baseline's {runs} do",
    "released": "",
}


def _tests(results: Results) -> Iterator[str]:
    """Yield the sentences on the two tests, the adjustment and the software."""
    verdicts = _all_verdicts(results)
    settings = results.settings
    software = f"mteval {results.evaluation.versions['mteval']} (settings, signatures and seed in Appendix A)"
    if not verdicts:
        yield f"Scores were computed with {software}."
        return

    if all(verdict.is_of_runs for verdict in verdicts):
        yield _only_test_of_runs(results)
    else:
        yield from _both_tests(results, verdicts)
    yield from look_sentences(settings)
    yield from claim_methods(results.evaluation.claims)

    holm = _adjustment(results)
    alpha = level(settings.level)
    yield f"All tests are two-sided at the {alpha} level{holm}.{_DECISIONS[settings.decision]}"

    planned = results.planned
    if planned is not None:
        n_deviations = len(planned.deviations)
        deviations = counted(n_deviations, "deviation") if n_deviations else "no deviation"
        digest = planned.digest[:_SHOWN_OF_DIGEST]
        yield f"The evaluation was planned beforehand (plan {digest}), with {deviations} from the plan."
    yield f"Scores were computed with {software}."


def _adjustment(results: Results) -> str:
    """Return what p-values are adjusted for; empty for one comparison per family."""
    n_metrics = len(results.metrics) if results.settings.decision == "any" else 1
    on_each = _on_each(results)
    sizes = {n_metrics * len(on_one.verdicts(results.metrics[0])) for on_one in on_each} - {0}
    if max(sizes) <= 1:
        return ""
    adjusted = f" and Holm-adjusted for {counted_range(sorted(sizes), 'comparison')}"
    if len(on_each) == 1:
        return adjusted
    if results.evaluation.claims:
        return f"{adjusted} on each test set, and separately for their average"
    return f"{adjusted} on each test set"


def _both_tests(results: Results, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the sentences on the tests of test-set luck and, if it answers for any system, of both kinds of luck."""
    n_about_runs = sum(_is_about_runs(verdict) for verdict in verdicts)
    yield _first_test(results, is_alone=n_about_runs == 0)
    if n_about_runs > 0:
        yield _second_test(results, n_about_runs, len(verdicts))


def _only_test_of_runs(results: Results) -> str:
    """Return the sentence on the test of training luck, for scores of whole test sets."""
    runs = results.run_word
    return (
        f"The p-value asks whether the difference could be due to variation between {runs.nouns}: Welch's t-test"
        f" (Welch, 1947) over the scores of {runs.nouns}, with the test set taken as given."
    )


def _first_test(results: Results, is_alone: bool) -> str:
    """Return the sentence on the test of test-set luck; it may be the only one."""
    start = "The p-value" if is_alone else "We report two p-values. The first"
    on_each = _on_each(results)
    if max(_run_counts(results)) == 1:
        exchanging = f"exchanging {_one_of(plural(on_one.exchanged) for on_one in on_each)}"
    else:
        exchanging = results.run_word.filled(_one_of(_EXCHANGED[on_one.exchanged] for on_one in on_each))
    n_shuffles = max(on_one.n_shuffles for on_one in on_each)
    return (
        f"{start} asks whether the difference could be due to the choice of {_units(results)}: stratified"
        f" approximate randomization (Riezler and Maxwell, 2005; {counted(n_shuffles, 'shuffle')}),"
        f" {exchanging}."
    )


def _second_test(results: Results, n_answered: int, n_compared: int) -> str:
    """Return the sentence on the test of both kinds of luck, which may have an answer for some systems only."""
    runs = results.run_word
    part = ""
    if n_answered < n_compared:
        compared = "system" if len(_on_each(results)) == 1 else "comparison"
        part = f" (available for {counted_part(n_answered, n_compared, compared)})"
    if results.settings.strict:
        law = "averaged over the possible variances, which holds every level"
    else:
        law = "Student's t, Satterthwaite degrees of freedom"
    declared = runs.filled(_DECLARED[results.settings.design])
    at_least = "" if results.exchanged == "output" else "; it is never reported below the first"
    return (
        f"The second{part} also accounts for variation between {runs.nouns}: a two-way random-effects test over"
        f" {_units(results)} and {runs.nouns} ({law}){declared}{at_least}."
    )


def _units(results: Results) -> str:
    """Return the units of the test sets: ``segments``, or ``documents or segments`` if they differ."""
    return _one_of(plural(on_one.unit) for on_one in _on_each(results))


def appendix(results: Results) -> Iterator[str]:
    """Yield settings, definitions, seed and signatures, a line each; nothing about what was not computed."""
    settings = results.settings
    runs = results.run_word
    on_each = _on_each(results)
    if len(on_each) > MOST_NAMED:
        yield f"Test sets: {'; '.join(map(_size_after_name, on_each))}."
    yield from _metrics_in_words(results)
    if results.test_set.has_texts and not results.test_set.has_references:
        yield "The test set has no references."

    has_several_runs = max(_run_counts(results)) > 1
    over_runs = f", averaged over {runs.nouns}" if has_several_runs else ""
    if results.test_set.n_segments > 1:
        yield (
            f"SD (test set), s_sel: standard deviation of the corpus score over"
            f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the test set{over_runs}."
        )
    if has_several_runs:
        yield runs.filled("SD ({kind}), s_opt: standard deviation of the corpus score over {runs}.")

    yield from _test_details(results)
    if _has_shares(results):
        yield (
            "Share of pairs of systems in which people prefer the better-scored one: the curves of Kocmi et al. (2024),"
            " averaged over the true differences that the data leave open. Their pairs are mostly neural systems on"
            " other test sets."
        )
    yield from claim_details(results.evaluation.claims)
    yield from filter(None, (samples_methods(results), *_checks(results)))
    if results.people is not None:
        from mteval.answers.people import people_methods

        yield from people_methods(results.people)
    for name, source in results.sources.items():
        yield f"{name}: {source}"
    yield f"Random seed: {settings.seed}."
    yield from _signatures(on_each)


def _signatures(on_each: Sequence[Results]) -> Iterator[str]:
    """Yield each signature of each metric, with the test sets that it is of if others have another."""
    for name in on_each[0].signatures:
        test_sets_of: dict[str, list[str]] = {}
        for on_one in on_each:
            test_sets_of.setdefault(on_one.signatures[name], []).append(on_one.test_set.name)
        for signature, test_sets in test_sets_of.items():
            where = "" if len(test_sets_of) == 1 else f" ({listed(test_sets)})"
            yield f"Signature of {name}{where}: {signature}"


def _metrics_in_words(results: Results) -> Iterator[str]:
    """Yield which metrics were computed on what, and which scores were provided."""
    on_each = _on_each(results)
    coverages = [on_one.coverage() for on_one in on_each]
    given = list(dict.fromkeys(chain.from_iterable(map(given_names, coverages))))
    computed = [name for name in results.signatures if name not in given]
    by_models = [name for name in computed if name in results.by_models]
    by_counts = [name for name in computed if name not in results.by_models]
    if by_counts:
        how = _CONVENTIONS[results.settings.convention]
        yield f"{listed(by_counts)} {agreeing(len(by_counts), 'was', 'were')} computed {how}."
    if by_models:
        yield f"{listed(by_models)} {agreeing(len(by_models), 'was', 'were')} computed {_LEARNED}."
    if not given:
        return
    extents = []
    rows: list[Coverage] = []
    for on_one, coverage in zip(on_each, coverages, strict=True):
        where = "" if len(on_each) == 1 else f" on {on_one.test_set.name}"
        for name in given:
            if name in coverage:
                extents.append(f"{name}{where}: {extent(coverage[name])}")
                rows += coverage[name]
    yield f"Segment scores of {listed(given)} were provided, not computed ({'; '.join(extents)})."
    if not all(row.is_whole for row in rows):
        yield results.run_word.filled(
            "Segments that {a_run} has no score for are excluded from averages and comparisons."
        )


def _test_details(results: Results) -> Iterator[str]:
    """Yield how the tests were computed."""
    verdicts = _all_verdicts(results)
    on_each = _on_each(results)
    most_compared = max(len(on_one.verdicts(results.metrics[0])) for on_one in on_each)
    settings = results.settings
    if any(_is_about_runs(verdict) and not verdict.is_of_runs for verdict in verdicts):
        yield _test_of_both(results)
        is_family = settings.design != "candidate" and most_compared >= FEWEST_SYSTEMS - 1
        if is_family and is_calibrated(settings.confidence) and not settings.strict:
            yield (
                f"Adjusted p_run: variances over {results.run_word.nouns} below the square of the systems' mean SD"
                " are shrunk towards it (two degrees of freedom) before Holm's adjustment."
            )
    if most_compared > 1 and not any(verdict.is_simultaneous for verdict in verdicts):
        yield "Confidence intervals are not adjusted for the number of systems."


def _test_of_both(results: Results) -> str:
    """Return what the two-way test is computed on, and its degrees of freedom."""
    runs = results.run_word
    on_each = _on_each(results)
    units = list(dict.fromkeys(on_one.unit for on_one in on_each))
    kinds = []
    for unit in units:
        if unit == "segment":
            kinds.append("linearised scores")
        else:
            kinds.append(f"delete-one pseudo-values of {plural(unit)}")
    values = listed(kinds, "or")
    share = "a quarter"
    if 2 in _run_counts(results):
        share = "a quarter (an eighth with two)"
    text = (
        f"p_run: two-way random-effects test on {values}. For its degrees of freedom, {share} of the"
        f" {runs.noun} × {_one_of(units)} interaction is subtracted from the between-{runs.noun} variance."
    )
    n_documents: set[int] = set()
    for on_one in on_each:
        if on_one.unit == "document":
            n_documents.update(row.n_documents for row in chain.from_iterable(on_one.coverage().values()))
    if not n_documents.isdisjoint(MOST_DF):
        text += " The degrees of freedom are bounded, because there are fewer than five documents."
    if not results.settings.strict:
        text += f" Below 5%, p is corrected for the number of {runs.nouns}."
    return text


def plan_section(results: Results) -> Section | None:
    """Return whether the evaluation is as planned; None if no plan was named."""
    planned = results.planned
    if planned is None:
        return None
    plan = f"the plan {planned.file} (digest {planned.digest[:_SHOWN_OF_DIGEST]})"
    if not planned.deviations:
        return Section("plan", "Plan", (f"As planned: nothing deviates from {plan}.",))
    lead = f"{counted(len(planned.deviations), 'deviation')} from {plan}:"
    return Section("plan", "Plan", (lead,), notes=noted(*planned.deviations, level="warning"))


_SHOWN_OF_DIGEST = 12


def _checks(results: Results) -> Iterator[str]:
    """Yield the sentences on simultaneous intervals and the split-half check, with the test sets if these differ."""
    on_each = _on_each(results)
    test_sets_of: dict[str, list[str]] = {}
    last_halves = ""
    for on_one in on_each:
        simultaneous = simultaneous_sentence(on_one.rows(on_one.evaluation.simultaneous), on_one.settings.confidence)
        halves = " ".join(halves_sentences(on_one))
        last_halves = halves or last_halves
        for text in filter(None, (simultaneous, halves)):
            test_sets_of.setdefault(text, []).append(on_one.test_set.name)
    for text, test_sets in test_sets_of.items():
        sentences = text if len(test_sets) == len(on_each) else f"{listed(test_sets)}: {text}"
        if text == last_halves:
            sentences += f" {halvings_note(results.run_word)}"
        yield sentences


def halves_sentences(results: Results) -> list[str]:
    """Return the split-half check of each system by the primary metric."""
    sentences = []
    for row in results.evaluation.halved:
        if row.test_set == results.test_set.name:
            named = replace(row, system=results.name_of(row.system))
            sentences.append(halvings_sentence(named, results.run_word))
    return sentences
