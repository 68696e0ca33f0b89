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
    rows = []
    for annotator in ("ann", "bob", "cat"):
        for place, system in enumerate("CBA"):
            for segment in range(SEGMENTS):
                adequacy = round(60 + 9 * place + 8 * generator.normal(), 2)
                rows.append((annotator, system, segment + 1, adequacy))
    return pd.DataFrame(rows, columns=["annotator", "system", "segment", "adequacy"])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The judgements, and scores of a metric that follows them."""
    frame = judged()
    generator = np.random.default_rng(9)
    frame.to_csv(tmp_path / "judged.tsv", sep="\t", index=False)
    means = frame.groupby(["system", "segment"])["adequacy"].mean()
    lines = []
    for (system, _), mean in means.items():
        lines.append(f"{system}\t{mean + 3 * generator.normal()}\n")
    (tmp_path / "M.seg.score").write_text("".join(lines))
    return tmp_path / "judged.tsv", tmp_path / "M.seg.score"


def test_its_numbers_are_those_of_the_command_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    judgements, scores = files
    out = tmp_path / "numbers.json"
    words = ["people", "--judgements", str(judgements), "--scores-higher", str(scores), "--json", str(out)]
    assert main([*words, "--replicates", "40", "--resamples", "80", "--seed", "5"]) == 0
    written = json.loads(out.read_text())
    for source in (judgements, [judgements], judged()):
        people = mteval.people(source, scores_higher=[scores], settings=SIZES)
        numbers = json.loads(people.to_json())
        for name in people.frames:
            assert numbers[name] == written[name]
        assert set(numbers) == set(written)
        read = [entry["file"] for entry in numbers["files"]]
        assert read == [str(scores), "judgements.jsonl" if isinstance(source, pd.DataFrame) else str(judgements)]


def test_figures_and_words_are_of_the_same_answers(files: tuple[Path, Path]) -> None:
    people = mteval.people(judged(), scores_higher=[files[1]], settings=SIZES)
    assert {"gold", "tests", "pairwise_accuracy", "acc_eq", "raters"} <= set(people.figures)
    shares = people.frames["raters"].query("form == 'raw'").sort_values("difference", ascending=False)
    total = shares[["own_raters", "own_segments", "together"]].sum(axis=1)
    drawn = next(bar for bar in people.figure("raters").data if bar.name == "raters")
    assert list(drawn.x) == pytest.approx(list(shares["own_raters"] / total))
    assert "by 3 annotators of 3 systems on 15 segments" in people.methods
    assert repr(people).startswith("<mteval.People: 135 judgements by 3 annotators")
    with pytest.raises(mteval.MtevalError, match=r"'x'\. Found: gold"):
        people.figure("x")

    again = pickle.loads(pickle.dumps(people))
    assert again.frames.keys() == people.frames.keys()
    for name, frame in people.frames.items():
        assert again.frames[name].equals(frame)


def test_raters_of_one_model_count_as_one_judge() -> None:
    prompts = judged().replace({"annotator": {"ann": "model, prompt 1", "bob": "model, prompt 2"}})
    three_judges = mteval.people(prompts)
    two_judges = mteval.people(prompts, judge="^model")
    assert set(three_judges.frames["raters"]["n_raters"]) == {3}
    assert set(two_judges.frames["raters"]["n_raters"]) == {2}
    with pytest.raises(mteval.MtevalError, match="not a regular expression"):
        mteval.people(prompts, judge="(")


def test_outputs_that_were_compared_are_what_people_are_compared_with() -> None:
    texts = [f"number {n} of the sentences that somebody wrote on day {n}" for n in range(SEGMENTS)]
    word_of = {"A": "lines", "B": "x y", "C": "z z z"}
    runs = {}
    for system, word in word_of.items():
        runs[system] = [[text.replace("sentences", word) for text in texts]]
    comparison = mteval.compare(runs, texts, ["bleu"], n_bootstrap=40, n_shuffles=80)
    with_metric = mteval.people(judged(), comparison)
    assert set(with_metric.frames["accuracy"]["metric"]) == {"bleu"}
    alone = mteval.people(judged())
    assert set(alone.frames) == {"averages", "gold", "raters", "rater_agreement"}
    with pytest.raises(mteval.MtevalError, match="'fluency'"):
        mteval.people(judged(), scales=["fluency"])
