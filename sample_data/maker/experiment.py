"""The whole experiment: two systems, each tuned thirty times, and the text of every file that comes of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maker.bleu import IntArray, statistics
from maker.decoder import Pool, best, model_scores, pool
from maker.documents import corpus
from maker.lattice import FEATURES, SCALE
from maker.mert import UNIT, Tuned, tune
from maker.pieces import english_text, german_text
from maker.stream import Stream

SEED = 2012
SIZES = {"dev": 200, "test": 300, "test2": 200}
SYSTEMS = {"baseline": len(FEATURES) - 1, "reordering": len(FEATURES)}  # how many of the features each one uses
RUNS = 30
RESTARTS = 2  # few, as in the practice that the sample imitates: more would make the runs more alike
NBEST = 12
NBEST_OF = ("baseline", "test", 0)


@dataclass(frozen=True)
class Side:
    """A test set as the systems see it."""

    references: tuple[str, ...]
    sources: tuple[str, ...]
    documents: tuple[str, ...]
    pool: Pool


def side(test_set: str, seed: int = SEED) -> Side:
    """Text and candidates of ``dev``, ``test`` or ``test2``."""
    segments = corpus(seed, test_set, SIZES[test_set])
    return Side(
        tuple(english_text(segment.sentence) for segment in segments),
        tuple(german_text(segment.sentence) for segment in segments),
        tuple(segment.document for segment in segments),
        pool(seed, test_set, [segment.sentence for segment in segments]),
    )


def files(seed: int = SEED, runs: Sequence[int] = range(RUNS)) -> dict[str, str]:
    """Relative path and content of every file made; each run is what it is whichever others are made."""
    sides = {test_set: side(test_set, seed) for test_set in SIZES}
    dev_statistics = statistics(sides["dev"].pool.texts, sides["dev"].references)
    made = dict(_texts(sides))
    table = ["\t".join(("system", "run", "dev_bleu", *FEATURES))]
    for system, used in SYSTEMS.items():
        for run in runs:
            stream = Stream(seed, system, "tuning", run)
            tuned = tune(sides["dev"].pool.features[:, :, :used], dev_statistics, stream, RESTARTS)
            made |= _outputs(sides, system, run, tuned.weights)
            table.append(_weights_row(system, run, tuned))
    made["weights.tsv"] = _lines(table)
    return made


def _texts(sides: Mapping[str, Side]) -> Iterator[tuple[str, str]]:
    for test_set, one in sides.items():
        yield f"reference.{test_set}.txt", _lines(one.references)
        yield f"source.{test_set}.txt", _lines(one.sources)
        yield f"documents.{test_set}.txt", _lines(one.documents)


def _outputs(sides: Mapping[str, Side], system: str, run: int, weights: IntArray) -> dict[str, str]:
    made = {}
    for test_set, one in sides.items():
        chosen = best(one.pool.features[:, :, : weights.size], weights)
        name = f"{system}/{test_set}.opt{run:02d}"
        made[f"{name}.txt"] = _lines([row[index] for row, index in zip(one.pool.texts, chosen, strict=True)])
        if (system, test_set, run) == NBEST_OF:
            made[f"{name}.nbest"] = _lines(_nbest_lines(one.pool, weights))
    return made


def _nbest_lines(candidates: Pool, weights: IntArray) -> Iterator[str]:
    """Moses format: segment, hypothesis, named features, model score."""
    features = candidates.features[:, :, : weights.size]
    scores = model_scores(features, weights)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :NBEST]
    for segment, indices in enumerate(order):
        for index in indices:
            named = " ".join(
                f"{name}= {value / SCALE:.3f}"
                for name, value in zip(FEATURES, features[segment, index].tolist(), strict=False)
            )
            total = scores[segment, index] / (SCALE * UNIT)
            yield f"{segment} ||| {candidates.texts[segment][index]} ||| {named} ||| {total:.6f}"


def _weights_row(system: str, run: int, tuned: Tuned) -> str:
    weights = [f"{weight / UNIT:.6f}" for weight in tuned.weights.tolist()]
    missing = [""] * (len(FEATURES) - len(weights))
    return "\t".join((system, f"opt{run:02d}", f"{tuned.bleu:.4f}", *weights, *missing))


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
