"""Draw the segments of a campaign, assign them to annotators, and insert attention checks.

An attention check is an output of the campaign with words of another segment.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import numpy.typing as npt

from mteval.annotations.campaigns import Campaign, Control, Mark, Plan, Stratum, Task, Texts
from mteval.annotations.typology import word_spans
from mteval.base.bounded_input import LONGEST_NAME
from mteval.base.errors import SettingsError
from mteval.base.words import counted


@dataclass(frozen=True)
class Sampled:
    """A segment of the sample and its stratum."""

    segment: int
    stratum: Stratum


Shown = tuple[int, Stratum, int | None, bool]  # of a task: segment, stratum, output, and whether it is swapped


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
    order = np.random.default_rng([plan.seed, 0]).permutation(len(improvement))
    drawn = [int(segment) for segment in order[: plan.random]]
    rest = np.setdiff1d(np.arange(len(improvement)), drawn)
    gains = improvement[rest]
    improved, declined = rest[gains > 0], rest[gains < 0]
    best = improved[np.argsort(-improvement[improved], kind="stable")][: plan.improvements]
    worst = declined[np.argsort(improvement[declined], kind="stable")][: plan.declines]
    strata: Mapping[Stratum, Sequence[int]] = {"random": drawn, "improvement": best.tolist(), "decline": worst.tolist()}
    return tuple(Sampled(segment, stratum) for stratum, segments in strata.items() for segment in segments)


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
    drawn: list[Sampled] = []
    for index in np.random.default_rng([plan.seed, 0]).permutation(len(names)):
        if len(drawn) < plan.random:
            drawn += [Sampled(place, "random") for place, name in enumerate(documents) if name == names[index]]
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
    if wrong := _wrong_names(annotators):
        raise SettingsError(f"{wrong}. Enter at least one name, each once.")
    plan = campaign.plan
    pieces = _pieces(sample, campaign.documents if plan.by_document else None)
    order = np.random.default_rng([plan.seed, 1]).permutation(len(pieces))
    sizes = np.cumsum([0, *(len(pieces[index]) for index in order)])
    n_shared = len(pieces) if plan.shared is None else min(int(np.searchsorted(sizes, plan.shared)), len(pieces))
    tasks: list[Task] = []
    for turn, annotator in enumerate(annotators):
        own = [pieces[index] for index in (*order[:n_shared], *order[n_shared + turn :: len(annotators)])]
        in_order = _beside if plan.side_by_side else _one_by_one
        shown = in_order(campaign, own, np.random.default_rng([plan.seed, 2, turn]))
        tasks += [Task(annotator, position, *one) for position, one in enumerate(shown)]
    return tuple(tasks)


def prefilled(
    tasks: Iterable[Task], metric: str, found: Callable[[int, int], Iterable[tuple[int, int, str]]]
) -> tuple[Task, ...]:
    """Mark the errors that a metric found in tasks.

    Parameters
    ----------
    found
        Maps output and segment to the start, end and severity of each error.
    """

    def marks(task: Task) -> Iterator[Mark]:
        for start, end, severity in found(task.output or 0, task.segment):
            yield Mark("hypothesis", start, end, "", severity, origin=metric, suggested=severity)

    return tuple(replace(task, marks=tuple(marks(task))) for task in tasks)


def merged(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Keep one task of outputs with the same text, and answer comparisons of two such outputs: they are equal.

    With ``plan.side_by_side``, so many of each segment are kept, the first ones of a random order; if the assignment
    is adaptive, another choice takes their place when they are shown.
    """
    kept: list[Task] = []
    groups: dict[tuple[str, int], list[Task]] = {}
    for task in tasks:
        if task.output is None:
            is_tied = len({output.hypotheses[task.segment] for output in campaign.outputs}) == 1
            kept.append(replace(task, preference="equal", is_complete=True) if is_tied else task)
        elif campaign.first_alike[task.segment][task.output] == task.output:
            groups.setdefault((task.annotator, task.segment), []).append(task)
            kept.append(task)
    if n_shown := campaign.plan.side_by_side:
        chances = {key: min(1.0, n_shown / len(group)) for key, group in groups.items()}
        kept = [
            replace(task, probability=None if campaign.plan.is_adaptive and chances[key] < 1 else chances[key])
            for key, group in groups.items()
            for task in group[:n_shown]
        ]
    places: dict[str, Iterator[int]] = defaultdict(count)
    return tuple(replace(task, position=next(places[task.annotator])) for task in kept)


def _pieces(sample: Sequence[Sampled], documents: Texts | None) -> list[list[Sampled]]:
    """Return what is read in one go: single segments, or documents in order."""
    if documents is None:
        return [[one] for one in sample]
    pieces: dict[str, list[Sampled]] = {}
    for one in sorted(sample, key=lambda sampled: sampled.segment):
        pieces.setdefault(documents[one.segment], []).append(one)
    return list(pieces.values())


def _wrong_names(annotators: Sequence[str]) -> str:
    """Return what is wrong with the annotators' names; empty if nothing is."""
    if not annotators:
        return "No annotators"
    if not all(name.strip() for name in annotators):
        return "An annotator has an empty name"
    if too_long := [name for name in annotators if len(name) > LONGEST_NAME]:
        n_characters = counted(len(too_long[0]), "character")
        return f"The annotator's name '{too_long[0][:40]}…' has {n_characters}; the limit is {LONGEST_NAME}"
    twice = [name for name in dict.fromkeys(annotators) if annotators.count(name) > 1]
    return f"Annotator '{twice[0]}' appears {counted(annotators.count(twice[0]), 'time')}" if twice else ""


def _one_by_one(campaign: Campaign, own: Sequence[Sequence[Sampled]], stream: np.random.Generator) -> list[Shown]:
    """Return outputs, or pairs with one on either side, in the order in which they are judged."""
    is_pair = campaign.way == "preference"
    judged = [(piece, output) for piece in own for output in ([None] if is_pair else range(len(campaign.outputs)))]
    swapped = iter(stream.random(sum(len(piece) for piece, _ in judged)) < 0.5)
    shown = [
        [(one.segment, one.stratum, output, is_pair and bool(next(swapped))) for one in piece]
        for piece, output in judged
    ]
    return [one for index in stream.permutation(len(shown)) for one in shown[index]]


def _beside(campaign: Campaign, own: Sequence[Sequence[Sampled]], stream: np.random.Generator) -> list[Shown]:
    """Return outputs that are judged next to each other."""
    read = [one for index in stream.permutation(len(own)) for one in own[index]]
    outputs = ((one, stream.permutation(len(campaign.outputs))) for one in read)
    return [(one.segment, one.stratum, int(output), False) for one, in_order in outputs for output in in_order]


REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # number of words replaced, by length of the output; else 1/4


def with_controls(campaign: Campaign, tasks: Sequence[Task]) -> tuple[Campaign, tuple[Task, ...]]:
    """Add training items first and attention checks in between, and renumber positions.

    A check is made from an output that the annotator also reads intact. Words in its middle are replaced by as many
    from another segment, as in WMT's direct assessment (Graham et al. 2017). Documents stay whole.
    """
    made: dict[tuple[int, int], int] = {}
    controls = [one for one in campaign.controls if one.kind == "training"]
    n_training = len(controls)
    dealt: list[Task] = []
    for turn, annotator in enumerate(dict.fromkeys(task.annotator for task in tasks)):
        own = sorted((task for task in tasks if task.annotator == annotator), key=lambda task: task.position)
        stream = np.random.default_rng([campaign.plan.seed, 3, turn])
        strewn = _strewn(campaign, own, list(_checks(campaign, own, controls, made, stream)), stream)
        training = [_training(own[0], number, stream) for number in range(n_training)]
        dealt += [replace(task, position=place) for place, task in enumerate([*training, *strewn])]
    return replace(campaign, controls=tuple(controls)), tuple(dealt)


def _training(like: Task, number: int, stream: np.random.Generator) -> Task:
    """Return a training task; two outputs are shown in random order."""
    is_swapped = like.output is None and bool(stream.random() < 0.5)
    return Task(like.annotator, 0, 0, "training", output=like.output, is_swapped=is_swapped, control=number)


def _checks(
    campaign: Campaign,
    own: Sequence[Task],
    controls: list[Control],
    made: dict[tuple[int, int], int],
    stream: np.random.Generator,
) -> Iterator[Task]:
    """Yield tasks on damaged outputs. Each output is damaged once, for all annotators."""
    n_left = campaign.plan.checks
    for index in stream.permutation(len(own)):
        task = own[index]
        place = (task.segment, task.output or 0)
        if n_left and place not in made and (control := _damaged(campaign, *place)):
            made[place] = len(controls)
            controls.append(control)
        if n_left and place in made:
            n_left -= 1
            control = controls[made[place]]
            yield replace(task, stratum="check", control=made[place], marks=tuple(_moved(task.marks, control)))


def _damaged(campaign: Campaign, segment: int, output: int) -> Control | None:
    """Replace words in the middle of an output by those of another segment; return None if there are none."""
    text = campaign.outputs[output].hypotheses[segment]
    spans = word_spans(text)
    n_words = next((n for most, n in REPLACED if len(spans) <= most), len(spans) // 4)
    if not spans:
        return None
    stream = np.random.default_rng([campaign.plan.seed, 4, segment, output])
    first = int(stream.integers(1, max(2, len(spans) - n_words))) if len(spans) > n_words else 0
    start, end = spans[first][0], spans[min(first + n_words, len(spans)) - 1][1]
    for _ in range(20):  # attempts to find other words
        other = campaign.outputs[output].hypotheses[int(stream.integers(len(campaign.references)))]
        words = _phrase(other, n_words, stream)
        if words and words != text[start:end]:
            damaged = text[:start] + words + text[end:]
            return Control("check", campaign.source_text(segment), damaged, start, start + len(words), intact=text)
    return None


def _phrase(text: str, n_words: int, stream: np.random.Generator) -> str:
    """Return consecutive words of a text; all if it has too few."""
    if not (spans := word_spans(text)):
        return ""
    first = int(stream.integers(max(1, len(spans) - n_words + 1)))
    return text[spans[first][0] : spans[min(first + n_words, len(spans)) - 1][1]]


def _moved(marks: Sequence[Mark], control: Control) -> Iterator[Mark]:
    """Yield a metric's marks at their places in the damaged output, without those in the replaced part."""
    longer = len(control.hypothesis) - len(control.intact)
    for mark in marks:
        if mark.side == "source" or mark.end <= control.start:
            yield mark
        elif mark.start >= control.end - longer:
            yield replace(mark, start=mark.start + longer, end=mark.end + longer)


def _strewn(campaign: Campaign, own: Sequence[Task], checks: Sequence[Task], stream: np.random.Generator) -> list[Task]:
    """Insert checks at random places, between documents if these are read as a whole, or among outputs side by side."""
    if campaign.plan.side_by_side:
        beside = list(own)
        for check in checks:
            there = [place for place, task in enumerate(beside) if task.segment == check.segment]
            for place in there:  # the outputs beside a check stay, and are drawn alike
                chance = min(1.0, campaign.plan.side_by_side / len(set(campaign.first_alike[check.segment])))
                beside[place] = replace(beside[place], probability=chance)
            beside.insert(int(stream.integers(there[0], there[-1] + 2)), replace(check, probability=None))
        return beside
    documents = campaign.documents if campaign.plan.by_document else None
    read = [(task.output, documents[task.segment]) if documents else task for task in own]
    places = [place for place in range(len(own) + 1) if place in (0, len(own)) or read[place - 1] != read[place]]
    chosen = sorted((int(place) for place in stream.choice(places, len(checks))), reverse=True)
    strewn = list(own)
    for place, check in zip(chosen, checks, strict=True):
        strewn.insert(place, check)
    return strewn
