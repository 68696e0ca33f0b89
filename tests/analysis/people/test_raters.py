"""Raters as the third luck: which raters and outputs are taken, what is answered, and WMT's eight raters."""

import gzip
from itertools import product
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest

from mteval.analysis.people.judgements import judgement_frame, standardised, without_repeats
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.people.raters import Judged, rater_variance, raters_frame
from mteval.base.errors import DataError
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import file_at
from mteval.stats.crossed_layout import ONE_RATER, PROVISIONAL, CrossedGains
from mteval.stats.rated_runs import RatedRuns
from mteval.stats.units import TOO_LARGE
from mteval.values.judgements import Judgement
from mteval.values.settings import Settings

GAINS = {"A": 1.0, "B": 0.0}


def frame_of(raters: int, segments: int = 12, repeats: int = 1, seed: int = 4) -> pd.DataFrame:
    """Raters who stretch the scale differently, all on the same outputs of A and B."""
    generator = np.random.default_rng(seed)
    judgements = []
    for rater, system, segment, _ in product(range(raters), GAINS, range(segments), range(repeats)):
        value = (rater + 1) * (GAINS[system] + generator.normal())
        judgements.append(Judgement(f"r{rater}", system, str(segment), "score", value, f"d{segment % 4}"))
    return judgement_frame(judgements)


def asked(frame: pd.DataFrame, **options: object) -> pd.DataFrame:
    """The answers about the pair of systems, by form and unit."""
    return raters_frame(frame, "score", Settings(), **options).set_index(["form", "unit"])


def test_three_raters_are_answered_two_provisionally_one_is_refused() -> None:
    rows = [asked(frame_of(n)).loc["raw", "segment"] for n in (3, 2, 1)]
    assert [row["note"] for row in rows] == ["", PROVISIONAL, ONE_RATER]
    assert [row["answer"] == "refused" for row in rows] == [False, False, True]
    assert [row["n_raters"] for row in rows] == [3, 2, 1]


def test_ten_judgements_of_one_model_are_one_rater() -> None:
    row = asked(frame_of(1, repeats=10)).loc["raw", "segment"]
    assert row["n_raters"] == 1
    assert row["answer"] == "refused"
    assert row["note"] == ONE_RATER


def test_the_gains_are_those_of_the_raw_and_of_the_standardised_judgements() -> None:
    frame = frame_of(4)
    rows = asked(frame)
    for form, judgements in (("raw", frame), ("standardised", standardised(frame))):
        table = judgements.pivot(index=["annotator", "segment"], columns="system", values="value")
        gains = (table["A"] - table["B"]).unstack().to_numpy()
        expected = CrossedGains.of(gains).other_raters("two-sided", 0.95)
        row = rows.loc[form, "segment"]
        assert row["one"] == "A"
        assert row["other"] == "B"
        assert row["difference"] == pytest.approx(gains.mean())
        assert row["p_value"] == pytest.approx(expected.p_value)
        assert row["low"] == pytest.approx(expected.low)


def test_the_better_system_stands_first_and_p_values_are_adjusted_over_the_pairs() -> None:
    frame = pd.concat([frame_of(3), frame_of(3, seed=8).query("system == 'B'").assign(system="C")])

    all_pairs = raters_frame(frame, "score", Settings())
    assert (all_pairs["difference"] >= 0).all()
    raw = all_pairs[all_pairs["form"] == "raw"]
    assert (raw["p_adjusted"] >= raw["p_value"]).all()

    # Holm's first step: the smallest of three
    at_99_percent = raters_frame(frame, "score", Settings(confidence=0.99))
    smallest = at_99_percent[at_99_percent["form"] == "raw"].sort_values("p_value").iloc[0]
    assert smallest["p_adjusted"] == pytest.approx(min(1.0, 3 * smallest["p_value"]))

    with_baseline = raters_frame(frame, "score", Settings(), "B")
    assert len(with_baseline) == 2 * 2  # pairs and forms
    with pytest.raises(DataError, match=r"'X'.*: A, B, C"):
        raters_frame(frame, "score", Settings(), "X")


def test_outputs_of_a_single_rater_are_skipped_and_counted() -> None:
    alone = frame_of(1, 40).query("segment.astype('int') >= 12").assign(annotator="r2")
    row = asked(pd.concat([frame_of(3), alone])).loc["raw", "segment"]
    assert row["n_raters"] == 3
    assert row["n_segments"] == 12
    assert row["n_left_out"] == 28


def test_three_raters_on_few_outputs_come_before_two_on_many() -> None:
    first_and_second = frame_of(2, 60)
    third = frame_of(3, 6).query("annotator == 'r2'")
    panel = Judged.of(without_repeats(pd.concat([first_and_second, third]))).panel("A", "B")
    assert panel.gains.shape == (3, 6)
    assert panel.n_left_out == 54
    assert panel.raters == ("r0", "r1", "r2")


def test_documents_are_units_where_all_segments_have_one() -> None:
    units = ("segment", "document")
    rows = asked(frame_of(4), units=units)
    assert rows.loc[("raw", "document"), "n_units"] == 4

    without_documents = asked(frame_of(4).assign(document=None), units=units)
    assert set(without_documents.index.levels[1]) == {"segment"}


def test_alpha_is_krippendorffs_raw_and_after_standardising() -> None:
    """Raters who see the same and stretch the scale differently agree wholly once that is taken out."""
    seen = np.random.default_rng(3).normal(size=20)
    data = np.stack([seen, 6 + seen / 2])  # raters x segments
    judgements = []
    for (rater, segment), value in np.ndenumerate(data):
        judgements.append(Judgement(f"r{rater}", "A", str(segment), "score", value))

    of_all, of_pair = rater_agreement_frame(judgement_frame(judgements), "score").to_dict("records")

    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="interval")
    assert expected < 0
    assert of_all["alpha_raw"] == pytest.approx(expected)
    assert of_pair["alpha_raw"] == pytest.approx(expected)
    assert of_pair["alpha_standardised"] == pytest.approx(1)
    assert of_pair["pearson"] == pytest.approx(1)
    assert of_pair["n_outputs"] == 20


def test_a_scale_named_preference_with_three_systems_counts_the_outputs_of_all() -> None:
    judgements = []
    for rater, system, segment in product("xy", "ABC", range(4)):
        judgements.append(Judgement(rater, system, str(segment), "preference", float(segment % 2)))

    of_all, of_pair = rater_agreement_frame(judgement_frame(judgements), "preference").to_dict("records")

    assert of_all["n_outputs"] == 12
    assert of_pair["n_outputs"] == 12


@pytest.mark.real_data
def test_the_outputs_that_all_eight_raters_judged_answer_the_third_question(data_directory: Path) -> None:
    """288 outputs: 18 segments of 16 systems, in two documents, of which one holds more than half."""
    folder = data_directory / "data" / "wmt23-zh-en-ratings"
    ids = gzip.decompress((folder / "zh-en.docs.gz").read_bytes()).decode().splitlines()
    files = [file_at(path) for path in sorted(folder.glob("*.seg.rating.gz"))]
    frame = judgement_frame(read_judgements(files, documents=ids).judgements)
    rows = raters_frame(frame, "mqm", Settings(), "GPT4-5shot", ("segment", "document"))
    assert len(rows) == 15 * 4
    assert set(rows["n_raters"]) == {8}
    assert set(rows["n_segments"]) == {18}

    raw = rows[rows["form"] == "raw"]
    documents = raw[raw["unit"] == "document"]
    segments = raw[raw["unit"] == "segment"]
    assert set(documents["note"]) == {TOO_LARGE}
    assert set(segments[segments["answer"] == "ruled out"]["other"]) == {"ONLINE-M", "NLLB_Greedy", "IOL_Research"}
    judged_by_all = [str(number) for number in (*range(965, 975), *range(1328, 1336))]
    mean_of = frame[frame["segment"].isin(judged_by_all)].groupby("system")["value"].mean()
    row = segments[segments["other"] == "ONLINE-M"].iloc[0]
    assert row["difference"] == pytest.approx(mean_of["GPT4-5shot"] - mean_of["ONLINE-M"])

    agreement = rater_agreement_frame(frame, "mqm")
    assert agreement["n_outputs"].iloc[0] == 288
    assert len(agreement) == 1 + 28  # all raters, and each pair


def rated_runs(n_raters: int = 4, missing: tuple[int, int] | None = None) -> pd.DataFrame:
    """Judgements of three runs of A and B, which differ by run and rater; a rater may not have judged a run of A."""
    generator = np.random.default_rng(9)
    rater_shifts = generator.normal(size=(n_raters, 2))
    run_shifts = 3 * generator.normal(size=(3, 2))
    judgements = []
    for rater, system, run, segment in product(range(n_raters), GAINS, range(3), range(12)):
        if missing == (rater, run) and system == "A":
            continue
        place = list(GAINS).index(system)
        value = GAINS[system] + rater_shifts[rater, place] + run_shifts[run, place] + generator.normal()
        judgements.append(Judgement(f"m{rater % 2}-{rater}", system, str(segment), "score", value, run=str(run)))
    return judgement_frame(judgements)


def test_runs_that_each_rater_judged_are_part_of_the_verdict() -> None:
    frame = rated_runs()
    row = asked(frame).loc["raw", "segment"]
    averaged = asked(frame.assign(run="")).loc["raw", "segment"]
    assert row["n_runs"] == 3
    assert averaged["n_runs"] == 1
    assert row["difference"] == pytest.approx(averaged["difference"])
    assert row["p_value"] > 2 * averaged["p_value"], "other runs could differ"
    assert row["own_runs"] > row["own_raters"]
    parts = rater_variance(asked(frame).loc[[("raw", "segment")]])
    assert "runs" in set(parts["source"])
    shares = parts["variance"] / parts["variance"].sum()
    assert parts["share"].to_numpy() == pytest.approx(shares.to_numpy())

    table = frame.set_index(["system", "run", "annotator", "segment"])["value"]
    sides = []  # of each system, runs x raters x segments
    for system in (row["other"], row["one"]):
        values = table[system].unstack(["annotator", "segment"]).to_numpy()
        sides.append(values.reshape(3, 4, 12))
    expected = RatedRuns.of(sides, 11).result(row["difference"], 0.95)
    assert row["p_value"] == pytest.approx(expected.p_value)
    assert row["low"] == pytest.approx(expected.low)

    # a rater who lacks a run takes no part; with two complete raters left the answer is provisional
    assert asked(rated_runs(missing=(1, 2))).loc["raw", "segment"]["n_raters"] == 3
    assert "Provisional" in asked(rated_runs(3, missing=(1, 2))).loc["raw", "segment"]["note"]


def test_judges_that_share_a_model_are_one() -> None:
    frame = rated_runs()
    row = asked(frame, judge=r"^m\d").loc["raw", "segment"]
    means = frame.assign(annotator=frame["annotator"].str[:2])
    means = (
        means.groupby(["annotator", "system", "segment", "scale", "run"], as_index=False)
        .first()
        .assign(value=means.groupby(["annotator", "system", "segment", "scale", "run"])["value"].mean().to_numpy())
    )
    expected = asked(means).loc["raw", "segment"]
    assert row["n_raters"] == 2
    assert (row["difference"], row["p_value"]) == pytest.approx((expected["difference"], expected["p_value"]))
