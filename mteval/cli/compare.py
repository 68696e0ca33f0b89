"""``mteval compare``: any procedure on any pair of systems, with its interval, its p-value and what it costs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from mteval.analysis.evaluation import versions
from mteval.analysis.scoring import score_experiment
from mteval.analysis.tests.corrections import ALL_PAIRS, CORRECTIONS, corrections_for
from mteval.analysis.tests.significance import SIDES, unit_of
from mteval.cli.answer_tables import Answer
from mteval.cli.compare_answers import ANSWERS, USUAL_FOR_PAIRS, Asked
from mteval.cli.console import add_json, add_truth, examples, file_to_write, write_lines
from mteval.cli.options.computation import work_for
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_design, add_number, add_run_word, add_seed, add_shuffles, settings_of
from mteval.cli.options.output import add_output_options, is_taken
from mteval.cli.options.reported import add_test_set, comparable, reported
from mteval.cli.options.systems import add_system_files, read_systems
from mteval.errors import SettingsError
from mteval.export.json import to_json
from mteval.export.plain_tables import frame_tsv
from mteval.export.tables import frame_csv
from mteval.metrics import catalog, resolve
from mteval.run_words import Wording
from mteval.settings import Settings
from mteval.stats import PROCEDURES

_EXAMPLES = examples(
    "compare --files runs/ --baseline old --procedure ar-segment two-way",
    "compare --files runs/ --baseline old --all-pairs",
    "compare --files runs/ --baseline old --margin 0.5",
)
_PROCEDURES = "\n".join(f"  {key:<{max(map(len, PROCEDURES))}}  {spec.name}" for key, spec in PROCEDURES.items())


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options, with an option ``--hyps-sysN`` for each system that the words name."""
    parser.description = (
        "Every procedure side by side, or those that are named: difference from the baseline, interval, p,"
        " adjusted p, resamples, seconds. Choose the procedure before you see the numbers."
    )
    parser.epilog = f"{_EXAMPLES}\n\nprocedures:\n{_PROCEDURES}"
    add_system_files(parser, words)
    _add_tests(parser)
    files = add_output_options(parser)
    files.add_argument("--csv", type=file_to_write, metavar="FILE", help="write all rows there")
    add_json(files)
    add_scoring_options(parser, ("bleu",))


def run(options: argparse.Namespace) -> None:
    """Read, score, test, print.

    Raises
    ------
    MtevalError
        On bad input, and on options that would have no effect.
    """
    _check(options)
    systems = read_systems(options)
    experiment = systems.experiment
    metrics = chosen_metrics(options, experiment, has_texts=not systems.loaded.is_of_scores)
    settings = settings_of(
        options, metrics,
        n_shuffles=options.resamples, confidence=options.confidence, exchange_unit=options.unit,
        design=options.design,
    )  # fmt: skip
    systems.compared()
    with work_for(options) as work:
        one_set = reported(systems.experiment, options.test_set)
        scored = comparable(score_experiment(one_set, resolve(settings, experiment.given), work), systems)
        unit = unit_of(scored[0], settings)
        answer = ANSWERS[_question(options)](
            Asked(scored, unit, options, settings, work, catalog(experiment.given), systems)
        )
    names = (*experiment.names, *systems.names.values())
    _write(answer.in_words(Wording(settings.runs, names)), options, settings)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--procedure", nargs="+", choices=tuple(PROCEDURES), metavar="P",
        help=f"among {', '.join(PROCEDURES)} (default: all; {USUAL_FOR_PAIRS} with --all-pairs)",
    )  # fmt: skip
    add_test_set(group)
    group.add_argument(
        "--unit", choices=("auto", "segment", "document"), default="auto",
        help="what is drawn or exchanged; auto takes documents where --documents names them (default: auto)",
    )  # fmt: skip
    group.add_argument(
        "--side", choices=SIDES, help="whether a system differs, is better or is worse than the baseline (default:"
        f" {SIDES[0]})",
    )  # fmt: skip
    group.add_argument("--correction", choices=tuple(CORRECTIONS), help="for several comparisons (default: holm)")
    add_truth(group, "--all-pairs", "test all pairs of systems, one-sided, by one procedure")
    add_truth(group, "--borrow", "instead, show the verdicts with run variances that borrow from all systems")
    add_truth(group, "--own-runs", "instead, judge halves of the runs of each system that has six or more")
    group.add_argument(
        "--margin", type=float, metavar="POINTS", help="instead, test whether systems differ by less than so much"
    )
    add_design(group)
    add_run_word(group)
    add_shuffles(group, "--resamples", "shuffles or replicates of a procedure")
    add_number(group, "--confidence", float, Settings().confidence, "of intervals", "C")
    add_seed(group)


def _question(options: argparse.Namespace) -> str:
    """The option that asks something else than what procedures say of systems against the baseline; empty for that."""
    asked = {"--all-pairs": options.all_pairs, "--borrow": options.borrow, "--own-runs": options.own_runs}
    asked["--margin"] = options.margin is not None
    chosen = [option for option, is_chosen in asked.items() if is_chosen]
    if len(chosen) > 1:
        raise SettingsError(f"{' and '.join(chosen)} ask different questions; name one of them.")
    return chosen[0] if chosen else ""


def _check(options: argparse.Namespace) -> None:
    """Refuse what would have no effect, and what cannot be had; then fill in what was left out.

    Raises
    ------
    SettingsError
        Naming the options that do not go together.
    """
    question = _question(options)
    without: Mapping[str, Sequence[str]] = {"": (), "--all-pairs": ("side",)}
    for name in without.get(question, ("procedure", "side", "correction")):
        if getattr(options, name) is not None:
            raise SettingsError(f"--{name} has no effect with {question}; leave one of the two out.")
    if options.all_pairs and options.procedure and len(options.procedure) > 1:
        raise SettingsError("--all-pairs takes one procedure; name one by --procedure.")
    options.side = options.side or SIDES[0]
    options.correction = options.correction or "holm"
    if options.correction == ALL_PAIRS and not options.all_pairs:
        raise SettingsError(f"--correction {ALL_PAIRS} is for all pairs of systems; add --all-pairs.")
    asked = options.procedure or ([USUAL_FOR_PAIRS] if options.all_pairs else [])
    lacking = [key for key in asked if options.correction not in corrections_for(PROCEDURES[key])]
    if lacking:
        raise SettingsError(
            f"--correction {options.correction} cannot be had for {', '.join(lacking)}, whose comparisons"
            f" {'have no standard errors' if options.correction == ALL_PAIRS else 'share no shuffles'}; take another"
            " correction or other procedures."
        )
    is_taken(options, options.csv, options.json)


def _write(answer: Answer, options: argparse.Namespace, settings: Settings) -> None:
    """Files, and what is printed unless a file takes its place."""
    other = {"settings": settings.deciding, "versions": dict(versions()), "sentences": list(answer.sentences)}
    numbers = answer.frame.drop(columns="seconds", errors="ignore")  # the same inputs give the same bytes
    if options.csv:
        write_lines(options.csv, frame_csv(answer.frame).splitlines())
    if options.json:
        write_lines(options.json, to_json({"comparisons": numbers}, other).splitlines())
    if is_taken(options, options.csv, options.json):
        return
    if options.format == "json":
        print(to_json({"comparisons": numbers}, other), end="")
    elif options.format == "tsv":
        print(frame_tsv(answer.frame), end="")
    else:
        for line in answer.lines(options.format):
            print(line)
