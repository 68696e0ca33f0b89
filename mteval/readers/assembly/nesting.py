"""Runs that may share a training, by their names. Suspected only: nothing is averaged until the user declares it.

Text alone cannot show shared training: independent runs that reach the same optimum have nearly the same output, too.
So names come first. They are suspicious if they are equal but for the number of a checkpoint, beam, sample or
temperature. Where several trainings seem to be meant, texts decide whether that is a warning or a question.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, IntArray
from mteval.readers.assembly.test_sets import TRAINING, names_of_run, training_of
from mteval.readers.documents import Slot, grouped, named
from mteval.values.findings import Finding, Level
from mteval.values.model import Run, TestSet

WORDS = r"checkpoint|ckpt|step|epoch|iter|update|beam|sample|temp"
NUMBER = r"\d+(?:\.\d+)?|best|last|avg"
# A number behind one of the words: ``ckpt-2000``, ``step_5``, ``temp0.7``, ``checkpoint_best``
NUMBERED = re.compile(rf"(?<![^\W\d_])({WORDS})([-_=.]?)({NUMBER})(?![^\W_])", re.I)
LEVEL = 0.01  # of the permutation test over trainings
MARGIN = 0.15  # more lines shared within trainings, where few divisions exist
FEW_DIVISIONS = 15  # of the runs of a system into trainings; with fewer, an order of shares is often chance
N_PERMUTATIONS = 999
SEED = 1


@dataclass(frozen=True)
class Suspicion:
    """The trainings that the names of a system's runs seem to give, and what texts say of it.

    Parameters
    ----------
    system
        Its key.
    trainings
        Of each run, as numbers from 0, shape ``(runs,)``.
    shares
        Of lines that pairs of runs share, shape ``(runs, runs)``; None without texts.
    names
        Of the runs, without and with the number.
    word
        Before the number, e.g. ``ckpt``.
    """

    system: str
    trainings: IntArray
    shares: FloatArray | None
    names: tuple[tuple[str, str], ...]
    word: str

    @property
    def is_of_one_training(self) -> bool:
        """Whether all runs of the system seem to be of one training."""
        return len(set(self.trainings.tolist())) == 1

    @property
    def is_in_order(self) -> bool:
        """Whether all pairs within trainings share more lines than all pairs between them."""
        if self.shares is None:
            return False
        within, between = _within_and_between(self.shares, self.trainings)
        if not within.min() > between.max():
            return False
        return n_divisions(self.trainings) >= FEW_DIVISIONS or within.mean() - between.mean() >= MARGIN


def suspected_nesting(test_sets: Iterable[TestSet], slots: Iterable[Slot]) -> Iterator[Finding]:
    """Yield a finding about the runs whose names seem to share trainings; none if no name does.

    Parameters
    ----------
    test_sets
        With all runs as loaded.
    slots
        Outputs of all test sets, which name the files.
    """
    file_of = {}
    for slot in slots:
        if slot.role == "hypothesis":
            file_of[slot.test_set, str(slot.system), str(slot.run)] = slot.file
    suspicions: list[Suspicion] = []
    paths: list[list[str]] = []  # names of each run concerned, as a pattern is looked for
    stems: list[str] = []
    # The largest test set has the most texts to compare; the same runs would share about as many lines on others
    for test_set in sorted(test_sets, key=lambda test_set: -test_set.n_segments):
        has_larger = bool(suspicions)
        for system in test_set.systems:
            runs = test_set.runs_of(system.key)
            suspicion = _suspicion(test_set.name, runs, file_of)
            if suspicion is not None:
                if not has_larger:
                    suspicions.append(suspicion)
                paths += [names_of_run(test_set.name, run, file_of) for run in runs]
                stems += [f"{system.key}\n{stem}" for stem, _ in suspicion.names]
    if suspicions:
        yield _finding(suspicions, pattern_of(paths, stems))


def _suspicion(test_set: str, runs: Sequence[Run], file_of: Mapping[tuple[str, str, str], str]) -> Suspicion | None:
    """Return the trainings of a system by its runs' names; None if no two names differ in such a number only."""
    names = []
    for run in runs:
        key, _, path = names_of_run(test_set, run, file_of)
        names.append(path or key)
    if len(set(names)) < len(names):  # one file holds several runs
        names = [run.key for run in runs]
    stems = [NUMBERED.sub("", name) for name in names]
    members_of = grouped(zip(stems, names, strict=True))
    if not any(len(set(members)) > 1 for members in members_of.values()):
        return None
    order = list(members_of)
    example = next(name for name in names if len(members_of[NUMBERED.sub("", name)]) > 1)
    match = NUMBERED.search(example)
    assert match is not None  # otherwise the name would be its own stem
    return Suspicion(
        system=runs[0].system,
        trainings=np.array([order.index(stem) for stem in stems]),
        shares=_shared_lines(runs),
        names=tuple(zip(stems, names, strict=True)),
        word=match[1].lower(),
    )


def _shared_lines(runs: Sequence[Run]) -> FloatArray | None:
    """Return the share of lines that each pair of runs has in common, shape ``(runs, runs)``; None without texts."""
    if not all(any(run.hypotheses) for run in runs):
        return None
    # Hashes of texts, one row per run: comparing the texts of many pairs would take long
    hashes = np.array([[hash(text) for text in run.hypotheses] for run in runs])
    return np.asarray((hashes[:, np.newaxis] == hashes).mean(axis=2), dtype=np.float64)


def is_alike(suspicions: Sequence[Suspicion]) -> bool:
    """Return whether outputs of the same supposed training share more lines than others, beyond chance.

    Parameters
    ----------
    suspicions
        Of all systems; those of one training say nothing here.
    """
    several = [suspicion for suspicion in suspicions if not suspicion.is_of_one_training]
    if any(suspicion.is_in_order for suspicion in several):
        return True
    comparable = [suspicion for suspicion in several if suspicion.shares is not None]
    return bool(comparable) and permutation_p_value(comparable) <= LEVEL


def permutation_p_value(suspicions: Sequence[Suspicion]) -> float:
    """Return the p-value of how many more lines runs share within trainings, with trainings shuffled among runs."""
    generator = np.random.default_rng(SEED)
    observed = 0.0
    permuted = np.zeros(N_PERMUTATIONS)
    for suspicion in suspicions:
        assert suspicion.shares is not None
        n_runs = len(suspicion.trainings)
        orders = np.argsort(generator.random((N_PERMUTATIONS, n_runs)), axis=1)
        orders = np.vstack([np.arange(n_runs), orders])  # first as named
        excesses = _excesses(suspicion.shares, suspicion.trainings[orders])
        observed += float(excesses[0])
        permuted += excesses[1:]
    return float((1 + np.count_nonzero(permuted >= observed - 1e-9)) / (1 + N_PERMUTATIONS))


def _excesses(shares: FloatArray, trainings: IntArray) -> FloatArray:
    """Return how many more lines pairs share within trainings than between, on average.

    Parameters
    ----------
    shares
        Of pairs of runs, shape ``(runs, runs)``.
    trainings
        Of each run, by division, shape ``(divisions, runs)``.
    """
    first, second = np.triu_indices(len(shares), 1)
    of_pairs = shares[first, second]
    is_within = trainings[:, first] == trainings[:, second]
    n_within = is_within[0].sum()  # equal for all divisions
    within = is_within @ of_pairs
    return np.asarray(within / n_within - (of_pairs.sum() - within) / (len(of_pairs) - n_within))


def _within_and_between(shares: FloatArray, trainings: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the shares of pairs of runs within trainings, and of pairs between them."""
    is_pair: npt.NDArray[np.bool_] = np.triu(np.ones(shares.shape, dtype=bool), 1)
    is_within = trainings[:, np.newaxis] == trainings
    return shares[is_pair & is_within], shares[is_pair & ~is_within]


def n_divisions(trainings: IntArray) -> int:
    """Return the number of ways to divide the runs into trainings of these sizes."""
    sizes = np.bincount(trainings)
    number = 1
    left = len(trainings)
    for size in sizes.tolist():
        number *= _binomial(left, size)
        left -= size
    for count in np.bincount(sizes).tolist():  # trainings of equal size are interchangeable
        number //= _factorial(count)
    return number


def _binomial(n: int, k: int) -> int:
    return _factorial(n) // (_factorial(k) * _factorial(n - k))


def _factorial(n: int) -> int:
    product = 1
    for factor in range(2, n + 1):
        product *= factor
    return product


def pattern_of(paths: Sequence[Sequence[str]], stems: Sequence[str]) -> str:
    """Return a pattern of names that gives these trainings; empty if none of the obvious ones does.

    Parameters
    ----------
    paths
        Of each run, the names in which a pattern is looked for.
    stems
        Of each run, what its training has in common.
    """
    for candidate in _candidates(paths, stems):
        trainings = [training_of(candidate, names) for names in paths]
        if None in trainings:
            continue
        systems = [stem.split("\n")[0] for stem in stems]
        of_systems = list(zip(systems, trainings, strict=True))
        # The same runs together as by their stems
        if len(set(of_systems)) == len(set(stems)) == len(set(zip(of_systems, stems, strict=True))):
            return candidate
    return ""


def _candidates(paths: Sequence[Sequence[str]], stems: Sequence[str]) -> Iterator[str]:
    """Yield patterns: what trainings differ in, behind the letters before it; or what precedes the number."""
    yielded = set()
    for stem in dict.fromkeys(stems):
        for word in re.findall(r"([^\W\d_]+[-_=]?)\d+", stem):
            if word not in yielded:
                yielded.add(word)
                yield f"{word}{TRAINING}"
    for names in paths[:1]:
        for name in reversed(names):
            match = NUMBERED.search(name)
            if match is not None:
                word = name[match.start(1) : match.end(2)]
                yield from (f"{TRAINING}/{word}", f"{TRAINING}*{word}", f"{TRAINING}/*{word}")


def _finding(suspicions: Sequence[Suspicion], pattern: str) -> Finding:
    """Return a warning if all runs of a system seem to be of one training, or texts confirm it; else a question."""
    systems = tuple(dict.fromkeys(suspicion.system for suspicion in suspicions))
    of_one = [suspicion for suspicion in suspicions if suspicion.is_of_one_training]
    first = of_one[0] if of_one else suspicions[0]
    is_warning = bool(of_one) or is_alike(suspicions)
    differ = f"The names of runs of {named(systems)} differ only in “{first.word}”."
    if of_one:
        meaning = "Checkpoints or decodings of one training do not show training luck."
    elif is_warning:
        meaning = "They share more lines than other runs do, as outputs of one training would."
    else:
        meaning = "Their texts do not confirm it: they are not clearly more alike than those of other runs."
    how = "the pattern of their names"
    if pattern:
        how = f"the pattern {pattern}"
    declare = (
        f"If they share a training, enter {how} as “Outputs of one training”, or use --nested. They then count as one."
    )
    severity: Level = "warning" if is_warning else "note"
    return Finding(
        "nested-names",
        f"{differ} {meaning} {declare}",
        severity,
        systems=systems,
        nested=pattern,
    )
