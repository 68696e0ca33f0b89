"""The files of a session and what they are taken for. Pages edit it in callbacks, before anything is drawn."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from mteval.model import Experiment, Role
from mteval.readers import (
    Assembly,
    Document,
    Finding,
    InputFile,
    Problem,
    Slot,
    Suggestion,
    assemble,
    check,
    guess,
    suggest_convention,
    unpack,
)
from mteval.readers.dropped import Dropped, experiment_among
from mteval.readers.experiment_file import ExperimentFile
from mteval.settings import Convention

SAMPLE = Path(__file__).parents[2] / "sample_data"
SAMPLE_SUFFIXES = (".txt", ".nbest")  # the rest of the folder is what made them
BASELINE = "baseline"  # key of the widget, and its name in the address
EDITABLE = ("included", "role", "system", "run", "test_set")


@dataclass
class Workspace:
    """What is loaded.

    Parameters
    ----------
    documents
        Decoded files, names unique.
    rejected
        Problems of files that could not be read.
    slots
        What each stream is taken for: the guess, with the user's edits.
    edited_from
        The slots that the table on the screen started from; edits count from there.
    generation
        Goes up when files come or go, so that widgets of the earlier ones start afresh.
    described
        What an ``experiment.toml`` among the files says; None where what they are was guessed.
    """

    documents: tuple[Document, ...] = ()
    rejected: tuple[Problem, ...] = ()
    slots: tuple[Slot, ...] = ()
    edited_from: tuple[Slot, ...] = ()
    generation: int = 0
    described: ExperimentFile | None = None
    _assembled: dict[tuple[int, tuple[Slot, ...]], Assembly] = field(default_factory=dict)
    _checked: dict[tuple[str, Convention], tuple[tuple[Finding, ...], Suggestion]] = field(default_factory=dict)

    def add(self, files: Sequence[InputFile]) -> None:
        """Read more files; what is loaded stays, with the user's edits.

        An ``experiment.toml`` among them says what they are; with its files it takes the place of what is loaded.
        """
        documents, problems = unpack(files)
        dropped = experiment_among(documents, problems)
        if dropped is not None:
            self._replace(dropped)
            return
        fresh = _renamed([one for one in documents if one not in self.documents], self.documents)
        self.documents += fresh
        self.rejected = tuple(problems)
        edited = {(slot.file, slot.stream): slot for slot in self.slots}
        self.slots = tuple(edited.get((slot.file, slot.stream), slot) for slot in guess(self.documents))
        self.edited_from = self.slots
        self.generation += 1

    def _replace(self, dropped: Dropped) -> None:
        if dropped.file is not None:
            self.documents, self.slots, self.described = dropped.documents, dropped.slots, dropped.file
            self.edited_from = self.slots
        self.rejected = dropped.problems
        self.generation += 1

    def edit(self, rows: Mapping[int, Mapping[str, Any]]) -> None:
        """Take over what was typed into the table: by row, the columns that changed."""
        slots = list(self.edited_from)
        for row, values in rows.items():
            cleaned = {name: _cell(name, value) for name, value in values.items() if name in EDITABLE}
            slots[int(row)] = dataclasses.replace(slots[int(row)], **cleaned)
        self.slots = tuple(slots)

    @property
    def assembly(self) -> Assembly:
        """What the slots amount to."""
        key = (self.generation, self.slots)
        if key not in self._assembled:
            self._assembled = {key: assemble(self.documents, self.slots, roles=self._roles)}
        return self._assembled[key]

    @property
    def _roles(self) -> Mapping[str, Role]:
        return {} if self.described is None else self.described.roles

    @property
    def experiment(self) -> Experiment | None:
        """The experiment with the baseline that was chosen, where the files make one."""
        found = self.assembly.experiment if self.documents else None
        chosen = st.session_state.get(BASELINE)
        if found is None or chosen not in {system.key for system in found.systems}:
            return found
        return dataclasses.replace(found, baseline=chosen)

    def checked(self, experiment: Experiment, convention: Convention) -> tuple[tuple[Finding, ...], Suggestion]:
        """What the check of the data says under a convention, and the convention that fits the text."""
        key = (experiment.digest, convention)
        if key not in self._checked:
            self._checked = {key: (check(experiment, convention), suggest_convention(experiment))}
        return self._checked[key]


def workspace() -> Workspace:
    """The session's workspace."""
    if "workspace" not in st.session_state:
        st.session_state["workspace"] = Workspace()
    found: Workspace = st.session_state["workspace"]
    return found


def start_over() -> None:
    """Forget all files; the widgets that showed them start afresh."""
    st.session_state["workspace"] = Workspace(generation=workspace().generation + 1)


def sample_files() -> list[InputFile]:
    """The files of the experiment that ships with the project, named by their place in its folder."""
    paths = sorted(path for path in SAMPLE.rglob("*") if path.suffix in SAMPLE_SUFFIXES)
    return [InputFile(path.relative_to(SAMPLE).as_posix(), path.read_bytes()) for path in paths]


def _renamed(fresh: Sequence[Document], present: Sequence[Document]) -> tuple[Document, ...]:
    """New documents under names that nothing else has."""
    taken = {one.name for one in present}
    renamed = []
    for document in fresh:
        name, count = document.name, 1
        while name in taken:
            count += 1
            name = f"{document.name} ({count})"
        taken.add(name)
        renamed.append(dataclasses.replace(document, name=name))
    return tuple(renamed)


def _cell(name: str, value: Any) -> Any:
    """A cell of the table as the slot has it: an emptied one is None, a test set has a name."""
    if isinstance(value, str):
        value = value.strip() or None
    return "test" if name == "test_set" and value is None else value
