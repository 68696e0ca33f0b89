"""``mteval words`` as its user types it, and ``Comparison.words`` with the same inputs."""

import json
from pathlib import Path

import numpy as np
import pytest

import mteval
from mteval.cli import main

REFERENCES = [f"the {'big' if place % 2 else 'small'} cat {place} sat" for place in range(40)]
TAGS = [f"D {'A' if place % 2 else 'B'} N C V" for place in range(40)]
CHANCE = np.random.default_rng(7)


def outputs(system: str) -> list[str]:
    """Each output loses words at random; the new system never loses the cat."""
    return [
        " ".join(
            word if CHANCE.random() > 0.4 or (word == "cat" and system == "new") else f"x{CHANCE.integers(9)}"
            for word in line.split()
        )
        for line in REFERENCES
    ]


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
        words += ["--system", system, *(written(f"{system}.{run}", lines) for run, lines in enumerate(runs))]
    written("tags", TAGS)
    written("terms", ["Katze\tcat", "Hund\tdog"])
    written("links", ["0-0 1-2"] * 40)
    return [*words, "--ar-shuffles", "200", "--convention", "sacrebleu"]


def test_words_and_ngrams_are_printed_and_written(line: list[str], tmp_path: Path, capsys) -> None:
    assert main([*line, "--json", str(tmp_path / "out.json")]) == 0
    out = capsys.readouterr().out
    for said in ("Word F by frequency", "Word F by letter case", "new gets right more often than old"):
        assert said in out
    row = next(one.split() for one in out.splitlines() if one.startswith("cat "))
    matches = sum(line.split().count("cat") for run in RUNS["old"] for line in run) / 3
    assert row[1:4] == [f"{matches:.1f}", "40.0", "40"]
    numbers = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (cat,) = [one for one in numbers["ngrams"] if one["ngram"] == "cat"]
    assert (cat["better"], cat["worse"], cat["pairs"], cat["conclusion"]) == (9, 0, 9, "better")
    assert {"frequency", "case", "ngrams", "settings", "versions"} <= set(numbers)


def test_python_gives_the_same_numbers(line: list[str], tmp_path: Path, capsys) -> None:
    asked = ["label", "terms", "source", "length", "score", "length-difference", "label-ngrams"]
    files = {"--labels": "tags", "--terms": "terms", "--alignment": "links"}
    further = [word for option, name in files.items() for word in (option, str(tmp_path / name))]
    assert main([*line, *further, "--by", *[by for by in asked if by != "source"], "--format", "json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    found = mteval.compare(
        RUNS, REFERENCES, ["bleu"], source=["die Katze"] * 40, n_shuffles=200, n_bootstrap=20, convention="sacrebleu"
    )
    given = {"label": {"labels": TAGS}, "terms": {"terms": TERMS}, "label-ngrams": {"labels": TAGS}}
    for by in asked:
        if by == "source":
            frame = found.words(by, alignment=["0-0 1-2"] * 40)
            assert frame["size"].sum() == 80
            right = [[line.split()[0] == "the" for line in run] for run in RUNS["new"]]
            share = 100 * (sum(map(sum, right)) / 3 + 40) / 80  # "the" and "cat", with which the source is aligned
            assert frame["system_mean"].max() == pytest.approx(share)
            continue
        frame = found.words(by, **given.get(by, {}))
        assert len(frame) == len(numbers[by]) > 0
        column = "p_both" if by == "label-ngrams" else "p_both_adjusted"
        theirs = [float("nan") if one[column] is None else one[column] for one in numbers[by]]
        assert frame[column].tolist() == pytest.approx(theirs, nan_ok=True)
    frame = found.words("label", labels=TAGS).set_index("group")
    assert frame.loc["N", "system_mean"] == 100
    assert frame.loc["N", "conclusion"] == "better"


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--by", "label"], "--by label needs --labels FILE"),
        (["--by", "terms"], "--by terms needs --terms FILE"),
        (["--by", "source"], "--by source needs --alignment FILE"),
    ],
)
def test_a_question_without_its_file_says_which_one(line: list[str], more: list[str], complaint: str, capsys) -> None:
    assert main([*line, *more]) == 2
    assert complaint in capsys.readouterr().err
