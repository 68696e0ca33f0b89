"""Of which models it is known what languages they saw."""

from pathlib import Path

import pytest

from mteval.metrics.neural import learned, training_of
from mteval.values.languages import LearnedMetric


@pytest.mark.parametrize(
    ("name", "training"),
    [
        ("xlm-roberta-large", "xlm-r"),
        ("facebook/xlm-roberta-xl", "xlm-r"),
        ("microsoft/infoxlm-large", "xlm-r"),
        ("bert-base-multilingual-cased", "multilingual bert"),
        ("bert-base-multilingual-uncased", "multilingual bert uncased"),
        ("roberta-large", "english"),
        ("bert-base-uncased", "english"),
        ("microsoft/deberta-xlarge-mnli", "english"),
        ("google/bert_uncased_L-2_H-128_A-2", "english"),
        ("microsoft/mdeberta-v3-base", None),
        ("dbmdz/bert-base-turkish-cased", None),
        ("bert-base-chinese", None),
        ("xlm-roberta-large-davlan", None),
        ("", None),
    ],
)
def test_published_name_gives_the_training_languages(name: str, training: str | None) -> None:
    assert training_of(name) == training


def test_training_languages_follow_from_model_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("roberta-large", "our-own", "comet/checkpoints"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("roberta-large", "our-own"):
        (tmp_path / folder / "config.json").touch()
        (tmp_path / folder / "model.safetensors").touch()
    (tmp_path / "comet" / "checkpoints" / "model.ckpt").touch()
    described = "class_identifier: regression_metric\npretrained_model: microsoft/infoxlm-large\n"
    (tmp_path / "comet" / "hparams.yaml").write_text(described, encoding="utf-8")
    monkeypatch.setenv("MTEVAL_COMET", f"Kiwi={tmp_path / 'comet'}")
    monkeypatch.setenv("MTEVAL_BERTSCORE", f"{tmp_path / 'roberta-large'}:own={tmp_path / 'our-own'}:gone=/nowhere")
    assert learned(["bleu", "kiwi", "bertscore", "own", "gone", "comet"]) == (
        LearnedMetric("Kiwi", "xlm-r", reads_source=True),
        LearnedMetric("BERTScore", "english", reads_source=False),
    )
