"""What is asked about people's judgements, by which tests, on what units."""

import argparse
from pathlib import Path

from mteval.analysis.people.claims import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import JUDGED_UNITS, RANK_SUM
from mteval.analysis.people.human_evaluation import QUESTIONS
from mteval.cli.options.numbers import add_number, add_seed, add_shuffles
from mteval.settings import Settings
from mteval.stats import PROCEDURES


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add what is asked, by which tests, on what units."""
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--show", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), metavar="Q",
        help=f"among {', '.join(QUESTIONS)} (default: all that the files allow)",
    )  # fmt: skip
    group.add_argument(
        "--gold", choices=(RANK_SUM, *PROCEDURES), default=RANK_SUM, metavar="P",
        help=f"the test between people's judgements, {RANK_SUM} or a procedure of 'mteval compare', which pairs the"
        f" segments (default: {RANK_SUM}, as in the paper)",
    )  # fmt: skip
    group.add_argument(
        "--gold-unit", choices=JUDGED_UNITS, default="judgement",
        help="what that test takes as independent (default: judgement; document where segments are paired and have"
        " documents)",
    )  # fmt: skip
    group.add_argument(
        "--procedure", nargs="+", choices=tuple(PROCEDURES), default=list(PAPER), metavar="P",
        help=f"tests of the metrics (default: {' '.join(PAPER)})",
    )  # fmt: skip
    group.add_argument(
        "--unit", choices=("auto", "segment", "document"), default="auto",
        help="what the tests and intervals draw; auto takes documents where --documents names them (default: auto)",
    )  # fmt: skip
    group.add_argument("--sides", choices=tuple(SIDES), default="one", help="of those tests (default: one)")
    group.add_argument(
        "--levels", nargs="+", type=float, default=list(LEVELS), metavar="L",
        help=f"levels of significance (default: {' '.join(map(str, LEVELS))})",
    )  # fmt: skip
    group.add_argument("--baseline", metavar="SYSTEM", help="ask about other raters for it alone, not for all pairs")
    group.add_argument(
        "--counts", type=Path, metavar="FILE",
        help="a table of published counts, with columns correct and n_pairs: prints their exact intervals",
    )  # fmt: skip
    add_shuffles(group, "--resamples", "shuffles or replicates of a test")
    add_number(group, "--replicates", int, Settings().n_bootstrap, "of the judged segments, for intervals of agreement")
    add_number(group, "--confidence", float, Settings().confidence, "of intervals", "C")
    add_seed(group)
