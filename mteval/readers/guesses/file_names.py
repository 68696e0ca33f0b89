"""Infer role, test set, run and system from file names.

System and run of an output follow from what varies between the names of all outputs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from mteval.readers import names
from mteval.readers.documents import FileRole, grouped
from mteval.readers.names import DEFAULT_RUN, shared_length, without_suffixes, words_of

NOT_TEXT = re.compile(
    r"(^|/)(readme|license|licence|changelog|makefile)[^/]*$|\.(md|log|py|sh|pl|cfg|ini|ya?ml|rst|json)$", re.I
)
SCORES = re.compile(r"scores?", re.I)
OUTPUT_WORD = re.compile(r"hyps?\d*|hypothes[ie]s|outputs?|translations?|systems?|tst|pred(iction)?s?|decodes", re.I)
ROLE_WORDS: tuple[tuple[FileRole, re.Pattern[str]], ...] = (
    ("hypothesis", OUTPUT_WORD),
    ("reference", names.REFERENCE_WORD),
    ("source", re.compile(r"(src|sources?)\d*", re.I)),
    ("documents", re.compile(r"docs?|documents?|doc-?ids?", re.I)),
    ("labels", re.compile(r"labels?", re.I)),
)
TEST_SET_WORD = re.compile(r"(news|wmt)?(dev|test|devtest|tst|devset|testset)\d*", re.I)
TEST_SET_PART = re.compile(
    r"(?i)(news|wmt)?(dev|test|devtest|tst|devset|testset|tune|tuning|valid|validation|val|eval|heldout|analysis)\d*"
    r"|(wmt|iwslt|flores)\d+"
)
RUN_WORDS = r"opt|optrun|run|seed|rep|replica|replicate|restart|trial|sample|iter|mert|init"
RUN_PART = re.compile(rf"(?:^|(?<=[-_]))(?:{RUN_WORDS})[-_=]?(\d+)(?=$|[-_])|(?<=[^-_][-_])[rs](\d+)$", re.I)
SAMPLE_PART = re.compile(r"(?:^|(?<=[-_]))sample[-_=]?(\d+)(?=$|[-_])", re.I)
SPLIT_RUN = re.compile(rf"(?<![A-Za-z])({RUN_WORDS}|{names.CHECKPOINT_WORDS})[.= ](\d+)(?=$|[-_./ ])", re.I)
TIMESTAMP = re.compile(r"[-_.]?\d{4}-\d\d-\d\d([T_-]\d\d([-:.]\d\d){1,2}(\.\d+)?)?")
LANGUAGES = (
    r"af|am|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|es|et|eu|fa|fi|fr|ga|gl|gu|ha|he|hi|hr|hu|hy"
    r"|id|ig|is|it|ja|ka|kk|km|kn|ko|ky|lo|lt|lv|mk|ml|mn|mr|ms|mt|my|ne|nl|no|pa|pl|ps|pt|ro|ru"
    r"|sk|sl|so|sq|sr|sv|sw|ta|te|th|tr|uk|ur|uz|vi|xh|yo|zh|zu"
)
NOISE = re.compile(
    r"(?i)hyps?|hypothes[ie]s|outputs?|translations?|systems?|out|res|lc|tc|tok|detok|detokenized|truecased?|lowercased?|plain"
    rf"|bpe|debpe|sgm|parses?|parsed|generated?|pred(iction)?s?|decodes?|decoded|postprocessed|({LANGUAGES})"
)


LANGUAGE_PAIR = re.compile(rf"({LANGUAGES})[-_]({LANGUAGES})", re.I)


def language_of(name: str) -> str | None:
    """Return the language code at the end of a file name, without further suffixes such as ``.txt``."""
    last = without_suffixes(name.rsplit("/", 1)[-1]).rpartition(".")[2].lower()
    return last if re.fullmatch(LANGUAGES, last) else None


@dataclass(frozen=True)
class NameParts:
    """Parts of a file name.

    Parameters
    ----------
    role
        Role named by a word, else None.
    test_set
        Named test set, else None.
    folders, stem
        Rest for the system, without run, test set and words such as ``hyps``; dots are kept between words.
    run
        Number after a word such as ``opt`` or ``seed``, else after one such as ``checkpoint``, else None. A ``sample``
        beside such a number is one of several decodings of that run.
    language_pair
        Pair such as ``en-de`` named by a folder or between dots, else None.
    """

    role: FileRole | None
    test_set: str | None
    folders: tuple[str, ...]
    stem: str
    run: str | None
    language_pair: str | None = None


def take_apart(name: str) -> NameParts:
    """Split a file name, with its folders, into parts."""
    path = TIMESTAMP.sub("", re.sub(r" \(\d+\)$", "", name.replace("\\", "/")))
    parts = [without_suffixes(part) for part in SPLIT_RUN.sub(r"\1\2", path).split("/") if part] or [name]
    kept, sample = _without_runs([part.split(".") for part in parts], SAMPLE_PART)
    kept, run = _without_runs(kept, RUN_PART)
    kept, checkpoint = _without_runs(kept, names.CHECKPOINT_PART)
    *folders, stem = [".".join(_telling(words)) for words in kept]
    run = checkpoint if run is None else run
    if sample is not None:  # without a run, a sample may be an optimizer run
        run = sample if run is None else names.sample_name(run, sample)
    named = (word for part in reversed(parts) for word in part.split("."))
    pair = next((word.lower() for word in named if LANGUAGE_PAIR.fullmatch(word)), None)
    return NameParts(_role(name, parts), _test_set(parts), tuple(filter(None, folders)), stem, run, pair)


def _without_runs(parts: list[list[str]], mark: re.Pattern[str]) -> tuple[list[list[str]], str | None]:
    """Remove the last mark of a run from the words, and return the run."""
    kept = [[word for word in part if word] for part in parts]
    for part in reversed(kept):
        for place in reversed(range(len(part))):
            if match := mark.search(part[place]):
                rest = part[place][: match.start()] + part[place][match.end() :]
                part[place : place + 1] = filter(None, [re.sub(r"[-_]{2,}", "_", rest).strip("-_")])
                return kept, next(filter(None, match.groups()))
    return kept, None


def _telling(words: list[str]) -> Iterator[str]:
    """Yield the words that identify a system; ``system`` does if a number follows."""
    for word, following in pairwise([*words, ""]):
        pieces = [piece for piece in re.split("[-_]", word) if piece]  # generate-test is noise, since both parts are
        is_noise = all(NOISE.fullmatch(piece) or TEST_SET_PART.fullmatch(piece) for piece in pieces)
        if not is_noise or (word.lower() == "system" and following.isdecimal()):
            yield word


def _role(name: str, parts: list[str]) -> FileRole | None:
    words = words_of(parts[-1])
    if NOT_TEXT.search(name) or ".sys.score" in parts[-1].lower():  # one number per system, without segments
        return "other"
    if any(map(SCORES.fullmatch, words)):
        return "scores"
    if any(re.fullmatch(r"(n|k|\d+)best(list)?s?", word, re.I) for word in words):
        return "nbest"
    role = _role_of_words(words)
    if role is not None or RUN_PART.search(parts[-1].replace(".", "_")):  # src/opt0.txt is not a source
        return role
    folders = [words_of(folder) for folder in reversed(parts[:-1])]
    if any(map(SCORES.fullmatch, chain.from_iterable(folders))):
        return "scores"
    return next(filter(None, map(_role_of_words, folders)), None)


def _role_of_words(words: Iterable[str]) -> FileRole | None:
    return next((role for word in words for role, pattern in ROLE_WORDS if pattern.fullmatch(word)), None)


def _test_set(parts: list[str]) -> str | None:
    for part in reversed(parts):
        named = [word for word in part.split(".") if TEST_SET_PART.fullmatch(word)]
        named += filter(TEST_SET_WORD.fullmatch, words_of(part))
        if named:
            return named[0].lower()
    return None


Named = tuple[NameParts, str, str]  # parts of the name, test set, whole name
TRAILING_NUMBER = re.compile(r"(?:(.+?)([-._ ]))?(\d+)")
VERSION = re.compile(r"(.*[-_. ])?v?\d+\.\d+")  # llama-3.1, v0.2
NUMBERED_SYSTEMS = re.compile(r"(.*[-._ ])?(sys(tem)?|model|config|exp(eriment)?|setup|variant|method)s?", re.I)


@dataclass(frozen=True)
class Labels:
    """Folders, stem and run while they are narrowed down; folder and file are the fallback."""

    folders: tuple[str, ...]
    stem: str
    run: str | None
    test_set: str
    folder: str
    file: str

    @property
    def system(self) -> str:
        """Name of the system so far; empty if nothing is left."""
        return "/".join((*self.folders, self.stem) if self.stem else self.folders)

    @property
    def name(self) -> str:
        """Name of the system, never empty."""
        return self.system or self.folder or (self.file if self.run is None else "") or "system"


def name_systems(outputs: Sequence[Named]) -> list[tuple[str, str]]:
    """Return system and run of each output.

    The steps, in order:

    1. Remove shared folders, and ignore a number beside a known run.
    2. Use number folders as runs.
    3. Use a folder with several files of one test set as a system, and its files as runs.
    4. Use trailing numbers as runs if systems have several.
    5. Remove shared words and beginnings.
    """
    shared = shared_length([parts.folders for parts, _, _ in outputs])
    labels = []
    for parts, test_set, name in outputs:
        folder, file = (parts.folders or ("",))[-1], name.rsplit("/", 1)[-1]
        labels.append(Labels(parts.folders[shared:], parts.stem, parts.run, test_set, folder, file))
    labels = _with_number_folders(_without_checkpoints(labels))
    labels = _without_shared_words(_with_trailing_runs(_with_folders_as_systems(labels)))
    systems = _without_shared_beginning([label.name for label in labels])
    return [(system, label.run or DEFAULT_RUN) for system, label in zip(systems, labels, strict=True)]


def _without_checkpoints(labels: list[Labels]) -> list[Labels]:
    """Drop stems that are only a number, as of checkpoints, if another mark gives the run."""
    narrowed = [replace(label, stem="") if label.run and label.stem.isdecimal() else label for label in labels]
    before, after = ({(label.system, label.run, label.test_set) for label in some} for some in (labels, narrowed))
    return narrowed if len(before) == len(after) else labels


def _with_number_folders(labels: list[Labels]) -> list[Labels]:
    """Use folders that are numbers as runs (``1/base.txt``, ``base/1/out.txt``) if that gives several runs."""
    split = list(map(_split_folder, labels))
    return split if any(len(runs) > 1 for runs in _runs_of(split).values()) else labels


def _split_folder(label: Labels) -> Labels:
    places = [place for place, folder in enumerate(label.folders) if folder.isdecimal()]
    if label.run is not None or not places:
        return label
    folders = label.folders[: places[-1]] + label.folders[places[-1] + 1 :]
    return replace(label, folders=folders, run=label.folders[places[-1]])


def _runs_of(labels: list[Labels]) -> dict[str, set[str | None]]:
    return {system: set(runs) for system, runs in grouped((label.system, label.run) for label in labels).items()}


def _with_folders_as_systems(labels: list[Labels]) -> list[Labels]:
    crowded = Counter((label.folders, label.test_set) for label in labels if label.run is None and label.stem)
    several = len({label.folders for label in labels}) > 1 and max(crowded.values(), default=0) > 1

    def narrowed(label: Labels) -> Labels:
        if not (several and label.folders and label.run is None and label.stem):
            return label
        match = TRAILING_NUMBER.fullmatch(label.stem)
        return replace(label, stem="", run=match[3] if match else label.stem)

    return list(map(narrowed, labels))


def _with_trailing_runs(labels: list[Labels]) -> list[Labels]:
    """Use trailing numbers as runs if systems have several; otherwise ``llama-2`` and ``sys-1`` are systems."""
    labels = [  # a file without a telling name is named after its folder
        label if label.stem or not label.folders else replace(label, folders=label.folders[:-1], stem=label.folders[-1])
        for label in labels
    ]
    split = [_split_number(label) for label in labels]
    runs = {system: numbers - {None} for system, numbers in _runs_of(split).items()}
    names = {label.system: label.stem for label in split}
    dashed = {a.system for a, b in zip(split, labels, strict=True) if a != b and b.stem == f"{a.stem}-{a.run}"}
    if not all(len(runs[system]) > 1 for system in dashed):  # gpt-4 beside llama-2 and llama-3
        return labels
    if len(runs) == 1:
        return split if _is_one_system(split, labels) else labels
    several = [system for system, numbers in runs.items() if len(numbers) > 1]
    counted = [system for system in several if not NUMBERED_SYSTEMS.fullmatch(names[system])]
    crossed = any(len(runs[a] & runs[b]) > 1 for a in several for b in several if a != b)
    return split if (counted or crossed) and "" not in runs else labels


def _is_one_system(split: list[Labels], labels: list[Labels]) -> bool:
    """Whether files that differ only in a number are runs: it follows a dot, or counts from 0 or 1."""
    if any(a == b or NUMBERED_SYSTEMS.fullmatch(a.stem) for a, b in zip(split, labels, strict=True)):
        return False
    if all(b.stem in (a.run, f"{a.stem}.{a.run}") for a, b in zip(split, labels, strict=True)):
        return True
    numbers = sorted({int(label.run or 0) for label in split})
    return len(numbers) > 1 and numbers[0] < 2 and numbers == [*range(numbers[0], numbers[-1] + 1)]


def _split_number(label: Labels) -> Labels:
    match = TRAILING_NUMBER.fullmatch(label.stem)
    if label.run is not None or match is None or VERSION.fullmatch(label.stem):
        return label
    return replace(label, stem=match[1] or "", run=match[3])


def _without_shared_words(labels: list[Labels]) -> list[Labels]:
    """Remove words between dots that occur in the name of every system."""
    systems = {label.system for label in labels}
    if len(systems) < 2:
        return labels
    shared = set.intersection(*(set(re.split("[./]", system)) for system in systems))

    def kept(name: str) -> str:
        return ".".join(word for word in name.split(".") if word not in shared)

    narrow = [replace(one, folders=tuple(filter(None, map(kept, one.folders))), stem=kept(one.stem)) for one in labels]
    return narrow if len({label.system for label in narrow}) == len(systems) else labels


def _without_shared_beginning(systems: list[str]) -> list[str]:
    """Remove the shared beginning up to a separator, unless little would be left (``ONLINE-A``)."""
    if len(set(systems)) < 2:
        return systems
    shared = systems[0][: shared_length(systems)]
    length = 1 + max(shared.rfind(separator) for separator in "-_./")
    return systems if min(len(system) for system in systems) - length < 3 else [s[length:] for s in systems]
