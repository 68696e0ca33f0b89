"""Infer role, test set, run and system from file names.

System and run of an output follow from what varies between the names of all outputs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise

from mteval.readers import names
from mteval.readers.documents import FileRole, grouped
from mteval.readers.formats.score_tables import is_named_system_scores
from mteval.readers.names import DEFAULT_RUN, OF_PROGRAMS, shared_length, without_suffixes, words_of

SCORES = re.compile(r"scores?", re.I)
NBEST_WORD = re.compile(r"(n|k|(?!1b)\d+)best(list)?s?", re.I)  # the 1-best is an output
OUTPUT_WORD = re.compile(r"hyps?\d*|hypothes[ie]s|outputs?|translations?|systems?|tst|pred(iction)?s?|decodes", re.I)
ROLE_WORDS: tuple[tuple[FileRole, re.Pattern[str]], ...] = (
    ("hypothesis", OUTPUT_WORD),
    ("reference", names.REFERENCE_WORD),
    ("source", re.compile(r"(src|sources?)\d*", re.I)),
    ("documents", re.compile(r"docs?|documents?|doc-?ids?", re.I)),
    ("labels", re.compile(r"labels?", re.I)),
)
INPUT = re.compile(r"inputs?", re.I)
TEST_SET_WORD = re.compile(r"(news|wmt)?(dev|test|devtest|tst|devset|testset)\d*", re.I)
TEST_SET_PART = re.compile(
    r"(?i)(news|wmt)?(dev|test|devtest|tst|devset|testset|tune|tuning|valid|validation|val|eval|heldout|analysis)\d*"
    r"|(wmt|iwslt|flores)\d+"
)
RUN_WORDS = r"opt|optrun|run|seed|rep|replica|replicate|restart|trial|sample|iter|mert|init"
RUN_PART = re.compile(rf"(?:^|(?<=[-_]))(?:{RUN_WORDS})[-_=]?(\d+)(?=$|[-_])|(?<=[^-_][-_])[rs](\d+)$", re.I)
RUN_FOLDER = re.compile(r"[rs]?(\d+)", re.I)
SAMPLE_PART = re.compile(r"(?:^|(?<=[-_]))sample[-_=]?(\d+)(?=$|[-_])", re.I)
SPLIT_RUN = re.compile(rf"(?<![A-Za-z])({RUN_WORDS}|{names.CHECKPOINT_WORDS})[.= ](\d+)(?=$|[-_./ ])", re.I)
TIMESTAMP = re.compile(r"[-_.]?\d{4}-\d\d-\d\d([T_-]\d\d([-:.]\d\d){1,2}(\.\d+)?)?")
LANGUAGES = (
    r"af|am|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|es|et|eu|fa|fi|fr|ga|gl|gu|ha|he|hi|hr|hu|hy"
    r"|id|ig|is|it|ja|ka|kk|km|kn|ko|ky|lo|lt|lv|mk|ml|mn|mr|ms|mt|my|ne|nl|no|pa|pl|ps|pt|ro|ru"
    r"|sk|sl|so|sq|sr|sv|sw|ta|te|th|tr|uk|ur|uz|vi|xh|yo|zh|zu"
)
# Further ones, only within pairs: alone they are as likely words of names
LANGUAGES_IN_PAIRS = (
    rf"{LANGUAGES}|as|bho|bo|br|ceb|doi|dsb|eo|fo|fy|gd|gn|hsb|ht|ilo|iu|jv|kl|ku|la|lb|lg|lij|ln|lus|mag|mai|mas|mg|mi"
    r"|mni|nb|nds|nn|nso|oc|om|or|qu|rw|sa|sah|sat|sc|scn|sd|se|si|sm|sn|st|su|tg|ti|tk|tl|tn|ts|tt|tw|ug|wo|yi"
)
NOISE = re.compile(
    r"(?i)hyps?|hypothes[ie]s|outputs?|translations?|systems?|out|res|lc|tc|tok|detok|detokenized|truecased?|lowercased?|plain"
    rf"|bpe|debpe|sgm|parses?|parsed|generated?|pred(iction)?s?|decodes?|decoded|postprocessed|({LANGUAGES})"
)

LANGUAGE_PAIR = re.compile(rf"({LANGUAGES_IN_PAIRS})[-_]({LANGUAGES_IN_PAIRS})", re.I)
TRAILING_NUMBER = re.compile(r"(?:(.+?)([-._ ])[rs]?)?(\d+)", re.I)
VERSION = re.compile(r"(.*[-_. ])?v?\d+\.\d+")  # llama-3.1, v0.2
NUMBERED_SYSTEMS = re.compile(r"(.*[-._ ])?(sys(tem)?|model|config|exp(eriment)?|setup|variant|method)s?", re.I)
FEWEST_CHARACTERS = 3  # left of each system's name if the shared beginning is removed


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


Named = tuple[NameParts, str, str]  # parts of the name, test set, whole name


def language_of(name: str) -> str | None:
    """Return the language code at the end of a file name, without further suffixes such as ``.txt``."""
    file = without_suffixes(name.rsplit("/", 1)[-1])
    last_word = file.rpartition(".")[2].lower()
    return last_word if re.fullmatch(LANGUAGES, last_word) else None


def take_apart(name: str) -> NameParts:
    """Split a file name, with its folders, into parts."""
    path = name.replace("\\", "/")
    path = re.sub(r" \(\d+\)$", "", path)  # the number of an equal name
    path = TIMESTAMP.sub("", path)
    path = SPLIT_RUN.sub(r"\1\2", path)  # seed.1 becomes seed1
    parts = [without_suffixes(part) for part in path.split("/") if part] or [name]

    words_of_parts = [[word for word in part.split(".") if word] for part in parts]
    sample = _remove_run(words_of_parts, SAMPLE_PART)
    run = _remove_run(words_of_parts, RUN_PART)
    checkpoint = _remove_run(words_of_parts, names.CHECKPOINT_PART)
    if run is None:
        run = checkpoint
    if run is None:
        run = sample  # without a run, a sample may be an optimizer run
    elif sample is not None:
        run = names.sample_name(run, sample)

    *folders, stem = [".".join(_telling_words(words)) for words in words_of_parts]
    return NameParts(
        role=_role(name, parts),
        test_set=_test_set(parts),
        folders=tuple(folder for folder in folders if folder),
        stem=stem,
        run=run,
        language_pair=_language_pair(parts),
    )


def _remove_run(words_of_parts: list[list[str]], pattern: re.Pattern[str]) -> str | None:
    """Remove the last mark of a run from the words of a path, and return the run; None if there is no mark."""
    for words in reversed(words_of_parts):
        for place, word in reversed(list(enumerate(words))):
            match = pattern.search(word)
            if match is None:
                continue
            rest = word[: match.start()] + word[match.end() :]
            rest = re.sub(r"[-_]{2,}", "_", rest).strip("-_")
            words[place : place + 1] = [rest] if rest else []
            return next(number for number in match.groups() if number)
    return None


def _telling_words(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that identify a system; ``system`` does if a number follows."""
    for word, following in pairwise([*words, ""]):
        is_number_of_system = word.lower() == "system" and following.isdecimal()
        if is_number_of_system or not _is_noise(word):
            yield word


def _is_noise(word: str) -> bool:
    """Whether all pieces of a word say nothing about a system, as in ``generate-test`` and ``nb-en``."""
    if LANGUAGE_PAIR.fullmatch(word):
        return True
    pieces = [piece for piece in re.split("[-_]", word) if piece]
    return all(NOISE.fullmatch(piece) or TEST_SET_PART.fullmatch(piece) for piece in pieces)


def _role(name: str, parts: Sequence[str]) -> FileRole | None:
    """Return the role that a word of the file name states, else one of its folders from the last."""
    *folders, file = parts
    if OF_PROGRAMS.search(name) or name.lower().endswith(".json"):
        return "other"
    if is_named_system_scores(file):
        return "other"
    words = words_of(file)
    if any(SCORES.fullmatch(word) for word in words):
        return "scores"
    if any(NBEST_WORD.fullmatch(word) for word in words):
        return "nbest"
    role = _role_of_words(words)
    if role is not None:
        return role
    if any(INPUT.fullmatch(word) for word in file.split(".")):  # as Moses names it; a folder may have inputs of mteval
        return "source"
    if RUN_PART.search(file.replace(".", "_")):  # src/opt0.txt is not a source
        return None
    words_of_folders = [words_of(folder) for folder in reversed(folders)]
    if any(SCORES.fullmatch(word) for word in chain.from_iterable(words_of_folders)):
        return "scores"
    for words_of_folder in words_of_folders:
        role = _role_of_words(words_of_folder)
        if role is not None:
            return role
    return None


def _role_of_words(words: Iterable[str]) -> FileRole | None:
    """Return the role that the first of the words with a role names."""
    for word in words:
        for role, pattern in ROLE_WORDS:
            if pattern.fullmatch(word):
                return role
    return None


def _test_set(parts: Sequence[str]) -> str | None:
    """Return the test set that the file, else the nearest folder, names; words between dots come first."""
    for part in reversed(parts):
        for word in part.split("."):
            if TEST_SET_PART.fullmatch(word):
                return word.lower()
        for word in words_of(part):
            if TEST_SET_WORD.fullmatch(word):
                return word.lower()
    return None


def _language_pair(parts: Sequence[str]) -> str | None:
    """Return the language pair that the file, else the nearest folder, names between dots."""
    for part in reversed(parts):
        for word in part.split("."):
            if LANGUAGE_PAIR.fullmatch(word):
                return word.lower()
    return None


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
        if not self.stem:
            return "/".join(self.folders)
        return "/".join((*self.folders, self.stem))

    @property
    def name(self) -> str:
        """Name of the system, never empty."""
        if self.system:
            return self.system
        if self.folder:
            return self.folder
        if self.file and self.run is None:
            return self.file.removesuffix(".txt") or self.file
        return "system"


def name_systems(outputs: Sequence[Named]) -> list[tuple[str, str]]:
    """Return system and run of each output.

    The steps, in order:

    1. Remove shared folders, and ignore a number beside a known run.
    2. Use number folders as runs.
    3. Use a folder with several files of one test set as a system, and its files as runs.
    4. Use trailing numbers as runs if systems have several.
    5. Remove shared words and beginnings.
    """
    n_shared = shared_length([parts.folders for parts, _, _ in outputs])
    labels = []
    for parts, test_set, name in outputs:
        label = Labels(
            folders=parts.folders[n_shared:],
            stem=parts.stem,
            run=parts.run,
            test_set=test_set,
            folder=parts.folders[-1] if parts.folders else "",
            file=name.rsplit("/", 1)[-1],
        )
        labels.append(label)
    labels = _without_checkpoints(labels)
    labels = _with_number_folders(labels)
    labels = _with_folders_as_systems(labels)
    labels = _with_trailing_runs(labels)
    labels = _without_shared_words(labels)
    systems = _without_shared_beginning([label.name for label in labels])
    return [(system, label.run or DEFAULT_RUN) for system, label in zip(systems, labels, strict=True)]


def _without_checkpoints(labels: list[Labels]) -> list[Labels]:
    """Drop stems that are only a number, as of checkpoints, if another mark gives the run."""
    narrowed = []
    for label in labels:
        if label.run and label.stem.isdecimal():
            label = replace(label, stem="")
        narrowed.append(label)
    has_lost_outputs = len(_distinct_outputs(narrowed)) < len(_distinct_outputs(labels))
    return labels if has_lost_outputs else narrowed


def _distinct_outputs(labels: Iterable[Labels]) -> set[tuple[str, str | None, str]]:
    return {(label.system, label.run, label.test_set) for label in labels}


def _with_number_folders(labels: list[Labels]) -> list[Labels]:
    """Use folders that are numbers as runs (``1/base.txt``, ``base/1/out.txt``) if that gives several runs.

    So are those with a letter, ``base/s1/out.txt`` and ``r1/base.txt``, if the rest of the path names a system.
    """
    split = [_with_run_of_folder(label) for label in labels]
    has_several_runs = any(len(runs) > 1 for runs in _runs_of_systems(split).values())
    return split if has_several_runs else labels


def _with_run_of_folder(label: Labels) -> Labels:
    """Use the last folder that is a number as the run, if no run is known."""
    if label.run is not None:
        return label
    for place, folder in reversed([*enumerate(label.folders)]):
        number = RUN_FOLDER.fullmatch(folder)
        if number is None:
            continue
        without = replace(label, folders=label.folders[:place] + label.folders[place + 1 :], run=number[1])
        if folder.isdecimal() or without.system:
            return without
    return label


def _runs_of_systems(labels: Iterable[Labels]) -> dict[str, set[str | None]]:
    runs = grouped((label.system, label.run) for label in labels)
    return {system: set(runs_of_system) for system, runs_of_system in runs.items()}


def _with_folders_as_systems(labels: list[Labels]) -> list[Labels]:
    """Use folders as systems, and their files as runs, if a folder has several files of one test set.

    If only one folder has several, with names that no other folder has, its files are systems: ``x/base.txt`` and
    ``x/top.txt`` beside ``new.txt``.
    """
    stems_of: dict[tuple[tuple[str, ...], str], set[str]] = defaultdict(set)  # by folder and test set
    n_files = Counter[tuple[tuple[str, ...], str]]()
    for label in labels:
        if label.folders and label.run is None and label.stem:
            stems_of[label.folders, label.test_set].add(label.stem)
            n_files[label.folders, label.test_set] += 1
    with_several = {folders for (folders, _), number in n_files.items() if number > 1}
    if not with_several or len({label.folders for label in labels}) < 2:
        return labels
    if len(with_several) == 1 and not _are_folders_comparable(labels, stems_of):
        return _without_folder(labels, *with_several)
    narrowed = []
    for label in labels:
        if label.folders and label.run is None and label.stem:
            number = TRAILING_NUMBER.fullmatch(label.stem)
            label = replace(label, stem="", run=number[3] if number else label.stem)
        narrowed.append(label)
    has_lost_outputs = len(_distinct_outputs(narrowed)) < len(_distinct_outputs(labels))
    return labels if has_lost_outputs else narrowed


def _are_folders_comparable(labels: Iterable[Labels], stems_of: Mapping[tuple[tuple[str, ...], str], set[str]]) -> bool:
    """Whether several folders are systems: two have files of the same name, or one has nothing but runs."""
    if any(label.folders and not label.stem for label in labels):
        return True
    pairs = combinations(stems_of.items(), 2)
    return any(first[0] != second[0] and stems & more for (first, stems), (second, more) in pairs)


def _without_folder(labels: list[Labels], folders: tuple[str, ...]) -> list[Labels]:
    """Remove a folder from the names of its files, unless a name would no longer tell of one system."""
    narrowed = []
    for label in labels:
        if label.folders == folders and label.stem and not TRAILING_NUMBER.fullmatch(label.stem):
            label = replace(label, folders=())
        narrowed.append(label)
    has_lost_outputs = len(_distinct_outputs(narrowed)) < len(_distinct_outputs(labels))
    return labels if has_lost_outputs else narrowed


def _with_trailing_runs(labels: list[Labels]) -> list[Labels]:
    """Use trailing numbers as runs if systems have several; otherwise ``llama-2`` and ``sys-1`` are systems."""
    labels = [_with_telling_stem(label) for label in labels]
    split = [_split_number(label) for label in labels]
    runs = {system: numbers - {None} for system, numbers in _runs_of_systems(split).items()}

    # Beside llama-2 and llama-3, the number of a lone gpt-4 is no run, and neither are theirs
    dashed = set()
    for narrowed, label in zip(split, labels, strict=True):
        if narrowed != label and label.stem == f"{narrowed.stem}-{narrowed.run}":
            dashed.add(narrowed.system)
    if not all(len(runs[system]) > 1 for system in dashed):
        return labels

    if len(runs) == 1:
        return split if _is_one_system(split, labels) else labels
    if "" in runs:  # a number alone would leave no name
        return labels
    stems = {label.system: label.stem for label in split}
    with_several = [system for system, numbers in runs.items() if len(numbers) > 1]
    is_counted = any(not NUMBERED_SYSTEMS.fullmatch(stems[system]) for system in with_several)
    is_crossed = any(len(runs[system] & runs[second]) > 1 for system, second in combinations(with_several, 2))
    return split if is_counted or is_crossed else labels


def _with_telling_stem(label: Labels) -> Labels:
    """Name a file without a telling name after its folder."""
    if label.stem or not label.folders:
        return label
    return replace(label, folders=label.folders[:-1], stem=label.folders[-1])


def _split_number(label: Labels) -> Labels:
    """Use a trailing number as the run, if no run is known and the number is not that of a version."""
    number = TRAILING_NUMBER.fullmatch(label.stem)
    if label.run is not None or number is None or VERSION.fullmatch(label.stem):
        return label
    return replace(label, stem=number[1] or "", run=number[3])


def _is_one_system(split: Sequence[Labels], labels: Sequence[Labels]) -> bool:
    """Whether files that differ only in a number are runs: it follows a dot, or counts from 0 or 1.

    ``split`` are the labels without the number.
    """
    follows_dots = True
    for narrowed, label in zip(split, labels, strict=True):
        if narrowed == label or NUMBERED_SYSTEMS.fullmatch(narrowed.stem):
            return False
        if label.stem not in (narrowed.run, f"{narrowed.stem}.{narrowed.run}"):
            follows_dots = False
    if follows_dots:
        return True
    numbers = sorted({int(label.run or 0) for label in split})
    is_gapless = numbers == list(range(numbers[0], numbers[-1] + 1))
    return len(numbers) > 1 and numbers[0] < 2 and is_gapless


def _without_shared_words(labels: list[Labels]) -> list[Labels]:
    """Remove words between dots that occur in the name of every system."""
    systems = {label.system for label in labels}
    if len(systems) < 2:
        return labels
    shared = set.intersection(*(set(re.split("[./]", system)) for system in systems))

    def without_shared(name: str) -> str:
        return ".".join(word for word in name.split(".") if word not in shared)

    narrowed = []
    for label in labels:
        folders = [without_shared(folder) for folder in label.folders]
        kept_folders = tuple(folder for folder in folders if folder)
        narrowed.append(replace(label, folders=kept_folders, stem=without_shared(label.stem)))
    has_lost_systems = len({label.system for label in narrowed}) < len(systems)
    return labels if has_lost_systems else narrowed


def _without_shared_beginning(systems: list[str]) -> list[str]:
    """Remove the shared beginning up to a separator, unless little would be left (``ONLINE-A``)."""
    if len(set(systems)) < 2:
        return systems
    shared = systems[0][: shared_length(systems)]
    length = 1 + max(shared.rfind(separator) for separator in "-_./")
    if min(len(system) for system in systems) - length < FEWEST_CHARACTERS:
        return systems
    return [system[length:] for system in systems]
