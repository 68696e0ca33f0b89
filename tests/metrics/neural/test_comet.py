"""COMET by its real package, with small models of each of its kinds; its own command is the oracle."""

import os
import pickle
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mteval.analysis.scoring import Progress, Work, score_experiment
from mteval.base.errors import CancelledError, DataError, MissingDependencyError, MtevalError, SettingsError
from mteval.cli import main
from mteval.metrics import METRICS, resolve
from mteval.metrics.neural import models, panel, worker
from mteval.metrics.neural.comet import Comet
from mteval.metrics.neural.environment import packages
from mteval.metrics.neural.panel import CometScorer
from mteval.values.judgements import SEVERITIES
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.metrics.neural.conftest import ALONE, CONTEXT, KINDS, N_SEGMENTS, OUTPUTS, lines

pytestmark = pytest.mark.long

SEGMENTS = [*range(N_SEGMENTS)] * 2
TEXTS = [text for name in OUTPUTS for text in lines(name)]
TEST_SET = TestSet("test", (("a house",),), source=("ein Haus",))
ScorerOf = Callable[..., CometScorer]
MetricOf = Callable[..., Comet]
Said = Mapping[str, list[Mapping[str, Any]]]


@pytest.fixture(autouse=True)
def _nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models said in other tests is not known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_comets_own_command(kind: str, scorer_of: ScorerOf, said_by_comet_score: Said) -> None:
    said = np.array([row["COMET"] for row in said_by_comet_score[kind]])
    assert np.ptp(said) > 0.01, "a model that says the same of everything shows nothing"
    scorer = scorer_of(kind, batch_size=1)
    np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * said, atol=1e-9)


def test_reference_free_scoring_if_there_are_no_references(
    scorer_of: ScorerOf, said_by_comet_score: Said, test_set: TestSet
) -> None:
    said, compared = (np.array([row["COMET"] for row in said_by_comet_score[kind]]) for kind in (ALONE, "xcomet"))
    assert np.abs(said - compared).max() > 0.001, "a model that does not look at them shows nothing"
    bare = replace(test_set, references=((),) * N_SEGMENTS)
    for several in ("mean", "best"):
        scorer = scorer_of("xcomet", on=bare, batch_size=1, references=several)
        np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * said, atol=1e-9)


def test_context_scores_equal_comets_own_command(scorer_of: ScorerOf, said_by_comet_score: Said) -> None:
    said, alone = (np.array([row["COMET"] for row in said_by_comet_score[kind]]) for kind in (CONTEXT, "regression"))
    assert np.abs(said - alone).max() > 0.001, "a model that does not look at them shows nothing"
    scorer = scorer_of("regression", batch_size=1, context=2)
    np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * said, atol=1e-9)


def test_context_needs_documents_and_a_model_that_reads_it(metric_of: MetricOf, test_set: TestSet) -> None:
    metric = metric_of("regression", context=2)
    assert "|context:2|" in metric.signature()
    assert "documents" in metric.reads
    assert "documents" not in metric_of("regression").reads
    with pytest.raises(DataError, match=r"reads 2 sentences of context, .* 'test' has no document IDs"):
        metric.prepare(replace(test_set, documents=None))
    for kind in ("kiwi", "referenceless", "xcomet"):
        with pytest.raises(SettingsError, match=r"'context' is 2, .* expected a regression_metric with the pooling"):
            metric_of(kind, context=2)


def test_errors_equal_comets_own_command(scorer_of: ScorerOf, said_by_comet_score: Said) -> None:
    rows = said_by_comet_score["xcomet"][:N_SEGMENTS]
    said = [[(span["start"], span["end"], span["severity"]) for span in row.get("errors", ())] for row in rows]
    assert sum(map(len, said)) > 5
    scorer = scorer_of("xcomet", batch_size=1)
    run = Run("base", "0", lines(OUTPUTS[0]))
    assert scorer.error_spans(run) is None, "nothing is computed to show them"
    statistics = scorer.statistics(range(N_SEGMENTS), run.hypotheses)
    found = scorer.error_spans(run)
    assert found is not None
    assert [[(one.start, one.end, one.severity) for one in spans or ()] for spans in found] == said
    counts = [[[span[2] for span in spans].count(severity) for severity in SEVERITIES] for spans in said]
    np.testing.assert_array_equal(statistics[:, 2:], counts)
    np.testing.assert_allclose(scorer.submetrics(statistics.sum(axis=0)), np.mean(counts, axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_does_not_depend_on_the_samples_beside_it(kind: str, scorer_of: ScorerOf) -> None:
    found = [scorer_of(kind, batch_size=size, precision="single").statistics(SEGMENTS, TEXTS) for size in (1, 5, 16)]
    np.testing.assert_array_equal(found[1:], [found[0]] * 2)
    scorer = scorer_of(kind, batch_size=15, precision="single")
    some = [scorer.statistics(SEGMENTS[start::3], TEXTS[start::3]) for start in (2, 0, 1)]
    for start, part in zip((2, 0, 1), some, strict=True):
        np.testing.assert_array_equal(part, found[0][start::3])


def test_batch_size_affects_only_the_last_digits_in_half_precision(scorer_of: ScorerOf) -> None:
    alone, together = (scorer_of("regression", batch_size=size).statistics(SEGMENTS, TEXTS) for size in (1, 16))
    np.testing.assert_allclose(alone, together, atol=0.05)  # of 100


def test_several_references_combine_by_mean_or_best(scorer_of: ScorerOf, test_set: TestSet) -> None:
    others = lines(OUTPUTS[1])
    sets = [replace(test_set, references=tuple((text,) for text in texts)) for texts in (lines(OUTPUTS[0]), others)]
    both = replace(test_set, references=tuple(zip(lines(OUTPUTS[0]), others, strict=True)))
    asked = range(N_SEGMENTS), lines("baseline/test.opt01.txt")
    single = np.array([scorer_of("regression", on=one).statistics(*asked)[:, 0] for one in sets])
    np.testing.assert_allclose(
        scorer_of("regression", on=both).statistics(*asked)[:, 0], single.mean(axis=0), atol=0.05
    )
    best = scorer_of("regression", on=both, references="best").statistics(*asked)[:, 0]
    np.testing.assert_allclose(best, single.max(axis=0), atol=0.05)


def test_each_distinct_sample_is_judged_once(scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    judge = models.Model.judge
    monkeypatch.setattr(
        models.Model, "judge", lambda self, samples, *rest: (asked.append(len(samples)), judge(self, samples, *rest))[1]
    )
    first = scorer_of("regression").statistics([0, 1, 0, 0], ["a house", "a house", "a house", "the house"])
    assert asked == [3]
    again = scorer_of("regression").statistics([0, 1, 1], ["the house", "a house", "a tree"])
    assert asked == [3, 1]
    np.testing.assert_array_equal(again[:2], first[[3, 1]])


def test_two_devices_give_the_bits_of_one(scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = scorer_of("regression", precision="single").statistics(SEGMENTS, TEXTS)
    monkeypatch.setenv("MTEVAL_NEURAL_DEVICES", "cpu,cpu")
    scorer = scorer_of("regression", precision="single")
    assert scorer.panel.devices == ("cpu", "cpu")
    monkeypatch.setattr(panel, "kept_judgements", lambda keys: {})
    np.testing.assert_array_equal(scorer.statistics(SEGMENTS, TEXTS), expected)
    monkeypatch.setenv("MTEVAL_NEURAL_DEVICES", "gpu")
    with pytest.raises(SettingsError, match="MTEVAL_NEURAL_DEVICES has 'gpu'; expected auto, cpu"):
        scorer_of("regression")


def test_a_cold_interpreter_gives_the_same_scores(
    neural_python: Path, scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = scorer_of("xcomet", batch_size=1)
    expected = warm.statistics(SEGMENTS, TEXTS)
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", str(neural_python))
    monkeypatch.setattr(panel, "kept_judgements", lambda keys: {})
    scorer = scorer_of("xcomet", batch_size=1)
    assert scorer.panel.wanted.python != warm.panel.wanted.python
    assert scorer.panel.signature == warm.panel.signature
    np.testing.assert_array_equal(scorer.statistics(SEGMENTS, TEXTS), expected)


def process_of(scorer: CometScorer) -> int:
    """The process in which its model is."""
    running = models.MODELS.of(scorer.panel.wanted)._process
    assert running is not None
    return running._process.pid


def test_a_killed_process_is_restarted(scorer_of: ScorerOf) -> None:
    scorer = scorer_of("regression", batch_size=1)
    expected = scorer_of("regression", batch_size=1).statistics(SEGMENTS, TEXTS[::-1])
    seen: list[float] = []

    def kill_once(done: float) -> None:
        if done < 1 and not seen:
            os.kill(process_of(scorer), signal.SIGKILL)
        seen.append(done)

    statistics, _ = scorer.statistics_and_more(SEGMENTS, TEXTS, kill_once)
    assert seen == sorted(seen)
    assert np.isfinite(statistics).all()
    np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS[::-1]), expected)


def await_end_of(process: subprocess.Popen[str]) -> None:
    """Until nobody can write for it: a copy of the warm interpreter dies a moment after the process that it serves."""
    ended = select.poll()
    ended.register(process.stdout or 0, 0)
    assert ended.poll(10_000)


def test_a_process_that_keeps_dying_is_an_error_with_remedy(
    scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = scorer_of("regression")
    scorer.statistics([0], ["warm"])

    loaded = models.Model._loaded

    def loaded_and_killed(model: models.Model, stop: Event) -> object:
        process = loaded(model, stop)
        os.kill(process._process.pid, signal.SIGKILL)
        await_end_of(process._process)
        return process

    monkeypatch.setattr(models.Model, "_loaded", loaded_and_killed)
    with pytest.raises(MtevalError, match=r"its process ended twice \(status -9\), with 1 output left"):
        scorer.statistics([0], ["cold"])


def test_it_stops_within_a_second_and_resumes(scorer_of: ScorerOf, test_set: TestSet) -> None:
    texts = [f"{text} {number}" for number in range(60) for text in lines(OUTPUTS[0])]
    segments = [*range(N_SEGMENTS)] * 60
    scorer = scorer_of("regression", batch_size=1)
    stopped_at: list[float] = []

    def stop_soon(done: float) -> None:
        if done > 0:
            stopped_at.append(time.monotonic())
            raise CancelledError("enough")

    with pytest.raises(CancelledError):
        scorer.statistics_and_more(segments, texts, stop_soon)
    assert time.monotonic() - stopped_at[0] < 2
    known = [
        one
        for one in scorer.panel.known([scorer.samples(*pair)[0] for pair in zip(segments, texts, strict=True)])
        if one
    ]
    assert 0 < len(known) < len(texts)
    assert models.MODELS.of(scorer.panel.wanted)._process is not None, "it stays warm"


def test_out_of_memory_error_names_batch_and_remedy(
    neural_python: Path, scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "import torch\ntry:\n torch.empty(10**15)\nexcept RuntimeError as error:\n print(error)"
    done = subprocess.run([neural_python, "-I", "-c", script], capture_output=True, check=True, encoding="utf-8")
    answer = worker.failure(RuntimeError(done.stdout.strip()))
    monkeypatch.setattr(models.Model, "_next", lambda *_: answer)
    scorer = scorer_of("kiwi", batch_size=512)
    monkeypatch.setattr(panel, "MODELS", models.Models())
    with pytest.raises(MissingDependencyError, match=r"cannot be loaded .* Not enough memory on cpu: close"):
        scorer.statistics([0], ["a house"])
    monkeypatch.setattr(models.Model, "_loaded", lambda *_: SimpleNamespace(say=lambda request: None))
    with pytest.raises(MtevalError, match=r"Not enough memory on cpu for a batch of 512: reduce"):
        scorer.statistics([0], ["a house"])


def test_unsupported_or_broken_checkpoint_is_an_error(
    neural_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "other"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"no model")
    (folder / "hparams.yaml").write_text("class_identifier: ranking_metric\n", encoding="utf-8")
    monkeypatch.setenv("MTEVAL_COMET", str(folder))
    with pytest.raises(SettingsError, match=r"names 'ranking_metric' as class_identifier; expected regression_metric"):
        METRICS["comet"].configure("sacrebleu", {})
    (folder / "hparams.yaml").write_text("class_identifier: regression_metric\n", encoding="utf-8")
    scorer = METRICS["comet"].configure("sacrebleu", {}).prepare(TEST_SET)
    with pytest.raises(MissingDependencyError, match=r"model\.ckpt'\) cannot be loaded with .* on cpu: \w+"):
        scorer.statistics([0], ["text"])
    (folder / "checkpoints" / "model.ckpt").unlink()
    monkeypatch.setenv("MTEVAL_COMET", str(folder / "checkpoints" / "model.ckpt"))
    with pytest.raises(SettingsError, match="does not exist"):
        METRICS["comet"].configure("sacrebleu", {})


def test_signature_names_model_options_packages_and_device(metric_of: MetricOf, neural_python: Path) -> None:
    signature = metric_of("xcomet").signature()
    versions = packages(neural_python).versions
    for part in (
        "kind:xcomet_metric", "precision:half", "batch:16", "device:cpu", f"torch:{versions['torch']}",
        f"transformers:{versions['transformers']}", f"unbabel-comet:{versions['unbabel-comet']}",
        f"tokenizers:{versions['tokenizers']}", "context:0",
    ):  # fmt: skip
        assert f"|{part}" in signature
    assert signature != metric_of("regression").signature()


def test_no_references_needed_without_references(metric_of: MetricOf) -> None:
    assert metric_of("kiwi").reads == ("source",)
    assert metric_of("referenceless").reads == ("source",)
    assert metric_of("regression").reads == ("references", "source")
    with pytest.raises(DataError, match=r"needs source sentences, and test set 'bare' has none.*role 'source'"):
        metric_of("kiwi").prepare(TestSet("bare", (("a house",),)))


def test_a_pickled_scorer_holds_no_model(scorer_of: ScorerOf) -> None:
    scorer = scorer_of("regression")
    parcel = pickle.dumps(scorer)
    assert len(parcel) < 10_000
    np.testing.assert_array_equal(pickle.loads(parcel).statistics([0], ["a"]), scorer.statistics([0], ["a"]))


def test_missing_checkpoint_or_package_error_names_the_remedy(
    comet_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", "/nowhere/python")
    with pytest.raises(MissingDependencyError, match=r"'/nowhere/python'.*bin/neural"):
        METRICS["comet"].configure("sacrebleu", {})
    monkeypatch.delenv("MTEVAL_COMET")
    with pytest.raises(MissingDependencyError, match=r"no checkpoint .*MTEVAL_COMET=/path"):
        METRICS["comet"].configure("sacrebleu", {})
    with pytest.raises(SettingsError, match="COMET has no option 'checkpoint'"):
        METRICS["comet"].configure("sacrebleu", {"checkpoint": str(comet_checkpoint)})


def test_named_models_are_metrics_and_report_progress(
    tiny_models: Path, test_set: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_COMET", f"{tiny_models / 'regression'}:Kiwi-22={tiny_models / 'kiwi'}")
    assert METRICS["kiwi-22"].name == "Kiwi-22"
    metrics = resolve(
        Settings(metrics=("comet", "kiwi-22"), options={key: {"precision": "half"} for key in ("comet", "kiwi-22")})
    )
    told: list[Progress] = []
    runs = (Run("base", "0", lines(OUTPUTS[0])), Run("base", "1", lines(OUTPUTS[0])))
    scored = score_experiment(Experiment((replace(test_set, runs=runs),), "base"), metrics, Work(report=told.append))
    assert [one.metric.key for one in scored] == ["comet", "kiwi-22"]
    assert scored[0].run_scores["base"][0] == scored[0].run_scores["base"][1]
    assert {one.task for one in told} == {"Scoring COMET on test", "Scoring Kiwi-22 on test"}


def test_command_line_names_models_and_sets_their_options(
    tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MTEVAL_COMET", "")
    for name, of in (("src", "source.test.txt"), ("ref", "reference.test.txt"), ("hyp", OUTPUTS[0])):
        (tmp_path / name).write_text("\n".join(lines(of)) + "\n", encoding="utf-8")
    words = ["eval", "--refs", f"{tmp_path}/ref", "--hyps-baseline", f"{tmp_path}/hyp", "--boot-samples", "10"]
    words += [
        "--metrics",
        "bleu",
        "comet",
        "kiwi",
        "--source",
        f"{tmp_path}/src",
        "--comet.batchSize",
        "8",
        "--comet.precision",
        "half",
    ]
    words += ["--comet.checkpoint", str(tiny_models / "regression"), f"kiwi={tiny_models / 'kiwi'}"]
    assert main([*words, "--json", f"{tmp_path}/out.json"]) == 0
    printed = capsys.readouterr()
    assert "no effect" not in printed.err
    assert (tmp_path / "out.json").read_text(encoding="utf-8").count("batch:8") >= 2


def test_hypotheses_of_a_list_are_ranked_without_references(
    metric_of: MetricOf, said_by_comet_score: Said, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metric_of("kiwi")
    listed = [
        f"{segment} ||| {lines(name)[segment]} ||| f=1 ||| -1" for segment in range(N_SEGMENTS) for name in OUTPUTS
    ]
    for name, texts in (("list", listed), ("src", lines("source.test.txt"))):
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    words = ["nbest", "--nbest", f"{tmp_path}/list", "--source", f"{tmp_path}/src", "--metrics", "comet"]
    assert main([*words, "--comet.precision", "half", "--comet.batchSize", "1"]) == 0
    printed = capsys.readouterr().out.splitlines()
    said = np.array([row["COMET"] for row in said_by_comet_score["kiwi"]]).reshape(2, N_SEGMENTS).T
    scores = np.array([float(line.rpartition("comet=")[2]) for line in printed])
    np.testing.assert_allclose(scores, 100 * said.ravel(), atol=1e-9)
    ranks = [int(line.partition("cometRank=")[2][0]) for line in printed]
    assert ranks == [rank for first, second in said for rank in ((0, 1) if first >= second else (1, 0))]


def test_damaged_cache_costs_only_time(scorer_of: ScorerOf, tmp_path: Path) -> None:
    scorer = scorer_of("regression")
    expected = scorer.statistics([0, 1], ["a house", "a tree"])
    file = tmp_path / "cache" / "judgements.sqlite"
    content = bytearray(file.read_bytes())
    place = content.rindex(b'"score": ')
    content[place + 12] ^= 1
    file.write_bytes(content)
    np.testing.assert_array_equal(scorer.statistics([0, 1], ["a house", "a tree"]), expected)
    file.write_bytes(b"no database at all" * 100)
    np.testing.assert_array_equal(scorer.statistics([0, 1], ["a house", "a tree"]), expected)
