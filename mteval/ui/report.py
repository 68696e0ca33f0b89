"""Parts of the report page: table, methods paragraph, files."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.judged import judged_results
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.marked_errors import noted_frame
from mteval.analysis.results import Results, overview
from mteval.analysis.scoring import Work, means_of_computation
from mteval.analysis.segments.runs import median_pair
from mteval.answers.errors import notes_section
from mteval.answers.gold import judged_extent
from mteval.answers.methods import methods_text
from mteval.answers.scores import COLUMNS
from mteval.answers.section import Section
from mteval.answers.segments import examples, segment_data
from mteval.base.errors import DataError, MissingDependencyError, MtevalError
from mteval.base.words import counted, visible
from mteval.figures.images import require_browser
from mteval.readers.disk import Loaded
from mteval.readers.formats.text import original
from mteval.render.bundle import zipped
from mteval.render.html import section_table
from mteval.report import paper_table
from mteval.report.inputs import packed_inputs
from mteval.report.package import Package, everything, figure_files, written_files
from mteval.report.page import Further
from mteval.report.paper_table import LatexChoice
from mteval.ui import nbest
from mteval.ui.elements import MOST_ROWS, SURVIVES, choose, choose_some, download, quiet, say, show
from mteval.ui.session.memory import by_metric, deciding, remembered, scored_on, statistics
from mteval.ui.setup.address import bookmarked
from mteval.ui.setup.workspace import chosen_of_people, notes

LAYOUT_NAMES: Mapping[paper_table.Layout, str] = {
    "booktabs": "Booktabs",
    "multeval": "MultEval's",
    "systems": "Systems as rows",
    "grid": "All test sets",
}
FILES = {  # label and icon of each
    "report.html": ("HTML report", "web"),
    "table.tex": ("LaTeX", "function"),
    "table.csv": ("CSV", "table"),
    "numbers.xlsx": ("Excel", "table_view"),
    "numbers.json": ("JSON", "data_object"),
    "methods.txt": ("Methods", "notes"),
}
REPLAY = "To get the same numbers again, drop it on the Load page or use “mteval run”."


def choose_table(results: Results) -> LatexChoice:
    """Choose layout, columns and rows of the table."""
    first, second, third, fourth = st.columns(4, vertical_alignment="bottom")
    layouts = paper_table.ALL_LAYOUTS if results.evaluation.claims else paper_table.LAYOUTS
    layout: paper_table.Layout = choose(
        "Layout",
        {key: LAYOUT_NAMES[key] for key in layouts},
        "latex-layout",
        default=paper_table.usual_layout(len(results.systems)),
        where=first,
        in_address=False,
    )
    names = {key: results.run_word.filled(column.name) for key, column in COLUMNS.items()}
    wanted_columns = st.multiselect(
        "Columns",
        list(COLUMNS),
        list(paper_table.usual_columns(overview(results))),
        format_func=names.__getitem__,
        key="latex-columns",
        disabled=layout in paper_table.FIXED_COLUMNS,
        help="Other layouts have fixed columns.",
        **SURVIVES,
    )
    metrics = _some_or_all(second, "Metrics", {key: spec.name for key, spec in results.evaluation.metrics.items()})
    systems: list[str] = list(results.systems)
    if len(systems) > 1:
        systems = _some_or_all(third, "Systems", {key: key for key in systems})
    is_document = fourth.toggle("Standalone document", key="latex-document", **SURVIVES)
    columns = tuple(key for key in COLUMNS if key in wanted_columns)
    return LatexChoice(layout, columns, metrics, systems, is_document)


def _some_or_all(where: DeltaGenerator, label: str, names: Mapping[str, str]) -> list[str]:
    """Choose some of the keys; an empty choice means all."""
    wanted = choose_some(label, names, f"latex-{label.lower()}", where=where, in_address=False, placeholder="All")
    if not wanted:
        return list(names)
    return [key for key in names if key in wanted]


def table_preview(results: Results, choice: LatexChoice) -> None:
    """Show the table and its source."""
    try:
        if choice.layout == "grid":
            tables = list(paper_table.grids(results, choice).values())
        else:
            rows = choice.rows(results)
            tables = [paper_table.paper(rows, choice.layout, choice.shown(rows), results.run_word)]
    except DataError as error:
        say("warning", str(error))
        return
    for table in tables:
        height: int | Literal["content"] = "content"
        if len(table.frame) > MOST_ROWS:
            height = 420  # pixels
        with st.container(height=height, border=False):
            show(section_table(table))
    with st.expander("LaTeX source", icon=":material/code:"):
        st.code(paper_table.latex(results, choice), language="latex", wrap_lines=True)


def with_people(results: Results, loaded: Loaded) -> Results:
    """Add the judgements as chosen on the People page; computed when a file is made."""
    choices, lower_is_better = chosen_of_people()
    files_of_judgements = [slot.file for slot in loaded.slots if slot.role == "judgements" and slot.included]
    hashes = []
    for document in loaded.documents:
        if document.name in files_of_judgements:
            hashes.append((document.name, hash(original(document))))

    def judge() -> HumanEvaluation | None:
        work = means_of_computation()
        return judged_results(results, loaded, work, choices, lower_is_better, statistics().scored).people

    key = ("people of a report", deciding(results), deciding(choices), deciding(lower_is_better), tuple(hashes))
    try:
        people = remembered(key, judge)
    except MtevalError as error:
        say("warning", f"The report has no human judgements. {error}")
        return results
    return replace(results, people=people)


def methods_preview(results: Results) -> None:
    """Show the methods paragraph."""
    st.code(visible(methods_text(results)), language=None, wrap_lines=True)
    if results.people is not None:
        quiet(f"Human judgements: {judged_extent(results.people.given)} See the HTML report, CSV and JSON.")


def choose_further(results: Results) -> Further:
    """Choose what else the HTML report shows: n-best lists, bookmarked segments, error notes."""
    offered = {**nbest.in_report(results.settings), **_bookmarks(results), **_notes(results)}
    if not offered:
        return ()
    names = choose_some("Also in the HTML report", list(offered), "report-further", in_address=False)
    return [offered[name] for name in names]


def _bookmarks(results: Results) -> dict[str, Callable[[], Section]]:
    """Return the function that makes the section of bookmarked segments, if two systems can be shown."""
    segments = bookmarked(results.test_set)
    baseline = results.experiment.baseline
    systems = [key for key in results.systems if key != baseline]
    if not segments or not systems:
        return {}
    metric = results.settings.primary_metric
    scored_metrics = scored_on(results)

    def section() -> Section:
        runs = median_pair(by_metric(scored_metrics, metric), baseline, systems[0])
        return examples(segment_data(results, scored_metrics, runs), segments, metric)

    return {counted(len(segments), "bookmarked segment"): section}


def _notes(results: Results) -> dict[str, Callable[[], Section]]:
    """Return the function that makes the section of the errors noted on the test set, if any."""
    test_set = results.test_set
    own_notes = [note for note in notes() if note.test_set == test_set.name]
    if not own_notes:
        return {}

    def section() -> Section:
        return notes_section(noted_frame(own_notes, test_set, Work()), results.run_word)

    return {counted(len(own_notes), "noted error"): section}


def file_buttons(results: Results, loaded: Loaded, choice: LatexChoice, further: Further) -> None:
    """Show one button per file, which is made when pressed; figures need a browser on the server."""
    writers = written_files(results, choice, further)
    with st.container(horizontal=True):
        for name, (label, icon) in FILES.items():
            _file_button(label, icon, name, writers[name])
    try:
        require_browser()
    except MissingDependencyError as error:
        say("warning", str(error))
    else:
        with st.container(horizontal=True):
            for form in ("svg", "png"):
                figures = partial(figure_files, results, (form,))
                write = partial(_zipped, figures, results)
                _file_button(f"Figures ({form.upper()})", "image", f"figures-{form}.zip", write)

    def experiment_archive() -> bytes:
        return zipped(packed_inputs(loaded, results.settings))

    with st.container(horizontal=True):
        _file_button("Experiment (ZIP)", "replay", "experiment.zip", experiment_archive, help=REPLAY)
        package = partial(everything, results, loaded, choice, further=further)
        _file_button("Everything (ZIP)", "folder_zip", "report.zip", partial(_zipped, package, results), help=REPLAY)


def _zipped(make: Callable[[], Package], results: Results) -> bytes:
    return make().zipped(results)


def _file_button(label: str, icon: str, name: str, write: Callable[[], bytes], **how: Any) -> None:
    download(label, f"mteval-{name}", write, icon=f":material/{icon}:", **how)
