"""The words of a command line: errors in one line, truth values as MultEval takes them, files that are written."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, NoReturn

from mteval.base.characters import visible
from mteval.base.errors import MtevalError, SettingsError, shortened

EXIT_BAD_INPUT = 2
STANDARD_OUTPUT = Path("-")
_TRUTH = {"true": True, "false": False}


class Help(argparse.HelpFormatter):
    """Help in which lines that begin with a space stay as they are, as examples do."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._action_max_length = 18  # the longest name of a command, which else has a line to itself

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        filled = super()._fill_text
        return "\n".join(line if line[:1] == " " else filled(line, width, indent) for line in text.splitlines())


class Terminal:
    """Standard output that somebody reads: control characters, which a name may hold, are seen and do nothing."""

    def __init__(self, output: IO[str]) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Write a text as people may see it."""
        return self._output.write(visible(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)


def tell(text: object) -> None:
    """Say something in a line on standard error."""
    print(f"mteval: {visible(str(text))}", file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line: with a hundred options the usage would hide them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": Help, **options})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave."""
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}; '{self.prog} --help' lists all options\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version, which argparse would lose in silence where the device is full."""
        (file or sys.stderr).write(message)
        (file or sys.stderr).flush()

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Say which words are no options of this command, which option may be meant, and leave."""
        near = get_close_matches(words[0].partition("=")[0], self._option_string_actions, n=1)
        hint = f" (perhaps {near[0]})" if near and words[0].startswith("--") else ""
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")


class Once(argparse.Action):
    """Takes files, and refuses to let a second list of them replace the first in silence."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Keep the files under the option's name."""
        if getattr(namespace, self.dest):
            parser.error(f"{option} stands twice; name all its files after it once")
        setattr(namespace, self.dest, values)


class Named(argparse.Action):
    """Gathers files by the name that stands before them: ``--system NAME FILE FILE``."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Keep the files under the name; a name without files, and a second list of one name, are refused."""
        name, *files = values
        known = getattr(namespace, self.dest) or {}
        if not files:
            parser.error(f"{option} {name} has no file; expected a name and then a file for each run")
        if name in known:
            parser.error(f"{option} {name} stands twice; name all its files after it once")
        setattr(namespace, self.dest, known | {name: [Path(file) for file in files]})


def examples(*lines: str) -> str:
    """Command lines for the end of a command's help."""
    return "\n".join(("example:" if len(lines) == 1 else "examples:", *(f"  mteval {line}" for line in lines)))


def truth(word: str) -> bool:
    """``true`` or ``false``, in any case."""
    if word.lower() not in _TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, found '{word}'")
    return _TRUTH[word.lower()]


def refuse(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect.

    Raises
    ------
    SettingsError
        Where one of the names has a value.
    """
    for name in names:
        if getattr(options, name):
            raise SettingsError(f"--{name.replace('_', '-')} {why}.")


def add_truth(group: argparse._ActionsContainer, name: str, help_text: str) -> None:
    """An option that is false where it is absent, true where it stands alone, else what the word after it says."""
    more: Any = {"nargs": "?", "type": truth, "const": True, "default": False, "metavar": "true|false"}
    group.add_argument(name, help=f"{help_text} (default: false)", **more)


def add_files(group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE", **more: Any) -> None:
    """An option for one or more files, which stands once; its value is an empty list where it is absent."""
    group.add_argument(name, nargs="+", action=Once, type=Path, default=[], metavar=metavar, help=text, **more)


def _path(word: str) -> Path:
    """The path that a word names, where the system can have one of that name."""
    path = Path(word)
    try:
        path.exists()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise argparse.ArgumentTypeError(f"{shortened(word)} cannot be written: {why}; choose another name") from error
    return path


def file_to_write(word: str) -> Path:
    """The path of a file that can be written, as far as is known before the work is done, or ``-``."""
    path = _path(word)
    if path == STANDARD_OUTPUT:
        return path
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a directory and cannot be written as a file; name a file in it")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(
            f"{path} cannot be written: there is no directory {path.parent}; make it, or name a file elsewhere"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path} cannot be written: permission denied; name a file elsewhere")
    return path


def directory_to_write(word: str) -> Path:
    """The path of a directory in which files can be written, which need not be there yet."""
    path = _path(word)
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not there.is_dir():
        raise argparse.ArgumentTypeError(f"the directory {path} cannot be made: {there} is a file; name another")
    if not os.access(there, os.W_OK):
        raise argparse.ArgumentTypeError(
            f"nothing can be written in {there}: permission denied; name another directory"
        )
    return path


def place_to_write(word: str) -> Path:
    """The path of a folder in which files can be written, or of an archive if it ends in ``.zip``."""
    return file_to_write(word) if word.endswith(".zip") else directory_to_write(word)


@contextmanager
def opened(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file to write, text in UTF-8 with line feeds or ``wb`` bytes; where it cannot be written whole there is none.

    Raises
    ------
    MtevalError
        Where it cannot be written.
    """
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    is_ours = False
    try:
        with path.open(mode, encoding=encoding, newline=newline) as file:
            is_ours = True
            yield file
    except OSError as error:
        if is_ours and path.is_file():  # a device stays
            path.unlink(missing_ok=True)
        raise MtevalError(
            f"{path} cannot be written: {error.strerror}. Name a file in a directory that exists and has room."
        ) from error


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files, with the directories that they are in, and print their paths.

    Raises
    ------
    MtevalError
        Where one cannot be written.
    """
    for path, content in files.items():
        made_directory(path.parent)
        with opened(path, "wb") as file:
            file.write(content)
        print(path)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file, or ``-`` on standard output, a line feed after each line.

    Raises
    ------
    MtevalError
        Where it cannot be written.
    """
    with nullcontext(sys.stdout) if path == STANDARD_OUTPUT else opened(path) as file:
        file.writelines(f"{line}\n" for line in lines)


def made_directory(path: Path) -> Path:
    """The directory, made where it is absent.

    Raises
    ------
    MtevalError
        Where it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MtevalError(f"The directory {path} cannot be made: {error.strerror}. Name another.") from error
    return path
