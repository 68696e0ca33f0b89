"""``mteval claim``: several test sets of one experiment, and several experiments."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from scipy.stats import ttest_ind

from mteval.cli import main

SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"
WORDS = SENTENCE.split()


def write(folder: Path, sizes: dict[str, int], *, n_runs: int = 3, first: int = 0, words: int = 0) -> Path:
    """Two systems; each run lacks other words, the new system fewer, and segments are as long as they happen to be."""
    folder.mkdir()
    text = 'format = 1\nbaseline = "old"\n[settings]\nmetrics = ["bleu", "ter"]\nconvention = "multeval"\n'
    for test_set, size in sizes.items():
        references = [WORDS[(number + words) % 7 : 12 + number % 5] for number in range(size)]
        (folder / f"{test_set}.ref").write_text("\n".join(map(" ".join, references)) + "\n", encoding="utf-8")
        role = "dev" if test_set == "dev" else "test"
        text += f'[[test_sets]]\nname = "{test_set}"\nreferences = ["{test_set}.ref"]\nrole = "{role}"\n'
        for every, system in ((5, "old"), (7, "new")):
            text += f"[test_sets.systems.{system}]\n"
            for run in range(first, first + n_runs):
                lines = outputs(references, run, every + run % 2)
                (folder / f"{test_set}.{system}.{run}").write_text("\n".join(lines) + "\n", encoding="utf-8")
                text += f'{run} = "{test_set}.{system}.{run}"\n'
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    return folder / "experiment.toml"


def outputs(references: list[list[str]], run: int, period: int) -> list[str]:
    """The references, each without one word in so many; each run begins to count elsewhere."""
    lines = []
    for number, reference in enumerate(references):
        words = [word for place, word in enumerate(reference) if (place + number + 3 * run) % period]
        lines.append(" ".join(words))
    return lines


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment on a tuning set and three test sets."""
    return write(tmp_path_factory.mktemp("claims") / "one", {"dev": 9, "news": 30, "talks": 24, "mail": 20})


def test_a_claim_covers_all_test_sets_except_tuning_sets(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claim", str(experiment), "--json", str(tmp_path / "claim.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("BLEU: new vs old\n")
    assert "on average over 3 test sets" in printed
    assert "new vs old: better" in printed
    assert "Test sets, equally weighted: news, talks and mail. All test sets share the same runs" in printed
    document = json.loads((tmp_path / "claim.json").read_text(encoding="utf-8"))
    bleu = [row for row in document["claims"] if row["metric"] == "bleu"]
    assert [row["question"] for row in bleu] == ["these runs", "these test sets", "test sets like these"]
    assert all(row["shares_runs"] for row in bleu)
    # The claim is about the mean of the differences on each test set; wider questions are answered more cautiously.
    differences = [row["difference"] for row in document["test_sets"] if row["metric"] == "bleu"]
    assert bleu[0]["difference"] == pytest.approx(np.mean(differences))
    assert bleu[0]["p_value"] <= bleu[1]["p_value"] <= bleu[2]["p_value"]


def test_a_test_set_by_itself_has_the_interval_of_the_verdict(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same numbers as ``mteval run``, which asks the two-way procedure on each test set."""
    assert main(["claim", str(experiment), "--json", str(tmp_path / "claim.json")]) == 0
    assert main(["run", str(experiment), "--json", str(tmp_path / "run.json")]) == 0
    capsys.readouterr()
    claim = json.loads((tmp_path / "claim.json").read_text(encoding="utf-8"))
    run = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    verdict_rows = [row for row in run["comparisons"] if row["procedure"] == "two-way" and row["test_set"] != "dev"]
    expected = numbers_by_test_set(verdict_rows)
    numbers = numbers_by_test_set(claim["test_sets"])
    assert numbers.keys() == expected.keys()
    for key in numbers:
        assert numbers[key] == pytest.approx(expected[key])
    assert run["claims"] == claim["claims"], "a report has the claim as the command prints it"


def numbers_by_test_set(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float, float, float]]:
    """The difference and its interval of each metric on each test set."""
    numbers = {}
    for row in rows:
        numbers[row["metric"], row["test_set"]] = (row["difference"], row["low"], row["high"])
    return numbers


def test_matching_run_names_in_two_files_need_the_runs_option(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = write(tmp_path / "two", {"news": 25}, words=2)
    command = ["claim", str(experiment), str(second), "--metrics", "bleu"]
    assert main(command) == 2
    errors = capsys.readouterr().err
    assert "6 run names, e.g. '0' of 'new'" in errors
    assert "--runs shared" in errors
    assert main([*command, "--runs", "shared"]) == 0
    shared = capsys.readouterr().out
    assert "one/news" in shared
    assert "two/news" in shared
    assert main([*command, "--runs", "separate"]) == 0
    assert "2 groups of test sets" in capsys.readouterr().out


def test_different_run_names_mean_separate_models(
    experiment: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = write(tmp_path / "two", {"letters": 25}, first=7)
    assert main(["claim", str(experiment), str(second), "--metrics", "bleu", "--test-sets", "news", "letters"]) == 0
    printed = capsys.readouterr().out
    assert "news and letters. Each test set has its own runs" in printed
    assert "at least three test sets" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--test-sets", "news"], "found news"),
        (["--test-sets", "news", "talk", "mail"], "no test set 'talk'; there are: news, talks, mail, dev"),
        (["--systems", "newer"], "No system among newer has scores on all of news, talks and mail"),
        (["--metrics", "chrf"], "In all files: bleu, ter."),
    ],
)
def test_impossible_claims_give_a_one_line_error(
    experiment: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["claim", str(experiment), *words]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert message in line


def test_warnings_about_other_systems_and_test_sets_are_left_out(tmp_path: Path, capsys) -> None:
    experiment = write(tmp_path / "three", {"news": 30, "talks": 24, "mail": 20})
    text = experiment.read_text()
    for test_set, size in (("news", 30), ("talks", 24), ("mail", 20)):
        (experiment.parent / f"{test_set}.odd.0").write_text("\n" * size)  # every output is empty
        heading = f'[test_sets.systems.new]\n0 = "{test_set}.new.0"'
        text = text.replace(heading, f'[test_sets.systems.odd]\n0 = "{test_set}.odd.0"\n{heading}')
    experiment.write_text(text)
    command = ["claim", str(experiment), "--metrics", "bleu"]

    assert main(command) == 0
    assert "on 'mail'" in capsys.readouterr().out
    assert main([*command, "--test-sets", "news", "talks"]) == 0
    printed = capsys.readouterr().out
    assert "on 'news'" in printed
    assert "on 'mail'" not in printed
    assert main([*command, "--systems", "new"]) == 0
    assert "Empty hypotheses" not in capsys.readouterr().out


def test_test_sets_with_the_same_references_get_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "same", {"a": 20, "b": 20})
    assert main(["claim", str(folder), "--metrics", "bleu"]) == 0
    assert "a and b have the same references" in capsys.readouterr().out


@pytest.mark.filterwarnings("error")
def test_one_score_per_run_is_claimed_by_welchs_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = {"de-en": ((30.1, 30.5, 29.8), (30.9, 31.3, 30.7)), "fr-en": ((40.2, 40.1, 39.5), (40.3, 41.0, 40.1))}
    rows = ["test_set,system,seed,BLEU"]
    for name, of_systems in scores.items():
        for system, of_runs in zip(("old", "new"), of_systems, strict=True):
            rows += [f"{name},{system},{seed},{score}" for seed, score in enumerate(of_runs)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    given = ["--files", str(table), "--scores-higher", str(table), "--baseline", "old"]
    assert main(["report", *given, "--to", str(tmp_path / "report.zip")]) == 0
    capsys.readouterr()

    old, new = (np.mean([of_systems[side] for of_systems in scores.values()], axis=0) for side in (0, 1))
    welch = ttest_ind(new, old, equal_var=False)
    assert main(["claim", str(tmp_path / "report.zip")]) == 2
    assert "This is an archive. Unpack it, and name the experiment.toml in it." in capsys.readouterr().err
    with ZipFile(tmp_path / "report.zip") as archive:
        archive.extractall(tmp_path / "report")
    experiment = str(tmp_path / "report" / "experiment.toml")
    assert main(["claim", experiment, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    (both,) = [row for row in found["claims"] if row["question"] == "these test sets"]
    assert both["p_value"] == pytest.approx(welch.pvalue, abs=1e-4)

    assert main(["claim", experiment]) == 0
    printed = capsys.readouterr().out
    assert "training luck only; p = " in printed
    assert "Training luck: " in printed
    assert "same references" not in printed
    assert "Units" not in printed

    assert main(["eval", *given]) == 0
    assert "on average over 2 test sets (95% CI " in capsys.readouterr().out
