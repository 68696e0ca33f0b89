"""What was done, in sentences for the methods section of a paper."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.notation import level
from mteval.settings import Settings

_CONVENTIONS = {
    "sacrebleu": "on detokenized text as in sacreBLEU (Post, 2018)",
    "multeval": "on text tokenized beforehand as in MultEval (Clark et al., 2011)",
}
_EXCHANGED = {
    "segment": "all runs of a segment together",
    "document": "all runs of all segments of a document together",
    "output": "each output on its own, run by run",
}
SOURCES = (
    "Clark, Dyer, Lavie, Smith 2011: Better Hypothesis Testing for Statistical Machine Translation: Controlling for"
    " Optimizer Instability. ACL.",
    "Riezler, Maxwell 2005: On Some Pitfalls in Automatic Evaluation and Significance Testing for MT. ACL workshop.",
    "Post 2018: A Call for Clarity in Reporting BLEU Scores. WMT.",
    "Holm 1979: A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics.",
)


def methods(
    settings: Settings,
    *,
    metrics: Mapping[str, str],
    run_counts: Sequence[int],
    n_segments: int,
    test_set: str,
    baseline: str,
    n_compared: int,
    exchanged: str,
    versions: Mapping[str, str],
) -> str:
    """One paragraph of plain text.

    Parameters
    ----------
    metrics
        Signatures by shown name, the primary metric first.
    run_counts
        Numbers of runs of the systems.
    n_compared
        Number of systems compared with the baseline.
    exchanged
        Unit of the randomization test: ``segment``, ``document`` or ``output``.
    """
    return " ".join(
        (
            *_scores(settings, list(metrics), run_counts, n_segments, test_set, versions),
            *_tests(settings, run_counts, baseline, n_compared, exchanged),
            f"Signatures: {'; '.join(f'{name} {signature}' for name, signature in metrics.items())}.",
        )
    )


def _scores(
    settings: Settings,
    names: Sequence[str],
    counts: Sequence[int],
    n_segments: int,
    test_set: str,
    versions: Mapping[str, str],
) -> Iterator[str]:
    lowest, highest = min(counts), max(counts)
    of_runs = "one run" if highest == 1 else f"{lowest} runs" if lowest == highest else f"{lowest} to {highest} runs"
    yield (
        f"We report {_and(names)} {'of' if highest == 1 else 'averaged over'} {of_runs} of each system on"
        f" {n_segments:,} segments ({test_set}), computed {_CONVENTIONS[settings.convention]} with mteval"
        f" {versions['mteval']}; {names[0]} is the primary metric."
    )
    yield (
        f"s_sel is the standard deviation of the corpus score over {settings.n_bootstrap:,} bootstrap replicates of the"
        " test set, averaged over runs."
    )
    if highest > 1:
        yield "s_test is the standard deviation of the corpus score over runs."


def _tests(settings: Settings, counts: Sequence[int], baseline: str, n_compared: int, exchanged: str) -> Iterator[str]:
    if not n_compared:
        return
    yield (
        f"Whether the choice of test sentences could explain a difference from {baseline} was tested by stratified"
        f" approximate randomization (Riezler and Maxwell, 2005) with {settings.n_shuffles:,} shuffles that exchange"
        f" {_EXCHANGED[exchanged]}."
    )
    if min(counts) > 1:
        yield (
            "Whether new sentences and re-run training together could explain it was tested with a two-way random"
            " effects procedure over segments and runs on linearised scores (Student's t with Satterthwaite's degrees"
            " of freedom, in which the variance over runs counts less a quarter of its interaction with segments)."
        )
    correction = (
        f", corrected by Holm's method for the {n_compared} systems compared with {baseline}" if n_compared > 1 else ""
    )
    yield (
        f"P-values are two-sided{correction}, and judged at the {level(1 - settings.confidence)} level; all random"
        f" numbers follow from the seed {settings.seed}."
    )


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
