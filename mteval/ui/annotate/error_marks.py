"""Errors of a segment: words marked with a category and a severity, changed and taken back."""

from collections.abc import Callable

import streamlit as st

from mteval.annotations import SEVERITIES, Campaign, Mark
from mteval.annotations.campaigns import Side, Way
from mteval.annotations.typology import OMISSION, Severity
from mteval.ui.annotate.markable_text import Marked, selected, use, words_widget
from mteval.ui.annotate.open_task import OpenTask
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import Markup, show, tag
from mteval.ui.session.widget_values import value_of

CATEGORY, REMARK = "annotating-category", "annotating-remark"
SHORTCUTS = {"neutral": "0", "minor": "1", "major": "2", "critical": "3"}
ESA_SEVERITIES: tuple[Severity, ...] = ("minor", "major")


def marked_errors(opened: OpenTask) -> None:
    """Words to mark in the output and, for missing ones, in the source; the severity is the button that keeps it."""
    texts: dict[Side, str] = {"source": opened.source, "hypothesis": opened.hypothesis()}
    labels = {
        "source": f"{opened.source_label}: mark what is missing in the output",
        "hypothesis": "Output: mark errors",
    }
    keys: dict[Side, str] = {side: f"words-{side}-{opened.task.id}" for side in texts}
    for side, text in texts.items():
        show(tag("p", labels[side], class_="mt-label"))
        marked = [Marked(one.start, one.end, one.severity, one.origin) for one in opened.task.marks if one.side == side]
        words_widget(text, labels[side], marked, keys[side], side == "hypothesis")
    _severities(opened, texts, keys)
    _marks(opened, texts)


def _selection(texts: dict[Side, str], keys: dict[Side, str]) -> tuple[Side, tuple[int, int] | None]:
    """What is selected; words of the output go before words of the source."""
    spans: dict[Side, tuple[int, int] | None] = {side: selected(text, keys[side]) for side, text in texts.items()}
    side: Side = "hypothesis" if spans["hypothesis"] or not spans["source"] else "source"
    return side, spans[side]


def _severities(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str]) -> None:
    """The category, where errors have one, and a button for each severity, which keeps the error."""
    side, span = _selection(texts, keys)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if opened.campaign.way == "errors":
            _category(list(opened.campaign.typology.names), side)
        for severity in severities_of(opened.campaign.way):
            st.button(
                severity.capitalize(),
                shortcut=SHORTCUTS[severity],
                on_click=_mark,
                args=(opened, texts, keys, severity),
                disabled=span is None or opened.is_frozen,
                key=f"severity-{severity}",
            )
        st.text_input("Remark on the error", key=REMARK, max_chars=500, width=190)


def severities_of(way: Way) -> tuple[Severity, ...]:
    """Those that an annotator chooses from."""
    return ESA_SEVERITIES if way == "esa" else SEVERITIES


def _category(names: list[str], side: Side) -> None:
    if side == "source" and OMISSION in names:
        st.selectbox("Category", [OMISSION], key="annotating-omission", disabled=True, width=270)
    else:
        choose("Category", names, CATEGORY, in_address=False, default=_usual(names), width=270)


def _usual(names: list[str]) -> str:
    """The commonest kind of error to begin with."""
    return next((name for name in names if name.endswith("Mistranslation")), names[0])


def _mark(opened: OpenTask, texts: dict[Side, str], keys: dict[Side, str], severity: str) -> None:
    side, span = _selection(texts, keys)
    if span is None:
        return
    mark = Mark(side, *span, _chosen_category(opened.campaign, side), severity, value_of(REMARK, ""))
    if opened.keep(lambda: opened.store.mark(opened.task.id, mark)):
        use(keys[side])
        st.session_state[REMARK] = ""


def _chosen_category(campaign: Campaign, side: Side) -> str:
    if campaign.way == "esa":
        return ""
    names = campaign.typology.names
    return OMISSION if side == "source" and OMISSION in names else str(value_of(CATEGORY, names[0]))


def _marks(opened: OpenTask, texts: dict[Side, str]) -> None:
    """What is marked, each with the buttons that change it; then what a metric found and the annotator took back."""
    for number, one in enumerate(opened.task.marks, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            show(*_described(one, texts[one.side][one.start : one.end]))
            if opened.campaign.way == "esa":
                other = next(severity for severity in ESA_SEVERITIES if severity != one.severity)
                _button(opened, f"Make error {number} {other}", "swap_vert", f"grade-{one.id}", _grade, one.id, other)
            _button(opened, f"Take error {number} back", "close", f"unmark-{one.id}", _unmark, one.id)
    for number, one in enumerate(opened.task.rejected, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = texts[one.side][one.start : one.end]
            show(tag("s", words, class_="mt-span"), f" · {one.origin} had marked this as {one.suggested}")
            label = f"Mark rejected error {number} again"
            _button(opened, label, "undo", f"again-{one.id}", _grade, one.id, one.suggested)


def _described(one: Mark, words: str) -> list[Markup | str]:
    """An error in words."""
    category = f" · {one.category}" if one.category else ""
    severity = tag("span", one.severity, class_=f"mt-severity mt-severity-{one.severity}")
    remark = f" · {one.comment}" if one.comment else ""
    by = f" · found by {one.origin}" if one.origin else ""
    by += f" as {one.suggested}" if one.origin and one.suggested != one.severity else ""
    missing = " missing" if one.side == "source" else ""
    return [tag("span", words, class_="mt-span"), f"{missing}{category} · ", severity, f"{by}{remark}"]


def _button(opened: OpenTask, label: str, icon: str, key: str, call: Callable[..., None], *arguments: object) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="tertiary",
        on_click=call,
        args=(opened, *arguments),
        disabled=opened.is_frozen,
        key=key,
    )


def _grade(opened: OpenTask, mark: int, severity: str) -> None:
    opened.keep(lambda: opened.store.grade(opened.task.id, mark, severity))


def _unmark(opened: OpenTask, mark: int) -> None:
    opened.keep(lambda: opened.store.unmark(opened.task.id, mark))
