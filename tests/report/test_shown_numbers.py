"""What a reader sees is what was computed: cells, names, signs, arrows, marks and colours of a report, off its files.

The numbers are compared with the frames in ``numbers.json``, rounded by the ``decimal`` module.
"""

import json
import re
from collections.abc import Mapping
from itertools import product
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
    write_experiment,
)

HEADS = (
    "Runs",
    "Average",
    r"\(test set\)",
    "tuning set",
    r"\(training\)",
    "Difference",
    r"p \(adjusted\)",
    r"p_run \(adjusted\)",
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
    """The frames of ``numbers.json``."""
    frames = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
    return Numbers(pd.DataFrame(frames["scores"]), pd.DataFrame(frames["summary"]), pd.DataFrame(frames["comparisons"]))


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_experiment_has_every_mark_both_signs_and_adjusted_p_values_of_its_own(numbers: Numbers) -> None:
    """Else the tests below could not fail."""
    rows = []
    for metric in NAMES:
        for system in list(LACKS)[1:]:
            rows.append(numbers.of(metric, system))
    assert {mark_of(row) for row in rows} == {"", "†", "‡"}
    assert {np.sign(row["difference"]) for row in rows} == {-1, 1}
    assert {row["adjusted_test_set"] > row["p_test_set"] for row in rows} == {True, False}
    assert {row["adjusted_run"] > row["p_run"] for row in rows} == {True, False}

    cells_of_rows = []
    for row in rows:
        cells_of_rows.append([cell.lstrip("+-") for cell in expected_cells(row, 1)])
    columns = set(zip(*cells_of_rows, strict=True))
    assert len(columns) == len(CELLS) - 2, "no column could stand in for another"


@pytest.mark.parametrize("test_set", SIZES)
def test_each_column_of_table_1_has_the_numbers_that_its_heading_names(
    page: str, numbers: Numbers, test_set: str
) -> None:
    caption = rf"{SIZES[test_set]} segments of {test_set}\."
    (head,) = re.findall(rf"mt-overview\"><caption>{caption}.*?<thead>(.*?)</thead>", page, re.S)
    # Metric, system and the strip of runs come first.
    headings = [plain(cell) for cell in re.findall("<th.*?</th>", head, re.S)][3:]
    # A column without numbers is not shown: a tuning set has its spread over trainings in the column before.
    empty = [] if test_set == "test" else [HEADS.index(r"\(training\)")]
    heads = [pattern for place, pattern in enumerate(HEADS) if place not in empty]
    for pattern, heading in zip(heads, headings, strict=True):
        assert re.search(pattern, heading), headings

    rows = list(table_rows(page, test_set))
    for (metric, system), row in zip(product(NAMES, LACKS), rows, strict=True):
        shown_metric, shown_system, _, cells = row
        assert shown_metric == f"{NAMES[metric]} {ARROWS[metric]}".strip()
        assert shown_system == system
        row_numbers = numbers.of(metric, system, test_set)
        expected = [
            *expected_cells(row_numbers, decimals_of(metric)),
            p_value(row_numbers["adjusted_test_set"]),
            p_value(row_numbers["adjusted_run"]),
        ]
        texts = [plain(cell) for cell in cells]
        texts[1] = texts[1].rstrip("†‡ ")
        assert texts == [cell for place, cell in enumerate(expected) if place not in empty], (metric, system)


def decimals_of(metric: str) -> int:
    """How many decimals a table on the page has."""
    return 2 + MORE_DECIMALS.get(metric, 0)


def key_of(heading: str) -> str:
    """The key of a metric, given its name, after which an arrow may stand."""
    (key,) = [key for key, name in NAMES.items() if name == heading.split()[0]]
    return key


def test_marks_follow_the_adjusted_p_values_and_the_best_average_alone_is_set_off(page: str, numbers: Numbers) -> None:
    best_of = {"↑": max, "↓": min}
    for heading, system, _, cells in table_rows(page, "test"):
        metric = key_of(heading)
        average = plain(cells[1])
        mark = average[len(average.rstrip("†‡ ")) :].strip()
        assert mark == mark_of(numbers.of(metric, system)), (metric, system)

        best = None
        if ARROWS[metric]:
            means = {name: numbers.of(metric, name)["average"] for name in LACKS}
            best = best_of[ARROWS[metric]](means, key=means.__getitem__)
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
            row = round(values_of(trace["y"])[0])
            colours[names[row]].add(style["color"])
    for figure in histograms:
        for trace in figure["data"]:
            colours[trace["name"]].add(trace["marker"]["color"])
    assert [len(of_system) for of_system in colours.values()] == [1] * len(LACKS), colours
    assert len(set.union(*colours.values())) == len(LACKS)


def test_the_figures_of_a_metric_have_its_runs_averages_and_spreads_on_this_test_set(
    page: str, numbers: Numbers
) -> None:
    strips, histograms = strips_and_histograms(page)
    for metric, strip, histogram in zip(NAMES, strips, histograms, strict=True):
        for figure in (strip, histogram):
            assert figure["layout"]["xaxis"]["title"]["text"].startswith(NAMES[metric])
        assert strip["layout"]["yaxis"]["ticktext"] == list(LACKS)
        traces_of_row: dict[int, list[Mapping[str, Any]]] = {row: [] for row in range(len(LACKS))}
        for trace in strip["data"]:
            row = round(values_of(trace["y"])[0])
            traces_of_row[row].append(trace)
        for traces, system in zip(traces_of_row.values(), LACKS, strict=True):
            expected = numbers.of(metric, system)
            over_runs, over_sentences, dots, average = traces
            assert values_of(dots["x"]) == pytest.approx(numbers.run_scores(metric, system))
            assert values_of(average["x"]) == pytest.approx([expected["average"]])
            assert float(average["text"][0]) == pytest.approx(expected["average"], rel=1e-3)
            for bar, spread in ((over_runs, expected["s_opt"]), (over_sentences, expected["s_sel"])):
                low, high = values_of(bar["x"])
                assert (low + high) / 2 == pytest.approx(expected["average"])
                assert (high - low) / 2 == pytest.approx(spread)
            assert over_runs["line"]["width"] > over_sentences["line"]["width"]
        averages = sorted(float(label["text"].split()[-1]) for label in histogram["layout"]["annotations"])
        expected_averages = sorted(numbers.of(metric, system)["average"] for system in LACKS)
        assert averages == pytest.approx(expected_averages, rel=1e-3)


def test_the_strip_of_a_row_has_a_dot_for_each_run_from_the_lowest_on_the_left_to_the_highest(
    page: str, numbers: Numbers
) -> None:
    for heading, system, strip, _ in table_rows(page, "test"):
        metric = key_of(heading)
        dots = [float(place) for place in re.findall(r'<i style="left:([\d.]+)%', strip)]
        (average,) = [float(place) for place in re.findall(r'<b style="left:([\d.]+)%', strip)]
        # A strip reaches from the lowest run of all systems, at 4% of its width, to the highest, at 96%.
        all_scores = []
        for name in LACKS:
            all_scores += numbers.run_scores(metric, name)
        ends = (min(all_scores), max(all_scores))
        shares = np.interp(numbers.run_scores(metric, system), ends, (4, 96))
        assert dots == pytest.approx(shares.tolist(), abs=0.06), (metric, system)
        assert average == pytest.approx(np.mean(shares), abs=0.06), (metric, system)


def test_the_forest_of_a_metric_has_its_differences_and_both_intervals_from_best_to_worst(
    page: str, numbers: Numbers
) -> None:
    forests = [figure for figure in figures_of(page) if is_forest(figure)]
    for metric, figure in zip(NAMES, forests, strict=True):
        names = figure["layout"]["yaxis"]["ticktext"]
        sign = -1 if ARROWS[metric] == "↓" else 1
        means = [sign * numbers.of(metric, name)["average"] for name in names]
        assert means == sorted(means, reverse=True)

        points = {}
        bars: dict[str, list[list[float]]] = {name: [] for name in names if name != "zebra"}
        for trace in figure["data"]:
            rows = [round(row) for row in values_of(trace["y"])]
            if trace["mode"] == "markers":
                for row, value in zip(rows, values_of(trace["x"]), strict=True):
                    points[names[row]] = value
            if trace["mode"] == "lines":
                bars[names[rows[0]]].append(values_of(trace["x"]))

        differences = {name: numbers.of(metric, name)["difference"] for name in bars}
        assert points == pytest.approx({"zebra": 0.0} | differences)
        for name, (of_test_set, of_both) in bars.items():
            expected = numbers.of(metric, name)
            assert of_both[0] <= expected["low"] + 1e-9, "simultaneous with several systems"
            assert of_both[1] >= expected["high"] - 1e-9
            assert of_test_set[0] < expected["difference"] < of_test_set[1]


# The words for a lower and for a higher score, by the arrow of the metric.
WORDS = {"↑": ("worse", "better"), "↓": ("better", "worse"), "": ("lower", "higher")}
# The roles of their colours.
ROLES = {"↑": ("bad", "good"), "↓": ("good", "bad"), "": ("apart", "apart")}


@pytest.mark.parametrize("metric", NAMES)
def test_the_answers_name_system_baseline_and_direction_with_the_numbers_of_their_own_procedure(
    page: str, numbers: Numbers, metric: str
) -> None:
    answers = answers_on(page, NAMES[metric])
    assert list(answers) == list(LACKS)[1:]
    for system, (role, word, lead, on_test_set, on_both) in answers.items():
        expected = numbers.of(metric, system)
        is_higher = expected["difference"] > 0
        if expected["adjusted_run"] <= 0.05:
            assert word == WORDS[ARROWS[metric]][is_higher]
            assert role == ROLES[ARROWS[metric]][is_higher]
        else:
            assert word == "no clear difference"
            assert role == "open"

        difference = f"{rounded(expected['difference'], decimals_of(metric), signed=True)} {NAMES[metric]}"
        is_simultaneous, low, high = re.fullmatch(
            rf"{re.escape(difference)} \((simultaneous )?95% CI ([-+]?[\d.]+) to ([-+]?[\d.]+).*\)", lead
        ).groups()
        if is_simultaneous:  # as p is adjusted for the number of systems
            assert float(low) < expected["low"] < expected["high"] < float(high)
        else:
            assert low == rounded(expected["low"], decimals_of(metric), signed=True)
            assert high == rounded(expected["high"], decimals_of(metric), signed=True)

        for answer, name in ((on_test_set, "test_set"), (on_both, "run")):
            p = expected[f"p_{name}"]
            adjusted = expected[f"adjusted_{name}"]
            shown = p_value(p)
            if not shown.startswith("<"):
                shown = f"= {shown}"
            assert p_value(adjusted) in answer
            assert f"p {shown}" in answer
            assert ("Holm" in answer) == (p != adjusted)


def test_the_table_for_the_paper_has_the_same_numbers_with_one_decimal(folder: Path, numbers: Numbers) -> None:
    heading, *rows = latex_rows((folder / "table.tex").read_text(encoding="utf-8"))
    for name, pattern in zip(heading[2:], ("n", "Avg", "sel", "dev", "opt", "Delta", "test set", "run"), strict=True):
        assert pattern in name
    metric = ""
    rows_shown = []
    for cells in rows:
        if len(cells) == 1:  # a metric, above the rows of its systems
            metric = key_of(cells[0])
            assert cells[0] == f"{NAMES[metric]} {ARROWS[metric]}".strip()
            continue
        system = cells[1]
        rows_shown.append((metric, system))
        row_numbers = numbers.of(metric, system)
        expected = [
            *expected_cells(row_numbers, 1 + MORE_DECIMALS.get(metric, 0)),
            p_value(row_numbers["adjusted_test_set"]),
            p_value(row_numbers["adjusted_run"]),
        ]
        expected[1] += mark_of(row_numbers)
        assert [cell.replace("--", "–") for cell in cells[2:]] == expected, (metric, system)
    assert rows_shown == list(product(NAMES, LACKS))


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
