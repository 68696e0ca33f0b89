"""From the comparisons to the answers to the two questions."""

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.two_answers import TwoAnswers
from mteval.companions import kept_beside
from mteval.metrics.base import MetricSpec
from mteval.settings import Settings
from mteval.stats import PROCEDURES
from mteval.stats.procedures.two_way import PROVISIONAL
from mteval.verdict import Verdict, answer_at


@kept_beside
def verdicts(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """A verdict for every test set, metric and system of the comparisons, in their order."""
    n_runs = {(row.test_set, row.metric, row.system): row.n_runs for row in evaluation.summaries}
    found = []
    for answers in evaluation.answers:
        asked = answers.both.asked
        counts = (n_runs[asked.test_set, asked.metric, system] for system in (asked.baseline, asked.system))
        fewest = PROCEDURES[asked.procedure].fewest_runs(*counts)
        found.append(verdict_on(answers, fewest, evaluation.settings, evaluation.metrics[asked.metric]))
    return tuple(found)


def verdict_on(answers: TwoAnswers, n_runs: int, settings: Settings, spec: MetricSpec) -> Verdict:
    """What is said of one system; ``n_runs`` are those of the system that has fewer, where both are trained again."""
    level = 1 - settings.confidence
    asked, first, second = answers.test_set_luck.asked, answers.test_set_luck.answered, answers.both.answered
    return Verdict(
        test_set=asked.test_set,
        metric=asked.metric,
        metric_name=spec.name,
        baseline=asked.baseline,
        system=asked.system,
        difference=first.difference,
        improvement=first.improvement,
        n_runs=n_runs,
        unit=asked.unit,
        test_set_luck=answer_at(first.p_adjusted, level),
        p_test_set=first.p_value,
        p_test_set_adjusted=first.p_adjusted,
        note_test_set=first.note,
        both=answer_at(second.p_adjusted, level),
        p_both=second.p_value,
        p_both_adjusted=second.p_adjusted,
        low=second.low,
        high=second.high,
        note_both=second.note.replace(PROVISIONAL, "").strip(),
        design=PROCEDURES[answers.both.asked.procedure].design,
        notation=spec.notation,
        unit_both=answers.both.asked.unit,
        low_test_set=answers.over_units.low,
        high_test_set=answers.over_units.high,
        p_looked=answers.p_looked(settings),
        runs=settings.runs,
    )
