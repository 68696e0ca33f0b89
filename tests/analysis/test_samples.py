"""Samples of one trained model, from files to what is said of them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.replication.planning import RUNS_PLANNED, Wish, numbers_planned, plan_from
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import DataError
from mteval.metrics import resolve
from mteval.readers.disk import outputs_named, regrouped
from mteval.readers.documents import Document, InputFile, Stream
from mteval.readers.experiment_file import describe, experiment_toml, parse_experiment
from mteval.readers.guesses.layout import guess
from mteval.readers.named_files import load_paths
from mteval.readers.workspace import Workspace
from mteval.report.inputs import packed_inputs
from mteval.report.kept_numbers import evaluation_from, numbers_of
from mteval.values.model import Experiment, Run, Sample, TestSet
from mteval.values.settings import Settings

WORDS = "the quick brown fox jumps over the lazy dog while it rains on every roof"
SENTENCE = WORDS.split()
REFERENCES = [" ".join(SENTENCE[place % 5 :]) for place in range(24)]
SETTINGS = Settings(metrics=("bleu", "ter"), n_bootstrap=50, n_shuffles=50)


def output(number: int) -> tuple[str, ...]:
    """The references without every fourth, fifth or sixth word: which, and from where, depends on the number."""
    period = 4 + number % 3
    lines = []
    for place, reference in enumerate(REFERENCES):
        words = enumerate(reference.split(), start=place + number)
        lines.append(" ".join(word for at, word in words if at % period))
    return tuple(lines)


def sampled(n_runs: int, n_samples: int, first: int = 0) -> tuple[Run, ...]:
    """Runs of ``new`` with so many samples, and single outputs of ``base``."""
    numbers = iter(range(first, 99))
    runs = []
    for run in range(n_runs):
        samples = tuple(Sample(str(place), output(next(numbers))) for place in range(n_samples))
        runs.append(Run("new", str(run), samples[0].hypotheses, samples=samples))
        runs.append(Run("base", str(run), output(50 + run)))
    return tuple(runs)


def experiment(runs: tuple[Run, ...]) -> Experiment:
    """The runs on one test set, with ``base`` as the baseline."""
    return Experiment((TestSet("test", tuple((line,) for line in REFERENCES), runs),), "base")


def test_statistics_of_a_run_are_the_mean_over_its_samples() -> None:
    ter = resolve(Settings(metrics=("ter",)))
    (scored,) = score_experiment(experiment(sampled(2, 3)), ter, Work())

    six_runs = tuple(Run("new", str(place), output(place)) for place in range(6))
    runs_of_base = sampled(2, 1)[1::2]
    (single,) = score_experiment(experiment(six_runs + runs_of_base), ter, Work())
    statistics = single.statistics["new"]
    expected = statistics.reshape(2, 3, *statistics.shape[1:]).mean(axis=1)

    np.testing.assert_allclose(scored.statistics["new"], expected)
    assert [len(run) for run in scored.samples["new"]] == [3, 3]
    assert "base" not in scored.samples


def test_samples_are_not_runs_and_one_model_has_unknown_training_luck() -> None:
    evaluation = evaluate(experiment(sampled(1, 5)), SETTINGS, Work())

    verdict = verdicts(evaluation)[0]
    assert verdict.both == "refused"
    assert verdict.n_runs == 1
    row_of = {row.metric: row for row in evaluation.sampled}
    by_bleu = row_of["bleu"]
    assert (by_bleu.n_runs, by_bleu.n_samples, by_bleu.df) == (1, 5, 4)
    assert np.isnan(by_bleu.s_training)
    assert by_bleu.worst <= by_bleu.mean <= by_bleu.best
    by_ter = row_of["ter"]
    assert by_ter.best <= by_ter.mean <= by_ter.worst, "fewer errors are better"


def test_the_same_sample_twice_changes_no_number() -> None:
    once = sampled(3, 2)
    twice = tuple(replace(run, samples=(*run.samples, *run.samples)) for run in once)

    answer_of_once = evaluate(experiment(once), SETTINGS, Work()).answers[0]
    answer_of_twice = evaluate(experiment(twice), SETTINGS, Work()).answers[0]

    assert answer_of_once.both.p_value == pytest.approx(answer_of_twice.both.p_value)


def test_a_sample_of_another_length_is_an_error() -> None:
    samples = (Sample("1", output(0)), Sample("2", output(1)[:-1]))
    base = Run("base", "0", output(5))
    new = Run("new", "0", samples[0].hypotheses, samples=samples)
    with pytest.raises(DataError, match="run '0', sample '2' has 23 segments"):
        experiment((base, new))


@pytest.mark.parametrize(
    ("names", "runs"),
    [
        (
            ("new.seed1.sample1.txt", "new.seed1.sample2.txt", "new.seed2.sample1.txt"),
            ["1 sample 1", "1 sample 2", "2 sample 1"],
        ),
        (("new/checkpoint_12/sample_1.txt", "new/checkpoint_12/sample_2.txt"), ["12 sample 1", "12 sample 2"]),
        (("new.sample1.txt", "new.sample2.txt"), ["1", "2"]),
    ],
)
def test_names_tell_samples_of_a_run_from_runs(names: tuple[str, ...], runs: list[str]) -> None:
    stream = Stream("", ("a b", "c d"))
    documents = [Document(name, "lines", (stream,)) for name in (*names, "base.txt", "refs.txt")]

    slots_of_new = guess(documents)[: len(names)]

    assert [slot.run for slot in slots_of_new] == runs
    assert {slot.system for slot in slots_of_new} == {"new"}


def lines_file(name: str, lines: Iterable[str]) -> InputFile:
    """A text file of these lines."""
    return InputFile(name, "\n".join(lines).encode())


def decodings_of(loaded: Experiment | None) -> dict[str, int]:
    """How many outputs each system's run has."""
    assert loaded is not None
    return {run.system: len(run.decodings) for run in loaded.test_sets[0].runs}


def test_score_tables_have_a_column_for_samples() -> None:
    rows = ["system\trun\tsample\tsegment\thypothesis\treference"]
    for system, n_samples in (("base", 1), ("new", 3)):
        for sample in range(n_samples):
            for place, text in enumerate(output(7 * n_samples + sample)):
                rows.append(f"{system}\t1\t{sample}\t{place}\t{text}\t{REFERENCES[place]}")

    of_table = Workspace().add([lines_file("all.tsv", rows)])
    assert decodings_of(of_table.experiment()) == {"base": 1, "new": 3}

    files = [lines_file(f"new.{number}.txt", output(number)) for number in range(4)]
    files.append(lines_file("refs.txt", REFERENCES))
    files.append(lines_file("base.txt", output(9)))
    of_files = Workspace().add(files)
    as_samples = regrouped(of_files.slots, outputs_named(of_files.slots, "new."), "samples", "new")
    assert decodings_of(of_files.edit(as_samples).experiment()) == {"base": 1, "new": 4}


def test_samples_survive_the_experiment_file(tmp_path: Path) -> None:
    def written(name: str, lines: Iterable[str]) -> Path:
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    reference = written("ref", REFERENCES)
    base = written("base", output(9))
    new = [written(f"new{number}", output(number)) for number in range(6)]

    with pytest.raises(DataError, match="not a multiple of 4 samples per run"):
        load_paths([reference], {"base": new, "new": new}, baseline="base", n_samples=4)
    loaded = load_paths([reference], {"base": [base] * 3, "new": new}, baseline="base", n_samples=3)
    runs = loaded.experiment.test_sets[0].runs_of("new")
    samples_of = {run.key: [sample.key for sample in run.samples] for run in runs}
    assert list(samples_of.items()) == [("0", ["1", "2", "3"]), ("1", ["1", "2", "3"])]

    packed = packed_inputs(loaded, SETTINGS)
    slots = parse_experiment(packed["experiment.toml"].decode(), "experiment.toml").edits.slots
    assert [slot.run for slot in slots if slot.system == "new"] == [
        "0 sample 1",
        "0 sample 2",
        "0 sample 3",
        "1 sample 1",
        "1 sample 2",
        "1 sample 3",
    ]


def without_first_segments(runs: tuple[Run, ...], start: int) -> tuple[Run, ...]:
    """The runs, and all of their samples, from a segment on."""
    shortened = []
    for run in runs:
        samples = tuple(Sample(sample.key, sample.hypotheses[start:]) for sample in run.samples)
        shortened.append(replace(run, hypotheses=run.hypotheses[start:], samples=samples))
    return tuple(shortened)


def test_claims_samples_and_interim_analyses_survive_the_library() -> None:
    references = tuple((line,) for line in REFERENCES)
    runs = sampled(3, 2)
    test_sets = []
    for start, name in enumerate(("one", "two", "three")):
        test_sets.append(TestSet(name, references[start:], without_first_segments(runs, start)))
    loaded = Experiment(tuple(test_sets), "base")
    settings = Settings(metrics=("bleu",), n_bootstrap=50, n_shuffles=50, looks=(3, 5), run_word="checkpoint")
    evaluation = evaluate(loaded, settings, Work())

    restored = evaluation_from(numbers_of(loaded, evaluation), loaded)

    assert restored is not None
    assert restored.settings == settings
    assert repr((restored.claims, restored.sampled)) == repr((evaluation.claims, evaluation.sampled)), (
        "compared as text, because NaN equals nothing"
    )
    (claim,) = restored.claims
    assert (claim.runs.noun, claim.these_test_sets.corrections) == ("checkpoint", ("looks",))
    assert len(verdicts(evaluation)) == 3
    assert len(verdicts(restored)) == 3

    experiment_file = experiment_toml(describe(loaded, (), settings, str))
    assert "looks = [" in experiment_file
    assert 'run_word = "checkpoint"' in experiment_file


@pytest.mark.parametrize(("design", "n_planned"), [("candidate", 1), ("released", 1)])
def test_designs_of_single_candidates_and_released_models_are_evaluated_and_planned(design, n_planned) -> None:
    settings = Settings(metrics=("ter",), n_bootstrap=50, n_shuffles=50, design=design)

    evaluation = evaluate(experiment(sampled(3, 1)), settings, Work())

    assert len(evaluation.prospects) == n_planned
    (verdict,) = verdicts(evaluation)
    assert verdict.is_released == (design == "released")


@pytest.mark.parametrize(("n_samples", "numbers"), [(1, (1,)), (3, (1, *RUNS_PLANNED))])
def test_released_models_are_planned_from_their_samples_or_from_one_output(n_samples: int, numbers) -> None:
    settings = Settings(metrics=("ter",), n_bootstrap=50, n_shuffles=50, design="released")

    (prospect,) = evaluate(experiment(sampled(1, n_samples)), settings, Work()).prospects

    variation = prospect.variation
    assert variation.components.shape[:2] == (1, n_samples)
    assert numbers_planned(variation.sources) == numbers
    assert plan_from(prospect, variation, Wish(5.0)).n_runs == 1
