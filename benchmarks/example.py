"""MultEval's example, and larger experiments made from it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mteval.metrics.base import StatArray
from mteval.readers.named_files import load_paths
from mteval.values.model import Experiment, Run, TestSet

ROOT = Path(__file__).parent.parent
SYSTEMS = ("baseline", "sys1", "sys2")
MADE_UP_WORDS = 8_000


def data_directory() -> Path:
    """Return the folder of the real data; exit with a message if it is missing."""
    directory = Path(os.environ.get("MTEVAL_DATA", ROOT.parent / "shared")) / "data"
    if not directory.is_dir():
        raise SystemExit(f"The real data are not at {directory}; name their parent directory in MTEVAL_DATA.")
    return directory


def files() -> tuple[Path, dict[str, list[Path]]]:
    """The reference, and the three outputs of each system."""
    folder = data_directory() / "multeval-example"
    outputs = {key: [folder / f"hyps.lc.tok.en.{key}.opt{run}" for run in range(3)] for key in SYSTEMS}
    return folder / "refs.test2010.lc.tok.en.0", outputs


def example() -> Experiment:
    """Three systems (the third a copy of the first) with three runs of 2,489 segments."""
    reference, outputs = files()
    return load_paths([reference], outputs, baseline="baseline").experiment


def distinct_runs(experiment: Experiment) -> tuple[Run, ...]:
    """The six different outputs of the example."""
    (test_set,) = experiment.test_sets
    return tuple({run.digest: run for run in test_set.runs}.values())


def many_runs(experiment: Experiment, n_runs: int, seed: int = 1) -> tuple[Run, ...]:
    """Runs that take each segment from one of the six outputs at random, as re-run optimizers repeat their outputs."""
    sources = distinct_runs(experiment)
    choices = np.random.default_rng(seed).integers(len(sources), size=(n_runs, len(sources[0].hypotheses)))
    runs = []
    for number, source_of_segment in enumerate(choices.tolist()):
        hypotheses = [sources[source].hypotheses[segment] for segment, source in enumerate(source_of_segment)]
        runs.append(Run("many", str(number), tuple(hypotheses)))
    return tuple(runs)


def distinct_outputs(n_systems: int, n_runs: int, n_segments: int, seed: int = 1) -> Experiment:
    """Systems whose outputs all differ, on a test set without repeated segments.

    Segments beyond the example's join the first half of one with the second half of another. One word of every output
    is replaced at random, and another one in every third system.
    """
    (test_set,) = example().test_sets
    rng = np.random.default_rng(seed)
    references = [texts[0].split() for texts in test_set.references]
    outputs = [[text.split() for text in run.hypotheses] for run in distinct_runs(example())]
    vocabulary = np.array(sorted({word for line in references for word in line}), dtype=object)

    # Each segment by the example's segments that its first and its second half come from, shape (segments, 2).
    n = test_set.n_segments
    whole_segments = np.tile(np.arange(min(n, n_segments)), (2, 1))
    mixed_segments = rng.integers(n, size=(2, max(0, n_segments - n)))
    halves = np.concatenate([whole_segments, mixed_segments], axis=1).T.tolist()

    def joined(lines: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the words of every segment."""
        segments = []
        for first, second in halves:
            first_half = lines[first][: (len(lines[first]) + 1) // 2]
            second_half = lines[second][(len(lines[second]) + 1) // 2 :]
            segments.append([*first_half, *second_half])
        return segments

    def changed(output: Sequence[Sequence[str]], system: int) -> tuple[str, ...]:
        """Return the texts of a run: an output of the example with words replaced."""
        texts = joined(output)
        words = vocabulary[rng.integers(len(vocabulary), size=(n_segments, 2))]
        shares = rng.random(n_segments)  # where in its segment a word is replaced
        for text, (word, second_word), share in zip(texts, words.tolist(), shares.tolist(), strict=True):
            if not text:
                continue
            place = int(share * len(text))
            text[place] = word
            if system % 3 == 2:
                text[place * 7 % len(text)] = second_word
        return tuple(map(" ".join, texts))

    runs = []
    for system in range(n_systems):
        for run in range(n_runs):
            output = outputs[(system * n_runs + run) % len(outputs)]
            runs.append(Run(f"s{system}", str(run), changed(output, system)))
    texts = tuple((" ".join(words),) for words in joined(references))
    return Experiment((TestSet("test", texts, tuple(runs)),), baseline="s0")


@dataclass(frozen=True)
class Texts:
    """Outputs of each system's runs, and their reference."""

    systems: dict[str, list[list[str]]]
    references: list[str]


def made_up_texts(n_systems: int, n_runs: int, n_segments: int, seed: int = 1) -> Texts:
    """Texts of made-up words that are as frequent as words are (Zipf), 8 to 32 per segment.

    Each system replaces 15% to 25% of the words, the last one fewest; each run replaces another 8% of them.
    """
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, size=rng.integers(2, 10))) for _ in range(MADE_UP_WORDS)]
    vocabulary = np.array(words, dtype=object)
    frequencies = 1 / np.arange(1, MADE_UP_WORDS + 1)
    cumulated = np.cumsum(frequencies / frequencies.sum())
    ends = np.cumsum(rng.integers(8, 33, size=n_segments)).tolist()

    def drawn(n_words: int) -> npt.NDArray[np.object_]:
        places = np.searchsorted(cumulated, rng.random(n_words))
        return np.asarray(vocabulary[np.minimum(places, MADE_UP_WORDS - 1)])

    def replaced(text: npt.NDArray[np.object_], share: float) -> npt.NDArray[np.object_]:
        is_replaced = rng.random(len(text)) < share
        changed = text.copy()
        changed[is_replaced] = drawn(int(is_replaced.sum()))
        return changed

    def lines(text: npt.NDArray[np.object_]) -> list[str]:
        return [" ".join(text[start:end]).capitalize() + "." for start, end in pairwise([0, *ends])]

    reference = drawn(ends[-1])
    systems = {}
    for system in range(n_systems):
        output = replaced(reference, 0.25 - 0.1 * system / n_systems)
        systems[f"s{system}"] = [lines(replaced(output, 0.08)) for _ in range(n_runs)]
    return Texts(systems, lines(reference))


def with_runs(experiment: Experiment, runs: Sequence[Run]) -> Experiment:
    """The example's references with other runs."""
    (test_set,) = experiment.test_sets
    return Experiment((TestSet(test_set.name, test_set.references, tuple(runs)),), baseline=runs[0].system)


def resized(statistics: StatArray, n_runs: int, n_segments: int) -> StatArray:
    """Statistics of more runs and of more or fewer segments, drawn from those given."""
    rng = np.random.default_rng(2)
    runs = rng.integers(statistics.shape[0], size=n_runs)
    segments = rng.integers(statistics.shape[1], size=n_segments)
    return statistics[runs][:, segments]
