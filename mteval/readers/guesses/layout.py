"""Guess the layout from names and content: which stream is which run of which system on which test set.

This includes the text that a parse belongs to, and texts in score files that are also loaded on their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from unicodedata import name as character_name

from mteval.base.words import Names, composed
from mteval.readers import names
from mteval.readers.documents import NAMED_ROLES, Document, FileRole, Slot, Stream, grouped
from mteval.readers.formats.score_tables import LINES_SEEN, SCORE, is_named_segment_scores, look_like_scores
from mteval.readers.formats.tables import stem_of, table_form
from mteval.readers.guesses.file_names import NameParts, language_of, name_systems, take_apart
from mteval.readers.names import DEFAULT_RUN, DEFAULT_TEST_SET, role_in

TEXT_ROLES: frozenset[FileRole] = frozenset(("hypothesis", "reference", "source"))
TEST_SET_ROLES: frozenset[FileRole] = TEXT_ROLES | {"documents"}  # files with one line per segment of a test set
NEEDED_ROLES: frozenset[FileRole] = frozenset(("hypothesis", "reference"))  # what a test set cannot do without

# A text has a script if it has that many letters, and that share of them belongs to it
FEWEST_LETTERS = 50
SHARE_OF_LETTERS = 0.8
FEWEST_IN_TEST_SET = 2  # outputs in a folder with a reference of its own; one alone may be a run

# What sacreBLEU and multi-bleu.perl print, one line per metric, and Kaldi's scores of a set of utterances
RESULT = re.compile(r"(BLEU4?|chrF2?\+*|TER)([|+]\S+)? = -?\d|%[WSC]ER -?\d|Scored \d+ sentences")
FEWEST_NUMBERED = 5  # lines; fewer may be texts that are numbers
MOST_RESULTS = 5

# Names of characters begin with their script. Japanese mixes three, of which Chinese characters are the third.
JAPANESE = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


@dataclass(frozen=True)
class Draft:
    """A slot in progress: its stream and role, the parts of the file name, and whether a ``sysid`` names the system."""

    document: str
    stream: Stream
    role: FileRole
    parts: NameParts
    test_set: str | None
    claims_system: bool


def guess(documents: Sequence[Document]) -> tuple[Slot, ...]:
    """Return a slot for every stream, in document order.

    What a format states is kept. Otherwise names decide, and system and run follow from what varies between the names
    of outputs. Two hypotheses never share test set, system and run: equal ones are numbered, ``0 (2)``. Language pairs
    with their own references are separate test sets. References that may be machine-made (``synthetic_ref``) are
    excluded beside others, as are texts beside scores that are also loaded on their own. Beside logs, which contain the
    outputs, plain text is something else unless its name states a role.
    """
    logs = {document.name for document in documents if _is_log(document)}
    drafts = []
    for document in documents:
        for stream in document.streams:
            drafts.append(_draft(document, stream, bool(logs)))
    drafts = _with_texts_of_numbers(drafts)
    drafts = _without_empty_claims(drafts)
    drafts = _without_equal_stems(drafts)
    drafts = _with_language_pairs(drafts)
    drafts = _with_folders_of_test_sets(drafts)
    drafts = _with_sources(drafts)
    drafts = _with_test_sets(drafts)
    slots = _with_distinct_runs(_named_slots(drafts))

    excluded = _copies(slots, documents) | _doubtful_references(slots) | _spare_prompts(slots, logs)
    texts = [slot for slot in slots if slot.role in ("hypothesis", "reference")]
    assigned = []
    for slot in slots:
        if slot in excluded:
            slot = replace(slot, included=False)
        if slot.role == "parses":
            slot = _with_parsed_text(slot, texts)
        assigned.append(slot)
    return tuple(_with_metrics_apart_from_systems(assigned, documents))


def _is_log(document: Document) -> bool:
    """Whether a document contains outputs with their scores, as logs of evaluations do."""
    roles = {stream.role for stream in document.streams}
    return document.format == "json" and {"hypothesis", "scores"} <= roles


def _draft(document: Document, stream: Stream, has_logs: bool) -> Draft:
    """Return what the format and the name of one file state, before it is compared with other files."""
    parts = take_apart(composed(document.name))
    role: FileRole
    if stream.role is not None:
        role = stream.role
    elif document.format == "nbest":
        role = "nbest"
    else:
        role = _role(document, parts, stream)
    is_plain_output = document.format == "lines" and role == "hypothesis"
    if has_logs and is_plain_output and role_in(document.name) is None:
        role = "other"
    is_named_by_format = document.format in ("sgml", "xml") and stream.system is not None
    return Draft(
        document=document.name,
        stream=stream,
        role=role,
        parts=parts,
        test_set=stream.test_set or parts.test_set,
        claims_system=is_named_by_format and role == "hypothesis",
    )


def _role(document: Document, parts: NameParts, stream: Stream) -> FileRole:
    """Return the role of a plain text file. Its content decides whether it contains scores.

    Memories contain references unless the name says otherwise, and translators' files an output.
    """
    if parts.role == "scores" and not is_named_segment_scores(document.name):
        return "scores" if look_like_scores(stream.lines) else "other"
    if parts.role is not None:
        return parts.role
    if document.format == "tmx":
        return "hypothesis" if role_in(document.name) == "hypothesis" else "reference"
    if document.format == "xliff":
        return "hypothesis"
    if _has_row_per_run(stream) or _is_result(stream) or _has_line_numbers_alone(stream):
        return "other"
    return "scores" if look_like_scores(stream.lines) else "hypothesis"


def _with_texts_of_numbers(drafts: list[Draft]) -> list[Draft]:
    """Use files of numbers as outputs if a reference looks like scores, too: then the texts are numbers."""
    references = [draft for draft in drafts if draft.role == "reference"]
    if not any(look_like_scores(draft.stream.lines) for draft in references):
        return drafts
    read_again = []
    for draft in drafts:
        is_plain = draft.role == "scores" and not draft.stream.scores and draft.parts.role is None
        if is_plain and not is_named_segment_scores(draft.document):
            draft = replace(draft, role="hypothesis")
        read_again.append(draft)
    return read_again


def _has_row_per_run(stream: Stream) -> bool:
    """Whether a text is a table with a row per run instead of one per segment."""
    if not stream.lines:
        return False
    header = stream.lines[0] or ""
    return table_form(header, {"system", "run"}.issubset) is not None


def _has_line_numbers_alone(stream: Stream) -> bool:
    """Whether each line of a text is its number and nothing else, as in a list of segments."""
    lines = [(line or "").strip() for line in stream.lines]
    if len(lines) < FEWEST_NUMBERED:
        return False
    return any(all(line == str(number) for number, line in enumerate(lines, first)) for first in (0, 1))


def _is_result(stream: Stream) -> bool:
    """Whether a text is the score that a program printed about an output, e.g. ``BLEU|nrefs:1|… = 23.2 …``."""
    filled = [line for line in stream.lines[: MOST_RESULTS + 1] if line]
    return 0 < len(filled) <= MOST_RESULTS and all(map(RESULT.match, filled))


def _without_empty_claims(drafts: list[Draft]) -> list[Draft]:
    """Ignore the system of SGML files if several name the same one, as scripts with a fixed ``sysid`` do."""
    claims = [draft for draft in drafts if draft.claims_system]
    files = {draft.document for draft in claims}
    systems = {draft.stream.system for draft in claims}
    names_of_files = {(draft.parts.folders, draft.parts.stem) for draft in claims}
    if len(files) < 2 or len(systems) > 1 or len(names_of_files) < 2:
        return drafts
    kept = []
    for draft in drafts:
        if draft.claims_system:
            draft = replace(draft, stream=replace(draft.stream, system=None))
        kept.append(draft)
    return kept


def _without_equal_stems(drafts: list[Draft]) -> list[Draft]:
    """Use whole file names if tables without systems begin alike (``base.opt0.jsonl``, ``base.opt1.jsonl``)."""
    n_files = Counter((draft.stream.system, draft.test_set) for draft in drafts if _is_named_after_file(draft))
    kept = []
    for draft in drafts:
        if _is_named_after_file(draft) and n_files[draft.stream.system, draft.test_set] > 1:
            draft = replace(draft, stream=replace(draft.stream, system=None, run=None))
        kept.append(draft)
    return kept


def _is_named_after_file(draft: Draft) -> bool:
    """Whether an output has the default system and run of a table without systems."""
    return (
        draft.role == "hypothesis"
        and draft.stream.system == stem_of(draft.document)
        and draft.stream.run == DEFAULT_RUN
    )


def _with_language_pairs(drafts: list[Draft]) -> list[Draft]:
    """Split files of several language pairs into test sets (``test en-de``) if each pair has a reference."""
    roles_of_pairs = []
    for pair, roles in grouped((draft.parts.language_pair, draft.role) for draft in drafts).items():
        if pair is not None and not TEST_SET_ROLES.isdisjoint(roles):
            roles_of_pairs.append(set(roles))
    if len(roles_of_pairs) < 2 or not all(roles >= NEEDED_ROLES for roles in roles_of_pairs):
        return drafts
    split = []
    for draft in drafts:
        if not draft.stream.test_set:
            test_set = " ".join(filter(None, (draft.test_set, draft.parts.language_pair)))
            draft = replace(draft, test_set=test_set or None)
        split.append(draft)
    return split


def _with_folders_of_test_sets(drafts: list[Draft]) -> list[Draft]:
    """Use folders as test sets if each has outputs and references of its own, which differ from folder to folder."""
    texts = [draft for draft in drafts if draft.role in NEEDED_ROLES]
    if any(draft.test_set is not None or draft.stream.label for draft in texts):
        return drafts
    in_folders = grouped((draft.document.rpartition("/")[0], draft) for draft in texts)
    references = []
    for folder, of_folder in in_folders.items():
        outputs = {draft.document.rpartition("/")[2] for draft in of_folder if draft.role == "hypothesis"}
        lines = [draft.stream.lines for draft in of_folder if draft.role == "reference"]
        if not folder or not lines or len(outputs) < FEWEST_IN_TEST_SET:
            return drafts
        references.append(frozenset(lines))
    if len(references) < 2 or len(set(references)) < len(references):
        return drafts
    split = []
    for draft in drafts:
        folder = composed(draft.document.rpartition("/")[0])
        if folder in map(composed, in_folders):
            draft = replace(draft, test_set=folder.rpartition("/")[2], parts=replace(draft.parts, folders=()))
        split.append(draft)
    return split


def _with_sources(drafts: list[Draft]) -> list[Draft]:
    """Use a file as the source if it alone has another language or script than the references, and none is named."""
    references = [draft for draft in drafts if draft.role == "reference"]
    outputs = [draft for draft in drafts if draft.role == "hypothesis" and draft.stream.role is None]
    if len(outputs) < 2 or any(draft.role == "source" for draft in drafts):
        return drafts

    beginnings = {}
    for draft in drafts:
        first_lines = draft.stream.lines[:LINES_SEEN]
        beginnings[draft.document] = "".join(line or "" for line in first_lines)
    languages = {language_of(draft.document) for draft in references} - {None}
    scripts = {_script(beginnings[draft.document]) for draft in references} - {None}

    def is_foreign(draft: Draft) -> bool:
        if languages and language_of(draft.document) not in (None, *languages):
            return True
        return bool(scripts) and _script(beginnings[draft.document]) not in (None, *scripts)

    foreign = [draft for draft in outputs if is_foreign(draft)]
    if len(foreign) != 1:
        return drafts
    place = next(place for place, draft in enumerate(drafts) if draft is foreign[0])
    source = replace(foreign[0], role="source")
    return [*drafts[:place], source, *drafts[place + 1 :]]


def _script(text: str) -> str | None:
    """Return the writing system, e.g. ``HEBREW``; None if letters are few or mixed."""
    n_letters = Counter[str]()
    for character in text:
        if character.isalpha():
            script = character_name(character, "").partition(" ")[0]
            n_letters[JAPANESE.get(script, script)] += 1
    if not n_letters:
        return None
    script, count = n_letters.most_common(1)[0]
    if count < FEWEST_LETTERS or count < SHARE_OF_LETTERS * n_letters.total():
        return None
    return script


def _with_test_sets(drafts: list[Draft]) -> list[Draft]:
    """Assign files without a test set to the one that lacks them; otherwise to ``test``."""
    roles_without_test_set: set[FileRole] = set()
    roles_of_test_set: dict[str, set[FileRole]] = {}
    for test_set, roles in grouped((draft.test_set, draft.role) for draft in drafts).items():
        needed = NEEDED_ROLES.intersection(roles)
        if test_set is None:
            roles_without_test_set.update(needed)
        elif not TEST_SET_ROLES.isdisjoint(roles):
            roles_of_test_set[test_set] = set(needed)

    joined = DEFAULT_TEST_SET
    # Files without a test set that have both outputs and references are a test set of their own
    if roles_without_test_set != NEEDED_ROLES:
        lacking = [test_set for test_set, roles in roles_of_test_set.items() if not roles_without_test_set <= roles]
        candidates = lacking or list(roles_of_test_set)
        if len(candidates) == 1:
            joined = candidates[0]
    assigned = []
    for draft in drafts:
        if draft.test_set is None:
            draft = replace(draft, test_set=joined)
        assigned.append(draft)
    return assigned


def _named_slots(drafts: Sequence[Draft]) -> list[Slot]:
    """Return the slots of the drafts, with system and run of each output."""
    outputs = [draft for draft in drafts if draft.role == "hypothesis"]
    named = iter(name_systems([(draft.parts, draft.test_set or "", draft.document) for draft in outputs]))
    slots = []
    for draft in drafts:
        slot = Slot(
            file=draft.document,
            role=draft.role,
            test_set=draft.test_set or DEFAULT_TEST_SET,
            stream=draft.stream.label,
            included=draft.role != "other",
        )
        if draft.role == "hypothesis":
            system, run = next(named)
            slot = replace(slot, system=draft.stream.system or system, run=draft.stream.run or run)
        elif draft.role in NAMED_ROLES:
            slot = replace(slot, name=draft.stream.name or names.name_of_file(draft.document))
        slots.append(slot)
    return _with_common_names(slots)


def _with_common_names(slots: Sequence[Slot]) -> list[Slot]:
    """Return the slots; scores that begin with their test set's name, as WMT's files do, have one name on several.

    ``de-en.mqm`` on ``de-en`` and ``fr-en.mqm`` on ``fr-en`` are ``mqm``. On one test set they keep their names.
    """
    test_sets_of: dict[str, set[str]] = defaultdict(set)
    for slot in slots:
        test_sets_of[_without_test_set(slot)].add(slot.test_set)
    renamed = []
    for slot in slots:
        common = _without_test_set(slot)
        if slot.role == "scores" and common and len(test_sets_of[common]) > 1:
            slot = replace(slot, name=common)
        renamed.append(slot)
    return renamed


def _without_test_set(slot: Slot) -> str:
    """Return the name of scores after that of their test set and a dot; empty if it does not begin so."""
    name = slot.name or ""
    prefix = f"{slot.test_set}."
    return name.removeprefix(prefix) if slot.role == "scores" and name.startswith(prefix) else ""


def _with_distinct_runs(slots: Iterable[Slot]) -> list[Slot]:
    """Return the slots with a separate run for each output of a system on a test set."""
    runs: dict[tuple[str, str | None], Names] = defaultdict(Names)
    distinct = []
    for slot in slots:
        if slot.role == "hypothesis":
            run = runs[slot.test_set, slot.system].free(slot.run or DEFAULT_RUN)
            slot = replace(slot, run=run)
        distinct.append(slot)
    return distinct


def _copies(slots: Sequence[Slot], documents: Sequence[Document]) -> set[Slot]:
    """Return the texts of score files without systems that other files have as well."""
    scored_files = {document.name for document in documents if _has_scored_texts(document)}
    if not scored_files or len(scored_files) == len(documents):
        return set()
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}

    def text_of(slot: Slot) -> tuple[str, ...]:
        lines = streams[slot.file, slot.stream].lines
        return slot.role, *((line or "").strip() for line in lines)

    texts = [slot for slot in slots if slot.role in TEXT_ROLES]
    texts_elsewhere = {text_of(slot) for slot in texts if slot.file not in scored_files}
    return {slot for slot in texts if slot.file in scored_files and text_of(slot) in texts_elsewhere}


def _with_metrics_apart_from_systems(slots: Sequence[Slot], documents: Sequence[Document]) -> Iterator[Slot]:
    """Yield the slots; scores beside an output that has the file's name, which is the system's, are called "score"."""
    scored_files = {document.name for document in documents if _has_scored_texts(document)}
    output_files = {slot.file for slot in slots if slot.role == "hypothesis" and slot.included}
    for slot in slots:
        is_of_system = slot.file in scored_files & output_files
        if slot.role == "scores" and is_of_system and slot.name == names.name_of_file(slot.file):
            slot = replace(slot, name=SCORE)
        yield slot


def _has_scored_texts(document: Document) -> bool:
    """Whether a file has scores, all with the text that they are about, and none with its system."""
    columns = list(chain.from_iterable(stream.scores for stream in document.streams))
    return bool(columns) and all(column.system is None and column.texts is not None for column in columns)


def _doubtful_references(slots: Sequence[Slot]) -> set[Slot]:
    """Return possibly machine-made references beside others; they wait until the user confirms their role."""
    references = {slot for slot in slots if slot.role == "reference"}
    doubtful = {slot for slot in references if names.is_doubtful_reference(slot.file)}
    test_sets = {slot.test_set for slot in references - doubtful}
    return {slot for slot in doubtful if slot.test_set in test_sets}


def _spare_prompts(slots: Sequence[Slot], logs: set[str]) -> set[Slot]:
    """Return the sources of logs except the first per test set: prompts may differ from model to model."""
    shown: set[str] = set()
    spare = set()
    for slot in slots:
        if slot.role == "source" and slot.file in logs:
            if slot.test_set in shown:
                spare.add(slot)
            shown.add(slot.test_set)
    return spare


def _with_parsed_text(slot: Slot, texts: Sequence[Slot]) -> Slot:
    """Assign a parse to its text. The parse of a reference has no system; its run is the reference's number."""
    text = _parsed_text(slot, texts)
    if text is None:
        # Named after its file, which shows in the table what to fix
        return replace(slot, system=take_apart(slot.file).stem or slot.file, run=DEFAULT_RUN)
    if text.role == "hypothesis":
        return replace(slot, system=text.system, run=text.run, test_set=text.test_set)
    references = [slot for slot in texts if slot.role == "reference" and slot.test_set == text.test_set]
    number = references.index(text) + 1
    return replace(slot, system=None, run=str(number), test_set=text.test_set)


def _parsed_text(slot: Slot, texts: Sequence[Slot]) -> Slot | None:
    """Return the text with the same file name except for the suffix, or for words such as ``hyps`` and ``parses``."""
    n_shared = [names.common_tail(slot.file, text.file) for text in texts]
    most_shared = max(n_shared, default=0)
    candidates = []
    if most_shared > 0:
        candidates = [text for text, n in zip(texts, n_shared, strict=True) if n == most_shared]
    if not candidates:
        telling = _telling_parts(slot.file)
        candidates = [text for text in texts if _telling_parts(text.file) == telling]
    if not candidates and take_apart(slot.file).role == "reference":
        candidates = [text for text in texts if text.role == "reference"]
    return candidates[0] if len(candidates) == 1 else None


def _telling_parts(file: str) -> tuple[bool, str | None, str, str | None]:
    """Return what distinguishes a file from others of its kind."""
    parts = take_apart(file)
    return parts.role == "reference", parts.test_set, parts.stem, parts.run
