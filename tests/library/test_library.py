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
from mteval.library import ChangedElsewhereError, Content, Library, Reached
from mteval.values.asker import OPERATOR, Asker, NotPermittedError
from tests.patience import OUTER_LIMIT

ROOT = Path(__file__).parents[2]
ME = Asker("me")
YOU = Asker("you")
HE = Asker("he")
FILES = {"base/opt0.txt": b"a b\n", "refs.txt": b"a c\n" * 1000}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library", 1 << 30)


def content(files: dict[str, bytes] | None = None, numbers: bytes | None = b"{}", **made: object) -> Content:
    """An experiment of two files, unless others are given, made with these settings."""
    if files is None:
        files = FILES
    return Content(made, {"systems": ["base"]}, files, numbers)


def size_of(path: Path) -> int:
    return path.stat().st_size


def names_in(library: Library) -> set[str]:
    """The names of all experiments."""
    return {listed.name for listed in library.listed()}


def uids_in(library: Library) -> set[str]:
    """The IDs of all experiments."""
    return {listed.uid for listed in library.listed()}


def kept_files(library: Library) -> list[Path]:
    """The files in which a library keeps contents."""
    return [path for path in (library.directory / "contents").rglob("*") if path.is_file()]


def test_kept_experiment_is_restored(library: Library) -> None:
    listed = library.add(content(seed=5), "mine", ME)

    restored = library.content(listed.uid)
    assert restored == Content({"seed": 5}, {"systems": ["base"]}, FILES, b"{}")
    assert list(restored.files or ()) == list(FILES)  # in their order
    assert library.listed() == (listed,)
    assert (listed.name, listed.owner, listed.note, listed.is_pinned) == ("mine", "me", "", False)


def test_no_link_looks_like_an_option_of_a_command(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = iter(["name", "-abc", "link", "-x", "-y", "reader"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _: next(tokens))

    listed = library.add(content(), "mine", ME)

    assert (listed.uid, listed.editor, listed.reader) == ("name", "link", "reader")


def test_listing_an_empty_library_does_not_create_it(library: Library) -> None:
    assert library.listed() == ()
    assert library.due() == ()
    assert library.reached("anything", ME) is None
    assert library.redeem("anything", ME) is None
    assert library.check() == ()
    assert not library.directory.exists()


def test_only_its_user_can_read_it(library: Library) -> None:
    library.add(content(), "mine", ME)
    for path in (library.directory, library.directory / "contents", library.directory / "index.sqlite"):
        assert path.stat().st_mode & 0o077 == 0


def test_both_links_open_it_and_neither_reveals_the_other(library: Library) -> None:
    listed = library.add(content(), "mine", ME)
    assert library.reached(listed.uid, ME) == Reached(listed, True)
    assert library.reached(listed.uid, YOU) is None
    assert library.redeem("", YOU) is None
    assert library.redeem(listed.uid, YOU) is None

    assert library.redeem(listed.reader, YOU) == Reached(listed, False)
    assert library.reached(listed.uid, YOU) == Reached(listed, False)
    with pytest.raises(NotPermittedError):
        library.touch(listed.uid, YOU)

    assert library.redeem(listed.editor, YOU) == Reached(listed, True)
    assert library.reached(listed.uid, YOU) == Reached(listed, True)
    assert library.redeem(listed.reader, YOU) == Reached(listed, True)  # takes no right away
    library.touch(listed.uid, YOU)

    assert len({listed.uid, listed.editor, listed.reader}) == 3
    assert min(len(listed.editor), len(listed.reader)) >= 22  # 128 bits, six a character
    with pytest.raises(DataError):
        library.entry(listed.reader)


def test_replaced_and_expired_links_open_nothing(library: Library) -> None:
    listed = library.add(content(), "mine", ME)
    library.redeem(listed.editor, YOU)
    library.redeem(listed.reader, HE)

    new = library.replace_link(listed.uid, ME, is_reader=False)
    assert new.reader == listed.reader
    assert new.editor != listed.editor
    assert library.redeem(listed.editor, YOU) is None
    assert library.reached(listed.uid, YOU) is None
    assert library.reached(listed.uid, HE) == Reached(new, False)

    expired = library.replace_link(listed.uid, ME, is_reader=True, until=time.time() - 1)
    assert library.reached(listed.uid, HE) is None
    assert library.redeem(expired.reader, YOU) is None
    assert library.redeem(new.editor, YOU) == Reached(expired, True)

    renewed = library.replace_link(listed.uid, YOU, is_reader=False)  # who replaces it keeps theirs
    assert library.reached(listed.uid, YOU) == Reached(renewed, True)


def test_ten_states_are_kept_and_each_can_be_the_present_one_again(library: Library) -> None:
    uid = library.add(content({"a": b"0"}, seed=0), "mine", ME).uid
    for number in range(1, 15):
        library.change(uid, content({"a": b"%d" % number}, seed=number), ME)

    states = library.states(uid)
    assert [state.number for state in states] == list(range(15, 5, -1))
    assert {state.who for state in states} == {"me"}
    assert len(kept_files(library)) == 11  # ten files, and the numbers of all

    assert library.undo(uid, 8, ME) == 16
    assert library.content(uid) == content({"a": b"7"}, seed=7)
    with pytest.raises(DataError, match="no longer kept"):
        library.undo(uid, 3, ME)
    assert library.check() == ()


def test_changes_of_settings_by_one_person_are_one_state_for_ten_minutes(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    uid = library.add(content(seed=0), "mine", ME).uid
    library.redeem(library.entry(uid).editor, YOU)
    now = time.time()

    for seconds, asker in ((10, ME), (20, ME), (500, YOU), (550, YOU), (560, ME), (1200, ME)):
        monkeypatch.setattr("time.time", lambda at=now + seconds: at)
        library.change(uid, Content({"seed": seconds}, {}), asker)

    states = [(state.who, state.at - now) for state in library.states(uid)]
    assert states == [("me", 1200), ("me", 560), ("you", 550), ("me", 20)]
    assert library.check() == ()


def test_a_change_that_started_from_an_earlier_state_is_refused(library: Library) -> None:
    listed = library.add(content(seed=1), "mine", ME)
    newest = library.change(listed.uid, Content({"seed": 2}, {}), ME, listed.number)

    with pytest.raises(ChangedElsewhereError):
        library.change(listed.uid, Content({"seed": 3}, {}), ME, listed.number)
    assert library.content(listed.uid).made == {"seed": 2}

    library.change(listed.uid, Content({"seed": 3}, {}), ME, newest)


def test_whoever_signed_out_can_change_nothing(library: Library) -> None:
    signed_out = Asker("ann", sign_in="first")
    signed_in_again = Asker("ann", sign_in="second")
    listed = library.add(content(), "mine", signed_out)
    assert not library.has_ended("first")

    library.end_sign_in(signed_out)

    assert library.has_ended("first")
    with pytest.raises(NotPermittedError, match="signed out"):
        library.label(listed.uid, signed_out, note="x")
    with pytest.raises(NotPermittedError, match="signed out"):
        library.add(content(), "other", signed_out)
    library.label(listed.uid, signed_in_again, note="x")
    assert library.count() == 1


def test_a_change_replaces_only_the_given_parts(library: Library) -> None:
    uid = library.add(content(seed=1), "mine", ME).uid

    library.change(uid, Content({"seed": 2}, {}), ME)
    assert library.content(uid) == Content({"seed": 2}, {}, FILES, b"{}")

    library.change(uid, Content({"seed": 2}, {}, {"only.txt": b"x"}, b"[1]"), ME)
    assert library.content(uid) == Content({"seed": 2}, {}, {"only.txt": b"x"}, b"[1]")


def test_late_results_are_stored_unless_the_experiment_changed(library: Library) -> None:
    uid = library.add(content(seed=1, numbers=b""), "mine", ME).uid
    of_another_seed = Content({"seed": 2}, {}, None, b"[late]")
    of_its_seed = Content({"seed": 1}, {}, None, b"[late]")

    library.complete(uid, of_another_seed, ME)
    assert library.content(uid).numbers == b""

    library.complete(uid, of_its_seed, ME)
    assert library.content(uid).numbers == b"[late]"

    library.remove([uid], ME)
    library.complete(uid, of_its_seed, ME)
    assert library.listed() == ()


def test_equal_contents_are_stored_once(library: Library) -> None:
    library.add(content(), "one", ME)
    files_before = kept_files(library)
    size_before = library.size()

    library.add(content(), "two", ME)

    assert kept_files(library) == files_before
    assert library.size() == size_before
    assert size_before == sum(map(size_of, files_before))


def test_deleting_removes_unshared_contents(library: Library) -> None:
    first = library.add(content(), "one", ME)
    second = library.add(content({"refs.txt": FILES["refs.txt"]}), "two", ME)

    library.remove([first.uid], ME)
    assert library.content(second.uid).files == {"refs.txt": FILES["refs.txt"]}
    assert len(kept_files(library)) == 2  # the references and the numbers

    library.remove([second.uid], ME)
    assert kept_files(library) == []
    with pytest.raises(DataError, match="deleted"):
        library.content(second.uid)
    with pytest.raises(DataError, match="deleted"):
        library.change(second.uid, content(), ME)


def test_labels_change_one_at_a_time(library: Library) -> None:
    uid = library.add(content(), "one", ME).uid

    library.label(uid, ME, note="warm start")
    library.label(uid, ME, name="other")
    library.label(uid, ME, pin=True)

    listed = library.entry(uid)
    assert (listed.name, listed.note, listed.is_pinned) == ("other", "warm start", True)


def test_lists_are_per_owner_and_sorted_by_last_use(library: Library) -> None:
    first = library.add(content(), "1", ME)
    second = library.add(content(), "2", ME)
    library.add(content(), "3", YOU)

    library.touch(first.uid, ME)

    assert [listed.uid for listed in library.listed("me")] == [first.uid, second.uid]
    assert [listed.uid for listed in library.listed("me", most=1, start=1)] == [second.uid]
    assert len(library.listed()) == 3
    assert library.count() == 3
    assert library.count("me") == 2


def test_lists_are_searched_and_tagged(library: Library) -> None:
    labels = (
        ("WMT 100%", "wmt24, de-en", ""),
        ("wmt other", "wmt24", ""),
        ("a_b", "", ""),
        ("acb", "", "warm"),
    )
    for name, tags, note in labels:
        uid = library.add(content(), name, ME).uid
        library.label(uid, ME, tags=tags, note=note)

    assert library.tags("me") == ("de-en", "wmt24")
    assert library.tags("you") == ()
    searches = (
        ("wmt", "", {"WMT 100%", "wmt other"}),
        ("0%", "", {"WMT 100%"}),
        ("A_B", "", {"a_b"}),
        ("WARM", "", {"acb"}),
        ("", "wmt24", {"WMT 100%", "wmt other"}),
        ("other", "wmt24", {"wmt other"}),
        ("", "wmt2", set()),
    )
    for search, tag, names in searches:
        assert {listed.name for listed in library.listed("me", search=search, tag=tag)} == names
        assert library.count("me", search=search, tag=tag) == len(names)


def random_file(size: int = 50_000) -> dict[str, bytes]:
    """A file of so many bytes, which cannot be compressed."""
    return {"noise": os.urandom(size)}


def test_least_recently_used_unpinned_experiments_give_way_after_they_were_announced(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=160_000)
    pinned = library.add(content(random_file(), None), "pinned", ME)
    old = library.add(content(random_file(), None), "old", ME)
    assert library.due() == ()
    library.label(pinned.uid, ME, pin=True)

    new = library.add(content(random_file(), None), "new", ME)
    assert [listed.name for listed in library.due()] == ["old"]
    assert [listed.name for listed in library.due("me")] == ["old"]

    library.add(content(random_file(), None), "next", ME)
    assert names_in(library) == {"pinned", "new", "next"}
    assert old.uid not in uids_in(library)
    assert library.content(new.uid).files
    assert library.size() == sum(map(size_of, kept_files(library)))
    assert library.size() <= 160_000
    assert library.check() == ()


def test_nothing_gives_way_that_was_not_announced(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=200_000)
    for name in "abcd":
        library.add(content(random_file(45_000), None), name, ME)
    assert [listed.name for listed in library.due()] == ["a"]

    with pytest.raises(DataError, match="library is full"):
        library.add(content(random_file(120_000), None), "large", ME)

    assert names_in(library) == set("abcd")
    assert library.size() == sum(map(size_of, kept_files(library)))


def test_who_holds_most_gives_way_first_pinned_or_not(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=1 << 20)
    greedy = Asker("greedy")
    small = Asker("small")
    first_of_small = library.add(content(random_file(60_000), None), "small one", small)

    for number in range(30):
        try:
            of_greedy = library.add(content(random_file(60_000), None), f"greedy {number}", greedy)
        except DataError:
            break
        library.label(of_greedy.uid, greedy, pin=True)
    assert number < 20  # all is pinned: the greedy one's own next one is refused

    assert library.due("small") == ()
    for number in range(3):
        announced = {listed.uid for listed in library.due("greedy")}
        before = {listed.uid for listed in library.listed("greedy")}
        library.add(content(random_file(60_000), None), f"small {number}", small)
        after = {listed.uid for listed in library.listed("greedy")}
        assert before - after <= announced
        assert library.size() <= 1 << 20
    assert library.entry(first_of_small.uid)
    assert library.count("small") == 4
    assert library.check() == ()


def test_a_clock_that_was_ahead_does_not_protect_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library(tmp_path, max_bytes=120_000)
    with monkeypatch.context() as ahead:
        ahead.setattr("time.time", lambda: 4e9)
        from_the_future = library.add(content(random_file(39_000), None), "from the future", ME)

    for name in "abcdef":
        library.add(content(random_file(39_000), None), name, ME)

    assert from_the_future.uid not in uids_in(library)


def test_library_full_of_pinned_experiments_is_an_error(tmp_path: Path) -> None:
    library = Library(tmp_path, max_bytes=110_000)
    for name in "ab":
        pinned = library.add(content(random_file(), None), name, ME)
        library.label(pinned.uid, ME, pin=True)

    with pytest.raises(DataError, match="2 experiments"):
        library.add(content(random_file()), "c", ME)


def test_damage_is_an_error_for_one_experiment_only(library: Library) -> None:
    damaged = library.add(content(random_file()), "one", ME)
    intact = library.add(content(), "two", ME)

    largest = max(kept_files(library), key=size_of)
    largest.write_bytes(largest.read_bytes()[:-10])

    with pytest.raises(MtevalError, match=largest.name):
        library.content(damaged.uid)
    assert library.content(intact.uid).files == FILES
    assert len(library.listed()) == 2


def test_loading_files_again_repairs_damage(library: Library) -> None:
    kept = content(random_file())
    first = library.add(kept, "one", ME)
    with_one_bit_changed(max(kept_files(library), key=size_of))
    with pytest.raises(MtevalError, match="Load the files again"):
        library.content(first.uid)

    again = library.add(kept, "again", ME)

    assert library.content(first.uid) == kept
    assert library.content(again.uid) == kept
    library.remove([again.uid], ME)
    library.check()
    assert len(kept_files(library)) == 2  # what was damaged has gone


def test_damaged_results_are_missing_and_can_be_stored_again(library: Library) -> None:
    kept = content(numbers=os.urandom(10_000))
    uid = library.add(kept, "one", ME).uid

    with_one_bit_changed(max(kept_files(library), key=size_of))
    assert library.content(uid) == content(numbers=b"")

    library.complete(uid, kept, ME)
    assert library.content(uid) == kept


def test_flipped_bits_in_the_index_change_no_experiment(library: Library) -> None:
    kept = content(seed=12345, baseline="base")
    uid = library.add(kept, "mine", ME).uid
    path = library.directory / "index.sqlite"
    intact = path.read_bytes()
    places_of_bytes = [place for place, byte in enumerate(intact) if byte]

    outcomes = Counter[str]()
    for place in places_of_bytes[::4]:
        damaged = bytearray(intact)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            restored = library.content(uid)
            library.listed()
        except MtevalError:
            outcomes["reported"] += 1
            continue
        assert restored.made == kept.made
        assert restored.files == kept.files
        assert (restored.card or kept.card) == kept.card
        assert restored.numbers in (b"", kept.numbers)
        outcomes["unchanged"] += 1
    assert outcomes["reported"] > 25
    assert outcomes["unchanged"] > 25

    path.write_bytes(intact)
    assert library.content(uid) == kept


@pytest.mark.parametrize("column", ["card", "name", "owner", "reader"])
def test_damaged_entry_is_listed_without_its_card_and_named(library: Library, column: str) -> None:
    damaged = library.add(content(), "one", ME)
    intact = library.add(content(seed=1), "two", ME)

    in_index(library, f"UPDATE library_entries SET {column} = {column} || ' ' WHERE uid = ?", damaged.uid)

    assert [dict(listed.card) for listed in library.listed()] == [dict(intact.card), {}]
    assert any(f"Experiment {damaged.uid[:6]}: its entry is damaged" in problem for problem in library.check())
    with pytest.raises(MtevalError, match="damaged"):
        library.content(damaged.uid)
    with pytest.raises(MtevalError, match="damaged"):
        library.label(damaged.uid, ME, note="sealed anew")
    library.remove([damaged.uid], OPERATOR)
    assert library.content(intact.uid) == content(seed=1)


def in_index(library: Library, command: str, *values: str) -> None:
    """Change the index behind the library's back."""
    with closing(sqlite3.connect(library.directory / "index.sqlite")) as connection, connection:
        connection.execute(command, values)


def test_library_of_version_1_is_read_and_upgraded(library: Library) -> None:
    size_of_digest = dict(map(library._blobs.keep, (b"a b\n", b"[1]")))
    file_digest, numbers_digest = size_of_digest
    card = '{"systems": ["base"]}'
    with closing(sqlite3.connect(library.directory / "index.sqlite")) as connection, connection:
        connection.executescript(
            """CREATE TABLE entries (
                uid TEXT PRIMARY KEY, reader TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, name TEXT NOT NULL,
                note TEXT NOT NULL, is_pinned INTEGER NOT NULL, created REAL NOT NULL, used REAL NOT NULL,
                card TEXT NOT NULL, made TEXT NOT NULL);
            CREATE TABLE files (
                uid TEXT NOT NULL REFERENCES entries(uid) ON DELETE CASCADE, place INTEGER NOT NULL,
                name TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (uid, place));
            PRAGMA user_version=1"""
        )
        for uid, made in (("whole", '{"seed": 5}'), ("damaged", "0" * 32 + '{"seed": 5}')):
            entry = (uid, f"{uid} reader", "me", uid, "a note", 1, 1.5, 2.5, card, made)
            connection.execute(f"INSERT INTO entries VALUES ({', '.join('?' * 10)})", entry)
            file = (uid, 0, "a.txt", file_digest, size_of_digest[file_digest])
            numbers = (uid, -1, "", numbers_digest, size_of_digest[numbers_digest])
            connection.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?)", [file, numbers])

    reached = library.redeem("whole", YOU)  # the link that was the address
    assert reached is not None
    listed = reached.listed
    assert reached.may_edit
    assert (listed.name, listed.note, listed.owner, listed.is_pinned) == ("whole", "a note", "me", True)
    assert (listed.created, listed.used, dict(listed.card)) == (1.5, 2.5, {"systems": ["base"]})
    assert listed.uid != "whole"
    assert library.content(listed.uid) == Content({"seed": 5}, listed.card, {"a.txt": b"a b\n"}, b"[1]")
    assert library.redeem("whole reader", HE) == Reached(listed, False)

    (damaged,) = [listed for listed in library.listed() if listed.name == "damaged"]
    with pytest.raises(MtevalError, match="damaged"):
        library.content(damaged.uid)
    assert library.check() == (f"Experiment {damaged.uid[:6]}: state 1 is damaged.",)
    library.remove([damaged.uid], ME)
    assert library.check() == ()
    assert library.size() == sum(size_of_digest.values())


def with_one_bit_changed(path: Path) -> None:
    """Damage a file in its middle."""
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)


def test_index_of_a_newer_version_is_an_error(library: Library) -> None:
    library.add(content(), "one", ME)
    in_index(library, "UPDATE library_version SET number = 99")
    newer = r"library at .*: a newer mteval wrote it \(version 99; this one reads up to 4\)"
    with pytest.raises(MtevalError, match=newer):
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
from mteval.values.asker import Asker
ME = Asker("me")
library = Library(Path(sys.argv[1]), 1 << 30)
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))  # as on a full disk, a file ends there
for keep in (
    lambda content: library.add(content, "more", ME),
    lambda content: library.change(sys.argv[2], content, ME),
):
    try:
        keep(Content({}, {}, {"noise": Path("/dev/urandom").open("rb").read(100_000)}, b"[]"))
    except MtevalError as error:
        print(error)
"""


def test_full_disk_is_an_error_and_kept_experiments_stay(library: Library) -> None:
    uid = library.add(content(), "one", ME).uid

    command = [sys.executable, "-c", FULL, str(library.directory), uid]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)

    assert process.stdout.count(": File too large. ") == 2
    assert library.content(uid).files == FILES
    assert [listed.uid for listed in library.listed()] == [uid]
    assert not [path for path in kept_files(library) if path.name.startswith("part-")]


WRITER = """
import os, sys
from contextlib import suppress
from pathlib import Path
from mteval.library import Content, Library
from mteval.library.rights import GoneError
from mteval.values.asker import Asker
ME = Asker("me")
library = Library(Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
for number in range(int(sys.argv[2])):
    files = {f"{name}": os.urandom(300) + str((number, name)).encode() * 400 for name in range(20)}
    listed = library.add(Content({"number": number}, {}, files, b"{}"), str(number), ME)
    with suppress(GoneError):  # while this process waited, another one made room for many experiments of its own
        library.change(listed.uid, Content({"number": number}, {}, files | {"more": os.urandom(2000)}, b"[]"), ME)
    print(listed.uid, flush=True)
"""


def writer(directory: Path, count: int, max_bytes: int = 1 << 30) -> "subprocess.Popen[str]":
    """A process that adds and changes so many experiments, and prints the ID of each that it has finished."""
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

    uids = uids_in(library)
    assert finished <= uids  # what was said to be kept is
    as_added = (20, b"{}")  # number of files, and numbers
    as_changed = (21, b"[]")
    for uid in uids:  # and what is there is whole
        kept = library.content(uid)
        assert (len(kept.files or ()), kept.numbers) in {as_added, as_changed}
    library.remove(uids, ME)
    assert library.check() == ()  # which removes what a killed process left
    assert [path for path in kept_files(library) if not path.name.startswith("part-")] == []


def test_two_processes_share_one_library_and_make_room_in_it(library: Library) -> None:
    writers = [writer(library.directory, 12, 60_000) for _ in range(2)]
    for process in writers:
        out, _ = process.communicate(timeout=OUTER_LIMIT)
        assert process.returncode == 0
        assert len(out.split()) == 12
    for listed in library.listed():
        assert len(library.content(listed.uid).files or ()) in (20, 21)
