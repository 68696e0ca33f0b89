"""``mteval campaigns``: list annotation campaigns and their links."""

import argparse
from collections.abc import Sequence
from contextlib import closing

from mteval.annotations import open_store
from mteval.base.words import counted
from mteval.cli.console import examples, say
from mteval.values.service import ANNOTATOR, COORDINATOR


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = "List annotation campaigns with their progress and links."
    parser.epilog = examples("campaigns --url https://lab.example/mteval")
    text = "address of the dashboard (default: %(default)s)"
    parser.add_argument("--url", default="http://127.0.0.1:8501", help=text)


def run(options: argparse.Namespace) -> None:
    """Print all campaigns with their progress and links."""
    page = f"{options.url.rstrip('/')}/annotate"
    with closing(open_store()) as store:
        campaigns = store.list_campaigns()
        say(counted(len(campaigns), "campaign"))
        for one in campaigns:
            links = store.links(one.uid)
            state = ", closed" if one.is_closed else ""
            say("", f"{one.name} ({one.way} on {one.test_set}, {one.created_at[:10]}{state})")
            say(f"  coordinators: {page}?{COORDINATOR}={links.coordinator}")
            for name, (done, total) in one.progress.items():
                say(f"  {name}, {done} of {total} done: {page}?{ANNOTATOR}={links.annotators[name]}")
