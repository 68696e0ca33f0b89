"""The file of a plan: TOML, with a digest of its content that shows a later change."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import tomli_w
from msgspec import Struct

from mteval._version import __version__
from mteval.base.bounded_input import Filled, Finite, Whole, bounded_toml, decoded
from mteval.readers.experiment_file import settings_form, settings_from
from mteval.values.definitions import DEFINITIONS, changed_since
from mteval.values.model import Experiment
from mteval.values.plan import Plan, Planned, PlannedTestSet, deviations
from mteval.values.settings import Settings

_HEAD = "# A plan, frozen before results were seen. To check results against it: mteval eval … --plan FILE\n\n"


class _PlanFile(Struct, forbid_unknown_fields=True):
    format: int
    made_with: Filled
    definitions: Whole
    frozen: Filled
    baseline: Filled
    systems: tuple[Filled, ...]
    n_runs: Whole
    settings: dict[str, Any]
    test_sets: tuple[PlannedTestSet, ...]
    digest: Filled
    target: Finite | None = None
    margin: Finite | None = None


def plan_toml(plan: Plan) -> str:
    """Return the text of a plan's file, with the present time and its digest."""
    form = {
        "format": 1,
        "made_with": f"mteval {__version__}",
        "definitions": DEFINITIONS,
        "frozen": datetime.now(UTC).isoformat(timespec="seconds"),
        "baseline": plan.baseline,
        "systems": list(plan.systems),
        "n_runs": plan.n_runs,
        **{name: value for name, value in (("target", plan.target), ("margin", plan.margin)) if value is not None},
        "settings": settings_form(plan.settings),
        "test_sets": [asdict(one) for one in plan.test_sets],
    }
    return _HEAD + tomli_w.dumps({"digest": _digest(form), **form})


def checked_plan(text: str, file: str, experiment: Experiment, settings: Settings) -> Planned:
    """Compare an evaluation with the plan in a file.

    Raises
    ------
    InputError
        If the file is no plan, or a newer mteval wrote it.
    """
    form = bounded_toml(text, file)
    whole = decoded(form, _PlanFile, file)
    changed = [f"Definition changed since: {sentence}" for sentence in changed_since(whole.definitions, file)]
    content = {key: value for key, value in form.items() if key != "digest"}
    if _digest(content) != whole.digest:
        changed.insert(0, f"The plan was edited after {whole.frozen}: its digest does not match.")
    planned = settings_from(whole.settings, file)
    plan = Plan(whole.baseline, whole.systems, whole.n_runs, whole.test_sets, planned, whole.target, whole.margin)
    return Planned(file, whole.digest, (*changed, *deviations(plan, experiment, settings)))


def _digest(form: Mapping[str, Any]) -> str:
    return hashlib.sha256(tomli_w.dumps(form).encode("utf-8")).hexdigest()
