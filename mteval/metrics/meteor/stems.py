"""Snowball stems as METEOR's own stemmers give them."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from mteval.errors import MissingDependencyError
from mteval.metrics.meteor.parameters import LANGUAGES

_INSTALL = "Install it with: pip install 'mteval-dashboard[meteor]', or 'snowballstemmer==2.2.0'."


def stemmer_of(language: str) -> Callable[[str], str]:
    """The function from a word to its stem.

    Release 2 of ``snowballstemmer`` gives METEOR 1.5's stems for all English words, and for es it nl se no ru ro tr;
    for fr de pt da hu fi its rules are younger than METEOR's, so that some stems differ. From release 3 on English
    differs. The language's module is called by its name: the package's own entry point would prefer another package.

    Raises
    ------
    MissingDependencyError
        Where the package is missing or of another release.
    """
    try:
        installed = version("snowballstemmer")
    except PackageNotFoundError:
        raise MissingDependencyError(f"METEOR's stems need the package snowballstemmer 2. {_INSTALL}") from None
    if not installed.startswith("2."):
        raise MissingDependencyError(
            f"METEOR's stems need release 2 of snowballstemmer, found {installed}, which stems otherwise. {_INSTALL}"
        )
    name = LANGUAGES[language]
    module = import_module(f"snowballstemmer.{name}_stemmer")
    stem: Callable[[str], str] = getattr(module, f"{name.capitalize()}Stemmer")().stemWord
    return stem
