"""``mteval replicate``: how many runs do I need?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.findings import findings_of
from mteval.analysis.replication import planning
from mteval.analysis.replication.draws import USUAL, published, usual_numbers
from mteval.analysis.replication.pool import Pool, pool_of, uncertainty_frame, variance_frame, variation_of
from mteval.analysis.scoring import Work
from mteval.answers.findings import finding_notes, warning_section
from mteval.answers.planner import plan_section, variance_section
from mteval.answers.replication import Subject, median_section, published_section, spread_section, undeclared_sentence
from mteval.answers.section import Section
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.cli import output_options as output
from mteval.cli.console import examples, refuse
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request_on_test_set
from mteval.cli.system_options import add_system_files, add_test_set
from mteval.metrics import catalog
from mteval.render.frames import to_json
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.stats.procedures.registry import on_draws
from mteval.values.findings import Finding
from mteval.values.settings import Settings

_POWER = 0.8
_PLANNED = (2, *planning.numbers_of_runs(10)[2:], 20, 50)


@dataclass
class _Report:
    """The answers about one system by one metric."""

    about: Subject
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
    group.add_argument("--target", type=float, metavar="POINTS", help=text)
    group.add_argument("--power", type=float, metavar="P", help=f"power to detect the target (default: {_POWER})")
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
    output.is_taken(options)
    if options.draws < 1:
        raise SettingsError(f"--draws is {options.draws}; use 1 or more.")
    if options.target is None:
        refuse(options, ("power", "looks"), "needs --target")
    request = read_request_on_test_set(options)
    compared = request.systems
    experiment = request.experiment
    settings = request.settings
    systems = compared.compared()
    level = planning.strictest_level(settings, len(systems))
    wish = None if options.target is None else planning.Wish(options.target, options.power or _POWER, level)
    with output.work_for(options) as work:
        scored = compared.comparable(request.scored(work))
        pools = [pool_of(one, experiment.baseline, key, settings) for one in scored for key in systems]
        specs = catalog(experiment.given)
        abouts = [Subject(pool, specs[pool.scored.metric.key], settings, compared.names) for pool in pools]
        reports = [_report(about, pool, options, wish, work) for about, pool in zip(abouts, pools, strict=True)]
    found = findings_of(experiment, scored, settings)
    parts = [[*_lines(report)] for report in reports]
    if finding_notes(found):
        parts.append([*text_lines(warning_section(found))])
    lines = [line for part in parts for line in (*part, "")]
    output.publish(options, lambda: _json(reports, settings, found), lines[:-1], found)


def _report(about: Subject, pool: Pool, options: argparse.Namespace, wish: planning.Wish | None, work: Work) -> _Report:
    settings = about.settings
    most = _checked(about, options.most or min(pool.sizes))
    numbers = [_checked(about, n) for n in options.runs or usual_numbers(pool.sizes)]
    found = planning.replication(pool, settings, most)
    table, _ = published(pool, numbers, options.draws, tuple(on_draws()), settings, work)
    median = planning.median_convergence(pool, min(pool.sizes))
    frames = {"outlook": found.outlook, "frequencies": found.frequencies, "published": table, "median": median}
    report = _Report(about, frames, [spread_section(about, found), published_section(about, table, options.draws)])
    try:
        variation = variation_of(pool)
    except MtevalError as error:
        unknown = Section("variance", "Where the variance comes from", (str(error),))
        report.sections += [unknown, median_section(about, median)]
        return report
    frames |= {"variance": variance_frame(pool, variation), "uncertainty": uncertainty_frame(pool, variation)}
    report.sections.append(variance_section(about, variation))
    if wish is not None:
        sizes = [factor * pool.n_units for factor in (1, 2, 4)]  # times this test set, for the table of power
        planned = planning.numbers_planned(variation.sources, _PLANNED)
        frames["power"] = planning.power_frame(variation.sources, planned, sizes, wish)
        plan, looks = planning.plan_from(pool, variation, wish), None
        if settings.look_plan is not None:
            n_compared = round(settings.level / wish.level)
            looks = planning.plan_of_looks(variation.sources, pool.n_units, wish, settings.look_plan, n_compared)
        report.plan = asdict(plan) | ({} if looks is None else {"looks": asdict(looks)})
        report.sections.append(plan_section(about, plan, frames["power"], looks, tabled=planned))
    report.sections.append(median_section(about, median))
    return report


def _checked(about: Subject, n: int) -> int:
    sizes = about.pool.sizes
    if not 1 <= n <= min(sizes):
        raise SettingsError(
            f"Cannot draw {counted(n, 'run')}: the baseline has {sizes[0]} and {about.systems[1]} has {sizes[1]}. Use 1"
            f" to {min(sizes)}."
        )
    return n


def _lines(report: _Report) -> Iterator[str]:
    about, pool, noun = report.about, report.about.pool, report.about.runs.noun
    made = [f"{name} ({counted(n, noun)})" for name, n in zip(about.systems, pool.sizes, strict=True)]
    difference = about.notation.difference(pool.difference)
    yield f"{about.metric}, {' and '.join(made)}, {counted(pool.n_units, pool.unit)}: expected difference {difference}"
    undeclared = undeclared_sentence(about)
    yield from ["", undeclared] if undeclared else []
    yield from text_lines(report.sections, is_underlined=True)


def _json(reports: Sequence[_Report], settings: Settings, found: Sequence[Finding]) -> str:
    frames: dict[str, list[pd.DataFrame]] = {}
    plans = []
    for report in reports:
        names = {"metric": report.about.spec.key, "compared": report.about.systems[1]}
        for key, frame in report.frames.items():
            frames.setdefault(key, []).append(frame.assign(**names))
        if report.plan is not None:
            plans.append(names | report.plan)
    together = {key: pd.concat(many, ignore_index=True) for key, many in frames.items()}
    other = {"plans": plans, "settings": settings.deciding, "versions": dict(versions())}
    return to_json(together, {**other, "findings": findings_form(found)})
