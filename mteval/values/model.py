"""The values that everything else works on: test sets, runs, systems and the experiment.

All are immutable and validated when built. Digests cover content, so that statistics can be kept under them: a run's
digest covers its hypotheses, a test set's parts have a digest each, and only the experiment's adds names and roles.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from mteval.base.digests import digest_of, flattened
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.values.given import GivenMetric, check_given

Role = Literal["dev", "test", "analysis"]
ROLES: tuple[Role, ...] = ("dev", "test", "analysis")


@dataclass(frozen=True)
class Sample:
    """One of several decodings of one trained model: its key within the run, and one string a segment."""

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
        One string a segment.
    parses
        Dependency parses of the hypotheses in CoNLL-U, one text a segment with its sentences, empty where there are
        none; None where the run was not parsed.
    samples
        All decodings where there are several, the first of them being the hypotheses. They are no runs of their own:
        their statistics are averaged within the run.
    """

    system: str
    key: str
    hypotheses: tuple[str, ...]
    parses: tuple[str, ...] | None = None
    samples: tuple[Sample, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Digest of the hypotheses alone."""
        return digest_of(self.hypotheses)

    @cached_property
    def content_digest(self) -> str:
        """Digest of the hypotheses and, where there are any, the parses and further samples."""
        parts = [self.digest, *([] if self.parses is None else [digest_of(self.parses)])]
        parts += (digest_of(sample.hypotheses) for sample in self.samples[1:])
        return self.digest if len(parts) == 1 else digest_of(parts)

    @property
    def decodings(self) -> tuple["Run", ...]:
        """A run for each sample; the run itself where there is one."""
        return tuple(Run(self.system, self.key, sample.hypotheses) for sample in self.samples) or (self,)


@dataclass(frozen=True)
class System:
    """A system and the keys of its runs, in order."""

    key: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class TestSet:
    """One set of segments with its references and every run's output on it.

    Parameters
    ----------
    name
        Unique within an experiment.
    references
        For each segment its references: one or more, their number may differ between segments; or none for all.
    runs
        Outputs; each has one hypothesis a segment, and a (system, key) pair stands once.
    role
        ``dev`` for the set the systems were tuned on, ``test`` for the one reported, ``analysis`` for a second test set
        that is read by people.
    source, documents
        One string a segment: the source sentence, the id of its document.
    side
        Further columns with one value a segment (imported scores, labels), by name.
    reference_parses
        Dependency parses of the references in CoNLL-U: for each segment one text a reference, as ``Run.parses``.
    languages
        The pair that was declared, as ``language_pair`` gives it: ``en-liv``; empty where none was.

    Raises
    ------
    DataError
        Where lengths differ, some segments have no reference, or a run stands twice.
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

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise DataError(f"Test set '{self.name}' has role '{self.role}'; expected one of {', '.join(ROLES)}.")
        self._check_references()
        for what, column in self._columns():
            if column is not None and len(column) != len(self.references):
                expected = f"{'the references have' if self.has_references else 'expected'} {len(self.references)}"
                raise DataError(
                    f"{what} has {counted(len(column), 'segment')} on test set '{self.name}'; {expected}. Give files"
                    " with one line a segment, in the same order."
                )
        self._check_parses()
        for (system, key), count in Counter((run.system, run.key) for run in self.runs).items():
            if count > 1:
                raise DataError(
                    f"System '{system}', run '{key}' stands {counted(count, 'time')} on test set '{self.name}';"
                    " give each output a run of its own, or drop the copies."
                )

    def _columns(self) -> Iterator[tuple[str, Sequence[object] | None]]:
        """All that must have one entry a segment, with what it is called."""
        names = [(run, f"System '{run.system}', run '{run.key}'") for run in self.runs]
        for run, name in names:
            yield name, run.hypotheses
            yield from ((f"{name}, sample '{sample.key}'", sample.hypotheses) for sample in run.samples)
        yield from (("The source", self.source), ("The list of documents", self.documents))
        yield from ((f"Column '{name}'", column) for name, column in self.side.items())
        yield from ((f"The parse of s{name[1:]}", run.parses) for run, name in names)
        yield "The parse of the references", self.reference_parses

    def _check_references(self) -> None:
        if not self.references:
            raise DataError(f"Test set '{self.name}' has no segments; it needs at least one.")
        if not self.has_references:
            return
        for index, references in enumerate(self.references):
            if not references:
                raise DataError(
                    f"Test set '{self.name}', segment {index + 1} has no reference; each segment needs at least one, or"
                    " none has any."
                )

    def _check_parses(self) -> None:
        for index, (parses, references) in enumerate(zip(self.reference_parses or (), self.references, strict=False)):
            if len(parses) != len(references):
                raise DataError(
                    f"Test set '{self.name}', segment {index + 1} has {counted(len(references), 'reference')} and"
                    f" {counted(len(parses), 'parse')} of them; give one parse a reference, or none at all."
                )

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.references)

    @cached_property
    def has_texts(self) -> bool:
        """Whether any reference or hypothesis has words; else scores are all that is known of the runs."""
        return any(map(any, self.references)) or any(any(run.hypotheses) for run in self.runs)

    @property
    def has_references(self) -> bool:
        """Whether outputs can be compared with references here."""
        return any(self.references)

    @property
    def systems(self) -> tuple[System, ...]:
        """The systems with output here, in the order of their first run."""
        keys: dict[str, list[str]] = {}
        for run in self.runs:
            keys.setdefault(run.system, []).append(run.key)
        return tuple(System(key, tuple(runs)) for key, runs in keys.items())

    def runs_of(self, system: str) -> tuple[Run, ...]:
        """The runs of one system here, in order; empty where it has none."""
        return tuple(run for run in self.runs if run.system == system)

    @cached_property
    def part_digests(self) -> Mapping[str, str]:
        """Digest of each part that a metric may read: the fields by name, side columns as ``side:NAME``."""
        parts = {"references": digest_of(flattened(self.references))}
        for name, column in (("source", self.source), ("documents", self.documents)):
            if column is not None:
                parts[name] = digest_of(column)
        if self.reference_parses is not None:
            parts["reference_parses"] = digest_of(flattened(self.reference_parses))
        return parts | {f"side:{name}": digest_of(column) for name, column in self.side.items()}

    @cached_property
    def digest(self) -> str:
        """Digest of references and their parses, source, documents, side columns; runs have digests of their own."""
        return digest_of(flattened(sorted(self.part_digests.items())))


@dataclass(frozen=True)
class Experiment:
    """Test sets with the same systems and runs, and the system that the others are compared with.

    Parameters
    ----------
    test_sets
        With the hypotheses of every run.
    baseline
        Key of the system that the others are compared with.
    given
        Scores that came with the runs.

    Raises
    ------
    DataError
        Where there is no test set, a name stands twice, the baseline is not among the systems, or given scores are
        not one a segment.
    """

    test_sets: tuple[TestSet, ...]
    baseline: str
    given: tuple[GivenMetric, ...] = ()

    def __post_init__(self) -> None:
        if not self.test_sets:
            raise DataError("The experiment has no test set; it needs references and at least one run.")
        names = Counter(test_set.name for test_set in self.test_sets)
        twice = [name for name, count in names.items() if count > 1]
        if twice:
            raise DataError(f"Test set '{twice[0]}' stands {counted(names[twice[0]], 'time')}; names must differ.")
        keys = [system.key for system in self.systems]
        if self.baseline not in keys:
            raise DataError(f"The baseline '{self.baseline}' is not among the systems: {', '.join(keys) or 'none'}.")
        check_given(self.given, {test_set.name: test_set.n_segments for test_set in self.test_sets})

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """All systems, the baseline first, with the union of their runs over the test sets."""
        keys: dict[str, dict[str, None]] = {self.baseline: {}}
        for test_set in self.test_sets:
            for system in test_set.systems:
                keys.setdefault(system.key, {}).update(dict.fromkeys(system.runs))
        return tuple(System(key, tuple(runs)) for key, runs in keys.items() if runs)

    @property
    def has_texts(self) -> bool:
        """Whether there are texts on any test set."""
        return any(test_set.has_texts for test_set in self.test_sets)

    def test_set(self, name: str) -> TestSet:
        """The test set of that name.

        Raises
        ------
        DataError
            Where there is none.
        """
        for test_set in self.test_sets:
            if test_set.name == name:
                return test_set
        names = ", ".join(test_set.name for test_set in self.test_sets)
        raise DataError(f"There is no test set '{name}'; there are: {names}.")

    @cached_property
    def digest(self) -> str:
        """Digest of content, names, roles and the baseline: of what decides numbers, which languages do not."""
        parts = [self.baseline]
        for test_set in self.test_sets:
            parts += [test_set.name, test_set.role, test_set.digest]
            for run in test_set.runs:
                parts += [run.system, run.key, run.content_digest]
        return digest_of([*parts, *(metric.digest for metric in self.given)])
