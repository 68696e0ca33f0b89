"""Models of the package bert-score. ``worker`` loads this file with the interpreter that has the package."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LONGEST = 10**6  # tokens per text; 10**30 means that the tokenizer has no limit


class Model:
    """A pretrained model in bert-score.

    A text is padded to a length that depends on itself alone, and pairs are matched without padding, so a score does
    not depend on those beside it.
    """

    def __init__(
        self,
        embeddings: Any,
        batches: Any,
        folder: str,
        name: str,
        layer: int,
        is_fast: bool,
        language: str,
        device: str,
    ) -> None:
        batches.reproducible()
        self.batches = batches
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        baseline: dict[str, Any] = {}
        if language:
            baseline = {"rescale_with_baseline": True, "lang": language}
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"the model's name '{name}' leads out of a folder: rename the folder of the model")
        with TemporaryDirectory() as directory:  # the package derives the kind of model from its path
            os.chdir(directory)
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).symlink_to(folder)
            package = importlib.import_module("bert_score")
            transformers = importlib.import_module("transformers")
            with incomplete_models_refused(transformers.PreTrainedModel):
                self.scorer = package.BERTScorer(
                    f"./{name}", layer, device=device, use_fast_tokenizer=is_fast, **baseline
                )
            os.chdir(folder)
        if self.scorer._tokenizer.model_max_length > LONGEST:
            remedy = f"add model_max_length (512 for most models) to {folder}/tokenizer_config.json"
            raise ValueError(f"the tokenizer sets no maximum text length: {remedy}")
        self.embeddings = embeddings(2_000)
        utilities: Any = importlib.import_module("bert_score.utils")
        self.embed = utilities.get_bert_embedding
        self.encode = utilities.bert_encode
        self.match = utilities.greedy_cos_idf
        utilities.get_bert_embedding = self.embedded
        utilities.bert_encode = self.encoded
        utilities.greedy_cos_idf = self.matched

    def judgements(self, samples: list[dict[str, str]], size: int) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the judgements of each batch, with the numbers of its samples."""
        for numbers, batch in self.batches.in_order(samples, size):
            yield numbers, self.judged(batch)

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return F of one batch, with precision and recall."""
        outputs = [sample["mt"] for sample in samples]
        references = [sample["ref"] for sample in samples]
        precision, recall, f = self.scorer.score(outputs, references, batch_size=len(samples))
        parts = self.torch.stack((precision, recall), dim=1)
        return {"scores": f.tolist(), "parts": parts.tolist()}

    def embedded(self, texts: list[str], *arguments: Any, **named: Any) -> Any:
        """Replace the package's function: return word embeddings, masks and weights, padded to the longest text."""
        unread = self.embeddings.unread(texts)
        if unread:
            embedded = []
            for embedding, mask, weights in zip(*self.embed(unread, *arguments, **named), strict=True):
                length = int(mask.sum())
                without_padding = tuple(part[:length].clone().cpu() for part in (embedding, mask, weights))
                embedded.append(without_padding)
            self.embeddings.keep(unread, embedded)
        padded = []
        for parts in zip(*self.embeddings.of(texts), strict=True):
            padded.append(self.torch.nn.utils.rnn.pad_sequence(list(parts), batch_first=True))
        return tuple(padded)

    def encoded(self, model: Any, ids: Any, attention_mask: Any, all_layers: bool = False) -> Any:
        """Replace the package's function: only texts that are padded to the same length are encoded together."""
        pad_token = self.scorer._tokenizer.pad_token_id
        lengths = attention_mask.sum(dim=1).tolist()
        embeddings: list[Any] = [None] * len(lengths)
        for rows, (padded_length,) in self.batches.equally_padded(lengths):
            padded_ids = self.batches.rows_of(ids, rows, padded_length, pad_token)
            padded_mask = self.batches.rows_of(attention_mask, rows, padded_length)
            encoded = self.encode(model, padded_ids, padded_mask, all_layers)
            for row, embedding in zip(rows, encoded, strict=True):
                embeddings[row] = embedding[: lengths[row]]
        return self.torch.nn.utils.rnn.pad_sequence(embeddings, batch_first=True)

    def matched(
        self,
        reference_embeddings: Any,
        reference_masks: Any,
        reference_weights: Any,
        output_embeddings: Any,
        output_masks: Any,
        output_weights: Any,
        *arguments: Any,
    ) -> Any:
        """Replace the package's function: match each pair alone, without padding.

        Parameters
        ----------
        arguments
            Whether all layers are compared.
        """
        references = (reference_embeddings, reference_masks, reference_weights)
        outputs = (output_embeddings, output_masks, output_weights)
        scores = []
        for row in range(len(reference_embeddings)):
            reference_length = int(reference_masks[row].sum())
            output_length = int(output_masks[row].sum())
            reference = [part[row : row + 1, :reference_length].clone() for part in references]
            output = [part[row : row + 1, :output_length].clone() for part in outputs]
            scores.append(self.match(*reference, *output, *arguments))
        return tuple(self.torch.cat(scores_of_pairs) for scores_of_pairs in zip(*scores, strict=True))


@contextmanager
def incomplete_models_refused(models: Any) -> Iterator[None]:
    """Refuse models with missing weights: transformers initializes them at random and only logs it."""
    usual = models.from_pretrained

    def loaded(cls: Any, *arguments: Any, **options: Any) -> Any:
        model, info = usual.__func__(cls, *arguments, **options, output_loading_info=True)
        missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)  # scores do not use it
        if missing:
            raise ValueError(f"the files lack weights for {len(missing)} parts of the model, e.g. {missing[0]}")
        return model

    models.from_pretrained = classmethod(loaded)
    try:
        yield
    finally:
        models.from_pretrained = usual
