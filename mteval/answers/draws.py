"""What other draws of runs would have published: p-values, conclusions, and one experiment after the other."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, get_args

import pandas as pd

from mteval import figures
from mteval.analysis.replication.draws import ALL, RANDOM
from mteval.answers.replication import ASSUMPTION, Subject
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.base.words import all_counted, counted, listed
from mteval.stats.procedures.registry import on_draws
from mteval.stats.procedures.spec import Luck
from mteval.values.notation import level, p_equals, p_value
from mteval.values.verdict import Role, Verdict

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
    alpha, cases = 1 - about.settings.confidence, ["n", "baseline_run", "system_run"]
    rows = [
        dict(zip(cases, case, strict=True)) | {row["procedure"]: _p_range(row) for row in found.to_dict("records")}
        for case, found in published.groupby(cases, sort=False)
    ]
    columns = (
        Column("n", about.runs.nouns, help=about.filled("{Runs} of each system.")),
        *(Column(key, key.removesuffix("_run")) for key in cases[1:]),
        *(Column(key, about.procedures[key], "p", write=itemgetter(key)) for key in published["procedure"].unique()),
    )
    shuffles = counted(about.settings.n_shuffles, "shuffle")
    return Section(
        "published",
        about.filled("p-values: single {runs}, then the middle 95% over {draws}", draws=counted(n_draws, "draw")),
        table=Table(columns, pd.DataFrame(rows)),
        figure=lambda: figures.luck.p_value_ranges(published, about.procedures, alpha, about.runs),
        legend=f"Dot: median p of the draws; bar: their middle 95%. {shuffles}. {_procedures_sentence(about)}",
    )


def _p_range(row: Mapping[Any, Any]) -> str:
    """``0.130``, or ``< 0.001 to 0.701`` over several draws; a dash where the procedure gives no answer."""
    if row["n_draws"] == 1 or row["p_low"] != row["p_low"]:
        return p_value(row["p_median"])
    return f"{p_value(row['p_low'])} to {p_value(row['p_high'])}"


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
    several, alpha = published[published["baseline_run"].isin((RANDOM, ALL))], level(1 - about.settings.confidence)
    columns = (
        Column("n", about.runs.nouns.capitalize(), write=lambda row: f"{row['n']} each"),
        Column("procedure", "Procedure", write=lambda row: about.procedures[row["procedure"]]),
        Column("n_draws", "draws", "count"),
        *(Column(key, name, "share") for key, name in about.notation.conclusions.items()),
        Column("p_median", "median p", "p"),
    )
    caption = f"What the draws would have concluded at the {alpha} level, each as the one comparison of its paper."
    table, notes = Table(columns, several, caption), noted(truth_sentence(about, verdict))
    return Section("conclusions", "", table=table, notes=notes)


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
    about: Subject, drawn: pd.DataFrame, extent: tuple[float, float], odds: pd.DataFrame | None, verdict: Verdict | None
) -> Section:
    """Draw runs: what the last draw would have published, all so far, and what all combinations say.

    Parameters
    ----------
    drawn
        Has the columns of ``analysis.replication.draws.trials``.
    extent
        Lowest and highest difference that can be drawn.
    odds
        One row with the columns of ``OddsRow``; None until it is known.
    """
    answered, names = drawn["conclusion"].dropna(), about.notation.conclusions
    rows = pd.DataFrame({"conclusion": list(names), "drawn": [float((answered == key).mean()) for key in names]})

    def named(row: Row) -> Cell:
        return Cell(names[row["conclusion"]], shape="■", role=_ROLES[row["conclusion"]])

    columns = [Column("conclusion", "", "verdict", write=named)]
    columns += [Column("drawn", f"so far ({len(drawn):,})", "share")]
    if odds is not None:
        row, n_draws = odds.iloc[0], int(odds["n_draws"].iloc[0])
        name = all_counted(n_draws, "combination") if row["is_exact"] else counted(n_draws, "other draw")
        rows = rows.assign(odds=[float(row[key]) for key in names])
        columns.append(Column("odds", name, "share"))
    how = extent, about.pool.expected, about.quantity, about.notation, about.runs
    return Section(
        "draws", "", _latest(about, drawn),
        Table(tuple(columns), rows, "What these experiments would have concluded."),
        lambda: figures.luck.luck_histogram(drawn, *how), notes=noted(truth_sentence(about, verdict)),
    )  # fmt: skip


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
    conclusion, difference = last["conclusion"], about.notation.difference(float(last["difference"]))
    says = "The test gives no answer." if conclusion is None else f"Published: {published[conclusion]}."
    drawn_runs = zip(about.systems, (last["baseline_runs"], last["system_runs"]), strict=True)
    return f"{difference} {about.metric}, {p_equals(float(last['p_value']))}. {says}", " · ".join(
        f"{name}: {about.runs.noun if len(keys) == 1 else about.runs.nouns} {', '.join(keys)}"
        for name, keys in drawn_runs
    )
