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
from functools import partial
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
COMET_SETTINGS = (  # kind of model, outputs per batch, mteval's precision
    ("regression", 1, "half"),
    ("xcomet", 1, "half"),
    ("regression", 16, "half"),
    ("regression", 16, "single"),
)
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
- MetricX's program scores one output at a time, as mteval does on the CPU. BLEURT's port does so here.
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
    models = made_models(folder / "models")
    comet = python_with("unbabel-comet", "COMET")
    for kind, size, precision in COMET_SETTINGS:
        model = models / kind / "checkpoints" / "model.ckpt"
        os.environ["MTEVAL_COMET"] = str(model)
        options: dict[str, OptionValue] = {"batch_size": size, "precision": precision}
        name = f"comet-score, {kind}, batch {size}"
        yield row(name, partial(comet_score, comet, folder, model, size), folder, texts, "comet", options)

    os.environ["MTEVAL_BERTSCORE"] = str(models / BERT)
    yield row("bert-score -s", partial(bert_score, comet, folder, models), folder, texts, "bertscore", {})

    metricx = python_with("google-metricx", "MetricX-24")
    bleurt = python_with("bleurt-pytorch", "BLEURT-20")
    for program, interpreter in (("metricx", metricx), ("bleurt", bleurt)):
        run(interpreter, [str(RATINGS), program, str(models / "corpus"), program], folder)
        os.environ[f"MTEVAL_{program.upper()}"] = str(folder / program)
    predict = partial(metricx_predict, metricx, folder, texts)
    yield row("metricx24.predict", predict, folder, texts, "metricx-24", {})
    predict_without = partial(metricx_predict, metricx, folder, texts, "--qe", "true")
    options = {"references": "no"}
    yield row("metricx24.predict --qe", predict_without, folder, texts, "metricx-24", options)
    yield row("bleurt-pytorch", partial(bleurt_score, bleurt, folder, texts), folder, texts, "bleurt-20", {})


def comet_score(python: Path, folder: Path, model: Path, batch_size: int) -> list[float]:
    """Return the scores of comet-score, in points."""
    words = ["comet-score", "-s", "src", "-r", "ref", "-t", "out", "--gpus", "0", "--quiet", "--model", str(model)]
    words += ["--batch_size", str(batch_size), "--to_json", "comet.json"]
    run(python, ["-I", str(TESTS / "own_commands.py")], folder, json.dumps([words]))
    (segments,) = json.loads((folder / "comet.json").read_text(encoding="utf-8")).values()
    return [100 * segment["COMET"] for segment in segments]


def bert_score(python: Path, folder: Path, models: Path) -> list[float]:
    """Return the scores of bert-score, in points."""
    words = ["bert-score", "-s", "-b", "16", "-c", str(folder / "out"), "-r", str(folder / "ref"), "-m", BERT]
    printed = run(python, ["-I", str(TESTS / "own_commands.py")], models, json.dumps([words]))
    lines = [line.split("\t") for line in printed.splitlines()]
    return [100 * float(cells[2]) for cells in lines if len(cells) == 3]


def metricx_predict(python: Path, folder: Path, texts: Mapping[str, Sequence[str]], *more_words: str) -> list[float]:
    """Return the predictions of MetricX's program."""
    lines = []
    for source, reference, hypothesis in zip(texts["src"], texts["ref"], texts["out"], strict=True):
        request = {"source": source, "reference": reference, "hypothesis": hypothesis}
        lines.append(json.dumps(request) + "\n")
    (folder / "in.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ["-m", "metricx24.predict", "--tokenizer", "metricx", "--model_name_or_path", "metricx"]
    words += ["--max_input_length", "1536", "--batch_size", "1", "--input_file", "in.jsonl", *more_words]
    run(python, [*words, "--output_file", "written/out.jsonl"], folder)
    written = (folder / "written" / "out.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["prediction"] for line in written.splitlines()]


def bleurt_score(python: Path, folder: Path, texts: Mapping[str, Sequence[str]]) -> list[float]:
    """Return the scores of BLEURT's port, in points."""
    pairs = list(zip(texts["ref"], texts["out"], strict=True))
    printed = run(python, [str(RATINGS), "rate", "bleurt"], folder, json.dumps(pairs))
    return [100 * score for score in json.loads(printed)]


def row(
    name: str,
    own: Callable[[], Sequence[float]],
    folder: Path,
    texts: Mapping[str, Sequence[str]],
    key: str,
    options: Mapping[str, OptionValue],
) -> str:
    """Run a program and mteval; return a row of the table."""
    start = time.perf_counter()
    theirs = np.array(own())
    middle = time.perf_counter()
    ours = scores(folder, texts, key, options)
    end = time.perf_counter()

    metric = key
    if options:
        settings = ", ".join(f"{name}={value}" for name, value in options.items())
        metric = f"{key} ({settings})"
    n_equal = int((ours == theirs).sum())
    difference = np.abs(ours - theirs).max()
    times = f"{middle - start:.1f} | {end - middle:.1f}"
    return f"| {name} | {metric} | {n_equal} of {len(ours)} | {difference:.2g} | {times} |"


def scores(
    folder: Path, texts: Mapping[str, Sequence[str]], key: str, options: Mapping[str, OptionValue]
) -> FloatArray:
    """Return mteval's scores, with nothing known."""
    os.environ["MTEVAL_CACHE"] = tempfile.mkdtemp(dir=folder)
    references = tuple((line,) for line in texts["ref"])
    test_set = TestSet("test", references, source=tuple(texts["src"]))
    scorer = METRICS[key].configure("sacrebleu", options).prepare(test_set)
    statistics = scorer.statistics(range(len(texts["out"])), texts["out"])
    return np.asarray(statistics[:, 0])


def run(python: Path, words: Sequence[str], folder: Path, text: str = "") -> str:
    """Run an interpreter in a folder with a text on its input, and return what it printed."""
    done = subprocess.run(
        [str(python), "-W", "ignore", *words],
        input=text,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        stderr=subprocess.DEVNULL,
        env={**variables(), "HF_DATASETS_CACHE": str(folder / "datasets")},
    )
    return done.stdout


if __name__ == "__main__":
    main()
