"""Everything of a report as files: the experiment with its inputs, the tables, the figures, the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from mteval.analysis.results import Results
from mteval.errors import MissingDependencyError
from mteval.export.bundle import MANIFEST, manifest, safe_paths, zipped
from mteval.export.given_scores import given_tables
from mteval.export.images import FORMATS, images
from mteval.export.tables import frame_csv
from mteval.readers import Document, Slot
from mteval.readers.disk import Loaded
from mteval.readers.experiment_file.contents import FILE_NAME
from mteval.readers.experiment_file.record import describe, experiment_toml
from mteval.readers.formats.kept_files import original
from mteval.reporting.figures import report_figures
from mteval.reporting.page import html_report
from mteval.reporting.people import people_frames, people_json
from mteval.reporting.texts import FRAMES, OPTIONAL, LatexChoice, csv, excel, frames_of, json, latex, methods_text
from mteval.settings import Settings

INPUTS = "inputs"
SCORES = "scores"
FIGURES = "figures"
PEOPLE = "people"
KINDS: Mapping[str, tuple[str, ...]] = {
    "html": ("report.html",),
    "latex": ("table.tex",),
    "csv": ("table.csv", *(f"{name}.csv" for name in (*FRAMES, *OPTIONAL))),
    "excel": ("numbers.xlsx",),
    "json": ("numbers.json",),
    "methods": ("methods.txt",),
    FIGURES: (),  # their number depends on the report
    "experiment": (),  # so does that of the inputs
}


@dataclass(frozen=True)
class Package:
    """Files by path, and what could not be made, in words."""

    files: Mapping[str, bytes]
    missing: tuple[str, ...] = ()

    def zipped(self, results: Results) -> bytes:
        """One archive with a manifest."""
        return zipped(self._with_manifest(results))

    def placed(self, place: Path, results: Results) -> dict[Path, bytes]:
        """What is to be written where, with a manifest: one archive if the place ends in ``.zip``, else a folder."""
        if place.suffix == ".zip":
            return {place: self.zipped(results)}
        return {place / name: content for name, content in self._with_manifest(results).items()}

    def _with_manifest(self, results: Results) -> dict[str, bytes]:
        """First the size and SHA-256 of each file, versions, and what is missing."""
        about = {"versions": dict(results.evaluation.versions), "missing": list(self.missing)}
        return {MANIFEST: manifest(self.files, about), **self.files}


def written_files(results: Results, choice: LatexChoice) -> dict[str, Callable[[], bytes]]:
    """What is written from the numbers alone, by name; each is made when called."""
    texts: dict[str, Callable[[], str]] = {
        "report.html": lambda: html_report(results),
        "table.tex": lambda: latex(results, choice),
        "table.csv": lambda: csv(results),
        "numbers.json": lambda: json(results.evaluation),
        "methods.txt": lambda: methods_text(results) + "\n",
    }
    frames = {f"{name}.csv": _frame_writer(frame) for name, frame in frames_of(results.evaluation).items()}
    encoded = {name: _encoder(write) for name, write in {**texts, **frames}.items()}
    return {**encoded, "numbers.xlsx": lambda: excel(results)}


def figure_files(results: Results, formats: Sequence[str] = FORMATS) -> Package:
    """The figures in some formats; none, and the reason, where no browser is there to draw them."""
    try:
        drawn = images(report_figures(results), formats)
    except MissingDependencyError as error:
        return Package({}, (str(error),))
    return Package({f"{FIGURES}/{name}": content for name, content in drawn.items()})


def packed_inputs(loaded: Loaded, settings: Settings) -> dict[str, bytes]:
    """``experiment.toml`` and, in a folder beside it, the files that it names."""
    slots = [slot for slot in loaded.slots if slot.role != "scores"]  # scores are written as they were understood
    used = _used(loaded.documents, slots)
    tables = given_tables(loaded.experiment.given)
    names = {about: f"{'.'.join(about)}.csv" for about in tables}
    given = {about: safe_paths(names.values(), SCORES)[name] for about, name in names.items()}
    paths = _packed_paths([document.name for document in used])
    described = describe(loaded.experiment, slots, settings, paths.__getitem__, given)
    files = {paths[document.name]: original(document) for document in used}
    files |= {given[about]: table.encode("utf-8") for about, table in tables.items()}
    return {FILE_NAME: experiment_toml(described).encode("utf-8"), **files}


def everything(results: Results, loaded: Loaded, choice: LatexChoice, kinds: Collection[str] = tuple(KINDS)) -> Package:
    """The files of a report, of all ``KINDS`` or some; ``loaded`` is what the results were computed from."""
    wanted = {name for kind in kinds for name in KINDS[kind]}
    figures = figure_files(results) if FIGURES in kinds else Package({})
    inputs = packed_inputs(loaded, results.settings) if "experiment" in kinds else {}
    written = {name: write() for name, write in written_files(results, choice).items() if name in wanted}
    return Package({**inputs, **written, **_people_files(results, kinds), **figures.files}, figures.missing)


def _people_files(results: Results, kinds: Collection[str]) -> dict[str, bytes]:
    """What judgements amount to, as ``mteval people`` writes it; nothing without judgements."""
    if results.people is None:
        return {}
    tables = people_frames(results.people) if "csv" in kinds else {}
    texts = {f"{PEOPLE}/{name}.csv": frame_csv(frame) for name, frame in tables.items()}
    if "json" in kinds:
        texts[f"{PEOPLE}.json"] = people_json(results.people)
    return {name: text.encode("utf-8") for name, text in texts.items()}


def _used(documents: Iterable[Document], slots: Iterable[Slot]) -> list[Document]:
    names = {slot.file for slot in slots}
    return [document for document in documents if document.name in names]


def _packed_paths(names: Sequence[str]) -> dict[str, str]:
    """Where each input lies in the package; the folders that all share, which say where the user keeps them, go."""
    shared = 0
    for folders in zip(*(name.split("/")[:-1] for name in names), strict=False):
        if len(set(folders)) > 1:
            break
        shared += 1
    short = {name: "/".join(name.split("/")[shared:]) for name in names}
    paths = safe_paths(short.values(), INPUTS)
    return {name: paths[short[name]] for name in names}


def _encoder(write: Callable[[], str]) -> Callable[[], bytes]:
    return lambda: write().encode("utf-8")


def _frame_writer(frame: pd.DataFrame) -> Callable[[], str]:
    return lambda: frame_csv(frame)
