"""Small untrained models of MetricX's and BLEURT's classes: run as a script by the interpreter that has the program.

``python tiny_ratings.py metricx|bleurt CORPUS FOLDER`` makes one. ``python tiny_ratings.py rate FOLDER`` rates pairs
from standard input (JSON) as BLEURT's port documents it, and prints the numbers as JSON.
"""

import json
import shutil
import sys
from pathlib import Path

import sentencepiece
import torch

LAYERS, UNITS = 2, 16


def learned_pieces(corpus: str, file: Path, **more: object) -> None:
    """Learn a vocabulary."""
    start = file.parent / "learned"
    sentencepiece.SentencePieceTrainer.train(
        input=corpus, model_prefix=str(start), vocab_size=300, minloglevel=2, num_threads=1, **more
    )
    start.with_suffix(".vocab").unlink()
    shutil.move(start.with_suffix(".model"), file)


def make_metricx(corpus: str, folder: Path) -> None:
    """Make a model that predicts numbers between 0 and 25, not all alike."""
    from metricx24.models import MT5ForRegression
    from transformers import MT5Config, T5Tokenizer

    learned_pieces(corpus, folder / "spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    T5Tokenizer(str(folder / "spiece.model"), extra_ids=0).save_pretrained(folder)
    sizes = {
        "d_model": UNITS,
        "d_kv": 8,
        "d_ff": 32,
        "num_layers": LAYERS,
        "num_decoder_layers": LAYERS,
        "num_heads": 2,
    }
    model = MT5ForRegression(MT5Config(vocab_size=250112, tie_word_embeddings=False, **sizes))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():
        model.shared.weight[0] = 4  # where the decoder starts, so that predictions are around 10
        model.lm_head.weight[250089] = 0.8
    model.save_pretrained(folder)


def make_bleurt(corpus: str, folder: Path) -> None:
    """Make a model."""
    from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification
    from bleurt_pytorch.bleurt.tokenization_bleurt_sp import BleurtSPTokenizer

    learned_pieces(corpus, folder / "spm.model", control_symbols="[PAD],[CLS],[SEP],[MASK]")
    BleurtSPTokenizer(str(folder / "spm.model")).save_pretrained(folder)
    sizes = {"hidden_size": UNITS, "embedding_size": 8, "num_hidden_layers": LAYERS, "num_attention_heads": 2}
    config = BleurtConfig(vocab_size=400, intermediate_size=32, initializer_range=0.5, **sizes)
    BleurtForSequenceClassification(config).save_pretrained(folder)


def rate(folder: str) -> None:
    """Print what the port's own lines give for each pair of reference and output."""
    from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

    model = BleurtForSequenceClassification.from_pretrained(folder)
    tokenizer = BleurtTokenizer.from_pretrained(folder)
    model.eval()
    found = []
    with torch.no_grad():
        for reference, output in json.load(sys.stdin):
            inputs = tokenizer([reference], [output], padding="longest", return_tensors="pt")
            found += model(**inputs).logits.flatten().tolist()
    print(json.dumps(found))


if __name__ == "__main__":
    torch.manual_seed(5)
    if sys.argv[1] == "rate":
        rate(sys.argv[2])
    else:
        Path(sys.argv[3]).mkdir()
        {"metricx": make_metricx, "bleurt": make_bleurt}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
