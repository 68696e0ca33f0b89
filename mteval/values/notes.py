"""Errors that the owner of an experiment notes while looking at its segments."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mteval.base.bounded_input import Name, Place, Short, Text
from mteval.values.judgements import MQM, Judgement, RatedError, weight_of

NOTER = "my notes"  # as an annotator


@dataclass(frozen=True)
class NotedError:
    """An error noted in one output.

    Parameters
    ----------
    id
        Distinguishes it within the experiment.
    segment
        Zero-based.
    output
        The text of the run that it was noted in.
    start, end
        Characters of the output, end exclusive; only whitespace stands for a missing word.
    """

    id: Name
    test_set: Name
    system: Name
    run: Name
    segment: Place
    output: Text
    start: Place
    end: Place
    category: Short
    severity: Name
    comment: Text = ""

    @property
    def words(self) -> str:
        """The marked words."""
        return self.output[self.start : self.end]


def noted_on(notes: Iterable[NotedError], test_set: str, documents: Sequence[str] | None) -> tuple[Judgement, ...]:
    """Return the notes on a test set as judgements, one per output."""
    errors_in: dict[tuple[int, str, str, str], list[RatedError]] = {}  # by segment, system, run and text
    for note in sorted(notes, key=lambda note: (note.segment, note.start, note.end)):
        if note.test_set == test_set:
            error = RatedError(note.category, note.severity, start=note.start, end=note.end, comment=note.comment)
            errors_in.setdefault((note.segment, note.system, note.run, note.output), []).append(error)

    judgements = []
    for (segment, system, run, output), errors in errors_in.items():
        document = None
        if documents is not None and segment < len(documents):
            document = documents[segment]
        judgement = Judgement(
            NOTER,
            system,
            str(segment + 1),
            MQM,
            value=-sum(map(weight_of, errors)),
            document=document,
            errors=tuple(errors),
            hypothesis=output.replace("\t", " "),
            run=run,
        )
        judgements.append(judgement)
    return tuple(judgements)
