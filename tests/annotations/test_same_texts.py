"""Outputs with the same text are judged once or not at all, and every number says so."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from mteval.analysis.people.averages import averages_frame, voted
from mteval.analysis.people.judgements import judgement_frame, judgements_of_campaign, n_judgements
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.scoring import Work
from mteval.annotations import (
    AnnotationStore,
    Campaign,
    Output,
    Task,
    from_json,
    merged,
    to_json,
    with_controls,
)
from mteval.annotations.campaign_files import appraise_batches
from mteval.answers.gold import judged_extent
from mteval.base.errors import DataError, SettingsError
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import file_at
from mteval.render.frames import frame_csv
from mteval.values.asker import OPERATOR
from mteval.values.settings import Settings
from tests.annotations import saying
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for


def same_on_two(checks: int = 0) -> Campaign:
    """A blind preference between outputs that are the same text on segments 1 and 2."""
    campaign = make_campaign("preference")
    first = campaign.outputs[0]
    n_segments = len(first.hypotheses)
    others = ("another", *first.hypotheses[1:3], *["another"] * (n_segments - 3))
    pair = (first, Output("other", "0", others))
    plan = replace(campaign.plan, checks=checks)
    return replace(campaign, outputs=pair, references=(("reference",),) * n_segments, plan=plan)


def test_two_identical_outputs_are_equal_without_anybody_reading_them() -> None:
    campaign = same_on_two()

    tasks = merged(campaign, tasks_for(campaign, "ann"))

    automatic = [task for task in tasks if task.is_automatic]
    assert {task.segment for task in automatic} == {1, 2}
    assert all(task.preference == "equal" and task.is_complete for task in automatic)
    assert {task.segment for task in tasks if task.preference is None} == {0, 3, 4, 5}


def test_attention_checks_are_asked_on_pairs_that_are_read() -> None:
    campaign, tasks = with_controls(same_on_two(checks=6), merged(same_on_two(), tasks_for(same_on_two(), "ann")))

    checks = [task for task in tasks if task.control is not None]
    assert {task.segment for task in checks} == {0, 3, 4, 5}
    assert not any(task.is_automatic or task.is_complete or task.preference for task in checks)
    assert sum(task.is_automatic for task in tasks) == 2
    assert from_json(to_json(campaign, tasks), "c.json") == (campaign, tasks)


def test_ties_of_the_same_text_are_no_judgements_but_count_in_the_preference() -> None:
    campaign = same_on_two()
    votes = {0: "first", 3: "second", 4: "second", 5: "equal"}
    tasks = []
    for task in merged(campaign, tasks_for(campaign, "ann", "bob")):
        if not task.is_automatic:
            task = replace(task, preference=votes[task.segment], is_complete=True)
        tasks.append(task)

    frame = judgement_frame(judgements_of_campaign(campaign, tasks))

    assert n_judgements(frame) == 8
    extent = judged_extent(frame)
    assert extent.startswith("8 judgements by 2 annotators of 2 systems on 6 segments")
    assert extent.endswith("scales: preference. Pairs of the same text are ties without a judgement.")
    preferences = voted(frame, Settings(exchange_unit="segment"))
    assert (preferences.winner, preferences.votes, preferences.n_same) == ("other", (4, 2, 2), 2)
    agreement = rater_agreement_frame(frame, "preference")
    assert agreement["n_outputs"].tolist() == [4, 4]
    means = averages_frame(frame, "preference", None, Settings(exchange_unit="segment"), Work())
    assert means["n_segments"].tolist() == [6, 6]
    assert means["mean"].tolist() == pytest.approx([3.5 / 6, 2.5 / 6])  # 0 + 1 + 1 and three ties, and the rest


def test_judgements_keep_in_a_table_which_of_them_nobody_gave(tmp_path: Path) -> None:
    campaign = same_on_two()
    tasks = []
    for task in merged(campaign, tasks_for(campaign, "ann")):
        tasks.append(task if task.is_automatic else replace(task, preference="first", is_complete=True))
    frame = judgement_frame(judgements_of_campaign(campaign, tasks))
    path = tmp_path / "judgements.csv"
    path.write_text(frame_csv(frame))

    read = judgement_frame(read_judgements([file_at(path)]).judgements)

    pd.testing.assert_frame_equal(read, frame)


def test_nobody_has_a_tie_before_the_first_vote() -> None:
    campaign = same_on_two()

    assert judgements_of_campaign(campaign, merged(campaign, tasks_for(campaign, "ann"))) == ()


def test_nobody_can_answer_a_pair_of_the_same_text(store: AnnotationStore) -> None:
    campaign = same_on_two()
    store.add(campaign, merged(campaign, tasks_for(campaign, "ann")), OPERATOR)
    automatic = next(task for task in store.tasks(campaign.uid) if task.is_automatic)

    with pytest.raises(DataError, match="the same text, so nobody is asked"):
        saying.prefer(store, automatic.id, "first")

    assert store.list_campaigns()[0].progress == {"ann": (0, 4)}
    for task in store.tasks(campaign.uid):
        if not task.is_automatic:
            saying.prefer(store, task.id, "second")
    (listed,) = store.list_campaigns()
    assert listed.progress == {"ann": (4, 4)}
    assert listed.is_done


def test_only_pairs_of_the_same_text_are_automatic(store: AnnotationStore) -> None:
    campaign = same_on_two()
    wrong = []
    for task in tasks_for(campaign, "ann"):
        wrong.append(replace(task, preference="equal", is_complete=True, is_automatic=True))

    with pytest.raises(SettingsError, match="its outputs are not the same text"):
        store.add(campaign, wrong, OPERATOR)


def test_files_of_earlier_versions_do_not_tell_ties_that_nobody_gave() -> None:
    campaign = same_on_two()
    tasks = merged(campaign, tasks_for(campaign, "ann"))
    earlier = to_json(campaign, tasks).replace(',\n   "is_automatic": true', "")
    assert "is_automatic" not in earlier

    assert from_json(earlier, "c.json") == (campaign, tasks)

    # What somebody answered is theirs, also on the same text
    answered: list[Task] = []
    for task in tasks:
        answered.append(replace(task, is_automatic=False, updated_at="2026-01-01") if task.is_automatic else task)
    assert from_json(to_json(campaign, answered), "c.json") == (campaign, tuple(answered))


def test_batches_for_appraise_ask_no_pair_of_the_same_text() -> None:
    campaign = same_on_two()

    batches = appraise_batches(campaign, merged(campaign, tasks_for(campaign, "ann")))

    assert '"output 0 of 0"' in batches
    assert '"output 0 of 1"' not in batches
