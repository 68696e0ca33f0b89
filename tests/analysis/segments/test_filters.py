"""Conditions compose, and text is found as it is written."""

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.segments.table import SegmentFilter, SegmentTexts, matching
from mteval.values.model import TestSet

TABLE = pd.DataFrame(
    {
        "segment": range(5),
        "document": ["p", "p", "q", "q", "r"],
        "reference_words": [2.0, 4.0, 6.0, 8.0, 10.0],
        "is_identical": [False, True, False, False, False],
        "bleu.improvement": [5.0, 0.0, -3.0, 1.0, np.nan],
    }
)
CONSISTENCY = pd.DataFrame(
    {
        "kind": ["better", "mixed", "worse", "better", "mixed"],
        "better": [9, 3, 5, 4, 0],
        "worse": [0, 3, 4, 5, 0],
        "pairs": [9, 9, 9, 9, 0],
    }
)
TEXTS = SegmentTexts.of(
    TestSet(
        "test",
        (("The River", "a stream"), ("hello world",), ("a $x$ b",), ("[link](javascript:1)",), ("Straße",)),
        source=("Über den Fluss", "שלום עולם", "x", "x", "x"),
    ),
    ("the river", "hello", "<script>", "*", "strasse"),
    ("the stream", "hello", "b", ".", "road"),
)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"least": 0.0}, [0, 1, 3]),
        ({"least": -3.0, "most": 1.0}, [1, 2, 3]),
        ({"shortest": 4.0, "longest": 8.0}, [1, 2, 3]),
        ({"documents": ("p", "r")}, [0, 1, 4]),
        ({"documents": ("p", "r"), "outputs": "different"}, [0, 4]),
        ({"outputs": "identical"}, [1]),
        ({"agreement": "better"}, [0, 3]),
        ({"agreement": "better", "most": 2.0}, [3]),
        ({"agreement": "luck"}, [2, 3]),  # the pair shown: worse where 4 of 9 are worse, better where 4 of 9 are
        ({"agreement": "luck", "least": 0.0}, [3]),
        ({"text": "RIVER"}, [0]),
        ({"text": "stream", "stream": "reference"}, [0]),
        ({"text": "stream", "stream": "baseline"}, []),
        ({"text": "עולם"}, [1]),
        ({"text": "$x$"}, [2]),
        ({"text": "<script>", "stream": "baseline"}, [2]),
        ({"text": "*"}, [3]),
        ({"text": "strasse"}, [4]),
        ({"text": "x", "stream": "source", "shortest": 7.0}, [3, 4]),
    ],
)
def test_all_conditions_have_to_hold(wanted, expected):
    assert np.flatnonzero(matching(TABLE, CONSISTENCY, TEXTS, SegmentFilter("bleu", **wanted))).tolist() == expected


def test_missing_source_or_documents_match_nothing():
    texts = SegmentTexts.of(TestSet("test", (("a",),)), ("a",), ("a",))
    assert texts.contain("a", "source").tolist() == [False]
    assert texts.contain("a", "any").tolist() == [True]
    table = TABLE.drop(columns="document")
    assert not matching(table, CONSISTENCY, TEXTS, SegmentFilter("bleu", documents=("p",))).any()
