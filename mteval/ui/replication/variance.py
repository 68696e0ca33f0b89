"""Where the variance of a score and of a difference comes from, and what to do about it."""

from mteval.analysis.replication.variation import uncertainty_frame, variance_frame, variation_of
from mteval.errors import MtevalError
from mteval.export.prose.replication import advice_sentence
from mteval.figures.variance import variance_bars
from mteval.figures.words import in_words
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.markup import tag
from mteval.ui.parts.tables import table
from mteval.ui.replication.pool import Chosen
from mteval.ui.setup.words import tell

EXPLANATION = (
    "Runs: another run shifts all segments together. Test set: other segments shift all runs together. Runs × test set:"
    " what a run does to single segments; more of either average it out."
)


def variance_tab(chosen: Chosen) -> None:
    """Stacked bars, one sentence of advice, and how well the components are known."""
    pool = chosen.pool
    try:
        variation = variation_of(pool)
    except MtevalError as error:
        messages.say("note", chosen.said(str(error)))
        return
    frame = variance_frame(pool, variation)
    last = frame[frame["what"] == frame["what"].iloc[-1]]
    shares = dict(zip(last["source"], last["share"], strict=True))
    tell(tag("p", chosen.said(advice_sentence(shares, pool.unit, pool.sizes, variation.design))))
    chart(in_words(variance_bars(frame, chosen.metric_name, chosen.notation), chosen.said), "variance")
    tell(tag("p", chosen.said(EXPLANATION), class_="mt-quiet"))
    finer = chosen.notation.finer
    rows = [
        (
            chosen.said(row["source"]), finer.number(row["standard_deviation"]), f"{round(row['df'], 1):,g}",
            finer.range(row["low"], row["high"]),
        )
        for row in uncertainty_frame(pool, variation).to_dict("records")
    ]  # fmt: skip
    caption = f"How well the standard deviations are known (95% chi-square intervals, {chosen.metric_name})."
    tell(table(("Standard deviation", "estimate", "degrees of freedom", "may be"), rows, caption=caption))
