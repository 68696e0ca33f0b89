"""The significance page: answers first, everything else on request."""

import pytest

from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import usual

TABS = {
    "tests": "The two tests",
    "pairs": "All pairs",
    "equality": "Equivalence",
    "procedures": "Compare all tests",
    "alarms": "False alarms",
}


def wait(app):
    """Ask again until what the open tab wants is there."""
    app.wait_for_work().page.run()
    assert not app.page.exception
    return app


def opened(app, tab: str):
    """The page with a tab open, whose name stands in the session as the browser would put it there."""
    app.page.session_state["closer-look"] = TABS[tab]
    app.go("significance")
    return wait(app)


def computed(app, n_documents: int = 0, **n_runs: int):
    app.drop_systems(**n_runs)
    if n_documents:
        ids = "\n".join(str(place * n_documents // 40) for place in range(40))
        app.drop({"documents.txt": ids + "\n"})
    return app.compute()


def pick(app, key: str, value):
    """Choose on the page, and wait for what follows."""
    widgets = (*app.page.selectbox, *app.page.multiselect, *app.page.number_input)
    (widget,) = [one for one in widgets if one.key == key]
    widget.set_value(value).run()
    return wait(app)


def test_one_run_per_system_is_tested_once_and_nothing_is_said_of_the_other_test(app) -> None:
    computed(app, base=1, new=1).go("significance")
    assert [tab.label for tab in app.page.tabs][:1] == ["The test"]
    assert "Could another test set explain the difference?" in app.text
    assert "Two-way analysis" not in app.text


def test_the_page_begins_with_the_verdicts_by_every_metric_and_repeats_no_card(app) -> None:
    computed(app, base=3, new=3).go("significance")
    assert not app.page.exception
    assert "<section" not in app.html
    assert app.text.index("BLEU") < app.text.index("chrF") < app.text.index("TER")
    (row,) = app.cells("Difference from base")
    assert row[0] == "new"
    told = app.evaluation.comparisons.set_index(["metric", "procedure"])
    for metric, shown in zip(("bleu", "chrf", "ter", "length"), row[1:], strict=True):
        difference = told.loc[metric, "two-way"]["difference"]
        assert f"{difference:+.2f}".replace("-", "−") in shown
        for procedure in ("ar-segment", "two-way"):
            p = told.loc[metric, procedure]["p_adjusted"]
            assert ("< 0.001" if p < 0.001 else f"{p:.3f}") in shown
    assert "Approximate randomization of segments (10,000 shuffles)" in app.text
    assert "Two-way analysis of runs and segments" in app.text
    assert "Could another test set and new runs explain it?" in app.text


def test_of_the_tabs_only_the_one_that_is_open_is_computed(app) -> None:
    computed(app, base=3, new=3).go("significance").settle()
    done = app.page.session_state["background"].values.keys
    assert len(done) == 1, "the evaluation: the two tests need nothing else"
    opened(app, "procedures")
    assert app.cells("BLEU: new against base")
    done = app.page.session_state["background"].values.keys
    assert len(done) == 2, "the evaluation, and all procedures"
    app.page.run()
    assert app.page.session_state["background"].values.keys == done


def test_tabs_that_cannot_answer_are_absent(app, open_app) -> None:
    def tabs(of) -> set[str]:
        return {tab.label for tab in of.page.tabs}

    computed(app, base=1, new=1).go("significance")
    assert not {"All pairs", "Several test sets"} & tabs(app)
    assert "False alarms" not in opened(app, "alarms").text
    assert set(TABS.values()) <= tabs(opened(computed(open_app(), base=3, new=3, third=3), "alarms"))


def test_what_p_is_not_stands_there(app) -> None:
    computed(app, base=3, new=3).go("significance")
    assert "the probability that the systems are equal" in app.text


def test_all_procedures_stand_in_one_table_with_the_family_in_words(app) -> None:
    opened(computed(app, base=3, new=3, third=3), "procedures")
    rows = app.cells("BLEU: new against base")
    names = [row[0].removesuffix(" ◆").removesuffix(" on segments") for row in rows]
    assert names == [PROCEDURES[key].name for key in usual()]
    assert {row[0].removesuffix(" ◆") for row in rows if row[0].endswith("◆")} == {
        PROCEDURES["ar-segment"].name,
        PROCEDURES["two-way"].name,
    }
    assert "Family: 2 systems compared with the baseline by 1 metric, 2 comparisons" in app.text
    assert "at least one false positive in 10% of experiments" in app.text
    assert "Simultaneous 95% CI: max-T over shared shuffles or Bonf" in app.text
    pick(app, "procedures-family", True)
    assert "2 systems compared with the baseline by 4 metrics, 8 comparisons" in app.text


def test_the_answers_and_the_table_say_the_same(app) -> None:
    opened(computed(app, base=3, new=3), "procedures")
    evaluation = app.evaluation
    told = evaluation.comparisons.query("metric == 'bleu'").set_index("procedure")["p_value"]
    shown = {row[0]: row[4] for row in app.cells("BLEU: new against base")}
    for key in ("ar-segment", "two-way"):
        number = "< 0.001" if told[key] < 0.001 else f"{told[key]:.3f}"
        assert shown[f"{PROCEDURES[key].name} ◆"] == number


def test_documents_are_the_units_and_a_row_says_what_sentences_would_have_said(app) -> None:
    opened(computed(app, n_documents=8, base=3, new=3), "procedures")
    names = [row[0] for row in app.cells("BLEU: new against base")]
    assert "Approximate randomization of documents ◆" in names
    assert "Approximate randomization of segments" in names
    pick(app, "procedures-unit", "segment")
    rows = app.cells("BLEU: new against base")
    fixed = [row[0] for row in rows if row[0].endswith("◆")]
    assert [name.endswith("documents ◆") for name in fixed] == [True, True], "still the fixed ones"
    assert len(rows) == len(usual()) + 2


def test_single_runs_have_what_the_tests_on_runs_need_instead_of_numbers(app) -> None:
    opened(computed(app, base=1, new=1, third=1), "procedures")
    assert "only one run" in app.text
    assert "Approximate randomization of outputs" not in app.text, "of one run these are segments"


def test_a_test_without_an_answer_for_any_pair_says_why(app) -> None:
    opened(computed(app, base=1, new=1, third=1), "pairs")
    pick(app, "pairs-procedure", "two-way")
    assert "Two-way analysis of runs and segments has no answer for any pair." in app.text


@pytest.mark.parametrize(("n_runs", "key"), [(3, "two-way"), (1, "ar-segment")])
def test_all_pairs_open_on_the_verdict_s_own_test_or_on_the_one_that_has_an_answer(app, n_runs: int, key: str) -> None:
    opened(computed(app, base=n_runs, new=n_runs, third=n_runs), "pairs")
    assert [one.value for one in app.page.selectbox if one.key == "pairs-procedure"] == [key]
    assert "no answer for any pair" not in app.text


def test_the_matrix_says_that_it_is_one_sided_and_names_its_family(app) -> None:
    opened(computed(app, base=1, new=1, third=1), "pairs")
    assert "one-sided" in app.text
    assert "all 3 pairs of 3 systems in both directions, 6 comparisons. p adjusted by max-T" in app.text
    pick(app, "pairs-correction", "bonferroni")
    assert "p adjusted by Bonferroni" in app.text


def test_max_t_is_offered_only_where_pairs_share_shuffles_and_few_shuffles_are_pointed_out(app) -> None:
    opened(computed(app, base=1, new=1, third=1), "pairs")
    (correction,) = [one for one in app.page.selectbox if one.key == "pairs-correction"]
    assert len(correction.options) == 5
    pick(app, "pairs-procedure", "paired-bootstrap")
    (correction,) = [one for one in app.page.selectbox if one.key == "pairs-correction"]
    assert len(correction.options) == 4
    assert "p adjusted by Holm" in app.text
    app.choose("shuffles", 1_000)
    wait(app)
    assert "With 2,000 resamples no adjusted p can be below 0.003" in app.text


def test_a_margin_is_the_users_and_nothing_is_claimed_without_one(app) -> None:
    opened(computed(app, base=3, new=3), "equality")
    assert "Set a margin" in app.text
    pick(app, "equality-margin", 50.0)
    rows = app.cells("Equal within ±50 points?")
    assert [row[2] for row in rows] == ["test-set luck", "both"]
    assert [row[-1] for row in rows] == ["yes", "yes"]
    pick(app, "equality-side", "better")
    assert [row[-1] for row in app.cells("Better by more than 50 points?")] == ["no", "no"]


def test_halves_of_one_s_own_runs_are_judged_by_the_verdict(app) -> None:
    opened(computed(app, base=3, new=6), "alarms")
    assert "new: 6 runs split in half 10 ways" in app.text
    assert "not an error rate" in app.text
    assert "base: its" not in app.text


def test_a_baseline_that_is_declared_fixed_brings_an_answer_from_one_run_of_it(app) -> None:
    computed(app, base=1, new=3).go("significance")
    (row,) = app.cells("Difference from base")
    assert row[1].startswith("▲"), "by test-set luck alone"
    assert app.evaluation.answers[0].both.p_value != app.evaluation.answers[0].both.p_value
    app.choose("design", "fixed").go("significance")
    (row,) = app.cells("Difference from base")
    assert row[1].startswith("▲")
    assert app.evaluation.answers[0].both.procedure == "two-way-fixed"
    assert "Two-way" in app.text
    app.go("scores")
    assert "base is treated as a fixed system: its own training luck is not part of the test." in app.text


@pytest.mark.parametrize("tab", sorted(TABS))
def test_one_system_alone_has_nothing_to_be_compared_with(app, tab: str) -> None:
    opened(computed(app, base=2), tab)
    assert not app.page.exception


def test_names_are_shown_literally(app, files) -> None:
    renamed = {name.replace("new/", "<b>x</b>&/"): text for name, text in files(base=2, new=2).items()}
    app.drop(renamed).compute()
    for tab in ("procedures", "pairs", "alarms"):
        opened(app, tab)
        assert "<b>x</b>" not in app.html
