"""METEOR's data files, read in place from the package ``pycocoevalcap``, which carries METEOR 1.5."""

import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from mteval.base.errors import InputError, MissingDependencyError, SettingsError
from mteval.metrics.meteor.parameters import LANGUAGES

Identity = tuple[Path, int, int]  # of a file, as long as nobody writes to it

_PACKAGE = "pycocoevalcap"
_ARCHIVE = "meteor/meteor-1.5.jar"
_INSTALL = "Install METEOR's data with: pip install 'mteval-dashboard[meteor]' (104 MB)."


def packaged_paraphrases(language: str) -> Path:
    """The paraphrase table that comes with the package.

    Raises
    ------
    MissingDependencyError
        Where there is none: the package carries the English one.
    """
    path = _packaged(f"meteor/data/paraphrase-{language}.gz", must_exist=language == "en")
    if not path.is_file():
        raise MissingDependencyError(
            f"METEOR's paraphrase table for '{language}' comes with no package. Give 'paraphrase_file' (METEOR's own"
            f" download has paraphrase-{language}.gz), or 'modules' without paraphrase."
        )
    return path


def read_packaged(member: str) -> str:
    """A file of METEOR's archive, such as ``function/english.words``.

    Raises
    ------
    MissingDependencyError
        Where the package is not installed.
    """
    with zipfile.ZipFile(_packaged(_ARCHIVE)) as archive:
        return archive.read(member).decode("utf-8")


def function_words(language: str) -> frozenset[str]:
    """The frequent words that count less, in lower case."""
    return frozenset(read_packaged(f"function/{LANGUAGES[language]}.words").split())


def synonym_files(language: str, directory: Path | None) -> tuple[Path, ...]:
    """The files that ``read_synonyms`` reads: two in a folder of the user's, or METEOR's archive.

    Raises
    ------
    MissingDependencyError
        Where the package has none: it carries the English ones.
    SettingsError
        Where the folder lacks a file.
    """
    if directory is None:
        if language != "en":
            raise MissingDependencyError(
                f"METEOR's synonyms for '{language}' come with no package. Give 'synonym_directory', or 'modules'"
                " without synonym."
            )
        return (_packaged(_ARCHIVE),)
    files = tuple(directory / name for name in _synonym_names(language))
    for file in files:
        if not file.is_file():
            raise SettingsError(
                f"METEOR: 'synonym_directory' is '{directory}', which has no file '{file.name}'; name a folder with"
                f" {' and '.join(_synonym_names(language))}."
            )
    return files


def read_synonyms(language: str, directory: Path | None) -> tuple[str, str]:
    """The texts of synonym sets and of irregular forms.

    Raises
    ------
    MissingDependencyError, SettingsError
        As ``synonym_files``.
    """
    files = synonym_files(language, directory)
    if directory is None:
        synsets, exceptions = (read_packaged(f"synonym/{name}") for name in _synonym_names(language))
    else:
        synsets, exceptions = (file.read_text(encoding="utf-8") for file in files)
    return synsets, exceptions


def _synonym_names(language: str) -> tuple[str, str]:
    return f"{LANGUAGES[language]}.synsets", f"{LANGUAGES[language]}.exceptions"


def identity_of(file: Path) -> Identity:
    """Path, size and time of the last change: what is known of the content need not be found out again.

    Raises
    ------
    InputError
        Where there is no such file.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise InputError(f"METEOR cannot read it: {error.strerror}. Name a file that exists.", str(file)) from error
    return file, status.st_size, status.st_mtime_ns


def _packaged(name: str, must_exist: bool = True) -> Path:
    try:
        path = Path(str(distribution(_PACKAGE).locate_file(f"{_PACKAGE}/{name}")))
    except PackageNotFoundError:
        raise MissingDependencyError(f"METEOR needs data that are not installed. {_INSTALL}") from None
    if must_exist and not path.is_file():
        raise MissingDependencyError(f"METEOR's data lack '{path.name}' in the installed {_PACKAGE}. {_INSTALL}")
    return path
