"""Two runs, segment by segment: what changed, in which kinds of segments, and whether other runs agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import pandas as pd

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments import runs as of_runs
from mteval.analysis.segments.runs import RunPair, consistency_frame
from mteval.analysis.segments.table import SIDES, SegmentTexts, column, is_count, part_names, segment_table, yardstick
from mteval.analysis.summary import marks_errors
from mteval.answers.section import Cell, Column, Row, Section, Table
from mteval.base.store import kept_beside
from mteval.base.words import counted_part
from mteval.values.model import Run, TestSet
from mteval.values.notation import Notation, fixed, signed
from mteval.values.run_words import RunWord

LONGEST_NAME = 18  # characters of a side in a heading
LONGEST_TEXT = 160  # characters of an output in a row


@dataclass(frozen=True, eq=False)
class SegmentData:
    """Two runs, segment by segment; compared by identity.

    Parameters
    ----------
    results
        The numbers of all runs on the test set.
    scored
        The metrics that have scores of both runs.
    baseline, system
        The runs that are compared.
    differences
        One row per metric and segment, from ``mteval.analysis.segments.runs``.
    table
        One row per segment, from ``mteval.analysis.segments.table``.
    texts
        Texts to search.
    """

    results: Results
    scored: tuple[Scored, ...]
    baseline: Run
    system: Run
    differences: pd.DataFrame
    table: pd.DataFrame
    texts: SegmentTexts

    @property
    def test_set(self) -> TestSet:
        """The test set of the segments."""
        return self.results.test_set

    @property
    def runs(self) -> RunWord:
        """The word for a run."""
        return self.results.run_word

    @property
    def compares_words(self) -> bool:
        """Whether there are texts, and references by which their words are right or wrong."""
        return self.test_set.has_texts and self.test_set.has_references

    @property
    def labels(self) -> tuple[str, str]:
        """The two runs with their systems."""
        left, right = (f"{run.system} · {run.key}" for run in (self.baseline, self.system))
        return left, right

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two sides: their systems, with runs if both are of the same system."""
        left, right = self.baseline.system, self.system.system
        return (left, right) if left != right else self.labels

    @property
    def metrics(self) -> tuple[str, ...]:
        """Keys of the metrics, the primary one first."""
        return tuple(by.metric.key for by in self.scored)

    def notation(self, metric: str) -> Notation:
        """Return how a metric's segment scores are written."""
        return self.results.spec(metric).notation.coarser

    def scored_by(self, metric: str) -> Scored:
        """Return one metric's statistics."""
        return next(by for by in self.scored if by.metric.key == metric)

    def ranked_by(self, metric: str) -> tuple[Scored, ...]:
        """Return all metrics' statistics, those of the metric that segments are ranked by first."""
        return tuple(sorted(self.scored, key=lambda by: by.metric.key != metric))


def segment_data(results: Results, scored: Sequence[Scored], pair: RunPair) -> SegmentData:
    """Return the data of a pair of runs; metrics without scores of both are ignored."""
    scored, test_set = tuple(by for by in scored if pair.is_on(by.test_set)), results.test_set
    sides = ((pair.baseline, pair.baseline_run), (pair.system, pair.system_run))
    baseline, system = (next(run for run in test_set.runs_of(name) if run.key == key) for name, key in sides)
    differences = of_runs.segment_differences(scored, pair)
    table = segment_table(scored, differences, baseline, system)
    texts = SegmentTexts.of(test_set, baseline.hypotheses, system.hypotheses)
    return SegmentData(results, scored, baseline, system, differences, table, texts)


@kept_beside
def consistency(data: SegmentData, metric: str) -> pd.DataFrame:
    """Return how all runs of the two systems compare in each segment."""
    return consistency_frame(data.scored_by(metric), data.baseline.system, data.system.system)


def ranked(data: SegmentData, metric: str) -> Table:
    """Return all numbers of each segment in corpus order, one metric first, the parts of the scores last."""
    frame = data.table.assign(segment=data.table["segment"] + 1, **consistency(data, metric).drop(columns="segment"))
    test_set, texts, shown = data.test_set, list[Column](), dict[str, Sequence[str]]()
    if test_set.has_texts:
        if test_set.has_references:
            shown["reference"] = [some[0] for some in test_set.references]
            texts.append(Column("reference", "Reference", "text"))
        for side, run, name in zip(SIDES, (data.baseline, data.system), data.names, strict=True):
            shown[f"{side}_output"] = run.hypotheses
            texts.append(Column(f"{side}_output", f"Output of {_short(name)}", "text", short=_short(name)))
    elif test_set.source is not None:
        shown["item"] = test_set.source
        texts.append(Column("item", "Item", "text"))
    for key, lines in shown.items():
        frame[key] = [text[:LONGEST_TEXT] for text in lines]
    change, *scores = _scores(data, metric)
    others = [column for other in data.metrics if other != metric for column in _scores(data, other)]
    document = [Column("document", "Document", "text")] if "document" in data.table else []
    columns = (
        *(Column("segment", "Segment", "count", short="Seg."), change, *texts, *scores, *_all_runs(data, metric)),
        *others,
        *_lengths(data), *document, *part_columns(data),
    )  # fmt: skip
    return Table(columns, frame[[column.key for column in columns]])


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _scores(data: SegmentData, metric: str) -> Iterator[Column]:
    """Yield the difference by a metric, and its scores of both sides."""
    spec, digits = data.results.spec(metric), data.notation(metric).decimals
    better = {"↑": "Positive is better.", "↓": "Negative is better.", "": "Neither direction is better."}
    help_text = f"Second minus first. {better[spec.notation.direction]}"
    key = column(metric, "difference")
    yield Column(key, f"difference in {spec.name}", "number", help_text, digits=digits, short=f"Δ {spec.name}")
    for side, name in zip(SIDES, data.names, strict=True):
        head = f"{spec.name} {_short(name)}"
        yield Column(column(metric, side), f"{spec.name} of {name}", "number", digits=digits, short=head)


def _all_runs(data: SegmentData, metric: str) -> Iterator[Column]:
    """Yield how all runs of the two systems compare; nothing with one run each."""
    pairs, runs = int(consistency(data, metric)["pairs"].max()), data.runs
    if pairs < 2:
        return
    digits, unit = data.notation(metric).decimals, data.results.spec(metric).notation.unit
    help_text = runs.filled("Pairs of {runs} in which the second system is better.")
    yield Column("better", runs.filled("{run} pairs that are better"), "count", help_text, short=f"better of {pairs}")
    help_text = f"Mean improvement over all {runs.nouns}, in {unit}."
    name = f"mean improvement of all {runs.nouns}"
    yield Column("mean_improvement", name, "number", help_text, digits=digits, short="mean gain")
    help_text = f"Standard deviation of the improvement between two {runs.nouns}."
    yield Column("run_sd", f"SD over {runs.nouns}", "number", help_text, digits=digits, short=f"± {runs.nouns}")


def _lengths(data: SegmentData) -> Iterator[Column]:
    if not data.test_set.has_texts:
        return
    if measured := yardstick(data.test_set):
        key, name, head = f"{measured}_words", f"words of the {measured}", f"{measured[:3]}. words"
        yield Column(key, name, "number", digits=0, short=head)
    for side, called in zip(SIDES, data.names, strict=True):
        yield Column(f"{side}_words", f"words of {called}", "count", short=_short(called) + " words")


def part_columns(data: SegmentData) -> Iterator[Column]:
    """Yield the parts of scores, such as n-gram precisions and counts of edits."""
    for by in data.scored:
        for part in part_names(by):
            for side, name in zip(SIDES, data.names, strict=True):
                yield Column(
                    column(by.metric.key, side, part), f"{by.metric.name}, {part} of {name}", "number",
                    f"Part of {by.metric.name}.", digits=_digits(by, part), short=f"{part} {_short(name)}",
                )  # fmt: skip


def _digits(by: Scored, part: str) -> int:
    """Return the decimals of a part of a metric's score: none for counts."""
    return 0 if is_count(by, part) else 2


def scores(data: SegmentData, segment: int, metric: str) -> Section:
    """Return every metric's scores of both runs and the difference, with their parts below."""
    row, whole, parts = data.table.iloc[segment], dict[str, tuple[int, list[Any]]](), dict[str, tuple[int, list[Any]]]()
    for by in data.ranked_by(metric):
        key = by.metric.key
        head = data.notation(key).heading(data.results.spec(key).name)
        whole[head] = data.notation(key).decimals, [row[column(key, value)] for value in (*SIDES, "difference")]
        for part in part_names(by):
            left, right = (float(row[column(key, side, part)]) for side in SIDES)
            parts[f"{by.metric.name} {part}"] = _digits(by, part), [left, right, right - left]
    below = Section("parts", "Parts of the scores", table=_of_both(data, parts), is_detail=True)
    return Section("segment-scores", "", table=_of_both(data, whole), parts=(below,) if parts else ())


def _of_both(data: SegmentData, values: dict[str, tuple[int, list[Any]]]) -> Table:
    """Return one line per run and one for the difference, from decimals and values of each column."""

    def written(name: str, digits: int, row: Row) -> str:
        return (signed if row["is_difference"] else fixed)(row[name], digits)

    columns = [Column(name, name, "number", write=partial(written, name, values[name][0])) for name in values]
    frame = pd.DataFrame({"side": [*data.labels, "Difference"], "is_difference": [False, False, True]})
    return Table((Column("side", ""), *columns), frame.assign(**{name: of for name, (_, of) in values.items()}))


def consistency_sentence(data: SegmentData, segment: int, metric: str) -> str:
    """Return the mean improvement, its SD over runs, and in how many pairs the second system is better."""
    row, runs = consistency(data, metric).iloc[segment], data.runs
    name, notation = data.scored_by(metric).metric.name, data.notation(metric)
    spread = f" (SD {notation.number(row['run_sd'])})" if row["run_sd"] == row["run_sd"] else ""
    left, right = data.names
    mean = notation.difference(row["mean_improvement"])
    return (
        f"Mean improvement from {left} to {right} over all {runs.nouns}: {mean} {name}{spread}. Better in"
        f" {counted_part(row['better'], row['pairs'], f'{runs.noun} pair')}, worse in {row['worse']}."
    )


def all_runs(data: SegmentData, segment: int, metric: str) -> Section:
    """Return the distinct outputs of both systems with how many runs made each, and how the runs compare."""
    systems = list(dict.fromkeys((data.baseline.system, data.system.system)))
    frame = of_runs.outputs_frame(data.test_set, data.ranked_by(metric), segment, systems)
    totals = {system: len(data.test_set.runs_of(system)) for system in systems}

    def made_by(row: Row) -> Cell:
        return Cell(f"{row['count']} of {totals[row['system']]}", help=", ".join(row["runs"]))

    made = Column("count", data.runs.filled("{Runs}"), "count", write=made_by)
    lead = consistency_sentence(data, segment, metric) if len(systems) == 2 else ""
    return Section("all-runs", data.runs.filled("All {runs}"), (lead,), _outputs(data, metric, made, frame))


def all_systems(data: SegmentData, segment: int, metric: str) -> Section:
    """Return the median run of every system, the best output of this segment first."""
    frame = of_runs.median_outputs(data.ranked_by(metric), segment)
    lead = f"Median {data.runs.noun} of each system by {data.scored_by(metric).metric.name}."
    made = Column("run", data.runs.filled("{Run}"), "count", write=itemgetter("run"))
    table = _outputs(data, metric, made, frame.assign(runs=frame["run"].map(lambda key: (key,))))
    return Section("all-systems", "All systems", (lead,), table)


def examples(data: SegmentData, segments: Sequence[int], metric: str) -> Section:
    """Return some segments with source, references and the outputs of all systems."""
    test_set, parts = data.test_set, []
    texts = [("Source", test_set.source or ()), *(("Reference", one) for one in test_set.references)]
    for segment in segments:
        section, number = all_systems(data, segment, metric), segment + 1
        terms = tuple((name, column[segment]) for name, column in texts if column and column[segment])
        parts.append(replace(section, key=f"example-{number}", title=f"Segment {number}", lead=(), terms=terms))
    return Section("examples", "Examples", section.lead, parts=tuple(parts))


def _outputs(data: SegmentData, metric: str, made: Column, frame: pd.DataFrame) -> Table:
    """Return outputs with their systems, runs and scores."""
    metrics = (by.metric for by in data.ranked_by(metric))
    digits = ((one, data.notation(one.key).decimals) for one in metrics)
    numbers = (Column(column(one.key, "score"), one.name, "number", digits=number) for one, number in digits)
    last = "Output" if data.test_set.has_texts else data.runs.filled("{Run}")
    text = Column("text", last, "text", write=itemgetter("text"))
    return Table((Column("system", "System"), made, *numbers, text), frame)


def marking(data: SegmentData, metric: str = "") -> list[Scored]:
    """Return the metrics that mark errors in these outputs, the one that segments are ranked by first."""
    return [by for by in data.ranked_by(metric) if marks_errors(by)]
