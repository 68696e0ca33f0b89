"""Accepted candidates kept as runs of the baseline, in a folder or in the library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

from mteval.analysis.results import reported_test_set
from mteval.base.errors import DataError, MtevalError
from mteval.base.safe_paths import SafePaths
from mteval.base.words import free_name
from mteval.library import configured_library
from mteval.metrics import METRICS
from mteval.readers.disk import Loaded, file_at
from mteval.readers.documents import FILE_NAME, InputFile, Slot
from mteval.readers.named_files import ScoreFiles
from mteval.readers.workspace import Workspace
from mteval.render.bundle import in_folder
from mteval.report.kept_experiment import Made, content_of, opened
from mteval.report.merging import files_at
from mteval.report.package import packed_inputs, read_under, slots_under
from mteval.values.asker import OPERATOR
from mteval.values.given import GivenScores
from mteval.values.settings import Settings

_EMPTY = Workspace(reserved=frozenset(METRICS))
Moved = TypeVar("Moved", Slot, GivenScores)
_FRESH = "candidate/"  # folder of the candidate's files


@dataclass(frozen=True)
class History:
    """The runs of a baseline.

    Parameters
    ----------
    place
        A folder with an ``experiment.toml``, or the ID or name of an experiment in the library.
    workspace
        Its files; empty if it is new.
    baseline
        The baseline's name; None if it is new.
    uid
        ID in the library; empty for folders and new entries.
    """

    place: str
    workspace: Workspace = _EMPTY
    baseline: str | None = None
    uid: str = ""

    @classmethod
    def at(cls, place: str) -> History:
        """Open a history; words with a slash and existing folders are folders.

        Raises
        ------
        MtevalError
            If it cannot be read.
        """
        if _is_folder(place):
            if not Path(place, FILE_NAME).is_file():
                return cls(place)
            workspace, uid = _EMPTY.add([*files_at(Path(place, FILE_NAME), 0)]), ""
            baseline = workspace.described.baseline if workspace.described else None
        else:
            library = configured_library()
            if not (found := library.named(place)):
                return cls(place)
            if len(found) > 1:
                raise DataError(f"Several experiments are named '{place}'. Use the ID ('mteval library list').")
            kept, uid = opened(library.content(found[0].uid)), found[0].uid
            workspace, baseline = kept.workspace, kept.made.baseline
        if (experiment := workspace.experiment(baseline)) is None:
            raise DataError(f"The history '{place}' has no outputs that fit together. Start a new one.")
        return cls(place, workspace, experiment.baseline, uid)

    @property
    def is_new(self) -> bool:
        """Whether nothing is kept yet."""
        return self.baseline is None

    def with_candidate(self, given: Sequence[Path], name: str, scores: ScoreFiles) -> tuple[Loaded, str]:
        """Return the baseline's runs with a candidate, and its name.

        Parameters
        ----------
        given
            The candidate's outputs; its name alone in a history of scores.
        name
            What to call the system of the outputs.

        Raises
        ------
        MtevalError
            If a file cannot be read or does not fit the history.
        """
        experiment = self.workspace.experiment(self.baseline)
        assert experiment is not None  # checked when opened
        test_set, is_of_texts = reported_test_set(experiment).name, experiment.has_texts
        taken = {system.key for system in experiment.systems}
        name = free_name(name, taken.__contains__) if is_of_texts else str(next(iter(given), name))
        texts = {f"{_FRESH}{place}/{path.name}": path for place, path in enumerate(given if is_of_texts else ())}
        files = texts | {f"{_FRESH}{path.name}": path for path in (*scores.higher, *scores.lower)}
        workspace = self.workspace.add([InputFile(at, file_at(path).content) for at, path in files.items()])
        edits = {}
        for row, slot in enumerate(workspace.slots):
            if slot.file.startswith(_FRESH):
                own = {"role": "hypothesis", "system": name, "run": PurePosixPath(slot.file).parent.name}
                edits[row] = {"test_set": test_set, "included": True, **(own if slot.file in texts else {})}
        workspace = workspace.edit(edits)
        for is_higher, paths in ((True, scores.higher), (False, scores.lower)):
            for slot in workspace.slots:
                if slot.file in {f"{_FRESH}{path.name}" for path in paths}:
                    workspace = workspace.direct(slot.shown_name, is_higher)
        for problem in (*workspace.rejected, *workspace.assembly.problems):
            if problem.severity == "error":
                raise problem.as_error()
        both = workspace.experiment(self.baseline)
        if both is None or name not in {system.key for system in both.systems}:
            raise DataError(f"The history has no candidate '{name}'. Name its files with --candidate.")
        return workspace.loaded(both), name

    def accept(self, loaded: Loaded, candidate: str, settings: Settings) -> None:
        """Keep the candidate's runs as runs of the baseline.

        Raises
        ------
        MtevalError
            If the place cannot be written to.
        """
        files = packed_inputs(_merged(loaded, candidate), settings)
        if not _is_folder(self.place):
            workspace, library = _EMPTY.add([InputFile(*file) for file in files.items()]), configured_library()
            content = content_of(workspace, Made(workspace.edits, settings, loaded.experiment.baseline), None)
            if self.uid:
                library.change(self.uid, content, OPERATOR)
            else:
                library.add(content, self.place, OPERATOR)
            return
        try:
            for path, blob in reversed(in_folder(Path(self.place), files).items()):  # what names the others comes last
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_name(f"{path.name}.new").write_bytes(blob)
                path.with_name(f"{path.name}.new").replace(path)
        except OSError as error:
            raise MtevalError(f"Cannot write {self.place}: {error.strerror}.") from error


def _is_folder(place: str) -> bool:
    return os.sep in place or Path(place).is_dir()


def _merged(loaded: Loaded, candidate: str) -> Loaded:
    """Return the candidate's runs as further ones of the baseline; files get short names."""
    experiment = loaded.experiment
    baseline, runs = experiment.baseline, {system.key: system.runs for system in experiment.systems}
    names, files = dict.fromkeys(runs[baseline], ""), dict[str, str]()
    for run in runs[candidate]:
        names[free_name(str(len(names)), names.__contains__)] = run
    new = {run: name for name, run in names.items()}
    paths = SafePaths()
    for document in sorted(loaded.documents, key=lambda one: one.name.startswith(_FRESH)):
        files[document.name] = paths.free(PurePosixPath(document.name).name)

    def moved(one: Moved) -> Moved:
        return replace(one, system=baseline, run=new[str(one.run)]) if one.system == candidate else one

    given = tuple(replace(metric, scores=tuple(map(moved, metric.scores))) for metric in experiment.given)
    return replace(
        loaded,
        experiment=replace(experiment, given=given),
        slots=tuple(map(moved, slots_under(files, loaded.slots, loaded.documents))),
        documents=tuple(read_under(files[document.name], document) for document in loaded.documents),
    )
