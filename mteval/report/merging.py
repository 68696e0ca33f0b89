"""Changes of a saved experiment: two made in two windows, as one; its entry; earlier scores of its systems.

Files are merged by their contents: what either added is there, what either removed is gone. Of roles, settings and
choices, whatever one of them changed counts; where both changed the same thing otherwise, there is a conflict.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mteval.analysis.results import Results
from mteval.base.errors import InputError
from mteval.base.words import free_name
from mteval.library import Library, Listed
from mteval.metrics import METRICS
from mteval.readers.disk import file_at, files_below
from mteval.readers.documents import FILE_NAME, InputFile
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Card, Made, content_of, usual_name
from mteval.report.kept_numbers import from_json_form, to_json_form
from mteval.values.asker import OPERATOR
from mteval.values.model import Experiment

Place = tuple[str | tuple[str, ...], ...]  # keys from the outermost; a tuple names a member of a list
_ABSENT = object()
_BY = {"slots": ("file", "stream"), "bookmarks": ("test_set",), "notes": ("id",)}  # what names a member of a list
_NAMES = {"n_shuffles": "shuffles", "n_bootstrap": "bootstrap replicates", "run_word": "word for a run"}


@dataclass(frozen=True)
class Merged:
    """What became of two changes.

    Parameters
    ----------
    workspace
        With the files of both.
    ours, theirs
        Roles, settings and choices with our values, or with theirs, where there is a conflict.
    conflicts
        Where both changed the same thing.
    """

    workspace: Workspace
    ours: Made
    theirs: Made
    conflicts: tuple[Place, ...]

    @property
    def experiment(self) -> Experiment | None:
        """The experiment of both."""
        return self.workspace.experiment(self.theirs.baseline)

    def is_of(self, results: Results | None) -> bool:
        """Return whether results are of the experiment of both."""
        experiment = self.experiment
        return results is not None and experiment is not None and results.experiment.digest == experiment.digest

    @property
    def names(self) -> list[str]:
        """What is in conflict, in words."""
        return list(dict.fromkeys(map(_named, self.conflicts)))


def _named(path: Place) -> str:
    """Return what a path leads to, in words."""
    words = [_NAMES.get(part, part) for part in path if isinstance(part, str)]
    members = [part[0] for part in path if not isinstance(part, str)]
    if "notes" in words:
        return f"{words[-1]} of an error note"
    return f"{words[-1]} of {members[0]}" if members else " ".join(words[1:]) or words[0]


def merged(base: tuple[Workspace, Made], ours: tuple[Workspace, Made], theirs: tuple[Workspace, Made]) -> Merged:
    """Merge two changes of what both started from."""
    documents, renamed = _documents(base[0], ours[0], theirs[0])
    forms = [_by_name(to_json_form(replace(made, edits=workspace.edits))) for workspace, made in (base, ours, theirs)]
    forms[1] = _renamed(forms[1], renamed)
    conflicts: list[Place] = []
    form = _merge(forms[0], forms[1], forms[2], (), conflicts)
    of_ours, of_theirs = _made(with_values_of(form, forms[1], conflicts), documents), _made(form, documents)
    workspace = Workspace.of(documents, of_theirs.edits, theirs[0].reserved)
    return Merged(workspace, of_ours, of_theirs, tuple(conflicts))


def keeping(made: Made, saved: Made, conflicts: tuple[Place, ...]) -> Made:
    """Return choices with the saved values where there is a conflict."""
    ours, theirs = (_by_name(to_json_form(one)) for one in (made, saved))
    return from_json_form(Made, _listed(with_values_of(ours, theirs, conflicts)))


def with_values_of(form: Any, other: Any, paths: Any) -> Any:
    """Return a form with the values of another at some paths."""
    for path in paths:
        form = _set(form, path, _get(other, path))
    return form


def _documents(base: Workspace, ours: Workspace, theirs: Workspace) -> tuple[list[Any], dict[str, str]]:
    """Return the files of both, and the new names of ours."""
    was, here = ({file.name: file for file in one.files} for one in (base, ours))
    there = {file.name: file for file in theirs.files}
    found = {name: file for name, file in there.items() if name in here or was.get(name) != file}
    renamed: dict[str, str] = {}
    for name, file in here.items():
        if was.get(name) == file or found.get(name) == file:
            continue
        if name in found and found[name] != was.get(name):  # two files of one name
            renamed[name] = free_name(name, {*found, *here}.__contains__)
        found[renamed.get(name, name)] = replace(file, name=renamed.get(name, name))
    return list(found.values()), renamed


def _by_name(form: Any) -> Any:
    """Return a form whose lists with named members are mappings."""
    if not isinstance(form, dict):
        return form
    return {
        key: {tuple(str(one[name]) for name in _BY[key]): one for one in value} if key in _BY else _by_name(value)
        for key, value in form.items()
    }


def _listed(form: Any) -> Any:
    if not isinstance(form, dict):
        return form
    return {key: list(value.values()) if key in _BY else _listed(value) for key, value in form.items()}


def _renamed(form: Any, names: Mapping[str, str]) -> Any:
    """Return our form, with the roles of renamed files under their new names."""
    moved = [{**slot, "file": names.get(slot["file"], slot["file"])} for slot in form["edits"]["slots"].values()]
    return {**form, "edits": {**form["edits"], **_by_name({"slots": moved})}}


def _made(form: Any, documents: list[Any]) -> Made:
    made, names = from_json_form(Made, _listed(form)), {file.name for file in documents}
    slots = tuple(slot for slot in made.edits.slots if slot.file in names)
    return replace(made, edits=replace(made.edits, slots=slots))


def _merge(base: Any, ours: Any, theirs: Any, path: Place, conflicts: list[Place]) -> Any:
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        values = {}
        for key in {**theirs, **ours}:
            was, here, there = (_get(form, (key,)) for form in (base, ours, theirs))
            values[key] = _merge(was, here, there, (*path, key), conflicts)
        return {key: value for key, value in values.items() if value is not _ABSENT}
    if path[:1] == ("seen",):
        return theirs + [one for one in ours if one not in theirs]
    if path[:1] == ("bookmarks",) and isinstance(ours, list):
        return sorted({*ours, *theirs})
    conflicts.append(path)
    return theirs


def _get(form: Any, path: Place) -> Any:
    for part in path:
        form = form.get(part, _ABSENT) if isinstance(form, dict) else _ABSENT
    return form


def _set(form: Any, path: Place, value: Any) -> Any:
    if not path or not isinstance(form, dict):
        return value
    inner = _set(form.get(path[0]), path[1:], value)
    return {key: one for key, one in {**form, path[0]: inner}.items() if one is not _ABSENT}


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Return the smaller numbers of runs with which the same systems were scored before, in rising order.

    Experiments differ only in their runs if they have the same systems, metric, and name and size of the test set.
    """
    if not card.n_runs:
        return ()
    seen = {min(other.n_runs) for other in others if other.concluded and other.n_runs and _about(other) == _about(card)}
    return tuple(sorted(n_runs for n_runs in seen if n_runs < min(card.n_runs)))


def _about(card: Card) -> tuple[frozenset[str], str, int, str]:
    return frozenset(card.systems), card.test_set, card.n_segments, card.metric


def entry_of(paths: Sequence[Path], library: Library, left_to_grow: float = 0) -> Listed:
    """Return the library's experiment with these files, or a new one.

    Parameters
    ----------
    paths
        An ``experiment.toml`` (which adds the files that it names), folders, or files.
    left_to_grow
        Ignore files in folders that changed within this many seconds.

    Raises
    ------
    MtevalError
        If a file cannot be read, or the library cannot be written to.
    """
    files = [file for path in paths for file in files_at(path, left_to_grow)]
    workspace = Workspace(reserved=frozenset(METRICS)).add(files)
    for problem in workspace.rejected:
        if problem.severity == "error":
            raise problem.as_error()
    described = workspace.described
    settings, baseline = (None, None) if described is None else (described.settings, described.baseline)
    made = Made(workspace.edits, settings, baseline)
    content = content_of(workspace, made, None)
    for listed in library.with_files(content.files or {}):
        if described is None or library.content(listed.uid).made == content.made:
            library.touch(listed.uid, OPERATOR)
            return listed
    return library.add(content, usual_name(workspace.experiment(made.baseline), len(workspace.documents)), OPERATOR)


def files_at(path: Path, left_to_grow: float) -> Iterator[InputFile]:
    """Yield the files of a path, with the names they have when dropped."""
    if path.is_dir():
        for name, there in files_below(path.resolve()).items():
            if time.time() - there.stat().st_mtime >= left_to_grow:
                yield InputFile(name, file_at(there).content)
    elif path.name == FILE_NAME:
        text = file_at(path)
        yield InputFile(FILE_NAME, text.content)
        described = parse_experiment(decode(text.content, str(path)), str(path))
        for name in dict.fromkeys(slot.file for slot in described.edits.slots):
            yield InputFile(name, file_at(path.parent / name).content)
    elif path.is_file():
        yield InputFile(path.as_posix(), file_at(path).content)
    else:
        raise InputError(f"No such file or folder. Give an {FILE_NAME}, a folder or files.", str(path))
