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
        case = "lc" if self.lowercase else "mixed"
        words = "lemma" if self.lemma else "form"
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
        references = []
        for number, parses in enumerate(test_set.reference_parses, start=1):
            name = f"parse of the references, segment {number}"
            references.append(tuple(self.triples(parse, name) for parse in parses))
        return DependencyScorer(self, tuple(references), test_set.n_segments)

    def triples(self, parse: str, name: str) -> Triples:
        """Return the triples of a parse of one or more sentences, with their counts.

        Parameters
        ----------
        parse
            CoNLL-U.
        name
            Name of the parse in messages.

        Raises
        ------
        InputError
            If it is not valid CoNLL-U.
        """
        triples: Triples = Counter()
        for sentence in sentences(parse.split("\n")):
            words = sentence.words(name)
            # A head is the number of a word from 1, or 0 for the root
            forms = (ROOT, *(self._form(word) for word in words))
            for number, word in enumerate(words, start=1):
                relation = word.relation if self.labelled else ""
                triples[forms[word.head], relation, forms[number]] += 1
        return triples

    def _form(self, word: Word) -> str:
        """Return the form or lemma of a word, as it is compared."""
        form = word.form
        if self.lemma and word.lemma != "_":
            form = word.lemma
        if self.lowercase:
            return form.lower()
        return form


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
        rows = []
        for number, (parse, references) in enumerate(zip(run.parses, self.references, strict=True), start=1):
            name = f"parse of system '{run.system}', run '{run.key}', segment {number}"
            rows.append(_against_best(self.metric.triples(parse, name), references))
        return np.array(rows, dtype=np.int64)

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Return NaN, shape ``(n, 3)``: a text that belongs to no run has no parse."""
        return np.full((len(segment_ids), 3), np.nan)


def _against_best(hypothesis: Triples, references: Sequence[Triples]) -> tuple[int, int, int]:
    """Return matches with the reference of highest F (ties: the largest), and the numbers of triples on both sides.

    A reference without triples comes last because its F may be undefined.
    """
    n_hypothesis = hypothesis.total()
    rows = []
    for reference in references:
        n_matched = (hypothesis & reference).total()
        rows.append((n_matched, n_hypothesis, reference.total()))

    def f_and_size(row: tuple[int, int, int]) -> tuple[float, int]:
        n_matched, _, n_reference = row
        if n_reference == 0:
            return -1.0, n_reference
        return 2 * n_matched / (n_hypothesis + n_reference), n_reference

    return max(rows, key=f_and_size)


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
