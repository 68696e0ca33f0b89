"""A server that is killed while it scores, and two servers with one library: nothing is lost, and nothing half."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from benchmarks.served import library_in, started
from benchmarks.visitors import SAMPLE, START, Visitor, connected
from mteval.library import Library
from mteval.report.kept_experiment import opened
from mteval.values.asker import OPERATOR
from tests.coroutines import completed
from tests.fuzz.served import served
from tests.patience import OUTER_LIMIT

FEW, MANY = 100, 1_000_000  # shuffles: nobody waits for the end of the latter
SECONDS_AT_WORK = 0.5


async def press_score(host: str, key: str, n_shuffles: int, is_there: Callable[[Visitor], bool]) -> None:
    """Somebody opens the experiment and has it scored; they leave when something is there."""
    deadline = time.monotonic() + OUTER_LIMIT
    async with connected(host) as socket:
        visitor = Visitor(socket, f"key={key}&shuffles={n_shuffles}")
        await visitor.ask()
        while not is_there(visitor):
            assert time.monotonic() < deadline
            await visitor.ask("scores", "" if visitor.is_working else START)  # pages draw buttons of their own
            await asyncio.sleep(0.5)


async def score_the_sample(host: str) -> None:
    """Somebody loads the sample and has it scored, which keeps it in the library."""
    async with connected(host) as socket:
        visitor = Visitor(socket, f"shuffles={FEW}")
        await visitor.ask()
        await visitor.ask(button=SAMPLE)
        if START not in visitor.buttons:
            await visitor.ask()
        await visitor.score()


def is_kept(visitor: Visitor, library: Library, link: str, n_shuffles: int) -> bool:
    """Whether the numbers of so many shuffles are kept; opening what is kept takes longer than asking the page."""
    results = None if visitor.is_working else opened(library.content(link)).results
    return results is not None and results.settings.n_shuffles == n_shuffles


@pytest.mark.long
def test_a_server_that_is_killed_while_it_scores_loses_nothing_and_leaves_nothing_half(tmp_path: Path) -> None:
    library = library_in(tmp_path)
    with served(tmp_path) as (host, link):
        completed(
            press_score(host, library.entry(link).editor, FEW, lambda visitor: is_kept(visitor, library, link, FEW))
        )
    before = opened(library.content(link))
    assert before.results is not None
    with started(tmp_path) as (host, server):
        completed(press_score(host, library.entry(link).editor, MANY, lambda visitor: visitor.is_working))
        time.sleep(SECONDS_AT_WORK)
        server.kill()
        server.wait()
    after = opened(library.content(link))
    assert after.workspace.documents == before.workspace.documents
    assert after.made.settings is not None
    assert after.made.settings.n_shuffles == MANY, "what was chosen is kept"
    assert after.results is not None
    assert after.results.settings.n_shuffles == FEW, "and the numbers are those that were there"
    assert after.results.evaluation.comparisons.equals(before.results.evaluation.comparisons)
    with served(tmp_path) as (host, again):
        assert again == link
        completed(
            press_score(
                host, library.entry(link).editor, 2 * FEW, lambda visitor: is_kept(visitor, library, link, 2 * FEW)
            )
        )
    assert [one.uid for one in library.listed()] == [link]
    assert "Traceback" not in (tmp_path / "log.txt").read_text()


def renamed_again_and_again(library: Library, is_over: Event, names: set[str]) -> Iterator[int]:
    """Rename what is there and look through it, as often as there is time; how many there were."""
    while not is_over.is_set():
        listed = library.listed()
        for number, one in enumerate(listed):
            library.label(one.uid, OPERATOR, name=f"name {number}", note="by a third")
            names.add(one.uid)
        library.due()
        yield len(listed)
        time.sleep(0.1)


@pytest.mark.long
def test_two_servers_save_rename_and_list_in_one_library(tmp_path: Path) -> None:
    library, is_over, seen, counts = library_in(tmp_path), Event(), set[str](), list[int]()
    third = Thread(target=lambda: counts.extend(renamed_again_and_again(library, is_over, seen)))
    third.start()

    async def visits(*hosts: str) -> None:
        await asyncio.gather(*map(score_the_sample, hosts))

    try:
        with (
            started(tmp_path) as (one, _),
            started(tmp_path) as (other, _),
        ):
            completed(visits(one, other))
    finally:
        is_over.set()
        third.join()
    kept = library.listed()
    assert len(kept) == 2
    assert seen <= {one.uid for one in kept}
    for one_kept in kept:
        entry = opened(library.content(one_kept.uid))
        assert entry.experiment is not None
    assert max(counts) > 1
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
