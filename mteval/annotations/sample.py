"""Draw the segments of a campaign, assign them to annotators, and insert attention checks.

An attention check is an output of the campaign with words of another segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mteval.annotations.campaigns import Campaign, Control, Mark, Plan, Stratum, Task, Texts
from mteval.annotations.typology import word_spans
from mteval.base.bounded_input import LONGEST_NAME
from mteval.base.errors import SettingsError
from mteval.base.words import counted

# Words that an attention check replaces, by the largest length of the output: as many as in WMT's direct assessment
REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
SHARE_REPLACED = 4  # of longer outputs, one word in so many
MOST_ATTEMPTS = 20  # to find other words

# What a random stream is for. It comes after the seed of the plan, so that each stream is independent of the others.
SAMPLE = 0
ASSIGNMENT = 1
ORDER = 2
CHECKS = 3
DAMAGE = 4


@dataclass(frozen=True)
class Sampled:
    """A segment of the sample and its stratum."""

    segment: int
    stratum: Stratum


@dataclass(frozen=True)
class Shown:
    """What a task shows: an output of a segment, or a pair of outputs (None), which may be swapped."""

    segment: int
    stratum: Stratum
    output: int | None
    is_swapped: bool = False


def draw_sample(improvement: npt.NDArray[np.float64], plan: Plan) -> tuple[Sampled, ...]:
    """Draw the segments of a campaign.

    The random stratum is drawn first and from all segments, so that it represents the test set. The most improved and
    most declined segments come from the rest.

    Parameters
    ----------
    improvement
        Shape ``(segments,)``: positive if the system is better than the baseline; NaN if unknown.

    Raises
    ------
    SettingsError
        If no segment is requested or a size is negative.
    """
    sizes = (plan.random, plan.improvements, plan.declines)
    if min(sizes) < 0 or sum(sizes) == 0:
        raise SettingsError(f"The sample sizes are {sizes}. Use numbers from 0, at least one above 0.")
    order = np.random.default_rng([plan.seed, SAMPLE]).permutation(len(improvement))
    drawn = [int(segment) for segment in order[: plan.random]]

    # Of the other segments, those with the largest changes in either direction
    rest = np.setdiff1d(np.arange(len(improvement)), drawn)
    improved = rest[improvement[rest] > 0]
    declined = rest[improvement[rest] < 0]
    most_improved = improved[np.argsort(-improvement[improved], kind="stable")]
    most_declined = declined[np.argsort(improvement[declined], kind="stable")]

    sample = [Sampled(segment, "random") for segment in drawn]
    sample += [Sampled(int(segment), "improvement") for segment in most_improved[: plan.improvements]]
    sample += [Sampled(int(segment), "decline") for segment in most_declined[: plan.declines]]
    return tuple(sample)


def draw_documents(documents: Texts, plan: Plan) -> tuple[Sampled, ...]:
    """Draw whole documents at random until they have ``plan.random`` segments, all in the random stratum.

    Raises
    ------
    SettingsError
        If no segment is requested.
    """
    if plan.random < 1:
        raise SettingsError(f"{plan.random} random segments requested. Enter 1 or more.")
    names = list(dict.fromkeys(documents))
    order = np.random.default_rng([plan.seed, SAMPLE]).permutation(len(names))
    drawn: list[Sampled] = []
    for index in order:
        if len(drawn) >= plan.random:
            break
        for segment, name in enumerate(documents):
            if name == names[index]:
                drawn.append(Sampled(segment, "random"))
    return tuple(drawn)


def deal_tasks(campaign: Campaign, sample: Sequence[Sampled], annotators: Sequence[str]) -> tuple[Task, ...]:
    """Assign tasks to annotators, in a random order for each.

    The first ``plan.shared`` segments (or a few more) go to everybody, the others to one annotator each. With
    ``plan.by_document``, documents stay whole and are read in order, one output after the other. With
    ``plan.side_by_side``, the outputs of a segment follow each other in random order.

    Raises
    ------
    SettingsError
        If there is no annotator, or a name is too long or appears twice.
    """
    mistake = _mistake_in_names(annotators)
    if mistake:
        raise SettingsError(f"{mistake}. Enter at least one name, each once.")
    plan = campaign.plan
    pieces = _pieces(sample, campaign.documents if plan.by_document else None)
    order = np.random.default_rng([plan.seed, ASSIGNMENT]).permutation(len(pieces))
    n_shared = len(pieces)
    if plan.shared is not None:
        # The fewest pieces that have so many segments; pieces are documents, or single segments
        n_segments = np.cumsum([0, *(len(pieces[index]) for index in order)])
        n_shared = min(int(np.searchsorted(n_segments, plan.shared)), len(pieces))

    tasks: list[Task] = []
    for turn, annotator in enumerate(annotators):
        # The shared pieces, and every so many-th of the others, beginning with another for each annotator
        indices = [*order[:n_shared], *order[n_shared + turn :: len(annotators)]]
        own = [pieces[index] for index in indices]
        stream = np.random.default_rng([plan.seed, ORDER, turn])
        in_order = _side_by_side if plan.side_by_side else _one_by_one
        for position, shown in enumerate(in_order(campaign, own, stream)):
            task = Task(
                annotator, position, shown.segment, shown.stratum, output=shown.output, is_swapped=shown.is_swapped
            )
            tasks.append(task)
    return tuple(tasks)


def _mistake_in_names(annotators: Sequence[str]) -> str:
    """Return what is wrong with the annotators' names; empty if nothing is."""
    if not annotators:
        return "No annotators"
    if not all(name.strip() for name in annotators):
        return "An annotator has an empty name"
    for name in annotators:
        if len(name) > LONGEST_NAME:
            n_characters = counted(len(name), "character")
            return f"The annotator's name '{name[:40]}…' has {n_characters}; the limit is {LONGEST_NAME}"
    for name, n_times in Counter(annotators).items():
        if n_times > 1:
            return f"Annotator '{name}' appears {counted(n_times, 'time')}"
    return ""


def _pieces(sample: Sequence[Sampled], documents: Texts | None) -> list[list[Sampled]]:
    """Return what is read in one go: single segments, or documents in order."""
    if documents is None:
        return [[sampled] for sampled in sample]
    pieces: dict[str, list[Sampled]] = {}
    for sampled in sorted(sample, key=lambda sampled: sampled.segment):
        pieces.setdefault(documents[sampled.segment], []).append(sampled)
    return list(pieces.values())


def _one_by_one(campaign: Campaign, own: Sequence[Sequence[Sampled]], stream: np.random.Generator) -> list[Shown]:
    """Return outputs, or pairs with one on either side, in the order in which they are judged."""
    is_pair = campaign.way == "preference"
    outputs: Sequence[int | None] = range(len(campaign.outputs))
    if is_pair:
        outputs = [None]
    n_shown = sum(len(piece) for piece in own) * len(outputs)
    swapped = iter(stream.random(n_shown) < 0.5)  # drawn in any case: recorded orders depend on it

    # Pieces with an output each, which are then shuffled as a whole
    readings = []
    for piece in own:
        for output in outputs:
            reading = []
            for sampled in piece:
                is_swapped = is_pair and bool(next(swapped))
                reading.append(Shown(sampled.segment, sampled.stratum, output, is_swapped))
            readings.append(reading)
    return [shown for index in stream.permutation(len(readings)) for shown in readings[index]]


def _side_by_side(campaign: Campaign, own: Sequence[Sequence[Sampled]], stream: np.random.Generator) -> list[Shown]:
    """Return outputs that are judged next to each other, in a random order for each segment."""
    shown = []
    for index in stream.permutation(len(own)):
        for sampled in own[index]:
            for output in stream.permutation(len(campaign.outputs)):
                shown.append(Shown(sampled.segment, sampled.stratum, int(output)))
    return shown


def prefilled(
    tasks: Iterable[Task], metric: str, errors_of: Callable[[int, int], Iterable[tuple[int, int, str]]]
) -> tuple[Task, ...]:
    """Mark the errors that a metric found in tasks.

    Parameters
    ----------
    errors_of
        Maps output and segment to the start, end and severity of each error.
    """

    def marks(task: Task) -> Iterator[Mark]:
        for start, end, severity in errors_of(task.output or 0, task.segment):
            yield Mark("hypothesis", start, end, "", severity, origin=metric, suggested=severity)

    return tuple(replace(task, marks=tuple(marks(task))) for task in tasks)


def merged(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Keep one task of outputs with the same text. Nobody is asked to compare two such outputs: they are equal.

    With ``plan.side_by_side``, as many outputs of each segment are kept, the first ones of a random order. If the
    assignment is adaptive, others may take their place when they are shown.
    """
    kept: list[Task] = []
    groups: dict[tuple[str, int], list[Task]] = {}
    for task in tasks:
        if task.output is None:
            if campaign.is_same_text(task.segment):
                task = replace(task, preference="equal", is_complete=True, is_automatic=True)
            kept.append(task)
        elif campaign.first_alike[task.segment][task.output] == task.output:
            groups.setdefault((task.annotator, task.segment), []).append(task)
            kept.append(task)
    n_shown = campaign.plan.side_by_side
    if n_shown:
        kept = []
        for group in groups.values():
            probability: float | None = min(1.0, n_shown / len(group))
            if campaign.plan.is_adaptive and n_shown < len(group):
                probability = None  # the adaptive assignment chooses
            for task in group[:n_shown]:
                kept.append(replace(task, probability=probability))
    return _renumbered(kept)


def _renumbered(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks with the positions of each annotator from 0."""
    n_before = Counter[str]()
    renumbered = []
    for task in tasks:
        renumbered.append(replace(task, position=n_before[task.annotator]))
        n_before[task.annotator] += 1
    return tuple(renumbered)


def with_controls(campaign: Campaign, tasks: Sequence[Task]) -> tuple[Campaign, tuple[Task, ...]]:
    """Add training items first and attention checks in between, and renumber positions.

    A check is made from an output that the annotator also reads intact. Words in its middle are replaced by as many
    from another segment, as in WMT's direct assessment (Graham et al. 2017). Documents stay whole.
    """
    controls = [control for control in campaign.controls if control.kind == "training"]
    n_training = len(controls)
    number_of: dict[tuple[int, int], int] = {}  # of the control made from a segment and output
    dealt: list[Task] = []
    for turn, annotator in enumerate(dict.fromkeys(task.annotator for task in tasks)):
        own = sorted((task for task in tasks if task.annotator == annotator), key=lambda task: task.position)
        stream = np.random.default_rng([campaign.plan.seed, CHECKS, turn])
        checks = list(_checks(campaign, own, controls, number_of, stream))
        with_checks = _with_checks(campaign, own, checks, stream)
        dealt += [_training(own[0], number, stream) for number in range(n_training)]
        dealt += with_checks
    return replace(campaign, controls=tuple(controls)), _renumbered(dealt)


def _training(like: Task, number: int, stream: np.random.Generator) -> Task:
    """Return a training task; two outputs are shown in random order."""
    is_swapped = like.output is None and bool(stream.random() < 0.5)
    return Task(like.annotator, 0, 0, "training", output=like.output, is_swapped=is_swapped, control=number)


def _checks(
    campaign: Campaign,
    own: Sequence[Task],
    controls: list[Control],
    number_of: dict[tuple[int, int], int],
    stream: np.random.Generator,
) -> Iterator[Task]:
    """Yield tasks on damaged outputs. Each output is damaged once, for all annotators.

    New controls are added to ``controls``, and their numbers to ``number_of``, by segment and output.
    """
    n_left = campaign.plan.checks
    for index in stream.permutation(len(own)):
        if n_left == 0:
            return
        task = own[index]
        if task.is_automatic:  # the annotator does not read it intact
            continue
        place = (task.segment, task.output or 0)
        if place not in number_of:
            control = _damaged(campaign, *place)
            if control is None:
                continue
            number_of[place] = len(controls)
            controls.append(control)
        n_left -= 1
        number = number_of[place]
        marks = tuple(_moved(task.marks, controls[number]))
        yield replace(task, stratum="check", control=number, marks=marks)


def _damaged(campaign: Campaign, segment: int, output: int) -> Control | None:
    """Replace words in the middle of an output by those of another segment; return None if there are none."""
    hypotheses = campaign.outputs[output].hypotheses
    text = hypotheses[segment]
    spans = word_spans(text)
    if not spans:
        return None
    n_words = _number_to_replace(len(spans))
    stream = np.random.default_rng([campaign.plan.seed, DAMAGE, segment, output])
    first = 0
    if len(spans) > n_words:  # neither the first nor the last word if that is possible
        first = int(stream.integers(1, max(2, len(spans) - n_words)))
    last = min(first + n_words, len(spans)) - 1
    start, _ = spans[first]
    _, end = spans[last]
    for _ in range(MOST_ATTEMPTS):
        words = _phrase(hypotheses[int(stream.integers(len(campaign.references)))], n_words, stream)
        if words and words != text[start:end]:
            damaged = text[:start] + words + text[end:]
            return Control("check", campaign.source_text(segment), damaged, start, start + len(words), intact=text)
    return None


def _number_to_replace(n_words: int) -> int:
    """Return how many words of an output a check replaces."""
    for longest, n_replaced in REPLACED:
        if n_words <= longest:
            return n_replaced
    return n_words // SHARE_REPLACED


def _phrase(text: str, n_words: int, stream: np.random.Generator) -> str:
    """Return consecutive words of a text; all if it has too few."""
    spans = word_spans(text)
    if not spans:
        return ""
    first = int(stream.integers(max(1, len(spans) - n_words + 1)))
    last = min(first + n_words, len(spans)) - 1
    start, _ = spans[first]
    _, end = spans[last]
    return text[start:end]


def _moved(marks: Sequence[Mark], control: Control) -> Iterator[Mark]:
    """Yield a metric's marks at their places in the damaged output, without those in the replaced part."""
    # Marks are at places in the intact output, the control's bounds at places in the damaged one
    shift = len(control.hypothesis) - len(control.intact)
    for mark in marks:
        if mark.side == "source" or mark.end <= control.start:
            yield mark
        elif mark.start >= control.end - shift:
            yield replace(mark, start=mark.start + shift, end=mark.end + shift)


def _with_checks(
    campaign: Campaign, own: Sequence[Task], checks: Sequence[Task], stream: np.random.Generator
) -> list[Task]:
    """Insert checks at random places, between documents if these are read as a whole, or among outputs side by side."""
    if campaign.plan.side_by_side:
        return _with_checks_beside(campaign, own, checks, stream)
    # Tasks that are read together: an output of a document, or a single task
    readings: list[object] = list(own)
    if campaign.plan.by_document and campaign.documents:
        readings = [(task.output, campaign.documents[task.segment]) for task in own]
    places = [0]
    for place in range(1, len(own)):
        if readings[place - 1] != readings[place]:
            places.append(place)
    places.append(len(own))
    drawn = [int(place) for place in stream.choice(places, len(checks))]
    tasks = list(own)
    # From the last place, since earlier ones stay as they are then
    for place, check in zip(sorted(drawn, reverse=True), checks, strict=True):
        tasks.insert(place, check)
    return tasks


def _with_checks_beside(
    campaign: Campaign, own: Sequence[Task], checks: Sequence[Task], stream: np.random.Generator
) -> list[Task]:
    """Insert checks among the outputs of their segments. These outputs stay, and are drawn alike."""
    tasks = list(own)
    for check in checks:
        n_outputs = len(set(campaign.first_alike[check.segment]))
        probability = min(1.0, campaign.plan.side_by_side / n_outputs)
        places = [place for place, task in enumerate(tasks) if task.segment == check.segment]
        for place in places:
            tasks[place] = replace(tasks[place], probability=probability)
        place = int(stream.integers(places[0], places[-1] + 2))
        tasks.insert(place, replace(check, probability=None))
    return tasks
