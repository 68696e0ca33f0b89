import re
import threading
from itertools import product

import pytest

import mteval.analysis.comparison
import mteval.figures.runs
import mteval.ui.session.evaluation
import mteval.ui.session.memory
from mteval.base.errors import CancelledError


def rows(app) -> dict[tuple[str, str], list[str]]:
    """Table 1 by metric and system: runs, average, s_sel, s_dev, s_opt, difference, both p-values.

    Without a tuning set there is no column s_dev; a dash stands for it here.
    """
    found, metric, lines = {}, "", app.cells("40 segments")
    widest = max(map(len, lines), default=0)
    for cells in lines:
        if len(cells) == widest:
            metric = cells.pop(0)
        numbers = cells[2:]
        found[metric.split()[0], cells[0]] = numbers if widest == 11 else [*numbers[:3], "–", *numbers[3:]]
    return found


@pytest.fixture
def counted(monkeypatch) -> list[int]:
    """How many metrics were scored, call by call."""
    calls: list[int] = []
    score = mteval.ui.session.memory.score_experiment

    def counting(experiment, metrics, work):
        calls.append(len(metrics))
        return score(experiment, metrics, work)

    monkeypatch.setattr(mteval.ui.session.memory, "score_experiment", counting)
    return calls


def test_without_files_the_page_shows_the_way_to_load_them(app) -> None:
    app.go("scores")
    assert not app.page.exception
    assert "Nothing is loaded" in app.text


def test_before_the_work_the_page_asks_for_the_primary_metric_and_offers_the_button(app) -> None:
    app.drop_systems(base=2, new=2).go("scores")
    assert "Not scored yet" in app.text
    assert "start" in app.buttons


def test_the_page_answers_both_questions_and_shows_every_number(app) -> None:
    app.drop_systems(base=3, new=3).compute().go("scores")
    assert not app.page.exception
    assert app.html.count("<section") == 1
    assert "new vs base" in app.text
    assert app.text.index("Test-set luck") < app.text.index("Test-set and training luck")
    assert "95% CI" in app.text
    assert list(rows(app)) == [
        (metric, system) for metric in ("BLEU", "chrF", "TER", "Length") for system in ("base", "new")
    ]
    base = rows(app)["BLEU", "base"]
    assert base[0] == "3"
    assert base[-3:] == ["–", "–", "–"]
    assert all(re.fullmatch(r"\d+\.\d\d", number) for number in (base[1], base[2], base[4]))
    new = rows(app)["BLEU", "new"]
    assert re.fullmatch(r"[+−]\d+\.\d\d", new[5])


def test_results_stay_when_something_else_is_pressed(app) -> None:
    app.drop_systems(base=3, new=3).compute().go("scores")
    before = rows(app)
    app.choose("decision", "all").choose("decision", "primary")
    app.go("load").go("scores")
    assert rows(app) == before


def test_a_changed_number_of_shuffles_scores_nothing_again_and_shows_new_numbers_by_itself(app, counted) -> None:
    app.drop_systems(base=3, new=3).compute().go("scores")
    assert counted == [4]
    before = rows(app)
    app.choose("shuffles", 500)
    assert counted == [4]
    after = rows(app)
    assert "earlier settings" not in app.text
    assert [row[:-2] for row in after.values()] == [row[:-2] for row in before.values()]
    assert app.evaluation.settings.n_shuffles == 500


def test_several_settings_in_turn_are_remembered_and_going_back_computes_nothing(app, monkeypatch) -> None:
    app.drop_systems(base=3, new=3).choose("metrics", ["length"]).compute().go("scores")
    seen, numbers = [], (200, 300, 400)
    for number in numbers:
        app.choose("shuffles", number)
        seen.append(rows(app))
    assert len({str(table) for table in seen}) == len(numbers), "each has p-values of its own"
    asked: list[str] = []
    compare = mteval.analysis.comparison.compare

    def counting(case, *further):
        if case.system == "new":  # and not what warms up beside it
            asked.append(case.scored.metric.key)
        return compare(case, *further)

    monkeypatch.setattr(mteval.analysis.comparison, "compare", counting)
    for number, table in zip(numbers, seen, strict=True):
        app.choose("shuffles", number)
        assert rows(app) == table
        assert "earlier settings" not in app.text
    assert asked == []
    app.choose("shuffles", 500)
    assert asked, "other settings are computed where this test would see it"


def test_an_added_metric_waits_for_the_button_says_so_and_is_scored_alone(app, counted) -> None:
    app.drop_systems(base=2, new=2).choose("metrics", ["length"]).compute().go("scores")
    assert counted == [2]
    app.choose("metrics", ["length", "ter"])
    assert "earlier settings" in app.text
    assert ("TER", "new") not in rows(app)
    app.compute()
    assert counted == [2, 1]
    assert "earlier settings" not in app.text
    assert ("TER", "new") in rows(app)


def test_a_left_out_metric_and_another_baseline_score_nothing(app, counted) -> None:
    app.drop_systems(base=2, new=2).compute().go("scores")
    app.choose("metrics", ["length"]).choose("baseline", "new")
    assert counted == [4]
    assert list(rows(app)) == [(metric, system) for metric in ("BLEU", "Length") for system in ("new", "base")]


def test_a_primary_metric_chosen_after_the_numbers_were_seen_is_remarked_on(app) -> None:
    app.drop_systems(base=2, new=2).compute().go("scores")
    assert "not a planned test" not in app.text
    app.choose("primary", "ter")
    assert "BLEU was the primary metric when scoring began" in app.text


def test_with_one_run_a_system_the_answer_about_the_test_set_is_the_verdict(app) -> None:
    app.drop_systems(base=1, new=1).compute().go("scores")
    assert not app.page.exception
    assert app.text.count("Training luck unknown: one run per system. Three runs per system would show") == 1
    assert "▲  better" in app.text
    new = rows(app)["BLEU", "new"]
    assert (new[0], new[-1]) == ("1", "< 0.001")
    assert "(training)</span></th>" not in app.html


def test_from_four_systems_on_one_figure_and_one_table_take_the_place_of_a_card_for_each(app) -> None:
    app.drop_systems(base=3, new=3, third=3, fourth=3).compute().go("scores")
    assert not app.page.exception
    assert app.html.count("<section") == 3, "cards are folded away"
    assert "Each system" in {one.label for one in app.page.expander}
    assert "BLEU, against base: " in app.text
    ranked = app.cells("Verdicts against base")
    names = {"base", "new", "third", "fourth"}
    in_order = [cell for row in ranked for cell in row if cell in names]
    assert set(in_order) == names
    assert {"Leaderboard (HTML)", "Leaderboard (Markdown)"} <= {one.label for one in app.page.get("download_button")}
    crossed = app.cells("40 segments")
    assert [row[0] for row in crossed] == in_order, "both from best to worst by the primary metric"
    assert {len(row) for row in crossed} == {5}
    means = app.evaluation.summary.query("metric == 'bleu'").set_index("system")["mean"]
    assert [row[1].rstrip("†‡") for row in crossed] == [f"{means[row[0]]:.2f}" for row in crossed]


def test_the_table_of_many_systems_shows_any_number_and_is_sorted_by_any_metric(app) -> None:
    app.drop_systems(base=2, new=2, third=2, fourth=2).compute().go("scores")
    app.choose("crossed-sorted", "ter").choose("crossed-column", "difference")
    summary = app.evaluation.summary.query("metric == 'ter'").sort_values("mean")
    rows = app.cells("40 segments")
    assert [row[0] for row in rows] == summary["system"].tolist()
    means = summary.set_index("system")["mean"]
    for system, _, _, shown, _ in rows:
        if system != "base":
            assert float(shown.replace("−", "-")) == pytest.approx(means[system] - means["base"], abs=0.006)


def test_one_system_is_shown_without_a_comparison(app) -> None:
    app.drop_systems(base=3).compute().go("scores")
    assert not app.page.exception
    assert "only one system" in app.text
    assert rows(app)["BLEU", "base"][0] == "3"


def test_identical_systems_differ_by_nothing_and_luck_is_not_ruled_out(app, files) -> None:
    same = files(base=3)
    app.drop(same | {name.replace("base", "copy"): text for name, text in same.items()}).compute().go("scores")
    assert not app.page.exception
    copy = rows(app)["BLEU", "copy"]
    assert copy[-3:] == ["0.00", "1.000", "1.000"]
    assert "†" not in copy[1]


@pytest.mark.parametrize(("n_runs", "n_figures"), [(4, 1), (5, 2)])
def test_the_histogram_of_the_runs_stands_from_five_runs_on(app, n_runs: int, n_figures: int) -> None:
    app.drop_systems(base=n_runs, new=n_runs).compute().go("scores")
    assert len(app.page.get("plotly_chart")) == n_figures


def test_the_overlap_of_the_runs_names_the_system_that_scores_higher(app) -> None:
    app.drop_systems(base=3, new=3).compute().go("scores")
    for metric, name in (("bleu", "BLEU"), ("ter", "TER")):
        app.choose("primary", metric)
        is_higher = rows(app)[name, "new"][5].startswith("+")
        above, below = ("new", "base") if is_higher else ("base", "new")
        said = next(line for line in app.text.split("\n") if "overlap" in line)
        assert f"every run of {above} scores higher than every run of {below}" in said or f"average {above}" in said
    assert not is_higher, "the better system has the lower TER"


def test_unequal_run_counts_work(app) -> None:
    app.drop_systems(base=2, new=4).compute().go("scores")
    assert not app.page.exception
    assert [rows(app)["TER", system][0] for system in ("base", "new")] == ["2", "4"]


def test_a_tuning_set_fills_s_dev_and_a_chooser_names_the_sets(app, files) -> None:
    test = files(base=3, new=3)
    names = {name: name.replace("opt", "dev.opt").replace("refs", "refs.dev") for name in test}
    named = {name.replace("opt", "test.opt").replace("refs", "refs.test"): text for name, text in test.items()}
    app.drop(named | {names[name]: text for name, text in test.items()}).compute().go("scores")
    assert not app.page.exception
    assert app.page.selectbox(key="test-set").value == "test"
    assert rows(app)["BLEU", "base"][3] == rows(app)["BLEU", "base"][4]  # the same text, so the same spread
    assert "(training)</span></th>" in app.html
    app.choose("test-set", "dev")
    assert "(training)</span></th>" not in app.html


def test_names_of_systems_are_never_markup(app, files) -> None:
    name = "<img src=x onerror=alert(1)> **b** $x$"
    app.drop({key.replace("new/", f"{name}/"): text for key, text in files(base=2, new=2).items()}).compute().go(
        "scores"
    )
    assert not app.page.exception
    assert "<img" not in app.html
    assert "<img" in app.text
    assert all("<img" not in one.value for one in (*app.page.markdown, *app.page.subheader))


def test_stopped_work_ends_says_so_and_does_not_start_again_by_itself(app, monkeypatch) -> None:
    started = threading.Event()

    def endless(experiment, metrics, work):
        started.set()
        assert work.engine.cancelled.wait(30)
        raise CancelledError("Stopped.")

    monkeypatch.setattr(mteval.ui.session.memory, "score_experiment", endless)
    app.drop_systems(base=2, new=2).press("start")
    assert started.wait(10)
    assert "evaluation-stop" in app.buttons
    app.press("evaluation-stop").settle()
    assert "Stopped." in app.text
    assert "start" in app.buttons


def test_settings_that_cannot_be_had_are_said_in_the_sidebar_and_nothing_starts(app) -> None:
    app.drop_systems(base=2, new=2).choose("unit", "document").compute()
    assert not app.page.exception
    assert "no document IDs" in app.text


def test_the_table_explains_its_columns_where_one_looks_and_in_a_list(app) -> None:
    app.drop_systems(base=2, new=2).compute().go("scores")
    assert 'title="Mean of the corpus scores of the runs."' in app.html
    assert "standard deviation over bootstrap resamples" in app.text


def test_figures_of_the_runs_are_drawn_anew_by_what_changes_them_alone(app, monkeypatch) -> None:
    drawn: list[str] = []
    draw = mteval.figures.runs.run_strip

    def counting(scores, *further):
        drawn.append(scores["metric"].iloc[0])
        return draw(scores, *further)

    counting.__qualname__ = "counting"
    monkeypatch.setattr(mteval.figures.runs, "run_strip", counting)
    app.drop_systems(base=3, new=3).compute().go("scores")
    assert drawn == ["bleu"]
    app.choose("shuffles", 500)
    assert drawn == ["bleu"]
    app.choose("seed", 7)  # the whiskers come from the bootstrap
    assert drawn == ["bleu", "bleu"]
    app.choose("primary", "chrf")
    assert drawn == ["bleu", "bleu", "chrf"]


@pytest.mark.parametrize("answer", ["decide-by-people", "decide-by-metric"])
def test_tables_of_judgements_are_proposed_like_human_scores(app, files, answer: str) -> None:
    loaded = files(base=1, new=1)
    rows = ["annotator,system,segment,adequacy"]
    for annotator, system, segment in product(("ann", "bob"), ("base", "new"), range(1, 41)):
        rows.append(f"{annotator},{system},{segment},{50 + segment % 7 + 9 * (system == 'new')}")
    app.drop({**loaded, "people.csv": "\n".join(rows) + "\n"})
    assert app.experiment.given == ()
    app.compute().go("scores")
    assert not app.page.exception
    assert "new vs base" not in app.html
    assert {"decide-by-people", "decide-by-metric"} <= set(app.buttons)

    app.press(answer).settle()
    assert not app.page.exception
    assert [given.name for given in app.experiment.given] == ["Adequacy (people)"]
    assert "decide-by-people" not in app.buttons
    if answer == "decide-by-people":
        assert app.evaluation.settings.primary_metric == app.experiment.given[0].key
        assert "not a planned test" not in app.text


def test_human_scores_are_proposed_before_any_number_and_taking_them_is_planned(app, files) -> None:
    loaded = files(base=1, new=1)
    rows_of_people = [f"{system}\t{-(segment % 4)}" for system in ("base", "new") for segment in range(40)]
    app.drop({**loaded, "xx-yy.mqm.seg.score": "\n".join(rows_of_people) + "\n"})
    assert [given.is_of_people for given in app.experiment.given] == [True]
    app.compute().go("scores")
    assert not app.page.exception
    assert {"decide-by-people", "decide-by-metric"} <= set(app.buttons)
    assert "new vs base" not in app.html

    app.press("decide-by-people").settle()
    assert not app.page.exception
    assert app.evaluation.settings.primary_metric == "xx-yy.mqm"
    assert "decide-by-people" not in app.buttons
    assert "new vs base" in app.html
    assert "not a planned test" not in app.text
    app.choose("primary", "bleu")
    assert "xx-yy.mqm was the primary metric when scoring began" in app.text


def test_after_the_answer_no_number_by_another_metric_is_shown(app, files, monkeypatch) -> None:
    rows_of_people = [f"{system}\t{-(segment % 4)}" for system in ("base", "new") for segment in range(40)]
    app.drop({**files(base=1, new=1), "xx-yy.mqm.seg.score": "\n".join(rows_of_people) + "\n"})
    app.compute().go("scores")  # by BLEU, before anyone has answered
    monkeypatch.setattr(mteval.ui.session.evaluation, "_begin", lambda *_: None)  # as long as scoring takes
    app.press("decide-by-people")
    assert "Not scored yet." in app.text
    assert "new vs base" not in app.html


def test_of_very_many_systems_the_best_and_the_chosen_are_drawn_and_all_are_in_tables_to_search(app, files) -> None:
    references = files(base=1)["refs.txt"].splitlines()
    loaded = {"refs.txt": "\n".join(references) + "\n"}
    for place in range(52):
        lines = [
            line.replace(" ", " and ", 1 + place % 7) if (number * (place + 3)) % 11 < place / 8 else line
            for number, line in enumerate(references)
        ]
        loaded[f"s{place}/run0.txt"] = "\n".join(lines) + "\n"
    app.drop(loaded).compute().go("scores")
    assert not app.page.exception
    assert "The 30 best of 51 systems; the ranking has all." in app.text

    def drawn() -> set[str]:
        forest = next(one for one in app.page.get("plotly_chart") if "bleu-forest" in one.proto.id)
        return set(re.findall(r"\bs\d+\b", forest.proto.spec))

    (chooser,) = [one for one in app.page.multiselect if one.key == "beside-best"]
    left_out = sorted(set(chooser.options) - drawn())
    assert len(left_out) == 21
    assert left_out[0] not in drawn()
    app.choose("beside-best", [left_out[0]])
    assert left_out[0] in drawn()
    assert "The 30 best of 51 systems and those chosen; the ranking has all." in app.text
    ranking, crossed, *_ = [one.value for one in app.page.dataframe]
    assert set(ranking["System"]) == set(crossed["System"]) == {f"s{place}" for place in range(52)}
    shown = ranking.set_index("System")["BLEU"]
    assert shown.max() == 100 == shown["s0"]  # numbers, so that a click on the head sorts them
    assert shown[left_out[0]] < shown.nlargest(31).min()
