"""``mteval plan``: fix an evaluation before results are seen."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from mteval.analysis.noticed import in_points
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import composed
from mteval.cli.console import examples, file_to_write, number, tell, write_text
from mteval.cli.gate import margin
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.output_options import add_numbers, settings_of
from mteval.cli.system_options import add_documents, add_references, add_source, number_of_references
from mteval.metrics import resolve
from mteval.readers.appearance import appearance
from mteval.readers.disk import read_lines
from mteval.readers.documents import columns_of
from mteval.readers.experiment_file import plan_toml
from mteval.values.gate import ShareOfPairs
from mteval.values.model import TestSet
from mteval.values.plan import Plan, PlannedTestSet

_DEFAULT = ("bleu", "chrf", "ter", "length")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Write metrics, test set, numbers of runs and tests to a file before results are seen. With --plan FILE,"
        " 'mteval eval' and 'mteval report' then say 'as planned', or list every deviation."
    )
    parser.epilog = examples(
        "plan --refs ref.txt --baseline old --systems new --runs 5 --metrics bleu chrf --target 0.5 --freeze plan.toml"
    )
    group = parser.add_argument_group("experiment")
    add_references(group)
    add_source(group)
    add_documents(group)
    group.add_argument(
        "--test-set", type=composed, default="test", metavar="NAME", help="name of the test set (default: %(default)s)"
    )
    group.add_argument("--baseline", type=composed, required=True, metavar="NAME", help="name of the baseline")
    group.add_argument(
        "--systems", type=composed, nargs="+", required=True, metavar="NAME", help="names of the systems to compare"
    )
    group.add_argument("--runs", type=int, required=True, metavar="N", help="runs per system; with --looks, the most")
    text = "smallest difference that matters, in points of the primary metric"
    text += "; or people:60%%, at which people prefer the better of two systems in 60%% of pairs"
    group.add_argument("--target", type=margin, metavar="POINTS", help=text)
    text = "largest difference that still counts as equal"
    group.add_argument("--margin", type=number, metavar="POINTS", help=text)
    group.add_argument("--freeze", type=file_to_write, required=True, metavar="FILE", help="write the plan (TOML)")
    add_metric_options(parser, _DEFAULT, words)
    add_numbers(parser)


def run(options: argparse.Namespace) -> None:
    """Read the test set, and write the plan.

    Raises
    ------
    MtevalError
        On bad input, or if the file exists.
    """
    if not options.refs:
        raise SettingsError("--refs is missing: a plan names the test set by its references.")
    for name in ("runs", "target", "margin"):
        value = getattr(options, name)
        if not isinstance(value, ShareOfPairs | None) and value <= 0:
            raise SettingsError(f"--{name} is {value:g}; expected more than 0.")
    options.metrics = options.metrics or list(_DEFAULT)
    is_tokenized = appearance(read_lines(options.refs[0])).tokenization == "tokenized"
    if not options.convention:
        options.convention = "multeval" if is_tokenized else "sacrebleu"
    settings = settings_of(options, chosen_metrics(options))
    if settings.looks and options.runs != settings.looks[-1]:
        raise SettingsError(f"--runs is {options.runs}, but the last of --looks is {settings.looks[-1]}.")
    primary_metric, *_ = resolve(settings, ())
    target = None if options.target is None else in_points(options.target, primary_metric)
    path = Path(options.freeze)
    if path.exists():
        raise MtevalError(f"{path} exists. A frozen plan is not overwritten: choose another name.")
    plan = Plan(
        baseline=options.baseline,
        systems=tuple(options.systems),
        n_runs=options.runs,
        test_sets=(PlannedTestSet.of(_test_set(options)),),
        settings=settings,
        target=target,
        margin=options.margin,
    )
    write_text(path, plan_toml(plan))
    tell(f"{path} is frozen. Check results against it with 'mteval eval … --plan {path}'.")


def _test_set(options: argparse.Namespace) -> TestSet:
    """Return the test set, without outputs."""
    source = None if options.source is None else tuple(read_lines(options.source))
    documents = None if options.documents is None else tuple(read_lines(options.documents))
    columns: list[Sequence[str]] = []
    for path in options.refs:
        columns += columns_of(read_lines(path), number_of_references(options), str(path))
    references = tuple(zip(*columns, strict=True))
    return TestSet(options.test_set, references, source=source, documents=documents)
