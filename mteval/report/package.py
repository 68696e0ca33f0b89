"""A report as files: the experiment with its inputs, tables, figures and the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mteval import figures
from mteval.analysis.results import Results
from mteval.answers.bibliography import bibliography
from mteval.answers.leaderboard import ranked_on_each
from mteval.answers.methods import methods_text
from mteval.base.errors import MissingDependencyError
from mteval.base.words import visible
from mteval.readers.disk import Loaded
from mteval.render.bundle import MANIFEST, manifest, placed, safe_files, zipped
from mteval.render.frames import frame_csv
from mteval.report.inputs import packed_inputs
from mteval.report.leaderboard import FORMS, leaderboard
from mteval.report.numbers import (
    FRAMES,
    GRID,
    OPTIONAL,
    VERDICTS,
    VERDICTS_BY_PEOPLE,
    excel,
    frames_for_scripts,
    overview_for_scripts,
)
from mteval.report.numbers import json as numbers_json
from mteval.report.page import Further, html_report, people_json, report_figures
from mteval.report.paper_table import LatexChoice, latex

# Folders of the package
FIGURES = "figures"
PEOPLE = "people"
# The files of each kind; how many figures and inputs there are depends on the report
KINDS: Mapping[str, tuple[str, ...]] = {
    "html": ("report.html",),
    "latex": ("table.tex",),
    "csv": ("table.csv", *(f"{name}.csv" for name in (*FRAMES, VERDICTS, VERDICTS_BY_PEOPLE, *OPTIONAL, GRID))),
    "excel": ("numbers.xlsx",),
    "json": ("numbers.json",),
    "methods": ("methods.txt", "references.bib"),
    "leaderboard": tuple(f"leaderboard.{form}" for form in FORMS),
    FIGURES: (),
    "experiment": (),
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
        # The manifest comes last, since its presence says that all other files are there
        return {**self.files, MANIFEST: manifest(self.files, header)}


def written_files(results: Results, choice: LatexChoice, further: Further = ()) -> Mapping[str, Callable[[], bytes]]:
    """Return functions that make the files from the numbers alone, by name."""

    def methods() -> str:
        return visible(methods_text(results)) + "\n"

    def table() -> str:
        return frame_csv(overview_for_scripts(results))

    texts: dict[str, Callable[[], str]] = {
        "report.html": partial(html_report, results, further),
        "table.tex": partial(latex, results, choice),
        "table.csv": table,
        "numbers.json": partial(numbers_json, results.evaluation, files=results.experiment.ledger),
        "methods.txt": methods,
        "references.bib": partial(bibliography, results),
    }
    for name, frame in frames_for_scripts(results.evaluation).items():
        texts[f"{name}.csv"] = partial(frame_csv, frame)
    if ranked_on_each(results):
        for form in FORMS:
            texts[f"leaderboard.{form}"] = partial(leaderboard, results, form)
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


def everything(
    results: Results,
    loaded: Loaded,
    choice: LatexChoice,
    kinds: Collection[str] = tuple(KINDS),
    further: Further = (),
) -> Package:
    """Return the files of a report, of all ``KINDS`` or some; ``loaded`` is what the results were computed from."""
    files: dict[str, bytes] = {}
    if "experiment" in kinds:
        files.update(packed_inputs(loaded, results.settings))
    wanted = {name for kind in kinds for name in KINDS[kind]}
    for name, write in written_files(results, choice, further).items():
        if name in wanted:
            files[name] = write()
    files.update(_people_files(results, kinds))
    missing: tuple[str, ...] = ()
    if FIGURES in kinds:
        drawn = figure_files(results)
        files.update(drawn.files)
        missing = drawn.missing
    return Package(files, missing)


def _people_files(results: Results, kinds: Collection[str]) -> dict[str, bytes]:
    """Return the tables about people, as ``mteval people`` writes them; nothing without judgements."""
    if results.people is None:
        return {}
    files = {}
    if "csv" in kinds:
        for name, frame in results.people.answered_frames().items():
            files[f"{PEOPLE}/{name}.csv"] = frame_csv(frame).encode("utf-8")
    if "json" in kinds:
        files[f"{PEOPLE}.json"] = people_json(results.people).encode("utf-8")
    return files
