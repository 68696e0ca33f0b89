"""The numbers of an evaluation as bytes, so that an experiment is opened again without computing anything."""

import json
from dataclasses import fields
from typing import Any, get_type_hints

from mteval import __version__
from mteval.analysis.evaluation import Evaluation
from mteval.errors import DataError
from mteval.metrics import catalog
from mteval.model import Experiment
from mteval.reporting.library.json_form import from_json_form, to_json_form

KEPT = tuple(field.name for field in fields(Evaluation) if field.name != "metrics")  # how to describe them is known


def numbers_of(experiment: Experiment, evaluation: Evaluation) -> bytes:
    """The numbers of an experiment's evaluation."""
    form = {name: to_json_form(getattr(evaluation, name)) for name in KEPT}
    return json.dumps({"experiment": experiment.digest, **form}, ensure_ascii=False, allow_nan=False).encode("utf-8")


def evaluation_from(numbers: bytes, experiment: Experiment) -> Evaluation | None:
    """The evaluation again; None where the numbers are of another experiment, or were made by another version.

    None as well where one of its metrics is there no more: a model that is named no longer, a package that is gone.
    """
    form = json.loads(numbers)
    is_of_another = form.pop("experiment") != experiment.digest
    if is_of_another or set(form) != set(KEPT) or form["versions"].get("mteval") != __version__:
        return None
    kinds, known = get_type_hints(Evaluation), catalog(experiment.given)
    try:
        kept: dict[str, Any] = {name: from_json_form(kinds[name], value) for name, value in form.items()}
    except DataError:  # of the same version on its way to the next one
        return None
    metrics = kept["settings"].metrics
    return Evaluation(metrics={key: known[key] for key in metrics}, **kept) if set(metrics) <= set(known) else None
