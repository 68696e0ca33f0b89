"""What to cite for a metric stands in its description, in the methods paragraph and in ``docs/method.md``."""

import re
from pathlib import Path

import pytest

from mteval.answers.methods import cited
from mteval.metrics import METRICS

METHOD = (Path(__file__).parent.parent.parent / "docs" / "method.md").read_text(encoding="utf-8")
NAME_AND_YEAR = re.compile(r"([^\W\d_]+) (\d{4})")


@pytest.mark.parametrize("key", METRICS)
def test_each_source_of_a_metric_is_among_those_of_the_method(key: str) -> None:
    sources = METHOD.partition("## Sources")[2]
    found = NAME_AND_YEAR.findall(METRICS[key].source)
    assert found
    for name, year in found:
        assert re.search(rf"{name} {year}:", sources), (name, year)
    assert METRICS[key].name in cited(METRICS[key].name, METRICS[key].source)
