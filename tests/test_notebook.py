"""The notebook of the documentation runs in a real kernel, and its cells give what its words say."""

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import ROOT

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """What each cell gave, by its first line."""
    notebook = nbformat.read(ROOT / "docs" / "python.ipynb", as_version=4)
    NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return {cell.source.splitlines()[0]: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def test_every_cell_runs_and_the_comparison_is_shown_as_a_table(outputs: dict[str, Any]) -> None:
    assert not [output for cell in outputs.values() for output in cell if output.output_type == "error"]
    *_, shown = outputs["comparison = mteval.compare("]
    assert "mt-verdict" in shown.data["text/html"]
    assert "<mteval.Comparison of baseline, reordering by bleu, chrf>" in shown.data["text/plain"]


def test_a_copy_of_the_reference_scores_full_marks_and_a_short_run_is_refused_in_words(outputs: dict[str, Any]) -> None:
    *warned, scores = outputs['reference = (sample / "reference.test.txt").read_text().splitlines()']
    assert "equals a reference" in str(warned)
    assert [line.split()[-1] for line in scores.data["text/plain"].splitlines()[1:]] == ["100.0", "0.0"]
    *_, said = outputs["try:"]
    assert "299" in said.text
    assert "300" in said.text
