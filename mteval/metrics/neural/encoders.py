"""Pretrained models as BERTScore reads them: the names that they are published under, the layer, the content."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import SettingsError
from mteval.metrics.neural.checkpoints import (
    description_files,
    digest_of_files,
    model_folder,
    published_name,
    weight_files,
)
from mteval.metrics.neural.named_models import Family

ENCODERS = Family(
    "bertscore", "BERTScore", "MTEVAL_BERTSCORE", "model", "/path/to/roberta-large",
    "a folder or a name in the Hugging Face cache",
)  # fmt: skip


@dataclass(frozen=True)
class Encoder:
    """A pretrained model of the package transformers.

    Parameters
    ----------
    name
        Of the metric that it makes, as its user knows it.
    folder
        With its configuration, tokenizer and weights.
    """

    name: str
    folder: Path

    @property
    def key(self) -> str:
        """Of the metric."""
        return self.name.lower()

    @property
    def digest(self) -> str:
        """Of configuration, tokenizer and weights."""
        return digest_of_files([*description_files(self.folder), *weight_files(self.folder)])

    def published(self, layers: Mapping[str, int]) -> str:
        """The name under which the model is known.

        Parameters
        ----------
        layers
            Names that BERTScore's package knows: of the folder, with that of its maker before it.
        """
        name = published_name(self.folder)
        return name if name in layers or self.folder.parent.name == "snapshots" else self.folder.name

    def layer(self, layers: Mapping[str, int]) -> int:
        """The layer that BERTScore's package reads of a model of this name.

        Raises
        ------
        SettingsError
            Where it knows none.
        """
        name = self.published(layers)
        if name not in layers:
            raise SettingsError(
                f"BERTScore: its package does not say which layer of '{name}' to read ('{self.folder}'). Set the option"
                " 'layer', 1 being the first, or call the folder as the model is published: roberta-large."
            )
        return layers[name]


def encoder(name: str) -> Encoder:
    """The model that the environment gives a name.

    Raises
    ------
    MissingDependencyError
        Where none is named.
    SettingsError
        Where what is named is no model.
    """
    given, word = ENCODERS.named(name)
    folder = model_folder(word)
    if folder is None:
        raise SettingsError(
            f"BERTScore: '{word}' is named as model, and there is neither such a folder nor a model of that name in the"
            f" Hugging Face cache. {ENCODERS.remedy}"
        )
    if not (folder / "config.json").is_file() or not weight_files(folder):
        lacking = "weights (*.safetensors, *.bin)" if (folder / "config.json").is_file() else "config.json"
        raise SettingsError(
            f"BERTScore: the folder '{folder}' has no {lacking}. Name the folder of a model as transformers saves it,"
            " with configuration, tokenizer and weights in it, or the name of one in the Hugging Face cache."
        )
    return Encoder(given, folder)
