"""A report as text: the LaTeX table, the sentences of the methods section, all numbers as JSON, CSV and a workbook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.overview import overview
from mteval.analysis.results import Results
from mteval.answers.borrowed import borrowed_methods
from mteval.answers.equality import halvings_note, halvings_sentence
from mteval.answers.methods import methods
from mteval.answers.procedures import simultaneous_sentence
from mteval.answers.samples import methods_sentence
from mteval.answers.scores import DEFAULT_COLUMNS, Layout, columns_in, coverage_text
from mteval.answers.verdict import remarks_on
from mteval.base.errors import DataError
from mteval.render.csv import frame_csv
from mteval.render.json import to_json
from mteval.render.xlsx import workbook
from mteval.report.paper_table import caption, latex_document, latex_table
from mteval.values.model import TestSet
from mteval.values.run_words import Wording

FRAMES = ("scores", "summary", "comparisons", "coverage")
OPTIONAL = {  # frames that are there where they have rows, and what holds them
    "claims": "claimed",
    "samples": "samples",
    "sensitivity": "sensitivity",
    "errors": "errors",
    "own_runs": "own_runs",
    "simultaneous": "simultaneous",
}


@dataclass(frozen=True)
class LatexChoice:
    """How the table for the paper looks.

    Parameters
    ----------
    columns
        For the layout ``booktabs``; the others have their own.
    metrics, systems
        Keys of the rows; None takes all.
    is_document
        Whether it is to compile by itself.
    """

    layout: Layout = "booktabs"
    columns: Sequence[str] = DEFAULT_COLUMNS
    metrics: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    is_document: bool = False


def chosen_rows(results: Results, choice: LatexChoice) -> pd.DataFrame:
    """The rows of the overview that the table shows.

    Raises
    ------
    DataError
        Where none of the chosen systems has scores by a chosen metric.
    """
    rows = overview(results)
    for column, chosen in (("metric", choice.metrics), ("system", choice.systems)):
        rows = rows if chosen is None else rows[rows[column].isin(chosen)]
    if rows.empty:
        raise DataError(
            f"The table would be empty: none of the systems {', '.join(choice.systems or ())} has scores by"
            f" {', '.join(choice.metrics or ())}. Choose other systems or metrics."
        )
    return rows


def remarks_below(results: Results) -> list[str]:
    """What is to be known of the answers below a table that is text, after an empty line; none where there is nothing.

    As that too few documents were exchanged, that segments are left out, that the two answers disagree.
    """
    shown = [replace(verdict, system=results.name_of(verdict.system)) for verdict in results.verdicts()]
    remarks = list(remarks_on(shown))
    return ["", *remarks] if remarks else []


def latex(results: Results, choice: LatexChoice) -> str:
    """The table for the paper."""
    columns = columns_in(choice.layout, choice.columns)
    rows, ranking = chosen_rows(results, choice), results.ranking
    is_ranked = ranking is not None and rows["metric"].iloc[0] == ranking.metric
    words = caption(
        results.settings,
        sorted(set(rows["n_runs"])),
        {name: results.signatures[name] for name in dict.fromkeys(rows["metric_name"])},
        columns=columns,
        coverage=results.said(coverage_text(results.coverage(set(rows["metric"])), results.test_set.name)),
        n_shuffles=results.n_shuffles,
        baseline=results.name_of(results.experiment.baseline),
        exchanged=results.exchanged,
        layout=choice.layout,
        ranking=ranking if is_ranked else None,
    )
    table = latex_table(
        rows.assign(system=rows["system"].map(results.name_of)), words, layout=choice.layout, columns=columns
    )
    return latex_document(table, choice.layout) if choice.is_document else table


def methods_text(results: Results) -> str:
    """What was done, for the methods section."""
    primary, said = results.verdicts(results.metrics[0]), results.said
    text = methods(
        results.settings,
        metrics=results.signatures,
        run_counts=results.run_counts,
        coverage=results.coverage(),
        test_set=", ".join(filter(None, _about_test_set(results.test_set))),
        baseline=results.name_of(results.experiment.baseline),
        n_compared=len(primary),
        n_answered=sum(verdict.both != "refused" for verdict in primary),
        exchanged=results.exchanged,
        unit=results.unit,
        n_shuffles=results.n_shuffles,
        versions=results.evaluation.versions,
        sources=results.sources,
        by_models=results.by_models,
        claims=results.evaluation.claims,
        samples=methods_sentence(results.sampled(), results.settings.confidence),
        further=[*_together(results), *_borrowed(results), *_own_runs(results), *_people(results)],
    )
    return Wording(said.runs, (*said.names, *results.signatures.values(), *results.sources.values()))(text)


def _about_test_set(test_set: TestSet) -> Iterator[str]:
    """Its name, its languages where they are declared, and whether its outputs had to be judged without references."""
    yield from (test_set.name, test_set.languages)
    if test_set.has_texts and not test_set.has_references:
        yield "without references"


def _together(results: Results) -> Iterator[str]:
    """How the intervals that hold together were made, where there are any."""
    sentence = simultaneous_sentence(results.rows(results.evaluation.simultaneous), results.settings.confidence)
    if sentence:
        yield sentence


def _borrowed(results: Results) -> Iterator[str]:
    """What hangs on how little few runs tell of their spread, by the primary metric, where that can be asked."""
    frame = results.rows(results.evaluation.sensitivity)
    named = frame.assign(system=frame["system"].map(results.name_of))
    yield from filter(None, [borrowed_methods(named, 1 - results.settings.confidence, results.run_word)])


def own_runs_sentences(results: Results) -> list[str]:
    """What the verdict says of halves of the runs of each system, by the primary metric."""
    here = [row for row in results.evaluation.halved if row.test_set == results.test_set.name]
    return [halvings_sentence(replace(row, system=results.name_of(row.system)), results.run_word) for row in here]


def _own_runs(results: Results) -> Iterator[str]:
    sentences = own_runs_sentences(results)
    if sentences:
        yield " ".join([*sentences, halvings_note(results.run_word)])


def _people(results: Results) -> Iterator[str]:
    """What was done with judgements, where there are any."""
    if results.people is not None:
        from mteval.report.people import people_sentences  # here, since not every command loads figures

        yield from people_sentences(results.people)


def csv(results: Results) -> str:
    """Clark et al.'s Table 1 with all digits."""
    return overview_csv(overview(results))


def frames_of(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """The frames of an evaluation that are written, by name."""
    frames = {name: getattr(evaluation, name) for name in FRAMES}
    optional = {name: getattr(evaluation, source) for name, source in OPTIONAL.items()}
    return {**frames, **{name: frame for name, frame in optional.items() if not frame.empty}}


def judged_frames(results: Results) -> dict[str, pd.DataFrame]:
    """The tables that judgements amount to, by name; none without judgements."""
    if results.people is None:
        return {}
    from mteval.report.people import people_frames  # here, since not every command loads figures

    return people_frames(results.people)


def json(evaluation: Evaluation) -> str:
    """All numbers of all test sets, settings, signatures and versions."""
    frames = frames_of(evaluation)
    other = {
        "settings": evaluation.settings.deciding,
        "signatures": evaluation.signatures,
        "versions": evaluation.versions,
    }
    return to_json(frames, other)


def excel(results: Results) -> bytes:
    """The same as a workbook, the table first."""
    evaluation = results.evaluation
    table = overview_numbers(overview(results))
    about = [(f"setting {name}", str(value)) for name, value in evaluation.settings.deciding.items()]
    about += [
        (f"signature of {metric} on {test_set}", signature)
        for test_set, signatures in evaluation.signatures.items()
        for metric, signature in signatures.items()
    ]
    about += [(f"version of {name}", version) for name, version in evaluation.versions.items()]
    frames = {f"table on {results.test_set.name}": table, **frames_of(evaluation)}
    frames |= {f"people {name}": frame for name, frame in judged_frames(results).items()}
    return workbook({**frames, "about": pd.DataFrame(about, columns=["what", "value"])})


_FOR_PEOPLE = ("metric_name", "notation", "run_scores")  # of an overview: what only tables for people need


def overview_numbers(overview: pd.DataFrame) -> pd.DataFrame:
    """Clark et al.'s Table 1 for machines: one column a number, the run scores left out."""
    return overview.drop(columns=list(_FOR_PEOPLE))


def overview_csv(overview: pd.DataFrame) -> str:
    """The same as a file."""
    return frame_csv(overview_numbers(overview))
