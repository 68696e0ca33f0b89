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
RowsOf = Mapping[str, list[Mapping[str, Any]]]  # by kind of model


@pytest.fixture(autouse=True)
def _nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models said in other tests is not known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))


def scores_in(rows: list[Mapping[str, Any]]) -> np.ndarray:
    """The scores in what COMET's own command wrote, one per output."""
    return np.array([row["COMET"] for row in rows])


@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_comets_own_command(kind: str, scorer_of: ScorerOf, rows_of_comet_score: RowsOf) -> None:
    expected = scores_in(rows_of_comet_score[kind])
    assert np.ptp(expected) > 0.01, "a model that says the same of everything shows nothing"
    scorer = scorer_of(kind, batch_size=1)
    np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * expected, atol=1e-9)


def test_reference_free_scoring_if_there_are_no_references(
    scorer_of: ScorerOf, rows_of_comet_score: RowsOf, test_set: TestSet
) -> None:
    expected = scores_in(rows_of_comet_score[ALONE])
    with_references = scores_in(rows_of_comet_score["xcomet"])
    assert np.abs(expected - with_references).max() > 0.001, "a model that does not look at them shows nothing"
    bare = replace(test_set, references=((),) * N_SEGMENTS)
    for several in ("mean", "best"):
        scorer = scorer_of("xcomet", on=bare, batch_size=1, references=several)
        np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * expected, atol=1e-9)


def test_context_scores_equal_comets_own_command(scorer_of: ScorerOf, rows_of_comet_score: RowsOf) -> None:
    expected = scores_in(rows_of_comet_score[CONTEXT])
    without_context = scores_in(rows_of_comet_score["regression"])
    assert np.abs(expected - without_context).max() > 0.001, "a model that does not look at it shows nothing"
    scorer = scorer_of("regression", batch_size=1, context=2)
    np.testing.assert_allclose(scorer.statistics(SEGMENTS, TEXTS)[:, 0], 100 * expected, atol=1e-9)


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


def test_errors_equal_comets_own_command(scorer_of: ScorerOf, rows_of_comet_score: RowsOf) -> None:
    expected_spans = []  # of each segment
    expected_counts = []  # segments x severities
    for row in rows_of_comet_score["xcomet"][:N_SEGMENTS]:
        errors = row.get("errors", ())
        expected_spans.append([(error["start"], error["end"], error["severity"]) for error in errors])
        severities = [error["severity"] for error in errors]
        expected_counts.append([severities.count(severity) for severity in SEVERITIES])
    assert np.sum(expected_counts) > 5

    scorer = scorer_of("xcomet", batch_size=1)
    run = Run("base", "0", lines(OUTPUTS[0]))
    assert scorer.error_spans(run) is None, "nothing is computed to show them"
    statistics = scorer.statistics(range(N_SEGMENTS), run.hypotheses)

    spans_of_segments = scorer.error_spans(run)
    assert spans_of_segments is not None
    for spans, expected in zip(spans_of_segments, expected_spans, strict=True):
        assert [(span.start, span.end, span.severity) for span in spans or ()] == expected
    np.testing.assert_array_equal(statistics[:, 2:], expected_counts)
    np.testing.assert_allclose(scorer.submetrics(statistics.sum(axis=0)), np.mean(expected_counts, axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_does_not_depend_on_the_samples_beside_it(kind: str, scorer_of: ScorerOf) -> None:
    expected = scorer_of(kind, batch_size=1, precision="single").statistics(SEGMENTS, TEXTS)
    for size in (5, 16):
        statistics = scorer_of(kind, batch_size=size, precision="single").statistics(SEGMENTS, TEXTS)
        np.testing.assert_array_equal(statistics, expected)
    scorer = scorer_of(kind, batch_size=15, precision="single")
    for start in (2, 0, 1):
        part = scorer.statistics(SEGMENTS[start::3], TEXTS[start::3])
        np.testing.assert_array_equal(part, expected[start::3])


def test_batch_size_affects_only_the_last_digits_in_half_precision(scorer_of: ScorerOf) -> None:
    alone = scorer_of("regression", batch_size=1).statistics(SEGMENTS, TEXTS)
    together = scorer_of("regression", batch_size=16).statistics(SEGMENTS, TEXTS)
    np.testing.assert_allclose(alone, together, atol=0.05)  # of 100


def test_several_references_combine_by_mean_or_best(scorer_of: ScorerOf, test_set: TestSet) -> None:
    texts = lines("baseline/test.opt01.txt")
    pairs = tuple(zip(lines(OUTPUTS[0]), lines(OUTPUTS[1]), strict=True))
    by_pairs = replace(test_set, references=pairs)
    by_first = replace(test_set, references=tuple((first,) for first, _ in pairs))
    by_second = replace(test_set, references=tuple((second,) for _, second in pairs))

    def scores(on: TestSet, **options: str) -> np.ndarray:
        return scorer_of("regression", on=on, **options).statistics(range(N_SEGMENTS), texts)[:, 0]

    single = np.array([scores(by_first), scores(by_second)])  # references x segments
    np.testing.assert_allclose(scores(by_pairs), single.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(scores(by_pairs, references="best"), single.max(axis=0), atol=0.05)


def test_each_distinct_sample_is_judged_once(scorer_of: ScorerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    n_judged: list[int] = []
    judge = models.Model.judge

    def counted(self: models.Model, samples: Any, *rest: Any) -> Any:
        n_judged.append(len(samples))
        return judge(self, samples, *rest)

    monkeypatch.setattr(models.Model, "judge", counted)
    first = scorer_of("regression").statistics([0, 1, 0, 0], ["a house", "a house", "a house", "the house"])
    assert n_judged == [3]
    again = scorer_of("regression").statistics([0, 1, 1], ["the house", "a house", "a tree"])
    assert n_judged == [3, 1]
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
    samples = [scorer.samples(segment, text)[0] for segment, text in zip(segments, texts, strict=True)]
    known = [judgement for judgement in scorer.panel.known(samples) if judgement]
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
    for part in ("kind:xcomet_metric", "precision:half", "batch:16", "device:cpu", "context:0"):
        assert f"|{part}" in signature
    for package in ("torch", "transformers", "unbabel-comet", "tokenizers"):
        assert f"|{package}:{versions[package]}" in signature
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
    in_half_precision = {"precision": "half"}
    options = {"comet": in_half_precision, "kiwi-22": in_half_precision}
    metrics = resolve(Settings(metrics=("comet", "kiwi-22"), options=options))
    runs = (Run("base", "0", lines(OUTPUTS[0])), Run("base", "1", lines(OUTPUTS[0])))
    experiment = Experiment((replace(test_set, runs=runs),), "base")
    reports: list[Progress] = []

    by_comet, by_kiwi = score_experiment(experiment, metrics, Work(report=reports.append))

    assert by_comet.metric.key == "comet"
    assert by_kiwi.metric.key == "kiwi-22"
    score_of_run, score_of_copy = by_comet.run_scores["base"]
    assert score_of_run == score_of_copy
    assert {report.task for report in reports} == {"Scoring COMET on test", "Scoring Kiwi-22 on test"}


def test_command_line_names_models_and_sets_their_options(
    tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MTEVAL_COMET", "")
    for name, sample in (("src", "source.test.txt"), ("ref", "reference.test.txt"), ("hyp", OUTPUTS[0])):
        (tmp_path / name).write_text("\n".join(lines(sample)) + "\n", encoding="utf-8")
    words = ["eval", "--refs", f"{tmp_path}/ref", "--hyps-baseline", f"{tmp_path}/hyp", "--boot-samples", "10"]
    words += ["--metrics", "bleu", "comet", "kiwi", "--source", f"{tmp_path}/src"]
    words += ["--comet.batchSize", "8", "--comet.precision", "half"]
    words += ["--comet.checkpoint", str(tiny_models / "regression"), f"kiwi={tiny_models / 'kiwi'}"]
    assert main([*words, "--json", f"{tmp_path}/out.json"]) == 0
    printed = capsys.readouterr()
    assert "no effect" not in printed.err
    assert (tmp_path / "out.json").read_text(encoding="utf-8").count("batch:8") >= 2


def test_hypotheses_of_a_list_are_ranked_without_references(
    metric_of: MetricOf, rows_of_comet_score: RowsOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metric_of("kiwi")
    entries = []
    for segment, pair in enumerate(zip(lines(OUTPUTS[0]), lines(OUTPUTS[1]), strict=True)):
        entries += [f"{segment} ||| {text} ||| f=1 ||| -1" for text in pair]
    for name, texts in (("list", entries), ("src", lines("source.test.txt"))):
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    words = ["nbest", "--nbest", f"{tmp_path}/list", "--source", f"{tmp_path}/src", "--metrics", "comet"]

    assert main([*words, "--comet.precision", "half", "--comet.batchSize", "1"]) == 0

    printed = capsys.readouterr().out.splitlines()
    scores = np.array([float(line.rpartition("comet=")[2]) for line in printed])
    ranks = [int(line.partition("cometRank=")[2][0]) for line in printed]
    # segments x outputs
    expected = scores_in(rows_of_comet_score["kiwi"]).reshape(2, N_SEGMENTS).T
    np.testing.assert_allclose(scores, 100 * expected.ravel(), atol=1e-9)
    expected_ranks = []
    for first, second in expected:
        expected_ranks += (0, 1) if first >= second else (1, 0)
    assert ranks == expected_ranks


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
