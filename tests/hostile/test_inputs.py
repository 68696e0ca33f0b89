"""Every input that once hurt is answered soon, in little memory, by an error of ours, and loses no neighbour."""

import time

import pytest

from mteval.annotations import from_json
from mteval.base.errors import InputError
from mteval.readers.apart import Apart, Bounds
from mteval.readers.checks import check
from mteval.readers.documents import MIB, InputFile
from mteval.readers.workspace import Workspace
from tests.hostile.inputs import CAMPAIGNS, REFERENCE, UPLOADS

SECONDS = 2.0
LONGEST_MESSAGE = 2_500
BOUNDS = Bounds(seconds=20.0, memory_bytes=400 * MIB)


@pytest.fixture(scope="module")
def apart() -> Apart:
    return Apart(BOUNDS)


@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_is_answered_soon_and_loses_no_neighbour(apart: Apart, name: str) -> None:
    files = [InputFile(label, content) for label, content in UPLOADS[name]().items()]
    begun = time.process_time()
    workspace = Workspace().add(files, read=apart.unpack)
    problems = (*workspace.rejected, *workspace.assembly.problems)
    experiment = workspace.experiment()
    if experiment is not None:
        check(experiment, "sacrebleu")
    assert time.process_time() - begun < SECONDS
    assert problems or experiment is not None
    assert all(len(problem.text) < LONGEST_MESSAGE for problem in problems)
    assert set(REFERENCE) <= {document.name for document in workspace.documents}
    assert not any("memory" in problem.message for problem in problems)  # it was counted before


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_campaign_that_none_exported_is_refused_in_our_words(name: str) -> None:
    text = CAMPAIGNS[name]()
    begun = time.process_time()
    with pytest.raises(InputError, match=r"^c\.json: ") as refused:
        from_json(text, "c.json")
    assert time.process_time() - begun < SECONDS
    assert len(str(refused.value)) < LONGEST_MESSAGE
