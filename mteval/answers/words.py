"""Groups of words, segments and outputs, and n-grams: where systems differ, and whether luck could explain it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.results import Results
from mteval.analysis.words.groupings import Asked
from mteval.analysis.words.ngrams import FEWEST, NgramEvidence
from mteval.analysis.words.questions import GroupAnswers, WordData
from mteval.analysis.words.verdicts import Measure
from mteval.answers.scores import FAMILY_ERROR
from mteval.answers.section import Cell, Column, Section, Table, noted
from mteval.answers.verdict import why_unknown
from mteval.base.store import kept_beside
from mteval.base.words import counted
from mteval.values.notation import DASH, level
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import Conclusion, Verdict

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_DRAWN = 24  # groups, which fit on a page
MOST_NGRAMS = 10  # each way, in a report
MOST_UNMATCHED = 150  # words of each kind
MEASURES: Mapping[Measure, str] = {"f": "F", "precision": "precision", "recall": "recall"}


def groups_section(answers: GroupAnswers, baseline: str, settings: Settings, title: str = "", key: str = "") -> Section:
    """Return the verdict on every system in every group.

    Parameters
    ----------
    title, key
        By default from what groups the words.
    """
    runs = settings.runs
    systems = list(dict.fromkeys(row.system for row in answers.rows))
    has_several = len(systems) > 1
    verdicts = [row.verdict for row in answers.rows if row.verdict is not None]

    frame = answers.frame
    frame["cell"] = pd.Series([_verdict_cell(row.verdict) for row in answers.rows], dtype=object)
    frame = frame[frame["size"] > 0]  # an empty group has no answer
    has_both = bool(frame.empty or frame["low"].notna().any())  # else the runs show no training luck

    columns = []
    if has_several:
        columns.append(Column("system", "System"))
    grouped = answers.sizes if answers.sizes in ("Segments", "Outputs") else "Words"
    columns.append(Column("group", f"{grouped} by {answers.by}"))
    if answers.sizes != "Outputs":
        columns.append(Column("size", answers.sizes, "count"))
    heading = systems[0]
    if has_several:
        heading = "Score"
    columns += [
        Column("baseline_mean", baseline, "number"),
        Column("system_mean", heading, "number"),
        Column("difference", "Difference", "difference"),
    ]
    if has_both:
        columns.append(Column("interval", "CI (both)", "interval", fields=("low", "high")))
    else:
        ends = ("low_test_set", "high_test_set")
        columns.append(Column("interval", "CI (test set)", "interval", fields=ends))
    columns += answer_columns(runs, is_single=not has_both or settings.design == "released")
    columns.append(Column("verdict", "Verdict", "verdict", fields=("conclusion",), write=itemgetter("cell")))

    n_compared = len({row.group for row in answers.rows if row.verdict is not None})
    and_systems = " and the systems" if has_several else ""
    lead = (
        f"All {runs.nouns} of each system, {level(settings.confidence)} CI."
        f" p is adjusted for {counted(n_compared, 'group')}{and_systems}."
    )
    luck = f"test-set and {runs.luck}" if has_both else "test-set luck"
    legend = f"Bars: CI for {luck}, not adjusted. Colour: a clear difference after adjustment."
    if len(frame) > MOST_DRAWN:
        legend += f" The largest {MOST_DRAWN} are drawn."

    notes = []
    if answers.n_left_out:
        segments = counted(answers.n_left_out, "segment")
        template = "{segments} in no group: {a_run} has no score, or the {grouping} is unknown."
        notes.append(runs.filled(template, segments=segments, grouping=answers.by))
    for reason in dict.fromkeys(why_unknown(verdict) for verdict in verdicts):
        if reason:
            notes.append(f"{reason[:1].upper()}{reason[1:]}.")

    if not key:
        key = f"words-{answers.by.replace(' ', '-')}"
    if not title:
        title = f"{answers.measure[:1].upper()}{answers.measure[1:]} by {answers.by}"
    table = Table(tuple(columns), frame, notation=answers.notation, groups="system" if has_several else "")
    figure = partial(_group_figure, answers, frame, has_several)
    return Section(key, title, (lead,), table, figure, legend, noted(*notes))


def _verdict_cell(verdict: Verdict | None) -> Cell:
    """Return the conclusion on a group; a dash if it was not compared."""
    if verdict is None:
        return Cell(DASH)
    return Cell.of(verdict.conclusion)


def answer_columns(runs: RunWord, is_single: bool = False) -> Iterator[Column]:
    """Yield the two p-values, adjusted; only that for test-set luck if it is the single one."""
    help = runs.filled("Could the choice of segments explain it, with these {runs} fixed?")
    yield Column("p_test_set_adjusted", "p (adjusted)", "p", help, is_adjusted=True)
    if not is_single:
        help = runs.filled("Could new segments and new {runs} together explain it?" + FAMILY_ERROR)
        yield Column("p_run_adjusted", "p_run (adjusted)", "p", help, is_adjusted=True)


def _group_figure(answers: GroupAnswers, frame: pd.DataFrame, has_several: bool) -> go.Figure:
    """Draw the groups with a verdict, the largest if there are many.

    Parameters
    ----------
    frame
        The rows of the table.
    """
    notation = answers.notation
    template = "{system}, {group}" if has_several else "{group}  ({size:,})"
    drawn = frame.assign(
        role=[cell.role for cell in frame["cell"]],
        name=[template.format_map(row) for row in frame.to_dict("records")],
        low=frame["low"].fillna(frame["low_test_set"]),
        high=frame["high"].fillna(frame["high_test_set"]),
    )
    drawn = drawn[drawn["difference"].notna()].nlargest(MOST_DRAWN, "size", keep="first").sort_index()
    texts = []
    for row in drawn.to_dict("records"):
        interval = notation.interval(row["low"], row["high"])
        texts.append(f"{row['name']}: {notation.difference(row['difference'])} [{interval}]")
    drawn["text"] = texts
    return figures.segments.group_intervals(drawn, notation.axis(f"Difference in {answers.measure}"))


def ngram_sections(
    evidence: NgramEvidence,
    names: tuple[str, str],
    settings: Settings,
    measure: str = "recall",
    ngrams: str = "n-grams",
) -> Iterator[Section]:
    """Yield n-grams that the second system gets right more often, and those that the first does.

    Parameters
    ----------
    ngrams
        ``n-grams``, or n-grams of labels.
    """
    left, right = names
    frame = evidence.frame
    lead = (
        f"The {evidence.n_tested:,} {ngrams} that occur most often, at least {FEWEST} times, were tested by {measure}."
        " p is adjusted for all of them."
    )
    heading = "Words" if ngrams == "n-grams" else "Labels"
    n_pairs = int(frame["pairs"].max()) if len(frame) else 0
    columns = partial(_ngram_columns, heading, names, settings, measure, n_pairs)

    gained = frame[frame["log_ratio"] > 0]
    gained = gained.assign(ahead=gained["better"], verdict=_words_of(gained["conclusion"]))
    title = f"{right} gets right more often than {left}"
    yield Section("words-gained", title, (lead,), Table(columns(right), _renamed(gained)))

    # Rows go down from the largest log ratio; here the most negative ones come first.
    lost = frame[~(frame["log_ratio"] > 0)][::-1]
    lost = lost.assign(ahead=lost["worse"], verdict=_words_of(lost["conclusion"]))
    title = f"{left} gets right more often than {right}"
    yield Section("words-lost", title, table=Table(columns(left), _renamed(lost)))


def _ngram_columns(
    heading: str, names: tuple[str, str], settings: Settings, measure: str, n_pairs: int, ahead: str
) -> tuple[Column, ...]:
    """Return the columns of a table of n-grams.

    Parameters
    ----------
    heading
        Of the n-grams.
    names
        Of both systems, the baseline first.
    n_pairs
        Pairs of a run of one system with a run of the other.
    ahead
        The system that the table is about.
    """
    runs = settings.runs
    is_precision = measure == "precision"
    columns = [Column("ngram", heading)]
    for side, name in zip(("baseline", "system"), names, strict=True):
        help = runs.filled("Mean over {runs} of matches with the reference.")
        columns.append(Column(side, name, "number", help, digits=1))
        if is_precision:
            columns.append(Column(f"{side}_total", f"{name}, all", "number", digits=1))
    smoothed = "precision" if is_precision else "matches"
    pairs_help = runs.filled("Pairs of {runs} in which {name} is ahead; of {n}.", name=ahead, n=str(n_pairs))
    columns += [
        Column("references", "Refs.", "count", "Occurrences in the references."),
        Column("log_ratio", "Log ratio", "number", f"log₂ of the ratio of smoothed {smoothed}.", digits=2),
        Column("ahead", f"ahead in {runs.noun} pairs", "count", pairs_help, short=f"ahead, of {n_pairs:,}"),
        *answer_columns(runs, is_single=settings.design == "released"),
        Column("verdict", "Verdict", "text"),
    ]
    return tuple(columns)


def _words_of(conclusions: Iterable[Conclusion]) -> list[str]:
    """Return conclusions in a word, for the system that a table is about."""
    words = []
    for conclusion in conclusions:
        if conclusion.role == "unsaid":
            words.append(conclusion.word)
        elif conclusion.is_shown:
            words.append("more often")
        else:
            words.append("no clear difference")
    return words


def _renamed(ngrams: pd.DataFrame) -> pd.DataFrame:
    """Return n-grams whose p-values have the names of adjusted ones, which they are."""
    names = {"p_test_set": "p_test_set_adjusted", "p_run": "p_run_adjusted"}
    return ngrams.rename(columns=names).reset_index(drop=True)


def missed(data: WordData) -> Section:
    """Return words of references that outputs miss, and words of outputs that no reference has, over all runs."""
    left, right = data.systems
    lead = (
        "Words of references that outputs miss, and words of outputs without a match. Exact matches, mean over all"
        f" {data.settings.runs.nouns}."
    )
    columns = (
        Column("word", "Word"),
        Column("references", "In references", "number", digits=1),
        Column("missed_by_baseline", f"Missed by {left}", "number", digits=1),
        Column("missed_by_system", f"Missed by {right}", "number", digits=1),
        Column("baseline", f"Too many in {left}", "number", digits=1),
        Column("system", f"Too many in {right}", "number", digits=1),
    )
    table = Table(columns, data.unmatched(MOST_UNMATCHED))
    return Section("words-unmatched", "Words without a match", (lead,), table)


def words_section(results: Results) -> Section | None:
    """Return words by frequency and case for every system, and n-grams if there is one system to compare.

    None without texts, references and a second system.
    """
    parts = _word_sections(results)
    return Section("words", "Words", parts=parts) if parts else None


@kept_beside
def _word_sections(results: Results) -> tuple[Section, ...]:
    test_set = results.test_set
    baseline = results.experiment.baseline
    others = [system for system in results.systems if system != baseline]
    if baseline not in results.systems or not others or not (test_set.has_texts and test_set.has_references):
        return ()

    data = WordData(test_set, (baseline, *others), results.settings)
    sections = [
        groups_section(data.by_words(Asked("frequency")), baseline, results.settings),
        groups_section(data.by_words(Asked("case")), baseline, results.settings),
    ]
    if len(others) == 1:
        for section in ngram_sections(data.ngrams(others[0]), (baseline, others[0]), results.settings):
            assert section.table is not None
            first_rows = section.table.frame.head(MOST_NGRAMS)
            sections.append(replace(section, table=replace(section.table, frame=first_rows)))
    return tuple(sections)
