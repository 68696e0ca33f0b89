"""What other draws of runs would have published: p-values, conclusions, and one experiment after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from mteval.analysis.replication.draws import ALL, RANDOM
from mteval.answers.replication import ASSUMPTION, Subject
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.base.words import all_counted, counted, listed
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import Luck
from mteval.values.notation import level, p_equals, p_value
from mteval.values.verdict import Role, Verdict

if TYPE_CHECKING:
    import plotly.graph_objects as go

NO_DRAWS = (
    "With one {run} of each system there is nothing to draw: every experiment would be this one. What other {runs}"
    " would have shown, these two do not tell. Load more {runs} of each system, or look at the sample experiment."
)
ONE_COMBINATION = (
    "With one {run} of each system there is one combination of {runs}, so no other p-value could have been published"
    " from these. Load more {runs} of each system."
)
_ROLES: Mapping[str, Role] = {"better": "apart", "open": "open", "worse": "bad"}  # with the colours of the figure


def published_section(about: Subject, published: pd.DataFrame, n_draws: int) -> Section:
    """Clark et al.'s Table 2: number of runs, which runs, and for each procedure p or the middle 95% of p."""

    def figure() -> go.Figure:
        from mteval.figures.luck import p_value_ranges

        return p_value_ranges(published, about.procedures, 1 - about.settings.confidence, about.runs)

    cases = ["n", "baseline_run", "system_run"]
    rows = [
        dict(zip(cases, case, strict=True)) | {row["procedure"]: _p_range(row) for row in found.to_dict("records")}
        for case, found in published.groupby(cases, sort=False)
    ]
    columns = (
        Column("n", about.runs.nouns, help=about.filled("{Runs} of each system.")),
        Column("baseline_run", "baseline"),
        Column("system_run", "system"),
        *(Column(key, about.procedures[key], "p", write=_written(key)) for key in published["procedure"].unique()),
    )
    return Section(
        "published",
        about.filled("p-values: single {runs}, then the middle 95% over {draws}", draws=counted(n_draws, "draw")),
        table=Table(columns, pd.DataFrame(rows)),
        figure=figure,
        legend=(
            "Dot: median p of the draws; bar: their middle 95%."
            f" {counted(about.settings.n_shuffles, 'shuffle')}. {_procedures_sentence(about)}"
        ),
    )


def _p_range(row: Mapping[Any, Any]) -> str:
    """``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash where the procedure gives no answer."""
    if row["n_draws"] == 1 or row["p_low"] != row["p_low"]:
        return p_value(row["p_median"])
    return f"{p_value(row['p_low'])} to {p_value(row['p_high'])}"


def _written(key: str) -> Any:
    return lambda row: row[key]


def _procedures_sentence(about: Subject) -> str:
    """Which luck the procedures measure, and which of them published numbers use."""
    specs, names = on_draws(), about.procedures
    given = {"test-set": "the {runs} as given", "runs": "the test set as given", "both": "neither as given"}
    by_luck = {luck: [names[key] for key, spec in specs.items() if spec.luck == luck] for luck in get_args(Luck)}
    taken = "; ".join(f"{listed(found)}: {about.filled(given[luck])}" for luck, found in by_luck.items() if found)
    reproduced = listed([names[key] for key, spec in specs.items() if spec.reproduces])
    return f"What the procedures take: {taken}. Published numbers use the {reproduced}."


def conclusions_section(about: Subject, published: pd.DataFrame, verdict: Verdict | None) -> Section:
    """What the draws would have concluded by each procedure, and which of that may be called right."""
    several = published[published["baseline_run"].isin((RANDOM, ALL))]
    columns = (
        Column("n", about.runs.nouns.capitalize(), write=lambda row: f"{row['n']} each"),
        Column("procedure", "Procedure", write=lambda row: about.procedures[row["procedure"]]),
        Column("n_draws", "draws", "count"),
        *(Column(key, name, "share") for key, name in about.notation.conclusions.items()),
        Column("p_median", "median p", "p"),
    )
    alpha = level(1 - about.settings.confidence)
    return Section(
        "conclusions",
        "",
        table=Table(
            columns,
            several,
            f"What the draws would have concluded at the {alpha} level, each as the one comparison of its paper.",
        ),
        notes=noted(truth_sentence(about, verdict)),
    )


def truth_sentence(about: Subject, verdict: Verdict | None) -> str:
    """Which of the conclusions may be called right, and on what assumption; none where the verdict is open."""
    if verdict is None:
        return ""
    if verdict.both == "ruled out" and not verdict.is_provisional:
        says = verdict.notation.conclusions
        right, wrong = ("better", "worse") if verdict.improvement > 0 else ("worse", "better")
        return about.filled(
            f"{ASSUMPTION[0].upper()}{ASSUMPTION[1:]}, “{says[right]}” would be the right conclusion and"
            f" “{says[wrong]}” the wrong one."
        )
    why = {
        "open": "On all {runs} luck cannot be ruled out",
        "refused": "These {runs} give no verdict",
        "ruled out": "With two {runs} of a system the verdict is provisional",
    }[verdict.both]
    return about.filled(f"{why}, so none of these conclusions is called right or wrong.")


def draws_section(
    about: Subject,
    drawn: pd.DataFrame,
    extent: tuple[float, float],
    odds: pd.DataFrame | None,
    verdict: Verdict | None,
) -> Section:
    """Draw runs: what the last draw would have published, all so far, and what all combinations say.

    Parameters
    ----------
    drawn
        Has the columns of ``analysis.replication.draws.trials``.
    extent
        Lowest and highest difference that can be drawn.
    odds
        One row with the columns ``ODDS``; None until it is known.
    """

    def figure() -> go.Figure:
        from mteval.figures.luck import luck_histogram

        return luck_histogram(drawn, extent, about.pool.difference, about.quantity, about.notation, about.runs)

    answered = drawn["conclusion"].dropna()
    names = about.notation.conclusions
    rows = pd.DataFrame({"conclusion": list(names), "drawn": [float((answered == key).mean()) for key in names]})

    def named(row: Row) -> Cell:
        return Cell(names[row["conclusion"]], shape="■", role=_ROLES[row["conclusion"]])

    columns = [
        Column("conclusion", "", "verdict", write=named), Column("drawn", f"so far ({len(drawn):,})", "share")
    ]  # fmt: skip
    if odds is not None:
        row = odds.iloc[0]
        n_draws, known = int(row["n_draws"]), [float(row[key]) for key in names]
        name = all_counted(n_draws, "combination") if row["is_exact"] else counted(n_draws, "other draw")
        rows = rows.assign(odds=known)
        columns.append(Column("odds", name, "share"))
    return Section(
        "draws",
        "",
        _latest(about, drawn),
        Table(tuple(columns), rows, "What these experiments would have concluded."),
        figure,
        notes=noted(truth_sentence(about, verdict)),
    )


def _latest(about: Subject, drawn: pd.DataFrame) -> tuple[str, ...]:
    """What the last of the draws would have published: difference, p-value, conclusion, and which runs these are."""
    if drawn.empty:
        return (about.filled("Which {runs} will you happen to have? Draw."),)
    last, (baseline, system) = drawn.iloc[-1], about.systems
    better, worse = about.notation.comparatives
    published = {
        "better": f"{system} is {better} than {baseline}", "worse": f"{system} is {worse} than {baseline}",
        "open": "nothing shown",
    }  # fmt: skip
    conclusion = last["conclusion"]
    says = "The test gives no answer." if conclusion is None else f"Published: {published[conclusion]}."
    number = f"{about.notation.difference(float(last['difference']))} {about.metric}"
    found = f"{number}, {p_equals(float(last['p_value']))}. {says}"
    runs = [
        f"{name}: {_named(last[key], about)}"
        for name, key in zip(about.systems, ("baseline_runs", "system_runs"), strict=True)
    ]
    return found, " · ".join(runs)


def _named(keys: Sequence[str], about: Subject) -> str:
    return f"{about.runs.noun if len(keys) == 1 else about.runs.nouns} {', '.join(keys)}"
