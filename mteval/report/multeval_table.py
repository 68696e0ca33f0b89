"""MultEval's own layouts: the text table and the ``RESULT:`` lines.

MultEval's lines with the words that METEOR's alignments leave over most often.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mteval.answers.scores import COLUMNS, FORMS, cell
from mteval.answers.verdict import declared_sentence
from mteval.values.notation import MINUS, Notation, half_up
from mteval.values.verdict import Verdict

_FIRST_COLUMN = 15
_COLUMN = 30  # MultEval's is 23; a second p-value needs more
_IN_BRACKETS = tuple(column for column in COLUMNS.values() if column.text)

_WHAT_P_IS = """\
  p: could the choice of {sentences} explain the difference, these runs taken as given? Approximate randomization by
     exchange of {unit}s, ties included, so that identical systems have p = 1.00; MultEval's p counts only larger
     differences, shuffles three and more runs in another way, and prints 0.00 for identical systems.
  p_run: could new {sentences} and new runs together explain it? Two-way procedure; - where the runs cannot tell."""
_BEFORE_LOOKS = "p_run is shown before the planned looks; the verdict takes it after them and Holm's correction."
_TWO_RUNS = (
    "     With two runs of a system p_run is provisional: they say little about luck with runs; take three or more."
)
_ONE_RUN = """\
  *  Indicates no estimate of optimizer instability due to single optimizer run. Consider multiple optimizer runs."""


def text_table(
    summaries: Sequence[Any],
    verdicts: Sequence[Verdict],
    metric_names: Mapping[str, str],
    system_names: Mapping[str, str],
    notations: Mapping[str, Notation],
) -> str:
    """MultEval's table of one test set, with a second p-value. Parameters as of ``table_cells``."""
    head, rows = table_cells(summaries, verdicts, metric_names, system_names, notations)
    width = max(_FIRST_COLUMN, *(len(first) + 1 for first, *_ in rows))
    lines = [_line(first.ljust(width), cells) for first, *cells in (head, *rows)]
    return "\n".join(lines + _footnotes(verdicts, sorted({row.n_runs for row in summaries}), system_names))


def table_cells(
    summaries: Sequence[Any],
    verdicts: Sequence[Verdict],
    metric_names: Mapping[str, str],
    system_names: Mapping[str, str],
    notations: Mapping[str, Notation],
) -> tuple[list[str], list[list[str]]]:
    """The head of MultEval's table and its rows, a system each.

    Parameters
    ----------
    summaries, verdicts
        Of one test set; a summary has the fields ``system, metric, n_runs, mean, s_sel, s_run``.
    metric_names, system_names
        Shown names by key, in the order of columns and rows.
    notations
        How the numbers of the metrics are written, by key.
    """
    answered = {(verdict.metric, verdict.system): verdict for verdict in verdicts}
    cells = {
        (row.system, row.metric): _cell(_numbers(row, answered.get((row.metric, row.system)), notations[row.metric]))
        for row in summaries
    }
    counts = sorted({row.n_runs for row in summaries})
    n_runs = str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    heading = "/".join(column.text for column in _IN_BRACKETS)
    head = [f"n={n_runs}", *(f"{name} ({heading})" for name in metric_names.values())]
    return head, [
        [name, *(cells.get((system, metric), "-") for metric in metric_names)] for system, name in system_names.items()
    ]


def result_lines(
    run_scores: Iterable[Any],
    summaries: Sequence[Any],
    resampled: Iterable[Any],
    verdicts: Iterable[Verdict],
    metric_names: Mapping[str, str],
    system_names: Mapping[str, str],
) -> Iterator[str]:
    """MultEval's ``RESULT:`` lines of one test set: run scores and their summary, the bootstrap, the p-values.

    ``P_VALUE`` is about test-set luck, as MultEval's; ``P_VALUE_RUNS``, about both kinds of luck, is new.
    """
    runs: dict[tuple[str, str], list[Any]] = {}
    for run in run_scores:
        runs.setdefault((run.system, run.metric), []).append(run)
    s_sel = {(row.system, row.metric): row.s_sel for row in summaries}
    values: list[tuple[Any, str, float]] = []
    for row in summaries:
        values += _summary_values(row, runs[row.system, row.metric])
    for row in resampled:
        values += _resampled_values(row, s_sel[row.system, row.metric])
    for verdict in verdicts:
        values += [(verdict, "P_VALUE", verdict.p_test_set), (verdict, "P_VALUE_RUNS", verdict.p_both)]
    for row, what, value in values:
        number = half_up(value, 6, "NaN")
        yield f"RESULT: {system_names[row.system]}: {metric_names[row.metric]}: {what}: {number}"


def _summary_values(row: Any, runs: Sequence[Any]) -> list[tuple[Any, str, float]]:
    scores, median = [run.score for run in runs], [run.run for run in runs].index(row.median_run)
    values = [(f"OptRun {index}", score) for index, score in enumerate(scores)]
    values += [("AVG", row.mean), ("MEDIAN", scores[median]), ("STDDEV", row.s_run)]
    values += [("MIN", row.minimum), ("MAX", row.maximum), ("MEDIAN_IDX", median)]
    return [(row, what, value) for what, value in values]


def _resampled_values(row: Any, s_sel: float) -> list[tuple[Any, str, float]]:
    return [
        (row, "RESAMPLED_MEAN_AVG", row.mean),
        (row, "RESAMPLED_STDDEV_AVG", s_sel),
        (row, "RESAMPLED_MIN", row.minimum),
        (row, "RESAMPLED_MAX", row.maximum),
    ]


def _line(first: str, cells: Sequence[str]) -> str:
    return first + "".join(f"{cell:<{_COLUMN - 1}} " for cell in cells).rstrip()


@dataclass(frozen=True)
class _Numbers:
    """What a cell is written from, under the names that an overview has."""

    mean: float
    s_sel: float
    s_test: float
    p_test_set: float
    p_both: float
    notation: Notation


def _numbers(row: Any, verdict: Verdict | None, notation: Notation) -> _Numbers:
    p_values = (float("nan"),) * 2 if verdict is None else (verdict.p_test_set, verdict.p_both)
    return _Numbers(row.mean, row.s_sel, row.s_run, *p_values, notation)


def _cell(numbers: _Numbers) -> str:
    """``18.8 (0.3/0.3/0.01/0.23)``; ``-`` where there is nothing to say, ``*`` where one run cannot say it."""
    form = FORMS["multeval"]
    written = {column.key: cell(column, numbers, form).text for column in (COLUMNS["average"], *_IN_BRACKETS)}
    if numbers.s_test != numbers.s_test:  # NaN
        written["s_test"] = "*"
    average, *others = (text.replace(MINUS, "-") for text in written.values())
    return f"{average} ({'/'.join(others)})"


def _footnotes(verdicts: Sequence[Verdict], run_counts: Sequence[int], names: Mapping[str, str]) -> list[str]:
    notes = []
    if verdicts:
        unit = verdicts[0].unit
        notes.append(_WHAT_P_IS.format(unit=unit, sentences="documents" if unit == "document" else "sentences"))
        notes += [f"     {remark}" for remark in _remarks(verdicts, names)]
    if any(verdict.is_provisional for verdict in verdicts):
        notes.append(_TWO_RUNS)
    if run_counts[0] == 1:
        notes.append(_ONE_RUN)
    return ["", *notes] if notes else []


def _remarks(verdicts: Sequence[Verdict], names: Mapping[str, str]) -> Iterator[str]:
    """What p of both kinds of luck rests on besides: how runs were declared, and planned looks."""
    declared = (declared_sentence(one.design, names.get(one.baseline, one.baseline)) for one in verdicts)
    yield from dict.fromkeys(filter(None, declared))
    looked = [one for one in verdicts if one.p_both == one.p_both and one.p_looked != one.p_both]
    yield from dict.fromkeys(one.note_both for one in looked if one.both == "refused")
    if any(one.both != "refused" for one in looked):
        yield _BEFORE_LOOKS


_SHOWN = 10
_HASH_BITS = 0xFFFFFFFF
_FULL = 0.75  # of its places a table of Java's has to have this share taken before it grows
_FIRST_SIZE = 16


def unmatched_line(side: str, counts: Mapping[str, int]) -> str:
    """``Top unmatched hypothesis words accoring to METEOR: [the x 1931, …]``, spelt as MultEval spells it.

    Parameters
    ----------
    side
        ``hypothesis`` or ``reference``.
    counts
        How often each word is left over. Of equally frequent words those come first that MultEval prints first, which
        is by their place in a hash table.
    """
    size = _FIRST_SIZE
    while len(counts) > _FULL * size:
        size *= 2
    frequent = sorted(counts, key=lambda word: (-counts[word], _java_hash(word) % size))
    return f"Top unmatched {side} words accoring to METEOR: [{', '.join(_entries(frequent[:_SHOWN], counts))}]"


def _entries(words: list[str], counts: Mapping[str, int]) -> Iterator[str]:
    """A word that is left over once stands alone."""
    return (word if counts[word] == 1 else f"{word} x {counts[word]}" for word in words)


def _java_hash(word: str) -> int:
    """What ``java.util.HashMap`` makes of ``String.hashCode``, which counts in units of UTF-16."""
    units = word.encode("utf-16-be", "surrogatepass")
    code = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + 256 * high + low) & _HASH_BITS
    return code ^ code >> 16
