"""What changed between two experiments as tables of text, for pages and terminals alike."""

from collections.abc import Iterator
from dataclasses import dataclass

from mteval.base.words import agreeing, counted
from mteval.report.kept_changes import Change, Changes, ScoreChange
from mteval.values.notation import DASH
from mteval.values.verdict import Verdict


@dataclass(frozen=True)
class ChangeTable:
    """Rows under a header, the first ``n_words`` columns of them words."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_words: int


def change_tables(found: Changes, before: str, after: str) -> Iterator[ChangeTable]:
    """The tables that have rows; ``before`` and ``after`` are the names of the two experiments."""
    for caption, changed in (("Files", found.files), ("Settings", found.settings)):
        if changed:
            yield ChangeTable(caption, ("", before, after), tuple(map(_row, changed)), 3)
    differing = [one for one in found.scores if not one.is_same]
    if differing:
        header = ("Test set", "Metric", "System", before, after, "Difference", f"Verdict in {before}", f"in {after}")
        yield ChangeTable("Averages and verdicts", header, tuple(map(_score_row, differing)), 3)


def summary(found: Changes) -> str:
    """What changed in a sentence, the verdicts first."""
    turned = sum(one.has_turned for one in found.scores)
    same = sum(one.is_same for one in found.scores)
    parts = [f"{counted(turned, 'verdict')} turned" if found.scores else "There are no numbers to compare"]
    parts += [f"{counted(len(found.files), 'file')} and {counted(len(found.settings), 'setting')} differ"]
    if found.scores:
        parts += [f"{same} of {counted(len(found.scores), 'average')} {agreeing(same, 'is', 'are')} the same"]
    return "; ".join(parts) + "."


def _row(change: Change) -> tuple[str, ...]:
    return change.what, change.before or DASH, change.after or DASH


def _score_row(change: ScoreChange) -> tuple[str, ...]:
    notation = change.notation
    numbers = notation.number(change.before), notation.number(change.after)
    difference = notation.difference(change.after - change.before)
    verdicts = _word(change.verdict_before), _word(change.verdict_after)
    return change.test_set, change.spec.name, change.system, *numbers, difference, *verdicts


def _word(verdict: Verdict | None) -> str:
    return DASH if verdict is None else f"{verdict.conclusion.shape} {verdict.conclusion.word}"
