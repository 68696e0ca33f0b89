"""Scores computed elsewhere: which way is better is asked for, and nothing is done with them before it is known.

From which language into which each test set is translated, where its user says it.

What was chosen on the page People, which the report goes by as well.
"""

from collections.abc import Sequence

import streamlit as st

from mteval.analysis.people.human_evaluation import HumanChoices
from mteval.base.errors import SettingsError
from mteval.render.html import tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES
from mteval.ui.parts.tables import as_label, show
from mteval.ui.setup.workspace import declare, direct, generation, workspace
from mteval.values.model import Experiment

DIRECTIONS = {True: "Higher is better", False: "Lower is better"}


def directions(names: Sequence[str]) -> None:
    """For each metric the choice of its direction; none is made in advance."""
    if not names:
        return
    st.subheader("Scores computed elsewhere", anchor=False)
    show(
        tag(
            "p",
            "COMET, BLEURT and ratings are better when higher; error rates, penalties and MetricX as its program writes"
            " it when lower. Files called .seg.score are taken to be of WMT's metrics task, where the sign is turned so"
            " that higher is always better; choose otherwise where yours are not.",
            class_="mt-quiet",
        )
    )
    for number, name in enumerate(names):
        with st.container(horizontal=True, vertical_alignment="center"):
            _direction(number, name)


def _direction(number: int, name: str) -> None:
    key = f"direction-{generation()}-{name}"
    chosen = workspace().edits.directions.get(name)
    st.segmented_control(
        f"Direction {number + 1}",
        list(DIRECTIONS),
        default=chosen,
        format_func=DIRECTIONS.__getitem__,
        key=key,
        label_visibility="collapsed",
        on_change=_take,
        args=(name, key),
        width="content",
    )
    show(tag("b", name), tag("span", " – not used yet", class_="mt-quiet") if chosen is None else "")


def _take(name: str, key: str) -> None:
    direct(name, st.session_state[key])


HELP = (
    "Codes of the two languages, the source's first. They are said in the methods, and it is said where the models of"
    " learned metrics have not seen one. Left empty, the name of the test set may say them."
)
REFUSED = "languages-refused"


def languages(experiment: Experiment) -> None:
    """A field for each test set."""
    with st.container(horizontal=True):
        for test_set in experiment.test_sets:
            _field(test_set.name)


def _field(test_set: str) -> None:
    key = f"languages-{generation()}-{test_set}"
    with st.container(width=220):
        st.text_input(
            f"Languages of {as_label(test_set)}",
            workspace().edits.languages.get(test_set, ""),
            key=key,
            placeholder="en-de",
            help=HELP,
            max_chars=20,
            **SURVIVES,
            on_change=_languages_take,
            args=(test_set, key),
        )
        if key in st.session_state.get(REFUSED, {}):
            messages.say("error", st.session_state[REFUSED][key])


def _languages_take(test_set: str, key: str) -> None:
    refused = {other: words for other, words in st.session_state.get(REFUSED, {}).items() if other != key}
    try:
        declare(test_set, st.session_state[key])
    except SettingsError as error:
        refused[key] = str(error)
    st.session_state[REFUSED] = refused


LOWER = "people-lower"  # the widget of scales on which lower values are better
_CHOSEN = "people-chosen"


def keep_choices(choices: HumanChoices) -> None:
    """Remember what is asked of judgements."""
    st.session_state[_CHOSEN] = choices


def chosen_of_people() -> tuple[HumanChoices | None, tuple[str, ...]]:
    """What is asked of judgements, None where the page was not seen yet, and scales whose lower values are better."""
    return st.session_state.get(_CHOSEN), tuple(st.session_state.get(LOWER) or ())
