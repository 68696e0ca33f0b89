"""A talk about luck in an experiment: slides made of the sections on pages, as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.replication import draws
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication
from mteval.analysis.replication.pool import Pool, variation_of, verdict_of, verdicts_by_people_of
from mteval.analysis.replication.variation import Variation
from mteval.analysis.scoring import Work
from mteval.answers.planner import convince_sentence, variance_section
from mteval.answers.replication import (
    ASSUMPTION,
    FEWEST_FOR_BARS,
    PUBLISHED_DRAWS,
    Subject,
    draws_section,
    outlook_sentence,
    published_section,
    spread_section,
    undeclared_sentence,
)
from mteval.answers.scores import covered
from mteval.answers.section import Column, Section, Table, noted
from mteval.answers.verdict import card, luck_unknown
from mteval.base.arrays import FloatArray
from mteval.base.errors import MtevalError
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.spread import difference_pair
from mteval.figures.style import enlarged
from mteval.render.html import cards
from mteval.render.talk import Slide, talk_file
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import copies_or_single_runs, summarize_runs
from mteval.values.model import Experiment
from mteval.values.notation import level
from mteval.values.verdict import Verdict

# Keys of the slides, in order
WHO = "who"
RUNS = "runs"
DRAWS = "draws"
NUMBERS = "numbers"
PAIR = "pair"
PUBLISHED = "published"
VARIANCE = "variance"
VERDICT = "verdict"

TALL = 470  # height of a figure above one line of notes, in pixels
MIDDLE = 400  # height of a figure above several lines
MOST_CASES = 5  # of draws on one slide
WIDTH = 1280 - 2 * 48  # of a figure alone on a slide, in pixels
BESIDE_WIDTH = 660  # of one with a table beside it
RECORDED = 100  # draws
NO_LAYOUT: Mapping[str, Any] = {}
LARGE_TYPE = 22  # of figures, in pixels
FEWEST_FOR_HISTOGRAM = 10  # runs per system; of fewer each is a dot
SEVERAL = 5  # runs, compared with one
USUAL_NUMBERS = (1, 2, 3, 5, 10, 15, 30)  # of runs per system, compared on one slide
MOST_NUMBERS = 6  # of them on one slide


@dataclass(frozen=True)
class Talk:
    """Which systems are compared, and how.

    Parameters
    ----------
    k, procedure
        Runs per system in a draw, and the test applied to it.
    """

    subject: Subject
    pool: Pool
    k: int
    procedure: str

    @property
    def refusal(self) -> str:
        """Why other runs cannot be predicted; empty if they can."""
        return self.subject.filled(copies_or_single_runs(*self.pool.statistics))

    @property
    def can_draw(self) -> bool:
        """Whether draws of these runs can differ."""
        return bool(draws.numbers_to_draw(self.pool.sizes))

    @property
    def outline(self) -> tuple[str, ...]:
        """The slides in order, without those that these data cannot support."""
        slides = [WHO, RUNS]
        if self.can_draw:
            slides.append(DRAWS)
        if not self.refusal and min(self.pool.sizes) >= FEWEST_FOR_BARS:
            slides += [NUMBERS, PAIR]
        if self.can_draw:
            slides.append(PUBLISHED)
        if not self.refusal:
            slides.append(VARIANCE)
        slides.append(VERDICT)
        return tuple(slides)

    @property
    def testers(self) -> tuple[str, ...]:
        """The procedures of the two answers that can test draws of runs."""
        return tuple(answering(luck, self.pool.unit).key for luck in ("test-set", "both"))


def _slide(
    talk: Talk,
    key: str,
    title: str,
    *notes: str,
    draw: Callable[[], go.Figure] | None = None,
    size: tuple[int, int] = (WIDTH, TALL),
    table: Table | None = None,
    layout: Mapping[str, Any] = NO_LAYOUT,
    type_size: int = LARGE_TYPE,
) -> Slide:
    """Return a slide with a title, a figure, and notes below.

    Parameters
    ----------
    title
        A template, which the subject of the talk fills.
    draw
        Draws the figure as on a page.
    size
        Width and height of the figure in pixels.
    layout
        Further layout of the figure.
    """
    figure = None
    if draw is not None:
        figure = partial(_enlarged, draw, size, layout, type_size)
    filled_title = talk.subject.filled(title, test_set=talk.pool.scored.test_set.name)
    return Slide(Section(key, filled_title, table=table, figure=figure, notes=noted(*notes)))


def _enlarged(
    draw: Callable[[], go.Figure], size: tuple[int, int], layout: Mapping[str, Any], type_size: int
) -> go.Figure:
    width, height = size
    return enlarged(draw(), width, height, type_size).update_layout(layout)


def waiting(talk: Talk, key: str) -> Slide:
    """Return a slide that has its title only, until its numbers are ready."""
    return _slide(talk, key, _title(talk, key))


def _title(talk: Talk, key: str) -> str:
    """Return the title of a slide whose numbers may take a while, a template."""
    match key:
        case "numbers":
            return "More {runs}, fewer surprises"
        case "pair":
            return f"One {{run}} per system, or {min(SEVERAL, *talk.pool.sizes)}"
        case "published":
            return "Which p would have been published?"
    return "The verdict on {test_set}"


def who(talk: Talk) -> Slide:
    """Return the slide with systems, metric and test set."""
    subject = talk.subject
    pool = talk.pool
    means = [scores.mean() for scores in pool.scores]
    rows = pd.DataFrame({"system": subject.systems, "n": pool.sizes, "mean": means})
    columns = (
        Column("system", "System"),
        Column("n", subject.runs.nouns, "count"),
        Column("mean", f"mean {subject.notation.heading(subject.metric)}", "number"),
    )
    caption = f"{pool.scored.test_set.name}: {covered(pool.coverage)}"
    luck = subject.filled("Two kinds of luck: which segments are in the test set, and which {runs} each system got.")
    return _slide(
        talk,
        WHO,
        _question(talk),
        luck,
        undeclared_sentence(subject),
        table=Table(columns, rows, caption, notation=subject.notation),
    )


def _question(talk: Talk) -> str:
    """Return a question that suits the sign of the difference."""
    better, worse = talk.subject.notation.comparatives
    improvement = talk.pool.direction * talk.pool.difference
    if improvement == 0:
        return "Do {system} and {baseline} score the same by luck?"
    if improvement > 0:
        return f"Is {{system}} {better} than {{baseline}}, or did it get lucky?"
    return f"Is {{system}} {worse} than {{baseline}}, or was it unlucky?"


def runs_as_they_fell(talk: Talk) -> Slide:
    """Return the slide with Clark et al.'s Figure 1; a few runs are dots."""
    subject = talk.subject
    scores_of = dict(zip(subject.keys, talk.pool.scores, strict=True))

    def draw() -> go.Figure:
        rows = []
        for system, scores in scores_of.items():
            rows += [(system, str(run), float(score)) for run, score in enumerate(scores)]
        frame = pd.DataFrame(rows, columns=["system", "run", "score"])
        if min(talk.pool.sizes) >= FEWEST_FOR_HISTOGRAM:
            return run_histogram(frame, subject.keys, subject.colors, subject.metric, subject.notation, subject.runs)
        summary = _summary_of_runs(scores_of)
        return run_strip(frame, summary, subject.colors, subject.metric, subject.notation, subject.runs)

    if max(talk.pool.sizes) == 1:
        title = "One {run} per system"
        extent = "Scores"
    elif any(np.ptp(scores) > 0 for scores in talk.pool.scores):
        title = "{Runs} of the same system score differently"
        extent = "Range of the {runs}"
    else:
        title = "Every {run} scores the same"
        extent = "Range of the {runs}"
    extents = "; ".join(f"{system}: {_extent(subject, scores)}" for system, scores in scores_of.items())
    note = subject.filled(f"{extent}: {{extents}} {{metric}}.", extents=extents)
    return _slide(talk, RUNS, title, note, draw=draw)


def _summary_of_runs(scores_of: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Return mean, spread and median run per system; the spread over test sets is unknown here."""
    rows = []
    for system, scores in scores_of.items():
        summary = summarize_runs(scores)
        rows.append((system, summary.mean, np.nan, summary.s_opt, str(summary.median_run)))
    return pd.DataFrame(rows, columns=["system", "mean", "s_sel", "s_opt", "median_run"])


def _extent(subject: Subject, scores: FloatArray) -> str:
    """Return the range of the scores, or one number."""
    low = float(scores.min())
    high = float(scores.max())
    if low == high:
        return subject.notation.number(low)
    return subject.notation.range(low, high)


def drawing(talk: Talk, drawn: pd.DataFrame, odds: pd.DataFrame | None, verdict: Verdict | None) -> Slide:
    """Return the slide that draws runs. ``drawn`` has the columns of ``trials``, ``odds`` those of ``odds``."""
    subject = talk.subject
    how_drawn = (talk.procedure, talk.k, draws.extent_of(talk.pool, talk.k))
    section = draws_section(subject, drawn, how_drawn, odds, verdict)
    each = "One {run}" if talk.k == 1 else f"{talk.k} {{runs}}"
    test = f"Test: {subject.procedures[talk.procedure]}, {level(subject.settings.level)}."
    slide = _slide(
        talk,
        DRAWS,
        f"{each} each: what you would have published",
        " ".join([test, *(note.said for note in section.notes)]),
        draw=section.figure,
        size=(BESIDE_WIDTH, 350),
        layout={"showlegend": False},
        table=section.table,
    )
    return Slide(replace(slide.section, lead=section.lead))


def by_number(talk: Talk, replication: Replication) -> Slide:
    """Return the slide with Clark et al.'s Figure 2."""
    known = replication.outlook["k"].tolist()
    shown = [k for k in USUAL_NUMBERS if k in known][:MOST_NUMBERS]
    if not shown:
        shown = known[:1]
    outlook = replication.outlook
    frequencies = replication.frequencies
    fewer = Replication(outlook[outlook["k"].isin(shown)], frequencies[frequencies["k"].isin(shown)])
    return _slide(
        talk,
        NUMBERS,
        _title(talk, NUMBERS),
        outlook_sentence(talk.subject, outlook),
        draw=spread_section(talk.subject, fewer).figure,
        size=(WIDTH, MIDDLE + 20),
        layout={"margin": {"t": 72}},
    )


def one_and_several(talk: Talk, replication: Replication) -> Slide:
    """Return the slide with one run each beside five, or as many as there are."""
    subject = talk.subject
    several = min(SEVERAL, *talk.pool.sizes)
    draw = partial(
        difference_pair,
        replication.frequencies,
        replication.outlook,
        (1, several),
        f"difference in {subject.metric}",
        subject.notation,
        subject.runs,
    )
    note = f"Bars: all combinations of these {{runs}}. Line: new {{runs}}, {ASSUMPTION}."
    height = TALL
    if draws.n_combinations(talk.pool.sizes, several) == 1:
        note += " With one combination, there are no bars."
        height = MIDDLE
    return _slide(talk, PAIR, _title(talk, PAIR), subject.filled(note), draw=draw, size=(WIDTH, height))


def published_p(talk: Talk, published: pd.DataFrame) -> Slide:
    """Return the slide with Clark et al.'s Table 2 as a figure, with at most ``MOST_CASES`` cases.

    If there are more, that of the median runs goes first: the others show better how far p varies.
    """
    shown = published[published["procedure"].isin(talk.testers)]
    case_of_row = shown["n"].astype(str) + shown["baseline_run"]
    if case_of_row.nunique() > MOST_CASES:
        cases = case_of_row[shown["baseline_run"] != "median"].unique()
        shown = shown[case_of_row.isin(cases[:MOST_CASES])]
    section = published_section(talk.subject, shown, PUBLISHED_DRAWS)

    def draw() -> go.Figure:
        assert section.figure is not None
        figure = section.figure()
        # A slide is wider than a page, where long names are broken
        names_on_one_line = [name.replace("<br>", " ") for name in figure.layout.yaxis.ticktext]
        return figure.update_yaxes(ticktext=names_on_one_line)

    legend = "Dot: median of the draws. Bar: central 95%. Dashed: level."
    return _slide(talk, PUBLISHED, _title(talk, PUBLISHED), legend, draw=draw, type_size=20)


def variance_sources(talk: Talk, variation: Variation) -> Slide:
    """Return the slide with the sources of variance of the difference, without those of each system alone."""
    section = variance_section(talk.subject, replace(variation, alone=()))
    return _slide(
        talk,
        VARIANCE,
        "Where the luck comes from",
        *section.lead,
        draw=section.figure,
        size=(WIDTH, 340),
        layout={"margin": {"r": 220}},  # room for the standard deviations beside the bars
    )


def conclusion(talk: Talk, verdict: Verdict, plan: Plan | None, by_people: Sequence[Verdict] = ()) -> Slide:
    """Return the slide with the verdict, those by people beside it, and the data still needed."""
    if verdict.both == "refused":
        notes = list(luck_unknown([verdict]))
    else:
        notes = [talk.refusal]
    if plan is not None:
        notes.append(convince_sentence(talk.subject, plan))
    slide = _slide(talk, VERDICT, _title(talk, VERDICT), *notes)
    # Warnings about the data are for whoever prepares the talk, on Scores
    without_warnings = replace(verdict, findings=())
    shown = card(without_warnings, talk.subject.settings.confidence, by_people)
    return replace(slide, instead_of_table=cards(shown))


def recorded_talk(talk: Talk, experiment: Experiment, wish: Wish, work: Work) -> str:
    """Return the talk by one metric as a file, with a hundred draws."""
    pool = talk.pool
    settings = talk.subject.settings
    verdict = verdict_of(pool, experiment, settings, talk.subject.spec, work)
    by_people = verdicts_by_people_of(pool, experiment, settings, work)
    variation = variation_if_known(pool)
    plan = None if variation is None else plan_from(pool, variation, wish)

    slide_of = {WHO: who(talk), RUNS: runs_as_they_fell(talk), VERDICT: conclusion(talk, verdict, plan, by_people)}
    if NUMBERS in talk.outline:
        replicated = replication(pool, settings, min(pool.sizes))
        slide_of[NUMBERS] = by_number(talk, replicated)
        slide_of[PAIR] = one_and_several(talk, replicated)
    if variation is not None:
        slide_of[VARIANCE] = variance_sources(talk, variation)
    drawings: list[Slide] = []
    if talk.can_draw:
        drawings = list(_drawings(talk, verdict, work))
        slide_of[DRAWS] = drawings[0]
        numbers = draws.numbers_in_talk(pool.sizes)
        published, _ = draws.published(pool, numbers, PUBLISHED_DRAWS, talk.testers, settings, work)
        slide_of[PUBLISHED] = published_p(talk, published)
    return talk_file([slide_of[key] for key in talk.outline if key in slide_of], drawings)


def _drawings(talk: Talk, verdict: Verdict, work: Work) -> Iterator[Slide]:
    """Yield the slide after none, one, two … draws."""
    settings = talk.subject.settings
    procedures = (talk.procedure,)
    odds = draws.odds(talk.pool, talk.k, procedures, settings, work)
    lucky = draws.lucky_draws(talk.pool, talk.k, range(RECORDED), settings)
    trials = draws.trials(talk.pool, lucky, procedures, settings, work)
    for n in range(RECORDED + 1):
        yield drawing(talk, trials.iloc[:n], odds, verdict)


def variation_if_known(pool: Pool) -> Variation | None:
    """Return the sources of variance; None if the runs cannot show them."""
    try:
        return variation_of(pool)
    except MtevalError:
        return None
