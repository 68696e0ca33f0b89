"""What other runs would have shown, in words and tables."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.replication.planning import Plan, Replication, Wish
from mteval.analysis.replication.variation import Prospect, Variation
from mteval.answers.planner import (
    advice_sentence,
    convince_sentence,
    detectable_section,
    plan_section,
    plan_sentences,
    splits_section,
    variance_section,
)
from mteval.answers.replication import (
    Subject,
    conclusions_section,
    draws_section,
    median_refusal,
    median_section,
    outlook_sentence,
    published_section,
    spread_section,
)
from mteval.answers.section import Section
from mteval.figures.style import points_in_words
from mteval.metrics import METRICS
from mteval.render.text import text_lines
from mteval.stats.crossed_layout import Components
from mteval.stats.planning import LookPower, Sources
from mteval.values.notation import Notation
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import Settings

BLEU = Notation("↑")
COMET = Notation("↑", decimals=4)

UNCERTAIN = Plan(Wish(1.0), 2489, 3, 4, 2, 40, 0.28, 752, is_estimated=True)


def about(notation: Notation = BLEU, name: str = "BLEU", **chosen: object) -> Subject:
    """Of systems a and b, b better by 0.9 points."""
    scores = (np.linspace(0, 0.3, 3), np.linspace(0.9, 1.2, 3))
    components = Components((0.04, 0.04), 0.02, (0.01, 0.01), (3, 3, 300))
    variation = Variation(components, Sources.estimated(components), (0.5, 0.6))
    pool = Prospect("test", "bleu", "a", "b", "segment", 300, scores, variation)
    spec = dataclasses.replace(METRICS["bleu"], notation=notation, name=name)
    return Subject(pool, spec, Settings(metrics=("bleu",), **chosen))


def outlook(*wrong_signs: float) -> pd.DataFrame:
    """With intervals from a third to three times the risk."""
    frame = pd.DataFrame({"k": range(1, len(wrong_signs) + 1), "wrong_sign": wrong_signs, "expected": 0.9})
    return frame.assign(risk_low=frame["wrong_sign"] / 3, risk_high=3 * frame["wrong_sign"])


def lines(section: Section) -> list[list[str]]:
    """Rows of the table as text, with its head."""
    assert section.table is not None
    return [section.table.head, *section.table.texts]


def test_the_risk_of_one_run_is_a_natural_frequency_with_its_interval() -> None:
    text = outlook_sentence(about(), outlook(0.1, 0.03, 0.004))
    assert "about 1 experiment in 10 would rank a and b the wrong way round on this test set." in text
    # Normal: 0.9 points are 1.84 standard errors of one run each, which have a variance of 2 × 0.09 + 2 × 9 / 300
    assert "On new segments of the same kind, about 1 experiment in 30." in text
    assert "With 3 runs each, fewer than 1 in 100" in text
    assert text.endswith("from 3.3% to 30.0%.")
    assert "With 2 runs each, still 5.0%" in outlook_sentence(about(), outlook(0.1, 0.05))
    assert "fewer than 1 experiment in 100" in outlook_sentence(about(), outlook(0.001))
    assert "cannot show" in outlook_sentence(about(), outlook(float("nan")))
    same = outlook(float("nan")).assign(expected=0.0)
    assert "no order to reverse" in outlook_sentence(about(), same)


def test_a_risk_that_may_be_above_one_half_is_called_unknown() -> None:
    assert outlook_sentence(about(), outlook(0.3)).endswith("from 10.0% to 90.0%: too few runs to say.")
    assert "too few" not in outlook_sentence(about(), outlook(0.1))


@pytest.mark.parametrize(
    ("shares", "start"),
    [
        ((0.8, 0.1, 0.1), "Make more runs"),
        ((0.1, 0.8, 0.1), "Get more segments"),
        ((0.3, 0.3, 0.4), "More runs and more segments"),
    ],
)
def test_the_advice_follows_the_larger_share(shares: tuple[float, float, float], start: str) -> None:
    assert advice_sentence(about(), shares).startswith(start)


def test_the_table_of_variances_has_names_and_no_keys() -> None:
    named = dataclasses.replace(about(run_word="checkpoint"), names={"b": "System B"})
    section = variance_section(named, named.pool.variation)
    head, *rows = lines(section)
    assert head == ["variance of", "SD", "checkpoints", "test set", "checkpoints × test set"]
    assert [row[0] for row in rows] == [
        "score of one checkpoint of a",
        "score of one checkpoint of System B",
        "difference of one checkpoint each",
        "difference of the averages of 3 and 3 checkpoints",
    ]


def test_plans_say_if_no_number_is_enough() -> None:
    hopeless = Plan(Wish(1.0), 300, 5, None, None, None, 1.52, None)
    first, second = plan_sentences(about(), hopeless)
    assert first.startswith("No number of runs")
    assert "above 1.52" in first
    assert second == "With 5 runs per system, no test set is large enough."
    open_plan = Plan(Wish(2.0), 300, 5, 4, 3, None, 1.52, 280, unit="document", is_estimated=True)
    first, second = plan_sentences(about(), open_plan)
    assert "4 runs per system detect a true difference of 2.00 BLEU with 80% power on 300 documents." in first
    assert "3 to too many runs" in first
    assert second == "With 5 runs per system, 280 documents are enough."


def test_a_larger_test_set_is_not_advised_if_it_loses_power() -> None:
    assert "4 runs per system (1 more); a larger test set is not enough" in convince_sentence(about(), UNCERTAIN)
    _, second = plan_sentences(about(), UNCERTAIN)
    assert second.startswith("With 3 runs per system, 752 segments are enough. More (2,489 segments)")
    from_fewer = convince_sentence(about(), dataclasses.replace(UNCERTAIN, n_units=300))
    assert from_fewer.endswith("(1 more) or 752 segments (452 more).")


def power(*by_size: tuple[float, float]) -> pd.DataFrame:
    """For 2 and 3 runs on 100, 200, … segments."""
    rows = []
    for place, (with_two, with_three) in enumerate(by_size, start=1):
        rows.append((2, 100 * place, with_two, 1 / 2))
        rows.append((3, 100 * place, with_three, 1 / 3))
    return pd.DataFrame(rows, columns=["n_runs", "n_units", "power", "detectable"])


def test_a_plan_warns_if_a_larger_test_set_loses_power() -> None:
    losing = plan_section(about(), UNCERTAIN, power((0.5, 0.6), (0.4, 0.7)))
    (note,) = losing.notes
    assert "2 runs per system or fewer" in note.said
    assert plan_section(about(), UNCERTAIN, power((0.5, 0.6), (0.5, 0.7))).notes == ()


def test_interim_analyses_are_part_of_the_plan() -> None:
    subject = about(looks=(3, 5))
    section = plan_section(subject, UNCERTAIN, power((0.5, 0.6)), LookPower((0.3, 0.6), 4.2))
    assert "at 3 and 5 runs per system" in section.lead[-1]
    assert "30% by 3 and 60% by 5 runs" in section.lead[-1]
    assert section.notes[0].said.startswith("Levels")


@pytest.mark.parametrize(("level", "reason"), [(0.05, "two-sided at 5%."), (0.025, "Holm, 2 systems")])
def test_the_level_of_a_plan_has_its_reason(level: float, reason: str) -> None:
    plan = dataclasses.replace(UNCERTAIN, wish=Wish(1.0, level=level))
    assert reason in plan_section(about(), plan, power((0.5, 0.6))).legend


def medians(within: float) -> pd.DataFrame:
    """The share of medians near the average, of both systems: the same of one and of two runs, 97% of three."""
    rows = []
    for system in "ab":
        rows += [(system, 1, within), (system, 2, within), (system, 3, 0.97)]
    frame = pd.DataFrame(rows, columns=["system", "k", "within"])
    return frame.assign(pool_within=np.nan, elsewhere_within=np.nan)


@pytest.mark.parametrize(
    ("wanted", "within", "words"),
    [(0.99, 0.5, "even the median of 3 runs"), (0.95, 0.96, "any single run"), (0.95, 0.5, "median of 3 runs or more")],
)
def test_the_median_is_called_representative_or_not(wanted: float, within: float, words: str) -> None:
    section = median_section(about(), medians(within), wanted)
    (sentence,) = section.lead  # one for both systems
    assert sentence.startswith("a and b: ")
    assert words in sentence
    assert lines(section)[0] == ["runs", "a", "b"]
    assert median_section(about(), medians(within)).lead == (), "nobody said how often it has to be near"


def test_systems_that_need_different_numbers_of_runs_have_a_sentence_each() -> None:
    frame = medians(0.5)
    frame.loc[frame["system"] == "b", "within"] = 0.5
    first, second = median_section(about(), frame, 0.95).lead
    assert first.startswith("a: the median of 3 runs or more")
    assert (
        second == "b: even the median of 3 runs is near the mean less than 95% of the time. Don't use it for analysis."
    )


def test_the_median_is_unknown_without_variation_or_difference() -> None:
    assert median_refusal(about(), "All are copies.").startswith("All are copies. ")
    assert median_refusal(about(), "") == ""


PUBLISHED = pd.DataFrame(
    [
        (1, "high", "low", "ar-output", 0.25, 0.25, 0.25, 1), (1, "high", "low", "welch", *[float("nan")] * 3, 1),
        (5, "random", "random", "ar-output", 0.0001, 0.01, 0.034, 250),
        (5, "random", "random", "welch", 0.2, 0.3, 0.4, 250),
    ],
    columns=["n", "baseline_run", "system_run", "procedure", "p_low", "p_median", "p_high", "n_draws"],
)  # fmt: skip


def test_table_2_shows_ranges_bounds_and_dashes() -> None:
    section = published_section(about(), PUBLISHED, 250)
    assert lines(section) == [
        ["runs", "baseline", "system", "Approximate randomization of outputs", "Welch's t-test over runs"],
        ["1", "high", "low", "0.250", "–"],
        ["5", "random", "random", "< 0.001 to 0.034", "0.200 to 0.400"],
    ]
    assert section.table is not None
    assert section.table.caption == "p, or the central 95% of 250 draws"
    assert section.legend.startswith("Dot: median of 250 draws. Bar: central 95%")


def test_numbers_of_metrics_between_0_and_1_keep_their_digits() -> None:
    """Spread, range, variance, power, target and what can be detected."""
    row = {
        "k": 1,
        "expected": 0.0012,
        "standard_deviation": 0.0033,
        "low": -0.0021,
        "high": 0.0045,
        "wrong_sign": 0.31,
        "risk_low": 0.002,
        "risk_high": 0.99,
        "at_least_half": 0.6,
        "pool_standard_deviation": 0.0031,
        "pool_wrong_sign": 0.3,
        "n_combinations": 9,
        "is_exact": True,
    }
    comet = about(COMET, "COMET")
    section = spread_section(comet, Replication(pd.DataFrame([row]), pd.DataFrame()))
    cells = ["1", "0.0033", "−0.0021 to +0.0045", "31.0%", "0.2% to 99.0%", "60.0%", "0.0031", "3 of 9"]
    assert lines(section)[1] == cells
    components = Components((2e-6, 1e-6), 1e-6, (0.0, 0.0), (3, 3, 300))
    variance = variance_section(comet, Variation(components, Sources.estimated(components), ()))
    assert lines(variance)[-1][1] == "0.0020"
    plan = Plan(Wish(0.002), 300, 5, None, None, None, 0.00475, None)
    frame = pd.DataFrame([{"n_runs": 3, "n_units": 1000, "power": 0.8, "detectable": 0.00405}])
    planned = plan_section(comet, plan, frame)
    assert lines(planned) == [["runs", "segments", "power", "detectable"], ["3", "1,000", "80.0%", "0.0041"]]
    assert "a true difference of 0.0020 COMET" in planned.lead[0]
    assert "only differences above 0.0048 are" in planned.lead[0]
    fine = dataclasses.replace(plan, wish=Wish(0.00001))
    assert "a true difference of 0.00001 COMET" in plan_sentences(comet, fine)[0]


def sections(subject: Subject) -> list[Section]:
    """Every section about other runs."""
    bins = [(1, -1.0, 0.0, 0.5), (1, 0.0, 1.0, 0.5), (2, -1.0, 0.0, 0.5), (2, 0.0, 1.0, 0.5)]
    spread = pd.DataFrame(bins, columns=["k", "left", "right", "share"])
    fresh = {"standard_deviation": 0.5, "low": -0.1, "high": 1.9, "at_least_half": 0.8, "pool_standard_deviation": 0.4}
    table = outlook(0.1, 0.02).assign(pool_wrong_sign=0.1, n_combinations=9, is_exact=True, **fresh)
    published = PUBLISHED.assign(better=0.2, open=0.7, worse=0.1)
    drawn = pd.DataFrame({"difference": [0.4], "conclusion": ["better"], "p_value": [0.01]})
    drawn = drawn.assign(baseline_runs=[("1",)], system_runs=[("0", "2")])
    odds = pd.DataFrame([{"better": 0.2, "open": 0.7, "worse": 0.1, "n_draws": 9, "is_exact": True}])
    frame = power((0.5, 0.6), (0.4, 0.7))
    splits = pd.DataFrame({"n_baseline": [2, 3], "n_system": [4, 3], "power": [0.5, 0.6], "detectable": [1.1, 1.0]})
    return [
        spread_section(subject, Replication(table, spread)),
        spread_section(subject, Replication(table, spread), one_by_one=True),
        published_section(subject, published, 250),
        conclusions_section(subject, published),
        draws_section(subject, drawn, ("run-permutation", 2, (-0.5, 1.5)), odds, None),
        variance_section(subject, subject.pool.variation),
        plan_section(subject, UNCERTAIN, frame),
        detectable_section(subject, UNCERTAIN, frame),
        splits_section(subject, UNCERTAIN, splits),
        median_section(subject, medians(0.5), 0.95),
    ]


@pytest.mark.parametrize("word", ["checkpoint", "training seed"])
def test_every_section_uses_the_chosen_word_for_runs(word: str) -> None:
    """Titles, leads, tables, legends and notes, and what figures show; the names of the figures' parts as well."""
    for section in sections(about(run_word=word)):
        texts = [*text_lines([section]), section.legend]
        if section.table:
            texts += [column.help for column in section.table.columns]
        if section.figure is not None:
            figure = section.figure()
            texts += re.findall(r'"(?:text|name|hovertemplate|prefix|label)":"([^"]*)"', figure.to_json())
            texts += points_in_words(figure)
        assert [text for text in texts if re.search(r"\b[Rr]uns?\b", text)] == []
        assert not section.lead or RUN_WORDS[word].noun in " ".join(texts)


@pytest.mark.parametrize(("k", "bound"), [(2, "0.333"), (3, "0.100"), (4, "")])
def test_a_permutation_of_few_runs_says_how_small_p_can_be(k: int, bound: str) -> None:
    """Two of the ways to divide 2k runs into halves are as extreme as can be: 2 in 6, 2 in 20, then 2 in 70."""
    drawn = pd.DataFrame({"difference": [], "conclusion": []})
    section = draws_section(about(), drawn, ("run-permutation", k, (0, 1)), None, None)
    expected = []
    if bound:
        expected = [f"With {k} runs per system this test cannot give p below {bound}."]
    assert [note.said for note in section.notes] == expected
