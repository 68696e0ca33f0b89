"""Languages that models of translation quality have not seen, by the name of the test set."""

import pytest

from mteval.given import GivenMetric, GivenScores
from mteval.model import Experiment, Run, TestSet
from mteval.readers.checks.findings import check
from mteval.readers.checks.languages import KNOWN, UNKNOWN
from mteval.readers.problems import Finding


def found(name: str, metric: str = "xCOMET") -> list[Finding]:
    test_set = TestSet(name, (("a",),), (Run("x", "0", ("b",)),))
    given = (GivenMetric(metric.lower(), metric, (GivenScores(name, "x", "0", (1.0,)),)),)
    findings = check(Experiment((test_set,), "x", given), "sacrebleu")
    return [finding for finding in findings if "XLM-R" in finding.title]


def test_scores_of_a_model_that_has_not_seen_the_language_are_a_warning() -> None:
    (finding,) = found("wmt22.liv-en")
    assert finding.severity == "warning"
    assert (
        "is of Livonian, on which the encoder of COMET's models was not trained. The scores of xCOMET" in finding.detail
    )


def test_without_such_scores_it_is_worth_a_look() -> None:
    (finding,) = found("flores_en-ig", "BLEURT")
    assert finding.severity == "note"
    assert "Scores of COMET, xCOMET or CometKiwi would be unreliable" in finding.detail


@pytest.mark.parametrize("name", ["wmt23.he-en", "test", "mt-eval", "zu", "se-mt", "men-zu", "en-all"])
def test_known_languages_and_other_words_are_none(name: str) -> None:
    assert found(name) == []


def test_no_language_is_both() -> None:
    assert KNOWN.isdisjoint(UNKNOWN)
    assert len(KNOWN) == 93  # 100 in the paper's table, where seven are other scripts of these
