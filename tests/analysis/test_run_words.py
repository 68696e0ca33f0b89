"""What is remarked of runs is said in the user's word, and no user's name is touched by it."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mteval.analysis.comparison import Case
from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.replication.pool import pool_of, variation_of
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.significance import Family, all_questions, ask_family, family_frame
from mteval.base.errors import DataError
from mteval.metrics import resolve
from mteval.stats.procedures.registry import procedures_in
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.run_words import RUN, RUN_WORDS
from mteval.values.settings import Settings

WORDS = [RUN_WORDS["prompt"], RUN_WORDS["training seed"]]
NAMES = ("run", "{runs}")  # of systems: neither is a word of ours


def experiment(n_baseline: int, n_system: int, names: tuple[str, str] = NAMES, n_sets: int = 2) -> Experiment:
    """Few sentences whose words were drawn, all of one test set in a document."""
    generator = np.random.default_rng(5)
    vocabulary = [f"w{number}" for number in range(30)]

    def text() -> str:
        return " ".join(generator.choice(vocabulary, 6))

    def output(reference: str) -> str:
        return f"{reference.rsplit(maxsplit=generator.integers(2))[0]} {text()}"

    sets = []
    for place in range(n_sets):
        references = tuple((text(),) for _ in range(6))
        runs = [
            Run(name, f"{key}", tuple(output(of_one) for (of_one,) in references))
            for name, n_runs in zip(names, (n_baseline, n_system), strict=True)
            for key in range(n_runs)
        ]
        sets.append(TestSet(f"set{place}", references, tuple(runs)))
    return Experiment(tuple(sets), names[0])


def settings(word: str, **chosen: Any) -> Settings:
    return Settings(metrics=("bleu",), n_bootstrap=20, n_shuffles=50, run_word=word, **chosen)


def scored(loaded: Experiment, chosen: Settings) -> tuple[Scored, ...]:
    return score_experiment(loaded, resolve(chosen), Work())


def notes(loaded: Experiment, chosen: Settings) -> Iterator[str]:
    """Of the verdicts, the claims over several test sets, and every procedure."""
    found = scored(loaded, chosen)
    evaluation = evaluate_scored(loaded, found, chosen, Work())
    yield from evaluation.comparisons["note"]
    yield from evaluation.claimed["note"]
    family = Family.of(found[:1], loaded.baseline)
    yield from family_frame(ask_family(family, all_questions("segment"), chosen, Work()), "holm", chosen)["note"]


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.noun)
@pytest.mark.parametrize(
    ("n_runs", "chosen", "said"),
    [
        ((1, 2), {}, "The baseline has only one {run}."),
        ((2, 2), {}, "Provisional: only two {runs}."),
        ((2, 2), {}, "With so few {runs}, p cannot be below 0.333."),
        ((1, 2), {}, "Exchanging outputs pairs the {runs}, but the baseline has 1 and the system 2"),
        ((3, 2), {"design": "paired"}, "or declare the {runs} independent."),
        ((3, 2), {"design": "paired"}, "{Runs} were declared paired, but 1 {run} has no partner"),
        ((3, 2), {"design": "paired"}, "{Runs} were declared paired; over several test sets"),
        ((4, 4), {"looks": (3, 5, 10)}, "planned at 3, 5 and 10 {runs}, but there are 4"),
    ],
)
def test_notes_use_the_word_for_a_run(word, n_runs: tuple[int, int], chosen: dict[str, Any], said: str) -> None:
    in_words = list(notes(experiment(*n_runs), settings(word.noun, **chosen)))
    usual = list(notes(experiment(*n_runs), settings(RUN.noun, **chosen)))
    assert any(word.filled(said) in note for note in in_words)
    assert any(RUN.filled(said) in note for note in usual)
    assert not any("{" in note.replace(NAMES[1], "") for note in in_words + usual)
    assert sum(map(bool, in_words)) == sum(map(bool, usual))


def test_notes_keep_system_names_unchanged() -> None:
    loaded, chosen = experiment(3, 4), settings("prompt", design="paired")
    evaluation = evaluate_scored(loaded, scored(loaded, chosen), chosen, Work())
    assert "but 1 prompt has no partner of the same name: '3' of {runs}." in evaluation.answers[0].both.note
    mirrored = experiment(4, 3)
    evaluation = evaluate_scored(mirrored, scored(mirrored, chosen), chosen, Work())
    assert "but 1 prompt has no partner of the same name: '3' of run." in evaluation.answers[0].both.note


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.noun)
def test_replication_errors_use_the_word_for_a_run(word) -> None:
    loaded, chosen = experiment(1, 3), settings(word.noun)
    pool = pool_of(scored(loaded, chosen)[0], *NAMES, chosen)
    with pytest.raises(DataError, match=f"The baseline has only one {word.noun}"):
        variation_of(pool)


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.noun)
def test_procedure_descriptions_use_the_word_for_a_run(word) -> None:
    described = procedures_in(word, "document")
    assert described["welch"].name == f"Welch's t-test over {word.nouns}"
    assert described["ar-segment"].name == "Approximate randomization of documents"
    assert described["two-way"].name == f"Two-way analysis of {word.nouns} and documents"
    for spec in described.values():
        assert word.nouns == "runs" or not re.search(r"\bruns?\b", f"{spec.name} {spec.summary}")


def test_the_note_on_missing_segments_uses_the_word_for_a_run() -> None:
    loaded, chosen = experiment(2, 2), settings("prompt")
    (found, _) = scored(loaded, chosen)
    gaps = {key: np.full(array.shape, np.nan) for key, array in found.statistics.items()}
    without = Scored(found.test_set, found.metric, found.scorer, gaps)
    family = Family.of((without,), NAMES[0])
    outcomes = ask_family(family, all_questions("segment"), chosen, Work())
    assert {outcome.result.note for outcome in outcomes} == {"No segment has a score from all prompts of both systems."}
    assert isinstance(outcomes[0].case, Case)
