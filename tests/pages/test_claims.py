"""Several test sets together, samples of one model, planned looks and the word for runs, as a user meets them."""

import pytest

from mteval.library import configured_library
from mteval.ui.session import visitor
from tests.pages.test_significance import pick, wait

SETS = ("newstest1", "newstest2", "newstest3")


def drop_sets(app, files, sets=SETS, **n_runs: int):
    """The same systems on several test sets, of which each has other sentences."""
    dropped = {}
    for place, name in enumerate(sets):
        for path, text in files(**n_runs).items():
            folder, _, file = path.rpartition("/")
            lines = text.splitlines()[3 * place :]
            dropped[f"{folder}/{name}.{file}".lstrip("/")] = "\n".join(lines) + "\n"
    app.drop(dropped)
    return app.compute()


def opened(app):
    app.page.session_state["closer-look"] = "Several test sets"
    app.go("significance")
    return wait(app)


def test_the_claim_stands_with_its_figure_its_table_and_what_is_asked_about_runs(open_app, files) -> None:
    app = opened(drop_sets(open_app(shuffles="100", replicates="100"), files, base=3, new=3))
    assert "on average over 3 test sets" in app.text
    assert "new vs base: better" in app.text
    rows = app.cells("BLEU: new vs base, by test set")
    assert [row[0] for row in rows] == [*SETS, "Mean", "Test sets like these"]
    mean = sum(float(row[3].replace("−", "-")) for row in rows[:3]) / 3
    assert float(rows[3][3].replace("−", "-")) == pytest.approx(mean, abs=0.011)
    (claim,) = [one for one in app.evaluation.claims if one.metric == "bleu"]
    assert f"{claim.difference:+.2f}".replace("-", "−") in rows[3]
    assert "All test sets share the same runs" in app.text
    assert "Last row: " in app.text
    pick(app, "claim-shared", False)
    assert "Each test set has its own runs" in app.text
    pick(app, "claim-sets", list(SETS[:2]))
    assert "Last row: " not in app.text
    pick(app, "claim-sets", list(SETS[:1]))
    assert "Choose two or more test sets." in app.text


def test_one_test_set_is_no_claim_over_several_and_has_no_tab_for_it(app) -> None:
    app.drop_systems(base=3, new=3).compute()
    opened(app)
    assert "Several test sets" not in [tab.label for tab in app.page.tabs]


def test_a_word_for_runs_and_planned_looks_reach_the_verdict_and_the_planner(app) -> None:
    app.drop_systems(base=4, new=4).compute()
    app.choose("run-word", "training seed").choose("looks", "3-5-10").go("scores")
    assert "planned at 3, 5 and 10 training seeds, but there are 4. The answer waits for 5." in app.text
    app.choose("looks", "3-4-5").go("scores")
    assert "no verdict" not in app.text
    assert "waits for" not in app.text
    app.page.session_state["replication-view"] = "Planner"
    app.go("replication")
    wait(app)
    assert "interim analyses at 3, 4 and 5 training seeds per system" in app.text
    assert "Testing at 5% each time gives up to 1" in app.text


def test_samples_of_one_model_are_shown_as_what_they_are(app, files) -> None:
    single = files(base=1)
    samples = {path.replace("new/opt", "new/seed1.sample"): text for path, text in files(new=4).items()}
    app.drop({**single, **samples}).compute().go("scores")
    (row,) = app.cells("(sampling)")
    assert row[:2] == ["new", "1 run × 4"]
    assert row[3] == "–"
    assert "unknown, with one trained model" in app.text
    assert "Training luck unknown" in app.text


def test_runs_added_after_numbers_were_seen_are_pointed_out_until_looks_are_planned(app, files) -> None:
    app.drop(files(base=3, new=3)).compute().go("scores")
    assert "scored these systems before" not in app.text
    app.go("load")
    more = {path: text for path, text in files(base=4, new=4).items() if path.endswith("opt3.txt")}
    app.drop(more).compute().go("scores")
    assert "You scored these systems before with 3 runs each." in app.text
    app.choose("looks", "3-4-5").go("scores")
    assert "scored these systems before" not in app.text


def test_an_experiment_that_is_kept_takes_part_in_the_claim(open_app, files, monkeypatch) -> None:
    monkeypatch.setattr(visitor, "browser", lambda: "browser one")
    drop_sets(open_app(shuffles="100", replicates="100"), files, SETS[:1], base=3, new=3)
    second = drop_sets(open_app(shuffles="100", replicates="100"), files, SETS[1:2], base=3, new=3)
    app = opened(second)
    (offered,) = [one for one in app.page.multiselect if one.key == "claim-kept"]
    assert len(offered.options) == 1
    pick(app, "claim-kept", [listed.uid for listed in configured_library().listed()][1:])
    rows = app.cells("BLEU: new vs base, by test set")
    assert [row[0] for row in rows][:3] == [SETS[1], SETS[0], "Mean"]
    assert "on average over 2 test sets" in app.text
    assert "All test sets share the same runs" in app.text
    pick(app, "claim-shared", False)
    assert "The same runs of each system stand behind all test sets" not in app.text
