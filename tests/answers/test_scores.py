"""Table 1 on screen: one entry a column, p-values that say whether they are adjusted, and what numbers rest on."""

import pandas as pd

from mteval.answers.scores import (
    COLUMNS,
    columns_on,
    coverage_text,
    extent,
    metric_heading,
    scores_table,
)
from mteval.render.html import section_table
from mteval.values.notation import Notation
from mteval.values.run_words import RUN, RUN_WORDS
from mteval.values.verdict import Coverage

NAN = float("nan")
COLORS = {"base": "#000", "new": "#111"}


def overview(**changes: object) -> pd.DataFrame:
    """A baseline and a system below zero, ahead by what rounds to nothing, p small."""
    unknown = {}
    for column in COLUMNS.values():
        unknown |= dict.fromkeys(column.read, NAN)
    shared = unknown | {
        "metric": "mqm",
        "metric_name": "MQM",
        "notation": Notation("↑"),
        "n_runs": 3,
        "median_run": "0",
        "first_rank": NAN,
        "last_rank": NAN,
        "group": NAN,
    }
    base = {
        "system": "base",
        "mean": -23.97,
        "s_sel": 0.25,
        "s_dev": NAN,
        "s_opt": NAN,
        "difference": NAN,
        "p_test_set": NAN,
        "p_run": NAN,
        "p_test_set_adjusted": NAN,
        "p_run_adjusted": NAN,
        "mark": "",
        "is_best": False,
        "run_scores": [-24.0, -23.94],
    }
    new = {
        "system": "new",
        "mean": -23.93,
        "s_sel": 0.25,
        "s_dev": NAN,
        "s_opt": 0.05,
        "difference": 0.04,
        "p_test_set": 0.004,
        "p_run": 0.005,
        "p_test_set_adjusted": 0.004,
        "p_run_adjusted": 0.005,
        "mark": "†",
        "is_best": True,
        "run_scores": [-23.9, -23.96],
    }
    return pd.DataFrame([shared | base | changes, shared | new | changes])


def shown(frame: pd.DataFrame) -> str:
    """The table on the page."""
    return str(section_table(scores_table(frame, COLORS, "x")))


def test_metrics_between_0_and_1_keep_their_digits() -> None:
    frame = overview(notation=Notation("↑", decimals=4), mean=0.85425, s_sel=0.0033, s_opt=0.0033, difference=0.00125)
    assert shown(frame).count("<td>0.0033</td>") == 4
    assert shown(frame).count("<td>+0.0013</td>") == 2


def test_headings_name_standard_deviations_and_tooltips_cite_their_symbols() -> None:
    names = {column.name for column in scores_table(overview(), COLORS, "x").columns}
    assert {"SD (test set)", "SD (training)"} <= names
    for key in ("s_opt", "s_dev", "s_sel"):
        assert key in COLUMNS[key].help


def test_an_empty_optional_column_is_omitted() -> None:
    assert "tuning set" not in shown(overview())
    assert "tuning set" in shown(overview(s_dev=0.2))
    assert "(training)" in shown(overview())
    assert "(training)" not in shown(overview(s_opt=NAN))


def test_the_p_values_are_those_that_decide_and_their_headings_say_so() -> None:
    plain = columns_on(overview(), RUN)
    assert [plain[key].name for key in ("p_test_set", "p_run")] == ["p", "p_run"]
    assert not any(column.is_adjusted for column in plain.values())
    several = overview(p_test_set=0.01, p_test_set_adjusted=0.02, p_run=0.03, p_run_adjusted=0.03)
    adjusted = columns_on(several, RUN)
    for key, value in (("p_test_set", "0.020"), ("p_run", "0.030")):
        assert adjusted[key].is_adjusted
        assert adjusted[key].name.endswith(" (adjusted)")
        assert adjusted[key].cell(several.to_dict("records")[1]).text == value


def test_columns_use_the_chosen_word_for_runs_and_fill_all_fields() -> None:
    columns = columns_on(overview(s_dev=0.1), RUN_WORDS["checkpoint"])
    assert columns["runs"].name == "Checkpoints"
    assert "averaged over checkpoints" in columns["s_sel"].help
    assert not any("{" in column.name + column.help for column in columns.values())


def test_an_arrow_stays_with_the_last_word_of_its_metric() -> None:
    assert metric_heading(Notation("↓"), "my TER") == "my TER\N{NO-BREAK SPACE}↓"
    assert metric_heading(Notation(""), "my length") == "my length"


def covered(n_segments: int, n_documents: int = 0, n_given: int = 0, documents: int = 0) -> Coverage:
    """What the scores of one system rest on, of 1,910 segments."""
    return Coverage("news", "any", "a", n_segments, 1910, n_documents, documents, n_given)


def test_a_whole_test_set_is_named_once() -> None:
    assert coverage_text({"BLEU": [covered(1910)], "TER": [covered(1910)]}, "news") == "1,910 segments of news."


def test_documents_are_counted_if_there_are_any() -> None:
    all_segments = covered(1910, 97, documents=97)
    assert coverage_text({"BLEU": [all_segments]}, "news") == "1,910 segments of news in 97 documents."


def test_given_scores_are_counted_over_the_systems_with_their_part_of_the_test_set() -> None:
    everything = covered(1910, 97, 1910, 97)
    part = covered(820, 40, 820, 97)
    assert coverage_text({"COMET": [everything, everything], "MQM": [part, part]}, "news") == (
        "1,910 segments of news in 97 documents. Provided with the runs: COMET (3,820 scores), MQM (1,640 scores on 820"
        " of 1,910 segments in 40 of 97 documents)."
    )


def test_judgements_behind_scores_are_counted() -> None:
    judged = Coverage("news", "any", "a", 6, 6, 0, 0, n_given=6, n_judgements=12)
    assert extent([judged, judged]) == "12 scores of 24 judgements"


def test_systems_that_cover_different_parts_are_a_range() -> None:
    text = coverage_text({"BLEU": [covered(1910)], "DA": [covered(1, n_given=1), covered(6, n_given=6)]}, "news")
    assert text == "1,910 segments of news. Provided with the runs: DA (7 scores on 1 to 6 of 1,910 segments)."


def test_partly_scored_metrics_say_so() -> None:
    text = coverage_text({"BLEU": [covered(1910)], "WER": [covered(1909)]}, "news")
    assert text == "1,910 segments of news. Partly scored: WER (1,909 of 1,910 segments)."


def test_a_part_that_one_system_covers_is_not_hidden_by_another_that_covers_all() -> None:
    everything = covered(1910, 97, documents=97)
    part = covered(820, 40, documents=97)
    expected = "820 to 1,910 of 1,910 segments in 40 to 97 of 97 documents"
    assert extent([everything, part]) == expected
    assert extent([part, everything]) == expected
