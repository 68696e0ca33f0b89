"""Test sets for learned metrics, and what their packages' own commands say of them."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
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
DOCUMENTS = [segment // 5 for segment in range(N_SEGMENTS)]
OUTPUTS = ("baseline/test.opt00.txt", "reordering/test.opt01.txt")
# Kinds of models, and two more ways to ask them.
KINDS = ("regression", "patched", "kiwi", "referenceless", "xcomet")
CONTEXT = "regression with context"
ALONE = "xcomet without references"
WITHOUT_REFERENCES = ("kiwi", "referenceless", ALONE)


def lines(name: str) -> tuple[str, ...]:
    """The first lines of a file of the sample."""
    return tuple((SAMPLE / name).read_text(encoding="utf-8").splitlines()[:N_SEGMENTS])


def own_commands(python: Path, commands: Sequence[Sequence[str]], folder: Path) -> list[str]:
    """What commands of the packages print, run in a folder."""
    script = Path(__file__).with_name("own_commands.py")
    done = subprocess.run(
        [python, "-I", "-W", "ignore", script],
        input=json.dumps(commands),
        check=True,
        env=variables(),
        cwd=folder,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=600,
    )
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
def rows_of_comet_score(
    tiny_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, list[Mapping[str, Any]]]:
    """What COMET's own command writes of the outputs of the sample, one row each, by kind of model."""
    folder = tmp_path_factory.mktemp("comet-score")
    _write_texts(folder / "plain", folder / "context")
    result_of = {kind: folder / f"{kind}.json" for kind in (*KINDS, CONTEXT, ALONE)}
    commands = []
    for kind, result in result_of.items():
        texts = folder / ("context" if kind == CONTEXT else "plain")
        model = tiny_models / kind.split()[0] / "checkpoints" / "model.ckpt"
        command = ["comet-score", "-s", str(texts / "source.test.txt")]
        if kind not in WITHOUT_REFERENCES:
            command += ["-r", str(texts / "reference.test.txt")]
        command += ["-t", *[str(texts / name) for name in OUTPUTS]]
        command += ["--model", str(model), "--to_json", str(result), "--gpus", "0", "--quiet", "--batch_size", "1"]
        if kind == CONTEXT:
            command.append("--enable-context")
        commands.append(command)
    own_commands(tiny_models / "bin" / "python", commands, folder)

    rows_of = {}
    for kind, result in result_of.items():
        rows_of_output = json.loads(result.read_text(encoding="utf-8"))
        rows_of[kind] = list(chain.from_iterable(rows_of_output.values()))
    return rows_of


def _write_texts(plain: Path, context: Path) -> None:
    """Write the texts of the sample into two folders: as they are, and as they are taken with context."""
    references = lines("reference.test.txt")
    for name in ("source.test.txt", "reference.test.txt", *OUTPUTS):
        texts = lines(name)
        before = texts if name.startswith("source") else references
        _write(plain / name, texts)
        _write(context / name, with_context(texts, before))


def with_context(texts: Sequence[str], before: Sequence[str]) -> list[str]:
    """Texts as COMET's command takes them with context: after the two before in their document, between separators."""
    with_those_before = []
    for segment, text in enumerate(texts):
        parts = []
        for earlier in range(max(0, segment - 2), segment):
            if DOCUMENTS[earlier] == DOCUMENTS[segment]:
                parts.append(before[earlier])
        with_those_before.append(" </s> ".join([*parts, text]))
    return with_those_before


def _write(file: Path, texts: Sequence[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
