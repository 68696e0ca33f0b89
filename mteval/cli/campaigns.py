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
        for campaign in campaigns:
            links = store.links(campaign.uid)
            state = ", closed" if campaign.is_closed else ""
            created = campaign.created_at[:10]  # the date
            say("", f"{campaign.name} ({campaign.way} on {campaign.test_set}, {created}{state})")
            say(f"  coordinators: {page}?{COORDINATOR}={links.coordinator}")
            for annotator, (n_done, n_tasks) in campaign.progress.items():
                link = f"{page}?{ANNOTATOR}={links.annotators[annotator]}"
                say(f"  {annotator}, {n_done} of {n_tasks} done: {link}")
