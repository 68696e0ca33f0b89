"""Test sets, runs, systems and experiments: immutable, validated when built.

Digests cover content and serve as cache keys: a run's digest covers its hypotheses, each part of a test set has its
own, and only the experiment's includes names and roles.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from mteval.base.digests import digest_of, flattened
from mteval.base.errors import DataError
from mteval.base.words import composed, counted, first_with_half_a_pair
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric, check_given
from mteval.values.ledger import NO_FILES, Ledger

Role = Literal["dev", "test", "analysis"]
ROLES: tuple[Role, ...] = ("dev", "test", "analysis")
REALIGNED = "realigned"  # side column that marks segments whose line a realigning program (mweralign) moved
MOVED = "moved"  # its mark of segments whose line the program moved


@dataclass(frozen=True)
class Sample:
    """One of several decodings of one trained model: its key within the run, and one string per segment."""

    key: str
    hypotheses: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """The output of one run (one optimizer sample, one training seed) of one system on one test set.

    Parameters
    ----------
    system
        Key of the system.
    key
        Key of the run within the system; the same key on another test set is the same run there.
    hypotheses
        One string per segment.
    parses
        CoNLL-U parses of the hypotheses, one text per segment, which may be empty; None if not parsed.
    samples
        All decodings if there are several; the first is the hypotheses. Their statistics are averaged within the run.
    members
        Keys of the loaded runs of this training if runs are nested; their outputs are the samples.
    """

    system: str
    key: str
    hypotheses: tuple[str, ...]
    parses: tuple[str, ...] | None = None
    samples: tuple[Sample, ...] = ()
    members: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Digest of the hypotheses alone."""
        return digest_of(self.hypotheses)

    @cached_property
    def has_half_a_pair(self) -> bool:
        """Whether a hypothesis contains half a surrogate pair, which no file can hold."""
        return first_with_half_a_pair(self.hypotheses) is not None

    @cached_property
    def content_digest(self) -> str:
        """Digest of the hypotheses, the parses and further samples."""
        further = []
        if self.parses is not None:
            further.append(digest_of(self.parses))
        for sample in self.samples[1:]:
            further.append(digest_of(sample.hypotheses))
        if not further:
            return self.digest
        return digest_of([self.digest, *further])

    @property
    def decodings(self) -> tuple["Run", ...]:
        """One run per sample; the run itself if it has no samples."""
        if not self.samples:
            return (self,)
        return tuple(Run(self.system, self.key, sample.hypotheses) for sample in self.samples)


@dataclass(frozen=True)
class System:
    """A system and the keys of its runs, in order."""

    key: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class TestSet:
    """A set of segments with references and the outputs of all runs.

    Parameters
    ----------
    name
        Unique within an experiment.
    references
        References per segment: at least one each (numbers may differ), or none for all segments.
    runs
        Outputs, one hypothesis per segment; (system, key) pairs are unique.
    role
        ``dev`` for the tuning set, ``test`` for the reported set, ``analysis`` for a second set read by people.
    source, documents
        Source sentence and document ID per segment.
    side
        Further columns by name, one value per segment.
    reference_parses
        CoNLL-U parses of the references: one text per reference of each segment.
    languages
        Declared language pair from ``language_pair``, e.g. ``en-liv``; empty if none.
    copies
        Runs with the text of an earlier run of the same system, which do not count.
    has_targets
        Whether the references are targets of a benchmark. Answers are right or wrong by them, and no translations.

    Raises
    ------
    DataError
        If lengths differ, only some segments have references, or a run is duplicated.
    """

    __test__ = False  # not a test class, whatever its name suggests to pytest

    name: str
    references: tuple[tuple[str, ...], ...]
    runs: tuple[Run, ...] = ()
    role: Role = "test"
    source: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    side: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reference_parses: tuple[tuple[str, ...], ...] | None = None
    languages: str = ""
    copies: tuple[Run, ...] = ()
    has_targets: bool = False

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise DataError(f"Test set '{self.name}' has role '{self.role}'; expected one of {', '.join(ROLES)}.")
        if not self.references:
            raise DataError(f"Test set '{self.name}' has no segments; at least one is needed.")
        if self.has_references and not all(self.references):
            bare = next(number for number, references in enumerate(self.references, start=1) if not references)
            message = f"Test set '{self.name}', segment {bare} has no reference."
            raise DataError(f"{message} Give every segment at least one reference, or give none at all.")
        self._refuse_other_lengths()
        self._refuse_other_parses()
        counts = Counter((run.system, run.key) for run in self.runs)
        for (system, key), count in counts.items():
            if count > 1:
                message = f"System '{system}', run '{key}' appears {counted(count, 'time')} on test set '{self.name}'."
                raise DataError(f"{message} Give each output its own run name, or remove the copies.")
        self._refuse_half_pairs()

    def _refuse_other_lengths(self) -> None:
        """Raise ``DataError`` unless every column has one entry per segment."""
        expected = "the references have" if self.has_references else "expected"
        for subject, column in self._columns():
            if column is not None and len(column) != len(self.references):
                message = f"{subject} has {counted(len(column), 'segment')} on test set '{self.name}';"
                message += f" {expected} {len(self.references)}."
                raise DataError(f"{message} Use files with one line per segment, in the same order.")

    def _refuse_other_parses(self) -> None:
        """Raise ``DataError`` unless every reference has a parse, or none has."""
        if self.reference_parses is None:
            return
        for number, (parses, texts) in enumerate(zip(self.reference_parses, self.references, strict=True), start=1):
            if len(parses) != len(texts):
                message = f"Test set '{self.name}', segment {number} has {counted(len(texts), 'reference')} and"
                message += f" {counted(len(parses), 'parse')}."
                raise DataError(f"{message} Give one parse per reference, or none at all.")

    def _refuse_half_pairs(self) -> None:
        """Raise ``DataError`` if a name or a text could not be written to a file."""
        names = [self.name, *self.side]
        for run in self.runs:
            names += [run.system, run.key]
            names += [sample.key for sample in run.samples]
        refuse_odd_names(names)
        # A run's own tuple is known by its identity, and its check is cached
        whole_columns = {id(run.hypotheses) for run in self.runs if not run.has_half_a_pair}
        for subject, column in (("The reference", self.references), *self._columns()):
            if column is None or id(column) in whole_columns:
                continue
            index = first_with_half_a_pair(map(_text_of, column))
            if index is not None:
                subject += f", segment {index + 1} on test set '{self.name}'"
                raise DataError(f"{subject} {HALF} Decode the text again, e.g. with errors='replace'.")

    def _columns(self) -> Iterator[tuple[str, Sequence[str] | Sequence[Sequence[str]] | None]]:
        """Yield everything that needs one entry per segment, with its name."""
        for run in self.runs:
            subject = f"System '{run.system}', run '{run.key}'"
            yield subject, run.hypotheses
            for sample in run.samples:
                yield f"{subject}, sample '{sample.key}'", sample.hypotheses
        yield "The source", self.source
        yield "The list of documents", self.documents
        for name, column in self.side.items():
            yield f"Column '{name}'", column
        for run in self.runs:
            yield f"The parse of system '{run.system}', run '{run.key}'", run.parses
        yield "The parse of the references", self.reference_parses

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.references)

    @cached_property
    def has_texts(self) -> bool:
        """Whether any reference or hypothesis has text; else only scores are known."""
        return any(map(any, self.references)) or any(any(run.hypotheses) for run in self.runs)

    @property
    def has_references(self) -> bool:
        """Whether there are references."""
        return any(self.references)

    @property
    def systems(self) -> tuple[System, ...]:
        """Systems with output here, in the order of their first run."""
        runs_of: dict[str, list[str]] = {}
        for run in self.runs:
            runs_of.setdefault(run.system, []).append(run.key)
        return tuple(System(key, tuple(runs)) for key, runs in runs_of.items())

    def runs_of(self, system: str) -> tuple[Run, ...]:
        """Return the runs of one system here, in order; may be empty."""
        return tuple(run for run in self.runs if run.system == system)

    @cached_property
    def part_digests(self) -> Mapping[str, str]:
        """Digest per part: fields by name, side columns as ``side:NAME``."""
        digests = {"references": digest_of(flattened(self.references))}
        if self.source is not None:
            digests["source"] = digest_of(self.source)
        if self.documents is not None:
            digests["documents"] = digest_of(self.documents)
        if self.languages:
            digests["languages"] = digest_of((self.languages,))
        if self.reference_parses is not None:
            digests["reference_parses"] = digest_of(flattened(self.reference_parses))
        for name, column in self.side.items():
            digests[f"side:{name}"] = digest_of(column)
        return digests

    @cached_property
    def digest(self) -> str:
        """Digest of everything but the runs and the declared languages."""
        parts = [(name, digest) for name, digest in self.part_digests.items() if name != "languages"]
        return digest_of(flattened(sorted(parts)))


HALF = "contains half a surrogate pair, which is not a character."


def _text_of(entry: str | Sequence[str]) -> str:
    """Return the text of one segment, or its texts together."""
    if isinstance(entry, str):
        return entry
    return "\n".join(entry)


def refuse_odd_names(names: Iterable[str]) -> None:
    """Raise ``DataError`` if a name contains half a surrogate pair."""
    all_names = tuple(names)
    index = first_with_half_a_pair(all_names)
    if index is not None:
        raise DataError(f"The name {all_names[index]!r} {HALF} Rename it.")


@dataclass(frozen=True)
class Experiment:
    """Test sets with the same systems and runs, and the baseline.

    Parameters
    ----------
    test_sets
        Test sets with the outputs of all runs.
    baseline
        Key of the baseline system.
    given
        Imported scores.
    noticed
        What reading the files found.
    ledger
        What became of every input file; it changes no number, so it does not count for equality.
    keeps_copies
        Whether identical runs of a system all count, as in MultEval.
    nested
        Pattern of the names of runs that share a training, and count as one; empty if each run is a training.

    Raises
    ------
    DataError
        If there is no test set, a name is duplicated, the baseline is unknown, or imported scores do not have one
        score per segment.
    """

    test_sets: tuple[TestSet, ...]
    baseline: str
    given: tuple[GivenMetric, ...] = ()
    noticed: tuple[Finding, ...] = ()
    keeps_copies: bool = False
    nested: str = ""
    ledger: Ledger = field(default=NO_FILES, compare=False)

    def __post_init__(self) -> None:
        if not self.test_sets:
            raise DataError("The experiment has no test set. Add references and at least one run.")
        counts = Counter(test_set.name for test_set in self.test_sets)
        for name, count in counts.items():
            if count > 1:
                raise DataError(f"Test set '{name}' appears {counted(count, 'time')}. Rename one.")
        keys = [system.key for system in self.systems]
        if self.baseline not in keys:
            raise DataError(f"The baseline '{self.baseline}' is not among the systems: {', '.join(keys) or 'none'}.")
        refuse_odd_names(metric.name for metric in self.given)
        n_segments = {test_set.name: test_set.n_segments for test_set in self.test_sets}
        check_given(self.given, n_segments)

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """All systems, baseline first, with the union of their runs over test sets."""
        runs_of: dict[str, dict[str, None]] = {self.baseline: {}}  # in order, without repetitions
        for test_set in self.test_sets:
            for system in test_set.systems:
                runs_of.setdefault(system.key, {}).update(dict.fromkeys(system.runs))
        return tuple(System(key, tuple(runs)) for key, runs in runs_of.items() if runs)

    @property
    def has_texts(self) -> bool:
        """Whether any test set has texts."""
        return any(test_set.has_texts for test_set in self.test_sets)

    def test_set(self, name: str) -> TestSet:
        """Return the test set of that name.

        Raises
        ------
        DataError
            If there is none.
        """
        for test_set in self.test_sets:
            if test_set.name == composed(name):
                return test_set
        names = ", ".join(test_set.name for test_set in self.test_sets)
        raise DataError(f"There is no test set '{name}'; there are: {names}.")

    @cached_property
    def digest(self) -> str:
        """Digest of content, names, roles, the baseline and findings.

        These determine what is shown, except declared languages, which change no number.
        """
        parts = [self.baseline]
        for test_set in self.test_sets:
            parts += [test_set.name, test_set.role, test_set.digest]
            for run in test_set.runs:
                parts += [run.system, run.key, run.content_digest, *run.members]
            for run in test_set.copies:
                parts += ["copy", run.system, run.key]
        parts += [metric.digest for metric in self.given]
        parts += [finding.detail for finding in self.noticed]
        return digest_of(parts)
