"""The programs of learned metrics and mteval side by side. Writes ``neural.md`` beside this file.

Usage: ``python -m benchmarks.neural [--segments N]`` from the root of the repository, with the environments of
``bin/neural``, ``bin/neural metricx`` and ``bin/neural bleurt``. The models are those of the tests, filled at random.
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.shared_sentences import SAMPLE, made_models
from mteval.base.arrays import FloatArray
from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural.environment import python_with, variables
from mteval.values.model import TestSet

RESULTS = Path(__file__).with_suffix(".md")
TESTS = Path(__file__).parents[1] / "tests" / "metrics" / "neural"
RATINGS = TESTS / "tiny_ratings.py"
FILES = {"src": "source.test.txt", "ref": "reference.test.txt", "out": "baseline/test.opt00.txt"}
BERT = "google/bert_uncased_L-2_H-128_A-2"  # a name of which the package knows the layer
HEAD = """\
# Learned metrics beside their own programs

{n} outputs of the sample, small models filled at random ({machine}, one thread, no graphics card). *Difference* is the
largest, in points as mteval shows them. Seconds include start and loading, and other work ran meanwhile; mteval keeps a
model loaded between two rows. Written by `python -m benchmarks.neural`.

| program | mteval | equal to the bit | difference | s, program | s, mteval |
|---|---|---|---|---|---|
"""
NOTES = """
- comet-score computes in 16 bits and pads a batch to its longest text, as mteval does in half precision. The two order
  batches differently, so 16 outputs per batch differ in the last digits. One output per batch leaves no difference.
- In single precision mteval's scores depend on the output alone. The difference from comet-score is that of 16 bits.
- bert-score prints six decimals; the difference is their rounding.
- MetricX's program scores one output at a time, as mteval does. BLEURT's port does so here.
"""


def main() -> None:
    """Measure, print as it goes, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=100)
    n_segments = parser.parse_args().segments
    os.environ["OMP_NUM_THREADS"] = "1"
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for row in compared(folder, texts_in(folder, n_segments)):
            print(row, flush=True)
            rows.append(row)
    head = HEAD.format(n=n_segments, machine=platform.machine())
    RESULTS.write_text(head + "\n".join(rows) + "\n" + NOTES, encoding="utf-8")


def texts_in(folder: Path, n_segments: int) -> dict[str, tuple[str, ...]]:
    """Write the first lines of the sample, and return them."""
    texts = {}
    for name, file in FILES.items():
        texts[name] = tuple((SAMPLE / file).read_text(encoding="utf-8").splitlines()[:n_segments])
        (folder / name).write_text("\n".join(texts[name]) + "\n", encoding="utf-8")
    return texts


def compared(folder: Path, texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield one row of the table per program and setting."""
    (folder / "models").mkdir()
    models, python = made_models(folder / "models"), python_with("unbabel-comet", "COMET")
    for kind, size, precision in (
        ("regression", 1, "half"), ("xcomet", 1, "half"), ("regression", 16, "half"), ("regression", 16, "single"),
    ):  # fmt: skip
        model = models / kind / "checkpoints" / "model.ckpt"
        words = ["comet-score", "-s", "src", "-r", "ref", "-t", "out", "--gpus", "0", "--quiet", "--model", str(model)]
        words += ["--batch_size", str(size), "--to_json", "comet.json"]

        def comet_score(words: list[str] = words) -> list[float]:
            run(python, ["-I", str(TESTS / "own_commands.py")], folder, json.dumps([words]))
            (rows,) = json.loads((folder / "comet.json").read_text(encoding="utf-8")).values()
            return [100 * row["COMET"] for row in rows]

        os.environ["MTEVAL_COMET"] = str(model)
        name = f"comet-score, {kind}, batch {size}"
        yield row(name, comet_score, folder, texts, "comet", {"batch_size": size, "precision": precision})

    def bert_score() -> list[float]:
        words = ["bert-score", "-s", "-b", "16", "-c", str(folder / "out"), "-r", str(folder / "ref"), "-m", BERT]
        printed = run(python, ["-I", str(TESTS / "own_commands.py")], models, json.dumps([words]))
        lines = [line.split("\t") for line in printed.splitlines()]
        return [100 * float(words[2]) for words in lines if len(words) == 3]

    os.environ["MTEVAL_BERTSCORE"] = str(models / BERT)
    yield row("bert-score -s", bert_score, folder, texts, "bertscore", {})

    def predict(*more: str) -> list[float]:
        keys = {"source": "src", "reference": "ref", "hypothesis": "out"}
        asked = [dict(zip(keys, one, strict=True)) for one in zip(*(texts[key] for key in keys.values()), strict=True)]
        (folder / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8")
        words = ["-m", "metricx24.predict", "--tokenizer", "metricx", "--model_name_or_path", "metricx"]
        words += ["--max_input_length", "1536", "--batch_size", "1", "--input_file", "in.jsonl", *more]
        run(metricx, [*words, "--output_file", "written/out.jsonl"], folder)
        written = (folder / "written" / "out.jsonl").read_text(encoding="utf-8")
        return [json.loads(line)["prediction"] for line in written.splitlines()]

    metricx, bleurt = python_with("google-metricx", "MetricX-24"), python_with("bleurt-pytorch", "BLEURT-20")
    for program, interpreter in (("metricx", metricx), ("bleurt", bleurt)):
        run(interpreter, [str(RATINGS), program, str(models / "corpus"), program], folder)
        os.environ[f"MTEVAL_{program.upper()}"] = str(folder / program)
    yield row("metricx24.predict", predict, folder, texts, "metricx-24", {})
    without: dict[str, OptionValue] = {"references": "no"}
    yield row("metricx24.predict --qe", lambda: predict("--qe", "true"), folder, texts, "metricx-24", without)
    pairs = json.dumps(list(zip(texts["ref"], texts["out"], strict=True)))
    rated: Callable[[], list[float]] = lambda: [  # noqa: E731 - as the others
        100 * one for one in json.loads(run(bleurt, [str(RATINGS), "rate", "bleurt"], folder, pairs))
    ]
    yield row("bleurt-pytorch", rated, folder, texts, "bleurt-20", {})


def row(
    name: str, own: Callable[[], Sequence[float]], folder: Path, texts: Mapping[str, Sequence[str]], key: str,
    options: Mapping[str, OptionValue],
) -> str:  # fmt: skip
    """Run a program and mteval; return a row of the table."""
    start = time.perf_counter()
    theirs = np.array(own())
    middle = time.perf_counter()
    ours = scores(folder, texts, key, options)
    end = time.perf_counter()
    said = ", ".join(f"{name}={value}" for name, value in options.items())
    equal, difference = int((ours == theirs).sum()), np.abs(ours - theirs).max()
    times = f"{middle - start:.1f} | {end - middle:.1f}"
    return f"| {name} | {key}{f' ({said})' if said else ''} | {equal} of {len(ours)} | {difference:.2g} | {times} |"


def scores(
    folder: Path, texts: Mapping[str, Sequence[str]], key: str, options: Mapping[str, OptionValue]
) -> FloatArray:
    """Return mteval's scores, with nothing known."""
    os.environ["MTEVAL_CACHE"] = tempfile.mkdtemp(dir=folder)
    test_set = TestSet("test", tuple((line,) for line in texts["ref"]), source=tuple(texts["src"]))
    scorer = METRICS[key].configure("sacrebleu", options).prepare(test_set)
    return np.asarray(scorer.statistics(range(len(texts["out"])), texts["out"])[:, 0])


def run(python: Path, words: Sequence[str], folder: Path, said: str = "") -> str:
    """Run an interpreter in a folder, and return what it printed."""
    more = {"HF_DATASETS_CACHE": str(folder / "datasets")}
    done = subprocess.run(
        [str(python), "-W", "ignore", *words], input=said, check=True, stdout=subprocess.PIPE, text=True, cwd=folder,
        stderr=subprocess.DEVNULL, env={**variables(), **more},
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    main()
