"""Guess the layout from names and content: which stream is which run of which system on which test set.

This includes the text that a parse belongs to, and texts in score files that are also loaded on their own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import name as character_name

from mteval.base.words import Names
from mteval.readers import names
from mteval.readers.documents import NAMED_ROLES, Document, FileRole, Slot, Stream, grouped
from mteval.readers.formats.score_tables import LINES_SEEN, is_named_segment_scores, look_like_scores
from mteval.readers.formats.tables import stem_of, table_form
from mteval.readers.guesses.file_names import NameParts, language_of, name_systems, take_apart
from mteval.readers.names import DEFAULT_RUN, DEFAULT_TEST_SET, role_in


def _with_parsed_text(slot: Slot, texts: Sequence[Slot]) -> Slot:
    """Assign a parse to its text. The parse of a reference has no system; its run is the reference's number."""
    if (text := _parsed_text(slot, texts)) is None:  # the file name in the table shows what to fix
        return replace(slot, system=take_apart(slot.file).stem or slot.file, run=DEFAULT_RUN)
    if text.role == "hypothesis":
        return replace(slot, system=text.system, run=text.run, test_set=text.test_set)
    references = [other for other in texts if other.role == "reference" and other.test_set == text.test_set]
    return replace(slot, system=None, run=str(references.index(text) + 1), test_set=text.test_set)


def _parsed_text(slot: Slot, texts: Sequence[Slot]) -> Slot | None:
    """Return the text with the same file name except for the suffix, or for words such as ``hyps`` and ``parses``."""
    tails = [names.common_tail(slot.file, text.file) for text in texts]
    longest = max(tails, default=0)
    if not (same := [text for text, tail in zip(texts, tails, strict=True) if tail == longest > 0]):
        same = [text for text in texts if _told_apart(text.file) == _told_apart(slot.file)]
    if not same and take_apart(slot.file).role == "reference":
        same = [text for text in texts if text.role == "reference"]
    return same[0] if len(same) == 1 else None


def _told_apart(file: str) -> tuple[bool, str | None, str, str | None]:
    """Return what distinguishes a file from others of its kind."""
    parts = take_apart(file)
    return parts.role == "reference", parts.test_set, parts.stem, parts.run


TEXTS = ("hypothesis", "reference", "source")


def _copies(slots: Sequence[Slot], documents: Sequence[Document]) -> set[Slot]:
    """Return the texts of score files without systems that other files have as well."""
    columns = grouped((one.name, column) for one in documents for stream in one.streams for column in stream.scores)
    # files with outputs and scores but no system
    scored = {
        file for file, some in columns.items() if all(one.system is None and one.texts is not None for one in some)
    }
    if not scored or len(scored) == len(documents):
        return set()
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}
    elsewhere = {_text(slot, streams) for slot in slots if slot.file not in scored and slot.role in TEXTS}
    return {slot for slot in slots if slot.file in scored and _text(slot, streams) in elsewhere}


def _text(slot: Slot, streams: Mapping[tuple[str, str], Stream]) -> tuple[str, ...]:
    """Return role and stripped segments of a text, or the name of another stream."""
    if slot.role not in TEXTS:
        return slot.file, slot.stream
    return slot.role, *((line or "").strip() for line in streams[slot.file, slot.stream].lines)


TEXT_ROLES: frozenset[FileRole] = frozenset(("hypothesis", "reference", "source", "documents"))  # of a test set


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
    whole = {"hypothesis", "scores"}
    logs = {one.name for one in documents if one.format == "json" and whole <= {each.role for each in one.streams}}
    drafts = [_draft(document, stream, bool(logs)) for document in documents for stream in document.streams]
    drafts = _with_test_sets(_with_sources(_with_language_pairs(_without_equal_stems(_without_empty_claims(drafts)))))
    outputs = [draft for draft in drafts if draft.role == "hypothesis"]
    systems = iter(name_systems([(draft.parts, draft.test_set or "", draft.document) for draft in outputs]))
    named = [_slot(draft, *(next(systems) if draft.role == "hypothesis" else (None, None))) for draft in drafts]
    slots = list(_distinct(named))
    prompts = [slot for slot in slots if slot.role == "source" and slot.file in logs]
    # prompts may differ from model to model; the first one of an item is shown
    spare = set(prompts) - set({slot.test_set: slot for slot in reversed(prompts)}.values())
    excluded = _copies(slots, documents) | _doubtful_references(slots) | spare
    slots = [replace(slot, included=False) if slot in excluded else slot for slot in slots]
    texts = [slot for slot in slots if slot.role in ("hypothesis", "reference")]
    return tuple(_with_parsed_text(slot, texts) if slot.role == "parses" else slot for slot in slots)


def _draft(document: Document, stream: Stream, has_logs: bool) -> Draft:
    parts = take_apart(document.name)
    role = stream.role or ("nbest" if document.format == "nbest" else _role(document, parts, stream))
    if has_logs and (document.format, role) == ("lines", "hypothesis") and role_in(document.name) is None:
        role = "other"
    claims = document.format in ("sgml", "xml") and role == "hypothesis" and stream.system is not None
    return Draft(document.name, stream, role, parts, stream.test_set or parts.test_set, claims)


def _role(document: Document, parts: NameParts, stream: Stream) -> FileRole:
    """Return the role of a plain text file. Its content decides whether it contains scores.

    Memories contain references unless the name says otherwise.
    """
    if parts.role == "scores" and not is_named_segment_scores(document.name):
        return "scores" if look_like_scores(stream.lines) else "other"
    if parts.role is not None:
        return parts.role
    if document.format == "tmx":
        return "hypothesis" if role_in(document.name) == "hypothesis" else "reference"
    if table_form(stream.lines[0] or "" if stream.lines else "", {"system", "run"}.issubset):
        return "other"  # a table with a row per run, not per segment
    return "scores" if look_like_scores(stream.lines) else "hypothesis"


def _without_empty_claims(drafts: list[Draft]) -> list[Draft]:
    """Ignore the system of SGML files if several name the same one, as scripts with a fixed ``sysid`` do."""
    claims = [draft for draft in drafts if draft.claims_system]
    names_of_files = {(draft.parts.folders, draft.parts.stem) for draft in claims}
    n_files, n_systems = len({draft.document for draft in claims}), len({draft.stream.system for draft in claims})
    if n_files < 2 or n_systems > 1 or len(names_of_files) < 2:
        return drafts
    return [replace(d, stream=replace(d.stream, system=None)) if d.claims_system else d for d in drafts]


def _without_equal_stems(drafts: list[Draft]) -> list[Draft]:
    """Use whole file names if tables without systems begin alike (``base.opt0.jsonl``, ``base.opt1.jsonl``)."""
    outputs = [draft for draft in drafts if draft.role == "hypothesis"]
    # whose system and run are the defaults of a table without systems
    tables = [one for one in outputs if (one.stream.system, one.stream.run) == (stem_of(one.document), DEFAULT_RUN)]
    taken = Counter((draft.stream.system, draft.test_set) for draft in tables)
    alike = [draft for draft in tables if taken[draft.stream.system, draft.test_set] > 1]
    return [replace(d, stream=replace(d.stream, system=None, run=None)) if d in alike else d for d in drafts]


def _with_language_pairs(drafts: list[Draft]) -> list[Draft]:
    """Split files of several language pairs into test sets (``test en-de``) if each pair has a reference."""
    roles = grouped((draft.parts.language_pair, draft.role) for draft in drafts)
    pairs = {pair for pair, found in roles.items() if pair is not None and TEXT_ROLES & {*found}}
    if len(pairs) < 2 or not all({"hypothesis", "reference"} <= {*roles[pair]} for pair in pairs):
        return drafts
    with_pairs = (" ".join(filter(None, (one.test_set, one.parts.language_pair))) or None for one in drafts)
    named = zip(drafts, with_pairs, strict=True)
    return [draft if draft.stream.test_set else replace(draft, test_set=name) for draft, name in named]


def _with_sources(drafts: list[Draft]) -> list[Draft]:
    """Use a file as the source if it alone has another language or script than the references, and none is named."""
    languages = {suffix for one in drafts if one.role == "reference" and (suffix := language_of(one.document))}
    texts = {one.document: "".join(line or "" for line in one.stream.lines[:LINES_SEEN]) for one in drafts}
    scripts = {script for one in drafts if one.role == "reference" and (script := _script(texts[one.document]))}
    outputs = [one for one in drafts if one.role == "hypothesis" and one.stream.role is None]

    def is_foreign(one: Draft) -> bool:
        found = (language_of(one.document), languages), (_script(texts[one.document]), scripts)
        return any(known and own not in (None, *known) for own, known in found)

    foreign = list(filter(is_foreign, outputs))
    if len(foreign) != 1 or len(outputs) < 2 or any(one.role == "source" for one in drafts):
        return drafts
    return [replace(one, role="source") if one is foreign[0] else one for one in drafts]


FEWEST_LETTERS, MOST_LETTERS = 50, 0.8  # a script is that of most letters
_JAPANESE = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}  # beside Chinese characters


def _script(text: str) -> str | None:
    """Return the writing system, e.g. ``HEBREW``; None if letters are few or mixed."""
    named = (character_name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    letters = Counter(_JAPANESE.get(script, script) for script in named)
    script, count = next(iter(letters.most_common(1)), ("", 0))
    return script if count >= FEWEST_LETTERS and count >= MOST_LETTERS * letters.total() else None


def _with_test_sets(drafts: list[Draft]) -> list[Draft]:
    """Assign files without a test set to the one that lacks them; otherwise to ``test``."""
    needed: set[FileRole] = {"hypothesis", "reference"}
    roles = grouped((draft.test_set, draft.role) for draft in drafts)
    nameless = needed & {*roles.pop(None, ())}
    named = {name: needed & {*found} for name, found in roles.items() if TEXT_ROLES & {*found}}
    joined: str | None = DEFAULT_TEST_SET
    if nameless != needed:
        candidates = [name for name, found in named.items() if not nameless <= found] or list(named)
        joined = candidates[0] if len(candidates) == 1 else DEFAULT_TEST_SET
    return [draft if draft.test_set is not None else replace(draft, test_set=joined) for draft in drafts]


def _slot(draft: Draft, system: str | None, run: str | None) -> Slot:
    test_set = draft.test_set or DEFAULT_TEST_SET
    if draft.role == "hypothesis":
        system, run = draft.stream.system or system, draft.stream.run or run or DEFAULT_RUN
    name = draft.stream.name or names.name_of_file(draft.document) if draft.role in NAMED_ROLES else None
    return Slot(draft.document, draft.role, system, run, test_set, draft.stream.label, draft.role != "other", name)


def _doubtful_references(slots: Sequence[Slot]) -> set[Slot]:
    """Return possibly machine-made references beside others; they wait until the user confirms their role."""
    references = {slot for slot in slots if slot.role == "reference"}
    doubtful = {slot for slot in references if names.is_doubtful_reference(slot.file)}
    certain = {slot.test_set for slot in references - doubtful}
    return {slot for slot in doubtful if slot.test_set in certain}


def _distinct(slots: Sequence[Slot]) -> Iterator[Slot]:
    """Yield the slots with a separate run for each output."""
    runs: dict[tuple[str, str | None], Names] = defaultdict(Names)
    for slot in slots:
        if slot.role == "hypothesis":
            slot = replace(slot, run=runs[slot.test_set, slot.system].free(slot.run or DEFAULT_RUN))
        yield slot
