"""``mteval replicate``: how many runs do I need?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.findings import findings_of
from mteval.analysis.noticed import in_points
from mteval.analysis.replication import planning
from mteval.analysis.replication.draws import USUAL, published, usual_numbers
from mteval.analysis.replication.pool import Pool, pool_of, uncertainty_frame, variance_frame, variation_of
from mteval.analysis.replication.variation import Variation
from mteval.analysis.scoring import Work
from mteval.answers.findings import finding_notes, warning_section
from mteval.answers.planner import plan_section, variance_section
from mteval.answers.replication import Subject, median_section, published_section, spread_section, undeclared_sentence
from mteval.answers.section import Section
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.cli import output_options as output
from mteval.cli.console import examples, number, refuse
from mteval.cli.gate import margin
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request_on_test_set
from mteval.cli.system_options import add_system_files, add_test_set
from mteval.metrics import catalog
from mteval.render.frames import to_json
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.stats.procedures.registry import on_draws
from mteval.values.findings import Finding
from mteval.values.ledger import Ledger
from mteval.values.settings import Settings

_POWER = 0.8
_PLANNED = (2, *planning.numbers_of_runs(10)[2:], 20, 50)


@dataclass
class _Report:
    """The answers about one system by one metric."""

    subject: Subject
    frames: dict[str, pd.DataFrame]
    sections: list[Section]
    plan: dict[str, Any] | None = None


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Show what fewer runs would have shown, where the variance comes from, and how many runs you need."
    )
    parser.epilog = examples("replicate --files runs/ --baseline old --target 0.5")
    add_system_files(parser, words)
    add_metric_options(parser, ("bleu",), words)
    group = parser.add_argument_group("tests")
    text = "draws per number of runs (default: %(default)s)"
    group.add_argument("--draws", type=int, default=250, metavar="N", help=text)
    output.add_setting(group, "--ar-shuffles", "n_shuffles", "shuffles per p-value")
    text = "smallest difference that matters (not the one you observed)"
    group.add_argument("--target", type=margin, metavar="POINTS", help=text)
    group.add_argument("--power", type=number, metavar="P", help=f"power to detect the target (default: {_POWER})")
    text = "confidence level; the plan adjusts it for the number of systems"
    output.add_setting(group, "--confidence", "confidence", text, metavar="C")
    add_test_set(group)
    output.add_design(group)
    output.add_seed(group)
    output.add_runs(group)
    text = f"numbers of runs to draw (default: {', '.join(map(str, USUAL))}, if available)"
    group.add_argument("--runs", nargs="+", type=int, metavar="N", help=text)
    group.add_argument("--most", type=int, metavar="K", help="show the spread for 1 to K runs (default: all)")
    output.add_output_options(parser, ("text", "json"))
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.check_one_is_printed(options)
    if options.draws < 1:
        raise SettingsError(f"--draws is {options.draws}; use 1 or more.")
    if options.target is None:
        refuse(options, ("power", "looks"), "needs --target")
    request = read_request_on_test_set(options)
    experiment = request.experiment
    settings = request.settings
    systems = request.systems.compared()
    specs = catalog(experiment.given)
    with output.work_for(options) as work:
        all_scored = request.systems.comparable(request.scored(work))
        # All pools come before the first report, so that nothing is computed if a system has too few runs
        pools = [pool_of(scored, experiment.baseline, system, settings) for scored in all_scored for system in systems]
        level = planning.strictest_level(settings, len(systems))
        wishes: list[planning.Wish | None] = [None] * len(pools)
        if options.target is not None:
            power = options.power or _POWER
            wishes = [planning.Wish(in_points(options.target, pool.scored.metric), power, level) for pool in pools]
        reports = []
        for pool, wish in zip(pools, wishes, strict=True):
            subject = Subject(pool, specs[pool.scored.metric.key], settings, request.systems.names)
            reports.append(_report(subject, pool, options, wish, work))

    findings = findings_of(experiment, all_scored, settings)
    lines: list[str] = []
    for report in reports:
        lines += [*_lines(report), ""]
    if finding_notes(findings):
        lines += [*text_lines(warning_section(findings)), ""]
    output.publish(options, lambda: _json(reports, settings, findings, experiment.ledger), lines[:-1], findings)


def _report(
    subject: Subject, pool: Pool, options: argparse.Namespace, wish: planning.Wish | None, work: Work
) -> _Report:
    """Compute what other numbers of runs would show about a system by a metric; ``pool`` is that of the subject."""
    settings = subject.settings
    most = _checked(subject, options.most or min(pool.sizes))
    numbers = [_checked(subject, n) for n in options.runs or usual_numbers(pool.sizes)]
    replication = planning.replication(pool, settings, most)
    table, _ = published(pool, numbers, options.draws, tuple(on_draws()), settings, work)
    median = planning.median_convergence(pool, min(pool.sizes))
    frames = {
        "outlook": replication.outlook,
        "frequencies": replication.frequencies,
        "published": table,
        "median": median,
    }
    sections = [spread_section(subject, replication), published_section(subject, table, options.draws)]
    report = _Report(subject, frames, sections)
    try:
        variation = variation_of(pool)
    except MtevalError as error:
        sections.append(Section("variance", "Where the variance comes from", (str(error),)))
    else:
        frames["variance"] = variance_frame(pool, variation)
        frames["uncertainty"] = uncertainty_frame(pool, variation)
        sections.append(variance_section(subject, variation))
        if wish is not None:
            _add_plan(report, pool, variation, wish)
    sections.append(median_section(subject, median))
    return report


def _add_plan(report: _Report, pool: Pool, variation: Variation, wish: planning.Wish) -> None:
    """Add the data needed to detect the smallest difference that matters, and the power of other numbers."""
    settings = report.subject.settings
    sizes = [factor * pool.n_units for factor in (1, 2, 4)]  # times this test set
    numbers = planning.numbers_planned(variation.planned, _PLANNED)
    power = planning.power_frame(variation.planned, numbers, sizes, wish)
    plan = planning.plan_from(pool, variation, wish)
    report.plan = asdict(plan)
    looks = None
    if settings.look_plan is not None:
        n_compared = round(settings.level / wish.level)  # inverts the division of the level by the number of systems
        looks = planning.plan_of_looks(variation.planned, pool.n_units, wish, settings.look_plan, n_compared)
        report.plan["looks"] = asdict(looks)
    report.frames["power"] = power
    report.sections.append(plan_section(report.subject, plan, power, looks, tabled=numbers))


def _checked(subject: Subject, n: int) -> int:
    """Return a number of runs if so many can be drawn of both systems."""
    sizes = subject.pool.sizes
    if not 1 <= n <= min(sizes):
        raise SettingsError(
            f"Cannot draw {counted(n, 'run')}: the baseline has {sizes[0]} and {subject.systems[1]} has {sizes[1]}. Use"
            f" 1 to {min(sizes)}."
        )
    return n


def _lines(report: _Report) -> Iterator[str]:
    """Yield the systems with their difference, and the answers."""
    subject = report.subject
    pool = subject.pool
    systems = []
    for name, n in zip(subject.systems, pool.sizes, strict=True):
        systems.append(f"{name} ({counted(n, subject.runs.noun)})")
    size = counted(pool.n_units, pool.unit)
    difference = subject.notation.difference(pool.difference)
    yield f"{subject.metric}, {' and '.join(systems)}, {size}: expected difference {difference}"
    undeclared = undeclared_sentence(subject)
    if undeclared:
        yield ""
        yield undeclared
    yield from text_lines(report.sections, is_underlined=True)


def _json(reports: Sequence[_Report], settings: Settings, findings: Sequence[Finding], files: Ledger) -> str:
    """Return the tables of all reports, with columns for metric and system, and the plans as JSON."""
    frames_of: dict[str, list[pd.DataFrame]] = {}
    plans = []
    for report in reports:
        names = {"metric": report.subject.spec.key, "compared": report.subject.systems[1]}
        for key, frame in report.frames.items():
            frames_of.setdefault(key, []).append(frame.assign(**names))
        if report.plan is not None:
            plans.append(names | report.plan)
    frames = {key: pd.concat(parts, ignore_index=True) for key, parts in frames_of.items()}
    header = {
        "plans": plans,
        "settings": settings.deciding,
        "versions": dict(versions()),
        "findings": findings_form(findings),
        "files": files.form(),
    }
    return to_json(frames, header)
