"""Choose the judgements of the People page, and how they are read: scale, test, units."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.judged import human_evaluation
from mteval.analysis.people import judgements as tables
from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, RANK_SUM, are_judged_alike
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation, metrics_beside_people
from mteval.analysis.people.judgements import PREFERENCE, finished, judgement_frame
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
from mteval.stats.procedures.registry import usual
from mteval.ui.annotate.store import campaigns_of_visitor, require_store
from mteval.ui.elements import IN_ADDRESS, choose, choose_some, errors_end_the_page, quiet, say
from mteval.ui.page import settings_of_session
from mteval.ui.session.memory import Statistics, remembered, statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.workspace import LOWER, add_snapshot, keep_choices, loaded_experiment, remove_snapshot, workspace
from mteval.values.given import GivenMetric
from mteval.values.judgements import MQM, Judgement
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.service import is_demo
from mteval.values.settings import Settings

T = TypeVar("T")
Source = tuple[str, Callable[[], "CurrentJudgements"]]  # name, and what reads it
STANDARDISE = {words: value for value, words in STANDARDISED.items()}
NO_TIES = "nothing"
ORIGIN = 12  # digits of a campaign's uid that name its snapshot
MOST_WRONG = 5  # answers that are named on the page
RANDOM = "Random sample"
ALL = "All segments"


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
        return _origin_of(self.campaign.uid)


def _origin_of(uid: str) -> str:
    return uid[:ORIGIN]


@dataclass(frozen=True)
class CurrentJudgements:
    """Judgements as they are now.

    Parameters
    ----------
    key
        All that decides them.
    files
        The judgements by file.
    test_set
        The judged one, if its texts are known.
    documents
        Of its segments, if these are known and the texts are not.
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
        The texts that were judged; None if they are not known.
    experiment
        The one that has this test set; None if it is not loaded.
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
    read_of = _sources()
    if not read_of:
        return None
    names = list(read_of)
    name = names[0]
    if len(names) > 1:
        name = choose("Judgements", names, "people-source", width=380)
    with errors_end_the_page():
        people = _people(_choose_stratum(read_of[name]()))
    for note in people.judged.notes:
        say(note.severity, note.text)
    if people.campaign is not None and people.campaign.wrong:
        _name_wrong_answers(people.campaign.wrong)
    if not people.frame.empty:
        quiet(judged_extent(people.frame))
    for category, severity, count in people.judged.unknown:
        say("warning", unknown_error_sentence(category, severity, count))
    return people


def _sources() -> dict[str, Callable[[], CurrentJudgements]]:
    """Return what reads the judgements at hand, by name: files, imported scores by people, and campaigns."""
    campaigns: Sequence[Listed] = ()
    if not is_demo():
        campaigns = campaigns_of_visitor(require_store())
    # Files that were made of these campaigns would be the same judgements again
    snapshots = tuple(f"{MADE_HERE}/{_origin_of(listed.uid)}/" for listed in campaigns)
    sources = [*_sources_of_files(snapshots), *_sources_of_scores(snapshots)]
    for listed in campaigns:
        sources.append((f"Campaign {listed.name}", partial(_read_campaign, listed)))
    read_of: dict[str, Callable[[], CurrentJudgements]] = {}
    for name, read in sources:
        read_of[free_name(name, read_of.__contains__)] = read
    return read_of


def _choose_stratum(judgements: CurrentJudgements) -> CurrentJudgements:
    """Choose the random sample of a campaign, if there is one; other segments were picked for their change."""
    campaign = judgements.campaign
    if campaign is None:
        return judgements
    strata = {task.stratum for task in finished(campaign.tasks)}
    if strata and "random" not in strata:
        say("warning", "No segment was drawn at random, so averages do not represent the test set.")
    if len(strata) < 2 or "random" not in strata:
        return judgements
    segments = st.segmented_control(
        "Segments", [RANDOM, ALL], default=RANDOM, key="people-stratum", required=True, persist_state="session"
    )
    if segments == RANDOM:
        return _judgements_of_tasks(campaign, [task for task in campaign.tasks if task.stratum == "random"])
    say("warning", "These include segments picked for how much they changed, so averages are biased.")
    return judgements


def _people(judgements: CurrentJudgements) -> People:
    """Gather the judgements, and ask on which of their scales lower is better."""
    test_set = judgements.test_set
    experiment = loaded_experiment()
    if experiment is not None and (test_set is None or test_set not in experiment.test_sets):
        experiment = None
    documents = judgements.documents if test_set is None else test_set.documents

    scales = {judgement.scale for of_file in judgements.files.values() for judgement in of_file}
    scales -= {MQM, PREFERENCE}  # which way is better is known
    lower_is_better: Sequence[str] = ()
    if scales:
        with st.popover("Lower is better…", type="tertiary"):
            lower_is_better = choose_some("Scales where lower is better", sorted(scales), LOWER, in_address=False)
    key = f"{judgements.key} {digest_of(documents or ())} {sorted(lower_is_better)}"

    if not any(judgements.files.values()):
        return People(key, Judged(()), judgement_frame(()), test_set, experiment, judgements.campaign)
    judged = remembered(
        ("people", key),
        lambda: gathered(judgements.files, lower_is_better=lower_is_better, documents=documents),
    )
    frame = remembered(("judgements", key), lambda: judgement_frame(judged.judgements))
    return People(key, judged, frame, test_set, experiment, judgements.campaign)


def snapshot_buttons(people: People) -> None:
    """Offer to use a campaign's judgements as a metric and in the report, as of now."""
    campaign = people.campaign
    experiment = people.experiment
    test_set = people.test_set
    if campaign is None:
        say("note", "These judgements are among your files, so the report has them.")
        return
    if experiment is None or test_set is None:
        say("note", "Load the judged outputs to use these judgements as a metric and in the report.")
        return

    def keep() -> None:
        """Save the judgements as files of the experiment; the page stays with the campaign."""
        tasks = [task for task in campaign.tasks if task.stratum == "random"]
        if not tasks:
            tasks = list(campaign.tasks)
        table = frame_csv(judgement_frame(tables.judgements_of_campaign(campaign.campaign, tasks)))
        metrics = tables.human_metrics(campaign.campaign, campaign.tasks, experiment)
        add_snapshot(campaign.origin, metrics, test_set.name, table)

    if workspace().has_snapshot(campaign.origin):
        with st.container(horizontal=True):
            _keep_button("Update scores and report", ":material/refresh:", keep)
            st.button(
                "Remove",
                icon=":material/delete:",
                on_click=remove_snapshot,
                args=(campaign.origin,),
                key="people-remove",
                type="tertiary",
            )
        say("note", "Scores and report have these judgements as of your last click.")
    else:
        with st.container(horizontal=True):
            _keep_button("Use in scores and report", ":material/add_chart:", keep)


def _keep_button(label: str, icon: str, keep: Callable[[], None]) -> None:
    st.button(
        label,
        on_click=keep,
        key="people-keep",
        icon=icon,
        type="primary",
        help="Saves the judgements so far with the experiment: as a metric on every page, and in reports.",
    )


def _name_wrong_answers(wrong: Sequence[WrongAnswer]) -> None:
    """Name the answers that are neither counted nor exported; earlier versions stored them."""
    are = agreeing(len(wrong), "is", "are")
    answers = counted(len(wrong), "stored answer")
    sentences = [f"{answers} {are} not allowed by the protocol, so {are} not counted or exported."]
    sentences.extend(map(str, wrong[:MOST_WRONG]))
    if len(wrong) > MOST_WRONG:
        sentences.append(f"{len(wrong) - MOST_WRONG:,} more: see mteval annotations check.")
    say("warning", " ".join(sentences))


def _sources_of_files(snapshots: tuple[str, ...]) -> Iterator[Source]:
    """Yield judgements in files, except those made of campaigns at hand, by the beginnings of their names."""
    for test_set, every_file in workspace().judgements.items():
        files = {name: judgements for name, judgements in every_file.items() if not name.startswith(snapshots)}
        if not files:
            continue
        if len(files) == 1:
            (name,) = files
        else:
            name = f"{counted(len(files), 'file')} on {test_set}"
        yield name, partial(_read_files, files, test_set)


def _read_files(files: Mapping[str, tuple[Judgement, ...]], test_set: str) -> CurrentJudgements:
    """Read judgements with the document ids among the files of the test set."""
    loaded = workspace()
    hash_of = {document.name: hash(document.original) for document in loaded.documents}
    key = digest_of([test_set, *(f"{name} {hash_of[name]}" for name in files)])

    # A file of document ids may have other columns before them
    id_files = [slot.file for slot in loaded.slots if slot.role == "documents" and slot.test_set == test_set]
    documents = None
    for document in loaded.documents:
        if document.name in id_files:
            documents = [(line or "").rpartition("\t")[2] for line in document.streams[0].lines]
            break

    experiment = loaded_experiment()
    judged_test_set = None
    if experiment is not None:
        judged_test_set = next((known for known in experiment.test_sets if known.name == test_set), None)
    return CurrentJudgements(key, files, judged_test_set, documents)


def _sources_of_scores(snapshots: tuple[str, ...]) -> Iterator[Source]:
    """Yield imported scores by people, except those made of campaigns at hand."""
    experiment = loaded_experiment()
    if experiment is None:
        return
    made_of_campaigns = {slot.shown_name for slot in workspace().slots if slot.file.startswith(snapshots)}
    for metric in experiment.given:
        if metric.name in made_of_campaigns or not metric.is_of_people:
            continue
        for test_set in dict.fromkeys(scores.test_set for scores in metric.scores):
            name = f"{metric.name}, scores"
            if len(experiment.test_sets) > 1:
                name += f" on {test_set}"
            yield name, partial(_read_scores, experiment, metric, test_set)


def _read_scores(experiment: Experiment, metric: GivenMetric, test_set: str) -> CurrentJudgements:
    files = {metric.name: tables.judgements_of_scores(metric, test_set)}
    return CurrentJudgements(f"{metric.digest} {test_set}", files, experiment.test_set(test_set))


def _read_campaign(listed: Listed) -> CurrentJudgements:
    """Read a campaign from the store; outputs that are loaded get the names that they have there."""
    store = require_store()
    campaign = store.campaign(listed.uid)
    run_of: dict[str, Run] = {}
    experiment = loaded_experiment()
    if experiment is not None:
        run_of = {run.digest: run for test_set in experiment.test_sets for run in test_set.runs}
    outputs = []
    for output in campaign.outputs:
        run = run_of.get(output.digest)
        if run is not None:
            output = replace(output, system=run.system, run=run.key)
        outputs.append(output)
    answers = store.answers(listed.uid)
    renamed = replace(campaign, outputs=tuple(outputs))
    collected = Collected(listed, renamed, answers.tasks, answers.wrong)
    return _judgements_of_tasks(collected, collected.tasks)


def _judgements_of_tasks(collected: Collected, tasks: Sequence[Task]) -> CurrentJudgements:
    """Return the judgements of some tasks of a campaign."""
    campaign = collected.campaign
    judgements = tables.judgements_of_campaign(campaign, tasks)
    return CurrentJudgements(
        key=digest_of(map(repr, judgements)),
        files={campaign.name: judgements},
        test_set=_test_set_of(campaign),
        campaign=collected,
    )


def _test_set_of(campaign: Campaign) -> TestSet | None:
    """Return the test set of a campaign as it is loaded, else as the campaign has it."""
    experiment = loaded_experiment()
    if experiment is not None:
        for test_set in experiment.test_sets:
            if test_set.digest == campaign.test_set_digest:
                return test_set
    return tables.campaign_test_set(campaign)


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
        people = self.people
        if people.experiment is None or people.test_set is None:
            return HumanEvaluation(people.frame, self.choices, people.test_set, tuple, self.settings, work)
        return human_evaluation(
            people.frame,
            people.experiment,
            people.test_set,
            self.settings,
            self.choices,
            work,
            known.scored,
        )

    def asked(self, place: str, answer: Callable[[HumanEvaluation], T], *further: object) -> T:
        """Return what is computed beside the page, which ends until it is ready.

        Parameters
        ----------
        further
            What the answer depends on beside the judgements, the choices, the settings and the experiment.
        """
        experiment = self.people.experiment
        digest = "" if experiment is None else experiment.digest
        key = repr((place, self.people.key, digest, self.choices, sorted(self.settings.deciding.items()), further))
        known = statistics()  # threads cannot read the session
        return answered(place, key, lambda work: answer(self.evaluation(work, known)), self.settings.workers)


def answered(place: str, key: str, answer: Callable[[Work], T], workers: int) -> T:
    """Return what is computed beside the page, which ends until it is ready; the key is all that decides it."""
    value = ask(f"people-{place}", key, answer, workers)
    if value is None:
        st.stop()
    return value


def choose_plan(people: People) -> Plan:
    """Choose what all answers share."""
    settings = settings_of_session()
    if settings is None:
        settings = Settings()
    frame = people.frame
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scales = _choose_scales(frame)
        standardise = choose(
            "Standardise",
            list(STANDARDISE),
            "people-standardised",
            width=220,
            help="By each annotator's mean and SD. Error weights stay raw by default: they mean the same for everyone.",
        )
        rows = frame[frame["scale"] == scales[0]]
        test = _choose_test(frame, scales)
        unit = _choose_unit(people.test_set, rows, test)
        judge = ""
        if rows["annotator"].nunique() > 2:  # from three on, some may be the same judge
            judge = _choose_judge()
    choices = HumanChoices(
        scales, STANDARDISE[standardise], test, unit, baseline=usual_baseline(frame, scales[0]), judge=judge
    )
    keep_choices(choices)
    names: Mapping[str, str] = {}
    if people.experiment is not None:
        names = metrics_beside_people(people.experiment, settings)
    return Plan(people, choices, settings, names)


def _choose_scales(frame: pd.DataFrame) -> tuple[str, ...]:
    """Choose the scale, and the one that breaks its ties if there are others."""
    scales = list(dict.fromkeys(frame["scale"]))
    scale = choose("Scale", scales, "people-scale", default=tables.usual_scales(frame)[0], width=130)
    if len(scales) == 1:
        return (scale,)
    options = [NO_TIES, *(further for further in scales if further != scale)]
    default = "fluency" if "fluency" in options else NO_TIES
    breaks_ties = choose("Break ties by", options, "people-ties", default=default, width=170)
    if breaks_ties == NO_TIES:
        return (scale,)
    return (scale, breaks_ties)


def _choose_test(rows: pd.DataFrame, scales: Sequence[str]) -> str:
    """Choose the test between human judgements: first the one that is usual for them."""
    tests = list(usual())
    if scales[0] != PREFERENCE and are_judged_alike(rows, scales):
        tests.append(RANK_SUM)
    elif scales[0] != PREFERENCE:
        tests.insert(0, RANK_SUM)
    return choose(
        "Test",
        {test: GOLD_TESTS[test] for test in tests},
        "people-test",
        width=295,
        help="The rank-sum test compares all judgements (Graham et al., 2014). The others pair segments judged for"
        " both systems.",
    )


def _choose_unit(test_set: TestSet | None, rows: pd.DataFrame, test: str) -> str:
    """Choose the unit of a test; documents need ids."""
    has_documents = bool(rows["document"].notna().all())
    if test == RANK_SUM:
        units = [unit for unit in JUDGED_UNITS if unit != "document" or has_documents]
    elif has_documents or (test_set is not None and test_set.documents is not None):
        units = ["document", "segment"]
    else:
        units = ["segment"]
    return choose(
        "Units",
        {unit: UNITS[unit] for unit in units},
        "people-unit",
        width=140,
        help="The unit that the test treats as independent. Judgements of one document are not.",
    )


def _choose_judge() -> str:
    """Ask how names of one judge begin, and return a pattern of them; empty if nothing was entered."""
    text = st.text_input(
        "One judge",
        key="people-judge",
        placeholder="gpt-4o, claude",
        max_chars=200,
        width=190,
        help="Raters whose names start with the same of these words count as one judge, e.g. prompts of one model.",
        **IN_ADDRESS,
    )
    beginnings = [re.escape(beginning.strip()) for beginning in text.split(",") if beginning.strip()]
    if not beginnings:
        return ""
    return f"^({'|'.join(beginnings)})"
