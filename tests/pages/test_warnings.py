"""Warnings about the data are shown once, on Scores, with the control that acts on them; other pages lead there."""

import re

DETAIL = "differ only in “step”"
POINTER = "1 warning about the data on Scores: Names suggest one training."


def with_one_training_each(app, files):
    """Scores of systems whose runs are named like checkpoints of one training."""
    named = {re.sub(r"opt(\d)", r"seed0-step\1", name): text for name, text in files(base=3, new=3).items()}
    return app.drop(named).compute()


def test_scores_shows_a_warning_once_and_averages_by_the_button_below_it(app, files) -> None:
    with_one_training_each(app, files).go("scores")
    assert not app.page.exception
    assert app.text.count(DETAIL) == 1
    app.press("accept-trainings").settle()
    assert not app.page.exception
    assert DETAIL not in app.text
    assert app.page.session_state["workspace"].edits.nested == "seed{training}"


def test_other_pages_name_the_warning_in_one_line_that_leads_to_scores(app, files) -> None:
    with_one_training_each(app, files)
    for page in ("significance", "replication"):
        app.go(page).settle()
        assert not app.page.exception
        assert DETAIL not in app.text
        assert app.text.count(POINTER) == 1
    app.press("show-warnings")
    assert app.text.count(DETAIL) == 1
