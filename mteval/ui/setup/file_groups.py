"""Many outputs changed in one step: runs of one system that were taken for systems, or the other way round."""

from collections.abc import Mapping, Sequence

import streamlit as st

from mteval.counts import counted
from mteval.readers.file_groups import Group, outputs_named, regrouped, shared_name
from mteval.readers.problems import named
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.markup import show, tag
from mteval.ui.setup.file_paths import path_ends
from mteval.ui.setup.words import said
from mteval.ui.setup.workspace import generation, take, workspace

GROUPS: Mapping[Group, str] = {
    "runs": "runs of one system, numbered",
    "samples": "samples of one trained model",
    "systems": "systems of one run each",
    "nothing": "left out",
}
OF_ONE: tuple[Group, ...] = ("runs", "samples")  # system


def many_at_once() -> None:
    """A part of the paths of several outputs, and what all that have it are."""
    with st.expander("Change many outputs in one step", icon=":material/checklist:"):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        pattern = columns[0].text_input(
            "Outputs with this in their path",
            key=f"group-path-{generation()}",
            placeholder="set1.out.*",
            help="A part of the path. A star stands for anything.",
            **SURVIVES,
        )
        names = {key: said(name) for key, name in GROUPS.items()}
        group: Group = choose(
            "are",
            list(GROUPS),
            "group-kind",
            in_address=False,
            where=columns[1],
            format_func=names.__getitem__,
        )
        rows = outputs_named(workspace().slots, pattern) if pattern.strip() else ()
        system = columns[2].text_input(
            "System",
            key=f"group-system-{generation()}",
            placeholder=shared_name(workspace().slots, rows),
            disabled=group not in OF_ONE,
            **SURVIVES,
        )
        if pattern.strip():
            show(tag("p", _outcome(rows, group, system), class_="mt-quiet"))
        st.button(
            "Change them", key="group-change", disabled=not rows, on_click=_change, args=(rows, group, system.strip())
        )


def _change(rows: Sequence[int], group: Group, system: str) -> None:
    slots = workspace().slots
    take(workspace().edit(regrouped(slots, rows, group, system or shared_name(slots, rows))))


def _outcome(rows: Sequence[int], group: Group, system: str) -> str:
    """``4 outputs, set1.out.0, … become set1 with runs 0, 1, 2 and 3.``"""
    slots = workspace().slots
    paths = path_ends(slots[row].file for row in rows)
    if not rows:
        return "No output has this in its path."
    found = f"{counted(len(rows), 'output')}: {named(paths)}."
    if group not in OF_ONE:
        return found
    edits = regrouped(slots, rows, group, system.strip() or shared_name(slots, rows))
    runs = dict.fromkeys(str(edits[row]["run"]) for row in rows)
    return f"{found} {said('Runs')} of {edits[rows[0]]['system']}: {named(runs)}."
