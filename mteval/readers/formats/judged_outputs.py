"""What people said of single outputs, in any format that says who they were; recognised by its content."""

from collections.abc import Sequence

from mteval.judgements import MQM, Judgement, RatedError
from mteval.mqm import weight_of
from mteval.readers.documents import Document, InputFile, Stream
from mteval.readers.formats.appraise import is_appraise, read_appraise
from mteval.readers.formats.judgement_tables import judgement_form, names_annotators, read_judgement_table
from mteval.readers.formats.mqm import MqmRow, read_mqm
from mteval.readers.formats.pearmut import is_pearmut, read_pearmut
from mteval.readers.formats.seg_ratings import looks_like_ratings, read_seg_ratings

JudgedOutputs = tuple[list[Judgement], list[str]]  # and what there is to remark on the file


def read_judged_outputs(text: str, file: str, scales: Sequence[str] = ()) -> JudgedOutputs | None:
    """The judgements of a file; None where it is of another kind.

    Parameters
    ----------
    scales
        Columns to read of a table; without any those with usual names, else all with numbers.

    Raises
    ------
    InputError
        Where something in it cannot be read.
    """
    if looks_like_ratings(text):
        return list(read_seg_ratings(text, file)), []
    if is_table_of_errors(text):
        return _of_rows(read_mqm(InputFile(file, text.encode()))), []
    if is_pearmut(text):
        return read_pearmut(text, file)
    form = judgement_form(text)
    if form is not None:
        return read_judgement_table(text, file, form, scales)
    return read_appraise(text, file) if is_appraise(text) else None


def judged_document(text: str, file: str) -> Document | None:
    """The judgements of a dropped file; None where nothing in it names who judged: it may hold a metric's scores."""
    if judgement_form(text) is not None and not (names_annotators(text) or is_table_of_errors(text)):
        return None
    found = read_judged_outputs(text, file)
    if found is None:
        return None
    judgements, notes = found
    return Document(file, "judgements", (Stream("", (), "judgements", judgements=tuple(judgements)),), tuple(notes))


def is_table_of_errors(text: str) -> bool:
    """Whether the first line is the head of a table of errors as WMT publishes them."""
    return {"category", "severity"} <= set(text.partition("\n")[0].rstrip("\r").split("\t"))


def _of_rows(rows: Sequence[MqmRow]) -> list[Judgement]:
    """One judgement for all rows of an output and rater."""
    grouped: dict[tuple[str, str, int], list[MqmRow]] = {}
    for row in rows:
        grouped.setdefault((row.rater, row.system, row.segment), []).append(row)
    found = []
    for (rater, system, segment), of_output in grouped.items():
        errors = tuple(_error(row) for row in of_output if row.is_error)
        value = 0.0 - sum(map(weight_of, errors))
        first = of_output[0]
        found.append(
            Judgement(
                rater, system, str(segment + 1), MQM, value, first.document, errors=errors, hypothesis=first.target
            )
        )
    return found


def _error(row: MqmRow) -> RatedError:
    side = "source" if row.side == "source" else "hypothesis"
    return RatedError(row.category, row.severity, side, row.start, row.end)  # type: ignore[arg-type]
