"""How often do evalsig, evalstats and mteval call two equally good models different, if runs differ?

Usage: ``python -m benchmarks.others --peers PYTHON [--experiments 300]`` in the root of the repository. ``PYTHON`` is
that of another environment, with ``pip install evalsig==0.1.2 evalstats==0.3.3``. It writes ``others.csv`` beside
this file and the table in ``docs/peers.md`` (ten minutes).

Each experiment has two models without a true difference, three runs each, on 200 items. An item's score has noise of
its own per answer; a run as a whole shifts by a multiple of the standard error that this noise gives to its mean.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

N_ITEMS = 200
N_RUNS = 3
N_EXPERIMENTS = 300
SEED = 20_050_629
LEVEL = 0.05
SHIFTS = (0.0, 1.0, 3.0)
RESULTS = Path(__file__).with_name("others.csv")
PAGE = Path(__file__).parents[1] / "docs" / "peers.md"
START = "<!-- others.csv -->\n"  # of the table in the page
END = "<!-- /others.csv -->\n"
NAMES = {
    "evalsig": "evalsig 0.1.2 (`compare`)",
    "evalstats": "evalstats 0.3.3 (`compare_models`)",
    "mteval": "mteval",
}


def experiments(shift: float, n_experiments: int) -> np.ndarray:
    """Return scores of two models, shape ``(experiments, 2, runs, items)``; items differ in difficulty."""
    generator = np.random.default_rng([SEED, round(shift * 10)])
    ease = generator.normal(size=(n_experiments, 1, 1, N_ITEMS))
    noise = generator.normal(size=(n_experiments, 2, N_RUNS, N_ITEMS))
    runs = generator.normal(size=(n_experiments, 2, N_RUNS, 1)) * shift / np.sqrt(N_ITEMS)
    return ease + noise + runs


def of_evalsig(models: np.ndarray) -> bool:
    """Return whether evalsig finds a difference; a run frame has one score per item, the mean over runs."""
    import evalsig

    frames = []
    for name, scores in zip("ab", models.mean(axis=1), strict=True):
        items = [evalsig.ItemResult(str(item), float(score)) for item, score in enumerate(scores)]
        frames.append(evalsig.RunFrame("run", name, "task", "score", items))
    return bool(evalsig.compare(*frames, alpha=LEVEL).p_value < LEVEL)


def of_evalstats(models: np.ndarray) -> bool:
    """Return whether evalstats calls the difference significant; its rows name model, run and item."""
    import evalstats

    rows = []
    for name, runs in zip("ab", models, strict=True):
        for run, scores in enumerate(runs):
            for item, score in enumerate(scores):
                rows.append({"model": name, "run": run, "item": item, "score": float(score)})
    comparison = evalstats.compare_models(evalstats.load_from(rows), alpha=LEVEL)
    (pair,) = comparison.to_dict()["pairwise"]
    return bool(pair["significant"])


def of_mteval(models: np.ndarray) -> bool:
    """Return whether mteval calls the second model better or worse, on all training and test-set luck."""
    import mteval

    first, second = models
    comparison = mteval.compare_scores({"a": first, "b": second}, n_shuffles=100, n_bootstrap=100)
    (verdict,) = comparison.verdicts
    return bool(verdict.p_run_adjusted <= LEVEL)


ANSWERS: dict[str, Callable[[np.ndarray], bool]] = {
    "evalsig": of_evalsig,
    "evalstats": of_evalstats,
    "mteval": of_mteval,
}


def main() -> None:
    """Simulate, ask each package in its environment, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", help="Python of the environment with evalsig and evalstats")
    parser.add_argument("--experiments", type=int, default=N_EXPERIMENTS)
    parser.add_argument("--answer", nargs=2, metavar=("PACKAGE", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        name, file = options.answer
        print(json.dumps([ANSWERS[name](models) for models in np.load(file)]))
        return
    rows = []
    for shift in SHIFTS:
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file.name, experiments(shift, options.experiments))
            for name in ANSWERS:
                python = sys.executable if name == "mteval" else options.peers
                answers = answers_of(name, python, file.name)
                row = {"package": name, "shift": shift, "rate": np.mean(answers), "n_experiments": len(answers)}
                print(row, flush=True)
                rows.append(row)
    with RESULTS.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    page = PAGE.read_text(encoding="utf-8")
    page = re.sub(f"{START}.*{END}", lambda _: START + table() + END, page, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")


def answers_of(name: str, python: str, file: str) -> list[bool]:
    """Return whether a package finds a difference in each experiment of a file, asked in its environment."""
    command = [python, __file__, "--answer", name, file]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def table() -> str:
    """Return the recorded rates as Markdown."""
    rates = {}
    with RESULTS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rates[row["package"], float(row["shift"])] = float(row["rate"])
    lines = ["| run shift | " + " | ".join(NAMES.values()) + " |", "|---" * (len(NAMES) + 1) + "|"]
    for shift in SHIFTS:
        cells = [f"{rates[name, shift]:.1%}" for name in NAMES]
        lines.append(f"| {shift:g} | " + " | ".join(cells) + " |")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
