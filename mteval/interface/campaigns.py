"""Annotation campaigns in the Python interface: ``campaign``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mteval.analysis.people.new_campaigns import (
    Form,
    campaign_of_medians,
    category_of,
    practice_text,
    read_categories,
    read_practice,
)
from mteval.analysis.scoring import Scored, means_of_computation, score_experiment
from mteval.annotations import DEFAULT_TYPOLOGY, Control, Plan, Typology, to_json
from mteval.base.errors import DataError
from mteval.interface.inputs import FilePath
from mteval.interface.results import Comparison
from mteval.metrics import resolve
from mteval.readers.disk import file_at
from mteval.readers.formats.text import decode
from mteval.values.model import Experiment


def campaign(
    compared: Comparison,
    protocol: str,
    annotators: Sequence[str],
    *,
    name: str = "",
    systems: Sequence[str] = (),
    instructions: str = "",
    practice: FilePath | pd.DataFrame | None = None,
    categories: FilePath | pd.DataFrame | None = None,
    mark_by: str = "",
    median_on: str = "",
    random: int = 30,
    improved: int = 0,
    declined: int = 0,
    informative: bool = False,
    whole_documents: bool = False,
    shared: int | None = None,
    checks: int = 0,
    beside: int = 0,
    adaptive: bool = False,
) -> str:
    """Return a campaign file in which people judge the median run of each system.

    The text is that of ``mteval campaigns new``. Write it to a file: ``mteval campaigns start FILE`` stores it and
    prints the annotators' links, and the Load page reads it.

    Parameters
    ----------
    compared
        Comparison of the outputs to judge. Its first metric chooses the median runs, its seed draws the sample.
    protocol
        ``rating``, ``errors``, ``esa``, ``preference`` or ``contrastive``.
    annotators
        Names of those who judge.
    name
        Name that annotators see; the protocol's by default.
    systems
        Systems to judge; all by default.
    instructions
        Text shown to annotators.
    practice
        Practice texts with known answers: a table or a frame with the columns ``source`` and ``output``, and others of
        ``docs/annotations.md``.
    categories
        ``errors``: a table or a frame with the column ``category``, and the weights ``minor``, ``major`` and
        ``critical``. WMT's by default; so is a weight that is missing.
    mark_by
        ESA: start from the errors that this metric marks.
    median_on
        Test set on which the median runs are chosen; the judged one by default.
    random, improved, declined
        Number of random segments, and of those that improved or declined most between two systems.
    informative
        Draw segments more often if the metric tells the systems apart there.
    whole_documents
        Draw whole documents until they have ``random`` segments.
    shared
        Segments that everyone judges; the others go to one annotator each. All by default.
    checks
        Attention checks per annotator.
    beside, adaptive
        Contrastive: outputs side by side, and whether systems that scored well so far are shown more often.

    Raises
    ------
    MtevalError
        If what is asked for is impossible, or leaves nothing to judge.

    Examples
    --------
    >>> text = mteval.campaign(comparison, "esa", ["ann", "bob"], random=15)  # doctest: +SKIP
    >>> Path("esa.json").write_text(text, encoding="utf-8")  # doctest: +SKIP
    """
    test_set = compared.results.test_set
    if not test_set.has_texts:
        raise DataError("Only scores are given. Compare outputs and references, which annotators read.")
    scored = _scored(compared, test_set.name)
    chosen_on = scored[0]
    if median_on and median_on != test_set.name:
        chosen_on = _scored(compared, median_on)[0]
    plan = Plan(
        random=random,
        improvements=improved,
        declines=declined,
        shared=shared,
        seed=compared.settings.seed,
        by_document=whole_documents,
        checks=checks,
        side_by_side=beside,
        is_adaptive=adaptive,
    )
    form = Form(
        name=name,
        annotators=tuple(annotators),
        plan=plan,
        is_informative=informative,
        instructions=instructions,
        practice=_practice(practice),
        typology=_typology(categories),
    )
    names = tuple(systems) or compared.results.systems
    new = campaign_of_medians(form, protocol, names, scored, chosen_on, compared.settings.runs, mark_by)
    return to_json(new.campaign, new.tasks)


def _scored(compared: Comparison, test_set: str) -> tuple[Scored, ...]:
    """Return the metrics on one test set."""
    whole = compared.experiment
    experiment = Experiment((whole.test_set(test_set),), whole.baseline, whole.given)
    metrics = resolve(compared.settings, whole.given)
    return score_experiment(experiment, metrics, means_of_computation(compared.settings.workers))


def _practice(practice: FilePath | pd.DataFrame | None) -> tuple[Control, ...]:
    """Return the practice texts of a file or a frame."""
    if practice is None:
        return ()
    if isinstance(practice, pd.DataFrame):
        return tuple(practice_text(row) for row in _rows(practice))
    file = file_at(Path(os.fspath(practice)))
    return read_practice(decode(file.content, file.name), file.name)


def _typology(categories: FilePath | pd.DataFrame | None) -> Typology:
    """Return the categories of a file or a frame."""
    if categories is None:
        return DEFAULT_TYPOLOGY
    if isinstance(categories, pd.DataFrame):
        return Typology(tuple(category_of(row) for row in _rows(categories)))
    file = file_at(Path(os.fspath(categories)))
    return read_categories(decode(file.content, file.name), file.name)


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame; None for missing cells."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(column): value for column, value in row.items()} for row in rows]
