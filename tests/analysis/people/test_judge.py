"""Judges among the raters and metrics as judges: whose answers count as one, and what is compared with whom."""

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
    rows = [
        (name, system, str(n + 1), f"d{n // (N // documents)}" if documents else None, None, "mqm",
         truth[system][n] + spread * generator.normal(), "")
        for name, spread in noise.items()
        for system in "AB"
        for n in range(N)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(JUDGED))


def test_a_judge_nearer_than_people_replaces_one_and_a_bad_one_does_not() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1, "gpt": 0.1, "llama": 5})
    judges, against = judges_frames(frame, "mqm", "^(gpt|llama)", (), 0.1, SETTINGS)
    rows = judges.set_index("judge")
    assert (rows.loc["gpt", "winning_rate"], rows.loc["gpt", "passes"]) == (1, True)
    assert (rows.loc["llama", "winning_rate"], rows.loc["llama", "passes"]) == (0, False)
    assert set(against["rater"]) == {"ann", "bob", "cat"}
    lead = next(judge_sections(judges, against, 0.95)).lead
    assert lead[0] == "gpt may replace a rater: it wins against 3 of 3 raters at a margin of 0.10."
    assert lead[1].startswith("llama is not proven to replace")


def test_repeated_answers_are_one_judge_whose_single_answers_are_tested_alone() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1, **{f"gpt-{n}": 1.5 for n in range(6)}})
    (row,) = judges_frames(frame, "mqm", "^gpt", (), 0.1, SETTINGS)[0].to_dict("records")
    one_asking = frame[~frame["annotator"].isin([f"gpt-{n}" for n in range(1, 6)])]
    single = judges_frames(one_asking, "mqm", "^gpt", (), 0.1, SETTINGS)
    assert row["n_askings"] == 6
    assert row["winning_rate"] > row["lowest"]  # noise averages out over askings
    assert row["lowest"] <= single[0]["winning_rate"].iloc[0] <= row["highest"]
    assert row["n_passing"] < 6


def test_repeats_under_one_name_are_askings_too() -> None:
    frame = judged({"ann": 1, "bob": 1, "gpt": 1})
    again = judged({"x": 1, "y": 1, "gpt": 1}, seed=9).query("annotator == 'gpt'")
    (row,) = judges_frames(pd.concat([frame, again]), "mqm", "^gpt", (), 0.1, SETTINGS)[0].to_dict("records")
    assert row["n_askings"] == 2


def test_documents_are_the_units_if_all_are_known() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1, "gpt": 1}, documents=10)
    judges, against = judges_frames(frame, "mqm", "^gpt", (), 0.1, Settings())
    assert (judges["unit"].iloc[0], judges["n_units"].iloc[0]) == ("document", 10)
    assert set(against["n_units"]) == {10}
    (row,) = judges.to_dict("records")
    assert row["low"] < row["advantage"] < row["high"]
    assert row["advantage"] == pytest.approx(against["share"].mean())


def test_a_metric_is_compared_on_a_standardised_scale() -> None:
    frame = judged({"ann": 1, "bob": 1, "cat": 1})
    runs = tuple(Run(system, "0", ("text",) * N) for system in "AB")
    test_set = TestSet("test", (("r",),) * N, runs)
    scored = HumanScores.of(frame[frame["annotator"] == "ann"].assign(annotator="m"), "mqm", test_set).as_scored(
        test_set
    )
    judges, _ = judges_frames(frame, "mqm", "", (scored,), 0.1, SETTINGS)
    values = {
        name: (rows["value"] - rows["value"].mean()).to_numpy() / rows["value"].std()
        for name, rows in frame.groupby("annotator")
    }
    found, _ = against_raters(
        values["ann"], np.array([values[name] for name in ("ann", "bob", "cat")]), np.arange(2 * N), 0.1, 0.9, False
    )
    expected = np.mean([one.judge for one in found if one is not None])
    assert judges["advantage"].iloc[0] == pytest.approx(expected)
    assert judges["n_askings"].isna().all()


@pytest.mark.parametrize(
    ("names", "judge", "words"),
    [
        (("ann", "gpt"), "^gpt", "at least two people"),
        (("ann", "bob"), "", "There is no judge"),
    ],
)
def test_what_the_test_needs_is_said(names: tuple[str, ...], judge: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        judges_frames(judged(dict.fromkeys(names, 1.0)), "mqm", judge, (), 0.1, SETTINGS)


def test_few_shared_outputs_give_no_answer() -> None:
    frame = judged({"ann": 1, "bob": 1, "gpt": 1})
    few = frame[frame["segment"].astype(int) <= 10]
    (section,) = judge_sections(*judges_frames(few, "mqm", "^gpt", (), 0.1, SETTINGS), 0.95)
    assert "30 outputs" in section.notes[0].said
