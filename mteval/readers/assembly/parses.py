"""Match parses with loaded outputs and references, and report what is ignored."""

from collections.abc import Iterable, Mapping, Sequence
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
    texts = {item.slot.parsed_text: item for item in reversed(outputs)}
    texts |= {("", str(number)): item for number, item in enumerate(references, start=1)}
    parses = _read(order, items, texts)
    of_runs = {name: tuple(row[index] for index in kept) for name, row in parses.items()}
    runs = tuple(replace(run, parses=of_runs.get((run.system, run.key))) for run in test_set.runs)
    used = {lines: ("", str(references.index(item) + 1)) for lines, item in columns.items()}
    lacking = [columns[lines].slot.file for lines, name in used.items() if name not in parses]
    of_references = None
    if not lacking:
        rows = [(lines, parses[name]) for lines, name in used.items()]
        of_references = tuple(tuple(row[index] for lines, row in rows if lines[index] is not None) for index in kept)
    elif len(lacking) < len(used):
        message = f"On test set '{order.test_set}' {named(lacking)} has no parse, so no parse of a reference is used."
        order.problems.append(Problem(f"{message} Add what is missing."))
    order.problems.extend(_gaps(replace(test_set, runs=runs), of_references is not None))
    return replace(test_set, runs=runs, reference_parses=of_references)


def _read(order: Order, items: Iterable[Assigned], texts: Mapping[ParsedText, Assigned]) -> dict[ParsedText, Row]:
    """Return the parses by text, one per segment in order."""
    owners: dict[ParsedText, str] = {}
    parses: dict[ParsedText, Row | None] = {}
    for item in items:
        name = item.slot.parsed_text
        shown = f"system '{name[0]}', run '{name[1]}'" if name[0] else f"reference {name[1]}"
        if name not in texts:
            message = f"belongs to {shown}, which is not loaded on test set '{order.test_set}'. Set system and run"
            message += " of its text (for a reference: no system, and its number as run)."
            order.problems.append(item.problem(message))
        elif name in owners:
            message = f"of {shown} is already '{owners[name]}', so this file is ignored. Remove one of them."
            order.problems.append(item.problem(message))
        else:
            owners[name] = item.slot.file
            parses[name] = _aligned(order, item, texts[name])
    return {name: row for name, row in parses.items() if row is not None}


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


def _gaps(test_set: TestSet, has_references: bool) -> Iterable[Problem]:
    """Report texts without a usable parse."""
    lacking = [f"{run.system} {run.key}" for run in test_set.runs if run.parses is None]
    if not has_references:
        message = f"The references on '{test_set.name}' have no parses, so parses of outputs are not used. Add them."
        yield Problem(message, severity="warning")
    elif lacking:
        message = f"No parse of {named(lacking)} on '{test_set.name}': Dependency F skips it."
        yield Problem(message, severity="warning")
    for run in test_set.runs:
        texts = zip(run.hypotheses, run.parses or run.hypotheses, strict=True)
        if empty := [number for number, (text, parse) in enumerate(texts, start=1) if text.strip() and not parse]:
            where = f"{counted(len(empty), 'non-empty segment')} of '{test_set.name}' (first: {empty[0]})"
            message = f"The parse of system '{run.system}', run '{run.key}' has no sentence for {where}."
            yield Problem(f"{message} They count as having no dependencies.", severity="warning")
