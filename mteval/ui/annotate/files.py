"""Categories of errors and their weights, edited in place.

Campaigns as files: out and in, closed, opened again and deleted; and files of segment scores.
"""

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.people.files import (
    ReadBack,
    campaign_of_judgements,
    campaign_of_mqm,
    mqm_text,
    pearmut_export,
    rating_files,
    read_judged,
)
from mteval.analysis.people.judgements import RATED, judgement_frame, judgements_of_campaign
from mteval.annotations import AnnotationStore, Campaign, Category, Listed, Typology, from_json, to_json
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
from mteval.render.csv import frame_csv
from mteval.ui.annotate.store import campaigns_of_visitor, choose_campaign, describe, go_to_view
from mteval.ui.page import choose_test_set
from mteval.ui.parts import messages
from mteval.ui.parts.messages import leave
from mteval.ui.session.visitor import visitor
from mteval.ui.setup.files import directions
from mteval.ui.setup.workspace import loaded_experiment, reading, take, workspace
from mteval.values.judgements import Judgement, RatedError
from mteval.values.model import TestSet


def edited_typology(typology: Typology, key: str) -> Callable[[], Typology]:
    """The categories and weights, to be edited in place; gives what they are now.

    What is given raises SettingsError where the edits make no typology.
    """
    with st.expander("Categories and weights", icon=":material/category:"):
        edited = st.data_editor(
            pd.DataFrame(typology.to_rows()),
            num_rows="dynamic",
            hide_index=True,
            key=key,
            column_config={
                "name": st.column_config.TextColumn("Category", required=True, width="large"),
                **{
                    severity: st.column_config.NumberColumn(severity.capitalize(), min_value=0, required=True)
                    for severity in ("minor", "major", "critical")
                },
            },
        )
    return lambda: Typology(tuple(map(_category, edited.dropna().to_dict("records"))))


def _category(row: dict[Hashable, Any]) -> Category:
    return Category(str(row["name"]), *(float(row[severity]) for severity in ("minor", "major", "critical")))


GENERATION = "annotation-upload"
MOST_BYTES = 32 * MIB


def files(store: AnnotationStore) -> None:
    """Uploads, then what can be done with a campaign."""
    test_set = _loaded_test_set()
    key = f"annotation-file-{st.session_state.get(GENERATION, 0)}"
    st.file_uploader(
        "Add a campaign (.json as exported here), judgements (WMT's table of errors or .seg.rating, an export of"
        " Appraise or Pearmut, a table) or segment scores (.seg.score)",
        key=key,
        accept_multiple_files=True,
        max_upload_size=MOST_BYTES // MIB,
        on_change=_take,
        args=(store, key, test_set),
    )
    directions(workspace().score_names)
    campaigns = campaigns_of_visitor(store)
    if campaigns:
        st.subheader("A campaign", anchor=False)
        _campaign(store, choose_campaign(campaigns))


def _loaded_test_set() -> TestSet | None:
    """What tables and scores are matched with."""
    experiment = loaded_experiment()
    if experiment is None:
        messages.say("note", "Judgements and segment scores are matched with what is loaded; nothing is now.")
        return None
    return choose_test_set(experiment)


def _take(store: AnnotationStore, key: str, test_set: TestSet | None) -> None:
    """Read what was dropped, one file after the other; the widget starts afresh."""
    for upload in st.session_state[key]:
        file = InputFile(upload.name, upload.getvalue())
        try:
            _take_file(store, file, test_set)
        except MtevalError as error:
            leave("error", str(error))
    st.session_state[GENERATION] = st.session_state.get(GENERATION, 0) + 1


def _take_file(store: AnnotationStore, file: InputFile, test_set: TestSet | None) -> None:
    if len(file.content) > MOST_BYTES:
        raise DataError(f"{file.name} has more than {MOST_BYTES // MIB} MiB; campaigns and tables of errors have less.")
    if file.name.endswith(".json") and not is_pearmut(_beginning(file)):
        campaign, tasks = reading().apply(partial(of_text, from_json), file, CAMPAIGN_KINDS)
        store.add(campaign, tasks, visitor())
        leave("good", f"The campaign “{campaign.name}” was added, with {counted(len(tasks), 'judgement')}.")
        return
    if test_set is None:
        raise DataError(f"{file.name} was left out: load the outputs that it is about first.")
    if is_named_segment_scores(file.name):
        _take_scores(file, test_set)
        return
    read = _judged(file, test_set, _free_name(store, PurePosixPath(file.name).stem))
    store.add(read.campaign, read.tasks, visitor())
    n_used = read.n_rows - read.n_left_out
    leave(
        "good" if not read.n_left_out else "warning",
        f"{counted_part(n_used, read.n_rows, 'row')} of {file.name} {agreeing(n_used, 'fits', 'fit')} the outputs on"
        f" {test_set.name} and {agreeing(n_used, 'makes', 'make')} the campaign “{read.campaign.name}”.",
    )
    _ask_for_weights(read)


def _judged(file: InputFile, test_set: TestSet, name: str) -> ReadBack:
    """The campaign in a table of errors, or in judgements of any other form."""
    if is_table_of_errors(_beginning(file)):
        return campaign_of_mqm(reading().apply(partial(of_text, read_mqm), file, (MqmRow,)), test_set, name)
    return campaign_of_judgements(reading().apply(read_judged, file, (Judgement, RatedError)), test_set, name)


def _beginning(file: InputFile) -> str:
    """Enough of a file to tell what it is."""
    return file.content[:HEAD].decode("utf-8", "replace")


def _ask_for_weights(read: ReadBack) -> None:
    """Ask about categories of errors that WMT does not weigh and whose file does not, either."""
    unweighed = (mark.category for task in read.tasks for mark in task.marks if mark.weight is None)
    unknown = [f"“{name}”" for name in unknown_categories(unweighed)]
    if unknown and read.campaign.way == "errors":
        leave(
            "warning",
            f"What do errors of {listed(unknown)} weigh? WMT does not say. Until you do, under “Categories"
            " and weights” below, each has the weight of its severity.",
        )


def _free_name(store: AnnotationStore, name: str) -> str:
    return free_name(name, {listed.name for listed in campaigns_of_visitor(store)}.__contains__)


def _take_scores(file: InputFile, test_set: TestSet) -> None:
    """Scores of segments are files of the experiment like any other."""
    loaded = workspace().add([file], test_set.name, reading().unpack)
    take(loaded)
    problems = [problem for problem in (*loaded.rejected, *loaded.assembly.problems) if problem.file == file.name]
    for problem in problems:
        leave(problem.severity, problem.text)
    if not any(problem.severity == "error" for problem in problems):
        leave("good", f"{name_of_file(file.name)} is among the files on the Load page now, with {test_set.name}.")


def _campaign(store: AnnotationStore, listed: Listed) -> None:
    campaign = store.campaign(listed.uid)
    describe(campaign)
    name = listed.uid[:8]
    with st.container(horizontal=True):
        _download("All as JSON", f"{name}.json", lambda: to_json(campaign, store.tasks(listed.uid)))
        if campaign.way == "errors":
            _download("Errors as WMT's TSV", f"{name}.mqm.tsv", lambda: mqm_text(campaign, store.tasks(listed.uid)))
            _download("Errors as WMT's .seg.rating", f"{name}.zip", lambda: _ratings(campaign, store))
        if campaign.way in RATED:
            _download("As Pearmut keeps it", f"{name}.pearmut.zip", lambda: _pearmut(campaign, store))
        if campaign.way != "preference":
            _download("Judgements as CSV", f"{name}.csv", lambda: _table(campaign, store))
        st.button(
            "Open again" if listed.is_closed else "Close",
            on_click=store.close_campaign,
            args=(listed.uid, not listed.is_closed),
            key="campaign-close",
        )
        with st.popover("Delete …", icon=":material/delete:"):
            messages.say("warning", "All that was said in this campaign will be gone. Export it first.")
            st.button("Delete it", on_click=_delete, args=(store, listed.uid), key="campaign-delete")
    if campaign.way == "errors":
        _categories(store, campaign)


def _download(label: str, name: str, content: Callable[[], str | bytes]) -> None:
    st.download_button(
        label, content, name, on_click="ignore", icon=":material/download:", key=f"campaign-{name.partition('.')[2]}"
    )


def _ratings(campaign: Campaign, store: AnnotationStore) -> bytes:
    files = rating_files(campaign, store.tasks(campaign.uid))
    return zipped({name: text.encode() for name, text in files.items()})


def _pearmut(campaign: Campaign, store: AnnotationStore) -> bytes:
    files = pearmut_export(campaign, store.tasks(campaign.uid))
    return zipped({name: text.encode() for name, text in files.items()})


def _table(campaign: Campaign, store: AnnotationStore) -> str:
    return frame_csv(judgement_frame(judgements_of_campaign(campaign, store.tasks(campaign.uid))))


def _categories(store: AnnotationStore, campaign: Campaign) -> None:
    """Categories and weights may change while people work; what is marked keeps the name of its category."""
    try:
        edited = edited_typology(campaign.typology, f"typology-{campaign.uid}")()
    except MtevalError as error:
        messages.say("warning", str(error))
        return
    st.button(
        "Keep these categories",
        on_click=store.set_typology,
        args=(campaign.uid, edited),
        disabled=edited == campaign.typology,
        key="keep-typology",
    )


def _delete(store: AnnotationStore, uid: str) -> None:
    try:
        store.delete(uid)
    except MtevalError as error:
        leave("error", str(error))
    go_to_view("files")
