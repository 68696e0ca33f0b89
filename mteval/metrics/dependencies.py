"""F-score over dependency relations (Riezler and Maxwell 2005, section 3), from parses that come with the texts."""

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

ROOT = ""  # head of the word that depends on none; no word has an empty form, as one might have the form ROOT
UNSPECIFIED = "_"
REMEDY = (
    "It compares dependency parses, and none are computed here: parse each run and each reference before, and give the"
    " CoNLL-U files with the text: on the load page in the role parses, on the command line by --parses-refs,"
    " --parses-baseline and --parses-sys1. Or leave the metric out."
)
_OPTIONS = (
    LOWERCASE,
    Option("labelled", "flag", "Labelled", "Compare the relation as well, not only which word depends on which."),
    Option(
        "lemma", "flag", "Lemmas", "Compare lemmas instead of forms, so that inflection makes no difference; the form"
        " where a parse gives no lemma."
    ),
)  # fmt: skip

Triple = tuple[str, str, str]
Triples = Counter[Triple]


@dataclass(frozen=True)
class DependencyF(Usual):
    """Harmonic mean of precision and recall of the triples (head, relation, dependent) that two parses share.

    Triples are matched as multisets. Of several references the one counts whose F with the hypothesis is highest on
    the segment, of equal ones the one with most triples.

    Parameters
    ----------
    lowercase
        Whether case makes no difference. It does not by default: the measure is to allow other word orders, which move
        the capital at the beginning of a sentence.
    labelled
        Whether the relation is compared.
    lemma
        Whether lemmas stand for forms.
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
        """What is compared and against which reference; which parser it was, the files do not say."""
        case, words = "lc" if self.lowercase else "mixed", "lemma" if self.lemma else "form"
        relations = "labelled" if self.labelled else "unlabelled"
        return f"case:{case}|words:{words}|relations:{relations}|root:yes|ref:best|version:mteval-{__version__}"

    def lacks(self, test_set: TestSet) -> str:
        """What is missing so that any run could be scored, and how to give it; empty where nothing is."""
        if test_set.reference_parses is None:
            return f"{self.name}: there is no parse of the references. {REMEDY}"
        if all(run.parses is None for run in test_set.runs):
            return f"{self.name}: there is no parse of any run. {REMEDY}"
        return ""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Read the parses of the references; where there are none, no run has a score.

        Raises
        ------
        InputError
            Where a parse is no CoNLL-U.
        """
        if test_set.reference_parses is None:
            return DependencyScorer(self, None, test_set.n_segments)
        references = tuple(
            tuple(self.triples(parse, f"parse of the references, segment {number}") for parse in parses)
            for number, parses in enumerate(test_set.reference_parses, start=1)
        )
        return DependencyScorer(self, references, test_set.n_segments)

    def triples(self, parse: str, what: str) -> Triples:
        """The triples of a parse of one or more sentences, with how often they stand there.

        Parameters
        ----------
        parse
            CoNLL-U.
        what
            Name of it in a message.

        Raises
        ------
        InputError
            Where it is no CoNLL-U.
        """
        counted: Triples = Counter()
        for sentence in sentences(parse.split("\n")):
            words = sentence.words(what)
            names = (ROOT, *map(self._name, words))
            counted.update(
                (names[word.head], word.relation if self.labelled else "", name)
                for word, name in zip(words, names[1:], strict=True)
            )
        return counted

    def _name(self, word: Word) -> str:
        name = word.form if not self.lemma or word.lemma == UNSPECIFIED else word.lemma
        return name.lower() if self.lowercase else name


@dataclass(frozen=True)
class DependencyScorer(FMeasure):
    """Triples of runs beside those of the references; ``references`` is None where these were not parsed."""

    metric: DependencyF
    references: tuple[tuple[Triples, ...], ...] | None
    n_segments: int

    def run_statistics(self, run: Run) -> StatArray:
        """Triples matched, of the hypothesis and of the best reference, shape ``(segments, 3)``; NaN without parses.

        Raises
        ------
        InputError
            Where a parse is no CoNLL-U.
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
        """Nothing can be said of a text that is of no run, since it has no parse: all NaN, shape ``(n, 3)``."""
        return np.full((len(segment_ids), 3), np.nan)


def _against_best(hypothesis: Triples, references: Sequence[Triples]) -> tuple[int, int, int]:
    """Matches with the reference of the highest F, of equal ones the largest, and the numbers of triples on both sides.

    A reference without triples comes last, as its F may be undefined.
    """
    size = hypothesis.total()
    rows = [((hypothesis & reference).total(), size, reference.total()) for reference in references]
    return max(rows, key=lambda row: (2 * row[0] / (size + row[2]) if row[2] else -1.0, row[2]))


SPEC = described(
    DependencyF,
    "The share of grammatical dependencies (head, relation, dependent) that hypotheses and references have in"
    " common, from parses that you give beside the files. It sees who does what to whom, in whatever order; it misses"
    " synonyms, and a parser's errors on odd output look like errors of translation.",
    ScoreRange(0, 100),
    "Riezler and Maxwell 2005, ACL workshop on evaluation measures",
    _OPTIONS,
    scores_texts=False,
)
