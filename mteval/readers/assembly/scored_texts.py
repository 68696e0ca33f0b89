"""Whether scores are of the outputs that are loaded: a file of scores that has the outputs says it itself."""

from collections.abc import Iterator, Sequence

from mteval.counts import counted_part
from mteval.error_spans import ErrorSpan, Spans
from mteval.errors import DataError
from mteval.model import Run

Texts = Sequence[str | None]  # one a segment; None where the file says nothing of it
TEXT_SHOWN = 60  # characters of it


def runs_with(texts: Texts, runs: Sequence[Run]) -> list[Run]:
    """The runs that have these texts; several where outputs are equal.

    Raises
    ------
    DataError
        Where none has them.
    """
    n_others = [sum(1 for _ in _others(run, texts)) for run in runs]
    fewest = min(n_others)
    if fewest == 0 and any(texts):
        return [run for run, count in zip(runs, n_others, strict=True) if count == 0]
    nearest = runs[n_others.index(fewest)]
    equal = counted_part(len(texts) - fewest, len(texts), "segment")
    raise DataError(
        f"names no system, and its outputs are those of no run that is loaded; nearest is '{nearest.system}', run"
        f" '{nearest.key}', with {equal} equal. Name its system and run in the table, or give it a column system."
    )


def doubt_about(run: Run, texts: Texts) -> str:
    """What is odd where scores are of other texts than those loaded, as half a sentence; empty where nothing is.

    Outputs may be scored in another form than they are loaded in, detokenized say. That is not refused.

    Raises
    ------
    DataError
        Where the texts are those of the run in another order.
    """
    if not any(run.hypotheses):  # scores alone
        return ""
    others = list(_others(run, texts))
    if not others:
        return ""
    _refuse_other_order(run, texts, others)
    first = others[0]
    return (
        f"scored other texts than those of '{run.system}', run '{run.key}', in"
        f" {counted_part(len(others), len(run.hypotheses), 'segment')}; the first is {first + 1}:"
        f" '{_short(texts[first] or '')}', loaded is '{_short(run.hypotheses[first])}'. The scores are taken as they"
        " are; make sure that they are of this output. Errors marked in other texts are left out."
    )


def aligned_spans(spans: Sequence[Spans | None], texts: Texts | None, run: Run) -> tuple[Spans | None, ...]:
    """The spans by characters of the outputs that are loaded; None where what was marked is another text.

    Programs take off the space around an output before they read it, and count from what is left.

    Raises
    ------
    DataError
        Where an error is marked beyond the end of an output, and the file does not say what it read.
    """
    if texts is None:
        _refuse_beyond(spans, run)
        return tuple(spans)
    rows = zip(spans, texts, run.hypotheses, strict=True)
    return tuple(
        None if found is None or text is None or not _is_same(text, hypothesis) else _moved(found, text, hypothesis)
        for found, text, hypothesis in rows
    )


def _is_same(text: str, hypothesis: str) -> bool:
    return text.strip() == hypothesis.strip()


def _others(run: Run, texts: Texts) -> Iterator[int]:
    """The segments in which the texts differ."""
    for segment, (text, hypothesis) in enumerate(zip(texts, run.hypotheses, strict=True)):
        if text is not None and not _is_same(text, hypothesis):
            yield segment


def _refuse_other_order(run: Run, texts: Texts, others: Sequence[int]) -> None:
    """Raise where most of the texts that differ are those of other segments."""
    places = {hypothesis.strip(): segment for segment, hypothesis in enumerate(run.hypotheses) if hypothesis.strip()}
    found = [
        (segment, place) for segment in others if (place := places.get((texts[segment] or "").strip())) is not None
    ]
    if 2 * len(found) < len(others) or not found:
        return
    segment, place = found[0]
    raise DataError(
        f"has the outputs of '{run.system}', run '{run.key}', in another order: its segment {segment + 1} is segment"
        f" {place + 1} of the output. Give the scores in the order of the segments, or with a column segment."
    )


def _refuse_beyond(spans: Sequence[Spans | None], run: Run) -> None:
    for segment, (found, hypothesis) in enumerate(zip(spans, run.hypotheses, strict=True)):
        for span in found or ():
            if span.end > len(hypothesis):
                raise DataError(
                    f"marks characters {span.start} to {span.end} in segment {segment + 1} of '{run.system}', run"
                    f" '{run.key}', which has {len(hypothesis)}. Count characters of the output that is loaded, from 0."
                )


def _moved(spans: Spans, text: str, hypothesis: str) -> Spans:
    by = _indent(hypothesis) - _indent(text)
    moved = (ErrorSpan(span.start + by, span.end + by, span.severity, span.category, span.confidence) for span in spans)
    return tuple(moved) if by else spans


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _short(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"{text[: TEXT_SHOWN - 1]}…"
