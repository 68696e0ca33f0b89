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
from mteval.base.words import counted, free_name
from mteval.metrics import METRICS, catalog, lacking, named_metrics, with_language
from mteval.metrics.base import OptionValue
from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.realignment import realigned
from mteval.readers.assembly.test_sets import nested_pattern
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import Document, Edits, ScoreColumn, Slot, Stream
from mteval.readers.named_files import ScoreFiles, experiment_of_scores
from mteval.readers.names import DEFAULT_TEST_SET, run_names
from mteval.readers.workspace import load_told_apart
from mteval.render.frames import frame_tsv
from mteval.values.model import Role, TestSet
from mteval.values.settings import Convention, Decision, Design, ExchangeUnit, Settings, Spending

FilePath = str | os.PathLike[str]
Texts = FilePath | Sequence[str] | npt.NDArray[np.str_]
"""One string per segment, or the path of a text file with one segment per line."""
Scores = Mapping[str, npt.ArrayLike]
"""Scores of each system, shape ``(runs, items)``."""
Systems = Mapping[str, Sequence[Texts]]
"""Runs of each system."""


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
    looks: Sequence[int]
    spending: Spending
    run_word: str
    workers: int


class TestSetInputs(TypedDict, total=False):
    """Texts and scores of a further test set; ``role`` is ``test``, ``dev`` (a tuning set) or ``analysis``."""

    systems: Systems
    references: Texts | Sequence[Texts] | None
    source: Texts | None
    documents: Texts | None
    scores: Mapping[str, Scores | FilePath] | None
    role: Role


def metric_keys(metrics: str | Sequence[str], known: Mapping[str, object] = METRICS) -> tuple[str, ...]:
    """Return the keys of metrics named in any case, in a sequence or in one string (``bleu,chrf``)."""
    return tuple(name.lower() if name.lower() in known else name for name in named_metrics(metrics, known))


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
    if loaded is not None and settings is None and values.get("convention") is None:
        values["convention"] = suggest_convention(loaded.experiment).convention
    settings = replace(settings or Settings(), **values)
    if loaded is None:
        return settings
    given = [metric.key for metric in loaded.experiment.given]
    if metrics is None:
        keys = tuple(key for key in settings.metrics if not given or _has_inputs(key, loaded))
        keys += tuple(key for key in given if key not in keys)
    else:
        keys = metric_keys(metrics, catalog(loaded.experiment.given))
    return with_language(replace(settings, metrics=keys), loaded.experiment)


def _has_inputs(key: str, loaded: Loaded) -> bool:
    return key not in METRICS or not lacking(METRICS[key].configure("sacrebleu", {}), loaded.experiment)


def reference_set(references: Texts | Sequence[Texts] | None, source: Texts | None) -> TestSet:
    """Return a test set without outputs.

    Raises
    ------
    DataError
        If there is neither a reference nor a source, or they differ in length.
    """
    given: TestSetInputs = _with_sequences({"references": references, "source": source}, DEFAULT_TEST_SET)
    references, source = given["references"], given["source"]
    streams = [] if references is None else [_lines(texts, "references") for texts in _streams(references)]
    sources = None if source is None else _lines(source, "source")
    every = [*streams, *([] if sources is None else [sources])]
    if not every or len({len(lines) for lines in every}) > 1:
        raise DataError("Pass references or a source, all with the same segments.")
    rows = tuple(zip(*streams, strict=True)) if streams else ((),) * len(every[0])
    return TestSet(DEFAULT_TEST_SET, rows, source=sources)


def _lines(texts: Texts, name: str) -> tuple[str, ...]:
    files = Files()
    files.add(texts, Slot(name, "reference"))
    (document,) = files.documents.values()
    return tuple(line or "" for line in document.streams[0].lines)


@dataclass
class Files:
    """Texts and files of a program, with their roles, while they are gathered."""

    documents: dict[str, Document] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)

    def add(self, texts: Texts, slot: Slot) -> None:
        """Add a text or the file at a path; the name of its slot is that of a text."""
        if isinstance(texts, (str, os.PathLike)):
            (document,) = load_documents({Path(texts): None}).values()
        else:
            for number, text in enumerate(texts, start=1):
                if not isinstance(text, str):
                    message = f"{slot.file}, segment {number} is {text!r} ({type(text).__name__})."
                    raise DataError(f"{message} Expected a string: a run is a list of strings or a path.")
                if "\n" in text:
                    raise DataError(f"{slot.file}, segment {number} contains a line break. Segments are single lines.")
            document = Document(slot.file, "lines", (Stream("", tuple(str(text) for text in texts)),))
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
    references: Texts | Sequence[Texts] | None,
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
    files, further = Files(), dict(test_sets or {})
    if DEFAULT_TEST_SET in further:
        raise DataError(f"The test set of systems and references is named '{DEFAULT_TEST_SET}'. Rename the other one.")
    first: TestSetInputs = {
        "systems": systems, "references": references, "source": source, "documents": documents, "scores": scores
    }  # fmt: skip
    every = {name: _with_sequences(inputs, name) for name, inputs in {DEFAULT_TEST_SET: first, **further}.items()}
    for name, inputs in every.items():
        _add_test_set(files, name, inputs, samples)
    given = {name for inputs in every.values() for name in inputs.get("scores") or ()}
    baseline = next(iter(systems)) if baseline is None else baseline
    roles = {name: inputs["role"] for name, inputs in further.items() if "role" in inputs}
    if unknown := [name for name in lower_is_better if name not in given]:
        raise DataError(f"lower_is_better names '{unknown[0]}'. Scores given: {', '.join(sorted(given)) or 'none'}.")
    directions = {name: name not in lower_is_better for name in given}
    loaded, slots = tuple(files.documents.values()), tuple(files.slots)
    if aligns:
        loaded, slots = realigned(loaded, slots)
    assembly = assemble(loaded, Edits(slots, directions, roles, nested=nested), baseline, tuple(METRICS))
    return Loaded(assembly.required(), slots, loaded, assembly.problems)


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


def _sequences(texts: Any, what: str) -> Any:
    """Return several texts, or the lines of one, as sequences."""
    outer = _sequence(texts, what)
    if isinstance(outer, (str, os.PathLike, np.ndarray)):
        return outer
    return [_sequence(inner, f"{what}, text {number},") for number, inner in enumerate(outer, start=1)]


def _sequence(texts: Any, what: str) -> Any:
    if isinstance(texts, (str, os.PathLike)):
        return texts
    if not isinstance(texts, Iterable) or isinstance(texts, Set | Mapping):
        message = f"{what} is a {type(texts).__name__}. Expected a list of strings, one per segment, or a path."
        raise DataError(message)
    return texts if hasattr(texts, "__len__") and hasattr(texts, "__getitem__") else list(texts)


def _add_test_set(files: Files, name: str, inputs: TestSetInputs, samples: int) -> None:
    folder = "" if name == DEFAULT_TEST_SET else f"{name}/"
    systems, references = inputs.get("systems"), inputs.get("references")
    if not systems:
        raise DataError(f"Test set '{name}' has no systems. Pass a mapping from names to lists of runs.")
    streams = [] if references is None else _streams(references)
    _refuse_transposed(f"References of test set '{name}'", streams, _length(next(iter(systems.values()))[:1]))
    for n, texts in enumerate(streams, start=1):
        files.add(texts, Slot(f"{folder}references/{n}.txt", "reference", test_set=name))
    for system, runs in systems.items():
        if isinstance(runs, (str, os.PathLike)):
            raise DataError(f"System '{system}' is a single path. Pass a list of runs: ['{runs}'].")
        if not len(runs):
            raise DataError(f"System '{system}' has no runs. Pass one text or file per run.")
        _refuse_transposed(f"System '{system}'", runs, _length(streams[:1]))
        if samples < 1 or len(runs) % samples:
            found = counted(len(runs), "text")
            raise DataError(f"System '{system}' has {found}, not a multiple of {samples} samples per run.")
        for run, texts in zip(run_names(len(runs), samples), runs, strict=True):
            if isinstance(texts, str) and " " in texts and not Path(texts).exists():
                raise DataError(
                    f"System '{system}': no such file: '{texts[:40]}…'. A run is a list of strings or a path."
                )
            files.add(texts, Slot(f"{folder}{system}/{run}.txt", "hypothesis", system, run, name))
    if (source := inputs.get("source")) is not None:
        files.add(source, Slot(f"{folder}source.txt", "source", test_set=name))
    if (documents := inputs.get("documents")) is not None:
        files.add(documents, Slot(f"{folder}documents.txt", "documents", test_set=name))
    for metric, scores in (inputs.get("scores") or {}).items():
        slot = Slot("", "scores", name=metric, test_set=name)
        if isinstance(scores, (str, os.PathLike)):
            files.add(scores, slot)
        else:
            files.add_document(_score_document(metric, scores, folder), slot)


def _length(texts: Sequence[Texts]) -> int | None:
    """Return the number of segments of the first text; None if it is a file or there is none."""
    return None if not len(texts) or isinstance(texts[0], (str, os.PathLike)) else len(texts[0])


def _refuse_transposed(what: str, texts: Sequence[Texts], n_segments: int | None) -> None:
    """Raise ``DataError`` if there is one text per segment instead of one per run or reference."""
    found = _length(texts[:1])
    if n_segments is None or n_segments < 2 or found in (None, n_segments) or len(texts) != n_segments:
        return
    raise DataError(
        f"{what}: {counted(len(texts), 'text')} of {counted(found or 0, 'segment')}, expected"
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
        if baseline is not None and baseline not in systems:
            raise DataError(f"Baseline '{baseline}' is not one of the systems: {', '.join(map(str, systems))}.")
        return experiment_of_scores([document], {name: higher_is_better}, documents, baseline, tuple(METRICS))
    if documents is not None:
        raise DataError("Documents cannot be given with logs. Pass arrays, or a table with a column document.")
    files = [Path(one) for one in ([systems] if isinstance(systems, (str, os.PathLike)) else systems)]
    higher, lower = (files, ()) if higher_is_better else ((), files)
    return load_told_apart(files, baseline, ScoreFiles(higher, lower, METRICS, lower_is_better))


def _score_document(name: str, systems: Scores, folder: str = "") -> Document:
    """Return scores as a table, so that the experiment can be written to files.

    Raises
    ------
    DataError
        If scores are not numbers, or systems have different numbers of items.
    """
    columns = [
        ScoreColumn(system, str(run), tuple(None if value != value else value for value in values))
        for system, runs in systems.items()
        for run, values in enumerate(_array(system, runs).tolist())
    ]
    counts = {column.system: len(column.values) for column in columns}
    if len(set(counts.values())) > 1:
        message = f"Systems have different numbers of items: {counts}."
        raise DataError(f"{message} Pass scores of the same items, in the same order.")
    rows = [
        (one.system, one.run, item, "" if value is None else repr(value))
        for one in columns
        for item, value in enumerate(one.values, start=1)
    ]
    text = frame_tsv(pd.DataFrame(rows, columns=["system", "run", "segment", "score"], dtype=object))
    stream = Stream("", (), "scores", name=name, scores=tuple(columns))
    return Document(f"{folder}{name}.tsv", "table", (stream,), original=zlib.compress(text.encode()))


def _array(system: str, runs: object) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(runs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Scores of system '{system}' are not an array of numbers: {error}.") from error
    if array.ndim != 2 or not array.size:
        raise DataError(f"Scores of system '{system}' have shape {array.shape}. Expected (runs, items).")
    n_runs, n_items = array.shape
    if n_runs > max(n_items, 20):  # more runs than items are a transposed array from here on
        raise DataError(
            f"Scores of system '{system}' are {counted(n_runs, 'run')} of {counted(n_items, 'item')}. They look"
            " transposed: expected shape (runs, items)."
        )
    return array


def _streams(references: Texts | Sequence[Texts]) -> Sequence[Texts]:
    """Return a list of reference streams, of one stream or several; a list of names of files is several."""
    if isinstance(references, (str, os.PathLike)):
        return [references]
    if len(references) and not isinstance(references[0], str):
        return references  # type: ignore[return-value]  # a list of lists or of paths
    names = [str(one) for one in references]
    if names and all(len(name) < LONGEST_NAME and "\n" not in name and Path(name).is_file() for name in names):
        return names
    return [references]  # type: ignore[list-item]  # texts


LONGEST_NAME = 250  # a longer text is no file name
