"""Turn texts, paths and arrays of a program into an experiment."""

import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mteval.base.errors import DataError
from mteval.base.words import free_name
from mteval.metrics import METRICS
from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.nesting import nested_pattern
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import Document, ScoreColumn, Slot, Stream
from mteval.readers.named_files import experiment_of_scores

Texts = str | os.PathLike[str] | Sequence[str] | npt.NDArray[np.str_]
"""One string per segment, or the path of a text file with one segment per line."""
Scores = Mapping[str, npt.ArrayLike]
"""Scores of each system, shape ``(runs, items)``."""
Systems = Mapping[str, Sequence[Texts]]
"""Runs of each system."""


def load_values(
    systems: Systems,
    references: Texts | Sequence[Texts] | None,
    baseline: str | None,
    source: Texts | None,
    documents: Texts | None,
    nested: str = "",
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
    streams = enumerate([] if references is None else _streams(references), start=1)
    wanted: list[tuple[Texts, Slot]] = [(texts, Slot(f"references/{n}.txt", "reference")) for n, texts in streams]
    for system, runs in systems.items():
        if isinstance(runs, (str, os.PathLike)):
            raise DataError(f"System '{system}' is a single path. Pass a list of runs: ['{runs}'].")
        if not len(runs):
            raise DataError(f"System '{system}' has no runs. Pass one text or file per run.")
        for n, texts in enumerate(runs):
            wanted.append((texts, Slot(f"{system}/{n}.txt", "hypothesis", system, str(n))))
    wanted += [(source, Slot("source.txt", "source"))] if source is not None else []
    wanted += [(documents, Slot("documents.txt", "documents"))] if documents is not None else []
    files: dict[str, Document] = {}
    slots: list[Slot] = []
    for texts, slot in wanted:
        if isinstance(texts, (str, os.PathLike)):
            (document,) = load_documents({Path(texts): None}).values()
        else:
            document = _written(texts, slot.file)
        if files.get(document.name, document) != document:  # e.g. a system named "references"
            document = replace(document, name=free_name(document.name, files.__contains__))
        files[document.name] = document
        for stream in streams_for(document, slot.role):
            slots.append(replace(slot, file=document.name, stream=stream.label, name=stream.name))
    baseline = next(iter(systems)) if baseline is None else baseline
    assembly = assemble(tuple(files.values()), tuple(slots), baseline, reserved=tuple(METRICS), nested=nested)
    return Loaded(assembly.required(), tuple(slots), tuple(files.values()), assembly.problems)


def load_given(
    systems: Scores, name: str, higher_is_better: bool, baseline: str | None, documents: Sequence[str] | None
) -> Loaded:
    """Return the experiment of given scores.

    Raises
    ------
    MtevalError
        If systems have different numbers of items, or the baseline is unknown.
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
    if baseline is not None and baseline not in counts:
        raise DataError(f"Baseline '{baseline}' is not one of the systems: {', '.join(map(str, counts))}.")
    rows = (  # of a table, so that the experiment can be written to files
        f"{one.system}\t{one.run}\t{item}\t{'' if value is None else repr(value)}"
        for one in columns
        for item, value in enumerate(one.values, start=1)
    )
    text = "\n".join(["system\trun\tsegment\tscore", *rows])
    document = Document(
        f"{name}.tsv", "table", (Stream("", (), "scores", name=name, scores=tuple(columns)),),
        original=zlib.compress(f"{text}\n".encode()),
    )  # fmt: skip
    return experiment_of_scores([document], {name: higher_is_better}, documents, baseline, tuple(METRICS))


def _array(system: str, runs: object) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(runs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Scores of system '{system}' are not an array of numbers: {error}.") from error
    if array.ndim != 2 or not array.size:
        raise DataError(f"Scores of system '{system}' have shape {array.shape}. Expected (runs, items).")
    return array


def _streams(references: Texts | Sequence[Texts]) -> Sequence[Texts]:
    """Return a list of reference streams, of one stream or several."""
    if isinstance(references, (str, os.PathLike)):
        return [references]
    if len(references) and not isinstance(references[0], str):
        return references  # type: ignore[return-value]  # a list of lists or of paths
    return [references]  # type: ignore[list-item]  # texts


def _written(texts: Any, name: str) -> Document:
    """Return texts as a file of lines."""
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            message = f"{name}, segment {number} is {text!r} ({type(text).__name__})."
            raise DataError(f"{message} Expected a string: a run is a list of strings or a path.")
        if "\n" in text:
            raise DataError(f"{name}, segment {number} contains a line break. Segments are single lines.")
    return Document(name, "lines", (Stream("", tuple(str(text) for text in texts)),))
