"""Outputs of one training count as one run, however they are loaded."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import InputError, SettingsError
from mteval.metrics import resolve
from mteval.readers.assembly.test_sets import nested_pattern, with_trainings
from mteval.readers.documents import InputFile, Problem, Slot
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.folders import load_told_apart
from mteval.readers.named_files import ScoreFiles, load_paths, load_scores
from mteval.readers.replays import read_experiment
from mteval.readers.workspace import Workspace
from mteval.report.inputs import packed_inputs
from mteval.values.model import Run, TestSet
from mteval.values.settings import Settings

LINES = [f"line {number} of the text that was translated" for number in range(12)]
PATTERN = "seed{training}-step*"
SETTINGS = Settings(metrics=("chrf",))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    """Two trainings per system, with three and with two checkpoints."""
    (tmp_path / "ref.txt").write_text("\n".join(LINES) + "\n")
    paths_of: dict[str, list[Path]] = {}
    for place, system in enumerate(("base", "new")):
        folder = tmp_path / system
        folder.mkdir()
        paths_of[system] = []
        for seed, step in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2)):
            path = folder / f"seed{seed}-step{step}.txt"
            path.write_text(checkpoint_output(4 * seed + step + place, step, system))
            paths_of[system].append(path)
    return paths_of


def checkpoint_output(cut: int, step: int, system: str) -> str:
    """The text of an output, which differs between any two checkpoints."""
    lines = []
    for number, line in enumerate(LINES):
        last_word = str(step) if number % cut else system
        lines.append(f"{line[cut % 7 :]} {last_word}\n")
    return "".join(lines)


def statistics(experiment):
    """The statistics of each system: runs, segments, parts."""
    (scored,) = score_experiment(experiment, resolve(SETTINGS, experiment.given), Work())
    return scored.statistics


def test_a_training_has_the_mean_statistics_of_its_outputs_and_survives_every_way_of_loading(files, tmp_path) -> None:
    references = [tmp_path / "ref.txt"]
    plain = statistics(load_paths(references, files, baseline="base").experiment)

    loaded = load_paths(references, files, baseline="base", nested=PATTERN)

    runs_of = {system.key: system.runs for system in loaded.experiment.systems}
    trainings = ("training 1", "training 2")
    assert runs_of == {"base": trainings, "new": trainings}, "runs are numbered, so a training needs another name"
    nested = statistics(loaded.experiment)
    for system, rows in plain.items():
        of_first_training = rows[:3].mean(axis=0)
        of_second_training = rows[3:].mean(axis=0)
        np.testing.assert_allclose(nested[system], [of_first_training, of_second_training])

    # From a package
    for name, content in packed_inputs(loaded, SETTINGS).items():
        path = tmp_path / "packed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    replay = read_experiment(tmp_path / "packed" / "experiment.toml")
    assert replay.loaded.experiment.digest == loaded.experiment.digest
    assert replay.file.settings.run_word == "training", "sentences count trainings"

    # By paths that say for themselves what they are
    folders = [tmp_path / system for system in files]
    told_apart = load_told_apart([*references, *folders], "base", ScoreFiles(), PATTERN).experiment

    # As the dashboard gets them
    paths = [*files["base"], *files["new"], *references]
    inputs = [InputFile(str(path.relative_to(tmp_path)), path.read_bytes()) for path in paths]
    dropped = Workspace().add(inputs).nest(PATTERN).experiment()

    for experiment in (told_apart, dropped):
        for system, rows in statistics(experiment).items():
            np.testing.assert_allclose(rows, nested[system])


def test_scores_alone_are_averaged_within_their_training(tmp_path) -> None:
    lines = ["system,run,segment,score"]
    for system, seed, step, segment in product("ab", (1, 2), (3, 5), range(4)):
        lines.append(f"{system},{seed}.{step},{segment},{seed + step * segment}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")

    experiment = load_scores(ScoreFiles([path]), nested="{training}.*").experiment

    settings = Settings(metrics=(experiment.given[0].key,))
    (scored,) = score_experiment(experiment, resolve(settings, experiment.given), Work())
    # Averaged over the steps 3 and 5, the score of a segment is seed + 4 * segment
    np.testing.assert_allclose(scored.statistics["a"][..., 0], [[1, 5, 9, 13], [2, 6, 10, 14]])


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

    nested = with_trainings(test_set, nested_pattern(pattern), slots, problems)

    assert {run.key: run.members for run in nested.runs} == expected
    assert len(problems) == n_warnings


@pytest.mark.parametrize("pattern", ["seed*", "{training}{training}", "*****{training}"])
def test_a_pattern_without_one_training_is_refused(pattern) -> None:
    with pytest.raises(SettingsError, match="training"):
        nested_pattern(pattern)

    text = f'format = 1\nbaseline = "a"\nnested = "{pattern}"\n[settings]\n[[test_sets]]\nname = "t"\nrole = "test"\n'
    with pytest.raises(InputError, match="'nested'"):
        parse_experiment(text + '[test_sets.systems.a]\n0 = "x"\n', "experiment.toml")
