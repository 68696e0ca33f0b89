"""A campaign for those who coordinate it: its links, read from a file, closed, deleted, edited, downloaded."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from mteval.annotations import AnnotationStore, Campaign, Category, Listed, Task, Typology, from_json
from mteval.annotations.campaign_files import CAMPAIGN_KINDS
from mteval.base.errors import MtevalError
from mteval.base.turns import Client
from mteval.base.words import agreeing, counted, counted_part, visible
from mteval.readers.apart import of_text
from mteval.readers.documents import InputFile
from mteval.render.html import tag
from mteval.report.campaign_exports import exports
from mteval.ui.annotate import store as campaigns
from mteval.ui.elements import editor, end, errors_left, leave, quiet, say, show
from mteval.ui.session.visitor import asker
from mteval.ui.setup.reading import read_at_once
from mteval.ui.setup.workspace import reading
from mteval.values.judgements import is_campaign
from mteval.values.service import ANNOTATOR, COORDINATOR, is_demo

WEIGHTED_SEVERITIES = ("minor", "major", "critical")


def edited_typology(typology: Typology, key: str) -> Callable[[], Typology]:
    """Show the categories and weights for editing, and return a function that reads them.

    The function raises SettingsError if the edits make no typology.
    """
    column_config: dict[str, Any] = {"name": st.column_config.TextColumn("Category", required=True, width="large")}
    for severity in WEIGHTED_SEVERITIES:
        column_config[severity] = st.column_config.NumberColumn(severity.capitalize(), min_value=0, required=True)
    with st.expander("Categories and weights", icon=":material/category:"):
        edited = editor(
            pd.DataFrame(typology.to_rows()),
            key,
            num_rows="dynamic",
            hide_index=True,
            column_config=column_config,
        )
    rows = edited.dropna().to_dict("records")

    def read_typology() -> Typology:
        categories = []
        for row in rows:
            weights = [float(row[severity]) for severity in WEIGHTED_SEVERITIES]
            categories.append(Category(str(row["name"]), *weights))
        return Typology(tuple(categories))

    return read_typology


def coordinating(store: AnnotationStore) -> None:
    """Show each annotator's progress and link, and what can be done with the campaign."""
    listed = campaigns.choose_campaign(campaigns.campaigns_of_visitor(store))
    campaign = store.campaign(listed.uid)
    campaigns.describe(campaign)
    _show_links(store, listed)
    st.subheader("Campaign", anchor=False)
    if campaign.way == "errors":
        _edit_categories(store, campaign)
    with st.container(horizontal=True):
        st.button(
            "Reopen campaign" if listed.is_closed else "Close campaign",
            on_click=campaigns.close_campaign,
            args=(store, listed.uid, not listed.is_closed),
            key="campaign-close",
        )
        with st.popover("Delete…", icon=":material/delete:"):
            say("warning", "This deletes all annotations of this campaign. Download them first.")
            st.button("Delete campaign", on_click=_delete, args=(store, listed.uid), key="campaign-delete")


def _show_links(store: AnnotationStore, listed: Listed) -> None:
    """Show each annotator's progress and link, and the coordinators' link."""
    tokens = store.links(listed.uid)
    say("note", "Send each annotator their link. Anyone who has it can annotate as them.")
    for name, (done, total) in listed.progress.items():
        show(tag("p", tag("b", name), f" · {done} of {total} done", class_="mt-quiet"))
        address = address_of(ANNOTATOR, tokens.annotators[name])
        message = ""
        if done < total:
            message = reminder(listed, name, address)
        _show_link(store, listed, name, address, message)
    st.subheader("Coordinators", anchor=False)
    quiet("Full access to the campaign, including deletion.")
    _show_link(store, listed, None, address_of(COORDINATOR, tokens.coordinator))


def address_of(kind: str, token: str) -> str:
    """Return the address of a token, as the visitor's browser names this server."""
    page = str(st.context.url or campaigns.PAGE).partition("?")[0]
    return f"{page}?{urlencode({kind: token})}"


def reminder(listed: Listed, annotator: str, address: str) -> str:
    """Return a message for an annotator who is not done yet."""
    done, total = listed.progress[annotator]
    finished = counted_part(done, total, "text")
    n_left = total - done
    are_left = agreeing(n_left, "is", "are")
    return (
        f"Dear {annotator},\n\n"
        f"you have finished {finished} in “{listed.name}”; {n_left} {are_left} left. Continue here:\n\n"
        f"{address}\n\n"
        "Your answers are saved. Thank you!"
    )


def _show_link(store: AnnotationStore, listed: Listed, annotator: str | None, address: str, message: str = "") -> None:
    """Show a link to copy or open, a reminder, and a way to replace it.

    Parameters
    ----------
    annotator
        Whose link it is; None for the coordinators'.
    message
        The reminder; empty if none is needed.
    """
    key = f"{listed.uid}-{annotator or ''}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.code(address, language=None, width=540)
        if annotator is not None:
            st.link_button("Open", address, icon=":material/open_in_new:")
        if message:
            with st.popover("Reminder…", type="tertiary"):
                st.code(visible(message), language=None, wrap_lines=True, width=480)
        with st.popover("New link…", type="tertiary"):
            effect = "also for other coordinators" if annotator is None else "annotations are kept"
            say("warning", f"The old link stops working; {effect}.")
            st.button("Replace link", on_click=_renew_link, args=(store, listed.uid, annotator), key=f"renew-{key}")


def _renew_link(store: AnnotationStore, uid: str, annotator: str | None) -> None:
    """In a callback: replace a link, that of the coordinators if no annotator is given."""
    with errors_left():
        store.renew_link(uid, annotator, asker())
        leave("good", "Link replaced. The old one no longer works.")


def _edit_categories(store: AnnotationStore, campaign: Campaign) -> None:
    """Let coordinators edit categories and weights while people work; marks keep the name of their category."""
    try:
        edited = edited_typology(campaign.typology, f"typology-{campaign.uid}")()
    except MtevalError as error:
        end("warning", str(error))
    st.button(
        "Save categories",
        on_click=_set_typology,
        args=(store, campaign.uid, edited),
        disabled=edited == campaign.typology,
        key="keep-typology",
    )


def _set_typology(store: AnnotationStore, uid: str, typology: Typology) -> None:
    with errors_left():
        store.set_typology(uid, typology, asker())


def _delete(store: AnnotationStore, uid: str) -> None:
    with errors_left():
        store.delete(uid, asker())
    campaigns.go_to_view("annotators")


def downloads(campaign: Campaign, tasks: tuple[Task, ...]) -> Iterator[tuple[str, str, Callable[[], str | bytes]]]:
    """Yield the download formats of a campaign: label, file name, writer. A page shows finished campaigns only."""
    is_finished = campaign.is_closed or all(task.is_complete for task in tasks)
    for export in exports(campaign, tasks):
        if export.key != "html" or is_finished:
            yield export.label, f"campaign-{campaign.name}{export.suffix}", export.write


def take_campaigns(files: list[InputFile]) -> list[InputFile]:
    """In a callback: add campaigns among uploaded files to the visitor's, and return the other files."""
    others = []
    for file in files:
        if is_demo() or not is_campaign(file.content):
            others.append(file)
            continue
        with errors_left():
            campaign, tasks = read_at_once(partial(_read_campaign, file))
            campaigns.require_store().add(campaign, tasks, asker())
            leave("good", f"Added the campaign “{campaign.name}” with {counted(len(tasks), 'judgement')}. See People.")
    return others


def _read_campaign(file: InputFile, client: Client) -> tuple[Campaign, tuple[Task, ...]]:
    return reading().apply(partial(of_text, from_json), file, CAMPAIGN_KINDS, client)
