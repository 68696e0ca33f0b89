"""What people's judgements say, question by question, and whether metrics and tests agree with them.

Tests are compared with people as in Graham et al. (2014), metrics by WMT's measures of agreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from math import isnan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pandas as pd

from mteval import figures
from mteval.analysis.corrections import CORRECTIONS, corrections_for
from mteval.analysis.people.agreement import SIDES
from mteval.analysis.people.gold import GOLD_TESTS, RANK_SUM
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.analysis.people.judgements import PREFERENCE, is_assigned, is_standardised, may_count_from_0
from mteval.analysis.people.meta import MEASURES, Agreement
from mteval.answers.averages import assisted_section, averages_section, beside_section
from mteval.answers.gold import JUDGE_TITLE, UNITS, gold_section, judge_sections, judged_extent, raters_sections
from mteval.answers.section import Row, Section, Table, headed, noted, p_column
from mteval.answers.verdict import SOURCE_OF_SHARES
from mteval.base.words import counted, counted_range, listed, plural
from mteval.metrics import catalog
from mteval.metrics.imported import Imported
from mteval.stats.proportions import chi_square
from mteval.values.notation import DASH, fixed, level, p_equals, percent, significant

if TYPE_CHECKING:
    import plotly.graph_objects as go

Names = Mapping[str, str]
WORDS = {"unit": "{} as units", "side": "{}"}  # of a test, beside its name
MOST_COMPARISONS = 10  # of two tests, that are shown
TESTS_EXPLAINED = (
    "A test is right if people conclude the same at the same level. Intervals are exact (Clopper and Pearson) for"
    " independent pairs. Pairs that share a system are dependent, so the intervals are too narrow."
)
APART_EXPLAINED = (
    "Chi-square (Graham et al., 2014) assumes that each accuracy has pairs of its own. These accuracies share their"
    " pairs, so it finds too few differences. McNemar's test compares two on the same pairs."
)
COUNTS_EXPLAINED = (
    "Chi-square assumes that each row has pairs of its own. If rows share their pairs, it finds too few differences."
    " McNemar's test needs the judgements (--judgements)."
)
SHARES_EXPLAINED = "People who agree with a metric: expected from its differences (Kocmi et al., 2024), and found here"
MEANINGS: Mapping[str, str] = {  # of the measures of agreement
    "pairwise_accuracy": "Share of pairs of systems that metric and people rank alike (Kocmi et al., 2021).",
    "soft_pairwise_accuracy": "1 − mean distance between the one-sided p-values of metric and people, paired"
    " permutation test (Thompson et al., 2024).",
    "system_pearson": "Linear correlation of system scores.",
    "system_kendall": "Rank correlation of system scores, corrected for ties.",
    "acc_eq": "Share of output pairs of a segment that metric and people rank or tie alike, at the best tie threshold"
    " (Deutsch et al., 2023).",
    "segment_pearson": "Linear correlation over all outputs.",
    "segment_kendall": "Rank correlation over all outputs, corrected for ties.",
}
SHORT_MEASURES: Mapping[str, str] = {  # if all are side by side
    "pairwise_accuracy": "pairwise",
    "soft_pairwise_accuracy": "soft",
    "system_pearson": "r systems",
    "system_kendall": "tau systems",
    "acc_eq": "tied",
    "segment_pearson": "r segments",
    "segment_kendall": "tau segments",
}
EVERY_MEASURE = "every-measure"
METRIC = headed("name", "metric", "word")
TEST = headed("test", "test", "word")
SHARE = headed("accuracy", "%", "share", write=lambda row: _percent(row["accuracy"]))
ENDS = ("low", "high")
SHARE_INTERVAL = headed("low", "interval", fields=ENDS, write=lambda row: _interval(row, 100, 1))
INTERVAL = headed("low", "interval", fields=ENDS, write=lambda row: _interval(row, 1, 3))


def _percent(share: float) -> str:
    """Return a share in percent, as the paper writes it: ``80.3``."""
    return fixed(100 * share, 1)


def _interval(row: Row, factor: int, digits: int) -> str:
    """Return the ends of an interval times a factor: ``[62.1, 91.5]``; a dash without one."""
    low = factor * row["low"]
    high = factor * row["high"]
    if isnan(low):
        return DASH
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def tests_sections(people: HumanEvaluation) -> Iterator[Section]:
    """Yield how often tests agree with people, tests against each other, and what share of people would agree."""
    names = people.names
    accuracy = people.accuracy
    frame = accuracy.assign(name=accuracy["metric"].map(names), test=accuracy["procedure"].map(GOLD_TESTS))
    at_levels = [rows for _, rows in frame.groupby("level", sort=False)]
    warnings = [resolution_sentence(at, people.settings.n_shuffles) for at in people.choices.levels]
    yield Section(
        "tests",
        "How often tests agree with people",
        figure=partial(_accuracy_figure, at_levels[0]),
        parts=tuple(_at_level(rows) for rows in at_levels),
        notes=(*noted(TESTS_EXPLAINED, is_wide=True), *noted(*warnings)),
    )
    if not people.accuracies_apart.empty:
        yield _apart_section(people.accuracies_apart, names)
    if not people.against.empty:
        yield Section("tests-against", "Tests against each other", table=_against(people.against, names))
    yield from _shares_sections(people)


def _apart_section(apart: pd.DataFrame, names: Names) -> Section:
    """Return whether the accuracies of metrics differ, and those of tests, one row per level and comparison."""
    sides = apart.loc[apart["side"] != "", "side"].nunique()

    def compared(row: Row) -> str:
        if row["compared"] == "tests":
            return f"{counted(row['n_accuracies'], 'test')} of {names[row['metric']]}"
        words = [GOLD_TESTS[row["procedure"]]]
        if sides > 1:
            words.append(row["side"])
        return f"{counted(row['n_accuracies'], 'metric')} by {', '.join(words)}"

    columns = (
        headed("level", "level", "word", write=lambda row: level(row["level"])),
        headed("compared", "compared", "word", write=compared),
        headed("chi_square", "χ²", digits=2),
        headed("df", "df", digits=0),
        p_column("p_value"),
    )
    table = Table(columns, apart, "Chi-square tests of the accuracies, unadjusted")
    return Section("accuracies-apart", "Do the accuracies differ?", table=table, notes=noted(APART_EXPLAINED))


def _shares_sections(people: HumanEvaluation) -> Iterator[Section]:
    """Yield what share of people would agree with each metric that has a curve; nothing without such a metric."""
    title = "Share of pairs in which people would agree"
    shares = people.shares
    if shares.empty:
        return
    columns = (
        METRIC,
        headed("curve", "curve", "word"),
        headed("n_pairs", "pairs", digits=0),
        headed("expected", "expected %", "share", write=lambda row: fixed(100 * row["expected"], 0)),
        headed("observed", "here %", "share", write=lambda row: fixed(100 * row["observed"], 0)),
    )
    named = shares.assign(name=shares["metric"].map(people.names))
    yield Section("shares", title, table=Table(columns, named, SHARES_EXPLAINED))


def _at_level(rows: pd.DataFrame) -> Section:
    """Return Graham et al.'s Table 1 at one level: one row per metric and test."""
    answered = rows[rows["n_pairs"] > 0]
    at = rows["level"].iloc[0]

    # The caption has the words that all tests share; each of the others has a column.
    caption = [f"At {level(at)}"]
    if len(answered):
        caption.append(f"of {counted_range(answered['n_pairs'].tolist(), 'pair')}")
    else:
        caption.append(f"of {counted(0, 'pair')}")
    word_columns = []
    for name, template in WORDS.items():
        n_words = answered[name].nunique()
        if n_words == 1:
            caption.append(template.format(_word(answered[name].iloc[0])))
        elif n_words > 1:
            word_columns.append(headed(name, name, "word", write=lambda row, name=name: _word(row[name])))
    columns = (
        METRIC,
        TEST,
        *word_columns,
        headed("correct", "right", digits=0),
        SHARE,
        SHARE_INTERVAL,
        headed("missed", "missed", digits=0),
        headed("unfounded", "unfounded", digits=0),
        headed("reversed", "reversed", digits=0),
    )
    table = Table(columns, answered, f"{', '.join(caption)}:")
    return Section(f"tests-{at:g}", "", table=table, notes=noted(*_unanswered(rows)))


def _unanswered(rows: pd.DataFrame) -> Iterator[str]:
    """Yield the reason for each test without a result, each reason once."""
    n_metrics = rows["name"].nunique()
    for (test, note), refused in rows[rows["n_pairs"] == 0].groupby(["test", "note"], sort=False):
        metrics = list(dict.fromkeys(refused["name"]))
        if len(metrics) == n_metrics:
            yield f"{test}: {note}"
        else:
            yield f"{test}, {', '.join(metrics)}: {note}"


def _accuracy_figure(rows: pd.DataFrame) -> go.Figure:
    """Return a figure of the shares of conclusions that agree with people, one estimate per metric and test."""
    answered = rows[rows["n_pairs"] > 0]
    has_sides = answered["side"].nunique() > 1
    estimates = []
    for row in answered.to_dict("records"):
        test = f"{row['test']}, {row['side']}" if has_sides else row["test"]
        n_right = f"{row['correct']} of {counted(row['n_pairs'], 'pair')}, {_percent(row['accuracy'])}%"
        estimate = figures.people.Estimate(
            row["name"],
            test,
            100 * float(row["accuracy"]),
            100 * float(row["low"]),
            100 * float(row["high"]),
            f"{row['name']}, {test}: {n_right}",
        )
        estimates.append(estimate)
    return figures.people.estimates(estimates, "Conclusions that agree with people, %")


def _against(against: pd.DataFrame, names: Names) -> Table:
    """Return the tests that differ most from one another on the same pairs."""
    # Words that tell tests apart are part of their names.
    telling = [name for name in WORDS if len({*against[f"{name}_one"], *against[f"{name}_other"]}) > 1]

    def test_name(row: Row, end: str) -> str:
        words = [_word(row[f"{name}_{end}"]) for name in telling]
        return ", ".join([names[row[f"metric_{end}"]], GOLD_TESTS[row[f"procedure_{end}"]], *words])

    columns = (
        headed("one", "test", "word", write=partial(test_name, end="one")),
        headed("other", "against", "word", write=partial(test_name, end="other")),
        headed("only_one", "only first right", digits=0),
        headed("only_other", "only second right", digits=0),
        p_column("p_value"),
    )
    n_apart = int((against["p_value"] <= 0.05).sum())
    n_compared = counted(len(against), "comparison")
    caption = f"{n_apart:,} of {n_compared} of two tests differ at 5% (McNemar, unadjusted); smallest p first"
    smallest_first = against.sort_values("p_value", kind="stable")
    return Table(columns, smallest_first.head(MOST_COMPARISONS), caption)


def _word(value: Any) -> str:
    """Return the name of a unit or a side."""
    return UNITS.get(str(value), str(value))


def counts_section(counts: pd.DataFrame) -> Section:
    """Return published counts with shares and exact intervals."""
    numbers = ("correct", "n_pairs", "accuracy", *ENDS)
    columns = (
        *(headed(name, name, "word") for name in counts.columns if name not in numbers),
        headed("correct", "right", digits=0),
        headed("n_pairs", "pairs", digits=0),
        SHARE,
        SHARE_INTERVAL,
    )
    title = "Published counts, with exact intervals"
    if len(counts) < 2:
        return Section("counts", title, table=Table(columns, counts))
    statistic, df, p = chi_square(counts["correct"].to_numpy(), counts["n_pairs"].to_numpy())
    sentence = f"Chi-square of the {counted(len(counts), 'row')}: {fixed(statistic, 2)}, df {df:,}, {p_equals(p)}."
    return Section("counts", title, table=Table(columns, counts), notes=noted(sentence, COUNTS_EXPLAINED))


def resolution_sentence(at: float, n_resamples: int) -> str:
    """Return a warning if tests have too few resamples for a level; else empty."""
    smallest = 1 / (n_resamples + 1)
    if smallest <= at:
        return ""
    resamples = counted(n_resamples, "resample")
    return f"{resamples} cannot give a p-value below {percent(smallest, 2)}: too few for {level(at)}."


def agreement_section(
    agreement: Agreement, names: Names, n_replicates: int, first: str = next(iter(MEASURES))
) -> Section:
    """Return the agreement of metrics with people: by one measure, by all side by side, by each of the others.

    Parameters
    ----------
    first
        The measure shown first, with its figure.
    """
    frame = agreement.frame.assign(name=agreement.frame["metric"].map(names))
    section_of = {
        str(measure): _by_measure(rows, str(measure)) for measure, rows in frame.groupby("measure", sort=False)
    }
    shown_first = replace(section_of.pop(first), figure=partial(agreement_figure, agreement.frame, first, names))
    rests_on = (
        f"Intervals: {counted(n_replicates, 'bootstrap replicate')} of {counted(agreement.n_units, agreement.unit)},"
        " systems fixed; BCa, and corrected for noise in system scores. Pairs that share a system are dependent: more"
        " pairs are not more systems. A new cluster starts at the first metric that differs significantly from one in"
        " the cluster above (Westfall and Young, 1993)."
    )
    every = Section(EVERY_MEASURE, "", table=_every_measure(frame), notes=noted(rests_on, is_wide=True))
    others = Section("measures", "Each measure with intervals", is_detail=True, parts=tuple(section_of.values()))
    size = f"{counted(len(agreement.systems), 'system')}, {counted(agreement.n_segments, 'segment')}"
    return Section("metrics", f"Which metric agrees with people? {size}", parts=(shown_first, every, others))


def _by_measure(rows: pd.DataFrame, measure: str) -> Section:
    """Return the metrics from best to worst, with intervals and clusters."""
    columns = [
        METRIC,
        headed("value", "value", digits=3),
        INTERVAL,
        headed("rank", "cluster", digits=0),
    ]
    if rows["threshold"].notna().any():
        columns.append(headed("threshold", "tie up to", write=lambda row: significant(row["threshold"], 3)))
    return Section(measure, "", (MEANINGS[measure],), Table(tuple(columns), rows, MEASURES[measure]))


def _every_measure(frame: pd.DataFrame) -> Table:
    """Return every metric by every measure, with its cluster in brackets."""
    # From one row per metric and measure to one row per metric, best first by the first measure.
    cells = frame.assign(value=[f"{fixed(row['value'], 3)} ({row['rank']})" for row in frame.to_dict("records")])
    by_metric = cells.pivot(index="name", columns="measure", values="value")
    by_metric = by_metric.reindex(frame["name"].unique()).reset_index()
    columns = [METRIC]
    # Texts such as “0.812 (1)”; as shares they are right-aligned
    for measure, heading in SHORT_MEASURES.items():
        columns.append(headed(measure, heading, "share", write=itemgetter(measure)))
    return Table(tuple(columns), by_metric, "All measures (cluster in brackets)")


def agreement_figure(frame: pd.DataFrame, measure: str, names: Names) -> go.Figure:
    """Return a figure of how metrics agree with people by one measure, from a frame with the columns ``META``."""
    estimates = []
    for row in frame[frame["measure"] == measure].to_dict("records"):
        name = names[row["metric"]]
        interval = f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"
        text = f"{name}: {fixed(row['value'], 3)}, {interval}, cluster {row['rank']}"
        estimates.append(figures.people.Estimate(name, "", row["value"], row["low"], row["high"], text))
    return figures.people.estimates(estimates, MEASURES[measure])


TOO_FEW = "This question needs three systems that were both judged and scored."
TITLES = {  # of questions that cannot be answered
    "gold": "Which systems people tell apart",
    "tests": "How often tests agree with people",
    "metrics": "Which metric agrees with people",
    "raters": "Would other raters say so?",
    "judge": JUDGE_TITLE,
}
STANDARDISED: Mapping[bool | None, str] = {  # what was standardised by annotator
    None: "Ratings (not error weights)",
    True: "All judgements",
    False: "No judgements",
}
SOURCES = (
    "Graham, Mathur, Baldwin 2014: Randomized Significance Tests in Machine Translation. WMT.",
    "Pearson 1900: On the Criterion That a Given System of Deviations … Can Be Reasonably Supposed to Have Arisen from"
    " Random Sampling. Philosophical Magazine.",
    "McNemar 1947: Note on the Sampling Error of the Difference Between Correlated Proportions. Psychometrika.",
    "Clopper, Pearson 1934: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial."
    " Biometrika.",
    "Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita, Menezes 2021: To Ship or Not to Ship: An Extensive"
    " Evaluation of Automatic Metrics for Machine Translation. WMT.",
    "Deutsch, Foster, Freitag 2023: Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie"
    " Calibration. EMNLP.",
    "Thompson, Mathur, Deutsch, Khayrallah 2024: Improving Statistical Significance in Human Evaluation of Automatic"
    " Metrics via Soft Pairwise Accuracy. WMT.",
    SOURCE_OF_SHARES,
    "Efron 1987: Better Bootstrap Confidence Intervals. Journal of the American Statistical Association.",
    "Fieller 1954: Some Problems in Interval Estimation. Journal of the Royal Statistical Society B.",
    "Angelopoulos, Duchi, Zrnic 2023: PPI++: Efficient Prediction-Powered Inference. arXiv:2311.01453.",
    "Calderon, Reichart, Dror 2025: The Alternative Annotator Test for LLM-as-a-Judge. ACL.",
    "Westfall, Young 1993: Resampling-Based Multiple Testing. Wiley.",
)


def sections_of(people: HumanEvaluation, question: str) -> Iterator[Section]:
    """Yield the answers to one of ``QUESTIONS``; none if nothing is compared with people.

    Raises
    ------
    MtevalError
        If the judgements cannot answer it.
    """
    if question == "gold":
        yield from averages_sections(people)
        yield gold_section(people.gold, people.choices.levels[0])
    elif question == "raters":
        yield from raters_sections(people.raters, people.rater_agreement, people.n_annotators)
    elif question == "judge":
        yield from judge_sections(*people.judges, people.settings.confidence)
    elif question == "tests":
        if people.ranks_systems:
            yield from tests_sections(people)
        elif people.scored:
            yield Section(question, TITLES[question], notes=noted(TOO_FEW))
    elif question == "metrics":
        if people.ranks_systems:
            agreement = agreement_section(people.agreement, people.names, people.settings.n_bootstrap)
            yield _with_doubt_about_numbers(agreement, people)
        elif people.scored and len(people.averages[0]) > 1:  # two systems differ; one differs from nothing
            if people.beside[0].empty:
                yield Section(question, TITLES[question], notes=noted(_without_shared_systems(people)))
                return
            given = [scored.metric.given for scored in people.scored if isinstance(scored.metric, Imported)]
            beside = beside_section(*people.beside, catalog(given), people.pair, people.scales[0])
            yield _with_doubt_about_numbers(beside, people)
        elif people.scored:
            yield Section(question, TITLES[question], notes=noted(TOO_FEW))


def _without_shared_systems(people: HumanEvaluation) -> str:
    """Return that no metric has scores of the pair that people judged, whose names may be spelled otherwise."""
    scored = dict.fromkeys(chain.from_iterable(scores.statistics for scores in people.scored))
    return (
        f"No metric has scores of both {listed(people.pair)}, which people judged. Scored: {listed(list(scored))}. Give"
        " systems the same names in all files."
    )


def _with_doubt_about_numbers(section: Section, people: HumanEvaluation) -> Section:
    """Return a section on people and metrics with a warning if people's segments may be one off those of metrics."""
    test_set = people.scored[0].test_set
    if not may_count_from_0(people.frame, test_set):
        return section
    doubt = (
        f"All segments but number {test_set.n_segments:,} were judged. Numbers are read as counting from 1. If they"
        " count from 0, add 1 to each."
    )
    return replace(section, notes=(*noted(doubt, level="warning"), *section.notes))


def averages_sections(people: HumanEvaluation) -> Iterator[Section]:
    """Yield each system's mean and its difference to one of them, by scale."""
    choices = people.choices
    for averages in people.averages:
        yield averages_section(averages, people.settings, choices.standardise, people.votes, is_assigned(people.given))
    if choices.is_assisted:
        yield assisted_section(people.assisted, list(people.names.values()), people.settings)


def gold_methods(people: HumanEvaluation) -> str:
    """Return the sentences of the methods section on comparing human judgements."""
    question = people.question
    unit = plural(people.judged_unit)
    scale, scale_of_ties = people.scales
    ties_broken = f" (ties broken by {scale_of_ties})" if scale_of_ties is not None else ""
    if is_assigned(people.given):
        intervals = (
            "Outputs were assigned adaptively; means are weighted by inverse probabilities (Hájek, 1971). Intervals and"
            f" tests of means and differences are Student's t over {unit}."
        )
    else:
        intervals = (
            f"Intervals of mean judgements are Student's t over {unit}; those of differences invert the approximate"
            " randomization test."
        )
    sentences = [f"Human judgements: {judged_extent(people.given)}"]
    standardised = [scale for scale in people.scales if scale and is_standardised(scale, people.choices.standardise)]
    if standardised:
        sentences.append(f"Judgements of {listed(standardised)} were standardised by annotator.")
    if people.given["system"].nunique() > 1:
        adjusted = "unadjusted (Graham et al., 2014)"
        if question.procedure != RANK_SUM:
            adjusted = f"adjusted for all pairs ({CORRECTIONS[corrections_for(question.spec)[0]]})"
        sentences.append(
            f"We compare systems by {scale}{ties_broken} ({GOLD_TESTS[question.procedure]} over"
            f" {UNITS.get(question.unit, question.unit)}, one-sided in either direction, {adjusted})."
        )
        sentences.append(intervals)
        if people.votes is not None:
            sentences.append(
                f"A sign test compares how many {unit} each system won by votes; the interval of its share is exact"
                " (Clopper and Pearson, 1934)."
            )
    else:
        sentences.append(f"Intervals of mean judgements are Student's t over {unit}.")
    return " ".join(sentences)


def people_methods(people: HumanEvaluation) -> Iterator[str]:
    """Yield the sentences of the methods section on human judgements; metrics are scored if they were not before."""
    choices = people.choices
    settings = people.settings
    yield gold_methods(people)
    if people.ranks_systems:
        tests = listed([GOLD_TESTS[procedure] for procedure in choices.procedures])
        unit = UNITS[people.unit]
        yield (
            f"A test of a metric ({tests}; {listed(SIDES[choices.sides])}; {unit};"
            f" {counted(settings.n_shuffles, 'resample')}) is correct if human judgements give the same conclusion at"
            " the same level. Shares have exact intervals (Clopper and Pearson, 1934)."
        )
        yield (
            "Metrics are compared with people by pairwise accuracy (Kocmi et al., 2021), soft pairwise accuracy"
            " (Thompson et al., 2024) and correlation. On segments we use accuracy with tie calibration (Deutsch et"
            " al., 2023)."
            f" {level(settings.confidence)} intervals take the systems as fixed and resample {unit}"
            f" ({counted(settings.n_bootstrap, 'replicate')}; BCa, Efron, 1987). They correct for noise in system"
            " scores: by Fieller's (1954) method for Pearson's correlation over systems, by mirrored percentiles for"
            " measures over pairs of systems. Metrics are compared by the same replicates (Westfall and Young, 1993)."
        )
    outputs = people.given.groupby(["system", "segment"])["annotator"]
    if outputs.nunique().max() > 1:
        measured = "on an ordinal scale" if people.scales[0] == PREFERENCE else "raw and standardised by annotator"
        yield f"Agreement of annotators is Krippendorff's alpha ({measured})."
        yield (
            "To account for raters, we use outputs that several raters judged. Raters and segments are crossed random"
            " effects (Student's t, Satterthwaite degrees of freedom)."
        )
    if choices.is_assisted:
        yield (
            "Differences are also estimated with metrics as control variates (PPI++; Angelopoulos et al., 2023), their"
            f" weights cross-fitted over {plural(people.judged_unit)}."
        )
    if choices.judge:
        yield (
            "Whether a judge may replace a rater is decided by the alternative annotator test (Calderon et al., 2025;"
            f" epsilon {choices.epsilon:g}, over {plural(people.judged_unit)})."
        )
