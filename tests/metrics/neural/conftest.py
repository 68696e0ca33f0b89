"""Test sets for learned metrics, and what COMET's own command says of them."""

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural.comet import Comet
from mteval.metrics.neural.comet_scores import CometScorer
from mteval.metrics.neural.environment import variables
from mteval.model import TestSet

SAMPLE = Path(__file__).parents[3] / "sample_data"
N_SEGMENTS = 24
KINDS = ("regression", "patched", "kiwi", "referenceless", "xcomet")
WITHOUT_REFERENCES = ("kiwi", "referenceless")
OUTPUTS = ("baseline/test.opt00.txt", "reordering/test.opt01.txt")


def lines(name: str) -> tuple[str, ...]:
    """The first lines of a file of the sample."""
    return tuple((SAMPLE / name).read_text(encoding="utf-8").splitlines()[:N_SEGMENTS])


@pytest.fixture
def test_set() -> TestSet:
    """Segments of the sample with their sources."""
    return TestSet("test", tuple((line,) for line in lines("reference.test.txt")), source=lines("source.test.txt"))


@pytest.fixture
def metric_of(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Comet]:
    """Makes a metric of a kind of model, in 16 bits unless said otherwise."""

    def made(kind: str, **options: OptionValue) -> Comet:
        monkeypatch.setenv("MTEVAL_COMET", str(tiny_models / kind))
        metric = METRICS["comet"].configure("sacrebleu", {"precision": "half", **options})
        assert isinstance(metric, Comet)
        return metric

    return made


@pytest.fixture
def scorer_of(metric_of: Callable[..., Comet], test_set: TestSet) -> Callable[..., CometScorer]:
    """Makes a scorer of a kind of model for the sample."""

    def made(kind: str, on: TestSet = test_set, **options: OptionValue) -> CometScorer:
        scorer = metric_of(kind, **options).prepare(on)
        assert isinstance(scorer, CometScorer)
        return scorer

    return made


@pytest.fixture(scope="session")
def said_by_comet_score(
    neural_python: Path, tiny_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, list[Mapping[str, Any]]]:
    """What COMET's own command writes of the outputs of the sample, one row each, by kind of model."""
    folder = tmp_path_factory.mktemp("comet-score")
    files = {name: folder / name.replace("/", "-") for name in ("source.test.txt", "reference.test.txt", *OUTPUTS)}
    for name, file in files.items():
        file.write_text("\n".join(lines(name)) + "\n", encoding="utf-8")
    source, reference, *outputs = map(str, files.values())
    commands = [
        [
            "-s",
            source,
            *([] if kind in WITHOUT_REFERENCES else ["-r", reference]),
            "-t",
            *outputs,
            "--model",
            str(tiny_models / kind / "checkpoints" / "model.ckpt"),
            "--to_json",
            str(folder / kind),
            "--gpus",
            "0",
            "--quiet",
            "--batch_size",
            "1",
        ]
        for kind in KINDS
    ]
    script = Path(__file__).with_name("comet_commands.py")
    subprocess.run(
        [neural_python, "-I", "-W", "ignore", script], input=json.dumps(commands), check=True, env=variables(),
        cwd=folder, encoding="utf-8", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    written = {kind: json.loads((folder / kind).read_text(encoding="utf-8")) for kind in KINDS}
    return {kind: [row for file in outputs for row in files[file]] for kind, files in written.items()}
