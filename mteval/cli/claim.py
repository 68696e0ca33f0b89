"""``mteval claim``: test one claim on several test sets or language pairs, from one or more experiments."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from mteval.analysis import several_test_sets as several
from mteval.analysis.evaluation import versions
from mteval.analysis.findings import findings_of
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.answers.claims import claim_sections
from mteval.answers.findings import warning_section
from mteval.base.errors import MtevalError
from mteval.base.words import counted, listed
from mteval.cli import output_options as output
from mteval.cli.console import examples
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.readers.replays import Replay
from mteval.render.frames import to_json
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.values.findings import Finding
from mteval.values.settings import Settings

SHARED, SEPARATE = "shared", "separate"
_Replays = Mapping[Path, Replay]


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.usage = "%(prog)s experiment.toml… [option…]"
    parser.description = (
        "Test the mean difference over several test sets or language pairs, weighted equally. Systems need the same"
        " names in all files. Settings come from the first file, metric options from each."
    )
    parser.epilog = examples("claim experiment.toml", "claim de-en.toml fr-en.toml --runs shared")
    group = parser.add_argument_group("claim")
    add_experiments(parser, group)
    group.add_argument("--systems", nargs="+", metavar="NAME", help="systems (default: all)")
    group.add_argument("--metrics", nargs="+", metavar="KEY", help="metrics (default: those in all files)")
    output.add_output_options(parser, ("text", "json"))
    output.add_computing_options(parser)


def add_experiments(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    """Add the positional experiment files, ``--runs`` and ``--test-sets``."""
    output.add_experiment_file(parser, several=True)
    group.add_argument(
        "--runs", choices=(SHARED, SEPARATE),
        help="are runs of one name the same trained model? (default: shared within a file; required if names match"
        " across files)",
    )  # fmt: skip
    text = "test sets (default: all but those with role dev)"
    group.add_argument("--test-sets", nargs="+", metavar="NAME", help=text)


@dataclass(frozen=True)
class Claimed:
    """What experiment files claim together: settings and baseline of the first, metrics of all."""

    sources: tuple[several.Source, ...]
    specs: Mapping[str, MetricSpec]
    baseline: str
    settings: Settings
    findings: tuple[Finding, ...]


def read_claimed(options: argparse.Namespace) -> Claimed:
    """Read and score the experiments.

    Raises
    ------
    MtevalError
        On bad input, or if it is unknown whether runs are shared between files.
    """
    replays = {path: output.read_replay(path) for path in options.experiment}
    baseline, specs = _baseline(replays), _specs(replays, options.metrics)
    settings = replace(replays[options.experiment[0]].file.settings, metrics=tuple(specs))
    is_shared = _is_shared(replays, options.runs)
    with output.work_for(options) as work:
        scored = {path: _scored(replay, tuple(specs), options.test_sets, work) for path, replay in replays.items()}
    parts = [(path.absolute().parent.name, found) for path, found in scored.items()]
    sources = several.named_apart(
        parts, is_shared=is_shared, is_apart_within=options.runs == SEPARATE and len(parts) == 1
    )
    findings = [
        one
        for path, replay in replays.items()
        for one in findings_of(replay.loaded.experiment, scored[path], replay.file.settings)
    ]
    return Claimed(sources, specs, baseline, settings, tuple(findings))


def run(options: argparse.Namespace) -> None:
    """Read, score, print.

    Raises
    ------
    MtevalError
        On bad input, or if it is unknown whether runs are shared between files.
    """
    output.is_taken(options)
    read = read_claimed(options)
    sources, baseline, settings, findings = read.sources, read.baseline, read.settings, read.findings
    systems = options.systems or several.common_systems(sources, baseline)
    found = [claim for claim in several.claims(sources, read.specs, baseline, settings) if claim.system in systems]
    if not found:
        raise MtevalError(_why_none(sources, baseline, systems))
    sections = [*claim_sections(found, settings.confidence), *warning_section(findings)]
    briefer = [replace(one, table=one.table and replace(one.table, caption=""), verdict=None) for one in sections]
    frames = {"claims": several.claims_frame(found), "test_sets": several.on_one_frame(found)}
    other = {"settings": settings.deciding, "versions": dict(versions()), "findings": findings_form(findings)}
    output.publish(options, lambda: to_json(frames, other), [*text_lines(briefer, is_underlined=True)][1:], findings)


def _baseline(replays: _Replays) -> str:
    found = {replay.file.baseline: path for path, replay in replays.items()}
    if len(found) > 1:
        named = listed([f"'{baseline}' in {path}" for baseline, path in found.items()])
        raise MtevalError(f"The baseline is {named}. Give it the same name in all files.")
    return next(iter(found))


def _specs(replays: _Replays, wanted: Sequence[str] | None) -> dict[str, MetricSpec]:
    """Return the metrics that all files share, in the order of the first."""
    first, *others = (replay.file.settings.metrics for replay in replays.values())
    common = [key for key in first if all(key in metrics for metrics in others)]
    for key in wanted or ():
        if key not in common:
            raise MtevalError(f"Metric '{key}' is not in all files. In all files: {', '.join(common) or 'none'}.")
    if not common:
        raise MtevalError("The files have no metric in common. Add one to the settings of each.")
    known = catalog(next(iter(replays.values())).loaded.experiment.given)
    return {key: known[key] for key in wanted or common}


def _is_shared(replays: _Replays, said: str | None) -> bool:
    """Tell whether runs of the same name in several files are the same trained model.

    Raises
    ------
    MtevalError
        If names match and ``--runs`` is missing.
    """
    if said is not None or len(replays) == 1:
        return said != SEPARATE
    runs = {
        path: {(system.key, run) for system in replay.loaded.experiment.systems for run in system.runs}
        for path, replay in replays.items()
    }
    for (one, first), (other, second) in combinations(runs.items(), 2):
        if matching := sorted(first & second):
            system, run = matching[0]
            raise MtevalError(
                f"{one} and {other} share {counted(len(matching), 'run name')}, e.g. '{run}' of '{system}'. If they are"
                f" the same trained models (e.g. multilingual), use --runs {SHARED}; otherwise --runs {SEPARATE}."
            )
    return False


def _scored(replay: Replay, metrics: tuple[str, ...], names: Sequence[str] | None, work: Work) -> list[Scored]:
    """Return the statistics of the claim's test sets in one file."""
    whole = replay.loaded.experiment
    usual = [test_set.name for test_set in several.claimed_test_sets(whole.test_sets)]
    scored = score_experiment(whole, resolve(replace(replay.file.settings, metrics=metrics), whole.given), work)
    return [one for one in scored if one.test_set.name in (usual if names is None else names)]


def _why_none(sources: Sequence[several.Source], baseline: str, systems: Sequence[str]) -> str:
    names = list(dict.fromkeys(source.name for source in sources))
    if len(names) < 2:
        return (
            f"A claim needs two or more test sets; found {listed(names) if names else 'none'}. Use --test-sets to"
            " include those with role dev."
        )
    common = several.common_systems(sources, baseline)
    return (
        f"No system {'among ' + listed(list(systems)) + ' ' if systems else ''}has scores on all of {listed(names)}."
        f" Found on all: {', '.join(common) or f'only {baseline}'}. Give a system the same name in all files."
    )
