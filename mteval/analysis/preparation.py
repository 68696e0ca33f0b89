"""Two sentences evaluated, so that compiled code is there before somebody waits for it: the first time it is made."""

from contextlib import suppress

from mteval.analysis.evaluation import evaluate
from mteval.analysis.work import Work
from mteval.errors import MissingDependencyError
from mteval.model import Experiment, Run, TestSet
from mteval.settings import CONVENTIONS, Settings

FURTHER = ("nist", "meteor")


def prepare_usual(work: Work) -> None:
    """What the usual metrics and tests need."""
    for convention in CONVENTIONS:
        _evaluate(Settings(convention=convention, n_bootstrap=2, n_shuffles=1), work)


def prepare_further(work: Work) -> None:
    """What metrics need that bring compiled code of their own, METEOR its index of paraphrases as well.

    One whose data are not installed needs nothing.
    """
    for metric in FURTHER:
        with suppress(MissingDependencyError):
            _evaluate(Settings(metrics=(metric,), n_bootstrap=2, n_shuffles=1), work)


def _evaluate(settings: Settings, work: Work) -> None:
    references = (("the cat sat on the mat .",), ("a dog barked at night .",))
    runs = tuple(
        Run(system, run, (f"the cat {system} the mat .", f"a dog {run} at night ."))
        for system in ("a", "b")
        for run in ("0", "1")
    )
    evaluate(Experiment((TestSet("test", references, runs),), "a"), settings, work)
