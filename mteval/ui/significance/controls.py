"""Choices that the parts of the significance page share."""

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.results import Results
from mteval.analysis.tests.corrections import CORRECTIONS
from mteval.export.significance import UNIT_NAMES
from mteval.ui.parts.choices import choose

CORRECTION_HELP = (
    "For several comparisons at once. Holm, Bonferroni, max-T and Tukey's bound the chance of any false claim in the"
    " family; max-T takes into account how the comparisons depend on one another, Tukey's is for all pairs of systems"
    " and judges by the largest difference, with Student's t. Benjamini-Hochberg bounds the expected share of false"
    " claims among the claims."
)


def choose_metric(where: DeltaGenerator, results: Results, key: str) -> str:
    """One of the metrics of the evaluation."""
    names = {metric: results.spec(metric).name for metric in results.metrics}
    return choose("Metric", list(names), f"{key}-metric", where=where, format_func=names.__getitem__)


def choose_unit(where: DeltaGenerator, results: Results, key: str) -> str:
    """Documents or sentences, as the settings say unless changed here; sentences where there are no document ids."""
    if results.test_set.documents is None:
        return "segment"
    return choose(
        "Units",
        ["document", "segment"],
        f"{key}-unit",
        default="segment" if results.settings.exchange_unit == "segment" else "document",
        where=where,
        format_func=UNIT_NAMES.__getitem__,
        help="What is drawn or exchanged as one. Sentences of a document succeed and fail together, so tests that take"
        " them for independent find too much.",
    )


def choose_correction(where: DeltaGenerator, key: str, choices: Sequence[str] = tuple(CORRECTIONS)) -> str:
    """How p-values are adjusted; the first of the choices unless another was chosen that is still among them."""
    return choose(
        "Correction",
        choices,
        f"{key}-correction",
        where=where,
        format_func=CORRECTIONS.__getitem__,
        help=CORRECTION_HELP,
    )
