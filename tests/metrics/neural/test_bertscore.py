"""BERTScore by its real package, with a small model; its own command is the oracle."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.cli import main
from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural import models, worker
from mteval.metrics.neural.bertscore import BertScore
from mteval.metrics.neural.models import WorkerProcess
from mteval.metrics.neural.panel import BertScorer
from mteval.values.model import TestSet
from tests.conftest import BERTSCORE_MODEL
from tests.metrics.neural.conftest import N_SEGMENTS, OUTPUTS, lines, own_commands

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("bertscore_model")]

SEGMENTS = range(N_SEGMENTS)
TEXTS = lines(OUTPUTS[0])
ScorerOf = Callable[..., BertScorer]
RESCALED = {"layer": 2, "tokenizer": "slow", "rescale": "en"}


@pytest.fixture(autouse=True)
def _nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models said in other tests is not known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))


def metric(**options: OptionValue) -> BertScore:
    """BERTScore with the model of the environment."""
    made = METRICS["bertscore"].configure("sacrebleu", options)
    assert isinstance(made, BertScore)
    return made


@pytest.fixture
def scorer_of(test_set: TestSet) -> ScorerOf:
    """Makes a scorer for the sample."""

    def made(on: TestSet = test_set, **options: OptionValue) -> BertScorer:
        scorer = metric(**options).prepare(on)
        assert isinstance(scorer, BertScorer)
        return scorer

    return made


@pytest.fixture(scope="session")
def said(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the package's own command prints: with one reference, with two, and with all that can be chosen."""
    folder = tmp_path_factory.mktemp("bert-score")
    files = [folder / name.replace("/", "-") for name in ("reference.test.txt", *OUTPUTS)]
    for file, name in zip(files, ("reference.test.txt", *OUTPUTS), strict=True):
        file.write_text("\n".join(lines(name)) + "\n", encoding="utf-8")
    reference, output, other = map(str, files)
    asked = ["bert-score", "-s", "-b", "16", "-c", output, "-r", reference]
    otherwise = ["-l", "2", "--use_fast_tokenizer", "--rescale_with_baseline", "--lang", "en"]  # that word turns it off
    commands = [
        [*asked, "-m", BERTSCORE_MODEL],
        [*asked, other, "-m", BERTSCORE_MODEL],
        [*asked, "-m", "roberta-large", *otherwise],
    ]
    return own_commands(tiny_models / "bin" / "python", commands, tiny_models)


def numbers(printed: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Precision, recall and F of each segment, in percent."""
    rows = [[100 * float(word) for word in line.split("\t")] for line in printed.splitlines()[1:]]
    assert np.ptp(rows, axis=0).min() > 1, "a model that says the same of everything shows nothing"
    return np.array(rows)


def test_scores_equal_the_packages_own_command(scorer_of: ScorerOf, said: list[str]) -> None:
    scorer = scorer_of()
    statistics = scorer.statistics(SEGMENTS, TEXTS)
    np.testing.assert_allclose(statistics[:, [2, 3, 0]], numbers(said[0]), atol=2e-4)  # six decimals are printed
    total = statistics.sum(axis=0)
    means = [100 * float(word) for word in re.findall(r"[PRF]1?: ([\d.]+)", said[0])]
    np.testing.assert_allclose([*scorer.submetrics(total), scorer.score(total)], means, atol=2e-4)


def test_the_best_reference_counts_as_in_the_package(scorer_of: ScorerOf, test_set: TestSet, said: list[str]) -> None:
    both = replace(test_set, references=tuple(zip(lines("reference.test.txt"), lines(OUTPUTS[1]), strict=True)))
    found = scorer_of(on=both).statistics(SEGMENTS, TEXTS)[:, [2, 3, 0]]
    np.testing.assert_allclose(found, numbers(said[1]), atol=2e-4)
    assert np.abs(numbers(said[1]) - numbers(said[0])).max() > 0.1, "the second reference is the better one somewhere"


def test_layer_tokenizer_and_rescaling_equal_the_packages(
    scorer_of: ScorerOf, tiny_models: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(tiny_models / "roberta-large"))
    found = scorer_of(**RESCALED).statistics(SEGMENTS, TEXTS)[:, [2, 3, 0]]
    np.testing.assert_allclose(found, numbers(said[2]), atol=1e-3)
    assert metric(**RESCALED).signature().startswith(f"{said[2].split()[0]}|model:")


def test_signature_extends_the_packages_hash(said: list[str], bertscore_model: Path) -> None:
    signature = metric().signature()
    assert signature.startswith(f"{said[0].split()[0]}|model:")
    for part in ("bert-score:0.3.13", "batch:16", "pad:8", "device:cpu", "refs:best", "rescale:none"):
        assert f"|{part}" in signature
    assert "torch:" in signature
    assert str(bertscore_model) not in signature


SUMS_OF_LARGE_LAYERS = """
import runpy, sys
runpy.run_path(sys.argv[1])["Batches"].reproducible()
import torch
torch.manual_seed(1)
torch.set_num_threads(2)
weights, texts = torch.randn(4096, 1024), torch.randn(20, 32, 1024)
alone = torch.cat([torch.nn.functional.linear(text, weights) for text in texts.split(1)])
together = torch.nn.functional.linear(texts, weights)
print(torch.equal(alone, together))
"""


def test_large_layers_on_two_cores_round_the_same_in_any_batch(neural_python: Path) -> None:
    words = [neural_python, "-I", "-W", "ignore", "-c", SUMS_OF_LARGE_LAYERS, worker.__file__]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout == "True\n"


def test_a_score_does_not_depend_on_batch_devices_or_interruption(
    scorer_of: ScorerOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for size, devices in ((1, "cpu"), (5, "cpu"), (16, "cpu"), (16, "cpu,cpu")):
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / f"{size} {devices}"))
        monkeypatch.setenv("MTEVAL_NEURAL_DEVICES", devices)
        found.append(scorer_of(batch_size=size).statistics(SEGMENTS, TEXTS))
    np.testing.assert_array_equal(found[1:], [found[0]] * 3)
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "in parts"))
    scorer = scorer_of(batch_size=15)
    for start in (2, 0, 1):
        np.testing.assert_array_equal(scorer.statistics(SEGMENTS[start::3], TEXTS[start::3]), found[0][start::3])
    np.testing.assert_array_equal(scorer.statistics(SEGMENTS, TEXTS), found[0])  # resumed


def test_each_distinct_pair_is_judged_once_even_if_a_process_dies(
    scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    judge = models.Model.judge
    monkeypatch.setattr(
        models.Model, "judge", lambda self, samples, *rest: (asked.append(len(samples)), judge(self, samples, *rest))[1]
    )
    scorer = scorer_of()
    first = scorer.statistics([0, 1, 0], ["a house", "a house", "a house"])
    running = models.MODELS.of(scorer.panel.wanted)._process
    assert running is not None
    os.kill(running._process.pid, signal.SIGKILL)
    again = scorer.statistics([0, 1, 1], ["a house", "a house", "a tree"])
    assert asked == [2, 1]
    np.testing.assert_array_equal(again[:2], first[:2])
    assert np.isfinite(again).all()


def test_unknown_layer_is_an_error(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(tiny_models / "encoder"))
    with pytest.raises(SettingsError, match=r"no layer for 'encoder' .* Set 'layer'"):
        metric()
    assert "encoder_L1_no-idf" in metric(layer=1).signature()


def test_missing_baseline_error_lists_languages(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=rf"no such baseline for '{BERTSCORE_MODEL}'; expected none\."):
        metric(rescale="en")
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(tiny_models / "roberta-large"))
    with pytest.raises(SettingsError, match=r"'rescale' is 'cs', .* 'roberta-large'; expected none, en\."):
        metric(rescale="cs")


def test_missing_model_error_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(value: str, words: str) -> None:
        monkeypatch.setenv("MTEVAL_BERTSCORE", value)
        with pytest.raises((SettingsError, MissingDependencyError), match=words):
            metric()

    refused("", r"no model .*MTEVAL_BERTSCORE=/path/to/roberta-large .*--bertscore\.model")
    refused("/nowhere/roberta", r"'/nowhere/roberta' is neither a folder nor")
    refused(str(tmp_path), r"has no config\.json\..*transformers")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    refused(str(tmp_path), r"has no weights \(\*\.safetensors, \*\.bin\)")


def broken(folder: Path, kind: str) -> None:
    """Break a copy of the small model in one of several ways, or in none."""
    if kind == "damaged":
        (folder / "model.safetensors").write_bytes(b"no weights")
    elif kind in ("more layers", "endless"):
        file = folder / ("config.json" if kind == "more layers" else "tokenizer_config.json")
        told = {**json.loads(file.read_text(encoding="utf-8")), "num_hidden_layers": 3}
        told.pop("model_max_length", None)
        file.write_text(json.dumps(told), encoding="utf-8")


def test_broken_folder_is_an_error_when_loaded(neural_python: Path, bertscore_model: Path, tmp_path: Path) -> None:
    process = WorkerProcess(neural_python)  # one for all, since it takes seconds to load the packages

    def said_of(kind: str, **further: object) -> str:
        folder = shutil.copytree(bertscore_model, tmp_path / kind)
        broken(folder, kind)
        options = {"folder": str(folder), "name": "m", "layer": 1, "is_fast": True, "language": "", "device": "cpu"}
        process.say({"do": "load", "kind": "bertscore", "options": {**options, **further}})
        return str(process.answer(120))

    assert re.search(r"lack weights for \d+ parts of the model, .*encoder\.layer\.2", said_of("more layers"))
    assert re.search(r"no maximum text length: .*/tokenizer_config\.json", said_of("endless"))
    assert "Safetensor" in said_of("damaged")
    assert "num_layers should be between 0 and 2" in said_of("whole", layer=3)
    assert "'device': 'cpu'" in said_of("whole at last"), "what failed before leaves nothing behind"
    process.end()


def test_command_line_names_models_and_sets_their_options(
    bertscore_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MTEVAL_BERTSCORE")
    for name, of in (("ref", "reference.test.txt"), ("hyp", OUTPUTS[0])):
        (tmp_path / name).write_text("\n".join(lines(of)) + "\n", encoding="utf-8")
    words = ["eval", "--refs", f"{tmp_path}/ref", "--hyps-baseline", f"{tmp_path}/hyp", "--boot-samples", "10"]
    words += ["--metrics", "bleu", "tiny", "--bertscore.model", f"tiny={bertscore_model}"]
    words += ["--bertscore.batchSize", "8", "--json", f"{tmp_path}/out.json"]
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "no effect" not in printed.err
    assert "tiny" in printed.out
    assert "batch:8" in (tmp_path / "out.json").read_text(encoding="utf-8")
