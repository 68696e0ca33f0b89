"""Metrics of other packages, found through entry points. A metric that cannot be used is ignored, with its reason."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points

from mteval.base.foreign import GROUP, is_stop, kind_and_message, package_of
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec
from mteval.values.notation import MOST_DECIMALS, Notation
from mteval.values.settings import CONVENTIONS

_LEAST_STEPS = 1000  # in which decimals must divide the range: 0.1 for 0 to 100, 0.001 for 0 to 1
_KEY = re.compile(r"[a-z0-9][a-z0-9+_-]*")  # becomes part of option names: --KEY.option


class Registry(Mapping[str, MetricSpec]):
    """Built-in metrics, then those of other packages and of named models, by key.

    Other packages are loaded at the first lookup, not at construction: a plug-in imports parts of this package and must
    be able to do so before it is fully imported itself. The environment names models, and a command line may add some.

    Parameters
    ----------
    own
        Built-in metrics.
    models
        Metrics of named models; ignored if their key is taken.
    """

    def __init__(self, own: Iterable[MetricSpec], models: Callable[[], Iterable[MetricSpec]] = tuple) -> None:
        self._own = {spec.key: spec for spec in own}
        self._models = models

    @cached_property
    def _plugins(self) -> tuple[dict[str, MetricSpec], tuple[str, ...]]:
        """The metrics of other packages, and what was ignored."""
        return find_plugins(self._own)

    @property
    def _specs(self) -> Mapping[str, MetricSpec]:
        """All metrics; of those with one key, a later one counts."""
        of_models = {spec.key: spec for spec in self._models()}
        of_plugins, _ = self._plugins
        return of_models | self._own | of_plugins

    @property
    def problems(self) -> tuple[str, ...]:
        """What was ignored, and why."""
        _, problems = self._plugins
        return problems

    def __getitem__(self, key: str) -> MetricSpec:
        if key in self._own:  # other packages need not be searched
            return self._own[key]
        return self._specs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


def find_plugins(taken: Collection[str]) -> tuple[dict[str, MetricSpec], tuple[str, ...]]:
    """Return the metrics that installed packages register under the entry point group ``mteval.metrics``.

    Parameters
    ----------
    taken
        Keys already in use. If two packages share a key, the alphabetically first gets it.

    Returns
    -------
    specs
        Usable metrics by key.
    problems
        For each ignored entry point: the package, what is wrong, and how to fix it.
    """
    specs: dict[str, MetricSpec] = {}
    problems: list[str] = []
    entries = sorted(entry_points(group=GROUP), key=lambda entry: (package_of(entry), entry.name, entry.value))
    for entry in entries:
        try:
            spec = entry.load()
            fault = _fault(spec, {*taken, *specs})
        except BaseException as error:  # foreign code may raise anything; go on without it
            if is_stop(error):
                raise
            fault = f"it does not load ({kind_and_message(error)})."
        if fault:
            package = package_of(entry)
            remedy = f"Fix or update the package, or remove it: pip uninstall {package}."
            problems.append(f"Ignored metric '{entry.name}' of package '{package}' ({entry.value}): {fault} {remedy}")
        else:
            specs[spec.key] = spec
    return specs, tuple(problems)


def _fault(spec: object, taken: Collection[str]) -> str:
    """Return what makes a specification unusable, as a sentence; empty if nothing does."""
    if not isinstance(spec, MetricSpec):
        return f"expected a MetricSpec, found {type(spec).__name__}."
    if not isinstance(spec.key, str) or not _KEY.fullmatch(spec.key):
        return f"its key is {spec.key!r}; expected lower-case letters, digits, '+', '-' or '_'."
    if spec.key in taken:
        return f"its key '{spec.key}' is already taken."
    if not isinstance(spec.notation, Notation):
        return f"its notation is {spec.notation!r}; expected a Notation."
    names = sorted(option.name for option in spec.options)
    for convention in CONVENTIONS:
        try:
            given = sorted(spec.defaults(convention))
        except BaseException as error:  # as above
            if is_stop(error):
                raise
            return f"its defaults fail ({kind_and_message(error)})."
        if given != names:
            return f"its defaults are for {given or 'no option'}, its options are {names}."
    return _fault_of_decimals(spec)


def _fault_of_decimals(spec: MetricSpec) -> str:
    """Return that a narrow range of scores needs more decimals, or all differences would be shown as 0.00."""
    lowest = spec.range.lowest
    highest = spec.range.highest
    if lowest is None or highest is None:
        return ""
    # The fewest decimals by which the range has enough steps
    n_steps = [(highest - lowest) * 10**decimals for decimals in range(MOST_DECIMALS)]
    needed = sum(n < _LEAST_STEPS for n in n_steps)
    if spec.notation.decimals >= needed:
        return ""
    return (
        f"its scores lie between {lowest:g} and {highest:g}, so {counted(spec.notation.decimals, 'decimal')} would hide"
        f" small differences; expected Notation({spec.notation.direction!r}, decimals={needed}) or more decimals."
    )
