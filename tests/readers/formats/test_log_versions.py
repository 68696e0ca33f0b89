"""Logs of older and newer versions of a program have the scores that stand in them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from mteval.base.errors import InputError
from mteval.readers.checks import check
from mteval.readers.disk import Loaded
from mteval.readers.documents import InputFile
from mteval.readers.folders import load_told_apart
from mteval.readers.formats.uploads import unpack
from mteval.readers.named_files import ScoreFiles

# Right answers of two models to 12 items
RIGHT: Mapping[str, Sequence[int]] = {
    "base": (1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0),
    "new": (1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1),
}
MEANS = {model: pytest.approx(mean(right)) for model, right in RIGHT.items()}


def load(folder: Path, files: Mapping[str, str]) -> Loaded:
    """Write files below a folder, and load it as logs."""
    for name, text in files.items():
        path = folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_told_apart([folder / "logs"], None, ScoreFiles([folder / "logs"]))


def means(loaded: Loaded) -> Mapping[str, Mapping[str, float]]:
    """Mean scores by metric and system."""
    found: dict[str, dict[str, float]] = {}
    for metric in loaded.experiment.given:
        for scores in metric.scores:
            values = [value for value in scores.values if value is not None]
            found.setdefault(metric.name, {})[scores.system] = mean(values)
    return found


# lm-evaluation-harness


def sample(item: int, right: int, **further: Any) -> dict[str, Any]:
    """A sample as version 0.4.0 writes it, with further keys of later versions."""
    answer = str(item) if right else "?"
    return {
        "doc_id": item,
        "doc": {"question": f"question {item}"},
        "target": str(item),
        "arguments": [[f"Q: {item}", {"until": ["\n"]}]],
        "resps": [[f"The answer is {answer}"]],
        "filtered_resps": [answer],
        **further,
        "exact_match": float(right),
    }


def test_samples_without_names_of_metrics_have_what_remains_as_scores(tmp_path: Path) -> None:
    files = {}
    for model, right in RIGHT.items():
        rows = [sample(item, score, doc_hash="d", prompt_hash="p", target_hash="t") for item, score in enumerate(right)]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        files[f"org__{model}/samples_sums_2024-10-10T10-00-00.000000.jsonl"] = text
    expected = {"exact_match": {f"org__{model}": value for model, value in MEANS.items()}}
    assert means(load(tmp_path, files)) == expected


def old_harness(right: Sequence[int]) -> str:
    """The array of samples that versions before 0.4.3 write."""
    return json.dumps([sample(item, score) for item, score in enumerate(right)], indent=2)


@pytest.mark.parametrize(
    "name",
    [
        "{model}/pretrained__org__{model}_arc_easy.jsonl",
        "pretrained__org__{model}_arc_easy.jsonl",
        "pretrained__org__{model},revision__step100,dtype__float_arc_easy.jsonl",
    ],
)
def test_array_of_samples_is_of_the_model_and_task_in_the_file_name(tmp_path: Path, name: str) -> None:
    files = {name.format(model=model): old_harness(right) for model, right in RIGHT.items()}
    loaded = load(tmp_path, files)
    assert means(loaded) == {"exact_match": MEANS}
    assert [test_set.name for test_set in loaded.experiment.test_sets] == ["arc_easy"]


def test_folders_of_the_old_harness_that_are_not_named_after_models_are_runs(tmp_path: Path) -> None:
    files = {}
    for seed in range(2):
        for model, right in RIGHT.items():
            files[f"seed{seed}/pretrained__org__{model}_sums.jsonl"] = old_harness(right[seed:] + right[:seed])
    experiment = load(tmp_path, files).experiment
    assert {system.key: system.runs for system in experiment.systems} == {
        "base": ("seed0", "seed1"),
        "new": ("seed0", "seed1"),
    }


def test_unnamed_filters_are_metrics_in_their_order_with_a_note(tmp_path: Path) -> None:
    files = {}
    for model, right in RIGHT.items():
        strict = [sample(item, 0) for item in range(len(right))]
        flexible = [sample(item, score) for item, score in enumerate(right)]
        text = "".join(f"{json.dumps(row)}\n" for row in (*strict, *flexible))
        files[f"{model}/samples_sums_2024-10-10T10-00-00.000000.jsonl"] = text
    none_right = dict.fromkeys(RIGHT, 0.0)
    assert means(load(tmp_path, files)) == {"exact_match filter 1": none_right, "exact_match filter 2": MEANS}

    _, problems = unpack([InputFile("samples.jsonl", text.encode())])
    assert "2 unnamed filters" in problems[0].message


def test_answer_to_several_filters_is_the_unfiltered_text(tmp_path: Path) -> None:
    rows = [sample(item, 1, filter=name, metrics=["exact_match"]) for name in ("a", "b") for item in range(3)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (test_set,) = load(tmp_path, {"m/samples_t_2024-10-10T10-00-00.0.jsonl": text}).experiment.test_sets
    assert test_set.runs[0].hypotheses == ("The answer is 0", "The answer is 1", "The answer is 2")


def test_items_that_are_repeated_otherwise_than_by_filters_are_refused() -> None:
    rows = [sample(item, 1) for item in (0, 1, 2, 1)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    documents, problems = unpack([InputFile("m/samples_t_2024-10-10T10-00-00.0.jsonl", text.encode())])
    assert documents == ()
    assert "repeats items (doc_id '1')" in problems[0].message


# Inspect


def inspect_log(model: str, samples: Sequence[Mapping[str, Any]], **further: Any) -> str:
    """A log of Inspect as JSON."""
    evaluation = {"run_id": f"run-{model}", "created": "2025-01-01T00:00:00", "task": "sums", "model": model}
    return json.dumps({"version": 2, "status": "success", "eval": evaluation, **further, "samples": samples})


def inspect_sample(item: int, **further: Any) -> dict[str, Any]:
    """A sample of Inspect without scores."""
    message = {"message": {"role": "assistant", "content": f"answer {item}"}}
    return {"id": item, "epoch": 1, "input": f"q {item}", "target": "yes", "output": {"choices": [message]}, **further}


@pytest.mark.parametrize(
    ("results", "metric"),
    [({"scores": []}, "inspect"), ({"scorer": {"name": "match"}}, "match"), ({"scores": [{"name": "match"}]}, "match")],
)
def test_only_score_of_old_inspect_is_named_by_its_scorer(
    tmp_path: Path, results: Mapping[str, Any], metric: str
) -> None:
    files = {}
    for model, right in RIGHT.items():
        samples = [inspect_sample(item, score={"value": "C" if score else "I"}) for item, score in enumerate(right)]
        files[f"{model}.json"] = inspect_log(model, samples, results=results)
    assert means(load(tmp_path, files)) == {metric: MEANS}


def test_values_in_lists_are_metrics_with_numbers(tmp_path: Path) -> None:
    files = {}
    for model, right in RIGHT.items():
        samples = []
        for item, score in enumerate(right):
            samples.append(inspect_sample(item, scores={"match": {"value": [score, 1 - score]}}))
        files[f"{model}.json"] = inspect_log(model, samples)
    wrong = {model: pytest.approx(1 - mean(right)) for model, right in RIGHT.items()}
    assert means(load(tmp_path, files)) == {"match 1": MEANS, "match 2": wrong}


@pytest.mark.parametrize("scorer", ["refusal", "score", "metric", "hypothesis", "judgements", "deviation"])
def test_scorer_may_have_the_name_of_a_column_of_tables(tmp_path: Path, scorer: str) -> None:
    files = {}
    for model, right in RIGHT.items():
        samples = [inspect_sample(item, scores={scorer: {"value": score}}) for item, score in enumerate(right)]
        files[f"{model}.json"] = inspect_log(model, samples)
    assert means(load(tmp_path, files)) == {scorer: MEANS}


def test_scores_that_are_words_are_named() -> None:
    text = inspect_log("m", [inspect_sample(1, scores={"judge": {"value": "excellent"}})])
    documents, problems = unpack([InputFile("log.json", text.encode())])
    assert documents == ()
    with pytest.raises(InputError, match="are not numbers: 'excellent'"):
        raise problems[0].as_error()


# promptfoo


def promptfoo_log(version: int, **changes: Any) -> str:
    """Results of promptfoo of both models, with the test index unless it is removed."""
    results = []
    for model, right in RIGHT.items():
        for test, score in enumerate(right):
            result = {
                "provider": {"id": f"openai:{model}", "label": ""},
                "prompt": {"raw": "Q", "label": "Q"},
                "promptIdx": 0,
                "testIdx": test,
                "vars": {"q": f"question {test}"},
                "response": {"output": f"answer {test} of {model}"},
                "gradingResult": {"pass": bool(score), "score": score},
                "score": score,
                "success": bool(score),
                "failureReason": 1 - score,
            }
            results.append({key: value for key, value in (result | changes).items() if value is not None})
    return json.dumps({"evalId": None, "results": {"version": version, "prompts": [], "results": results}})


PROVIDERS = {f"openai:{model}": value for model, value in MEANS.items()}


def test_results_that_were_not_stored_need_no_id_of_their_evaluation(tmp_path: Path) -> None:
    assert means(load(tmp_path, {"results.json": promptfoo_log(3)})) == {"promptfoo": PROVIDERS}


def test_results_without_test_index_belong_together_by_their_variables(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"results.json": promptfoo_log(2, testIdx=None)})
    assert means(loaded) == {"promptfoo": PROVIDERS}
    assert loaded.experiment.test_sets[0].n_segments == len(RIGHT["base"])


@pytest.mark.parametrize("reason", [2, None])
def test_errors_of_providers_are_missing_with_a_note(reason: int | None) -> None:
    log = json.loads(promptfoo_log(3))
    failed = [result for result in log["results"]["results"] if result["testIdx"] in (0, 1)]
    for result in failed:
        result |= {"score": 0, "success": False, "error": "429 Too Many Requests", "failureReason": reason}
        result["response"] = {"error": "429"}
        if reason is None:
            del result["failureReason"]
    (document,), problems = unpack([InputFile("results.json", json.dumps(log).encode())])
    (scores,) = [stream.scores for stream in document.streams if stream.role == "scores"]
    for column in scores:
        model = str(column.system).removeprefix("openai:")
        assert column.values == RIGHT[model][2:]
    assert "4 answers of 24 failed at the provider" in problems[0].message
    assert "429 Too Many Requests" in problems[0].message


# Targets of benchmarks


def test_answers_are_not_compared_with_targets_as_translations_are(tmp_path: Path) -> None:
    files = {}
    for model, right in RIGHT.items():
        rows = []
        for item, score in enumerate(right):
            target = "because " * 40 + f"#### {item}"
            rows.append(sample(item, score, metrics=["exact_match"], filter="none") | {"target": target})
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        files[f"{model}/samples_sums_2025-03-01T10-00-00.000000.jsonl"] = text
    codes = {finding.code for finding in check(load(tmp_path, files).experiment, "sacrebleu")}
    assert codes.isdisjoint({"length", "line-order", "reference-as-system"})


def test_answers_that_equal_nearly_all_targets_are_good_and_not_copies(tmp_path: Path) -> None:
    files = {}
    for model in RIGHT:
        rows = [sample(item, int(item > 0)) for item in range(12)]
        rows[0]["filtered_resps"] = [model]
        files[f"{model}/samples_sums_2025-03-01T10-00-00.000000.jsonl"] = "".join(
            f"{json.dumps(row)}\n" for row in rows
        )
    codes = {finding.code for finding in check(load(tmp_path, files).experiment, "sacrebleu")}
    assert "reference-as-system" not in codes
