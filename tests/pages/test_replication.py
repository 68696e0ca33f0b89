import html
import re
from pathlib import Path
from statistics import stdev

import pytest
from sacrebleu import BLEU
from streamlit.testing.v1 import AppTest

VIEWS = ["Number of runs", "Planner", "Try your luck"]
SAMPLE = Path(__file__).parents[2] / "sample_data"
FEW = {"shuffles": "200"}


@pytest.fixture
def page(open_app):
    """The page with nothing loaded; ``view`` opens a tab and waits for what it computes."""
    return Replication(open_app(**FEW).go("replication"))


@pytest.fixture
def opened(open_app):
    """The same page for all tests that change nothing but what is open."""
    if not OPENED:
        OPENED.append(Replication(open_app(**FEW).go("replication")))
    return OPENED[0].view(VIEWS[0])


OPENED: "list[Replication]" = []


class Replication:
    def __init__(self, app) -> None:
        self.app = app
        self.settle()

    def view(self, name: str) -> "Replication":
        self.app.page.session_state["replication-view"] = name
        self.app.page.run()
        return self.settle()

    def settle(self) -> "Replication":
        self.app.wait_for_work()
        assert not self.app.page.exception
        return self

    def press(self, key: str) -> "Replication":
        self.app.press(key)
        return self.settle()

    @property
    def text(self) -> str:
        return self.app.text

    def rows(self, *head: str) -> list[list[str]]:
        """The rows of the table whose headings begin with these."""
        tables = re.findall(r"<table.*?</table>", self.app.html)
        (found,) = [table for table in tables if cells(table, "th")[: len(head)] == [*head]]
        return [cells(row, "td") for row in re.findall("<tr>(.*?)</tr>", found[found.index("</thead>") :])]


def cells(markup: str, kind: str) -> list[str]:
    return [html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(f"<{kind}[ >].*?</{kind}>", markup)]


SPREAD = ("Runs", "SD", "95% range")


def test_without_files_the_sample_experiment_is_shown(opened) -> None:
    assert "this is the sample" in opened.text
    first = opened.rows(*SPREAD)[0]
    assert first == ["1", "0.69", "−0.45 to +2.25", "9.6%", "4.1% to 19.2%", "74.3%", "0.68", "94 of 900"]


def test_only_what_is_open_is_computed(app) -> None:
    page = Replication(app.drop_systems(base=3, new=3).compute().go("replication"))

    def computed() -> set[str]:
        keys = page.app.page.session_state["background"].values.keys  # of the evaluation, a text
        return {key[0].__name__ for key in keys if not isinstance(key, str)}

    assert not {"published", "odds"} & computed()
    page.view("Try your luck")
    assert "published" in computed()


def test_table_2_has_single_runs_and_draws_for_every_procedure(opened) -> None:
    opened.view("Try your luck")
    rows = opened.rows("Runs", "Baseline", "System")
    assert [row[:3] for row in rows] == [
        ["1", "high", "low"], ["1", "median", "median"], ["1", "low", "high"],
        *([n, "random", "random"] for n in ("3", "5", "10")),
    ]  # fmt: skip
    assert [cell == "–" for cell in rows[0][3:]] == [False, False, True, True, True]
    assert all(" to " in cell for row in rows[3:] for cell in row[3:])
    assert len(opened.rows("Runs", "Procedure")) == 15
    assert "Which conclusion is right is unknown" in opened.text, "the verdict on the sample is open"


def test_luck_is_drawn_run_by_run_and_compared_with_all_combinations(opened) -> None:
    opened.view("Try your luck")
    assert "Which runs will you get?" in opened.text
    opened.press("luck-draw")
    assert re.search(r"[+−]?\d\.\d\d BLEU, p (=|<) \d\.\d\d\d", opened.text)
    opened.press("luck-draw-many")
    rows = opened.app.cells("Conclusions of these experiments")
    assert "So far (101)" in opened.text
    assert "all 900 combinations" in opened.text
    for column in (1, 2):
        assert sum(float(row[column].rstrip("%")) for row in rows) == pytest.approx(100, abs=0.2)
    opened.press("luck-restart")
    assert "So far (0)" in opened.text


def test_starting_over_brings_other_luck_and_the_same_seed_the_same(page, open_app) -> None:
    def shown(one: Replication) -> str:
        return re.search(r"baseline: run \w+ · reordering: run \w+", one.text)[0]

    page.view("Try your luck").press("luck-draw")
    again = Replication(open_app(**FEW).go("replication")).view("Try your luck").press("luck-draw")
    assert shown(again) == shown(page)
    drawn = {shown(page.press("luck-restart").press("luck-draw")) for _ in range(4)}
    assert len(drawn) > 1


def test_the_planner_says_what_to_do_and_where_the_variance_comes_from(opened) -> None:
    assert "Get more documents" in opened.view("Planner").text
    assert "No number of runs detects a true difference of 1.00 BLEU" in opened.view("Planner").text
    opened.app.choose("planner-target-0.1", 1.6)
    assert re.search(r"\d+ runs per system detect a true difference of 1.60 BLEU with 80% power", opened.text)


def test_typed_numbers_start_at_those_of_these_runs(page) -> None:
    page.view("Planner")
    page.app.page.session_state["planner-basis"] = True
    page.app.page.run()
    place = "bleu-test-baseline-reordering"
    typed = {box.key: box.value for box in page.app.page.number_input}
    bleu = BLEU(references=[SAMPLE.joinpath("reference.test.txt").read_text().splitlines()])
    for number, system in enumerate(("baseline", "reordering")):
        runs = [path.read_text().splitlines() for path in sorted(SAMPLE.glob(f"{system}/test.opt*.txt"))]
        scores = [bleu.corpus_score(run, None).score for run in runs]
        assert typed[f"planner-typed-{number}-{place}"] == pytest.approx(stdev(scores), rel=5e-3)
    assert typed[f"planner-units-{place}"] == 24
    page.app.choose(f"planner-typed-2-{place}", 0.1)
    assert "runs per system detect a true difference of 1.00 BLEU with 80% power on 24 documents" in page.text
    assert "larger test set can reduce power" in page.text


def test_own_runs_take_the_place_of_the_sample(app) -> None:
    page = Replication(app.drop_systems(base=4, new=4).compute().go("replication"))
    assert "sample experiment" not in page.text
    assert [row[0] for row in page.rows(*SPREAD)] == ["1", "2", "3", "4"]
    for name in VIEWS[1:]:
        page.view(name)


def test_nothing_is_shown_before_the_primary_metric_is_chosen(app) -> None:
    app.drop_systems(base=3, new=3).go("replication").wait_for_work()
    assert "Not scored yet. Choose the primary metric before you look at results." in app.text
    assert "new vs base" not in app.text
    assert not app.page.tabs
    app.compute()
    assert "new vs base" in app.wait_for_work().text


def test_a_bar_of_differences_opens_two_runs_that_differ_by_as_much(app) -> None:
    page = Replication(app.drop_systems(base=3, new=3).compute().go("replication"))
    assert "Click a bar to see two runs that differ by about as much." in page.text
    scores = app.evaluation.scores
    score_of = scores[scores["metric"] == "bleu"].set_index(["system", "run"])["score"]

    def click(results, bar) -> None:
        from mteval.ui.segments.link import on_difference

        on_difference(results, "bleu", "base", "new").call(bar)

    *_, key = app.page.session_state["evaluations"].latest.values()
    results = app.page.session_state["background"].values.get(key)
    for base, new in (("0", "2"), ("1", "1")):
        difference = float(score_of["new", new] - score_of["base", base])
        opened = AppTest.from_function(click, args=(results, ["its text", difference])).run()
        assert not opened.exception
        opened_difference = score_of[*shown(opened, "seg-right")] - score_of[*shown(opened, "seg-left")]
        assert opened_difference == pytest.approx(difference)
    for bar in (["its text", float("nan")], ["its text"], [1, "far"], None):
        assert "seg-left" not in AppTest.from_function(click, args=(results, bar)).run().session_state


def test_bars_of_draws_are_to_be_clicked_only_if_there_are_any(app) -> None:
    page = Replication(app.drop_systems(base=3, new=3).compute().go("replication")).view("Try your luck")
    assert "Click a bar" not in page.text
    assert "Click a bar to see two runs that differ by about as much." in page.press("luck-draw").text
    assert "Click a bar" not in page.press("luck-restart").text


def shown(page, key: str) -> tuple[str, str]:
    """System and run of one side of Segments."""
    system, run = page.session_state[key].split(" · ")
    return system, run


def test_one_run_a_system_is_answered_as_far_as_it_goes(app) -> None:
    page = Replication(app.drop_systems(base=1, new=1).compute().go("replication"))
    assert page.text.count("one run per system") == 1
    assert not page.app.page.tabs
    assert "BLEU with 80% power on 40 segments" in page.text, "the planner, from typed numbers"
    assert not any(button.key == "luck-draw" for button in page.app.page.button)


def test_one_system_alone_is_told_that_nothing_can_be_compared(app) -> None:
    page = app.drop_systems(base=3).compute().go("replication")
    assert not page.page.exception
    assert "only one system" in page.text


def test_work_that_is_stopped_can_be_taken_up_again(page) -> None:
    memory = page.app.page.session_state["background"]
    page.app.page.session_state["replication-view"] = "Try your luck"
    page.app.page.run()
    assert "published" in memory.jobs
    memory.jobs["published"].stop()
    page.settle()
    assert "Stopped." in page.text
    page.press("published-again")
    assert page.rows("Runs", "Baseline", "System")


def test_a_talk_computes_later_slides_while_the_first_is_shown(page) -> None:
    app = page.app.wait_for_work()
    app.press("present").wait_for_work()
    app.page.run()  # what comes next begins when the page is drawn
    app.wait_for_work()
    app.page.session_state["talk-place"] = 5
    app.page.run()
    assert "Which p would have been published?" in app.text
    assert "Dot: median of the draws" in app.text, "nothing is left to wait for"


def test_the_verdict_stands_above_and_leads_to_the_planner_with_its_numbers(page) -> None:
    page.view(VIEWS[0])  # waits for the numbers
    assert "reordering vs baseline: +0.90 BLEU (95% CI" in page.text
    assert "more runs are not enough" in page.text
    page.press("to-planner")
    assert page.app.page.session_state["planner-runs"] == 30
    assert "With 30 runs per system" in page.text
    page.app.choose("planner-target-0.1", 2.0)
    assert "a true difference of 2.00 BLEU with 80% power on 24 documents" in page.text
    assert "more runs are not enough" not in page.text, "the open planner answers that with its own numbers"


@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_few_runs_are_answered_in_every_view(app, n_runs: int) -> None:
    page = Replication(app.drop_systems(base=n_runs, new=n_runs).compute().go("replication"))
    rows = page.rows(*SPREAD)
    assert [row[0] for row in rows] == [str(k + 1) for k in range(n_runs)]
    assert rows[-1][-2:] == ["–", "–"], "of all runs there is one combination"
    assert bool(page.app.page.get("plotly_chart")) == (n_runs > 2), "four combinations show no distribution"
    page.view("Try your luck")
    assert page.rows("Runs", "Baseline", "System")[-1][:2] != [str(n_runs), "random"]
    options = next(box for box in page.app.page.selectbox if box.key == "luck-runs").options
    assert options == [str(k + 1) for k in range(n_runs - 1)]
    page.view("Planner")


def test_nothing_is_shown_of_another_test_set(open_app, files) -> None:
    """Tables and figures of every view, back and forth; what was drawn on one test set stays there."""
    whole, split = files(base=3, new=3), {}
    for name, text in whole.items():
        folder, _, file = name.rpartition("/")
        for test_set, lines in (("test", slice(0, 24)), ("test2", slice(16, 40))):
            named = f"{folder}/{test_set}.{file}".lstrip("/")
            split[named] = "".join(text.splitlines(keepends=True)[lines])
    page = Replication(open_app(**FEW).drop(split).compute().go("replication"))

    def shown() -> list[tuple[str, list[str]]]:
        found = []
        for name in VIEWS:
            figures = page.view(name).app.page.get("plotly_chart")
            found.append((page.text, [figure.proto.spec for figure in figures]))
        return found

    page.view("Try your luck").press("luck-draw")
    here = shown()
    page.app.choose("test-set", "test2")
    there = shown()
    for (text, figures), (other_text, others) in zip(here, there, strict=True):
        assert figures
        assert text != other_text
        assert not set(figures) & set(others)
    page.app.choose("test-set", "test")
    assert shown() == here
