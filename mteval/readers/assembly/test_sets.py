"""One test set from the streams assigned to it; each slot is filled once, what does not fit is left out and named."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from mteval.base.words import agreeing, counted_part
from mteval.readers.assembly.alignment import Assigned, Cells, Order, Row
from mteval.readers.documents import FileRole, Problem, run_and_sample
from mteval.readers.names import natural_order
from mteval.values.model import Role, Run, Sample, TestSet

NO_REFERENCE = (
    "Test set '{}' has no reference, so metrics that compare outputs with one cannot be had. To have them, add one, or"
    " set the role of its file to reference."
)


@dataclass(frozen=True)
class Built:
    """A test set and where its segments come from.

    Parameters
    ----------
    order
        Of all segments that were read.
    kept
        Those of them that are in the test set; the others have no reference.
    """

    test_set: TestSet
    order: Order
    kept: tuple[int, ...]


def build_test_set(name: str, role: Role, items: Sequence[Assigned]) -> tuple[Built | None, list[Problem]]:
    """The test set, or None where it has no output that fits; and what was left out."""
    references, outputs = _of(items, "reference"), _of(items, "hypothesis")
    if not outputs:
        return None, [Problem(f"Test set '{name}' has no output of a system; it is left out.", severity="warning")]
    first = _leading(references or _of(items, "source") or outputs, [*references, *outputs])
    order = Order.of(name, first, [*references, *outputs])
    columns = _columns(order, sorted(references, key=lambda item: item is not first))
    texts: Iterable[Cells] = zip(*columns, strict=True) if columns else repeat((), len(order.leading))
    rows = [tuple(text for text in row if text is not None) for row in texts]
    documents, runs = _single(order, _of(items, "documents")), _runs(order, outputs)
    source = _single(order, _of(items, "source"))
    documents, side = _without_domains(documents)
    side |= _labels(order, _of(items, "labels"))
    if not runs:
        return None, order.problems
    kept = tuple(index for index, row in enumerate(rows) if row or not any(rows))
    _tell_of_references(order, rows)

    def cut(row: Row) -> Row:
        return tuple(row[index] for index in kept)

    runs = tuple(
        replace(
            run,
            hypotheses=cut(run.hypotheses),
            samples=tuple(replace(sample, hypotheses=cut(sample.hypotheses)) for sample in run.samples),
        )
        for run in runs
    )
    source, documents = (None if row is None else cut(row) for row in (source, documents))
    side = {name: cut(column) for name, column in side.items()}
    test_set = TestSet(name, tuple(rows[index] for index in kept), runs, role, source, documents, side)
    if parses := _of(items, "parses"):
        from mteval.readers.assembly.parses import with_parses  # here, since most experiments have none

        test_set = with_parses(test_set, order, kept, parses, references, columns, outputs)
    return Built(test_set, order, kept), order.problems


def _of(items: Iterable[Assigned], role: FileRole) -> list[Assigned]:
    return [item for item in items if item.slot.role == role]


def _leading(candidates: Sequence[Assigned], texts: Sequence[Assigned]) -> Assigned:
    """The candidate whose length most texts share, so that one cut reference does not cost all outputs."""
    lengths = Counter(len(item.stream.lines) for item in texts)
    return max(candidates, key=lambda item: lengths[len(item.stream.lines)])


def _columns(order: Order, items: Sequence[Assigned]) -> dict[Cells, Assigned]:
    """The references that fit, by their lines."""
    columns: dict[Cells, Assigned] = {}
    for item in items:
        lines = order.aligned(item)
        if lines is not None and lines in columns:
            message = f"equals that of '{columns[lines].slot.file}' and is read once."
            order.problems.append(item.problem(message, severity="note"))
        elif lines is not None:
            columns[lines] = item
    return columns


def _runs(order: Order, items: Sequence[Assigned]) -> tuple[Run, ...]:
    """The runs, by the natural order of systems and keys, since uploads arrive in any order."""
    runs: dict[tuple[str, str], Run] = {}
    owners: dict[tuple[str, str], str] = {}
    for item in items:
        name = item.slot.system or "", item.slot.run or ""
        if name in owners:
            order.problems.append(
                item.problem(
                    f"on test set '{order.test_set}' is '{owners[name]}' already; this file is left out."
                    " Give it another system, run or test set, or drop one of the two."
                )
            )
            continue
        owners[name] = item.slot.file
        lines = order.complete(item)
        if lines is not None:
            runs[name] = Run(*name, lines)
    in_order = sorted(runs.values(), key=lambda run: (natural_order(run.system), natural_order(run.key)))
    return tuple(_with_samples(in_order, order, owners))


def _with_samples(runs: Iterable[Run], order: Order, owners: Mapping[tuple[str, str], str]) -> Iterator[Run]:
    """Decodings of one run put together; one that bears the name of the whole run is left out."""
    groups: dict[tuple[str, str], list[tuple[Run, str | None]]] = {}
    for run in runs:
        key, sample = run_and_sample(run.key)
        groups.setdefault((run.system, key), []).append((run, sample))
    for (system, key), members in groups.items():
        samples = tuple(Sample(sample, run.hypotheses) for run, sample in members if sample is not None)
        for run, sample in members:
            if sample is None and samples:
                text = (
                    f"is run '{key}' of '{system}', of which there are samples; it is left out. Say which sample it is."
                )
                order.problems.append(Problem(text, owners[run.system, run.key]))
        if samples:
            yield Run(system, key, samples[0].hypotheses, samples=samples if len(samples) > 1 else ())
        else:
            yield members[0][0]


def _single(order: Order, items: Sequence[Assigned]) -> Row | None:
    """Lines of the one slot of a role; a second one with other lines is left out."""
    chosen: Row | None = None
    owner = ""
    for item in items:
        lines = order.complete(item)
        if chosen is None:
            chosen, owner = lines, item.slot.file
        elif lines is not None and lines != chosen:
            message = f"of test set '{order.test_set}' is '{owner}' already; this is left out. Drop one of the two."
            order.problems.append(item.problem(message))
    return chosen


def _labels(order: Order, items: Sequence[Assigned]) -> dict[str, Row]:
    """Columns of labels by name; of two files with one name the first is taken."""
    names = dict.fromkeys(item.slot.shown_name for item in items)
    columns = {name: _single(order, [item for item in items if item.slot.shown_name == name]) for name in names}
    return {name: column for name, column in columns.items() if column is not None}


def _without_domains(documents: Row | None) -> tuple[Row | None, dict[str, Row]]:
    """Lines ``domain TAB id``, WMT's form, become ids and a side column of domains; other lines are ids."""
    pairs = [line.split("\t") for line in documents or ()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        return documents, {}
    domains, ids = zip(*pairs, strict=True)
    ambiguous = len(set(ids)) < len(set(documents or ()))
    return documents if ambiguous else ids, {"domain": domains}


def _tell_of_references(order: Order, rows: Sequence[Row]) -> None:
    """Say which segments are left out for want of a reference, or that there is none at all."""
    missing = [index for index, row in enumerate(rows) if not row]
    if len(missing) == len(rows):
        order.problems.append(Problem(NO_REFERENCE.format(order.test_set), severity="warning"))
    elif missing:
        message = (
            f"Test set '{order.test_set}': {counted_part(len(missing), len(rows), 'segment')}"
            f" {agreeing(len(missing), 'has', 'have')} no reference, the first is '{order.name(missing[0])}'. They are"
            " left out."
        )
        order.problems.append(Problem(message, severity="warning"))
