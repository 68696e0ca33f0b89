"""The Python interface on what is unusual: single runs, tuning sets, arrays, typos."""

from pathlib import Path

import numpy as np
import pytest

import mteval

TEXTS = ["a b c", "d e f", "g h i", "j k l", "m n o", "p q r", "s t u", "v w x"]
WRONG = [f"{text[:-1]}z" for text in TEXTS]
FAST = {"n_bootstrap": 20, "n_shuffles": 100}


def on_three_test_sets() -> mteval.Comparison:
    """Two systems of three runs with the same outputs on each test set; the new one is right nearly everywhere."""
    old = [WRONG, WRONG[::-1], WRONG[1:] + TEXTS[:1]]
    new = [TEXTS, TEXTS[::-1], TEXTS[1:] + WRONG[:1]]
    systems = {"old": old, "new": new}
    further = {"systems": systems, "references": TEXTS}
    return mteval.compare(systems, TEXTS, "wer", test_sets={"second": further, "third": further}, **FAST)


def on_a_tuning_set(folder: Path) -> mteval.Comparison:
    """Two systems of two runs, of a file that gives its only test set the role of a tuning set."""
    lines = ["format = 1", 'baseline = "old"', "[settings]", 'metrics = ["wer"]', "n_bootstrap = 20"]
    lines += ["n_shuffles = 100", "[[test_sets]]", 'name = "tuned"', 'role = "dev"', 'references = ["ref.txt"]']
    outputs = {"old": [WRONG, WRONG[::-1]], "new": [TEXTS, TEXTS[::-1]]}
    for system, runs in outputs.items():
        lines.append(f"[test_sets.systems.{system}]")
        for number, run in enumerate(runs):
            (folder / f"{system}{number}.txt").write_text("".join(f"{text}\n" for text in run))
            lines.append(f'{number} = "{system}{number}.txt"')
    (folder / "ref.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    (folder / "experiment.toml").write_text("\n".join(lines))
    return mteval.load(folder / "experiment.toml")


def test_a_test_of_single_runs_is_that_of_test_set_luck_which_decides() -> None:
    compared = mteval.compare({"old": [WRONG], "new": [TEXTS]}, TEXTS, "wer", **FAST)
    (verdict,) = compared.verdicts
    assert verdict.is_of_test_set
    difference = compared.test()
    assert difference.p_value == pytest.approx(verdict.p_test_set)
    assert difference.p_value < 0.05
    assert compared.confidence_interval == pytest.approx((verdict.low_test_set, verdict.high_test_set))


def test_labels_may_be_arrays() -> None:
    compared = mteval.compare({"old": [WRONG], "new": [TEXTS]}, TEXTS, "wer", **FAST)
    labels = ["A B C"] * len(TEXTS)
    by_list = compared.words("label", labels=labels, output_labels={"old": [labels], "new": [labels]})
    array = np.array(labels)
    by_array = compared.words("label", labels=array, output_labels={"old": array[None], "new": array[None]})
    assert by_array.equals(by_list)
    assert set(by_list["group"]) == {"A", "B", "C"}


def test_labels_of_another_system_or_number_of_runs_are_an_error() -> None:
    compared = mteval.compare({"old": [WRONG], "new": [TEXTS]}, TEXTS, "wer", **FAST)
    labels = ["A B C"] * len(TEXTS)
    with pytest.raises(mteval.MtevalError, match=r"'nwe'.*old, new"):
        compared.words("label", labels=labels, output_labels={"nwe": [labels]})
    with pytest.raises(mteval.MtevalError, match=r"'old': 2 runs; expected 1"):
        compared.words("label", labels=labels, output_labels={"old": [labels, labels]})
    with pytest.raises(mteval.MtevalError, match="has 7 segments"):
        compared.words("label", labels=labels[1:])


def test_a_typo_in_a_name_of_a_test_set_is_an_error_that_names_those_known() -> None:
    compared = on_three_test_sets()
    for ask in (mteval.claim, mteval.gate):
        with pytest.raises(mteval.MtevalError, match="'thrid'; there are: test, second, third"):
            ask(compared, test_sets=["test", "second", "thrid"])
        with pytest.raises(mteval.MtevalError, match="No test sets are named"):
            ask(compared, test_sets=[])
    assert mteval.claim(compared, test_sets=["test", "third"])["n_test_sets"].unique().tolist() == [2]


def test_a_gate_is_on_tuning_sets_if_there_are_no_others(tmp_path: Path) -> None:
    compared = on_a_tuning_set(tmp_path)
    gate = mteval.gate(compared, worse_by=5)
    assert gate.frame["test_set"].tolist() == ["tuned"]
    with pytest.raises(mteval.MtevalError, match="two or more test sets"):
        mteval.claim(compared)


def test_no_comparisons_at_all_are_an_error() -> None:
    for ask in (mteval.claim, mteval.gate):
        with pytest.raises(mteval.MtevalError, match="Pass one, or several by name"):
            ask({})
