"""Parses beside the outputs and references that they are of; what does not fit is left out and named."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import InputError
from mteval.base.words import agreeing, counted
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
    """The test set with the parses that fit it; references have them all or none.

    Parameters
    ----------
    order, kept
        Of all segments that were read, and which of them are in the test set.
    items
        The parses.
    references, outputs
        What they may be of, in the order of the table.
    columns
        The references in use, by their lines.
    """
    texts = {item.slot.parsed_text: item for item in reversed(outputs)}
    texts |= {("", str(number)): item for number, item in enumerate(references, start=1)}
    parses = _read(order, items, texts)
    runs = tuple(
        replace(run, parses=tuple(parses[name][index] for index in kept))
        if (name := (run.system, run.key)) in parses
        else run
        for run in test_set.runs
    )
    used = {lines: ("", str(references.index(item) + 1)) for lines, item in columns.items()}
    of_references = None
    lacking = [columns[lines].slot.file for lines, name in used.items() if name not in parses]
    if lacking and len(lacking) < len(used):
        message = f"has parses of some references on test set '{order.test_set}' and none of {named(lacking)}; so"
        order.problems.append(Problem(f"The experiment {message} none is used. Add what is missing."))
    elif not lacking:
        of_references = tuple(
            tuple(parses[name][index] for lines, name in used.items() if lines[index] is not None) for index in kept
        )
    order.problems.extend(_gaps(replace(test_set, runs=runs), of_references is not None))
    return replace(test_set, runs=runs, reference_parses=of_references)


def _read(order: Order, items: Iterable[Assigned], texts: Mapping[ParsedText, Assigned]) -> dict[ParsedText, Row]:
    """The parses by what they are of, one a segment in the order of the test set."""
    owners: dict[ParsedText, str] = {}
    parses: dict[ParsedText, Row] = {}
    for item in items:
        name = item.slot.parsed_text
        shown = f"system '{name[0]}', run '{name[1]}'" if name[0] else f"reference {name[1]}"
        if name not in texts:
            message = f"is of {shown}, and none such is loaded on test set '{order.test_set}'. Name system and"
            message += " run as in the row of the output; for a reference leave the system empty, and give its number."
            order.problems.append(item.problem(message))
        elif name in owners:
            message = f"of {shown} is '{owners[name]}' already; this is left out. Drop one of the two."
            order.problems.append(item.problem(message))
        else:
            owners[name] = item.slot.file
            row = _aligned(order, item, texts[name])
            if row is not None:
                parses[name] = row
    return parses


def _aligned(order: Order, item: Assigned, text: Assigned) -> Row | None:
    """The parses in the order of the test set, or None where they do not fit the text or that does not fit in."""
    lines = [line or "" for line in item.stream.lines]
    try:
        if item.stream.role != "parses":  # else it was checked when it was read
            check_conllu(lines, item.slot.file)
        parses = by_segment(lines, len(text.stream.lines), item.slot.file)
    except InputError as error:
        order.problems.append(Problem.of(error))
        return None
    silent = replace(order, problems=[])  # what is wrong with the text itself was said of the text
    return silent.complete(Assigned(item.slot, replace(text.stream, lines=parses)))


def _gaps(test_set: TestSet, has_references: bool) -> Iterable[Problem]:
    """What cannot be scored by its parse, or hardly."""
    lacking = [f"{run.system} {run.key}" for run in test_set.runs if run.parses is None]
    if not has_references:
        message = f"On '{test_set.name}' the references have no parses, so those of outputs are of no use. Add them."
        yield Problem(message, severity="warning")
    elif lacking:
        message = f"There is no parse of {named(lacking)} on '{test_set.name}', so that Dependency F leaves it out."
        yield Problem(message, severity="warning")
    for run in test_set.runs:
        texts = zip(run.hypotheses, run.parses or run.hypotheses, strict=True)
        empty = [number for number, (text, parse) in enumerate(texts, start=1) if text.strip() and not parse]
        if empty:
            yield Problem(
                f"The parse of system '{run.system}', run '{run.key}' has no sentence for"
                f" {counted(len(empty), 'segment')} of '{test_set.name}' that {agreeing(len(empty), 'has', 'have')}"
                f" words, the first is {empty[0]}; they count as without any relation.",
                severity="warning",
            )
