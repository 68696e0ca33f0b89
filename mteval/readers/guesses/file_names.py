"""What a single file name says: its role, its test set, its run, and the words that are left for the system."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from mteval.readers.documents import FileRole
from mteval.readers.names import CHECKPOINT_PART, CHECKPOINT_WORDS, REFERENCE_WORD, without_suffixes, words_of
from mteval.readers.slots import sample_name

NUMBERED_COPY = re.compile(r" \(\d+\)$")
NOT_TEXT = re.compile(
    r"(^|/)(readme|license|licence|changelog|makefile)[^/]*$|\.(md|log|py|sh|pl|cfg|ini|ya?ml|rst|json)$", re.I
)
SCORES = re.compile(r"scores?", re.I)
SYSTEM_SCORES = re.compile(r"\.sys\.score", re.I)  # one number a system, which says nothing of segments
NBEST = re.compile(r"(n|k|\d+)best(list)?s?", re.I)
OUTPUT_WORD = re.compile(r"hyps?\d*|hypothes[ie]s|outputs?|translations?|systems?|tst|pred(iction)?s?|decodes", re.I)
ROLE_WORDS: tuple[tuple[FileRole, re.Pattern[str]], ...] = (
    ("hypothesis", OUTPUT_WORD),
    ("reference", REFERENCE_WORD),
    ("source", re.compile(r"(src|sources?)\d*", re.I)),
    ("documents", re.compile(r"docs?|documents?|doc-?ids?", re.I)),
    ("labels", re.compile(r"labels?", re.I)),
)
TEST_SET_WORD = re.compile(r"(news|wmt)?(dev|test|devtest|tst|devset|testset)\d*", re.I)
TEST_SET_PART = re.compile(
    r"(news|wmt)?(dev|test|devtest|tst|devset|testset|tune|tuning|valid|validation|val|eval|heldout|analysis)\d*"
    r"|(wmt|iwslt|flores)\d+",
    re.I,
)
RUN_WORDS = r"opt|optrun|run|seed|rep|replica|replicate|restart|trial|sample|iter|mert|init"
RUN_PART = re.compile(rf"(?:^|(?<=[-_]))(?:{RUN_WORDS})[-_=]?(\d+)(?=$|[-_])|(?<=[^-_][-_])[rs](\d+)$", re.I)
SAMPLE_PART = re.compile(r"(?:^|(?<=[-_]))sample[-_=]?(\d+)(?=$|[-_])", re.I)
SPLIT_RUN = re.compile(rf"(?<![A-Za-z])({RUN_WORDS}|{CHECKPOINT_WORDS})[.= ](\d+)(?=$|[-_./ ])", re.I)
TIMESTAMP = re.compile(r"[-_.]?\d{4}-\d\d-\d\d([T_-]\d\d([-:.]\d\d){1,2}(\.\d+)?)?")
LANGUAGES = (
    r"af|am|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|es|et|eu|fa|fi|fr|ga|gl|gu|ha|he|hi|hr|hu|hy"
    r"|id|ig|is|it|ja|ka|kk|km|kn|ko|ky|lo|lt|lv|mk|ml|mn|mr|ms|mt|my|ne|nl|no|pa|pl|ps|pt|ro|ru"
    r"|sk|sl|so|sq|sr|sv|sw|ta|te|th|tr|uk|ur|uz|vi|xh|yo|zh|zu"
)
NOISE = re.compile(
    r"hyps?|hypothes[ie]s|outputs?|translations?|systems?|out|res|lc|tc|tok|detok|detokenized|truecased?|lowercased?|plain"
    rf"|bpe|debpe|sgm|parses?|parsed|generated?|pred(iction)?s?|decodes?|decoded|postprocessed|({LANGUAGES})",
    re.I,
)


LANGUAGE_PAIR = re.compile(rf"({LANGUAGES})[-_]({LANGUAGES})", re.I)


@dataclass(frozen=True)
class NameParts:
    """A file name taken apart.

    Parameters
    ----------
    role
        What a word of it says, else None.
    test_set
        The test set it names, else None.
    folders, stem
        What is left for the system, without run, test set and words such as ``hyps``; dots kept between words.
    run
        Number after a word such as ``opt`` or ``seed``, else after one such as ``checkpoint``, else None. A ``sample``
        beside such a number is one of several decodings of that run.
    language_pair
        As ``en-de`` in the name of a folder or between dots, else None.
    """

    role: FileRole | None
    test_set: str | None
    folders: tuple[str, ...]
    stem: str
    run: str | None
    language_pair: str | None = None


def take_apart(name: str) -> NameParts:
    """What the name of a file says, folders included."""
    parts = _parts(name)
    kept, sample = _without_runs([part.split(".") for part in parts], SAMPLE_PART)
    kept, run = _without_runs(kept, RUN_PART)
    kept, checkpoint = _without_runs(kept, CHECKPOINT_PART)
    cleaned = [".".join(_telling(words)) for words in kept]
    run = checkpoint if run is None else run
    if sample is not None:  # samples alone may be optimizer samples, which are runs
        run = sample if run is None else sample_name(run, sample)
    folders, stem = tuple(filter(None, cleaned[:-1])), cleaned[-1]
    return NameParts(_role(name, parts), _test_set(parts), folders, stem, run, _language_pair(parts))


def _parts(name: str) -> list[str]:
    """Folders and file without the suffixes that say how it is stored, and without times of day."""
    path = TIMESTAMP.sub("", NUMBERED_COPY.sub("", name.replace("\\", "/")))
    path = SPLIT_RUN.sub(r"\1\2", path)
    return [without_suffixes(part) for part in path.split("/") if part] or [name]


def _without_runs(parts: list[list[str]], mark: re.Pattern[str]) -> tuple[list[list[str]], str | None]:
    """The words of all parts without the mark of a run that is nearest to the end, and that run."""
    run: str | None = None
    kept = []
    for part in reversed(parts):
        words = []
        for word in reversed(part):
            rest, run = _without_run(word, mark) if run is None else (word, run)
            words.append(rest)
        kept.append([word for word in reversed(words) if word])
    return kept[::-1], run


def _without_run(word: str, mark: re.Pattern[str]) -> tuple[str, str | None]:
    match = mark.search(word)
    if match is None:
        return word, None
    rest = re.sub(r"[-_]{2,}", "_", word[: match.start()] + word[match.end() :]).strip("-_")
    return rest, next(filter(None, match.groups()))


def _telling(words: list[str]) -> Iterator[str]:
    """The words that say which system it is; ``system`` does where a number follows."""
    for word, following in pairwise([*words, ""]):
        if not _is_noise(word) or (word.lower() == "system" and following.isdecimal()):
            yield word


def _is_noise(word: str) -> bool:
    """Whether a word says nothing of the system: ``hyps``, ``test``, and what is made of such, ``generate-test``."""
    pieces = [piece for piece in re.split("[-_]", word) if piece]
    return all(NOISE.fullmatch(piece) or TEST_SET_PART.fullmatch(piece) for piece in pieces)


def _role(name: str, parts: list[str]) -> FileRole | None:
    words = words_of(parts[-1])
    if NOT_TEXT.search(name) or SYSTEM_SCORES.search(parts[-1]):
        return "other"
    if any(SCORES.fullmatch(word) for word in words):
        return "scores"
    if any(NBEST.fullmatch(word) for word in words):
        return "nbest"
    role = _role_of_words(words)
    if role is not None or RUN_PART.search(parts[-1].replace(".", "_")):  # src/opt0.txt is no source
        return role
    folders = [words_of(folder) for folder in reversed(parts[:-1])]
    if any(SCORES.fullmatch(word) for folder in folders for word in folder):
        return "scores"
    return next(filter(None, map(_role_of_words, folders)), None)


def _role_of_words(words: Iterable[str]) -> FileRole | None:
    for word in words:
        for role, pattern in ROLE_WORDS:
            if pattern.fullmatch(word):
                return role
    return None


def _language_pair(parts: list[str]) -> str | None:
    words = (word for part in reversed(parts) for word in part.split("."))
    return next((word.lower() for word in words if LANGUAGE_PAIR.fullmatch(word)), None)


def _test_set(parts: list[str]) -> str | None:
    for part in reversed(parts):
        for word in part.split("."):
            if TEST_SET_PART.fullmatch(word):
                return word.lower()
        for word in words_of(part):
            if TEST_SET_WORD.fullmatch(word):
                return word.lower()
    return None
