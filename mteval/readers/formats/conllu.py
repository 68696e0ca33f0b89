"""Parses of outputs and references in CoNLL-U: checked when read, cut into segments when the texts are known."""

import re
from collections import defaultdict
from collections.abc import Sequence

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, Stream
from mteval.readers.formats.text import split_lines
from mteval.values.conllu import COLUMNS, HIDDEN, Sentence, sentences

NAMED_CONLLU = re.compile(r"\.conllu(\.(gz|bz2|xz))?( \(\d+\))?$", re.I)
SEGMENT = re.compile(r"#\s*segment\s*=(.*)", re.I)
NUMBER = re.compile(r"[0-9]{1,9}")
LINES_SEEN = 50  # at most so many comments come before the first word
REMEDY = "Put a comment '# segment = N' before each sentence, with the number of its segment, from 1."


def read_conllu(text: str, file: str) -> Document | None:
    """The lines of a file, every sentence checked; None where neither its name nor its first word is of CoNLL-U.

    Raises
    ------
    InputError
        At the first line that is none of CoNLL-U, and where there is no sentence.
    """
    head = text.split("\n", LINES_SEEN)[:LINES_SEEN]
    columns = next((line for line in head if line.strip() and not line.startswith("#")), "").split("\t")
    is_first = columns[0] == "1" or HIDDEN.fullmatch(columns[0]) is not None
    is_word = len(columns) == COLUMNS and is_first and (NUMBER.fullmatch(columns[6]) or columns[6] == "_")
    if not (is_word or NAMED_CONLLU.search(file)):
        return None
    lines = split_lines(text)
    check_conllu(lines, file)
    return Document(file, "conllu", (Stream("", tuple(lines), role="parses"),))


def check_conllu(lines: Sequence[str], file: str) -> None:
    """Raise ``InputError`` at the first line that is none of CoNLL-U, and where there is no sentence."""
    if not sum(sentence.words(file) is not None for sentence in sentences(lines)):
        raise InputError("The file has no sentence; expected CoNLL-U, one word a line. Write the parse again.", file)


def by_segment(lines: Sequence[str], n_segments: int, file: str) -> tuple[str, ...]:
    """The parse of each segment, empty where there is none.

    A file of as many sentences as segments has one each. Where sentences have comments ``# segment = N``, these decide:
    several may be of one segment, and a segment may have none.

    Raises
    ------
    InputError
        Where the sentences are not of these segments, or some of them do not say of which they are.
    """
    parsed = list(sentences(lines))
    texts = ["\n".join(sentence.lines) + "\n\n" for sentence in parsed]
    numbers = [_segment(sentence, n_segments, file) for sentence in parsed]
    if not any(numbers):
        if len(parsed) != n_segments:
            raise InputError(
                f"The file has {counted(len(parsed), 'sentence')}, and they do not say of which segments; the text has"
                f" {counted(n_segments, 'segment')}. {REMEDY}",
                file,
            )
        return tuple(texts)
    if None in numbers:
        line = parsed[numbers.index(None)].line
        raise InputError(f"The sentence does not say of which segment it is, as others do. {REMEDY}", file, line)
    parses: dict[int | None, str] = defaultdict(str)
    for number, sentence in zip(numbers, texts, strict=True):
        parses[number] += sentence
    return tuple(parses[number] for number in range(1, n_segments + 1))


def _segment(sentence: Sentence, n_segments: int, file: str) -> int | None:
    """The segment that a sentence names, from 1; None where it names none."""
    for line, comment in sentence.comments:
        named = SEGMENT.fullmatch(comment)
        if named is None:
            continue
        number = named[1].strip()
        if not NUMBER.fullmatch(number) or not 1 <= int(number) <= n_segments:
            raise InputError(
                f"The comment names segment '{number[:30]}'; the text has segments 1 to {n_segments}. Mend the"
                " number, or give the parse of this text.",
                file,
                line,
            )
        return int(number)
    return None
