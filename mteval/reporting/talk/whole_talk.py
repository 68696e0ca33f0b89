"""A talk as one HTML file, all its numbers computed and a hundred draws recorded."""

from collections.abc import Iterator

from mteval.analysis.replication.all_runs import verdict_of
from mteval.analysis.replication.combinations import lucky_draws, numbers_to_draw, usual_numbers
from mteval.analysis.replication.differences import replication
from mteval.analysis.replication.draws import no_trials, odds, published, trials
from mteval.analysis.replication.planning import Plan, plan_from
from mteval.analysis.replication.variation import Variation, variance_frame, variation_of
from mteval.analysis.replication.wish import Wish
from mteval.analysis.work import Work
from mteval.errors import MtevalError
from mteval.export.talk import Slide, talk_file
from mteval.model import Experiment
from mteval.reporting.talk import slides, subject
from mteval.reporting.talk.subject import Subject
from mteval.verdict import Verdict

RECORDED = 100  # draws
PUBLISHED_DRAWS = 250  # for each number of runs


def recorded_talk(about: Subject, experiment: Experiment, k: int, procedure: str, wish: Wish, work: Work) -> str:
    """The file: the talk by one metric, with draws of ``k`` runs judged by one procedure."""
    pool, settings = about.pool, about.settings
    verdict = verdict_of(pool, experiment, settings, about.spec, work)
    shown = {
        subject.WHO: slides.who(about),
        subject.RUNS: slides.runs_as_they_fell(about),
        subject.VERDICT: slides.conclusion(about, verdict, planned(about, wish)),
    }
    if not about.refusal:
        found, variation = replication(pool, settings, min(pool.sizes)), variation_if_known(about)
        shown[subject.NUMBERS], shown[subject.PAIR] = (
            slides.by_number(about, found),
            slides.one_and_several(about, found),
        )
        if variation is not None:
            shown[subject.VARIANCE] = slides.variance_sources(about, variance_frame(pool, variation))
    if numbers_to_draw(pool.sizes):
        table, _ = published(pool, (1, *usual_numbers(pool.sizes)), PUBLISHED_DRAWS, about.testers(), settings, work)
        shown[subject.PUBLISHED] = slides.published_p(about, table)
    drawings = list(_drawings(about, k, procedure, verdict, work))
    shown[subject.DRAWS] = drawings[0]
    ordered = [shown[key] for key in about.outline() if key in shown]
    return talk_file(shown[subject.WHO].title, ordered, drawings if drawings[0].figure is not None else [])


def _drawings(about: Subject, k: int, procedure: str, verdict: Verdict, work: Work) -> Iterator[Slide]:
    """The slide after none, one, two … draws."""
    pool, settings = about.pool, about.settings
    if not numbers_to_draw(pool.sizes):
        yield slides.draws(about, k, procedure, no_trials(), None, verdict)
        return
    found = odds(pool, k, (procedure,), settings, work)
    drawn = trials(pool, lucky_draws(pool, k, range(RECORDED), settings), (procedure,), settings, work)
    for n in range(RECORDED + 1):
        yield slides.draws(about, k, procedure, drawn.iloc[:n], found, verdict)


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
