"""Account for every input file: read as what, ignored or refused, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mteval.base.words import counted
from mteval.readers.documents import FILE_ROLES, IGNORED, UNKNOWN, Document, Problem, Slot, Stream, grouped
from mteval.readers.formats.score_tables import is_named_system_scores
from mteval.readers.names import is_doubtful_reference, natural_order
from mteval.values.findings import Finding
from mteval.values.ledger import Entry, Ledger

OF_SYSTEMS = "one score per system; tests need one per segment"
SET_ASIDE = "not used, as chosen"
DOUBTFUL_ROLE = "may be a machine-made reference; waits for your answer"
OF_NO_FILE = "("  # begins the name of a document that no file contains, e.g. of scores without texts
FORMS: Mapping[str, str] = {
    "lines": "plain text",
    "table": "table",
    "sgml": "NIST SGML",
    "xml": "WMT XML",
    "tmx": "TMX",
    "xliff": "XLIFF",
    "json": "JSON",
    "conllu": "CoNLL-U",
    "nbest": "n-best list",
    "judgements": "table",
}


def unread_files(problems: Iterable[Problem]) -> Iterator[Entry]:
    """Yield an entry per file that did not become a document."""
    for problem in problems:
        if not problem.file:
            continue
        if problem.code == IGNORED:
            yield Entry(problem.file, "ignored", problem.message)
        elif problem.severity == "error":
            yield Entry(problem.file, "refused", problem.located_message)


def ledger_of(
    documents: Iterable[Document], slots: Iterable[Slot], problems: Iterable[Problem], unread: Sequence[Entry] = ()
) -> Ledger:
    """Return the ledger of all files that were given.

    Parameters
    ----------
    documents, slots
        The decoded files, and the role of each stream.
    problems
        Of the assembly. An error means that a stream is not used; if all streams of a file have one, it is refused.
    unread
        Files that did not become a document.
    """
    slots_of = grouped((slot.file, slot) for slot in slots)
    problems_of = grouped((problem.file, problem) for problem in problems)
    read = []
    for document in documents:
        if not document.name.startswith(OF_NO_FILE):
            read.append(_entry(document, slots_of.get(document.name, []), problems_of.get(document.name, [])))
    names = {entry.file for entry in read}
    missing = [entry for entry in unread if entry.file not in names]  # a file may have been read since
    entries = (*read, *dict.fromkeys(missing))
    return Ledger(tuple(sorted(entries, key=lambda entry: natural_order(entry.file))))


def _entry(document: Document, slots: Sequence[Slot], problems: Sequence[Problem]) -> Entry:
    """Return what became of one decoded file."""
    used = [slot for slot in slots if slot.included and slot.role != "other"]
    if not used:
        return Entry(document.name, "ignored", _why_ignored(document, slots))
    errors = [problem.located_message for problem in problems if problem.severity == "error"]
    if len(errors) >= len(used):
        return Entry(document.name, "refused", errors[0])
    others = [problem.located_message for problem in problems if problem.severity != "error"]
    streams = []
    for slot in used:
        stream = document.stream(slot.stream)
        if stream is not None:
            streams.append(stream)
    roles = {slot.role for slot in used}
    return Entry(
        file=document.name,
        fate="read",
        roles=tuple(role for role in FILE_ROLES if role in roles),
        format=FORMS.get(document.format, document.format),
        program=document.program,
        version=document.version,
        rows=document.n_rows or _rows(streams),
        segments=_segments(streams, roles),
        notes=tuple(dict.fromkeys((*document.warnings, *document.notes, *errors, *others))),
    )


def _why_ignored(document: Document, slots: Sequence[Slot]) -> str:
    """Return why nothing of a file is used."""
    if any(slot.role == "reference" and is_doubtful_reference(slot.file) for slot in slots):
        return DOUBTFUL_ROLE
    if all(slot.role == "other" for slot in slots):
        return OF_SYSTEMS if is_named_system_scores(document.name) else UNKNOWN
    return SET_ASIDE


def _rows(streams: Sequence[Stream]) -> int:
    """Return the number of outputs, scores or judgements in a file, whichever is largest, else of lines."""
    n_outputs = 0
    n_lines = 0
    n_scores = 0
    n_judgements = 0
    for stream in streams:
        n_present = len(stream.lines) - stream.lines.count(None)
        n_lines = max(n_lines, n_present)
        if stream.role == "hypothesis":
            n_outputs += n_present
        n_judgements += len(stream.judgements)
        of_stream = sum(len(column.values) - column.values.count(None) for column in stream.scores)
        n_scores = max(n_scores, of_stream)
    most = max(n_outputs, n_scores, n_judgements)
    if most == 0:
        return n_lines
    return most


def _segments(streams: Sequence[Stream], roles: Collection[str]) -> int:
    """Return the number of segments that the streams of a file are about."""
    if roles == {"scores"} and any(stream.lines for stream in streams):
        # Lines with a system, a tab and a score; the system with most lines has a line per segment
        n_lines = Counter[str]()
        for stream in streams:
            n_lines.update((line or "").rpartition("\t")[0] for line in stream.lines)
        return max(n_lines.values())
    most_of: dict[str | None, int] = {}  # by test set
    for stream in streams:
        most_of[stream.test_set] = max(most_of.get(stream.test_set, 0), _segments_of(stream))
    return sum(most_of.values())


def _segments_of(stream: Stream) -> int:
    """Return the number of segments that a stream is about."""
    if stream.judgements:
        return len({(judgement.document, judgement.segment) for judgement in stream.judgements})
    if stream.scores:
        keys: set[str] = set()
        for column in stream.scores:
            keys.update(column.keys or ())
        if keys:
            return len(keys)
        return max(len(column.values) for column in stream.scores)
    return len(stream.lines)


def entry_of_lines(path: Path, role: str, lines: Sequence[str]) -> Entry:
    """Return the entry of a file of which all lines were read, one per segment or word."""
    n_lines = len(lines)
    return Entry(str(path), "read", roles=(role,), format=FORMS["lines"], rows=n_lines, segments=n_lines)


def findings_of_refused(problems: Iterable[Problem], unread: Iterable[Entry]) -> Iterator[Finding]:
    """Yield what the verdict lacks: files that were meant and are not used."""
    for entry in unread:
        if entry.fate == "refused":
            yield Finding("not-read", f"{entry.file}: {entry.reason}", files=(entry.file,))
    for problem in problems:
        if problem.severity == "error" and problem.file:
            yield Finding("not-read", problem.text, files=(problem.file,))


def extent(entry: Entry) -> str:
    """Return how much of a file was read, e.g. ``600 rows, 200 segments``, or ``600 judgements, 200 segments``."""
    if entry.rows in (0, entry.segments):
        return counted(entry.segments, "segment")
    noun = "judgement" if "judgements" in entry.roles else "row"
    return f"{counted(entry.rows, noun)}, {counted(entry.segments, 'segment')}"
