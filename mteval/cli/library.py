"""``mteval library``: manage the experiments saved by the dashboard."""

import argparse
from collections.abc import Sequence

from mteval.answers.experiments import changes_section
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.cli.console import examples, place_to_write, say, tell_damage, write_files
from mteval.library import Library, Listed, configured_library
from mteval.library.reading import SHORTEST_ID
from mteval.library.started import KEY
from mteval.render.bundle import placed
from mteval.render.text import aligned, text_lines
from mteval.report.kept_experiment import Card, card_from, exported, in_a_line, line_from, opened, when
from mteval.values.asker import OPERATOR

_MIB = 1 << 20


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the actions with their options."""
    parser.description = "Manage the experiments saved by the dashboard."
    parser.epilog = examples("library list", "library export NAME --to experiment.zip", "library check")
    ways = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))
    ways.add_parser("list", help="list all experiments, most recently used first").set_defaults(do=_list)
    for name, do, text in (
        ("show", _show, "show files, settings and links of an experiment"),
        ("export", _export, "write experiment.toml with its files, for 'mteval run'"),
    ):
        one = ways.add_parser(name, help=text)
        one.add_argument("experiment", metavar="ID", help="ID, its first characters, or name")
        one.set_defaults(do=do)
        if name == "export":
            text = "a folder, or an archive if PATH ends in .zip"
            one.add_argument("--to", type=place_to_write, required=True, metavar="PATH", help=text)
    remove = ways.add_parser("remove", help="delete experiments")
    remove.add_argument("experiments", nargs="+", metavar="ID", help="ID or name")
    remove.set_defaults(do=_remove)
    check = ways.add_parser("check", help="name damaged experiments; exit status 2 if there are any")
    check.set_defaults(do=lambda library, options: tell_damage(library.check()))
    compare = ways.add_parser("compare", help="show what changed in files, settings, numbers and verdicts")
    for name in ("before", "after"):
        compare.add_argument(name, metavar="ID", help="ID or name")
    compare.set_defaults(do=_compare)


def run(options: argparse.Namespace) -> None:
    """Run the chosen action.

    Raises
    ------
    MtevalError
        If the experiment does not exist, or a file cannot be read or written.
    """
    options.do(configured_library(), options)


def _list(library: Library, options: argparse.Namespace) -> None:
    listed = library.listed()
    due = {one.uid for one in library.due()}
    rows = [(_id(one), one.name, line_from(one.card), when(one.used), _mark(one, due)) for one in listed]
    say(*aligned(("ID", "name", "contents", "last used", ""), rows, 5))
    say(f"{counted(len(listed), 'experiment')}, {library.size() / _MIB:.1f} of {library.max_bytes / _MIB:,.0f} MiB")


def _mark(one: Listed, due: set[str]) -> str:
    if one.is_pinned:
        return "pinned"
    return "removed at the next save" if one.uid in due else ""


def _show(library: Library, options: argparse.Namespace) -> None:
    one = _named(library, options.experiment)
    kept = opened(library.content(one.uid))
    card: Card = card_from(one.card)
    rows = [
        ("name", one.name),
        ("note", one.note),
        ("tags", ", ".join(one.tags)),
        ("contents", in_a_line(card)),
        ("systems", ", ".join(card.systems)),
        ("saved", when(one.created)),
        ("last used", when(one.used)),
        ("edit link", f"?{KEY}={one.editor}"),
        ("read-only link", f"?{KEY}={one.reader}"),
        ("files", ", ".join(document.name for document in kept.workspace.documents)),
    ]
    for name, value in rows:
        if value:
            say(f"{name:<14}  {value}")


def _export(library: Library, options: argparse.Namespace) -> None:
    kept = opened(library.content(_named(library, options.experiment).uid))
    write_files(placed(options.to, exported(kept.workspace, kept.made)))


def _remove(library: Library, options: argparse.Namespace) -> None:
    found = {one.uid: one for one in (_named(library, name) for name in options.experiments)}
    library.remove(found, OPERATOR)
    for one in found.values():
        say(f"removed {_id(one)} {one.name}")


def _compare(library: Library, options: argparse.Namespace) -> None:
    before, after = (_named(library, name) for name in (options.before, options.after))
    kept, keeps = (opened(library.content(one.uid)) for one in (before, after))
    section = changes_section(kept, keeps, (before.name, after.name))
    say(*section.lead)
    for part in section.parts:
        *lines, _ = text_lines([part])
        say("", *lines)


def _named(library: Library, word: str) -> Listed:
    """Return the experiment with this ID, beginning of an ID, or name."""
    found = library.named(word)
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(map(_id, found))
        raise DataError(f"{counted(len(found), 'experiment')} are named '{word}': {several}. Use the ID.")
    raise DataError(f"No experiment '{word}' in the library. See 'mteval library list'.")


def _id(one: Listed) -> str:
    """Return the first characters of the ID; the whole ID would open the experiment."""
    return one.uid[:SHORTEST_ID]
