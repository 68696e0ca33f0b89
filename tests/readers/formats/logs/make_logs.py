"""Writes the logs beside this file by the programs themselves, offline: three questions, two models, two runs.

Usage: ``python make_logs.py inspect|wandb|harness FOLDER`` in an environment with inspect-ai, wandb or lm-eval;
``promptfoo.yaml`` beside this file is what ``promptfoo eval -c promptfoo.yaml -o promptfoo.json`` was run on.
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


if __name__ == "__main__":
    {"inspect": inspect, "wandb": wandb, "harness": harness}[sys.argv[1]](Path(sys.argv[2]).absolute())
