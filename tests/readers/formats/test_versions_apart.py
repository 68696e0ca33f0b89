"""Logs in which one program scored systems in different versions, and logs that repeat the same targets."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mteval.readers.disk import Loaded
from mteval.readers.folders import load_told_apart
from mteval.readers.named_files import ScoreFiles

RIGHT = {"base": (1, 0, 0, 1, 1, 0, 1, 0), "new": (1, 1, 0, 1, 1, 0, 1, 1), "third": (0, 1, 0, 1, 1, 0, 1, 1)}
WARNING = "Scores of different versions may not be comparable."


def inspect_log(model: str, right: Sequence[int], version: str) -> str:
    """A log of Inspect in a version."""
    evaluation: dict[str, Any] = {"run_id": f"run-{model}", "created": "2025-01-01T00:00:00", "task": "sums"}
    evaluation |= {"model": model, "packages": {"inspect_ai": version}}
    samples = []
    for item, score in enumerate(right):
        choice = {"message": {"role": "assistant", "content": f"answer {item} of {model}"}}
        sample = {"id": item, "epoch": 1, "input": f"q {item}", "target": f"target {item}"}
        samples.append({**sample, "output": {"choices": [choice]}, "scores": {"match": {"value": score}}})
    return json.dumps({"version": 2, "status": "success", "eval": evaluation, "samples": samples})


def load(folder: Path, versions: dict[str, str]) -> Loaded:
    """Load a log per model."""
    folder.mkdir(exist_ok=True)
    for model, version in versions.items():
        (folder / f"{model}.json").write_text(inspect_log(model, RIGHT[model], version))
    return load_told_apart([folder], None, ScoreFiles([folder]))


def test_systems_that_were_scored_by_different_versions_are_named_once(tmp_path: Path) -> None:
    loaded = load(tmp_path / "logs", {"base": "0.3.40", "new": "0.3.285", "third": "0.3.40"})
    details = [finding.detail for finding in loaded.experiment.noticed if WARNING in finding.detail]
    assert len(details) == 1
    assert "base and third by version 0.3.40; new by version 0.3.285" in details[0]


@pytest.mark.parametrize("versions", [{"base": "0.3.285", "new": "0.3.285"}, {"base": "0.3.285"}])
def test_one_version_needs_no_warning(tmp_path: Path, versions: dict[str, str]) -> None:
    loaded = load(tmp_path / "logs", versions)
    assert not any(WARNING in finding.detail for finding in loaded.experiment.noticed)


def test_targets_that_each_log_repeats_are_no_note(tmp_path: Path) -> None:
    loaded = load(tmp_path / "logs", {"base": "0.3.285", "new": "0.3.285"})
    assert {len(texts) for texts in loaded.experiment.test_sets[0].references} == {1}
    assert not any("counts once" in note.message for note in loaded.notes)
