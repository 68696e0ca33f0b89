"""How users name metrics and their options."""

import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

import mteval
from mteval.base.errors import SettingsError
from mteval.cli import main
from mteval.metrics import METRICS, key_of, unknown_metric

TEXTS = ["the cat sat on the mat", "it rained all day", "we left the town early"]
OUTPUTS = ["the cat was on the mat", "all day it rained", "we left town early"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("BLEU", "bleu"),
        ("bleu-4", "bleu"),
        ("BLEU4", "bleu"),
        ("BLEU-2", "bleu-2"),
        ("bleu1", "bleu-1"),
        ("bleu6", "bleu-6"),
        ("spBLEU", "spbleu"),
        ("chrF2", "chrf"),
        ("chrF2++", "chrf++"),
        ("CER", "cer"),
        ("nothing", "nothing"),
    ],
)
def test_usual_names_are_known(name: str, key: str) -> None:
    assert key_of(name, METRICS) == key


def test_given_scores_keep_their_name() -> None:
    assert key_of("chrF2", {**METRICS, "chrf2": METRICS["length"]}) == "chrf2"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("rouge", "unigram-r"),
        ("ROUGE-L", "unigram-r"),
        ("xcomet", "comet"),
        ("COMETKiwi", "comet"),
        ("metricx", "metricx-24"),
        ("metricx-23", "metricx-24"),
        ("bert-score", "bertscore"),
        ("blue", "bleu"),
        ("char-f", "chrf"),
        ("legnth", "length"),
    ],
)
def test_an_unknown_metric_gets_the_nearest_and_a_way_to_bring_its_scores(name: str, nearest: str) -> None:
    said = unknown_metric(name, METRICS)
    assert said.startswith(f"Unknown metric '{name}'. Nearest: {nearest} ({METRICS[nearest].name}). Available: bleu, ")
    assert "--scores-higher FILE" in said
    assert "docs/given-scores.md" in said


def test_nothing_is_near_a_name_like_no_other() -> None:
    assert "Nearest" not in unknown_metric("zzzz", METRICS)


def test_python_takes_the_usual_names() -> None:
    scores = mteval.score({"A": [OUTPUTS]}, TEXTS, "chrF2,BLEU-2,CER", convention="sacrebleu")
    assert scores["metric"].tolist() == ["chrf", "bleu-2", "cer"]
    chrf, bleu, _ = scores["score"]
    assert chrf == pytest.approx(sacrebleu.corpus_chrf(OUTPUTS, [TEXTS]).score, abs=1e-9)
    peer = sacrebleu.BLEU(max_ngram_order=2)
    assert bleu == pytest.approx(peer.corpus_score(OUTPUTS, [TEXTS]).score, abs=1e-9)


@pytest.mark.parametrize("name", ["max_order", "maxOrder", "max-order"])
def test_python_takes_options_as_the_command_line_writes_them(name: str) -> None:
    by_option = mteval.score({"A": [OUTPUTS]}, TEXTS, "bleu", convention="sacrebleu", options={"BLEU": {name: 2}})
    by_name = mteval.score({"A": [OUTPUTS]}, TEXTS, "bleu-2", convention="sacrebleu")
    assert by_option["score"].tolist() == by_name["score"].tolist()


def test_a_bad_option_has_the_same_name_in_python_and_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SettingsError) as error:
        mteval.score({"A": [OUTPUTS]}, TEXTS, "bleu", convention="sacrebleu", options={"bleu": {"max_order": 9}})
    (tmp_path / "ref").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    (tmp_path / "out").write_text("\n".join(OUTPUTS) + "\n", encoding="utf-8")
    words = ["eval", "--refs", str(tmp_path / "ref"), "--system", "A", str(tmp_path / "out")]
    assert main([*words, "--metrics", "bleu", "--bleu.max-order", "9"]) == 2
    assert capsys.readouterr().err.strip().endswith(str(error.value))


@pytest.mark.parametrize("written", ["--bleu-2.smooth-method", "--bleu-2.smooth_method", "--bleu-2.smoothMethod"])
def test_the_command_line_takes_options_with_dashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    (tmp_path / "ref").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    words = ["eval", "--refs", str(tmp_path / "ref"), "--system", "A", str(tmp_path / "ref"), "--quiet"]
    assert main([*words, "--metrics", "bleu2", "chrF2", written, "floor"]) == 0
    out = capsys.readouterr().out
    assert "BLEU-2" in out
    assert "chrF" in out


def test_a_missing_reference_may_be_none_as_in_sacrebleu() -> None:
    second = [None, "it was raining the whole day", None]
    ours = mteval.score({"A": [OUTPUTS]}, [TEXTS, second], "bleu", convention="sacrebleu")["score"].item()
    assert ours == pytest.approx(sacrebleu.corpus_bleu(OUTPUTS, [TEXTS, second]).score, abs=1e-9)


def test_an_output_may_not_be_none() -> None:
    with pytest.raises(mteval.MtevalError, match=r"A/0\.txt, segment 2 is None"):
        mteval.score({"A": [["a", None]]}, ["a", "b"], "bleu")


def test_help_of_a_metric_takes_usual_names() -> None:
    words = [sys.executable, "-m", "mteval", "eval", "--help-metrics", "chrF2"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "--chrf.wordOrder" in done.stdout
