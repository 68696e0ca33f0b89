"""How often the answers of LLM judges were understood: beside the scores, since a missing score counts nowhere."""

from __future__ import annotations

import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.section import Column, Section, Table, headed, p_column

TITLE = "Answers of LLM judges"
_COLUMNS = (
    Column("metric", "Judge"),
    Column("system", "System"),
    headed("n_answers", "answers", "count", help="Distinct outputs times repeats."),
    headed("at_once", "understood at once", "share", help="The first answer had one of the expected forms."),
    headed("later", "after asking again", "share", help="The second or third answer had one of the expected forms."),
    headed("never", "never understood", "share", help="No answer had one of the expected forms; no score."),
    p_column(
        "p_value",
        "p (never)",
        help="Do answers fail more or less often than on the baseline's outputs? Exact sign test over segments; p is"
        " multiplied by the number of systems compared.",
    ),
)


def understood_section(results: Results) -> Section | None:
    """Return the shares by judge and system; None if no LLM judge scored the test set."""
    rows = []
    for row in results.evaluation.judged:
        if row.test_set != results.test_set.name:
            continue
        rows.append(
            {
                "metric": results.spec(row.metric).name,
                "system": results.name_of(row.system),
                "n_answers": row.n_answers,
                "at_once": row.at_once / row.n_answers,
                "later": row.later / row.n_answers,
                "never": row.never / row.n_answers,
                "p_value": row.p_value,
            }
        )
    if not rows:
        return None
    return Section("judge-answers", TITLE, table=Table(_COLUMNS, pd.DataFrame(rows)).shown)
