"""What was done, in sentences for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mteval.analysis.results import Results
from mteval.answers import people
from mteval.answers.claims import methods_sentences
from mteval.answers.procedures import simultaneous_sentence
from mteval.answers.runs import samples_methods
from mteval.answers.scores import ByMetric, extent, given_names, size_of_test_set
from mteval.answers.section import Section
from mteval.answers.sensitivity import borrowed_methods, halvings_note, halvings_sentence
from mteval.answers.verdict import look_sentences
from mteval.base.words import agreeing, counted, counted_part, counted_range, listed, plural
from mteval.values.notation import level
from mteval.values.run_words import RunWord
from mteval.values.settings import Design

_CONVENTIONS = {
    "sacrebleu": "on detokenized text as in sacreBLEU (Post, 2018)",
    "multeval": "on text tokenized beforehand as in MultEval (Clark et al., 2011)",
}
_EXCHANGED = {
    "segment": "all {runs} of a segment together",
    "document": "all {runs} of all segments of a document together",
    "output": "each output on its own, {run} by {run}",
}
SOURCES = (
    "Clark, Dyer, Lavie, Smith 2011: Better Hypothesis Testing for Statistical Machine Translation: Controlling for"
    " Optimizer Instability. ACL.",
    "Riezler, Maxwell 2005: On Some Pitfalls in Automatic Evaluation and Significance Testing for MT. ACL workshop.",
    "Post 2018: A Call for Clarity in Reporting BLEU Scores. WMT.",
    "Holm 1979: A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics.",
)


def cited(name: str, source: str) -> str:
    """A metric with where it is defined."""
    return f"{name}: {source}"


def methods_text(results: Results) -> str:
    """One paragraph of plain text."""
    confidence, runs = results.settings.confidence, results.run_word
    sources = [cited(*item) for item in results.sources.items()]
    signatures = [f"{name} {signature}" for name, signature in results.signatures.items()]
    said = (
        *_scores(results),
        *_tests(results),
        samples_methods(results.sampled(), confidence, runs),
        *_looked_at(results),
        *([] if results.people is None else people.people_methods(results.people)),
        *methods_sentences(results.evaluation.claims),
        f"The metrics are defined in: {'; '.join(sources)}." if sources else "",
        f"Signatures: {'; '.join(signatures)}.",
    )
    return " ".join(filter(None, said))


def methods_section(results: Results) -> Section:
    """The paragraph, and what it cites."""
    of_people = () if results.people is None else people.SOURCES
    sources = (*(cited(*item) for item in results.sources.items()), *SOURCES, *of_people)
    return Section("methods", "Methods", (methods_text(results),), parts=(Section("sources", "", sources),))


def _scores(results: Results) -> Iterator[str]:
    settings, coverage, runs, names = results.settings, results.coverage(), results.run_word, list(results.signatures)
    version, is_single = results.evaluation.versions["mteval"], max(results.run_counts) == 1
    of_runs = f"of one {runs.noun}" if is_single else f"averaged over {counted_range(results.run_counts, runs.noun)}"
    test_set = results.test_set
    blind = "without references" if test_set.has_texts and not test_set.has_references else ""
    about = ", ".join(filter(None, (test_set.name, test_set.languages, blind)))
    yield f"We report {listed(names)} {of_runs} of each system on {size_of_test_set(coverage, f' ({about})')}."
    given = given_names(coverage)
    yield from _computed(results, [name for name in names if name not in given], version)
    if given:
        yield _given(given, coverage, version if len(given) == len(names) else "", runs)
    yield f"{names[0]} is the primary metric."
    averaged = "" if is_single else f", averaged over {runs.nouns}"
    yield (
        "s_sel is the standard deviation of the corpus score over"
        f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the segments{averaged}."
    )
    if not is_single:
        yield f"s_test is the standard deviation of the corpus score over {runs.nouns}."


def _computed(results: Results, computed: Sequence[str], version: str) -> Iterator[str]:
    """How texts were treated, of which models read them as they are."""
    by_models = results.by_models
    plain, learned = ([name for name in computed if (name in by_models) == is_learned] for is_learned in (False, True))
    for some, how in (
        (plain, f"{_CONVENTIONS[results.settings.convention]} with mteval {version}"),
        (learned, f"on the text as it is with mteval {version}, by the model and packages that the signature names"),
    ):
        if some:
            is_all = some == list(results.signatures)
            what = "Scores were" if is_all else f"{listed(some)} {agreeing(len(some), 'was', 'were')}"
            yield f"{what} computed {how}."


def _given(names: Sequence[str], coverage: ByMetric, version: str, runs: RunWord) -> str:
    """Scores by people or by another program are described as what they are."""
    described = [f"{name}: {extent(coverage[name])}" for name in names]
    left_out = (
        ""
        if all(row.is_whole for name in names for row in coverage[name])
        else "; segments that {a_run} of a system has no score of are left out of its averages and comparisons"
    )
    by = f" by mteval {version}" if version else ""
    return (
        f"{listed(names)} {agreeing(len(names), 'was', 'were')} not computed here: scores of segments were given with"
        f" the {runs.nouns} ({'; '.join(described)}) and averaged{by}{runs.filled(left_out)}."
    )


def _declared(design: Design, baseline: str, runs: RunWord) -> Iterator[str]:
    """What the second test rests on besides the data."""
    if design == "paired":
        yield runs.filled(
            "{Runs} of the same name share their seed or order of data, so they were compared in pairs: the variance"
            " over {runs} is that of their differences."
        )
    if design == "fixed":
        yield (
            f"{baseline} was taken as a fixed system that will not be trained again: its own luck with training is left"
            f" out, and what is said of {runs.luck} is about the systems compared with it."
        )


def _tests(results: Results) -> Iterator[str]:
    verdicts, settings, runs = results.verdicts(results.metrics[0]), results.settings, results.run_word
    n_compared, n_answered = len(verdicts), sum(verdict.both != "refused" for verdict in verdicts)
    if not n_compared:
        return
    unit, units, baseline = results.unit, plural(results.unit), results.name_of(results.experiment.baseline)
    yield (
        f"Whether the choice of {units} could explain a difference from {baseline} was tested by stratified"
        f" approximate randomization (Riezler and Maxwell, 2005) with {counted(results.n_shuffles, 'shuffle')} that"
        f" exchange {runs.filled(_EXCHANGED[results.exchanged])}."
    )
    if n_answered:
        yield from _declared(settings.design, baseline, runs)
        taken = "linearised scores" if unit == "segment" else f"delete-one pseudo-values of {units}"
        few = ", bounded where documents are fewer than five" if unit == "document" else ""
        of_two = f" (of two {runs.nouns} an eighth)" if 2 in results.run_counts else ""
        part = f"; it has an answer for {counted_part(n_answered, n_compared, 'system')}"
        yield (
            f"Whether new {units} and {runs.again} together could explain it was tested with a two-way random"
            f" effects procedure over {units} and {runs.nouns} on {taken} (Student's t with Satterthwaite's degrees of"
            f" freedom{few}, in which the variance over {runs.nouns} counts less a quarter{of_two} of its interaction"
            f" with {units}){part if n_answered < n_compared else ''}."
        )
    adjusted = f", corrected by Holm's method for the {counted(n_compared, 'system')} compared with {baseline}"
    intervals = "; intervals are not adjusted"
    yield from look_sentences(settings)
    yield (
        f"P-values are two-sided{adjusted if n_compared > 1 else ''}, and judged at the"
        f" {level(1 - settings.confidence)} level{intervals if n_compared > 1 else ''}. All random numbers follow from"
        f" the seed {settings.seed}."
    )


def _looked_at(results: Results) -> Iterator[str]:
    """Beside the verdicts: intervals that hold together, run variances that borrow, halves of the runs."""
    evaluation, confidence, runs = results.evaluation, results.settings.confidence, results.run_word
    yield simultaneous_sentence(results.rows(evaluation.simultaneous), confidence)
    frame = results.rows(evaluation.sensitivity)
    yield borrowed_methods(frame.assign(system=frame["system"].map(results.name_of)), 1 - confidence, runs)
    halves = halves_sentences(results)
    yield " ".join([*halves, halvings_note(runs)]) if halves else ""


def halves_sentences(results: Results) -> list[str]:
    """What the verdict says of halves of the runs of each system, by the primary metric."""
    return [
        halvings_sentence(replace(row, system=results.name_of(row.system)), results.run_word)
        for row in results.evaluation.halved
        if row.test_set == results.test_set.name
    ]
