"""The loaded files and their edits, and the experiment they make; also for files on disk with telling names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import commonpath
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Short, decoded
from mteval.base.errors import DataError, InputError
from mteval.base.words import Names, composed
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.given_scores import key_of_scores
from mteval.readers.assembly.judgements import JudgementFiles, judgement_files
from mteval.readers.assembly.ledger import unread_files
from mteval.readers.assembly.realignment import can_realign, realigned
from mteval.readers.assembly.test_sets import nested_pattern
from mteval.readers.disk import Loaded, file_at, files_below, hidden_below, links_below
from mteval.readers.documents import (
    DEFAULT_LIMITS,
    FILE_NAME,
    IGNORED,
    NAMED_ROLES,
    NEEDS_PACKAGE,
    WITHOUT_SCORES,
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
    named,
    shared_columns,
)
from mteval.readers.experiment_file import ExperimentFile
from mteval.readers.formats.archives import LEFT_BEHIND, is_clutter
from mteval.readers.formats.score_tables import is_higher_better, known_direction
from mteval.readers.formats.text import original, refuse_other_bytes
from mteval.readers.formats.uploads import Read, unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import ScoreFiles, with_item_names
from mteval.readers.names import DEFAULT_TEST_SET, natural_order
from mteval.readers.replays import DroppedExperiment, experiment_among, slots_in_use
from mteval.readers.trackers import fetched, is_tracked
from mteval.values.languages import language_pair
from mteval.values.ledger import Entry, Ledger
from mteval.values.model import Experiment

EDITABLE = ("included", "role", "system", "run", "test_set", "name")
Unpack = Callable[[Sequence[InputFile]], Read]
NOT_DESCRIBED = f"{FILE_NAME} does not name it"
HIDDEN = "hidden"
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
    def of(cls, files: Sequence[InputFile], edits: Edits, reserved: Collection[str] = ()) -> Workspace:
        """Restore the workspace of these ``files`` and ``edits``."""
        # Each drop was within the limits, but all together may exceed them
        size = sum(len(file.content) for file in files)
        limits = replace(DEFAULT_LIMITS, total_bytes=max(size, DEFAULT_LIMITS.total_bytes))
        documents, problems = unpack(files, limits)
        unread = tuple(unread_files(problems))
        documents = tuple(_split_again(documents, edits.slots))
        return cls(documents, edits, without_ignored(problems), reserved=reserved, unread=unread)

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


def gathered(paths: Sequence[Path], reserved: Collection[str] = ()) -> Workspace:
    """Read files, folders, archives and tracked runs whose names state their roles. What cannot be read is refused.

    Raises
    ------
    InputError
        If a path does not exist or cannot be opened.
    DataError
        If a tracker has no such runs.
    """
    with _on_disk(paths) as place_of:
        return _gathered(list(place_of.values()), Workspace(reserved=reserved))


def _gathered(paths: Sequence[Path], workspace: Workspace) -> Workspace:
    """Add files, folders and archives on disk to a workspace, with what is hidden among them."""
    absolute = [path.absolute() for path in paths]
    name_of = names_below(absolute)
    for name in name_of.values():
        refuse_other_bytes(name)
    workspace = workspace.add([InputFile(name, file_at(file).content) for file, name in name_of.items()])
    return replace(workspace, unread=(*workspace.unread, *_hidden(absolute)))


def _hidden(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield what is not read in folders: hidden files, and links."""
    root = _root(paths)
    for folder in paths:
        if not folder.is_dir():
            continue
        for path, count in hidden_below(folder).items():
            name = str(path.relative_to(root))
            reason = LEFT_BEHIND if is_clutter(name) else HIDDEN
            yield Entry(name, "ignored", reason, count=count)
        for path, reason in links_below(folder).items():
            yield Entry(str(path.relative_to(root)), "refused", reason)


@contextmanager
def _on_disk(paths: Sequence[Path]) -> Iterator[Mapping[Path, Path]]:
    """Provide the place of each path on disk; the files of tracked runs are fetched into a folder that is removed."""
    if not any(map(is_tracked, paths)):
        yield {path: path for path in paths}
        return
    with TemporaryDirectory(prefix="mteval-") as folder:
        place_of = {}
        for path in dict.fromkeys(paths):
            if is_tracked(path):
                place_of[path] = fetched(path, Path(folder))
            else:
                place_of[path] = path
        yield place_of


def load_told_apart(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, nested: str = "", aligns: bool = False
) -> Loaded:
    """Load files, folders and archives whose names state their roles.

    Parameters
    ----------
    baseline
        None uses the system named as baseline, else the first.
    scores
        Files among the paths with scores computed elsewhere, by direction.
    nested
        Pattern of the names of runs that share a training; empty if each run is a training.
    aligns
        Whether to realign outputs with other lines than the references within documents.

    Raises
    ------
    InputError
        If a file cannot be read or does not fit the others.
    DataError
        If they make no experiment, or the baseline is missing.
    """
    with _on_disk(paths) as place_of:
        places = [place_of[path] for path in paths]
        scores_on_disk = replace(
            scores,
            higher=[place_of.get(path, path) for path in scores.higher],
            lower=[place_of.get(path, path) for path in scores.lower],
        )
        return _load_from_disk(places, baseline, scores_on_disk, nested, aligns)


def _load_from_disk(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, nested: str, aligns: bool
) -> Loaded:
    """Load files as ``load_told_apart`` does; none of the paths is a tracked run."""
    workspace = _gathered(paths, Workspace(reserved=scores.reserved).nest(nested))
    if workspace.described is not None:
        raise DataError("The files include an experiment.toml. Compute it with 'mteval run'.")
    if aligns:
        workspace = workspace.realigned()
    absolute = [path.absolute() for path in paths]
    name_of = names_below(absolute)
    _refuse_without_package(workspace)
    _refuse_files_without_scores(workspace, scores, name_of)
    workspace = _with_directions(workspace, scores, name_of)
    named_files = {name_of[path] for path in absolute if path in name_of}  # without those in folders
    _refuse_unreadable(workspace, named_files)

    experiment = workspace.experiment(baseline)
    if experiment is None:
        raise DataError(_why_no_experiment(workspace))
    if baseline is not None and experiment.baseline != composed(baseline):
        known = ", ".join(system.key for system in experiment.systems)
        raise DataError(f"The baseline '{baseline}' is not among the systems: {known}.")
    return workspace.loaded(experiment)


def _why_no_experiment(workspace: Workspace) -> str:
    """Return why files make no experiment, in the words of ``mteval check`` if something else is missing than texts."""
    missing = [problem.message for problem in workspace.assembly.problems if problem.severity == "warning"]
    if workspace.score_names and missing:
        return " ".join(missing)
    return f"No experiment: the files contain no references and outputs. {_what_was_read(workspace)}"


def _what_was_read(workspace: Workspace) -> str:
    """Return how files that make no experiment were read, or why they were refused."""
    ledger = workspace.assembly.ledger
    texts = []
    if ledger.of("read"):
        names = named(f"{entry.file} ({', '.join(entry.roles)})" for entry in ledger.of("read"))
        texts.append(f"Read: {names}. Name outputs with --refs and --system.")
    texts.append(_first_refusal(ledger))
    texts.append("'mteval check' lists all files.")
    return " ".join(filter(None, texts))


def _first_refusal(ledger: Ledger) -> str:
    """Return why the first file is refused; empty if none is."""
    refused = ledger.of("refused")
    if not refused:
        return ""
    return f"Refused: {refused[0].file} ({refused[0].reason.removesuffix('.')})."


def _refuse_without_package(workspace: Workspace) -> None:
    """Raise InputError if files lack nothing but a package: without them, fewer runs would count."""
    lacking = [problem for problem in workspace.rejected if problem.code == NEEDS_PACKAGE]
    if lacking:
        files = named(problem.file or "" for problem in lacking)
        raise InputError(f"{lacking[0].message} Nothing was scored.", files, code=NEEDS_PACKAGE)


def names_below(paths: Sequence[Path]) -> dict[Path, str]:
    """Return the names of absolute files, and of all files below folders: their paths from the folder that all share.

    Raises
    ------
    InputError
        If a folder has no files.
    """
    root = _root(paths)
    name_of = {}
    for path in paths:
        for file in _files(path):
            name_of[file] = str(file.relative_to(root))
    return name_of


def _root(paths: Sequence[Path]) -> str:
    """Return the folder that absolute paths share."""
    return commonpath([path if path.is_dir() else path.parent for path in paths])


def _refuse_files_without_scores(workspace: Workspace, scores: ScoreFiles, name_of: Mapping[Path, str]) -> None:
    """Raise InputError if a file that is named as one of scores was read, and has none; of a folder, one suffices."""
    read_files = {document.name for document in workspace.documents}
    files_with_scores = {slot.file for slot in workspace.slots if slot.role == "scores"}
    for path in (*scores.higher, *scores.lower):
        absolute = path.absolute()
        # The file itself, or the files below the folder
        names = {name for file, name in name_of.items() if file == absolute or absolute in file.parents}
        if names & read_files and not names & files_with_scores:
            message = "No scores found. Expected a log of another program, or a table of scores (docs/given-scores.md)."
            refusal = _first_refusal(workspace.assembly.ledger)
            raise InputError(f"{message} {refusal}".rstrip(), str(path), code=WITHOUT_SCORES)


def _with_directions(workspace: Workspace, scores: ScoreFiles, name_of: Mapping[Path, str]) -> Workspace:
    """Set the directions of scores by their files, then by the names of their metrics."""
    for is_higher, paths in ((True, scores.higher), (False, scores.lower)):
        names: set[str] = set()
        for path in paths:
            names.update(name_of[file] for file in _files(path.absolute()))
        for slot in workspace.slots:
            if slot.role == "scores" and (slot.file in names or _is_in_archive(slot.file, names)):
                workspace = workspace.direct(slot.shown_name, is_higher)

    metric_of: dict[str, str] = {}  # by name, and by the key that the command line uses
    for name in workspace.score_names:
        metric_of[key_of_scores(name)] = name
        metric_of[name] = name
    for name in scores.lower_names:
        if name not in metric_of:
            raise DataError(f"No scores '{name}'. Found: {', '.join(workspace.score_names) or 'none'}.")
        workspace = workspace.direct(metric_of[name], False)
    return workspace


def _is_in_archive(file: str, names: Collection[str]) -> bool:
    """Tell whether a file is in an archive of one of these names."""
    return any(file.startswith(f"{name}/") for name in names)


def _refuse_unreadable(workspace: Workspace, named_files: Collection[str]) -> None:
    """Raise InputError at the first error, except for files of a folder that cannot be read: those are refused alone.

    If no file can be read, the first error is the reason for all others.
    """
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        if problem.severity != "error":
            continue
        is_of_folder = problem in workspace.rejected and problem.file not in named_files
        if is_of_folder and workspace.documents:
            continue
        if problem.file is None and workspace.assembly.experiment is None:
            raise InputError(f"{problem.message} {_what_was_read(workspace)}")
        raise problem.as_error()


def _files(path: Path) -> list[Path]:
    """Return the file, or all files below a folder."""
    if not path.is_dir():
        return [path]
    files = list(files_below(path).values())
    if not files:
        raise InputError("The folder has no files.", str(path))
    return files
