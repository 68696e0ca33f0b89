"""What to cite for a metric stands in its description and in the methods paragraph."""

import re

from mteval.answers.methods import cited
from mteval.metrics import METRICS

NAME_AND_YEAR = re.compile(r"[^\W\d_]+ \d{4}")


def test_each_metric_names_its_source_and_the_methods_paragraph_cites_it() -> None:
    lacking = [key for key, spec in METRICS.items() if not NAME_AND_YEAR.search(spec.source)]
    assert not lacking, f"give their authors and year as source: {lacking}"
    uncited = [key for key, spec in METRICS.items() if spec.name not in cited(spec.name, spec.source)]
    assert not uncited
