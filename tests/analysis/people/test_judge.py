"""Judges among the raters and metrics as judges: whose answers count as one, and what is compared with whom."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.people.judge import judges_frames
from mteval.analysis.people.judgements import JUDGED, HumanScores
from mteval.answers.gold import judge_sections
from mteval.base.errors import DataError
from mteval.stats.alternative_annotator import against_raters
from mteval.values.model import Run, TestSet
from mteval.values.settings import Settings

N = 40
SETTINGS = Settings(exchange_unit="segment")


def judged(noise: dict[str, float], *, documents: int = 0, seed: int = 2) -> pd.DataFrame:
    """Raters of two systems, each as far from the truth as they are noisy."""
    generator = np.random.default_rng(seed)
    truth = {system: generator.normal(size=N) for system in "AB"}
    rows = []
    for rater, system, index in product(noise, "AB", range(N)):
        document = None
        if documents:
            document = f"d{index // (N // documents)}"
        value = truth[system][index] + noise[rater] * generator.normal()
        rows.append((rater, system, str(index + 1), document, None, "mqm", value, ""))
    return pd.DataFrame(rows, columns=list(JUDGED))


def test_a_judge_nearer_than_people_replaces_one_and_a_bad_one_does_not() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1, "gpt": 0.1, "llama": 5})

    judges, against = judges_frames(frame, "mqm", "^(gpt|llama)", (), 0.1, SETTINGS)

    row_of = judges.set_index("judge")
    assert row_of.loc["gpt", "winning_rate"] == 1
    assert row_of.loc["gpt", "passes"]
    assert row_of.loc["llama", "winning_rate"] == 0
    assert not row_of.loc["llama", "passes"]
    assert set(against["rater"]) == {"ann", "bob", "cat"}
    section = next(judge_sections(judges, against, 0.95))
    about_gpt, about_llama, *_ = section.lead
    assert about_gpt == "gpt may replace a rater: it wins against 3 of 3 raters at a margin of 0.10."
    assert about_llama.startswith("llama is not proven to replace")


def row_of_gpt(frame: pd.DataFrame) -> dict[str, Any]:
    """The row of the only judge, whose names begin with gpt."""
    judges, _ = judges_frames(frame, "mqm", "^gpt", (), 0.1, SETTINGS)
    (row,) = judges.to_dict("records")
    return row


def test_repeated_answers_are_one_judge_whose_single_answers_are_tested_alone() -> None:
    repeated = {f"gpt-{number}": 1.5 for number in range(6)}
    frame = judged({"ann": 1, "bob": 1, "cat": 1, **repeated})
    later_askings = [f"gpt-{number}" for number in range(1, 6)]

    row = row_of_gpt(frame)
    row_of_first_asking = row_of_gpt(frame[~frame["annotator"].isin(later_askings)])

    assert row["n_askings"] == 6
    assert row["winning_rate"] > row["lowest"]  # noise averages out over askings
    assert row["lowest"] <= row_of_first_asking["winning_rate"] <= row["highest"]
    assert row["n_passing"] < 6


def test_repeats_under_one_name_are_askings_too() -> None:
    frame = judged({"ann": 1, "bob": 1, "gpt": 1})
    second_asking = judged({"x": 1, "y": 1, "gpt": 1}, seed=9).query("annotator == 'gpt'")
    assert row_of_gpt(pd.concat([frame, second_asking]))["n_askings"] == 2


def test_documents_are_the_units_if_all_are_known() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1, "gpt": 1}, documents=10)
    judges, against = judges_frames(frame, "mqm", "^gpt", (), 0.1, Settings())
    (row,) = judges.to_dict("records")
    assert row["unit"] == "document"
    assert row["n_units"] == 10
    assert set(against["n_units"]) == {10}
    assert row["low"] < row["advantage"] < row["high"]
    assert row["advantage"] == pytest.approx(against["share"].mean())


def test_a_metric_is_compared_on_a_standardised_scale() -> None:
    """Of a metric that says what ann says: the test itself, on z-scores of each rater by hand."""
    frame = judged({"ann": 1, "bob": 1, "cat": 1})
    runs = tuple(Run(system, "0", ("text",) * N) for system in "AB")
    test_set = TestSet("test", (("r",),) * N, runs)
    of_metric = frame[frame["annotator"] == "ann"].assign(annotator="m")
    scored = HumanScores.of(of_metric, "mqm", test_set).as_scored(test_set)

    judges, _ = judges_frames(frame, "mqm", "", (scored,), 0.1, SETTINGS)

    z_scores = {}
    for rater, rows in frame.groupby("annotator"):
        values = rows["value"]
        z_scores[rater] = ((values - values.mean()) / values.std()).to_numpy()
    raters = np.array([z_scores["ann"], z_scores["bob"], z_scores["cat"]])
    comparisons, _ = against_raters(z_scores["ann"], raters, np.arange(2 * N), 0.1, 0.9, False)
    shares_of_judge = [comparison.judge for comparison in comparisons if comparison is not None]
    assert judges["advantage"].iloc[0] == pytest.approx(np.mean(shares_of_judge))
    assert judges["n_askings"].isna().all()


@pytest.mark.parametrize(
    ("names", "judge", "words"),
    [
        (("ann", "gpt"), "^gpt", "at least two people"),
        (("ann", "bob"), "", "There is no judge"),
    ],
)
def test_what_the_test_needs_is_said(names: tuple[str, ...], judge: str, words: str) -> None:
    frame = judged(dict.fromkeys(names, 1.0))
    with pytest.raises(DataError, match=words):
        judges_frames(frame, "mqm", judge, (), 0.1, SETTINGS)


def test_few_shared_outputs_give_no_answer() -> None:
    frame = judged({"ann": 1, "bob": 1, "gpt": 1})
    first_ten = frame[frame["segment"].astype(int) <= 10]
    judges, against = judges_frames(first_ten, "mqm", "^gpt", (), 0.1, SETTINGS)
    (section,) = judge_sections(judges, against, 0.95)
    assert "30 outputs" in section.notes[0].said
