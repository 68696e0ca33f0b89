"""What was done, in sentences for the methods section of a paper."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from mteval.answers.claims import methods_sentences
from mteval.answers.planner import look_sentences
from mteval.answers.scores import ByMetric, extent, given_names, size_of_test_set
from mteval.base.words import agreeing, counted, counted_part, counted_range, listed, plural
from mteval.values.claim import Claim
from mteval.values.notation import level
from mteval.values.settings import Design, Settings

_CONVENTIONS = {
    "sacrebleu": "on detokenized text as in sacreBLEU (Post, 2018)",
    "multeval": "on text tokenized beforehand as in MultEval (Clark et al., 2011)",
}
_EXCHANGED = {
    "segment": "all runs of a segment together",
    "document": "all runs of all segments of a document together",
    "output": "each output on its own, run by run",
}
NO_SOURCES: Mapping[str, str] = {}
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


def methods(
    settings: Settings,
    *,
    metrics: Mapping[str, str],
    run_counts: Sequence[int],
    coverage: ByMetric,
    test_set: str,
    baseline: str,
    n_compared: int,
    n_answered: int,
    exchanged: str,
    unit: str,
    n_shuffles: int,
    versions: Mapping[str, str],
    claims: Sequence[Claim] = (),
    samples: str = "",
    further: Sequence[str] = (),
    by_models: Collection[str] = (),
    sources: Mapping[str, str] = NO_SOURCES,
) -> str:
    """One paragraph of plain text.

    Parameters
    ----------
    metrics
        Signatures by shown name, the primary metric first.
    run_counts
        Numbers of runs of the systems.
    coverage
        What the numbers rest on, by the same names.
    n_compared
        Number of systems compared with the baseline.
    n_answered
        Of these the number that the second question has an answer for, by the primary metric.
    exchanged
        Unit of the randomization test: ``segment``, ``document`` or ``output``.
    unit
        That of the two-way procedure: ``segment`` or ``document``.
    n_shuffles
        That it made.
    claims
        Over several test sets.
    samples
        What is said of samples within runs.
    further
        What else was looked at beside the two answers.
    by_models
        Of the metrics those that models computed, with packages of their own.
    sources
        Where the metrics that were computed are defined, by the same names.
    """
    return " ".join(
        (
            *_scores(settings, list(metrics), by_models, run_counts, coverage, test_set, versions),
            *_tests(settings, baseline, (n_compared, n_answered), (exchanged, unit), n_shuffles, run_counts),
            *([samples] if samples else []),
            *further,
            *methods_sentences(claims),
            *([f"The metrics are defined in: {'; '.join(map(cited, sources, sources.values()))}."] if sources else []),
            f"Signatures: {'; '.join(f'{name} {signature}' for name, signature in metrics.items())}.",
        )
    )


def _scores(
    settings: Settings,
    names: Sequence[str],
    by_models: Collection[str],
    counts: Sequence[int],
    coverage: ByMetric,
    test_set: str,
    versions: Mapping[str, str],
) -> Iterator[str]:
    is_single = max(counts) == 1
    runs = settings.runs
    of_runs = f"of one {runs.noun}" if is_single else f"averaged over {counted_range(counts, runs.noun)}"
    yield f"We report {listed(names)} {of_runs} of each system on {size_of_test_set(coverage, f' ({test_set})')}."
    given = given_names(coverage)
    yield from _computed(names, [name for name in names if name not in given], by_models, settings, versions["mteval"])
    if given:
        yield _given(given, coverage, versions["mteval"] if len(given) == len(names) else "")
    yield f"{names[0]} is the primary metric."
    averaged = "" if is_single else f", averaged over {runs.nouns}"
    yield (
        "s_sel is the standard deviation of the corpus score over"
        f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the segments{averaged}."
    )
    if not is_single:
        yield f"s_test is the standard deviation of the corpus score over {runs.nouns}."


def _computed(
    names: Sequence[str], computed: Sequence[str], by_models: Collection[str], settings: Settings, version: str
) -> Iterator[str]:
    """How texts were treated, of which models read them as they are."""
    plain, learned = ([name for name in computed if (name in by_models) == is_learned] for is_learned in (False, True))
    for some, how in (
        (plain, f"{_CONVENTIONS[settings.convention]} with mteval {version}"),
        (learned, f"on the text as it is with mteval {version}, by the model and packages that the signature names"),
    ):
        if some:
            what = "Scores were" if some == list(names) else f"{listed(some)} {agreeing(len(some), 'was', 'were')}"
            yield f"{what} computed {how}."


def _given(names: Sequence[str], coverage: ByMetric, version: str) -> str:
    """Scores by people or by another program are described as what they are."""
    described = [f"{name}: {extent(coverage[name])}" for name in names]
    left_out = (
        ""
        if all(row.is_whole for name in names for row in coverage[name])
        else "; segments that a run of a system has no score of are left out of its averages and comparisons"
    )
    by = f" by mteval {version}" if version else ""
    return (
        f"{listed(names)} {agreeing(len(names), 'was', 'were')} not computed here: scores of segments were given with"
        f" the runs ({'; '.join(described)}) and averaged{by}{left_out}."
    )


def _declared(design: Design, baseline: str) -> Iterator[str]:
    """What the second test rests on besides the data."""
    if design == "paired":
        yield (
            "Runs of the same name share their seed or order of data, so they were compared in pairs: the variance over"
            " runs is that of their differences."
        )
    if design == "fixed":
        yield (
            f"{baseline} was taken as a fixed system that will not be trained again: its own luck with training is left"
            " out, and what is said of training luck is about the systems compared with it."
        )


def _tests(
    settings: Settings,
    baseline: str,
    numbers: tuple[int, int],
    by: tuple[str, str],
    n_shuffles: int,
    run_counts: Sequence[int],
) -> Iterator[str]:
    n_compared, n_answered = numbers
    if not n_compared:
        return
    exchanged, unit = by
    runs = settings.runs
    units = plural(unit)
    yield (
        f"Whether the choice of {units} could explain a difference from {baseline} was tested by stratified"
        f" approximate randomization (Riezler and Maxwell, 2005) with {counted(n_shuffles, 'shuffle')} that"
        f" exchange {_EXCHANGED[exchanged]}."
    )
    if n_answered:
        yield from _declared(settings.design, baseline)
        taken = "linearised scores" if unit == "segment" else f"delete-one pseudo-values of {units}"
        few = ", bounded where documents are fewer than five" if unit == "document" else ""
        of_two = f" (of two {runs.nouns} an eighth)" if 2 in run_counts else ""
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
