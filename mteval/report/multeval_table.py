"""MultEval's own layouts, with its meaning: the text table, its LaTeX table, the ``RESULT:`` lines.

Their p-values are those before any correction. MultEval's lines with the words that METEOR's alignments leave over most
often stand here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mteval.analysis.results import Results
from mteval.answers.scores import COLUMNS
from mteval.answers.section import Column, Row, Table
from mteval.answers.verdict import declared_sentence, verdict_notes
from mteval.render.latex import block_lines
from mteval.values.notation import MINUS, fixed, half_up
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Verdict

_FIRST_COLUMN = 15
_COLUMN = 30  # MultEval's is 23; a second p-value needs more
_IN_BRACKETS = ("s_sel", "s_test", "p_test_set", "p_both")
HEADINGS: Mapping[str, str] = {  # of its LaTeX table
    "average": "Avg",
    "s_sel": r"$\overline{s}_{\text{sel}}$",
    "s_test": r"$s_{\text{Test}}$",
    "p_test_set": "$p$-value",
}

_WHAT_P_IS = """\
  p: could the choice of {sentences} explain the difference, these {runs} taken as given? Approximate randomization by
     exchange of {unit}s, ties included, so that identical systems have p = 1.00; MultEval's p counts only larger
     differences, shuffles three and more {runs} in another way, and prints 0.00 for identical systems.
  p_run: could new {sentences} and new {runs} together explain it? Two-way procedure; - where the {runs} cannot tell."""
_BEFORE_LOOKS = "p_run is shown before the planned looks; the verdict takes it after them and Holm's correction."
_TWO_RUNS = (
    "     With two {runs} of a system p_run is provisional: they say little about luck with {runs}; take three or more."
)
_ONE_RUN = """\
  *  Indicates no estimate of optimizer instability due to single {run}. Consider multiple {runs}."""


def text_table(results: Results) -> str:
    """MultEval's table of one test set, with a second p-value."""
    head, rows = table_cells(results)
    width = max(_FIRST_COLUMN, *(len(first) + 1 for first, *_ in rows))
    lines = [
        first.ljust(width) + "".join(f"{cell:<{_COLUMN - 1}} " for cell in cells).rstrip()
        for first, *cells in (head, *rows)
    ]
    return "\n".join(lines + _footnotes(results))


def table_cells(results: Results) -> tuple[list[str], list[list[str]]]:
    """The head of MultEval's table and its rows, a system each, the baseline first."""
    specs = results.evaluation.metrics
    summaries = [row for row in results.evaluation.summaries if row.test_set == results.test_set.name]
    answered = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    cells = {(row.system, row.metric): _cell(row, answered.get((row.metric, row.system)), results) for row in summaries}
    counts = sorted({row.n_runs for row in summaries})
    n_runs = str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}"
    heading = "/".join(COLUMNS[key].short for key in _IN_BRACKETS)
    systems = [system.key for system in results.experiment.systems if system.key in results.systems]
    return [f"n={n_runs}", *(f"{spec.name} ({heading})" for spec in specs.values())], [
        [results.name_of(system), *(cells.get((system, metric), "-") for metric in specs)] for system in systems
    ]


def lines_below(results: Results) -> list[str]:
    """What is to be known of the answers below the table, after an empty line; none where there is nothing.

    As that too few documents were exchanged, that segments are left out, that the two answers disagree.
    """
    shown = [replace(verdict, system=results.name_of(verdict.system)) for verdict in results.verdicts()]
    notes = [note.said for note in verdict_notes(shown)]
    return ["", *notes] if notes else []


def result_lines(results: Results) -> Iterator[str]:
    """MultEval's ``RESULT:`` lines of one test set: run scores and their summary, the bootstrap, the p-values.

    ``P_VALUE`` is about test-set luck, as MultEval's; ``P_VALUE_RUNS``, about both kinds of luck, is new.
    """
    evaluation, here = results.evaluation, results.test_set.name
    summaries = [row for row in evaluation.summaries if row.test_set == here]
    replicated = [row for row in evaluation.replicated if row.test_set == here]
    runs: dict[tuple[str, str], list[Any]] = {}
    for run in evaluation.run_scores:
        if run.test_set == here:
            runs.setdefault((run.system, run.metric), []).append(run)
    s_sel = {(row.system, row.metric): row.s_sel for row in summaries}
    values: list[tuple[Any, str, float]] = []
    for row in summaries:
        values += _summary_values(row, runs[row.system, row.metric])
    for drawn in replicated:
        spread = s_sel[drawn.system, drawn.metric]
        values += [(drawn, "RESAMPLED_MEAN_AVG", drawn.mean), (drawn, "RESAMPLED_STDDEV_AVG", spread)]
        values += [(drawn, "RESAMPLED_MIN", drawn.minimum), (drawn, "RESAMPLED_MAX", drawn.maximum)]
    for verdict in results.verdicts():
        values += [(verdict, "P_VALUE", verdict.p_test_set), (verdict, "P_VALUE_RUNS", verdict.p_both)]
    for about, what, value in values:
        number = half_up(value, 6, "NaN")
        yield f"RESULT: {results.name_of(about.system)}: {results.spec(about.metric).name}: {what}: {number}"


def _summary_values(row: Any, runs: Sequence[Any]) -> list[tuple[Any, str, float]]:
    scores, median = [run.score for run in runs], [run.run for run in runs].index(row.median_run)
    values = [(f"OptRun {index}", score) for index, score in enumerate(scores)]
    values += [("AVG", row.mean), ("MEDIAN", scores[median]), ("STDDEV", row.s_run)]
    values += [("MIN", row.minimum), ("MAX", row.maximum), ("MEDIAN_IDX", median)]
    return [(row, what, value) for what, value in values]


def column_of(key: str) -> Column:
    """A column as MultEval writes it: two digits of p, no marks, nothing bold, ``-`` where there is no number."""
    column = COLUMNS[key]

    def write(row: Row) -> str:
        value = row[column.read[0]]
        if value != value:  # NaN
            return "-"
        return fixed(value, 2) if column.kind == "p" else str(getattr(row["notation"], column.kind)(value))

    return replace(column, write=write, tex=HEADINGS.get(key, column.tex))


def latex_lines(table: Table) -> Iterator[str]:
    """Its LaTeX table, of columns that are written as MultEval writes them."""
    yield r"\begin{center}"
    yield r"\begin{footnotesize}"
    yield rf"\begin{{tabular}}{{|l|l{'|l' * (len(table.columns) - 2)}|}}"
    yield r"\hline"
    yield " & ".join(rf"\bf {one.tex or one.name}" for one in table.columns) + r" \\"
    yield r"\hline"
    for rows in table.blocks:
        yield from block_lines(table.columns, rows, once=True)
        yield r"\hline"
    yield from (r"\end{tabular}", r"\end{footnotesize}", r"\end{center}")


def _cell(row: Any, verdict: Verdict | None, results: Results) -> str:
    """``18.8 (0.3/0.3/0.01/0.23)``; ``-`` where there is nothing to say, ``*`` where one run cannot say it."""
    p_test_set, p_both = (float("nan"),) * 2 if verdict is None else (verdict.p_test_set, verdict.p_both)
    values = {
        "mean": row.mean, "s_sel": row.s_sel, "s_test": row.s_run, "p_test_set": p_test_set, "p_both": p_both,
        "notation": results.spec(row.metric).notation.coarser,
    }  # fmt: skip
    written = {key: column_of(key).cell(values).text for key in ("average", *_IN_BRACKETS)}
    if row.s_run != row.s_run:  # NaN
        written["s_test"] = "*"
    average, *others = (text.replace(MINUS, "-") for text in written.values())
    return f"{average} ({'/'.join(others)})"


def _footnotes(results: Results) -> list[str]:
    verdicts, runs, notes = results.verdicts(), results.run_word, list[str]()
    if verdicts:
        unit = verdicts[0].unit
        sentences = "documents" if unit == "document" else "sentences"
        notes.append(_WHAT_P_IS.format(unit=unit, sentences=sentences, runs=runs.nouns))
        notes += [f"     {remark}" for remark in _remarks(results, verdicts)]
    if any(verdict.is_provisional for verdict in verdicts):
        notes.append(_TWO_RUNS.format(runs=runs.nouns))
    if results.run_counts[0] == 1:
        one = RunWord("optimizer run", "", "", "") if runs == RUN else runs
        notes.append(_ONE_RUN.format(run=one.noun, runs=one.nouns))
    return ["", *notes] if notes else []


def _remarks(results: Results, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What p of both kinds of luck rests on besides: how runs were declared, and planned looks."""
    declared = (declared_sentence(one.design, results.name_of(one.baseline), one.runs) for one in verdicts)
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
