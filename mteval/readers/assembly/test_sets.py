"""Build a test set from its streams, and combine runs that share a training.

Each role is filled once; the rest is reported.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from mteval.base.errors import SettingsError
from mteval.base.words import agreeing, counted, counted_part
from mteval.readers.assembly.alignment import Assigned, Cells, Order, Row
from mteval.readers.documents import FileRole, Problem, Slot, grouped, named
from mteval.readers.names import natural_order, run_and_sample, sample_name
from mteval.values.model import Role, Run, Sample, TestSet


@dataclass(frozen=True)
class Built:
    """A test set and the origin of its segments.

    Parameters
    ----------
    order
        All segments that were read.
    kept
        Indices of those in the test set; the others have no reference.
    """

    test_set: TestSet
    order: Order
    kept: tuple[int, ...]


def build_test_set(name: str, role: Role, items: Sequence[Assigned]) -> tuple[Built | None, list[Problem]]:
    """Return the test set (None if no output fits), and the problems."""
    references, outputs = _of(items, "reference"), _of(items, "hypothesis")
    if not outputs:
        return None, [Problem(f"Test set '{name}' has no system output, so it is ignored.", severity="warning")]
    lengths = Counter(len(item.stream.lines) for item in (*references, *outputs))
    candidates = references or _of(items, "source") or outputs
    # the length that most texts share, so that a truncated reference does not reject all outputs
    first = max(candidates, key=lambda item: lengths[len(item.stream.lines)])
    order = Order.of(name, first, [*references, *outputs], _of(items, "documents"))
    columns = _columns(order, sorted(references, key=lambda item: item is not first))
    texts: Iterable[Cells] = zip(*columns, strict=True) if columns else repeat((), len(order.leading))
    rows = [tuple(text for text in row if text is not None) for row in texts]
    kept = tuple(index for index, row in enumerate(rows) if row or not any(rows))

    def cut(row: Row) -> Row:
        return tuple(row[index] for index in kept)

    documents, side = _without_domains(_documents(order, _of(items, "documents")))
    runs, source = _runs(order, outputs, cut), _single(order, _of(items, "source"))
    side |= _labels(order, _of(items, "labels"))
    if not runs:
        return None, order.problems
    _tell_of_references(order, rows)
    source, documents = (None if row is None else cut(row) for row in (source, documents))
    side = {name: cut(column) for name, column in side.items()}
    test_set = TestSet(name, tuple(rows[index] for index in kept), runs, role, source, documents, side)
    if parses := _of(items, "parses"):
        from mteval.readers.assembly.parses import with_parses  # imported here, since most experiments have no parses

        test_set = with_parses(test_set, order, kept, parses, references, columns, outputs)
    return Built(test_set, order, kept), order.problems


def _of(items: Iterable[Assigned], role: FileRole) -> list[Assigned]:
    return [item for item in items if item.slot.role == role]


def _columns(order: Order, items: Sequence[Assigned]) -> dict[Cells, Assigned]:
    """Return the references that fit, by their lines."""
    columns: dict[Cells, Assigned] = {}
    for item in items:
        lines = order.aligned(item)
        if lines is not None and lines in columns:
            message = f"is identical to '{columns[lines].slot.file}' and counts once."
            order.problems.append(item.problem(message, severity="note"))
        elif lines is not None:
            columns[lines] = item
    return columns


def _runs(order: Order, items: Sequence[Assigned], cut: Callable[[Row], Row]) -> tuple[Run, ...]:
    """Return the runs in natural order of systems and keys, cut to the segments that count."""
    runs: dict[tuple[str, str], Run] = {}
    owners: dict[tuple[str, str], str] = {}
    for item in items:
        name = item.slot.system or "", item.slot.run or ""
        if name in owners:
            message = f"on test set '{order.test_set}' is already '{owners[name]}', so this file is ignored."
            order.problems.append(item.problem(f"{message} Change its system, run or test set, or remove one of them."))
            continue
        owners[name] = item.slot.file
        if (lines := order.complete(item)) is not None:
            runs[name] = Run(*name, cut(lines))
    in_order = sorted(runs.values(), key=lambda run: (natural_order(run.system), natural_order(run.key)))
    return tuple(_with_samples(in_order, order, owners))


def _with_samples(runs: Iterable[Run], order: Order, owners: Mapping[tuple[str, str], str]) -> Iterator[Run]:
    """Combine decodings of a run. A file named as the whole run is ignored."""
    parts = ((run, *run_and_sample(run.key)) for run in runs)
    for (system, key), members in grouped(((run.system, key), (run, sample)) for run, key, sample in parts).items():
        if not (samples := tuple(Sample(sample, run.hypotheses) for run, sample in members if sample is not None)):
            yield members[0][0]
            continue
        if any(sample is None for _, sample in members):
            text = f"Run '{key}' of '{system}' has samples, so this file is ignored. Name it like run1.sample2."
            order.problems.append(Problem(text, owners[system, key]))
        yield Run(system, key, samples[0].hypotheses, samples=samples if len(samples) > 1 else ())


def _single(order: Order, items: Sequence[Assigned]) -> Row | None:
    """Return the lines of a role that has one file; a second file with other lines is ignored."""
    chosen: Row | None = None
    owner = ""
    for item in items:
        lines = order.complete(item)
        if chosen is None:
            chosen, owner = lines, item.slot.file
        elif lines is not None and lines != chosen:
            message = f"of test set '{order.test_set}' is already '{owner}', so this file is ignored. Remove one."
            order.problems.append(item.problem(message))
    return chosen


def _documents(order: Order, items: Sequence[Assigned]) -> Row | None:
    """Return the document of each segment; of files with keys each may have some of the segments."""
    streams = [item.stream for item in items]
    keyed = [pair for stream in streams for pair in zip(stream.keys or (), stream.lines, strict=False)]
    known = dict(keyed)
    lines = tuple(known.get(key) or "" for key in order.keys or ())
    if lines and all(lines) and all(stream.keys for stream in streams) and len(set(keyed)) == len(known):
        return lines
    return _single(order, items)


def _labels(order: Order, items: Sequence[Assigned]) -> dict[str, Row]:
    """Return columns of labels by name; the first of two files with one name counts."""
    names = dict.fromkeys(item.slot.shown_name for item in items)
    columns = ((name, _single(order, [item for item in items if item.slot.shown_name == name])) for name in names)
    return {name: column for name, column in columns if column is not None}


def _without_domains(documents: Row | None) -> tuple[Row | None, dict[str, Row]]:
    """Split WMT's lines ``domain TAB id`` into IDs and a side column of domains; other lines are IDs."""
    pairs = [line.split("\t") for line in documents or ()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        return documents, {}
    domains, ids = zip(*pairs, strict=True)
    ambiguous = len(set(ids)) < len(set(documents or ()))
    return documents if ambiguous else ids, {"domain": domains}


def _tell_of_references(order: Order, rows: Sequence[Row]) -> None:
    """Report segments without a reference, or that there is no reference."""
    missing = [index for index, row in enumerate(rows) if not row]
    if len(missing) == len(rows):
        message = f"Test set '{order.test_set}' has no reference, so reference-based metrics are unavailable."
        order.problems.append(Problem(f"{message} Add one, e.g. as reference.txt.", severity="warning"))
    elif missing:
        has, are = agreeing(len(missing), "has", "have"), agreeing(len(missing), "is", "are")
        message = f"Test set '{order.test_set}': {counted_part(len(missing), len(rows), 'segment')} {has} no reference"
        message += f" (first: '{order.name(missing[0])}') and {are} ignored."
        order.problems.append(Problem(message, severity="warning"))


TRAINING, ANYTHING = "{training}", "*"
MOST_ANYTHING = 4  # matching takes longer with each
RunName = tuple[str, str, str]  # test set, system and run


def nested_pattern(text: str) -> str:
    """Return a pattern of names that share a training, e.g. ``seed{training}-*``, without surrounding spaces.

    ``{training}`` stands for letters and digits, ``*`` for anything within a file or folder name. The rest of
    the name may be longer.

    Raises
    ------
    SettingsError
        If it does not contain ``{training}`` exactly once, or too many ``*``.
    """
    text = text.strip()
    if text.count(TRAINING) != 1 or text.count(ANYTHING) > MOST_ANYTHING:
        most = f"* up to {counted(MOST_ANYTHING, 'time')}, e.g. seed{TRAINING}-*"
        raise SettingsError(f"The pattern of nested runs is '{text}'. It must contain {TRAINING} once, and {most}.")
    return text


def with_trainings(test_set: TestSet, pattern: str, slots: Iterable[Slot], problems: list[Problem]) -> TestSet:
    """Return the test set with the runs of each training combined, to be averaged as samples of one run are.

    Parameters
    ----------
    pattern
        From ``nested_pattern``. It is looked for in the name of the run, of its file, and of the file's folders.
    slots
        Outputs of all test sets.
    problems
        Receives a warning about runs whose names do not match; each counts as a training.
    """
    files = {(slot.test_set, str(slot.system), str(slot.run)): slot.file for slot in slots if slot.role == "hypothesis"}
    parts = (re.escape(part) for part in pattern.replace(ANYTHING, "\0").split(TRAINING))
    expression = re.compile(r"([^\W_]+)".join(parts).replace("\0", "[^/]*?"))
    trainings = [_training_of(expression, _names(test_set.name, run, files)) for run in test_set.runs]
    # run names stay unambiguous, e.g. for scores of single outputs
    prefix = "training " if {run.key for run in test_set.runs} & {*trainings} else ""
    pairs = [*zip(test_set.runs, trainings, strict=True)]
    groups = grouped(((run.system, run.key if one is None else prefix + one), run) for run, one in pairs)
    if unmatched := [f"{run.key} of {run.system}" for run, training in pairs if training is None]:
        text = f"No training found by '{pattern}' in the names of {named(unmatched)} on '{test_set.name}'."
        problems.append(Problem(f"{text} Each counts as a training of its own.", severity="warning"))
    in_order = sorted(groups.items(), key=lambda item: tuple(map(natural_order, item[0])))
    return replace(test_set, runs=tuple(_together(*name, members) for name, members in in_order))


def _names(test_set: str, run: Run, files: Mapping[RunName, str]) -> Iterator[str]:
    """Yield the names to look into: of the run, its file without and with folders."""
    yield run.key
    keys = [sample_name(run.key, sample.key) for sample in run.samples[:1]] or [run.key]
    file = files.get((test_set, run.system, keys[0]), "").replace("\\", "/")
    yield from (file.rsplit("/", 1)[-1], file)


def _training_of(expression: re.Pattern[str], names: Iterable[str]) -> str | None:
    found = (expression.findall(name) for name in names)
    return next((matches[-1] for matches in found if matches), None)  # the last folder tells most


def _together(system: str, training: str, members: Sequence[Run]) -> Run:
    """Return the run of a training; a single output keeps its parses."""
    keys = tuple(run.key for run in members)
    if len(members) == 1 and not members[0].samples:
        return replace(members[0], key=training, members=keys)
    samples = tuple(
        Sample(sample_name(run.key, one.key) if run.samples else run.key, one.hypotheses)
        for run in members
        for one in run.samples or (Sample(run.key, run.hypotheses),)
    )
    return Run(system, training, samples[0].hypotheses, samples=samples, members=keys)
