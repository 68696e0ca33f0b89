"""Sections about people say why a number is missing, show nothing twice, and name only what was used."""

import pandas as pd
import pytest

from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.scoring import means_of_computation
from mteval.answers.people import averages_sections, gold_methods, people_methods
from mteval.values.judgements import Judgement
from mteval.values.settings import Settings

SYSTEMS = ("A", "B")


def evaluation(
    scale: str = "mqm",
    n_segments: int = 8,
    n_per_document: int = 1,
    systems: tuple[str, ...] = SYSTEMS,
    gain: float = 1,
) -> HumanEvaluation:
    """Two raters of so many segments, whose documents have so many segments each."""
    judged = []
    for rater in ("ann", "bob"):
        for place, system in enumerate(systems):
            for segment in range(n_segments):
                value = gain * place + (segment * 7 + len(rater + system)) % 5
                if gain == 0:
                    value = segment % 3
                document = f"d{segment // n_per_document}"
                judged.append(Judgement(rater, system, str(segment + 1), scale, float(value), document))
    frame = judgement_frame(judged)
    return HumanEvaluation(frame, HumanChoices(), None, tuple, Settings(n_shuffles=200), means_of_computation(1))


def notes(people: HumanEvaluation) -> str:
    """All notes on the means."""
    return " ".join(note.said for section in averages_sections(people) for note in section.notes)


@pytest.mark.parametrize(
    ("people", "reason"),
    [
        (evaluation(n_segments=3), "No interval of the difference for A. The systems differ on only"),
        (evaluation(gain=0), "No interval of the difference for B. All documents have the difference 0."),
    ],
)
def test_a_missing_interval_says_why(people: HumanEvaluation, reason: str) -> None:
    assert reason in notes(people)


def test_an_interval_that_is_there_needs_no_reason() -> None:
    assert "No interval" not in notes(evaluation(n_segments=12))


def test_documents_of_one_segment_are_not_shown_a_second_time() -> None:
    assert set(evaluation().raters["unit"]) == {"segment"}
    assert set(evaluation(n_per_document=2).raters["unit"]) == {"segment", "document"}


def test_the_methods_paragraph_names_what_was_used() -> None:
    assert "were standardised" not in " ".join(people_methods(evaluation("mqm")))
    assert "Judgements of esa were standardised by annotator." in gold_methods(evaluation("esa"))
    alone = gold_methods(evaluation("mqm", systems=("A",)))
    assert "We compare" not in alone
    assert "randomization" not in alone
    assert "Intervals of mean judgements are Student's t" in alone


def test_preferences_are_tested_without_their_texts() -> None:
    rows = []
    for segment in range(10):
        vote = 1.0 if segment < 9 else 0.0
        document = f"d{segment}"
        rows.append(Judgement("ann", "A", f"doc:{segment}", "preference", vote, document))
        rows.append(Judgement("ann", "B", f"doc:{segment}", "preference", 1 - vote, document))
    people = HumanEvaluation(
        judgement_frame(rows), HumanChoices(), None, tuple, Settings(n_shuffles=1000), means_of_computation(1)
    )
    cells = people.gold.cells(0.05)
    assert isinstance(cells, pd.DataFrame)
    assert cells["better"].iloc[0] == "A"
    assert cells["p_value"].iloc[0] < 0.05
