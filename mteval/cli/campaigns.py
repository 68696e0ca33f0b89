"""``mteval campaigns``: list annotation campaigns and their links."""

import argparse
from collections.abc import Sequence

from mteval.annotations import AnnotationStore, Listed, open_store
from mteval.base.words import counted
from mteval.cli.console import examples
from mteval.values.service import ANNOTATOR, COORDINATOR


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = "List annotation campaigns with their progress and links."
    parser.epilog = examples("campaigns --url https://lab.example/mteval")
    text = "address of the dashboard (default: %(default)s)"
    parser.add_argument("--url", default="http://127.0.0.1:8501", help=text)


def run(options: argparse.Namespace) -> None:
    """Print all campaigns with their progress and links."""
    store = open_store()
    try:
        listed = store.list_campaigns()
        print(counted(len(listed), "campaign"))
        for one in listed:
            _print(store, one, f"{options.url.rstrip('/')}/annotate")
    finally:
        store.close()


def _print(store: AnnotationStore, listed: Listed, page: str) -> None:
    links = store.links(listed.uid)
    state = ", closed" if listed.is_closed else ""
    print(f"\n{listed.name} ({listed.way} on {listed.test_set}, {listed.created_at[:10]}{state})")
    print(f"  coordinators: {page}?{COORDINATOR}={links.coordinator}")
    for name, (done, total) in listed.progress.items():
        print(f"  {name}, {done} of {total} done: {page}?{ANNOTATOR}={links.annotators[name]}")
