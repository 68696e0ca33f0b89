"""What other draws of these runs would have published: p-values, conclusions, and one experiment at a time."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import pandas as pd

from mteval import figures
from mteval.analysis.replication.draws import ALL, RANDOM
from mteval.answers.replication import ASSUMPTION, Subject
from mteval.answers.section import Cell, Column, Row, Section, Table, headed, noted
from mteval.base.words import all_counted, counted, listed
from mteval.stats.procedures.classical import RUN_PERMUTATION, smallest_p_value
from mteval.stats.procedures.registry import on_draws
from mteval.values.notation import level, p_equals, p_value
from mteval.values.verdict import Role, Verdict

PUBLISHED_DRAWS = 250  # for each number of runs
_ROLES: Mapping[str, Role] = {"better": "apart", "open": "open", "worse": "bad"}  # with the colours of the figure


def published_section(about: Subject, published: pd.DataFrame, n_draws: int) -> Section:
    """Return Clark et al.'s Table 2: which runs, and for each procedure p or the central 95% of p."""
    alpha, cases = 1 - about.settings.confidence, ["n", "baseline_run", "system_run"]
    rows = [
        dict(zip(cases, case, strict=True)) | {row["procedure"]: _p_range(row) for row in found.to_dict("records")}
        for case, found in published.groupby(cases, sort=False)
    ]
    columns = (
        headed("n", about.runs.nouns, "word", help=about.filled("{Runs} per system.")),
        *(headed(key, key.removesuffix("_run"), "word") for key in cases[1:]),
        *(headed(key, about.procedures[key], "p", write=itemgetter(key)) for key in published["procedure"].unique()),
    )
    in_papers = listed([about.procedures[key] for key, spec in on_draws().items() if spec.reproduces])
    shuffles = counted(about.settings.n_shuffles, "shuffle")
    return Section(
        "published",
        about.filled("p-values: single {runs}, then the central 95% of {draws}", draws=counted(n_draws, "draw")),
        table=Table(columns, pd.DataFrame(rows), is_folded=True),
        figure=lambda: figures.luck.p_value_ranges(published, about.procedures, alpha, about.runs),
        legend=f"Dot: median p of the draws. Bar: central 95% ({shuffles}). Used in papers: {in_papers}.",
    )


def _p_range(row: Mapping[Any, Any]) -> str:
    """Return ``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash if the procedure gives no answer."""
    if row["n_draws"] == 1 or row["p_low"] != row["p_low"]:
        return p_value(row["p_median"])
    return f"{p_value(row['p_low'])} to {p_value(row['p_high'])}"


def conclusions_section(about: Subject, published: pd.DataFrame) -> Section:
    """Return what the draws would have concluded by each procedure."""
    several, alpha = published[published["baseline_run"].isin((RANDOM, ALL))], level(1 - about.settings.confidence)
    columns = (
        Column("n", about.runs.nouns.capitalize(), write=lambda row: f"{row['n']} each"),
        Column("procedure", "Procedure", write=lambda row: about.procedures[row["procedure"]]),
        Column("n_draws", "Draws", "count"),
        *(headed(key, name, "share") for key, name in about.notation.conclusions.items()),
        headed("p_median", "median p", "p"),
    )
    caption = f"Conclusions of the draws at {alpha}, each as its paper's only comparison."
    return Section("conclusions", "", table=Table(columns, several, caption, is_folded=True))


def truth_sentence(about: Subject, verdict: Verdict | None) -> str:
    """Return which of the conclusions is right, and on what assumption; that none is known if the verdict is open."""
    if verdict is None:
        return ""
    if verdict.both == "ruled out" and not verdict.is_provisional:
        right = verdict.notation.conclusions["better" if verdict.improvement > 0 else "worse"]
        return f"The right conclusion is “{right}”, {ASSUMPTION}."
    why = {
        "open": "luck could explain the difference between all {runs}",
        "refused": "these {runs} give no verdict",
        "ruled out": "the verdict from two {runs} is provisional",
    }[verdict.both]
    return about.filled(f"Which conclusion is right is unknown: {why}.")


Test = tuple[str, int, tuple[float, float]]  # procedure, runs per system, lowest and highest possible difference


def draws_section(
    about: Subject, drawn: pd.DataFrame, test: Test, odds: pd.DataFrame | None, verdict: Verdict | None
) -> Section:
    """Return what the last draw would have published, all draws so far, and all combinations.

    Parameters
    ----------
    drawn
        Has the columns of ``analysis.replication.draws.trials``.
    test
        How the draws are tested.
    odds
        One row with the columns ``ODDS``; None until it is known.
    """
    answered, names = drawn["conclusion"].dropna(), about.notation.conclusions
    rows = pd.DataFrame({"conclusion": list(names), "drawn": [float((answered == key).mean()) for key in names]})

    def named(row: Row) -> Cell:
        return Cell(names[row["conclusion"]], shape="■", role=_ROLES[row["conclusion"]])

    columns = [Column("conclusion", "", "verdict", write=named)]
    columns += [headed("drawn", f"so far ({len(drawn):,})", "share")]
    if odds is not None:
        row, n_draws = odds.iloc[0], int(odds["n_draws"].iloc[0])
        name = all_counted(n_draws, "combination") if row["is_exact"] else counted(n_draws, "other draw")
        rows = rows.assign(odds=[float(row[key]) for key in names])
        columns.append(Column("odds", name, "share"))
    procedure, k, extent = test
    how = extent, about.pool.difference, about.quantity, about.notation, about.runs
    return Section(
        "draws", "", _latest(about, drawn),
        Table(tuple(columns), rows, "Conclusions of these experiments"),
        lambda: figures.luck.luck_histogram(drawn, *how),
        notes=noted(truth_sentence(about, verdict), _bound_sentence(about, procedure, k)),
    )  # fmt: skip


def _bound_sentence(about: Subject, procedure: str, k: int) -> str:
    """Return that a permutation of so few runs cannot be significant; else empty."""
    smallest = smallest_p_value(k, k, "two-sided")
    if procedure != RUN_PERMUTATION.key or smallest <= 1 - about.settings.confidence:
        return ""
    return f"With {counted(k, about.runs.noun)} per system this test cannot give p below {p_value(smallest)}."


def _latest(about: Subject, drawn: pd.DataFrame) -> tuple[str, ...]:
    """Return what the last draw would have published: difference, p-value, conclusion, and its runs."""
    if drawn.empty:
        return (about.filled("Which {runs} will you get? Draw."),)
    last, (baseline, system) = drawn.iloc[-1], about.systems
    better, worse = about.notation.comparatives
    published = {
        "better": f"{system} is {better} than {baseline}", "worse": f"{system} is {worse} than {baseline}",
        "open": "no clear difference",
    }  # fmt: skip
    conclusion, difference = last["conclusion"], about.notation.difference(float(last["difference"]))
    says = "The test gives no result." if conclusion is None else f"Published: {published[conclusion]}."
    drawn_runs = zip(about.systems, (last["baseline_runs"], last["system_runs"]), strict=True)
    return f"{difference} {about.metric}, {p_equals(float(last['p_value']))}. {says}", " · ".join(
        f"{name}: {about.runs.noun if len(keys) == 1 else about.runs.nouns} {', '.join(keys)}"
        for name, keys in drawn_runs
    )
