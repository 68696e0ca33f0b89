"""Groups of words, segments and outputs, and n-grams: where systems differ, and whether luck could explain it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
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

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_DRAWN = 24  # groups, which fit on a page
MEASURES: Mapping[Measure, str] = {"f": "F", "precision": "precision", "recall": "recall"}


def groups_section(found: GroupAnswers, baseline: str, settings: Settings, title: str = "", key: str = "") -> Section:
    """Return the verdict on every system in every group.

    Parameters
    ----------
    title, key
        By default from what groups the words.
    """
    runs, systems = settings.runs, list(dict.fromkeys(row.system for row in found.rows))
    frame, several = found.frame, len(systems) > 1
    grouped = found.sizes if found.sizes in ("Segments", "Outputs") else "Words"
    verdicts = [row.verdict for row in found.rows]
    cells = [Cell(DASH) if one is None else Cell.of(one.conclusion) for one in verdicts]
    frame["cell"] = pd.Series(cells, dtype=object)
    frame = frame[frame["size"] > 0]  # an empty group has no answer
    n_compared = len({row.group for row in found.rows if row.verdict is not None})
    lead = (
        f"All {runs.nouns} of each system, {level(settings.confidence)} CI."
        f" p is adjusted for {counted(n_compared, 'group')}{' and the systems' if several else ''}."
    )
    has_both = bool(frame.empty or frame["low"].notna().any())  # else the runs show no training luck
    columns = (
        *([Column("system", "System")] if several else []),
        Column("group", f"{grouped} by {found.by}"),
        *([] if found.sizes == "Outputs" else [Column("size", found.sizes, "count")]),
        Column("baseline_mean", baseline, "number"),
        Column("system_mean", "Score" if several else systems[0], "number"),
        Column("difference", "Difference", "difference"),
        Column("interval", "CI (both)", "interval", fields=("low", "high")) if has_both
        else Column("interval", "CI (test set)", "interval", fields=("low_test_set", "high_test_set")),
        *answer_columns(runs, not has_both or settings.design == "released"),
        Column("verdict", "Verdict", "verdict", fields=("conclusion",), write=lambda row: row["cell"]),
    )  # fmt: skip
    text = "{some} in no group: {a_run} has no score, or the {by} is unknown." if found.n_left_out else ""
    left_out = runs.filled(text, some=counted(found.n_left_out, "segment"), by=found.by)
    unknown = dict.fromkeys(why_unknown(one) for one in verdicts if one is not None)
    luck = f"test-set and {runs.luck}" if has_both else "test-set luck"
    legend = f"Bars: CI for {luck}, not adjusted. Colour: a clear difference after adjustment."
    legend += f" The largest {MOST_DRAWN} are drawn." if len(frame) > MOST_DRAWN else ""
    return Section(
        key or f"words-{found.by.replace(' ', '-')}",
        title or f"{found.measure[:1].upper()}{found.measure[1:]} by {found.by}",
        (lead,),
        Table(columns, frame, notation=found.notation, groups="system" if several else ""),
        partial(_drawn, found, frame, several),
        legend=legend,
        notes=noted(left_out, *(f"{why[:1].upper()}{why[1:]}." for why in unknown if why)),
    )


def answer_columns(runs: RunWord, is_single: bool = False) -> Iterator[Column]:
    """Yield the two p-values, adjusted; only that for test-set luck if it is the single one."""
    asked = {
        "p_test_set_adjusted": ("test set", "Could the choice of segments explain it, with these {runs} fixed?"),
        "p_both_adjusted": ("both", "Could new segments and new {runs} together explain it?" + FAMILY_ERROR),
    }
    for key, (luck, help_text) in [*asked.items()][: 1 if is_single else 2]:
        yield Column(key, f"p ({luck}, adjusted)", "p", runs.filled(help_text), digits=3, is_adjusted=True)


def _drawn(found: GroupAnswers, frame: pd.DataFrame, several: bool) -> go.Figure:
    """Draw the groups with a verdict, the largest if there are many."""
    template, notation = "{system}, {group}" if several else "{group}  ({size:,})", found.notation
    shown = frame.assign(
        role=[cell.role for cell in frame["cell"]], name=[template.format_map(row) for row in frame.to_dict("records")],
        low=frame["low"].fillna(frame["low_test_set"]), high=frame["high"].fillna(frame["high_test_set"]),
    )  # fmt: skip
    shown = shown[shown["difference"].notna()].nlargest(MOST_DRAWN, "size", keep="first").sort_index()
    ends = map(notation.interval, shown["low"], shown["high"])
    texts = zip(shown["name"], map(notation.difference, shown["difference"]), ends, strict=True)
    shown["text"] = [f"{name}: {difference} [{interval}]" for name, difference, interval in texts]
    return figures.segments.group_intervals(shown, notation.axis(f"Difference in {found.measure}"))


def ngram_sections(
    found: NgramEvidence, names: tuple[str, str], settings: Settings, measure: str = "recall", what: str = "n-grams"
) -> Iterator[Section]:
    """Yield n-grams that the second system gets right more often, and those that the first does.

    Parameters
    ----------
    what
        ``n-grams``, or n-grams of labels.
    """
    (left, right), runs, frame = names, settings.runs, found.frame
    pairs = int(frame["pairs"].max()) if len(frame) else 0
    is_precision = measure == "precision"
    many = runs.filled("Pairs of {runs} in which {name} is ahead; of {n}.", name="{name}", n=str(pairs))
    smoothed = "precision" if is_precision else "matches"
    lead = (
        f"The {found.n_tested:,} {what} that occur most often, at least {FEWEST} times, were tested by {measure}."
        f" p is adjusted for all of them."
    )
    sides = list[Column]()
    for side, name in (("baseline", left), ("system", right)):
        help_text = runs.filled("Mean over {runs} of matches with the reference.")
        sides.append(Column(side, name, "number", help_text, digits=1))
        sides += [Column(f"{side}_total", f"{name}, all", "number", digits=1)] if is_precision else []
    for key, is_gain, ahead, behind in (("gained", True, right, left), ("lost", False, left, right)):
        part = frame[(frame["log_ratio"] > 0) == is_gain][:: 1 if is_gain else -1]
        part = part.assign(ahead=part["better" if is_gain else "worse"], verdict=_said(part, is_gain))
        part = part.rename(columns={"p_test_set": "p_test_set_adjusted", "p_both": "p_both_adjusted"})
        columns = (
            Column("ngram", "Words" if what == "n-grams" else "Labels"),
            *sides,
            Column("references", "Refs.", "count", "Occurrences in the references."),
            Column("log_ratio", "Log ratio", "number", f"log₂ of the ratio of smoothed {smoothed}.", digits=2),
            Column("ahead", f"ahead in {runs.noun} pairs", "count", many.replace("{name}", ahead),
                   short=f"ahead, of {pairs:,}"),
            *answer_columns(runs, settings.design == "released"),
            Column("verdict", "Verdict", "text"),
        )  # fmt: skip
        title, table = f"{ahead} gets right more often than {behind}", Table(columns, part.reset_index(drop=True))
        yield Section(f"words-{key}", title, (lead if is_gain else "",), table)


def _said(part: pd.DataFrame, is_gain: bool) -> list[str]:
    """Return verdicts in a word, for the system that a table is about."""
    words = {True: "more often", False: "no clear difference"}
    return [one.word if one.role == "unsaid" else words[one.is_shown] for one in part["conclusion"]]


def missed(data: WordData) -> Section:
    """Return words of references that outputs miss, and words of outputs that no reference has, over all runs."""
    left, right = data.systems
    lead = (
        "Words of references that outputs miss, and words of outputs without a match. Exact matches, mean over all"
        f" {data.settings.runs.nouns}."
    )
    titles = {
        "references": "In references", "missed_by_baseline": f"Missed by {left}",
        "missed_by_system": f"Missed by {right}", "baseline": f"Too many in {left}", "system": f"Too many in {right}",
    }  # fmt: skip
    numbers = (Column(key, name, "number", digits=1) for key, name in titles.items())
    table = Table((Column("word", "Word"), *numbers), data.unmatched(150))  # words of each kind
    return Section("words-unmatched", "Words without a match", (lead,), table)


def words_section(results: Results) -> Section | None:
    """Return words by frequency and case for every system, and n-grams if there is one system to compare.

    None without texts, references and a second system.
    """
    parts = _of_words(results)
    return Section("words", "Words", parts=parts) if parts else None


@kept_beside
def _of_words(results: Results) -> tuple[Section, ...]:
    test_set, baseline = results.test_set, results.experiment.baseline
    systems = (baseline, *(key for key in results.systems if key != baseline))
    if baseline not in results.systems or len(systems) < 2 or not (test_set.has_texts and test_set.has_references):
        return ()
    data = WordData(test_set, systems, results.settings)
    asked = (Asked("frequency"), Asked("case"))
    found = [groups_section(data.by_words(one), baseline, results.settings) for one in asked]
    if len(systems) == 2:
        for one in ngram_sections(data.ngrams(systems[1]), (baseline, systems[1]), results.settings):
            assert one.table is not None
            found.append(replace(one, table=replace(one.table, frame=one.table.frame.head(10))))  # n-grams each way
    return tuple(found)
