"""Columns and fields that were renamed are found by both names; the old one warns and names the new one."""

import csv
import io
import json
import pickle
import warnings
from pathlib import Path

import pandas as pd
import pytest

import mteval
from mteval.cli import main
from mteval.values.renamed import RENAMED

SCORES = {
    "old": [[0.1, 0.4, 0.2, 0.3, 0.5, 0.1], [0.2, 0.4, 0.2, 0.3, 0.4, 0.1], [0.1, 0.3, 0.2, 0.4, 0.5, 0.2]],
    "new": [[0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.8, 0.8, 0.7, 0.8, 0.8, 0.7], [0.9, 0.9, 0.6, 0.9, 0.7, 0.6]],
}
TEXTS = ("a b c d\n", "a b c e\n", "a b c d\n")


@pytest.fixture(scope="module")
def comparison() -> mteval.Comparison:
    return mteval.compare_scores(SCORES, "accuracy", n_shuffles=200, n_bootstrap=20)


@pytest.mark.parametrize("old", ["p_both", "p_both_adjusted"])
def test_a_verdict_has_both_names(comparison: mteval.Comparison, old: str) -> None:
    verdict = comparison.verdicts[0]
    with pytest.warns(DeprecationWarning, match=f"'{old}' is now '{RENAMED[old]}'") as told:
        value = getattr(verdict, old)
    assert 0 < value == getattr(verdict, RENAMED[old]) < 1
    assert [warning.filename for warning in told] == [__file__]


@pytest.mark.parametrize(("frame_name", "old"), [("summary", "s_run"), ("table", "s_test"), ("table", "p_both")])
def test_a_frame_has_both_names(comparison: mteval.Comparison, frame_name: str, old: str) -> None:
    frame = comparison.table() if frame_name == "table" else comparison.summary
    new = frame[RENAMED[old]]
    assert old not in frame.columns
    for read in (
        lambda: frame[old],
        lambda: frame[["system", old]].iloc[:, 1],
        lambda: frame.set_index(frame.index)[old],
        lambda: getattr(frame, old),
    ):
        with pytest.warns(DeprecationWarning, match=f"'{old}' is now '{RENAMED[old]}'") as told:
            pd.testing.assert_series_equal(read(), new)
        assert [warning.filename for warning in told] == [__file__]


def test_new_names_and_the_frames_own_columns_do_not_warn(comparison: mteval.Comparison) -> None:
    frame = comparison.summary
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert frame.s_opt.tolist() == frame["s_opt"].tolist()
        frame["p_both"] = 1.0  # a column of the user's
        assert frame["p_both"].tolist() == [1.0, 1.0]
        assert pickle.loads(pickle.dumps(frame)).equals(frame)
    with pytest.raises(KeyError):
        frame["p_none"]
    with pytest.raises(AttributeError):
        _ = frame.p_none


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    paths = []
    for place, text in enumerate((*TEXTS, *TEXTS)):
        path = tmp_path / f"{place}.txt"
        path.write_text(text * 4, encoding="utf-8")
        paths.append(str(path))
    words = ["eval", "--refs", paths[0], "--system", "base", *paths[:3], "--system", "new", *paths[3:]]
    return [*words, "--metrics", "bleu", "--boot-samples", "20", "--ar-shuffles", "50", "--threads", "1"]


def test_json_and_tables_repeat_renamed_columns_for_scripts(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--format", "json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    for row in numbers["summary"]:
        assert row["s_run"] == row["s_opt"]
    for row in numbers["verdicts"]:
        assert row["p_both"] == row["p_run"]
        assert row["p_both_adjusted"] == row["p_run_adjusted"]

    assert main([*words, "--format", "tsv"]) == 0
    for cells in csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter="\t"):
        assert cells["s_test"] == cells["s_opt"]
        assert cells["p_both"] == cells["p_run"]


def test_the_command_line_reads_old_names_of_columns_and_warns(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    latex = [*words, "--format", "latex", "--latex-columns", "average"]
    assert main([*latex, "s_test"]) == 0
    old = capsys.readouterr()
    assert main([*latex, "s_opt"]) == 0
    new = capsys.readouterr()
    assert old.out == new.out
    warning = "mteval: warning: --latex-columns: 's_test' is now 's_opt'; the old name works until version 0.5.\n"
    assert old.err.count(warning) == 1
    assert new.err == old.err.replace(warning, "")
