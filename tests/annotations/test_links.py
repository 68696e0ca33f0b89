"""Who reaches a campaign; on SQLite and on PostgreSQL."""

import pytest

from mteval.annotations import AnnotationStore
from mteval.base.errors import DataError
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import NASTY, campaign, tasks_for


def test_every_annotator_and_the_coordinators_have_a_random_link(store: AnnotationStore) -> None:
    one, other = campaign(), campaign(uid="e" * 32, name="other")
    for each in (one, other):
        store.add(each, tasks_for(each, "ann", NASTY), Asker("me"))
    all_tokens = []
    for each in (one, other):
        links = store.links(each.uid)
        assert set(links.annotators) == set(store.list_campaigns()[0].progress)
        opened = [store.opened(token) for token in links.annotators.values()]
        assert [(found.uid, found.annotator) for found in opened] == [(each.uid, name) for name in links.annotators]
        assert store.opened(links.coordinator).annotator is None
        all_tokens += [links.coordinator, *links.annotators.values()]
    assert len(set(all_tokens)) == 6
    assert min(map(len, all_tokens)) >= 22  # 128 bits, six a character


@pytest.mark.parametrize("token", ["", "ann", "c" * 32, "%", "' OR 1=1 --", NASTY])
def test_unknown_link_is_an_error(store: AnnotationStore, token: str) -> None:
    one = campaign()
    store.add(one, tasks_for(one), asker=OPERATOR)
    for ask in (store.opened, lambda token: store.coordinate(token, Asker("me"))):
        with pytest.raises(DataError, match="link no longer works"):
            ask(token)


def test_visitor_lists_own_campaigns_and_those_opened_by_link(store: AnnotationStore) -> None:
    one = campaign()
    store.add(one, tasks_for(one), Asker("me"))
    links = store.links(one.uid)

    def found(visitor: str) -> list[str]:
        return [listed.uid for listed in store.list_campaigns(visitor)]

    assert (found("me"), found("you"), found("")) == ([one.uid], [], [])
    with pytest.raises(DataError, match="belongs to an annotator"):
        store.coordinate(links.annotators["ann"], Asker("you"))
    assert found("you") == []
    assert store.coordinate(links.coordinator, Asker("you")) == one.uid
    store.coordinate(links.coordinator, Asker("you"))
    assert found("you") == [one.uid]

    store.renew_link(one.uid, None, Asker("me"))
    assert (found("me"), found("you")) == ([one.uid], [])
    with pytest.raises(DataError, match="no longer works"):
        store.coordinate(links.coordinator, Asker("you"))
    assert store.links(one.uid).annotators == links.annotators


def test_replaced_link_is_an_error_and_answers_stay(store: AnnotationStore) -> None:
    one = campaign("rating")
    store.add(one, tasks_for(one, "ann", "bob"), asker=OPERATOR)
    saying.rate(store, store.tasks(one.uid, "ann")[0].id, adequacy=3)
    before = store.links(one.uid)
    store.renew_link(one.uid, "ann", OPERATOR)
    after = store.links(one.uid)
    assert after.annotators["bob"] == before.annotators["bob"]
    with pytest.raises(DataError, match="no longer works"):
        store.opened(before.annotators["ann"])
    assert store.opened(after.annotators["ann"]).annotator == "ann"
    assert store.tasks(one.uid, "ann")[0].adequacy == 3


def test_links_are_deleted_with_their_campaign(store: AnnotationStore) -> None:
    one = campaign()
    store.add(one, tasks_for(one), Asker("me"))
    links = store.links(one.uid)
    store.delete(one.uid, asker=OPERATOR)
    for token in (links.coordinator, links.annotators["ann"]):
        with pytest.raises(DataError, match="no longer works"):
            store.opened(token)
    assert store.list_campaigns("me") == ()
    store.add(one, tasks_for(one), asker=OPERATOR)
    assert store.links(one.uid) != links


UNSTORABLE = ["\0", "\0x", "x\0", "\ud800", "x\udfff"]


@pytest.mark.parametrize("text", UNSTORABLE)
def test_texts_that_no_database_holds_are_unknown(store: AnnotationStore, text: str) -> None:
    one = campaign()
    store.add(one, tasks_for(one), Asker("me"))
    links = store.links(one.uid)
    for token in (text, links.coordinator + text, links.annotators["ann"] + text):
        for ask in (store.opened, lambda token: store.coordinate(token, Asker("me"))):
            with pytest.raises(DataError, match="link no longer works"):
                ask(token)
        task = store.tasks(one.uid)[0].id
        with pytest.raises(DataError, match="link no longer works"):
            saying.comment(store, task, "x", Asker(token=token))
    for uid in (text, one.uid + text):
        for ask_campaign in (store.campaign, store.tasks, store.links):
            with pytest.raises(DataError, match="No campaign"):
                ask_campaign(uid)
    assert store.list_campaigns("me" + text) == ()
    assert store.items("me" + text, one.test_set_digest, 0, [one.outputs[0].digest]) == ()
    assert store.items("me", one.test_set_digest + text, 0, [one.outputs[0].digest]) == ()
    assert store.tasks(one.uid, "ann" + text) == ()
    with pytest.raises(DataError, match="zero character or half a surrogate pair"):
        store.coordinate(links.coordinator, Asker("you" + text))
    assert store.links(one.uid) == links
