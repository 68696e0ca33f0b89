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
from mteval.base.errors import MissingFileError
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
# The fields that tell the members of a list apart
_BY = {
    "slots": ("file", "stream"),
    "bookmarks": ("test_set",),
    "notes": ("id",),
}
# What messages call fields whose names are not words
_NAMES = {
    "n_shuffles": "shuffles",
    "n_bootstrap": "bootstrap replicates",
    "run_word": "word for a run",
}


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
    if members:
        return f"{words[-1]} of {members[0]}"
    if len(words) > 1:
        return " ".join(words[1:])
    return words[0]


def merged(base: tuple[Workspace, Made], ours: tuple[Workspace, Made], theirs: tuple[Workspace, Made]) -> Merged:
    """Merge two changes of what both started from."""
    documents, new_names = _merged_files(base[0], ours[0], theirs[0])
    base_form = _form_of(*base)
    our_form = _with_renamed_files(_form_of(*ours), new_names)
    their_form = _form_of(*theirs)
    conflicts: list[Place] = []
    form = _merge(base_form, our_form, their_form, (), conflicts)
    merged_ours = _made_from(with_values_of(form, our_form, conflicts), documents)
    merged_theirs = _made_from(form, documents)
    unread = dict.fromkeys((*theirs[0].unread, *ours[0].unread))
    workspace = Workspace.of(documents, merged_theirs.edits, theirs[0].reserved, tuple(unread))
    return Merged(workspace, merged_ours, merged_theirs, tuple(conflicts))


def keeping(made: Made, saved: Made, conflicts: tuple[Place, ...]) -> Made:
    """Return choices with the saved values where there is a conflict."""
    form = _by_name(to_json_form(made))
    saved_form = _by_name(to_json_form(saved))
    return from_json_form(Made, _listed(with_values_of(form, saved_form, conflicts)))


def with_values_of(form: Any, other_form: Any, paths: Iterable[Place]) -> Any:
    """Return a form with the values of another at some paths."""
    for path in paths:
        form = _with_value(form, path, _value_at(other_form, path))
    return form


def _merged_files(base: Workspace, ours: Workspace, theirs: Workspace) -> tuple[list[InputFile], dict[str, str]]:
    """Return the files of both, and the new names of ours."""
    base_files = {file.name: file for file in base.files}
    our_files = {file.name: file for file in ours.files}
    their_files = {file.name: file for file in theirs.files}

    # Their files, without those that we removed. A file that we removed and they changed stays.
    files = {}
    for name, file in their_files.items():
        if name in our_files or base_files.get(name) != file:
            files[name] = file

    # Our files that we added or changed
    new_names: dict[str, str] = {}
    for name, file in our_files.items():
        if base_files.get(name) == file or files.get(name) == file:
            continue
        new_name = name
        if name in files and files[name] != base_files.get(name):  # both made a file of this name
            new_name = free_name(name, {*files, *our_files}.__contains__)
            new_names[name] = new_name
        files[new_name] = replace(file, name=new_name)
    return list(files.values()), new_names


def _form_of(workspace: Workspace, made: Made) -> Any:
    """Return choices, with the roles that the files have now, as JSON whose named members are mappings."""
    return _by_name(to_json_form(replace(made, edits=workspace.edits)))


def _by_name(form: Any) -> Any:
    """Return a form whose lists with named members are mappings."""
    if not isinstance(form, dict):
        return form
    result = {}
    for key, value in form.items():
        if key in _BY:
            result[key] = {tuple(str(member[name]) for name in _BY[key]): member for member in value}
        else:
            result[key] = _by_name(value)
    return result


def _listed(form: Any) -> Any:
    """Return a form whose named members are in lists again."""
    if not isinstance(form, dict):
        return form
    result = {}
    for key, value in form.items():
        if key in _BY:
            result[key] = list(value.values())
        else:
            result[key] = _listed(value)
    return result


def _with_renamed_files(form: Any, new_names: Mapping[str, str]) -> Any:
    """Return our form, with the roles of renamed files under their new names."""
    slots = []
    for slot in form["edits"]["slots"].values():
        slots.append({**slot, "file": new_names.get(slot["file"], slot["file"])})
    edits = {**form["edits"], **_by_name({"slots": slots})}
    return {**form, "edits": edits}


def _made_from(form: Any, documents: Iterable[InputFile]) -> Made:
    """Return the choices of a form, without roles of files that are gone."""
    made = from_json_form(Made, _listed(form))
    names = {file.name for file in documents}
    slots = tuple(slot for slot in made.edits.slots if slot.file in names)
    return replace(made, edits=replace(made.edits, slots=slots))


def _merge(base: Any, ours: Any, theirs: Any, path: Place, conflicts: list[Place]) -> Any:
    """Return the merged value at a path; a conflict is noted, and has their value."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        values = {}
        for key in {**theirs, **ours}:
            base_value = _value_at(base, (key,))
            our_value = _value_at(ours, (key,))
            their_value = _value_at(theirs, (key,))
            value = _merge(base_value, our_value, their_value, (*path, key), conflicts)
            if value is not _ABSENT:
                values[key] = value
        return values
    if path[:1] == ("seen",):
        return theirs + [card for card in ours if card not in theirs]
    if path[:1] == ("bookmarks",) and isinstance(ours, list):
        return sorted({*ours, *theirs})
    conflicts.append(path)
    return theirs


def _value_at(form: Any, path: Place) -> Any:
    """Return the value at a path, or ``_ABSENT``."""
    value = form
    for part in path:
        if not isinstance(value, dict):
            return _ABSENT
        value = value.get(part, _ABSENT)
    return value


def _with_value(form: Any, path: Place, value: Any) -> Any:
    """Return a form with another value at a path; ``_ABSENT`` removes it."""
    if not path or not isinstance(form, dict):
        return value
    first, *rest = path
    changed = {**form, first: _with_value(form.get(first), tuple(rest), value)}
    return {key: part for key, part in changed.items() if part is not _ABSENT}


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Return the smaller numbers of runs with which the same systems were scored before, in rising order.

    Experiments differ only in their runs if they have the same systems, metric, and name and size of the test set.
    Those that were scored later are no reason why runs were added. If either time is unknown, it counts as before.
    """
    numbers = set()
    for other in others:
        is_later = 0 < card.scored < other.scored
        if other.concluded and other.n_runs and not is_later and _without_runs(other) == _without_runs(card):
            numbers.add(min(other.n_runs))
    return tuple(sorted(number for number in numbers if number < min(card.n_runs)))


def earlier_spreads(card: Card, others: Iterable[Card]) -> tuple[float, ...]:
    """Return how much runs differed in other experiments by the same metric on the same test set, in rising order.

    Those of the same systems with the same numbers of runs are this experiment, or copies of it.
    """
    spreads: list[float] = []
    for other in others:
        is_same_test = (other.test_set, other.n_segments, other.metric) == (card.test_set, card.n_segments, card.metric)
        is_itself = (other.systems, other.n_runs) == (card.systems, card.n_runs)
        if is_same_test and not is_itself:
            spreads += other.spreads
    return tuple(sorted(spreads))


def _without_runs(card: Card) -> tuple[frozenset[str], str, int, str]:
    """Return what experiments share that differ only in their runs."""
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
    if described is None:
        made = Made(workspace.edits, None, None)
    else:
        made = Made(workspace.edits, described.settings, described.baseline)
    content = content_of(workspace, made, None)
    for listed in library.with_files(content.files or {}):
        # Without a description, the choices of the saved experiment stay
        if described is None or library.content(listed.uid).made == content.made:
            library.touch(listed.uid, OPERATOR)
            return listed
    name = usual_name(workspace.experiment(made.baseline), len(workspace.documents))
    return library.add(content, name, OPERATOR)


def files_at(path: Path, left_to_grow: float) -> Iterator[InputFile]:
    """Yield the files of a path, with the names they have when dropped."""
    if path.is_dir():
        for name, place in files_below(path.resolve()).items():
            if time.time() - place.stat().st_mtime >= left_to_grow:
                yield InputFile(name, file_at(place).content)
    elif path.name == FILE_NAME:
        description = file_at(path).content
        yield InputFile(FILE_NAME, description)
        parsed = parse_experiment(decode(description, str(path)), str(path))
        for name in dict.fromkeys(slot.file for slot in parsed.edits.slots):
            yield InputFile(name, file_at(path.parent / name).content)
    elif path.is_file():
        yield InputFile(path.as_posix(), file_at(path).content)
    else:
        raise MissingFileError(f"No such file or folder. Give an {FILE_NAME}, a folder or files.", str(path))
