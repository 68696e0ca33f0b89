"""Changes of one experiment made in two windows, as one."""

from dataclasses import replace

from mteval.readers.documents import Edits, Slot
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made
from mteval.report.merging import merged
from mteval.values.notes import NotedError

EMPTY = Workspace.of([], Edits())


def noted(name: str, comment: str = "") -> NotedError:
    return NotedError(name, "test", "base", "1", 0, "a cat", 2, 5, "Accuracy/Mistranslation", "major", comment)


def made(*notes: NotedError) -> Made:
    return Made(Edits(), None, None, notes=notes)


def test_notes_of_both_windows_are_kept_and_a_deleted_one_is_gone():
    base, ours, theirs = made(noted("a"), noted("b")), made(noted("a"), noted("b"), noted("c")), made(noted("b", "why"))
    both = merged((EMPTY, base), (EMPTY, ours), (EMPTY, theirs))
    assert not both.conflicts
    assert {one.id: one.comment for one in both.ours.notes} == {"b": "why", "c": ""}


def test_a_note_edited_in_both_windows_is_a_conflict_with_a_name():
    base, ours, theirs = (made(noted("a", comment)) for comment in ("", "mine", "yours"))
    both = merged((EMPTY, base), (EMPTY, ours), (EMPTY, theirs))
    assert both.names == ["comment of an error note"]
    assert [one.comment for one in (*both.ours.notes, *both.theirs.notes)] == ["mine", "yours"]


def test_a_role_given_in_both_windows_is_named_by_its_file():
    def with_role(role: str) -> tuple[Workspace, Made]:
        slots = (Slot("a.txt", role, "base", "1", stream="x"),)
        return Workspace.of([], Edits(slots)), replace(made(), edits=Edits(slots))

    both = merged(*map(with_role, ("hypothesis", "reference", "source")))
    assert both.names == ["role of a.txt"]
