"""Models of the package bert-score. ``worker`` loads this file with the interpreter that has the package."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LONGEST = 10**6  # tokens per text; 10**30 means that the tokenizer has no limit
SENTENCES = 2000  # embeddings to cache


class Model:
    """A pretrained model in bert-score."""

    def __init__(
        self, embeddings: Any, folder: str, name: str, layer: int, is_fast: bool, language: str, device: str
    ) -> None:
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        baseline = {"rescale_with_baseline": True, "lang": language} if language else {}
        with TemporaryDirectory() as place:  # the package derives the kind of model from its path
            os.chdir(place)
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).symlink_to(folder)
            scorer = importlib.import_module("bert_score").BERTScorer
            with whole(importlib.import_module("transformers").PreTrainedModel):
                self.scorer = scorer(f"./{name}", layer, device=device, use_fast_tokenizer=is_fast, **baseline)
            os.chdir(folder)
        longest = self.scorer._tokenizer.model_max_length
        if longest > LONGEST:
            raise ValueError(
                "the tokenizer sets no maximum text length: add model_max_length (512 for most models) to"
                f" {folder}/tokenizer_config.json"
            )
        self.embeddings = embeddings(SENTENCES)
        utilities = vars(importlib.import_module("bert_score.utils"))
        self.embed = utilities["get_bert_embedding"]
        utilities["get_bert_embedding"] = self.embedded

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return F of one batch, with precision and recall."""
        outputs, references = ([sample[part] for sample in samples] for part in ("mt", "ref"))
        precision, recall, f = self.scorer.score(outputs, references, batch_size=len(samples))
        return {"scores": f.tolist(), "parts": self.torch.stack((precision, recall), dim=1).tolist()}

    def embedded(self, texts: list[str], *how: Any, **further: Any) -> Any:
        """Replace the package's function: return word embeddings, masks and weights, padded to the longest text."""
        unread = self.embeddings.unread(texts)
        if unread:
            made = zip(*self.embed(unread, *how, **further), strict=True)
            self.embeddings.keep(
                unread, [tuple(part[: int(row[1].sum())].clone().cpu() for part in row) for row in made]
            )
        padded = self.torch.nn.utils.rnn.pad_sequence
        return tuple(padded(list(part), batch_first=True) for part in zip(*self.embeddings.of(texts), strict=True))


@contextmanager
def whole(models: Any) -> Iterator[None]:
    """Refuse models with missing weights: transformers initializes them at random and only logs it."""
    usual = models.from_pretrained

    def loaded(cls: Any, *place: Any, **options: Any) -> Any:
        model, found = usual.__func__(cls, *place, **options, output_loading_info=True)
        missing = sorted(name for name in found["missing_keys"] if "pooler" not in name)  # scores do not use it
        if missing:
            raise ValueError(f"the files lack weights for {len(missing)} parts of the model, e.g. {missing[0]}")
        return model

    models.from_pretrained = classmethod(loaded)
    try:
        yield
    finally:
        models.from_pretrained = usual
