"""What is loaded: files in, edits in, experiment out; also of files on disk whose names say what they are."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import commonpath
from pathlib import Path
from typing import Any

from mteval.base.errors import DataError, InputError
from mteval.base.words import free_name
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.judgements import judgement_files
from mteval.readers.disk import Loaded, file_at, files_below
from mteval.readers.documents import (
    DEFAULT_LIMITS,
    DEFAULT_TEST_SET,
    NAMED_ROLES,
    Assembly,
    Document,
    InputFile,
    Problem,
    Slot,
)
from mteval.readers.experiment_file import ExperimentFile
from mteval.readers.formats.score_tables import is_higher_better
from mteval.readers.formats.text import original
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import ScoreFiles, with_item_names
from mteval.readers.names import natural_order
from mteval.readers.replays import DroppedExperiment, experiment_among, slots_in_use
from mteval.values.judgements import Judgement
from mteval.values.languages import language_pair
from mteval.values.model import Experiment, Role

EDITABLE = ("included", "role", "system", "run", "test_set", "name")
Read = Callable[[Sequence[InputFile]], tuple[tuple[Document, ...], tuple[Problem, ...]]]
MADE_HERE = "given here"  # the folder of scores that were made in this program


@dataclass(frozen=True)
class Edits:
    """What the files are taken for: the guess, or what an ``experiment.toml`` said, with all that was changed by hand.

    Parameters
    ----------
    slots
        One a stream, in the order of the files.
    directions
        For each metric whose scores were computed elsewhere, by name, whether higher is better; it is asked for.
    roles
        Of test sets, by name, where they do not follow from it.
    languages
        Of test sets, by name, where they were declared: ``en-liv``.
    is_described
        Whether an ``experiment.toml`` said what the files are.
    """

    slots: tuple[Slot, ...] = ()
    directions: Mapping[str, bool] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    is_described: bool = False
    languages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreTable:
    """Scores that one metric gave on one test set, made in this program, as the text of a file."""

    metric: str
    name: str
    test_set: str
    higher_is_better: bool
    text: str


@dataclass(frozen=True)
class Workspace:
    """Files and what they are taken for, in all stages from nothing to an experiment; every change makes another one.

    ``Workspace.of(workspace.files, workspace.edits)`` is the same workspace: names and content of the files and the
    edits are all that it takes to make it again, later and elsewhere. Nothing is guessed anew then, so that a better
    guess does not change what was loaded with an earlier one. Not part of it, nor of what makes two workspaces equal,
    is all below that: remarks on the last files that came, and what the program reserves. The baseline and the settings
    are chosen apart from the files; the baseline is passed in.

    Parameters
    ----------
    documents
        Decoded files, names unique.
    rejected
        Problems of files that could not be read, and remarks on others, of the last ones that came.
    described
        What the ``experiment.toml`` that came last says. Its settings and its baseline are for those who show them.
    reserved
        Keys of metrics that scores in files must not have.
    """

    documents: tuple[Document, ...] = ()
    edits: Edits = Edits()
    rejected: tuple[Problem, ...] = field(default=(), compare=False)
    described: ExperimentFile | None = field(default=None, compare=False)
    reserved: Collection[str] = field(default=(), compare=False)

    @classmethod
    def of(cls, files: Sequence[InputFile], edits: Edits, reserved: Collection[str] = ()) -> "Workspace":
        """The workspace that has these ``files`` and ``edits``."""
        size = sum(len(file.content) for file in files)  # they were within the limits when they came, drop by drop
        documents, problems = unpack(files, replace(DEFAULT_LIMITS, total_bytes=max(size, DEFAULT_LIMITS.total_bytes)))
        return cls(documents, edits, problems, reserved=reserved)

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The files by name, uncompressed; of plain text the ends of lines may be others."""
        return tuple(InputFile(document.name, original(document)) for document in self.documents)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What each stream is taken for."""
        return self.edits.slots

    @property
    def has_names(self) -> bool:
        """Whether anything is loaded that has a name of its own."""
        return any(slot.role in NAMED_ROLES for slot in self.slots)

    @property
    def has_nbest_lists(self) -> bool:
        """Whether a file is taken for an n-best list."""
        return any(slot.included and slot.role == "nbest" for slot in self.slots)

    @property
    def judgements(self) -> dict[str, dict[str, tuple[Judgement, ...]]]:
        """What people said of each test set, by file."""
        return judgement_files(self.slots, self.documents)

    @property
    def score_names(self) -> tuple[str, ...]:
        """Names of the metrics whose scores were computed elsewhere."""
        return tuple(dict.fromkeys(slot.shown_name for slot in self.slots if slot.role == "scores" and slot.included))

    def add(self, files: Sequence[InputFile], test_set: str | None = None, read: Read = unpack) -> "Workspace":
        """With more files, all in the order of their names, in whatever order they come; what is loaded stays.

        An ``experiment.toml`` among them says what they are; with its files it takes the place of what is loaded.

        Parameters
        ----------
        test_set
            The one that the files are about; None guesses it.
        read
            What makes documents of the files.
        """
        documents, problems = read(files)
        dropped = experiment_among(documents, problems)
        if dropped is not None and (dropped.file is not None or not dropped.documents):
            return self._replaced(dropped)
        if dropped is not None:
            documents, problems = dropped.documents, dropped.problems
        fresh = self._renamed(one for one in documents if one not in self.documents)
        together = tuple(sorted((*self.documents, *fresh), key=lambda document: natural_order(document.name)))
        guessed = guess(together)
        if test_set is not None:
            guessed = tuple(replace(slot, test_set=test_set) for slot in guessed)
        # a parse may have been there before its text, so that it could not be known what it is of
        guessed_parses = {slot for slot in guess(self.documents) if slot.role == "parses"}
        known = {(slot.file, slot.stream): slot for slot in self.slots if slot not in guessed_parses}
        slots = [known.get((slot.file, slot.stream), slot) for slot in guessed]
        new = [slot for slot in slots if (slot.file, slot.stream) not in known]
        directions = _known_directions(new, together) | dict(self.edits.directions)
        edits = replace(self.edits, slots=tuple(slots), directions=directions)
        return replace(self, edits=edits, documents=together, rejected=tuple(problems))

    def add_scores(self, origin: str, tables: Iterable[ScoreTable]) -> "Workspace":
        """With scores that were made in this program, as if they were files; earlier ones of the origin go."""
        workspace = self.remove_scores(origin)
        others = {slot.shown_name for slot in workspace.slots if slot.role == "scores"}
        for table in tables:
            file = InputFile(f"{MADE_HERE}/{origin}/{table.metric}.{table.test_set}.csv", table.text.encode())
            name = table.name if table.name not in others else f"{table.name} {origin}"
            slot = Slot(file.name, "scores", test_set=table.test_set, name=name)
            workspace = workspace._with(file, slot).direct(name, table.higher_is_better)
        return workspace

    def remove_scores(self, origin: str) -> "Workspace":
        """Without the scores that were made in this program."""
        return self._without(lambda name: name.startswith(f"{MADE_HERE}/{origin}/"))

    def add_judgements(self, name: str, test_set: str, text: str) -> "Workspace":
        """With judgements that were made in this program, as if they were a file; earlier ones of the name go."""
        file = InputFile(f"{MADE_HERE}/{name}", text.encode())
        return self._without(file.name.__eq__)._with(file, Slot(file.name, "judgements", test_set=test_set))

    def has_scores(self, origin: str) -> bool:
        """Whether scores of an origin are there."""
        return any(document.name.startswith(f"{MADE_HERE}/{origin}/") for document in self.documents)

    def edit(self, rows: Mapping[int, Mapping[str, Any]], start: Sequence[Slot] | None = None) -> "Workspace":
        """With what was typed into the table: by row of the slots that it started from, the columns that changed."""
        slots = list(self.slots if start is None else start)
        for row, values in rows.items():
            cleaned = {name: _cell(name, value) for name, value in values.items() if name in EDITABLE}
            slots[int(row)] = replace(slots[int(row)], **cleaned)
        directions = dict(self.edits.directions)
        for before, after in zip(self.slots, slots, strict=True):
            if after.role == "scores" and before.shown_name in directions:  # what is renamed keeps its direction
                directions.setdefault(after.shown_name, directions[before.shown_name])
        return replace(self, edits=replace(self.edits, slots=tuple(slots), directions=directions))

    def direct(self, name: str, is_higher_better: bool | None) -> "Workspace":
        """With the direction of a metric whose scores were computed elsewhere; None forgets it."""
        directions = {known: better for known, better in self.edits.directions.items() if known != name}
        if is_higher_better is not None:
            directions[name] = is_higher_better
        return replace(self, edits=replace(self.edits, directions=directions))

    def declare(self, test_set: str, languages: str) -> "Workspace":
        """With the languages of a test set; empty forgets them.

        Raises
        ------
        SettingsError
            Where they are no pair of codes.
        """
        declared = {name: pair for name, pair in self.edits.languages.items() if name != test_set}
        if languages.strip():
            declared[test_set] = language_pair(languages)
        return replace(self, edits=replace(self.edits, languages=declared))

    @cached_property
    def assembly(self) -> Assembly:
        """What the files amount to, and what stands in the way; the baseline is guessed."""
        edits = self.edits
        return assemble(
            self.documents, edits.slots, None, edits.roles, edits.directions, self.reserved, edits.languages
        )

    def experiment(self, baseline: str | None = None) -> Experiment | None:
        """The experiment, where the files make one, with that baseline where it is among the systems."""
        experiment = self.assembly.experiment if self.documents else None
        if experiment is None or baseline is None or baseline not in {system.key for system in experiment.systems}:
            return experiment
        return experiment if baseline == experiment.baseline else replace(experiment, baseline=baseline)

    def loaded(self, experiment: Experiment) -> Loaded:
        """One of its experiments with the files that it was made from."""
        slots = tuple(slots_in_use(experiment, self.slots, self.assembly.problems))
        return with_item_names(Loaded(experiment, slots, self.documents, self.assembly.problems))

    def _replaced(self, dropped: DroppedExperiment) -> "Workspace":
        """What an ``experiment.toml`` describes in place of what is loaded; where it cannot be used, its problems."""
        if dropped.file is None:
            return replace(self, rejected=dropped.problems)
        file = dropped.file
        edits = Edits(dropped.slots, dict(file.directions), file.roles, is_described=True, languages=file.languages)
        return Workspace(dropped.documents, edits, dropped.problems, file, self.reserved)

    def _with(self, file: InputFile, slot: Slot) -> "Workspace":
        """With a file that was made in this program."""
        edits = replace(self.edits, slots=(*self.slots, slot))
        return replace(self, edits=edits, documents=self.documents + unpack([file])[0])

    def _without(self, is_gone: Callable[[str], bool]) -> "Workspace":
        """Without the files of such names."""
        slots = tuple(slot for slot in self.slots if not is_gone(slot.file))
        documents = tuple(document for document in self.documents if not is_gone(document.name))
        return replace(self, edits=replace(self.edits, slots=slots), documents=documents)

    def _renamed(self, fresh: Iterable[Document]) -> Iterator[Document]:
        """New documents under names that nothing else has."""
        taken = {document.name for document in self.documents}
        for document in fresh:
            name = free_name(document.name, taken.__contains__)
            taken.add(name)
            yield replace(document, name=name)


def _known_directions(slots: Iterable[Slot], documents: Iterable[Document]) -> dict[str, bool]:
    """Of the metrics whose files say by their form which scores are better."""
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}
    scores = ((slot, streams[slot.file, slot.stream]) for slot in slots if slot.role == "scores")
    known = (
        (slot.shown_name, is_higher_better(slot.file, stream.lines) if stream.lines else stream.is_higher_better)
        for slot, stream in scores
    )
    return {name: is_higher for name, is_higher in known if is_higher is not None}


def _cell(name: str, value: Any) -> Any:
    """A cell of the table as the slot has it: an emptied one is None, a test set has a name."""
    if isinstance(value, str):
        value = value.strip() or None
    return DEFAULT_TEST_SET if name == "test_set" and value is None else value


def load_told_apart(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, reserved: Collection[str]
) -> Loaded:
    """The experiment of files, folders and archives.

    Parameters
    ----------
    baseline
        None takes the system whose name says so, else the first.
    scores
        Those among the paths that hold scores computed elsewhere; of others it is not known which are better.
    reserved
        Keys of metrics that scores must not have.

    Raises
    ------
    InputError
        Where a file cannot be read, or does not fit the others.
    DataError
        Where they make no experiment, or one without the baseline.
    """
    named = [path.absolute() for path in paths]
    root = commonpath([path if path.is_dir() else path.parent for path in named])
    shown = {file: str(file.relative_to(root)) for path in named for file in _files(path)}
    workspace = Workspace(reserved=reserved).add([InputFile(shown[file], file_at(file).content) for file in shown])
    if workspace.described is not None:
        raise DataError("The files hold an experiment.toml, which says how it is computed; use 'mteval run' with it.")
    for is_higher, files in ((True, scores.higher), (False, scores.lower)):
        names = {shown[file] for path in files for file in _files(path.absolute())}
        for slot in workspace.slots:
            if slot.role == "scores" and slot.file in names:
                workspace = workspace.direct(slot.shown_name, is_higher)
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        if problem.severity == "error":
            raise problem.as_error()
    experiment = workspace.experiment(baseline)
    if experiment is None:
        raise DataError("The files make no experiment: no references and outputs were found among them.")
    if baseline is not None and experiment.baseline != baseline:
        known = ", ".join(system.key for system in experiment.systems)
        raise DataError(f"The baseline '{baseline}' is not among the systems: {known}.")
    return workspace.loaded(experiment)


def _files(path: Path) -> Iterator[Path]:
    """The file, or all files below a folder."""
    if not path.is_dir():
        yield path
        return
    below = files_below(path)
    if not below:
        raise InputError("The folder has no files.", str(path))
    yield from below.values()
