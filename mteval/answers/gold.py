"""What people judged: which systems they tell apart (Graham et al. 2014, Figure 7), whether other raters would, and
whether a judge may replace a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

import pandas as pd

from mteval import figures
from mteval.analysis.corrections import CORRECTIONS
from mteval.analysis.people.agreement import LEVELS
from mteval.analysis.people.gold import GOLD_TESTS, RANK_SUM, Gold
from mteval.analysis.people.judgements import AUTOMATIC, PREFERENCE, n_judgements
from mteval.analysis.people.raters import RAW, SOURCES, rater_variance
from mteval.answers.averages import JUDGED
from mteval.answers.pair_matrix import MARKED, matrix_table
from mteval.answers.section import Column, Row, Section, Table, headed, noted, p_column
from mteval.base.words import agreeing, counted, counted_part, counted_range, plural
from mteval.values.notation import DASH, fixed, level, p_value, percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNITS = {"segment": "segments", "document": "documents", "judgement": "judgements", "output": "outputs"}

# Which systems people tell apart
DEPENDENT = "Judgements of one document are not independent. Choose documents as units to account for that."
SELECTED = "This test ignores the unequal probabilities of being judged. The means and their differences are weighted."

# Whether other raters would tell them apart
MOST_DIFFERENCES = 12  # of which a figure shows where their variance comes from
TITLE = "Would other raters say so?"
ANSWERS: Mapping[str, str] = {"ruled out": "yes", "open": "no clear difference", "refused": "no result"}
EXPLAINED = (
    "For outputs that several raters judged. “p (segments)” takes these raters as fixed; “p (raters too)” as a sample."
    " Adjusted by Holm over the pairs shown."
)
NO_RATERS = "These judgements have only one annotator, or do not name them. At least two must judge the same outputs."

# Whether a judge may replace a person
MOST_JUDGES = 3  # named in the lead
JUDGE_TITLE = "May this judge replace a person?"
JUDGE_EXPLAINED = (
    "Rater by rater: the judge wins if it is as near to the other raters as this rater is, minus a margin of {epsilon}."
    " One-sided t-test over {units}, adjusted by Benjamini and Yekutieli (Calderon et al., 2025). The judge passes if"
    " it wins against half of the raters or more."
)
SCALE = "Metrics have their own scale, so their scores and those of each rater were standardised first."


def judged_extent(frame: pd.DataFrame) -> str:
    """Return how many judgements there are, by whom and of what, from a frame with one row per judgement."""
    n_annotators = frame["annotator"].nunique()
    whose = "one annotator (or unnamed ones)" if n_annotators == 1 else counted(n_annotators, "annotator")
    n_documents = frame["document"].nunique()
    in_documents = f" in {counted(n_documents, 'document')}" if n_documents else ""
    text = (
        f"{counted(n_judgements(frame), 'judgement')} by {whose} of {counted(frame['system'].nunique(), 'system')} on"
        f" {counted(frame['segment'].nunique(), 'segment')}{in_documents}; scales:"
        f" {', '.join(frame['scale'].unique())}."
    )
    if AUTOMATIC in frame:
        scales_of_same = set(frame.loc[frame[AUTOMATIC] == 1, "scale"])
        if scales_of_same - {PREFERENCE}:
            text += " Outputs with the same text share a judgement."
        if PREFERENCE in scales_of_same:
            text += " Pairs of the same text are ties without a judgement."
    return text


def unknown_error_sentence(category: str, severity: str, count: int) -> str:
    """Return a warning that a kind of error is not one of WMT's, and the weight it gets."""
    times = agreeing(count, "once", counted(count, "time"))
    return (
        f"'{category}' ({severity}, {times}) is not a WMT error category; it gets the weight of its severity. To change"
        " that, give the errors scores in the file."
    )


def gold_section(gold: Gold, at: float, have_documents: bool = False) -> Section:
    """Return the pairs of systems that people tell apart at a level.

    Parameters
    ----------
    have_documents
        Whether the document of every judgement is known, so that documents could be the units.
    """
    conclusions = gold.conclusions(at, is_adjusted=gold.is_adjusted)
    cells = gold.cells(at)

    def figure() -> go.Figure:
        pairs = cells.assign(improvement=cells["difference"], note="")
        return figures.significance.pair_matrix(pairs, gold.systems, JUDGED, _p_by_scale)

    title = f"Which systems people tell apart: {GOLD_TESTS[gold.test]}, units: {gold.unit}s"
    return Section(
        "gold",
        title,
        (told_apart(conclusions, at),),
        figure=figure,
        notes=noted(*_gold_notes(gold, conclusions, have_documents), is_wide=True),
        parts=(_matrix(gold),),
    )


def _p_by_scale(row: Row) -> str:
    """Return the p-value that decides a pair, and the scale that it is from."""
    adjusted = " (adjusted)" if row["p_adjusted"] != row["p_value"] else ""
    return f"p{adjusted} {p_value(row['p_adjusted'])} by {row['scale']}"


def _gold_notes(gold: Gold, conclusions: Mapping[tuple[str, str], int], have_documents: bool) -> Iterator[str]:
    """Yield what was tested, on how many judgements, and which systems differ from no other."""
    scale = gold.first["scale"].iloc[0]
    counts = gold.first[["n_one", "n_other"]].to_numpy()
    observed = gold.unit if gold.test == RANK_SUM else "segment"  # a procedure counts segments, whatever its units
    sizes = counted_range(counts.ravel().tolist(), observed)
    adjusted = "p is not adjusted, as in the paper."
    if gold.is_adjusted:
        adjusted = f"p is adjusted for all pairs ({CORRECTIONS[gold.correction]})."
    yield (f"One-sided in either direction; {sizes} per system. Systems from best to worst by mean {scale}. {adjusted}")
    if gold.second is not None:
        yield f"Ties by {scale} are broken by {gold.second['scale'].iloc[0]}."
    if gold.is_selected:
        yield SELECTED
    if have_documents and gold.unit == "judgement":
        yield DEPENDENT
    yield alone_sentence(conclusions, gold.systems)


def _matrix(gold: Gold) -> Section:
    """Return which systems are better than which: one row and one numbered column per system, marks for levels."""
    cells = gold.cells(LEVELS[0])
    first_scale = gold.first["scale"].iloc[0]  # which need not be among the cells: all pairs may tie on it
    other_scales = [scale for scale in cells["scale"].unique() if scale != first_scale]
    p_of = {}
    starred = set()
    for cell in cells.to_dict("records"):
        pair = (cell["better"], cell["worse"])
        p_of[pair] = cell["p_adjusted"]
        if cell["scale"] != first_scale:
            starred.add(pair)

    adjusted = "unadjusted"
    if gold.is_adjusted:
        adjusted = f"adjusted for all pairs ({CORRECTIONS[gold.correction]})"
    notes = [f"{MARKED}, {adjusted}."]
    if other_scales:
        notes.append(f"* by {other_scales[0]}: no clear difference by {first_scale} at 5%.")
    table = matrix_table(p_of, gold.systems, starred)
    return Section("gold-pairs", "All pairs as a table", table=table, notes=noted(*notes), is_detail=True)


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """Return how many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {level(at)}."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Return the systems without a clear difference from any other; empty if there are none."""
    apart: set[str] = set()
    for pair, sign in conclusions.items():
        if sign:
            apart.update(pair)
    alone = [system for system in systems if system not in apart]
    if not alone:
        return ""
    return f"{counted(len(alone), 'system')} without a clear difference from any other: {', '.join(alone)}."


def _answer(row: Row) -> str:
    """Return whether two systems differ; provisional with two raters or runs."""
    answer = ANSWERS[row["answer"]]
    if row["answer"] != "refused" and 2 in (row["n_raters"], row["n_runs"]):
        answer += ", provisional"
    return answer


def _raters_share(row: Row) -> str:
    """Return the share of the variance that comes from raters."""
    total = sum(row[source] for source in SOURCES)
    if not total > 0:
        return DASH
    return f"{fixed(100 * row['own_raters'] / total, 0)}%"


def _name_of_rater(row: Row) -> str:
    if row["other"]:
        return str(row["one"])
    return "all raters"


PAIRS = (
    headed("one", "system", "word"),
    headed("other", "against", "word"),
    headed("answer", "different?", "word", write=_answer),
    headed("difference", "difference", "difference"),
    Column("low", "CI", "interval", "Confidence interval of the difference.", ("low", "high")),
    p_column("p_segments", "p (segments)"),
    p_column("p_value", "p (raters too)"),
    p_column("p_adjusted", is_adjusted=True),
    headed(
        "own_raters",
        "raters' share",
        "share",
        help="Share of the variance that comes from raters.",
        write=_raters_share,
    ),
)
ALPHAS = (
    headed("one", "rater", "word", write=_name_of_rater),
    headed("other", "and", "word"),
    headed("n_outputs", "outputs", digits=0),
    headed("alpha_raw", "alpha raw"),
    headed("alpha_standardised", "alpha standardised"),
    Column("pearson", "Pearson", "number"),
    headed("kappa", "kappa", help="Cohen's kappa on raw judgements in up to five bins of about equal size."),
)


def raters_sections(raters: pd.DataFrame, agreement: pd.DataFrame, n_annotators: int) -> Iterator[Section]:
    """Yield how far raters agree, and whether other raters would say the same, by form of judgement and unit.

    Parameters
    ----------
    raters, agreement
        With the columns ``RATERS`` and those of ``rater_agreement_frame``.
    """
    if n_annotators > 1:
        title = "Do raters agree? Krippendorff's alpha on the outputs they share"
        notes = noted("1 is perfect, 0 is chance.", is_wide=True)
        yield Section("rater-agreement", title, table=Table(ALPHAS, agreement), notes=notes)

    if raters["p_value"].isna().all():
        reasons = " ".join(dict.fromkeys(note for note in raters["note"] if note))
        lead = (NO_RATERS,) if n_annotators < 2 else ()
        yield Section("raters", TITLE, lead, notes=noted(f"No result. {reasons}"))
        return

    # The figure shows where the variance of the largest differences comes from.
    answered = raters[(raters["form"] == RAW) & (raters["unit"] == "segment") & raters["p_value"].notna()]
    largest = answered.sort_values("difference", ascending=False, kind="stable").head(MOST_DIFFERENCES)
    systems = list(largest["one"])
    differences = f"{systems[0]} minus each system" if len(set(systems)) == 1 else "each difference"
    how_many = f"; the {MOST_DIFFERENCES} largest" if len(answered) > MOST_DIFFERENCES else ""
    legend = f"Variance of {differences} (raw judgements, segments as units{how_many}); s: standard error."
    variance = rater_variance(largest)
    scale = str(raters["scale"].iloc[0])

    def figure() -> go.Figure:
        return figures.planning.variance_bars(variance, scale, JUDGED)

    # Notes that all tables have are given once, above them.
    tables = [rows for _, rows in raters.groupby(["form", "unit"], sort=False)]
    shared_notes = set.intersection(*(set(rows["note"]) for rows in tables))
    parts = []
    for rows in tables:
        notes_of_table = [note for note in rows["note"] if note not in shared_notes]
        parts.append(_pairs(rows, notes_of_table))
    notes = (*noted(EXPLAINED, is_wide=True), *noted(*sorted(shared_notes)))
    yield Section(
        "raters",
        TITLE,
        figure=None if variance.empty else figure,
        legend=legend,
        notes=notes,
        parts=tuple(parts),
    )


def _pairs(rows: pd.DataFrame, notes: Iterable[str]) -> Section:
    """Return the pairs of systems of one form and unit."""
    form = str(rows["form"].iloc[0])
    unit = str(rows["unit"].iloc[0])
    n_raters = counted_range(rows["n_raters"].tolist(), "rater")
    n_segments = counted_range(rows["n_segments"].tolist(), "segment")
    n_left_out = counted_range(rows["n_left_out"].tolist(), "segment")
    caption = (
        f"{form.capitalize()} judgements, {UNITS[unit]} as units: {n_raters}, {n_segments} judged for both systems;"
        f" {n_left_out} ignored"
    )
    if (rows["n_runs"] > 1).all():
        caption += "; each rater judged each run, and p covers other runs as well"

    # A system that all pairs have in common is named in the caption instead of a column.
    columns = list(PAIRS)
    templates = {"one": "{} minus the system below", "other": "system minus {}"}
    for key, template in templates.items():
        if len(rows) > 1 and rows[key].nunique() == 1:
            caption += f"; {template.format(rows[key].iloc[0])}"
            columns = [column for column in columns if column.key != key]
    table = Table(tuple(columns), rows, caption, notation=JUDGED)
    return Section(f"raters-{form}-{unit}", "", table=table, notes=noted(*dict.fromkeys(notes)))


def _n_won(row: Row) -> str:
    return f"{row['n_won']} of {row['n_raters']}"


def _passes(row: Row) -> str:
    return "yes" if row["passes"] else "no clear answer"


def _wins(row: Row) -> str:
    return "yes" if row["wins"] else "no"


def _range(row: Row) -> str:
    if isnan(row["low"]):
        return DASH
    return f"{percent(row['low'], 1)} to {percent(row['high'], 1)}"


def _asked_alone(row: Row) -> str:
    """Return how many single answers of a judge pass, with their lowest and highest winning rate."""
    n_askings = row["n_askings"]
    if not n_askings >= 2:  # NaN for metrics
        return DASH
    rates = f"{percent(row['lowest'], 0)} to {percent(row['highest'], 0)}"
    return f"{counted_part(int(row['n_passing']), int(n_askings), 'asking')} ({rates})"


JUDGES = (
    headed("judge", "judge", "word"),
    headed("winning_rate", "wins", "word", write=_n_won),
    headed("passes", "replaces?", "word", write=_passes),
    headed(
        "advantage",
        "advantage",
        "share",
        help="Mean share of outputs on which the judge is at least as near to the other raters as each rater in turn.",
    ),
    Column("low", "CI", "range", "Confidence interval of the advantage, over units.", ("low", "high"), write=_range),
    headed("n_outputs", "outputs", "count"),
    headed(
        "n_askings",
        "asked alone",
        "word",
        help="For a judge that was asked several times: how many of its single answers would pass alone, with the"
        " lowest and highest winning rate.",
        write=_asked_alone,
    ),
)
AGAINST = (
    Column("judge", "Judge"),
    Column("rater", "Rater"),
    headed("n_outputs", "outputs", "count"),
    headed("share", "judge nearer", "share", help="Share of outputs on which the judge is at least as near."),
    headed("rater_share", "rater nearer", "share"),
    Column(
        "low",
        "CI (difference)",
        "range",
        "The judge's share minus the rater's. The interval lies above minus the margin exactly if the unadjusted p is"
        " significant.",
        ("low", "high"),
        write=_range,
    ),
    p_column("p_value"),
    p_column("p_adjusted", is_adjusted=True),
    headed("wins", "judge wins?", "word", write=_wins),
)


def judge_sections(judges: pd.DataFrame, against: pd.DataFrame, confidence: float) -> Iterator[Section]:
    """Yield whether judges may stand in for people, from the frames of ``judges_frames``."""
    tested = judges[judges["n_raters"] > 0]
    if tested.empty:
        note = "No rater shares 30 outputs with a judge and another rater, which the test needs."
        yield Section("judge", JUDGE_TITLE, notes=noted(note))
        return

    unit = str(tested["unit"].iloc[0])
    epsilon = fixed(tested["epsilon"].iloc[0], 2)
    notes = [JUDGE_EXPLAINED.format(epsilon=epsilon, units=plural(unit))]
    has_metrics = bool(tested["n_askings"].isna().any())
    if has_metrics:
        notes.append(SCALE)
    caption = f"Alternative annotator test; {level(confidence)} CI over {counted(int(tested['n_units'].max()), unit)}"
    # Each rater is tested one-sided at 1 − confidence, so the interval that agrees leaves out twice as much
    of_raters = Table(AGAINST, against, f"Judge against each rater; {level(2 * confidence - 1)} CI")
    yield Section(
        "judge",
        JUDGE_TITLE,
        tuple(_judge_sentence(row) for row in tested.head(MOST_JUDGES).to_dict("records")),
        Table(JUDGES, tested, caption),
        notes=noted(*notes, is_wide=True),
        parts=(Section("judge-raters", "Each rater", is_detail=True, table=of_raters),),
    )


def _judge_sentence(row: Row) -> str:
    """Return whether a judge may replace a rater."""
    may = "may" if row["passes"] else "is not proven to"
    n_won = counted_part(row["n_won"], row["n_raters"], "rater")
    return f"{row['judge']} {may} replace a rater: it wins against {n_won} at a margin of {fixed(row['epsilon'], 2)}."
