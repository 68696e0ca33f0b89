"""Many outputs changed in one step."""

import pytest

from mteval.readers.disk import outputs_named, regrouped, shared_name
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace


def loaded(*names: str) -> Workspace:
    return Workspace().add([InputFile(name, f"{name} a\nb\n".encode()) for name in ("refs.txt", *names)])


def changed(work: Workspace, pattern: str, group: str, system: str = "") -> Workspace:
    rows = outputs_named(work.slots, pattern)
    return work.edit(regrouped(work.slots, rows, group, system or shared_name(work.slots, rows)))


def systems(work: Workspace) -> dict[str, tuple[str, ...]]:
    experiment = work.experiment()
    assert experiment is not None
    return {system.key: system.runs for system in experiment.systems}


def test_systems_can_become_runs_of_one_system() -> None:
    work = loaded("first.txt", "second.txt", "third.txt", "base.txt")
    assert len(systems(work)) == 4
    assert systems(changed(work, "ir", "runs", "new")) == {
        "base": ("0",),
        "new": ("0", "1"),
        "second": ("0",),
    }


def test_the_number_of_a_run_is_the_last_that_differs_in_all_paths() -> None:
    work = loaded("sys-7.v2.txt", "sys-10.v2.txt", "base.txt")
    assert systems(changed(work, "sys-*", "runs"))["sys"] == ("7", "10")


def test_runs_of_a_tuning_set_and_a_test_set_are_numbered_alike() -> None:
    names = [f"{letter}.{test_set}.txt" for test_set in ("dev", "test") for letter in "xyz"]
    work = loaded(*names, "refs.dev.txt")
    both = changed(work, ".", "runs", "one")
    assert {(slot.test_set, slot.run) for slot in both.slots if slot.system == "one"} == {
        (test_set, run) for test_set in ("dev", "test") for run in "012"
    }


def test_runs_can_become_systems() -> None:
    work = loaded("model_a.1", "model_a.2", "base.1", "base.2")
    assert systems(changed(work, "model", "systems")) == {"base": ("1", "2"), "model_a.1": ("0",), "model_a.2": ("0",)}


def test_outputs_can_be_excluded_and_only_outputs_match() -> None:
    work = loaded("a.txt", "b.txt", "base.txt")
    assert outputs_named(work.slots, "refs") == ()
    assert systems(changed(work, "[ab].txt", "nothing")) == {"base": ("0",)}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["set1-a", "set1-b"], "set1"),
        (["new/x", "new/y"], "new"),
        (["x", "y"], "system"),
        ([], ""),
    ],
)
def test_shared_beginning_is_suggested_as_system_name(names: list[str], expected: str) -> None:
    work = loaded(*names)
    assert shared_name(work.slots, outputs_named(work.slots, "*")) == expected
