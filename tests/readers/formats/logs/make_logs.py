"""Writes the logs beside this file by the programs themselves, offline: three questions, two models, two runs.

Usage: ``python make_logs.py NAME FOLDER`` with a name of the list at the end. Needed: inspect-ai (0.3.285, or 0.3.8 for
``inspect_of_2024``), wandb (0.31), lm-eval (0.4.13) or lighteval (0.13). ``promptfoo.yaml`` beside this file is what
``promptfoo eval -c promptfoo.yaml -o promptfoo.json`` (0.123.1) was run on, ``promptfoo-runs.yaml`` with ``MARK``
empty, ``!`` and ``?``.
"""

import json
import sys
from pathlib import Path

QUESTIONS = {"Capital of France?": "Paris", "Two plus two?": "4", "Colour of snow?": "white"}
TASK = """\
task: questions
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{answer}}}}"
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
"""
FILTERED = """\
task: sums
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "The answer is (-?[0-9]+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        group_select: -1
        regex_pattern: "(-?[0-9]+)"
      - function: take_first
"""
SUMS = {
    ("small", 0): ["The answer is 2", "It is 4", "The answer is 6", "9", "The answer is 10", "12"],
    ("small", 1): ["The answer is 2", "The answer is 4", "7", "8", "The answer is 11", "12"],
    ("large", 0): [*(f"The answer is {sum_}" for sum_ in (2, 4, 6, 8)), "It is 10", "12"],
    ("large", 1): [*(f"The answer is {sum_}" for sum_ in (2, 4, 6, 8, 10)), "13"],
}
ANSWERS = {  # of two models in two runs each
    ("small", 0): ["Paris", "5", "blue"],
    ("small", 1): ["Paris", "4", "blue"],
    ("large", 0): ["Paris", "4", "white"],
    ("large", 1): ["Lyon", "4", "white"],
}


def inspect(folder: Path) -> None:
    """A log of each run, as JSON and as Inspect's own archive, two epochs each."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match

    asked = enumerate(QUESTIONS.items(), start=1)
    samples = [Sample(input=question, target=wanted, id=number) for number, (question, wanted) in asked]
    for (model, run), answers in ANSWERS.items():
        for how in ("json", "eval"):
            said = [ModelOutput.from_content(model, answer) for _ in range(2) for answer in answers]
            for output in said:
                output.usage = ModelUsage()  # else it asks the network for a tokenizer to count words by
            mock = get_model(f"mockllm/{model}", custom_outputs=said)
            place = str(folder / f"{how}-{model}-{run}")
            task = Task(name="questions", dataset=samples, scorer=match(), epochs=2)
            eval(task, model=mock, log_dir=place, log_format=how, max_samples=1, display="none")


def wandb(folder: Path) -> None:
    """One table of all runs."""
    import wandb

    table = wandb.Table(columns=["model", "seed", "segment", "output", "accuracy"])
    for (model, run), answers in ANSWERS.items():
        for number, (answer, wanted) in enumerate(zip(answers, QUESTIONS.values(), strict=True), start=1):
            table.add_data(model, run, number, answer, float(answer == wanted))
    with wandb.init(mode="offline", dir=str(folder)) as run_:
        run_.log({"answers": table})


def harness(folder: Path) -> None:
    """A task of this file's own, answered by the dummy model, with its samples logged as its command does."""
    from lm_eval.__main__ import cli_evaluate

    docs = [{"question": asked, "choices": list(QUESTIONS.values()), "answer": n} for n, asked in enumerate(QUESTIONS)]
    data = folder / "questions.jsonl"
    data.write_text("".join(f"{json.dumps(doc)}\n" for doc in docs))
    (folder / "questions.yaml").write_text(TASK.format(data=data))
    for model, run in ANSWERS:
        sys.argv = [
            "lm_eval", "--model", "dummy", "--model_args", f"pretrained={model}", "--tasks", "questions", "--seed",
            str(run), "--include_path", str(folder), "--output_path", str(folder / "harness"), "--log_samples",
        ]  # fmt: skip
        cli_evaluate()


def tasks(folder: Path) -> None:
    """Two tasks in one call, graded by Inspect's letters, by words and by school grades."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, accuracy, match, mean, scorer

    @scorer(metrics=[accuracy()])
    def agrees():
        async def score(state, target):
            return Score(value="yes" if target.text in state.output.completion else "no")

        return score

    @scorer(metrics=[mean()])
    def grade():
        async def score(state, target):
            return Score(value="B" if target.text in state.output.completion else "D")

        return score

    samples = [Sample(input=asked, target=wanted, id=f"q{n}") for n, (asked, wanted) in enumerate(QUESTIONS.items(), 1)]
    for (model, _), answers in ANSWERS.items():
        both = [Task(name=name, dataset=samples, scorer=[match(), agrees(), grade()]) for name in ("first", "second")]
        said = [ModelOutput.from_content(model, answer) for _ in both for answer in answers]
        for output in said:
            output.usage = ModelUsage()
        mock = get_model(f"mockllm/{model}", custom_outputs=said)
        eval(both, model=mock, log_dir=str(folder), log_format="eval", max_samples=1, max_tasks=1, display="none")


def inspect_of_2024(folder: Path) -> None:
    """Logs of Inspect 0.3.8, with one score per sample: a letter, and a list of two numbers."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, get_model, modelapi
    from inspect_ai.scorer import Score, match, metric, scorer
    from inspect_ai.solver import generate

    to_say: list[str] = []

    @modelapi(name="mock")
    class Mock(ModelAPI):
        def __init__(self, model_name, base_url=None, config=GenerateConfig(), **options):  # noqa: B008
            super().__init__(model_name, base_url, config)

        async def generate(self, input, tools, tool_choice, config):
            return ModelOutput.from_content(self.model_name, to_say.pop(0))

    @metric
    def number():
        return lambda scores: float(len(scores))

    @scorer(metrics=[number()])
    def parts():
        async def score(state, target):
            answer = state.output.completion
            return Score(value=[float(answer == target.text), float(len(answer) == len(target.text))])

        return score

    samples = [Sample(input=asked, target=wanted, id=n) for n, (asked, wanted) in enumerate(QUESTIONS.items(), 1)]
    for model, answers in (("small", ANSWERS["small", 0]), ("large", ANSWERS["large", 0])):
        for name, scored_by in (("match", match()), ("parts", parts())):
            to_say[:] = answers
            task = Task(MemoryDataset(samples, name="questions"), plan=[generate()], scorer=scored_by, name="questions")
            eval(task, model=get_model(f"mock/{model}"), log_dir=str(folder / name / model), max_samples=1)


def folders(folder: Path) -> None:
    """The folder of each run, in that of its model; texts beside the tables were cut to two lines."""
    import wandb

    for (model, run), answers in ANSWERS.items():
        (folder / model).mkdir(parents=True, exist_ok=True)
        with wandb.init(mode="offline", dir=str(folder / model), group=model, name=f"{model}-{run}") as run_:
            table = wandb.Table(columns=["segment", "output", "score"])
            for number, (answer, wanted) in enumerate(zip(answers, QUESTIONS.values(), strict=True), start=1):
                table.add_data(number, answer, float(answer == wanted))
            run_.log({"answers": table})


def filters(folder: Path) -> None:
    """A task with two filters, asked of a model that says what it is told, logged by the harness's own writer."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Said(LM):
        def __init__(self, answers):
            super().__init__()
            self.answers = answers

        def generate_until(self, requests, disable_tqdm=False):
            return [self.answers[request.doc_id] for request in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

    docs = [{"question": f"{a} plus {a}?", "answer": str(2 * a)} for a in range(1, 7)]
    (folder / "q.jsonl").write_text("".join(f"{json.dumps(doc)}\n" for doc in docs))
    (folder / "sums.yaml").write_text(FILTERED.format(data=folder / "q.jsonl"))
    for (model, _), answers in SUMS.items():
        tracker = EvaluationTracker(output_path=str(folder / "out"))
        manager = TaskManager(include_path=str(folder))
        found = lm_eval.simple_evaluate(
            model=Said(answers), tasks=["sums"], task_manager=manager, log_samples=True, evaluation_tracker=tracker
        )
        tracker.general_config_tracker.model_name_sanitized = model
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        tracker.save_results_samples("sums", samples["sums"])


def harness_command(folder: Path) -> None:
    """Run the same task by the command of 0.4.2, 0.4.5 and 0.4.9. Their dummy model gives prepared answers.

    For 0.4.2 and 0.4.5, empty modules took the place of torch and transformers, which write nothing here. The summaries
    beside the samples were cut to their results.
    """
    import lm_eval
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.models.dummy import DummyLM

    docs = [{"question": f"{a} + {a}?", "answer": str(2 * a)} for a in range(1, 7)]
    (folder / "q.jsonl").write_text("".join(f"{json.dumps(doc)}\n" for doc in docs))
    (folder / "sums.yaml").write_text(FILTERED.format(data=folder / "q.jsonl"))
    for model, answers in {"small": SUMS["small", 0], "large": [*SUMS["large", 0][:-1], "13"]}.items():
        DummyLM.generate_until = lambda self, requests, *_, said=answers: [said[request.doc_id] for request in requests]
        place = folder / "logs"
        if lm_eval.__version__ < "0.4.3":  # which names no folder itself
            place /= model
        sys.argv = [
            "lm_eval", "--model", "dummy", "--model_args", f"pretrained=org/{model}", "--tasks", "sums",
            "--include_path", str(folder), "--output_path", str(place), "--log_samples",
        ]  # fmt: skip
        cli_evaluate()


def lighteval(folder: Path) -> None:
    """Details of lighteval's own classes, in the columns and folders of its tracker, as Parquet."""
    from dataclasses import asdict

    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc
    from pyarrow import Table, parquet

    for (model, run), answers in ANSWERS.items():
        rows = []
        for number, ((asked, wanted), answer) in enumerate(zip(QUESTIONS.items(), answers, strict=True)):
            doc = asdict(Doc(query=asked, choices=[wanted], gold_index=0, id=str(number), task_name="questions|0"))
            response = asdict(ModelResponse(text=[answer], input=asked))
            rows.append({"doc": doc, "metric": {"em": float(answer == wanted)}, "model_response": response})
        date = f"2026-11-24T04-0{run}-00.123456"
        place = folder / "details" / "org" / model / date
        place.mkdir(parents=True)
        parquet.write_table(Table.from_pylist(rows), place / f"details_questions|0_{date}.parquet")


MAKERS = (inspect, inspect_of_2024, wandb, harness, tasks, folders, filters, harness_command, lighteval)
if __name__ == "__main__":
    {maker.__name__: maker for maker in MAKERS}[sys.argv[1]](Path(sys.argv[2]).absolute())
