"""A talk about the luck in an experiment: slides made of the sections that pages show, and one HTML file of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.replication.differences import Replication, replication
from mteval.analysis.replication.draws import (
    extent_of,
    lucky_draws,
    n_combinations,
    no_trials,
    numbers_to_draw,
    odds,
    published,
    trials,
    usual_numbers,
)
from mteval.analysis.replication.planning import Plan, Wish, plan_from
from mteval.analysis.replication.pool import Pool, Variation, variation_of, verdict_of
from mteval.analysis.work import Work
from mteval.answers.draws import NO_DRAWS, draws_section, published_section
from mteval.answers.planner import convince_sentence
from mteval.answers.replication import ASSUMPTION, Subject, outlook_sentence, spread_section, undeclared_sentence
from mteval.answers.scores import covered
from mteval.answers.section import Column, Section, Table, noted
from mteval.answers.variance import variance_section
from mteval.answers.verdict import card
from mteval.base.arrays import FloatArray
from mteval.base.errors import MtevalError
from mteval.base.words import agreeing, counted
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.spread import difference_pair
from mteval.figures.style import enlarged, in_words
from mteval.render.html import cards
from mteval.render.talk import Slide, talk_file
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import copies_or_single_runs, summarize_runs
from mteval.values.model import Experiment
from mteval.values.notation import level
from mteval.values.verdict import Verdict

WHO, RUNS, DRAWS, NUMBERS, PAIR, PUBLISHED, VARIANCE, VERDICT = (
    "who", "runs", "draws", "numbers", "pair", "published", "variance", "verdict",
)  # fmt: skip
TALL, MIDDLE = 470, 400  # heights of figures above one line of notes and above several
MOST_ROWS = 6  # numbers of runs on one slide
MOST_CASES = 5  # of draws on one slide
AGAINST_ONE = 5  # runs, side by side with one
ENOUGH_FOR_BARS = 10  # runs; of fewer each is a dot
WIDTH = 1280 - 2 * 48  # of a figure alone on a slide, in pixels
BESIDE_WIDTH = 660  # of one with a table beside it
RECORDED = 100  # draws
PUBLISHED_DRAWS = 250  # for each number of runs


@dataclass(frozen=True)
class Talk:
    """Who competes, and by what.

    Parameters
    ----------
    k, procedure
        How many runs of each system a draw has, and the test that judges it.
    """

    about: Subject
    pool: Pool
    k: int
    procedure: str

    @property
    def refusal(self) -> str:
        """Why nothing can be said of other runs; empty where it can."""
        return self.about.runs.said(copies_or_single_runs(*self.pool.statistics))

    @property
    def can_draw(self) -> bool:
        """Whether draws of these runs can differ."""
        return bool(numbers_to_draw(self.pool.sizes))

    @property
    def outline(self) -> tuple[str, ...]:
        """The slides in order; those that these data cannot support stay away, but for the one that says why."""
        spread = () if self.refusal else (NUMBERS, PAIR)
        drawn = (PUBLISHED,) if self.can_draw else ()
        return (WHO, RUNS, DRAWS, *spread, *drawn, *(() if self.refusal else (VARIANCE,)), VERDICT)

    @property
    def testers(self) -> tuple[str, ...]:
        """The procedures of the two answers that can judge draws of runs."""
        return tuple(answering(luck, self.pool.unit).key for luck in ("test-set", "both"))


def _drawn(draw: Callable[[], go.Figure] | None, width: int, height: int, **how: int) -> Callable[[], go.Figure]:
    """A figure in a slide's size."""
    assert draw is not None
    return lambda: enlarged(draw(), width, height, **how)


def who(talk: Talk) -> Slide:
    """Who competes, by which metric, and on which part of the test set."""
    about, pool = talk.about, talk.pool
    better, _ = about.notation.comparatives
    baseline, system = about.systems
    rows = pd.DataFrame({"system": about.systems, "n": pool.sizes, "mean": [scores.mean() for scores in pool.scores]})
    columns = (
        Column("system", "System"),
        Column("n", about.runs.nouns, "count"),
        Column("mean", f"average {about.notation.heading(about.metric)}", "number"),
    )
    return Slide(
        Section(
            WHO,
            f"Is {system} {better} than {baseline}, or luckier?",
            table=Table(columns, about.rows(rows), f"{pool.scored.test_set.name}: {covered(pool.coverage)}"),
            notes=noted(
                about.filled(
                    "Luck comes in twice: which sentences are in the test set, and which {runs} of a system one"
                    " happened to get."
                ),
                undeclared_sentence(about),
            ),
        )
    )


def runs_as_they_fell(talk: Talk) -> Slide:
    """Clark et al.'s Figure 1; of few runs each is a dot."""
    about, pool = talk.about, talk.pool
    pairs = list(zip(about.keys, pool.scores, strict=True))
    rows = [(system, str(run), float(score)) for system, scores in pairs for run, score in enumerate(scores)]
    scores = pd.DataFrame(rows, columns=["system", "run", "score"])
    said = "; ".join(f"{system}: {_extent(about, found)}" for system, found in pairs)

    def figure() -> go.Figure:
        if min(pool.sizes) >= ENOUGH_FOR_BARS:
            drawn = run_histogram(scores, about.keys, about.colors, about.metric, about.notation)
        else:
            found = [(system, summarize_runs(scores)) for system, scores in pairs]
            summaries = [(system, one.mean, np.nan, one.s_run, str(one.median_run)) for system, one in found]
            columns = ["system", "mean", "s_sel", "s_run", "median_run"]
            summary = pd.DataFrame(summaries, columns=columns)
            drawn = run_strip(scores, summary, about.colors, about.metric, about.notation)
        return in_words(drawn, pool.wording(about.runs))

    if max(pool.sizes) == 1:
        title = "One {run} of each system"
    elif any(np.ptp(scores) > 0 for scores in pool.scores):
        title = "{Runs} of one and the same system score differently"
    else:
        title = "Every {run} scores as the others do"
    notes = noted(about.filled("From the lowest to the highest {run}: {said} {metric}.", said=said))
    return Slide(Section(RUNS, about.filled(title), figure=_drawn(figure, WIDTH, TALL), notes=notes))


def _extent(about: Subject, scores: FloatArray) -> str:
    """From the lowest to the highest; one number where they are one."""
    low, high = float(scores.min()), float(scores.max())
    return about.notation.number(low) if low == high else about.notation.range(low, high)


def draws(talk: Talk, drawn: pd.DataFrame, odds: pd.DataFrame | None, verdict: Verdict | None) -> Slide:
    """Draw runs: what would have been published. ``drawn`` has the columns of ``trials``, ``odds`` those of its row."""
    about = talk.about
    if not talk.can_draw:
        title = about.filled("Other experiments cannot be drawn from these {runs}")
        return Slide(Section(DRAWS, title, notes=noted(about.filled(NO_DRAWS))))
    each = agreeing(talk.k, f"one {about.runs.noun}", counted(talk.k, about.runs.noun))
    section = draws_section(about, drawn, extent_of(talk.pool, talk.k), odds, verdict)
    figure = _drawn(section.figure, BESIDE_WIDTH, 350)
    test = f"Test: {about.procedures[talk.procedure]}, at the {level(1 - about.settings.confidence)} level."
    return Slide(
        replace(
            section,
            title=f"{each[0].upper()}{each[1:]} each: what you would have published",
            figure=lambda: figure().update_layout(showlegend=False),
            notes=noted(" ".join([test, *(note.said for note in section.notes)])),
        )
    )


def by_number(talk: Talk, found: Replication) -> Slide:
    """Clark et al.'s Figure 2."""
    ks = found.outlook["k"].tolist()
    wanted = [k for k in (1, 2, 3, 5, 10, 15, 30) if k in ks][:MOST_ROWS] or ks[:1]
    few = Replication(*(frame[frame["k"].isin(wanted)] for frame in (found.outlook, found.frequencies)))
    section = spread_section(talk.about, few)
    title = talk.about.filled("More {runs} of each system, fewer surprises")
    figure = _drawn(section.figure, WIDTH, MIDDLE + 20)
    return Slide(Section(NUMBERS, title, figure=figure, notes=noted(outlook_sentence(talk.about, found.outlook))))


def one_and_several(talk: Talk, found: Replication) -> Slide:
    """One run each beside five, or as many as there are."""
    about, several = talk.about, min(AGAINST_ONE, int(found.outlook["k"].max()))

    def figure() -> go.Figure:
        quantity = f"difference in {about.metric}"
        return difference_pair(
            found.frequencies, found.outlook, (1, several), quantity, about.notation, about.runs
        )  # fmt: skip

    is_alone = n_combinations(talk.pool.sizes, several) == 1
    said = f"Bars: the {{runs}} at hand, in every combination. Line: new {{runs}}, {ASSUMPTION}."
    said += " All {runs} at hand are one combination: no bars." if is_alone else ""
    return Slide(
        Section(
            PAIR,
            about.filled("One {run} of each system, or {several}", several=str(several)),
            figure=_drawn(figure, WIDTH, MIDDLE if is_alone else TALL),
            notes=noted(about.filled(said)),
        )
    )


def published_p(talk: Talk, published: pd.DataFrame) -> Slide:
    """Clark et al.'s Table 2 as a picture: of the procedures behind the two answers."""
    here = published[published["procedure"].isin(talk.testers)]
    case = here["n"].astype(str) + here["baseline_run"]
    if case.nunique() > MOST_CASES:
        here = here[case.isin(case[here["baseline_run"] != "median"].unique()[:MOST_CASES])]
    figure = published_section(talk.about, here, PUBLISHED_DRAWS).figure
    return Slide(
        Section(
            PUBLISHED,
            "Which p would have been published?",
            figure=_drawn(figure, WIDTH, TALL, size=20),
            notes=noted("Dot: the median over the draws; bar: their middle 95%. Dashed: the level."),
        )
    )


def variance_sources(talk: Talk, variation: Variation) -> Slide:
    """Where the variance of the differences comes from."""
    section = variance_section(talk.about, replace(variation, alone=()))
    figure = _drawn(section.figure, WIDTH, 340)
    return Slide(
        Section(
            VARIANCE,
            "Where the luck comes from",
            figure=lambda: figure().update_layout(margin={"r": 220}),
            notes=noted(*section.lead),
        )
    )


def conclusion(talk: Talk, verdict: Verdict, plan: Plan | None) -> Slide:
    """The verdict, and what it would take."""
    why = talk.refusal if verdict.both != "refused" else ""
    takes = "" if plan is None else convince_sentence(talk.about, plan)
    section = Section(VERDICT, talk.about.filled("What these {runs} show"), notes=noted(why, takes))
    return Slide(section, cards(card(verdict, talk.about.settings.confidence)))


def recorded_talk(talk: Talk, experiment: Experiment, wish: Wish, work: Work) -> str:
    """The file: the talk by one metric, with a hundred draws."""
    about, pool, settings = talk.about, talk.pool, talk.about.settings
    verdict, variation = verdict_of(pool, experiment, settings, about.spec, work), variation_if_known(pool)
    plan = None if variation is None else plan_from(pool, variation, wish)
    drawings = list(_drawings(talk, verdict, work))
    shown = {
        WHO: who(talk), RUNS: runs_as_they_fell(talk), DRAWS: drawings[0], VERDICT: conclusion(talk, verdict, plan)
    }  # fmt: skip
    if not talk.refusal:
        found = replication(pool, settings, min(pool.sizes))
        shown |= {NUMBERS: by_number(talk, found), PAIR: one_and_several(talk, found)}
        shown |= {} if variation is None else {VARIANCE: variance_sources(talk, variation)}
    if talk.can_draw:
        numbers = (1, *usual_numbers(pool.sizes))
        shown[PUBLISHED] = published_p(talk, published(pool, numbers, PUBLISHED_DRAWS, talk.testers, settings, work)[0])
    ordered = [shown[key] for key in talk.outline if key in shown]
    return talk_file(ordered, drawings if talk.can_draw else [])


def _drawings(talk: Talk, verdict: Verdict, work: Work) -> Iterator[Slide]:
    """The slide after none, one, two … draws."""
    if not talk.can_draw:
        yield draws(talk, no_trials(), None, verdict)
        return
    pool, settings, procedures = talk.pool, talk.about.settings, (talk.procedure,)
    found = odds(pool, talk.k, procedures, settings, work)
    drawn = trials(pool, lucky_draws(pool, talk.k, range(RECORDED), settings), procedures, settings, work)
    for n in range(RECORDED + 1):
        yield draws(talk, drawn.iloc[:n], found, verdict)


def variation_if_known(pool: Pool) -> Variation | None:
    """Where the variance comes from; None where the runs cannot show it."""
    try:
        return variation_of(pool)
    except MtevalError:
        return None
