"""Statistics on arrays: spreads, tests and intervals over runs and segments, independent of text and metrics."""

from mteval.stats.procedures.registry import PROCEDURES
from mteval.stats.procedures.spec import ProcedureSpec

__all__ = ["PROCEDURES", "ProcedureSpec"]
