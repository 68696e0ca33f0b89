"""How often people prefer the better-scored system: what verdicts say beforehand, and what people said.

Usage: ``MTEVAL_DATA=FOLDER python -m benchmarks.noticed`` for WMT23 Hebrew-English (some seconds on one core), or
``--human FILE --documents FILE --scores COMET=FILE …`` for any pair of mt-metrics-eval's data, e.g. en-de. Files of
scores have a system and a score per line, segment by segment; they may be compressed. Prints the tables of
``docs/people.md``.

``--mqm FILE --reference SYSTEM`` takes a table of marked errors that has the outputs in it, e.g. ``ted/ende`` of
github.com/google/wmt-mqm-human-evaluation. Then mteval computes BLEU and chrF, and says the shares.

Verdicts average a metric's curve over the true differences that the documents leave open
(``mteval.analysis.noticed``), or the segments if there are few documents. People prefer the system with the higher mean
judgement on the same segments.
"""

import argparse
import csv
import gzip
import re
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

import mteval
from benchmarks.example import data_directory
from mteval.analysis.noticed import Curve

Scores = dict[str, npt.NDArray[np.float64]]  # segment scores of each system

# Curves of mt-thresholds, and the factor from the scores in the files
CURVES = {
    "COMET": Curve("comet22", 100.0),
    "MetricX-23": Curve("metricx-23-large"),
    "BLEURT-20": Curve("bleurt20", 100.0),
    "CometKiwi": Curve("cometkiwi22", 100.0),
    "BERTscore": Curve("bertscore", 100.0),
}
SHARES = (0.49, 0.6, 0.7, 0.8, 0.9, 1.0)  # edges of the shares that are compared with people
MISSING = ("None", "")
ERROR_MARKS = re.compile(r"</?v>")


def read_scores(path: Path) -> Scores:
    """Return the scores of each system; NaN if a segment has none."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    scores: dict[str, list[float]] = {}
    for line in content.decode("utf-8").splitlines():
        system, score, *_ = line.split("\t")
        scores.setdefault(system, []).append(float("nan") if score in MISSING else float(score))
    return {system: np.array(values) for system, values in scores.items()}


def read_documents(path: Path) -> list[str]:
    """Return the document of each segment: the last column of each line."""
    return [line.split("\t")[-1] for line in path.read_text(encoding="utf-8").splitlines()]


def over_documents(gains: npt.NDArray[np.float64], documents: list[str]) -> tuple[float, float, int]:
    """Return the mean gain, its standard error with documents as units, and its degrees of freedom."""
    is_scored = ~np.isnan(gains)
    by_document = pd.Series(gains[is_scored]).groupby(np.array(documents)[is_scored]).agg(["sum", "size"])
    mean = float(gains[is_scored].mean())
    residuals = by_document["sum"] - mean * by_document["size"]
    n = len(by_document)
    error = float(np.sqrt((residuals**2).sum() * n / (n - 1))) / int(is_scored.sum())
    return mean, error, n - 1


def pairs_of(metric: str, scores: Scores, human: Scores, documents: list[str]) -> Iterator[tuple[str, float, bool]]:
    """Yield the share that a verdict on each pair of systems says, and whether people agree with the metric."""
    systems = []
    for system, judgements in human.items():
        is_reference = system.startswith("ref")
        if system in scores and not is_reference and not np.isnan(judgements).all():
            systems.append(system)
    for first, second in combinations(systems, 2):
        mean, error, df = over_documents(scores[second] - scores[first], documents)
        preferred = float(np.nanmean(human[second] - human[first]))
        if mean != 0 and preferred != 0:
            is_higher_better = not metric.startswith("MetricX") or mean_correlates(scores, human)
            agrees = (mean > 0) == ((preferred > 0) == is_higher_better)
            yield metric, CURVES[metric].expected_share(mean, error, df), agrees


def mean_correlates(scores: Scores, human: Scores) -> bool:
    """Return whether higher scores mean better systems; MetricX is written with either sign."""
    systems = [system for system in human if system in scores]
    means = [[np.nanmean(given[system]) for system in systems] for given in (scores, human)]
    return bool(np.corrcoef(means)[0, 1] > 0)


def read_outputs(path: Path) -> dict[str, list[str]]:
    """Return the segments of each system in a table of marked errors, without the marks."""
    segments: dict[str, dict[int, str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            text = ERROR_MARKS.sub("", row["target"]).strip()
            segments.setdefault(row["system"], {})[int(row["seg_id"])] = text
    return {system: [texts[number] for number in sorted(texts)] for system, texts in segments.items()}


def pairs_of_outputs(path: Path, reference: str) -> Iterator[tuple[str, float, bool]]:
    """Yield the same for outputs in a table of marked errors, by metrics computed against one of them.

    Other references in the table are no systems.
    """
    outputs = read_outputs(path)
    averages = mteval.people(path).frames["averages"]
    human = averages.set_index("system")["mean"].to_dict()
    systems = [system for system in outputs if not system.startswith("ref")]
    for first, second in combinations(systems, 2):
        compared = {system: [outputs[system]] for system in (first, second)}
        verdicts = mteval.compare(
            compared, outputs[reference], "bleu,chrf", baseline=first, exchange_unit="segment", n_shuffles=100
        ).verdicts
        for verdict in verdicts:
            agrees = (verdict.improvement > 0) == (human[second] > human[first])
            yield verdict.metric_name, verdict.share_of_pairs, agrees


def main() -> None:
    """Print predicted and actual shares of pairs, by metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--human", type=Path, help="judgements, higher is better")
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--scores", nargs="+", metavar="METRIC=FILE", help=f"metrics: {', '.join(CURVES)}")
    parser.add_argument("--mqm", type=Path, help="marked errors with the outputs")
    parser.add_argument("--reference", default="ref", help="the output to compare with (default: %(default)s)")
    options = parser.parse_args()
    if options.mqm is not None:
        warnings.simplefilter("ignore")  # of the texts themselves
        show(list(pairs_of_outputs(options.mqm, options.reference)))
        return
    if options.human is None:
        data = data_directory()
        folder = data / "wmt23-he-en"
        further = data / "wmt23-he-en-metrics"
        options.human = folder / "scores" / "he-en.mqm.seg.score"
        options.documents = folder / "documents.tsv"
        options.scores = [
            f"COMET={folder / 'scores' / 'COMET-refA.seg.score'}",
            f"MetricX-23={folder / 'scores' / 'MetricX-23-refA.seg.score'}",
            f"BLEURT-20={further / 'BLEURT-20-refA.seg.score.gz'}",
            f"CometKiwi={further / 'CometKiwi-src.seg.score.gz'}",
            f"BERTscore={further / 'BERTscore-refA.seg.score.gz'}",
        ]
    human = read_scores(options.human)
    documents = read_documents(options.documents)
    rows: list[tuple[str, float, bool]] = []
    for word in options.scores:
        metric, _, file = word.partition("=")
        rows += pairs_of(metric, read_scores(Path(file)), human, documents)
    show(rows)


def show(rows: list[tuple[str, float, bool]]) -> None:
    """Print what verdicts said and what people preferred, by metric and by share."""
    table = pd.DataFrame(rows, columns=["metric", "said", "true"])
    print(table.groupby("metric", sort=False).agg(pairs=("true", "size"), said=("said", "mean"), true=("true", "mean")))
    by_share = table.groupby(pd.cut(table["said"], SHARES), observed=True)
    print(by_share.agg(pairs=("true", "size"), said=("said", "mean"), true=("true", "mean")))
    print("Brier score:", round(float(((table["said"] - table["true"]) ** 2).mean()), 4))


if __name__ == "__main__":
    main()
