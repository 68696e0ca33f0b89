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
from mteval.answers.findings import CODES, finding_notes
from mteval.answers.methods import plan_section
from mteval.answers.ranking import all_verdicts_section, family_law_note, joint_section, notes_by_people
from mteval.answers.scores import COLUMNS
from mteval.answers.section import Column, Row, Section, Table
from mteval.answers.verdict import declared_sentence, mean_sentence, verdict_notes, verdict_sentences
from mteval.base.safe_paths import safe_part
from mteval.base.words import display_width, on_one_line, padded, shortened_names
from mteval.metrics import METRICS
from mteval.readers.formats.nbest import NbestEntry
from mteval.render.latex import block_lines
from mteval.render.text import LONGEST_NAME, names_in_full, text_lines
from mteval.values.notation import MINUS, Notation, half_up, p_value, significant
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Convention
from mteval.values.verdict import Verdict

_COLUMN = 30  # width in characters; MultEval's is 23, but a second p-value needs more
_IN_BRACKETS = ("s_sel", "s_opt", "p_test_set", "p_run")  # behind each average
# Columns of its LaTeX table
HEADINGS: Mapping[str, str] = {
    "average": "Avg",
    "s_sel": r"$\overline{s}_{\text{sel}}$",
    "s_opt": r"$s_{\text{Test}}$",
    "p_test_set": "$p$-value",
}
CONVENTIONS: Mapping[Convention, str] = {
    "sacrebleu": "sacreBLEU's, for raw text",
    "multeval": "MultEval's, for tokenized text",
}

_WHAT_P_IS = """\
  p: could the choice of {segments} explain the difference? Approximate randomization, exchanging {unit}s. MultEval's p
     differs for ties (0.00 for identical systems) and for three or more {runs}."""
_WHAT_P_RUN_IS = """\
  p_run: could new {segments} and new {runs} together explain it? Two-way test.
  -  The baseline, or no verdict."""
_P_OF_RUNS_ALONE = (
    "  p: -, because there is one score per {run}, not one per segment.",
    "  p_run: could new {runs} explain the difference? Welch's test; the test set is taken as given.",
)
_TWO_RUNS = "     With two {runs} per system, p_run is provisional. Use three or more."
ALL_IN_SENTENCES = "Each verdict in a sentence: add --verbose."
_ONE_RUN = """\
  *  Indicates no estimate of optimizer instability due to single {run}.
     Consider multiple {runs}."""


def table_lines(results: Results, *, is_brief: bool = False, is_verbose: bool = False) -> list[str]:
    """Return MultEval's table of one test set, with a second p-value, the verdicts, and what the columns mean.

    Parameters
    ----------
    is_brief
        Whether to leave out what the columns mean.
    is_verbose
        Whether to add the interval of each mean score, and the components of each run's score.
    """
    header, rows = table_cells(results)
    form_of = shortened_names((name for name, *_ in rows), LONGEST_NAME)
    rows = [[on_one_line(form_of[name]), *cells] for name, *cells in rows]
    width_of_names = max(15, *(display_width(row[0]) + 1 for row in rows))
    lines = []
    columns_of_metrics = list(zip(header, *rows, strict=True))[1:]
    widths = [max(_COLUMN, *(display_width(cell) + 2 for cell in column)) for column in columns_of_metrics]
    for first, *cells in (header, *rows):
        columns = "".join(padded(cell, width) for cell, width in zip(cells, widths, strict=True))
        lines.append(padded(first, width_of_names) + columns.rstrip())
    crossed = crossed_section(results, is_verbose=is_verbose)
    if crossed is not None:
        *lines_of_crossed, _ = text_lines([crossed], lists_names=False)  # the last is empty
        lines += ["", *lines_of_crossed]
    lines += verdict_lines(results, is_verbose=is_verbose)
    if not is_brief:
        for footnote in _footnotes(results):
            lines += footnote.split("\n")
    full_of = {form: name for name, form in form_of.items() if form != name}
    if full_of:
        lines += ["", *names_in_full(full_of)]
    return lines


def verdict_lines(results: Results, *, is_verbose: bool = False) -> list[str]:
    """Return the verdict on each system, after an empty line; scores with intervals if nothing is compared.

    Where the ranking has the verdicts by the primary metric, a table of all metrics (``crossed_section``) takes the
    place of sentences.
    """
    confidence = results.settings.confidence
    verdicts = results.named(results.verdicts())
    if results.ranking is None or is_verbose:
        by_people = results.named(results.verdicts_by_people)
        sentences = list(verdict_sentences(verdicts, results.settings.primary_metric, confidence, by_people))
    else:
        sentences = [ALL_IN_SENTENCES]
    if verdicts:
        from mteval.answers.next_experiment import next_experiment_line  # here: a single system has no verdict

        next_experiment = next_experiment_line(results)
        if next_experiment:
            sentences.append(next_experiment)
    if sentences and not is_verbose:
        return ["", *sentences]

    lines = sentences
    if lines:
        lines.append("")
    for interval in results.evaluation.ranges:
        if interval.test_set != results.test_set.name:
            continue
        system = results.name_of(interval.system)
        lines.append(mean_sentence(system, results.spec(interval.metric), interval, confidence))
        if is_verbose:
            lines += _components(results, interval.system, interval.metric)
    if not lines:
        return []
    return ["", *lines]


def crossed_section(results: Results, *, is_verbose: bool = False) -> Section | None:
    """Return the verdicts by all metrics as a table; None for one metric, and if sentences have them."""
    if results.ranking is None or is_verbose or len(results.metrics) == 1:
        return None
    verdicts = results.named(results.verdicts())
    further = [verdict for verdict in verdicts if verdict.metric != results.settings.primary_metric]
    notes = notes_by_people(further, results.named(results.verdicts_by_people))
    return replace(all_verdicts_section(verdicts), lead=(), notes=notes)


def _components(results: Results, system: str, metric: str) -> Iterator[str]:
    """Yield the components of the scores of a system's runs."""
    place = (results.test_set.name, system, metric)
    rows = [row for row in results.evaluation.components if (row.test_set, row.system, row.metric) == place]
    for run, components in groupby(rows, key=lambda row: row.run):
        written = []
        for component in components:
            value = component.value
            digits = f"{value:,.0f}" if value >= 1_000 else significant(value, 4)
            written.append(f"{component.part} {digits}")
        yield f"  {results.run_word.noun} {run}: {', '.join(written)}"


def table_cells(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the header of MultEval's table and its rows, one per system, the baseline first."""
    metrics = results.evaluation.metrics
    summaries = [row for row in results.evaluation.summaries if row.test_set == results.test_set.name]
    verdict_of = {(verdict.metric, verdict.system): verdict for verdict in results.verdicts()}
    cell_of = {}
    for summary in summaries:
        verdict = verdict_of.get((summary.metric, summary.system))
        cell_of[summary.system, summary.metric] = _cell(summary, verdict, results)

    in_brackets = "/".join(COLUMNS[key].short for key in _IN_BRACKETS)
    header = [f"n={_range_of_runs(summaries)}", *(f"{spec.name} ({in_brackets})" for spec in metrics.values())]
    rows = []
    for system in results.experiment.systems:
        if system.key in results.systems:
            cells = [cell_of.get((system.key, metric), "-") for metric in metrics]
            rows.append([results.name_of(system.key), *cells])
    return header, rows


def _range_of_runs(summaries: Sequence[Any]) -> str:
    """Return the numbers of runs of all systems as ``3`` or ``2-5``; ``-`` without summaries."""
    counts = {row.n_runs for row in summaries}
    if not counts:
        return "-"
    fewest = min(counts)
    most = max(counts)
    return f"{fewest}" if fewest == most else f"{fewest}-{most}"


def lines_below(results: Results, *, is_about_verdicts: bool = True) -> list[str]:
    """Return warnings about the data, notes, the convention and the signatures, after empty lines.

    Parameters
    ----------
    is_about_verdicts
        Whether to include notes on single verdicts, below the ranking if there is one.
    """
    lines = []
    for section in (joint_section(results), plan_section(results)):
        if section is not None:
            lines += ["", *text_lines([section])]

    named_verdicts = [replace(verdict, system=results.name_of(verdict.system)) for verdict in results.verdicts()]
    findings = results.findings()
    primary = results.settings.primary_metric
    has_notes_on_doubt = results.ranking is not None or not is_about_verdicts
    if has_notes_on_doubt and primary not in results.evaluation.of_people:
        # The notes below the ranking or the grid say which scores by its metric may be too good
        told = {finding for finding in results.findings(primary) if finding.code in CODES}
        findings = tuple(finding for finding in findings if finding not in told)
    notes = [f"Warning: {note.text}" for note in finding_notes(findings)]
    if is_about_verdicts:
        notes += [note.said for note in verdict_notes(named_verdicts) if not note.is_wide]
    if notes:
        lines += ["", *notes]

    lines.append("")
    if any(key in METRICS for key in results.metrics):
        lines.append(f"Convention: {CONVENTIONS[results.settings.convention]}.")
    lines += [f"Signature of {name}: {signature}" for name, signature in results.signatures.items()]
    return lines


def result_lines(results: Results) -> Iterator[str]:
    """Yield MultEval's ``RESULT:`` lines of one test set: run scores, summaries, bootstrap, p-values.

    ``P_VALUE`` covers test-set luck, as in MultEval; ``P_VALUE_RUNS`` (new) covers training luck as well.
    """
    evaluation = results.evaluation
    summaries = [row for row in evaluation.summaries if row.test_set == results.test_set.name]
    run_scores = [row for row in evaluation.run_scores if row.test_set == results.test_set.name]
    for summary in summaries:
        place = (summary.system, summary.metric)
        score_of_run = {row.run: row.score for row in run_scores if (row.system, row.metric) == place}
        values = {f"OptRun {index}": score for index, score in enumerate(score_of_run.values())}
        values["AVG"] = summary.mean
        values["MEDIAN"] = score_of_run[summary.median_run]
        values["STDDEV"] = summary.s_opt
        values["MIN"] = summary.minimum
        values["MAX"] = summary.maximum
        values["MEDIAN_IDX"] = list(score_of_run).index(summary.median_run)
        yield from _result_lines_of(results, summary, values)

    s_sel_of = {(summary.system, summary.metric): summary.s_sel for summary in summaries}
    for resampled in evaluation.replicated:
        if resampled.test_set == results.test_set.name:
            values = {
                "RESAMPLED_MEAN_AVG": resampled.mean,
                "RESAMPLED_STDDEV_AVG": s_sel_of[resampled.system, resampled.metric],
                "RESAMPLED_MIN": resampled.minimum,
                "RESAMPLED_MAX": resampled.maximum,
            }
            yield from _result_lines_of(results, resampled, values)

    for verdict in results.verdicts():
        values = {"P_VALUE": verdict.p_test_set, "P_VALUE_RUNS": verdict.p_run}
        yield from _result_lines_of(results, verdict, values)


def _result_lines_of(results: Results, row: Any, values: Mapping[str, float]) -> Iterator[str]:
    """Yield one line per number of a row, which has a system and a metric."""
    start = f"RESULT: {results.name_of(row.system)}: {results.spec(row.metric).name}"
    for name, value in values.items():
        yield f"{start}: {name}: {half_up(value, 6, 'NaN')}"


def column_of(key: str) -> Column:
    """Return a column as MultEval writes it: no marks, nothing bold, ``-`` for no number."""
    column = COLUMNS[key]

    def write(row: Row) -> str:
        value = row[column.read[0]]  # a column may have several fields; MultEval prints the first
        if value != value:  # NaN
            return "-"
        if column.kind == "p":
            return p_value(value)
        # A notation has a method for each kind of number, e.g. ``Notation.number``
        write_kind = getattr(row["notation"], column.kind)
        return str(write_kind(value))

    return replace(column, write=write, tex=HEADINGS.get(key, column.tex))


def latex_lines(table: Table) -> Iterator[str]:
    """Yield the lines of its LaTeX table."""
    yield r"\begin{center}"
    yield r"\begin{footnotesize}"
    yield rf"\begin{{tabular}}{{|l|l{'|l' * (len(table.columns) - 2)}|}}"
    yield r"\hline"
    yield " & ".join(rf"\bf {column.tex or column.name}" for column in table.columns) + r" \\"
    yield r"\hline"
    for rows in table.blocks:
        yield from block_lines(table.columns, rows, once=True)
        yield r"\hline"
    yield r"\end{tabular}"
    yield r"\end{footnotesize}"
    yield r"\end{center}"


def _cell(summary: Any, verdict: Verdict | None, results: Results) -> str:
    """Return ``18.8 (0.3/0.3/0.009/0.230)``; ``-`` for no number, ``*`` for one run."""
    values = {
        "mean": summary.mean,
        "s_sel": summary.s_sel,
        "s_opt": summary.s_opt,
        "p_test_set": math.nan,
        "p_run": math.nan,
        "notation": results.spec(summary.metric).notation.coarser,
    }
    if verdict is not None:
        values["p_test_set"] = verdict.p_test_set
        values["p_run"] = verdict.p_run
    written = {key: column_of(key).cell(values).text for key in ("average", *_IN_BRACKETS)}
    if math.isnan(summary.s_opt):
        written["s_opt"] = "*"
    average, *in_brackets = (text.replace(MINUS, "-") for text in written.values())
    return f"{average} ({'/'.join(in_brackets)})"


def _footnotes(results: Results) -> list[str]:
    """Return what p-values and marks of the table mean, after an empty line; empty if there are none."""
    verdicts = results.verdicts()
    runs = results.run_word
    notes = []
    if verdicts and all(verdict.is_of_runs for verdict in verdicts):
        notes += [runs.filled(line) for line in _P_OF_RUNS_ALONE]
    elif verdicts:
        unit = verdicts[0].unit
        segments = "documents" if unit == "document" else "segments"
        notes.append(_WHAT_P_IS.format(unit=unit, segments=segments, runs=runs.nouns))
        if verdicts[0].is_released:
            notes.append("  p_run: the same as p.")
        else:
            notes.append(_WHAT_P_RUN_IS.format(segments=segments, runs=runs.nouns))
        notes += [f"     {note}" for note in _notes_on_p(results, verdicts)]
    if any(verdict.is_provisional for verdict in verdicts):
        notes.append(_TWO_RUNS.format(runs=runs.nouns))
    if results.run_counts[0] == 1:
        if runs == RUN:
            runs = RunWord("optimizer run", "optimizer luck")  # MultEval's word
        notes.append(_ONE_RUN.format(run=runs.noun, runs=runs.nouns))
    if not notes:
        return []
    return ["", *notes]


def _notes_on_p(results: Results, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield how runs were declared, and notes on interim analyses, each once."""
    declarations = [
        declared_sentence(verdict.design, results.name_of(verdict.baseline), verdict.runs) for verdict in verdicts
    ]
    yield from dict.fromkeys(filter(None, declarations))

    # Verdicts whose p is adjusted for interim analyses. NaN, which means no answer, would differ from itself.
    answered = [verdict for verdict in verdicts if not math.isnan(verdict.p_run)]
    interim = [verdict for verdict in answered if verdict.p_looked != verdict.p_run]
    yield from dict.fromkeys(verdict.note_both for verdict in interim if verdict.both == "refused")
    if any(verdict.both != "refused" for verdict in interim):
        yield "p_run is unadjusted; the verdict is adjusted for interim analyses and by Holm."
    elif any(verdict.has_adjusted_p for verdict in verdicts):
        yield "p and p_run are not adjusted for the number of systems; verdicts are."
    if results.ranking is None:  # a note below it says the same
        yield from filter(None, [family_law_note(verdicts)])


def unmatched_line(side: str, counts: Mapping[str, int], *, is_multeval: bool) -> str:
    """Return ``Top unmatched hypothesis words according to METEOR: [the x 1931, …]``; ``accoring`` as in MultEval.

    Parameters
    ----------
    side
        ``hypothesis`` or ``reference``.
    counts
        How often each word is unmatched. Ties are in the order of MultEval's hash table.
    """
    from mteval.metrics.meteor.words import java_hash  # few commands write such lines

    size = 16
    while len(counts) > 0.75 * size:  # load factor at which Java's hash table grows
        size *= 2
    # Java puts a word into the bucket of its hash, an unsigned number of 32 bits with the upper half mixed in
    codes = {word: java_hash(word) & 0xFFFFFFFF for word in counts}
    buckets = {word: (code ^ code >> 16) % size for word, code in codes.items()}
    frequent = sorted(counts, key=lambda word: (-counts[word], buckets[word]))[:10]

    entries = []
    for word in frequent:
        entries.append(word if counts[word] == 1 else f"{word} x {counts[word]}")
    according = "accoring" if is_multeval else "according"
    return f"Top unmatched {side} words {according} to METEOR: [{', '.join(entries)}]"


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
        Segments in order, with columns ``segment``, ``metric``, ``baseline_score``, ``system_score``, ``difference``.
        The rows of a segment follow each other; the first is that of the metric that segments are sorted by.
    labels
        Names of the metrics in the file, by key.
    notations
        How the numbers of the metrics are written, by key.
    baseline, system, references
        Texts of all segments, in corpus order.
    """
    all_rows: Iterator[Any] = table.itertuples()
    for segment, group in groupby(all_rows, key=lambda row: int(row.segment)):
        rows = list(group)
        changes = [_change(row, labels[row.metric], notations[row.metric]) for row in rows]
        yield "\t".join([f"SENT {segment}", *changes])
        label = labels[rows[0].metric]
        yield f"{label}-median-baseline: {multeval_text(baseline[segment])}"
        yield f"{label}-median-variant: {multeval_text(system[segment])}"
        for number, reference in enumerate(references[segment], start=1):
            yield f"ref{number}: {multeval_text(reference)}"
        yield ""


def _change(row: Any, label: str, notation: Notation) -> str:
    """Return ``BLEU: 12.1 -> 15.3 = 3.2``."""
    digits = notation.coarser.decimals
    before = half_up(row.baseline_score, digits, "NaN")
    after = half_up(row.system_score, digits, "NaN")
    difference = half_up(row.difference, digits, "NaN")
    return f"{label}: {before} -> {after} = {difference}"


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
            pairs = []
            for name, values, digits in columns:
                pairs.append(f"{name}={half_up(values[segment], digits, 'NaN')}")
            fields.append(" ".join(pairs))
        yield " ||| ".join(fields).rstrip(" ")


# Outside this range Java writes powers of ten
_PLAIN_FROM = 1e-3
_PLAIN_BELOW = 1e7


def java_double(value: float) -> str:
    """Return a number as Java's ``Double.toString`` writes it: the shortest digits that round-trip."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(float(value))
    # Decimal has the digits as one integer times a power of ten; Java has one digit before the point
    is_negative, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    sign = "-" if is_negative else ""
    decimals = "".join(map(str, digits[1:])) or "0"
    return f"{sign}{digits[0]}.{decimals}E{int(exponent) + len(digits) - 1}"


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
    ranks_of_metrics = [f"{name}Rank={rank}" for name, rank in ranks.items()]
    numbers = [f"{name}={java_double(value)}" for name, value in (*scores.items(), *submetrics)]
    fields = (
        str(segment),
        multeval_text(entry.hypothesis),
        entry.features,
        _java_float(entry.total),
        " ".join(ranks_of_metrics),
        " ".join(numbers),
    )
    return " ||| ".join(fields)


def oracle_line(metric: str, choice: str, score: float, submetrics: Mapping[str, float], notation: Notation) -> str:
    """Return ``BLEU oracle score: 16.86 (bleu1p=0.85; …)``."""
    parts = "; ".join(f"{name}={half_up(value, 2, 'NaN')}" for name, value in submetrics.items())
    return f"{metric} {choice} score: {half_up(score, notation.decimals, 'NaN')} ({parts})"


def _java_float(value: float) -> str:
    """Return six digits of the number in single precision, as in MultEval."""
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    if math.isinf(single):
        return "-Infinity" if single < 0 else "Infinity"
    return half_up(single, 6)
