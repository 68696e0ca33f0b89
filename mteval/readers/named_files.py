"""Read files named on a command line into an experiment or a test set. Reading stops at the first problem.

Scores without texts make an experiment too, for commands that need only scores.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path

from mteval.base.errors import DataError, InputError
from mteval.base.words import counted
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.given_scores import NO_TEXTS, scores_of
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import Document, Edits, FileRole, Slot, Stream
from mteval.readers.formats.tables import stem_of
from mteval.readers.names import DEFAULT_TEST_SET, run_names
from mteval.values.model import TestSet

Wanted = tuple[Path, FileRole, str | None, str | None]  # with system and run


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

    Raises
    ------
    InputError
        If a file cannot be read, or its segments do not fit the references.
    DataError
        If there are no systems or no baseline.
    """
    wanted = _wanted(refs, systems, baseline, n_samples)
    tuned = _tuned(tuning, systems, n_samples)
    wanted += _parses(parses, refs, systems)
    further = (*more, *((path, "scores") for path in (*scores.higher, *scores.lower)))
    wanted += [(path, role, None, None) for path, role in further]
    loaded = load_documents(path for path, *_ in (*wanted, *tuned))
    slots = tuple(
        Slot(str(path), role, system, run, name, stream.label, name=stream.name)
        for name, files in ((DEFAULT_TEST_SET, wanted), ("dev", tuned))
        for path, role, system, run in files
        for stream in streams_for(loaded[path], role)
    )
    documents = tuple(loaded.values())
    if aligns:
        from mteval.readers.assembly.realignment import realigned  # rarely needed

        documents, slots = realigned(documents, slots)
    edits = Edits(slots, directions_of(slots, scores), keeps_copies=keeps_copies, nested=nested)
    assembly = assemble(documents, edits, baseline, scores.reserved)
    return Loaded(assembly.required(), slots, documents, assembly.problems)


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
    slots = tuple(Slot(document.name, "judgements", test_set=test_set) for document in documents.values())
    return replace(loaded, documents=(*loaded.documents, *documents.values()), slots=(*loaded.slots, *slots))


def directions_of(slots: Iterable[Slot], scores: ScoreFiles) -> dict[str, bool]:
    """Return whether higher is better for each metric in the files of scores.

    Raises
    ------
    InputError
        If a metric has both directions.
    """
    higher, lower = (set(map(str, paths)) for paths in (scores.higher, scores.lower))
    directions: dict[str, bool] = {}
    for slot in (slot for slot in slots if slot.role == "scores"):
        is_higher = slot.file in higher
        if slot.file in higher & lower or directions.setdefault(slot.shown_name, is_higher) != is_higher:
            message = f"'{slot.shown_name}' is given both as higher-is-better and as lower-is-better. Name it once."
            raise InputError(message, slot.file)
    return directions


def _wanted(refs: Sequence[Path], systems: Mapping[str, Sequence[Path]], baseline: str, n_samples: int) -> list[Wanted]:
    if n_samples < 1:
        raise DataError(f"{counted(n_samples, 'sample')} per run. Give 1 or more.")
    if baseline not in systems:
        raise DataError(f"The baseline '{baseline}' is not among the systems: {', '.join(systems) or 'none'}.")
    wanted: list[Wanted] = [(path, "reference", None, None) for path in refs]
    for system, paths in systems.items():
        if not paths:
            raise DataError(f"System '{system}' has no files. Give one per run.")
        if len(paths) % n_samples:
            found = f"{counted(len(paths), 'file')}, not a multiple of {n_samples} samples per run"
            raise DataError(f"System '{system}' has {found}. Give every run the same number of samples.")
        names = run_names(len(paths), n_samples)
        wanted += [(path, "hypothesis", system, name) for path, name in zip(paths, names, strict=True)]
    return wanted


def _tuned(tuning: FileSet, systems: Mapping[str, Sequence[Path]], n_samples: int) -> list[Wanted]:
    for system, paths in tuning.systems.items():
        if system not in systems:
            raise DataError(f"System '{system}' of the tuning set is not among the systems: {', '.join(systems)}.")
        if len(paths) != len(systems[system]):
            found = f"{counted(len(systems[system]), 'run')} on the test set, but {len(paths)} on the tuning set"
            raise DataError(f"System '{system}' has {found}. Give one file per run, in the same order.")
    first = next(iter(tuning.systems), None)
    return [] if first is None else _wanted(tuning.references, tuning.systems, first, n_samples)


def _parses(parses: FileSet, refs: Sequence[Path], systems: Mapping[str, Sequence[Path]]) -> list[Wanted]:
    wanted: list[Wanted] = [(path, "parses", None, str(n)) for n, path in enumerate(parses.references, start=1)]
    pairs = [("The references have", refs, parses.references)]
    for system, paths in parses.systems.items():
        pairs.append((f"System '{system}' has", systems.get(system, ()), paths))
        wanted += [(path, "parses", system, str(run)) for run, path in enumerate(paths)]
    for what, texts, files in pairs:
        if files and len(files) != len(texts):
            message = f"{what} {counted(len(texts), 'file')} of text, but {len(files)} of parses."
            raise DataError(f"{message} Give one parse per text, in the same order.")
    return wanted


def read_references(refs: Sequence[Path], source: Path | None = None) -> TestSet:
    """Read a test set without outputs, with one or more references, a source, or both.

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
    loaded = load_documents([*refs, *sources])
    columns = [(path, stream.lines) for path in refs for stream in streams_for(loaded[path], "reference")]
    texts = [(path, stream.lines) for path in sources for stream in streams_for(loaded[path], "source")]
    (first, leading), *others = *columns, *texts
    for path, lines in others:
        if len(lines) != len(leading):
            found = counted(len(lines), "segment")
            raise InputError(f"{found}, but '{first}' has {len(leading)}. Use the same segments.", str(path))
    rows = zip(*(lines for _, lines in columns), strict=True) if columns else repeat((), len(leading))
    references = tuple(tuple(text for text in row if text is not None) for row in rows)
    origin = next((tuple(text or "" for text in lines) for _, lines in texts), None)
    return TestSet(DEFAULT_TEST_SET, references, source=origin)


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
    slots, together = tuple(_score_slots(documents)), tuple(documents)
    if document_ids:
        file, grouped = _filled("documents", tuple(document_ids))
        slots, together = (*(slot for slot in slots if slot.role == "scores"), grouped), (*documents, file)
    edits = Edits(slots, directions, nested=nested)
    assembly = assemble(together, edits, baseline or _first_system(documents), reserved)
    return with_item_names(Loaded(assembly.required(), slots, together, assembly.problems))


def with_item_names(loaded: Loaded) -> Loaded:
    """Add item names that came with the scores as a file, so that they stay with the experiment."""
    known = {slot.test_set for slot in loaded.slots if slot.role == "source"}
    for test_set in loaded.experiment.test_sets:
        if test_set.source is not None and not test_set.has_texts and test_set.name not in known:
            file, slot = _filled("source", test_set.source, test_set.name)
            loaded = replace(loaded, documents=(*loaded.documents, file), slots=(*loaded.slots, slot))
    return loaded


def _first_system(documents: Iterable[Document]) -> str | None:
    found = ((stream, document.name) for document in documents for stream in streams_for(document, "scores"))
    columns = ((column, stream, file) for stream, file in found for column in scores_of(stream, file))
    systems = (column.system or _named_after_file(stream, file) for column, stream, file in columns)
    return next(filter(None, systems), None)


def _score_slots(documents: Iterable[Document]) -> Iterator[Slot]:
    """Yield the scores, and the documents of segments that came without texts."""
    for document in documents:
        scores = streams_for(document, "scores")
        others = [stream for stream in document.streams if stream not in scores]
        grouped = others if all(stream.role == "documents" for stream in others) else []
        for stream in (*scores, *grouped):
            role, test_set = stream.role or "scores", stream.test_set or DEFAULT_TEST_SET
            system = None if role == "documents" else _named_after_file(stream, document.name)
            yield Slot(document.name, role, system, None, test_set, stream.label, name=stream.name)


def _named_after_file(stream: Stream, file: str) -> str | None:
    """Return the file name as the name of the system if a table has outputs and scores but no systems, else None."""
    is_nameless = any(column.system is None and column.texts is not None for column in stream.scores)
    return stem_of(file) if is_nameless else None


def _filled(role: FileRole, lines: tuple[str, ...], test_set: str = DEFAULT_TEST_SET) -> tuple[Document, Slot]:
    name = f"{NO_TEXTS} {role} {test_set}"
    return Document(name, "lines", (Stream("", lines),)), Slot(name, role, test_set=test_set)
