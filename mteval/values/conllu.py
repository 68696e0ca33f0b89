"""CoNLL-U, the format of dependency parses (universaldependencies.org/format.html)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mteval.base.errors import InputError
from mteval.base.words import counted

COLUMNS = 10
HIDDEN = re.compile(r"[0-9]+(-[0-9]+|\.[0-9]+)")  # multiword tokens and empty nodes
NUMBER = re.compile(r"[0-9]{1,9}")
SHOWN = 30  # characters of what was found


class Word(NamedTuple):
    """A syntactic word; ``tag`` is its universal part of speech, ``head`` the number of its head (0 for the root)."""

    form: str
    lemma: str
    head: int
    relation: str
    tag: str = ""


@dataclass(frozen=True)
class Sentence:
    """The lines of one sentence, including comments; ``line`` is the one-based number of the first."""

    line: int
    lines: tuple[str, ...]

    @property
    def comments(self) -> Iterator[tuple[int, str]]:
        """Its comments with line numbers."""
        return ((number, line) for number, line in enumerate(self.lines, self.line) if line.startswith("#"))

    def words(self, file: str | None = None) -> tuple[Word, ...]:
        """Return its words; multiword tokens and empty nodes are skipped.

        Raises
        ------
        InputError
            At the first invalid line, or if a head is not in the sentence.
        """
        words: list[tuple[int, Word]] = []  # with their lines
        number = self.line
        try:
            for number, line in enumerate(self.lines, self.line):
                if line.startswith("#"):
                    continue
                word = _word(line, len(words) + 1)
                if word is not None:
                    words.append((number, word))
            for index, (line_of_word, word) in enumerate(words, start=1):
                if word.head == index:
                    head = "the word itself"
                elif word.head > len(words):
                    head = f"{word.head}, but the sentence has {counted(len(words), 'word')}"
                else:
                    continue
                number = line_of_word
                message = f"The head of '{word.form[:SHOWN]}' is {head}."
                message += " Expected the number of another word, or 0 for the root."
                raise InputError(f"{message} Parse the text again.")
        except InputError as error:
            raise error.at(file, number) from error
        return tuple(word for _, word in words)


def sentences(lines: Iterable[str]) -> Iterator[Sentence]:
    """Yield the sentences of a text, separated by empty lines; skip comments without words."""
    block: list[str] = []
    first = 1
    for number, line in enumerate((*lines, ""), start=1):
        if line.strip():
            if not block:
                first = number
            block.append(line)
            continue
        if not all(comment.startswith("#") for comment in block):
            yield Sentence(first, tuple(block))
        block = []


def _word(line: str, expected: int) -> Word | None:
    """Return the word in a line, which should have a certain number; None for a multiword token or an empty node."""
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        message = f"The line has {counted(len(columns), 'column')} between tabs; CoNLL-U has {COLUMNS},"
        message += " and an empty line after each sentence."
        raise InputError(f"{message} Export the parse as CoNLL-U.")
    number, form, lemma, tag, _, _, head, relation, *_ = columns
    if HIDDEN.fullmatch(number):
        return None
    if number != str(expected):
        message = f"The word has number '{number[:SHOWN]}'; expected {expected}, since words are numbered from 1 in"
        message += " each sentence."
        raise InputError(f"{message} Fix the number, or put an empty line between sentences.")
    if not form:
        raise InputError("The word has no form (second column). Parse the text again.")
    if not NUMBER.fullmatch(head):
        message = f"The head is '{head[:SHOWN]}'; expected the number of a word, or 0 for the root, in the seventh"
        message += " column."
        raise InputError(f"{message} Use a dependency parser, not only a tagger.")
    return Word(form, lemma, int(head), relation, tag)
