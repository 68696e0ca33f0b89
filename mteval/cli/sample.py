"""``mteval sample``: draw segments for people to judge."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.scoring import score_experiment
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted_part
from mteval.cli.console import STANDARD_OUTPUT, examples, file_to_write, tell, write_text
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.output_options import add_computing_options, add_quiet, settings_of, work_for
from mteval.cli.people import add_outputs, loaded_outputs
from mteval.cli.system_options import add_documents, add_score_files
from mteval.metrics import resolve
from mteval.render.frames import frame_tsv
from mteval.stats.informative import draw_informative, informativeness

RANDOM = "random"
INFORMATIVE = "informative"


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Draw segments for people to judge. Informative ones, where a metric tells the systems apart, are drawn more"
        " often. Keep the column probability in the table of judgements: 'mteval people' weighs by it."
    )
    parser.epilog = examples("sample 200 --scores-higher COMET.seg.score --documents documents.txt --out sample.tsv")
    parser.add_argument("size", type=int, metavar="N", help="number of segments")
    text = f"{RANDOM}, or {INFORMATIVE}: by the variance of the first metric over systems (default: {INFORMATIVE})"
    parser.add_argument("--sample", choices=(RANDOM, INFORMATIVE), default=INFORMATIVE, help=text)
    add_documents(add_outputs(parser))
    add_score_files(parser)
    add_metric_options(parser, ("chrf",), words)
    group = parser.add_argument_group("computing")
    text = "write the table here (default: standard output)"
    group.add_argument("--out", type=file_to_write, default=STANDARD_OUTPUT, metavar="FILE", help=text)
    group.add_argument("--seed", type=int, default=12345, help="default: %(default)s")
    add_quiet(group)
    add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Draw and print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    loaded = loaded_outputs(options)
    if loaded is None:
        raise MtevalError("No outputs and no scores. Use --outputs FILE…, or --scores-higher FILE….")
    experiment = loaded.experiment
    settings = settings_of(options, chosen_metrics(options, loaded), experiment)
    primary = resolve(settings, experiment.given)[:1]
    with work_for(options) as work:
        scored = score_experiment(experiment, primary, work)[0]
    n_segments = scored.test_set.n_segments
    if not 0 < options.size <= n_segments:
        raise SettingsError(f"{options.size} is not a number of segments from 1 to {n_segments:,}.")

    # Average over runs, shape (systems, segments)
    scores = np.array([scored.scorer.segment_score(runs).mean(axis=0) for runs in scored.statistics.values()])
    is_random = options.sample == RANDOM
    information = np.ones(n_segments) if is_random else informativeness(scores)
    drawn, chances = draw_informative(information, options.size, np.random.default_rng(options.seed))
    documents = scored.test_set.documents or [""] * n_segments
    columns: dict[str, Any] = {
        "segment": drawn + 1,
        "document": [documents[segment] for segment in drawn],
        "probability": chances[drawn],
    }
    if not is_random:
        columns["information"] = information[drawn]
    write_text(options.out, frame_tsv(pd.DataFrame(columns)))
    if options.out != STANDARD_OUTPUT:
        reason = "chance" if is_random else scored.metric.name
        tell(f"{counted_part(options.size, n_segments, 'segment')} by {reason} in {options.out}.")
