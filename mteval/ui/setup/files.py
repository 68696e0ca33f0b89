"""Parts of the load page: drop zones, files, questions about them, problems, checks."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mteval.answers.experiments import CONVENTION_NAMES, composition, files_in_words
from mteval.answers.ledger import ledger_section, summary
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.metrics.neural import learned
from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.experiment import DOUBTFUL, is_asked_about
from mteval.readers.assembly.test_sets import HAS_NO_REFERENCE, TRAINING
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
from mteval.values.findings import TITLES, Finding
from mteval.values.ledger import Ledger
from mteval.values.model import Experiment
from mteval.values.run_words import RUN, TRAINING_NOUN
from mteval.values.settings import Convention, Settings

TakeSome = Callable[[list[InputFile]], list[InputFile]]

LONGEST_PATH = 44  # characters
MANY_PROBLEMS = 12  # the others are folded
MOST_PROBLEMS = 200  # that are shown; an archive may hold thousands of bad files
REFUSED = "files-refused"  # key of the session: messages by the field that holds an invalid text
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")

GROUPS: Mapping[Group, str] = {
    "runs": "{runs} of one system",
    "samples": "samples from one model",
    "systems": "systems with one {run} each",
    "nothing": "ignored",
}
OF_ONE: tuple[Group, ...] = ("runs", "samples")  # system
DIRECTIONS = {True: "Higher is better", False: "Lower is better"}

NO_REFERENCE = "No file is recognised as the reference. Drop it above, e.g. as reference.txt."
OR_CHOOSE = "Or choose one of these files."
MOST_CANDIDATES = 4  # outputs that may be the reference; more are changed in the table

ONE_RUN = (
    "One training of the system. Use the same name on every test set. For the parse of a reference, give the"
    " reference's number and no system."
)
ONE_NAME = "The metric or label in this file. Files of one metric share a name."
ONE_TEST_SET = "A name containing “dev” marks the tuning set."


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
    left, right = st.columns(2)
    files_key = f"files-{session.generation()}"
    left.file_uploader(
        "Drop files", accept_multiple_files=True, key=files_key, on_change=_take, args=(files_key, take_some)
    )
    folder_key = f"folder-{session.generation()}"
    right.file_uploader(
        "Or a folder", accept_multiple_files="directory", key=folder_key, on_change=_take, args=(folder_key, take_some)
    )


def _take(key: str, take_some: TakeSome) -> None:
    """In a callback: read dropped files. Those that take long are added by a later run."""
    files = taken(key)
    if not files:
        return
    with st.spinner("Reading files…"):
        reading.begin(take_some(files))
    reading.take_what_came()


def sample_button() -> None:
    """Show the button that loads the sample."""
    st.button("Try the sample experiment", icon=":material/science:", on_click=_take_sample, key="sample")


def _take_sample() -> None:
    with st.spinner("Reading the sample…"):
        session.take(session.sample(), has_come=True)


def loaded_files(experiment: Experiment | None) -> None:
    """Show what was loaded, folded if nothing is open about it: each file's role, to edit in place, and the runs."""
    loaded = session.workspace()
    is_clear = experiment is not None and session.is_unambiguous(experiment)
    label = files_in_words(loaded.slots)
    if is_clear:
        label += " ✓"
    with st.expander(label, expanded=not is_clear, icon=":material/folder_open:"):
        _assignment_table()
        _edit_many_outputs()
        if is_clear:
            directions(loaded.score_names)
        if experiment is not None:
            show_section(composition(experiment, session.run_word()), has_title=False)
    doubtful_references()
    all_problems = (*loaded.rejected, *loaded.assembly.problems)
    if experiment is not None and session.is_reference_open(experiment):
        ask_for_reference(experiment)
        # The question has the same cause
        all_problems = tuple(problem for problem in all_problems if HAS_NO_REFERENCE not in problem.message)
    problems(all_problems)
    unread_files(all_problems)
    realignment()
    if not is_clear:
        directions(loaded.score_names)


def _assignment_table() -> None:
    """Show the files in a table that can be edited."""
    if session.workspace().edits.is_described:
        quiet(f"Roles, settings and baseline come from {FILE_NAME}. You can change them.")
    key = f"slots-{session.generation()}"
    if key not in st.session_state:  # a new table: edits count from its first state
        session.start_table()
    frame = _frame_of_slots(session.table_start())
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

    def take_edits() -> None:
        session.edit(st.session_state[key]["edited_rows"])

    editor(
        frame,
        key,
        on_change=take_edits,
        hide_index=True,
        height=min(38 + 35 * max(len(frame), 1), 420),  # pixels: the head, one row per file
        disabled=("file", "stream"),
        column_config=columns,
    )


def _frame_of_slots(slots: Sequence[Slot]) -> pd.DataFrame:
    """Return one row per slot, without columns that are empty."""
    columns = ["included", "file", "stream", "role", "system", "run", "test_set", "name"]
    rows = [[getattr(slot, column) for column in columns] for slot in slots]
    frame = pd.DataFrame(rows, columns=columns).fillna({"system": "", "run": "", "name": ""})
    if not any(slot.stream for slot in slots):
        frame = frame.drop(columns="stream")
    if not session.workspace().has_names:
        frame = frame.drop(columns="name")
    return frame


def _edit_many_outputs() -> None:
    """Change the role of several outputs at once, chosen by part of their path.

    Runs of one system may have been taken for systems, or the other way round.
    """
    slots = session.workspace().slots
    with st.expander("Edit many outputs", icon=":material/checklist:"):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        pattern = columns[0].text_input(
            "Outputs whose path contains",
            key=f"group-path-{session.generation()}",
            placeholder="set1.out.*",
            help="Use * for any characters.",
            **SURVIVES,
        )
        names: dict[Group, str] = {group: session.run_word().filled(name) for group, name in GROUPS.items()}
        group = choose("Treat as", names, "group-kind", in_address=False, where=columns[1])
        has_pattern = bool(pattern.strip())
        rows: Sequence[int] = ()
        if has_pattern:
            rows = outputs_named(slots, pattern)
        shared = shared_name(slots, rows)
        system = columns[2].text_input(
            "System",
            key=f"group-system-{session.generation()}",
            placeholder=shared,
            disabled=group not in OF_ONE,
            **SURVIVES,
        )
        edits = regrouped(slots, rows, group, system.strip() or shared)
        if has_pattern:
            quiet(_outcome_sentence(rows, edits, group))
        st.button("Change outputs", key="group-change", disabled=not rows, on_click=_change, args=(edits,))


def _change(edits: Mapping[int, Mapping[str, object]]) -> None:
    """In a callback: edit some files."""
    session.take(session.workspace().edit(edits))


def _outcome_sentence(rows: Sequence[int], edits: Mapping[int, Mapping[str, object]], group: Group) -> str:
    """Return which outputs are changed and, if they become one system, which runs it gets."""
    if not rows:
        return "No output path matches."
    slots = session.workspace().slots
    paths = path_ends(slots[row].file for row in rows)
    outputs = f"{counted(len(rows), 'output')}: {named(paths)}."
    if group not in OF_ONE:
        return outputs
    runs = dict.fromkeys(str(edits[row]["run"]) for row in rows)
    system = edits[rows[0]]["system"]
    return f"{outputs} {session.run_word().filled('{Runs}')} of {system}: {named(runs)}."


def doubtful_references() -> None:
    """Ask whether files are references; no answer is chosen in advance."""
    for row, slot in enumerate(session.workspace().slots):
        if not is_asked_about(slot):
            continue
        say("warning", DOUBTFUL, slot.file)
        as_output = {"included": True, "role": "hypothesis", "system": name_of_file(slot.file), "run": DEFAULT_RUN}
        with st.container(horizontal=True):
            _answer_button("is-reference", "Reference", row, {"included": True})
            _answer_button("is-output", "System output", row, as_output)
            _answer_button("is-nothing", "Ignore", row, {"role": "other"})


def ask_for_reference(experiment: Experiment) -> None:
    """Ask which output is the reference."""
    slots = session.workspace().slots
    single = {system.key for system in experiment.systems if len(system.runs) == 1}
    rows = [row for row, slot in enumerate(slots) if slot.included and slot.system in single]
    if len(rows) < 2:  # the only output cannot be compared with itself
        say("warning", NO_REFERENCE)
        return
    say("warning", f"{NO_REFERENCE} {OR_CHOOSE}")
    with st.container(horizontal=True):
        for row in rows[-MOST_CANDIDATES:]:
            edits = {"role": "reference", "system": None, "run": None}
            _answer_button("as-reference", f"Use {as_label(slots[row].file)} as the reference", row, edits)


def _answer_button(answer: str, label: str, row: int, edits: Mapping[str, object]) -> None:
    """Show a button that edits the file in a row."""
    st.button(label, key=f"{answer}-{session.generation()}-{row}", on_click=_change, args=({row: edits},))


def problems(all_problems: Iterable[Problem]) -> None:
    """Show problems by file, what several files share once; questions are shown elsewhere."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in all_problems:
        if problem.message != DOUBTFUL:
            alike.setdefault((problem.severity, problem.message), []).append(problem)
    shown = [_together(same_problems) for same_problems in alike.values()]
    for problem in shown[:MANY_PROBLEMS]:
        where = problem.file
        if problem.line is not None:
            where = f"{problem.file}, line {problem.line}"
        say(problem.severity, problem.message, where)
    if len(shown) > MANY_PROBLEMS:
        with st.expander(f"{len(shown) - MANY_PROBLEMS} more"):
            for problem in shown[MANY_PROBLEMS:MOST_PROBLEMS]:
                say(problem.severity, problem.text)


def unread_files(shown_problems: Iterable[Problem]) -> None:
    """Show which files are not read, without repeating the problems shown above; nothing if all are read.

    They are folded if others are read.
    """
    ledger = session.workspace().assembly.ledger
    if not ledger.unread:
        return
    messages = {problem.message for problem in shown_problems if problem.message != DOUBTFUL}
    entries = []
    for entry in ledger.entries:
        reason = entry.reason
        if any(message in reason for message in messages):
            reason = "see above"
        notes = tuple(note for note in entry.notes if note not in messages)
        entries.append(replace(entry, reason=reason, notes=notes))
    with st.expander(summary(ledger), expanded=not ledger.of("read"), icon=":material/checklist:"):
        show_section(replace(ledger_section(Ledger(tuple(entries))), lead=()), has_title=False)


def _together(alike: Sequence[Problem]) -> Problem:
    """Return one problem for all files that have it."""
    if len(alike) == 1:
        return alike[0]
    files = named(path_ends(problem.file or "" for problem in alike))
    return replace(alike[0], file=files, line=None)


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
        key = f"direction-{session.generation()}-{name}"
        higher_is_better = session.workspace().edits.directions.get(name)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.segmented_control(
                f"Direction {number}",
                list(DIRECTIONS),
                default=higher_is_better,
                format_func=DIRECTIONS.__getitem__,
                key=key,
                label_visibility="collapsed",
                width="content",
                on_change=_take_direction,
                args=(name, key),
                **SURVIVES,
            )
            request = ""
            if higher_is_better is None:
                request = tag("span", " – choose a direction", class_="mt-quiet")
            show(tag("b", name), request)


def _take_direction(name: str, key: str) -> None:
    session.put(session.workspace().direct(name, st.session_state[key]))


def data_check(experiment: Experiment, convention: Convention, settings: Settings | None) -> None:
    """Show problems of the data, and the convention that fits the text."""
    metrics = () if settings is None else settings.metrics
    suspected = [finding for finding in experiment.noticed if finding.code == "nested-names"]
    findings = (*suspected, *made_once(check, experiment, convention, learned(metrics), session.run_word()))

    suggestion = made_once(suggest_convention, experiment)
    offered = None
    if settings is not None and experiment.has_texts and suggestion.convention != settings.convention:
        offered = suggestion.convention
    # A finding may offer the same remedy; then its button is below the finding
    if offered is not None and not any(finding.remedy == offered for finding in findings):
        say("warning", f"{suggestion.reason} Consider the {CONVENTION_NAMES[offered]} convention.")
        _offer_convention(offered)

    details_of: dict[tuple[Severity, str, Convention | None, str], list[str]] = {}
    for finding in findings:
        key = (finding.severity, finding.title, finding.remedy, finding.nested)
        details_of.setdefault(key, []).append(finding.detail)
    for (severity, title, remedy, nested), details in details_of.items():
        text = join((tag("b", f"{title}."), *_listed_once(details)), " ")
        show(message(severity, text))
        if remedy is not None and remedy == offered:
            _offer_convention(remedy)
        if nested:
            _offer_trainings(nested)
        if title == TITLES["reference-columns"]:
            _offer_columns()
    if not findings and offered is None:
        loaded = session.workspace()
        has_problems = bool(loaded.rejected or loaded.assembly.problems)
        say("good", "No other problems found." if has_problems else "No problems found.")


def remedies(findings: Iterable[Finding], experiment: Experiment, settings: Settings) -> None:
    """Show a button for each remedy of these warnings: another convention, or averages within trainings."""
    warnings = [finding for finding in findings if finding.severity == "warning"]
    patterns = dict.fromkeys(finding.nested for finding in warnings if finding.nested)
    conventions = {finding.remedy for finding in warnings}
    suggested = made_once(suggest_convention, experiment).convention
    for pattern in patterns:
        _offer_trainings(pattern)
    if suggested in conventions and suggested != settings.convention:
        _offer_convention(suggested)


def _listed_once(details: Sequence[str]) -> list[Markup]:
    """Return one text, or several as a list, and below it the sentences with which all of them end."""
    if len(details) == 1:
        return [escape(details[0])]
    sentences_of_details = [SENTENCE_END.split(detail) for detail in details]
    # Counted from the last sentence; the first one of a text is never shared
    n_shared = shared_length([sentences[:0:-1] for sentences in sentences_of_details])
    items = []
    for sentences in sentences_of_details:
        own = sentences[: len(sentences) - n_shared]
        items.append(tag("li", " ".join(own)))
    first = sentences_of_details[0]
    shared = first[len(first) - n_shared :]
    return [tag("ul", *items, class_="mt-list"), escape(" ".join(shared))]


def _offer_convention(convention: Convention) -> None:
    st.button(
        f"Use {CONVENTION_NAMES[convention]} convention",
        icon=":material/check:",
        key="accept-convention",
        on_click=st.session_state.update,
        args=({"convention": convention, CONVENTION_CHOSEN: True},),
    )


def _offer_columns() -> None:
    """Offer to split files of references at their tabs."""
    for file, n_columns in session.workspace().references_in_columns.items():
        st.button(
            f"Split {as_label(file)} into {counted(n_columns, 'reference')}",
            icon=":material/view_column:",
            key=f"split-{session.generation()}-{file}",
            on_click=_split_references,
            args=(file, n_columns),
        )


def _split_references(file: str, n_columns: int) -> None:
    """In a callback: make each column of a file a reference."""
    try:
        session.take(session.workspace().split_references(file, n_columns))
    except MtevalError as error:
        session.remark(Problem(str(error)))


def _offer_trainings(pattern: str) -> None:
    st.button(
        "Average within each training",
        icon=":material/check:",
        key="accept-trainings",
        help=f"Outputs of one training: {pattern}. You can change the pattern in the settings.",
        on_click=_declare_trainings,
        args=(pattern,),
    )


def _declare_trainings(pattern: str) -> None:
    """In a callback: declare the trainings. The field shows the pattern, and the usual word for a run follows."""
    session.put(session.workspace().nest(pattern))
    st.session_state[f"trainings-{session.generation()}"] = pattern
    _use_word_for_trainings()


def languages(experiment: Experiment) -> None:
    """Show a field per test set for source and target language."""
    with st.container(horizontal=True):
        for name in [test_set.name for test_set in experiment.test_sets]:
            key = f"languages-{session.generation()}-{name}"
            with st.container(width=220):
                _field(
                    key,
                    f"Languages of {as_label(name)}",
                    session.workspace().edits.languages.get(name, ""),
                    help="Source and target. Used in the methods paragraph, and to warn if a learned metric was not"
                    " trained on them. If empty, they are guessed from the test set's name.",
                    placeholder="en-de",
                    max_chars=20,
                    on_change=_take_languages,
                    args=(key, name),
                )


def _take_languages(key: str, test_set: str) -> None:
    _put_unless_refused(key, partial(session.workspace().declare, test_set))


def trainings(experiment: Experiment) -> None:
    """Show a field for the pattern of runs that share a training."""
    if all(len(system.runs) < 2 for system in experiment.systems) and not experiment.nested:
        return
    key = f"trainings-{session.generation()}"
    with st.container(width=300):
        _field(
            key,
            "Outputs of one training",
            session.workspace().edits.nested,
            placeholder=f"seed{TRAINING}-*",
            help=f"Pattern of their names or files: {TRAINING} stands for letters and digits, * for anything."
            " Checkpoints, decodings or fine-tunings of one training are averaged, so each training counts once.",
            max_chars=100,
            on_change=_take_trainings,
            args=(key,),
        )


def _take_trainings(key: str) -> None:
    """In a callback: apply the pattern. The usual word for a run follows."""
    if _put_unless_refused(key, session.workspace().nest):
        _use_word_for_trainings()


def _use_word_for_trainings() -> None:
    """Call a run a training if outputs are averaged within trainings, unless somebody chose another word."""
    is_nested = bool(session.workspace().edits.nested)
    word = st.session_state.get(session.RUN_WORD, RUN.noun)
    if is_nested and word == RUN.noun:
        st.session_state[session.RUN_WORD] = TRAINING_NOUN
    elif not is_nested and word == TRAINING_NOUN:
        st.session_state[session.RUN_WORD] = RUN.noun


def _field(key: str, label: str, value: str, **how: Any) -> None:
    """Show a field, and below it why its text is refused."""
    st.text_input(label, value, key=key, **how, **SURVIVES)
    refused = st.session_state.get(REFUSED, {})
    if key in refused:
        say("error", refused[key])


def _put_unless_refused(key: str, change: Callable[[str], Workspace]) -> bool:
    """Apply the text of a field, and return whether it is valid; otherwise keep the message for the field."""
    refused = dict(st.session_state.get(REFUSED, {}))
    refused.pop(key, None)
    try:
        session.put(change(st.session_state[key]))
    except SettingsError as error:
        refused[key] = str(error)
    st.session_state[REFUSED] = refused
    return key not in refused


def path_ends(files: Iterable[str]) -> list[str]:
    """Return paths without their shared folders, shortened from the left."""
    paths = [file.split("/") for file in files]
    n_shared_folders = shared_length([path[:-1] for path in paths])
    short_paths = ["/".join(path[n_shared_folders:]) for path in paths]

    # Paths whose shown ends are the same, read backwards, so that what they share is at their beginning
    alike: dict[str, set[str]] = {}
    for path in short_paths:
        alike.setdefault(_end(path, 0), set()).add(path[::-1])
    n_alike = dict.fromkeys(alike, 0)
    for end, reversed_paths in alike.items():
        if len(reversed_paths) > 1:
            n_alike[end] = shared_length(list(reversed_paths))
    return [_end(path, n_alike[_end(path, 0)]) for path in short_paths]


def _end(path: str, n_alike: int) -> str:
    """Return the end of a path; if others end alike, what differs before it, too.

    Parameters
    ----------
    n_alike
        Characters at the end that all of them share.
    """
    if len(path) <= LONGEST_PATH:
        return path
    if not n_alike:
        return "…" + path[1 - LONGEST_PATH :]
    half = LONGEST_PATH // 2 - 1
    differing = path[:-n_alike]
    return f"…{differing[-half:]}…{path[-half:]}"
