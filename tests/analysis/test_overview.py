"""The table's rows and the verdicts, on experiments small enough to work out by hand."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from mteval.analysis.evaluation import Evaluation, evaluate, evaluate_scored
from mteval.analysis.results import Results, overview, reported_test_set, verdicts
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.errors import DataError
from mteval.metrics import resolve
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

REFERENCES = tuple((f"the cat number {word} sat down .",) for word in ("one", "two", "three", "four", "five", "six"))
GOOD = tuple(references[0] for references in REFERENCES)
FAIR = tuple(text.replace("sat", "sits") for text in GOOD)
POOR = tuple(text.replace("the cat", "a dog") for text in GOOD)
MIXED = GOOD[:3] + POOR[3:]
SETTINGS = Settings(metrics=("bleu", "ter", "length"), n_bootstrap=50, n_shuffles=200)
BLEU_TER = replace(SETTINGS, metrics=("bleu", "ter"))  # all these outputs are of one length


def runs(system: str, *outputs: tuple[str, ...]) -> tuple[Run, ...]:
    return tuple(Run(system, str(index), output) for index, output in enumerate(outputs))


def make(*systems: tuple[Run, ...], dev: tuple[Run, ...] = (), documents: tuple[str, ...] | None = None) -> Experiment:
    test_sets = [TestSet("news", REFERENCES, sum(systems, ()), documents=documents)]
    if dev:
        test_sets.insert(0, TestSet("tuning", REFERENCES, dev, role="dev"))
    return Experiment(tuple(test_sets), baseline=systems[0][0].system)


def table(experiment: Experiment, settings: Settings = SETTINGS) -> tuple[pd.DataFrame, Evaluation]:
    evaluation = evaluate(experiment, settings, Work())
    return overview(Results(experiment, evaluation, reported_test_set(experiment))), evaluation


def test_rows_follow_the_metrics_as_chosen_and_the_systems_with_the_baseline_first() -> None:
    rows, _ = table(make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED)))
    assert list(zip(rows["metric"], rows["system"], strict=True)) == [
        (metric, system) for metric in ("bleu", "ter", "length") for system in ("base", "new")
    ]


def test_the_best_average_is_marked_where_a_metric_has_a_direction() -> None:
    rows, _ = table(make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED)))
    assert rows.query("is_best")[["metric", "system"]].to_numpy().tolist() == [["bleu", "new"], ["ter", "new"]]


def test_spread_over_runs_is_s_dev_on_the_tuning_set_and_s_opt_elsewhere() -> None:
    dev = runs("base", FAIR, GOOD) + runs("new", GOOD, GOOD)
    experiment = make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED), dev=dev)
    rows, evaluation = table(experiment)
    spread = evaluation.summary.set_index(["test_set", "metric", "system"])["s_opt"]
    for row in rows.itertuples():
        assert row.s_dev == spread["tuning", row.metric, row.system]
        assert row.s_opt == spread["news", row.metric, row.system]
    on_dev = overview(Results(experiment, evaluation, experiment.test_set("tuning")))
    assert on_dev["s_opt"].isna().all()


def test_one_run_has_no_spread_over_runs_and_no_verdict_on_training_luck() -> None:
    rows, evaluation = table(make(runs("base", FAIR), runs("new", GOOD)))
    assert rows["s_opt"].isna().all()
    assert rows["p_run"].isna().all()
    found = verdicts(evaluation)
    assert {(verdict.both, verdict.n_runs) for verdict in found} == {("refused", 1)}


def test_copies_of_one_run_have_no_verdict_with_a_reason() -> None:
    _, evaluation = table(make(runs("base", FAIR, FAIR, FAIR), runs("new", GOOD, GOOD, GOOD)))
    for verdict in verdicts(evaluation):
        assert verdict.both == "refused"
        assert verdict.note_both


def test_two_runs_a_system_are_provisional() -> None:
    _, evaluation = table(make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED, FAIR)), BLEU_TER)
    assert all(verdict.is_provisional for verdict in verdicts(evaluation))


def test_a_single_system_has_no_comparisons() -> None:
    rows, evaluation = table(make(runs("base", FAIR, MIXED)))
    assert evaluation.comparisons.empty
    assert not verdicts(evaluation)
    assert rows["difference"].isna().all()
    assert not rows["is_best"].any()


def test_improvement_is_positive_where_a_lower_score_is_better() -> None:
    _, evaluation = table(make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED)))
    (ter,) = (one for one in verdicts(evaluation) if one.metric == "ter")
    assert ter.difference < 0 < ter.improvement == -ter.difference


def test_several_systems_are_corrected_together_by_holm() -> None:
    _, evaluation = table(
        make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED), runs("other", POOR, MIXED)),
        replace(BLEU_TER, confidence=0.9),  # which six segments can reach
    )
    for _, rows in evaluation.comparisons.groupby(["metric", "procedure"]):
        smaller, larger = sorted(rows["p_value"])
        expected = [min(1, 2 * smaller), max(min(1, 2 * smaller), larger)]
        if rows["procedure"].iloc[0] == "two-way":  # by the law of the family
            assert (rows["p_adjusted"] >= rows["p_value"]).all()
        else:
            assert sorted(rows["p_adjusted"]) == pytest.approx(expected)


def test_known_documents_are_the_units_unless_segments_are_chosen() -> None:
    experiment = make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED), documents=tuple("aabbcc"))
    for unit, expected in (("auto", "document"), ("document", "document"), ("segment", "segment")):
        _, evaluation = table(experiment, replace(SETTINGS, exchange_unit=unit))
        assert set(evaluation.comparisons["unit"]) == {expected}


def test_exchanging_documents_needs_document_ids() -> None:
    with pytest.raises(DataError, match="has no document IDs"):
        table(make(runs("base", FAIR), runs("new", GOOD)), replace(SETTINGS, exchange_unit="document"))


def test_exchanging_outputs_needs_equal_numbers_of_runs() -> None:
    _, evaluation = table(make(runs("base", FAIR), runs("new", GOOD, MIXED)), replace(SETTINGS, exchange_unit="output"))
    rows = evaluation.comparisons.query("procedure == 'ar-output'")
    assert rows["p_value"].isna().all()
    assert rows["note"].str.len().gt(0).all()


def test_a_run_of_very_different_length_has_a_note() -> None:
    longwinded = tuple(f"{text} and so on and on and on and on" * 20 for text in POOR)
    _, evaluation = table(make(runs("base", FAIR, FAIR), runs("new", GOOD, longwinded)))
    assert evaluation.comparisons.query("metric == 'bleu'")["note"].str.contains("very different length").any()


def test_new_tests_leave_the_summary_as_it_is_and_a_new_seed_does_not() -> None:
    experiment = make(runs("base", FAIR, MIXED), runs("new", GOOD, MIXED))
    scored_metrics = score_experiment(experiment, resolve(SETTINGS), Work())
    first = evaluate_scored(experiment, scored_metrics, SETTINGS, Work())
    for change, is_kept in (({"n_shuffles": 300}, True), ({"seed": 7}, False), ({"n_bootstrap": 60}, False)):
        settings = replace(SETTINGS, **change)
        found = evaluate_scored(experiment, scored_metrics, settings, Work(), earlier=first)
        assert (found.summaries is first.summaries) == is_kept
        afresh = evaluate_scored(experiment, scored_metrics, settings, Work())
        pd.testing.assert_frame_equal(found.summary, afresh.summary)
        assert found.comparisons["p_value"].tolist() == pytest.approx(
            afresh.comparisons["p_value"].tolist(), nan_ok=True
        )


def test_signatures_state_references_options_runs_procedures_resamples_seed_and_version() -> None:
    _, evaluation = table(make(runs("base", FAIR), runs("new", GOOD, MIXED)))
    signature = evaluation.signatures["news"]["bleu"]
    for part in (
        "nrefs:1",
        "tok:13a",
        "runs:1-2",
        "proc:ar-segment/segment+two-way/segment",
        "bs:50",
        "ar:200",
        "seed:12345",
    ):
        assert part in signature.split("|"), part
    assert math.isfinite(float(evaluation.versions["mteval"].split(".")[0]))
