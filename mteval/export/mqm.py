"""Error annotations as WMT publishes them: a TSV with one row an error, its span between ``<v>`` and ``</v>``."""

from collections.abc import Iterable
from dataclasses import dataclass

HEAD = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity", "metadata")
NO_ERROR = "No-error"


@dataclass(frozen=True)
class MqmLine:
    """One error, or with an empty category the remark that there is none.

    Parameters
    ----------
    segment, document_segment
        Zero-based, in the test set and in the document.
    side, start, end
        Where the span is, ``hypothesis`` or ``source``, and its characters.
    """

    system: str
    document: str
    document_segment: int
    segment: int
    rater: str
    source: str
    target: str
    category: str = ""
    severity: str = ""
    side: str = ""
    start: int = 0
    end: int = 0
    comment: str = ""


def mqm_table(lines: Iterable[MqmLine]) -> str:
    """The table. Tabs and line breaks in texts become spaces, one for one, so that spans stay where they are."""
    rows = ["\t".join(HEAD)]
    for line in lines:
        source = _marked(line.source, line) if line.side == "source" else _flat(line.source)
        target = _marked(line.target, line) if line.side == "hypothesis" else _flat(line.target)
        cells = (
            _flat(line.system), _flat(line.document), str(line.document_segment + 1), str(line.segment + 1),
            _flat(line.rater), source, target, _flat(line.category) or NO_ERROR, _flat(line.severity) or NO_ERROR,
            _flat(line.comment),
        )  # fmt: skip
        rows.append("\t".join(cells))
    return "\n".join(rows) + "\n"


def _marked(text: str, line: MqmLine) -> str:
    flat = _flat(text)
    return f"{flat[: line.start]}<v>{flat[line.start : line.end]}</v>{flat[line.end :]}"


def _flat(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
