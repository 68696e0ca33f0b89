"""Split outputs anew into the lines of the references, within documents, where their numbers of lines differ.

Translations of whole documents rarely keep the lines of their source. ``mweralign`` finds the split with the fewest
word errors (Matusov et al. 2005, Post and Hoang 2025). Labels mark the segments whose line moved, so that every result
from these texts can say so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

from mteval.base.errors import DataError, InputError, MissingDependencyError
from mteval.base.installing import how_to_install
from mteval.base.words import counted
from mteval.readers.assembly.alignment import LONGEST_WORDS
from mteval.readers.documents import Document, FileRole, Slot, Stream
from mteval.values.model import MOVED, REALIGNED

MOST_WORDS = 20_000  # per document; time grows with its square
MOST_SECONDS = 600  # per output

Lines = Sequence[str]

PROGRAM = """
import json, sys
from mweralign import align_texts
print(json.dumps([align_texts(*pair) for pair in json.load(sys.stdin)]))
"""


@dataclass(frozen=True)
class Unfit:
    """A test set with the outputs that have another number of lines than its references.

    The lines of the first reference and of the documents are empty if there are none.
    """

    test_set: str
    references: Lines
    documents: Lines
    outputs: Sequence[tuple[Slot, Lines]]

    @property
    def can_be_realigned(self) -> bool:
        """Whether there are references, and the document of each segment is known."""
        return len(self.references) > 0 and len(self.documents) == len(self.references)


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
    files = {document.name: document for document in documents}
    assigned = list(slots)
    for unfit in _unfit_test_sets(documents, slots):
        test_set = unfit.test_set
        references = unfit.references
        if not unfit.can_be_realigned:
            raise DataError(f"Test set '{test_set}' needs references and documents to realign outputs (--documents).")
        references_of_documents = []
        for _, segments in groupby(range(len(references)), key=unfit.documents.__getitem__):
            references_of_documents.append([references[segment] for segment in segments])

        moved: set[int] = set()
        for slot, lines in unfit.outputs:
            new_lines = []
            for segment, (line, is_moved) in enumerate(_realigned_lines(slot.file, lines, references_of_documents)):
                new_lines.append(line)
                if is_moved:
                    moved.add(segment)
            # A text keeps its name; an output in a table becomes a text beside it
            name = slot.file
            if files[slot.file].format != "lines":
                name = f"{slot.file} {slot.stream} realigned.txt"
            files[name] = Document(name, "lines", (Stream("", tuple(new_lines)),))
            assigned[assigned.index(slot)] = replace(slot, file=name, stream="")

        marks = ["as given"] * len(references)
        for segment in moved:
            marks[segment] = MOVED
        labels = Document(f"{test_set}.{REALIGNED}.labels", "lines", (Stream("", tuple(marks)),))
        files[labels.name] = labels
        assigned.append(Slot(labels.name, "labels", test_set=test_set, name=REALIGNED))
    return tuple(files.values()), tuple(assigned)


def can_realign(documents: Sequence[Document], slots: Sequence[Slot]) -> bool:
    """Whether an output has other lines than its references, and the documents of these are known."""
    return any(unfit.can_be_realigned for unfit in _unfit_test_sets(documents, slots))


def _unfit_test_sets(documents: Sequence[Document], slots: Sequence[Slot]) -> Iterator[Unfit]:
    """Yield each test set that has outputs with another number of lines than its references."""
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}
    loaded = [slot for slot in slots if slot.included and (slot.file, slot.stream) in streams]
    test_sets = dict.fromkeys(slot.test_set for slot in slots if slot.included and slot.role == "hypothesis")
    for test_set in test_sets:
        first_of_role: dict[FileRole, Lines] = {}
        outputs = []
        for slot in loaded:
            if slot.test_set != test_set:
                continue
            lines = [line or "" for line in streams[slot.file, slot.stream].lines]
            first_of_role.setdefault(slot.role, lines)
            if slot.role == "hypothesis":
                outputs.append((slot, lines))
        references = first_of_role.get("reference", [])
        unfit = [(slot, lines) for slot, lines in outputs if len(lines) != len(references)]
        if unfit:
            yield Unfit(test_set, references, first_of_role.get("documents", []), unfit)


def _realigned_lines(file: str, lines: Lines, references: Sequence[Lines]) -> Iterator[tuple[str, bool]]:
    """Yield the line of each segment, and whether it is another than the output's own at its place.

    ``references`` are those of each document.
    """
    # Documents are separated by empty lines, or have one line each
    blocks = [list(block) for is_text, block in groupby(lines, lambda line: bool(line.strip())) if is_text]
    if len(blocks) != len(references):
        blocks = [[line] for line in lines if line.strip()]
    if len(blocks) != len(references):
        n_segments = sum(len(of_document) for of_document in references)
        message = f"{counted(len(lines), 'line')}, but {counted(n_segments, 'segment')} in"
        message += f" {counted(len(references), 'document')}."
        remedy = "To realign, write one document per line, or separate documents by an empty line."
        raise InputError(f"{message} {remedy}", file)

    texts = [_words(block, of_document, file) for block, of_document in zip(blocks, references, strict=True)]
    pairs = [("\n".join(wanted), " ".join(words)) for words, wanted, _ in texts]
    splits = _split(pairs, file)
    for block, (words, wanted, space), split in zip(blocks, texts, splits, strict=True):
        # The words are those of the output: mweralign only says how many a line has. Words left over go into the line
        # after its last one, or into the last line.
        n_words = [len(line.split()) for line in split.split("\n")[: len(wanted)]]
        ends = list(accumulate(n_words))
        ends += [len(words)] * (len(wanted) - len(ends))
        ends[-1] = len(words)
        for start, end in pairwise([0, *ends]):
            line = space.join(words[start:end])
            yield line, line not in block


def _words(block: Lines, wanted: Lines, file: str) -> tuple[list[str], Lines, str]:
    """Return the words of a document, the lines of its reference in such words, and what joins words.

    Scripts without spaces are split into characters.
    """
    text = " ".join(block)
    words = text.split()
    space = " "
    if len(text) > LONGEST_WORDS * len(words):
        words = list("".join(words))
        wanted = [" ".join("".join(line.split())) for line in wanted]
        space = ""
    n_wanted = sum(len(line.split()) for line in wanted)
    if max(len(words), n_wanted) > MOST_WORDS:
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
        raise MissingDependencyError(f"Realigning needs mweralign. {how_to_install('align')}")
    if done.returncode:
        reason = " ".join(done.stderr.split())[-200:]
        raise InputError(f"mweralign cannot realign it ({reason}). Remove the file, or split it by hand.", file)
    texts: list[str] = json.loads(done.stdout.splitlines()[-1])
    return texts
