"""The three ways to judge a segment: two ratings, marked errors, a preference. Every click is kept at once."""

import streamlit as st

from mteval.annotations import SEVERITIES, Mark
from mteval.annotations.campaigns import Preference, Side
from mteval.annotations.typology import OMISSION
from mteval.ui.annotate.markable_text import Marked, selected, use, words_widget
from mteval.ui.annotate.open_task import OpenTask, step
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show, tag

CATEGORY, REMARK = "annotating-category", "annotating-remark"
SHORTCUTS = {"neutral": "0", "minor": "1", "major": "2", "critical": "3"}
QUESTIONS = {
    "adequacy": "Adequacy: how much of the meaning is there? 0 nothing, 100 all",
    "fluency": "Fluency: how good is the language? 0 incomprehensible, 100 flawless",
}


def _labelled(label: str, text: str) -> None:
    show(tag("p", label, class_="mt-label"), tag("p", text or "(empty)", class_="mt-text"))


def rating(opened: OpenTask) -> None:
    """A slider for adequacy and one for fluency."""
    _labelled(opened.source_label, opened.source)
    _labelled("Output", opened.hypothesis(opened.task.output or 0))
    columns = st.columns(2)
    for column, (aspect, question) in zip(columns, QUESTIONS.items(), strict=True):
        said = getattr(opened.task, aspect)
        key = f"{aspect}-{opened.task.id}"
        column.slider(
            question,
            0,
            100,
            50 if said is None else round(said),
            key=key,
            on_change=_rate,
            args=(opened, aspect, key),
            disabled=opened.campaign.is_closed,
        )


def _rate(opened: OpenTask, aspect: str, key: str) -> None:
    rating = float(st.session_state[key])
    if aspect == "adequacy":
        opened.keep(lambda: opened.store.rate(opened.task.id, adequacy=rating))
    else:
        opened.keep(lambda: opened.store.rate(opened.task.id, fluency=rating))


def preference(opened: OpenTask) -> None:
    """Two outputs side by side, nobody knows whose; one click says which is better and goes on."""
    _labelled(opened.source_label, opened.source)
    order: tuple[int, int] = (1, 0) if opened.task.is_swapped else (0, 1)
    sides: tuple[Preference, Preference] = ("second", "first") if opened.task.is_swapped else ("first", "second")
    for column, name, output, side in zip(st.columns(2), ("Left", "Right"), order, sides, strict=True):
        chosen = " mt-chosen" if opened.task.preference == side else ""
        with column:
            show(
                tag("p", name + (", better" if chosen else ""), class_="mt-label"),
                tag(
                    "div", tag("p", opened.hypothesis(output) or "(empty)", class_="mt-text"), class_=f"mt-card{chosen}"
                ),
            )
    choices: tuple[tuple[str, Preference, str], ...] = (
        ("Left is better", sides[0], "1"),
        ("They are equal", "equal", "2"),
        ("Right is better", sides[1], "3"),
    )
    for column, (label, choice, shortcut) in zip(st.columns(3), choices, strict=True):
        column.button(
            label,
            type="primary" if opened.task.preference == choice else "secondary",
            shortcut=shortcut,
            on_click=_prefer,
            args=(opened, choice),
            width="stretch",
            disabled=opened.campaign.is_closed,
            key=f"prefer-{shortcut}",
        )


def _prefer(opened: OpenTask, choice: Preference) -> None:
    if opened.keep(lambda: opened.store.prefer(opened.task.id, choice)):
        step(opened, 1)


def errors(opened: OpenTask) -> None:
    """Words to mark in the output and, for missing ones, in the source; the severity is the button that keeps it."""
    output = opened.task.output or 0
    texts: dict[Side, str] = {"source": opened.source, "hypothesis": opened.hypothesis(output)}
    labels = {
        "source": f"{opened.source_label}: mark what is missing in the output",
        "hypothesis": "Output: mark errors",
    }
    keys: dict[Side, str] = {side: f"words-{side}-{opened.task.id}" for side in texts}
    for side, text in texts.items():
        show(tag("p", labels[side], class_="mt-label"))
        marked = [Marked(mark.start, mark.end, mark.severity) for mark in opened.task.marks if mark.side == side]
        words_widget(text, labels[side], marked, keys[side], side == "hypothesis")
    _severities(opened, texts, keys)
    _marks(opened, texts)


def _selection(texts: dict[Side, str], keys: dict[Side, str]) -> tuple[Side, tuple[int, int] | None]:
    """What is selected; words of the output go before words of the source."""
    spans: dict[Side, tuple[int, int] | None] = {side: selected(text, keys[side]) for side, text in texts.items()}
    side: Side = "hypothesis" if spans["hypothesis"] or not spans["source"] else "source"
    return side, spans[side]


def _severities(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str]) -> None:
    """The category and a button for each severity, which keeps the error."""
    side, span = _selection(texts, keys)
    names = list(opened.campaign.typology.names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if side == "source" and OMISSION in names:
            st.selectbox("Category", [OMISSION], key="annotating-omission", disabled=True, width=270)
        else:
            choose("Category", names, CATEGORY, in_address=False, default=_usual(names), width=270)
        for severity in SEVERITIES:
            st.button(
                severity.capitalize(),
                shortcut=SHORTCUTS[severity],
                on_click=_mark,
                args=(opened, texts, keys, severity),
                disabled=span is None or opened.campaign.is_closed,
                key=f"severity-{severity}",
            )
        st.text_input("Remark on the error", key=REMARK, max_chars=500, width=190)


def _usual(names: list[str]) -> str:
    """The commonest kind of error to begin with."""
    return next((name for name in names if name.endswith("Mistranslation")), names[0])


def _mark(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str], severity: str) -> None:
    side, span = _selection(texts, keys)
    if span is None:
        return
    names = opened.campaign.typology.names
    category = OMISSION if side == "source" and OMISSION in names else st.session_state.get(CATEGORY, names[0])
    mark = Mark(side, *span, category, severity, st.session_state.get(REMARK, ""))
    if opened.keep(lambda: opened.store.mark(opened.task.id, mark)):
        st.session_state[REMARK] = ""
        use(keys[side])


def _marks(opened: OpenTask, texts: dict[Side, str]) -> None:
    """What is marked, each with the button that takes it back."""
    for number, one in enumerate(opened.task.marks, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = texts[one.side][one.start : one.end]
            where = " missing" if one.side == "source" else ""
            remark = f" · {one.comment}" if one.comment else ""
            severity = tag("span", one.severity, class_=f"mt-severity mt-severity-{one.severity}")
            show(tag("span", words, class_="mt-span"), where, " · ", one.category, " · ", severity, remark)
            st.button(
                f"Take error {number} back",
                icon=":material/close:",
                type="tertiary",
                on_click=_unmark,
                args=(opened, one.id),
                disabled=opened.campaign.is_closed,
                key=f"unmark-{one.id}",
            )


def _unmark(opened: OpenTask, mark: int) -> None:
    opened.keep(lambda: opened.store.unmark(opened.task.id, mark))
