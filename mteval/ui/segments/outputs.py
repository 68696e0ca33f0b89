"""What all runs of two systems, and the median runs of all systems, made of a segment."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import median_outputs, outputs_frame
from mteval.analysis.segments.table import column
from mteval.counts import counted_part
from mteval.ui.parts.markup import Markup, scrolling, show, tag
from mteval.ui.segments.compared_runs import SegmentData
from mteval.ui.segments.opened_errors import shown_marking, spans_of_some
from mteval.ui.segments.span_markup import text_with_errors


def all_runs(data: SegmentData, segment: int, metric: str) -> None:
    """The distinct outputs of both systems with how many runs made each, and how the runs compare; else the runs."""
    systems = list(dict.fromkeys((data.baseline.system, data.system.system)))
    if len(systems) == 2:
        show(tag("p", consistency_sentence(data, segment, metric)))
    ranked = data.ranked_by(metric)
    frame = outputs_frame(data.test_set, ranked, segment, systems)
    totals = {system: len(data.test_set.runs_of(system)) for system in systems}
    rows = frame.to_dict("records")
    counts = [tag("td", f"{row['count']} of {totals[row['system']]}", title=", ".join(row["runs"])) for row in rows]
    texts = _texts(data, metric, segment, [(row["system"], row["text"], row["runs"]) for row in rows])
    show(
        _outputs_table(data, ranked, data.said("Runs"), zip(rows, counts, texts, strict=True)),
        *_marked_by(data, metric),
    )


def all_systems(data: SegmentData, segment: int, metric: str) -> None:
    """The median run of every system, the best output of this segment first."""
    ranked = data.ranked_by(metric)
    frame = median_outputs(ranked, segment)
    rows = frame.to_dict("records")
    runs = [tag("td", row["run"]) for row in rows]
    texts = _texts(data, metric, segment, [(row["system"], row["text"], [row["run"]]) for row in rows])
    name = data.scored_by(metric).metric.name
    told = data.said(f"The median run of each system by {name} on this test set.")
    show(tag("p", told, class_="mt-quiet"))
    show(_outputs_table(data, ranked, data.said("Run"), zip(rows, runs, texts, strict=True)), *_marked_by(data, metric))


def _texts(
    data: SegmentData, metric: str, segment: int, outputs: Iterable[tuple[str, str, Collection[str]]]
) -> list[str | Markup]:
    """Outputs of systems, each of some runs, with the errors that a metric marks in them where one does."""
    marking = shown_marking(data, metric)
    if marking is None:
        return [text for _, text, _ in outputs]
    return [
        text_with_errors(text, spans_of_some(data, marking, system, runs, segment)) for system, text, runs in outputs
    ]


def _marked_by(data: SegmentData, metric: str) -> Iterator[Markup]:
    """Whose errors they are."""
    if (marking := shown_marking(data, metric)) is not None:
        yield tag("p", f"Errors marked by {marking.metric.name}.", class_="mt-quiet")


def _outputs_table(
    data: SegmentData,
    ranked: Sequence[Scored],
    what: str,
    rows: Iterable[tuple[Mapping[Any, Any], Markup, str | Markup]],
) -> Markup:
    """Outputs with their systems and scores; each row comes with a cell that says of which runs it is, and its text."""
    last = "Output" if data.test_set.has_texts else data.said("Run")
    head = [tag("th", "System", class_="mt-name"), tag("th", what)]
    head += [tag("th", by.metric.name) for by in ranked] + [tag("th", last, class_="mt-name")]
    lines = [
        tag(
            "tr",
            tag("td", row["system"], class_="mt-name"),
            of_runs,
            *(tag("td", data.notation(by.metric.key).number(row[column(by.metric.key, "score")])) for by in ranked),
            tag("td", text, dir="auto", class_="mt-output"),
        )
        for row, of_runs, text in rows
    ]
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *lines), class_="mt-table mt-tight mt-outputs")
    return scrolling(table)


def consistency_sentence(data: SegmentData, segment: int, metric: str) -> str:
    """Mean improvement, its spread over runs, and in how many run pairs the second system is better."""
    row = data.consistency(metric).iloc[segment]
    name, notation = data.scored_by(metric).metric.name, data.notation(metric)
    spread = f", ± {notation.number(row['run_sd'])} between two runs" if row["run_sd"] == row["run_sd"] else ""
    left, right = data.names
    mean = notation.difference(row["mean_improvement"])
    return data.said(
        f"Improvement in {name} from {left} to {right}, mean of all runs: {mean}{spread}. Better in"
        f" {counted_part(row['better'], row['pairs'], 'run pair')}, worse in {row['worse']}."
    )
