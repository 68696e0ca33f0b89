"""Match parses with loaded outputs and references, and report what is ignored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.assembly.alignment import Assigned, Cells, Order, Row
from mteval.readers.documents import ParsedText, Problem, named
from mteval.readers.formats.conllu import by_segment, check_conllu
from mteval.values.model import TestSet


def with_parses(
    test_set: TestSet,
    order: Order,
    kept: Sequence[int],
    items: Sequence[Assigned],
    references: Sequence[Assigned],
    columns: Mapping[Cells, Assigned],
    outputs: Sequence[Assigned],
) -> TestSet:
    """Add the parses that fit a test set. Either all references have parses or none.

    Parameters
    ----------
    order, kept
        All segments read, and the indices of those in the test set.
    items
        The parses.
    references, outputs
        Texts in table order.
    columns
        References in use, by their lines.
    """
    # Of equal names the first counts; references have no system, and their number as run
    texts = {item.slot.parsed_text: item for item in reversed(outputs)}
    for number, item in enumerate(references, start=1):
        texts["", str(number)] = item
    parses = _read(order, items, texts)

    runs = []
    for run in test_set.runs:
        row = parses.get((run.system, run.key))
        if row is not None:
            row = tuple(row[index] for index in kept)
        runs.append(replace(run, parses=row))

    # Lines and parses of the references in use
    parsed_references = []
    lacking = []
    for lines, item in columns.items():
        number = references.index(item) + 1
        row = parses.get(("", str(number)))
        if row is None:
            lacking.append(item.slot.file)
        else:
            parsed_references.append((lines, row))
    of_references = None
    if not lacking:
        of_segments = []
        for index in kept:
            of_segments.append(tuple(row[index] for lines, row in parsed_references if lines[index] is not None))
        of_references = tuple(of_segments)
    elif parsed_references:
        message = f"On test set '{order.test_set}' {named(lacking)} has no parse, so no parse of a reference is used."
        order.problems.append(Problem(f"{message} Add what is missing."))

    parsed = replace(test_set, runs=tuple(runs), reference_parses=of_references)
    order.problems.extend(_gaps(parsed))
    return parsed


def _read(order: Order, items: Iterable[Assigned], texts: Mapping[ParsedText, Assigned]) -> dict[ParsedText, Row]:
    """Return the parses by text, one per segment in order."""
    owners: dict[ParsedText, str] = {}
    parses: dict[ParsedText, Row] = {}
    for item in items:
        name = item.slot.parsed_text
        system, run = name
        shown = f"system '{system}', run '{run}'" if system else f"reference {run}"
        if name not in texts:
            message = f"belongs to {shown}, which is not loaded on test set '{order.test_set}'. Set system and run"
            message += " of its text (for a reference: no system, and its number as run)."
            order.problems.append(item.problem(message))
        elif name in owners:
            message = f"of {shown} is already '{owners[name]}', so this file is ignored. Remove one of them."
            order.problems.append(item.problem(message))
        else:
            owners[name] = item.slot.file
            row = _aligned(order, item, texts[name])
            if row is not None:
                parses[name] = row
    return parses


def _aligned(order: Order, item: Assigned, text: Assigned) -> Row | None:
    """Return the parses in segment order, or None if they or their text do not fit."""
    lines = [line or "" for line in item.stream.lines]
    try:
        if item.stream.role != "parses":  # otherwise checked when read
            check_conllu(lines, item.slot.file)
        parses = by_segment(lines, len(text.stream.lines), item.slot.file)
    except InputError as error:
        order.problems.append(Problem.of(error))
        return None
    silent = replace(order, problems=[])  # problems of the text itself are already reported
    return silent.complete(Assigned(item.slot, replace(text.stream, lines=parses)))


def _gaps(test_set: TestSet) -> Iterator[Problem]:
    """Report texts without a usable parse."""
    lacking = [f"{run.system} {run.key}" for run in test_set.runs if run.parses is None]
    if test_set.reference_parses is None:
        message = f"The references on '{test_set.name}' have no parses, so parses of outputs are not used. Add them."
        yield Problem(message, severity="warning")
    elif lacking:
        message = f"No parse of {named(lacking)} on '{test_set.name}': Dependency F skips it."
        yield Problem(message, severity="warning")
    for run in test_set.runs:
        if run.parses is None:
            continue
        without_sentence = []
        for number, (text, parse) in enumerate(zip(run.hypotheses, run.parses, strict=True), start=1):
            if text.strip() and not parse:
                without_sentence.append(number)
        if without_sentence:
            segments = counted(len(without_sentence), "non-empty segment")
            where = f"{segments} of '{test_set.name}' (first: {without_sentence[0]})"
            message = f"The parse of system '{run.system}', run '{run.key}' has no sentence for {where}."
            yield Problem(f"{message} They count as having no dependencies.", severity="warning")
