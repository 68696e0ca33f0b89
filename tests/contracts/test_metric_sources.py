"""Every metric names the paper to cite; reports list it in the appendix."""

import re

from mteval.metrics import METRICS

NAME_AND_YEAR = re.compile(r"[^\W\d_]+ \d{4}")


def test_each_metric_names_its_source() -> None:
    lacking = [key for key, spec in METRICS.items() if not NAME_AND_YEAR.search(spec.source)]
    assert not lacking, f"give their authors and year as source: {lacking}"
