"""What is remarked of runs is said in the user's word, and no user's name is touched by it."""

import re
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
        """The reference, or all but its last word, and more words."""
        start = reference.rsplit(maxsplit=generator.integers(2))[0]
        return f"{start} {text()}"

    test_sets = []
    for place in range(n_sets):
        references = [text() for _ in range(6)]
        runs = []
        for name, n_runs in zip(names, (n_baseline, n_system), strict=True):
            for key in range(n_runs):
                outputs = tuple(output(reference) for reference in references)
                runs.append(Run(name, str(key), outputs))
        test_sets.append(TestSet(f"set{place}", tuple((reference,) for reference in references), tuple(runs)))
    return Experiment(tuple(test_sets), names[0])


def settings(word: str, **choices: Any) -> Settings:
    """Settings of an experiment whose runs are called by a word."""
    return Settings(metrics=("bleu",), n_bootstrap=20, n_shuffles=50, run_word=word, **choices)


def scored(loaded: Experiment, by_word: Settings) -> tuple[Scored, ...]:
    """The scores on both test sets."""
    return score_experiment(loaded, resolve(by_word), Work())


def notes(loaded: Experiment, by_word: Settings) -> list[str]:
    """Of the verdicts, the claims over several test sets, and every procedure."""
    scored_sets = scored(loaded, by_word)
    evaluation = evaluate_scored(loaded, scored_sets, by_word, Work())
    family = Family.of(scored_sets[:1], loaded.baseline)
    outcomes = ask_family(family, all_questions("segment"), by_word, Work())
    procedures = family_frame(outcomes, "holm", by_word)
    return [*evaluation.comparisons["note"], *evaluation.claimed["note"], *procedures["note"]]


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.noun)
@pytest.mark.parametrize(
    ("n_runs", "choices", "sentence"),
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
def test_notes_use_the_word_for_a_run(word, n_runs: tuple[int, int], choices: dict[str, Any], sentence: str) -> None:
    loaded = experiment(*n_runs)

    by_word = notes(loaded, settings(word.noun, **choices))
    usual = notes(loaded, settings(RUN.noun, **choices))

    assert any(word.filled(sentence) in note for note in by_word)
    assert any(RUN.filled(sentence) in note for note in usual)
    for note in by_word + usual:
        assert "{" not in note.replace(NAMES[1], ""), "one system's name has braces"
    assert sum(map(bool, by_word)) == sum(map(bool, usual))


def note_of_first_answer(loaded: Experiment, by_word: Settings) -> str:
    """The note on the verdict about the first test set."""
    evaluation = evaluate_scored(loaded, scored(loaded, by_word), by_word, Work())
    return evaluation.answers[0].both.note


def test_notes_keep_system_names_unchanged() -> None:
    paired = settings("prompt", design="paired")
    more_of_system = note_of_first_answer(experiment(3, 4), paired)
    more_of_baseline = note_of_first_answer(experiment(4, 3), paired)
    assert "but 1 prompt has no partner of the same name: '3' of {runs}." in more_of_system
    assert "but 1 prompt has no partner of the same name: '3' of run." in more_of_baseline


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.noun)
def test_replication_errors_use_the_word_for_a_run(word) -> None:
    by_word = settings(word.noun)
    first_test_set = scored(experiment(1, 3), by_word)[0]
    pool = pool_of(first_test_set, *NAMES, by_word)
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
    by_word = settings("prompt")
    complete, _ = scored(experiment(2, 2), by_word)
    missing = {key: np.full(array.shape, np.nan) for key, array in complete.statistics.items()}
    without_scores = Scored(complete.test_set, complete.metric, complete.scorer, missing)
    family = Family.of((without_scores,), NAMES[0])

    outcomes = ask_family(family, all_questions("segment"), by_word, Work())

    assert {outcome.result.note for outcome in outcomes} == {"No segment has a score from all prompts of both systems."}
    assert isinstance(outcomes[0].case, Case)
