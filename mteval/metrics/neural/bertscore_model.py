"""Models of the package bert-score. ``worker`` loads this file with the interpreter that has the package."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LONGEST = 10**6  # tokens per text; 10**30 means that the tokenizer has no limit
STEP = 8  # lengths to which texts are padded are multiples of it


class Model:
    """A pretrained model in bert-score.

    A text is padded to a length that depends on itself alone, and pairs are matched without padding, so a score does
    not depend on those beside it.
    """

    def __init__(
        self, embeddings: Any, folder: str, name: str, layer: int, is_fast: bool, language: str, device: str
    ) -> None:
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        baseline = {"rescale_with_baseline": True, "lang": language} if language else {}
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"the model's name '{name}' leads out of a folder: rename the folder of the model")
        with TemporaryDirectory() as place:  # the package derives the kind of model from its path
            os.chdir(place)
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).symlink_to(folder)
            scorer = importlib.import_module("bert_score").BERTScorer
            with whole(importlib.import_module("transformers").PreTrainedModel):
                self.scorer = scorer(f"./{name}", layer, device=device, use_fast_tokenizer=is_fast, **baseline)
            os.chdir(folder)
        if self.scorer._tokenizer.model_max_length > LONGEST:
            remedy = f"add model_max_length (512 for most models) to {folder}/tokenizer_config.json"
            raise ValueError(f"the tokenizer sets no maximum text length: {remedy}")
        self.embeddings = embeddings(2_000)
        utilities = vars(importlib.import_module("bert_score.utils"))
        replaced = ("get_bert_embedding", "bert_encode", "greedy_cos_idf")
        self.embed, self.encode, self.match = (utilities[name] for name in replaced)
        utilities.update(get_bert_embedding=self.embedded, bert_encode=self.encoded, greedy_cos_idf=self.matched)

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return F of one batch, with precision and recall."""
        outputs, references = ([sample[part] for sample in samples] for part in ("mt", "ref"))
        precision, recall, f = self.scorer.score(outputs, references, batch_size=len(samples))
        return {"scores": f.tolist(), "parts": self.torch.stack((precision, recall), dim=1).tolist()}

    def embedded(self, texts: list[str], *how: Any, **further: Any) -> Any:
        """Replace the package's function: return word embeddings, masks and weights, padded to the longest text."""
        if unread := self.embeddings.unread(texts):
            made = zip(*self.embed(unread, *how, **further), strict=True)
            own = [tuple(part[: int(row[1].sum())].clone().cpu() for part in row) for row in made]
            self.embeddings.keep(unread, own)
        padded = self.torch.nn.utils.rnn.pad_sequence
        return tuple(padded(list(part), batch_first=True) for part in zip(*self.embeddings.of(texts), strict=True))

    def encoded(self, model: Any, ids: Any, attention_mask: Any, all_layers: bool = False) -> Any:
        """Replace the package's function: only texts that are padded to the same length are encoded together."""
        own = attention_mask.sum(dim=1).tolist()
        groups: dict[int, list[int]] = {}
        for row, length in enumerate(own):
            groups.setdefault(-(-int(length) // STEP) * STEP, []).append(row)
        found: list[Any] = [None] * len(own)
        for length, rows in groups.items():
            parts = (ids, self.scorer._tokenizer.pad_token_id), (attention_mask, 0)
            more = max(0, length - ids.shape[1])
            padded = [self.torch.nn.functional.pad(part[rows, :length], (0, more), value=fill) for part, fill in parts]
            for row, embedding in zip(rows, self.encode(model, *padded, all_layers), strict=True):
                found[row] = embedding[: own[row]]
        return self.torch.nn.utils.rnn.pad_sequence(found, batch_first=True)

    def matched(self, *given: Any) -> Any:
        """Replace the package's function: match each pair alone, without padding.

        Parameters
        ----------
        given
            Embeddings, masks and weights of the references, those of the outputs, and whether all layers are compared.
        """
        found, sides = [], given[:6]
        for row in range(len(sides[0])):
            lengths = [int(masks[row].sum()) for masks in (sides[1], sides[4])]
            pair = [part[row : row + 1, : lengths[place // 3]].clone() for place, part in enumerate(sides)]
            found.append(self.match(*pair, *given[6:]))
        return tuple(self.torch.cat(of_pairs) for of_pairs in zip(*found, strict=True))


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
