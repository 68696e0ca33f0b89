"""Parts of the load page: drop zones, files, questions about them, problems, checks."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mteval.answers.experiments import CONVENTION_NAMES, composition, files_in_words
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.metrics.neural import learned
from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.experiment import DOUBTFUL, is_asked_about
from mteval.readers.assembly.test_sets import TRAINING
from mteval.readers.checks import check
from mteval.readers.disk import Group, outputs_named, regrouped, shared_name
from mteval.readers.documents import FILE_NAME, FILE_ROLES, InputFile, Problem, Slot, named
from mteval.readers.names import DEFAULT_RUN, name_of_file, shared_length
from mteval.readers.workspace import Workspace
from mteval.render.html import Markup, escape, join, tag
from mteval.ui.elements import SURVIVES, Severity, as_label, choose, editor, message, quiet, say, show, show_section
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import taken
from mteval.ui.setup import reading
from mteval.ui.setup import workspace as session
from mteval.ui.setup.settings_form import CONVENTION_CHOSEN
from mteval.values.model import Experiment
from mteval.values.run_words import OF_TRAININGS, RUN
from mteval.values.settings import Convention, Settings

LONGEST_PATH = 44  # characters


def path_ends(files: Iterable[str]) -> list[str]:
    """Return paths without their shared folders, shortened from the left."""
    paths = [file.split("/") for file in files]
    shared = shared_length([path[:-1] for path in paths])
    short = ["/".join(path[shared:]) for path in paths]
    alike: dict[str, set[str]] = {}  # by their end, read backwards
    for path in short:
        alike.setdefault(_end(path, 0), set()).add(path[::-1])
    n_alike = {end: shared_length(list(same)) if len(same) > 1 else 0 for end, same in alike.items()}
    return [_end(path, n_alike[_end(path, 0)]) for path in short]


def _end(path: str, n_alike: int) -> str:
    """Return the end of a path, or start and end if others end alike."""
    if len(path) <= LONGEST_PATH:
        return path
    if not n_alike:
        return "…" + path[1 - LONGEST_PATH :]
    half = LONGEST_PATH // 2 - 1
    return f"…{path[:-n_alike][-half:]}…{path[-half:]}"


GROUPS: Mapping[Group, str] = {
    "runs": "{runs} of one system", "samples": "samples from one model", "systems": "systems with one {run} each",
    "nothing": "ignored",
}  # fmt: skip
OF_ONE: tuple[Group, ...] = ("runs", "samples")  # system


def _many_at_once() -> None:
    """Change the role of several outputs at once, chosen by part of their path.

    Runs of one system may have been taken for systems, or the other way round.
    """
    slots = session.workspace().slots
    with st.expander("Edit many outputs", icon=":material/checklist:"):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        pattern = columns[0].text_input(
            "Outputs whose path contains", key=f"group-path-{session.generation()}", placeholder="set1.out.*",
            help="Use * for any characters.", **SURVIVES,
        )  # fmt: skip
        names: dict[Group, str] = {key: session.run_word().filled(name) for key, name in GROUPS.items()}
        group = choose("Treat as", names, "group-kind", in_address=False, where=columns[1])
        rows = outputs_named(slots, pattern) if pattern.strip() else ()
        shared = shared_name(slots, rows)
        key, is_disabled = f"group-system-{session.generation()}", group not in OF_ONE
        system = columns[2].text_input("System", key=key, placeholder=shared, disabled=is_disabled, **SURVIVES)
        edits = regrouped(slots, rows, group, system.strip() or shared)
        if pattern.strip():
            quiet(_outcome(rows, edits, group))
        st.button("Change outputs", key="group-change", disabled=not rows, on_click=_change, args=(edits,))


def _change(edits: Mapping[int, Mapping[str, object]]) -> None:
    """In a callback: edit some files."""
    session.take(session.workspace().edit(edits))


def _outcome(rows: Sequence[int], edits: Mapping[int, Mapping[str, object]], group: Group) -> str:
    """``4 outputs, set1.out.0, … become set1 with runs 0, 1, 2 and 3.``"""
    if not rows:
        return "No output path matches."
    found = f"{counted(len(rows), 'output')}: {named(path_ends(session.workspace().slots[row].file for row in rows))}."
    if group not in OF_ONE:
        return found
    runs = dict.fromkeys(str(edits[row]["run"]) for row in rows)
    return f"{found} {session.run_word().filled('{Runs}')} of {edits[rows[0]]['system']}: {named(runs)}."


SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")
MANY_PROBLEMS = 12


TakeSome = Callable[[list[InputFile]], list[InputFile]]


def drop_zones(take_some: TakeSome) -> None:
    """Show the drop zones for files and folders; while dropped files are read, how far that is.

    Parameters
    ----------
    take_some
        Called first with the dropped files; returns those that it leaves.
    """
    if reading.is_under_way():
        reading.show()
        return
    kinds: tuple[tuple[str, str, Any], ...] = (("files", "Drop files", True), ("folder", "Or a folder", "directory"))
    for column, (kind, label, many) in zip(st.columns(2), kinds, strict=True):
        key = f"{kind}-{session.generation()}"
        column.file_uploader(label, accept_multiple_files=many, key=key, on_change=_take, args=(key, take_some))


def _take(key: str, take_some: TakeSome) -> None:
    """In a callback: read dropped files. Those that take long are added by a later run."""
    files = taken(key)
    if not files:
        return
    with st.spinner("Reading files…"):
        reading.begin(take_some(files))
    reading.take_what_came()


def _take_sample() -> None:
    with st.spinner("Reading the sample…"):
        session.take(session.sample(), has_come=True)


def sample_button() -> None:
    """Show the button that loads the sample."""
    st.button("Try the sample experiment", icon=":material/science:", on_click=_take_sample, key="sample")


def loaded_files(experiment: Experiment | None) -> None:
    """Show what was loaded, folded if nothing is open about it: each file's role, to edit in place, and the runs."""
    loaded, is_clear = session.workspace(), experiment is not None and session.is_unambiguous(experiment)
    label = f"{files_in_words(loaded.slots)}{' ✓' if is_clear else ''}"
    with st.expander(label, expanded=not is_clear, icon=":material/folder_open:"):
        _assignment_table()
        _many_at_once()
        if is_clear:
            directions(loaded.score_names)
        if experiment is not None:
            show_section(composition(experiment, session.run_word()), has_title=False)
    doubtful_references()
    problems((*loaded.rejected, *loaded.assembly.problems))
    realignment()
    if not is_clear:
        directions(loaded.score_names)


ONE_RUN = (
    "One training of the system, named alike on every test set. For the parse of a reference, give the reference's"
    " number and no system."
)
ONE_NAME = "The metric or label in this file. Files of one metric share a name."
ONE_TEST_SET = "A name containing “dev” marks the tuning set."


def _assignment_table() -> None:
    """Show the files in a table that can be edited."""
    if session.workspace().edits.is_described:
        quiet(f"Roles, settings and baseline come from {FILE_NAME}. You can change them.")
    key = f"slots-{session.generation()}"
    if key not in st.session_state:  # a new table: edits count from its first state
        session.start_table()
    frame = _frame(session.table_start())
    frame["file"] = path_ends(frame["file"])
    columns = {
        "included": st.column_config.CheckboxColumn("Use", width="small", help="Clear to ignore this file."),
        "file": st.column_config.TextColumn("File", width=270),  # pixels, so that the last column is visible at 1280
        "stream": st.column_config.TextColumn("Part", help="Column or system within the file."),
        "role": st.column_config.SelectboxColumn("Role", options=list(FILE_ROLES), required=True, width="small"),
        "system": st.column_config.TextColumn("System", width="medium", help="Use one name for all files of a system."),
        "run": st.column_config.TextColumn(
            session.run_word().filled("{Run}"), width="small", help=session.run_word().filled(ONE_RUN)
        ),
        "name": st.column_config.TextColumn("Name", help=ONE_NAME),
        "test_set": st.column_config.TextColumn("Test set", required=True, help=ONE_TEST_SET),
    }
    editor(
        frame, key, on_change=lambda: session.edit(st.session_state[key]["edited_rows"]), hide_index=True,
        height=min(38 + 35 * max(len(frame), 1), 420), disabled=("file", "stream"), column_config=columns,
    )  # fmt: skip


def _frame(slots: Sequence[Slot]) -> pd.DataFrame:
    columns = ["included", "file", "stream", "role", "system", "run", "test_set", "name"]
    frame = pd.DataFrame([[getattr(slot, name) for name in columns] for slot in slots], columns=columns)
    frame = frame.fillna({"system": "", "run": "", "name": ""})
    empty = {"stream": not any(slot.stream for slot in slots), "name": not session.workspace().has_names}
    return frame.drop(columns=[name for name, is_empty in empty.items() if is_empty])


def doubtful_references() -> None:
    """Ask whether files are references; no answer is chosen in advance."""
    for row, slot in enumerate(session.workspace().slots):
        if is_asked_about(slot):
            say("warning", DOUBTFUL, slot.file)
            output = {"included": True, "role": "hypothesis", "system": name_of_file(slot.file), "run": DEFAULT_RUN}
            answers = {
                "is-reference": ("Reference", {"included": True}), "is-output": ("System output", output),
                "is-nothing": ("Ignore", {"role": "other"}),
            }  # fmt: skip
            with st.container(horizontal=True):
                for answer, (words, edits) in answers.items():
                    key = f"{answer}-{session.generation()}-{row}"
                    st.button(words, key=key, on_click=_change, args=({row: edits},))


def problems(found: Iterable[Problem]) -> None:
    """Show problems by file, what several files share once; questions are shown elsewhere."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in found:
        if problem.message != DOUBTFUL:
            alike.setdefault((problem.severity, problem.message), []).append(problem)
    shown = [
        replace(some[0], file=named(path_ends(one.file or "" for one in some)), line=None) if len(some) > 1 else some[0]
        for some in alike.values()
    ]
    for problem in shown[:MANY_PROBLEMS]:
        where = f"{problem.file}, line {problem.line}" if problem.line is not None else problem.file
        say(problem.severity, problem.message, where)
    if len(shown) > MANY_PROBLEMS:
        with st.expander(f"{len(shown) - MANY_PROBLEMS} more"):
            for problem in shown[MANY_PROBLEMS:200]:  # shown; an archive may hold thousands of bad files
                say(problem.severity, problem.text)


def data_check(experiment: Experiment, convention: Convention, settings: Settings | None) -> None:
    """Show problems of the data, and the convention that fits the text."""
    models = learned(settings.metrics if settings else ())
    findings = made_once(check, experiment, convention, models, session.run_word())
    suggestion = made_once(suggest_convention, experiment)
    fits = settings is None or suggestion.convention == settings.convention or not experiment.has_texts
    offered = None if fits else suggestion.convention
    if offered is not None and not any(finding.remedy == offered for finding in findings):
        say("warning", f"{suggestion.reason} Consider the {CONVENTION_NAMES[offered]} convention.")
        _offer(offered)
    groups: dict[tuple[Severity, str, Convention | None], list[str]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.title, finding.remedy), []).append(finding.detail)
    for (severity, title, remedy), details in groups.items():
        show(message(severity, join((tag("b", f"{title}."), *_listed_once(details)), " ")))
        if remedy is not None and remedy == offered:
            _offer(remedy)
    if not findings and offered is None:
        say("good", "No problems found.")


def _listed_once(details: Sequence[str]) -> list[Markup]:
    """Return one text, or several as a list, and below it the sentences with which all of them end."""
    if len(details) == 1:
        return [escape(details[0])]
    sentences = [SENTENCES.split(detail) for detail in details]
    n_shared = shared_length([one[:0:-1] for one in sentences])
    items = [tag("li", " ".join(one[: len(one) - n_shared])) for one in sentences]
    return [tag("ul", *items, class_="mt-list"), escape(" ".join(sentences[0][len(sentences[0]) - n_shared :]))]


def _offer(convention: Convention) -> None:
    st.button(
        f"Use {CONVENTION_NAMES[convention]} convention", icon=":material/check:", key="accept-convention",
        on_click=st.session_state.update, args=({"convention": convention, CONVENTION_CHOSEN: True},),
    )  # fmt: skip


DIRECTIONS = {True: "Higher is better", False: "Lower is better"}


def directions(names: Sequence[str]) -> None:
    """Ask for the direction of each imported metric; none is chosen in advance."""
    if not names:
        return
    st.markdown("**Imported scores**")
    quiet(
        "Higher is better for COMET, BLEURT, ratings and WMT's .seg.score files. Lower is better for error rates,"
        " penalties and MetricX's own output."
    )
    for number, name in enumerate(names, start=1):
        key, chosen = f"direction-{session.generation()}-{name}", session.workspace().edits.directions.get(name)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.segmented_control(
                f"Direction {number}", list(DIRECTIONS), default=chosen, format_func=DIRECTIONS.__getitem__,
                key=key, label_visibility="collapsed", width="content", on_change=_take_direction, args=(name, key),
                **SURVIVES,
            )  # fmt: skip
            show(tag("b", name), tag("span", " – choose a direction", class_="mt-quiet") if chosen is None else "")


def _take_direction(name: str, key: str) -> None:
    session.put(session.workspace().direct(name, st.session_state[key]))


REFUSED = "files-refused"  # messages by the field that holds an invalid text


def languages(experiment: Experiment) -> None:
    """Show a field per test set for source and target language."""
    with st.container(horizontal=True):
        for name in [test_set.name for test_set in experiment.test_sets]:
            key = f"languages-{session.generation()}-{name}"
            with st.container(width=220):
                _field(
                    key, f"Languages of {as_label(name)}", session.workspace().edits.languages.get(name, ""),
                    help="Source and target. Used in the methods paragraph, and to warn if a learned metric was not"
                    " trained on them. If empty, they are guessed from the test set's name.",
                    placeholder="en-de", max_chars=20, on_change=_take_languages, args=(key, name),
                )  # fmt: skip


def _field(key: str, label: str, value: str, **how: Any) -> None:
    """Show a field, and below it why its text is refused."""
    st.text_input(label, value, key=key, **how, **SURVIVES)
    if key in st.session_state.get(REFUSED, {}):
        say("error", st.session_state[REFUSED][key])


def _take_languages(key: str, test_set: str) -> None:
    _put_unless_refused(key, partial(session.workspace().declare, test_set))


def _put_unless_refused(key: str, change: Callable[[str], Workspace]) -> bool:
    """Apply the text of a field; if it is invalid, keep the message for the field."""
    refused = {other: words for other, words in st.session_state.get(REFUSED, {}).items() if other != key}
    try:
        session.put(change(st.session_state[key]))
    except SettingsError as error:
        refused[key] = str(error)
    st.session_state[REFUSED] = refused
    return key not in refused


def realignment() -> None:
    """Offer to realign outputs with other lines than the references."""
    if session.workspace().can_realign:
        text = "Split outputs of whole documents into the lines of the references (mweralign)."
        st.button("Realign outputs", key="realign", help=text, icon=":material/format_align_left:", on_click=_realign)


def _realign() -> None:
    try:
        session.take(session.workspace().realigned())
    except MtevalError as error:
        session.remark(Problem(str(error)))


def trainings(experiment: Experiment) -> None:
    """Show a field for the pattern of runs that share a training."""
    if all(len(system.runs) < 2 for system in experiment.systems) and not experiment.nested:
        return
    key = f"trainings-{session.generation()}"
    with st.container(width=300):
        _field(
            key, "Outputs of one training", session.workspace().edits.nested, placeholder=f"seed{TRAINING}-*",
            help=f"Pattern of their names or files: {TRAINING} stands for letters and digits, * for anything."
            " Checkpoints, decodings or fine-tunings of one training are averaged, and trainings count.",
            max_chars=100, on_change=_take_trainings, args=(key,),
        )  # fmt: skip


def _take_trainings(key: str) -> None:
    if _put_unless_refused(key, session.workspace().nest):
        word, is_nested = st.session_state.get(session.RUN_WORD, RUN.noun), bool(session.workspace().edits.nested)
        if word == (RUN.noun if is_nested else OF_TRAININGS):
            st.session_state[session.RUN_WORD] = OF_TRAININGS if is_nested else RUN.noun
