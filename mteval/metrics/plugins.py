"""Metrics of other packages, found by their entry points: one that cannot be used is left out, and it is said why."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from mteval.base.words import counted
from mteval.metrics.base import MetricSpec
from mteval.values.notation import MOST_DECIMALS, Notation
from mteval.values.settings import CONVENTIONS

GROUP = "mteval.metrics"
_LEAST_STEPS = 1000  # that the last decimal makes of the range of scores: 0.1 of 100, 0.001 of 1
_KEY = re.compile(r"[a-z0-9][a-z0-9+_-]*")  # it becomes the beginning of options: --KEY.option


class Registry(Mapping[str, MetricSpec]):
    """The metrics that come with the program and, after them, those of other packages and of named models, by key.

    Other packages are read when it is first looked into, not when it is made: a module with a metric of one's own
    imports parts of this package, and must be able to do so before it is finished itself. Models are named by the
    environment, which a command line may add to.

    Parameters
    ----------
    own
        Metrics that come with the program.
    models
        The metrics that named models make; one with a key of another metric is left out.
    """

    def __init__(self, own: Iterable[MetricSpec], models: Callable[[], Iterable[MetricSpec]] = tuple) -> None:
        self._own = {spec.key: spec for spec in own}
        self._models = models

    @cached_property
    def _plugins(self) -> tuple[dict[str, MetricSpec], tuple[str, ...]]:
        return find_plugins(self._own)

    @property
    def _specs(self) -> Mapping[str, MetricSpec]:
        return {spec.key: spec for spec in self._models()} | self._own | self._plugins[0]

    @property
    def problems(self) -> tuple[str, ...]:
        """What was left out, and why."""
        return self._plugins[1]

    def __getitem__(self, key: str) -> MetricSpec:
        return self._specs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


def find_plugins(taken: Collection[str]) -> tuple[dict[str, MetricSpec], tuple[str, ...]]:
    """The metrics that installed packages offer under the entry point group ``mteval.metrics``.

    Parameters
    ----------
    taken
        Keys that are not free any more. Of two packages with one key the first in the alphabet has it.

    Returns
    -------
    specs
        Metrics that can be used, by key.
    problems
        For each entry point left out, in words: which package, what is wrong, how to mend it.
    """
    specs: dict[str, MetricSpec] = {}
    problems: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (_package(entry), entry.name, entry.value)):
        try:
            spec = entry.load()
            fault = _fault(spec, {*taken, *specs})
        except (Exception, SystemExit) as error:  # whatever code of others raises, the program goes on without it
            fault = f"it does not load ({type(error).__name__}: {error})."
        if fault:
            package = _package(entry)
            problems.append(
                f"The metric '{entry.name}' of the package '{package}' ({entry.value}) is left out: {fault}"
                f" Mend or update the package, or remove it: pip uninstall {package}."
            )
        else:
            specs[spec.key] = spec
    return specs, tuple(problems)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "unknown"


def _fault(spec: object, taken: Collection[str]) -> str:
    """Why forms and command lines cannot be made of it, in a sentence; empty where they can."""
    if not isinstance(spec, MetricSpec):
        return f"expected a MetricSpec, found {type(spec).__name__}."
    if not isinstance(spec.key, str) or not _KEY.fullmatch(spec.key):
        return f"its key is {spec.key!r}; expected lower-case letters, digits, '+', '-' or '_'."
    if spec.key in taken:
        return f"there is a metric with the key '{spec.key}' already; it needs a key of its own."
    if not isinstance(spec.notation, Notation):
        return f"its notation is {spec.notation!r}; expected a Notation."
    names = sorted(option.name for option in spec.options)
    for convention in CONVENTIONS:
        try:
            given = sorted(spec.defaults(convention))
        except Exception as error:  # as above
            return f"its defaults cannot be had ({type(error).__name__}: {error})."
        if given != names:
            return f"its defaults are those of {given or 'no option'}; its options are {names}."
    return _fault_of_decimals(spec)


def _fault_of_decimals(spec: MetricSpec) -> str:
    """Scores between narrow limits need more decimals than scores up to 100, or all differences are written 0.00."""
    lowest, highest = spec.range.lowest, spec.range.highest
    if lowest is None or highest is None:
        return ""
    steps = ((highest - lowest) * 10**digits for digits in range(MOST_DECIMALS))
    needed = sum(one < _LEAST_STEPS for one in steps)
    if spec.notation.decimals >= needed:
        return ""
    return (
        f"its scores lie between {lowest:g} and {highest:g} and are written with"
        f" {counted(spec.notation.decimals, 'decimal')}, which hides small differences; expected"
        f" Notation({spec.notation.direction!r}, decimals={needed}) or more decimals."
    )
