"""The methods describe all test sets, not only the one that is shown first."""

from collections.abc import Mapping, Sequence

import numpy as np

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.methods import appendix, methods_paragraph
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings


def made(
    segments_of: Mapping[str, int],
    systems: str = "abc",
    n_runs: Mapping[str, int] | None = None,
    with_documents: Sequence[str] = (),
    tuned_on: Sequence[str] = (),
) -> Results:
    """Systems with provided scores on test sets of some sizes, some of which have documents of three segments."""
    generator = np.random.default_rng(7)
    test_sets = []
    scores = []
    for name, n_segments in segments_of.items():
        runs = []
        for system in systems:
            for run in range((n_runs or {}).get(name, 3)):
                scores.append(GivenScores(name, system, str(run), tuple(generator.normal(size=n_segments))))
                runs.append(Run(system, str(run), (f"{system}{run}",) * n_segments))
        documents = None
        if name in with_documents:
            documents = tuple(str(segment // 3) for segment in range(n_segments))
        role = "dev" if name in tuned_on else "test"
        test_sets.append(TestSet(name, (("r",),) * n_segments, tuple(runs), documents=documents, role=role))
    experiment = Experiment(tuple(test_sets), systems[0], (GivenMetric("one", "One", tuple(scores)),))
    settings = Settings(metrics=("one",), n_shuffles=99, n_bootstrap=20)
    return Results(experiment, evaluate(experiment, settings, Work()), reported_test_set(experiment))


def test_the_paragraph_has_the_size_of_every_test_set_and_the_claim_over_all() -> None:
    results = made({"de-en": 30, "cs-en": 48, "tune": 20}, with_documents=["cs-en"], tuned_on=["tune"])
    for on_one in (results, results.on(results.experiment.test_set("cs-en"))):
        paragraph = methods_paragraph(on_one)
        assert "on 2 test sets (de-en: 30 segments; cs-en: 48 segments in 16 documents) using One" in paragraph
        assert "averaged over 3 runs per system" in paragraph
        assert "due to the choice of segments or documents" in paragraph
        assert "exchanging all runs of a segment together or exchanging all runs of a document together" in paragraph
        assert "Over the 2 test sets, we test the equally weighted mean of the differences" in paragraph
        assert "Holm-adjusted for 2 comparisons on each test set, and separately for their average" in paragraph
        assert "tune" not in paragraph
        words = " ".join(appendix(on_one))
        assert "linearised scores or delete-one pseudo-values of documents" in words
        assert "One on de-en: 270 scores; One on cs-en: 432 scores" in words
        # The two tests differ between test sets, and so do the signatures
        assert "Signature of One (de-en): " in words
        assert "Signature of One (cs-en): " in words


def test_a_tuning_set_that_is_asked_for_is_described_alone() -> None:
    results = made({"de-en": 30, "tune": 20}, tuned_on=["tune"])
    assert "on 20 segments (tune) using" in methods_paragraph(results.on(results.experiment.test_set("tune")))
    alone = methods_paragraph(results)
    assert "on 30 segments (de-en) using" in alone
    assert "Over the" not in alone


def test_numbers_of_runs_that_differ_between_test_sets_are_named() -> None:
    paragraph = methods_paragraph(made({"de-en": 30, "cs-en": 30}, n_runs={"de-en": 1, "cs-en": 3}))
    assert "(de-en: 30 segments, 1 run; cs-en: 30 segments, 3 runs)" in paragraph
    assert "averaged over 1 to 3 runs per system" in paragraph
    assert "available for 2 of 4 comparisons" in paragraph


def test_many_test_sets_are_listed_in_the_appendix() -> None:
    segments_of = {f"pair {number}": 20 + number for number in range(8)}
    results = made(segments_of, systems="ab")
    paragraph = methods_paragraph(results)
    assert "We compare b with a on 8 test sets of 20 to 27 segments (listed in Appendix A)" in paragraph
    assert "pair" not in paragraph
    first = next(iter(appendix(results)))
    assert first.startswith("Test sets: ")
    for name, n_segments in segments_of.items():
        assert f"{name}: {n_segments} segments" in first
    assert "Holm" not in paragraph
