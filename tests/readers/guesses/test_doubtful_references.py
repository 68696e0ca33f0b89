"""References that may be none: asked about where another one is there, and never taken for a second one unasked."""

import pytest

from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.values.model import Experiment

TEXT = b"a b\nc d\n"


def loaded(*names: str) -> Workspace:
    """A workspace with files, each with a text of its own."""
    return Workspace().add([InputFile(name, name.encode() + TEXT) for name in names])


def experiment_of(workspace: Workspace) -> Experiment:
    experiment = workspace.experiment()
    assert experiment is not None
    return experiment


def n_references(workspace: Workspace) -> int:
    """The number of references, which all segments have."""
    (test_set,) = experiment_of(workspace).test_sets
    (number,) = {len(row) for row in test_set.references}
    return number


def unused_references(workspace: Workspace) -> list[str]:
    """The files about which the user is asked."""
    return [str(problem.file) for problem in workspace.assembly.problems if "not used" in problem.message]


@pytest.mark.parametrize(
    "name",
    [
        "synthetic_ref.txt",
        "refs.synthetic.en",
        "pseudo-ref.en",
        "mt.ref.txt",
        "ref.gpt4",
        "google_reference.txt",
        "out/refA.txt",
        "system-outputs/he-en/refB.txt",
        "hyps/synthetic_ref.txt",
        "ref.back-translated.txt",
    ],
)
def test_doubtful_reference_beside_another_needs_confirmation(name: str) -> None:
    workspace = loaded("refA.en.txt", "base.txt", name)

    assert unused_references(workspace) == [name]
    assert n_references(workspace) == 1
    assert [system.key for system in experiment_of(workspace).systems] == ["base"]


@pytest.mark.parametrize("name", ["refB.en.txt", "references/refB.txt", "ref1", "newstest2020.refP.de"])
def test_ordinary_references_need_no_confirmation(name: str) -> None:
    workspace = loaded("refA.en.txt", "base.txt", name)

    assert unused_references(workspace) == []
    assert sum(slot.role == "reference" and slot.included for slot in workspace.slots) == 2


def test_the_only_reference_is_used_whatever_its_name() -> None:
    workspace = loaded("synthetic_ref.txt", "base.txt")

    assert unused_references(workspace) == []
    assert n_references(workspace) == 1


def test_confirmed_reference_is_used() -> None:
    workspace = loaded("refA.en.txt", "base.txt", "synthetic_ref.txt")
    row = [slot.file for slot in workspace.slots].index("synthetic_ref.txt")

    as_reference = workspace.edit({row: {"included": True}})
    assert unused_references(as_reference) == []
    assert n_references(as_reference) == 2

    as_output = workspace.edit({row: {"included": True, "role": "hypothesis", "system": "synthetic_ref", "run": "0"}})
    assert unused_references(as_output) == []
    assert [system.key for system in experiment_of(as_output).systems] == ["base", "synthetic_ref"]
