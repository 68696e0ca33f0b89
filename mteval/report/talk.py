"""What a talk is about, and which slides it has.

What each slide of a talk about an experiment's luck says: the same on the page and in the file.

A talk as one HTML file, all its numbers computed and a hundred draws recorded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
from mteval.analysis.replication.pool import Pool, Variation, variance_frame, variation_of, verdict_of
from mteval.analysis.work import Work
from mteval.answers.draws import latest_draw, tally
from mteval.answers.replication import (
    ASSUMPTION,
    advice_sentence,
    convince_sentence,
    no_draws_sentence,
    outlook_sentence,
    truth_sentence,
    undeclared_sentence,
)
from mteval.base.arrays import FloatArray
from mteval.base.errors import MtevalError
from mteval.base.words import agreeing, counted
from mteval.figures.luck import luck_histogram, p_value_ranges
from mteval.figures.planning import variance_bars
from mteval.figures.runs import run_histogram, run_strip
from mteval.figures.spread import difference_pair, difference_ridges
from mteval.figures.style import enlarged, in_words
from mteval.metrics.base import MetricSpec
from mteval.render.html import table
from mteval.render.talk import Slide, talk_file
from mteval.report.cards import verdict_cards
from mteval.stats.procedures.registry import PROCEDURES, answering
from mteval.stats.runs import copies_or_single_runs, summarize_runs
from mteval.values.model import Experiment
from mteval.values.notation import Notation, level
from mteval.values.run_words import Wording
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

WHO, RUNS, DRAWS, NUMBERS, PAIR, PUBLISHED, VARIANCE, VERDICT = (
    "who", "runs", "draws", "numbers", "pair", "published", "variance", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """Who competes, and by what.

    Parameters
    ----------
    colors
        From system to colour.
    """

    pool: Pool
    spec: MetricSpec
    settings: Settings
    colors: Mapping[str, str]

    @property
    def notation(self) -> Notation:
        """How the metric's numbers are written."""
        return self.spec.notation

    @property
    def systems(self) -> tuple[str, str]:
        """Baseline and system."""
        return self.pool.baseline, self.pool.system

    @property
    def difference_name(self) -> str:
        """What an axis of differences shows, without the unit."""
        return f"{self.spec.name} of {self.pool.system} − {self.spec.name} of {self.pool.baseline}"

    @property
    def refusal(self) -> str:
        """Why nothing can be said of other runs; empty where it can."""
        return copies_or_single_runs(*self.pool.statistics)

    @property
    def said(self) -> Wording:
        """How to say what is said of runs."""
        return self.pool.wording(self.settings.runs)

    def drawn(self, figure: go.Figure, width: int, height: int, **how: int) -> go.Figure:
        """A figure in a slide's size and in the user's word for a run."""
        return enlarged(in_words(figure, self.said), width, height, **how)

    def outline(self) -> tuple[str, ...]:
        """The slides in order; those that these data cannot support stay away, but for the one that says why."""
        can_draw = bool(numbers_to_draw(self.pool.sizes))
        keys = [WHO, RUNS, DRAWS]
        if not self.refusal:
            keys += [NUMBERS, PAIR]
        if can_draw:
            keys.append(PUBLISHED)
        return (*keys, *(() if self.refusal else (VARIANCE,)), VERDICT)

    def testers(self) -> tuple[str, ...]:
        """The procedures of the two answers that can judge draws of runs."""
        return tuple(answering(luck, self.pool.unit).key for luck in ("test-set", "both"))


TALL, MIDDLE = 470, 400  # heights of figures above one line of notes and above several
MOST_ROWS = 6  # numbers of runs on one slide
MOST_CASES = 5  # of draws on one slide
AGAINST_ONE = 5  # runs, side by side with one
ENOUGH_FOR_BARS = 10  # runs; of fewer each is a dot
WIDTH = 1280 - 2 * 48  # of a figure alone on a slide, in pixels
BESIDE_WIDTH = 660  # of one with a table beside it


TWICE = "Luck comes in twice: which sentences are in the test set, and which runs of a system one happened to get."


def who(about: Subject) -> Slide:
    """Who competes and by which metric."""
    better, _ = about.notation.comparatives
    baseline, system = about.systems
    test_set = about.pool.scored.test_set
    rows = [
        (name, f"{size:,}", about.notation.number(float(scores.mean())))
        for name, size, scores in zip(about.systems, about.pool.sizes, about.pool.scores, strict=True)
    ]
    documents = f", {counted(about.pool.n_units, 'document')}" if about.pool.unit == "document" else ""
    header = ("System", about.said("runs"), f"average {about.spec.notation.heading(about.spec.name)}")
    return Slide(
        WHO,
        f"Is {system} {better} than {baseline}, or luckier?",
        beside=table(header, rows, caption=f"{test_set.name}: {counted(test_set.n_segments, 'segment')}{documents}"),
        notes=(
            about.said(TWICE),
            about.said(undeclared_sentence(about.pool.design)),
        ),
    )


def runs_as_they_fell(about: Subject) -> Slide:
    """Clark et al.'s Figure 1; of few runs each is a dot."""
    pairs = list(zip(about.systems, about.pool.scores, strict=True))
    rows = [(system, str(run), float(score)) for system, scores in pairs for run, score in enumerate(scores)]
    scores = pd.DataFrame(rows, columns=["system", "run", "score"])
    if min(about.pool.sizes) >= ENOUGH_FOR_BARS:
        figure = run_histogram(scores, about.systems, about.colors, about.spec.name, about.notation)
    else:
        figure = run_strip(scores, _summaries(about), about.colors, about.spec.name, about.notation)
    said = "; ".join(f"{system}: {_extent(about.notation, found)}" for system, found in pairs)
    return Slide(
        RUNS,
        about.said(_runs_title(about)),
        figure=about.drawn(figure, WIDTH, TALL),
        notes=(about.said(f"From the lowest to the highest run: {said} {about.spec.name}."),),
    )


def _runs_title(about: Subject) -> str:
    """What the runs show together, which is not always that they differ."""
    if max(about.pool.sizes) == 1:
        return "One run of each system"
    differ = any(np.ptp(scores) > 0 for scores in about.pool.scores)
    return "Runs of one and the same system score differently" if differ else "Every run scores as the others do"


def _extent(notation: Notation, scores: FloatArray) -> str:
    """From the lowest to the highest; one number where they are one."""
    low, high = float(scores.min()), float(scores.max())
    return notation.number(low) if low == high else notation.range(low, high)


def _summaries(about: Subject) -> pd.DataFrame:
    """What the strip of runs needs, without the luck of the test set."""
    rows = []
    for side, system in enumerate(about.systems):
        found = summarize_runs(about.pool.scores[side])
        rows.append((system, found.mean, float("nan"), found.s_run, str(found.median_run)))
    return pd.DataFrame(rows, columns=["system", "mean", "s_sel", "s_run", "median_run"])


def draws(
    about: Subject, k: int, procedure: str, drawn: pd.DataFrame, odds: pd.DataFrame | None, verdict: Verdict | None
) -> Slide:
    """Draw runs: what would have been published. ``drawn`` has the columns of ``trials``, ``odds`` those of its row."""
    if not numbers_to_draw(about.pool.sizes):
        title = about.said("Other experiments cannot be drawn from these runs")
        return Slide(DRAWS, title, notes=(about.said(no_draws_sentence()),))
    each = about.said(agreeing(k, "one run", counted(k, "run")))
    figure = luck_histogram(
        drawn, extent_of(about.pool, k), about.pool.expected, about.difference_name, about.notation
    ).update_layout(showlegend=False)
    by = PROCEDURES[procedure].short_name_on(about.pool.unit)
    return Slide(
        DRAWS,
        f"{each[0].upper()}{each[1:]} each: what you would have published",
        lead=latest_draw(
            drawn, about.pool.system, about.pool.baseline, about.spec.name, about.notation, about.settings.runs
        ),
        figure=about.drawn(figure, BESIDE_WIDTH, 350),
        beside=tally(drawn, odds, about.notation),
        notes=(
            f"Test: {by}, at the {level(1 - about.settings.confidence)} level. {about.said(truth_sentence(verdict))}",
        ),
    )


def by_number(about: Subject, found: Replication) -> Slide:
    """Clark et al.'s Figure 2."""
    ks = found.outlook["k"].tolist()
    wanted = [k for k in (1, 2, 3, 5, 10, 15, 30) if k in ks][:MOST_ROWS] or ks[:1]
    outlook = found.outlook[found.outlook["k"].isin(wanted)]
    frequencies = found.frequencies[found.frequencies["k"].isin(wanted)]
    figure = difference_ridges(frequencies, outlook, about.difference_name, about.notation)
    said = outlook_sentence(
        found.outlook, about.pool.system, about.pool.baseline, about.spec.name, about.notation,
        about.settings.confidence,
    )  # fmt: skip
    return Slide(
        NUMBERS,
        about.said("More runs of each system, fewer surprises"),
        figure=about.drawn(figure, WIDTH, MIDDLE + 20),
        notes=(about.said(said),),
    )


def one_and_several(about: Subject, found: Replication) -> Slide:
    """One run each beside five, or as many as there are."""
    several = min(AGAINST_ONE, int(found.outlook["k"].max()))
    figure = difference_pair(
        found.frequencies, found.outlook, (1, several), f"difference in {about.spec.name}", about.notation
    )  # fmt: skip
    alone = "" if n_combinations(about.pool.sizes, several) > 1 else " All runs at hand are one combination: no bars."
    return Slide(
        PAIR,
        about.said(f"One run of each system, or {several}"),
        figure=about.drawn(figure, WIDTH, MIDDLE if alone else TALL),
        notes=(about.said(f"Bars: the runs at hand, in every combination. Line: new runs, {ASSUMPTION}.{alone}"),),
    )


def published_p(about: Subject, published: pd.DataFrame) -> Slide:
    """Clark et al.'s Table 2 as a picture: of the procedures behind the two answers."""
    here = published[published["procedure"].isin(about.testers())]
    names = {key: PROCEDURES[key].short_name_on(about.pool.unit) for key in about.testers()}
    case = here["n"].astype(str) + here["baseline_run"]
    if case.nunique() > MOST_CASES:
        kept = case[here["baseline_run"] != "median"].unique()[:MOST_CASES]
        here = here[case.isin(kept)]
    figure = p_value_ranges(here, names, 1 - about.settings.confidence)
    return Slide(
        PUBLISHED,
        "Which p would have been published?",
        figure=about.drawn(figure, WIDTH, TALL, size=20),
        notes=("Dot: the median over the draws; bar: their middle 95%. Dashed: the level.",),
    )


def variance_sources(about: Subject, variance: pd.DataFrame) -> Slide:
    """Where the variance comes from; ``variance`` is from ``variance_frame``."""
    kept = list(variance["what"].unique())[-2:]
    here = variance[variance["what"].isin(kept)]
    last = here[here["what"] == kept[-1]]
    shares = dict(zip(last["source"], last["share"], strict=True))
    return Slide(
        VARIANCE,
        "Where the luck comes from",
        figure=about.drawn(variance_bars(here, about.spec.name, about.notation), WIDTH, 340).update_layout(
            margin={"r": 220}
        ),
        notes=(about.said(advice_sentence(shares, about.pool.unit, about.pool.sizes, about.pool.design)),),
    )


def conclusion(about: Subject, verdict: Verdict, plan: Plan | None) -> Slide:
    """The verdict, and what it would take."""
    takes = ""
    if plan is not None:
        takes = convince_sentence(plan, about.spec.name, about.pool.unit, about.notation)
    return Slide(
        VERDICT,
        about.said("What these runs show"),
        beside=verdict_cards((verdict,), about.settings.confidence),
        notes=(about.said(about.refusal) if verdict.both != "refused" else "", about.said(takes)),
    )


RECORDED = 100  # draws
PUBLISHED_DRAWS = 250  # for each number of runs


def recorded_talk(about: Subject, experiment: Experiment, k: int, procedure: str, wish: Wish, work: Work) -> str:
    """The file: the talk by one metric, with draws of ``k`` runs judged by one procedure."""
    pool, settings = about.pool, about.settings
    verdict = verdict_of(pool, experiment, settings, about.spec, work)
    shown = {
        WHO: who(about),
        RUNS: runs_as_they_fell(about),
        VERDICT: conclusion(about, verdict, planned(about, wish)),
    }
    if not about.refusal:
        found, variation = replication(pool, settings, min(pool.sizes)), variation_if_known(about)
        shown[NUMBERS], shown[PAIR] = (
            by_number(about, found),
            one_and_several(about, found),
        )
        if variation is not None:
            shown[VARIANCE] = variance_sources(about, variance_frame(pool, variation))
    if numbers_to_draw(pool.sizes):
        table, _ = published(pool, (1, *usual_numbers(pool.sizes)), PUBLISHED_DRAWS, about.testers(), settings, work)
        shown[PUBLISHED] = published_p(about, table)
    drawings = list(_drawings(about, k, procedure, verdict, work))
    shown[DRAWS] = drawings[0]
    ordered = [shown[key] for key in about.outline() if key in shown]
    return talk_file(shown[WHO].title, ordered, drawings if drawings[0].figure is not None else [])


def _drawings(about: Subject, k: int, procedure: str, verdict: Verdict, work: Work) -> Iterator[Slide]:
    """The slide after none, one, two … draws."""
    pool, settings = about.pool, about.settings
    if not numbers_to_draw(pool.sizes):
        yield draws(about, k, procedure, no_trials(), None, verdict)
        return
    found = odds(pool, k, (procedure,), settings, work)
    drawn = trials(pool, lucky_draws(pool, k, range(RECORDED), settings), (procedure,), settings, work)
    for n in range(RECORDED + 1):
        yield draws(about, k, procedure, drawn.iloc[:n], found, verdict)


def variation_if_known(about: Subject) -> Variation | None:
    """Where the variance comes from; None where the runs cannot show it."""
    try:
        return variation_of(about.pool)
    except MtevalError:
        return None


def planned(about: Subject, wish: Wish) -> Plan | None:
    """What it takes to find the difference that matters; None where the runs do not show how much runs vary."""
    variation = variation_if_known(about)
    return None if variation is None else plan_from(about.pool, variation, wish)
