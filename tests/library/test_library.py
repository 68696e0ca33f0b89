"""What is kept comes back whole, whoever else is at work and whatever ends in the middle."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from mteval.base.errors import DataError, MtevalError
from mteval.library import Content, Library

ROOT = Path(__file__).parents[2]
FILES = {"base/opt0.txt": b"a b\n", "refs.txt": b"a c\n" * 1000}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library", 1 << 30)


def content(files: dict[str, bytes] | None = None, numbers: bytes | None = b"{}", **made: object) -> Content:
    return Content(made, {"systems": ["base"]}, FILES if files is None else files, numbers)


def kept_files(library: Library) -> list[Path]:
    return [path for path in (library.directory / "contents").rglob("*") if path.is_file()]


def test_kept_experiment_is_restored(library: Library) -> None:
    listed = library.add(content(seed=5), "mine", "me")
    back = library.content(listed.uid)
    assert back == Content({"seed": 5}, {"systems": ["base"]}, FILES, b"{}")
    assert list(back.files or ()) == list(FILES)  # in their order
    assert library.listed() == (listed,)
    assert (listed.name, listed.owner, listed.note, listed.is_pinned) == ("mine", "me", "", False)


def test_no_link_looks_like_an_option_of_a_command(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-abc", "link", "-x", "-y", "reader"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _: next(drawn))
    listed = library.add(content(), "mine", "me")
    assert (listed.uid, listed.reader) == ("link", "reader")


def test_listing_an_empty_library_does_not_create_it(library: Library) -> None:
    assert library.listed() == library.due() == ()
    assert library.reached_by("anything") is None
    assert not library.directory.exists()


def test_only_its_user_can_read_it(library: Library) -> None:
    library.add(content(), "mine", "me")
    for path in (library.directory, library.directory / "contents", library.directory / "index.sqlite"):
        assert path.stat().st_mode & 0o077 == 0


def test_both_links_open_it_and_neither_reveals_the_other(library: Library) -> None:
    listed = library.add(content(), "mine", "me")
    assert library.reached_by(listed.uid) == library.reached_by(listed.reader) == listed
    assert library.reached_by("") is None
    assert len({listed.uid, listed.reader}) == 2
    assert min(len(listed.uid), len(listed.reader)) >= 22
    with pytest.raises(DataError):
        library.entry(listed.reader)


def test_a_change_replaces_only_the_given_parts(library: Library) -> None:
    uid = library.add(content(seed=1), "mine", "me").uid
    library.change(uid, Content({"seed": 2}, {}))
    assert library.content(uid) == Content({"seed": 2}, {}, FILES, b"{}")
    library.change(uid, Content({"seed": 2}, {}, {"only.txt": b"x"}, b"[1]"))
    assert library.content(uid) == Content({"seed": 2}, {}, {"only.txt": b"x"}, b"[1]")


def test_late_results_are_stored_unless_the_experiment_changed(library: Library) -> None:
    uid = library.add(content(seed=1, numbers=b""), "mine", "me").uid
    library.complete(uid, Content({"seed": 2}, {}, None, b"[late]"))
    assert library.content(uid).numbers == b""
    library.complete(uid, Content({"seed": 1}, {}, None, b"[late]"))
    assert library.content(uid).numbers == b"[late]"
    library.remove(uid)
    library.complete(uid, Content({"seed": 1}, {}, None, b"[late]"))
    assert library.listed() == ()


def test_equal_contents_are_stored_once(library: Library) -> None:
    library.add(content(), "one", "me")
    before, size = kept_files(library), library.size()
    library.add(content(), "two", "me")
    assert kept_files(library) == before
    assert library.size() == size == sum(path.stat().st_size for path in before)


def test_deleting_removes_unshared_contents(library: Library) -> None:
    one = library.add(content(), "one", "me")
    two = library.add(content({"refs.txt": FILES["refs.txt"]}), "two", "me")
    library.remove(one.uid)
    assert library.content(two.uid).files == {"refs.txt": FILES["refs.txt"]}
    assert len(kept_files(library)) == 2  # the references and the numbers
    library.remove(two.uid)
    assert kept_files(library) == []
    with pytest.raises(DataError, match="deleted"):
        library.content(two.uid)
    with pytest.raises(DataError, match="deleted"):
        library.change(two.uid, content())


def test_labels_change_one_at_a_time(library: Library) -> None:
    uid = library.add(content(), "one", "me").uid
    library.label(uid, note="warm start")
    library.label(uid, name="other")
    library.label(uid, pin=True)
    listed = library.entry(uid)
    assert (listed.name, listed.note, listed.is_pinned) == ("other", "warm start", True)


def test_lists_are_per_owner_and_sorted_by_last_use(library: Library) -> None:
    one, two, _ = (library.add(content(), name, owner) for name, owner in (("1", "me"), ("2", "me"), ("3", "you")))
    library.touch(one.uid)
    assert [listed.uid for listed in library.listed("me")] == [one.uid, two.uid]
    assert len(library.listed()) == 3


def random_file(size: int = 50_000) -> dict[str, bytes]:
    return {"noise": os.urandom(size)}


def test_least_recently_used_unpinned_experiments_are_evicted(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=120_000)
    pinned, old, new = (library.add(content(random_file(), None), name, "me") for name in ("pinned", "old", "new"))
    library.label(pinned.uid, pin=True)
    assert [one.name for one in library.due()] == ["old"]
    library.add(content({}, None), "next", "me")
    assert {one.name for one in library.listed()} == {"pinned", "new", "next"}
    assert library.due() == ()
    assert library.size() <= 120_000
    assert old.uid not in {one.uid for one in library.listed()}
    assert library.content(new.uid).files


def test_library_full_of_pinned_experiments_is_an_error(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=60_000)
    for name in "ab":
        library.label(library.add(content(random_file(), None), name, "me").uid, pin=True)
    with pytest.raises(DataError, match="2 pinned experiments"):
        library.add(content(), "c", "me")


def test_damage_is_an_error_for_one_experiment_only(library: Library) -> None:
    one = library.add(content(random_file()), "one", "me")
    two = library.add(content(), "two", "me")
    largest = max(kept_files(library), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-10])
    with pytest.raises(MtevalError, match=largest.name):
        library.content(one.uid)
    assert library.content(two.uid).files == FILES
    assert len(library.listed()) == 2


def test_loading_files_again_repairs_damage(library: Library) -> None:
    kept = content(random_file())
    one = library.add(kept, "one", "me")
    with_one_bit_changed(max(kept_files(library), key=lambda path: path.stat().st_size))
    with pytest.raises(MtevalError, match="Load the files again"):
        library.content(one.uid)
    again = library.add(kept, "again", "me")
    assert library.content(one.uid) == library.content(again.uid) == kept
    library.remove(again.uid)
    assert len(kept_files(library)) == 2  # what was damaged has gone


def test_damaged_results_are_missing_and_can_be_stored_again(library: Library) -> None:
    kept = content(numbers=os.urandom(10_000))
    one = library.add(kept, "one", "me")
    with_one_bit_changed(max(kept_files(library), key=lambda path: path.stat().st_size))
    assert library.content(one.uid) == content(numbers=b"")
    library.complete(one.uid, kept)
    assert library.content(one.uid) == kept


def test_flipped_bits_in_the_index_change_no_experiment(library: Library) -> None:
    kept = content(seed=12345, baseline="base")
    one = library.add(kept, "mine", "me")
    path = library.directory / "index.sqlite"
    whole = path.read_bytes()
    outcomes = Counter[str]()
    for place in [place for place, byte in enumerate(whole) if byte]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            back = library.content(one.uid)
            library.listed()
        except MtevalError:
            outcomes["said"] += 1
            continue
        assert (back.made, back.files, back.card or kept.card) == (kept.made, kept.files, kept.card)
        assert back.numbers in (b"", kept.numbers)
        outcomes["same"] += 1
    assert min(outcomes["said"], outcomes["same"]) > 100
    path.write_bytes(whole)
    assert library.content(one.uid) == kept


def test_damaged_card_is_listed_empty(library: Library) -> None:
    one, two = library.add(content(), "one", "me"), library.add(content(seed=1), "two", "me")
    in_index(library, "UPDATE entries SET card = replace(card, 'base', 'bare') WHERE uid = ?", one.uid)
    assert {listed.name: dict(listed.card) for listed in library.listed()} == {"one": {}, "two": dict(two.card)}
    library.change(one.uid, content())
    assert library.entry(one.uid).card == {"systems": ["base"]}


def in_index(library: Library, command: str, *given: str) -> None:
    """Change the index behind the library's back."""
    with closing(sqlite3.connect(library.directory / "index.sqlite")) as connection, connection:
        connection.execute(command, given)


def test_library_of_version_1_is_read_and_upgraded(library: Library) -> None:
    one = library.add(content(seed=5), "mine", "me")
    in_index(library, "UPDATE entries SET made = substr(made, 33), card = substr(card, 33)")
    in_index(library, "PRAGMA user_version=1")
    assert library.content(one.uid) == content(seed=5)
    assert library.listed()[0].card == {"systems": ["base"]}
    library.complete(one.uid, content(seed=5, numbers=b"[late]"))
    assert library.content(one.uid).numbers == b"[late]"
    in_index(library, "UPDATE entries SET made = replace(made, '5', '6')")
    with pytest.raises(MtevalError, match="damaged"):
        library.content(one.uid)


def with_one_bit_changed(path: Path) -> None:
    """Damage a file in its middle."""
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)


def test_index_of_a_newer_version_is_an_error(library: Library) -> None:
    library.add(content(), "one", "me")
    in_index(library, "PRAGMA user_version=99")
    with pytest.raises(MtevalError, match="newer mteval"):
        library.listed()


@pytest.mark.parametrize("place", ["file/library", "file"])
def test_uncreatable_library_is_an_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MtevalError, match=r"the library at .*file.*MTEVAL_HOME"):
        Library(tmp_path / place, 1 << 30).add(content(), "one", "me")


FULL = """
import resource, sys
from pathlib import Path
from mteval.base.errors import MtevalError
from mteval.library import Content, Library
library = Library(Path(sys.argv[1]), 1 << 30)
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))  # as on a full disk, a file ends there
for kept in (lambda content: library.add(content, "more", "me"), lambda content: library.change(sys.argv[2], content)):
    try:
        kept(Content({}, {}, {"noise": Path("/dev/urandom").open("rb").read(100_000)}, b"[]"))
    except MtevalError as error:
        print(error)
"""


def test_full_disk_is_an_error_and_kept_experiments_stay(library: Library) -> None:
    uid = library.add(content(), "one", "me").uid
    command = [sys.executable, "-c", FULL, str(library.directory), uid]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.count(": File too large. ") == 2
    assert library.content(uid).files == FILES
    assert [one.uid for one in library.listed()] == [uid]
    assert not [path for path in kept_files(library) if path.name.startswith("part-")]


WRITER = """
import os, sys
from pathlib import Path
from mteval.library import Content, Library
library = Library(Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
for number in range(int(sys.argv[2])):
    files = {f"{name}": os.urandom(300) + str((number, name)).encode() * 400 for name in range(20)}
    one = library.add(Content({"number": number}, {}, files, b"{}"), str(number), "me")
    library.change(one.uid, Content({"number": number}, {}, files | {"more": os.urandom(2000)}, b"[]"))
    print(one.uid, flush=True)
"""


def writer(directory: Path, count: int, max_bytes: int = 1 << 30) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(directory), str(count), str(max_bytes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_killed_process_leaves_nothing_incomplete(library: Library) -> None:
    finished: set[str] = set()
    for wait in (0.0, 0.02, 0.05, 0.09):
        process = writer(library.directory, 10_000)
        assert process.stdout
        finished.add(process.stdout.readline().strip())
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        finished |= {line.strip() for line in process.stdout if line.endswith("\n")}
        process.stdout.close()
        process.wait()
    listed = {one.uid for one in library.listed()}
    assert finished <= listed  # what was said to be kept is
    for uid in listed:  # and what is there is whole: as it was added, or as it was changed
        kept = library.content(uid)
        assert (len(kept.files or ()), kept.numbers) in {(20, b"{}"), (21, b"[]")}
    library.remove(*listed)
    assert [path for path in kept_files(library) if not path.name.startswith("part-")] == []


def test_two_processes_share_one_library_and_make_room_in_it(library: Library) -> None:
    writers = [writer(library.directory, 12, 60_000) for _ in range(2)]
    for process in writers:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert len(out.split()) == 12
    for listed in library.listed():
        assert len(library.content(listed.uid).files or ()) in (20, 21)
