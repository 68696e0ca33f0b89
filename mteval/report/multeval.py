"""MultEval's layouts: its table in text and LaTeX, ``RESULT:`` lines, and files of segments.

p-values are unadjusted. The files are sentence-level scores, segments by rank, scored n-best lists with the corpus
scores of the oracles, and the words that METEOR leaves unmatched most often.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.findings import finding_notes
from mteval.answers.methods import plan_section
from mteval.answers.ranking import joint_section
from mteval.answers.scores import COLUMNS
from mteval.answers.section import Column, Row, Table
from mteval.answers.verdict import declared_sentence, mean_sentence, verdict_notes, verdict_sentences
from mteval.base.safe_paths import safe_part
from mteval.metrics import METRICS
from mteval.metrics.meteor.words import java_hash
from mteval.readers.formats.nbest import NbestEntry
from mteval.render.latex import block_lines
from mteval.render.text import text_lines
from mteval.values.notation import MINUS, Notation, fixed_p, half_up, significant
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Convention
from mteval.values.verdict import Verdict

_COLUMN = 30  # MultEval's is 23; a second p-value needs more
_IN_BRACKETS = ("s_sel", "s_test", "p_test_set", "p_both")
HEADINGS: Mapping[str, str] = {  # of its LaTeX table
    "average": "Avg", "s_sel": r"$\overline{s}_{\text{sel}}$", "s_test": r"$s_{\text{Test}}$", "p_test_set": "$p$-value"
}  # fmt: skip

_WHAT_P_IS = """\
  p: could the choice of {segments} explain the difference? Approximate randomization, exchanging {unit}s. MultEval's p
     differs for ties (0.00 for identical systems) and for three or more {runs}."""
_WHAT_P_RUN_IS = "  p_run: could new {segments} and new {runs} together explain it? Two-way test; - means no verdict."
_TWO_RUNS = "     With two {runs} per system, p_run is provisional. Use three or more."
_ONE_RUN = """\
  *  Indicates no estimate of optimizer instability due to single {run}. Consider multiple {runs}."""


def table_lines(results: Results, *, is_brief: bool = False, is_verbose: bool = False) -> list[str]:
    """Return MultEval's table of one test set, with a second p-value, the verdicts, and what the columns mean.

    Parameters
    ----------
    is_brief
        Whether to leave out what the columns mean.
    is_verbose
        Whether to add the interval of each mean score, and the components of each run's score.
    """
    head, rows = table_cells(results)
    width = max(15, *(len(first) + 1 for first, *_ in rows))
    written = (
        (first, "".join(f"{cell:<{_COLUMN - 1}} " for cell in cells).rstrip()) for first, *cells in (head, *rows)
    )
    lines = [first.ljust(width) + cells for first, cells in written]
    lines += verdict_lines(results, is_verbose=is_verbose)
    if not is_brief:
        for footnote in _footnotes(results):
            lines += footnote.split("\n")
    return lines


def verdict_lines(results: Results, *, is_verbose: bool = False) -> list[str]:
    """Return the verdict on each system, after an empty line; scores with intervals if nothing is compared."""
    confidence = results.settings.confidence
    baseline = results.name_of(results.experiment.baseline)
    verdicts = [replace(one, system=results.name_of(one.system), baseline=baseline) for one in results.verdicts()]
    said = [*verdict_sentences(verdicts, results.settings.primary_metric, confidence)]
    if said and not is_verbose:
        return ["", *said]
    about = said + [""] * bool(said)
    for row in (row for row in results.evaluation.ranges if row.test_set == results.test_set.name):
        about.append(mean_sentence(results.name_of(row.system), results.spec(row.metric), row, confidence))
        about += _components(results, row.system, row.metric) if is_verbose else []
    return ["", *about] if about else []


def _components(results: Results, system: str, metric: str) -> Iterator[str]:
    """Yield the components of the scores of a system's runs."""
    about = results.test_set.name, system, metric
    rows = [row for row in results.evaluation.components if (row.test_set, row.system, row.metric) == about]
    for run, parts in groupby(rows, key=lambda row: row.run):
        values = ((one.part, one.value) for one in parts)
        written = (f"{part} {f'{x:,.0f}' if x >= 1_000 else significant(x, 4)}" for part, x in values)
        yield f"  {results.run_word.noun} {run}: {', '.join(written)}"


def table_cells(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the header of MultEval's table and its rows, one per system, the baseline first."""
    specs = results.evaluation.metrics
    summaries = [row for row in results.evaluation.summaries if row.test_set == results.test_set.name]
    answered = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    cells = {(row.system, row.metric): _cell(row, answered.get((row.metric, row.system)), results) for row in summaries}
    counts = sorted({row.n_runs for row in summaries})
    n_runs = "-".join(map(str, sorted({*counts[:1], *counts[-1:]}))) or "-"
    heading = "/".join(COLUMNS[key].short for key in _IN_BRACKETS)
    systems = [system.key for system in results.experiment.systems if system.key in results.systems]
    return [f"n={n_runs}", *(f"{spec.name} ({heading})" for spec in specs.values())], [
        [results.name_of(system), *(cells.get((system, metric), "-") for metric in specs)] for system in systems
    ]


CONVENTIONS: Mapping[Convention, str] = {
    "sacrebleu": "sacreBLEU's, for raw text", "multeval": "MultEval's, for tokenized text"
}  # fmt: skip


def lines_below(results: Results) -> list[str]:
    """Return warnings about the data, notes, the convention and the signatures, after empty lines."""
    shown = [replace(verdict, system=results.name_of(verdict.system)) for verdict in results.verdicts()]
    notes = [f"Warning: {note.text}" for note in finding_notes(results.findings())]
    notes += [note.said for note in verdict_notes(shown) if not note.is_wide]
    more = filter(None, (joint_section(results), plan_section(results)))
    lines = [line for one in more for line in ("", *text_lines([one]))]
    last = [f"Signature of {name}: {signature}" for name, signature in results.signatures.items()]
    if any(key in METRICS for key in results.metrics):
        last = [f"Convention: {CONVENTIONS[results.settings.convention]}.", *last]
    return [*lines, *([""] if notes else []), *notes, "", *last]


def result_lines(results: Results) -> Iterator[str]:
    """Yield MultEval's ``RESULT:`` lines of one test set: run scores, summaries, bootstrap, p-values.

    ``P_VALUE`` covers test-set luck, as in MultEval; ``P_VALUE_RUNS`` (new) covers training luck as well.
    """
    evaluation, here = results.evaluation, results.test_set.name
    summaries = [row for row in evaluation.summaries if row.test_set == here]
    runs = [row for row in evaluation.run_scores if row.test_set == here]
    s_sel = {(row.system, row.metric): row.s_sel for row in summaries}
    about: list[tuple[Any, dict[str, float]]] = []
    for row in summaries:
        scores = {run.run: run.score for run in runs if (run.system, run.metric) == (row.system, row.metric)}
        values = {f"OptRun {index}": score for index, score in enumerate(scores.values())}
        values |= {"AVG": row.mean, "MEDIAN": scores[row.median_run], "STDDEV": row.s_run, "MIN": row.minimum}
        about.append((row, {**values, "MAX": row.maximum, "MEDIAN_IDX": [*scores].index(row.median_run)}))
    for one in (row for row in evaluation.replicated if row.test_set == here):
        values = {"RESAMPLED_MEAN_AVG": one.mean, "RESAMPLED_STDDEV_AVG": s_sel[one.system, one.metric]}
        about.append((one, {**values, "RESAMPLED_MIN": one.minimum, "RESAMPLED_MAX": one.maximum}))
    about += [(one, {"P_VALUE": one.p_test_set, "P_VALUE_RUNS": one.p_both}) for one in results.verdicts()]
    for row, values in about:
        start = f"RESULT: {results.name_of(row.system)}: {results.spec(row.metric).name}"
        yield from (f"{start}: {what}: {half_up(value, 6, 'NaN')}" for what, value in values.items())


def column_of(key: str) -> Column:
    """Return a column as MultEval writes it: two digits of p, no marks, nothing bold, ``-`` for no number."""
    column = COLUMNS[key]

    def write(row: Row) -> str:
        value = row[column.read[0]]
        if value != value:  # NaN
            return "-"
        return fixed_p(value, 2) if column.kind == "p" else str(getattr(row["notation"], column.kind)(value))

    return replace(column, write=write, tex=HEADINGS.get(key, column.tex))


def latex_lines(table: Table) -> Iterator[str]:
    """Yield the lines of its LaTeX table."""
    yield from (r"\begin{center}", r"\begin{footnotesize}")
    yield rf"\begin{{tabular}}{{|l|l{'|l' * (len(table.columns) - 2)}|}}"
    yield r"\hline"
    yield " & ".join(rf"\bf {one.tex or one.name}" for one in table.columns) + r" \\"
    yield r"\hline"
    for rows in table.blocks:
        yield from block_lines(table.columns, rows, once=True)
        yield r"\hline"
    yield from (r"\end{tabular}", r"\end{footnotesize}", r"\end{center}")


def _cell(row: Any, verdict: Verdict | None, results: Results) -> str:
    """Return ``18.8 (0.3/0.3/0.01/0.23)``; ``-`` for no number, ``*`` for one run."""
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
        segments = "documents" if unit == "document" else "segments"
        notes.append(_WHAT_P_IS.format(unit=unit, segments=segments, runs=runs.nouns))
        p_run_is = "  p_run: the same as p." if verdicts[0].is_released else _WHAT_P_RUN_IS
        notes.append(p_run_is.format(segments=segments, runs=runs.nouns))
        notes += [f"     {remark}" for remark in _remarks(results, verdicts)]
    if any(verdict.is_provisional for verdict in verdicts):
        notes.append(_TWO_RUNS.format(runs=runs.nouns))
    if results.run_counts[0] == 1:
        one = RunWord("optimizer run", "", "") if runs == RUN else runs
        notes.append(_ONE_RUN.format(run=one.noun, runs=one.nouns))
    return ["", *notes] if notes else []


def _remarks(results: Results, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield how runs were declared, and notes on interim analyses."""
    declared = (declared_sentence(one.design, results.name_of(one.baseline), one.runs) for one in verdicts)
    yield from dict.fromkeys(filter(None, declared))
    looked = [one for one in verdicts if one.p_both == one.p_both and one.p_looked != one.p_both]
    yield from dict.fromkeys(one.note_both for one in looked if one.both == "refused")
    if any(one.both != "refused" for one in looked):
        yield "p_run is unadjusted; the verdict is adjusted for interim analyses and by Holm."


def unmatched_line(side: str, counts: Mapping[str, int], *, is_multeval: bool) -> str:
    """Return ``Top unmatched hypothesis words according to METEOR: [the x 1931, …]``; ``accoring`` as in MultEval.

    Parameters
    ----------
    side
        ``hypothesis`` or ``reference``.
    counts
        How often each word is unmatched. Ties are in the order of MultEval's hash table.
    """
    size = 16
    while len(counts) > 0.75 * size:  # load factor at which Java's hash table grows
        size *= 2
    codes = {word: java_hash(word) & 0xFFFFFFFF for word in counts}
    frequent = sorted(counts, key=lambda word: (-counts[word], (codes[word] ^ codes[word] >> 16) % size))[:10]
    entries = (word if counts[word] == 1 else f"{word} x {counts[word]}" for word in frequent)
    return f"Top unmatched {side} words {'accoring' if is_multeval else 'according'} to METEOR: [{', '.join(entries)}]"


_TRIMMED = "".join(map(chr, range(0x21)))  # what Java's String.trim cuts off
_SPACES = re.compile(r"[ \t\n\x0b\f\r]+")


def multeval_text(text: str) -> str:
    """Return a segment as MultEval prints it: trimmed, with single spaces."""
    return _SPACES.sub(" ", text.strip(_TRIMMED))


def rank_file_name(number: int, label: str) -> str:
    """Return the name of a rank file. The baseline counts as 1, so that system ``number`` 1 is called 2."""
    return safe_part(f"sys{number + 1}.sortedby.{label}")


def sentence_file_name(number: int, run: int) -> str:
    """Return the name of a file of sentence-level scores; ``number`` and ``run`` start at 0, the name at 1."""
    return f"sys{number + 1}.opt{run + 1}"


def rank_lines(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    notations: Mapping[str, Notation],
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str]],
) -> Iterator[str]:
    """Yield the lines of a rank file.

    Parameters
    ----------
    table
        Segments in order, with columns ``segment``, ``metric``, ``baseline_score``, ``system_score``, ``difference``;
        rows of one segment stand together, that of the metric sorted by first.
    labels
        Names of the metrics in the file, by key.
    notations
        How the numbers of the metrics are written, by key.
    baseline, system, references
        Texts of all segments, in corpus order.
    """
    of_all: Iterator[Any] = table.itertuples()
    for segment, group in groupby(of_all, key=lambda row: int(row.segment)):
        rows = list(group)
        label = labels[rows[0].metric]
        yield "\t".join([f"SENT {segment}", *(_change(row, labels[row.metric], notations[row.metric]) for row in rows)])
        yield f"{label}-median-baseline: {multeval_text(baseline[segment])}"
        yield f"{label}-median-variant: {multeval_text(system[segment])}"
        for number, reference in enumerate(references[segment], start=1):
            yield f"ref{number}: {multeval_text(reference)}"
        yield ""


def _change(row: Any, label: str, notation: Notation) -> str:
    values = row.baseline_score, row.system_score, row.difference
    return "{}: {} -> {} = {}".format(label, *(half_up(value, notation.coarser.decimals, "NaN") for value in values))


def sentence_lines(
    hypotheses: Sequence[str],
    scores: Mapping[str, npt.NDArray[np.float64]],
    notations: Mapping[str, Notation],
    submetrics: Sequence[tuple[str, npt.NDArray[np.float64]]],
) -> Iterator[str]:
    """Yield the lines of a file of sentence-level scores.

    Parameters
    ----------
    hypotheses
        Of one run, in corpus order.
    scores, submetrics
        For each name in the file one number per segment, shape ``(segments,)``; two metrics may have parts of the same
        name.
    notations
        How the scores are written, by the same names.
    """
    score_columns = [(name, column.tolist(), notations[name].decimals) for name, column in scores.items()]
    part_columns = [(name, column.tolist(), 2) for name, column in submetrics]
    for segment, hypothesis in enumerate(hypotheses):
        fields = [str(segment), multeval_text(hypothesis)]
        for columns in (score_columns, part_columns):
            pairs = (f"{name}={half_up(column[segment], digits, 'NaN')}" for name, column, digits in columns)
            fields.append(" ".join(pairs))
        yield " ||| ".join(fields).rstrip(" ")


_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7  # outside this range Java writes powers of ten


def java_double(value: float) -> str:
    """Return a number as Java's ``Double.toString`` writes it: the shortest digits that round-trip."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(float(value))
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    first, rest = digits[0], "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{int(exponent) + len(digits) - 1}"


def nbest_line(
    segment: int,
    entry: NbestEntry,
    ranks: Mapping[str, int],
    scores: Mapping[str, float],
    submetrics: Iterable[tuple[str, float]],
) -> str:
    """Return one hypothesis of the scored list.

    Parameters
    ----------
    ranks
        By name of the order (``orig``, then the metrics), 0 for the first.
    scores, submetrics
        Sentence scores by name, and the parts of them all in order; two metrics may have parts of the same name.
    """
    orders = " ".join(f"{name}Rank={rank}" for name, rank in ranks.items())
    values = " ".join(f"{name}={java_double(value)}" for name, value in (*scores.items(), *submetrics))
    text, total = multeval_text(entry.hypothesis), _java_float(entry.total)
    return " ||| ".join((str(segment), text, entry.features, total, orders, values))


def oracle_line(metric: str, choice: str, score: float, submetrics: Mapping[str, float], notation: Notation) -> str:
    """Return ``BLEU oracle score: 16.86 (bleu1p=0.85; …)``."""
    parts = "; ".join(f"{name}={half_up(value, 2, 'NaN')}" for name, value in submetrics.items())
    return f"{metric} {choice} score: {half_up(score, notation.decimals, 'NaN')} ({parts})"


def _java_float(value: float) -> str:
    """Return six digits of the number in single precision, as in MultEval."""
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return f"{'-' if single < 0 else ''}Infinity" if math.isinf(single) else half_up(single, 6)
