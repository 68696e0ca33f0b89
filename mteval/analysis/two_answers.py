"""Is a system better than the baseline? Both questions for every test set, metric and system."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from mteval.analysis.comparison import Asked, Case, Comparison, Question, ask, unit_sizes, units_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Progress, Work
from mteval.errors import DataError
from mteval.model import Experiment
from mteval.settings import Settings
from mteval.stats.base import PairedResult
from mteval.stats.interval import difference_over_units
from mteval.stats.multiplicity import holm_within
from mteval.stats.procedures.registry import answering

NOTHING = PairedResult(float("nan"))


@dataclass(frozen=True)
class TwoAnswers:
    """What is answered about one system by one metric on one test set: luck with the test set, then both kinds.

    Parameters
    ----------
    over_units
        The raw difference with its standard error and interval, these runs taken as given; NaN where there is none.
    """

    test_set_luck: Comparison
    both: Comparison
    over_units: PairedResult = NOTHING

    def __iter__(self) -> Iterator[Comparison]:
        yield self.test_set_luck
        yield self.both


def questions(scored: Scored, settings: Settings) -> tuple[Question, Question]:
    """The two procedures behind the two answers: test-set luck, then both kinds together.

    Raises
    ------
    DataError
        Where documents are to be exchanged and there are no document ids.
    """
    by_document = scored.test_set.documents is not None
    if settings.exchange_unit == "document" and not by_document:
        raise DataError(
            f"Test set '{scored.test_set.name}' has no document ids, so documents cannot be exchanged; load a file with"
            " one document id a line, or exchange segments."
        )
    unit = "document" if by_document and settings.exchange_unit != "segment" else "segment"
    exchanged = "output" if settings.exchange_unit == "output" else unit
    return (
        Question(answering("test-set", exchanged).key, exchanged),
        Question(answering("both", unit, settings.design).key, unit),
    )


def two_answers(
    experiment: Experiment,
    scored_metrics: Sequence[Scored],
    settings: Settings,
    work: Work,
    known: Iterable[Comparison] = (),
) -> tuple[TwoAnswers, ...]:
    """Both answers for every test set, metric and system; p-values adjusted by Holm over the systems of a question.

    Parameters
    ----------
    known
        Comparisons that are taken over as they are.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    by_question = {row.asked: row for row in known}
    answers: list[TwoAnswers] = []
    for index, scored in enumerate(scored_metrics):
        work.report(
            Progress(f"Comparing by {scored.metric.name} on {scored.test_set.name}", index, len(scored_metrics))
        )
        answers += _against(experiment.baseline, scored, settings, work, by_question)
    adjusted = iter(_adjusted(list(chain.from_iterable(answers))))
    return tuple(
        replace(one, test_set_luck=first, both=second)
        for one, first, second in zip(answers, adjusted, adjusted, strict=True)
    )


def _against(
    baseline: str, scored: Scored, settings: Settings, work: Work, known: Mapping[Asked, Comparison]
) -> Iterator[TwoAnswers]:
    """Both answers for every other system; none where the baseline has no output."""
    if baseline not in scored.statistics:
        return

    def answer(system: str, question: Question) -> Comparison:
        case = Case(scored, baseline, system, question)
        return known.get(case.asked) or ask(case, settings, work).comparison(settings.seed)

    settings = settings.for_family(len(scored.statistics) - 1)
    for system in scored.statistics:
        if system != baseline:
            first, second = questions(scored, settings)
            over_units = _over_units(Case(scored, baseline, system, second), settings)
            yield TwoAnswers(answer(system, first), answer(system, second), over_units)


def _over_units(case: Case, settings: Settings) -> PairedResult:
    """The difference on units of the test set, the runs taken as given; no interval of copies, rather than no width."""
    if not case.present.any():
        return NOTHING
    scored, unit = case.scored, case.question.unit
    baseline, system = (units_of(scored, key, unit, case.present) for key in (case.baseline, case.system))
    sizes = unit_sizes(scored, unit, case.present)
    result = difference_over_units(baseline, system, scored.scorer.score, settings.confidence, sizes)
    return result if result.standard_error > 0 else PairedResult(result.statistic, note=result.note)


def _adjusted(compared: Sequence[Comparison]) -> list[Comparison]:
    """The same with p-values adjusted over the systems compared with the baseline, for each question by itself."""
    families = [(row.asked.test_set, row.asked.metric, row.asked.procedure) for row in compared]
    p_adjusted = holm_within(families, [row.answered.p_value for row in compared])
    return [
        replace(row, answered=replace(row.answered, p_adjusted=p))
        for row, p in zip(compared, p_adjusted.tolist(), strict=True)
    ]
