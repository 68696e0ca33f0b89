"""The component that marks errors in texts by keys: what it gets, and what it sends.

It keeps what was marked until the server acknowledges it, so that no key waits for the network.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from mteval.annotations import SEVERITIES, SaidMark, word_spans
from mteval.base.bounded_input import Name, Short

SCRIPT = Path(__file__).with_name("marker.js")
CATEGORY_KEYS = "QWERASFGHJKCVXYOI456789"  # the letters that no page uses for something else, and free digits


class Said(Struct):
    """All marks of an item, in the texts that could be marked, and a label.

    Parameters
    ----------
    seq
        Distinguishes what was sent from what is sent later.
    """

    seq: Name
    marks: tuple[SaidMark, ...]
    texts: tuple[Short, ...] = ()
    label: Short = ""


def palette(categories: Sequence[str], severities: Iterable[str]) -> dict[str, Any]:
    """Return categories and severities with their keys, as the component needs them."""
    # Categories beyond the last key have none
    keys = [*CATEGORY_KEYS, *[""] * len(categories)]
    keyed_categories = [{"name": name, "key": key} for name, key in zip(categories, keys, strict=False)]
    keyed_severities = [{"name": name, "key": str(SEVERITIES.index(name))} for name in severities]
    return {"categories": keyed_categories, "severities": keyed_severities, "order": SEVERITIES}


def text_of(key: str, label: str, text: str, *, is_markable: bool = True, **more: object) -> dict[str, Any]:
    """Return a text as the component needs it.

    Parameters
    ----------
    more
        ``side`` and ``shaded`` (ranges of characters), the only ``category`` of errors in it, or a ``short`` label.
    """
    words = word_spans(text) if is_markable else ()
    return {"key": key, "label": label, "text": text, "isMarkable": is_markable, "words": words, **more}


def mark_of(mark: Any, key: str, text: str, **more: object) -> Mapping[str, object]:
    """Return a mark as the component needs it, from a value with these fields."""
    return {
        "id": key,
        "text": text,
        "start": mark.start,
        "end": mark.end,
        "category": mark.category,
        "severity": mark.severity,
        "comment": mark.comment,
        **more,
    }
