"""The parts of the load page: drop zones, what each file is, what is asked about them, problems, checks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.metrics.neural.seen_languages import learned
from mteval.readers.assembly.experiment import DOUBTFUL, is_asked_about
from mteval.readers.checks import check, suggest_convention
from mteval.readers.disk import Group, outputs_named, regrouped, shared_name
from mteval.readers.documents import DEFAULT_RUN, FILE_NAME, FILE_ROLES, InputFile, Problem, Slot, named
from mteval.readers.names import name_of_file, shared_length
from mteval.render.html import escape, join, tag
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose
from mteval.ui.parts.tables import as_label, show
from mteval.ui.session import evaluation
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import small_enough
from mteval.ui.setup.address import take_described
from mteval.ui.setup.entry import entry_here
from mteval.ui.setup.settings_form import CONVENTION_NAMES
from mteval.ui.setup.workspace import (
    edit,
    generation,
    put,
    reading,
    run_word,
    sample,
    start_over,
    start_table,
    table_start,
    take,
    workspace,
)
from mteval.values.model import Experiment
from mteval.values.settings import Convention, Settings

LONGEST_PATH = 44  # characters


def path_ends(files: Iterable[str]) -> list[str]:
    """Paths without the folders that all of them share; long ones from their end."""
    paths = [file.split("/") for file in files]
    shared = shared_length([path[:-1] for path in paths])
    short = ["/".join(path[shared:]) for path in paths]
    ends = [_end(path, 0) for path in short]
    return [_end(path, _n_alike(end, ends, short)) for path, end in zip(short, ends, strict=True)]


def _n_alike(end: str, ends: Sequence[str], paths: Sequence[str]) -> int:
    """With how many characters all paths end that are shown by the same end; 0 where there is one such path."""
    alike = [path[::-1] for path, other in zip(paths, ends, strict=True) if other == end]
    return shared_length(alike) if len(set(alike)) > 1 else 0


def _end(path: str, n_alike: int) -> str:
    """The end of a path; where others end in the same way, what stands before that, and less of the end."""
    if len(path) <= LONGEST_PATH:
        return path
    if not n_alike:
        return "…" + path[1 - LONGEST_PATH :]
    half = LONGEST_PATH // 2 - 1
    return f"…{path[:-n_alike][-half:]}…{path[-half:]}"


GROUPS: Mapping[Group, str] = {
    "runs": "{runs} of one system, numbered",
    "samples": "samples of one trained model",
    "systems": "systems of one {run} each",
    "nothing": "left out",
}
OF_ONE: tuple[Group, ...] = ("runs", "samples")  # system


def many_at_once() -> None:
    """A part of the paths of several outputs, and what all that have it are, changed in one step.

    Runs of one system may have been taken for systems, or the other way round.
    """
    with st.expander("Change many outputs in one step", icon=":material/checklist:"):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        pattern = columns[0].text_input(
            "Outputs with this in their path",
            key=f"group-path-{generation()}",
            placeholder="set1.out.*",
            help="A part of the path. A star stands for anything.",
            **SURVIVES,
        )
        names = {key: run_word().filled(name) for key, name in GROUPS.items()}
        group: Group = choose(
            "are", list(GROUPS), "group-kind", in_address=False, where=columns[1], format_func=names.__getitem__
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
    return f"{found} {run_word().filled('{Runs}')} of {edits[rows[0]]['system']}: {named(runs)}."


NAME_COLUMNS = {"file": "File", "stream": "Part"}
FILE_WIDTH = 270  # pixels, so that at 1280 the last column is seen, too
MANY_PROBLEMS = 12
MOST_PROBLEMS = 200  # that are written out; an archive may hold thousands of bad files


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
            files = [InputFile(upload.name, upload.getvalue()) for upload in uploads]
            take(small_enough(lambda: workspace().add(files, read=reading().unpack), files) or workspace())
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
        gone = "All files, what was typed into the table and all numbers will be gone."
        kept = "The page starts afresh; this experiment stays among the recent ones."
        messages.say("warning", gone if entry_here() is None else kept)
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
    frame["file"] = path_ends(frame["file"])
    st.data_editor(
        frame,
        key=key,
        on_change=lambda: edit(st.session_state[key]["edited_rows"]),
        hide_index=True,
        height=min(38 + 35 * max(len(frame), 1), 420),
        disabled=list(NAME_COLUMNS),
        column_config=_columns(),
    )


def _columns() -> dict[str, Any]:
    """How each column is called and filled in."""
    return {
        "included": st.column_config.CheckboxColumn("Use", width="small", help="Take the file out to leave it out."),
        "file": st.column_config.TextColumn("File", width=FILE_WIDTH),
        "stream": st.column_config.TextColumn("Part", help="Column or system within the file."),
        "role": st.column_config.SelectboxColumn("Role", options=list(FILE_ROLES), required=True, width="small"),
        "system": st.column_config.TextColumn(
            "System", width="medium", help="Files of one system have the same name here."
        ),
        "run": st.column_config.TextColumn(
            run_word().filled("{Run}"),
            width="small",
            help=run_word().filled(
                "One training of the system. The same {run} has the same name on every test set. The parse of a"
                " reference has the number of the reference here, and no system."
            ),
        ),
        "name": st.column_config.TextColumn(
            "Name", help="Of the metric whose scores these are, or of the labels. Files of one metric share it."
        ),
        "test_set": st.column_config.TextColumn(
            "Test set", required=True, help="A set called dev, or a name with dev in it, is the tuning set."
        ),
    }


def _frame(slots: Sequence[Slot]) -> pd.DataFrame:
    columns = ["included", "file", "stream", "role", "system", "run", "test_set", "name"]
    frame = pd.DataFrame([[getattr(slot, name) for name in columns] for slot in slots], columns=columns)
    frame = frame.fillna({"system": "", "run": "", "name": ""})
    empty = {"stream": not any(slot.stream for slot in slots), "name": not workspace().has_names}
    return frame.drop(columns=[name for name, is_empty in empty.items() if is_empty])


def doubtful_references() -> None:
    """What may be a reference that people wrote, or not: three answers, none of them made in advance."""
    for row, slot in enumerate(workspace().slots):
        if is_asked_about(slot):
            messages.say("warning", DOUBTFUL, slot.file)
            with st.container(horizontal=True):
                system = name_of_file(slot.file)
                output = {"included": True, "role": "hypothesis", "system": system, "run": DEFAULT_RUN}
                for answer, words, edits in (
                    ("is-reference", "A reference", {"included": True}),
                    ("is-output", "A system's output", output),
                    ("is-nothing", "Leave it out", {"role": "other"}),
                ):
                    key = f"{answer}-{generation()}-{row}"
                    st.button(words, key=key, on_click=_answer, args=(row, edits))


def _answer(row: int, edits: dict[str, object]) -> None:
    take(workspace().edit({row: edits}))


def problems(remarks: Iterable[Problem]) -> None:
    """What could not be loaded as it is, by file; what is asked about stands elsewhere."""
    shown = [problem for problem in remarks if problem.message != DOUBTFUL]
    for problem in shown[:MANY_PROBLEMS]:
        where = f"{problem.file}, line {problem.line}" if problem.line is not None else problem.file
        messages.say(problem.severity, problem.message, where)
    if len(shown) > MANY_PROBLEMS:
        with st.expander(f"{len(shown) - MANY_PROBLEMS} more"):
            for problem in shown[MANY_PROBLEMS:MOST_PROBLEMS]:
                messages.say(problem.severity, problem.text)


def data_check(experiment: Experiment, convention: Convention, settings: Settings | None) -> None:
    """What deserves a look before any statistics, and the convention that fits the text."""
    by_models = learned(settings.metrics if settings else ())
    findings = made_once(check, experiment, convention, by_models)
    suggestion = made_once(suggest_convention, experiment)
    fits = settings is None or suggestion.convention == settings.convention or not experiment.has_texts
    offered = None if fits else suggestion
    if offered is not None and not any(finding.remedy == offered.convention for finding in findings):
        messages.say("warning", f"{offered.reason} The convention {CONVENTION_NAMES[offered.convention]} fits better.")
        _offer(offered.convention)
    groups: dict[tuple[messages.Severity, str, Convention | None], list[str]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.title, finding.remedy), []).append(finding.detail)
    for (severity, title, remedy), details in groups.items():
        several = tag("ul", *(tag("li", detail) for detail in details), class_="mt-list")
        text = escape(details[0]) if len(details) == 1 else several
        show(messages.message(severity, join((tag("b", f"{title}."), text), " ")))
        if offered is not None and remedy == offered.convention:
            _offer(remedy)
    if not findings and offered is None:
        messages.say("good", "Nothing in the files looks odd.")


def _offer(convention: Convention) -> None:
    st.button(
        f"Use the {CONVENTION_NAMES[convention]} convention",
        icon=":material/check:",
        key="accept-convention",
        on_click=st.session_state.update,
        args=({"convention": convention},),
    )


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
        key, chosen = f"direction-{generation()}-{name}", workspace().edits.directions.get(name)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.segmented_control(
                f"Direction {number + 1}", list(DIRECTIONS), default=chosen, format_func=DIRECTIONS.__getitem__,
                key=key, label_visibility="collapsed", width="content", on_change=_take_direction, args=(name, key),
                **SURVIVES,
            )  # fmt: skip
            show(tag("b", name), tag("span", " – not used yet", class_="mt-quiet") if chosen is None else "")


def _take_direction(name: str, key: str) -> None:
    put(workspace().direct(name, st.session_state[key]))


REFUSED = "languages-refused"


def languages(experiment: Experiment) -> None:
    """A field for each test set: from which language into which it is translated."""
    with st.container(horizontal=True):
        for name in [test_set.name for test_set in experiment.test_sets]:
            key = f"languages-{generation()}-{name}"
            with st.container(width=220):
                st.text_input(
                    f"Languages of {as_label(name)}", workspace().edits.languages.get(name, ""), key=key,
                    help="Codes of the two languages, the source's first. They are said in the methods, and it is said"
                    " where the models of learned metrics have not seen one. Left empty, the name of the test set may"
                    " say them.",
                    placeholder="en-de", max_chars=20, on_change=_take_languages, args=(name, key), **SURVIVES,
                )  # fmt: skip
                if key in st.session_state.get(REFUSED, {}):
                    messages.say("error", st.session_state[REFUSED][key])


def _take_languages(test_set: str, key: str) -> None:
    refused = {other: words for other, words in st.session_state.get(REFUSED, {}).items() if other != key}
    try:
        put(workspace().declare(test_set, st.session_state[key]))
    except SettingsError as error:
        refused[key] = str(error)
    st.session_state[REFUSED] = refused
