"""WMT25's human evaluation: a segment per line with its texts, and with scores and errors of its outputs."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream, named
from mteval.readers.formats.annotation_tools import error_of_appraise
from mteval.readers.formats.tables import stem_of
from mteval.readers.formats.text import located, one_segment, refuse_cells, refuse_columns, split_lines
from mteval.readers.formats.wmt_documents import BETWEEN
from mteval.readers.names import REFERENCE_WORD
from mteval.values.judgements import HUMAN, Judgement, in_characters

KEYS = ('"scores"', '"src_text"', '"tgt_text"', '"doc_id"')


@dataclass
class _Pair:
    """What the file has on a language pair: documents, texts by role and name, and judgements."""

    keys: dict[str, str] = field(default_factory=dict)
    texts: dict[tuple[FileRole, str], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    judgements: list[Judgement] = field(default_factory=list)


def is_humeval(text: str) -> bool:
    """Whether the first line has texts and scores of a segment."""
    first = text.partition("\n")[0]
    return first.lstrip().startswith("{") and all(key in first for key in KEYS)


def read_humeval(text: str, file: str) -> tuple[list[Judgement], list[str]]:
    """Return the judgements, and a note if the file has several language pairs.

    Raises
    ------
    InputError
        If a line is damaged.
    """
    pairs = _pairs(text, file)
    judgements = [judgement for pair in pairs.values() for judgement in pair.judgements]
    if len(pairs) == 1:
        return judgements, []
    numbered = []
    n_before = 0
    for pair in pairs.values():
        for judgement in pair.judgements:
            numbered.append(replace(judgement, segment=str(n_before + int(judgement.segment))))
        n_before += len(pair.keys)
    return numbered, [f"{counted(len(pairs), 'language pair')} ({named(pairs)}); segments are numbered over all."]


def read_humeval_document(text: str, file: str) -> Document | None:
    """Return the judgements and texts of each language pair; None if the first line has no scores of a segment.

    Raises
    ------
    InputError
        If a line is damaged.
    """
    if not is_humeval(text):
        return None
    streams: list[Stream] = []
    for name, pair in _pairs(text, file).items():
        keys = tuple(pair.keys)
        refuse_cells(len(pair.texts), len(keys), DEFAULT_LIMITS, file)
        if pair.judgements:
            judgements = tuple(pair.judgements)
            streams.append(Stream(f"{name}: judgements", (), "judgements", test_set=name, judgements=judgements))
        streams.append(Stream(f"{name}: documents", tuple(pair.keys.values()), "documents", test_set=name, keys=keys))
        for (role, text_name), text_of in pair.texts.items():
            system = text_name if role == "hypothesis" else None
            lines = tuple(map(text_of.get, keys))
            streams.append(Stream(f"{name}: {text_name}", lines, role, system, test_set=name, keys=keys))
        refuse_columns(len(streams), DEFAULT_LIMITS, file)
    return Document(file, "judgements", tuple(streams))


def _pairs(text: str, file: str) -> dict[str, _Pair]:
    """Return what the file has on each language pair."""
    pairs: dict[str, _Pair] = defaultdict(_Pair)
    n_of_document = Counter[str]()
    annotator = stem_of(file)
    for line, row in enumerate(split_lines(text), start=1):
        if not row.strip():
            continue
        with located(file, line):
            try:
                record = bounded_json(row)
                name, domain, document = record["doc_id"].split(BETWEEN, 2)
                pair = pairs[name]
                n_of_document[record["doc_id"]] += 1
                pair.keys[f"{document}\t{n_of_document[record['doc_id']]}"] = f"{domain}\t{document}"
                _add_texts(pair, record)
                pair.judgements += _judgements(record, str(len(pair.keys)), document, annotator)
            except InputError:
                raise
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise InputError(
                    f"Not a segment of WMT25's human evaluation ({problem}). Download it again."
                ) from error
    return pairs


def _add_texts(pair: _Pair, record: Mapping[str, Any]) -> None:
    """Add source, references and outputs of the last segment of a pair."""
    key = next(reversed(pair.keys))
    pair.texts["source", "source"][key] = _segment("src_text", record["src_text"])
    for name, text in record["tgt_text"].items():
        role: FileRole = "reference" if REFERENCE_WORD.fullmatch(name) else "hypothesis"
        pair.texts[role, name][key] = _segment(name, text)


def _segment(name: str, text: object) -> str:
    """Return a text of a record as a segment; a TypeError names what is none."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is not a text")
    return one_segment(text)


def _judgements(record: Mapping[str, Any], segment: str, document: str, annotator: str) -> Iterator[Judgement]:
    """Yield the judgements of a segment; outputs that were not judged have no score."""
    for system, score in record["scores"].items():
        value = score["human"]
        if value is None:
            continue
        hypothesis = record["tgt_text"].get(system)
        errors = tuple(map(error_of_appraise, score.get("errors") or ()))
        if hypothesis is not None:
            errors = in_characters(errors, hypothesis)
            hypothesis = _segment(system, hypothesis)
        yield Judgement(annotator, system, segment, HUMAN, float(value), document, errors=errors, hypothesis=hypothesis)
