"""What decides the numbers, in a line for each metric."""

from collections.abc import Sequence

from mteval import __version__
from mteval.analysis.scoring import Scored
from mteval.analysis.two_answers import questions
from mteval.model import Experiment
from mteval.settings import Settings


def signatures(
    experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings
) -> dict[str, dict[str, str]]:
    """Of every test set and metric the options that decide the numbers, in sacreBLEU's form."""
    found: dict[str, dict[str, str]] = {test_set.name: {} for test_set in experiment.test_sets}
    for scored in scored_metrics:
        found[scored.test_set.name][scored.metric.key] = _signature(scored, settings)
    return found


def _signature(scored: Scored, settings: Settings) -> str:
    n_references = sorted({len(references) for references in scored.test_set.references})
    n_runs = sorted({len(system.runs) for system in scored.test_set.systems})
    n_others = len(scored.statistics) - 1
    procedures = "+".join(f"{question.procedure}/{question.unit}" for question in questions(scored, settings))
    return "|".join(
        (
            f"nrefs:{_range(n_references)}",
            scored.metric.signature(),
            f"runs:{_range(n_runs)}",
            f"proc:{procedures}",
            f"bs:{settings.n_bootstrap}",
            f"ar:{settings.for_family(n_others).n_shuffles}",
            f"seed:{settings.seed}",
            f"mteval:{__version__}",
        )
    )


def _range(sorted_counts: Sequence[int]) -> str:
    """``3``, or ``1-4`` where counts differ; sacreBLEU writes ``var`` for references, which tells less. 0 of none."""
    lowest, highest = (sorted_counts[0], sorted_counts[-1]) if sorted_counts else (0, 0)
    return str(lowest) if lowest == highest else f"{lowest}-{highest}"
