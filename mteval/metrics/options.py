"""Options of a metric as the user gave them, checked against their description."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mteval.errors import SettingsError
from mteval.metrics.base import Option, OptionValue


def settled(
    metric: str,
    options: Sequence[Option],
    defaults: Mapping[str, OptionValue],
    given: Mapping[str, OptionValue],
    fixed: Sequence[str] = (),
) -> dict[str, Any]:
    """The value of every option: the one given, else the default.

    Parameters
    ----------
    metric
        Its name, for the messages.
    fixed
        Options that may be given with their default value only.

    Raises
    ------
    SettingsError
        On a name that is not among the options, a value of another kind or outside its range, a fixed option changed.
    """
    by_name = {option.name: option for option in options}
    for name, value in given.items():
        if name not in by_name:
            raise SettingsError(f"{metric} has no option '{name}'; it has: {', '.join(by_name)}.")
        if value == defaults[name] and type(value) is type(defaults[name]):
            continue
        if name in fixed:
            raise SettingsError(
                f"{metric}: the convention sets '{name}' to {defaults[name]!r}, found {value!r}; leave it out or choose"
                " the convention 'sacrebleu'."
            )
        if not _fits(by_name[name], value):
            raise SettingsError(f"{metric}: '{name}' is {value!r}; expected {_expected(by_name[name])}.")
    return {**defaults, **given}


def _fits(option: Option, value: OptionValue) -> bool:
    if option.kind == "flag":
        return isinstance(value, bool)
    if option.kind == "choice":
        return value in option.choices
    if option.kind in ("text", "path"):
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int if option.kind == "integer" else (int, float)):
        return False
    low = -math.inf if option.minimum is None else option.minimum
    high = math.inf if option.maximum is None else option.maximum
    return math.isfinite(value) and low <= value <= high


def _expected(option: Option) -> str:
    if option.kind == "flag":
        return "true or false"
    if option.kind == "choice":
        return f"one of {', '.join(option.choices)}"
    if option.kind in ("text", "path"):
        return "text"
    words = "a whole number" if option.kind == "integer" else "a number"
    if option.minimum is not None:
        words += f" from {option.minimum:g}"
    if option.maximum is not None:
        words += f" up to {option.maximum:g}"
    return words
