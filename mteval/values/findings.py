"""What is odd about the data behind a result: made once, attached to the verdicts it concerns, shown by every door."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from mteval.values.settings import Convention

Level = Literal["warning", "note"]
TITLES: Mapping[str, str] = {
    "case": "Case differs from the references",
    "copied-references": "Identical references",
    "copied-runs": "Identical outputs",
    "copied-scores": "Identical scores",
    "direction": "Direction contradicts the scores",
    "document-ids": "Documents of one segment",
    "empty-hypotheses": "Empty hypotheses",
    "empty-references": "Empty references",
    "encoding": "Garbled characters",
    "entities": "Escaped characters",
    "file": "Files to check",
    "identical-systems": "Identical systems",
    "informative-length": "Gain depends on document length",
    "judge": "LLM judge",
    "judge-answers": "Answers of an LLM judge not understood",
    "language": "Model not trained on this language",
    "language-code": "Unknown language code",
    "language-xlm-r": "XLM-R not trained on this language",
    "length": "Very different length",
    "line-order": "Lines do not match the references",
    "meteor-language": "METEOR compares English words",
    "mixed-case": "Outputs differ in case",
    "mixed-tokenization": "Outputs differ in tokenization",
    "name": "File name contradicts its role",
    "near-copies": "Nearly identical outputs",
    "nested-names": "Names suggest one training",
    "not-read": "Not read",
    "optimized-metric": "Not an independent metric",
    "output-columns": "Columns in the outputs",
    "people-alone": "No verdict by people",
    "not-compared": "System without comparable scores",
    "realigned": "Outputs realigned",
    "reference-columns": "Columns in the reference",
    "reference-lines": "Lines shared with a reference",
    "reference-as-source": "References equal the source",
    "reference-as-system": "Output equals a reference",
    "repeated-lines": "The same output again and again",
    "run-apart": "One score is far from the others",
    "samples": "Samples of one trained model",
    "shared-output": "Output shared by systems",
    "single-runs": "Training luck unknown",
    "source-as-system": "Output equals the source",
    "source-copies": "Copies of the source",
    "subwords": "Subword marks",
    "text-detokenized": "Text looks detokenized",
    "text-tokenized": "Text looks tokenized",
    "tokenization": "References tokenized differently",
}


@dataclass(frozen=True)
class Finding:
    """One oddity of the data.

    Parameters
    ----------
    code
        One of ``TITLES``, for programs.
    detail
        What was found, where, what it means, and what to do.
    severity
        ``warning`` if it changes what the numbers mean, otherwise ``note``.
    test_set
        Where; empty for all.
    systems, metrics, files
        What it is about; empty for all.
    remedy
        Convention of the metrics that would fix it, if any.
    nested
        Pattern of the names of runs that would declare shared trainings, if the names suggest one.
    """

    code: str
    detail: str
    severity: Level = "warning"
    test_set: str = ""
    systems: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    remedy: Convention | None = None
    nested: str = ""

    @property
    def title(self) -> str:
        """A few words."""
        return TITLES[self.code]

    def concerns(self, test_set: str, metric: str, *systems: str) -> bool:
        """Whether it is about this test set, this metric and one of these systems; empty names stand for all."""
        is_on_test_set = not self.test_set or self.test_set == test_set
        is_by_metric = not self.metrics or not metric or metric in self.metrics
        is_of_systems = not self.systems or not systems or not set(systems).isdisjoint(self.systems)
        return is_on_test_set and is_by_metric and is_of_systems


def about_any(findings: Iterable[Finding], systems: Collection[str]) -> tuple[Finding, ...]:
    """Return the findings about any of these systems, and those about all systems."""
    return tuple(finding for finding in findings if not finding.systems or not set(systems).isdisjoint(finding.systems))
