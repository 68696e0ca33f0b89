"""Test sets for learned metrics, and what their packages' own commands say of them."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural import models
from mteval.metrics.neural.comet import Comet
from mteval.metrics.neural.environment import variables
from mteval.metrics.neural.panel import CometScorer
from mteval.values.model import TestSet

SAMPLE = Path(__file__).parents[3] / "sample_data"
N_SEGMENTS = 24
KINDS = ("regression", "patched", "kiwi", "referenceless", "xcomet")
CONTEXT, DOCUMENTS = "regression with context", [number // 5 for number in range(N_SEGMENTS)]
ALONE = "xcomet without references"
WITHOUT_REFERENCES = ("kiwi", "referenceless", ALONE)
OUTPUTS = ("baseline/test.opt00.txt", "reordering/test.opt01.txt")


def lines(name: str) -> tuple[str, ...]:
    """The first lines of a file of the sample."""
    return tuple((SAMPLE / name).read_text(encoding="utf-8").splitlines()[:N_SEGMENTS])


def own_commands(python: Path, commands: Sequence[Sequence[str]], folder: Path) -> list[str]:
    """What commands of the packages print, run in a folder."""
    script = Path(__file__).with_name("own_commands.py")
    done = subprocess.run(
        [python, "-I", "-W", "ignore", script], input=json.dumps(commands), check=True, env=variables(), cwd=folder,
        encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    return done.stdout.split("end of a command\n")[:-1]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """More small models stay loaded than large ones could, since each takes seconds."""
    monkeypatch.setattr(models, "MOST_LOADED", 6)


@pytest.fixture
def test_set() -> TestSet:
    """Segments of the sample with their sources, five a document."""
    references = tuple((line,) for line in lines("reference.test.txt"))
    return TestSet("test", references, source=lines("source.test.txt"), documents=tuple(map(str, DOCUMENTS)))


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
    tiny_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, list[Mapping[str, Any]]]:
    """What COMET's own command writes of the outputs of the sample, one row each, by kind of model."""
    folder = tmp_path_factory.mktemp("comet-score")
    reference = lines("reference.test.txt")
    plain, context = folder / "plain", folder / "context"
    for name in ("source.test.txt", "reference.test.txt", *OUTPUTS):
        texts = lines(name)
        _write(plain / name, texts)
        _write(context / name, with_context(texts, texts if name.startswith("source") else reference))
    commands = []
    for kind in (*KINDS, CONTEXT, ALONE):
        of = context if kind == CONTEXT else plain
        model = tiny_models / kind.split()[0] / "checkpoints" / "model.ckpt"
        references = [] if kind in WITHOUT_REFERENCES else ["-r", str(of / "reference.test.txt")]
        texts = ["-s", str(of / "source.test.txt"), *references, "-t", *(str(of / name) for name in OUTPUTS)]
        how = ["--gpus", "0", "--quiet", "--batch_size", "1", *(["--enable-context"] if kind == CONTEXT else [])]
        commands.append(["comet-score", *texts, "--model", str(model), "--to_json", str(folder / f"{kind}.json"), *how])
    own_commands(tiny_models / "bin" / "python", commands, folder)
    written = {
        kind: json.loads((folder / f"{kind}.json").read_text(encoding="utf-8")) for kind in (*KINDS, CONTEXT, ALONE)
    }
    return {kind: [row for rows in files.values() for row in rows] for kind, files in written.items()}


def with_context(texts: Sequence[str], before: Sequence[str]) -> list[str]:
    """Texts as COMET's command takes them with context: after the two before in their document, between separators."""
    return [
        " </s> ".join([*(before[one] for one in range(max(0, place - 2), place) if DOCUMENTS[one] == own), text])
        for place, (text, own) in enumerate(zip(texts, DOCUMENTS, strict=True))
    ]


def _write(file: Path, texts: Sequence[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
