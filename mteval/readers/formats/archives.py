"""Unpack compressed files, archives and Parquet tables in memory, within limits.

Nothing that an archive says about itself is trusted: sizes are counted as bytes arrive, and names never touch the disk.
"""

import bz2
import gzip
import io
import itertools
import json
import lzma
import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from mteval.base.errors import InputError
from mteval.base.installing import how_to_install
from mteval.base.safe_paths import CLUTTER
from mteval.base.words import counted
from mteval.readers.documents import IGNORED, MIB, NEEDS_PACKAGE, InputFile, Limits, Problem
from mteval.readers.formats.text import refuse_more
from mteval.readers.formats.workbooks import MOST_UNPACKED, is_workbook, sheets

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC = b"\x1f\x8b"
BZIP2_BLOCKS = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")  # after "BZh" and the level: a block, or the file's end
XZ_MAGIC = b"\xfd7zXZ\x00"
ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
UNSUPPORTED = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR"}
XZ_PART = 8192  # bytes
NOT_PADDING = re.compile(rb"[^\0]")  # zeros may stand between streams
DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
ZSTANDARD = 93  # compression method
LOCAL_HEADER = 30  # bytes before an entry's name
MOST_GLOBAL_HEADERS = 1_000  # of a tar archive
DAMAGE = (
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    ArithmeticError,
    LookupError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
)


@dataclass(frozen=True)
class Expanded:
    """The plain files in an upload, and a note for each entry that is ignored."""

    files: list[InputFile]
    ignored: list[Problem]


@dataclass(frozen=True)
class Entry:
    """An entry of an archive.

    Parameters
    ----------
    kind
        What it is, if it is neither a file nor a folder, e.g. ``symbolic link``; otherwise empty.
    stream
        Its content; None if it is no file.
    """

    name: str
    kind: str = ""
    stream: IO[bytes] | None = None


LEFT_BEHIND = "left by a file manager or an editor"
# The last are where Windows writes that a file was downloaded, as WSL and some archives show it, and a log of Weights &
# Biases
LEFT_BY_ENDING = ("~", ".bak", ".orig", ".swp", ":Zone.Identifier", ".wandb")
ICON_OF_FOLDER = "Icon\r"  # of macOS
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
RECORD = "the record of Weights & Biases, which repeats the tables beside it"
_KIND_OF_TAR = {tarfile.SYMTYPE: "symbolic link", tarfile.LNKTYPE: "hard link", tarfile.FIFOTYPE: "pipe"}
_DEVICE = "device"
_KIND_OF_MODE = {stat.S_IFLNK: "symbolic link", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
_UNIX = 3  # the system that wrote an entry of a ZIP


def expand(file: InputFile, limits: Limits, room: int) -> Expanded:
    """Return the plain files in an upload: itself, its decompressed content, or the entries of the archive.

    Parameters
    ----------
    room
        Number of bytes that may still be unpacked.

    Raises
    ------
    InputError
        If it is damaged, encrypted or too large, or has entries whose names are equal or not UTF-8. An archive in an
        archive stays packed, unless it is a log of Inspect.
    """
    plain = _decompressed(file, limits, room)
    if is_workbook(plain.content):
        return Expanded(_sheets(plain, limits, room), [])
    if is_archive(plain.content):
        ignored: list[Problem] = []
        files: list[InputFile] = []
        entries = _unpacked_entries(plain, limits, room, ignored)
        room -= sum(len(entry.content) for entry in entries)
        for entry in _joined_log(entries, file.name):
            if is_workbook(entry.content):
                files += _sheets(entry, limits, room)
            elif _is_packed_log(entry):
                log = _joined_log(_unpacked_entries(entry, limits, room, ignored), entry.name)
                room -= sum(len(part.content) for part in log)
                files += log
            else:
                files.append(entry)
        return Expanded(files, ignored)
    if len(plain.content) > room:
        raise _too_large(file.name, limits.total_bytes, "all files together")
    return Expanded([plain], [])


def ignored_clutter(name: str) -> Problem:
    """Return the note on a file for which ``is_clutter`` is true."""
    reason = RECORD if name.endswith(".wandb") else LEFT_BEHIND
    return Problem(reason, name, None, "note", IGNORED)


def _sheets(workbook: InputFile, limits: Limits, room: int) -> list[InputFile]:
    """Return the sheets of a workbook whose parts are as small as they must be, and define no entities."""
    parts = _unpacked_entries(workbook, limits, min(room, MOST_UNPACKED), [])
    for part in parts:
        if any(mark in part.content for mark in DOCTYPES):
            raise InputError("The workbook has a DTD or entities, which are not supported.", workbook.name)
    return sheets(workbook, limits)


def _joined_log(files: list[InputFile], name: str) -> list[InputFile]:
    """Join the files of an Inspect archive, which has one per sample; return other files unchanged."""
    content_of = {file.name.removeprefix(f"{name}/"): file.content for file in files}
    samples = [content for part, content in content_of.items() if part.startswith("samples/")]
    if "header.json" not in content_of or not samples:
        return files
    start = content_of["header.json"].rstrip().removesuffix(b"}")
    return [InputFile(name, start + b', "samples": [' + b",".join(samples) + b"]}")]


def _is_packed_log(file: InputFile) -> bool:
    """Return whether an entry of an archive is an archive that Inspect wrote, by its name."""
    return file.name.lower().endswith(".eval") and file.content.startswith(ZIP_MAGIC)


def is_archive(content: bytes) -> bool:
    """Whether the content is a zip or tar archive, whatever its name."""
    return content.startswith(ZIP_MAGIC) or content[257:262] == b"ustar"


def is_clutter(name: str) -> bool:
    """Whether a file was left by a file manager or an editor, or repeats what is beside it."""
    parts = name.replace("\\", "/").split("/")
    if any(part in CLUTTER for part in parts):
        return True
    last = parts[-1]
    is_locked = last.startswith("~$") or (len(last) > 1 and last[0] == last[-1] == "#")  # while an editor has it open
    is_of_macos = last.startswith("._") or last == ICON_OF_FOLDER
    return is_locked or is_of_macos or last.endswith(LEFT_BY_ENDING)


def _unpacked_entries(archive: InputFile, limits: Limits, room: int, ignored: list[Problem]) -> list[InputFile]:
    """Return the files of an archive, and add a note for each other entry."""
    unpacked = []
    for entry in _entries(archive, limits, ignored):
        plain = _decompressed(entry, limits, room)
        is_open_document = entry.name == f"{archive.name}/mimetype" and entry.content.startswith(OPEN_DOCUMENT)
        is_office = entry.name.endswith("/[Content_Types].xml") and not is_workbook(archive.content)
        if is_open_document or is_office:
            raise InputError("This is an office document. Save it as plain text or as a table (CSV).", archive.name)
        room -= len(plain.content)
        if room < 0:
            raise _too_large(archive.name, limits.total_bytes, "all files together")
        unpacked.append(plain)
    return unpacked


def _decompressed(file: InputFile, limits: Limits, room: int) -> InputFile:
    """Return a file, decompressed if it is compressed; an archive stays packed."""
    pieces = _decompressing(file)
    try:
        first = next(pieces, b"")
        all_pieces = itertools.chain((first,), pieces)
        if is_archive(first):  # it may be as large as all files together
            too_large = _too_large(file.name, limits.total_bytes, "all files together")
            return InputFile(file.name, _joined(all_pieces, room, too_large))
        return _text(file.name, all_pieces, limits)
    except DAMAGE as error:
        raise _damaged(file.name, error) from error


def _decompressing(file: InputFile) -> Iterator[bytes]:
    """Yield the content, decompressed if its first bytes say so. Browsers may already have decompressed it.

    Raises
    ------
    InputError
        If the compression is known, but not supported, or needs pyarrow, which is missing.
    """
    content = file.content
    for magic, form in UNSUPPORTED.items():
        if content.startswith(magic):
            message = f"The file is compressed as {form}, which mteval does not unpack."
            raise InputError(f"{message} Use ZIP, tar, gzip, bzip2, xz or Zstandard.", file.name)
    if content.startswith(ZSTANDARD_MAGIC):
        pyarrow = _pyarrow("Zstandard", file.name)
        return _pieces(pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd"))
    if content.startswith(GZIP_MAGIC):
        return _pieces(gzip.GzipFile(fileobj=io.BytesIO(content)))
    if content.startswith(b"BZh") and content[4:10] in BZIP2_BLOCKS:
        return _pieces(bz2.BZ2File(io.BytesIO(content)))
    if content.startswith(XZ_MAGIC):
        return _xz_pieces(content)
    return iter((content,))


def _pieces(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    """Return the content of a stream, in pieces of at most 1 MiB."""
    return iter(lambda: stream.read(MIB), b"")


def _xz_pieces(content: bytes) -> Iterator[bytes]:
    """Decompress xz with bounded memory, which ``lzma.LZMAFile`` cannot do."""
    # The decoder copies what follows the end of a stream. It gets the content in small parts, so that many streams
    # take time in proportion to their number, not to its square.
    view = memoryview(content)
    position = 0
    while (start := NOT_PADDING.search(content, position)) is not None:
        position = start.start()
        decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=256 * MIB)
        while not decoder.eof:
            part: bytes | memoryview = b""
            if decoder.needs_input:
                part = view[position : position + XZ_PART]
                position += len(part)
                if not part:
                    raise EOFError("it ends in the middle")
            yield decoder.decompress(part, MIB)
        position -= len(decoder.unused_data)


def _joined(pieces: Iterable[bytes], limit: int, too_large: InputError) -> bytes:
    """Join all pieces; raise the error as soon as they exceed the limit."""
    joined = io.BytesIO()
    for piece in pieces:
        if joined.tell() + len(piece) > limit:
            raise too_large
        joined.write(piece)
    return joined.getvalue()  # does not copy


def _text(name: str, pieces: Iterable[bytes], limits: Limits) -> InputFile:
    """Join the pieces of a file until it has too many bytes or lines, as an archive bomb would."""

    def counted_lines() -> Iterator[bytes]:
        number = 0
        for piece in pieces:
            number += piece.count(b"\n")
            refuse_more(number, limits.lines, "or more lines", name)
            yield piece

    too_large = _too_large(name, limits.file_bytes, "one file")
    return InputFile(name, _joined(counted_lines(), limits.file_bytes, too_large))


def _entries(archive: InputFile, limits: Limits, ignored: list[Problem]) -> Iterator[InputFile]:
    """Yield the files in an archive, named below it, and add a note for each other entry but folders."""
    entries = _zip_entries if archive.content.startswith(ZIP_MAGIC) else _tar_entries
    taken = set[str]()
    try:
        for count, entry in enumerate(entries(archive)):
            if count >= limits.entries:
                message = f"The archive has more than {counted(limits.entries, 'entry')}, the limit. Pack fewer files."
                raise InputError(message, archive.name)
            name = f"{archive.name}/{_shown(entry.name)}"
            if is_clutter(entry.name):
                if entry.stream is not None:
                    ignored.append(ignored_clutter(name))
                continue
            if entry.kind:
                reason = f"A {entry.kind} has no text of its own. Pack the file itself if it is needed."
                ignored.append(Problem(reason, name, None, "note", IGNORED))
            if entry.stream is None:
                continue
            _refuse_bytes(entry.name, archive.name)
            path = posixpath.normpath(entry.name.replace("\\", "/"))
            if path in taken:
                message = f"The archive has two files named '{entry.name}', so it is unclear which one counts."
                raise InputError(f"{message} Pack only one of them, or rename one.", archive.name)
            taken.add(path)
            yield _text(f"{archive.name}/{entry.name}", _pieces(entry.stream), limits)
    except DAMAGE as error:
        raise _damaged(archive.name, error) from error


def _refuse_bytes(name: str, archive: str) -> None:
    """Raise InputError if a name in a tar archive, which may have any bytes, is not UTF-8."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _name_in_bytes(name.encode("utf-8", "surrogateescape"), archive) from error


def _name_in_bytes(name: bytes, archive: str) -> InputError:
    shown = name.decode("utf-8", "backslashreplace")
    message = f"The name of the entry '{shown}' is not UTF-8."
    return InputError(f"{message} Rename the file, e.g. in plain English letters, and pack the archive again.", archive)


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _zip_entries(file: InputFile) -> Iterator[Entry]:
    """Yield the entries of a ZIP archive; folders, links and devices have no stream."""
    content = file.content
    try:
        opened = zipfile.ZipFile(io.BytesIO(content))
    except UnicodeDecodeError as error:  # of a name that is marked as UTF-8
        raise _name_in_bytes(error.object, file.name) from error
    with opened as archive:
        # Entries that share their content would make the work grow with the product of their number and its length.
        if sum(info.compress_size for info in archive.infolist()) > len(content):
            raise zipfile.BadZipFile("entries overlap")
        for info in archive.infolist():
            kind = _kind_in_zip(info)
            if info.is_dir() or kind:
                yield Entry(info.filename, kind)
                continue
            if info.flag_bits & 0x1:
                message = f"The entry '{info.filename}' is encrypted, and mteval asks for no passwords."
                raise InputError(f"{message} Pack the files without a password, or unpack them first.", file.name)
            if info.compress_type == ZSTANDARD:  # as in Inspect's archives; known to zipfile from Python 3.14 on
                yield Entry(info.filename, stream=_zstandard(content, info, file.name))
                continue
            try:
                stream = archive.open(info)
            except UnicodeDecodeError as error:  # of the name beside the content
                raise _name_in_bytes(error.object, file.name) from error
            with stream:
                yield Entry(info.filename, stream=stream)


def _kind_in_zip(info: zipfile.ZipInfo) -> str:
    """Return what an entry is that is neither a file nor a folder, by its mode on Unix; otherwise empty."""
    mode = stat.S_IFMT(info.external_attr >> 16)
    if info.create_system != _UNIX or mode in (0, stat.S_IFREG, stat.S_IFDIR):
        return ""
    return _KIND_OF_MODE.get(mode, _DEVICE)


def _zstandard(content: bytes, info: zipfile.ZipInfo, archive: str) -> IO[bytes]:
    """Return a stream that decompresses an entry as it is read, without its check sum.

    The local header before it has names of its own length.

    Raises
    ------
    InputError
        If pyarrow is missing.
    """
    n_name, n_extra = struct.unpack("<HH", content[info.header_offset + 26 : info.header_offset + LOCAL_HEADER])
    start = info.header_offset + LOCAL_HEADER + n_name + n_extra
    pyarrow = _pyarrow("Zstandard", archive)
    packed = pyarrow.BufferReader(memoryview(content)[start : start + info.compress_size])
    stream: IO[bytes] = pyarrow.CompressedInputStream(packed, "zstd")
    return stream


def _tar_entries(file: InputFile) -> Iterator[Entry]:
    """Yield the entries of a tar archive; folders, links and devices have no stream."""
    with tarfile.open(fileobj=io.BytesIO(file.content), mode="r:") as archive:
        for member in archive:
            if len(archive.pax_headers) > MOST_GLOBAL_HEADERS:  # every further entry would get a copy of them
                raise tarfile.ReadError(f"more than {MOST_GLOBAL_HEADERS:,} headers hold for all entries")
            if member.isreg():
                yield Entry(member.name, stream=archive.extractfile(member))
            elif member.isdir():
                yield Entry(member.name)
            else:
                yield Entry(member.name, _KIND_OF_TAR.get(member.type, _DEVICE))


def _too_large(name: str, limit: int, limited: str) -> InputError:
    message = f"More than {limit / MIB:,.6g} MiB when unpacked, the limit for {limited}. Nothing was loaded."
    return InputError(f"{message} Use smaller files.", name)


def _damaged(name: str, error: Exception) -> InputError:
    if isinstance(error, NotImplementedError):
        return InputError("Unsupported compression. Use an ordinary ZIP.", name)
    return InputError(f"Cannot be unpacked ({error}). The file may be truncated or damaged. Create it again.", name)


def parquet_lines(content: bytes, limits: Limits, file: str) -> bytes:
    """Return the rows as JSON lines; rows and bytes that the file announces are limited before anything is read.

    Raises
    ------
    InputError
        If pyarrow is missing, or the file is damaged or too large.
    """
    pyarrow = _pyarrow("parquet", file)
    try:
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        groups = map(table.metadata.row_group, range(table.metadata.num_row_groups))
        refuse_more(table.metadata.num_rows, limits.lines, "rows", file)
        refuse_more(table.metadata.num_columns, limits.columns, "columns", file)
        refuse_more(sum(group.total_byte_size for group in groups), limits.file_bytes, "bytes when unpacked", file)
        lines: list[bytes] = []
        size = 0
        for batch in table.iter_batches(batch_size=100):
            for row in batch.to_pylist():
                lines.append(json.dumps(row, ensure_ascii=False, default=str).encode())
                size += len(lines[-1])
            refuse_more(size, limits.file_bytes, "bytes when unpacked", file)  # a value may be stored once for all rows
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"The Parquet file cannot be read ({reason}). Write it again.", file) from error
    return b"\n".join(lines)


def _pyarrow(format: str, file: str) -> Any:
    """Import pyarrow, which a format needs."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = f"{format.capitalize()} needs pyarrow. {how_to_install('logs')} Or convert the file to CSV or JSON."
        raise InputError(message, file, code=NEEDS_PACKAGE) from error
    return pyarrow
