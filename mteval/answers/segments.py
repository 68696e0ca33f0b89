"""Two runs, segment by segment: what changed, in which kinds of segments, and whether other runs agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Literal

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments import runs as of_runs
from mteval.analysis.segments.runs import RunPair, consistency_frame
from mteval.analysis.segments.table import (
    SIDES,
    Partition,
    SegmentTexts,
    column,
    is_count,
    part_names,
    segment_table,
    yardstick,
)
from mteval.analysis.summary import marks_errors
from mteval.analysis.words.one_system import bins_of, group_scores, over_runs
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.base.store import kept_beside
from mteval.base.words import counted, counted_part
from mteval.values.model import Run, TestSet
from mteval.values.notation import Notation, fixed, signed
from mteval.values.run_words import RunWord

SideName = Literal["baseline", "system"]
LONGEST_NAME = 18  # characters of a side in a heading
LONGEST_TEXT = 100  # characters of an output in a row


@dataclass(frozen=True)
class Side:
    """One of the runs that are shown.

    Parameters
    ----------
    key
        ``baseline`` or ``system``, in names of columns.
    label, name
        System and run; what a heading calls it.
    """

    key: SideName
    run: Run
    label: str
    name: str


@dataclass(frozen=True, eq=False)
class SegmentData:
    """Two runs, segment by segment, or one run twice; compared by identity.

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
    def is_alone(self) -> bool:
        """Whether both are the same run, so that nothing is compared."""
        return self.baseline is self.system

    @property
    def sides(self) -> tuple[Side, ...]:
        """Each run once, with the names of its columns and what it is called."""
        sides = []
        keys: tuple[SideName, SideName] = ("baseline", "system")
        for key, run, label, name in zip(keys, (self.baseline, self.system), self.labels, self.names, strict=True):
            sides.append(Side(key, run, label, name))
        if self.is_alone:
            return tuple(sides[1:])
        return tuple(sides)

    @property
    def compares_words(self) -> bool:
        """Whether there are two runs, and references by which their words are right or wrong."""
        return not self.is_alone and self.test_set.has_texts and self.test_set.has_references

    @property
    def labels(self) -> tuple[str, str]:
        """The two runs with their systems."""
        return f"{self.baseline.system} · {self.baseline.key}", f"{self.system.system} · {self.system.key}"

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two sides: their systems, with runs if two of the same system are compared."""
        if self.baseline.system == self.system.system and not self.is_alone:
            return self.labels
        return self.baseline.system, self.system.system

    @property
    def metrics(self) -> tuple[str, ...]:
        """Keys of the metrics, the primary one first."""
        return tuple(scored.metric.key for scored in self.scored)

    def notation(self, metric: str) -> Notation:
        """Return how a metric's segment scores are written."""
        return self.results.spec(metric).notation.coarser

    def scored_by(self, metric: str) -> Scored:
        """Return one metric's statistics."""
        return next(scored for scored in self.scored if scored.metric.key == metric)

    def ranked_by(self, metric: str) -> tuple[Scored, ...]:
        """Return all metrics' statistics, those of the metric that segments are ranked by first."""
        return tuple(sorted(self.scored, key=lambda scored: scored.metric.key != metric))


def segment_data(results: Results, scored: Sequence[Scored], pair: RunPair) -> SegmentData:
    """Return the data of a pair of runs; metrics without scores of both are ignored."""
    test_set = results.test_set
    with_both = tuple(of_metric for of_metric in scored if pair.is_on(of_metric.test_set))
    baseline = _run_named(test_set, pair.baseline, pair.baseline_run)
    system = _run_named(test_set, pair.system, pair.system_run)
    differences = of_runs.segment_differences(with_both, pair)
    return SegmentData(
        results,
        with_both,
        baseline,
        system,
        differences,
        segment_table(with_both, differences, baseline, system),
        SegmentTexts.of(test_set, baseline.hypotheses, system.hypotheses),
    )


def _run_named(test_set: TestSet, system: str, key: str) -> Run:
    """Return a run of a system by its key."""
    return next(run for run in test_set.runs_of(system) if run.key == key)


@kept_beside
def consistency(data: SegmentData, metric: str) -> pd.DataFrame:
    """Return how all runs of the two systems compare in each segment."""
    return consistency_frame(data.scored_by(metric), data.baseline.system, data.system.system)


def ranked(data: SegmentData, metric: str) -> Table:
    """Return all numbers of each segment in corpus order, one metric first, the parts of the scores last."""
    frame = data.table.assign(segment=data.table["segment"] + 1, **_over_runs(data, metric))
    text_columns = []
    for text_column, lines in _texts(data):
        text_columns.append(text_column)
        frame[text_column.key] = [text[:LONGEST_TEXT] for text in lines]

    first_score, *other_scores = _scores(data, metric)
    columns = [
        Column("segment", "Segment", "count", short="Seg."),
        first_score,
        *text_columns,
        *other_scores,
        *_all_runs(data, metric),
    ]
    for other_metric in data.metrics:
        if other_metric != metric:
            columns += _scores(data, other_metric)
    columns += _lengths(data)
    if "document" in data.table:
        columns.append(Column("document", "Document", "text"))
    columns += part_columns(data)
    return Table(tuple(columns), frame[[column.key for column in columns]])


def _over_runs(data: SegmentData, metric: str) -> pd.DataFrame:
    """Return what all runs show in each segment: how two systems compare, or the scores of one run's system."""
    if data.is_alone:
        return over_runs(data.scored_by(metric), data.system.system)
    return consistency(data, metric).drop(columns="segment")


def _texts(data: SegmentData) -> Iterator[tuple[Column, Sequence[str]]]:
    """Yield the columns of texts with their lines: reference and outputs, or the items that scores are about."""
    test_set = data.test_set
    if not test_set.has_texts:
        if test_set.source is not None:
            yield Column("item", "Item", "text"), test_set.source
        return
    if test_set.has_references:
        yield Column("reference", "Reference", "text"), [references[0] for references in test_set.references]
    for side in data.sides:
        short = _short(side.name)
        yield Column(f"{side.key}_output", f"Output of {short}", "text", short=short), side.run.hypotheses


def _short(name: str) -> str:
    """Return a name that fits a heading."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _scores(data: SegmentData, metric: str) -> Iterator[Column]:
    """Yield the difference by a metric, and its scores of both sides; of one run alone its score."""
    spec = data.results.spec(metric)
    digits = data.notation(metric).decimals
    if data.is_alone:
        yield Column(column(metric, "system"), spec.notation.heading(spec.name), "number", digits=digits)
        return
    match spec.notation.direction:
        case "↑":
            better = "Positive is better."
        case "↓":
            better = "Negative is better."
        case _:
            better = "Neither direction is better."
    yield Column(
        column(metric, "difference"),
        f"difference in {spec.name}",
        "number",
        f"Second minus first. {better}",
        digits=digits,
        short=f"Δ {spec.name}",
    )
    for side, name in zip(SIDES, data.names, strict=True):
        short = f"{spec.name} {_short(name)}"
        yield Column(column(metric, side), f"{spec.name} of {name}", "number", digits=digits, short=short)


def _all_runs(data: SegmentData, metric: str) -> Iterator[Column]:
    """Yield how all runs of the two systems compare, or differ from each other; nothing with one run each."""
    if data.is_alone:
        yield from _runs_of_one(data, metric)
        return
    n_pairs = int(consistency(data, metric)["pairs"].max())
    if n_pairs < 2:
        return
    runs = data.runs
    digits = data.notation(metric).decimals
    unit = data.results.spec(metric).notation.unit
    yield Column(
        "better",
        runs.filled("{run} pairs that are better"),
        "count",
        runs.filled("Pairs of {runs} in which the second system is better."),
        short=f"better of {n_pairs}",
    )
    yield Column(
        "mean_improvement",
        f"mean improvement of all {runs.nouns}",
        "number",
        f"Mean improvement over all {runs.nouns}, in {unit}.",
        digits=digits,
        short="mean gain",
    )
    yield Column(
        "run_sd",
        f"SD over {runs.nouns}",
        "number",
        f"Standard deviation of the improvement between two {runs.nouns}.",
        digits=digits,
        short=f"± {runs.nouns}",
    )


def _runs_of_one(data: SegmentData, metric: str) -> Iterator[Column]:
    """Yield mean and SD of a segment's score over the runs of the only system; nothing for one run."""
    if len(data.test_set.runs_of(data.system.system)) < 2:
        return
    runs = data.runs
    digits = data.notation(metric).decimals
    name = data.results.spec(metric).name
    mean = f"mean {name} of all {runs.nouns}"
    yield Column("mean_score", mean, "number", digits=digits, short=f"mean {name}")
    yield Column("run_sd", f"SD over {runs.nouns}", "number", digits=digits, short=f"± {runs.nouns}")


def _lengths(data: SegmentData) -> Iterator[Column]:
    """Yield the numbers of words of the reference or the source, and of both outputs; nothing without texts."""
    if not data.test_set.has_texts:
        return
    measured_by = yardstick(data.test_set)
    if measured_by:
        name = f"words of the {measured_by}"
        yield Column(f"{measured_by}_words", name, "number", digits=0, short=f"{measured_by[:3]}. words")
    for side in data.sides:
        yield Column(f"{side.key}_words", f"words of {side.name}", "count", short=_short(side.name) + " words")


def part_columns(data: SegmentData) -> Iterator[Column]:
    """Yield the parts of scores, such as n-gram precisions and counts of edits."""
    for scored in data.scored:
        metric = scored.metric
        for part in part_names(scored):
            for side in data.sides:
                yield Column(
                    column(metric.key, side.key, part),
                    f"{metric.name}, {part} of {side.name}",
                    "number",
                    f"Part of {metric.name}.",
                    digits=_digits(scored, part),
                    short=f"{part} {_short(side.name)}",
                )


def _digits(scored: Scored, part: str) -> int:
    """Return the decimals of a part of a metric's score: none for counts."""
    return 0 if is_count(scored, part) else 2


@dataclass(frozen=True)
class _OfBoth:
    """A number of both runs, and its difference, in one column."""

    name: str
    digits: int
    values: tuple[float, float, float]

    def written(self, row: Row) -> str:
        """Return the number of a row; differences have a sign."""
        if row["is_difference"]:
            return signed(row[self.name], self.digits)
        return fixed(row[self.name], self.digits)


def scores(data: SegmentData, segment: int, metric: str) -> Section:
    """Return every metric's scores of both runs and the difference, with their parts below."""
    row = data.table.iloc[segment]
    whole_scores = []
    parts = []
    for scored in data.ranked_by(metric):
        key = scored.metric.key
        notation = data.notation(key)
        left, right, difference = (row[column(key, value)] for value in (*SIDES, "difference"))
        heading = notation.heading(data.results.spec(key).name)
        whole_scores.append(_OfBoth(heading, notation.decimals, (left, right, difference)))
        for part in part_names(scored):
            left, right = (float(row[column(key, side, part)]) for side in SIDES)
            name = f"{scored.metric.name} {part}"
            parts.append(_OfBoth(name, _digits(scored, part), (left, right, right - left)))

    below: tuple[Section, ...] = ()
    if parts:
        below = (Section("parts", "Parts of the scores", table=_of_both(data, parts), is_detail=True),)
    return Section("segment-scores", "", table=_of_both(data, whole_scores), parts=below)


def _of_both(data: SegmentData, numbers: Sequence[_OfBoth]) -> Table:
    """Return one line per run and one for the difference; one line for one run alone."""
    if data.is_alone:
        return _of_one(data, numbers)
    frame = pd.DataFrame({"side": [*data.labels, "Difference"], "is_difference": [False, False, True]})
    columns = [Column("side", "")]
    for number in numbers:
        frame[number.name] = number.values
        columns.append(Column(number.name, number.name, "number", write=number.written))
    return Table(tuple(columns), frame)


def _of_one(data: SegmentData, numbers: Sequence[_OfBoth]) -> Table:
    """Return the numbers of the only run."""
    frame = pd.DataFrame({"side": [data.labels[1]], "is_difference": [False]})
    columns = [Column("side", "")]
    for number in numbers:
        frame[number.name] = [number.values[1]]
        columns.append(Column(number.name, number.name, "number", write=number.written))
    return Table(tuple(columns), frame)


def distribution_section(data: SegmentData, metric: str) -> Section:
    """Return how many segments have which score, averaged over the runs."""
    spec = data.results.spec(metric)
    scores = over_runs(data.scored_by(metric), data.system.system)["mean_score"].to_numpy()
    bins = bins_of(scores)
    axis = spec.notation.axis(f"{spec.name} of a segment")
    figure = partial(figures.segments.score_histogram, bins, axis)
    lead = ""
    if len(data.test_set.runs_of(data.system.system)) > 1:
        lead = data.runs.filled("Each segment's score is its mean over the {runs}.")
    n_unscored = int(pd.isna(scores).sum())
    notes = noted(f"{counted(n_unscored, 'segment')} without a score." if n_unscored else "")
    return Section("distribution", "", (lead,), figure=figure, notes=notes)


def kinds_section(data: SegmentData, metric: str, partition: Partition, by: str) -> Section:
    """Return the corpus score of the only system in each group of segments."""
    spec = data.results.spec(metric)
    runs = data.runs
    columns = [
        Column("group", f"Segments by {by}"),
        Column("size", "Segments", "count"),
        Column("mean", spec.notation.heading(spec.name), "number", f"Corpus score, mean over {runs.nouns}."),
    ]
    if len(data.test_set.runs_of(data.system.system)) > 1:
        columns.append(Column("run_sd", "SD (training)", "number", f"Standard deviation over {runs.nouns}."))
    frame = group_scores(data.scored_by(metric), data.system.system, partition)
    return Section("kinds", "", table=Table(tuple(columns), frame, notation=spec.notation))


def consistency_sentence(data: SegmentData, segment: int, metric: str) -> str:
    """Return the mean improvement, its SD over runs, and in how many pairs the second system is better."""
    row = consistency(data, metric).iloc[segment]
    notation = data.notation(metric)
    noun = data.runs.noun
    left, right = data.names
    mean = f"{notation.difference(row['mean_improvement'])} {data.scored_by(metric).metric.name}"
    if row["run_sd"] == row["run_sd"]:
        mean += f" (SD {notation.number(row['run_sd'])})"
    n_better = counted_part(row["better"], row["pairs"], f"{noun} pair")
    return (
        f"Mean improvement from {left} to {right} over all {data.runs.nouns}: {mean}. Better in {n_better}, worse in"
        f" {row['worse']}."
    )


def all_runs(data: SegmentData, segment: int, metric: str) -> Section:
    """Return the distinct outputs of both systems with how many runs made each, and how the runs compare."""
    systems = list(dict.fromkeys((data.baseline.system, data.system.system)))
    frame = of_runs.outputs_frame(data.test_set, data.ranked_by(metric), segment, systems)
    n_runs = {system: len(data.test_set.runs_of(system)) for system in systems}

    def made_by(row: Row) -> Cell:
        return Cell(f"{row['count']} of {n_runs[row['system']]}", help=", ".join(row["runs"]))

    runs_column = Column("count", data.runs.filled("{Runs}"), "count", write=made_by)
    lead: tuple[str, ...] = ()
    if len(systems) == 2:
        lead = (consistency_sentence(data, segment, metric),)
    return Section("all-runs", data.runs.filled("All {runs}"), lead, _outputs(data, metric, runs_column, frame))


def all_systems(data: SegmentData, segment: int, metric: str) -> Section:
    """Return the median run of every system, the best output of this segment first."""
    frame = of_runs.median_outputs(data.ranked_by(metric), segment)
    lead = f"Median {data.runs.noun} of each system by {data.scored_by(metric).metric.name}."
    runs_column = Column("run", data.runs.filled("{Run}"), "count", write=itemgetter("run"))
    table = _outputs(data, metric, runs_column, frame.assign(runs=frame["run"].map(lambda key: (key,))))
    return Section("all-systems", "All systems", (lead,), table)


def examples(data: SegmentData, segments: Sequence[int], metric: str) -> Section:
    """Return some segments with source, references and the outputs of all systems."""
    test_set = data.test_set
    parts = []
    lead: tuple[str, ...] = ()
    for segment in segments:
        section = all_systems(data, segment, metric)
        lead = section.lead  # the same for all
        terms = []
        if test_set.source is not None:
            terms.append(("Source", test_set.source[segment]))
        for reference in test_set.references[segment]:
            terms.append(("Reference", reference))
        number = segment + 1
        parts.append(replace(section, key=f"example-{number}", title=f"Segment {number}", lead=(), terms=tuple(terms)))
    return Section("examples", "Examples", lead, parts=tuple(parts))


def _outputs(data: SegmentData, metric: str, runs_column: Column, frame: pd.DataFrame) -> Table:
    """Return outputs with their systems, runs and scores."""
    columns = [Column("system", "System"), runs_column]
    for scored in data.ranked_by(metric):
        key = scored.metric.key
        digits = data.notation(key).decimals
        columns.append(Column(column(key, "score"), scored.metric.name, "number", digits=digits))
    text_heading = "Output" if data.test_set.has_texts else data.runs.filled("{Run}")
    columns.append(Column("text", text_heading, "text", write=itemgetter("text")))
    return Table(tuple(columns), frame)


def marking(data: SegmentData, metric: str = "") -> list[Scored]:
    """Return the metrics that mark errors in these outputs, the one that segments are ranked by first."""
    return [scored for scored in data.ranked_by(metric) if marks_errors(scored)]
