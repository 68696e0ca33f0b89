"""How often verdicts on words and n-grams claim a difference where there is none, on the sample (``docs/words.md``).

Two kinds of experiments without a true difference, with n runs per system:

- ``exchanged``: the outputs of the two systems are exchanged on random segments, all runs together. The systems differ
  segment by segment, but on average they do not.
- ``same system``: both sides are drawn from the 30 runs of one system. New runs and segments would show no difference.

Each family (all groups of frequency, or up to 1,000 n-grams) counts once: an error is any claim at 5%.

    python -m benchmarks.word_verdicts --write
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mteval.analysis.scoring import Work
from mteval.analysis.words.groupings import Asked, grouped
from mteval.analysis.words.ngrams import LONGEST, ngram_evidence
from mteval.analysis.words.texts import WordTexts
from mteval.analysis.words.verdicts import GroupMetric, group_verdicts, groups_of
from mteval.base.paths import sample_directory
from mteval.metrics.text.tokenizers import sacrebleu_tokenizer
from mteval.values.model import Run, TestSet
from mteval.values.settings import Settings

TABLE = Path(__file__).with_suffix(".csv")
SYSTEMS = ("baseline", "reordering")
LEVEL = 0.05
SHUFFLES = 1_000
Sides = dict[str, tuple[np.ndarray, ...]]  # of each system, the places of its runs' outputs


def sample() -> TestSet:
    """Return the sample's test set, with segments as units."""
    folder = sample_directory()
    references = (folder / "reference.test.txt").read_text(encoding="utf-8").splitlines()
    runs = []
    for system in SYSTEMS:
        for number, path in enumerate(sorted((folder / system).glob("test.opt*.txt"))):
            hypotheses = tuple(path.read_text(encoding="utf-8").splitlines())
            runs.append(Run(system, f"{number:02}", hypotheses))
    return TestSet("test", tuple((line,) for line in references), tuple(runs))


def draw(texts: WordTexts, kind: str, n_runs: int, rng: np.random.Generator) -> Sides:
    """Return outputs of two sides without a true difference."""
    if kind == "same system":
        return _same_system(texts, n_runs, rng)
    return _exchanged(texts, n_runs, rng)


def _same_system(texts: WordTexts, n_runs: int, rng: np.random.Generator) -> Sides:
    """Return both sides from different runs of one system."""
    places_of_run = texts.places[str(rng.choice(SYSTEMS))]
    drawn = rng.permutation(len(places_of_run))[: 2 * n_runs]
    left, right = SYSTEMS
    return {
        left: tuple(places_of_run[run] for run in drawn[:n_runs]),
        right: tuple(places_of_run[run] for run in drawn[n_runs:]),
    }


def _exchanged(texts: WordTexts, n_runs: int, rng: np.random.Generator) -> Sides:
    """Return runs of both systems, exchanged on random segments, all runs together."""
    runs_of = {}
    for system in SYSTEMS:
        places_of_run = texts.places[system]
        drawn = rng.permutation(len(places_of_run))[:n_runs]
        runs_of[system] = [places_of_run[run] for run in drawn]
    left, right = SYSTEMS
    is_moved = rng.random(runs_of[left][0].shape[1]) < 0.5
    pairs = list(zip(runs_of[left], runs_of[right], strict=True))
    return {
        left: tuple(np.where(is_moved, from_right, from_left) for from_left, from_right in pairs),
        right: tuple(np.where(is_moved, from_left, from_right) for from_left, from_right in pairs),
    }


def errors(kind: str, n_runs: int, n_words: int, n_ngrams: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield the share of families with a claim, by what was tested."""
    test_set = sample()
    texts = WordTexts.of_test_set(test_set, SYSTEMS, sacrebleu_tokenizer("13a"))
    orders = tuple(texts.ngrams(LONGEST))
    groupings = grouped(test_set, SYSTEMS, Asked(), sacrebleu_tokenizer("13a"), texts)
    counts = texts.counts(groupings.of_references, groupings.of_outputs, len(groupings.names))
    settings = Settings(n_shuffles=SHUFFLES, exchange_unit="segment", workers=1)
    placeholders = _placeholders(test_set, n_runs)
    rng = np.random.default_rng(seed)
    # Of each experiment: whether any p claims a difference, and any p_run.
    claims_on: dict[str, list[tuple[bool, bool]]] = {"frequency": [], "n-grams": []}
    for number in range(max(n_words, n_ngrams)):
        places = draw(texts, kind, n_runs, rng)
        if number < n_words:
            spread = replace(texts, places=places).spread(counts)
            groups = groups_of(placeholders, groupings.names, spread, "f")
            rows = group_verdicts(groups, SYSTEMS[0], GroupMetric("f"), settings, Work())
            verdicts = [row.verdict for row in rows if row.verdict is not None]
            by_test_set = any(verdict.p_test_set_adjusted <= LEVEL for verdict in verdicts)
            by_both = any(verdict.p_run_adjusted <= LEVEL for verdict in verdicts)
            claims_on["frequency"].append((by_test_set, by_both))
        if number < n_ngrams:
            drawn_orders = tuple(replace(order, places=places) for order in orders)
            frame = ngram_evidence(placeholders, drawn_orders, SYSTEMS, "recall", settings, Work(), most=0).frame
            by_test_set = bool((frame["p_test_set"] <= LEVEL).any())
            by_both = bool((frame["p_run"] <= LEVEL).any())
            claims_on["n-grams"].append((by_test_set, by_both))
    for tested, claims in claims_on.items():
        test_set_rate, both_rate = np.mean(claims, axis=0).tolist()
        yield {
            "null": kind,
            "runs": n_runs,
            "tested": tested,
            "experiments": len(claims),
            "test_set": round(test_set_rate, 4),
            "both": round(both_rate, 4),
        }


def _placeholders(test_set: TestSet, n_runs: int) -> TestSet:
    """Return a test set with runs of the right number, whose texts only differ: the counts are drawn elsewhere."""
    runs = []
    for system in SYSTEMS:
        for run in range(n_runs):
            runs.append(Run(system, str(run), (f"x{system}{run}",) * test_set.n_segments))
    return TestSet("test", test_set.references, tuple(runs))


def main() -> None:
    """Simulate and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--experiments", type=int, default=400)
    parser.add_argument("--ngram-experiments", type=int, default=200)
    options = parser.parse_args()
    rows = []
    for kind in ("exchanged", "same system"):
        for n_runs in (3, 5, 10):
            for row in errors(kind, n_runs, options.experiments, options.ngram_experiments, 1_000 + n_runs):
                rows.append(row)
                print(row, flush=True)
    if options.write:
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
