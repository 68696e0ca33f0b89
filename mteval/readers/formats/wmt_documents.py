"""WMT25's JSON lines: a document per line, with its texts or with the scores of metrics."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, ScoreColumn, Stream
from mteval.readers.formats.text import located, refuse_cells, refuse_columns, split_lines
from mteval.readers.names import name_of_file

BETWEEN = "_#_"  # language pair, domain and document

Column = tuple[FileRole, str]  # what a stream contains: a text, or the scores of the metric named
Columns = dict[Column, dict[str, Any]]  # values by paragraph


def read_wmt_documents(text: str, file: str) -> Document | None:
    """Read texts or scores; return None if the first line has neither.

    Raises
    ------
    InputError
        If a line is damaged, or a document appears twice.
    """
    first = text.partition("\n")[0]
    has_texts = '"doc_id"' in first and BETWEEN in first
    has_scores = '"metric_scores"' in first
    if not has_texts and not has_scores:
        return None
    # Both by language pair, then by paragraph
    columns_of: dict[str, Columns] = defaultdict(lambda: defaultdict(dict))
    documents_of: dict[str, dict[str, str]] = defaultdict(dict)
    for line, row in enumerate(split_lines(text), start=1):
        with located(file, line):
            try:
                record = bounded_json(row)
                pair, domain, name = _document(record)
                parts = list(_parts(record))
            except InputError:
                raise
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise InputError(f"Not a document of WMT25 ({problem}). Download the file again.") from error
            for column, values in parts:
                for number, value in enumerate(values, start=1):
                    key = f"{name}\t{number}"
                    documents_of[pair][key] = f"{domain}\t{name}"
                    if key in columns_of[pair][column]:
                        raise InputError(f"Document '{name}' appears twice. Remove one line.")
                    columns_of[pair][column][key] = value
    streams: list[Stream] = []
    for pair, columns in columns_of.items():
        refuse_cells(len(columns), len(documents_of[pair]), DEFAULT_LIMITS, file)
        streams += _streams(pair, columns, documents_of[pair], name_of_file(file))
        refuse_columns(len(streams), DEFAULT_LIMITS, file)
    return Document(file, "table", tuple(streams))


def _document(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return language pair, domain and document."""
    identifier = record.get("doc_id")
    if not identifier:
        identifier = BETWEEN.join((record["language_pair"], record["domain"], record["document_id"]))
    pair, domain, document = identifier.split(BETWEEN, 2)
    return pair, domain, document.removeprefix("vid_")  # before documents of the domain speech, in some of the files


def _parts(record: Mapping[str, Any]) -> Iterator[tuple[Column, list[Any]]]:
    """Yield the paragraphs of each text of a document, and the scores of each metric."""
    texts: dict[Column, Any] = {
        ("hypothesis", ""): record.get("hypothesis"),
        ("source", ""): record.get("src_text"),
    }
    for name, reference in (record.get("refs") or {}).items():
        texts["reference", name] = reference["ref"]
    for column, text in texts.items():
        if text is not None:
            yield column, [" ".join(paragraph.split("\n")) for paragraph in text.split("\n\n")]
    for metric, scores in record.get("metric_scores", {}).items():
        values: list[float | None] = []
        for score in scores:
            values.append(None if score is None else float(score))
        yield ("scores", metric), values


def _streams(pair: str, columns: Columns, documents: Mapping[str, str], system: str) -> Iterator[Stream]:
    """Yield the documents of a language pair, and the stream of each column; its outputs and scores are of a system."""
    keys = tuple(documents)
    yield Stream(f"{pair}: documents", tuple(documents.values()), "documents", test_set=pair, keys=keys)
    for (role, name), values in columns.items():
        label = f"{pair}: {name or role}"
        if role == "scores":
            scores = ScoreColumn(system, None, tuple(values.values()), tuple(values))
            yield Stream(label, (), role, test_set=pair, name=name, scores=(scores,), is_higher_better=True)
        else:
            lines = tuple(map(values.get, keys))
            producer = system if role == "hypothesis" else None
            yield Stream(label, lines, role, producer, test_set=pair, keys=keys)
