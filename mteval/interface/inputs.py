"""Turn texts, paths and arrays of a program into an experiment."""

import os
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.base.errors import DataError
from mteval.base.words import composed, counted, free_name
from mteval.metrics import (
    METRICS,
    catalog,
    key_of,
    lacking,
    named_metrics,
    with_language,
    with_optimized,
    with_option_names,
)
from mteval.metrics.base import OptionValue
from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.realignment import realigned
from mteval.readers.assembly.test_sets import nested_pattern
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import Document, Edits, FileRole, ScoreColumn, Slot, Stream
from mteval.readers.folders import load_told_apart
from mteval.readers.named_files import ScoreFiles, experiment_of_scores
from mteval.readers.names import DEFAULT_TEST_SET, run_names
from mteval.render.frames import frame_tsv
from mteval.values.given import GivenMetric, missing_as_none
from mteval.values.model import Role, TestSet
from mteval.values.settings import Convention, Decision, Design, ExchangeUnit, Settings, Spending

FilePath = str | os.PathLike[str]
Texts = FilePath | Sequence[str] | npt.NDArray[np.str_]
"""One string per segment, or the path of a text file with one segment per line."""
ReferenceTexts = FilePath | Sequence[str | None] | npt.NDArray[np.str_]
"""The same; None if this reference lacks a segment that another one has."""
Scores = Mapping[str, npt.ArrayLike]
"""Scores of each system, shape ``(runs, items)``."""
Systems = Mapping[str, Sequence[Texts]]
"""Runs of each system."""

LONGEST_NAME = 250  # characters; a longer text is no file name
MOST_PLAUSIBLE_RUNS = 20  # more runs, if they are more than the items, are a transposed array


class Keywords(TypedDict, total=False):
    """Fields of ``Settings`` that every computing function takes as keywords."""

    convention: Convention | None
    options: Mapping[str, Mapping[str, OptionValue]]
    n_bootstrap: int
    n_shuffles: int
    seed: int
    confidence: float
    exchange_unit: ExchangeUnit
    design: Design
    strict: bool
    decision: Decision
    optimized: Sequence[str]
    looks: Sequence[int]
    spending: Spending
    run_word: str
    workers: int


class TestSetInputs(TypedDict, total=False):
    """Texts and scores of a further test set; ``role`` is ``test``, ``dev`` (a tuning set) or ``analysis``."""

    systems: Systems
    references: Texts | Sequence[ReferenceTexts] | None
    source: Texts | None
    documents: Texts | None
    scores: Mapping[str, Scores | FilePath] | None
    role: Role


def metric_keys(metrics: str | Sequence[str], known: Mapping[str, object] = METRICS) -> tuple[str, ...]:
    """Return the keys of metrics named as users do, in a sequence or in one string (``bleu,chrf``)."""
    return tuple(key_of(name, known) for name in named_metrics(metrics, known))


def settings_from(
    settings: Settings | None,
    changed: Keywords,
    loaded: Loaded | None = None,
    metrics: str | Sequence[str] | None = None,
) -> Settings:
    """Return the settings with keywords and metrics; of loaded texts also with their convention and language.

    Without metrics, those of the settings that have their inputs, and all given scores.

    Raises
    ------
    SettingsError
        If a value is out of range.
    """
    values: dict[str, Any] = dict(changed)
    if "looks" in values:
        values["looks"] = tuple(values["looks"])
    if "optimized" in values:
        values["optimized"] = tuple(values["optimized"])
    if loaded is not None and settings is None and values.get("convention") is None:
        values["convention"] = suggest_convention(loaded.experiment).convention
    if settings is None:
        settings = Settings()
    given_metrics: Sequence[GivenMetric] = ()
    if loaded is not None:
        given_metrics = loaded.experiment.given
    settings = with_option_names(replace(settings, **values), catalog(given_metrics))
    if loaded is None:
        return settings
    if metrics is not None:
        keys = metric_keys(metrics, catalog(loaded.experiment.given))
    else:
        given = [metric.key for metric in loaded.experiment.given]
        keys = settings.metrics
        if given:  # texts may be missing
            keys = tuple(key for key in keys if _has_inputs(key, loaded))
        keys += tuple(key for key in given if key not in keys)
    settings = with_optimized(replace(settings, metrics=keys), loaded.experiment)
    return with_language(settings, loaded.experiment)


def _has_inputs(key: str, loaded: Loaded) -> bool:
    """Tell whether a metric can score; imported scores can."""
    if key not in METRICS:
        return True
    return not lacking(METRICS[key].configure("sacrebleu", {}), loaded.experiment)


def reference_set(references: Texts | Sequence[ReferenceTexts] | None, source: Texts | None) -> TestSet:
    """Return a test set without outputs.

    Raises
    ------
    DataError
        If there is neither a reference nor a source, or they differ in length.
    """
    given: TestSetInputs = _with_sequences({"references": references, "source": source}, DEFAULT_TEST_SET)
    reference_lines = []
    if given["references"] is not None:
        reference_lines = [_lines(texts, "reference") for texts in _streams(given["references"])]
    all_lines = list(reference_lines)
    source_lines = None
    if given["source"] is not None:
        lines = _lines(given["source"], "source")
        source_lines = tuple(line or "" for line in lines)
        all_lines.append(lines)
    if not all_lines or len({len(lines) for lines in all_lines}) > 1:
        raise DataError("Pass references or a source, all with the same segments.")
    references_of_segments: list[tuple[str, ...]] = []
    if reference_lines:
        for lines_of_segment in zip(*reference_lines, strict=True):
            references_of_segments.append(tuple(line for line in lines_of_segment if line is not None))
    else:
        references_of_segments += [()] * len(all_lines[0])
    return TestSet(DEFAULT_TEST_SET, tuple(references_of_segments), source=source_lines)


def _lines(texts: ReferenceTexts, role: FileRole) -> tuple[str | None, ...]:
    """Return the lines of one text or file."""
    files = Files()
    files.add(texts, Slot(role, role))
    (document,) = files.documents.values()
    return document.streams[0].lines


@dataclass
class Files:
    """Texts and files of a program, with their roles, while they are gathered."""

    documents: dict[str, Document] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)

    def add(self, texts: ReferenceTexts, slot: Slot) -> None:
        """Add a text or the file at a path; the name of its slot is that of a text."""
        if isinstance(texts, (str, os.PathLike)):
            (document,) = load_documents({Path(texts): None}).values()
        else:
            lines: list[str | None] = []
            for number, text in enumerate(texts, start=1):
                if text is None and slot.role == "reference":  # as in sacreBLEU: this one lacks a segment
                    lines.append(None)
                    continue
                if not isinstance(text, str):
                    message = f"{slot.file}, segment {number} is {text!r} ({type(text).__name__})."
                    raise DataError(f"{message} Expected a string: a run is a list of strings or a path.")
                if "\n" in text:
                    raise DataError(f"{slot.file}, segment {number} contains a line break. Segments are single lines.")
                lines.append(str(text))  # also if it is one of NumPy's
            document = Document(slot.file, "lines", (Stream("", tuple(lines)),))
        self.add_document(document, slot)

    def add_document(self, document: Document, slot: Slot) -> None:
        """Add a file."""
        if self.documents.get(document.name, document) != document:  # e.g. a system named "references"
            document = replace(document, name=free_name(document.name, self.documents.__contains__))
        self.documents[document.name] = document
        for stream in streams_for(document, slot.role):
            name = slot.name or stream.name
            self.slots.append(replace(slot, file=document.name, stream=stream.label, name=name))


def load_values(
    systems: Systems,
    references: Texts | Sequence[ReferenceTexts] | None,
    baseline: str | None,
    source: Texts | None,
    documents: Texts | None,
    *,
    nested: str = "",
    scores: Mapping[str, Scores | FilePath] | None = None,
    lower_is_better: Collection[str] = (),
    test_sets: Mapping[str, TestSetInputs] | None = None,
    samples: int = 1,
    aligns: bool = False,
) -> Loaded:
    """Return the experiment of texts and files; runs are numbered in the order given.

    Raises
    ------
    InputError
        If a file cannot be read or has the wrong contents.
    DataError
        If texts are not strings, or do not match in length.
    SettingsError
        If ``nested`` is not a pattern.
    """
    nested = nested_pattern(nested) if nested else ""
    if not isinstance(systems, Mapping) or not systems:
        raise DataError("No systems given. Pass a mapping from names to lists of runs: {'A': [texts, texts], …}.")
    further = dict(test_sets or {})
    if DEFAULT_TEST_SET in further:
        raise DataError(f"The test set of systems and references is named '{DEFAULT_TEST_SET}'. Rename the other one.")
    first: TestSetInputs = {
        "systems": systems,
        "references": references,
        "source": source,
        "documents": documents,
        "scores": scores,
    }
    inputs_of = {DEFAULT_TEST_SET: _with_sequences(first, DEFAULT_TEST_SET)}
    for name, inputs in further.items():
        inputs_of[name] = _with_sequences(inputs, name)
    files = Files()
    score_names: set[str] = set()
    for name, inputs in inputs_of.items():
        _add_test_set(files, name, inputs, samples)
        score_names.update(map(composed, inputs.get("scores") or ()))

    lower_is_better = list(map(composed, lower_is_better))
    for name in lower_is_better:
        if name not in score_names:
            known = ", ".join(sorted(score_names)) or "none"
            raise DataError(f"lower_is_better names '{name}'. Scores given: {known}.")
    directions = {name: name not in lower_is_better for name in score_names}
    roles = {name: inputs["role"] for name, inputs in further.items() if "role" in inputs}
    loaded_documents = tuple(files.documents.values())
    slots = tuple(files.slots)
    if aligns:
        loaded_documents, slots = realigned(loaded_documents, slots)
    if baseline is None:
        baseline = next(iter(systems))
    edits = Edits(slots, directions, roles, nested=nested)
    assembly = assemble(loaded_documents, edits, baseline, tuple(METRICS))
    return Loaded(assembly.required(), slots, loaded_documents, assembly.problems)


def _with_sequences(inputs: TestSetInputs, name: str) -> TestSetInputs:
    """Return the inputs of a test set with sequences in place of generators, which can be read only once.

    Raises
    ------
    DataError
        If a run or its texts are neither a sequence, a generator nor a path.
    """
    listed = inputs.copy()
    systems = inputs.get("systems")
    if isinstance(systems, Mapping):
        listed["systems"] = {system: _sequences(runs, f"System '{system}'") for system, runs in systems.items()}
    references = inputs.get("references")
    if references is not None:
        listed["references"] = _sequences(references, f"References of test set '{name}'")
    source = inputs.get("source")
    if source is not None:
        listed["source"] = _sequence(source, f"Source of test set '{name}'")
    documents = inputs.get("documents")
    if documents is not None:
        listed["documents"] = _sequence(documents, f"Documents of test set '{name}'")
    return listed


def _sequences(texts: Any, subject: str) -> Any:
    """Return several texts, or the lines of one, as sequences; ``subject`` is for messages."""
    outer = _sequence(texts, subject)
    if isinstance(outer, (str, os.PathLike, np.ndarray)):
        return outer
    sequences = []
    for number, inner in enumerate(outer, start=1):
        if not isinstance(inner, str):  # one text has many lines
            inner = _sequence(inner, f"{subject}, text {number},")
        sequences.append(inner)
    return sequences


def _sequence(texts: Any, subject: str) -> Any:
    """Return the lines of a text as a sequence, or its path."""
    if isinstance(texts, (str, os.PathLike)):
        return texts
    if not isinstance(texts, Iterable) or isinstance(texts, Set | Mapping):
        type_name = type(texts).__name__
        raise DataError(f"{subject} is a {type_name}. Expected a list of strings, one per segment, or a path.")
    if hasattr(texts, "__len__") and hasattr(texts, "__getitem__"):
        return texts
    return list(texts)


def _add_test_set(files: Files, name: str, inputs: TestSetInputs, samples: int) -> None:
    """Add the texts and scores of a test set.

    Raises
    ------
    MtevalError
        If a file cannot be read, or texts do not have the expected form.
    """
    folder = "" if name == DEFAULT_TEST_SET else f"{name}/"
    systems = inputs.get("systems")
    if not systems:
        raise DataError(f"Test set '{name}' has no systems. Pass a mapping from names to lists of runs.")
    references = inputs.get("references")
    streams = [] if references is None else _streams(references)
    first_runs = next(iter(systems.values()))
    _refuse_transposed(f"References of test set '{name}'", streams, _length(first_runs[:1]))
    for number, texts in enumerate(streams, start=1):
        files.add(texts, Slot(f"{folder}references/{number}.txt", "reference", test_set=name))
    for system, runs in systems.items():
        _check_runs(system, runs, _length(streams[:1]), samples)
        for run, texts in zip(run_names(len(runs), samples), runs, strict=True):
            _check_path(system, texts)
            files.add(texts, Slot(f"{folder}{system}/{run}.txt", "hypothesis", system, run, name))
    source = inputs.get("source")
    if source is not None:
        files.add(source, Slot(f"{folder}source.txt", "source", test_set=name))
    documents = inputs.get("documents")
    if documents is not None:
        files.add(documents, Slot(f"{folder}documents.txt", "documents", test_set=name))
    for metric, scores in (inputs.get("scores") or {}).items():
        slot = Slot("", "scores", name=metric, test_set=name)
        if isinstance(scores, (str, os.PathLike)):
            files.add(scores, slot)
        else:
            files.add_document(_score_document(metric, scores, folder), slot)


def _check_runs(system: str, runs: Sequence[Texts], n_segments: int | None, samples: int) -> None:
    """Raise ``DataError`` unless there is one text per run and sample."""
    if isinstance(runs, (str, os.PathLike)):
        raise DataError(f"System '{system}' is a single path. Pass a list of runs: ['{runs}'].")
    if not len(runs):
        raise DataError(f"System '{system}' has no runs. Pass one text or file per run.")
    _refuse_transposed(f"System '{system}'", runs, n_segments)
    if samples < 1 or len(runs) % samples:
        n_texts = counted(len(runs), "text")
        raise DataError(f"System '{system}' has {n_texts}, not a multiple of {samples} samples per run.")


def _check_path(system: str, texts: Texts) -> None:
    """Raise ``DataError`` if a run is a sentence: somebody passed a list of segments instead of one of runs."""
    if isinstance(texts, str) and " " in texts and not Path(texts).exists():
        raise DataError(f"System '{system}': no such file: '{texts[:40]}…'. A run is a list of strings or a path.")


def _length(texts: Sequence[ReferenceTexts]) -> int | None:
    """Return the number of segments of the first text; None if it is a file or there is none."""
    if not len(texts) or isinstance(texts[0], (str, os.PathLike)):
        return None
    return len(texts[0])


def _refuse_transposed(subject: str, texts: Sequence[ReferenceTexts], n_segments: int | None) -> None:
    """Raise ``DataError`` if there is one text per segment instead of one per run or reference.

    Parameters
    ----------
    n_segments
        Segments of the other texts; None if unknown.
    """
    length = _length(texts[:1])
    if n_segments is None or n_segments < 2 or length in (None, n_segments) or len(texts) != n_segments:
        return
    raise DataError(
        f"{subject}: {counted(len(texts), 'text')} of {counted(length or 0, 'segment')}, expected"
        f" {counted(n_segments, 'segment')}. This looks transposed. Pass one list of all segments per run or reference."
    )


def load_scored(
    systems: Scores | FilePath | Sequence[FilePath],
    name: str,
    higher_is_better: bool,
    lower_is_better: Collection[str],
    baseline: str | None,
    documents: Sequence[str] | None,
) -> Loaded:
    """Return the experiment of given scores, or of logs of another program.

    Raises
    ------
    MtevalError
        If systems have different numbers of items, the baseline is unknown, a file is named and cannot be read, or
        documents are given with logs, which name them.
    """
    if isinstance(systems, Mapping):
        document = _score_document(name, systems)
        if baseline is not None and composed(baseline) not in map(composed, map(str, systems)):
            raise DataError(f"Baseline '{baseline}' is not one of the systems: {', '.join(map(str, systems))}.")
        return experiment_of_scores([document], {name: higher_is_better}, documents, baseline, tuple(METRICS))
    if documents is not None:
        raise DataError("Documents cannot be given with logs. Pass arrays, or a table with a column document.")
    paths = [systems] if isinstance(systems, (str, os.PathLike)) else systems
    files = [Path(path) for path in paths]
    if higher_is_better:
        scores = ScoreFiles(files, (), METRICS, lower_is_better)
    else:
        scores = ScoreFiles((), files, METRICS, lower_is_better)
    return load_told_apart(files, baseline, scores)


def _score_document(name: str, systems: Scores, folder: str = "") -> Document:
    """Return scores as a table, so that the experiment can be written to files.

    Raises
    ------
    DataError
        If scores are not numbers, or systems have different numbers of items.
    """
    columns = []
    for system, runs in systems.items():
        for run, values in enumerate(_array(system, runs).tolist()):
            columns.append(ScoreColumn(system, str(run), missing_as_none(values)))
    counts = {column.system: len(column.values) for column in columns}
    if len(set(counts.values())) > 1:
        raise DataError(
            f"Systems have different numbers of items: {counts}. Pass scores of the same items, in the same order."
        )
    rows = []
    for column in columns:
        for item, value in enumerate(column.values, start=1):
            rows.append((column.system, column.run, item, "" if value is None else repr(value)))
    text = frame_tsv(pd.DataFrame(rows, columns=["system", "run", "segment", "score"], dtype=object))
    stream = Stream("", (), "scores", name=name, scores=tuple(columns))
    return Document(f"{folder}{name}.tsv", "table", (stream,), original=zlib.compress(text.encode()))


def _array(system: str, runs: object) -> npt.NDArray[np.float64]:
    """Return scores as an array, shape ``(runs, items)``.

    Raises
    ------
    DataError
        If they are not numbers in that shape, or look transposed.
    """
    try:
        array = np.asarray(runs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Scores of system '{system}' are not an array of numbers: {error}.") from error
    if array.ndim != 2 or not array.size:
        raise DataError(f"Scores of system '{system}' have shape {array.shape}. Expected (runs, items).")
    n_runs, n_items = array.shape
    if n_runs > max(n_items, MOST_PLAUSIBLE_RUNS):
        raise DataError(
            f"Scores of system '{system}' are {counted(n_runs, 'run')} of {counted(n_items, 'item')}. They look"
            " transposed: expected shape (runs, items)."
        )
    return array


def _streams(references: Texts | Sequence[ReferenceTexts]) -> Sequence[ReferenceTexts]:
    """Return a list of reference streams, of one stream or several; a list of names of files is several."""
    if isinstance(references, (str, os.PathLike)):
        return [references]
    if len(references) and not isinstance(references[0], str):
        return references  # type: ignore[return-value]  # a list of lists or of paths
    lines = [str(line) for line in references]
    if lines and all(_is_file(line) for line in lines):
        return lines
    return [references]  # type: ignore[list-item]  # texts


def _is_file(line: str) -> bool:
    """Tell whether a text of one line is the name of a file."""
    return len(line) < LONGEST_NAME and "\n" not in line and Path(line).is_file()
