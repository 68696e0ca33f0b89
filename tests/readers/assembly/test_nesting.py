"""Outputs of one training count as one run, however they are loaded."""

from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import InputError, SettingsError
from mteval.metrics import resolve
from mteval.readers.assembly.test_sets import nested_pattern, with_trainings
from mteval.readers.documents import InputFile, Problem, Slot
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.named_files import ScoreFiles, load_paths, load_scores
from mteval.readers.replays import read_experiment
from mteval.readers.workspace import Workspace, load_told_apart
from mteval.report.package import packed_inputs
from mteval.values.model import Run, TestSet
from mteval.values.settings import Settings

LINES = [f"line {number} of the text that was translated" for number in range(12)]
PATTERN = "seed{training}-step*"
SETTINGS = Settings(metrics=("chrf",))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    """Two trainings per system, with three and with two checkpoints."""
    found: dict[str, list[Path]] = {}
    (tmp_path / "ref.txt").write_text("\n".join(LINES) + "\n")
    for place, system in enumerate(("base", "new")):
        for seed, step in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2)):
            path = tmp_path / system / f"seed{seed}-step{step}.txt"
            path.parent.mkdir(exist_ok=True)
            cut = 4 * seed + step + place
            path.write_text(
                "".join(f"{line[cut % 7 :]} {step if at % cut else system}\n" for at, line in enumerate(LINES))
            )
            found.setdefault(system, []).append(path)
    return found


def statistics(experiment):
    (scored,) = score_experiment(experiment, resolve(SETTINGS, experiment.given), Work())
    return scored.statistics


def test_a_training_has_the_mean_statistics_of_its_outputs_and_survives_every_way_of_loading(files, tmp_path) -> None:
    references = [tmp_path / "ref.txt"]
    loaded = load_paths(references, files, baseline="base", nested=PATTERN)
    assert {system.key: system.runs for system in loaded.experiment.systems} == dict.fromkeys(
        ("base", "new"), ("training 1", "training 2")
    ), "runs are numbered, so a training needs another name"
    plain, nested = statistics(load_paths(references, files, baseline="base").experiment), statistics(loaded.experiment)
    for system, rows in plain.items():
        np.testing.assert_allclose(nested[system], [rows[:3].mean(axis=0), rows[3:].mean(axis=0)])
    for name, content in packed_inputs(loaded, SETTINGS).items():
        path = tmp_path / "packed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    replay = read_experiment(tmp_path / "packed" / "experiment.toml")
    assert replay.loaded.experiment.digest == loaded.experiment.digest
    assert replay.file.settings.run_word == "training", "sentences count trainings"
    told_apart = load_told_apart([*references, *(tmp_path / system for system in files)], "base", ScoreFiles(), PATTERN)
    inputs = [
        InputFile(str(path.relative_to(tmp_path)), path.read_bytes()) for group in files.values() for path in group
    ]
    dropped = Workspace().add([*inputs, InputFile("ref.txt", references[0].read_bytes())]).nest(PATTERN).experiment()
    for experiment in (told_apart.experiment, dropped):
        for system, rows in statistics(experiment).items():
            np.testing.assert_allclose(rows, nested[system])


def test_scores_alone_are_averaged_within_their_training(tmp_path) -> None:
    rows = [(system, f"{seed}.{step}", at, seed + step * at) for system in "ab" for seed in (1, 2) for step in (3, 5)
            for at in range(4)]  # fmt: skip
    path = tmp_path / "scores.csv"
    path.write_text("system,run,segment,score\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    loaded = load_scores(ScoreFiles([path]), nested="{training}.*")
    (scored,) = score_experiment(
        loaded.experiment, resolve(Settings(metrics=(loaded.experiment.given[0].key,)), loaded.experiment.given), Work()
    )
    np.testing.assert_allclose(scored.statistics["a"][..., 0], [[seed + 4 * at for at in range(4)] for seed in (1, 2)])


@pytest.mark.parametrize(
    ("pattern", "files", "expected", "n_warnings"),
    [
        ("s{training}-*", {"s7-a": "", "s7-b": "", "s8-a": ""}, {"7": ("s7-a", "s7-b"), "8": ("s8-a",)}, 0),
        ("{training}/*.txt", {"x": "up/s1/x.txt", "y": "up/s1/y.txt"}, {"s1": ("x", "y")}, 0),
        ("s{training}", {"s1": "", "other": ""}, {"1": ("s1",), "other": ("other",)}, 1),
        ("s{training}", {"0": "s1.x", "1": "s1.y"}, {"training 1": ("0", "1")}, 0),
        ("a+{training}*(", {"a+1(": "", "a1(": ""}, {"1": ("a+1(",), "a1(": ("a1(",)}, 1),
    ],
)
def test_trainings_are_read_from_names_files_and_folders(pattern, files, expected, n_warnings) -> None:
    slots = [Slot(file, "hypothesis", "a", run, "test") for run, file in files.items()]
    test_set = TestSet("test", (("x",),), tuple(Run("a", key, ("y",)) for key in files))
    problems: list[Problem] = []
    found = with_trainings(test_set, nested_pattern(pattern), slots, problems)
    assert {run.key: run.members for run in found.runs} == expected
    assert len(problems) == n_warnings


@pytest.mark.parametrize("pattern", ["seed*", "{training}{training}", "*****{training}"])
def test_a_pattern_without_one_training_is_refused(pattern) -> None:
    with pytest.raises(SettingsError, match="training"):
        nested_pattern(pattern)
    text = f'format = 1\nbaseline = "a"\nnested = "{pattern}"\n[settings]\n[[test_sets]]\nname = "t"\nrole = "test"\n'
    with pytest.raises(InputError, match="'nested'"):
        parse_experiment(text + '[test_sets.systems.a]\n0 = "x"\n', "experiment.toml")
