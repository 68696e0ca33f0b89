"""Uploads read in a process of their own, and what becomes of those that would hold or fill it."""

import bz2
import gzip
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from mteval.annotations import from_json
from mteval.annotations.campaign_files import CAMPAIGN_KINDS
from mteval.base.errors import CancelledError, InputError
from mteval.base.turns import Client, Turns
from mteval.readers.apart import PLAIN, Apart, Bounds, expanded_text, of_text, plain
from mteval.readers.documents import MIB, InputFile
from mteval.readers.formats.judgement_tables import read_mqm
from mteval.readers.formats.uploads import unpack
from mteval.values.judgements import Judgement, RatedError
from tests.fuzz.mutations import FILES as WHOLE
from tests.readers.formats.test_uploads import tarred

LONG_LINES = (b"x" * 999 + b"\n") * 1_000
FILES = [
    InputFile("a.txt", b"one\ntwo\n"),
    InputFile("bad.txt", b"\xff\xfe"),
    InputFile("a.txt", b"one\nthree\n"),
    InputFile("t.tsv", b"system\tsegment\thypothesis\treference\tother\nA\t1\tx\ty\tz\n"),
    InputFile("s.csv", b"system,segment,score\nA,1,0.5\n"),
    InputFile("all.tar.gz", gzip.compress(tarred({"b.txt": b"b\n", "sub/c.txt": b"c\n"}))),
]


@pytest.fixture(scope="module")
def apart() -> Apart:
    return Apart()


def test_reading_apart_gives_the_same_result(apart: Apart) -> None:
    assert apart.unpack(FILES) == unpack(FILES)


def test_equal_segments_of_two_files_are_one_string(apart: Apart) -> None:
    documents, _ = apart.unpack(FILES)
    first, second = (document.streams[0].lines[0] for document in documents[:2])
    assert first is second


def test_file_that_needs_too_much_memory_affects_no_other() -> None:
    large = InputFile("large.gz", gzip.compress(LONG_LINES) * 60)
    documents, problems = Apart(Bounds(memory_bytes=40 * MIB)).unpack([FILES[0], large, FILES[2]])
    assert [document.name for document in documents] == ["a.txt", "a.txt (2)"]
    (problem,) = problems
    assert problem.file == "large.gz"
    assert "memory" in problem.message


def test_file_that_takes_too_long_affects_no_other() -> None:
    slow = InputFile("slow.bz2", bz2.compress(LONG_LINES) * 250)
    documents, problems = Apart(Bounds(seconds=0.7)).unpack([FILES[0], slow])
    assert [document.name for document in documents] == ["a.txt"]
    assert [problem.file for problem in problems] == ["slow.bz2"]


def test_other_classes_from_the_process_are_rejected() -> None:
    with pytest.raises(pickle.UnpicklingError, match="not a result of reading"):
        plain(pickle.dumps(print), PLAIN)


@pytest.mark.parametrize(
    ("function", "name", "kinds"),
    [
        (partial(of_text, from_json), "c.json", CAMPAIGN_KINDS),
        (partial(of_text, read_mqm), "errors.mqm.tsv", (Judgement, RatedError)),
    ],
)
def test_applying_a_function_apart_gives_the_same_result(
    apart: Apart, function: Callable[[InputFile], object], name: str, kinds: Sequence[type]
) -> None:
    whole, cut = InputFile(name, WHOLE[name]), InputFile(name, WHOLE[name][:40])
    assert apart.apply(function, whole, kinds) == function(whole)
    with pytest.raises(InputError) as there:
        apart.apply(function, cut, kinds)
    with pytest.raises(InputError) as here:
        function(cut)
    assert str(there.value) == str(here.value)
    with pytest.raises(pickle.UnpicklingError):
        apart.apply(function, whole, ())


def test_a_campaign_that_takes_too_much_memory_is_refused_and_the_next_one_is_read() -> None:
    large = InputFile("c.json", b"[%s]" % b",".join(b'"%d"' % number for number in range(1_900_000)))
    small = Apart(Bounds(memory_bytes=150 * MIB))
    with pytest.raises(InputError, match=r"^c\.json: .*memory"):
        small.apply(partial(of_text, from_json), large, CAMPAIGN_KINDS)
    small.apply(partial(of_text, from_json), InputFile("c.json", WHOLE["c.json"]), CAMPAIGN_KINDS)


def test_a_compressed_file_is_expanded_apart_and_an_archive_of_several_is_refused(apart: Apart) -> None:
    packed = InputFile("counts.gz", gzip.compress(b"word\t3\n"))
    assert apart.apply(expanded_text, packed, ()) == "word\t3\n"
    several = InputFile("all.tar", tarred({"a.txt": b"a\n", "b.txt": b"b\n"}))
    with pytest.raises(InputError, match="2 files; expected one"):
        apart.apply(expanded_text, several, ())


def never_read(file: InputFile) -> str:
    """Read for ever, without a step at which it could let others go first by itself."""
    while True:
        pass


def test_a_file_that_takes_long_is_paused_for_other_visitors_and_can_be_stopped() -> None:
    apart, is_first, stop = Apart(turns=Turns(1, most_each=1, seconds=0.0)), Event(), Event()

    def say_place(n_ahead: int | None) -> None:
        if n_ahead is None:
            is_first.set()

    greedy = Client("greedy", stop, say_place)
    with ThreadPoolExecutor() as threads:
        reading = threads.submit(apart.apply, never_read, FILES[0], (), greedy)
        assert is_first.wait(30)
        assert apart.unpack(FILES, client=Client("small", Event())) == unpack(FILES)
        assert not reading.done()
        stop.set()
        with pytest.raises(CancelledError):
            reading.result(30)
    assert apart.turns.n_waiting == 0
    assert apart.unpack(FILES) == unpack(FILES)  # the turn of who stopped is free
