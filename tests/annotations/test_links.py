"""Who reaches a campaign; on SQLite and on PostgreSQL."""

import pytest

from mteval.annotations import AnnotationStore
from mteval.base.errors import DataError
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import NASTY, tasks_for
from tests.annotations.conftest import campaign as make_campaign


def test_every_annotator_and_the_coordinators_have_a_random_link(store: AnnotationStore) -> None:
    campaigns = [make_campaign(), make_campaign(uid="e" * 32, name="other")]
    for campaign in campaigns:
        store.add(campaign, tasks_for(campaign, "ann", NASTY), Asker("me"))

    all_tokens = []
    for campaign in campaigns:
        links = store.links(campaign.uid)
        assert set(links.annotators) == set(store.list_campaigns()[0].progress)
        for annotator, token in links.annotators.items():
            opened = store.opened(token)
            assert (opened.uid, opened.annotator) == (campaign.uid, annotator)
        assert store.opened(links.coordinator).annotator is None
        all_tokens += [links.coordinator, *links.annotators.values()]
    assert len(set(all_tokens)) == 6
    assert min(map(len, all_tokens)) >= 22  # 128 bits, six a character


@pytest.mark.parametrize("token", ["", "ann", "c" * 32, "%", "' OR 1=1 --", NASTY])
def test_unknown_link_is_an_error(store: AnnotationStore, token: str) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)

    with pytest.raises(DataError, match="link no longer works"):
        store.opened(token)
    with pytest.raises(DataError, match="link no longer works"):
        store.coordinate(token, Asker("me"))


def test_visitor_lists_own_campaigns_and_those_opened_by_link(store: AnnotationStore) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), Asker("me"))
    links = store.links(campaign.uid)

    def uids_listed_for(visitor: str) -> list[str]:
        return [listed.uid for listed in store.list_campaigns(visitor)]

    assert uids_listed_for("me") == [campaign.uid]
    assert uids_listed_for("you") == []
    assert uids_listed_for("") == []

    with pytest.raises(DataError, match="belongs to an annotator"):
        store.coordinate(links.annotators["ann"], Asker("you"))
    assert uids_listed_for("you") == []
    assert store.coordinate(links.coordinator, Asker("you")) == campaign.uid
    store.coordinate(links.coordinator, Asker("you"))
    assert uids_listed_for("you") == [campaign.uid]

    store.renew_link(campaign.uid, None, Asker("me"))
    assert uids_listed_for("me") == [campaign.uid]
    assert uids_listed_for("you") == []
    with pytest.raises(DataError, match="no longer works"):
        store.coordinate(links.coordinator, Asker("you"))
    assert store.links(campaign.uid).annotators == links.annotators


def test_replaced_link_is_an_error_and_answers_stay(store: AnnotationStore) -> None:
    campaign = make_campaign("rating")
    store.add(campaign, tasks_for(campaign, "ann", "bob"), asker=OPERATOR)
    saying.rate(store, store.tasks(campaign.uid, "ann")[0].id, adequacy=3)
    before = store.links(campaign.uid)

    store.renew_link(campaign.uid, "ann", OPERATOR)

    after = store.links(campaign.uid)
    assert after.annotators["bob"] == before.annotators["bob"]
    with pytest.raises(DataError, match="no longer works"):
        store.opened(before.annotators["ann"])
    assert store.opened(after.annotators["ann"]).annotator == "ann"
    assert store.tasks(campaign.uid, "ann")[0].adequacy == 3


def test_links_are_deleted_with_their_campaign(store: AnnotationStore) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), Asker("me"))
    links = store.links(campaign.uid)

    store.delete(campaign.uid, asker=OPERATOR)

    for token in (links.coordinator, links.annotators["ann"]):
        with pytest.raises(DataError, match="no longer works"):
            store.opened(token)
    assert store.list_campaigns("me") == ()
    store.add(campaign, tasks_for(campaign), asker=OPERATOR)
    assert store.links(campaign.uid) != links


UNSTORABLE = ["\0", "\0x", "x\0", "\ud800", "x\udfff"]


@pytest.mark.parametrize("text", UNSTORABLE)
def test_texts_that_no_database_holds_are_unknown(store: AnnotationStore, text: str) -> None:
    campaign = make_campaign()
    store.add(campaign, tasks_for(campaign), Asker("me"))
    links = store.links(campaign.uid)
    task = store.tasks(campaign.uid)[0].id

    for token in (text, links.coordinator + text, links.annotators["ann"] + text):
        with pytest.raises(DataError, match="link no longer works"):
            store.opened(token)
        with pytest.raises(DataError, match="link no longer works"):
            store.coordinate(token, Asker("me"))
        with pytest.raises(DataError, match="link no longer works"):
            saying.comment(store, task, "x", Asker(token=token))
    for uid in (text, campaign.uid + text):
        for read in (store.campaign, store.tasks, store.links):
            with pytest.raises(DataError, match="No campaign"):
                read(uid)
    assert store.list_campaigns("me" + text) == ()
    assert store.items("me" + text, campaign.test_set_digest, 0, [campaign.outputs[0].digest]) == ()
    assert store.items("me", campaign.test_set_digest + text, 0, [campaign.outputs[0].digest]) == ()
    assert store.tasks(campaign.uid, "ann" + text) == ()
    with pytest.raises(DataError, match="zero character or half a surrogate pair"):
        store.coordinate(links.coordinator, Asker("you" + text))
    assert store.links(campaign.uid) == links
