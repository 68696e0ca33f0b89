"""The methods paragraph says what was done, and nothing that was not."""

from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from mteval.analysis.results import Results
from mteval.answers.methods import methods_text
from mteval.values.settings import DESIGNS, Settings
from mteval.values.verdict import Coverage

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


def methods(settings: Settings, **told: Any) -> str:
    """The paragraph of results that are told in a few words."""
    wanted = USUAL | told
    answers = (["open"] * wanted["n_answered"] + ["refused"] * wanted["n_compared"])[: wanted["n_compared"]]
    empty = pd.DataFrame({"simultaneous": [], "system": []})
    results = SimpleNamespace(
        settings=settings, run_word=settings.runs, metrics=[*wanted["metrics"]], signatures=wanted["metrics"],
        run_counts=wanted["run_counts"], coverage=lambda: wanted["coverage"], by_models=wanted["by_models"],
        test_set=SimpleNamespace(name="test", languages="", has_texts=True, has_references=True), sources={},
        experiment=SimpleNamespace(baseline="base"), name_of=lambda system: system, n_shuffles=5678, people=None,
        verdicts=lambda metric: [SimpleNamespace(both=answer) for answer in answers], sampled=list,
        exchanged=wanted["exchanged"], unit=wanted["unit"], rows=lambda frame: empty,
        evaluation=SimpleNamespace(
            versions={"mteval": "9.9"}, simultaneous=empty, sensitivity=empty, halved=(), claims=(),
        ),
    )  # fmt: skip
    return methods_text(cast(Results, results))


def test_everything_that_a_reader_needs_is_there() -> None:
    text = methods(Settings(n_bootstrap=1234, seed=42))
    for part in (
        "BLEU and TER averaged over 3 runs of each system on 1,997 segments (test).",
        "Scores were computed on detokenized text as in sacreBLEU",
        "mteval 9.9. BLEU is the primary metric.",
        "1,234 bootstrap replicates",
        "5,678 shuffles that exchange all runs of a segment together",
        "two-way random effects procedure",
        "judged at the 5% level. All random numbers follow from the seed 42",
        "Signatures: BLEU nrefs:1|tok:13a; TER nrefs:1|case:lc.",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("change", "there", "absent"),
    [
        ({"run_counts": [1], "n_answered": 0}, "of one run of each system", "two-way"),
        ({"n_answered": 0}, "averaged over 3 runs", "two-way"),
        ({"n_compared": 3, "n_answered": 2}, "); it has an answer for 2 of 3 systems.", "given"),
        ({"n_compared": 3, "n_answered": 3}, "interaction with segments).", "has an answer"),
        ({"run_counts": [2, 5]}, "averaged over 2 to 5 runs", "Holm"),
        ({"n_compared": 0}, "bootstrap", "shuffles"),
        ({"n_compared": 3}, "corrected by Holm's method for the 3 systems compared with base", "one run"),
        ({}, "judged at the 5% level.", "not adjusted"),
        ({"n_compared": 3}, "; intervals are not adjusted", "given"),
        ({"exchanged": "document", "unit": "document"}, "all runs of all segments of a document", "output"),
        ({"exchanged": "output"}, "each output on its own", "document"),
    ],
)
def test_what_was_not_done_is_not_said(change: dict[str, Any], there: str, absent: str) -> None:
    text = methods(Settings(), **change)
    assert there in text
    assert absent not in text


def test_the_level_is_that_of_the_settings() -> None:
    assert "judged at the 2.5% level" in methods(Settings(confidence=0.975))
    assert "as in MultEval" in methods(Settings(convention="multeval"))


def test_given_scores_are_described_as_given_with_what_they_cover() -> None:
    part = [Coverage("test", "mqm", system, 820, 1997, 40, 97, 820) for system in ("base", "new")]
    text = methods(Settings(), **{"metrics": {"BLEU": "a", "MQM": "b"}, "coverage": {"BLEU": WHOLE, "MQM": part}})
    assert "BLEU was computed on detokenized text" in text
    assert "MQM was not computed here: scores of segments were given with the runs" in text
    assert "(MQM: 1,640 scores on 820 of 1,997 segments in 40 of 97 documents)" in text
    assert "segments that a run of a system has no score of are left out" in text


def test_models_read_text_as_it_is() -> None:
    text = methods(Settings(), by_models=["TER"])
    assert "BLEU was computed on detokenized text as in sacreBLEU (Post, 2018) with mteval 9.9." in text
    assert "TER was computed on the text as it is with mteval 9.9, by the model and packages that the signature" in text
    alone = methods(Settings(), by_models=["BLEU", "TER"])
    assert "Scores were computed on the text as it is" in alone
    assert "sacreBLEU" not in alone


def test_where_nothing_was_computed_nothing_is_said_to_be() -> None:
    whole = [Coverage("test", "comet", system, 1997, 1997, 0, 0, 1997) for system in ("base", "new")]
    text = methods(Settings(), **{"metrics": {"COMET": "b"}, "coverage": {"COMET": whole}})
    assert "tokenized" not in text
    assert "left out" not in text
    assert "COMET was not computed here" in text
    assert "(COMET: 3,994 scores) and averaged by mteval 9.9." in text


def test_documents_are_named_where_they_are_the_units_of_the_second_answer_alone() -> None:
    text = methods(Settings(), **{"exchanged": "output", "unit": "document"})
    assert "each output on its own" in text
    assert "new documents and re-run training" in text


def test_documents_are_taken_by_pseudo_values_and_segments_by_linearised_scores() -> None:
    by_segment, by_document = (methods(Settings(), **{"unit": unit}) for unit in ("segment", "document"))
    assert "runs on linearised scores (" in by_segment
    assert "runs on delete-one pseudo-values of documents (" in by_document


def test_what_was_declared_of_runs_is_said_before_the_test_that_rests_on_it() -> None:
    told = {design: methods(Settings(design=design)) for design in DESIGNS}
    assert "were compared in pairs" in told["paired"]
    assert "was taken as a fixed system that will not be trained again" in told["fixed"]
    assert not any(words in told["independent"] for words in ("in pairs", "fixed system"))
