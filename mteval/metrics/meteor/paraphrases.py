"""The index of METEOR's paraphrases: built once in the user's cache directory, then memory-mapped.

Words are numbered; phrases and paraphrases are nodes of a trie. The order of pairs in METEOR's table is kept, because
the alignment search depends on it.
"""

import gzip
import hashlib
import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import ByteArray, Int32Array
from mteval.base.digests import digest_of_file
from mteval.base.errors import DataError, InputError, MtevalError
from mteval.base.paths import cache_directory, make_private
from mteval.base.word_kernels import number_words
from mteval.metrics.meteor.data import Identity, identity_of, packaged_paraphrases
from mteval.metrics.text.ngrams import starts_of, trie_levels

ROOT = 0
_SPACES = np.ones(33, dtype=np.bool_)  # code points up to the space separate words
_LINE_FEED = 10
_FORMAT = 2  # in the file's name: another layout is another file
_ALIGNMENT = 64
_SEAL = 16  # bytes at the end: a digest of the rest
_BYTES_OF_BLOCK = 1 << 22
_building = Lock()


class PhraseTable(NamedTuple):
    """Paraphrases as arrays.

    Parameters
    ----------
    words
        All words of the table, UTF-8, one per line; a word's number is that of its line.
    last_words, first_children
        A trie with nodes numbered breadth first, children in the order of their words: for each node, the word that
        leads to it, and its first child (at the end, the number of nodes). The root is node 0; word ``w`` has node ``w
        + 1``.
    starts
        For each node, where its paraphrases start in ``targets``, and the end of the last, shape ``(nodes + 1,)``.
    targets
        Nodes of each phrase's paraphrases, in the order of the table.
    """

    words: ByteArray
    last_words: Int32Array
    first_children: Int32Array
    starts: Int32Array
    targets: Int32Array


def build_table(blocks: Iterable[bytes]) -> PhraseTable:
    """Read the uncompressed table from blocks of any size: per pair, a line each for probability, phrase and
    paraphrase.

    Raises
    ------
    DataError
        If the number of lines is not a multiple of three.
    """
    # Words of phrases and paraphrases in turn, and the number of words of each
    numbers: dict[bytes, int] = {}
    items, lengths = _read_phrases(blocks, numbers)
    n_words = len(numbers)

    # One node per sequence of words: the root, then single words, then level by level. Each phrase begins at the node
    # of its first word, and ends at its own.
    phrase_starts = np.cumsum(lengths, dtype=np.int64) - lengths
    first_words = np.append(items, 0)[phrase_starts]  # of an empty phrase at the end, any
    nodes = np.where(lengths > 0, first_words + 1, ROOT).astype(np.int64)
    levels = list(trie_levels(items, phrase_starts, lengths, nodes, n_words + 1))
    last_words = np.concatenate([np.arange(-1, n_words), *(level.items for level in levels)])
    parents = np.concatenate([[-1], np.full(n_words, ROOT), *(level.parents for level in levels)])
    first_children = np.searchsorted(parents, np.arange(parents.size + 1))

    # The paraphrases of each node, in the order of the table
    phrases, paraphrases = nodes.reshape(-1, 2).T
    by_phrase = np.argsort(phrases, kind="stable")
    starts = np.searchsorted(phrases[by_phrase], np.arange(parents.size + 1))
    return PhraseTable(
        words=np.frombuffer(b"\n".join(numbers), dtype=np.uint8),
        last_words=last_words.astype(np.int32),
        first_children=first_children.astype(np.int32),
        starts=starts.astype(np.int32),
        targets=paraphrases[by_phrase].astype(np.int32),
    )


def _read_phrases(blocks: Iterable[bytes], numbers: dict[bytes, int]) -> tuple[Int32Array, Int32Array]:
    """Return the words of all phrases and paraphrases, and their lengths; adds new words to ``numbers``."""
    n_lines = 0
    items = [np.empty(0, dtype=np.int32)]
    counts = [np.empty(0, dtype=np.int32)]
    for block in _whole_lines(blocks):
        data = np.frombuffer(block, dtype=np.uint8)
        lengths = np.diff(np.flatnonzero(data == _LINE_FEED), prepend=-1)
        is_phrase = (n_lines + np.arange(lengths.size)) % 3 > 0  # not a probability
        n_lines += lengths.size
        text = data[np.repeat(is_phrase, lengths)]
        # The words of this block by their numbers in it, and where in the text each of these numbers first stands
        numbers_in_block, starts, spans = number_words(text.astype(np.int32), starts_of(lengths[is_phrase]), _SPACES)
        letters = text.tobytes()
        number_of = [numbers.setdefault(letters[start:end], len(numbers)) for start, end in spans.tolist()]
        items.append(np.array(number_of, dtype=np.int32)[numbers_in_block])
        counts.append(np.diff(starts).astype(np.int32))
    if n_lines % 3:
        message = "The paraphrase table ends within a pair; expected three lines per pair:"
        raise DataError(f"{message} probability, phrase, paraphrase.")
    return np.concatenate(items), np.concatenate(counts)


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same text in blocks that end at line ends."""
    rest = b""
    for block in blocks:
        lines, feed, rest = (rest + block).rpartition(b"\n")
        yield lines + feed
    yield rest + b"\n" if rest else b""


@dataclass(frozen=True)
class ParaphraseIndex:
    """A phrase table in a memory-mapped file; a copy sent to another process reopens it there.

    Parameters
    ----------
    path
        The file.
    source, language
        What it was built from, as given to ``ensure_index``.
    """

    path: Path
    source: Path | None
    language: str

    @cached_property
    def table(self) -> PhraseTable:
        """The arrays, read-only."""
        with self.path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return PhraseTable(*[_map_array(file, mapped) for _ in PhraseTable._fields])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Numbers of the words."""
        words = self.table.words.tobytes().decode("utf-8", "replace").split("\n")
        return {word: number for number, word in enumerate(words)}

    def __reduce__(self) -> tuple[Any, ...]:
        return ensure_index, (self.source, self.language)


def ensure_index(
    source: Path | None = None, language: str = "en", meanwhile: Callable[[], object] = tuple
) -> ParaphraseIndex:
    """Return the index of a paraphrase table; build it if it is not cached (ten seconds for the English one).

    Threads wait for the one that builds. Several processes may build at once; the first to finish wins.

    Parameters
    ----------
    source
        The table, gzip or plain text; None for the one in METEOR's data.
    meanwhile
        Called in a thread of its own while the index is built, for other slow first-time work.

    Raises
    ------
    MissingDependencyError
        If METEOR's data are not installed.
    InputError
        If the table cannot be read.
    MtevalError
        If the cache has no space.
    """
    table = source
    if table is None:
        table = packaged_paraphrases(language)
    path = cache_directory() / "meteor" / f"paraphrases-{_FORMAT}-{content_digest(table)}.bin"
    with _building:
        if not path.is_file() or not _is_whole(identity_of(path)):
            _read_phrases([], {})  # first, because the compiler serves one thread at a time
            with ThreadPoolExecutor(1) as pool:
                other_work = pool.submit(meanwhile)
                try:
                    _build(table, path)
                except OSError as error:
                    raise MtevalError(
                        f"METEOR's paraphrase index cannot be saved in '{path.parent}': {error.strerror or error}. Free"
                        " space there or set MTEVAL_CACHE to another directory."
                    ) from error
                other_work.result()
    return _opened(path, source, language)


def content_digest(source: Path) -> str:
    """Return a digest of a file's content.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    return digest_of_file(identity_of(source)[0])[:32]


_opened = lru_cache(maxsize=2)(ParaphraseIndex)


@lru_cache(maxsize=4)
def _is_whole(identity: Identity) -> bool:
    """Return whether the file is undamaged."""
    path, size, _ = identity
    if size <= _SEAL:
        return False
    seal = np.memmap(path, np.uint8, "r", offset=size - _SEAL).tobytes()
    return seal == _seal_of(path, size - _SEAL)


def _seal_of(path: Path, size: int) -> bytes:
    """Return a digest of the first ``size`` bytes of a file."""
    content = np.memmap(path, np.uint8, "r", shape=size)
    return hashlib.blake2b(content.data, digest_size=_SEAL).digest()


def _build(source: Path, path: Path) -> None:
    """Build the index of a table in a file, which appears when it is complete."""
    with source.open("rb") as raw:
        table = build_table(_blocks(raw, source))
    make_private(path.parent)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="building-", delete=False) as file:
        try:
            _write_table(file, table)
            file.flush()
            file.write(_seal_of(Path(file.name), file.tell()))
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _blocks(raw: BinaryIO, source: Path) -> Iterator[bytes]:
    """Yield the uncompressed content of a file in blocks."""
    is_packed = raw.read(2) == b"\x1f\x8b"  # how files of gzip begin
    raw.seek(0)
    stream = gzip.GzipFile(fileobj=raw) if is_packed else raw
    try:
        while True:
            block = stream.read(_BYTES_OF_BLOCK)
            if not block:
                return
            yield block
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise InputError(f"METEOR cannot unpack this file: {error}. Download it again.", str(source)) from error


def _write_table(file: Any, table: PhraseTable) -> None:
    """Write the arrays in NumPy's format, each aligned for its numbers."""
    for array in table:
        file.write(b"\0" * (-file.tell() % _ALIGNMENT))
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def _map_array(file: BinaryIO, mapped: mmap.mmap) -> npt.NDArray[Any]:
    """Return the next array of ``_write_table`` in a mapped file."""
    file.seek(-file.tell() % _ALIGNMENT, os.SEEK_CUR)
    np.lib.format.read_magic(file)
    (length,), _, dtype = np.lib.format.read_array_header_1_0(file)
    array = np.frombuffer(mapped, dtype=dtype, count=length, offset=file.tell())
    file.seek(array.nbytes, os.SEEK_CUR)
    return array
