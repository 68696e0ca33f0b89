"""Changes of one experiment made in two windows, as one."""

from dataclasses import replace

from mteval.readers.documents import Edits, Slot
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made
from mteval.report.merging import merged
from mteval.values.notes import NotedError

EMPTY = Workspace.of([], Edits())


def noted(name: str, comment: str = "") -> NotedError:
    """A note on an error, by its identifier."""
    return NotedError(name, "test", "base", "1", 0, "a cat", 2, 5, "Accuracy/Mistranslation", "major", comment)


def made(*notes: NotedError) -> Made:
    """An experiment in which nothing was made but notes."""
    return Made(Edits(), None, None, notes=notes)


def test_notes_of_both_windows_are_kept_and_a_deleted_one_is_gone():
    base = made(noted("a"), noted("b"))
    ours = made(noted("a"), noted("b"), noted("c"))
    theirs = made(noted("b", "why"))
    merge = merged((EMPTY, base), (EMPTY, ours), (EMPTY, theirs))
    assert not merge.conflicts
    assert {note.id: note.comment for note in merge.ours.notes} == {"b": "why", "c": ""}


def test_a_note_edited_in_both_windows_is_a_conflict_with_a_name():
    base = made(noted("a", ""))
    ours = made(noted("a", "mine"))
    theirs = made(noted("a", "yours"))
    merge = merged((EMPTY, base), (EMPTY, ours), (EMPTY, theirs))
    assert merge.names == ["comment of an error note"]
    assert [note.comment for note in merge.ours.notes] == ["mine"]
    assert [note.comment for note in merge.theirs.notes] == ["yours"]


def test_a_role_given_in_both_windows_is_named_by_its_file():
    def with_role(role: str) -> tuple[Workspace, Made]:
        slots = (Slot("a.txt", role, "base", "1", stream="x"),)
        return Workspace.of([], Edits(slots)), replace(made(), edits=Edits(slots))

    merge = merged(with_role("hypothesis"), with_role("reference"), with_role("source"))
    assert merge.names == ["role of a.txt"]
