"""``mteval library``: the experiments that the dashboard keeps, from the shell."""

import argparse
from collections.abc import Sequence

from mteval.answers.changes import changes, changes_section
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.cli.console import examples, place_to_write, write_files
from mteval.library import Library, Listed, configured_library
from mteval.library.shelf import LINK
from mteval.render.bundle import zipped
from mteval.render.text import aligned, text_lines
from mteval.report.kept_experiment import Card, card_from, exported, in_a_line, line_from, opened, when

_SHORTEST = 6  # letters of an identifier that are shown, and enough to name an experiment where no other begins so
_MIB = 1 << 20


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add what can be done, each with its options."""
    parser.description = "Lists, shows, exports, compares and removes the experiments that the dashboard keeps."
    parser.epilog = examples(
        "library list",
        "library export NAME --to experiment.zip",
    )
    ways = parser.add_subparsers(metavar="WHAT", required=True, parser_class=type(parser))
    ways.add_parser("list", help="all experiments, the last used first").set_defaults(do=_list)
    for name, do, text in (
        ("show", _show, "what is kept of one: files, settings, links"),
        ("export", _export, "one as experiment.toml with its files, which 'mteval run' takes"),
    ):
        one = ways.add_parser(name, help=text)
        one.add_argument("experiment", metavar="ID", help="its identifier, the beginning of it, or its name")
        one.set_defaults(do=do)
        if name == "export":
            text = "a folder, or one archive if it ends in .zip"
            one.add_argument("--to", type=place_to_write, required=True, metavar="PATH", help=text)
    remove = ways.add_parser("remove", help="delete some, with files and numbers")
    remove.add_argument("experiments", nargs="+", metavar="ID", help="as for show")
    remove.set_defaults(do=_remove)
    compare = ways.add_parser("compare", help="what changed from one to another: files, settings, numbers, verdicts")
    for name in ("before", "after"):
        compare.add_argument(name, metavar="ID", help="as for show")
    compare.set_defaults(do=_compare)


def run(options: argparse.Namespace) -> None:
    """Do what was asked for.

    Raises
    ------
    MtevalError
        Where there is no such experiment, or something cannot be read or written.
    """
    options.do(configured_library(), options)


def _list(library: Library, options: argparse.Namespace) -> None:
    listed = library.listed()
    due = {one.uid for one in library.due()}
    rows = [(_id(one), one.name, line_from(one.card), when(one.used), _mark(one, due)) for one in listed]
    for line in aligned(("id", "name", "what", "last used", ""), rows, 5):
        print(line)
    print(f"{counted(len(listed), 'experiment')}, {library.size() / _MIB:.1f} of {library.max_bytes / _MIB:,.0f} MiB")


def _mark(one: Listed, due: set[str]) -> str:
    if one.is_pinned:
        return "pinned"
    return "goes when the next one is kept" if one.uid in due else ""


def _show(library: Library, options: argparse.Namespace) -> None:
    one = _named(library, options.experiment)
    kept = opened(library.content(one.uid))
    card: Card = card_from(one.card)
    rows = [
        ("name", one.name),
        ("note", one.note),
        ("what", in_a_line(card)),
        ("systems", ", ".join(card.systems)),
        ("first kept", when(one.created)),
        ("last used", when(one.used)),
        ("to edit", f"?{LINK}={one.uid}"),
        ("to read", f"?{LINK}={one.reader}"),
        ("files", ", ".join(document.name for document in kept.workspace.documents)),
    ]
    for name, value in rows:
        if value:
            print(f"{name:<10}  {value}")


def _export(library: Library, options: argparse.Namespace) -> None:
    kept = opened(library.content(_named(library, options.experiment).uid))
    files = exported(kept.workspace, kept.made)
    if options.to.suffix == ".zip":
        write_files({options.to: zipped(files)})
    else:
        write_files({options.to / name: content for name, content in files.items()})


def _remove(library: Library, options: argparse.Namespace) -> None:
    found = {one.uid: one for one in (_named(library, name) for name in options.experiments)}
    library.remove(*found)
    for one in found.values():
        print(f"removed {_id(one)} {one.name}")


def _compare(library: Library, options: argparse.Namespace) -> None:
    before, after = (_named(library, name) for name in (options.before, options.after))
    found = changes(*(opened(library.content(one.uid)) for one in (before, after)))
    section = changes_section(found, before.name, after.name)
    print(*section.lead, sep="\n")
    for part in section.parts:
        print("", *text_lines([part]), sep="\n", end="")


def _named(library: Library, word: str) -> Listed:
    """The experiment whose identifier begins so, or that is called so."""
    listed = library.listed()
    by_id = [one for one in listed if len(word) >= _SHORTEST and one.uid.startswith(word)]
    found = by_id or [one for one in listed if one.name == word]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(map(_id, found))
        count = counted(len(found), "experiment")
        raise DataError(f"{count} are called '{word}': {several}. Name one by its identifier.")
    raise DataError(f"There is no experiment '{word}' in the library; 'mteval library list' shows them all.")


def _id(one: Listed) -> str:
    """The beginning of its identifier; whoever sees the screen does not have the link by that."""
    return one.uid[:_SHORTEST]
