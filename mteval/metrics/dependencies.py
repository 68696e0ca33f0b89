"""F-score over dependency relations (Riezler and Maxwell 2005, section 3), from parses supplied with the texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mteval._version import __version__
from mteval.base.arrays import FloatArray, StatArray
from mteval.metrics.base import Option, Scorer, ScoreRange, Usual
from mteval.metrics.options import LOWERCASE, FMeasure, described
from mteval.values.conllu import Word, sentences
from mteval.values.model import Run, TestSet

ROOT = ""  # head of the root; a word may have the form ROOT, but never an empty form
REMEDY = (
    "Parse each run and reference with a parser of your choice and add the CoNLL-U files. On the Load page, give them"
    " the role parses; on the command line use --parses-refs, --parses-baseline and --parses-sys1. Or remove the"
    " metric."
)
_OPTIONS = (
    LOWERCASE,
    Option("labelled", "flag", "Labelled", "Compare the relation too, not only head and dependent."),
    Option("lemma", "flag", "Lemmas", "Compare lemmas, so inflection does not matter. Words without one use the form."),
)

Triples = Counter[tuple[str, str, str]]


@dataclass(frozen=True)
class DependencyF(Usual):
    """Harmonic mean of precision and recall of the triples (head, relation, dependent) that two parses share.

    Triples are matched as multisets. Of several references, the one with the highest F on the segment counts; ties go
    to the one with most triples.

    Parameters
    ----------
    lowercase
        Whether to ignore case. True by default: word order may vary, which moves sentence-initial capitals.
    labelled
        Whether to compare the relation.
    lemma
        Whether to compare lemmas instead of forms.
    """

    lowercase: bool = True
    labelled: bool = True
    lemma: bool = False

    key: ClassVar[str] = "dep-f"
    name: ClassVar[str] = "Dependency F"
    fields: ClassVar[tuple[str, ...]] = ("matched", "hyp_triples", "ref_triples")
    submetric_names: ClassVar[tuple[str, ...]] = ("precision", "recall")
    reads: ClassVar[tuple[str, ...]] = ("reference_parses",)

    def signature(self) -> str:
        """Return what is compared with which reference; the files do not name their parser."""
        case, words = "lc" if self.lowercase else "mixed", "lemma" if self.lemma else "form"
        relations = "labelled" if self.labelled else "unlabelled"
        return f"case:{case}|words:{words}|relations:{relations}|root:yes|ref:best|version:mteval-{__version__}"

    def lacks(self, test_set: TestSet) -> str:
        """Return which parses are missing, and how to add them; empty if any run could be scored."""
        if test_set.reference_parses is None:
            return f"{self.name} needs parses of the references. {REMEDY}"
        if all(run.parses is None for run in test_set.runs):
            return f"{self.name} needs parses of the runs. {REMEDY}"
        return ""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read the parses of the references; without them, no run has a score.

        Raises
        ------
        InputError
            If a parse is not valid CoNLL-U.
        """
        if test_set.reference_parses is None:
            return DependencyScorer(self, None, test_set.n_segments)
        what, parses = "parse of the references, segment", enumerate(test_set.reference_parses, start=1)
        references = tuple(tuple(self.triples(one, f"{what} {number}") for one in own) for number, own in parses)
        return DependencyScorer(self, references, test_set.n_segments)

    def triples(self, parse: str, what: str) -> Triples:
        """Return the triples of a parse of one or more sentences, with their counts.

        Parameters
        ----------
        parse
            CoNLL-U.
        what
            Name of the parse in messages.

        Raises
        ------
        InputError
            If it is not valid CoNLL-U.
        """
        counted: Triples = Counter()
        for sentence in sentences(parse.split("\n")):
            words = sentence.words(what)
            names = (ROOT, *map(self._name, words))
            named = zip(words, names[1:], strict=True)
            counted.update((names[word.head], word.relation if self.labelled else "", name) for word, name in named)
        return counted

    def _name(self, word: Word) -> str:
        name = word.form if not self.lemma or word.lemma == "_" else word.lemma
        return name.lower() if self.lowercase else name


@dataclass(frozen=True)
class DependencyScorer(FMeasure):
    """Triples of runs and references; ``references`` is None if they have no parses."""

    metric: DependencyF
    references: tuple[tuple[Triples, ...], ...] | None
    n_segments: int

    def run_statistics(self, run: Run) -> StatArray:
        """Return matched, hypothesis and reference triples, shape ``(segments, 3)``; NaN without parses.

        Raises
        ------
        InputError
            If a parse is not valid CoNLL-U.
        """
        if self.references is None or run.parses is None:
            return self.statistics(range(self.n_segments), run.hypotheses)
        rows = [
            _against_best(
                self.metric.triples(parse, f"parse of system '{run.system}', run '{run.key}', segment {number}"), those
            )
            for number, (parse, those) in enumerate(zip(run.parses, self.references, strict=True), start=1)
        ]
        return np.array(rows, dtype=np.int64)

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Return NaN, shape ``(n, 3)``: a text that belongs to no run has no parse."""
        return np.full((len(segment_ids), 3), np.nan)


def _against_best(hypothesis: Triples, references: Sequence[Triples]) -> tuple[int, int, int]:
    """Return matches with the reference of highest F (ties: the largest), and the numbers of triples on both sides.

    A reference without triples comes last because its F may be undefined.
    """
    size = hypothesis.total()
    rows = [((hypothesis & reference).total(), size, reference.total()) for reference in references]
    return max(rows, key=lambda row: (2 * row[0] / (size + row[2]) if row[2] else -1.0, row[2]))


SPEC = described(
    DependencyF,
    "Share of grammatical dependencies (head, relation, dependent) that output and reference have in common, from"
    " parses that you supply. It sees who does what to whom in any order, but no synonyms; parser errors on unusual"
    " output count as translation errors.",
    ScoreRange(0, 100),
    "Riezler and Maxwell 2005, ACL workshop on evaluation measures",
    _OPTIONS,
    scores_texts=False,
)
