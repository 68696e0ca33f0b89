"""METEOR's tuned parameters, and its data files as the package ``pycocoevalcap`` (METEOR 1.5) ships them."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal

from mteval.base.errors import InputError, MissingDependencyError, SettingsError
from mteval.base.installing import how_to_install
from mteval.base.words import counted

Module = Literal["exact", "stem", "synonym", "paraphrase"]
MODULES: tuple[Module, ...] = ("exact", "stem", "synonym", "paraphrase")


def _fields() -> tuple[str, ...]:
    """Return the names of the 23 statistics in METEOR's order."""
    fields = ["hypothesis_length", "reference_length", "hypothesis_function_words", "reference_function_words"]
    for module in MODULES:
        for kind in ("content", "function"):
            fields += [f"{module}_hypothesis_{kind}", f"{module}_reference_{kind}"]
    return (*fields, "chunks", "hypothesis_matches", "reference_matches")


FIELDS = _fields()

Level = Literal["none", "lowercase", "tokenize", "no-punctuation"]
LEVELS: tuple[Level, ...] = ("none", "lowercase", "tokenize", "no-punctuation")
# Languages that METEOR has a tokenizer for, and the others
_TOKENIZED = {
    "en": "english",
    "cz": "czech",
    "fr": "french",
    "es": "spanish",
    "de": "german",
    "ru": "russian",
}
_SPLIT = {
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
}
TOKENIZED_LANGUAGES = tuple(_TOKENIZED)
LANGUAGES: Mapping[str, str] = {**_TOKENIZED, **_SPLIT, "other": "other"}
TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")

_MODULES_OF: Mapping[str, tuple[Module, ...]] = {
    "en": MODULES,
    **dict.fromkeys(("fr", "es", "de", "ru"), ("exact", "stem", "paraphrase")),
    "cz": ("exact", "paraphrase"),
    **dict.fromkeys(_SPLIT, ("exact", "stem")),
    "other": ("exact",),
}


@dataclass(frozen=True)
class Parameters:
    """Parameters of the score.

    Parameters
    ----------
    alpha
        Weight of recall in the mean of precision and recall.
    beta, gamma
        Exponent and weight of the fragmentation penalty.
    delta
        Weight of a content word; a function word weighs ``1 - delta``.
    weights
        Weight of a match by module; other modules do not match.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[Module, float]

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Alpha, beta, gamma and delta."""
        return self.alpha, self.beta, self.gamma, self.delta

    @property
    def slots(self) -> tuple[float, ...]:
        """Weight of each of the four modules, 0 for those that do not match."""
        return tuple(self.weights.get(module, 0.0) for module in MODULES)


def _tuned(numbers: str, **weights: float) -> Parameters:
    """Return parameters; the numbers are alpha, beta, gamma and delta."""
    return _parameters(map(float, numbers.split()), weights)


def _parameters(numbers: Iterable[float], weights: Mapping[str, float]) -> Parameters:
    """Return parameters with the weights in the order of ``MODULES``."""
    alpha, beta, gamma, delta = numbers
    in_order = {module: weights[module] for module in MODULES if module in weights}
    return Parameters(alpha, beta, gamma, delta, in_order)


# Denkowski and Lavie's tuned values (METEOR 1.5).
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
    """Return the parameters of a task for a language.

    Raises
    ------
    SettingsError
        If METEOR has none for this pair: it would score everything 0.
    """
    if task == "universal":
        return _tuned(".7 1.4 .3 .7", exact=1, paraphrase=0.6)
    if task in _ANY_LANGUAGE:
        weights: dict[str, float] = dict.fromkeys(_MODULES_OF[language], 0.5)
        weights["exact"] = 1.0
        return _tuned(_ANY_LANGUAGE[task], **weights)
    if (task, language) not in _TUNED:
        known = ", ".join(known_language for known_task, known_language in _TUNED if known_task == task)
        message = f"METEOR has no parameters for task '{task}' in language '{language}', only in {known}."
        raise SettingsError(f"{message} Choose the task 'li', which suits any language.")
    return _TUNED[task, language]


def chosen_parameters(
    tuned: Parameters,
    modules: Sequence[Module] | None,
    weights: Sequence[float] | None,
    numbers: Sequence[float] | None,
) -> Parameters:
    """Return the tuned parameters, overridden by the user's choices.

    Raises
    ------
    SettingsError
        If modules lack weights, weights and modules differ in number, or there are not four numbers.
    """
    names = tuple(tuned.weights) if modules is None else tuple(modules)
    if not names or len(set(names)) != len(names) or not set(names) <= set(MODULES):
        raise SettingsError(f"METEOR: 'modules' is '{' '.join(names)}'; expected some of: {', '.join(MODULES)}.")
    if weights is None:
        missing = [name for name in names if name not in tuned.weights]
        if missing:
            remedy = f"Set 'weights' for {', '.join(names)}."
            raise SettingsError(f"METEOR: the task has no weight for module '{missing[0]}'. {remedy}")
        weights = [tuned.weights[name] for name in names]
    if len(weights) != len(names):
        message = f"METEOR: {counted(len(weights), 'weight')} for {counted(len(names), 'module')};"
        raise SettingsError(f"{message} expected one each for {', '.join(names)}.")
    if numbers is None:
        numbers = tuned.numbers
    if len(numbers) != 4:
        raise SettingsError(f"METEOR: {counted(len(numbers), 'parameter')}; expected four: alpha, beta, gamma, delta.")
    weight_of: dict[str, float] = {name: float(weight) for name, weight in zip(names, weights, strict=True)}
    return _parameters(map(float, numbers), weight_of)


Identity = tuple[Path, int, int]  # of a file until someone writes to it

_PACKAGE = "pycocoevalcap"
_INSTALL = f"They have 104 MB. {how_to_install('meteor')}"


def packaged_paraphrases(language: str) -> Path:
    """Return the paraphrase table that comes with the package.

    Raises
    ------
    MissingDependencyError
        If there is none: the package has only the English one.
    """
    path = _packaged(f"meteor/data/paraphrase-{language}.gz", must_exist=language == "en")
    if not path.is_file():
        raise MissingDependencyError(
            f"No package has METEOR's paraphrase table for '{language}'. Set 'paraphrase_file'"
            f" (paraphrase-{language}.gz from METEOR's own download) or 'modules' without paraphrase."
        )
    return path


def read_packaged(member: str) -> str:
    """Read a file of METEOR's archive, e.g. ``function/english.words``.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    with zipfile.ZipFile(_packaged("meteor/meteor-1.5.jar")) as archive:
        return archive.read(member).decode("utf-8")


def function_words() -> frozenset[str]:
    """Return the frequent English words, which count less in every language, in lower case."""
    return frozenset(read_packaged("function/english.words").split())


def synonym_files(folder: Path, language: str) -> tuple[Path, Path]:
    """Return the files of a folder with a language's synonym sets and irregular forms, as METEOR names them.

    Raises
    ------
    SettingsError
        If one does not exist.
    """
    name = LANGUAGES[language]
    files = folder / f"{name}.synsets", folder / f"{name}.exceptions"
    for file in files:
        if not file.is_file():
            raise SettingsError(
                f"METEOR: 'synonym_directory' is '{folder}', which has no file {file.name}. METEOR reads {name}.synsets"
                f" and {name}.exceptions there. Check the path."
            )
    return files


def identity_of(file: Path) -> Identity:
    """Return path, size and modification time, which identify a file's content.

    Raises
    ------
    InputError
        If the file does not exist.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise InputError(f"METEOR cannot read this file: {error.strerror}. Check the path.", str(file)) from error
    return file, status.st_size, status.st_mtime_ns


def _packaged(name: str, must_exist: bool = True) -> Path:
    """Return where the package has a file, or would have it."""
    try:
        place = distribution(_PACKAGE).locate_file(f"{_PACKAGE}/{name}")
    except PackageNotFoundError:
        raise MissingDependencyError(f"METEOR's data are not installed. {_INSTALL}") from None
    path = Path(str(place))
    if must_exist and not path.is_file():
        raise MissingDependencyError(f"The installed {_PACKAGE} has no '{path.name}'. {_INSTALL}")
    return path
