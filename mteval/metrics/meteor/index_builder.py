"""From METEOR's paraphrase table to arrays: words are numbered, phrases are nodes of a trie, their paraphrases too.

The table has three lines a pair: probability, phrase, paraphrase. The order of the pairs is kept, because the search
for an alignment depends on it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from mteval.base.arrays import ByteArray, Int32Array
from mteval.base.errors import DataError
from mteval.metrics.meteor.index_kernels import END, HASH, NODES, WORDS, Tables, read_lines
from mteval.metrics.meteor.phrase_kernels import ROOT, doubled, doubled_words, group_pairs, order_nodes
from mteval.metrics.text.text_kernels import FREE

_FIRST_PLACES = 1 << 16
_LETTERS_A_WORD = 16  # of the room that there is at first


@dataclass(frozen=True)
class PhraseTable:
    """Paraphrases as arrays.

    Parameters
    ----------
    words
        All words of the table, UTF-8, one a line; the number of a word is that of its line.
    last_words, first_children
        The trie, as ``phrase_trie_kernels`` reads it.
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


def build_table(blocks: Iterable[bytes], report: Callable[[int], None]) -> PhraseTable:
    """Read the uncompressed table, given in blocks of any size.

    Parameters
    ----------
    report
        Called after each block with the number of bytes read so far.

    Raises
    ------
    DataError
        Where the number of lines is not a multiple of three.
    """
    builder = _Builder(_FIRST_PLACES)
    n_bytes = 0
    for block in blocks:
        builder.add(block)
        n_bytes += len(block)
        report(n_bytes)
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
        pairs = np.concatenate([np.empty((0, 2), dtype=np.int32), *self._pairs])
        last_words, first_children, renumbered = order_nodes(keys, children, n_nodes, n_words)
        starts, targets = group_pairs(renumbered[pairs], len(last_words))
        words = b"\n".join(text[start:end].tobytes() for start, end, _ in spans[:n_words].tolist())
        return PhraseTable(np.frombuffer(words, dtype=np.uint8), last_words, first_children, starts, targets)
