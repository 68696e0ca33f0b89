"""The significance page's first part: the verdicts by every metric, where the two answers disagree, what p means."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Work
from mteval.export.overview.verdicts import verdicts_table
from mteval.export.prose.p_values import P_IS, P_IS_NOT, QUESTIONS
from mteval.export.prose.verdicts import remarks_on
from mteval.export.significance import UNIT_NAMES
from mteval.metrics import resolve
from mteval.notation import level
from mteval.stats import PROCEDURES
from mteval.ui.answers import nothing_to_compare
from mteval.ui.parts import messages
from mteval.ui.parts.markup import tag
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.progress import ask
from mteval.ui.session.statistics import statistics
from mteval.ui.setup.words import said, tell

T = TypeVar("T")
NAMES = {key: spec.name for key, spec in PROCEDURES.items()}
LUCK = {"test-set": "test set", "runs": "runs", "both": "both"}


def all_verdicts(results: Results) -> None:
    """A row a system, a column a metric, and what there is to remark on them."""
    verdicts = results.verdicts()
    if not verdicts:
        messages.say("note", said(nothing_to_compare(results)))
        return
    tell(verdicts_table(verdicts))
    for remark in remarks_on(verdicts):
        messages.say("note", said(remark))


def fixed_procedures(results: Results) -> None:
    """Which procedures give the two answers: chosen in the settings, before the numbers are seen."""
    settings = results.settings
    here = results.rows(results.evaluation.comparisons).drop_duplicates("procedure")
    parts = [
        f"{NAMES[row['procedure']]} ({UNIT_NAMES[row['unit']]}"
        + (f", {row['n_resamples']:,} {PROCEDURES[row['procedure']].resamples})" if row["n_resamples"] else ")")
        for row in here.to_dict("records")
    ]
    if parts:
        alpha = level(1 - settings.confidence)
        words = f"Fixed in the settings: {'; '.join(parts)}. Level {alpha} after Holm's correction."
        tell(tag("p", f"{words} The procedures below are for reading, not for choosing the best p.", class_="mt-quiet"))


def what_p_is() -> None:
    """What p is and what it is not."""
    tell(tag("p", tag("b", "p is: "), P_IS))
    tell(tag("p", tag("b", "p is not:")), tag("ul", *(tag("li", text) for text in P_IS_NOT), class_="mt-list"))
    items = [part for question, answer in QUESTIONS for part in (tag("dt", question), tag("dd", answer))]
    tell(tag("dl", *items, class_="mt-terms"))


def asked_questions(scored: Scored, results: Results) -> set[tuple[str, str]]:
    """Procedure and unit of the two answers."""
    return {(asked.procedure, asked.unit) for asked in questions(scored, results.settings)}


def computed(
    place: str, results: Results, choice: Hashable, compute: Callable[[tuple[Scored, ...], Work], T]
) -> T | None:
    """What ``compute`` makes of the statistics of all metrics on the test set, in the evaluation's order.

    Parameters
    ----------
    place
        As in ``ask``.
    choice
        What the user chose at that place; with experiment, settings and test set it decides the result.
    """
    experiment, settings, test_set = results.experiment, results.settings, results.test_set.name
    known = statistics()

    def compute_from_statistics(work: Work) -> T:
        scored = known.scored(experiment, resolve(settings, experiment.given), work)
        return compute(tuple(by for by in scored if by.test_set.name == test_set), work)

    key = repr((place, evaluation_key(experiment, settings), test_set, choice))
    return ask(place, key, compute_from_statistics, settings.workers)
