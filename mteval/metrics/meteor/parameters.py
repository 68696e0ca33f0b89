"""METEOR's tuned parameters: which task and language have which modules, module weights and score parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mteval.base.errors import SettingsError
from mteval.base.words import counted

Module = Literal["exact", "stem", "synonym", "paraphrase"]
MODULES: tuple[Module, ...] = ("exact", "stem", "synonym", "paraphrase")

LANGUAGES: Mapping[str, str] = {
    "en": "english",
    "cz": "czech",
    "fr": "french",
    "es": "spanish",
    "de": "german",
    "ru": "russian",
    "da": "danish",
    "fi": "finnish",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "se": "swedish",
    "tr": "turkish",
    "other": "other",
}
TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")

_MODULES_OF: Mapping[str, tuple[Module, ...]] = {
    "en": MODULES,
    **dict.fromkeys(("fr", "es", "de", "ru"), ("exact", "stem", "paraphrase")),
    "cz": ("exact", "paraphrase"),
    **dict.fromkeys(("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "se", "tr"), ("exact", "stem")),
    "other": ("exact",),
}


@dataclass(frozen=True)
class Parameters:
    """What the score is computed with.

    Parameters
    ----------
    alpha
        Share of recall in the mean of precision and recall.
    beta, gamma
        Exponent and weight of the fragmentation penalty.
    delta
        Weight of a content word against that of a function word, which is ``1 - delta``.
    weights
        Weight of a match by its module; the modules that are not here do not match.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[Module, float]

    @property
    def slots(self) -> tuple[float, ...]:
        """Weight of each of the four modules, 0 for those that do not match."""
        return tuple(self.weights.get(module, 0.0) for module in MODULES)


def _tuned(numbers: str, **weights: float) -> Parameters:
    alpha, beta, gamma, delta = map(float, numbers.split())
    return Parameters(alpha, beta, gamma, delta, {module: weights[module] for module in MODULES if module in weights})


# Denkowski and Lavie's tuned values, as METEOR 1.5 has them.
_TUNED: Mapping[tuple[str, str], Parameters] = {
    ("rank", "en"): _tuned(".85 .2 .6 .75", exact=1, stem=0.6, synonym=0.8, paraphrase=0.6),
    ("rank", "cz"): _tuned(".95 .2 .6 .8", exact=1, paraphrase=0.4),
    ("rank", "fr"): _tuned(".9 1.4 .6 .65", exact=1, stem=0.2, paraphrase=0.4),
    ("rank", "es"): _tuned(".65 1.3 .5 .8", exact=1, stem=0.8, paraphrase=0.6),
    ("rank", "de"): _tuned(".95 1 .55 .55", exact=1, stem=0.8, paraphrase=0.2),
    ("rank", "ru"): _tuned(".75 1.4 .7 .5", exact=1, stem=0.5, paraphrase=0.5),
    ("adq", "en"): _tuned(".75 1.4 .45 .7", exact=1, stem=1, synonym=0.6, paraphrase=0.8),
    ("hter", "en"): _tuned(".4 1.5 .35 .55", exact=1, stem=0.2, synonym=0.6, paraphrase=0.8),
    ("util", "en"): _tuned(".65 .1 .55 .65", exact=1, stem=0, synonym=0, paraphrase=0.8),
}
_ANY_LANGUAGE = {"li": ".75 1.4 .7 .5", "tune": ".5 1 .5 .5"}


def tuned_parameters(task: str, language: str) -> Parameters:
    """The parameters of a task for a language.

    Raises
    ------
    SettingsError
        Where METEOR has none for this pair: it would score everything 0.
    """
    if task == "universal":
        return _tuned(".7 1.4 .3 .7", exact=1, paraphrase=0.6)
    if task in _ANY_LANGUAGE:
        weights = {module: 1.0 if module == "exact" else 0.5 for module in _MODULES_OF[language]}
        return _tuned(_ANY_LANGUAGE[task], **weights)
    if (task, language) not in _TUNED:
        known = ", ".join(known_language for known_task, known_language in _TUNED if known_task == task)
        raise SettingsError(
            f"METEOR has no parameters for task '{task}' and language '{language}'; '{task}' is there for {known}."
            " Choose the task 'li', which is meant for any language."
        )
    return _TUNED[task, language]


def chosen_parameters(
    tuned: Parameters,
    modules: Sequence[Module] | None,
    weights: Sequence[float] | None,
    numbers: Sequence[float] | None,
) -> Parameters:
    """The tuned parameters with the user's choices over them.

    Raises
    ------
    SettingsError
        On modules without weights, weights that are not one a module, or not four numbers.
    """
    names = tuple(tuned.weights) if modules is None else tuple(modules)
    unknown = [name for name in names if name not in MODULES]
    if unknown or len(set(names)) != len(names) or not names:
        raise SettingsError(f"METEOR: the modules are '{' '.join(names)}'; expected some of: {', '.join(MODULES)}.")
    if weights is None:
        missing = [name for name in names if name not in tuned.weights]
        if missing:
            raise SettingsError(
                f"METEOR: the task has no weight for module '{missing[0]}'; give 'weights', one for each of the modules"
                f" {', '.join(names)}."
            )
        weights = [tuned.weights[name] for name in names]
    if len(weights) != len(names):
        raise SettingsError(
            f"METEOR: {counted(len(weights), 'weight')} for {counted(len(names), 'module')}; give one for each of"
            f" {', '.join(names)}."
        )
    by_module = dict(zip(names, map(float, weights), strict=True))
    if numbers is None:
        numbers = (tuned.alpha, tuned.beta, tuned.gamma, tuned.delta)
    if len(numbers) != 4:
        raise SettingsError(f"METEOR: {counted(len(numbers), 'parameter')}; expected four: alpha, beta, gamma, delta.")
    alpha, beta, gamma, delta = map(float, numbers)
    return Parameters(alpha, beta, gamma, delta, {name: by_module[name] for name in MODULES if name in by_module})
