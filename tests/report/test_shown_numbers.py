"""What a reader sees is what was computed: cells, names, signs, arrows, marks and colours of a report, off its files.

The numbers are compared with the frames in ``numbers.json``, rounded by the ``decimal`` module.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mteval.cli import main
from tests.report.report_reader import (
    answers_on,
    figures_of,
    is_forest,
    latex_rows,
    plain,
    strips_and_histograms,
    table_rows,
    values_of,
)
from tests.report.shown_experiment import (
    ARROWS,
    CELLS,
    LACKS,
    MORE_DECIMALS,
    NAMES,
    SIZES,
    Numbers,
    expected_cells,
    mark_of,
    p_value,
    rounded,
    short_p_value,
    write_experiment,
)

HEADS = (
    "Runs",
    "Average",
    r"\(test set\)",
    "tuning set",
    r"\(training\)",
    "Difference",
    r"p \(test set, adjusted\)",
    r"p \(both, adjusted\)",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``mteval report`` wrote of it."""
    place = tmp_path_factory.mktemp("shown")
    words = ["report", str(write_experiment(place)), "--to", str(place / "report")]
    words += ["--only", "html", "latex", "json", "methods", "--latex-columns", *CELLS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mteval.answers.runs.FEWEST_IN_HISTOGRAM", 3)  # so that there is one to be read
        assert main(words) == 0
    return place / "report"


@pytest.fixture(scope="module")
def numbers(folder: Path) -> Numbers:
    found = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
    return Numbers(*(pd.DataFrame(found[name]) for name in ("scores", "summary", "comparisons")))


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_experiment_has_every_mark_both_signs_and_adjusted_p_values_of_its_own(numbers: Numbers) -> None:
    """Else the tests below could not fail."""
    rows = [numbers.of(metric, system) for metric in NAMES for system in list(LACKS)[1:]]
    assert {mark_of(row) for row in rows} == {"", "†", "‡"}
    assert {np.sign(row["difference"]) for row in rows} == {-1, 1}
    for what in ("test_set", "both"):
        assert {row[f"adjusted_{what}"] > row[f"p_{what}"] for row in rows} == {True, False}
    columns = [[cell.lstrip("+-") for cell in expected_cells(row, 1)] for row in rows]
    assert len(set(zip(*columns, strict=True))) == len(CELLS) - 2, "no column could stand in for another"


@pytest.mark.parametrize("test_set", SIZES)
def test_each_column_of_table_1_has_the_numbers_that_its_heading_names(
    page: str, numbers: Numbers, test_set: str
) -> None:
    (head,) = re.findall(
        rf"mt-overview\"><caption>{SIZES[test_set]} segments of {test_set}\..*?<thead>(.*?)</thead>", page, re.S
    )
    headings = [plain(cell) for cell in re.findall("<th.*?</th>", head, re.S)][3:]
    empty = [] if test_set == "test" else [HEADS.index(r"\(training\)")]  # a column without numbers is not shown
    heads = [pattern for place, pattern in enumerate(HEADS) if place not in empty]
    assert all(re.search(pattern, heading) for pattern, heading in zip(heads, headings, strict=True)), headings
    rows = list(table_rows(page, test_set))
    keys = [(metric, system) for metric in NAMES for system in LACKS]
    for (metric, system), (shown_metric, shown_system, _, cells) in zip(keys, rows, strict=True):
        assert (shown_metric, shown_system) == (f"{NAMES[metric]} {ARROWS[metric]}".strip(), system)
        found = numbers.of(metric, system, test_set)
        texts = [plain(cell) for cell in cells]
        texts[1] = texts[1].rstrip("†‡ ")
        p_values = [p_value(found["adjusted_test_set"]), p_value(found["adjusted_both"])]
        expected = [*expected_cells(found, 2 + MORE_DECIMALS.get(metric, 0)), *p_values]
        assert texts == [cell for place, cell in enumerate(expected) if place not in empty], (metric, system)


def test_marks_follow_the_adjusted_p_values_and_the_best_average_alone_is_set_off(page: str, numbers: Numbers) -> None:
    ends = {"↑": max, "↓": min}
    for metric, system, _, cells in table_rows(page, "test"):
        key = next(key for key, name in NAMES.items() if name == metric.split()[0])
        average = plain(cells[1])
        assert average[len(average.rstrip("†‡ ")) :].strip() == mark_of(numbers.of(key, system)), (metric, system)
        means = {one: numbers.of(key, one)["average"] for one in LACKS}
        best = ends[ARROWS[key]](means, key=means.__getitem__) if ARROWS[key] else None
        assert ("<b>" in cells[1]) == (system == best), (metric, system)


def test_a_system_has_one_colour_in_the_table_and_in_all_figures_and_no_other_system_has_it(page: str) -> None:
    colours: dict[str, set[str]] = {system: set() for system in LACKS}
    for _, system, strip, _ in table_rows(page, "test"):
        colours[system] |= set(re.findall(r"background:\s*(#\w+)", strip))
    strips, histograms = strips_and_histograms(page)
    for figure in strips:
        names = figure["layout"]["yaxis"]["ticktext"]
        for trace in figure["data"]:
            style = trace["line"] if trace["mode"] == "lines" else trace["marker"]
            colours[names[round(values_of(trace["y"])[0])]].add(style["color"])
    for figure in histograms:
        for trace in figure["data"]:
            colours[trace["name"]].add(trace["marker"]["color"])
    assert [len(found) for found in colours.values()] == [1] * len(LACKS), colours
    assert len(set.union(*colours.values())) == len(LACKS)


def test_the_figures_of_a_metric_have_its_runs_averages_and_spreads_on_this_test_set(
    page: str, numbers: Numbers
) -> None:
    strips, histograms = strips_and_histograms(page)
    for metric, strip, histogram in zip(NAMES, strips, histograms, strict=True):
        for figure in (strip, histogram):
            assert figure["layout"]["xaxis"]["title"]["text"].startswith(NAMES[metric])
        assert strip["layout"]["yaxis"]["ticktext"] == list(LACKS)
        by_row: dict[int, list[Mapping[str, Any]]] = {row: [] for row in range(len(LACKS))}
        for trace in strip["data"]:
            by_row[round(values_of(trace["y"])[0])].append(trace)
        for traces, system in zip(by_row.values(), LACKS, strict=True):
            found = numbers.of(metric, system)
            over_runs, over_sentences, dots, average = traces
            assert values_of(dots["x"]) == pytest.approx(numbers.run_scores(metric, system))
            assert values_of(average["x"]) == pytest.approx([found["average"]])
            assert float(average["text"][0]) == pytest.approx(found["average"], rel=1e-3)
            for bar, spread in ((over_runs, found["s_test"]), (over_sentences, found["s_sel"])):
                low, high = values_of(bar["x"])
                assert (low + high) / 2 == pytest.approx(found["average"])
                assert (high - low) / 2 == pytest.approx(spread)
            assert over_runs["line"]["width"] > over_sentences["line"]["width"]
        averages = sorted(float(label["text"].split()[-1]) for label in histogram["layout"]["annotations"])
        expected = sorted(numbers.of(metric, system)["average"] for system in LACKS)
        assert averages == pytest.approx(expected, rel=1e-3)


def test_the_strip_of_a_row_has_a_dot_for_each_run_from_the_lowest_on_the_left_to_the_highest(
    page: str, numbers: Numbers
) -> None:
    for metric, system, strip, _ in table_rows(page, "test"):
        key = next(key for key, name in NAMES.items() if name == metric.split()[0])
        dots = [float(place) for place in re.findall(r'<i style="left:([\d.]+)%', strip)]
        (average,) = (float(place) for place in re.findall(r'<b style="left:([\d.]+)%', strip))
        everybody = [score for one in LACKS for score in numbers.run_scores(key, one)]
        shares = [
            np.interp(score, (min(everybody), max(everybody)), (4, 96)) for score in numbers.run_scores(key, system)
        ]
        assert dots == pytest.approx(shares, abs=0.06), (metric, system)
        assert average == pytest.approx(np.mean(shares), abs=0.06), (metric, system)


def test_the_forest_of_a_metric_has_its_differences_and_both_intervals_from_best_to_worst(
    page: str, numbers: Numbers
) -> None:
    forests = [figure for figure in figures_of(page) if is_forest(figure)]
    for metric, figure in zip(NAMES, forests, strict=True):
        names = figure["layout"]["yaxis"]["ticktext"]
        others = {name: numbers.of(metric, name) for name in names if name != "zebra"}
        sign = -1 if ARROWS[metric] == "↓" else 1
        means = [sign * numbers.of(metric, name)["average"] for name in names]
        assert means == sorted(means, reverse=True)
        points = {
            names[round(row)]: value
            for trace in figure["data"]
            if trace["mode"] == "markers"
            for row, value in zip(values_of(trace["y"]), values_of(trace["x"]), strict=True)
        }
        assert points == pytest.approx({"zebra": 0.0} | {name: found["difference"] for name, found in others.items()})
        bars: dict[str, list[list[float]]] = {name: [] for name in others}
        for trace in figure["data"]:
            if trace["mode"] == "lines":
                bars[names[round(values_of(trace["y"])[0])]].append(values_of(trace["x"]))
        for name, (of_test_set, of_both) in bars.items():
            found = others[name]
            assert of_both[0] <= found["low"] + 1e-9, "simultaneous with several systems"
            assert of_both[1] >= found["high"] - 1e-9
            assert of_test_set[0] < others[name]["difference"] < of_test_set[1]


@pytest.mark.parametrize("metric", NAMES)
def test_the_answers_name_system_baseline_and_direction_with_the_numbers_of_their_own_procedure(
    page: str, numbers: Numbers, metric: str
) -> None:
    said = answers_on(page, NAMES[metric])
    assert list(said) == list(LACKS)[1:]
    for system, (role, shown_word, lead, first, second) in said.items():
        found = numbers.of(metric, system)
        decimals = 2 + MORE_DECIMALS.get(metric, 0)
        difference = f"{rounded(found['difference'], decimals, signed=True)} {NAMES[metric]}"
        is_up = found["difference"] > 0
        word = {"↑": ("worse", "better"), "↓": ("better", "worse"), "": ("lower", "higher")}[ARROWS[metric]][is_up]
        assert shown_word == (word if found["adjusted_both"] <= 0.05 else "no clear difference")
        is_wide, low, high = re.fullmatch(
            rf"{re.escape(difference)} \((simultaneous )?95% CI ([-+]?[\d.]+) to ([-+]?[\d.]+).*\)", lead
        ).groups()
        ends = [rounded(found[end], decimals, signed=True) for end in ("low", "high")]
        if is_wide:  # as p is adjusted for the number of systems
            assert float(low) < found["low"] < found["high"] < float(high)
        else:
            assert [low, high] == ends
        for text, what in ((first, "test_set"), (second, "both")):
            raw, adjusted = p_value(found[f"p_{what}"]), p_value(found[f"adjusted_{what}"])
            assert adjusted in text
            shown = raw if raw.startswith("<") else f"= {raw}"
            assert f"p {shown}" in text
            assert ("Holm" in text) == (found[f"p_{what}"] != found[f"adjusted_{what}"])
        is_good = is_up == (ARROWS[metric] == "↑")
        shown = {"": "apart"}.get(ARROWS[metric], "good" if is_good else "bad")
        assert role == (shown if found["adjusted_both"] <= 0.05 else "open")


def test_the_table_for_the_paper_has_the_same_numbers_with_one_decimal(folder: Path, numbers: Numbers) -> None:
    heading, *rows = latex_rows((folder / "table.tex").read_text(encoding="utf-8"))
    for name, pattern in zip(heading[2:], ("n", "Avg", "sel", "dev", "test", "Delta", "test set", "both"), strict=True):
        assert pattern in name
    metric = ""
    systems = []
    for cells in rows:
        if len(cells) == 1:
            metric = next(key for key, name in NAMES.items() if f"{name} {ARROWS[key]}".strip() == cells[0])
            continue
        system = cells[1]
        systems.append((metric, system))
        found = numbers.of(metric, system)
        p_values = [short_p_value(found[name]) for name in ("p_test_set", "p_both")]
        expected = [*expected_cells(found, 1 + MORE_DECIMALS.get(metric, 0)), *p_values]
        expected[1] += mark_of(found)
        assert [cell.replace("--", "–") for cell in cells[2:]] == expected, (metric, system)
    assert systems == [(metric, system) for metric in NAMES for system in LACKS]


def test_the_caption_and_the_methods_give_each_number_its_own_name(folder: Path) -> None:
    text = (folder / "table.tex").read_text(encoding="utf-8")
    caption = text[text.index(r"\caption") :]
    assert re.search(r"\\dagger\}\$: test-set luck ruled out", caption)
    assert re.search(r"\\ddagger\}\$: both", caption)
    assert "difference from zebra" in caption
    assert "% seed: " in text
    methods = (folder / "methods.txt").read_text(encoding="utf-8")
    assert "200 bootstrap" in methods
    assert "1,000 shuffles" in methods, "more than the 500 chosen, for so many systems"
    assert "60 segments" in methods
    assert "zebra" in methods
