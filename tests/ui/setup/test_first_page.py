"""The first page draws what mteval recognises, and names all that it reads."""

import pytest

from mteval.metrics import METRICS
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import FORMATS, LINE_FORMATS
from mteval.readers.workspace import Workspace
from mteval.ui.setup.first_page import ANSWER, READ, SCORES_FILE, SCORES_HEAD, SCORES_ROWS, WAYS, drawing


def content_of(name: str) -> str:
    """What a file of that name may hold: the drawn scores, or two segments that differ from file to file."""
    if name == SCORES_FILE:
        return "".join("\t".join(row) + "\n" for row in (SCORES_HEAD, *SCORES_ROWS))
    return f"one segment of {name}\nanother one\n"


@pytest.mark.parametrize("name", WAYS)
def test_the_files_of_each_drawing_make_the_systems_and_runs_beside_them(name: str) -> None:
    way = WAYS[name]
    dropped = [InputFile(file, content_of(file).encode()) for file in way.files]
    loaded = Workspace(reserved=frozenset(METRICS)).add(dropped)
    for scores in loaded.score_names:
        loaded = loaded.direct(scores, True)
    experiment = loaded.experiment(None)
    assert experiment is not None
    assert {system.key: tuple(system.runs) for system in experiment.systems} == way.runs
    assert not [problem for problem in loaded.assembly.problems if problem.severity == "error"]


@pytest.mark.parametrize("name", WAYS)
def test_a_drawing_is_read_out_as_one_sentence(name: str) -> None:
    html = str(drawing(WAYS[name]))
    assert 'role="img"' in html
    for file in WAYS[name].files:
        assert html.count(file) == 2, "as text, and for screen readers"


def test_every_format_is_named() -> None:
    named = [reader for formats in READ.values() for readers in formats.values() for reader in readers]
    assert sorted(named) == sorted(known.home for known in (*FORMATS, *LINE_FORMATS))


def test_the_example_is_small_and_loads_nothing() -> None:
    html = ANSWER.read_text(encoding="utf-8")
    assert len(html) < 8_000
    assert "<script" not in html
    assert "http" not in html
