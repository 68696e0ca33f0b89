"""From METEOR's paraphrase table to arrays: words are numbered, phrases are nodes of a trie, their paraphrases too.

The table has three lines a pair: probability, phrase, paraphrase. The order of the pairs is kept, because the search
for an alignment depends on it.

The index of paraphrases: built once into the user's cache directory, then mapped into memory by whoever needs it.
"""

import gzip
import hashlib
import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import ByteArray, Int32Array, IntArray
from mteval.base.errors import DataError, InputError, MtevalError
from mteval.base.paths import cache_directory, make_private
from mteval.metrics.meteor.data import Identity, identity_of, packaged_paraphrases
from mteval.metrics.meteor.phrase_kernels import (
    END,
    HASH,
    NODES,
    ROOT,
    WORDS,
    Tables,
    doubled,
    doubled_words,
    read_lines,
)
from mteval.metrics.text.text_kernels import FREE

_FIRST_PLACES = 1 << 16
_LETTERS_A_WORD = 16  # of the room that there is at first
_FORMAT = 2  # part of the file's name: an index of another layout is another file
_ALIGNMENT = 64
_SEAL = 16  # bytes at the end, a digest of those before
_BLOCK = 1 << 22
_GZIP_MAGIC = b"\x1f\x8b"
_building = Lock()


@dataclass(frozen=True)
class PhraseTable:
    """Paraphrases as arrays.

    Parameters
    ----------
    words
        All words of the table, UTF-8, one a line; the number of a word is that of its line.
    last_words, first_children
        The trie, as ``phrase_kernels`` reads it.
    starts
        For each node where its paraphrases begin in ``targets``, and the end of the last, shape ``(nodes + 1,)``.
    targets
        Nodes of the paraphrases of each phrase, in the order of the table.
    """

    words: ByteArray
    last_words: Int32Array
    first_children: Int32Array
    starts: Int32Array
    targets: Int32Array


def build_table(blocks: Iterable[bytes]) -> PhraseTable:
    """Read the uncompressed table, given in blocks of any size.

    Raises
    ------
    DataError
        Where the number of lines is not a multiple of three.
    """
    builder = _Builder(_FIRST_PLACES)
    for block in blocks:
        builder.add(block)
    return builder.finish()


def make_code() -> None:
    """See that the compiled functions are there: a small table is read, into tables so small that they grow."""
    builder = _Builder(2)
    builder.add(b"1\na phrase\nanother\n")
    builder.finish()


class _Builder:
    """Tables that grow while lines are read, from a number of places on, a power of two."""

    def __init__(self, places: int) -> None:
        self._rest = b""
        self._pairs: list[Int32Array] = []
        self._tables = Tables(
            text=np.empty(_LETTERS_A_WORD * places, dtype=np.uint8),
            spans=np.zeros((places, 3), dtype=np.int64),
            slots=np.full(places, FREE, dtype=np.int64),
            keys=np.full(places, FREE, dtype=np.int64),
            children=np.zeros(places, dtype=np.int32),
            state=np.array([0, 1, 0, ROOT], dtype=np.int64),
        )

    def add(self, block: bytes) -> None:
        """Read the lines of a block; a line that is not complete waits for the next one."""
        block = self._rest + block
        end = block.rfind(b"\n") + 1
        self._rest = block[end:]
        data = np.frombuffer(block, dtype=np.uint8, count=end)
        pairs = np.empty((block.count(b"\n") // 3 + 1, 2), dtype=np.int32)
        position = n_pairs = 0
        while position < end:
            position, n_pairs = read_lines(data, position, self._tables, pairs, n_pairs)
            if position < end:
                self._grow(block.find(b"\n", position) - position)
        self._pairs.append(pairs[:n_pairs])

    def _grow(self, length: int) -> None:
        """Make room for a line of so many bytes: it has fewer new words and nodes, and no more new text."""
        text, spans, slots, keys, children, state = self._tables
        n_words, n_nodes = state[WORDS], state[NODES]
        while 2 * (n_nodes + length) > len(keys):
            keys, children = doubled(keys, children)
        while 2 * (n_words + length) > len(slots):
            slots = doubled_words(slots, spans[:, HASH].copy(), n_words)
        while n_words + length > len(spans):
            spans = np.concatenate([spans, np.zeros_like(spans)])
        while spans[:n_words, END].max(initial=0) + length > len(text):
            text = np.concatenate([text, np.empty_like(text)])
        self._tables = Tables(text, spans, slots, keys, children, state)

    def finish(self) -> PhraseTable:
        """The table, after the last block."""
        if self._rest:
            self.add(b"\n")
        text, spans, _, keys, children, state = self._tables
        n_words, n_nodes, line, _ = state.tolist()
        if line != 0:
            raise DataError(
                "The paraphrase table ends within a pair; expected three lines each: probability, phrase, paraphrase."
            )
        last_words, first_children, renumbered = _ordered(keys, children, n_nodes, n_words)
        phrases, paraphrases = renumbered[np.concatenate([np.empty((0, 2), dtype=np.int32), *self._pairs])].T
        by_phrase = np.argsort(phrases, kind="stable")  # those of a phrase in the order of the table
        starts = np.searchsorted(phrases[by_phrase], np.arange(len(last_words) + 1)).astype(np.int32)
        words = b"\n".join(text[start:end].tobytes() for start, end, _ in spans[:n_words].tolist())
        table = last_words, first_children, starts, paraphrases[by_phrase]
        return PhraseTable(np.frombuffer(words, dtype=np.uint8), *table)


def _ordered(
    keys: IntArray, children: Int32Array, n_nodes: int, n_words: int
) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Number the nodes of a trie as ``phrase_kernels`` wants them; words that begin no phrase get a node as well.

    Parameters
    ----------
    keys, children
        Hash table from ``parent << 32 | word`` to child; free places have a negative key.

    Returns
    -------
    last_words, first_children
        As in ``phrase_kernels``.
    renumbered
        The new number of each old node.
    """
    parents, words, nodes = keys[keys >= 0] >> 32, keys[keys >= 0] & 0xFFFFFFFF, children[keys >= 0]
    last_words, parents_of = [np.arange(-1, n_words)], [np.zeros(n_words, dtype=np.int64)]
    renumbered: Int32Array = np.zeros(n_nodes, dtype=np.int32)
    is_here, total = parents == ROOT, n_words + 1
    renumbered[nodes[is_here]] = words[is_here] + 1
    while is_here.any():  # level by level, in the order of parents and words
        is_parent = np.zeros(n_nodes, dtype=np.bool_)
        is_parent[nodes[is_here]] = True
        is_here = is_parent[parents]
        rows = np.flatnonzero(is_here)
        rows = rows[np.lexsort((words[rows], renumbered[parents[rows]]))]
        renumbered[nodes[rows]] = np.arange(total, total + len(rows))
        last_words.append(words[rows])
        parents_of.append(renumbered[parents[rows]])
        total += len(rows)
    first_children = 1 + np.searchsorted(np.concatenate(parents_of), np.arange(total + 1))
    first_children[total] = total
    return np.concatenate(last_words).astype(np.int32), first_children.astype(np.int32), renumbered


@dataclass(frozen=True)
class ParaphraseIndex:
    """A phrase table whose arrays lie in a mapped file; a copy sent to another process opens it there.

    Parameters
    ----------
    path
        The file.
    source, language
        What it was built of, as given to ``ensure_index``.
    """

    path: Path
    source: Path | None
    language: str

    @cached_property
    def table(self) -> PhraseTable:
        """The arrays; read only."""
        return _map_table(self.path)

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
    """The index of a paraphrase table, built if the cache does not have it: ten seconds for the English one.

    Threads wait for the one that builds; of several processes each builds, and the first to finish is kept.

    Parameters
    ----------
    source
        The table, as gzip or plain text; None for the one that comes with METEOR's data.
    meanwhile
        Called in a thread of its own where the index is built: what else takes long the first time.

    Raises
    ------
    MissingDependencyError
        Where METEOR's data are not installed.
    InputError
        Where the table cannot be read.
    MtevalError
        Where the cache has no room.
    """
    table = packaged_paraphrases(language) if source is None else source
    path = cache_directory() / "meteor" / f"paraphrases-{_FORMAT}-{content_digest(table)}.bin"
    with _building:
        if not path.is_file() or not _is_whole(identity_of(path)):
            make_code()  # beforehand, because the compiler serves one thread at a time
            with ThreadPoolExecutor(1) as pool:
                other = pool.submit(meanwhile)
                try:
                    _build(table, path)
                except OSError as error:
                    raise MtevalError(
                        f"METEOR's paraphrase index cannot be kept in '{path.parent}': {error.strerror or error}. Make"
                        " room there, or name another directory in MTEVAL_CACHE."
                    ) from error
                other.result()
    return _opened(path, source, language)


def content_digest(source: Path) -> str:
    """Digest of a file's content.

    Raises
    ------
    InputError
        Where the file cannot be read.
    """
    return _digest(identity_of(source))


@lru_cache(maxsize=8)
def _digest(identity: Identity) -> str:
    with identity[0].open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


_opened = lru_cache(maxsize=2)(ParaphraseIndex)


@lru_cache(maxsize=4)
def _is_whole(identity: Identity) -> bool:
    """Whether the file is as it was written, to the last bit."""
    path, size, _ = identity
    return size > _SEAL and np.memmap(path, np.uint8, "r", size - _SEAL).tobytes() == _seal_of(path, size - _SEAL)


def _seal_of(path: Path, size: int) -> bytes:
    """Digest of the first ``size`` bytes of a file."""
    return hashlib.blake2b(np.memmap(path, np.uint8, "r", shape=size).data, digest_size=_SEAL).digest()


def _build(source: Path, path: Path) -> None:
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
    packed = raw.read(2) == _GZIP_MAGIC
    raw.seek(0)
    stream = gzip.GzipFile(fileobj=raw) if packed else raw
    try:
        while block := stream.read(_BLOCK):
            yield block
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise InputError(f"METEOR cannot unpack it: {error}. Fetch the file again.", str(source)) from error


def _write_table(file: Any, table: PhraseTable) -> None:
    """One array after the other in NumPy's format, each at a place that suits its numbers."""
    for field in fields(PhraseTable):
        file.write(b"\0" * (-file.tell() % _ALIGNMENT))
        np.lib.format.write_array(file, np.ascontiguousarray(getattr(table, field.name)), allow_pickle=False)


def _map_table(path: Path) -> PhraseTable:
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        arrays = [_map_array(file, mapped) for _ in fields(PhraseTable)]
    return PhraseTable(*arrays)


def _map_array(file: BinaryIO, mapped: mmap.mmap) -> npt.NDArray[Any]:
    file.seek(-file.tell() % _ALIGNMENT, os.SEEK_CUR)
    np.lib.format.read_magic(file)
    (length,), _, dtype = np.lib.format.read_array_header_1_0(file)
    array = np.frombuffer(mapped, dtype=dtype, count=length, offset=file.tell())
    file.seek(array.nbytes, os.SEEK_CUR)
    return array
