"""Shown equal within a margin, false alarms among equals, and what people notice of a difference.

Riezler and Maxwell's (2005) Table 2 on the user's own data: what do tests say of systems that are equal?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import pandas as pd

from mteval.analysis.equality import MOST_SHUFFLES, Halvings, rejections
from mteval.analysis.people.agreement import NO_INFORMATION, human_agreement
from mteval.answers.procedures import DIFFERENCE, INTERVAL, name_of, remarks, unit_of
from mteval.answers.section import Column, Row, Section, Table, headed, noted, p_column, said
from mteval.base.words import all_counted, counted, counted_part
from mteval.metrics.base import Metric, MetricSpec
from mteval.stats import PROCEDURES
from mteval.values.notation import DASH, as_typed, level, percent
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Verdict


def equality_section(
    frame: pd.DataFrame, specs: Mapping[str, MetricSpec], margin: float, confidence: float, runs: RunWord
) -> Section:
    """Which systems are shown to differ from the baseline by less than a margin, beyond either kind of luck.

    Parameters
    ----------
    frame
        From ``equality_frame``.
    """
    lucks = {"test-set": "test-set luck", "runs": runs.luck, "both": f"test-set and {runs.luck}"}

    def shown_equal(row: Row) -> str:
        p = row["p_adjusted"]
        return "no answer" if p != p else "yes" if p <= 1 - confidence else "no"

    columns = (
        headed("metric", "metric", "word", write=lambda row: specs[row["metric"]].name),
        headed("system", "system", "word"),
        headed("luck", "luck", "word", write=lambda row: lucks[row["luck"]]),
        headed("procedure", "procedure", "word", write=partial(name_of, runs=runs)),
        headed("unit", "unit", "word", write=partial(unit_of, runs=runs)),
        DIFFERENCE,
        INTERVAL,
        p_column("p_value", "p of equality", short="p equal"),
        p_column("p_adjusted", is_adjusted=True, short="adjusted p"),
        Column("shown_equal", "Shown equal", write=shown_equal, is_wide=True),
    )
    notations = {key: specs[key].notation for key in frame["metric"].unique()}
    margins = dict.fromkeys(notation.in_unit(as_typed(margin)) for notation in notations.values())
    n_claims = len(frame) // frame["luck"].nunique()
    caption = equality_sentence(f"±{' or '.join(margins)}", confidence, n_claims)
    table = Table(columns, frame.assign(notation=frame["metric"].map(notations)), caption)
    return Section("equality", "", table=table, notes=remarks(frame, runs))


def equality_sentence(within: str, confidence: float, n_adjusted: int) -> str:
    """How systems are shown equal within a margin, beside intervals that are never adjusted.

    Parameters
    ----------
    within
        The margin, with its unit.
    n_adjusted
        Number of claims that p-values are adjusted for.
    """
    interval = f"{level(2 * confidence - 1)} interval"
    if n_adjusted < 2:
        return f"Equal within {within}? Shown where the {interval} lies inside the margin."
    return (
        f"Equal within {within}? Shown where p, adjusted by Holm over {counted(n_adjusted, 'claim')}, is at most"
        f" {level(1 - confidence)}. No {interval} is adjusted: one inside the margin may not be enough."
    )


def halvings_section(sentences: Iterable[str], runs: RunWord) -> Section:
    """What the verdict says of halves of the runs of each system, each in a sentence."""
    return Section("halvings", "", tuple(sentences), notes=noted(halvings_note(runs)))


def halvings_sentence(halved: Halvings, runs: RunWord = RUN) -> str:
    """What the verdict says of halves of one system's own runs."""
    n, of = halved.n_halvings, halved.of_halvings
    which = all_counted(n, "way") if n == of else counted_part(n, of, "way")
    left_out = " with one left out" if halved.n_runs % 2 else ""
    return (
        f"{halved.system}: its {counted(halved.n_runs, runs.noun)} were divided into two halves{left_out} in {which};"
        f" the verdict calls {halved.n_different:,} of these pairs different ({percent(halved.n_different / n)})."
    )


def halvings_note(runs: RunWord = RUN) -> str:
    """What the share of such pairs does not say."""
    return runs.filled(
        "These divisions share their {runs} and depend on one another: no level follows from their share, nor from the"
        " shape of so few {runs}. Two halves are judged as independent {runs}, whatever was declared of two systems."
    )


def equals_section(frame: pd.DataFrame, alpha: float, runs: RunWord) -> Section:
    """How often procedures find a difference between equals.

    Parameters
    ----------
    frame
        From ``equal_frame``.
    """
    lucks = {"test-set": "test set", "runs": runs.nouns, "both": "both"}
    found = rejections(frame, alpha)
    columns = (
        Column("procedure", "Procedure", write=partial(name_of, runs=runs)),
        Column("luck", "Luck", write=lambda row: lucks[PROCEDURES[row["procedure"]].luck]),
        Column("unit", "Units", write=partial(unit_of, runs=runs)),
        Column("n_comparisons", "Comparisons", "count"),
        Column(
            "n_rejected", "p at or below the level", "count",
            write=lambda row: f"{row['n_rejected']:,}" if row["n_comparisons"] else DASH,
        ),
        Column("share", "Share", "share", digits=0),
        Column("nominal", "Level", "share", write=lambda row: level(row["nominal"])),
    )  # fmt: skip
    n_pairs = len(frame[["one", "other"]].drop_duplicates())
    shuffles = counted(MOST_SHUFFLES, "resample")
    caption = f"{counted(n_pairs, 'comparison')} of equals, at most {shuffles} each, no correction."
    unanswered = found[found["n_comparisons"] == 0]
    is_on_runs = unanswered["procedure"].map(lambda procedure: PROCEDURES[procedure].luck != "test-set").astype(bool)
    lacking = f"Procedures that measure luck with {runs.nouns} need two {runs.nouns} a side, or more."
    notes = noted(
        *dict.fromkeys(unanswered["note"][~is_on_runs]),
        lacking if is_on_runs.any() else "",
        f"Comparisons that share {runs.nouns} depend on one another, and a few of them say little; a share far above"
        f" the level speaks. Tests that measure luck with the test set alone take each {runs.noun} as given, so they"
        f" are right that two {runs.nouns} differ and wrong that the systems do.",
    )
    return Section("equals", "", table=Table(columns, found, caption), notes=notes)


def noticed_section(metrics: Sequence[Metric], verdicts: Sequence[Verdict], baseline: str) -> Section:
    """How often people agree with differences of these sizes (Kocmi et al. 2024).

    Raises
    ------
    MissingDependencyError
        Where the package that knows is not installed.
    """
    by_key = {metric.key: metric for metric in metrics}
    shares: dict[str, dict[str, str]] = {}
    for one in verdicts:
        share = human_agreement(by_key[one.metric], one.difference)
        if share is not None:
            text = "no information" if share <= NO_INFORMATION else percent(share, 0)
            shares.setdefault(one.system, {})[one.metric] = f"{text} at {one.notation.difference(one.difference)}"
    known = [metric for metric in metrics if any(metric.key in cells for cells in shares.values())]
    unknown = [metric.name for metric in metrics if metric not in known]
    frame = pd.DataFrame([{"system": system, **cells} for system, cells in shares.items()]).fillna(DASH)
    columns = (Column("system", "System"), *(Column(metric.key, metric.name, "text") for metric in known))
    caption = f"Share of people who agree, at the difference to {baseline}"
    return Section(
        "noticed",
        "",
        said(
            "Whether a difference is luck and whether people would notice it are two questions. Kocmi et al. (2024)"
            " compared differences between systems with what people preferred: the share is how often people sided"
            " with the better score when systems differed by so much."
        ),
        Table(columns, frame, caption) if known else None,
        notes=noted(
            f"What people say of such differences is not known for {', '.join(unknown)}." if unknown else "",
            "Limits: pairs of whole systems on one collection of test sets, mostly neural systems; BLEU with"
            " sacreBLEU's default tokenizer, chrF, and scores of some learned metrics that were given under their"
            " published names. At 50% or less the metric tells no more than a coin. The share knows nothing of your"
            " test set, your language pair or luck.",
        ),
    )
