"""HTML that says run says the user's word instead, and leaves names and markup alone."""

from mteval.render.html import in_words, tag
from mteval.values.run_words import RUN, RUN_WORDS, Wording

CHECKPOINTS = Wording(RUN_WORDS["checkpoint"], ("my run", "a < run"))


def test_text_and_what_is_read_out_say_the_word_and_markup_stays() -> None:
    part = tag("td", "3 runs", tag("b", "of my run"), title="one run", class_="run", data_run="run")
    assert in_words(part, CHECKPOINTS) == tag(
        "td", "3 checkpoints", tag("b", "of my run"), title="one checkpoint", class_="run", data_run="run"
    )


def test_names_stay_as_they_are_where_they_are_escaped() -> None:
    assert in_words(tag("p", "a < run has a run"), CHECKPOINTS) == tag("p", "a < run has a checkpoint")


def test_plain_text_stays_plain_and_nothing_changes_where_a_run_is_a_run() -> None:
    assert in_words("runs & a run", CHECKPOINTS) == "checkpoints & a checkpoint"
    part = tag("p", "a run")
    assert in_words(part, Wording(RUN)) is part
