"""mteval: is system B really better than system A, or did it get lucky?

The names in ``__all__`` are the public interface. Each is loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mteval._version import __version__

if TYPE_CHECKING:
    from mteval.analysis.replication.planning import Plan
    from mteval.base.errors import MtevalError
    from mteval.base.paths import sample_directory
    from mteval.interface.campaigns import campaign
    from mteval.interface.claims import Gate, claim, gate
    from mteval.interface.computation import compare, compare_scores, load, nbest, plan, replicate, score
    from mteval.interface.people import People, people
    from mteval.interface.results import Comparison, Difference
    from mteval.values.settings import Settings
    from mteval.values.verdict import Verdict

__all__ = [
    "Comparison", "Difference", "Gate", "MtevalError", "People", "Plan", "Settings", "Verdict", "__version__",
    "campaign", "claim", "compare", "compare_scores", "gate", "load", "nbest", "people", "plan", "replicate",
    "sample_directory", "score",
]  # fmt: skip
_COMPUTING = ("compare", "compare_scores", "load", "nbest", "plan", "replicate", "score")
_HOMES = {
    **dict.fromkeys(("Gate", "claim", "gate"), "mteval.interface.claims"),
    "campaign": "mteval.interface.campaigns",
    **dict.fromkeys(("People", "people"), "mteval.interface.people"),
    **dict.fromkeys(("Comparison", "Difference"), "mteval.interface.results"),
    "MtevalError": "mteval.base.errors",
    "sample_directory": "mteval.base.paths",
    "Plan": "mteval.analysis.replication.planning",
    "Settings": "mteval.values.settings",
    "Verdict": "mteval.values.verdict",
    **dict.fromkeys(_COMPUTING, "mteval.interface.computation"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mteval' has no attribute '{name}'")
    from mteval.base.late import packages_loaded_late

    with packages_loaded_late():
        module = import_module(_HOMES[name])
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
