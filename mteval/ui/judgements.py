"""Choose the judgements of the People page, and how they are read: scale, test, units."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.people import judgements as tables
from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, RANK_SUM
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation, metrics_beside_people
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.results import Results
from mteval.analysis.work import Work, means_of_computation
from mteval.annotations import AnnotationStore, Listed
from mteval.answers.gold import UNITS, judged_extent, unknown_error_sentence
from mteval.answers.people import STANDARDISED
from mteval.answers.section import Section
from mteval.base.digests import digest_of
from mteval.base.words import counted, free_name
from mteval.readers.assembly.judgements import Judged, gathered
from mteval.report.page import human_evaluation, people_of, people_section
from mteval.stats.procedures.registry import usual
from mteval.ui.annotate.store import campaigns_of_visitor, require_store
from mteval.ui.elements import IN_ADDRESS, choose, choose_some, errors_end_the_page, quiet, say
from mteval.ui.page import send_to_load, settings_of_session
from mteval.ui.session.memory import Statistics, remembered, statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.workspace import LOWER, add_judgements, keep_choices, loaded_experiment, workspace
from mteval.values.given import GivenMetric
from mteval.values.judgements import MQM, Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.service import is_demo
from mteval.values.settings import Settings

T = TypeVar("T")
Source = tuple[str, Callable[[], "Read"], str]  # name, reader, and file name once saved
CHOSEN = "people-source"
STANDARDISE = {words: value for value, words in STANDARDISED.items()}
NO_TIES = "nothing"
FEW_RATERS = 2  # from three on, some may be the same judge


@dataclass(frozen=True)
class Read:
    """Judgements as they are now.

    Parameters
    ----------
    key
        All that decides them.
    files
        The judgements by file.
    test_set
        The one that they are about, where its texts are known.
    documents
        Of its segments, where these are known and the texts are not.
    """

    key: str
    files: Mapping[str, tuple[Judgement, ...]]
    test_set: TestSet | None
    documents: Sequence[str] | None = None


@dataclass(frozen=True)
class People:
    """The chosen judgements, and what they can be compared with.

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


def choose_people(*, is_needed: bool) -> People | None:
    """Choose judgements; without any that are needed, the page ends with how to load some."""
    by_name: dict[str, Source] = {}
    for source in [*_of_files(), *_of_scores(), *_of_campaigns()]:
        by_name[free_name(source[0], by_name.__contains__)] = source
    if not by_name and not is_needed:
        return None
    if not by_name:
        send_to_load(
            "No human judgements yet. Drop a judgement table, WMT, Appraise or Pearmut files, or human scores on the"
            " Load page. Campaigns appear here too."
        )
    names = list(by_name)
    chosen = by_name[names[0] if len(names) == 1 else choose("Judgements", names, CHOSEN, width=380)]
    with errors_end_the_page():
        people = _people(chosen[1]())
    for note in people.judged.notes:
        say(note.severity, note.text)
    quiet(judged_extent(people.frame))
    for category, severity, count in people.judged.unknown:
        say("warning", unknown_error_sentence(category, severity, count))
    _offer_to_keep(chosen, people)
    return people


def _people(read: Read) -> People:
    experiment = loaded_experiment()
    if experiment is not None and (read.test_set is None or read.test_set not in experiment.test_sets):
        experiment = None
    documents = read.documents if read.test_set is None else read.test_set.documents
    scales = sorted({one.scale for of_file in read.files.values() for one in of_file} - {MQM})
    lower: Sequence[str] = ()  # error weights have a sign already
    if scales:
        with st.popover("Lower is better…", type="tertiary"):
            lower = choose_some("Scales where lower is better", scales, LOWER, in_address=False)
    where = "" if read.test_set is None else read.test_set.digest
    key = f"{read.key} {where} {digest_of(documents or ())} {sorted(lower)}"

    judged = remembered(("people", key), lambda: gathered(read.files, lower_is_better=lower, documents=documents))
    frame = remembered(("judgements", key), lambda: judgement_frame(judged.judgements))
    return People(key, judged, frame, read.test_set, experiment)


def _offer_to_keep(source: Source, people: People) -> None:
    """Offer to add a campaign's judgements to the files, since reports read files only."""
    name, read, file = source
    test_set = people.test_set
    if not file or people.experiment is None or test_set is None:
        return

    def keep() -> None:
        """Save the judgements as a file of the experiment; the page stays with the campaign."""
        st.session_state[CHOSEN] = name
        judgements = [one for of_file in read().files.values() for one in of_file]
        add_judgements(file, test_set.name, judgement_frame(judgements).to_csv(index=False))

    is_kept = any(PurePosixPath(loaded).name == file for files in workspace().judgements.values() for loaded in files)
    st.button(
        "Update report" if is_kept else "Add to report", on_click=keep, key="people-keep",
        icon=":material/refresh:" if is_kept else ":material/note_add:",
        help="Saves these judgements as a file of the experiment, so that reports include them.",
    )  # fmt: skip
    if is_kept:
        say("note", "The report has these judgements as of your last click. Update it to add later ones.")


def _of_files() -> Iterator[Source]:
    for test_set, files in workspace().judgements.items():
        name = next(iter(files)) if len(files) == 1 else f"{counted(len(files), 'file')} on {test_set}"
        yield name, partial(_read_files, files, test_set), ""


def _read_files(files: Mapping[str, tuple[Judgement, ...]], test_set: str) -> Read:
    """Read judgements with the document ids among the files of the test set."""
    loaded, experiment = workspace(), loaded_experiment()
    contents = {document.name: hash(document.original) for document in loaded.documents}
    names = [slot.file for slot in loaded.slots if (slot.role, slot.test_set) == ("documents", test_set)]
    found = [document.streams[0].lines for document in loaded.documents if document.name in names]
    documents = [(line or "").rpartition("\t")[2] for line in found[0]] if found else None
    texts = [] if experiment is None else [one for one in experiment.test_sets if one.name == test_set]
    key = digest_of([test_set, *(f"{name} {contents[name]}" for name in files)])
    return Read(key, files, texts[0] if texts else None, documents)


def _of_scores() -> Iterator[Source]:
    experiment = loaded_experiment()
    for given in () if experiment is None else experiment.given:
        if experiment is not None and tables.is_of_people(given):
            for name in dict.fromkeys(one.test_set for one in given.scores):
                where = f" on {name}" if len(experiment.test_sets) > 1 else ""
                yield f"{given.name}, scores{where}", partial(_read_scores, experiment, given, name), ""


def _read_scores(experiment: Experiment, given: GivenMetric, test_set: str) -> Read:
    judged = {given.name: tables.judgements_of_scores(given, test_set)}
    return Read(f"{given.digest} {test_set}", judged, experiment.test_set(test_set))


def _of_campaigns() -> Iterator[Source]:
    if is_demo():
        return
    store = require_store()
    for listed in campaigns_of_visitor(store):
        if listed.way != "preference" and any(done for done, _ in listed.progress.values()):
            yield f"Campaign {listed.name}", partial(_read_campaign, store, listed), f"campaign-{listed.uid[:8]}.csv"


def in_report(results: Results) -> dict[str, Callable[[], Section]]:
    """Return functions that make the sections of finished campaigns on the test set for a report, by name."""
    made: dict[str, Callable[[], Section]] = {}
    known = statistics()
    for name, read, _ in _of_campaigns():
        judged = read()
        if judged.test_set is not None and judged.test_set.digest == results.test_set.digest:
            made[name] = partial(_section, results, name, judged.files, known)
    return made


def _section(results: Results, name: str, files: Mapping[str, Sequence[Judgement]], known: Statistics) -> Section:
    work = means_of_computation(results.settings.workers)
    return people_section(people_of(results, files, work, score=known.scored), name)


def _read_campaign(store: AnnotationStore, listed: Listed) -> Read:
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    experiment = loaded_experiment()
    test_sets = () if experiment is None else experiment.test_sets
    loaded = [one for one in test_sets if one.digest == campaign.test_set_digest]
    judged = {campaign.name: tables.judgements_of_campaign(campaign, tasks)}
    return Read(digest_of(map(repr, tasks)), judged, loaded[0] if loaded else tables.campaign_test_set(campaign))


@dataclass(frozen=True)
class Plan:
    """What is asked of the judgements.

    Parameters
    ----------
    names
        Of the metrics in the settings that people can be compared with, by key.
    """

    people: People
    choices: HumanChoices
    settings: Settings
    names: Mapping[str, str]

    def evaluation(self, work: Work, known: Statistics) -> HumanEvaluation:
        """Return the answers, each computed on demand, reusing known scores."""
        people, choices, settings = self.people, self.choices, self.settings
        if people.experiment is None or people.test_set is None:
            return HumanEvaluation(people.frame, choices, people.test_set, tuple, settings, work)
        about = people.frame, people.experiment, people.test_set
        return human_evaluation(*about, settings, choices, work, known.scored)

    def asked(self, place: str, answer: Callable[[HumanEvaluation], T], *further: object) -> T:
        """Return what is computed beside the page, which ends until it is ready.

        Parameters
        ----------
        further
            What the answer depends on beside the judgements, the choices, the settings and the experiment.
        """
        known, people = statistics(), self.people  # threads cannot read the session
        experiment = "" if people.experiment is None else people.experiment.digest
        key = repr((place, people.key, experiment, self.choices, sorted(self.settings.deciding.items()), further))
        found = ask(f"people-{place}", key, lambda work: answer(self.evaluation(work, known)), self.settings.workers)
        if found is None:
            st.stop()
        return found


def choose_plan(people: People) -> Plan:
    """Choose what all answers share."""
    settings, frame, test_set = settings_of_session() or Settings(), people.frame, people.test_set
    scales = list(dict.fromkeys(frame["scale"]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = choose("Scale", scales, "people-scale", default=tables.usual_scales(frame)[0], width=130)
        others, second = [NO_TIES, *(scale for scale in scales if scale != first)], NO_TIES
        if len(others) > 1:
            default = "fluency" if "fluency" in others else NO_TIES
            second = choose("Break ties by", others, "people-ties", default=default, width=170)
        standardised = choose(
            "Standardise", list(STANDARDISE), "people-standardised", width=220,
            help="By each annotator's mean and SD. Error weights stay raw by default: they mean the same for everyone.",
        )  # fmt: skip
        tests = {test: GOLD_TESTS[test] for test in (RANK_SUM, *(usual() if test_set is not None else ()))}
        test = choose(
            "Test", tests, "people-test", width=295,
            help="The rank-sum test compares all judgements (Graham et al., 2014). The others pair segments judged for"
            " both systems.",
        )  # fmt: skip
        if test == RANK_SUM:
            have_documents = frame.loc[frame["scale"] == first, "document"].notna().all()
            units = [unit for unit in JUDGED_UNITS if unit != "document" or have_documents]
        else:
            units = ["document", "segment"] if test_set is not None and test_set.documents is not None else ["segment"]
        unit = choose(
            "Units", {unit: UNITS[unit] for unit in units}, "people-unit", width=140,
            help="The unit that the test treats as independent. Judgements of one document are not.",
        )  # fmt: skip
        judges = ""
        if frame.loc[frame["scale"] == first, "annotator"].nunique() > FEW_RATERS:
            judges = st.text_input(
                "One judge", key="people-judge", placeholder="gpt-4o, claude", max_chars=200, width=190,
                help="How names of raters begin that count as one judge, e.g. prompts of one model.", **IN_ADDRESS,
            )  # fmt: skip
    starts = [re.escape(start.strip()) for start in judges.split(",") if start.strip()]
    choices = HumanChoices(
        (first, second) if second != NO_TIES else (first,), STANDARDISE[standardised], test, unit,
        baseline=usual_baseline(frame, first), judge=f"^({'|'.join(starts)})" if starts else "",
    )  # fmt: skip
    keep_choices(choices)
    names = {} if people.experiment is None else metrics_beside_people(people.experiment, settings)
    return Plan(people, choices, settings, names)
