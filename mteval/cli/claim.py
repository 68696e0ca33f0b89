"""``mteval claim``: one claim from several test sets or language pairs, of one experiment or of several."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from mteval.analysis.evaluation import versions
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.several_test_sets import (
    Source,
    claimed_test_sets,
    claims,
    claims_frame,
    common_systems,
    named_apart,
    on_one_frame,
)
from mteval.analysis.work import Work
from mteval.answers.claims import claim_sections
from mteval.answers.section import Section
from mteval.base.errors import MtevalError
from mteval.base.words import counted, listed
from mteval.cli.console import examples
from mteval.cli.options import numbers as experiment
from mteval.cli.options.output import add_computing_options, add_output_options, is_taken, publish, work_for
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.readers.replays import Replay
from mteval.render.json import to_json
from mteval.render.text import text_lines

SHARED, SEPARATE = "shared", "separate"
_Replays = Mapping[Path, Replay]


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = (
        "Test the mean difference over several test sets or language pairs, each weighted equally. Accounts for"
        " test-set luck, training luck and, with three or more test sets, the choice of test sets. Systems need the"
        " same names in all files. Settings come from the first file, metric options from each."
    )
    parser.epilog = examples(
        "claim experiment.toml",
        "claim de-en.toml fr-en.toml --runs shared",
    )
    experiment.add_experiment_file(parser, several=True)
    group = parser.add_argument_group("claim")
    group.add_argument(
        "--runs", choices=(SHARED, SEPARATE),
        help="are runs of the same name one trained model, e.g. multilingual, or separate models? (default: shared"
        " within a file; required if names match across files)",
    )  # fmt: skip
    text = "test sets (default: all but those with role dev)"
    group.add_argument("--test-sets", nargs="+", metavar="NAME", help=text)
    group.add_argument("--systems", nargs="+", metavar="NAME", help="systems (default: all)")
    group.add_argument("--metrics", nargs="+", metavar="KEY", help="metrics (default: those in all files)")
    add_output_options(parser, ("text", "json"))
    add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, print.

    Raises
    ------
    MtevalError
        On bad input, and where it must be said whether runs are shared.
    """
    is_taken(options)
    replays = {path: experiment.read(path) for path in options.experiment}
    baseline, specs = _baseline(replays), _specs(replays, options.metrics)
    settings = replace(replays[options.experiment[0]].file.settings, metrics=tuple(specs))
    is_shared = _is_shared(replays, options.runs)
    with work_for(options) as work:
        scored = {path: _scored(replay, tuple(specs), options.test_sets, work) for path, replay in replays.items()}
    parts = [(path.absolute().parent.name, found) for path, found in scored.items()]
    sources = named_apart(parts, is_shared=is_shared, is_apart_within=options.runs == SEPARATE and len(parts) == 1)
    systems = options.systems or common_systems(sources, baseline)
    found = [claim for claim in claims(sources, specs, baseline, settings) if claim.system in systems]
    if not found:
        raise MtevalError(_why_none(sources, baseline, systems))
    texts = ("\n".join(_lines(section)) for section in claim_sections(found, settings.confidence))
    frames = {"claims": claims_frame(found), "test_sets": on_one_frame(found)}
    other = {"settings": settings.deciding, "versions": dict(versions())}
    publish(options, to_json(frames, other), ["\n\n".join(texts)])


def _baseline(replays: _Replays) -> str:
    found = {replay.file.baseline: path for path, replay in replays.items()}
    if len(found) > 1:
        named = listed([f"'{baseline}' in {path}" for baseline, path in found.items()])
        raise MtevalError(f"The baseline is {named}; give it the same name in all files.")
    return next(iter(found))


def _specs(replays: _Replays, wanted: Sequence[str] | None) -> dict[str, MetricSpec]:
    """The metrics of all files, in the order of the first."""
    first, *others = (replay.file.settings.metrics for replay in replays.values())
    common = [key for key in first if all(key in metrics for metrics in others)]
    for key in wanted or ():
        if key not in common:
            raise MtevalError(f"'{key}' is no metric of all files; those are {', '.join(common) or 'none'}.")
    if not common:
        raise MtevalError("The files have no metric in common; name one in the settings of each.")
    known = catalog(next(iter(replays.values())).loaded.experiment.given)
    return {key: known[key] for key in wanted or common}


def _is_shared(replays: _Replays, said: str | None) -> bool:
    """Whether runs of the same name in several files are the same trained model.

    Raises
    ------
    MtevalError
        Where names match and the user has not said so.
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
                f"{counted(len(matching), 'run')}, as '{run}' of '{system}', {'has' if len(matching) == 1 else 'have'}"
                f" the same name in {one} and {other}. If these are the same trained models, as of one multilingual"
                f" system, say --runs {SHARED}; if each file has models of its own, say --runs {SEPARATE}."
            )
    return False


def _scored(replay: Replay, metrics: tuple[str, ...], names: Sequence[str] | None, work: Work) -> list[Scored]:
    """The statistics of a file's test sets that the claim is about."""
    whole = replay.loaded.experiment
    wanted = claimed_test_sets(whole.test_sets)
    if names is not None:
        wanted = tuple(test_set for test_set in whole.test_sets if test_set.name in names)
    settings = replace(replay.file.settings, metrics=metrics)
    known = {test_set.name for test_set in wanted}
    scored = score_experiment(whole, resolve(settings, whole.given), work)
    return [one for one in scored if one.test_set.name in known]


def _why_none(sources: Sequence[Source], baseline: str, systems: Sequence[str]) -> str:
    names = list(dict.fromkeys(source.name for source in sources))
    if len(names) < 2:
        return (
            f"A claim takes two or more test sets; found {listed(names) if names else 'none'}. Those with role dev take"
            " part where --test-sets names them."
        )
    common = common_systems(sources, baseline)
    return (
        f"No system {'of ' + listed(list(systems)) + ' ' if systems else ''}has scores on all of {listed(names)} beside"
        f" '{baseline}'; on all are {', '.join(common) or 'none'}. Give a system the same name in all files."
    )


def _lines(section: Section) -> Iterator[str]:
    """The title, the table, and what is said of it."""
    assert section.table is not None
    yield from (section.title, "-" * len(section.title))
    table = Section(section.key, "", table=replace(section.table, caption=""))
    yield from text_lines([table, replace(section, title="", table=None, verdict=None)])
