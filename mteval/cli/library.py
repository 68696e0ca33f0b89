"""``mteval library``: manage the experiments saved by the dashboard."""

import argparse
from collections.abc import Collection, Sequence

from mteval.answers.experiments import changes_section
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.cli.console import examples, place_to_write, say, tell_damage, write_files
from mteval.library import Library, Listed, configured_library
from mteval.library.reading import SHORTEST_ID
from mteval.library.started import KEY
from mteval.render.bundle import placed
from mteval.render.text import aligned, text_lines
from mteval.report.kept_experiment import card_from, exported, in_a_line, line_from, opened, when
from mteval.values.asker import OPERATOR

_MIB = 1 << 20


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the actions with their options."""
    parser.description = "Manage the experiments saved by the dashboard."
    parser.epilog = examples("library list", "library export NAME --to experiment.zip", "library check")
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))

    list_all = actions.add_parser("list", help="list all experiments, most recently used first")
    list_all.set_defaults(do=_list)

    text = "ID, its first characters, or name"
    show = actions.add_parser("show", help="show files, settings and links of an experiment")
    show.add_argument("experiment", metavar="ID", help=text)
    show.set_defaults(do=_show)
    export = actions.add_parser("export", help="write experiment.toml with its files, for 'mteval run'")
    export.add_argument("experiment", metavar="ID", help=text)
    export.set_defaults(do=_export)
    place = "a folder, or an archive if PATH ends in .zip"
    export.add_argument("--to", type=place_to_write, required=True, metavar="PATH", help=place)

    remove = actions.add_parser("remove", help="delete experiments")
    remove.add_argument("experiments", nargs="+", metavar="ID", help=text)
    remove.set_defaults(do=_remove)

    check = actions.add_parser("check", help="name damaged experiments; exit status 2 if there are any")
    check.set_defaults(do=_check)

    compare = actions.add_parser("compare", help="show what changed in files, settings, numbers and verdicts")
    compare.add_argument("before", metavar="ID", help=text)
    compare.add_argument("after", metavar="ID", help=text)
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
    all_listed = library.listed()
    due = {listed.uid for listed in library.due()}
    rows = []
    for listed in all_listed:
        row = (_id(listed), listed.name, line_from(listed.card), when(listed.used), _mark(listed, due))
        rows.append(row)
    say(*aligned(("ID", "name", "contents", "last used", ""), rows, 5))
    size = f"{library.size() / _MIB:.1f} of {library.max_bytes / _MIB:,.0f} MiB"
    say(f"{counted(len(all_listed), 'experiment')}, {size}")


def _mark(listed: Listed, due: Collection[str]) -> str:
    """Return whether the experiment is pinned, or removed soon; ``due`` has the IDs of those."""
    if listed.is_pinned:
        return "pinned"
    if listed.uid in due:
        return "removed at the next save"
    return ""


def _show(library: Library, options: argparse.Namespace) -> None:
    listed = _named(library, options.experiment)
    experiment = opened(library.content(listed.uid))
    card = card_from(listed.card)
    rows = [
        ("name", listed.name),
        ("note", listed.note),
        ("tags", ", ".join(listed.tags)),
        ("contents", in_a_line(card)),
        ("systems", ", ".join(card.systems)),
        ("saved", when(listed.created)),
        ("last used", when(listed.used)),
        ("edit link", f"?{KEY}={listed.editor}"),
        ("read-only link", f"?{KEY}={listed.reader}"),
        ("files", ", ".join(document.name for document in experiment.workspace.documents)),
    ]
    for name, value in rows:
        if value:
            say(f"{name:<14}  {value}")


def _export(library: Library, options: argparse.Namespace) -> None:
    listed = _named(library, options.experiment)
    experiment = opened(library.content(listed.uid))
    write_files(placed(options.to, exported(experiment.workspace, experiment.made)))


def _remove(library: Library, options: argparse.Namespace) -> None:
    listed_by_id = {}
    for word in options.experiments:
        listed = _named(library, word)
        listed_by_id[listed.uid] = listed
    library.remove(listed_by_id, OPERATOR)
    for listed in listed_by_id.values():
        say(f"removed {_id(listed)} {listed.name}")


def _check(library: Library, options: argparse.Namespace) -> None:
    tell_damage(library.check())


def _compare(library: Library, options: argparse.Namespace) -> None:
    before = _named(library, options.before)
    after = _named(library, options.after)
    experiment_before = opened(library.content(before.uid))
    experiment_after = opened(library.content(after.uid))
    section = changes_section(experiment_before, experiment_after, (before.name, after.name))
    say(*section.lead)
    for part in section.parts:
        *lines, _ = text_lines([part])  # the last is empty
        say("", *lines)


def _named(library: Library, word: str) -> Listed:
    """Return the experiment with this ID, beginning of an ID, or name.

    Raises
    ------
    DataError
        If none or several match.
    """
    candidates = library.named(word)
    if not candidates:
        raise DataError(f"No experiment '{word}' in the library. See 'mteval library list'.")
    if len(candidates) > 1:
        ids = ", ".join(map(_id, candidates))
        raise DataError(f"{counted(len(candidates), 'experiment')} match '{word}': {ids}. Use the ID.")
    return candidates[0]


def _id(listed: Listed) -> str:
    """Return the first characters of the ID; the whole ID would open the experiment."""
    return listed.uid[:SHORTEST_ID]
