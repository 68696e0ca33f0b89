"""The caption of the table for the paper: runs, replicates, shuffles, seed, signatures, and what each number means."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.counts import counted_range
from mteval.export.columns import COLUMNS, FORMS, MARKED, Layout
from mteval.export.overview.latex import escape
from mteval.export.prose.answers import declared_sentence
from mteval.export.prose.look_plans import look_sentences
from mteval.export.prose.verdicts import ranking_sentences
from mteval.notation import level
from mteval.run_words import RUN
from mteval.settings import Settings
from mteval.verdict import Ranking

_MARKS = (
    r"$^{\dagger}$: luck with the choice of {units} is ruled out; $^{\ddagger}$: luck with {units} and {training}"
    r" together is ruled out{provisional}; at the {level} level, corrected for the number of systems (Holm)."
)
_BEST = "Bold: best average."


def caption(
    settings: Settings,
    run_counts: Sequence[int],
    signatures: Mapping[str, str],
    *,
    columns: Sequence[str],
    coverage: str,
    n_shuffles: int,
    baseline: str,
    exchanged: str,
    layout: Layout = "booktabs",
    ranking: Ranking | None = None,
) -> str:
    """Caption in TeX for ``latex_table``.

    Parameters
    ----------
    run_counts
        Numbers of runs of the systems.
    signatures
        Of the metrics, by shown name.
    columns
        Keys of the columns that the table has.
    coverage
        What the numbers rest on, in plain text.
    n_shuffles
        That were made.
    baseline
        Shown name.
    exchanged
        Unit of the randomization test: ``segment``, ``document`` or ``output``.
    layout
        That of MultEval has other headings, no marks and no bold averages; else they stand at the averages.
    ranking
        By the first metric, whose ranks and groups the layout ``systems`` shows.
    """
    runs = settings.runs
    words = {
        "provisional": f" (provisional: from two {runs.nouns})" if 2 in run_counts else "",
        "bootstrap": f"{settings.n_bootstrap:,}",
        "shuffles": f"{n_shuffles:,}",
        "units": "documents" if exchanged == "document" else "segments",
        "exchanged": "single outputs" if exchanged == "output" else f"{exchanged}s with all {runs.nouns}",
        "baseline": escape(baseline),
        "training": "with training" if runs == RUN else escape(runs.luck),
        "level": escape(level(1 - settings.confidence)),
    }
    explanations = [_of_column(key, layout) for key in columns]
    has_marks = MARKED in columns and FORMS[layout].has_marks
    if has_marks:
        explanations += [_MARKS, *map(escape, look_sentences(settings)), _BEST]
    if has_marks or "p_both" in columns:
        explanations.append(declared_sentence(settings.design, "{baseline}"))
    if ranking is not None and layout == "systems":
        explanations.append(escape(ranking_sentences(ranking)))
    parts = [
        f"Scores of {counted_range(run_counts, runs.noun)} of each system, seed {settings.seed}. {escape(coverage)}",
        *(_filled(runs.said(text), words) for text in explanations if text),
    ]
    return " ".join([*parts, f"Signatures: {'; '.join(_signatures(signatures))}."])


def _of_column(key: str, layout: Layout) -> str:
    """What a column means, under the heading that it has in the layout; metrics are the headings in ``systems``."""
    column = COLUMNS[key]
    heading = "Each number" if layout == "systems" else column.heading(layout).tex
    return _filled(column.caption, {"heading": heading})


def _filled(text: str, words: Mapping[str, str]) -> str:
    """The text with its words put in; ``str.format`` would trip over the braces of TeX."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def _signatures(signatures: Mapping[str, str]) -> Iterator[str]:
    """Each in typewriter, with leave to break the line between its options."""
    for name, signature in signatures.items():
        options = r"\textbar{}\allowbreak{}".join(map(escape, signature.split("|")))
        yield rf"{escape(name)} \texttt{{{options}}}"
