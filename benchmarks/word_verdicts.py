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


def sample() -> TestSet:
    """Return the sample's test set, with segments as units."""
    folder = sample_directory()
    references = (folder / "reference.test.txt").read_text(encoding="utf-8").splitlines()
    runs = tuple(
        Run(system, f"{number:02}", tuple(path.read_text(encoding="utf-8").splitlines()))
        for system in SYSTEMS
        for number, path in enumerate(sorted((folder / system).glob("test.opt*.txt")))
    )
    return TestSet("test", tuple((line,) for line in references), runs)


def draw(texts: WordTexts, kind: str, n_runs: int, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, ...]]:
    """Return outputs of two sides without a true difference."""
    if kind == "same system":
        runs = texts.places[str(rng.choice(SYSTEMS))]
        chosen = rng.permutation(len(runs))[: 2 * n_runs]
        sides = [tuple(runs[run] for run in some) for some in (chosen[:n_runs], chosen[n_runs:])]
        return dict(zip(SYSTEMS, sides, strict=True))
    left, right = (
        [texts.places[system][run] for run in rng.permutation(len(texts.places[system]))[:n_runs]] for system in SYSTEMS
    )
    moved = rng.random(left[0].shape[1]) < 0.5
    pairs = [(np.where(moved, other, one), np.where(moved, one, other)) for one, other in zip(left, right, strict=True)]
    return {system: tuple(pair[side] for pair in pairs) for side, system in enumerate(SYSTEMS)}


def errors(kind: str, n_runs: int, n_words: int, n_ngrams: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield the share of families with a claim, by what was tested."""
    test_set = sample()
    texts = WordTexts.of_test_set(test_set, SYSTEMS, sacrebleu_tokenizer("13a"))
    orders = tuple(texts.ngrams(LONGEST))
    found = grouped(test_set, SYSTEMS, Asked(), sacrebleu_tokenizer("13a"), texts)
    counts = texts.counts(found.of_references, found.of_outputs, len(found.names))
    settings = Settings(n_shuffles=SHUFFLES, exchange_unit="segment", workers=1)
    rng = np.random.default_rng(seed)
    hits: dict[str, list[tuple[bool, bool]]] = {"frequency": [], "n-grams": []}
    for number in range(max(n_words, n_ngrams)):
        places = draw(texts, kind, n_runs, rng)
        runs = tuple(Run(system, str(run), ("x" + system + str(run),) * test_set.n_segments)
                     for system in SYSTEMS for run in range(n_runs))  # fmt: skip
        here = TestSet("test", test_set.references, runs)
        if number < n_words:
            spread = replace(texts, places=places).spread(counts)
            groups = groups_of(here, found.names, spread, "f")
            rows = group_verdicts(groups, SYSTEMS[0], GroupMetric("f"), settings, Work())
            verdicts = [row.verdict for row in rows if row.verdict is not None]
            hits["frequency"].append((
                any(one.p_test_set_adjusted <= LEVEL for one in verdicts),
                any(one.p_both_adjusted <= LEVEL for one in verdicts),
            ))  # fmt: skip
        if number < n_ngrams:
            now = tuple(replace(one, places=places) for one in orders)
            frame = ngram_evidence(here, now, SYSTEMS, "recall", settings, Work(), most=0).frame
            hits["n-grams"].append((bool((frame["p_test_set"] <= LEVEL).any()), bool((frame["p_both"] <= LEVEL).any())))
    for tested, some in hits.items():
        test_set_rate, both_rate = np.mean(some, axis=0).tolist()
        yield {
            "null": kind, "runs": n_runs, "tested": tested, "experiments": len(some),
            "test_set": round(test_set_rate, 4), "both": round(both_rate, 4),
        }  # fmt: skip


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
