"""The methods paragraph says what was done, and nothing that was not."""

import math
import re
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from mteval.analysis.results import Results
from mteval.answers.methods import methods_text
from mteval.values.settings import DESIGNS, Settings
from mteval.values.verdict import Coverage

FEW = [Coverage("test", "bleu", system, 1997, 1997, 3, 3, 0) for system in ("base", "new")]
WHOLE = [Coverage("test", "any", system, 1997, 1997, 0, 0, 0) for system in ("base", "new")]
USUAL: dict[str, Any] = {
    "metrics": {"BLEU": "nrefs:1|tok:13a", "TER": "nrefs:1|case:lc"},
    "run_counts": [3],
    "coverage": {"BLEU": WHOLE, "TER": WHOLE},
    "n_compared": 1,
    "n_answered": 1,
    "exchanged": "segment",
    "unit": "segment",
    "by_models": (),
}


def methods(settings: Settings, **changes: Any) -> str:
    """The paragraph on the usual results, some of which are changed."""
    usual = USUAL | changes
    n_compared = usual["n_compared"]
    answers = (["open"] * usual["n_answered"] + ["refused"] * n_compared)[:n_compared]
    verdicts = []
    for answer in answers:
        verdicts.append(
            SimpleNamespace(
                both=answer,
                system="sys1",
                is_released=False,
                is_simultaneous=False,
                is_of_runs=False,
                share_of_pairs=math.nan,
            )
        )
    empty = pd.DataFrame({"simultaneous": [], "system": []})
    evaluation = SimpleNamespace(
        versions={"mteval": "9.9"},
        simultaneous=empty,
        sensitivity=empty,
        halved=(),
        claims=(),
    )
    test_set = SimpleNamespace(
        name="test", role="test", languages="", has_texts=True, has_references=True, n_segments=100
    )
    results = SimpleNamespace(
        settings=settings,
        run_word=settings.runs,
        systems=["base", "new"],
        metrics=[*usual["metrics"]],
        signatures=usual["metrics"],
        run_counts=usual["run_counts"],
        coverage=lambda: usual["coverage"],
        by_models=usual["by_models"],
        test_set=test_set,
        sources={},
        experiment=SimpleNamespace(baseline="base", test_sets=(test_set,)),
        name_of=lambda system: system,
        n_shuffles=5678,
        people=None,
        verdicts=lambda metric=None: verdicts,
        planned=None,
        sampled=list,
        exchanged=usual["exchanged"],
        unit=usual["unit"],
        rows=lambda frame: empty,
        evaluation=evaluation,
    )
    return methods_text(cast(Results, results))


def test_everything_that_a_reader_needs_is_there() -> None:
    text = methods(Settings(n_bootstrap=1234, seed=42))
    for part in (
        "BLEU (primary) and TER, averaged over 3 runs per system",
        "1,997 segments (test)",
        "sacreBLEU",
        "mteval 9.9",
        "1,234 bootstrap replicates",
        "5,678 shuffles",
        "exchanging all runs of a segment together",
        "two-way random-effects test",
        "two-sided at the 5%",
        "seed: 42",
        "BLEU: nrefs:1|tok:13a",
        "TER: nrefs:1|case:lc",
    ):
        assert part in text


def test_the_paragraph_has_three_to_six_sentences_and_no_signatures() -> None:
    for change in ({}, {"n_compared": 3}, {"run_counts": [1], "n_answered": 0}, {"n_compared": 0}):
        paragraph, _ = methods(Settings(), **change).split("\n\nAppendix A\n\n")
        sentences = re.findall(r"\w{2,}[)%]*\. (?=[A-Z])|\.$", paragraph)
        assert 2 <= len(sentences) <= 6, paragraph
        assert "nrefs" not in paragraph


@pytest.mark.parametrize(
    ("change", "there", "absent"),
    [
        ({"run_counts": [1], "n_answered": 0}, "one run per system", "two-way"),
        ({"n_answered": 0}, "averaged over 3 runs", "two-way"),
        ({"n_compared": 3, "n_answered": 2}, "(available for 2 of 3 systems)", "provided"),
        ({"n_compared": 3, "n_answered": 3}, "subtracted from the between-run variance", "available for"),
        ({"run_counts": [2, 5]}, "averaged over 2 to 5 runs", "Holm"),
        ({"n_compared": 0}, "bootstrap", "shuffles"),
        ({"n_compared": 3}, "Holm-adjusted for 3 comparisons", "one run"),
        ({}, "two-sided at the 5%", "not adjusted"),
        ({"n_compared": 3}, "intervals are not adjusted", "provided"),
        ({"exchanged": "document", "unit": "document"}, "all runs of a document together", "output"),
        ({"exchanged": "output"}, "single outputs", "document"),
        ({"unit": "document"}, "pseudo-values of documents", "fewer than five"),
        ({"unit": "document", "coverage": {"BLEU": FEW, "TER": FEW}}, "fewer than five documents", "Holm"),
    ],
)
def test_what_was_not_done_is_not_mentioned(change: dict[str, Any], there: str, absent: str) -> None:
    text = methods(Settings(), **change)
    assert there in text
    assert absent not in text


def test_the_level_and_the_convention_are_those_of_the_settings() -> None:
    assert "2.5%" in methods(Settings(confidence=0.975))
    assert "MultEval's convention" in methods(Settings(convention="multeval"))


def test_provided_scores_are_described_as_provided_with_what_they_cover() -> None:
    part = [Coverage("test", "mqm", system, 820, 1997, 40, 97, 820) for system in ("base", "new")]
    text = methods(Settings(), metrics={"BLEU": "a", "MQM": "b"}, coverage={"BLEU": WHOLE, "MQM": part})
    assert "BLEU was computed on detokenized text" in text
    assert "MQM were provided" in text
    assert "MQM: 1,640 scores on 820 of 1,997 segments in 40 of 97 documents" in text
    assert "a run has no score for are excluded" in text


def test_scores_that_one_system_lacks_are_said_to_be_excluded_though_the_other_has_all() -> None:
    complete = Coverage("test", "mqm", "base", 1997, 1997, 0, 0, 1997)
    part = Coverage("test", "mqm", "new", 820, 1997, 0, 0, 820)
    for rows in ([complete, part], [part, complete]):
        text = methods(Settings(), metrics={"BLEU": "a", "MQM": "b"}, coverage={"BLEU": WHOLE, "MQM": rows})
        assert "MQM: 2,817 scores on 820 to 1,997 of 1,997 segments" in text
        assert "a run has no score for are excluded" in text


def test_models_read_text_as_it_is() -> None:
    text = methods(Settings(), by_models=["TER"])
    assert "BLEU was computed on detokenized text" in text
    assert "TER was computed on the text as given" in text
    assert "sacreBLEU" not in methods(Settings(), by_models=["BLEU", "TER"])


def test_methods_do_not_mention_computation_if_all_scores_were_provided() -> None:
    complete = [Coverage("test", "comet", system, 1997, 1997, 0, 0, 1997) for system in ("base", "new")]
    text = methods(Settings(), metrics={"COMET": "b"}, coverage={"COMET": complete})
    assert "tokenized" not in text
    assert "excluded" not in text
    assert "COMET were provided, not computed (COMET: 3,994 scores)" in text


def test_documents_are_units_of_the_second_answer_alone_if_outputs_were_exchanged() -> None:
    text = methods(Settings(), exchanged="output", unit="document")
    assert "exchanging single outputs" in text
    assert "random-effects test over documents and runs" in text


def test_documents_are_taken_by_pseudo_values_and_segments_by_linearised_scores() -> None:
    assert "on linearised scores" in methods(Settings(), unit="segment")
    assert "on delete-one pseudo-values of documents" in methods(Settings(), unit="document")


def test_declared_designs_are_mentioned() -> None:
    text_of = {design: methods(Settings(design=design)) for design in DESIGNS}
    assert "same name paired" in text_of["paired"]
    assert "the baseline as a fixed system" in text_of["fixed"]
    assert "paired" not in text_of["independent"]
    assert "fixed system" not in text_of["independent"]
