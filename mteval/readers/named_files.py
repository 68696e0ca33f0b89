"""Read files named on a command line into an experiment or a test set. Reading stops at the first problem.

Scores without texts make an experiment too, for commands that need only scores.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mteval.base.errors import DataError, InputError
from mteval.base.words import counted
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.given_scores import NO_TEXTS, scores_of
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import Document, Edits, FileRole, Slot, Stream, in_columns
from mteval.readers.formats.tables import stem_of
from mteval.readers.names import DEFAULT_TEST_SET, run_names
from mteval.values.model import TestSet


@dataclass(frozen=True)
class NamedFile:
    """A file with what it contains; outputs and their parses have a system and a run."""

    path: Path
    role: FileRole
    system: str | None = None
    run: str | None = None


@dataclass(frozen=True)
class ScoreFiles:
    """Files of scores computed elsewhere, by direction.

    ``reserved`` lists metric keys that they must not use. ``lower_names`` lists metrics of ``higher`` where lower is
    better.
    """

    higher: Sequence[Path] = ()
    lower: Sequence[Path] = ()
    reserved: Collection[str] = ()
    lower_names: Collection[str] = ()

    @property
    def names(self) -> frozenset[str]:
        """The paths as document names."""
        return frozenset(map(str, (*self.higher, *self.lower)))


NO_SCORES = ScoreFiles()


@dataclass(frozen=True)
class FileSet:
    """Files of a tuning set or of parses: references, and one file per run of each system in order."""

    references: Sequence[Path] = ()
    systems: Mapping[str, Sequence[Path]] = field(default_factory=dict)


NO_FILES = FileSet()


def load_paths(
    refs: Sequence[Path],
    systems: Mapping[str, Sequence[Path]],
    *,
    baseline: str,
    more: Sequence[tuple[Path, FileRole]] = (),
    scores: ScoreFiles = NO_SCORES,
    parses: FileSet = NO_FILES,
    n_samples: int = 1,
    tuning: FileSet = NO_FILES,
    keeps_copies: bool = False,
    nested: str = "",
    aligns: bool = False,
    n_references: int = 1,
) -> Loaded:
    """Read one test set from named files, and keep the files.

    Parameters
    ----------
    refs
        One file per reference. Several files give each segment several references; without any there are none.
    systems
        For each system, one file per run. Runs are named ``0``, ``1``, … in that order.
    baseline
        Key of the system to compare with.
    more
        Further files with their roles (``source`` or ``documents``).
    scores
        Scores computed elsewhere.
    parses
        Parses of the references and outputs.
    tuning
        The tuning set.
    n_samples
        Number of consecutive files that are samples of one run.
    keeps_copies
        Whether identical runs of a system all count, as in MultEval.
    nested
        Pattern of the names of runs that share a training; empty if each run is a training.
    aligns
        Whether to realign outputs with other lines than the references within documents.
    n_references
        Number of references in each file of references, in columns separated by tabs.

    Raises
    ------
    InputError
        If a file cannot be read, or its segments do not fit the references.
    DataError
        If there are no systems or no baseline.
    """
    files = _texts_of(refs, systems, baseline, n_samples)
    tuning_files = _tuning_texts(tuning, systems, n_samples)
    files += _parses_of(parses, refs, systems)
    files += [NamedFile(path, role) for path, role in more]
    files += [NamedFile(path, "scores") for path in (*scores.higher, *scores.lower)]
    document_at = load_documents(file.path for file in (*files, *tuning_files))
    document_at.update(_split_references([*refs, *tuning.references], document_at, n_references))
    slots = (*_slots(files, DEFAULT_TEST_SET, document_at), *_slots(tuning_files, "dev", document_at))
    documents = tuple(document_at.values())
    if aligns:
        from mteval.readers.assembly.realignment import realigned  # rarely needed

        documents, slots = realigned(documents, slots)
    edits = Edits(slots, directions_of(slots, scores), keeps_copies=keeps_copies, nested=nested)
    assembly = assemble(documents, edits, baseline, scores.reserved)
    return Loaded(assembly.required(), slots, documents, assembly.problems)


def _split_references(
    paths: Iterable[Path], document_at: Mapping[Path, Document], n_references: int
) -> dict[Path, Document]:
    """Return the files of references split at tabs; none if each has one reference."""
    if n_references < 1:
        raise DataError(f"{counted(n_references, 'reference')} per file. Give 1 or more.")
    if n_references == 1:
        return {}
    return {path: in_columns(document_at[path], n_references) for path in paths}


def _slots(files: Iterable[NamedFile], test_set: str, document_at: Mapping[Path, Document]) -> Iterator[Slot]:
    """Yield the slots of the files of a test set, one per stream."""
    for file in files:
        for stream in streams_for(document_at[file.path], file.role):
            yield Slot(str(file.path), file.role, file.system, file.run, test_set, stream.label, name=stream.name)


def with_judgements(loaded: Loaded, paths: Sequence[Path], test_set: str) -> Loaded:
    """Add files of human judgements of a test set.

    Raises
    ------
    InputError
        If a file cannot be read or contains no judgements.
    """
    documents = load_documents(paths)
    for path, document in documents.items():
        if not any(stream.judgements for stream in document.streams):
            remedy = "For human scores per segment use --scores-higher or --scores-lower."
            raise InputError(f"No judgements with system and segment. {remedy}", str(path))
    slots = [Slot(document.name, "judgements", test_set=test_set) for document in documents.values()]
    return replace(loaded, documents=(*loaded.documents, *documents.values()), slots=(*loaded.slots, *slots))


def directions_of(slots: Iterable[Slot], scores: ScoreFiles) -> dict[str, bool]:
    """Return whether higher is better for each metric in the files of scores.

    Raises
    ------
    InputError
        If a metric has both directions.
    """
    higher = set(map(str, scores.higher))
    lower = set(map(str, scores.lower))
    directions: dict[str, bool] = {}
    for slot in slots:
        if slot.role != "scores":
            continue
        is_higher = slot.file in higher
        is_both = slot.file in higher and slot.file in lower
        if is_both or directions.setdefault(slot.shown_name, is_higher) != is_higher:
            message = f"'{slot.shown_name}' is given both as higher-is-better and as lower-is-better. Name it once."
            raise InputError(message, slot.file)
    return directions


def _texts_of(
    refs: Sequence[Path], systems: Mapping[str, Sequence[Path]], baseline: str, n_samples: int
) -> list[NamedFile]:
    """Return the references and outputs of a test set."""
    if n_samples < 1:
        raise DataError(f"{counted(n_samples, 'sample')} per run. Give 1 or more.")
    if baseline not in systems:
        raise DataError(f"The baseline '{baseline}' is not among the systems: {', '.join(systems) or 'none'}.")
    files = [NamedFile(path, "reference") for path in refs]
    for system, paths in systems.items():
        if not paths:
            raise DataError(f"System '{system}' has no files. Give one per run.")
        if len(paths) % n_samples:
            message = f"System '{system}' has {counted(len(paths), 'file')},"
            message += f" not a multiple of {n_samples} samples per run."
            raise DataError(f"{message} Give every run the same number of samples.")
        for path, run in zip(paths, run_names(len(paths), n_samples), strict=True):
            files.append(NamedFile(path, "hypothesis", system, run))
    return files


def _tuning_texts(tuning: FileSet, systems: Mapping[str, Sequence[Path]], n_samples: int) -> list[NamedFile]:
    """Return the references and outputs of the tuning set; none if there is none."""
    for system, paths in tuning.systems.items():
        if system not in systems:
            raise DataError(f"System '{system}' of the tuning set is not among the systems: {', '.join(systems)}.")
        if len(paths) != len(systems[system]):
            message = f"System '{system}' has {counted(len(systems[system]), 'run')} on the test set,"
            message += f" but {len(paths)} on the tuning set."
            raise DataError(f"{message} Give one file per run, in the same order.")
    if not tuning.systems:
        return []
    first = next(iter(tuning.systems))
    return _texts_of(tuning.references, tuning.systems, first, n_samples)


def _parses_of(parses: FileSet, refs: Sequence[Path], systems: Mapping[str, Sequence[Path]]) -> list[NamedFile]:
    """Return the parses of references and outputs."""
    _refuse_unequal("The references have", refs, parses.references)
    files = []
    for number, path in enumerate(parses.references, start=1):
        files.append(NamedFile(path, "parses", run=str(number)))
    for system, paths in parses.systems.items():
        _refuse_unequal(f"System '{system}' has", systems.get(system, ()), paths)
        for run, path in enumerate(paths):
            files.append(NamedFile(path, "parses", system, str(run)))
    return files


def _refuse_unequal(beginning: str, texts: Sequence[Path], parses: Sequence[Path]) -> None:
    """Raise ``DataError`` if there are parses, but not as many as texts."""
    if parses and len(parses) != len(texts):
        message = f"{beginning} {counted(len(texts), 'file')} of text, but {len(parses)} of parses."
        raise DataError(f"{message} Give one parse per text, in the same order.")


def read_references(refs: Sequence[Path], source: Path | None = None, n_references: int = 1) -> TestSet:
    """Read a test set without outputs, with one or more references, a source, or both.

    Parameters
    ----------
    n_references
        As in ``load_paths``.

    Raises
    ------
    InputError
        If a file cannot be read, or files differ in their number of segments.
    DataError
        If neither is given, or only some segments have a reference.
    """
    if not refs and source is None:
        raise DataError("No reference. Use --refs, or --source for metrics that need no reference.")
    sources = [] if source is None else [source]
    document_at = load_documents([*refs, *sources])
    document_at.update(_split_references(refs, document_at, n_references))
    reference_columns = _columns(refs, "reference", document_at)
    source_columns = _columns(sources, "source", document_at)
    (first_path, first_lines), *further = [*reference_columns, *source_columns]
    for path, lines in further:
        if len(lines) != len(first_lines):
            message = f"{counted(len(lines), 'segment')}, but '{first_path}' has {len(first_lines)}."
            raise InputError(f"{message} Use the same segments.", str(path))

    references: list[tuple[str, ...]] = [()] * len(first_lines)
    if reference_columns:
        rows = zip(*(lines for _, lines in reference_columns), strict=True)
        references = [tuple(text for text in row if text is not None) for row in rows]
    sentences = None
    if source_columns:
        _, lines = source_columns[0]
        sentences = tuple(text or "" for text in lines)
    return TestSet(DEFAULT_TEST_SET, tuple(references), source=sentences)


def _columns(
    paths: Iterable[Path], role: FileRole, document_at: Mapping[Path, Document]
) -> list[tuple[Path, tuple[str | None, ...]]]:
    """Return the lines of each stream of a role, with the file's path."""
    columns = []
    for path in paths:
        for stream in streams_for(document_at[path], role):
            columns.append((path, stream.lines))
    return columns


def load_scores(
    scores: ScoreFiles, document_ids: Sequence[str] | None = None, baseline: str | None = None, nested: str = ""
) -> Loaded:
    """Read files of scores into a test set with empty texts.

    Parameters
    ----------
    document_ids
        Document of each segment; this also sets the number of segments.
    baseline
        System to compare with; the first one in the files if None.
    nested
        Pattern of the names of runs that share a training; empty if each run is a training.

    Raises
    ------
    InputError
        If a file cannot be read, names no system, or does not fit the others.
    DataError
        If there are no scores.
    """
    documents = tuple(load_documents((*scores.higher, *scores.lower)).values())
    directions = directions_of(_score_slots(documents), scores)
    return experiment_of_scores(documents, directions, document_ids, baseline, scores.reserved, nested)


def experiment_of_scores(
    documents: Sequence[Document],
    directions: Mapping[str, bool],
    document_ids: Sequence[str] | None = None,
    baseline: str | None = None,
    reserved: Collection[str] = (),
    nested: str = "",
) -> Loaded:
    """Build the experiment of ``load_scores`` from documents; ``directions`` maps metrics to whether higher is better.

    Raises
    ------
    InputError, DataError
        As in ``load_scores``.
    """
    slots = tuple(_score_slots(documents))
    all_documents = tuple(documents)
    if document_ids:
        # These replace documents that came with the scores.
        slots_of_scores = [slot for slot in slots if slot.role == "scores"]
        file, slot_of_ids = _document_and_slot("documents", tuple(document_ids))
        slots = (*slots_of_scores, slot_of_ids)
        all_documents = (*documents, file)
    edits = Edits(slots, directions, nested=nested)
    assembly = assemble(all_documents, edits, baseline or _first_system(documents), reserved)
    return with_item_names(Loaded(assembly.required(), slots, all_documents, assembly.problems))


def with_item_names(loaded: Loaded) -> Loaded:
    """Add item names that came with the scores as a file, so that they stay with the experiment."""
    with_source = {slot.test_set for slot in loaded.slots if slot.role == "source"}
    for test_set in loaded.experiment.test_sets:
        if test_set.source is not None and not test_set.has_texts and test_set.name not in with_source:
            file, slot = _document_and_slot("source", test_set.source, test_set.name)
            loaded = replace(loaded, documents=(*loaded.documents, file), slots=(*loaded.slots, slot))
    return loaded


def _first_system(documents: Iterable[Document]) -> str | None:
    """Return the first system that a file names, or None."""
    for document in documents:
        for stream in streams_for(document, "scores"):
            for column in scores_of(stream, document.name):
                system = column.system or _named_after_file(stream, document.name)
                if system:
                    return system
    return None


def _score_slots(documents: Iterable[Document]) -> Iterator[Slot]:
    """Yield the scores, and the documents of segments that came without texts."""
    for document in documents:
        scores = streams_for(document, "scores")
        without_scores = [stream for stream in document.streams if stream not in scores]
        has_texts = any(stream.role != "documents" for stream in without_scores)
        streams = scores if has_texts else (*scores, *without_scores)
        for stream in streams:
            role = stream.role or "scores"
            test_set = stream.test_set or DEFAULT_TEST_SET
            system = None
            if role != "documents":
                system = _named_after_file(stream, document.name)
            yield Slot(document.name, role, system, None, test_set, stream.label, name=stream.name)


def _named_after_file(stream: Stream, file: str) -> str | None:
    """Return the file name as the name of the system if a table has outputs and scores but no systems, else None."""
    is_nameless = any(column.system is None and column.texts is not None for column in stream.scores)
    return stem_of(file) if is_nameless else None


def _document_and_slot(
    role: FileRole, lines: tuple[str, ...], test_set: str = DEFAULT_TEST_SET
) -> tuple[Document, Slot]:
    """Return a document of lines that came from no file, and its slot."""
    name = f"{NO_TEXTS} {role} {test_set}"
    document = Document(name, "lines", (Stream("", lines),))
    return document, Slot(name, role, test_set=test_set)
