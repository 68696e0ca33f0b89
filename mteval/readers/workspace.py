"""The loaded files and their edits, and the experiment they make."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Short, decoded
from mteval.base.errors import InputError
from mteval.base.words import Names, composed
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.judgements import JudgementFiles, judgement_files
from mteval.readers.assembly.ledger import unread_files
from mteval.readers.assembly.realignment import can_realign, realigned
from mteval.readers.assembly.test_sets import nested_pattern
from mteval.readers.disk import Loaded
from mteval.readers.documents import (
    DEFAULT_LIMITS,
    FILE_NAME,
    IGNORED,
    NAMED_ROLES,
    Assembly,
    Document,
    Edits,
    FileRole,
    InputFile,
    Problem,
    Slot,
    Stream,
    as_labelled,
    grouped,
    in_columns,
    shared_columns,
)
from mteval.readers.experiment_file import ExperimentFile
from mteval.readers.formats.score_tables import is_higher_better, known_direction
from mteval.readers.formats.text import original
from mteval.readers.formats.uploads import Read, unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import with_item_names
from mteval.readers.names import DEFAULT_TEST_SET, natural_order
from mteval.readers.replays import DroppedExperiment, experiment_among, slots_in_use
from mteval.values.languages import language_pair
from mteval.values.ledger import Entry
from mteval.values.model import Experiment

EDITABLE = ("included", "role", "system", "run", "test_set", "name")
Unpack = Callable[[Sequence[InputFile]], Read]
NOT_DESCRIBED = f"{FILE_NAME} does not name it"
IS_DESCRIPTION = "read for roles and settings"
MADE_HERE = "given here"  # folder of scores and judgements made in mteval


@dataclass(frozen=True)
class ScoreTable:
    """Scores of one metric on one test set, computed by mteval, as the text of a file."""

    metric: str
    name: str
    test_set: str
    higher_is_better: bool
    text: str


@dataclass(frozen=True)
class Workspace:
    """Loaded files and their edits. Every change returns a new workspace.

    ``Workspace.of(workspace.files, workspace.edits)`` equals the workspace: file names, contents and edits are enough
    to restore it. Nothing is guessed again, so a later guess cannot change what was loaded earlier. The other fields do
    not count for equality. The baseline and the settings are not part of a workspace.

    Parameters
    ----------
    documents
        Decoded files with unique names.
    rejected
        Problems and notes of the files added last.
    unread
        All files that did not become a document.
    described
        Content of the ``experiment.toml`` added last, with its settings and baseline.
    reserved
        Metric keys that scores in files must not use.
    """

    documents: tuple[Document, ...] = ()
    edits: Edits = field(default_factory=Edits)
    rejected: tuple[Problem, ...] = field(default=(), compare=False)
    described: ExperimentFile | None = field(default=None, compare=False)
    reserved: Collection[str] = field(default=(), compare=False)
    unread: tuple[Entry, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        files: Sequence[InputFile],
        edits: Edits,
        reserved: Collection[str] = (),
        unread: Sequence[Entry] = (),
    ) -> Workspace:
        """Restore the workspace of these ``files`` and ``edits``; ``unread`` were never among its files."""
        # Each drop was within the limits, but all together may exceed them
        size = sum(len(file.content) for file in files)
        limits = replace(DEFAULT_LIMITS, total_bytes=max(size, DEFAULT_LIMITS.total_bytes))
        documents, problems = unpack(files, limits)
        documents = tuple(_split_again(documents, edits.slots))
        all_unread = (*unread, *unread_files(problems))
        return cls(documents, edits, without_ignored(problems), reserved=reserved, unread=all_unread)

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The files by name, uncompressed. Line ends of plain text may differ from the original."""
        return tuple(InputFile(document.name, original(document)) for document in self.documents)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The role of each stream."""
        return self.edits.slots

    @property
    def has_names(self) -> bool:
        """Whether a slot has its own name."""
        return any(slot.role in NAMED_ROLES for slot in self.slots)

    @property
    def has_nbest_lists(self) -> bool:
        """Whether an n-best list is loaded."""
        return any(slot.included and slot.role == "nbest" for slot in self.slots)

    @property
    def judgements(self) -> JudgementFiles:
        """Human judgements by test set and file."""
        return judgement_files(self.slots, self.documents)

    @property
    def score_names(self) -> tuple[str, ...]:
        """Names of metrics whose scores were computed elsewhere."""
        return tuple(dict.fromkeys(slot.shown_name for slot in self.slots if slot.role == "scores" and slot.included))

    def add(self, files: Sequence[InputFile], test_set: str | None = None, read: Unpack = unpack) -> Workspace:
        """Add files, in the order of their names. Loaded files keep their roles.

        An ``experiment.toml`` among them sets their roles and replaces everything loaded, unless it is unusable.

        Parameters
        ----------
        test_set
            Test set of the files; None guesses it.
        read
            Function that decodes the files.
        """
        documents, problems = read(files)
        dropped = experiment_among(documents, problems)
        if dropped is not None and dropped.file is not None:
            edits = replace(dropped.file.edits, slots=dropped.slots)
            beside = tuple(_beside_experiment(documents, problems, dropped))
            documents = tuple(_split_again(dropped.documents, dropped.slots))
            return Workspace(documents, edits, dropped.problems, dropped.file, self.reserved, beside)
        if dropped is not None:  # an unusable one; these are the files besides it
            documents = dropped.documents
            problems = dropped.problems
        unread = (*self.unread, *unread_files(problems))
        rejected = without_ignored(problems)
        if dropped is not None and not documents:
            return replace(self, rejected=rejected, unread=unread)
        loaded = self._documents_with(documents)
        guessed = guess(loaded)
        if test_set is not None:
            guessed = tuple(replace(slot, test_set=test_set) for slot in guessed)

        # Loaded files keep their roles. Parses are guessed again, since a text may have been added after its parse.
        guessed_parses = {slot for slot in guess(self.documents) if slot.role == "parses"}
        known = {(slot.file, slot.stream): slot for slot in self.slots if slot not in guessed_parses}
        slots = tuple(known.get((slot.file, slot.stream), slot) for slot in guessed)
        new = [slot for slot in guessed if (slot.file, slot.stream) not in known]
        directions = _stated_directions(new, loaded)
        directions.update(self.edits.directions)
        edits = replace(self.edits, slots=slots, directions=directions)
        return replace(self, edits=edits, documents=tuple(loaded), rejected=rejected, unread=unread)

    def _documents_with(self, added: Sequence[Document]) -> list[Document]:
        """Return the loaded and the added documents by name. The same file is not added twice; another is renamed."""
        names = Names(document.name for document in self.documents)
        documents = list(self.documents)
        for document in added:
            if document not in self.documents:
                documents.append(replace(document, name=names.free(document.name)))
        documents.sort(key=lambda document: natural_order(document.name))
        return documents

    def add_snapshot(self, origin: str, tables: Iterable[ScoreTable], test_set: str, judgements: str) -> Workspace:
        """Add judgements made in mteval, and the scores made of them, as files; earlier ones of the origin go.

        Parameters
        ----------
        judgements
            The table of judgements of the test set.
        """
        workspace = self.add_scores(origin, tables)
        file = InputFile(f"{_folder_of(origin)}judgements.csv", judgements.encode())
        return workspace._with(file, Slot(file.name, "judgements", test_set=test_set))

    def add_scores(self, origin: str, tables: Iterable[ScoreTable]) -> Workspace:
        """Add scores made in mteval as files; earlier ones of the origin go."""
        workspace = self.remove_snapshot(origin)
        taken = {slot.shown_name for slot in workspace.slots if slot.role == "scores"}
        for table in tables:
            file = InputFile(f"{_folder_of(origin)}{table.metric}.{table.test_set}.csv", table.text.encode())
            name = table.name
            if name in taken:
                name = f"{table.name} {origin}"
            slot = Slot(file.name, "scores", test_set=table.test_set, name=name)
            workspace = workspace._with(file, slot).direct(name, table.higher_is_better)
        return workspace

    def remove_snapshot(self, origin: str) -> Workspace:
        """Remove judgements made in mteval, and their scores."""
        folder = _folder_of(origin)
        slots = tuple(slot for slot in self.slots if not slot.file.startswith(folder))
        documents = tuple(document for document in self.documents if not document.name.startswith(folder))
        return replace(self, edits=replace(self.edits, slots=slots), documents=documents)

    def has_snapshot(self, origin: str) -> bool:
        """Whether there are judgements of an origin."""
        return any(document.name.startswith(_folder_of(origin)) for document in self.documents)

    def edit(self, rows: Mapping[int, Mapping[str, Any]], start: Sequence[Slot] | None = None) -> Workspace:
        """Apply edits of the table: the changed columns, by row of the slots that the table started from.

        Raises
        ------
        InputError
            If there is no such row, or a cell has another kind of value.
        """
        if start is None:
            start = self.slots
        slots = list(start)
        for row, values in rows.items():
            if not 0 <= int(row) < len(slots):
                raise InputError(f"The table of files has no row {int(row) + 1}. Reload the page.", None)
            decoded(values, _Cells, None, f"row {int(row) + 1}")
            cells = {name: _cell(name, value) for name, value in values.items() if name in EDITABLE}
            slots[int(row)] = replace(slots[int(row)], **cells)
        # A renamed metric keeps its direction
        directions = dict(self.edits.directions)
        for before, after in zip(self.slots, slots, strict=True):
            if after.role == "scores" and before.shown_name in directions:
                directions.setdefault(after.shown_name, directions[before.shown_name])
        return replace(self, edits=replace(self.edits, slots=tuple(slots), directions=directions))

    @property
    def references_in_columns(self) -> dict[str, int]:
        """Number of columns of each file of one reference whose lines have equally many, separated by tabs."""
        n_columns_of: dict[str, int] = {}
        for document in self.documents:
            n_columns = shared_columns(document.streams[0].lines) if document.format == "lines" else 1
            roles = {slot.role for slot in self.slots if slot.file == document.name}
            if n_columns > 1 and len(document.streams) == 1 and roles == {"reference"}:
                n_columns_of[document.name] = n_columns
        return n_columns_of

    def split_references(self, file: str, n_columns: int) -> Workspace:
        """Make each column of a file of references a reference.

        Raises
        ------
        InputError
            If a line has fewer columns.
        """
        documents = []
        slots: list[Slot] = []
        for document in self.documents:
            of_document = [slot for slot in self.slots if slot.file == document.name]
            if document.name == file:
                document = in_columns(document, n_columns)
                of_document = [replace(of_document[0], stream=stream.label) for stream in document.streams]
            documents.append(document)
            slots += of_document
        return replace(self, documents=tuple(documents), edits=replace(self.edits, slots=tuple(slots)))

    def direct(self, name: str, is_higher_better: bool | None) -> Workspace:
        """Set the direction of a metric whose scores were computed elsewhere; None unsets it."""
        directions = {metric: better for metric, better in self.edits.directions.items() if metric != name}
        if is_higher_better is not None:
            directions[name] = is_higher_better
        return replace(self, edits=replace(self.edits, directions=directions))

    def declare(self, test_set: str, languages: str) -> Workspace:
        """Declare the languages of a test set; an empty text removes them.

        Raises
        ------
        SettingsError
            If they are not a pair of codes.
        """
        declared = {name: pair for name, pair in self.edits.languages.items() if name != test_set}
        if languages.strip():
            declared[test_set] = language_pair(languages)
        return replace(self, edits=replace(self.edits, languages=declared))

    def nest(self, pattern: str) -> Workspace:
        """Declare which runs share a training, by the pattern of their names; an empty text undoes it.

        Raises
        ------
        SettingsError
            If it is not a pattern.
        """
        nested = ""
        if pattern.strip():
            nested = nested_pattern(pattern)
        return replace(self, edits=replace(self.edits, nested=nested))

    @cached_property
    def can_realign(self) -> bool:
        """Whether an output has other lines than its references, and the documents of these are known."""
        return can_realign(self.documents, self.slots)

    def realigned(self) -> Workspace:
        """Realign outputs with other lines than the references within documents.

        Raises
        ------
        MtevalError
            If that is not possible.
        """
        documents, slots = realigned(self.documents, self.slots)
        return replace(self, documents=documents, edits=replace(self.edits, slots=slots))

    @cached_property
    def assembly(self) -> Assembly:
        """The assembled files and their problems, with a guessed baseline."""
        return assemble(self.documents, self.edits, None, self.reserved, self.unread)

    def experiment(self, baseline: str | None = None) -> Experiment | None:
        """Return the experiment, if there is one, with this baseline if it is among the systems."""
        if not self.documents:
            return None
        experiment = self.assembly.experiment
        if baseline is not None:
            baseline = composed(baseline)
        if experiment is None or baseline == experiment.baseline:
            return experiment
        is_system = any(system.key == baseline for system in experiment.systems)
        if baseline is None or not is_system:
            return experiment
        if baseline not in self._experiment_of:
            self._experiment_of[baseline] = replace(experiment, baseline=baseline)
        return self._experiment_of[baseline]

    @cached_property
    def _experiment_of(self) -> dict[str, Experiment]:
        """The experiments made so far, by chosen baseline, so that what was computed for one is not lost."""
        return {}

    def loaded(self, experiment: Experiment) -> Loaded:
        """Return an experiment of this workspace with its files."""
        slots = tuple(slots_in_use(experiment, self.slots, self.assembly.problems))
        return with_item_names(Loaded(experiment, slots, self.documents, self.assembly.problems))

    def _with(self, file: InputFile, slot: Slot) -> Workspace:
        """Add a file made in mteval."""
        edits = replace(self.edits, slots=(*self.slots, slot))
        return replace(self, edits=edits, documents=self.documents + unpack([file])[0])


def without_ignored(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems that concern the user; the ledger has the ignored files."""
    return tuple(problem for problem in problems if problem.code != IGNORED)


def _beside_experiment(
    documents: Iterable[Document], problems: Iterable[Problem], dropped: DroppedExperiment
) -> Iterator[Entry]:
    """Yield the files that an ``experiment.toml`` does not name, and those of its own that cannot be read."""
    lacking = tuple(unread_files(dropped.problems))
    yield from lacking
    used = {document.name for document in dropped.documents}
    used.update(entry.file for entry in lacking)
    names = [document.name for document in documents]
    names += [entry.file for entry in unread_files(problems)]
    for name in names:
        if name in used:
            continue
        if PurePosixPath(name).name == FILE_NAME:
            yield Entry(name, "ignored", IS_DESCRIPTION)
        else:
            yield Entry(name, "ignored", NOT_DESCRIBED)


def _split_again(documents: Iterable[Document], slots: Sequence[Slot]) -> Iterator[Document]:
    """Yield the documents, those of references in columns as ``Workspace.split_references`` left them."""
    labels_of = grouped((slot.file, slot.stream) for slot in slots)
    for document in documents:
        yield as_labelled(document, labels_of.get(document.name, []))


def _folder_of(origin: str) -> str:
    """Return how names of files begin that were made in mteval, e.g. of a campaign."""
    return f"{MADE_HERE}/{origin}/"


def _stated_directions(slots: Iterable[Slot], documents: Iterable[Document]) -> dict[str, bool]:
    """Return the directions of metrics that their files state, or that their names and values leave no doubt about."""
    streams: dict[tuple[str, str], Stream] = {}
    for document in documents:
        for stream in document.streams:
            streams[document.name, stream.label] = stream
    directions: dict[str, bool] = {}
    for slot in slots:
        if slot.role != "scores":
            continue
        stream = streams[slot.file, slot.stream]
        is_higher = stream.is_higher_better
        if stream.lines:  # a table, whose text may state it
            is_higher = is_higher_better(slot.file, stream.lines)
        if is_higher is None:
            values = [value for column in stream.scores for value in column.values]
            if known_direction(slot.shown_name, values) is False:  # that higher is better is the default
                is_higher = False
        if is_higher is not None:
            directions[slot.shown_name] = is_higher
    return directions


class _Cells(Struct):
    """The columns of the table that can be edited."""

    included: bool = True
    role: FileRole = "other"
    system: Short | None = None
    run: Short | None = None
    test_set: Short | None = None
    name: Short | None = None


def _cell(name: str, value: Any) -> Any:
    """Convert a cell of the table: empty cells are None, except that a test set always has a name."""
    if isinstance(value, str):
        value = value.strip() or None
    if name == "test_set" and value is None:
        return DEFAULT_TEST_SET
    return value
