"""What other runs would have shown, as text tables; single draws and their shares as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mteval.answers.replication import conclusion_sentence
from mteval.base.words import all_counted, counted
from mteval.render.html import Markup, table, tag
from mteval.render.text import aligned
from mteval.values.notation import DASH, Notation, chance, p_equals, p_value, percent
from mteval.values.run_words import AS_RUNS, RUN, RunWord, Wording

OUTLOOK_COLUMNS = (
    "runs", "s", "95% range", "other order", "may be", "at least half", "s here", "other order here", "combinations",
)  # fmt: skip


def outlook_cells(outlook: pd.DataFrame, notation: Notation) -> Iterator[tuple[str, ...]]:
    """Spread of the difference by number of runs, of fresh runs and of those at hand; cells of ``OUTLOOK_COLUMNS``."""
    for row in _rows(outlook):
        yield (
            str(row.k), notation.number(row.standard_deviation), notation.interval(row.low, row.high),
            chance(row.wrong_sign), shares(row.risk_low, row.risk_high), chance(row.at_least_half),
            notation.number(row.pool_standard_deviation),
            percent(row.pool_wrong_sign), f"{row.n_combinations:,}" + ("" if row.is_exact else ", drawn"),
        )  # fmt: skip


def shares(low: float, high: float) -> str:
    """An interval of a probability; a dash where there is none."""
    return DASH if low != low else f"{chance(low)} to {chance(high)}"


def outlook_table(outlook: pd.DataFrame, notation: Notation, said: Wording = AS_RUNS) -> str:
    """The same as text."""
    return _text([said(column) for column in OUTLOOK_COLUMNS], outlook_cells(outlook, notation), 0)


def published_cells(published: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """Clark et al.'s Table 2: number of runs, which runs, and for each procedure p or the middle 95% of p."""
    for (n, baseline, system), cells in published.groupby(["n", "baseline_run", "system_run"], sort=False):
        yield str(n), str(baseline), str(system), *(p_range(row) for row in _rows(cells))


def published_table(published: pd.DataFrame, names: Mapping[str, str], said: Wording = AS_RUNS) -> str:
    """The same as text; ``names`` says what procedures are called."""
    header = (said("runs"), "baseline", "system", *(said(names[key]) for key in published["procedure"].unique()))
    return _text(header, published_cells(published), 3)


def p_range(row: Any) -> str:
    """``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash where the procedure gives no answer."""
    if row.n_draws == 1 or row.p_low != row.p_low:
        return p_value(row.p_median)
    return f"{p_value(row.p_low)} to {p_value(row.p_high)}"


def variance_table(variance: pd.DataFrame, notation: Notation, said: Wording = AS_RUNS) -> str:
    """Standard deviation of each score and difference, and the share of each source."""
    rows = []
    for what, parts in variance.groupby("what", sort=False):
        deviation = notation.number(float(parts["variance"].sum()) ** 0.5)
        rows.append((said(str(what)), deviation, *(percent(share) for share in parts["share"])))
    return _text(("variance of", "s", *map(said, variance["source"].unique())), rows, 1)


def power_table(power: pd.DataFrame, unit: str, notation: Notation, said: Wording = AS_RUNS) -> str:
    """Power at the target and smallest detectable difference."""
    rows = [
        (str(row.n_runs), f"{row.n_units:,}", percent(row.power), notation.number(row.detectable))
        for row in _rows(power)
    ]
    return _text((said("runs"), f"{unit}s", "power", "detectable"), rows, 0)


def median_table(median: pd.DataFrame, said: Wording = AS_RUNS) -> str:
    """How often the median of k runs is near the mean, a column a system."""
    rows = [(str(k), *(percent(share) for share in rows["within"])) for k, rows in median.groupby("k", sort=False)]
    return _text((said("runs"), *median["system"].unique()), rows, 0)


def latest_draw(
    drawn: pd.DataFrame, system: str, baseline: str, metric_name: str, notation: Notation, word: RunWord = RUN
) -> Markup:
    """What the last of the draws would have published: difference, p-value, conclusion, and which runs these are.

    ``drawn`` has the columns of ``analysis.replication.draws.trials``.
    """
    if drawn.empty:
        return tag("div", tag("span", f"Which {word.nouns} will you happen to have? Draw."), class_="mt-luck")
    last = drawn.iloc[-1]
    runs = f"{baseline}: {_named(last['baseline_runs'], word)} · {system}: {_named(last['system_runs'], word)}"
    return tag(
        "div",
        tag("b", f"{notation.difference(float(last['difference']))} {metric_name}"),
        tag("span", p_equals(float(last["p_value"]))),
        tag(
            "span",
            conclusion_sentence(last["conclusion"], system, baseline, notation),
            class_=_look(last["conclusion"]),
        ),
        tag("small", runs),
        class_="mt-luck",
    )


def _named(runs: Sequence[str], word: RunWord) -> str:
    return f"{word.noun if len(runs) == 1 else word.nouns} {', '.join(runs)}"


def _look(conclusion: str | None) -> str:
    return f"mt-says-{conclusion or 'open'}"


def tally(drawn: pd.DataFrame, odds: pd.DataFrame | None, notation: Notation) -> Markup:
    """Shares of the conclusions so far, beside what all combinations of runs say, where that is known.

    ``odds`` has one row with the columns of ``analysis.replication.draws.OddsRow``.
    """
    header, said = ["", f"so far ({len(drawn):,})"], drawn["conclusion"].dropna()
    row = None if odds is None else odds.iloc[0]
    if row is not None:
        header.append(
            all_counted(row["n_draws"], "combination") if row["is_exact"] else counted(row["n_draws"], "other draw")
        )
    rows = [
        (
            tag("span", name, class_=_look(key)),
            percent(float((said == key).mean())) if len(said) else DASH,
            *(() if row is None else (percent(float(row[key])),)),
        )
        for key, name in notation.conclusions.items()
    ]
    return table(header, rows, caption="What these experiments would have concluded.")


def _text(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int) -> str:
    return "\n".join(aligned(head, rows, n_words))


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    yield from frame.itertuples()
