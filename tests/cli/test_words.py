"""``mteval words`` as its user types it, and ``Comparison.words`` with the same inputs."""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import mteval
from mteval.cli import main

ADJECTIVES = ("small", "big")
# The label of each word; the labels of the adjectives take turns.
REFERENCES = [f"the {ADJECTIVES[place % 2]} cat {place} sat" for place in range(40)]
TAGS = [f"D {'BA'[place % 2]} N C V" for place in range(40)]
CHANCE = np.random.default_rng(7)


def outputs(system: str) -> list[str]:
    """Each output loses words at random; the new system never loses the cat."""
    lines = []
    for reference in REFERENCES:
        words = []
        for word in reference.split():
            is_kept = CHANCE.random() > 0.4 or (word == "cat" and system == "new")
            words.append(word if is_kept else f"x{CHANCE.integers(9)}")
        lines.append(" ".join(words))
    return lines


RUNS = {system: [outputs(system) for _ in range(3)] for system in ("old", "new")}
TERMS = {"Katze": ("cat",), "Hund": ("dog",)}


@pytest.fixture
def line(tmp_path: Path) -> list[str]:
    """A command line that names the files."""

    def written(name: str, lines: list[str]) -> str:
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(tmp_path / name)

    words = ["words", "--refs", written("refs", REFERENCES), "--source", written("source", ["die Katze"] * 40)]
    for system, runs in RUNS.items():
        words += ["--system", system]
        for run, lines in enumerate(runs):
            words.append(written(f"{system}.{run}", lines))
    written("tags", TAGS)
    written("terms", ["Katze\tcat", "Hund\tdog"])
    written("links", ["0-0 1-2"] * 40)
    return [*words, "--ar-shuffles", "200", "--convention", "sacrebleu"]


def test_words_and_ngrams_are_printed_and_written(line: list[str], tmp_path: Path, capsys) -> None:
    assert main([*line, "--json", str(tmp_path / "out.json")]) == 0
    out = capsys.readouterr().out
    for heading in ("Word F by frequency", "Word F by letter case", "new gets right more often than old"):
        assert heading in out

    # A cat is in each of the 40 references; the old system has it right as often as it kept the word.
    (row,) = [printed.split() for printed in out.splitlines() if printed.startswith("cat ")]
    n_kept = sum(output.split().count("cat") for output in chain.from_iterable(RUNS["old"]))
    assert row[1:4] == [f"{n_kept / 3:.1f}", "40.0", "40"]

    # Each of three runs is compared with each of three.
    numbers = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (cat,) = [ngram for ngram in numbers["ngrams"] if ngram["ngram"] == "cat"]
    assert (cat["better"], cat["worse"], cat["pairs"], cat["conclusion"]) == (9, 0, 9, "better")
    assert {"frequency", "case", "ngrams", "settings", "versions"} <= set(numbers)


def test_python_gives_the_same_numbers(line: list[str], tmp_path: Path, capsys) -> None:
    criteria = ["label", "terms", "length", "score", "length-difference", "label-ngrams"]
    files = {"--labels": "tags", "--terms": "terms", "--alignment": "links"}
    further = []
    for option, name in files.items():
        further += [option, str(tmp_path / name)]
    assert main([*line, *further, "--by", *criteria, "--format", "json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    roles = {Path(entry["file"]).name: entry["roles"] for entry in numbers["files"]}
    assert {roles.pop("tags")[0], roles.pop("terms")[0], roles.pop("links")[0]} == {"labels", "terms", "alignment"}
    assert {"refs", "source", "old.0", "new.2"} <= set(roles)

    comparison = compared_in_python()
    arguments = {"label": {"labels": TAGS}, "terms": {"terms": TERMS}, "label-ngrams": {"labels": TAGS}}
    for criterion in criteria:
        frame = comparison.words(criterion, **arguments.get(criterion, {}))
        rows = numbers[criterion]
        assert len(frame) == len(rows) > 0
        column = "p_run" if criterion == "label-ngrams" else "p_run_adjusted"
        p_values = []
        for row in rows:
            p_values.append(float("nan") if row[column] is None else row[column])
        assert frame[column].tolist() == pytest.approx(p_values, nan_ok=True)

    # The cat, which the new system never loses, is the only noun.
    nouns = comparison.words("label", labels=TAGS).set_index("group").loc["N"]
    assert nouns["system_mean"] == 100
    assert nouns["conclusion"] == "better"

    # The two words of each source are aligned with "the", which the new system may lose, and with "cat".
    frame = comparison.words("source", alignment=["0-0 1-2"] * 40)
    assert frame["size"].sum() == 80
    n_kept = sum(output.split()[0] == "the" for output in chain.from_iterable(RUNS["new"]))
    share = 100 * (n_kept / 3 + 40) / 80
    assert frame["system_mean"].max() == pytest.approx(share)


def compared_in_python() -> mteval.Comparison:
    """Compare the systems as the command line does."""
    return mteval.compare(
        RUNS, REFERENCES, ["bleu"], source=["die Katze"] * 40, n_shuffles=200, n_bootstrap=20, convention="sacrebleu"
    )


@pytest.mark.parametrize(
    ("question", "complaint"),
    [
        (["--by", "label"], "--by label needs --labels FILE"),
        (["--by", "terms"], "--by terms needs --terms FILE"),
        (["--by", "source"], "--by source needs --alignment FILE"),
    ],
)
def test_a_question_without_its_file_says_which_one(
    line: list[str], question: list[str], complaint: str, capsys
) -> None:
    assert main([*line, *question]) == 2
    assert complaint in capsys.readouterr().err
