"""Real models of learned metrics, small and untrained: run as a script by the interpreter that has their packages.

A vocabulary is learned from the sample's text; encoders of two layers and COMET's own classes above them are filled at
random from a fixed seed. What they say means nothing, and they say it by the code that the large ones run.
"""

import shutil
import sys
from pathlib import Path

import sentencepiece
import torch
import yaml
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric, XCOMETMetric
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizer, XLMRobertaTokenizerFast

UNITS, LAYERS, LONGEST = 32, 2, 512
COMMON = {"hidden_sizes": [48, 16], "layer_norm": False, "nr_frozen_epochs": 0.0, "local_files_only": True}
KINDS = {
    "regression": (RegressionMetric, {"layer_norm": True}),
    "patched": (RegressionMetric, {"layer_transformation": "sparsemax"}),
    "kiwi": (UnifiedMetric, {"input_segments": ["mt", "src"], "layer_transformation": "softmax"}),
    "referenceless": (ReferencelessRegression, {}),
    "xcomet": (XCOMETMetric, {"encoder_model": "XLM-RoBERTa", "word_layer": LAYERS, "layer_transformation": "softmax"}),
}


def main(corpus: Path, folder: Path, units: int = UNITS, layers: int = LAYERS) -> None:
    """Make an encoder of a size from a text, and a checkpoint of each kind."""
    torch.manual_seed(7)
    encoder = folder / "encoder"
    make_encoder(corpus, encoder, units, layers)
    for known in ("google/bert_uncased_L-2_H-128_A-2", "roberta-large"):  # to BERTScore's package, with a layer
        (folder / known).parent.mkdir(exist_ok=True)
        shutil.copytree(encoder, folder / known)
    for name, (model_class, options) in KINDS.items():
        model = model_class(pretrained_model=str(encoder), **{**COMMON, **options})
        if name == "xcomet":  # so that it takes some words for errors
            torch.nn.init.normal_(model.hidden2tag.weight, std=1.0)
        make_checkpoint(folder / name, model)


def make_encoder(corpus: Path, folder: Path, units: int, layers: int) -> None:
    """Vocabulary, configuration and weights, as a folder of its own."""
    folder.mkdir(parents=True)
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "pieces"), vocab_size=300, character_coverage=1.0,
        minloglevel=2, num_threads=1,
    )  # fmt: skip
    pieces = str(folder / "sentencepiece.bpe.model")
    shutil.move(folder / "pieces.model", pieces)
    (folder / "pieces.vocab").unlink()
    for tokenizer in (XLMRobertaTokenizer, XLMRobertaTokenizerFast):
        tokenizer(pieces, model_max_length=LONGEST).save_pretrained(folder)
    sizes = {
        "hidden_size": units,
        "num_hidden_layers": layers,
        "num_attention_heads": 2,
        "intermediate_size": 2 * units,
    }
    # far from zero, so that sentences differ in what is made of them
    config = XLMRobertaConfig(
        vocab_size=310, max_position_embeddings=LONGEST + 2, initializer_range=0.3, type_vocab_size=1, **sizes
    )
    XLMRobertaModel(config).save_pretrained(folder)


def make_checkpoint(folder: Path, model: torch.nn.Module) -> None:
    """The two files as they are published: weights with their settings, and a description one folder above."""
    (folder / "checkpoints").mkdir(parents=True)
    settings = dict(model.hparams)
    checkpoint = {
        "state_dict": model.state_dict(),
        "hyper_parameters": settings,
        "pytorch-lightning_version": "2.0.0",
    }
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
    described = {**settings, "class_identifier": settings["class_identifier"]}
    if folder.name == "patched":  # as the published ones say that the package is to take its older reading of them
        described["layer_transformation"] = "sparsemax_patch"
    (folder / "hparams.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]), *map(int, sys.argv[3:]))
