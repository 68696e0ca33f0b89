"""WordNet's synonym sets as METEOR reads them: raw offsets, not separated by part of speech."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mteval.metrics.meteor.data import Identity, identity_of, read_synonyms, synonym_files

# WordNet's rules of detachment: those of nouns, verbs, adjectives. The part of speech is not asked for, the first hit
# wins; a rule that stands with two of them is tried once.
_SUFFIXES = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


@dataclass(frozen=True)
class Synonyms:
    """The synonym sets of words.

    Parameters
    ----------
    synsets
        For each word the numbers of its sets, separated by spaces.
    exceptions
        For each irregular form its base forms.
    """

    synsets: Mapping[str, str]
    exceptions: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, synsets: str, exceptions: str) -> "Synonyms":
        """Read the two files: lines come in pairs, word and sets, base form and irregular forms."""
        lines = synsets.split("\n")
        irregular: dict[str, list[str]] = {}
        pairs = exceptions.split("\n")
        for base, forms in zip(pairs[::2], pairs[1::2], strict=False):
            for form in forms.split():
                irregular.setdefault(form, []).append(base)
        return cls(dict(zip(lines[::2], lines[1::2], strict=False)), irregular)

    def sets_of(self, word: str) -> frozenset[int]:
        """Numbers of the sets of a word and of its base forms."""
        numbers = (self.synsets.get(form, "").split() for form in (word, *self._bases(word)))
        return frozenset(int(number) for several in numbers for number in several)

    def _bases(self, word: str) -> Sequence[str]:
        if word in self.exceptions:
            return self.exceptions[word]
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for suffix, ending in _SUFFIXES:
            if word.endswith(suffix):
                base = word.removesuffix(suffix) + ending
                if base in self.synsets:
                    return (base,)
        return ()


def synonyms_of(language: str, directory: Path | None) -> Synonyms:
    """The synonyms of a language, from a folder of the user's or METEOR's data; read again when the files change.

    Raises
    ------
    MissingDependencyError
        Where files are missing.
    """
    files = synonym_files(language, directory)
    return _read(language, directory, tuple(map(identity_of, files)))


@lru_cache(maxsize=2)
def _read(language: str, directory: Path | None, _: tuple[Identity, ...]) -> Synonyms:
    return Synonyms.of(*read_synonyms(language, directory))
