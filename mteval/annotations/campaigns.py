"""The values of a campaign: what is read, by whom, in which way; what an annotator has said so far.

Among what is read may be items with known answers: by some an annotator learns, by others it is seen whether they read.
The types say what a file from elsewhere may hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from msgspec import Meta

from mteval.annotations.typology import DEFAULT_TYPOLOGY, SEVERITIES, Typology
from mteval.base.bounded_input import WHOLE, Finite, Name, Place, Short, Text, Whole
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
        ``training``: the answer is shown once the annotator has given theirs. ``check``: an output of the campaign with
        words that do not belong there, which looks like any other.
    start, end
        Characters of the hypothesis that are wrong; both 0 where nothing is.
    severity, category
        Of that error; empty where any will do.
    low, high
        Between which a score should be.
    explanation
        Why; shown with the answer.
    intact
        The output without the defect; the better of two outputs; empty for training on one output.

    Raises
    ------
    SettingsError
        Where there is no text, or a span or a range is none.
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
        what = f"The item '{self.hypothesis[:60]}' with a known answer"
        if not self.hypothesis.strip():
            raise SettingsError("An item with a known answer has no output; write the text that is to be judged.")
        if not 0 <= self.start <= self.end <= len(self.hypothesis):
            raise SettingsError(
                f"{what} has its error at characters {self.start} to {self.end}; the text has {len(self.hypothesis)}."
            )
        if not 0 <= self.low <= self.high <= 100:
            raise SettingsError(f"{what} expects scores from {self.low:g} to {self.high:g}; give a range in 0 to 100.")

    @property
    def has_error(self) -> bool:
        """Whether something is wrong with it."""
        return self.end > self.start


Way = Literal["rating", "errors", "esa", "preference"]
WAYS: tuple[Way, ...] = ("rating", "errors", "esa", "preference")
Stratum = Literal["random", "improvement", "decline", "chosen", "training", "check"]
Preference = Literal["first", "second", "equal"]
PREFERENCES: tuple[Preference, ...] = ("first", "second", "equal")
Side = Literal["hypothesis", "source"]
Texts = tuple[Text, ...]
Uid = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z", description="32 digits and letters from a to f")]
SeverityName = Annotated[
    str, Meta(pattern=rf"\A({'|'.join(SEVERITIES)})\Z", description=f"one of {', '.join(SEVERITIES)}")
]
Date = Annotated[str, Meta(max_length=32, pattern=WHOLE, description="a text of at most 32 characters")]


@dataclass(frozen=True)
class Output:
    """One run of one system, which is read, and its text."""

    system: Name
    run: Name
    hypotheses: Texts

    @cached_property
    def digest(self) -> str:
        """Digest of the text, as a run has it; always made of the text, never taken from elsewhere."""
        return digest_of(self.hypotheses)


@dataclass(frozen=True)
class Plan:
    """How the sample was drawn.

    Parameters
    ----------
    chosen_on, metric
        Test set and metric by which the median runs were chosen, metric by which segments improved or declined.
    random, improvements, declines
        Number of segments wanted of each stratum.
    shared
        Number of segments that every annotator reads; the others are dealt out, one annotator each. None: all.
    seed
        Sample, order and sides follow from it.
    by_document
        Documents are drawn and read as wholes, their segments in order.
    checks
        Number of items with a known defect that every annotator reads among the others.
    prefilled_by
        Metric whose error spans stand marked before anybody read; empty where none did.
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


@dataclass(frozen=True)
class Campaign:
    """A piece of reading: segments of one or more outputs of a test set, read in one way.

    Parameters
    ----------
    uid
        Identifies the campaign in every database that it is copied to.
    test_set, test_set_digest
        Name and content of the test set it was made from.
    source, documents
        Of the test set, where it has them.
    typology
        Categories of errors.
    instructions
        What annotators are told before they begin; plain text.
    controls
        Items with known answers.
    is_closed
        Nothing is said any more, and all is shown.
    definitions
        Which version of the definitions the sample was drawn by.

    Raises
    ------
    SettingsError
        Where the name is empty, the way unknown, the number of outputs does not fit the way, or lengths differ.
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
            raise SettingsError("The campaign has no name; give it one by which annotators find it.")
        if self.way not in WAYS:
            raise SettingsError(f"The way of working is '{self.way}'; expected one of {', '.join(WAYS)}.")
        if not self.outputs or (self.way == "preference" and len(self.outputs) != 2):
            expected = "two" if self.way == "preference" else "at least one"
            raise SettingsError(
                f"The campaign has {counted(len(self.outputs), 'output')}; this way of working needs {expected}."
            )
        columns = [self.source, self.documents, *(output.hypotheses for output in self.outputs)]
        if any(column is not None and len(column) != len(self.references) for column in columns):
            raise SettingsError(
                "The texts of the campaign have different numbers of segments; they must be of one set."
            )

    @property
    def changed(self) -> tuple[str, ...]:
        """What has changed in the definitions since its sample was drawn, a sentence each."""
        return changed_since(self.definitions)

    @property
    def reads_source(self) -> bool:
        """Whether missing words are shown in the source; else in the first reference."""
        return self.source is not None

    def shown_source(self, task: "Task") -> str:
        """What stands beside the outputs of a task."""
        return self.source_text(task.segment) if task.control is None else self.controls[task.control].source

    def shown_output(self, task: "Task", output: int | None = None) -> str:
        """Text of an output as a task shows it; without its number that of the one that is judged alone."""
        chosen = (task.output or 0) if output is None else output
        if task.control is None:
            return self.outputs[chosen].hypotheses[task.segment]
        control = self.controls[task.control]
        return control.intact if task.output is None and chosen == 0 else control.hypothesis

    def source_text(self, segment: int) -> str:
        """What the hypothesis should say: the source, or where there is none the first reference; empty of neither."""
        return next(iter(self.references[segment]), "") if self.source is None else self.source[segment]


@dataclass(frozen=True)
class Mark:
    """An error that somebody marked.

    Parameters
    ----------
    side
        Where the span is: in the hypothesis, or in the source text (missing words).
    start, end
        Characters of that text, the end not included.
    weight
        What the file that it is from says it weighs; None where the typology says so.
    origin
        Metric that found it; empty where the annotator did.
    suggested
        Severity that the metric gave it; another than ``severity`` once the annotator changed it.
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
    """One thing to judge, and what was said about it so far.

    Parameters
    ----------
    position
        Place in the order in which its annotator works.
    segment
        Zero-based.
    output
        Index of the output; None where two are compared.
    is_swapped
        The second output stands first on the screen.
    adequacy, fluency, score
        From 0 to 100; None as long as nothing was said.
    marks
        Errors that stand.
    rejected
        Errors that a metric found and the annotator took back.
    control
        Index of the item with a known answer that is read in the place of an output; None for an output.
    is_complete
        The annotator is done with it, for now.
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


@dataclass(frozen=True)
class Listed:
    """A campaign without its texts, for a list: ``progress`` has done and all of each annotator."""

    uid: str
    name: str
    way: Way
    test_set: str
    created_at: str
    is_closed: bool
    progress: Mapping[str, tuple[int, int]]

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.is_closed or all(done == total for done, total in self.progress.values())


@dataclass(frozen=True)
class Item:
    """A segment as it stands before an annotator of a campaign: the names of both, and the annotator's link."""

    campaign: str
    annotator: str
    token: str


@dataclass(frozen=True)
class Links:
    """The tokens that open a campaign: one for those who coordinate it, and one for each annotator, by name."""

    coordinator: str
    annotators: Mapping[str, str]


@dataclass(frozen=True)
class Opened:
    """What a token opens: the tasks of one annotator; the whole campaign where ``annotator`` is None."""

    uid: str
    annotator: str | None
