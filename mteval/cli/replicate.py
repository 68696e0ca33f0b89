"""``mteval replicate``: how many runs do I need? What other runs would have shown, and what to plan."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.replication.differences import median_convergence, numbers_of_runs, replication
from mteval.analysis.replication.draws import USUAL, published, usual_numbers
from mteval.analysis.replication.planning import Plan, Wish, plan_from, plan_of_looks, power_frame, strictest_level
from mteval.analysis.replication.pool import Pool, Variation, pool_of, uncertainty_frame, variance_frame
from mteval.analysis.replication.pool import variation_of as estimated_variation
from mteval.analysis.results import with_names
from mteval.analysis.scoring import score_experiment
from mteval.analysis.work import Work
from mteval.answers.draws import median_table, outlook_table, power_table, published_table, variance_table
from mteval.answers.planner import look_power_sentence, plan_words
from mteval.answers.replication import advice_sentence, outlook_sentence, plan_sentences, undeclared_sentence
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.cli.console import add_json, examples, write_lines
from mteval.cli.options.computation import add_output_options, is_taken, work_for
from mteval.cli.options.latex import add_test_set, comparable, reported
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_design, add_number, add_runs, add_seed, add_shuffles, settings_of
from mteval.cli.options.systems import add_system_files, read_systems
from mteval.metrics import catalog, resolve
from mteval.render.json import to_json
from mteval.stats.planning import LookPower
from mteval.stats.procedures.registry import on_draws
from mteval.values.notation import Notation
from mteval.values.run_words import Wording
from mteval.values.settings import Settings

_DEFAULT_METRICS = ("bleu",)
_POWER = 0.8
_SIZES = (1, 2, 4)  # times this test set, for the table of power


@dataclass(frozen=True)
class _Report:
    """All that is found about one system by one metric; what two runs a system do not allow is None."""

    pool: Pool
    names: Mapping[str, str]
    notation: Notation
    frames: dict[str, pd.DataFrame]
    variation: Variation | None
    why_no_variation: str
    plan: Plan | None
    looks: LookPower | None = None


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = (
        "From all runs of each system: what fewer runs would have shown (spread of the difference,"
        " p-values, median run), where the variance comes from, and the runs that a difference takes."
    )
    parser.epilog = examples("replicate --files runs/ --baseline old --target 0.5")
    add_system_files(parser, words)
    _add_numbers(parser)
    add_json(add_output_options(parser, ("text", "json")))
    add_scoring_options(parser, _DEFAULT_METRICS)


def _add_numbers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("numbers")
    numbers = " ".join(map(str, USUAL))
    add_number(group, "--draws", int, 250, "random draws for each number of runs")
    add_shuffles(group, "--ar-shuffles", "shuffles of approximate randomization, for each p")
    group.add_argument(
        "--power", type=float, metavar="P", help=f"wanted probability of finding the target (default: {_POWER})"
    )
    add_number(
        group, "--confidence", float, Settings().confidence,
        "of intervals; the plan is for tests at one minus it, over the systems compared", "C",
    )  # fmt: skip
    add_test_set(group)
    add_design(group)
    add_seed(group)
    add_runs(group)
    group.add_argument(
        "--runs", nargs="+", type=int, metavar="N",
        help=f"numbers of runs to draw (default: those of {numbers} there are)",
    )  # fmt: skip
    group.add_argument("--most", type=int, metavar="K", help="spread for 1 to K runs (default: all of them)")
    group.add_argument(
        "--target",
        type=float,
        metavar="POINTS",
        help="true difference that matters, for the plan; not the observed one",
    )


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    is_printed = not is_taken(options, options.json)
    _check(options)
    compared = read_systems(options)
    experiment = reported(compared.experiment, options.test_set)
    metrics = chosen_metrics(options, experiment, has_texts=not compared.loaded.is_of_scores)
    settings = settings_of(
        options, metrics, n_shuffles=options.ar_shuffles, confidence=options.confidence, design=options.design
    )
    systems = compared.compared()
    level = strictest_level(settings, len(systems))
    wish = None if options.target is None else Wish(options.target, options.power or _POWER, level)
    with work_for(options) as work:
        scored = comparable(score_experiment(experiment, resolve(settings, experiment.given), work), compared)
        pools = [pool_of(one, experiment.baseline, key, settings) for one in scored for key in systems]
        specs = catalog(experiment.given)
        reports = [
            _report(pool, compared.names, specs[pool.scored.metric.key].notation, options, settings, wish, work)
            for pool in pools
        ]
    if options.json:
        write_lines(options.json, _json(reports, settings).splitlines())
    if options.format == "json":
        print(_json(reports, settings), end="")
    elif is_printed:
        print("\n\n".join("\n".join(_lines(report, options, settings)) for report in reports))


def _check(options: argparse.Namespace) -> None:
    """Refuse what has no effect, and what cannot be drawn."""
    if options.draws < 1:
        raise SettingsError(f"{counted(options.draws, 'draw')}; at least 1 is needed.")
    for name in ("power", "looks"):
        if options.target is None and getattr(options, name):
            raise SettingsError(f"--{name} is about the plan for a difference; name the difference by --target.")


def _report(
    pool: Pool,
    names: Mapping[str, str],
    notation: Notation,
    options: argparse.Namespace,
    settings: Settings,
    wish: Wish | None,
    work: Work,
) -> _Report:
    most = _checked(pool, names, options.most or min(pool.sizes))
    numbers = options.runs or usual_numbers(pool.sizes)
    for n in numbers:
        _checked(pool, names, n)
    found = replication(pool, settings, most)
    table, _ = published(pool, numbers, options.draws, tuple(on_draws()), settings, work)
    frames = {
        "outlook": found.outlook, "frequencies": found.frequencies, "published": table,
        "median": median_convergence(pool, min(pool.sizes)),
    }  # fmt: skip
    try:
        variation = estimated_variation(pool)
    except MtevalError as error:
        return _Report(pool, names, notation, frames, None, str(error), None)
    frames["variance"] = variance_frame(pool, variation)
    frames["uncertainty"] = uncertainty_frame(pool, variation)
    if wish is None:
        return _Report(pool, names, notation, frames, variation, "", None)
    sizes = [factor * pool.n_units for factor in _SIZES]
    frames["power"] = power_frame(variation.sources, (2, *numbers_of_runs(10)[2:], 20, 50), sizes, wish)
    planned = plan_from(pool, variation, wish)
    n_compared = round((1 - settings.confidence) / wish.level)
    plan_of = settings.look_plan
    looks = None if plan_of is None else plan_of_looks(variation.sources, pool.n_units, wish, plan_of, n_compared)
    return _Report(pool, names, notation, frames, variation, "", planned, looks)


def _checked(pool: Pool, names: Mapping[str, str], n: int) -> int:
    if not 1 <= n <= min(pool.sizes):
        raise SettingsError(
            f"{counted(n, 'run')} are to be drawn, but the baseline has {pool.sizes[0]} and {names[pool.system]}"
            f" has {pool.sizes[1]}; name a number from 1 to {min(pool.sizes)}."
        )
    return n


def _lines(report: _Report, options: argparse.Namespace, settings: Settings) -> list[str]:
    pool, frames, notation = report.pool, report.frames, report.notation
    name, baseline, system = pool.scored.metric.name, report.names[pool.baseline], report.names[pool.system]
    said = Wording(settings.runs, (name, baseline, system))
    procedures = {key: spec.short_name_on(pool.unit) for key, spec in on_draws().items()}
    lines = [
        f"{name}, {baseline} ({counted(pool.sizes[0], said('run'))}) and {system}"
        f" ({counted(pool.sizes[1], said('run'))}),"
        f" {counted(pool.n_units, pool.unit)}: {notation.difference(pool.expected)} in expectation",
        *_undeclared(settings, said),
        *_section(said("Difference by number of runs: fresh runs, and combinations of these")),
        outlook_table(frames["outlook"], notation, said),
        said(outlook_sentence(frames["outlook"], system, baseline, name, notation, settings.confidence)),
        *_section(said(f"p-values: single runs, then the middle 95% over {counted(options.draws, 'draw')}")),
        published_table(frames["published"], procedures, said),
        *_section("Where the variance comes from"),
    ]
    if report.variation is None:
        lines.append(said(report.why_no_variation))
    else:
        variance = frames["variance"]
        last = variance[variance["what"] == variance["what"].iloc[-1]]
        shares = dict(zip(last["source"], last["share"], strict=True))
        advice = advice_sentence(shares, pool.unit, pool.sizes, report.variation.design)
        lines += [variance_table(variance, notation, said), said(advice)]
    if report.plan is not None:
        lines += _section("Plan")
        lines.append(power_table(frames["power"], pool.unit, notation, said))
        lines += map(said, plan_sentences(report.plan, name, pool.unit, notation))
        if report.looks is not None and settings.look_plan is not None:
            what = f"a true difference of {notation.chosen(report.plan.wish.target)} {name}"
            runs, looks = settings.runs, report.looks
            found = look_power_sentence(settings.look_plan, looks.found, looks.mean_runs, what, runs)
            lines += [found, plan_words(settings.look_plan)]
    lines += _section(said("How often the median run lies within half the difference of its system's mean"))
    median = frames["median"]
    return [*lines, median_table(with_names(median, report.names), said)]


def _undeclared(settings: Settings, said: Wording) -> list[str]:
    """What does not go by how runs were declared, where they were."""
    sentence = undeclared_sentence(settings.design)
    return ["", said(sentence)] if sentence else []


def _section(title: str) -> list[str]:
    return ["", title, "-" * len(title)]


def _json(reports: Sequence[_Report], settings: Settings) -> str:
    frames: dict[str, list[pd.DataFrame]] = {}
    plans = []
    for report in reports:
        names = {"metric": report.pool.scored.metric.key, "compared": report.names[report.pool.system]}
        for key, frame in report.frames.items():
            frames.setdefault(key, []).append(frame.assign(**names))
        if report.plan is not None:
            looks = {} if report.looks is None else {"looks": asdict(report.looks)}
            plans.append(names | asdict(report.plan) | looks)
    together = {key: pd.concat(many, ignore_index=True) for key, many in frames.items()}
    return to_json(together, {"plans": plans, "settings": settings.deciding, "versions": dict(versions())})
