"""Compressed files, archives, limits and recognition of formats."""

import bz2
import gzip
import io
import lzma
import re
import struct
import sys
import tarfile
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from lzma import LZMADecompressor
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.documents import Document, InputFile, Limits, Problem
from mteval.readers.formats.uploads import FORMATS, LINE_FORMATS, Format, unpack
from mteval.readers.guesses.layout import guess

LINES = b"one\ntwo\n"
SMALL = Limits(file_bytes=10_000, total_bytes=30_000, entries=5, line_bytes=100)


def zipped(entries: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(entries: Mapping[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def lines_of(documents: tuple[Document, ...]) -> dict[str, tuple[str | None, ...]]:
    return {document.name: document.streams[0].lines for document in documents}


PACKED = (b"PK", b"7z", b"Rar!", b"\x28\xb5", b"%PDF-")  # beginnings of compressed files, and of PDF


def only_problem(content: bytes, limits: Limits = SMALL, name: str = "bad") -> Problem:
    """The one problem of a bad upload; a good one beside it must stay loaded."""
    documents, problems = unpack([InputFile(name, content), InputFile("good.txt", LINES)], limits)
    assert lines_of(documents) == {"good.txt": ("one", "two")}
    (problem,) = problems
    assert problem.severity == "error"
    assert (problem.file or "").startswith(name)
    return problem


def is_text(content: bytes) -> bool:
    """Whether lines end with LF if there are any, and the content is neither packed nor binary."""
    ends_with_cr = b"\r" in content and b"\n" not in content
    return not ends_with_cr and b"\0" not in content and not content.startswith(PACKED)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
@given(content=st.binary(min_size=1, max_size=300).filter(is_text))
def test_compressed_text_reads_as_the_text_itself(compress: Callable[[bytes], bytes], content: bytes) -> None:
    text = content.decode("latin-1").encode()
    plain, packed = (unpack([InputFile("f", c)])[0] for c in (text, compress(text)))
    assert plain == packed
    assert len(plain) == 1


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_members_that_follow_each_other_are_read_as_one_file(compress: Callable[[bytes], bytes]) -> None:
    documents, _ = unpack([InputFile("f.gz", compress(b"a\n") + compress(b"b\n"))])
    assert lines_of(documents) == {"f.gz": ("a", "b")}


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_truncated_file_is_an_error(compress: Callable[[bytes], bytes]) -> None:
    assert "truncated or damaged" in only_problem(compress(LINES * 50)[:-9]).message


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_empty_file_is_empty(compress: Callable[[bytes], bytes]) -> None:
    assert "empty" in only_problem(compress(b"")).message


def test_content_decides_about_compression() -> None:
    assert lines_of(unpack([InputFile("f.gz", LINES)])[0]) == {"f.gz": ("one", "two")}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_archive_gives_its_files_even_compressed_ones(mode: str) -> None:
    content = tarred({"base/opt0.txt": LINES, "base/opt1.txt.gz": gzip.compress(b"x\n")}, mode)
    documents, problems = unpack([InputFile("a.tar", content)])
    assert lines_of(documents) == {"a.tar/base/opt0.txt": ("one", "two"), "a.tar/base/opt1.txt.gz": ("x",)}
    assert problems == ()


def test_a_file_with_the_path_of_one_in_an_archive_gets_a_name_of_its_own() -> None:
    files = [InputFile("a.zip/new.txt", b"other\n"), InputFile("a.zip", zipped({"new.txt": LINES}))]
    documents, problems = unpack(files)
    assert lines_of(documents) == {"a.zip/new.txt": ("other",), "a.zip/new.txt (2)": ("one", "two")}
    assert problems == ()


def test_a_zip_archive_gives_its_files_and_none_of_the_clutter() -> None:
    content = zipped({"base/": b"", "base/opt0.txt": LINES, "__MACOSX/base/._opt0.txt": b"\0", ".DS_Store": b"\0"})
    documents, problems = unpack([InputFile("a.zip", content)])
    assert lines_of(documents) == {"a.zip/base/opt0.txt": ("one", "two")}
    ignored = [(problem.file, problem.code) for problem in problems]
    assert ignored == [("a.zip/__MACOSX/base/._opt0.txt", "ignored"), ("a.zip/.DS_Store", "ignored")]


def test_what_editors_leave_is_ignored() -> None:
    left = ["new.txt~", "new.txt.bak", "new.txt.orig", "#new.txt#", "runs/~$scores.xlsx", "._new.txt"]
    documents, problems = unpack([InputFile(name, b"one\ntwo\n") for name in ("new.txt", *left, "#", "a#")])
    assert [document.name for document in documents] == ["new.txt", "#", "a#"]
    assert [problem.file for problem in problems] == left
    assert {problem.message for problem in problems} == {"left by a file manager or an editor"}


def test_documents_of_office_programs_are_refused_as_such() -> None:
    for part in ({"[Content_Types].xml": b"<Types/>"}, {"mimetype": b"application/vnd.oasis.opendocument.text"}):
        documents, problems = unpack([InputFile("new.odt", zipped({**part, "content.xml": b"<a/>"}))])
        assert documents == ()
        assert any("This is an office document" in problem.message for problem in problems)


def test_a_first_line_for_excel_is_no_row_of_the_table() -> None:
    rows = "segment;hypothesis\r\n1;a house, red\r\n2;two\r\n"
    (with_line,), problems = unpack([InputFile("new.csv", ("sep=;\r\n" + rows).encode("utf-8-sig"))])
    (without,), _ = unpack([InputFile("new.csv", rows.encode())])
    assert problems == ()
    assert with_line.streams == without.streams
    _, (problem,) = unpack([InputFile("new.csv", b"sep=,\nsegment,hypothesis\n1,a,b\n")])
    assert problem.line == 3


def test_names_that_climb_out_of_the_archive_are_only_labels() -> None:
    documents, _ = unpack([InputFile("a.zip", zipped({"../../evil.txt": LINES}))])
    assert lines_of(documents) == {"a.zip/../../evil.txt": ("one", "two")}


KINDS_OF_TAR = {
    tarfile.REGTYPE: "",
    tarfile.DIRTYPE: "",
    tarfile.SYMTYPE: "symbolic link",
    tarfile.LNKTYPE: "hard link",
    tarfile.FIFOTYPE: "pipe",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
}
KINDS_OF_ZIP = {
    0o100644: "",
    0o040755: "",
    0o120777: "symbolic link",
    0o010644: "pipe",
    0o140644: "socket",
    0o020644: "device",
    0o060644: "device",
}


def tarred_kinds(entries: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, kind in entries:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            info.size = len(LINES) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(LINES))
    return buffer.getvalue()


def zipped_kinds(entries: list[tuple[str, int]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings(action="ignore"):
        for name, mode in entries:
            info = zipfile.ZipInfo(f"{name}/" if KINDS_OF_ZIP[mode] == "" and mode & 0o040000 else name)
            info.create_system, info.external_attr = 3, mode << 16
            archive.writestr(info, LINES)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", [*KINDS_OF_TAR, *KINDS_OF_ZIP])
def test_links_and_devices_in_an_archive_are_named_as_ignored(kind: bytes | int) -> None:
    if isinstance(kind, bytes):
        content = tarred_kinds([("odd.txt", kind), ("f.txt", tarfile.REGTYPE)])
        ignored = KINDS_OF_TAR[kind]
    else:
        content = zipped_kinds([("odd.txt", kind), ("f.txt", 0o100644)])
        ignored = KINDS_OF_ZIP[kind]
    documents, problems = unpack([InputFile("a", content)])
    assert "a/f.txt" in lines_of(documents)
    assert [(problem.file, problem.severity) for problem in problems] == [("a/odd.txt", "note")] * bool(ignored)
    for problem in problems:
        assert problem.message.startswith(f"A {ignored} has no text")
        assert "a/odd.txt" not in lines_of(documents)


@pytest.mark.parametrize("again", ["run/0.txt", "./run/0.txt", "run//0.txt", "run\\0.txt"])
def test_two_files_of_an_archive_with_one_path_are_refused(again: str) -> None:
    for content in (
        tarred_kinds([("run/0.txt", tarfile.REGTYPE), (again, tarfile.REGTYPE)]),
        zipped_kinds([("run/0.txt", 0o100644), (again, 0o100644)]),
    ):
        message = only_problem(content).message
        assert message.startswith(f"The archive has two files named '{again}'")
        assert message.endswith("Pack only one of them, or rename one.")


def test_names_that_differ_in_case_and_folders_given_twice_are_no_copies() -> None:
    files = [("Run/0.txt", tarfile.REGTYPE), ("run/0.txt", tarfile.REGTYPE)]
    content = tarred_kinds([("run", tarfile.DIRTYPE), ("run", tarfile.DIRTYPE), *files])
    documents, problems = unpack([InputFile("a", content)])
    assert len(documents) == 2
    assert problems == ()


def test_a_name_that_is_not_utf_8_is_shown_with_its_bytes() -> None:
    in_tar = tarred_kinds([("run\udcff.txt", tarfile.REGTYPE)])
    in_zip = zipped_kinds([("run\u00e9.txt", 0o100644)]).replace("run\u00e9.txt".encode(), b"run\xff\xff.txt")
    beside = zipped_kinds([("run\u00e9.txt", 0o100644)])
    only_local = beside.replace("run\u00e9.txt".encode(), b"run\xff\xff.txt", 1)
    for content, shown in ((in_tar, r"run\xff.txt"), (in_zip, r"run\xff\xff.txt"), (only_local, r"run\xff\xff.txt")):
        message = only_problem(content).message
        assert message.startswith(f"The name of the entry '{shown}' is not UTF-8.")
        assert "pack the archive again" in message


PATHS = st.sampled_from(
    [
        "a.txt",
        "./a.txt",
        "b/a.txt",
        "b\\a.txt",
        "A.txt",
        "../a.txt",
        "/a.txt",
        "x\r=1",
        "e\u0301",
        "\u00e9",
        "\udcff",
        "a\x1b",
    ]
)


@given(st.lists(st.tuples(PATHS, st.sampled_from([*KINDS_OF_TAR])), min_size=1, max_size=5))
def test_no_entry_of_an_archive_vanishes_without_a_word(entries: list[tuple[str, bytes]]) -> None:
    documents, problems = unpack([InputFile("a", tarred_kinds(entries))])
    said = " ".join(problem.text for problem in problems)
    loaded = set(lines_of(documents))
    for name, kind in entries:
        if kind == tarfile.DIRTYPE or any(problem.severity == "error" for problem in problems):
            continue
        shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        assert f"a/{name}" in loaded if KINDS_OF_TAR[kind] == "" else shown in said
    files = [name.replace("\\", "/").removeprefix("./") for name, kind in entries if kind == tarfile.REGTYPE]
    is_refused = len(set(files)) < len(files) or "\udcff" in files
    assert is_refused == any(problem.severity == "error" for problem in problems)


def test_one_bad_entry_does_not_affect_the_others() -> None:
    documents, problems = unpack([InputFile("a.zip", zipped({"good": LINES, "bad": b"\xff\n"}))])
    assert list(lines_of(documents)) == ["a.zip/good"]
    assert [problem.file for problem in problems] == ["a.zip/bad"]


@pytest.mark.parametrize(
    "bomb",
    [
        gzip.compress(b"x\n" * 6_000),
        bz2.compress(b"x\n" * 6_000),
        lzma.compress(b"x\n" * 6_000),
        zipped({"f": b"x\n" * 6_000}),
        zipped({"f.gz": gzip.compress(b"x\n" * 6_000)}),
        tarred({str(i): b"x\n" * 4_000 for i in range(4)}, "w:gz"),
        zipped({str(i): b"x\n" * 4_000 for i in range(4)}),
        b"x\n" * 6_000,
    ],
    ids=("gzip", "bzip2", "xz", "zip", "gzip in zip", "tar", "many in zip", "plain"),
)
def test_archive_beyond_the_limits_is_rejected(bomb: bytes) -> None:
    assert "MiB when unpacked" in only_problem(bomb).message


def test_declared_size_is_not_trusted() -> None:
    honest = zipped({"f": b"x\n" * 6_000})
    lie = honest.replace(struct.pack("<L", 12_000), struct.pack("<L", 10))
    assert lie != honest
    assert only_problem(lie).message
    sparse = bytearray(tarred({"f": LINES}))
    sparse[124:136] = b"77777777777\0"  # the size field: eight gigabytes
    sparse[148:156] = b"%06o\0 " % (sum(sparse[:148]) + 8 * 32 + sum(sparse[156:512]))
    assert "truncated or damaged" in only_problem(bytes(sparse)).message


def test_bomb_is_rejected_without_filling_memory() -> None:
    """128 MiB of zeros in 128 KiB; with 2 MiB allowed not much more than that is ever held."""
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1 << 22)
    bomb = b"".join(packer.compress(zeros) for _ in range(32)) + packer.flush()
    tracemalloc.start()
    problem = only_problem(bomb, Limits(file_bytes=1 << 21))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "MiB when unpacked" in problem.message
    assert peak < 1 << 24


def test_too_many_entries_are_refused() -> None:
    for content in (zipped({str(i): LINES for i in range(6)}), tarred({str(i): LINES for i in range(6)})):
        assert "more than 5 entries" in only_problem(content).message


def test_all_uploads_together_have_a_limit_and_those_before_it_stay() -> None:
    files = [InputFile(str(i), b"x\n" * 4_000) for i in range(5)]
    documents, problems = unpack(files, SMALL)
    assert [document.name for document in documents] == ["0", "1", "2"]
    assert [problem.file for problem in problems] == ["3", "4"]


def test_an_archive_in_an_archive_is_refused() -> None:
    assert "another archive" in only_problem(zipped({"inner.zip": zipped({"f": LINES})})).message
    assert "another archive" in only_problem(zipped({"inner.tgz": tarred({"f": LINES}, "w:gz")})).message


def test_an_encrypted_zip_says_so_and_what_to_do() -> None:
    content = bytearray(zipped({"f": LINES}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    message = only_problem(bytes(content)).message
    assert message.startswith("The entry 'f' is encrypted")
    assert message.endswith("Pack the files without a password, or unpack them first.")
    assert "damaged" not in message


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"BZh91AY&SY"]),
)
def test_arbitrary_bytes_never_raise(content: bytes, magic: bytes) -> None:
    documents, problems = unpack([InputFile("f", magic + content)])
    assert documents or problems or (magic + content).startswith(b"PK")  # an archive may hold no file


@given(st.data())
def test_a_damaged_archive_is_a_problem_or_still_readable(data: st.DataObject) -> None:
    make = data.draw(st.sampled_from([zipped, tarred]))
    content = bytearray(make({"a.txt": LINES * 20, "b.txt": LINES}))
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    documents, problems = unpack([InputFile("f", bytes(content))])
    assert documents or problems


def test_line_over_the_limit_is_an_error() -> None:
    problem = only_problem(b"ok\n" + b"x" * 200 + b"\n")
    assert problem.line == 2
    assert "has 200 bytes; the limit is 100" in problem.message
    assert problem.text.startswith("bad, line 2: ")


def test_segment_over_the_limit_is_an_error() -> None:
    long = b"x" * 200
    sgml = b'<refset setid="t"><doc docid="d"><seg id="1">' + long + b"</seg></doc></refset>"
    assert "Segment 1 of 'reference' has 200 characters" in only_problem(sgml).message
    xml = b'<dataset id="t"><doc id="d"><src><seg id="1">' + long + b"</seg></src></doc></dataset>"
    assert "Segment 1 of 'source' has 200 characters" in only_problem(xml).message


def test_uploads_of_one_name_get_names_of_their_own() -> None:
    documents, _ = unpack([InputFile("f", b"a"), InputFile("f", b"b"), InputFile("f (2)", b"c")])
    assert lines_of(documents) == {"f": ("a",), "f (2)": ("b",), "f (2) (2)": ("c",)}


def test_equal_segments_of_all_files_are_one_object() -> None:
    text = b"a segment that runs repeat\nother\n"
    first, second = unpack([InputFile("a", text), InputFile("b.gz", gzip.compress(text))])[0]
    for ours, theirs in zip(first.streams[0].lines, second.streams[0].lines, strict=True):
        assert ours is theirs


def test_an_nbest_list_is_recognised_by_its_lines() -> None:
    content = b"0 ||| a b ||| lm=-3.2 ||| -1.5\n0 ||| a c ||| lm=-4 ||| -2\n1 ||| d ||| lm=-1 ||| -1\n"
    (document,), _ = unpack([InputFile("f", content)])
    assert document.format == "nbest"


def test_csv_without_known_columns_is_an_error() -> None:
    problem = only_problem(b"sent,text\n1,a\n", name="bad.csv")
    assert "'sent,text'" in problem.message
    assert "system, run, segment, hypothesis" in problem.message


def test_xml_without_a_test_set_is_an_error() -> None:
    for name in ("bad.xml", "bad.sgm"):
        assert "<srcset>, <refset>, <tstset>" in only_problem(b"<page>\n", name=name).message


def test_office_document_is_an_error() -> None:
    content = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})
    problem = only_problem(content, name="bad.docx")
    assert "office document" in problem.message
    assert problem.file == "bad.docx"


@pytest.mark.parametrize("form", [*FORMATS, *LINE_FORMATS], ids=lambda form: form.home)
def test_registered_reader_sends_back_files_of_other_formats(form: Format) -> None:
    assert form.load()("A line, plain text.\nAnother one.\n", "plain.txt") is None


def test_streams_of_an_xz_file_may_be_padded_and_empty() -> None:
    first, empty, last = (lzma.compress(content) for content in (b"a\n", b"", b"b\n"))
    documents, _ = unpack([InputFile("f.xz", first + b"\0" * 8 + empty + last + b"\0" * 4)])
    assert lines_of(documents) == {"f.xz": ("a", "b")}


def test_work_on_an_xz_file_grows_with_its_streams_not_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = 0

    class Decoder:
        def __init__(self, *args: Any, **named: Any) -> None:
            self._decoder = LZMADecompressor(*args, **named)

        def __getattr__(self, name: str) -> Any:
            nonlocal copied
            value = getattr(self._decoder, name)
            copied += len(value) if name == "unused_data" else 0
            return value

    monkeypatch.setattr(lzma, "LZMADecompressor", Decoder)
    stream, totals = lzma.compress(b"a\n"), list[int]()
    for number in (500, 1_000):
        copied = 0
        assert len(unpack([InputFile("f.xz", stream * number)])[0][0].streams[0].lines) == number
        totals.append(copied)
    assert totals[1] < 2.5 * totals[0]  # four times where all that follows a stream is copied


def test_entries_of_a_zip_that_share_their_content_are_refused() -> None:
    content = bytearray(zipped({"a": Random(0).randbytes(3_000), "b": b""}))
    a, b = (entry.start() for entry in re.finditer(b"PK\x01\x02", content))
    content[b + 20 : b + 28] = content[a + 20 : a + 28]  # sizes
    content[b + 42 : b + 47] = content[a + 42 : a + 47]  # place of the content, and name
    assert "entries overlap" in only_problem(bytes(content)).message


def test_headers_for_all_entries_of_a_tar_are_bounded() -> None:
    buffer = io.BytesIO()
    named = {f"key{number}": "value" for number in range(1_001)}
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT, pax_headers=named) as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    assert "1,000 headers" in only_problem(buffer.getvalue()).message


@pytest.mark.parametrize(("magic", "form"), [(b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07\x01\x00", "RAR")])
def test_unsupported_compression_is_named(magic: bytes, form: str) -> None:
    problem = only_problem(magic + b"\x00\x04abc", name="outputs.dat")
    assert f"compressed as {form}" in problem.message
    assert "Use ZIP" in problem.message


def test_zstandard_is_unpacked_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow

    def packed(content: bytes) -> bytes:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return bytes(sink.getvalue().to_pybytes())

    (document,), _ = unpack([InputFile("hyp.txt.zst", packed(b"one\ntwo\n"))])
    assert document.streams[0].lines == ("one", "two")
    _, (problem,) = unpack([InputFile("hyp.txt.zst", packed(b"x" * 10_000))], Limits(file_bytes=5_000))
    assert "limit for one file" in problem.message
    _, (problem,) = unpack([InputFile("hyp.txt.zst", packed(b"one\ntwo\n" * 1_000)[:-20])])
    assert "Cannot be unpacked" in problem.message
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    _, (problem,) = unpack([InputFile("hyp.txt.zst", packed(b"one\n"))])
    assert "'.[logs]'" in problem.message


def test_byte_order_marks_within_a_text_are_warned_of() -> None:
    mark = "\ufeff"
    (document,), _ = unpack([InputFile("a.txt", f"{mark}one\n{mark}two\nthree\n{mark}four\n".encode())])
    (warning,) = document.warnings
    assert warning.startswith("2 lines (first: 2) begin with a byte-order mark")
    (document,), _ = unpack([InputFile("a.txt", f"{mark}one\ntwo {mark}\n".encode())])
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("{number}. {word}", "Each line begins with its number ('1. one0'), which counts as text."),
        ("{number}\t{word}", "Each line begins with its number"),
        ("utt{number:03} {word}", "Each line begins with an ID ('utt001'), which counts as text. Remove it."),
        ("89-686-{number:04}\t{word}", "Each line begins with an ID ('89-686-0001'), which counts as text. Remove it."),
        ("-0.{number}51 {word} it", "Each line begins with a number ('-0.151'), which counts as text. Remove it."),
        ("{word} it (utt_{number})", "Each line ends with an ID in parentheses ('(utt_1)'), which counts as text."),
        ('"{word}"', "Each line is in quotation marks, which count as text."),
    ],
)
def test_what_a_program_added_to_every_line_is_warned_of(form: str, message: str) -> None:
    lines = [form.format(number=number + 1, word=f"one{number}") for number in range(6)]
    (document,), _ = unpack([InputFile("a.txt", "\n".join(lines).encode())])
    (warning,) = document.warnings
    assert warning.startswith(message)
    (document,), _ = unpack([InputFile("a.txt", "\n".join([*lines, "another"]).encode())])
    assert document.warnings == ()


def test_a_header_over_plain_lines_is_warned_of() -> None:
    lines = ["Hypothesis", *(f"one {number}" for number in range(6))]
    (document,), _ = unpack([InputFile("a.tsv", "\n".join(lines).encode())])
    warning = "The first line ('Hypothesis') looks like a header, but counts as a segment. If it is one, remove it."
    assert document.warnings == (warning,)
    (document,), _ = unpack([InputFile("a.tsv", "\n".join(lines[1:]).encode())])
    assert document.warnings == ()


@pytest.mark.parametrize("name", ["CITATION.cff", "params.toml", "paper.bib", "plots.ipynb"])
def test_files_of_a_repository_are_ignored(name: str) -> None:
    files = [InputFile(name, b"version: 1.2.0\n"), InputFile("base.txt", b"one two\n" * 9)]
    roles = {slot.file: slot.role for slot in guess(unpack(files)[0])}
    assert roles == {name: "other", "base.txt": "hypothesis"}


@pytest.mark.parametrize("first", [0, 1])
def test_a_list_of_numbers_of_lines_is_no_output(first: int) -> None:
    numbers = "\n".join(map(str, range(first, first + 9))).encode()
    files = [InputFile("ids.txt", numbers), InputFile("docids.txt", numbers), InputFile("few.txt", b"1\n2\n3\n")]
    files.append(InputFile("answers.txt", b"1\n2\n3\n4\n5\n7\n"))
    roles = {slot.file: slot.role for slot in guess(unpack(files)[0])}
    assert roles == {
        "ids.txt": "other",
        "docids.txt": "documents",
        "few.txt": "hypothesis",
        "answers.txt": "hypothesis",
    }


@pytest.mark.parametrize("name", ["Icon\r", "base.txt:Zone.Identifier", "._base.txt", "folder/Icon\r"])
def test_what_file_managers_leave_is_ignored(name: str) -> None:
    documents, (note,) = unpack([InputFile(name, b"[ZoneTransfer]\nZoneId=3\n")])
    assert documents == ()
    assert note.severity == "note"


@pytest.mark.parametrize(
    "form",
    ["doc{number}", "0.{number}5", "-0.{number}51\t{word}", "covid19 {word}", "{number} apples {word}", "{word} (2)"],
)
def test_lines_with_numbers_of_their_own_have_no_ids(form: str) -> None:
    lines = [form.format(number=2 * number + 3, word=f"one{number}") for number in range(6)]
    (document,), _ = unpack([InputFile("a.txt", "\n".join(lines).encode())])
    assert document.warnings == ()
