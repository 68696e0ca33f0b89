"""COMET: its options, its scores of segments and the errors that it marks, their mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Literal

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.metrics.base import Option, OptionValue, Scorer, ScoreRange
from mteval.metrics.means import FIELDS
from mteval.metrics.neural import environment
from mteval.metrics.neural.models import Judgement, Sample
from mteval.metrics.neural.named_models import CHECKPOINTS, Checkpoint, Family, checkpoint
from mteval.metrics.neural.panel import BATCH_SIZE, JudgedScorer, LearnedMetric, spec_of
from mteval.metrics.options import defaults_of, settled
from mteval.values.judgements import SEVERITIES, Spans
from mteval.values.model import Run, TestSet
from mteval.values.settings import Convention

Several = Literal["mean", "best"]


@dataclass(frozen=True)
class CometScorer(JudgedScorer):
    """COMET on one test set; the parts of its score are errors a segment by severity, or none.

    Parameters
    ----------
    several
        What becomes of the scores against several references.
    sources, references
        Of each segment; no references where the model reads none.
    before
        For each segment the segments before it that the model reads as well.
    """

    several: Several
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    before: tuple[range, ...]

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """The errors that the model found in a run's outputs when it judged them, of several references by the first.

        None where it finds none, or has not judged the run.
        """
        if not self.submetric_names:
            return None
        if run.digest not in self._marked:
            samples = [self.samples(segment, text)[0] for segment, text in enumerate(run.hypotheses)]
            known = self.panel.known(samples)
            if None in known:
                return None
            self._marked[run.digest] = tuple(one.spans for one in known if one is not None)
        return self._marked[run.digest]

    @cached_property
    def _marked(self) -> dict[str, tuple[Spans | None, ...]]:
        return {}

    def samples(self, segment: int, text: str) -> list[Sample]:
        """What the model is asked of one output: once for each reference that it reads."""
        before = self.before[segment]
        source = self._told([self.sources[one] for one in before], self.sources[segment])
        if not self.references:
            return [{"src": source, "mt": text}]
        asked: list[Sample] = []
        for place, reference in enumerate(self.references[segment]):
            context = [self.references[one][min(place, len(self.references[one]) - 1)] for one in before]
            asked.append({"src": source, "mt": self._told(context, text), "ref": self._told(context, reference)})
        return asked

    @staticmethod
    def _told(context: Sequence[str], text: str) -> str | list[str]:
        return [*context, text] if context else text

    def row(self, judgement: Judgement) -> list[float]:
        """100 times what the model says, and errors by severity."""
        found = [span.severity for span in judgement.spans]
        return [100 * judgement.score, *(float(found.count(severity)) for severity in self.submetric_names)]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """The mean over references, or what is said by the one with the best score."""
        starts = np.cumsum(counts) - counts
        if self.several == "best":
            best = [
                start + int(rows[start : start + count, 0].argmax())
                for start, count in zip(starts, counts, strict=True)
            ]
            return np.asarray(rows[best])
        return np.add.reduceat(rows, starts, axis=0) / counts[:, None]


_OPTIONS = (
    Option(
        "references",
        "choice",
        "Several references",
        "COMET compares with one reference. mean: of the scores against each; best: the highest of them.",
        choices=("mean", "best"),
    ),
    Option(
        "context",
        "integer",
        "Sentences before",
        "So many sentences before each one in its document are read as well, but not judged: those of the source and of"
        " the reference, which stand before the output, too. 2 as published; 0: none.",
        minimum=0,
        maximum=16,
    ),
    BATCH_SIZE,
    Option(
        "precision",
        "choice",
        "Precision",
        "single: numbers of 32 bits, as COMET's Python interface has them; half: of 16 bits, as comet-score 2.2.7 has"
        " them, with less memory.",
        choices=("single", "half"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Comet(LearnedMetric):
    """COMET: a trained model's estimate of how people would judge a translation, given its source or a reference.

    Scores are 100 times what the model says; the corpus score is their mean.

    Parameters
    ----------
    references
        What becomes of the scores against several references: their ``mean``, or the ``best``.
    context
        Sentences before each one in its document that the model reads as well (Vernikos et al. 2022).
    precision
        Of the model's numbers.
    """

    model: Checkpoint
    references: Several = "mean"
    context: int = 0
    precision: Literal["single", "half"] = "single"

    family: ClassVar[Family] = CHECKPOINTS
    package: ClassVar[str] = "unbabel-comet"

    @property
    def fields(self) -> tuple[str, ...]:
        """Of a model that finds errors, the numbers of their spans as well."""
        return (*FIELDS, *self.submetric_names)

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Errors a segment by severity, of a model that finds them."""
        return SEVERITIES if self.model.finds_errors else ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources, references where the model compares with one, documents where it reads the sentences before."""
        references = ("references",) if self.model.reads_references else ()
        return (*references, "source", *(("documents",) if self.context else ()))

    def signature(self) -> str:
        """The model and its tokenizer by their content, the options, and what computed: packages, kind of device."""
        references = f"refs:{self.references}" if self.model.reads_references else "refs:none"
        options = f"{references}|context:{self.context}|batch:{self.batch_size}|precision:{self.precision}"
        return f"model:{self.model.digest}|kind:{self.model.kind}|{options}|{self.computed_by}"

    def lacks(self, test_set: TestSet) -> str:
        """Source sentences, or references where the model can do nothing without; empty where nothing is missing."""
        if test_set.source is None:
            return (
                f"{self.name} reads source sentences, and test set '{test_set.name}' has none. Load a file with one a"
                f" line and the role 'source' (--source on the command line), or leave {self.name} out."
            )
        if self.model.needs_references and not any(test_set.references):
            return (
                f"{self.name} compares outputs with references, and test set '{test_set.name}' has none. Load some,"
                f" name a model that reads sources alone, or leave {self.name} out."
            )
        if self.context and test_set.documents is None:
            return (
                f"{self.name} reads {counted(self.context, 'sentence')} before each one in its document, and of test"
                f" set '{test_set.name}' no documents are known. Load a file with one a line and the role 'documents'"
                " (--documents on the command line), or set the option 'context' to 0."
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
        references = test_set.references if self.model.reads_references and test_set.has_references else ()
        before = _before(test_set.documents or (), self.context, test_set.n_segments)
        options = ("is_half", self.precision == "half"), ("reads_context", self.context > 0)
        panel = self.panel(self.model.file, "comet", ("checkpoint", str(self.model.file)), *options)
        return CometScorer(panel, self.submetric_names, self.references, test_set.source, references, before)


def _before(documents: Sequence[str], context: int, n_segments: int) -> tuple[range, ...]:
    """For each segment those before it in its document, no more of them than are to be read."""
    first = [0] * n_segments
    for place in range(1, len(documents)):
        first[place] = first[place - 1] if documents[place] == documents[place - 1] else place
    return tuple(range(max(first[place], place - context), place) for place in range(n_segments))


def _configure(key: str, convention: Convention, options: Mapping[str, OptionValue]) -> Comet:
    name = CHECKPOINTS.metric_name(key)
    given = settled(name, _OPTIONS, _DEFAULTS(convention), options)
    model = checkpoint(key)
    if given["context"] and not model.reads_context:
        raise SettingsError(
            f"{name}: 'context' is {given['context']}, and '{model.file}' ({model.kind}, pooling {model.pooling})"
            " cannot read the sentences before: expected a regression_metric with the pooling avg. Set it to 0."
        )
    python = environment.python_with(Comet.package, name)
    return Comet(model=model, python=python, **given, devices=environment.devices())


_DEFAULTS = defaults_of(Comet, _OPTIONS)
spec_of_model = partial(
    spec_of,
    CHECKPOINTS,
    configure=_configure,
    summary="A trained model's estimate of how people would judge the output, given its source or a reference. It"
    " sees meaning where words differ, but numbers of different models do not compare, and a model of whose"
    " training nothing is known may judge a language that it never saw.",
    range=ScoreRange(None, None, "about 0 to 100 for most models"),
    source="Rei, Stewart, Farinha and Lavie 2020, EMNLP",
    options=_OPTIONS,
    defaults=_DEFAULTS,
)
