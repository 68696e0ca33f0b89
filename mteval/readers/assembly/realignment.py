"""Split outputs anew into the lines of the references, within documents, where their numbers of lines differ.

Translations of whole documents rarely keep the lines of their source. ``mweralign`` finds the split with the fewest
word errors (Matusov et al. 2005, Post and Hoang 2025). Labels mark the segments whose line moved, so that every result
from these texts can say so.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

from mteval.base.errors import DataError, InputError, MissingDependencyError
from mteval.base.words import counted
from mteval.readers.assembly.alignment import LONGEST_WORDS
from mteval.readers.documents import Document, Slot, Stream
from mteval.values.model import MOVED, REALIGNED

MOST_WORDS = 20_000  # per document; time grows with its square
MOST_SECONDS = 600  # per output
Lines = Sequence[str]
Unfit = tuple[str, Lines, Lines, Sequence[tuple[Slot, Lines]]]  # test set, references, documents and outputs
PROGRAM = """
import json, sys
from mweralign import align_texts
print(json.dumps([align_texts(*pair) for pair in json.load(sys.stdin)]))
"""


def realigned(documents: Sequence[Document], slots: Sequence[Slot]) -> tuple[tuple[Document, ...], tuple[Slot, ...]]:
    """Return the files and roles with each output that does not fit its references replaced by a realigned one.

    Raises
    ------
    InputError
        If the documents of an output cannot be told, or a document is too long.
    DataError
        If a test set has no references or no documents.
    MissingDependencyError
        If ``mweralign`` is not installed.
    """
    files, roles = {document.name: document for document in documents}, list(slots)
    for test_set, references, ids, unfit in _unfit(documents, slots):
        if not references or len(ids) != len(references):
            raise DataError(f"Test set '{test_set}' needs references and documents to realign outputs (--documents).")
        groups = [list(group) for _, group in groupby(range(len(references)), ids.__getitem__)]
        moved: set[int] = set()
        for slot, lines in unfit:
            split = list(_within(slot.file, lines, [[references[place] for place in group] for group in groups]))
            moved |= {place for place, (_, is_moved) in enumerate(split) if is_moved}
            name = slot.file if files[slot.file].format == "lines" else f"{slot.file} {slot.stream} realigned.txt"
            files[name] = Document(name, "lines", (Stream("", tuple(line for line, _ in split)),))
            roles[roles.index(slot)] = replace(slot, file=name, stream="")
        marks = tuple(MOVED if place in moved else "as given" for place in range(len(references)))
        labels = Document(f"{test_set}.{REALIGNED}.labels", "lines", (Stream("", marks),))
        files[labels.name] = labels
        roles.append(Slot(labels.name, "labels", test_set=test_set, name=REALIGNED))
    return tuple(files.values()), tuple(roles)


def can_realign(documents: Sequence[Document], slots: Sequence[Slot]) -> bool:
    """Whether an output has other lines than its references, and the documents of these are known."""
    return any(references and len(ids) == len(references) for _, references, ids, _ in _unfit(documents, slots))


def _unfit(documents: Sequence[Document], slots: Sequence[Slot]) -> Iterator[Unfit]:
    """Yield each test set with its references, documents, and the outputs with another number of lines."""
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}
    for test_set in dict.fromkeys(slot.test_set for slot in slots if slot.included and slot.role == "hypothesis"):
        of_set = [slot for slot in slots if slot.included and slot.test_set == test_set]
        here = [slot for slot in of_set if (slot.file, slot.stream) in streams]
        lines = {slot: [line or "" for line in streams[slot.file, slot.stream].lines] for slot in here}
        by_role = {slot.role: lines[slot] for slot in reversed(here)}
        references, ids = by_role.get("reference", []), by_role.get("documents", [])
        outputs = [(slot, lines[slot]) for slot in here if slot.role == "hypothesis"]
        if unfit := [(slot, own) for slot, own in outputs if len(own) != len(references)]:
            yield test_set, references, ids, unfit


def _within(file: str, lines: Lines, references: Sequence[Lines]) -> Iterator[tuple[str, bool]]:
    """Yield the line of each segment, and whether it is another than the output's own at its place."""
    blocks = [list(block) for filled, block in groupby(lines, lambda line: bool(line.strip())) if filled]
    if len(blocks) != len(references):  # otherwise documents are separated by empty lines
        blocks = [[line] for line in lines if line.strip()]
    if len(blocks) != len(references):
        message = f"{counted(len(lines), 'line')}, but {counted(sum(map(len, references)), 'segment')} in"
        message = f"{message} {counted(len(references), 'document')}. To realign, write one document per line, or"
        raise InputError(message + " separate documents by an empty line.", file)
    texts = [_words(block, wanted, file) for block, wanted in zip(blocks, references, strict=True)]
    found = _split([("\n".join(wanted), " ".join(words)) for words, wanted, _ in texts], file)
    for block, (words, wanted, space), split in zip(blocks, texts, found, strict=True):
        # the words are those of the output: mweralign only says how many a line has
        counts = [len(line.split()) for line in split.split("\n")[: len(wanted)]]
        ends = [*accumulate(counts)] + [len(words)] * (len(wanted) - len(counts))
        ends[-1] = len(words)
        for start, end in pairwise([0, *ends]):
            line = space.join(words[start:end])
            yield line, line not in block


def _words(block: Lines, wanted: Lines, file: str) -> tuple[list[str], Lines, str]:
    """Return the words of a document, the lines of its reference in such words, and what joins words.

    Scripts without spaces are split into characters.
    """
    words, space = " ".join(block).split(), " "
    if len(" ".join(block)) > LONGEST_WORDS * len(words):
        words, wanted, space = [*"".join(words)], [" ".join("".join(line.split())) for line in wanted], ""
    if max(len(words), sum(len(line.split()) for line in wanted)) > MOST_WORDS:
        message = f"A document has {counted(len(words), 'word')}; the limit is {MOST_WORDS:,}."
        raise InputError(f"{message} Translate shorter documents.", file)
    return words, wanted, space


def _split(pairs: Sequence[tuple[str, str]], file: str) -> list[str]:
    """Return the second text of each pair in the lines of the first; in another process, since mweralign prints."""
    program = [sys.executable, "-c", PROGRAM]
    try:
        done = subprocess.run(program, input=json.dumps(pairs), capture_output=True, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise InputError(f"Realigning took more than {MOST_SECONDS:,} seconds. Split it by hand.", file) from error
    if "ModuleNotFoundError" in done.stderr:
        raise MissingDependencyError("Realigning needs mweralign: pip install 'mteval-core[align]'.")
    if done.returncode:
        reason = " ".join(done.stderr.split())[-200:]
        raise InputError(f"mweralign cannot realign it ({reason}). Remove the file, or split it by hand.", file)
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found
