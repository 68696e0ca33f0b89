"""Runs are suspected to share a training by their names, and texts decide between a warning and a question."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from mteval.readers.assembly.nesting import n_divisions, pattern_of, suspected_nesting
from mteval.readers.documents import InputFile, Slot
from mteval.readers.workspace import Workspace
from mteval.values.findings import Finding
from mteval.values.model import Run, TestSet

N_LINES = 100
REFERENCES = tuple((f"reference {number}",) for number in range(N_LINES))
SAMPLE = Path(__file__).parents[3] / "sample_data"


def outputs_of_trainings(
    n_trainings: int, n_checkpoints: int, shared: float, generator: np.random.Generator
) -> list[tuple[str, ...]]:
    """Return outputs, training by training; checkpoints of one training share this part of their lines."""
    outputs = []
    for _ in range(n_trainings):
        of_training = generator.integers(0, 1_000, N_LINES)
        for _ in range(n_checkpoints):
            own = generator.integers(0, 1_000, N_LINES)
            is_shared = generator.random(N_LINES) < shared
            outputs.append(tuple(f"line {number}" for number in np.where(is_shared, of_training, own)))
    return outputs


def finding_on(outputs: list[tuple[str, ...]], names: list[str]) -> Finding | None:
    """Return the finding about one system whose outputs are files of these names."""
    runs = [Run("base", str(number), output) for number, output in enumerate(outputs)]
    slots = [Slot(name, "hypothesis", "base", run.key) for name, run in zip(names, runs, strict=True)]
    return next(suspected_nesting([TestSet("test", REFERENCES, tuple(runs))], slots), None)


def names_of_trainings(n_trainings: int, n_checkpoints: int) -> list[str]:
    return [f"base.seed{seed}.ckpt{step}.txt" for seed in range(n_trainings) for step in range(n_checkpoints)]


def test_checkpoints_of_one_training_always_give_a_warning_with_its_pattern() -> None:
    outputs = outputs_of_trainings(1, 5, 0.0, np.random.default_rng(1))
    finding = finding_on(outputs, names_of_trainings(1, 5))
    assert finding is not None
    assert finding.severity == "warning"
    assert finding.nested == "seed{training}"


def test_three_trainings_of_two_checkpoints_that_share_lines_give_a_warning() -> None:
    generator = np.random.default_rng(2)
    for _ in range(20):
        finding = finding_on(outputs_of_trainings(3, 2, 0.9, generator), names_of_trainings(3, 2))
        assert finding is not None
        assert finding.severity == "warning"


def test_names_alone_ask_a_question_if_outputs_are_not_alike() -> None:
    finding = finding_on(outputs_of_trainings(3, 2, 0.0, np.random.default_rng(3)), names_of_trainings(3, 2))
    assert finding is not None
    assert finding.severity == "note"
    assert finding.nested == "seed{training}"


@pytest.mark.parametrize(
    "names", [["a.seed1.txt", "a.seed2.txt"], ["a.opt0.txt", "a.opt1.txt"], ["s1/step9", "s2/step9"]]
)
def test_names_of_seeds_are_not_suspicious_even_if_outputs_are_equal(names: list[str]) -> None:
    assert finding_on([("line",) * N_LINES] * 2, names) is None


def test_real_runs_with_random_names_of_trainings_rarely_give_a_warning() -> None:
    generator = np.random.default_rng(4)
    outputs = [
        tuple((SAMPLE / "baseline" / f"dev.opt{run:02}.txt").read_text(encoding="utf-8").splitlines()[:N_LINES])
        for run in range(30)
    ]
    n_warnings = 0
    for _ in range(100):
        chosen = [outputs[run] for run in generator.permutation(30)[:6]]
        finding = finding_on(chosen, names_of_trainings(3, 2))
        n_warnings += finding is not None and finding.severity == "warning"
    assert n_warnings <= 3


@pytest.mark.parametrize("trainings", [[0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 1], [0, 0, 0, 1, 1], [0, 1, 2, 2]])
def test_divisions_into_trainings_are_counted_as_by_listing_them(trainings: list[int]) -> None:
    divisions = set()
    for order in permutations(trainings):
        divisions.add(frozenset(frozenset(np.flatnonzero(np.array(order) == one).tolist()) for one in set(trainings)))
    assert n_divisions(np.array(trainings)) == len(divisions)


@pytest.mark.parametrize(
    ("files", "pattern"),
    [
        (["a.seed1.ckpt1.txt", "a.seed1.ckpt2.txt", "a.seed2.ckpt1.txt", "a.seed2.ckpt2.txt"], "seed{training}"),
        (["a/checkpoint_1/o.txt", "a/checkpoint_2/o.txt"], "{training}/checkpoint_"),
        (["a.step1.txt", "a.step2.txt"], "{training}*step"),
    ],
)
def test_the_offered_pattern_declares_what_the_names_suggest(files: list[str], pattern: str) -> None:
    work = Workspace().add([InputFile(name, f"{name}\nb\n".encode()) for name in ("refs.txt", *files)])
    experiment = work.experiment()
    assert experiment is not None
    (finding,) = experiment.noticed
    assert finding.nested == pattern
    nested = work.nest(pattern).experiment()
    assert nested is not None
    assert not nested.noticed
    assert len(nested.systems[0].runs) == len(files) // 2


def test_no_pattern_is_offered_if_none_gives_these_trainings() -> None:
    assert pattern_of([["step1"], ["step2"], ["other"]], ["base\n", "base\n", "base\nother"]) == ""
