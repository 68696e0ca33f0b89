"""MetricX-24 and BLEURT-20 by their own programs, with small models; the programs are the oracles."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mteval.base.errors import MissingDependencyError
from mteval.metrics import METRICS
from mteval.metrics.neural import ratings
from mteval.metrics.neural.environment import variables
from mteval.metrics.neural.panel import JudgedScorer
from mteval.values.model import TestSet
from tests.conftest import RATINGS
from tests.metrics.neural.conftest import N_SEGMENTS, OUTPUTS, lines

SEGMENTS, TEXTS = range(N_SEGMENTS), lines(OUTPUTS[0])
SOURCES, REFERENCES = lines("source.test.txt"), lines("reference.test.txt")
Rating = tuple[Path, Path]  # interpreter and model


@pytest.fixture(autouse=True)
def _nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models said in other tests is not known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))


def run(python: Path, words: list[str], said: str = "", **more: str) -> str:
    done = subprocess.run(
        [str(python), "-W", "ignore", *words], input=said, check=True, capture_output=True, text=True,
        env={**variables(), **more}, timeout=300,
    )  # fmt: skip
    return done.stdout


def scorer(key: str, of: tuple[str, ...] = REFERENCES, **options: Any) -> JudgedScorer:
    metric = METRICS[key].configure("sacrebleu", options)
    made = metric.prepare(TestSet("test", tuple((line,) for line in of) or ((),) * N_SEGMENTS, source=SOURCES))
    assert isinstance(made, JudgedScorer)
    return made


def predicted(python: Path, folder: Path, tmp_path: Path, *more: str) -> list[float]:
    """What the authors' predict.py writes."""
    rows: list[Mapping[str, str]] = [
        {"source": source, "reference": reference, "hypothesis": text}
        for source, reference, text in zip(SOURCES, REFERENCES, TEXTS, strict=True)
    ]
    asked, written = tmp_path / "in.jsonl", tmp_path / "written" / "out.jsonl"
    asked.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ["-m", "metricx24.predict", "--tokenizer", str(folder), "--model_name_or_path", str(folder)]
    words += ["--max_input_length", "1536", "--batch_size", "1", "--input_file", str(asked)]
    run(python, [*words, "--output_file", str(written), *more], HF_DATASETS_CACHE=str(tmp_path / "datasets"))
    return [json.loads(line)["prediction"] for line in written.read_text(encoding="utf-8").splitlines()]


@pytest.mark.long
def test_metricx_equals_its_authors_program_to_the_bit(metricx_model: Rating, tmp_path: Path) -> None:
    python, folder = metricx_model
    said = predicted(python, folder, tmp_path)
    assert 0 < min(said) < max(said) < 25
    found = scorer("metricx-24").statistics(SEGMENTS, TEXTS)
    np.testing.assert_array_equal(found[:, 0], said)
    without = predicted(python, folder, tmp_path, "--qe", "true")
    assert without != said
    for one in (scorer("metricx-24", references="no"), scorer("metricx-24", ())):
        np.testing.assert_array_equal(one.statistics(SEGMENTS, TEXTS)[:, 0], without)
    parts = [scorer("metricx-24").statistics(SEGMENTS[start::3], TEXTS[start::3]) for start in range(3)]
    for start, part in enumerate(parts):
        np.testing.assert_array_equal(part, found[start::3])


@pytest.mark.long
def test_bleurt_equals_its_port_to_the_bit(bleurt_model: Rating) -> None:
    python, folder = bleurt_model
    pairs = json.dumps(list(zip(REFERENCES, TEXTS, strict=True)))
    said = json.loads(run(python, [str(RATINGS), "rate", str(folder)], pairs))
    assert np.ptp(said) > 0.1
    found = scorer("bleurt-20").statistics(SEGMENTS, TEXTS)
    np.testing.assert_array_equal(found[:, 0], [100 * one for one in said])


@pytest.mark.parametrize(("key", "program"), [("metricx-24", "metricx"), ("bleurt-20", "bleurt")])
def test_missing_program_names_the_command_that_installs_it(
    key: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    monkeypatch.setenv(f"MTEVAL_{program.upper()}", str(tmp_path))
    monkeypatch.setenv(f"MTEVAL_{program.upper()}_PYTHON", "/nowhere/python")
    if program == "metricx":
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        with pytest.raises(MissingDependencyError, match="mteval models get google/mt5-large --no-weights"):
            METRICS[key].configure("sacrebleu", {})
        (tmp_path / "spiece.model").touch()
    with pytest.raises(MissingDependencyError, match=rf"'/nowhere/python'.* bin/neural {program},"):
        METRICS[key].configure("sacrebleu", {})


def test_fewer_errors_are_better() -> None:
    assert [METRICS[key].notation.direction for key in ("metricx-24", "bleurt-20")] == ["↓", "↑"]


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ('{"model_type": "mt5"}', "metricx-24"),
        ('{"model_type": "bleurt"}', "bleurt-20"),
        ('{"model_type": "bert"}', ""),
    ],
)
def test_a_models_configuration_says_which_program_it_needs(config: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    found = ratings.family_of(tmp_path)
    assert (found.key if found else "") == key
