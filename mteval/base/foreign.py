"""Errors in metrics of other packages, which may raise anything: they are named as errors of that package."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mteval.base.errors import MtevalError, shortened
from mteval.base.words import visible

if TYPE_CHECKING:  # loading it takes as long as a short command
    from importlib.metadata import EntryPoint

GROUP = "mteval.metrics"  # of entry points
OURS = "mteval"


def package_of(entry: "EntryPoint") -> str:
    """Return the name of the package that registers an entry point, which broken metadata may lack."""
    if entry.dist is None:
        return "unknown"
    return entry.dist.name or "unknown"


def is_stop(error: BaseException) -> bool:
    """Tell whether an error is Ctrl-C; a class derived from ``KeyboardInterrupt`` is the package's own."""
    return type(error) is KeyboardInterrupt


def kind_and_message(error: BaseException) -> str:
    """Return kind and message of any error on one line; the code of another package may fail to make the message."""
    kind = type(error).__name__
    message = _message_of(error)
    if message is None:
        return f"{kind}, whose message cannot be shown"
    if not message:
        return kind
    return f"{kind}: {message}"


def _message_of(error: BaseException) -> str | None:
    """Return the message of any error; None if it cannot be made."""
    try:
        return visible(" ".join(shortened(str(error)).split()))
    except BaseException as another:
        if is_stop(another):
            raise
        return None


@contextmanager
def errors_of_plugins_named() -> Iterator[None]:
    """Raise what metrics of other packages raise within as ``MtevalError`` that names the metric and its package.

    An ``MtevalError`` of such a metric, e.g. for an unusable option, and Ctrl-C pass unchanged. All else passes too.
    """
    try:
        yield
    except BaseException as error:
        if is_stop(error) or (isinstance(error, MtevalError) and _message_of(error) is not None):
            raise
        raised: BaseException = error
        entries = _entries_in(raised)
        while not entries:  # Python replaces some errors, e.g. StopIteration in a generator
            if raised.__cause__ is None:
                raise
            raised = raised.__cause__
            entries = _entries_in(raised)
        names = ", ".join(f"'{entry.name}'" for entry in entries)
        metric = f"Metric {names}"
        if len(entries) > 1:
            metric = f"One of the metrics {names}"
        raise MtevalError(
            f"{metric} of package '{package_of(entries[0])}' failed ({kind_and_message(raised)}). Fix or update the"
            " package, or leave its metrics out."
        ) from error


def _entries_in(error: BaseException) -> list["EntryPoint"]:
    """Return the entry points of the package that an error passed through last; none if it is no plug-in."""
    from importlib.metadata import entry_points

    entries: list[EntryPoint] = []
    traceback = error.__traceback__
    while traceback is not None:
        name = str(traceback.tb_frame.f_globals.get("__name__")).partition(".")[0]
        if name != OURS:
            of_package = [entry for entry in entry_points(group=GROUP) if entry.module.partition(".")[0] == name]
            entries = of_package or entries
        traceback = traceback.tb_next
    return sorted(entries, key=lambda entry: entry.name)
