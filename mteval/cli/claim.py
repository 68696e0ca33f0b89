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
from mteval.answers.section import Section
from mteval.base.errors import MtevalError
from mteval.base.words import composed, counted, listed
from mteval.cli import output_options as output
from mteval.cli.console import examples
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.readers.replays import Replay
from mteval.render.frames import to_json
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.values.claim import claimed_test_sets
from mteval.values.findings import Finding, about_any
from mteval.values.ledger import Ledger
from mteval.values.model import Experiment
from mteval.values.settings import Settings

SHARED = "shared"
SEPARATE = "separate"
Replays = Mapping[Path, Replay]


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
    group.add_argument("--systems", type=composed, nargs="+", metavar="NAME", help="systems (default: all)")
    group.add_argument("--metrics", nargs="+", metavar="KEY", help="metrics (default: those in all files)")
    output.add_output_options(parser, ("text", "json"))
    output.add_computing_options(parser)


def add_experiments(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    """Add the positional experiment files, ``--runs`` and ``--test-sets``."""
    output.add_experiment_file(parser, several=True)
    text = (
        "whether runs with the same name are the same trained model (default: shared within a file; required if names"
        " match across files)"
    )
    group.add_argument("--runs", choices=(SHARED, SEPARATE), help=text)
    text = "test sets (default: all but those with role dev)"
    group.add_argument("--test-sets", type=composed, nargs="+", metavar="NAME", help=text)


@dataclass(frozen=True)
class Claimed:
    """What experiment files claim together: settings and baseline of the first, metrics of all."""

    sources: tuple[several.Source, ...]
    specs: Mapping[str, MetricSpec]
    baseline: str
    settings: Settings
    findings: tuple[Finding, ...]
    files: Ledger  # of all of them
    experiments: Mapping[str, Experiment]  # by the path of the file


def read_claimed(options: argparse.Namespace) -> Claimed:
    """Read and score the experiments.

    Raises
    ------
    MtevalError
        On bad input, or if it is unknown whether runs are shared between files.
    """
    replays = {path: output.read_replay(path) for path in options.experiment}
    baseline = _shared_baseline(replays)
    specs = _shared_specs(replays, options.metrics)
    is_shared = _is_shared(replays, options.runs)
    several.refuse_unknown(options.test_sets or (), [replay.loaded.experiment for replay in replays.values()])
    with output.work_for(options) as work:
        scored_in = {path: _scored(replay, tuple(specs), options.test_sets, work) for path, replay in replays.items()}

    # Test sets with the same name in several files are named after the files' folders
    scored_by_folder = [(path.absolute().parent.name, scored) for path, scored in scored_in.items()]
    is_apart_within = options.runs == SEPARATE and len(replays) == 1
    sources = several.named_apart(scored_by_folder, is_shared=is_shared, is_apart_within=is_apart_within)
    findings: list[Finding] = []
    for path, replay in replays.items():
        names = {"", *(scored.test_set.name for scored in scored_in[path])}
        of_file = findings_of(replay.loaded.experiment, scored_in[path], replay.file.settings)
        findings += [finding for finding in of_file if finding.test_set in names]
    settings = replace(replays[options.experiment[0]].file.settings, metrics=tuple(specs))
    entries = [entry for replay in replays.values() for entry in replay.loaded.experiment.ledger]
    experiments = {str(path): replay.loaded.experiment for path, replay in replays.items()}
    ledger = Ledger(tuple(dict.fromkeys(entries)))
    return Claimed(sources, specs, baseline, settings, tuple(findings), ledger, experiments)


def run(options: argparse.Namespace) -> None:
    """Read, score, print.

    Raises
    ------
    MtevalError
        On bad input, or if it is unknown whether runs are shared between files.
    """
    output.check_one_is_printed(options)
    claimed = read_claimed(options)
    systems = options.systems or several.common_systems(claimed.sources, claimed.baseline)
    all_claims = several.claims(claimed.sources, claimed.specs, claimed.baseline, claimed.settings)
    claims = [claim for claim in all_claims if claim.system in systems]
    if not claims:
        raise MtevalError(_why_none(claimed.sources, claimed.baseline, systems))

    findings = about_any(claimed.findings, {claimed.baseline, *(claim.system for claim in claims)})
    sections = [*claim_sections(claims, claimed.settings.confidence), *warning_section(findings)]
    lines = list(text_lines(map(_briefer, sections), is_underlined=True))
    frames = {"claims": several.claims_frame(claims), "test_sets": several.on_one_frame(claims)}
    header = {
        "settings": claimed.settings.deciding,
        "versions": dict(versions()),
        "findings": findings_form(findings),
        "files": claimed.files.form(),
    }
    output.publish(options, lambda: to_json(frames, header), lines[1:], findings)  # without the empty line


def _briefer(section: Section) -> Section:
    """Return a section without the caption of its table and without the card of its verdict."""
    table = section.table
    if table is not None:
        table = replace(table, caption="")
    return replace(section, table=table, verdict=None)


def _shared_baseline(replays: Replays) -> str:
    """Return the baseline of all files.

    Raises
    ------
    MtevalError
        If they have different ones.
    """
    file_of = {replay.file.baseline: path for path, replay in replays.items()}
    if len(file_of) > 1:
        baselines = listed([f"'{baseline}' in {path}" for baseline, path in file_of.items()])
        raise MtevalError(f"The baseline is {baselines}. Give it the same name in all files.")
    return next(iter(file_of))


def _shared_specs(replays: Replays, wanted: Sequence[str] | None) -> dict[str, MetricSpec]:
    """Return the metrics that all files share, in the order of the first.

    Raises
    ------
    MtevalError
        If there are none, or a wanted one is not among them.
    """
    first_metrics, *other_metrics = (replay.file.settings.metrics for replay in replays.values())
    shared = [key for key in first_metrics if all(key in metrics for metrics in other_metrics)]
    for key in wanted or ():
        if key not in shared:
            raise MtevalError(f"Metric '{key}' is not in all files. In all files: {', '.join(shared) or 'none'}.")
    if not shared:
        raise MtevalError("The files have no metric in common. Add one to the settings of each.")
    first_replay = next(iter(replays.values()))
    known = catalog(first_replay.loaded.experiment.given)
    return {key: known[key] for key in wanted or shared}


def _is_shared(replays: Replays, answer: str | None) -> bool:
    """Tell whether runs of the same name in several files are the same trained model.

    Parameters
    ----------
    answer
        ``shared``, ``separate``, or None if ``--runs`` is missing.

    Raises
    ------
    MtevalError
        If names match and ``--runs`` is missing.
    """
    if answer is not None or len(replays) == 1:
        return answer != SEPARATE
    runs_in = {}
    for path, replay in replays.items():
        systems = replay.loaded.experiment.systems
        runs_in[path] = {(system.key, run) for system in systems for run in system.runs}
    for (path, runs), (other_path, other_runs) in combinations(runs_in.items(), 2):
        matching = sorted(runs & other_runs)
        if matching:
            system, run = matching[0]
            raise MtevalError(
                f"{path} and {other_path} share {counted(len(matching), 'run name')}, e.g. '{run}' of '{system}'. If"
                f" they are the same trained models (e.g. multilingual), use --runs {SHARED}; otherwise --runs"
                f" {SEPARATE}."
            )
    return False


def _scored(replay: Replay, metrics: tuple[str, ...], names: Sequence[str] | None, work: Work) -> list[Scored]:
    """Return the statistics of the claim's test sets in one file.

    Parameters
    ----------
    names
        Test sets; by default all but those with role dev.
    """
    experiment = replay.loaded.experiment
    if names is None:
        names = [test_set.name for test_set in claimed_test_sets(experiment.test_sets)]
    settings = replace(replay.file.settings, metrics=metrics)
    all_scored = score_experiment(experiment, resolve(settings, experiment.given), work)
    return [scored for scored in all_scored if scored.test_set.name in names]


def _why_none(sources: Sequence[several.Source], baseline: str, systems: Sequence[str]) -> str:
    """Return why there is no claim, and how to change that."""
    names = list(dict.fromkeys(source.name for source in sources))
    if len(names) < 2:
        test_sets = listed(names) if names else "none"
        return (
            f"A claim needs two or more test sets; found {test_sets}. Use --test-sets to include those with role dev."
        )
    among = ""
    if systems:
        among = f"among {listed(list(systems))} "
    common = several.common_systems(sources, baseline)
    systems_on_all = ", ".join(common) or f"only {baseline}"
    return (
        f"No system {among}has scores on all of {listed(names)}. Found on all: {systems_on_all}. Give a system the same"
        " name in all files."
    )
