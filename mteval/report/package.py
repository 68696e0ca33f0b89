"""A report as files: the experiment with its inputs, tables, figures, the page, and provided scores as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.answers.methods import methods_text
from mteval.base.errors import DataError, MissingDependencyError
from mteval.base.safe_paths import SafePaths
from mteval.base.words import visible
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME, Document, InputFile, Slot
from mteval.readers.experiment_file import describe, experiment_toml
from mteval.readers.formats.text import PLAIN, original
from mteval.readers.formats.uploads import unpack
from mteval.readers.names import shared_length
from mteval.render.bundle import MANIFEST, manifest, placed, safe_files, zipped
from mteval.render.frames import frame_csv
from mteval.report.numbers import FRAMES, OPTIONAL, VERDICTS, excel, frames_of, overview_numbers
from mteval.report.numbers import json as numbers_json
from mteval.report.page import Further, html_report, people_frames, people_json, report_figures
from mteval.report.paper_table import LatexChoice, latex
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import spans_in_json
from mteval.values.settings import Settings

COLUMNS = ("system", "run", "score")
Place = tuple[str, str]  # key of the metric, name of the test set

# Folders of the package
INPUTS = "inputs"
SCORES = "scores"
FIGURES = "figures"
PEOPLE = "people"
# The files of each kind; how many figures and inputs there are depends on the report
KINDS: Mapping[str, tuple[str, ...]] = {
    "html": ("report.html",),
    "latex": ("table.tex",),
    "csv": ("table.csv", *(f"{name}.csv" for name in (*FRAMES, VERDICTS, *OPTIONAL))),
    "excel": ("numbers.xlsx",),
    "json": ("numbers.json",),
    "methods": ("methods.txt",),
    FIGURES: (),
    "experiment": (),
}


def given_tables(metrics: Iterable[GivenMetric]) -> dict[Place, str]:
    """Return one table per metric and test set: one row per segment, run by run."""
    return {(metric.key, test_set): frame_csv(_frame(metric, test_set)) for metric, test_set in _places(metrics)}


def score_table(metrics: Iterable[GivenMetric]) -> str:
    """Return the scores of all metrics in one table, which names the metric of each row.

    It names test sets if there are several. One test set can have different names where the scores are made and where
    they are read, e.g. if the files were named in different ways.
    """
    places = _places(metrics)
    has_test_sets = len({test_set for _, test_set in places}) > 1
    frames: list[pd.DataFrame] = []
    for metric, test_set in places:
        frame = _frame(metric, test_set)
        frame.insert(0, "metric", metric.name)
        if has_test_sets:
            frame.insert(0, "test_set", test_set)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return frame_csv(table.fillna(""))  # a column of spans that only one metric has


def _places(metrics: Iterable[GivenMetric]) -> list[tuple[GivenMetric, str]]:
    """Return each metric with each test set on which it has scores."""
    return list(dict.fromkeys((metric, scores.test_set) for metric in metrics for scores in metric.scores))


def _frame(metric: GivenMetric, test_set: str) -> pd.DataFrame:
    """Return scores with all their digits (empty if there is none), judgements, deviations and spans."""
    runs = [scores for scores in metric.scores if scores.test_set == test_set]
    further = [name for name, cells_of in _FURTHER.items() if any(cells_of(scores) for scores in runs)]
    rows: list[tuple[str, ...]] = []
    for scores in runs:
        columns: list[Sequence[str]] = [_numbers(scores.values)]
        for name in further:
            cells = _FURTHER[name](scores)
            if not cells:  # other runs have this column
                cells = ("",) * len(scores.values)
            columns.append(cells)
        for row in zip(*columns, strict=True):
            rows.append((scores.system, scores.run, *row))
    return pd.DataFrame(rows, columns=[*COLUMNS, *further], dtype=object)


def _numbers(values: Iterable[float | None]) -> tuple[str, ...]:
    return tuple("" if value is None else repr(value) for value in values)


def _judgements(scores: GivenScores) -> Sequence[str]:
    """Return the number of judgements behind each score."""
    if scores.judgements is None:
        return ()
    return [str(number) for number in scores.judgements]


def _deviations(scores: GivenScores) -> Sequence[str]:
    if scores.deviations is None:
        return ()
    return _numbers(scores.deviations)


def _spans(scores: GivenScores) -> Sequence[str]:
    if scores.spans is None:
        return ()
    return ["" if spans is None else json.dumps(spans_in_json(spans)) for spans in scores.spans]


# Cells of a run in further columns; empty if unknown
_FURTHER: Mapping[str, Callable[[GivenScores], Sequence[str]]] = {
    "judgements": _judgements,
    "deviation": _deviations,
    "spans": _spans,
}


@dataclass(frozen=True)
class Package:
    """Files by path, and messages on what could not be made.

    Paths stay below the package's folder and differ on any file system, whatever names the files come with.
    """

    files: Mapping[str, bytes]
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", safe_files(self.files, (MANIFEST,)))

    def zipped(self, results: Results) -> bytes:
        """Return one archive with a manifest."""
        return zipped(self._with_manifest(results))

    def placed(self, place: Path, results: Results) -> dict[Path, bytes]:
        """Return the files to write, with a manifest: one archive if the place ends in ``.zip``, else a folder."""
        return placed(place, self._with_manifest(results))

    def _with_manifest(self, results: Results) -> dict[str, bytes]:
        """Return the files before a manifest with size and SHA-256 of each, versions, and what is missing."""
        header = {"versions": dict(results.evaluation.versions), "missing": list(self.missing)}
        return {**self.files, MANIFEST: manifest(self.files, header)}  # last: it says that all is there


def written_files(results: Results, choice: LatexChoice, further: Further = ()) -> Mapping[str, Callable[[], bytes]]:
    """Return functions that make the files from the numbers alone, by name."""

    def methods() -> str:
        return visible(methods_text(results)) + "\n"

    def table() -> str:
        return frame_csv(overview_numbers(results))

    texts: dict[str, Callable[[], str]] = {
        "report.html": partial(html_report, results, further),
        "table.tex": partial(latex, results, choice),
        "table.csv": table,
        "numbers.json": partial(numbers_json, results.evaluation),
        "methods.txt": methods,
    }
    for name, frame in frames_of(results.evaluation).items():
        texts[f"{name}.csv"] = partial(frame_csv, frame)
    files = {name: partial(_encoded, write) for name, write in texts.items()}
    files["numbers.xlsx"] = partial(excel, results)
    return files


def _encoded(write: Callable[[], str]) -> bytes:
    return write().encode("utf-8")


def figure_files(results: Results, formats: Sequence[str] = ("svg", "png")) -> Package:
    """Return the figures in some formats; without Plotly or a browser, none and the reason."""
    try:
        drawn = figures.images.images(report_figures(results), formats)
    except MissingDependencyError as error:
        return Package({}, (str(error),))
    return Package({f"{FIGURES}/{name}": content for name, content in drawn.items()})


def packed_inputs(loaded: Loaded, settings: Settings) -> dict[str, bytes]:
    """Return ``experiment.toml`` and the files that it names."""
    slots = [slot for slot in loaded.slots if slot.role != "scores"]  # scores are written as they were understood
    names_used = {slot.file for slot in slots}
    documents = [document for document in loaded.documents if document.name in names_used]
    tables = given_tables(loaded.experiment.given)

    paths = SafePaths((FILE_NAME, MANIFEST))  # a second experiment.toml, in any folder, would make the first unreadable
    path_of = {}
    for document, path in zip(documents, _short_paths(documents), strict=True):
        path_of[document.name] = paths.free(path)
    path_of_scores = {place: paths.free(f"{SCORES}/{'.'.join(place)}.csv") for place in tables}

    moved_slots = slots_under(path_of, slots, documents)
    description = describe(loaded.experiment, moved_slots, settings, str, path_of_scores)
    files = {FILE_NAME: experiment_toml(description).encode("utf-8")}
    for document in documents:
        files[path_of[document.name]] = original(document)
    for place, table in tables.items():
        files[path_of_scores[place]] = table.encode("utf-8")
    return files


def everything(
    results: Results,
    loaded: Loaded,
    choice: LatexChoice,
    kinds: Collection[str] = tuple(KINDS),
    further: Further = (),
) -> Package:
    """Return the files of a report, of all ``KINDS`` or some; ``loaded`` is what the results were computed from."""
    drawn = Package({})
    if FIGURES in kinds:
        drawn = figure_files(results)
    files: dict[str, bytes] = {}
    if "experiment" in kinds:
        files.update(packed_inputs(loaded, results.settings))
    wanted = {name for kind in kinds for name in KINDS[kind]}
    for name, write in written_files(results, choice, further).items():
        if name in wanted:
            files[name] = write()
    files.update(_people_files(results, kinds))
    files.update(drawn.files)
    return Package(files, drawn.missing)


def _people_files(results: Results, kinds: Collection[str]) -> dict[str, bytes]:
    """Return the tables about people, as ``mteval people`` writes them; nothing without judgements."""
    if results.people is None:
        return {}
    files = {}
    if "csv" in kinds:
        for name, frame in people_frames(results.people).items():
            files[f"{PEOPLE}/{name}.csv"] = frame_csv(frame).encode("utf-8")
    if "json" in kinds:
        files[f"{PEOPLE}.json"] = people_json(results.people).encode("utf-8")
    return files


def _short_paths(documents: Sequence[Document]) -> list[str]:
    """Return the wanted path of each input in the package: its name without the folders that all share."""
    parts_of_names = [document.name.split("/") for document in documents]
    n_shared = shared_length([parts[:-1] for parts in parts_of_names])
    return ["/".join([INPUTS, *parts[n_shared:]]) for parts in parts_of_names]


def slots_under(path_of: Mapping[str, str], slots: Iterable[Slot], documents: Iterable[Document]) -> list[Slot]:
    """Return slots when the files of their documents have other paths.

    Raises
    ------
    DataError
        If texts would be read differently.
    """
    new_label_of: dict[tuple[str, str], str] = {}
    for document in documents:
        moved = read_under(path_of[document.name], document)
        for stream, moved_stream in zip(document.streams, moved.streams, strict=True):
            new_label_of[document.name, stream.label] = moved_stream.label
    moved_slots = []
    for slot in slots:
        label = new_label_of[slot.file, slot.stream]
        moved_slots.append(replace(slot, file=path_of[slot.file], stream=label))
    return moved_slots


def read_under(path: str, document: Document) -> Document:
    """Return a document as it is read when its file has another path.

    Some formats name a stream after their file, and texts of a program may look like a format when they come from one.

    Raises
    ------
    DataError
        If its texts would be read differently.
    """
    keeps_its_name = path.rpartition("/")[2] == document.name.rpartition("/")[2]
    if keeps_its_name and document.format not in PLAIN:
        return replace(document, name=path)
    read_documents, problems = unpack([InputFile(path, original(document))])
    texts = [stream.lines for stream in document.streams]
    for read_document in read_documents:
        if [stream.lines for stream in read_document.streams] == texts:
            return read_document

    reasons = [f"They look like another format ({read_document.format})." for read_document in read_documents]
    reasons += [problem.message for problem in problems if problem.severity == "error"]
    raise DataError(
        f"The texts of '{document.name}' cannot be saved, since they would be read back as others."
        f" {' '.join(reasons)} Change the first line, or write them to a JSON lines file and load that."
    )
