"""The parts of the load page: drop zones, the assignment table, problems and the check of the data."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from mteval.model import Experiment, TestSet
from mteval.readers import FILE_ROLES, InputFile, Problem, Slot, Suggestion, check, suggest_convention
from mteval.readers.experiment_file.contents import FILE_NAME
from mteval.settings import Convention, Settings
from mteval.ui.parts import messages
from mteval.ui.parts.markup import Markup, escape, join, scrolling, show, tag
from mteval.ui.session import evaluation
from mteval.ui.session.memory import remembered
from mteval.ui.setup.described_settings import take_described
from mteval.ui.setup.settings_form import CONVENTION_NAMES
from mteval.ui.setup.workspace import (
    edit,
    generation,
    sample,
    start_over,
    start_table,
    table_start,
    take,
    workspace,
)

NAME_COLUMNS = {"file": "File", "stream": "Part"}
MANY_PROBLEMS = 12


def drop_zones() -> None:
    """Where files and folders are dropped, and the sample experiment."""
    files, folder = st.columns(2)
    key = f"files-{generation()}"
    files.file_uploader("Drop files", accept_multiple_files=True, key=key, on_change=_take, args=(key,))
    key = f"folder-{generation()}"
    folder.file_uploader("or a whole folder", accept_multiple_files="directory", key=key, on_change=_take, args=(key,))


def _take(key: str) -> None:
    """Read what was dropped; the widget starts afresh, so that its bytes are not kept beside what was read."""
    uploads = st.session_state[key]
    if uploads:
        with st.spinner("Reading the files …"):
            take(workspace().add([InputFile(upload.name, upload.getvalue()) for upload in uploads]))
        take_described()


def _take_sample() -> None:
    with st.spinner("Reading the sample …"):
        take(sample())


def sample_button() -> None:
    """The experiment that ships with the project, one click away."""
    st.button("Try it with the sample experiment", icon=":material/science:", on_click=_take_sample, key="sample")


def start_over_button() -> None:
    """Forget all files, once that was confirmed."""
    with st.popover("Start over …", icon=":material/restart_alt:", type="tertiary"):
        messages.say("warning", "All files, what was typed into the table and all numbers will be gone.")
        st.button("Forget them", on_click=_start_over, key="start-over")


def _start_over() -> None:
    evaluation.stop()
    start_over()


def assignment_table() -> None:
    """What each file is taken for, to be corrected in place."""
    if workspace().edits.is_described:
        text = f"{FILE_NAME} says what its files are, and gave the settings and the baseline; all may be changed."
        show(tag("p", text, class_="mt-quiet"))
    key = f"slots-{generation()}"
    if key not in st.session_state:  # drawn afresh: edits count from what the table starts with
        start_table()
    frame = _frame(table_start())
    st.data_editor(
        frame,
        key=key,
        on_change=_take_edits,
        args=(key,),
        hide_index=True,
        height=min(38 + 35 * max(len(frame), 1), 420),
        disabled=list(NAME_COLUMNS),
        column_config={
            "included": st.column_config.CheckboxColumn(
                "Use", width="small", help="Take the file out to leave it out."
            ),
            "file": st.column_config.TextColumn("File", width="medium" if "name" in frame else "large"),
            "stream": st.column_config.TextColumn("Part", help="Column or system within the file."),
            "role": st.column_config.SelectboxColumn("Role", options=list(FILE_ROLES), required=True, width="small"),
            "system": st.column_config.TextColumn("System", help="Files of one system have the same name here."),
            "run": st.column_config.TextColumn(
                "Run",
                help="One optimizer sample or training seed. The same run has the same name on every test set. The"
                " parse of a reference has the number of the reference here, and no system.",
            ),
            "name": st.column_config.TextColumn(
                "Name", help="Of the metric whose scores these are, or of the labels. Files of one metric share it."
            ),
            "test_set": st.column_config.TextColumn(
                "Test set", required=True, help="A set called dev, or a name with dev in it, is the tuning set."
            ),
        },
    )


def _frame(slots: Sequence[Slot]) -> pd.DataFrame:
    columns = ["included", "file", "stream", "role", "system", "run", "test_set", "name"]
    frame = pd.DataFrame([[getattr(slot, name) for name in columns] for slot in slots], columns=columns)
    frame = frame.fillna({"system": "", "run": "", "name": ""})
    empty = {"stream": not any(slot.stream for slot in slots), "name": not workspace().has_names}
    return frame.drop(columns=[name for name, is_empty in empty.items() if is_empty])


def _take_edits(key: str) -> None:
    edit(st.session_state[key]["edited_rows"])


def problems(remarks: Iterable[Problem]) -> None:
    """What could not be loaded as it is, by file."""
    shown = list(remarks)
    for problem in shown[:MANY_PROBLEMS]:
        where = f"{problem.file}, line {problem.line}" if problem.line is not None else problem.file
        messages.say(problem.severity, problem.message, where)
    if len(shown) > MANY_PROBLEMS:
        with st.expander(f"{len(shown) - MANY_PROBLEMS} more"):
            for problem in shown[MANY_PROBLEMS:]:
                messages.say(problem.severity, problem.text)


def composition(experiment: Experiment) -> None:
    """What the files make: the number of runs of each system on each test set."""
    systems = [system.key for system in experiment.systems]
    head = [tag("th", name, scope="col", class_="mt-name") for name in ("Test set", "Role")]
    head += [tag("th", name, scope="col") for name in ("Segments", "References", *systems)]
    table = tag(
        "table",
        tag("caption", "Runs of each system on each test set"),
        tag("thead", tag("tr", *head)),
        tag("tbody", *(_composition_row(test_set, systems) for test_set in experiment.test_sets)),
        class_="mt-table",
    )
    show(scrolling(table))


def _composition_row(test_set: TestSet, systems: Sequence[str]) -> Markup:
    references = sorted({len(of_segment) for of_segment in test_set.references})
    numbers = [f"{test_set.n_segments:,}", "–".join(str(number) for number in {references[0]: 0, references[-1]: 0})]
    numbers += [str(len(test_set.runs_of(system))) for system in systems]
    words = (tag("td", text, class_="mt-name") for text in (test_set.name, test_set.role))
    return tag("tr", *words, *(tag("td", number) for number in numbers))


def data_check(experiment: Experiment, convention: Convention, settings: Settings | None) -> None:
    """What deserves a look before any statistics, and the convention that fits the text."""
    key = ("check", experiment.digest, convention)
    findings, suggestion = remembered(key, lambda: (check(experiment, convention), suggest_convention(experiment)))
    if settings is not None and suggestion.convention != settings.convention:
        _offer(suggestion)
    groups: dict[tuple[messages.Severity, str], list[str]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.title), []).append(finding.detail)
    for (severity, title), details in groups.items():
        show(messages.message(severity, join((tag("b", f"{title}."), _details(details)), " ")))
    if not findings:
        messages.say("good", "Nothing in the files looks odd.")


def _details(details: Sequence[str]) -> Markup:
    if len(details) == 1:
        return escape(details[0])
    return tag("ul", *(tag("li", detail) for detail in details), class_="mt-list")


def _offer(suggestion: Suggestion) -> None:
    name = CONVENTION_NAMES[suggestion.convention]
    messages.say("warning", f"{suggestion.reason} The convention {name} fits better.")
    st.button(
        f"Use the {name} convention",
        icon=":material/check:",
        key="accept-convention",
        on_click=_accept,
        args=(suggestion.convention,),
    )


def _accept(convention: str) -> None:
    st.session_state["convention"] = convention
