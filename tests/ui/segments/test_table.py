"""Steps from segment to segment, in the order of a table and in that of the document."""

import numpy as np
import pytest

from mteval.ui.segments.table import moved

TABLE = np.array([4, 0, 2])
ONE_DOCUMENT = ("",) * 6


@pytest.mark.parametrize(
    ("at", "steps", "expected"),
    [
        (4, (1, 0), 0),
        (4, (2, 0), 2),
        (4, (5, 0), 2),
        (2, (-1, 0), 0),
        (2, (-9, 0), 4),
        (0, (0, 1), 1),
        (0, (0, -3), 0),
        (3, (0, 9), 5),
        (4, (1, 1), 1),
        (3, (1, 0), 4),
        (3, (2, 0), 0),
        (3, (-1, 0), 3),
    ],
)
def test_steps_lead_through_the_table_then_through_the_document_and_end_at_their_ends(at, steps, expected):
    assert moved(TABLE, at, steps, ONE_DOCUMENT) == expected


@pytest.mark.parametrize(("at", "steps", "expected"), [(1, (0, 1), 1), (1, (0, -5), 0), (2, (0, 9), 3), (4, (1, 9), 1)])
def test_steps_in_the_document_end_at_its_ends(at, steps, expected):
    assert moved(TABLE, at, steps, ("a", "a", "b", "b", "a", "a")) == expected


def test_an_empty_table_leads_nowhere():
    assert moved(np.array([], dtype=np.int64), 3, (2, 0), ONE_DOCUMENT) == 3
