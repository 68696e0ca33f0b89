"""Languages that models of translation quality have not seen, as they are declared or by the name of the test set."""

from collections.abc import Sequence

import pytest

from mteval.readers.checks import KNOWN, OF_BERT, UNKNOWN, check
from mteval.readers.documents import Finding
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.languages import LearnedMetric, Training
from mteval.values.model import Experiment, Run, TestSet

COMET = LearnedMetric("COMET", "xlm-r", reads_source=True)


def found(
    name: str, metric: str = "xCOMET", languages: str = "", learned: Sequence[LearnedMetric] = ()
) -> list[Finding]:
    test_set = TestSet(name, (("a",),), (Run("x", "0", ("b",)),), languages=languages)
    given = (GivenMetric(metric.lower(), metric, (GivenScores(name, "x", "0", (1.0,)),)),)
    findings = check(Experiment((test_set,), "x", given), "sacrebleu", learned)
    return [finding for finding in findings if "language" in finding.title]


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


def test_what_is_declared_goes_before_the_name() -> None:
    (finding,) = found("test", languages="en-ig")
    assert (finding.severity, "'test' is of Igbo, on which" in finding.detail) == ("warning", True)
    assert found("wmt22.liv-en", languages="de-en_GB") == []
    (both,) = found("test", "BLEURT", languages="hsb-dsb", learned=[COMET])
    assert (both.severity, "Upper Sorbian and Lower Sorbian" in both.detail) == ("warning", True)
    assert "The scores of COMET are unreliable there" in both.detail


def test_of_a_code_that_is_not_listed_nothing_is_claimed() -> None:
    (finding,) = found("test", languages="en-kab")
    assert finding.severity == "note"
    assert "'test' is declared to be of 'kab'. It is not known here whether COMET's models saw it" in finding.detail


def test_no_language_is_both() -> None:
    assert KNOWN.isdisjoint(UNKNOWN)
    assert len(KNOWN) == 93  # 100 in the paper's table, where seven are other scripts of these


@pytest.mark.parametrize(
    ("training", "languages", "said"),
    [
        ("english", "en-de", "translated into 'de', on which the encoder of BERTScore was not trained: it saw English"),
        ("english", "de-kab", "translated into 'kab', on which"),
        ("english", "de-en_GB", ""),
        ("multilingual bert", "en-th", ""),
        ("multilingual bert uncased", "en-th", "translated into 'th', on which"),
        ("multilingual bert", "en-ps", "it saw the languages of multilingual BERT. The scores of BERTScore are"),
        ("multilingual bert", "en-yo", ""),
        ("multilingual bert", "en-kab", ""),
        ("xlm-r", "en-yo", "translated into Yoruba, on which the encoder of BERTScore was not trained: it saw the"),
        ("xlm-r", "yo-en", ""),
    ],
)
def test_a_model_that_reads_no_source_is_asked_about_what_is_translated_into(
    training: Training, languages: str, said: str
) -> None:
    warnings = found("test", "BLEURT", languages, [LearnedMetric("BERTScore", training, reads_source=False)])
    told = [one.detail for one in warnings if one.title == "A language that a model has not seen"]
    assert len(told) == bool(said)
    assert said in "".join(told)


def test_one_that_reads_both_is_asked_about_both() -> None:
    (finding,) = found("test", "BLEURT", "ps-am", [LearnedMetric("own", "multilingual bert", reads_source=True)])
    assert "'test' is of 'ps' and 'am', on which the encoder of own was not trained" in finding.detail


def test_multilingual_bert_has_the_languages_of_its_makers_list() -> None:
    assert len(OF_BERT) == 104  # in the list Chinese stands twice, and Bokmål has one code
