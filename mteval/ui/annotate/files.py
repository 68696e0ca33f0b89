"""Files of campaigns: upload, download, close, reopen, delete; error categories and their weights; segment scores."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath

import pandas as pd
import streamlit as st

from mteval.analysis.people import files as exchanged
from mteval.analysis.people.judgements import RATED, judgement_frame, judgements_of_campaign
from mteval.annotations import AnnotationStore, Campaign, Category, Listed, Task, Typology, from_json, to_json
from mteval.annotations.campaign_files import CAMPAIGN_KINDS
from mteval.annotations.typology import unknown_categories
from mteval.base.errors import DataError, MtevalError
from mteval.base.words import agreeing, counted, counted_part, free_name, listed
from mteval.readers.apart import of_text
from mteval.readers.documents import MIB, InputFile
from mteval.readers.formats.annotation_tools import HEAD, is_pearmut
from mteval.readers.formats.judgement_tables import MqmRow, is_table_of_errors, read_mqm
from mteval.readers.formats.score_tables import is_named_segment_scores
from mteval.readers.names import name_of_file
from mteval.render.bundle import zipped
from mteval.render.frames import frame_csv
from mteval.ui.annotate.store import campaigns_of_visitor, choose_campaign, close_campaign, describe, go_to_view
from mteval.ui.elements import download, end, errors_left, leave, say
from mteval.ui.page import choose_test_set
from mteval.ui.session.visitor import asker, taken
from mteval.ui.setup.files import directions
from mteval.ui.setup.workspace import loaded_experiment, reading, take, workspace
from mteval.values.judgements import Judgement, RatedError
from mteval.values.model import TestSet


def edited_typology(typology: Typology, key: str) -> Callable[[], Typology]:
    """Show the categories and weights for editing, and return a function that reads them.

    What is given raises SettingsError where the edits make no typology.
    """
    with st.expander("Categories and weights", icon=":material/category:"):
        edited = st.data_editor(
            pd.DataFrame(typology.to_rows()), num_rows="dynamic", hide_index=True, key=key,
            column_config={
                "name": st.column_config.TextColumn("Category", required=True, width="large"),
                **{one: st.column_config.NumberColumn(one.capitalize(), min_value=0, required=True) for one in WEIGHED},
            },
        )  # fmt: skip
    rows = edited.dropna().to_dict("records")
    return lambda: Typology(tuple(Category(str(row["name"]), *(float(row[one]) for one in WEIGHED)) for row in rows))


WEIGHED = ("minor", "major", "critical")
GENERATION = "annotation-upload"
MOST_BYTES = 32 * MIB


def files(store: AnnotationStore) -> None:
    """Show the uploader, and what can be done with a campaign."""
    experiment, test_set = loaded_experiment(), None  # that judgements and scores belong to
    if experiment is None:
        say("note", "Load outputs first to add judgements or segment scores.")
    else:
        test_set = choose_test_set(experiment)
    key = f"annotation-file-{st.session_state.get(GENERATION, 0)}"
    st.file_uploader(
        "Add campaigns, judgements or segment scores",
        help="Campaigns (.json), WMT error tables or .seg.rating, Appraise, Pearmut, tables of ratings, .seg.score.",
        key=key, accept_multiple_files=True, max_upload_size=MOST_BYTES // MIB, on_change=_take,
        args=(store, key, test_set),
    )  # fmt: skip
    directions(workspace().score_names)
    campaigns = campaigns_of_visitor(store)
    if campaigns:
        st.subheader("Campaign", anchor=False)
        _campaign(store, choose_campaign(campaigns))


def _take(store: AnnotationStore, key: str, test_set: TestSet | None) -> None:
    """Read the uploaded files one by one; the widget starts afresh."""
    for file in taken(key):
        with errors_left():
            _take_file(store, file, test_set)
    st.session_state[GENERATION] = st.session_state.get(GENERATION, 0) + 1


def _take_file(store: AnnotationStore, file: InputFile, test_set: TestSet | None) -> None:
    if len(file.content) > MOST_BYTES:
        raise DataError(f"{file.name}: larger than the limit of {MOST_BYTES // MIB} MiB.")
    beginning = file.content[:HEAD].decode("utf-8", "replace")  # enough to tell what it is
    if file.name.endswith(".json") and not is_pearmut(beginning):
        campaign, tasks = reading().apply(partial(of_text, from_json), file, CAMPAIGN_KINDS)
        store.add(campaign, tasks, asker())
        leave("good", f"Added the campaign “{campaign.name}” with {counted(len(tasks), 'judgement')}.")
    elif test_set is None:
        raise DataError(f"{file.name}: load the outputs that it judges first.")
    elif is_named_segment_scores(file.name):
        _take_scores(file, test_set)
    else:
        name = free_name(PurePosixPath(file.name).stem, {one.name for one in campaigns_of_visitor(store)}.__contains__)
        if is_table_of_errors(beginning):
            rows = reading().apply(partial(of_text, read_mqm), file, (MqmRow,))
            _take_judged(store, file, exchanged.campaign_of_mqm(rows, test_set, name))
        else:
            judged = reading().apply(exchanged.read_judged, file, (Judgement, RatedError))
            _take_judged(store, file, exchanged.campaign_of_judgements(judged, test_set, name))


def _take_judged(store: AnnotationStore, file: InputFile, read: exchanged.ReadBack) -> None:
    """Add a campaign, and ask about error categories that have no weight."""
    store.add(read.campaign, read.tasks, asker())
    n_used = read.n_rows - read.n_left_out
    leave(
        "good" if not read.n_left_out else "warning",
        f"Added the campaign “{read.campaign.name}”: {counted_part(n_used, read.n_rows, 'row')} of {file.name}"
        f" {agreeing(n_used, 'matches', 'match')} the outputs on {read.campaign.test_set}.",
    )
    unweighed = (mark.category for task in read.tasks for mark in task.marks if mark.weight is None)
    unknown = [f"“{name}”" for name in unknown_categories(unweighed)]
    if unknown and read.campaign.way == "errors":
        leave(
            "warning",
            f"No weights known for errors of {listed(unknown)}. They weigh what their severity does; change this under"
            " “Categories and weights”.",
        )


def _take_scores(file: InputFile, test_set: TestSet) -> None:
    """Add segment scores to the files of the experiment."""
    loaded = workspace().add([file], test_set.name, reading().unpack)
    take(loaded)
    problems = [problem for problem in (*loaded.rejected, *loaded.assembly.problems) if problem.file == file.name]
    for problem in problems:
        leave(problem.severity, problem.text)
    if not any(problem.severity == "error" for problem in problems):
        leave("good", f"Added {name_of_file(file.name)} to the files of {test_set.name} on the Load page.")


def _campaign(store: AnnotationStore, listed: Listed) -> None:
    campaign = store.campaign(listed.uid)
    describe(campaign)
    name = f"campaign-{listed.name}"
    with st.container(horizontal=True):
        for label, kind, write in _forms(campaign, store):
            download(label, f"{name}.{kind}", write)
        st.button(
            "Reopen campaign" if listed.is_closed else "Close campaign", on_click=close_campaign,
            args=(store, listed.uid, not listed.is_closed), key="campaign-close",
        )  # fmt: skip
        with st.popover("Delete…", icon=":material/delete:"):
            say("warning", "This deletes all annotations of this campaign. Download them first.")
            st.button("Delete campaign", on_click=_delete, args=(store, listed.uid), key="campaign-delete")
    if campaign.way == "errors":
        _categories(store, campaign)


def _forms(campaign: Campaign, store: AnnotationStore) -> Iterator[tuple[str, str, Callable[[], str | bytes]]]:
    """Yield the download formats of a campaign: label, file ending, writer."""

    def tasks() -> tuple[Task, ...]:
        return store.tasks(campaign.uid)

    yield "Download campaign (JSON)", "json", lambda: to_json(campaign, tasks())
    if campaign.way == "errors":
        yield "Download errors (WMT TSV)", "mqm.tsv", lambda: exchanged.mqm_text(campaign, tasks())
        yield "Download errors (.seg.rating)", "zip", lambda: _zipped(exchanged.rating_files(campaign, tasks()))
    if campaign.way in RATED:
        yield "Download for Pearmut", "pearmut.zip", lambda: _zipped(exchanged.pearmut_export(campaign, tasks()))
    if campaign.way != "preference":
        judged = partial(judgements_of_campaign, campaign)
        yield "Download judgements (CSV)", "csv", lambda: frame_csv(judgement_frame(judged(tasks())))


def _zipped(files: Mapping[str, str]) -> bytes:
    return zipped({name: text.encode() for name, text in files.items()})


def _categories(store: AnnotationStore, campaign: Campaign) -> None:
    """Let coordinators edit categories and weights while people work; marks keep the name of their category."""
    try:
        edited = edited_typology(campaign.typology, f"typology-{campaign.uid}")()
    except MtevalError as error:
        end("warning", str(error))
    st.button(
        "Save categories", on_click=_set_typology, args=(store, campaign.uid, edited),
        disabled=edited == campaign.typology, key="keep-typology",
    )  # fmt: skip


def _set_typology(store: AnnotationStore, uid: str, typology: Typology) -> None:
    with errors_left():
        store.set_typology(uid, typology, asker())


def _delete(store: AnnotationStore, uid: str) -> None:
    with errors_left():
        store.delete(uid, asker())
    go_to_view("files")
