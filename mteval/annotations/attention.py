"""Attention checks: outputs of a campaign with words that do not belong there, strewn among what annotators read."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mteval.annotations.campaigns import Campaign, Control, Mark, Task
from mteval.annotations.typology import word_spans

REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # words of an output up to which so many are replaced
SHARE = 4  # of longer ones, one in so many
ATTEMPTS = 20  # at finding other words


def with_controls(campaign: Campaign, tasks: Sequence[Task]) -> tuple[Campaign, tuple[Task, ...]]:
    """The campaign and tasks with training first and checks among the rest; positions are counted anew.

    Checks are made of outputs that their annotator reads intact as well: words in the middle are replaced by as many
    of another segment, as those by which direct assessment at WMT controls its annotators (Graham et al. 2017).
    Documents stay whole: a check stands before or after one.
    """
    made: dict[tuple[int, int], int] = {}
    controls = [one for one in campaign.controls if one.kind == "training"]
    n_training = len(controls)
    dealt: list[Task] = []
    for turn, annotator in enumerate(dict.fromkeys(task.annotator for task in tasks)):
        own = sorted((task for task in tasks if task.annotator == annotator), key=lambda task: task.position)
        stream = np.random.default_rng([campaign.plan.seed, 3, turn])
        checks = list(_checks(campaign, own, controls, made, stream))
        strewn = _strewn(campaign, own, checks, stream)
        training = [_training(own[0], number, stream) for number in range(n_training)]
        dealt += [replace(task, position=place) for place, task in enumerate([*training, *strewn])]
    return replace(campaign, controls=tuple(controls)), tuple(dealt)


def _training(like: Task, number: int, stream: np.random.Generator) -> Task:
    """A text for practice; of two outputs the better one stands first or second by chance."""
    is_swapped = like.output is None and bool(stream.random() < 0.5)
    return Task(like.annotator, 0, 0, "training", output=like.output, is_swapped=is_swapped, control=number)


def _checks(
    campaign: Campaign,
    own: Sequence[Task],
    controls: list[Control],
    made: dict[tuple[int, int], int],
    stream: np.random.Generator,
) -> Iterator[Task]:
    """Tasks on damaged outputs; each output is damaged once, whoever reads it."""
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
    """An output with words of another segment in its middle; None where no words are to be had."""
    text = campaign.outputs[output].hypotheses[segment]
    spans = word_spans(text)
    n_words = next((n for most, n in REPLACED if len(spans) <= most), len(spans) // SHARE)
    if not spans:
        return None
    stream = np.random.default_rng([campaign.plan.seed, 4, segment, output])
    first = int(stream.integers(1, max(2, len(spans) - n_words))) if len(spans) > n_words else 0
    start, end = spans[first][0], spans[min(first + n_words, len(spans)) - 1][1]
    for _ in range(ATTEMPTS):
        other = campaign.outputs[output].hypotheses[int(stream.integers(len(campaign.references)))]
        words = _phrase(other, n_words, stream)
        if words and words != text[start:end]:
            damaged = text[:start] + words + text[end:]
            source = campaign.source_text(segment)
            return Control("check", source, damaged, start, start + len(words), intact=text)
    return None


def _phrase(text: str, n_words: int, stream: np.random.Generator) -> str:
    """So many words of a text that follow one another; all where it has fewer."""
    spans = word_spans(text)
    if not spans:
        return ""
    first = int(stream.integers(max(1, len(spans) - n_words + 1)))
    return text[spans[first][0] : spans[min(first + n_words, len(spans)) - 1][1]]


def _moved(marks: Sequence[Mark], control: Control) -> Iterator[Mark]:
    """What a metric marked in the intact output, where it stands in the damaged one; not what was replaced."""
    longer = len(control.hypothesis) - len(control.intact)
    for mark in marks:
        if mark.side == "source" or mark.end <= control.start:
            yield mark
        elif mark.start >= control.end - longer:
            yield replace(mark, start=mark.start + longer, end=mark.end + longer)


def _strewn(campaign: Campaign, own: Sequence[Task], checks: Sequence[Task], stream: np.random.Generator) -> list[Task]:
    """Checks at random places; where documents are read as wholes, between these."""
    places = [place for place in range(len(own) + 1) if not _is_inside(campaign, own, place)]
    chosen = sorted((int(place) for place in stream.choice(places, len(checks))), reverse=True)
    strewn = list(own)
    for place, check in zip(chosen, checks, strict=True):
        strewn.insert(place, check)
    return strewn


def _is_inside(campaign: Campaign, own: Sequence[Task], place: int) -> bool:
    if not campaign.plan.by_document or not 0 < place < len(own):
        return False
    before, after = own[place - 1], own[place]
    documents = campaign.documents or ()
    return before.output == after.output and documents[before.segment] == documents[after.segment]
