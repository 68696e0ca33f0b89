"""How many replicates and shuffles, of what, from which seed."""

import argparse

from mteval.cli.metric_options import Metrics
from mteval.settings import Settings


def add_numbers(parser: argparse.ArgumentParser) -> None:
    """Add ``--boot-samples``, ``--ar-shuffles``, ``--ar-unit`` and ``--seed``."""
    defaults = Settings()
    group = parser.add_argument_group("numbers")
    group.add_argument(
        "--boot-samples", type=int, default=defaults.n_bootstrap, metavar="N", help="for s_sel (default: %(default)s)"
    )
    group.add_argument(
        "--ar-shuffles", type=int, default=defaults.n_shuffles, metavar="N", help="for p (default: %(default)s)"
    )
    group.add_argument(
        "--ar-unit", choices=("segment", "output"), default="segment",
        help="what is exchanged: a segment's runs together, or each output alone as in MultEval (default: segment)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=int, default=defaults.seed, metavar="N", help="of all random numbers (default: %(default)s)"
    )


def chosen_settings(options: argparse.Namespace, metrics: Metrics) -> Settings:
    """The settings as the user gave them."""
    return Settings(
        metrics=tuple(metrics.labels),
        convention=options.convention,
        options=metrics.options,
        n_bootstrap=options.boot_samples,
        n_shuffles=options.ar_shuffles,
        seed=options.seed,
        exchange_unit=options.ar_unit,
        workers=options.threads,
    )
