"""Which judgements the page is about: files that were dropped, scores that people gave, campaigns of the visitor."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

import pandas as pd
import streamlit as st

from mteval.analysis.people.judgements import (
    campaign_test_set,
    is_of_people,
    judgement_frame,
    judgements_of_campaign,
    judgements_of_scores,
)
from mteval.annotations import AnnotationStore, Listed
from mteval.answers.judgements import judged_extent, unknown_error_sentence
from mteval.base.digests import digest_of
from mteval.base.errors import MtevalError
from mteval.base.words import counted, free_name
from mteval.readers.assembly.judgements import Judged, gathered
from mteval.render.csv import frame_csv
from mteval.render.html import tag
from mteval.ui.annotate.store import campaigns_of_visitor, require_store
from mteval.ui.page import go_to
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.tables import show
from mteval.ui.session.memory import remembered
from mteval.ui.setup.workspace import LOWER, add_judgements, loaded_experiment, workspace
from mteval.values.judgements import MQM, Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.service import is_demo

CHOSEN = "people-source"
Read = Callable[[], tuple[dict[str, tuple[Judgement, ...]], TestSet | None]]


@dataclass(frozen=True)
class Source:
    """Judgements that may be looked at.

    Parameters
    ----------
    name
        As it is chosen.
    key
        Gives all that decides what is read.
    read
        The judgements by file, and the test set that they are about where its texts are known.
    documents
        Of its segments, where the texts are not known and their documents are.
    file
        What judgements that are no file yet are called once they are one.
    """

    name: str
    key: Callable[[], str]
    read: Read
    documents: Callable[[], Sequence[str] | None] = lambda: None
    file: str = ""


@dataclass(frozen=True)
class People:
    """The judgements that the page is about, and what they can be compared with.

    Parameters
    ----------
    key
        All that decides them.
    test_set
        The texts that were judged; None where they are not known.
    experiment
        The one that has this test set; None where it is not loaded.
    """

    key: str
    judged: Judged
    frame: pd.DataFrame
    test_set: TestSet | None
    experiment: Experiment | None


def choose_people() -> People:
    """The judgements that are chosen; where there are none, the page ends with how to load some."""
    sources = [*_of_files(), *_of_scores(), *_of_campaigns()]
    if not sources:
        _nothing()
    by_name: dict[str, Source] = {}
    for source in sources:
        by_name[free_name(source.name, by_name.__contains__)] = source
    names = list(by_name)
    chosen = by_name[names[0] if len(names) == 1 else choose("Judgements", names, CHOSEN, width=380)]
    try:
        people = _people(chosen)
    except MtevalError as error:
        messages.say("error", str(error))
        st.stop()
    for remark in people.judged.remarks:
        messages.say(remark.severity, remark.text)
    show(tag("p", judged_extent(people.frame), class_="mt-quiet"))
    for category, severity, count in people.judged.unknown:
        messages.say("warning", unknown_error_sentence(category, severity, count))
    _offer_to_keep(chosen, people)
    return people


def _offer_to_keep(source: Source, people: People) -> None:
    """A campaign goes on while reports are written; they have what was said when it became one of the files."""
    if not source.file or people.experiment is None or people.test_set is None:
        return
    loaded = (PurePosixPath(file).name for files in workspace().judgements.values() for file in files)
    is_kept = source.file in loaded
    st.button(
        "Report what was said until now" if is_kept else "Put into the report",
        icon=":material/refresh:" if is_kept else ":material/note_add:",
        on_click=_keep,
        args=(source, people.test_set.name),
        key="people-keep",
        help="As one of the files on the Load page, so that reports have it and the experiment that is saved.",
    )
    if is_kept:
        messages.say("note", "What was said when the button was pressed is in the report. What is said later is not.")


def _keep(source: Source, test_set: str) -> None:
    """In a callback: the judgements as they are now, as a file of the experiment; the page stays with the campaign."""
    st.session_state[CHOSEN] = source.name
    files, _ = source.read()
    judgements = [one for of_file in files.values() for one in of_file]
    add_judgements(source.file, test_set, frame_csv(judgement_frame(judgements)))


def _lower(scales: Sequence[str]) -> Sequence[str]:
    """Scales that turn their sign; weights of errors have theirs."""
    if not scales:
        return ()
    with st.popover("Lower is better …", type="tertiary"):
        return choose_some("Scales on which lower values are better", scales, LOWER, in_address=False)


def _nothing() -> None:
    messages.say(
        "note",
        "No judgements of people are here yet. Drop them on the Load page, beside the outputs if there are any: a table"
        " with columns annotator, system, segment and a scale, WMT's .seg.rating or table of errors, an export of"
        " Appraise or Pearmut;"
        " or scores that people gave, whose name says so (mqm, esa, da). Campaigns that you started on this server"
        " appear here as well.",
    )
    st.button("Go to Load", icon=":material/upload_file:", type="primary", on_click=_ask_to_load, key="people-load")
    if st.session_state.pop("people-to-load", False):
        go_to("pages/load.py")
    st.stop()


def _ask_to_load() -> None:
    st.session_state["people-to-load"] = True


def _of_files() -> Iterator[Source]:
    documents = {document.name: document for document in workspace().documents}
    for test_set, files in workspace().judgements.items():
        name = next(iter(files)) if len(files) == 1 else f"{counted(len(files), 'file')} on {test_set}"
        key = partial(_content, test_set, {file: documents[file].original for file in files})
        yield Source(name, key, partial(_read_files, files, test_set), partial(_documents, test_set))


def _content(test_set: str, files: Mapping[str, bytes]) -> str:
    return digest_of([test_set, *(f"{name} {hash(content)}" for name, content in files.items())])


def _documents(test_set: str) -> Sequence[str] | None:
    """The ids of documents among the files of a test set."""
    loaded = workspace()
    names = [slot.file for slot in loaded.slots if (slot.role, slot.test_set) == ("documents", test_set)]
    found = [document.streams[0].lines for document in loaded.documents if document.name in names]
    return [(line or "").rpartition("\t")[2] for line in found[0]] if found else None


def _read_files(
    files: dict[str, tuple[Judgement, ...]], test_set: str
) -> tuple[dict[str, tuple[Judgement, ...]], TestSet | None]:
    experiment = loaded_experiment()
    loaded = [] if experiment is None else [one for one in experiment.test_sets if one.name == test_set]
    return files, loaded[0] if loaded else None


def _of_scores() -> Iterator[Source]:
    experiment = loaded_experiment()
    for given in () if experiment is None else experiment.given:
        if is_of_people(given):
            for name in dict.fromkeys(one.test_set for one in given.scores):
                read = partial(_read_scores, given.key, name)
                shown = f"{given.name}, scores that were given"
                shown += f" on {name}" if experiment is not None and len(experiment.test_sets) > 1 else ""
                yield Source(shown, partial("{} {}".format, given.digest, name), read)


def _read_scores(key: str, test_set: str) -> tuple[dict[str, tuple[Judgement, ...]], TestSet | None]:
    experiment = loaded_experiment()
    assert experiment is not None  # it has these scores
    given = next(one for one in experiment.given if one.key == key)
    return {given.name: judgements_of_scores(given, test_set)}, experiment.test_set(test_set)


def _of_campaigns() -> Iterator[Source]:
    if is_demo():
        return
    store = require_store()
    for listed in campaigns_of_visitor(store):
        if listed.way != "preference" and any(done for done, _ in listed.progress.values()):
            key, read = partial(_said_by_now, store, listed), partial(_read_campaign, store, listed)
            yield Source(f"Campaign {listed.name}", key, read, file=f"campaign-{listed.uid[:8]}.csv")


def _said_by_now(store: AnnotationStore, listed: Listed) -> str:
    return digest_of(map(repr, store.tasks(listed.uid)))


def _read_campaign(store: AnnotationStore, listed: Listed) -> tuple[dict[str, tuple[Judgement, ...]], TestSet | None]:
    campaign = store.campaign(listed.uid)
    experiment = loaded_experiment()
    test_sets = () if experiment is None else experiment.test_sets
    loaded = [one for one in test_sets if one.digest == campaign.test_set_digest]
    judgements = judgements_of_campaign(campaign, store.tasks(listed.uid))
    return {campaign.name: judgements}, loaded[0] if loaded else campaign_test_set(campaign)


def _people(source: Source) -> People:
    files, test_set = source.read()
    experiment = loaded_experiment()
    if experiment is not None and (test_set is None or test_set not in experiment.test_sets):
        experiment = None
    lower = _lower(sorted({one.scale for of_file in files.values() for one in of_file} - {MQM}))
    documents = source.documents() if test_set is None else test_set.documents
    where = "" if test_set is None else test_set.digest
    key = f"{source.key()} {where} {digest_of(documents or ())} {sorted(lower)}"

    def make() -> tuple[Judged, pd.DataFrame]:
        judged = gathered(files, lower_is_better=lower, documents=documents)
        return judged, judgement_frame(judged.judgements)

    judged, frame = remembered(("people", key), make)
    return People(key, judged, frame, test_set, experiment)
