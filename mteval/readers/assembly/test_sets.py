"""Build a test set from its streams, and combine runs that share a training.

Each role is filled once; the rest is reported.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from mteval.base.errors import SettingsError
from mteval.base.words import agreeing, counted, counted_part
from mteval.readers.assembly.alignment import Assigned, Cells, Order, Row
from mteval.readers.documents import FileRole, Problem, Slot, grouped, named
from mteval.readers.names import natural_order, run_and_sample, sample_name
from mteval.values.model import Role, Run, Sample, TestSet

# Pattern of the names of runs that share a training
TRAINING = "{training}"
ANYTHING = "*"
MOST_ANYTHING = 4  # matching takes longer with each

RunName = tuple[str, str, str]  # test set, system and run
T = TypeVar("T")


HAS_NO_REFERENCE = "has no reference, so reference-based metrics are unavailable. Add one, e.g. as reference.txt."


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
    references = _of(items, "reference")
    outputs = _of(items, "hypothesis")
    sources = _of(items, "source")
    if not outputs:
        return None, [Problem(f"Test set '{name}' has no system output, so it is ignored.", severity="warning")]
    leading = _leading_text(references, sources, outputs)
    order = Order.of(name, leading, [*references, *outputs], _of(items, "documents"))
    order.problems.extend(_rows_in_other_orders([*outputs, *references, *sources]))

    # Rows are the references of each segment. A segment without any is cut, unless no segment has one.
    in_order = sorted(references, key=lambda item: item is not leading)
    columns = _reference_columns(order, in_order)
    rows: list[Row] = [()] * len(order.leading)
    if columns:
        rows = list(zip(*columns, strict=True))
        if any(None in column for column in columns):
            rows = [tuple(text for text in row if text is not None) for row in rows]
    has_references = any(rows)
    kept = tuple(index for index, row in enumerate(rows) if row or not has_references)

    documents, side = _without_domains(_documents(order, _of(items, "documents")))
    runs = _runs(order, outputs, kept)
    source = _single(order, sources)
    if source is not None:
        source = _cut(source, kept)
    if documents is not None:
        documents = _cut(documents, kept)
    side |= _labels(order, _of(items, "labels"))
    if not runs:
        return None, _problems_of_one_cause(order, leading, outputs)
    _report_missing_references(order, rows)
    test_set = TestSet(
        name,
        _cut(rows, kept),
        runs,
        role,
        source,
        documents,
        {label: _cut(column, kept) for label, column in side.items()},
    )
    parses = _of(items, "parses")
    if parses:
        from mteval.readers.assembly.parses import with_parses  # imported here, since most experiments have no parses

        test_set = with_parses(test_set, order, kept, parses, references, columns, outputs)
    return Built(test_set, order, kept), order.problems


def _rows_in_other_orders(items: Iterable[Assigned]) -> Iterator[Problem]:
    """Yield the texts of tables whose rows have the IDs of an earlier table in another order, once per file."""
    first_with: dict[frozenset[str], Assigned] = {}
    reported = set[str]()
    for item in items:
        row_ids = item.stream.row_ids
        if row_ids is None or item.slot.file in reported:
            continue
        first = first_with.setdefault(frozenset(row_ids), item)
        ids_of_first = first.stream.row_ids or ()
        if row_ids != ids_of_first:
            reported.add(item.slot.file)
            row = next(row for row, ids in enumerate(zip(row_ids, ids_of_first, strict=True)) if len(set(ids)) > 1)
            rows = "The rows are"
            others = f"'{first.slot.file}'"
            if first.slot.file == item.slot.file:
                rows = f"The rows of system '{item.slot.system}', run '{item.slot.run}', are"
                others = f"system '{first.slot.system}', run '{first.slot.run}',"
            message = f"{rows} those of {others} in another order: row {row + 1} has the ID '{row_ids[row]}', there"
            message += f" '{ids_of_first[row]}'. Rename the column of IDs to 'segment', so that it matches the rows."
            yield Problem(message, item.slot.file)


def _problems_of_one_cause(order: Order, leading: Assigned, outputs: Sequence[Assigned]) -> list[Problem]:
    """Return the problems, a single one if all outputs have one length that only the reference does not have."""
    lengths = {len(item.stream.lines) for item in outputs}
    is_clear = len(outputs) > 1 and len(lengths) == 1 and len(order.leading) not in lengths
    has_own_reasons = order.has_documents or any(item.stream.left_out or item.stream.keys for item in outputs)
    if not is_clear or has_own_reasons or leading.slot.role != "reference":
        return order.problems
    files = {item.slot.file for item in outputs}
    others = [problem for problem in order.problems if problem.file not in files]
    message = f"has {counted(len(order.leading), 'segment')} on test set '{order.test_set}', but all {len(outputs)}"
    message += f" outputs have {lengths.pop()}. Fix the reference, or use outputs of its segments."
    return [leading.problem(message), *others]


def _leading_text(references: Sequence[Assigned], sources: Sequence[Assigned], outputs: Sequence[Assigned]) -> Assigned:
    """Return the first reference, source or output of the length that most texts share.

    Otherwise a truncated reference would reject all outputs.
    """
    n_texts = Counter(len(item.stream.lines) for item in (*references, *outputs))
    candidates = references or sources or outputs
    return max(candidates, key=lambda item: n_texts[len(item.stream.lines)])


def _cut(column: Sequence[T], kept: Sequence[int]) -> tuple[T, ...]:
    """Return the values of the segments that count."""
    if len(kept) == len(column):
        return tuple(column)  # not copied if it is a tuple
    return tuple(column[index] for index in kept)


def _of(items: Iterable[Assigned], role: FileRole) -> list[Assigned]:
    return [item for item in items if item.slot.role == role]


def _reference_columns(order: Order, items: Sequence[Assigned]) -> dict[Cells, Assigned]:
    """Return the references that fit, by their lines."""
    columns: dict[Cells, Assigned] = {}
    for item in items:
        lines = order.aligned(item)
        if lines is None:
            continue
        same = columns.setdefault(lines, item)
        # Logs and tables of several systems each repeat the reference
        is_repeated = item.stream.role == "reference" and same.slot.file != item.slot.file
        if same is not item and not is_repeated:
            message = f"is identical to '{same.slot.file}' and counts once."
            order.problems.append(item.problem(message, severity="note"))
    return columns


def _runs(order: Order, items: Sequence[Assigned], kept: Sequence[int]) -> tuple[Run, ...]:
    """Return the runs in natural order of systems and keys, cut to the segments that count."""
    runs: list[Run] = []
    owners: dict[tuple[str, str], str] = {}
    for item in items:
        system = item.slot.system or ""
        key = item.slot.run or ""
        if (system, key) in owners:
            message = f"on test set '{order.test_set}' is already '{owners[system, key]}', so this file is ignored."
            order.problems.append(item.problem(f"{message} Change its system, run or test set, or remove one of them."))
            continue
        owners[system, key] = item.slot.file
        lines = order.complete(item)
        if lines is not None:
            runs.append(Run(system, key, _cut(lines, kept)))
    runs.sort(key=lambda run: (natural_order(run.system), natural_order(run.key)))
    return tuple(_with_samples(runs, order, owners))


def _with_samples(runs: Iterable[Run], order: Order, owners: Mapping[tuple[str, str], str]) -> Iterator[Run]:
    """Combine decodings of a run. A file named as the whole run is ignored."""
    members_of = grouped(((run.system, run_and_sample(run.key)[0]), run) for run in runs)
    for (system, key), members in members_of.items():
        samples = []
        for run in members:
            _, sample = run_and_sample(run.key)
            if sample is not None:
                samples.append(Sample(sample, run.hypotheses))
        if not samples:
            yield members[0]
            continue
        if len(samples) < len(members):
            text = f"Run '{key}' of '{system}' has samples, so this file is ignored. Name it like run1.sample2."
            order.problems.append(Problem(text, owners[system, key]))
        hypotheses = samples[0].hypotheses
        if len(samples) == 1:  # a single decoding is the run
            samples = []
        yield Run(system, key, hypotheses, samples=tuple(samples))


def _single(order: Order, items: Sequence[Assigned]) -> Row | None:
    """Return the lines of a role that has one file; a second file with other lines is ignored."""
    first: Row | None = None
    owner = ""
    for item in items:
        lines = order.complete(item)
        if first is None:
            first = lines
            owner = item.slot.file
        elif lines is not None and lines != first:
            message = f"of test set '{order.test_set}' is already '{owner}', so this file is ignored. Remove one."
            order.problems.append(item.problem(message))
    return first


def _documents(order: Order, items: Sequence[Assigned]) -> Row | None:
    """Return the document of each segment; of files with keys each may have some of the segments."""
    streams = [item.stream for item in items]
    document_of: dict[str, str | None] = {}
    is_contradicted = False
    for stream in streams:
        for key, document in zip(stream.keys or (), stream.lines, strict=False):
            if document_of.setdefault(key, document) != document:
                is_contradicted = True
    # A segment of which no file has the document stays without one
    documents = tuple(document_of.get(key) or "" for key in order.keys or ())
    have_keys = all(stream.keys for stream in streams)
    is_complete = bool(documents) and all(documents)
    if is_complete and have_keys and not is_contradicted:
        return documents
    return _single(order, items)


def _labels(order: Order, items: Sequence[Assigned]) -> dict[str, Row]:
    """Return columns of labels by name; the first of two files with one name counts."""
    columns: dict[str, Row] = {}
    for name, items_of_name in grouped((item.slot.shown_name, item) for item in items).items():
        column = _single(order, items_of_name)
        if column is not None:
            columns[name] = column
    return columns


def _without_domains(documents: Row | None) -> tuple[Row | None, dict[str, Row]]:
    """Split WMT's lines ``domain TAB id`` into IDs and a side column of domains; other lines are IDs."""
    if not documents:
        return documents, {}
    pairs = [line.split("\t") for line in documents]
    if any(len(pair) != 2 for pair in pairs):
        return documents, {}
    domains = tuple(domain for domain, _ in pairs)
    ids = tuple(document for _, document in pairs)
    if len(set(ids)) < len(set(documents)):  # documents of two domains have the same ID
        ids = documents
    return ids, {"domain": domains}


def _report_missing_references(order: Order, rows: Sequence[Row]) -> None:
    """Report segments without a reference, or that there is no reference."""
    missing = [index for index, row in enumerate(rows) if not row]
    if len(missing) == len(rows):
        order.problems.append(Problem(f"Test set '{order.test_set}' {HAS_NO_REFERENCE}", severity="warning"))
    elif missing:
        has = agreeing(len(missing), "has", "have")
        are = agreeing(len(missing), "is", "are")
        message = f"Test set '{order.test_set}': {counted_part(len(missing), len(rows), 'segment')} {has} no reference"
        message += f" (first: '{order.name(missing[0])}') and {are} ignored."
        order.problems.append(Problem(message, severity="warning"))


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
    file_of = {}
    for slot in slots:
        if slot.role == "hypothesis":
            file_of[slot.test_set, str(slot.system), str(slot.run)] = slot.file
    trainings = [training_of(pattern, names_of_run(test_set.name, run, file_of)) for run in test_set.runs]
    # Run names stay unambiguous, e.g. for scores of single outputs
    run_keys = {run.key for run in test_set.runs}
    prefix = "" if run_keys.isdisjoint(trainings) else "training "

    members_of: dict[tuple[str, str], list[Run]] = defaultdict(list)
    unmatched = []
    for run, training in zip(test_set.runs, trainings, strict=True):
        if training is None:
            unmatched.append(f"{run.key} of {run.system}")
            members_of[run.system, run.key].append(run)
        else:
            members_of[run.system, prefix + training].append(run)
    if unmatched:
        text = f"No training found by '{pattern}' in the names of {named(unmatched)} on '{test_set.name}'."
        problems.append(Problem(f"{text} Each counts as a training of its own.", severity="warning"))
    in_order = sorted(members_of, key=lambda name: (natural_order(name[0]), natural_order(name[1])))
    return replace(test_set, runs=tuple(_together(*name, members_of[name]) for name in in_order))


def _expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern from ``nested_pattern``; its only group is the training."""
    expressions = []
    for part in pattern.split(TRAINING):
        expressions.append("[^/]*?".join(re.escape(literal) for literal in part.split(ANYTHING)))
    return re.compile(r"([^\W_]+)".join(expressions))


def names_of_run(test_set: str, run: Run, file_of: Mapping[RunName, str]) -> list[str]:
    """Return the names to look into: of the run, its file without and with folders."""
    key = run.key
    if run.samples:
        key = sample_name(run.key, run.samples[0].key)
    path = file_of.get((test_set, run.system, key), "").replace("\\", "/")
    return [run.key, path.rsplit("/", 1)[-1], path]


def training_of(pattern: str, names: Iterable[str]) -> str | None:
    """Return the training in the first name that has one by a pattern from ``nested_pattern``; the last of several."""
    expression = _expression(pattern)
    for name in names:
        trainings = expression.findall(name)
        if trainings:
            return str(trainings[-1])
    return None


def _together(system: str, training: str, members: Sequence[Run]) -> Run:
    """Return the run of a training; a single output keeps its parses."""
    keys = tuple(run.key for run in members)
    if len(members) == 1 and not members[0].samples:
        return replace(members[0], key=training, members=keys)
    samples = []
    for run in members:
        if not run.samples:
            samples.append(Sample(run.key, run.hypotheses))
        for sample in run.samples:
            samples.append(Sample(sample_name(run.key, sample.key), sample.hypotheses))
    return Run(system, training, samples[0].hypotheses, samples=tuple(samples), members=keys)
