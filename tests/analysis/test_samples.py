"""Samples of one trained model, from files to what is said of them."""

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
from mteval.report.kept_numbers import evaluation_from, numbers_of
from mteval.report.package import packed_inputs
from mteval.values.model import Experiment, Run, Sample, TestSet
from mteval.values.settings import Settings

WORDS = "the quick brown fox jumps over the lazy dog while it rains on every roof"
SENTENCE = WORDS.split()
REFERENCES = [" ".join(SENTENCE[place % 5 :]) for place in range(24)]
SETTINGS = Settings(metrics=("bleu", "ter"), n_bootstrap=50, n_shuffles=50)


def output(number: int) -> tuple[str, ...]:
    return tuple(
        " ".join(word for at, word in enumerate(line.split()) if (at + place + number) % (4 + number % 3))
        for place, line in enumerate(REFERENCES)
    )


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
    return Experiment((TestSet("test", tuple((line,) for line in REFERENCES), runs),), "base")


def test_statistics_of_a_run_are_the_mean_over_its_samples() -> None:
    (scored,) = score_experiment(experiment(sampled(2, 3)), resolve(Settings(metrics=("ter",))), Work())
    alone = experiment(tuple(Run("new", str(place), output(place)) for place in range(6)) + sampled(2, 1)[1::2])
    (single,) = score_experiment(alone, resolve(Settings(metrics=("ter",))), Work())
    expected = single.statistics["new"].reshape(2, 3, *single.statistics["new"].shape[1:]).mean(axis=1)
    np.testing.assert_allclose(scored.statistics["new"], expected)
    assert [len(run) for run in scored.samples["new"]] == [3, 3]
    assert "base" not in scored.samples


def test_samples_are_not_runs_and_one_model_has_unknown_training_luck() -> None:
    evaluation = evaluate(experiment(sampled(1, 5)), SETTINGS, Work())
    (verdict, *_) = verdicts(evaluation)
    assert verdict.both == "refused"
    assert verdict.n_runs == 1
    row = next(row for row in evaluation.sampled if row.metric == "bleu")
    assert (row.n_runs, row.n_samples, row.df) == (1, 5, 4)
    assert np.isnan(row.s_training)
    assert row.worst <= row.mean <= row.best
    errors = next(row for row in evaluation.sampled if row.metric == "ter")
    assert errors.best <= errors.mean <= errors.worst, "fewer errors are better"


def test_the_same_sample_twice_changes_no_number() -> None:
    runs = sampled(3, 2)
    doubled = tuple(Run(run.system, run.key, run.hypotheses, samples=(*run.samples, *run.samples)) for run in runs)
    one, other = (evaluate(experiment(these), SETTINGS, Work()) for these in (runs, doubled))
    assert one.answers[0].both.p_value == pytest.approx(other.answers[0].both.p_value)


def test_a_sample_of_another_length_is_an_error() -> None:
    samples = (Sample("1", output(0)), Sample("2", output(1)[:-1]))
    with pytest.raises(DataError, match="run '0', sample '2' has 23 segments"):
        experiment((Run("base", "0", output(5)), Run("new", "0", samples[0].hypotheses, samples=samples)))


@pytest.mark.parametrize(
    ("names", "runs"),
    [
        (("new.seed1.sample1.txt", "new.seed1.sample2.txt", "new.seed2.sample1.txt"),
         ["1 sample 1", "1 sample 2", "2 sample 1"]),
        (("new/checkpoint_12/sample_1.txt", "new/checkpoint_12/sample_2.txt"), ["12 sample 1", "12 sample 2"]),
        (("new.sample1.txt", "new.sample2.txt"), ["1", "2"]),
    ],
)  # fmt: skip
def test_names_tell_samples_of_a_run_from_runs(names: tuple[str, ...], runs: list[str]) -> None:
    documents = [Document(name, "lines", (Stream("", ("a b", "c d")),)) for name in (*names, "base.txt", "refs.txt")]
    slots = guess(documents)
    assert [slot.run for slot in slots[: len(names)]] == runs
    assert {slot.system for slot in slots[: len(names)]} == {"new"}


def test_score_tables_have_a_column_for_samples() -> None:
    rows = ["system\trun\tsample\tsegment\thypothesis\treference"]
    for system, n_samples in (("base", 1), ("new", 3)):
        for sample in range(n_samples):
            rows += [
                f"{system}\t1\t{sample}\t{place}\t{text}\t{REFERENCES[place]}"
                for place, text in enumerate(output(7 * n_samples + sample))
            ]
    loaded = Workspace().add([InputFile("all.tsv", "\n".join(rows).encode())]).experiment()
    assert loaded is not None
    assert {run.system: len(run.decodings) for run in loaded.test_sets[0].runs} == {"base": 1, "new": 3}
    files = [InputFile(f"new.{number}.txt", "\n".join(output(number)).encode()) for number in range(4)]
    files += [
        InputFile("refs.txt", "\n".join(REFERENCES).encode()),
        InputFile("base.txt", "\n".join(output(9)).encode()),
    ]
    work = Workspace().add(files)
    work = work.edit(regrouped(work.slots, outputs_named(work.slots, "new."), "samples", "new"))
    changed = work.experiment()
    assert changed is not None
    assert {run.system: len(run.decodings) for run in changed.test_sets[0].runs} == {"base": 1, "new": 4}


def test_samples_survive_the_experiment_file(tmp_path: Path) -> None:
    paths = {}
    for name, lines in {"ref": REFERENCES, **{f"new{n}": output(n) for n in range(6)}, "base": output(9)}.items():
        paths[name] = tmp_path / f"{name}.txt"
        paths[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    new = [paths[f"new{number}"] for number in range(6)]
    with pytest.raises(DataError, match="not a multiple of 4 samples per run"):
        load_paths([paths["ref"]], {"base": new, "new": new}, baseline="base", n_samples=4)
    loaded = load_paths([paths["ref"]], {"base": [paths["base"]] * 3, "new": new}, baseline="base", n_samples=3)
    runs = loaded.experiment.test_sets[0].runs_of("new")
    assert [(run.key, [sample.key for sample in run.samples]) for run in runs] == [
        ("0", ["1", "2", "3"]), ("1", ["1", "2", "3"]),
    ]  # fmt: skip
    packed = packed_inputs(loaded, SETTINGS)
    slots = parse_experiment(packed["experiment.toml"].decode(), "experiment.toml").edits.slots
    expected = [f"{run} sample {sample}" for run in (0, 1) for sample in (1, 2, 3)]
    assert [slot.run for slot in slots if slot.system == "new"] == expected


def test_claims_samples_and_interim_analyses_survive_the_library() -> None:
    runs = sampled(3, 2)
    lines = tuple((line,) for line in REFERENCES)
    names = enumerate(("one", "two", "three"))
    loaded = Experiment(tuple(TestSet(name, lines[start:], _cut(runs, start)) for start, name in names), "base")
    settings = Settings(metrics=("bleu",), n_bootstrap=50, n_shuffles=50, looks=(3, 5), run_word="checkpoint")
    evaluation = evaluate(loaded, settings, Work())
    again = evaluation_from(numbers_of(loaded, evaluation), loaded)
    assert again is not None
    assert again.settings == settings
    assert repr((again.claims, again.sampled)) == repr((evaluation.claims, evaluation.sampled)), "NaN equals nothing"
    (claim,) = again.claims
    assert (claim.runs.noun, claim.these_test_sets.corrections) == ("checkpoint", ("looks",))
    assert [len(verdicts(one)) for one in (evaluation, again)] == [3, 3]
    written = experiment_toml(describe(loaded, (), settings, str))
    assert "looks = [" in written
    assert 'run_word = "checkpoint"' in written


def _cut(runs: tuple[Run, ...], start: int) -> tuple[Run, ...]:
    return tuple(
        Run(run.system, run.key, run.hypotheses[start:],
            samples=tuple(Sample(one.key, one.hypotheses[start:]) for one in run.samples))
        for run in runs
    )  # fmt: skip


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
    assert prospect.variation.components.shape[:2] == (1, n_samples)
    assert numbers_planned(prospect.variation.sources) == numbers
    assert plan_from(prospect, prospect.variation, Wish(5.0)).n_runs == 1
