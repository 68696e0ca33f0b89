"""Parses of outputs and references in CoNLL-U, split into segments once the texts are known."""

import re
from collections import defaultdict
from collections.abc import Sequence

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import Document, Stream
from mteval.readers.formats.text import split_lines
from mteval.values.conllu import COLUMNS, HIDDEN, Sentence, sentences

SEGMENT = re.compile(r"#\s*segment\s*=(.*)", re.I)
NUMBER = re.compile(r"[0-9]{1,9}")
LINES_SEEN = 50  # most comments before the first word
REMEDY = "Put '# segment = N' before each sentence, with the number of its segment (from 1)."


def read_conllu(text: str, file: str) -> Document | None:
    """Read and check a file; return None if neither its name nor its first word is CoNLL-U.

    Raises
    ------
    InputError
        At the first invalid line, or if there is no sentence.
    """
    is_named_conllu = re.search(r"\.conllu(\.(gz|bz2|xz))?( \(\d+\))?$", file, re.I) is not None
    if not is_named_conllu and not _begins_with_word(text):
        return None
    lines = split_lines(text)
    check_conllu(lines, file)
    return Document(file, "conllu", (Stream("", tuple(lines), role="parses"),))


def _begins_with_word(text: str) -> bool:
    """Whether the first line that is not a comment is the first word of a sentence."""
    head = text.split("\n", LINES_SEEN)[:LINES_SEEN]
    words = (line for line in head if line.strip() and not line.startswith("#"))
    columns = next(words, "").split("\t")
    if len(columns) != COLUMNS:
        return False
    identifier = columns[0]
    parent = columns[6]
    is_first = identifier == "1" or HIDDEN.fullmatch(identifier) is not None
    has_parent = parent == "_" or NUMBER.fullmatch(parent) is not None
    return is_first and has_parent


def check_conllu(lines: Sequence[str], file: str) -> None:
    """Raise ``InputError`` at the first invalid line, or if there is no sentence."""
    if not sum(sentence.words(file) is not None for sentence in sentences(lines)):
        raise InputError("The file has no sentence. Expected CoNLL-U, one word per line. Write the parse again.", file)


def by_segment(lines: Sequence[str], n_segments: int, file: str) -> tuple[str, ...]:
    """Return the parse of each segment, empty if it has none.

    With as many sentences as segments, each segment has one. Otherwise comments ``# segment = N`` assign sentences; a
    segment may have several or none.

    Raises
    ------
    InputError
        If the numbers do not fit, or only some sentences have one.
    """
    parsed = list(sentences(lines))
    texts = ["\n".join(sentence.lines) + "\n\n" for sentence in parsed]
    numbers = [_segment(sentence, n_segments, file) for sentence in parsed]
    if not any(numbers):
        if len(parsed) != n_segments:
            subject = f"{counted(len(parsed), 'sentence')} without segment numbers"
            raise InputError(f"{subject}, but the text has {counted(n_segments, 'segment')}. {REMEDY}", file)
        return tuple(texts)
    if None in numbers:
        line = parsed[numbers.index(None)].line
        raise InputError(f"The sentence has no segment number, but others do. {REMEDY}", file, line)
    parse_of: dict[int | None, str] = defaultdict(str)
    for number, text in zip(numbers, texts, strict=True):
        parse_of[number] += text
    return tuple(parse_of[number] for number in range(1, n_segments + 1))


def _segment(sentence: Sentence, n_segments: int, file: str) -> int | None:
    """Return the segment number of a sentence, from 1, or None."""
    for line, comment in sentence.comments:
        match = SEGMENT.fullmatch(comment)
        if match is None:
            continue
        number = match[1].strip()
        if not NUMBER.fullmatch(number) or not 1 <= int(number) <= n_segments:
            message = f"The comment names segment '{number[:30]}', but the text has segments 1 to {n_segments}."
            raise InputError(f"{message} Fix the number, or load the parse of this text.", file, line)
        return int(number)
    return None
