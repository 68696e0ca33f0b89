"""COMET: its options, its scores of segments, their mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from mteval.error_spans import SEVERITIES
from mteval.errors import DataError
from mteval.metrics.base import MetricSpec, Option, OptionValue, Scorer, ScoreRange
from mteval.metrics.means import FIELDS
from mteval.metrics.neural import environment
from mteval.metrics.neural.checkpoints import USUAL, Checkpoint, checkpoint, names
from mteval.metrics.neural.comet_scores import CometScorer, Several
from mteval.metrics.neural.models import Wanted
from mteval.metrics.neural.panel import Panel
from mteval.metrics.options import settled
from mteval.model import TestSet
from mteval.notation import Notation
from mteval.settings import Convention

Precision = Literal["single", "half"]
PACKAGE = "unbabel-comet"
_OPTIONS = (
    Option(
        "references",
        "choice",
        "Several references",
        "COMET compares with one reference. mean: of the scores against each; best: the highest of them.",
        choices=("mean", "best"),
    ),
    Option(
        "batch_size",
        "integer",
        "Batch size",
        "Outputs that the model reads at once. Scores depend on it in the last digits.",
        minimum=1,
        maximum=1024,
    ),
    Option(
        "precision",
        "choice",
        "Precision",
        "single: numbers of 32 bits, as COMET's Python interface has them; half: of 16 bits, as comet-score 2.2.7 has"
        " them, with less memory.",
        choices=("single", "half"),
    ),
)


@dataclass(frozen=True)
class Comet:
    """COMET: a trained model's estimate of how people would judge a translation, given its source or a reference.

    Scores are 100 times what the model says; the corpus score is their mean.

    Parameters
    ----------
    checkpoint, python
        The model, and the interpreter that has COMET's package.
    references
        What becomes of the scores against several references: their ``mean``, or the ``best``.
    batch_size
        Outputs that the model reads at once.
    precision
        Of the model's numbers.
    devices
        What it computes on, a process each.
    """

    checkpoint: Checkpoint
    python: Path
    references: Several = "mean"
    batch_size: int = 16
    precision: Precision = "single"
    devices: tuple[str, ...] = ("cpu",)

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """The checkpoint's name, in lower case."""
        return self.checkpoint.key

    @property
    def name(self) -> str:
        """The checkpoint's name; of the usual one the package's."""
        return _name_of(self.checkpoint.name)

    @property
    def fields(self) -> tuple[str, ...]:
        """Of a model that finds errors, the numbers of their spans as well."""
        return (*FIELDS, *self.submetric_names)

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Errors a segment by severity, of a model that finds them."""
        return SEVERITIES if self.checkpoint.finds_errors else ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources, and references where the model compares with one."""
        return ("references", "source") if self.checkpoint.reads_references else ("source",)

    def signature(self) -> str:
        """The model by its content, the options, and what computed: package, torch, transformers, kind of device."""
        versions = environment.versions(self.python)
        packages = "|".join(f"{name}:{versions.get(name, 'none')}" for name in (PACKAGE, "torch", "transformers"))
        kinds = "+".join(sorted({device.split(":")[0] for device in self.devices}))
        references = f"refs:{self.references}" if self.checkpoint.reads_references else "refs:none"
        options = f"{references}|batch:{self.batch_size}|precision:{self.precision}|device:{kinds}|scale:100"
        return f"model:{self.checkpoint.digest}|kind:{self.checkpoint.kind}|{options}|{packages}"

    def lacks(self, test_set: TestSet) -> str:
        """Source sentences, or references where the model can do nothing without; empty where nothing is missing."""
        if test_set.source is None:
            return (
                f"{self.name} reads source sentences, and test set '{test_set.name}' has none. Load a file with one a"
                f" line and the role 'source' (--source on the command line), or leave {self.name} out."
            )
        if self.checkpoint.needs_references and not any(test_set.references):
            return (
                f"{self.name} compares outputs with references, and test set '{test_set.name}' has none. Load some,"
                f" name a model that reads sources alone, or leave {self.name} out."
            )
        return ""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the sources and references; the model is loaded when the first output is scored.

        Raises
        ------
        DataError
            Where the test set lacks what the model reads.
        """
        if test_set.source is None or self.lacks(test_set):
            raise DataError(self.lacks(test_set))
        references = test_set.references if self.checkpoint.reads_references else ()
        return CometScorer(self._panel, self.references, self.submetric_names, test_set.source, references)

    @property
    def _panel(self) -> Panel:
        options = (
            ("checkpoint", str(self.checkpoint.file)),
            ("is_half", self.precision == "half"),
        )
        label = f"{self.name} ('{self.checkpoint.file}')"
        wanted = Wanted(label, self.python, "comet", options, self.checkpoint.digest)
        return Panel(wanted, self.devices, self.batch_size, self.signature())


def _name_of(name: str) -> str:
    return "COMET" if name == USUAL else name


def _defaults(convention: Convention) -> Mapping[str, OptionValue]:
    return {"references": "mean", "batch_size": 16, "precision": "single"}


def _configure(key: str, convention: Convention, options: Mapping[str, OptionValue]) -> Comet:
    given = settled(_name_of(key), _OPTIONS, _defaults(convention), options)
    model = checkpoint(key)
    python = environment.python_file(_name_of(key))
    environment.require(PACKAGE, _name_of(key), python)
    return Comet(model, python, **given, devices=environment.devices())


def _spec_of(name: str) -> MetricSpec:
    """The metric that a checkpoint of this name makes."""
    return MetricSpec(
        key=name.lower(),
        name=_name_of(name),
        notation=Notation("↑"),
        summary="A trained model's estimate of how people would judge the output, given its source or a reference. It"
        " sees meaning where words differ, but numbers of different models do not compare, and a model of whose"
        " training nothing is known may judge a language that it never saw.",
        range=ScoreRange(None, None, "about 0 to 100 for most models"),
        source="Rei, Stewart, Farinha and Lavie 2020, EMNLP",
        options=_OPTIONS,
        configure=partial(_configure, name.lower()),
        defaults=_defaults,
        is_slow=True,
    )


SPEC = _spec_of(USUAL)


def named_specs() -> tuple[MetricSpec, ...]:
    """The metrics of the checkpoints that the environment names otherwise than ``comet``."""
    return tuple(_spec_of(name) for name in names() if name.lower() != USUAL)
