"""A talk about luck in an experiment: slides made of the sections on pages, as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.replication import draws
from mteval.analysis.replication.planning import Plan, Replication, Wish, plan_from, replication
from mteval.analysis.replication.pool import Pool, Variation, variation_of, verdict_of
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

SLIDES = ("who", "runs", "draws", "numbers", "pair", "published", "variance", "verdict")
WHO, RUNS, DRAWS, NUMBERS, PAIR, PUBLISHED, VARIANCE, VERDICT = SLIDES
TALL, MIDDLE = 470, 400  # heights of figures above one line of notes and above several
MOST_CASES = 5  # of draws on one slide
WIDTH = 1280 - 2 * 48  # of a figure alone on a slide, in pixels
BESIDE_WIDTH = 660  # of one with a table beside it
RECORDED = 100  # draws
NO_LAYOUT: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Talk:
    """Which systems are compared, and how.

    Parameters
    ----------
    k, procedure
        Runs per system in a draw, and the test applied to it.
    """

    about: Subject
    pool: Pool
    k: int
    procedure: str

    @property
    def refusal(self) -> str:
        """Why other runs cannot be predicted; empty if they can."""
        return self.about.filled(copies_or_single_runs(*self.pool.statistics))

    @property
    def can_draw(self) -> bool:
        """Whether draws of these runs can differ."""
        return bool(draws.numbers_to_draw(self.pool.sizes))

    @property
    def outline(self) -> tuple[str, ...]:
        """The slides in order, without those that these data cannot support."""
        spread = () if self.refusal or min(self.pool.sizes) < FEWEST_FOR_BARS else (NUMBERS, PAIR)
        drawing, published = ((DRAWS,), (PUBLISHED,)) if self.can_draw else ((), ())
        return (WHO, RUNS, *drawing, *spread, *published, *(() if self.refusal else (VARIANCE,)), VERDICT)

    @property
    def testers(self) -> tuple[str, ...]:
        """The procedures of the two answers that can test draws of runs."""
        return tuple(answering(luck, self.pool.unit).key for luck in ("test-set", "both"))


def _slide(
    talk: Talk, key: str, title: str, *notes: str, draw: Callable[[], go.Figure] | None = None,
    size: tuple[int, int] = (WIDTH, TALL), table: Table | None = None, **how: Any,
) -> Slide:  # fmt: skip
    """Return a slide with a title (a template), a figure of a size, and notes below."""
    figure = None if draw is None else partial(_enlarged, draw, size, **how)
    return Slide(Section(key, talk.about.filled(title), table=table, figure=figure, notes=noted(*notes)))


def _enlarged(
    draw: Callable[[], go.Figure], size: tuple[int, int], *, layout: Mapping[str, Any] = NO_LAYOUT, type_size: int = 22
) -> go.Figure:
    return enlarged(draw(), *size, type_size).update_layout(layout)


def who(talk: Talk) -> Slide:
    """Return the slide with systems, metric and test set."""
    about, pool = talk.about, talk.pool
    rows = pd.DataFrame({"system": about.systems, "n": pool.sizes, "mean": [scores.mean() for scores in pool.scores]})
    mean = Column("mean", f"mean {about.notation.heading(about.metric)}", "number")
    columns = (Column("system", "System"), Column("n", about.runs.nouns, "count"), mean)
    rests_on = f"{pool.scored.test_set.name}: {covered(pool.coverage)}"
    luck = about.filled("Two kinds of luck: which segments are in the test set, and which {runs} each system got.")
    return _slide(
        talk, WHO, _question(talk), luck, undeclared_sentence(about),
        table=Table(columns, rows, rests_on, notation=about.notation),
    )  # fmt: skip


def _question(talk: Talk) -> str:
    """Return a question that suits the sign of the difference."""
    better, worse = talk.about.notation.comparatives
    gain = talk.pool.direction * talk.pool.difference
    if gain == 0:
        return "Do {system} and {baseline} score the same by luck?"
    word, luck = (better, "did it get lucky") if gain > 0 else (worse, "was it unlucky")
    return f"Is {{system}} {word} than {{baseline}}, or {luck}?"


def runs_as_they_fell(talk: Talk) -> Slide:
    """Return the slide with Clark et al.'s Figure 1; a few runs are dots."""
    about, pool = talk.about, talk.pool
    pairs = list(zip(about.keys, pool.scores, strict=True))
    rows = [(system, str(run), float(score)) for system, scores in pairs for run, score in enumerate(scores)]
    scores = pd.DataFrame(rows, columns=["system", "run", "score"])

    def draw() -> go.Figure:
        if min(pool.sizes) >= 10:  # runs; of fewer each is a dot
            return run_histogram(scores, about.keys, about.colors, about.metric, about.notation, about.runs)
        found = [(system, summarize_runs(scores)) for system, scores in pairs]
        summaries = [(system, one.mean, np.nan, one.s_run, str(one.median_run)) for system, one in found]
        summary = pd.DataFrame(summaries, columns=["system", "mean", "s_sel", "s_run", "median_run"])
        return run_strip(scores, summary, about.colors, about.metric, about.notation, about.runs)

    title, what = "Every {run} scores the same", "Range of the {runs}"
    if max(pool.sizes) == 1:
        title, what = "One {run} per system", "Scores"
    elif any(np.ptp(scores) > 0 for scores in pool.scores):
        title = "{Runs} of the same system score differently"
    said = "; ".join(f"{system}: {_extent(about, found)}" for system, found in pairs)
    return _slide(talk, RUNS, title, about.filled(f"{what}: {{said}} {{metric}}.", said=said), draw=draw)


def _extent(about: Subject, scores: FloatArray) -> str:
    """Return the range of the scores, or one number."""
    low, high = float(scores.min()), float(scores.max())
    return about.notation.number(low) if low == high else about.notation.range(low, high)


def drawing(talk: Talk, drawn: pd.DataFrame, odds: pd.DataFrame | None, verdict: Verdict | None) -> Slide:
    """Return the slide that draws runs. ``drawn`` has the columns of ``trials``, ``odds`` those of ``odds``."""
    about, k = talk.about, talk.k
    section = draws_section(about, drawn, (talk.procedure, k, draws.extent_of(talk.pool, k)), odds, verdict)
    each = "One {run}" if k == 1 else f"{k} {{runs}}"
    test = f"Test: {about.procedures[talk.procedure]}, {level(about.settings.level)}."
    slide = _slide(
        talk, DRAWS, f"{each} each: what you would have published", " ".join([test, *(n.said for n in section.notes)]),
        draw=section.figure, size=(BESIDE_WIDTH, 350), layout={"showlegend": False}, table=section.table,
    )  # fmt: skip
    return Slide(replace(slide.section, lead=section.lead))


def by_number(talk: Talk, found: Replication) -> Slide:
    """Return the slide with Clark et al.'s Figure 2."""
    ks = found.outlook["k"].tolist()
    wanted = [k for k in (1, 2, 3, 5, 10, 15, 30) if k in ks][:6] or ks[:1]  # numbers of runs on one slide
    few = Replication(*(frame[frame["k"].isin(wanted)] for frame in (found.outlook, found.frequencies)))
    return _slide(
        talk, NUMBERS, "More {runs}, fewer surprises", outlook_sentence(talk.about, found.outlook),
        draw=spread_section(talk.about, few).figure, size=(WIDTH, MIDDLE + 20),
        layout={"margin": {"t": 72}},
    )  # fmt: skip


def one_and_several(talk: Talk, found: Replication) -> Slide:
    """Return the slide with one run each beside five, or as many as there are."""
    about, several = talk.about, min(5, int(found.outlook["k"].max()))  # runs, side by side with one
    frames, quantity = (found.frequencies, found.outlook), f"difference in {about.metric}"
    draw = partial(difference_pair, *frames, (1, several), quantity, about.notation, about.runs)
    said = f"Bars: all combinations of these {{runs}}. Line: new {{runs}}, {ASSUMPTION}."
    is_alone = draws.n_combinations(talk.pool.sizes, several) == 1
    said += " With one combination, there are no bars." if is_alone else ""
    size = (WIDTH, MIDDLE if is_alone else TALL)
    return _slide(talk, PAIR, f"One {{run}} per system, or {several}", about.filled(said), draw=draw, size=size)


def published_p(talk: Talk, published: pd.DataFrame) -> Slide:
    """Return the slide with Clark et al.'s Table 2 as a figure."""
    here = published[published["procedure"].isin(talk.testers)]
    case = here["n"].astype(str) + here["baseline_run"]
    if case.nunique() > MOST_CASES:
        here = here[case.isin(case[here["baseline_run"] != "median"].unique()[:MOST_CASES])]
    section = published_section(talk.about, here, PUBLISHED_DRAWS)

    def draw() -> go.Figure:
        assert section.figure is not None
        figure = section.figure()
        names = [name.replace("<br>", " ") for name in figure.layout.yaxis.ticktext]  # on one line
        return figure.update_yaxes(ticktext=names)

    title, legend = "Which p would have been published?", "Dot: median of the draws. Bar: central 95%. Dashed: level."
    return _slide(talk, PUBLISHED, title, legend, draw=draw, type_size=20)


def variance_sources(talk: Talk, variation: Variation) -> Slide:
    """Return the slide with the sources of variance."""
    section = variance_section(talk.about, replace(variation, alone=()))
    how: dict[str, Any] = {"size": (WIDTH, 340), "layout": {"margin": {"r": 220}}}
    return _slide(talk, VARIANCE, "Where the luck comes from", *section.lead, draw=section.figure, **how)


def conclusion(talk: Talk, verdict: Verdict, plan: Plan | None) -> Slide:
    """Return the slide with the verdict, and the data still needed."""
    why = luck_unknown([verdict]) if verdict.both == "refused" else (talk.refusal,)
    takes = "" if plan is None else convince_sentence(talk.about, plan)
    slide = _slide(talk, VERDICT, "The verdict", *why, takes)
    return replace(slide, other=cards(card(verdict, talk.about.settings.confidence)))


def recorded_talk(talk: Talk, experiment: Experiment, wish: Wish, work: Work) -> str:
    """Return the talk by one metric as a file, with a hundred draws."""
    about, pool, settings = talk.about, talk.pool, talk.about.settings
    verdict, variation = verdict_of(pool, experiment, settings, about.spec, work), variation_if_known(pool)
    plan = None if variation is None else plan_from(pool, variation, wish)
    shown = {WHO: who(talk), RUNS: runs_as_they_fell(talk), VERDICT: conclusion(talk, verdict, plan)}
    drawings = list[Slide]()
    if NUMBERS in talk.outline:
        found = replication(pool, settings, min(pool.sizes))
        shown |= {NUMBERS: by_number(talk, found), PAIR: one_and_several(talk, found)}
    if variation is not None:
        shown[VARIANCE] = variance_sources(talk, variation)
    if talk.can_draw:
        drawings = list(_drawings(talk, verdict, work))
        shown[DRAWS] = drawings[0]
        numbers = (1, *draws.usual_numbers(pool.sizes))
        found_p, _ = draws.published(pool, numbers, PUBLISHED_DRAWS, talk.testers, settings, work)
        shown[PUBLISHED] = published_p(talk, found_p)
    return talk_file([shown[key] for key in talk.outline if key in shown], drawings)


def _drawings(talk: Talk, verdict: Verdict, work: Work) -> Iterator[Slide]:
    """Yield the slide after none, one, two … draws."""
    pool, settings, procedures = talk.pool, talk.about.settings, (talk.procedure,)
    found = draws.odds(pool, talk.k, procedures, settings, work)
    drawn = draws.trials(pool, draws.lucky_draws(pool, talk.k, range(RECORDED), settings), procedures, settings, work)
    for n in range(RECORDED + 1):
        yield drawing(talk, drawn.iloc[:n], found, verdict)


def variation_if_known(pool: Pool) -> Variation | None:
    """Return the sources of variance; None if the runs cannot show them."""
    try:
        return variation_of(pool)
    except MtevalError:
        return None
