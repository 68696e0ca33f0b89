"""Accepted candidates kept as runs of the baseline, in a folder or in the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

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
from mteval.report.inputs import packed_inputs, read_under, slots_under
from mteval.report.kept_experiment import Made, content_of, opened
from mteval.report.merging import files_at
from mteval.values.asker import OPERATOR
from mteval.values.given import GivenScores
from mteval.values.settings import Settings

_EMPTY = Workspace(reserved=frozenset(METRICS))
_FRESH = "candidate/"  # folder of the candidate's files
Moved = TypeVar("Moved", Slot, GivenScores)


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
            uid = ""
            if Path(place).is_file():
                raise DataError(f"The history '{place}' is a file. Name a folder, or an experiment in the library.")
            description = Path(place, FILE_NAME)
            if not description.is_file():
                return cls(place)
            workspace = _EMPTY.add([*files_at(description, 0)])
            described = workspace.described
            baseline = None if described is None else described.baseline
        else:
            library = configured_library()
            entries = library.named(place)
            if not entries:
                return cls(place)
            if len(entries) > 1:
                raise DataError(f"Several experiments are named '{place}'. Use the ID ('mteval library list').")
            uid = entries[0].uid
            saved = opened(library.content(uid))
            workspace = saved.workspace
            baseline = saved.made.baseline
        experiment = workspace.experiment(baseline)
        if experiment is None:
            raise DataError(f"The history '{place}' has no outputs that fit together. Start a new one.")
        return cls(place, workspace, experiment.baseline, uid)

    @property
    def files(self) -> list[Path]:
        """The files of a folder, which a candidate that passes may change; none in the library."""
        if not _is_folder(self.place):
            return []
        return [Path(self.place, name) for name in (FILE_NAME, *(file.name for file in self.workspace.documents))]

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
        output_files: dict[str, Path] = {}
        if experiment.has_texts:
            taken = {system.key for system in experiment.systems}
            candidate = free_name(name, taken.__contains__)
            # Each output is a run, whose folder gives it its name
            output_files = {f"{_FRESH}{run}/{path.name}": path for run, path in enumerate(given)}
        else:
            candidate = str(next(iter(given), name))
        score_files = {f"{_FRESH}{path.name}": path for path in (*scores.higher, *scores.lower)}
        files = output_files | score_files
        workspace = self.workspace.add([InputFile(file, file_at(path).content) for file, path in files.items()])

        test_set = reported_test_set(experiment).name
        edits: dict[int, dict[str, Any]] = {}
        for row, slot in enumerate(workspace.slots):
            if slot.file.startswith(_FRESH):
                edits[row] = {"test_set": test_set, "included": True}
            if slot.file in output_files:
                run = PurePosixPath(slot.file).parent.name
                edits[row] |= {"role": "hypothesis", "system": candidate, "run": run}
        workspace = workspace.edit(edits)
        for is_higher_better, paths in ((True, scores.higher), (False, scores.lower)):
            names_of_files = {f"{_FRESH}{path.name}" for path in paths}
            for slot in workspace.slots:
                if slot.file in names_of_files:
                    workspace = workspace.direct(slot.shown_name, is_higher_better)

        for problem in (*workspace.rejected, *workspace.assembly.problems):
            if problem.severity == "error":
                raise problem.as_error()
        both = workspace.experiment(self.baseline)
        if both is None or candidate not in {system.key for system in both.systems}:
            raise DataError(f"The history has no candidate '{candidate}'. Name its files with --candidate.")
        return workspace.loaded(both), candidate

    def accept(
        self,
        loaded: Loaded,
        candidate: str,
        settings: Settings,
        check_paths: Callable[[Iterable[Path]], None] = lambda paths: None,
    ) -> None:
        """Keep the candidate's runs as runs of the baseline.

        Parameters
        ----------
        check_paths
            Called with the files of a folder whose content will change, before the first is written.

        Raises
        ------
        MtevalError
            If the place cannot be written to.
        """
        files = packed_inputs(_with_runs_of_candidate(loaded, candidate), settings)
        if _is_folder(self.place):
            self._write_to_folder(files, check_paths)
            return
        workspace = _EMPTY.add([InputFile(path, content) for path, content in files.items()])
        made = Made(workspace.edits, settings, loaded.experiment.baseline)
        library = configured_library()
        content = content_of(workspace, made, None)
        if self.uid:
            library.change(self.uid, content, OPERATOR)
        else:
            library.add(content, self.place, OPERATOR)

    def _write_to_folder(self, files: Mapping[str, bytes], check_paths: Callable[[Iterable[Path]], None]) -> None:
        """Write each new or changed file atomically; the first, which names the others, comes last."""
        try:
            changed_files = {}
            for path, content in in_folder(Path(self.place), files).items():
                if not path.is_file() or path.read_bytes() != content:
                    changed_files[path] = content
            check_paths(changed_files)
            for path, content in reversed(changed_files.items()):
                path.parent.mkdir(parents=True, exist_ok=True)
                new = path.with_name(f"{path.name}.new")
                new.write_bytes(content)
                new.replace(path)
        except OSError as error:
            raise MtevalError(f"Cannot write {self.place}: {error.strerror}.") from error


def _is_folder(place: str) -> bool:
    return os.sep in place or Path(place).is_dir()


def _with_runs_of_candidate(loaded: Loaded, candidate: str) -> Loaded:
    """Return the candidate's runs as further ones of the baseline; files get short names."""
    experiment = loaded.experiment
    baseline = experiment.baseline
    runs_of = {system.key: system.runs for system in experiment.systems}
    taken = set(runs_of[baseline])
    new_run_of: dict[str, str] = {}
    for run in runs_of[candidate]:
        new_run_of[run] = free_name(str(len(taken)), taken.__contains__)
        taken.add(new_run_of[run])

    # Files of the history come first, so that they keep their names
    paths = SafePaths()
    path_of: dict[str, str] = {}
    for document in sorted(loaded.documents, key=lambda document: document.name.startswith(_FRESH)):
        path_of[document.name] = paths.free(PurePosixPath(document.name).name)

    def moved(item: Moved) -> Moved:
        if item.system != candidate:
            return item
        return replace(item, system=baseline, run=new_run_of[str(item.run)])

    slots = slots_under(path_of, loaded.slots, loaded.documents)
    given = [replace(metric, scores=tuple(map(moved, metric.scores))) for metric in experiment.given]
    return replace(
        loaded,
        experiment=replace(experiment, given=tuple(given)),
        slots=tuple(map(moved, slots)),
        documents=tuple(read_under(path_of[document.name], document) for document in loaded.documents),
    )
