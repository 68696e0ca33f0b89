"""Parsing, messages and output files of the command line."""

import argparse
import math
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, NoReturn

from mteval.base.errors import MtevalError, SettingsError, shortened
from mteval.base.words import composed, counted, visible, wrapped

EXIT_BAD_INPUT = 2
STANDARD_OUTPUT = Path("-")
_TRUTH = {"true": True, "false": False}


class Help(argparse.HelpFormatter):
    """Help formatter that leaves lines beginning with a space unchanged, e.g. examples."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._action_max_length = 18  # else the longest command name takes a line of its own

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        """Write several values as ``FILE…`` instead of ``FILE [FILE ...]``."""
        if action.nargs not in ("+", "*"):
            return super()._format_args(action, default_metavar)
        names = " ".join(self._metavar_formatter(action, default_metavar)(1)) + "…"
        if action.nargs == "*":
            return f"[{names}]"
        return names

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap each line on its own, but not those that begin with a space."""
        lines = []
        for line in text.splitlines():
            lines.append(line if line.startswith(" ") else super()._fill_text(line, width, indent))
        return "\n".join(lines)


def say(*lines: object, file: IO[str] | None = None) -> None:
    """Print lines for people, by default on standard output. Control characters, e.g. of names, become visible.

    On a terminal, sentences are wrapped between words. The stream itself is never replaced: libraries write their own
    codes to it, also when Python exits.
    """
    output = file or sys.stdout
    width = shutil.get_terminal_size().columns if output.isatty() else 0
    for line in lines:
        shown = _shown(visible(str(line), line_ends=True))
        output.writelines(f"{piece}\n" for piece in wrapped(shown, width))


def _shown(text: str) -> str:
    """Return a text that every stream takes: bytes of file names that are not UTF-8 become ``\\xff``."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a surrogate pair that is not from a file name
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


def tell(text: object) -> None:
    """Print a line on stderr."""
    say(f"mteval: {text}", file=sys.stderr)
    sys.stderr.flush()


class _Value(str):
    """A word of the command line that is a value even if it looks like an option."""

    __slots__ = ()


class Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, without the usage.

    Names and files may begin with a dash (``--system -2+3 -x.txt``), unless they look like an option: one of this
    parser, or any with two dashes. Such a value follows an equals sign: ``--system=--quiet a.txt b.txt``.
    """

    def __init__(self, *args: Any, add_help: bool = True, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": Help, "add_help": False, **options})
        if add_help:
            self.add_argument("-h", "--help", action="help", help="show this help")

    def error(self, message: str) -> NoReturn:
        """Print the error and exit."""
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}. See '{self.prog} --help'.\n")

    def add_flag(self, flag: str, option: str) -> None:
        """Let a flag stand for an option in command lines, but not in help."""
        self._option_string_actions[flag] = self._option_string_actions[option]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, and read ``--option=FIRST SECOND …`` as ``--option FIRST SECOND …``."""
        words: list[str] = []
        for word in sys.argv[1:] if args is None else args:
            words += self._parts(word)
        return super().parse_known_args(words, namespace)

    def _parts(self, word: str) -> list[str]:
        """Split an option that takes several values from the first of them; return other words as they are.

        Options of metrics may be written with dashes, too: ``--bleu.max-order``.
        """
        option, equals, value = word.partition("=")
        metric, point, name = option.partition(".")
        with_capitals = metric + point + re.sub(r"[-_](\w)", lambda match: match[1].upper(), name)
        if point and with_capitals in self._option_string_actions:
            option = with_capitals
            word = option + equals + value
        action = self._option_string_actions.get(option)
        if equals and action is not None and action.nargs in ("+", "*"):
            return [option, _Value(value)]
        return [word]

    def _parse_optional(self, arg_string: str) -> Any:
        """Return None for a value, as argparse does itself for negative numbers."""
        if isinstance(arg_string, _Value) or not self._looks_like_option(arg_string):
            return None
        return super()._parse_optional(arg_string)

    def _looks_like_option(self, word: str) -> bool:
        """Tell whether a word is an option of this parser, a slip for one, or has two dashes."""
        if word.startswith("--"):
            return True
        if not word.startswith("-"):
            return False
        option = word.partition("=")[0]
        is_option = option in self._option_string_actions
        is_slip = f"-{option}" in self._option_string_actions  # -metrics for --metrics
        actions = [self._option_string_actions.get(f"-{letter}") for letter in word[1:]]
        are_flags = all(action is not None and action.nargs == 0 for action in actions)  # -vh for -v -h
        return is_option or is_slip or are_flags

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        """Count the values of an option; if an option follows instead, say how to pass its name as a value."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError as error:
            if action.option_strings and arg_strings_pattern.startswith("O"):
                error.message += f"; a value that looks like an option needs '=': {action.option_strings[-1]}=VALUE"
            raise

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, version and errors, which may quote the user; argparse would ignore a full device."""
        output = file or sys.stderr
        output.write(_shown(visible(message)))
        output.flush()

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Report unknown options, suggest the closest one, and exit."""
        hint = ""
        closest = get_close_matches(words[0].partition("=")[0], self._option_string_actions, n=1)
        if closest and words[0].startswith("-"):
            hint = f" (did you mean {closest[0]}?)"
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")


class Once(argparse.Action):
    """Accept a list of files only once, so that a second list never replaces the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the files."""
        if getattr(namespace, self.dest):
            parser.error(f"{option} is given twice; list all its files after one {option}")
        setattr(namespace, self.dest, values)


class Named(argparse.Action):
    """Collect files by name: ``--system NAME FILE FILE``."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the files under their name; reject a name without files or given twice."""
        name, *files = values
        name = composed(name)
        known = getattr(namespace, self.dest) or {}
        if not files:
            parser.error(f"{option} {name} has no files; list one file per run after the name")
        if name in known:
            parser.error(f"{option} {name} is given twice; list all its files after one {option} {name}")
        setattr(namespace, self.dest, known | {name: [Path(file) for file in files]})


def examples(*lines: str) -> str:
    """Return example command lines for the end of a help text."""
    title = "example:" if len(lines) == 1 else "examples:"
    return "\n".join([title, *(f"  mteval {line}" for line in lines)])


def truth(word: str) -> bool:
    """Parse ``true`` or ``false``, in any case."""
    if word.lower() not in _TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, found '{word}'")
    return _TRUTH[word.lower()]


def number(word: str) -> float:
    """Parse a finite number."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a number such as 0.5, found '{word}'")
    return value


def refuse(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Raise ``SettingsError`` if one of these options, which would have no effect, is given."""
    for name in names:
        if getattr(options, name):
            raise SettingsError(f"--{name.replace('_', '-')} {reason}.")


def add_truth(group: argparse._ActionsContainer, name: str, help_text: str) -> None:
    """Add an option that is false if absent, true if alone, or takes ``true`` or ``false``."""
    group.add_argument(name, nargs="?", type=truth, const=True, default=False, metavar="true|false", help=help_text)


def add_files(group: argparse._ActionsContainer, name: str, text: str, metavar: str = "FILE", **more: Any) -> None:
    """Add an option for one or more files; its value is empty if the option is absent."""
    group.add_argument(name, nargs="+", action=Once, type=Path, default=[], metavar=metavar, help=text, **more)


@dataclass
class _Kept:
    """Files that the running command reads, has written, and will write.

    Parameters
    ----------
    inputs, written
        By their number in the file system.
    outputs
        What the options name to write.
    """

    inputs: dict[tuple[int, int], Path] = field(default_factory=dict)
    written: set[tuple[int, int]] = field(default_factory=set)
    outputs: tuple[Path, ...] = ()


_kept: ContextVar[_Kept | None] = ContextVar("kept", default=None)


@contextmanager
def inputs_kept(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Iterator[None]:
    """Refuse to write over files that the options name as inputs, and over those that ``keep_inputs`` adds.

    Raises
    ------
    SettingsError
        If a file to write is one of them, or two options name one file to write, before anything is read or written.
    """
    _refuse_shared_outputs(options, parser)
    dests_to_write = {action.dest for action in _actions(parser) if action.type in _TO_WRITE}
    inputs: list[Path] = []
    outputs: list[Path] = []
    for dest, value in vars(options).items():
        paths = outputs if dest in dests_to_write else inputs
        paths.extend(_paths_in(value))
    token = _kept.set(_Kept(outputs=tuple(outputs)))
    try:
        keep_inputs(inputs)
        yield
    finally:
        _kept.reset(token)


def _refuse_shared_outputs(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Check that no two options name one file to write; two may name one folder.

    Raises
    ------
    SettingsError
        If two do.
    """
    action_of_place: dict[object, argparse.Action] = {}
    for action in _actions(parser):
        path = getattr(options, action.dest, None)
        if action.type not in _TO_WRITE or not isinstance(path, Path) or path == STANDARD_OUTPUT or _is_device(path):
            continue
        place = _key_of_file(path) or os.path.realpath(path)
        first = action_of_place.setdefault(place, action)
        if first.dest == action.dest or first.type == action.type == directory_to_write:
            continue
        names = " and ".join((former.option_strings or [former.dest])[-1] for former in (first, action))
        raise SettingsError(f"{names} both write {path}. Nothing was written. Name two files.")


def _is_device(path: Path) -> bool:
    """Return whether a path is neither a file nor a folder, e.g. ``/dev/null``, which outputs may share."""
    return path.exists() and not path.is_file() and not path.is_dir()


def refuse_outputs(paths: Iterable[Path]) -> None:
    """Check that no option names one of these files to write, which the command keeps by itself.

    Raises
    ------
    SettingsError
        If one does.
    """
    kept = _kept.get()
    if kept is None:
        return
    places = {_key_of_file(path) or os.path.realpath(path) for path in paths}
    for output in kept.outputs:
        if (_key_of_file(output) or os.path.realpath(output)) in places:
            reason = "this command keeps another file there"
            raise SettingsError(f"Cannot write {output}: {reason}. Nothing was written. Name another file.")


def keep_inputs(paths: Iterable[Path]) -> None:
    """Refuse to write over these files from now on; folders and what does not exist are ignored.

    Raises
    ------
    SettingsError
        If the options name one of them as a file to write.
    """
    kept = _kept.get()
    if kept is None:
        return
    for path in paths:
        key = _key_of_file(path)
        if key is not None:
            kept.inputs[key] = path
    refuse_inputs(kept.outputs)


def refuse_inputs(paths: Iterable[Path]) -> None:
    """Check that none of the files to write is an input, under this name or another, e.g. of a link.

    Raises
    ------
    SettingsError
        If one is.
    """
    kept = _kept.get()
    if kept is None:
        return
    for path in paths:
        key = _key_of_file(path)
        if key in kept.inputs:
            input_path = kept.inputs[key]
            reason = "this command reads it"
            if input_path.absolute() != path.absolute():
                reason += f" as {input_path}"
            raise SettingsError(f"Cannot write {path}: {reason}. Nothing was written. Name another file.")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options of a parser and of those for its actions."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)


def _paths_in(value: object) -> Iterator[Path]:
    """Yield the paths in the value of an option."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths_in(item)
    elif isinstance(value, dict):
        yield from _paths_in(list(value.values()))


def _key_of_file(path: Path) -> tuple[int, int] | None:
    """Return what is the same for all names of a file; None if there is none, or it is no ordinary file."""
    if path == STANDARD_OUTPUT:
        return None
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def _path(word: str) -> Path:
    """Return the path, if the file system accepts its name."""
    path = Path(word)
    try:
        path.exists()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise argparse.ArgumentTypeError(f"cannot write {shortened(word)}: {reason}") from error
    return path


def file_to_write(word: str) -> Path:
    """Return the path of a file that seems writable, or ``-``."""
    path = _path(word)
    if path == STANDARD_OUTPUT:
        return path
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write {path}: it is a folder. Name a file in it")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write {path}: folder {path.parent} does not exist")
    changed = path if path.exists() else path.parent
    if not os.access(changed, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write {path}: permission denied")
    return path


def directory_to_write(word: str) -> Path:
    """Return the path of a folder that is or can be made writable."""
    path = _path(word)
    existing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not existing.is_dir():
        raise argparse.ArgumentTypeError(f"cannot create folder {path}: {existing} is a file")
    if not os.access(existing, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write to folder {existing}: permission denied")
    return path


def place_to_write(word: str) -> Path:
    """Return the path of a writable folder, or of a file if it ends in ``.zip``."""
    if word.endswith(".zip"):
        return file_to_write(word)
    return directory_to_write(word)


_TO_WRITE = (file_to_write, directory_to_write, place_to_write)


@contextmanager
def opened(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file to write (UTF-8 text, or bytes with mode ``wb``), and remove it if writing fails.

    Raises
    ------
    MtevalError
        If it cannot be written, or the running command reads it or has written it.
    """
    refuse_inputs([path])
    if mode != "a":
        _refuse_written(path)
    is_binary = "b" in mode
    encoding = None if is_binary else "utf-8"
    newline = None if is_binary else "\n"
    is_ours = False
    try:
        with path.open(mode, encoding=encoding, newline=newline) as file:
            is_ours = True
            _keep_written(path)
            yield file
    except OSError as error:
        if is_ours and path.is_file():  # not a device
            path.unlink(missing_ok=True)
        raise MtevalError(f"Cannot write {path}: {error.strerror}.") from error


def _refuse_written(path: Path) -> None:
    """Check that the running command has not written a file yet, under this name or another.

    Raises
    ------
    SettingsError
        If it has.
    """
    kept = _kept.get()
    if kept is not None and _key_of_file(path) in kept.written:
        raise SettingsError(f"Cannot write {path}: this command has written it already. Name another file.")


def _keep_written(path: Path) -> None:
    """Refuse to write a file again from now on."""
    kept = _kept.get()
    key = _key_of_file(path)
    if kept is not None and key is not None:
        kept.written.add(key)


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files, creating their folders, and print their paths.

    Raises
    ------
    MtevalError
        If one cannot be written, or the running command reads one.
    """
    refuse_inputs(files)
    for path, content in files.items():
        made_directory(path.parent)
        with opened(path, "wb") as file:
            file.write(content)
        say(path)


def write_text(path: Path, text: str, mode: str = "w") -> None:
    """Write a text with a line end to a file, or append it with mode ``a``; to standard output if the path is ``-``.

    Files and pipes get every character unchanged, since another program reads them. A terminal shows control characters
    by their number.

    Raises
    ------
    MtevalError
        If it cannot be written.
    """
    if not text.endswith("\n"):
        text += "\n"
    if path != STANDARD_OUTPUT:
        with opened(path, mode) as file:
            file.write(text)
    elif sys.stdout.isatty():
        sys.stdout.write(visible(text))
    else:
        sys.stdout.write(text)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines as ``write_text`` does."""
    write_text(path, "".join(f"{line}\n" for line in lines))


def made_directory(path: Path) -> Path:
    """Return the folder, created if it does not exist.

    Raises
    ------
    MtevalError
        If it cannot be created.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MtevalError(f"Cannot create folder {path}: {error.strerror}.") from error
    return path


def tell_damage(problems: Sequence[str]) -> None:
    """Print what a check has found.

    Raises
    ------
    MtevalError
        If it has found anything.
    """
    for problem in problems:
        say(problem)
    if problems:
        raise MtevalError(f"{counted(len(problems), 'problem')} found. Restore a backup, or load the files again.")
    say("No damage found.")
