"""Test sets that sacreBLEU has fetched, by the names that it gives them: ``wmt17/en-de``. Nothing is fetched here."""

import argparse
from pathlib import Path

import sacrebleu

from mteval.errors import SettingsError
from mteval.languages import PAIR


def add_known_set(group: argparse._ActionsContainer) -> None:
    """Add ``--sacrebleu-set``."""
    group.add_argument(
        "--sacrebleu-set", metavar="SET/PAIR",
        help="references, source and documents from sacreBLEU's cache, as wmt17/en-de",
    )  # fmt: skip


def use_known_set(options: argparse.Namespace) -> None:
    """Put the files of the test set in the place of ``--refs``, ``--source`` and ``--documents``.

    Raises
    ------
    SettingsError
        Where it is not in the cache, or references are named as well.
    """
    if options.sacrebleu_set is None:
        return
    if options.refs or options.files:
        raise SettingsError("--sacrebleu-set brings the references; leave out --refs and --files.")
    name, _, pair = options.sacrebleu_set.rpartition("/")
    if not name or not pair:
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not a test set with a language pair; expected both, as"
            " wmt17/en-de."
        )
    start = Path(sacrebleu.utils.SACREBLEU_DIR, name, f"{name.replace('/', '_')}.{pair}")
    found = {path.name.removeprefix(f"{start.name}."): path for path in sorted(start.parent.glob(f"{start.name}.*"))}
    references = [path for field, path in found.items() if field.partition(":")[0] == "ref"]
    if not references:
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not in sacreBLEU's cache, {start.parent}; fetch it by"
            f" 'sacrebleu -t {name} -l {pair} --echo ref'."
        )
    options.refs = references
    options.source = options.source or found.get("src")
    options.documents = options.documents or found.get("docid")
    if PAIR.fullmatch(pair):
        options.languages = options.languages or pair
