"""Logs that other evaluation programs wrote (``logs/make_logs.py``) are systems, runs and items with their scores."""

import gzip
import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile
from mteval.readers.folders import load_told_apart
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles

LOGS = Path(__file__).parent / "logs"


def scores(folder: str) -> Mapping[tuple[str, str], Mapping[str, list[list[float]]]]:
    """Scores of all runs of a system, by test set and metric and then by system; runs in the order of their lists."""
    paths = [LOGS / folder]
    loaded = load_told_apart(paths, None, ScoreFiles(paths))
    assert loaded.is_of_scores
    scores_of: dict[tuple[str, str], dict[str, list[list[float]]]] = {}
    for metric in loaded.experiment.given:
        for run_scores in metric.scores:
            runs_of = scores_of.setdefault((run_scores.test_set, metric.key), {})
            runs = runs_of.setdefault(run_scores.system, [])
            runs.append([float(value) for value in run_scores.values])
            runs.sort()
    return scores_of


def test_inspect_s_logs_are_a_run_each_whose_epochs_are_averaged() -> None:
    assert scores("inspect") == {
        ("questions", "match"): {
            "mockllm/large": [[0, 1, 1], [1, 1, 1]],
            "mockllm/small": [[1, 0, 0], [1, 1, 0]],
        }
    }


def test_samples_of_the_harness_are_of_the_model_that_their_folder_is_called_after() -> None:
    logged = []
    for path in (LOGS / "harness").rglob("*.jsonl"):
        logged += [json.loads(line)["acc"] for line in path.read_text().splitlines()]

    (runs_of,) = scores("harness").values()

    first_run, second_run = runs_of["small"]
    assert len(first_run) == 3
    assert len(second_run) == 3
    assert sorted(first_run + second_run) == sorted(logged)


def test_promptfoo_s_providers_are_systems_and_its_assertions_scores() -> None:
    assert scores("promptfoo") == {
        ("test", "promptfoo"): {"plain": [[1, 1, 1]], "shouting": [[0, 1, 1]]},
        ("test", "exact"): {"plain": [[1, 1, 1]], "shouting": [[0, 1, 1]]},
    }


def test_a_table_of_weights_and_biases_has_columns_as_any_table() -> None:
    assert scores("wandb") == {("test", "accuracy"): {"large": [[0, 1, 1], [1, 1, 1]], "small": [[1, 0, 0], [1, 1, 0]]}}


def test_answers_and_questions_stand_beside_the_scores() -> None:
    (test_set,) = load_told_apart([LOGS / "inspect"], None, ScoreFiles([LOGS / "inspect"])).experiment.test_sets
    assert test_set.references == (("Paris",), ("4",), ("white",))
    assert test_set.source == ("Capital of France?", "Two plus two?", "Colour of snow?")
    answers = sorted(run.hypotheses for run in test_set.runs_of("mockllm/large"))
    assert answers == [("Lyon", "4", "white"), ("Paris", "4", "white")]


def test_archive_with_one_file_per_sample_is_one_log() -> None:
    """Inspect's format .eval: a header, and a file for each sample and epoch."""
    content = next((LOGS / "inspect").glob("*large-0*")).read_bytes()
    header = json.loads(gzip.decompress(content))
    samples = header.pop("samples")
    archive_content = BytesIO()
    with zipfile.ZipFile(archive_content, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))

    ((from_archive,), problems) = unpack([InputFile("log.eval", archive_content.getvalue())])

    assert problems == ()
    ((from_one_file,), _) = unpack([InputFile("log.json.gz", content)])
    scores_in_archive = [stream.scores for stream in from_archive.streams]
    assert scores_in_archive == [stream.scores for stream in from_one_file.streams]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"eval": {"model": "m"}, "samples": [{"id": 1}]}',
            "log of Inspect has a structure that mteval does not know",
        ),
        ('{"evalId": "e", "results": {"results": []}}', "log of promptfoo has no answers"),
        ('{"columns": ["model", "output"], "data": [["m", "a"]]}', "log of Weights & Biases has no scores"),
        ('{"columns": ["model", "output", "score"], "data": [["m", "a"]]}', "does not know"),
        ('{"doc_id": 0, "filtered_resps": ["a"], "metrics": ["acc"]}', "does not know .KeyError: 'acc'.. Known: 0.4.0"),
        ('{"eval": {"packages": {"inspect_ai": "0.9.1"}}, "samples": [{"id": 1}]}', "It states version 0.9.1"),
        (
            '{"doc_id": 0, "filtered_resps": ["a"], "met',
            "This log of lm-evaluation-harness is damaged: it is not valid",
        ),
        ('{"evalId": "e", "results": {"results": [', "This log of promptfoo is damaged: it is not valid JSON"),
    ],
)
def test_unreadable_log_is_damaged_only_if_it_is_torn(text: str, message: str) -> None:
    documents, problems = unpack([InputFile("log.json", text.encode())])
    assert documents == ()
    with pytest.raises(InputError, match=message):
        raise problems[0].as_error()
