"""A metric towards which a system was trained or decoded is marked beside its verdict."""

import pytest

import mteval
from mteval.answers.verdict import own_findings
from mteval.base.errors import SettingsError
from mteval.values.settings import Settings

REFERENCES = [f"the cat number {number} sat on the red mat" for number in range(30)]
NEW = [text.replace("red", "blue") if number % 3 else text for number, text in enumerate(REFERENCES)]
OLD = [text.replace("the", "a") for text in REFERENCES]


def verdicts(*optimized: str):
    systems = {"old": [OLD], "new": [NEW]}
    comparison = mteval.compare(systems, REFERENCES, metrics="bleu,chrf", n_shuffles=99, optimized=optimized)
    return {verdict.metric: verdict for verdict in comparison.results.verdicts()}


@pytest.mark.filterwarnings("ignore:Not an independent metric")
def test_only_the_verdict_by_that_metric_has_the_mark() -> None:
    by_metric = verdicts("new=BLEU")
    (finding,) = own_findings(by_metric["bleu"])
    assert (finding.code, finding.severity) == ("optimized-metric", "warning")
    assert "new is declared as trained or decoded towards BLEU" in finding.detail
    assert own_findings(by_metric["chrf"]) == ()


def test_without_a_declaration_there_is_no_mark_and_settings_stay_as_they_were() -> None:
    assert own_findings(verdicts()["bleu"]) == ()
    assert "optimized" not in Settings().deciding
    assert Settings(optimized=("new=bleu",)).deciding["optimized"] == ("new=bleu",)


@pytest.mark.parametrize(
    ("declared", "message"),
    [("newer=bleu", "No system 'newer'"), ("new=blue", "Unknown metric 'blue'"), ("bleu", "is not SYSTEM=METRIC")],
)
def test_an_unknown_system_or_metric_is_an_error(declared: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        verdicts(declared)


def test_a_system_may_have_an_equals_sign_in_its_name() -> None:
    assert Settings(optimized=("lr=0.1=bleu",)).optimized_pairs == (("lr=0.1", "bleu"),)
