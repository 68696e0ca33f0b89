"""Human annotations in a database: campaigns, the tasks of each annotator, and marked errors.

``open_store`` opens the database and updates its tables. All access goes through ``AnnotationStore``. Campaigns contain
the texts they are about, so annotators need no files. What has to do with the database is loaded when first used:
campaigns and their files are also read, compared and shown without one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mteval.annotations.campaign_files import from_json, to_json
from mteval.annotations.campaigns import Answer, Campaign, Control, Listed, Mark, Output, Plan, SaidMark, Task
from mteval.annotations.sample import Sampled, deal_tasks, draw_documents, draw_sample, merged, prefilled, with_controls
from mteval.annotations.typology import DEFAULT_TYPOLOGY, SEVERITIES, Category, Typology, word_spans

if TYPE_CHECKING:
    from mteval.annotations.database import open_store
    from mteval.annotations.store import AnnotationStore

__all__ = [
    "DEFAULT_TYPOLOGY",
    "SEVERITIES",
    "AnnotationStore",
    "Answer",
    "Campaign",
    "Category",
    "Control",
    "Listed",
    "Mark",
    "Output",
    "Plan",
    "SaidMark",
    "Sampled",
    "Task",
    "Typology",
    "deal_tasks",
    "draw_documents",
    "draw_sample",
    "from_json",
    "merged",
    "open_store",
    "prefilled",
    "to_json",
    "with_controls",
    "word_spans",
]

_MODULE_OF = {
    "AnnotationStore": "mteval.annotations.store",
    "open_store": "mteval.annotations.database",
}


def __getattr__(name: str) -> Any:
    """Load a name of the database when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'mteval.annotations' has no attribute '{name}'")
    return getattr(import_module(_MODULE_OF[name]), name)
