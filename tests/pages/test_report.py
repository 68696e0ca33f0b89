"""The report page, and the experiment's file as the load page takes it."""

import json
import re

import pandas as pd
import pytest

from mteval.analysis.results import Results
from mteval.render.bundle import zipped
from mteval.report.package import everything
from mteval.report.paper_table import LatexChoice

HOSTILE = "<img src=x onerror=alert(1)>&_%$"


def code(app) -> list[str]:
    """The blocks to copy from."""
    return [block.value for block in app.page.code]


def downloads(app) -> set[str]:
    """The labels of the buttons that hand out files."""
    return {button.label for button in app.page.get("download_button")}


@pytest.fixture
def computed(open_app):
    """Two systems of three runs with a result, the report page open."""
    return open_app(shuffles="500", replicates="200").drop_systems(base=3, new=3).compute().go("report")


def test_before_there_is_a_result_the_page_says_what_to_do(app) -> None:
    app.drop_systems(base=2, new=2).go("report")
    assert not app.page.exception
    assert "Not scored yet" in app.text


def test_the_preview_shows_the_numbers_of_the_table(computed) -> None:
    assert not computed.page.exception
    latex, methods = code(computed)
    rows = re.findall(r'<td class="mt-name mt-wrap mt-stick">new</td>(.*?)</tr>', computed.html)
    averages = re.findall(r"\\textbf\{([\d.]+)\}", latex)
    assert averages
    for average in averages:
        assert any(f"<b>{average}</b>" in row for row in rows)
    assert "averaged over 3 runs per system" in methods
    assert "500 shuffles" in methods


def test_rows_columns_and_layout_follow_the_choice(computed) -> None:
    computed.choose("latex-columns", ["p_run", "average"]).choose("latex-metrics", ["ter"])
    latex = code(computed)[0]
    assert "Metric & System & Avg & " in latex
    assert "BLEU" not in latex
    assert len(re.findall(r'<td class="mt-name mt-wrap mt-stick">new</td>', computed.html)) == 1
    computed.choose("latex-document", True)
    assert code(computed)[0].startswith(r"\documentclass")


def test_there_is_one_button_for_each_file(computed) -> None:
    labels = downloads(computed)
    assert {"LaTeX", "CSV", "Excel", "JSON", "Methods", "HTML report"} <= labels
    assert {"Experiment (ZIP)", "Everything (ZIP)"} <= labels
    assert "Figures (SVG)" in labels or "need Chromium" in computed.text


def test_where_no_browser_can_draw_the_page_says_so(open_app, monkeypatch) -> None:
    monkeypatch.setattr("mteval.figures.images.Chromium.find_browser", lambda **_: None)
    app = open_app(shuffles="100", replicates="100").drop_systems(base=2, new=2).compute().go("report")
    assert not app.page.exception
    assert "apt-get install chromium" in app.text
    assert "Figures (SVG)" not in downloads(app)


def test_names_are_shown_as_they_are(open_app, files) -> None:
    renamed = {name.replace("new/", f"{HOSTILE}/"): text for name, text in files(base=2, new=2).items()}
    app = open_app(shuffles="100", replicates="100").drop(renamed).compute().go("report")
    assert not app.page.exception
    assert HOSTILE in app.text
    assert "<img src=x" not in app.html


def package_of(app) -> bytes:
    """The archive of the session's experiment, without figures, which need a browser."""
    results = Results(app.experiment, app.evaluation, app.experiment.test_sets[0])
    loaded = app.page.session_state["workspace"].loaded(app.experiment)
    return everything(results, loaded, LatexChoice(), ["html", "csv", "excel", "json", "experiment"]).zipped(results)


def test_the_archive_dropped_on_a_fresh_page_brings_files_settings_and_numbers_back(open_app, computed) -> None:
    computed.choose("seed", 99).choose("convention", "multeval").choose("confidence", 0.9).settle().compute()
    evaluation = computed.evaluation
    content = package_of(computed)
    fresh = open_app().drop({"all.zip": content})
    assert not fresh.page.exception
    assert "✕" not in fresh.text
    assert fresh.page.session_state["settings"] == evaluation.settings
    fresh.compute()
    for name in ("scores", "summary", "comparisons"):
        frame = getattr(fresh.evaluation, name)
        pd.testing.assert_frame_equal(frame, getattr(evaluation, name), check_exact=True)


def test_an_experiment_in_a_folder_decides_what_its_files_are(app, files) -> None:
    experiment = """
        format = 1
        baseline = "B"
        [settings]
        metrics = ["ter", "bleu"]
        n_shuffles = 20
        [[test_sets]]
        name = "mine"
        role = "analysis"
        references = ["refs.txt"]
        [test_sets.systems]
        A = {"7" = "base/opt1.txt"}
        B = {"8" = "new/opt0.txt"}
    """
    uploads = {f"folder/{name}": text for name, text in files(base=2, new=2).items()}
    app.drop(uploads | {"folder/experiment.toml": experiment}, zone="folder")
    assert app.cells("Runs per system") == [["mine", "analysis", "40", "1", "1", "1"]]
    settings = app.page.session_state["settings"]
    assert settings.metrics == ("ter", "bleu")
    assert settings.n_shuffles == 100
    assert "20 shuffles" in app.text
    assert app.page.selectbox(key="baseline").value == "B"


def test_settings_of_the_file_are_taken_once_and_may_be_changed(app, files) -> None:
    experiment = (
        'format = 1\nbaseline = "base"\n[settings]\nmetrics = ["bleu"]\n[[test_sets]]\nname = "t"\nrole = "test"\n'
        'references = ["refs.txt"]\n[test_sets.systems.base]\n0 = "base/opt0.txt"\n'
    )
    app.drop(files(base=1) | {"experiment.toml": experiment})
    assert app.page.session_state["settings"].metrics == ("bleu",)
    app.choose("metrics", ["ter"]).drop({"new/opt0.txt": "a\n" * 40})
    assert app.page.session_state["settings"].metrics == ("bleu", "ter")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("format = 1", "'baseline' is missing"),
        ("format = 3", "'format' is 3. Expected 1"),
        ("format = ", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_problem_on_the_page(app, line: str, complaint: str) -> None:
    app.drop_systems(base=1).drop({"experiment.toml": f"{line}\n[settings]\nmetrics = 1\n"})
    assert not app.page.exception
    problem = next(text for text in app.text.split("\n") if "✕" in text)
    assert "experiment.toml" in problem
    assert complaint in problem
    assert app.cells("Runs per system")  # what was loaded stays


def test_metrics_that_are_not_there_leave_the_sidebar_as_it_is(app, files) -> None:
    text = (
        'format = 1\nbaseline = "base"\n[settings]\nmetrics = ["blue"]\n[[test_sets]]\nname = "t"\nrole = "test"\n'
        'references = ["refs.txt"]\n[test_sets.systems.base]\n0 = "base/opt0.txt"\n'
    )
    texts = files(base=1) | {"experiment.toml": text}
    app.drop({"all.zip": zipped({name: content.encode() for name, content in texts.items()})})
    assert "Unknown metric 'blue'" in app.text
    assert app.page.session_state["settings"].primary_metric == "bleu"
    assert json.dumps(app.cells("Runs per system")) == '[["t", "test", "40", "1", "1"]]'
