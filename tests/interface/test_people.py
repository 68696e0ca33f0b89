"""What people said, from Python: the numbers of the command line, frames that are handed in, figures, errors."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mteval
from mteval.cli import main

SEGMENTS = 15
SIZES = mteval.Settings(n_bootstrap=40, n_shuffles=80, seed=5)


def judged() -> pd.DataFrame:
    """Three annotators of three systems; the first system is the best."""
    generator = np.random.default_rng(8)
    rows = [
        (who, system, segment + 1, round(60 + 9 * place + 8 * generator.normal(), 2))
        for who in ("ann", "bob", "cat")
        for place, system in enumerate("CBA")
        for segment in range(SEGMENTS)
    ]
    return pd.DataFrame(rows, columns=["annotator", "system", "segment", "adequacy"])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The judgements, and scores of a metric that follows them."""
    frame, generator = judged(), np.random.default_rng(9)
    frame.to_csv(tmp_path / "judged.tsv", sep="\t", index=False)
    means = frame.groupby(["system", "segment"])["adequacy"].mean()
    lines = [f"{system}\t{value + 3 * generator.normal()}\n" for (system, _), value in means.items()]
    (tmp_path / "M.seg.score").write_text("".join(lines))
    return tmp_path / "judged.tsv", tmp_path / "M.seg.score"


def test_its_numbers_are_those_of_the_command_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    judgements, scores = files
    words = ["people", "--judgements", str(judgements), "--scores-higher", str(scores), "--json", str(tmp_path / "x")]
    assert main([*words, "--replicates", "40", "--resamples", "80", "--seed", "5"]) == 0
    written = json.loads((tmp_path / "x").read_text())
    for given in (judgements, [judgements], judged()):
        found = mteval.people(given, scores_higher=[scores], settings=SIZES)
        numbers = json.loads(found.to_json())
        assert {name: numbers[name] for name in found.frames} == {name: written[name] for name in found.frames}
        assert set(numbers) == set(written)


def test_figures_and_words_are_of_the_same_answers(files: tuple[Path, Path]) -> None:
    found = mteval.people(judged(), scores_higher=[files[1]], settings=SIZES)
    assert {"gold", "tests", "pairwise_accuracy", "acc_eq", "raters"} <= set(found.figures)
    shares = found.frames["raters"].query("form == 'raw'").sort_values("difference", ascending=False)
    total = shares[["own_raters", "own_segments", "together"]].sum(axis=1)
    drawn = next(bar for bar in found.figure("raters").data if bar.name == "raters")
    assert list(drawn.x) == pytest.approx(list(shares["own_raters"] / total))
    assert "by 3 annotators of 3 systems on 15 segments" in found.methods
    assert repr(found).startswith("<mteval.People: 135 judgements by 3 annotators")
    with pytest.raises(mteval.MtevalError, match=r"'x'\. Found: gold"):
        found.figure("x")
    again = pickle.loads(pickle.dumps(found))
    assert again.frames.keys() == found.frames.keys()
    assert all(again.frames[name].equals(frame) for name, frame in found.frames.items())


def test_raters_of_one_model_count_as_one_judge() -> None:
    prompts = judged().replace({"annotator": {"ann": "model, prompt 1", "bob": "model, prompt 2"}})
    counts = [set(mteval.people(prompts, judge=judge).frames["raters"]["n_raters"]) for judge in ("", "^model")]
    assert counts == [{3}, {2}]
    with pytest.raises(mteval.MtevalError, match="not a regular expression"):
        mteval.people(prompts, judge="(")


def test_outputs_that_were_compared_are_what_people_are_compared_with() -> None:
    texts = [f"number {n} of the sentences that somebody wrote on day {n}" for n in range(SEGMENTS)]
    words = {"A": "lines", "B": "x y", "C": "z z z"}
    runs = {name: [[line.replace("sentences", word) for line in texts]] for name, word in words.items()}
    compared = mteval.compare(runs, texts, ["bleu"], n_bootstrap=40, n_shuffles=80)
    found = mteval.people(judged(), compared)
    assert set(found.frames["accuracy"]["metric"]) == {"bleu"}
    alone = mteval.people(judged())
    assert set(alone.frames) == {"averages", "gold", "raters", "rater_agreement"}
    with pytest.raises(mteval.MtevalError, match="'fluency'"):
        mteval.people(judged(), scales=["fluency"])
