"""Languages that models of translation quality have not seen, as they are declared or by the name of the test set."""

import pytest

from mteval.readers.checks import check
from mteval.readers.guesses.file_names import language_of
from mteval.readers.seen_languages import KNOWN, OF_BERT, UNKNOWN
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.languages import LearnedMetric, Training
from mteval.values.model import Experiment, Run, TestSet

COMET = LearnedMetric("COMET", "xlm-r", reads_source=True)


def language_findings(
    name: str, metric: str = "xCOMET", languages: str = "", learned: tuple[LearnedMetric, ...] = ()
) -> list[Finding]:
    """What the check says about the languages of a test set, which has scores of a metric."""
    test_set = TestSet(name, (("a",),), (Run("x", "0", ("b",)),), languages=languages)
    given = GivenMetric(metric.lower(), metric, (GivenScores(name, "x", "0", (1.0,)),))
    findings = check(Experiment((test_set,), "x", (given,)), "sacrebleu", learned)
    return [finding for finding in findings if "language" in finding.title]


def test_scores_of_a_model_not_trained_on_the_language_give_a_warning() -> None:
    (finding,) = language_findings("wmt22.liv-en")
    assert finding.severity == "warning"
    assert "contains Livonian, on which COMET's encoder was not trained. Scores of xCOMET" in finding.detail


def test_without_such_scores_it_is_a_note() -> None:
    (finding,) = language_findings("flores_en-ig", "BLEURT")
    assert finding.severity == "note"
    assert "Scores of COMET, xCOMET or CometKiwi would be unreliable" in finding.detail


@pytest.mark.parametrize("name", ["wmt23.he-en", "test", "mt-eval", "zu", "se-mt", "men-zu", "en-all"])
def test_known_languages_and_other_words_give_no_finding(name: str) -> None:
    assert language_findings(name) == []


def test_declared_languages_override_the_name() -> None:
    assert language_findings("wmt22.liv-en", languages="de-en_GB") == []

    (finding,) = language_findings("test", languages="en-ig")
    assert finding.severity == "warning"
    assert "'test' contains Igbo, on which" in finding.detail

    (finding,) = language_findings("test", "BLEURT", languages="hsb-dsb", learned=(COMET,))
    assert finding.severity == "warning"
    assert "Upper Sorbian and Lower Sorbian" in finding.detail
    assert "Scores of COMET are unreliable" in finding.detail


def test_unlisted_code_is_a_note() -> None:
    (finding,) = language_findings("test", languages="en-kab")
    assert finding.severity == "note"
    assert "'test' is declared as 'kab'" in finding.detail


def test_no_language_is_known_and_unknown() -> None:
    assert KNOWN.isdisjoint(UNKNOWN)
    assert len(KNOWN) == 93  # 100 in the paper's table, where seven are other scripts of these


@pytest.mark.parametrize(
    ("training", "languages", "warning"),
    [
        ("english", "en-de", "contains 'de'. The encoder of BERTScore was trained on English only"),
        ("english", "de-kab", "contains 'kab'."),
        ("english", "de-en_GB", ""),
        ("multilingual bert", "en-th", ""),
        ("multilingual bert uncased", "en-th", "contains 'th'."),
        ("multilingual bert", "en-ps", "BERTScore was trained on languages of multilingual BERT"),
        ("multilingual bert", "en-yo", ""),
        ("multilingual bert", "en-kab", ""),
        ("xlm-r", "en-yo", "contains Yoruba. The encoder of BERTScore was trained on languages of XLM-R"),
        ("xlm-r", "yo-en", ""),
    ],
)
def test_model_without_source_needs_only_the_target_language(training: Training, languages: str, warning: str) -> None:
    metric = LearnedMetric("BERTScore", training, reads_source=False)
    findings = language_findings("test", "BLEURT", languages, (metric,))
    warnings = [finding.detail for finding in findings if finding.title == "Model not trained on this language"]
    if warning:
        assert len(warnings) == 1
        assert warning in warnings[0]
    else:
        assert warnings == []


def test_model_with_source_needs_both_languages() -> None:
    metric = LearnedMetric("own", "multilingual bert", reads_source=True)
    (finding,) = language_findings("test", "BLEURT", "ps-am", (metric,))
    assert "'test' contains 'ps' and 'am'." in finding.detail


def test_multilingual_bert_has_the_languages_of_its_makers_list() -> None:
    assert len(OF_BERT) == 104  # in the list Chinese stands twice, and Bokmål has one code


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("refs/test.ref.de", "de"),
        ("ref.cs.txt", "cs"),
        ("newstest.en.gz", "en"),
        ("ref.best", None),
        ("reference", None),
    ],
)
def test_the_language_of_a_file_is_the_last_word_of_its_name(name: str, language: str | None) -> None:
    assert language_of(name) == language
