"""What ``fairseq-generate`` prints: sources ``S-``, targets ``T-`` and hypotheses ``H-``, ``D-``, in no order."""

import re
from collections import defaultdict

from mteval.errors import InputError
from mteval.readers.documents import Document, FileRole, Stream
from mteval.readers.formats.text import split_lines

HEAD = 1 << 16  # characters in which the first hypothesis is looked for: what is logged before it is long
HYPOTHESIS = re.compile(r"^[HD]-[0-9]{1,9}\t[-+]?(?:[0-9]|inf|nan)[^\t\n]*\t", re.M)
LINE = re.compile(r"([STHD])-([0-9]{1,9})\t(.*)", re.S)
ROLES: dict[str, FileRole] = {"S": "source", "T": "reference", "H": "hypothesis", "D": "hypothesis"}


def is_fairseq(text: str) -> bool:
    """Whether hypotheses stand in a text as fairseq prints them."""
    return HYPOTHESIS.search(text, 0, HEAD) is not None


def read_fairseq(text: str, file: str) -> Document:
    """Source, target and hypothesis of each sentence by its number; all other lines are log.

    ``D`` is the hypothesis as detokenized text, as the target is, and is read where it stands; older versions print
    ``H`` alone. Of several hypotheses of a sentence the first is the best.

    Raises
    ------
    InputError
        Where a source or target stands twice with different texts, as when outputs were appended to each other.
    """
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    for number, line in enumerate(split_lines(text), start=1):
        match = LINE.fullmatch(line)
        if match is not None:
            kind, sentence = match[1], int(match[2])
            words = match[3].partition("\t")[2] if kind in "HD" else match[3]
            if texts[kind].setdefault(sentence, words) != words and kind in "ST":
                raise InputError(
                    f"{kind}-{sentence} stands twice with different texts; expected the output of one call of"
                    " fairseq-generate. Give each output as a file of its own.",
                    file,
                    number,
                )
    if "D" in texts:
        texts.pop("H", None)
    order = sorted({sentence for of_kind in texts.values() for sentence in of_kind})
    keys = tuple(map(str, order))
    streams = (
        Stream(kind, tuple(texts[kind].get(sentence) for sentence in order), ROLES[kind], keys=keys)
        for kind in "STHD"
        if kind in texts
    )
    return Document(file, "table", tuple(streams))
