"""Values of a campaign: what is read, by whom, how, and the answers so far.

Items with known answers train annotators or check their attention. The types limit what a file may contain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from msgspec import Meta

from mteval.annotations.typology import DEFAULT_TYPOLOGY, SEVERITIES, Typology
from mteval.base.bounded_input import NO_HALF_PAIRS, Finite, Name, Place, Short, Text, Whole
from mteval.base.digests import digest_of
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.values.definitions import DEFINITIONS, changed_since

ControlKind = Literal["training", "check"]
CONTROLS: tuple[ControlKind, ...] = ("training", "check")


@dataclass(frozen=True)
class Control:
    """An item with a known answer.

    Parameters
    ----------
    kind
        ``training``: the answer is shown after the annotator's. ``check``: an output with misplaced words, which looks
        like any other.
    start, end
        Wrong characters of the hypothesis; both 0 if there is no error.
    severity, category
        Of the error; empty accepts any.
    low, high
        Range of the expected score.
    explanation
        Reason, shown with the answer.
    intact
        Output without the defect, or the better of two outputs; empty for training on one output.

    Raises
    ------
    SettingsError
        If there is no text, or a span or range is invalid.
    """

    kind: ControlKind
    source: Text
    hypothesis: Text
    start: Place = 0
    end: Place = 0
    severity: Text = ""
    low: Finite = 0.0
    high: Finite = 100.0
    explanation: Text = ""
    intact: Text = ""
    category: Text = ""

    def __post_init__(self) -> None:
        item = f"Known answer for '{self.hypothesis[:60]}'"
        if not self.hypothesis.strip():
            raise SettingsError("An item with a known answer has no output. Enter the text to judge.")
        if not 0 <= self.start <= self.end <= len(self.hypothesis):
            place = f"the error is at characters {self.start} to {self.end}"
            raise SettingsError(f"{item}: {place}, but the text has {len(self.hypothesis)}.")
        if not 0 <= self.low <= self.high <= 100:
            raise SettingsError(f"{item}: scores from {self.low:g} to {self.high:g}. Use a range within 0 to 100.")

    @property
    def has_error(self) -> bool:
        """Whether the item has an error."""
        return self.end > self.start


Way = Literal["rating", "errors", "esa", "preference"]
WAYS: tuple[Way, ...] = ("rating", "errors", "esa", "preference")
CONTRASTIVE = "contrastive"  # a protocol of its own for those who choose: ESA with outputs side by side
# Outputs side by side
FEWEST_BESIDE = 3
MOST_BESIDE = 6
Stratum = Literal["random", "improvement", "decline", "chosen", "training", "check"]
Preference = Literal["first", "second", "equal"]
Side = Literal["hypothesis", "source"]
Texts = tuple[Text, ...]
Uid = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z", description="32 digits and letters from a to f")]
_SEVERITY = Meta(pattern=rf"\A({'|'.join(SEVERITIES)})\Z", description=f"one of {', '.join(SEVERITIES)}")
SeverityName = Annotated[str, _SEVERITY]
Date = Annotated[str, Meta(max_length=32, pattern=NO_HALF_PAIRS, description="a text of at most 32 characters")]

LONGEST_WINDOW = 40  # characters; the page's names have 14
_WINDOW = f"a text of at most {LONGEST_WINDOW} visible ASCII characters, not empty"
_VISIBLE = r"\A[!-~]*\Z"
Window = Annotated[str, Meta(min_length=1, max_length=LONGEST_WINDOW, pattern=_VISIBLE, description=_WINDOW)]

MarkId = Window  # made by the page in the same way
# Of an answer. The most in WMT's MQM ratings of 2023 (Chinese to English, 20,845 answers of eight raters) is 37.
MOST_MARKS = 500
_MARKS = f"a list of at most {counted(MOST_MARKS, 'marked error')}"


@dataclass(frozen=True)
class Output:
    """The text of one run of a system."""

    system: Name
    run: Name
    hypotheses: Texts

    @cached_property
    def digest(self) -> str:
        """Digest of the text, equal to that of the run."""
        return digest_of(self.hypotheses)


@dataclass(frozen=True)
class Plan:
    """How the sample was drawn.

    Parameters
    ----------
    chosen_on, metric
        Test set on which, and metric by which, the median runs were chosen. The metric also decides which segments
        improved or declined.
    random, improvements, declines
        Number of segments requested per stratum.
    shared
        Number of segments that every annotator reads; the others are split between annotators. None: all are shared.
    seed
        Seed of sample, order and sides.
    by_document
        Whether documents are drawn and read as a whole.
    checks
        Number of attention checks per annotator.
    prefilled_by
        Metric whose error spans were marked in advance; empty if none.
    probabilities
        Of each segment of the test set to be drawn as a random one; empty if all had the same.
    side_by_side
        Number of outputs of a segment that are judged next to each other; 0 if one at a time.
    is_adaptive
        Whether these are drawn by the scores so far, see ``mteval.annotations.assignment``.
    is_merged
        Whether outputs with the same text are judged once.
    """

    chosen_on: Short = ""
    metric: Short = ""
    random: Place = 0
    improvements: Place = 0
    declines: Place = 0
    shared: Place | None = None
    seed: Whole = 12345
    by_document: bool = False
    checks: Place = 0
    prefilled_by: Short = ""
    probabilities: tuple[Finite, ...] = ()
    side_by_side: Place = 0
    is_adaptive: bool = False
    is_merged: bool = False


@dataclass(frozen=True)
class Campaign:
    """An annotation campaign: segments of one or more outputs of a test set, judged in one way.

    Parameters
    ----------
    uid
        Identifies the campaign in every database that it is copied to.
    test_set, test_set_digest
        Name and digest of its test set.
    source, documents
        Of the test set, if it has them.
    typology
        Error categories.
    instructions
        Plain text shown to annotators before they begin.
    controls
        Items with known answers.
    is_closed
        Whether it is read-only and shows everything.
    definitions
        Version of the definitions that the sample follows.

    Raises
    ------
    SettingsError
        If the name is empty, the way is unknown, the number of outputs does not fit it, or lengths differ.
    """

    uid: Uid
    name: Name
    way: Way
    test_set: Name
    test_set_digest: Short
    outputs: tuple[Output, ...]
    references: tuple[Texts, ...]
    source: Texts | None = None
    documents: Texts | None = None
    plan: Plan = field(default_factory=Plan)
    typology: Typology = DEFAULT_TYPOLOGY
    created_at: Date = ""
    is_closed: bool = False
    instructions: Text = ""
    controls: tuple[Control, ...] = ()
    definitions: Whole = DEFINITIONS

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise SettingsError("The campaign has no name. Enter one that annotators will recognise.")
        if self.way not in WAYS:
            raise SettingsError(f"The way of working is '{self.way}'. Expected one of {', '.join(WAYS)}.")
        if not self.outputs or (self.way == "preference" and len(self.outputs) != 2):
            expected = "two" if self.way == "preference" else "at least one"
            raise SettingsError(f"{counted(len(self.outputs), 'output')}, but this way of working needs {expected}.")
        columns = [self.source, self.documents, *(output.hypotheses for output in self.outputs)]
        if any(column is not None and len(column) != len(self.references) for column in columns):
            raise SettingsError("The texts have different numbers of segments. Use texts of one test set.")

    @property
    def protocol(self) -> str:
        """How outputs are judged: the way, or ``CONTRASTIVE``."""
        return CONTRASTIVE if self.plan.side_by_side else self.way

    @property
    def changed(self) -> tuple[str, ...]:
        """Changes of definitions since the sample was drawn, one sentence each."""
        return changed_since(self.definitions)

    @property
    def reads_source(self) -> bool:
        """Whether missing words are marked in the source; otherwise in the first reference."""
        return self.source is not None

    @cached_property
    def first_alike(self) -> tuple[tuple[int, ...], ...]:
        """For each segment and output, the first output with the same text, of the document if read as a whole.

        Each output is its own if identical outputs are not merged.
        """
        n_segments = len(self.references)
        if not self.plan.is_merged:
            return (tuple(range(len(self.outputs))),) * n_segments
        # Parts that are read together: single segments, or whole documents
        pieces: Sequence[object] = range(n_segments)
        if self.plan.by_document and self.documents:
            pieces = self.documents
        segments_of: dict[object, list[int]] = {}
        for segment, piece in enumerate(pieces):
            segments_of.setdefault(piece, []).append(segment)

        first_alike: list[tuple[int, ...]] = [()] * n_segments
        for segments in segments_of.values():
            texts = [tuple(output.hypotheses[segment] for segment in segments) for output in self.outputs]
            first_of_piece = tuple(texts.index(text) for text in texts)
            for segment in segments:
                first_alike[segment] = first_of_piece
        return tuple(first_alike)

    def is_same_text(self, segment: int) -> bool:
        """Return whether all outputs of a segment are the same text."""
        return len({output.hypotheses[segment] for output in self.outputs}) == 1

    def alike(self, task: "Task") -> tuple[int, ...]:
        """Return the outputs that a judgement of one output is about: those with its text."""
        return tuple(output for output, first in enumerate(self.first_alike[task.segment]) if first == task.output)

    def probability(self, task: "Task") -> float | None:
        """Return the probability of the segment to be drawn times that of the output; None without either."""
        if not self.plan.probabilities:
            return task.probability
        of_segment = self.plan.probabilities[task.segment]
        if task.probability is None:
            return of_segment * 1.0
        return of_segment * task.probability

    def shown_source(self, task: "Task") -> str:
        """Return the text shown beside the outputs of a task."""
        if task.control is not None:
            return self.controls[task.control].source
        return self.source_text(task.segment)

    def shown_output(self, task: "Task", output: int | None = None) -> str:
        """Return the text of an output as a task shows it; by default that of the output judged alone."""
        if output is None:
            output = task.output or 0
        if task.control is None:
            return self.outputs[output].hypotheses[task.segment]
        control = self.controls[task.control]
        if task.output is None and output == 0:  # the better of two outputs
            return control.intact
        return control.hypothesis

    def source_text(self, segment: int) -> str:
        """Return the source, or without one the first reference, or an empty text."""
        if self.source is not None:
            return self.source[segment]
        return next(iter(self.references[segment]), "")


@dataclass(frozen=True)
class Mark:
    """A marked error.

    Parameters
    ----------
    side
        Text of the span: the hypothesis, or the source (missing words).
    start, end
        Characters of that text; the end is exclusive.
    weight
        Weight stated by the file it came from; None uses the typology.
    origin
        Metric that found it; empty if the annotator did.
    suggested
        Severity given by the metric, which the annotator may have changed.
    """

    side: Side
    start: Place
    end: Place
    category: Short
    severity: SeverityName
    comment: Text = ""
    id: int = 0
    weight: Finite | None = None
    origin: Short = ""
    suggested: Short = ""


@dataclass(frozen=True)
class Task:
    """One item to judge, and its answers so far.

    Parameters
    ----------
    position
        Place in the annotator's order.
    segment
        Zero-based.
    output
        Index of the output; None if two are compared.
    is_swapped
        Whether the second output is shown first.
    adequacy, fluency, score
        From 0 to 100; None until answered.
    marks
        Marked errors.
    rejected
        Errors found by a metric that the annotator removed.
    control
        Index of the item with a known answer that replaces the output; None for an output.
    is_complete
        Whether the annotator has finished it.
    revision
        Number of changes so far, by which an outdated window is recognised.
    seconds, paused
        Time that the annotator spent on it, and time without a key or click meanwhile; None if unknown.
    probability
        Of this output to be among those that the annotator judges on the segment; None if all are, or not drawn yet.
    is_automatic
        Whether nobody is asked, since both outputs are the same text: they are equal.
    """

    annotator: Name
    position: Place
    segment: Place
    stratum: Stratum
    output: Place | None = None
    is_swapped: bool = False
    adequacy: Finite | None = None
    fluency: Finite | None = None
    preference: Preference | None = None
    comment: Text = ""
    is_complete: bool = False
    updated_at: Date = ""
    marks: tuple[Mark, ...] = ()
    id: int = 0
    score: Finite | None = None
    rejected: tuple[Mark, ...] = ()
    control: Place | None = None
    revision: Place = 0
    seconds: Finite | None = None
    paused: Finite | None = None
    probability: Finite | None = None
    is_automatic: bool = False


@dataclass(frozen=True)
class SaidMark:
    """A mark as the browser sends it; ``text`` is its side or output."""

    id: MarkId
    text: Short
    start: Place
    end: Place
    severity: SeverityName
    category: Short = ""
    comment: Text = ""
    is_rejected: bool = False


# Their number is checked before anything is done to each.
SaidMarks = Annotated[tuple[SaidMark, ...], Meta(max_length=MOST_MARKS, description=_MARKS)]


@dataclass(frozen=True)
class Answer:
    """All that an annotator says about a task, as sent by one window.

    What each protocol allows in it is checked by ``mteval.annotations.protocol``.

    Parameters
    ----------
    window, number
        Which window sent it, and how many it had sent before.
    base
        Revision of the task that the window has seen.
    marks
        All marked errors, each with an ID of its own; those found by a metric keep their ID, and may be rejected.
    """

    window: Window
    number: Place
    base: Place
    marks: SaidMarks = ()
    adequacy: Finite | None = None
    fluency: Finite | None = None
    score: Finite | None = None
    preference: Preference | None = None
    comment: Text = ""
    is_complete: bool = False
    seconds: Finite | None = None
    paused: Finite | None = None

    @property
    def delivery(self) -> str:
        """The window and the number of the answer in it, which identify it."""
        return f"{self.window} {self.number}"


@dataclass(frozen=True)
class Listed:
    """A campaign in a list, without texts.

    Parameters
    ----------
    protocol
        See ``Campaign.protocol``.
    progress
        Completed and total tasks of each annotator.
    """

    uid: str
    name: str
    protocol: str
    test_set: str
    created_at: str
    is_closed: bool
    progress: Mapping[str, tuple[int, int]]

    @property
    def is_done(self) -> bool:
        """Whether the campaign is closed or all tasks are complete."""
        return self.is_closed or all(done == total for done, total in self.progress.values())
