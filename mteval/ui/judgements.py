"""Choose the judgements of the People page, and how they are read: scale, test, units."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.people import judgements as tables
from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, RANK_SUM
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation, metrics_beside_people
from mteval.analysis.people.judgements import PREFERENCE, judgement_frame
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.scoring import Work
from mteval.annotations import Campaign, Listed, Task
from mteval.annotations.protocol import WrongAnswer
from mteval.answers.gold import UNITS, judged_extent, unknown_error_sentence
from mteval.answers.people import STANDARDISED
from mteval.base.digests import digest_of
from mteval.base.words import agreeing, counted, free_name
from mteval.readers.assembly.judgements import Judged, gathered
from mteval.readers.workspace import MADE_HERE
from mteval.render.frames import frame_csv
from mteval.report.page import human_evaluation
from mteval.stats.procedures.registry import usual
from mteval.ui.annotate.store import campaigns_of_visitor, require_store
from mteval.ui.elements import IN_ADDRESS, choose, choose_some, errors_end_the_page, quiet, say
from mteval.ui.page import settings_of_session
from mteval.ui.session.memory import Statistics, remembered, statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.workspace import LOWER, add_snapshot, keep_choices, loaded_experiment, remove_snapshot, workspace
from mteval.values.given import GivenMetric
from mteval.values.judgements import MQM, Judgement
from mteval.values.model import Experiment, TestSet
from mteval.values.service import is_demo
from mteval.values.settings import Settings

T = TypeVar("T")
Source = tuple[str, Callable[[], "Read"]]
STANDARDISE = {words: value for value, words in STANDARDISED.items()}
NO_TIES = "nothing"
ORIGIN = 12  # digits of a campaign's uid that name its snapshot
MOST_WRONG = 5  # answers that are named on the page
RANDOM, ALL = "Random sample", "All segments"


@dataclass(frozen=True)
class Collected:
    """A campaign as it is now, its outputs named as those that are loaded."""

    listed: Listed
    campaign: Campaign
    tasks: tuple[Task, ...]
    wrong: tuple[WrongAnswer, ...] = ()  # which are neither counted nor exported

    @property
    def is_blind(self) -> bool:
        """Whether the names of its systems stay hidden."""
        return self.campaign.way == PREFERENCE and not self.listed.is_done

    @property
    def origin(self) -> str:
        """Names its snapshot among the files."""
        return self.campaign.uid[:ORIGIN]


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
    campaign
        The campaign that they come from.
    """

    key: str
    files: Mapping[str, tuple[Judgement, ...]]
    test_set: TestSet | None
    documents: Sequence[str] | None = None
    campaign: Collected | None = None


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
    campaign
        The campaign that they come from.
    """

    key: str
    judged: Judged
    frame: pd.DataFrame
    test_set: TestSet | None
    experiment: Experiment | None
    campaign: Collected | None = None


def choose_people() -> People | None:
    """Choose judgements; None without any."""
    by_name: dict[str, Callable[[], Read]] = {}
    campaigns = () if is_demo() else campaigns_of_visitor(require_store())
    kept = tuple(f"{MADE_HERE}/{listed.uid[:ORIGIN]}/" for listed in campaigns)
    of_campaigns: list[Source] = [(f"Campaign {listed.name}", partial(_read_campaign, listed)) for listed in campaigns]
    for name, read in [*_of_files(kept), *_of_scores(kept), *of_campaigns]:
        by_name[free_name(name, by_name.__contains__)] = read
    if not by_name:
        return None
    names = list(by_name)
    chosen = by_name[names[0] if len(names) == 1 else choose("Judgements", names, "people-source", width=380)]
    with errors_end_the_page():
        people = _people(_choose_stratum(chosen()))
    for note in people.judged.notes:
        say(note.severity, note.text)
    if people.campaign is not None and people.campaign.wrong:
        _name_wrong_answers(people.campaign.wrong)
    if not people.frame.empty:
        quiet(judged_extent(people.frame))
    for category, severity, count in people.judged.unknown:
        say("warning", unknown_error_sentence(category, severity, count))
    return people


def _choose_stratum(read: Read) -> Read:
    """Choose the random sample of a campaign, if there is one; other segments were picked for their change."""
    if read.campaign is None:
        return read
    strata = {task.stratum for task in read.campaign.tasks if task.is_complete and task.control is None}
    if strata and "random" not in strata:
        say("warning", "No segment was drawn at random, so averages do not represent the test set.")
    if len(strata) < 2 or "random" not in strata:
        return read
    chosen = st.segmented_control(
        "Segments", [RANDOM, ALL], default=RANDOM, key="people-stratum", required=True, persist_state="session"
    )
    if chosen == RANDOM:
        return _of_tasks(read.campaign, [task for task in read.campaign.tasks if task.stratum == "random"])
    say("warning", "These include segments picked for how much they changed, so averages are biased.")
    return read


def _people(read: Read) -> People:
    experiment = loaded_experiment()
    if experiment is not None and (read.test_set is None or read.test_set not in experiment.test_sets):
        experiment = None
    documents = read.documents if read.test_set is None else read.test_set.documents
    scales = sorted({one.scale for of_file in read.files.values() for one in of_file} - {MQM, PREFERENCE})
    lower: Sequence[str] = ()  # error weights have a sign already
    if scales:
        with st.popover("Lower is better…", type="tertiary"):
            lower = choose_some("Scales where lower is better", scales, LOWER, in_address=False)
    where = "" if read.test_set is None else read.test_set.digest
    key = f"{read.key} {where} {digest_of(documents or ())} {sorted(lower)}"

    if not any(read.files.values()):
        return People(key, Judged(()), judgement_frame(()), read.test_set, experiment, read.campaign)
    judged = remembered(("people", key), lambda: gathered(read.files, lower_is_better=lower, documents=documents))
    frame = remembered(("judgements", key), lambda: judgement_frame(judged.judgements))
    return People(key, judged, frame, read.test_set, experiment, read.campaign)


def snapshot_buttons(people: People) -> None:
    """Offer to use a campaign's judgements as a metric and in the report, as of now."""
    source, experiment, test_set = people.campaign, people.experiment, people.test_set
    if source is None:
        say("note", "These judgements are among your files, so the report has them.")
        return
    if experiment is None or test_set is None:
        say("note", "Load the judged outputs to use these judgements as a metric and in the report.")
        return

    def keep() -> None:
        """Save the judgements as files of the experiment; the page stays with the campaign."""
        drawn = [task for task in source.tasks if task.stratum == "random"] or list(source.tasks)
        table = frame_csv(judgement_frame(tables.judgements_of_campaign(source.campaign, drawn)))
        metrics = tables.human_metrics(source.campaign, source.tasks, experiment)
        add_snapshot(source.origin, metrics, test_set.name, table)

    is_kept = workspace().has_snapshot(source.origin)
    with st.container(horizontal=True):
        st.button(
            "Update scores and report" if is_kept else "Use in scores and report", on_click=keep, key="people-keep",
            icon=f":material/{'refresh' if is_kept else 'add_chart'}:", type="primary",
            help="Saves the judgements so far with the experiment: as a metric on every page, and in reports.",
        )  # fmt: skip
        if is_kept:
            st.button(
                "Remove", icon=":material/delete:", on_click=remove_snapshot, args=(source.origin,),
                key="people-remove", type="tertiary",
            )  # fmt: skip
    if is_kept:
        say("note", "Scores and report have these judgements as of your last click.")


def _name_wrong_answers(wrong: Sequence[WrongAnswer]) -> None:
    """Name the answers that are neither counted nor exported; earlier versions stored them."""
    are = agreeing(len(wrong), "is", "are")
    lost = (
        f"{counted(len(wrong), 'stored answer')} {are} not allowed by the protocol, so {are} not counted or exported."
    )
    more = [f"{len(wrong) - MOST_WRONG:,} more: see mteval annotations check."] if len(wrong) > MOST_WRONG else []
    say("warning", " ".join([lost, *map(str, wrong[:MOST_WRONG]), *more]))


def _of_files(kept: tuple[str, ...]) -> Iterator[Source]:
    """Yield judgements in files, except those kept of campaigns at hand, by the beginnings of their names."""
    for test_set, every in workspace().judgements.items():
        if files := {name: judged for name, judged in every.items() if not name.startswith(kept)}:
            name = next(iter(files)) if len(files) == 1 else f"{counted(len(files), 'file')} on {test_set}"
            yield name, partial(_read_files, files, test_set)


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


def _of_scores(kept: tuple[str, ...]) -> Iterator[Source]:
    experiment = loaded_experiment()
    made_of_them = {slot.shown_name for slot in workspace().slots if slot.file.startswith(kept)}
    for given in () if experiment is None else experiment.given:
        if experiment is not None and tables.is_of_people(given) and given.name not in made_of_them:
            for name in dict.fromkeys(one.test_set for one in given.scores):
                where = f" on {name}" if len(experiment.test_sets) > 1 else ""
                yield f"{given.name}, scores{where}", partial(_read_scores, experiment, given, name)


def _read_scores(experiment: Experiment, given: GivenMetric, test_set: str) -> Read:
    judged = {given.name: tables.judgements_of_scores(given, test_set)}
    return Read(f"{given.digest} {test_set}", judged, experiment.test_set(test_set))


def _read_campaign(listed: Listed) -> Read:
    store = require_store()
    campaign, experiment = store.campaign(listed.uid), loaded_experiment()
    runs = {} if experiment is None else {run.digest: run for one in experiment.test_sets for run in one.runs}
    outputs = []
    for output in campaign.outputs:
        run = runs.get(output.digest)
        outputs.append(output if run is None else replace(output, system=run.system, run=run.key))
    answers = store.answers(listed.uid)
    named = replace(campaign, outputs=tuple(outputs))
    return _of_tasks(Collected(listed, named, answers.tasks, answers.wrong))


def _of_tasks(found: Collected, tasks: Sequence[Task] | None = None) -> Read:
    """Return the judgements of some tasks of a campaign, by default of all."""
    campaign, experiment, chosen = found.campaign, loaded_experiment(), found.tasks if tasks is None else tasks
    test_sets = () if experiment is None else experiment.test_sets
    loaded = [one for one in test_sets if one.digest == campaign.test_set_digest]
    judged = tables.judgements_of_campaign(campaign, chosen)
    test_set = loaded[0] if loaded else tables.campaign_test_set(campaign)
    return Read(digest_of(map(repr, judged)), {campaign.name: judged}, test_set, campaign=found)


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
        return answered(place, key, lambda work: answer(self.evaluation(work, known)), self.settings.workers)


def answered(place: str, key: str, answer: Callable[[Work], T], workers: int) -> T:
    """Return what is computed beside the page, which ends until it is ready; the key is all that decides it."""
    if (found := ask(f"people-{place}", key, answer, workers)) is None:
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
        known = (*([] if first == PREFERENCE else [RANK_SUM]), *(usual() if test_set is not None else ()))
        test = choose(
            "Test", {test: GOLD_TESTS[test] for test in known}, "people-test", width=295,
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
        if frame.loc[frame["scale"] == first, "annotator"].nunique() > 2:  # from three on, some may be the same judge
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
