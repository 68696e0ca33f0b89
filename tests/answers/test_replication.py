import pandas as pd
import pytest

from mteval.analysis.replication.planning import Plan, Wish
from mteval.answers.draws import outlook_table, power_table, published_table, variance_table
from mteval.answers.replication import (
    advice_sentence,
    convince_sentence,
    median_sentence,
    outlook_sentence,
    plan_sentences,
)
from mteval.values.notation import Notation

BLEU, COMET = Notation("↑"), Notation("↑", decimals=4)


def outlook(*wrong_signs: float) -> pd.DataFrame:
    """With intervals from a third to three times the risk."""
    frame = pd.DataFrame({"k": range(1, len(wrong_signs) + 1), "wrong_sign": wrong_signs, "expected": 0.9})
    return frame.assign(risk_low=frame["wrong_sign"] / 3, risk_high=3 * frame["wrong_sign"])


def said_of(frame: pd.DataFrame) -> str:
    return outlook_sentence(frame, "b", "a", "BLEU", BLEU, 0.95)


def test_the_risk_of_one_run_is_said_and_where_it_ends() -> None:
    assert said_of(outlook(0.1, 0.03, 0.004)) == (
        "With one run each, an estimated 10.0% of experiments would show a and b in the other order than these runs do"
        " on average (+0.90 BLEU); with 3 runs each it is fewer than one in a hundred. These runs leave the risk of one"
        " run each between 3.3% and 30.0% (95% interval)."
    )
    assert "; with 2 runs each it is still 5.0%." in said_of(outlook(0.1, 0.05))
    assert "(+0.90 BLEU). These" in said_of(outlook(0.001))
    assert "How much runs differ cannot be known" in said_of(outlook(float("nan")))
    assert "no order that others could reverse" in said_of(outlook(float("nan")).assign(expected=0.0))


def test_where_the_risk_may_be_above_one_half_nothing_is_ahead() -> None:
    assert said_of(outlook(0.3)).endswith(
        "between 10.0% and 90.0% (95% interval): which system is ahead is itself open."
    )
    assert "open" not in said_of(outlook(0.1))


@pytest.mark.parametrize(
    ("shares", "start"),
    [((0.8, 0.1, 0.1), "Make more runs"), ((0.1, 0.8, 0.1), "Get more test segments"), ((0.3, 0.3, 0.4), "Both help")],
)
def test_the_advice_follows_the_larger_share(shares: tuple[float, float, float], start: str) -> None:
    named = dict(zip(("runs", "test set", "runs × test set"), shares, strict=True))
    assert advice_sentence(named, "segment", (3, 3)).startswith(start)


def test_plans_say_when_nothing_suffices() -> None:
    first, second = plan_sentences(Plan(Wish(1.0), 300, 5, None, None, None, 1.52, None), "BLEU", "segment", BLEU)
    assert first.startswith("No number of runs suffices")
    assert "above 1.52" in first
    assert second == "With 5 runs of each system no test set is large enough for it."
    first, second = plan_sentences(Plan(Wish(2.0), 300, 5, 4, 3, None, 1.52, 280), "BLEU", "document", BLEU)
    assert "4 runs of each system find a true difference of 2.00 BLEU with 80% power on 300 documents." in first
    assert "between 3 runs and more runs than can be made" in first
    assert second == "With 5 runs of each system a test set of 280 documents suffices."


def test_where_more_of_the_test_set_takes_power_away_it_is_not_asked_for() -> None:
    plan = Plan(Wish(1.0), 2489, 3, 4, 2, 40, 0.28, 752)
    said = convince_sentence(plan, "BLEU", "segment", BLEU)
    assert said.endswith(
        "it takes 4 runs of each system, 1 more; more of the test set would not help: so few runs say too little of how"
        " much runs vary."
    )
    _, second = plan_sentences(plan, "BLEU", "segment", BLEU)
    assert second.startswith(
        "With 3 runs of each system a test set of 752 segments suffices. One of 2,489 segments does"
    )
    more = convince_sentence(Plan(Wish(1.0), 300, 3, 4, 2, 40, 0.28, 752), "BLEU", "segment", BLEU)
    assert more.endswith("1 more; with 3 runs of each system it takes 752 segments, 452 more.")


@pytest.mark.parametrize(
    ("runs", "words"), [(None, "do not take one run"), (1, "any single run"), (7, "median of 7 runs")]
)
def test_the_median_is_called_representative_or_not(runs: int | None, words: str) -> None:
    assert words in median_sentence("a", runs, 0.95, 15)


def test_table_2_shows_ranges_bounds_and_dashes() -> None:
    columns = ["n", "baseline_run", "system_run", "procedure", "p_low", "p_median", "p_high", "n_draws"]
    rows = [
        (1, "high", "low", "ar-output", 0.25, 0.25, 0.25, 1), (1, "high", "low", "welch", *[float("nan")] * 3, 1),
        (5, "random", "random", "ar-output", 0.0001, 0.01, 0.034, 250),
        (5, "random", "random", "welch", 0.2, 0.3, 0.4, 250),
    ]  # fmt: skip
    names = {"ar-output": "exchange of outputs", "welch": "Welch over runs"}
    lines = published_table(pd.DataFrame(rows, columns=columns), names).splitlines()
    assert lines[0].split("  ")[-2:] == ["exchange of outputs", "Welch over runs"]
    assert lines[1].split() == ["1", "high", "low", "0.250", "–"]
    assert lines[2].endswith(" < 0.001 to 0.034   0.200 to 0.400")


def test_nothing_that_is_said_of_a_metric_between_0_and_1_rounds_to_nothing() -> None:
    """Spread, expected difference, range, variance, power, target and what can be detected."""
    row = {
        "k": 1, "expected": 0.0012, "standard_deviation": 0.0033, "low": -0.0021, "high": 0.0045, "wrong_sign": 0.31,
        "risk_low": 0.002, "risk_high": 0.99, "at_least_half": 0.6,
        "pool_standard_deviation": 0.0031, "pool_wrong_sign": 0.3,
        "n_combinations": 9,
        "is_exact": True,
    }  # fmt: skip
    frame = pd.DataFrame([row])
    assert outlook_table(frame, COMET).splitlines()[1].split() == [
        "1", "0.0033", "−0.0021", "to", "+0.0045", "31.0%", "0.2%", "to", "99.0%", "60.0%", "0.0031", "30.0%", "9"
    ]  # fmt: skip
    assert "(+0.0012 COMET)" in outlook_sentence(frame, "b", "a", "COMET", COMET, 0.95)
    variance = pd.DataFrame({"what": ["difference"] * 2, "source": ["runs", "test set"], "share": [0.64, 0.36]})
    variance["variance"] = [0.0024**2, 0.0018**2]
    assert variance_table(variance, COMET).splitlines()[1].split() == ["difference", "0.0030", "64.0%", "36.0%"]
    power = pd.DataFrame([{"n_runs": 3, "n_units": 1000, "power": 0.8, "detectable": 0.00405}])
    assert power_table(power, "segment", COMET).splitlines()[1].split() == ["3", "1,000", "80.0%", "0.0041"]
    plan = Plan(Wish(0.002), 300, 5, None, None, None, 0.00475, None)
    first, _ = plan_sentences(plan, "COMET", "segment", COMET)
    assert "a true difference of 0.0020 COMET" in first
    assert "only differences above 0.0048 with" in first
    fine = Plan(Wish(0.00001), 300, 5, None, None, None, 0.00475, None)
    assert "a true difference of 0.00001 COMET" in plan_sentences(fine, "COMET", "segment", COMET)[0]
