"""``mteval compare``: any procedure, all pairs, equivalence, pooled run variances and the split-half check."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import pandas as pd

from mteval.analysis import significance
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, corrections_for
from mteval.analysis.equality import FEWEST_RUNS_TO_HALVE, Halvings, equality_frame, halvings
from mteval.analysis.evaluation import versions
from mteval.analysis.findings import findings_of
from mteval.analysis.pairs import all_pairs
from mteval.analysis.results import with_names
from mteval.analysis.scoring import Scored, Work, frame_of
from mteval.answers import procedures as answers
from mteval.answers.findings import warning_section
from mteval.answers.section import Section
from mteval.answers.sensitivity import equality_section, halvings_section, halvings_sentence
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.cli import output_options as output
from mteval.cli.console import add_truth, examples, file_to_write, refuse, write_text
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request_on_test_set
from mteval.cli.system_options import Systems, add_system_files, add_test_set
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.render.frames import frame_csv, frame_tsv, to_json
from mteval.render.latex import latex_lines
from mteval.render.markdown import markdown_lines
from mteval.render.text import text_lines
from mteval.report.numbers import findings_form
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import answering, usual
from mteval.values.settings import Settings

USUAL_FOR_PAIRS = answering("test-set", "segment").key


@dataclass(frozen=True)
class Asked:
    """What the answers are computed from; ``unit`` is what tests resample."""

    scored: Sequence[Scored]
    unit: str
    options: argparse.Namespace
    settings: Settings
    work: Work
    specs: Mapping[str, MetricSpec]
    systems: Systems

    @property
    def family(self) -> significance.Family:
        """All comparisons with the baseline."""
        return significance.Family.of(self.scored, self.systems.experiment.baseline)


Answer: TypeAlias = "tuple[pd.DataFrame, Sequence[Section]]"  # all rows; what is printed


def _procedures(asked: Asked) -> Answer:
    options, settings, family = asked.options, asked.settings, asked.family
    all_keys = significance.usual_on(asked.scored[0], settings.design)
    chosen = options.procedure or [key for key in all_keys if options.correction in corrections_for(PROCEDURES[key])]
    outcomes = significance.ask_family(
        family, significance.all_questions(asked.unit, chosen), settings, asked.work, options.side
    )
    frame = with_names(significance.family_frame(outcomes, options.correction, settings), asked.systems.names)
    sections = [
        answers.procedures_section(
            rows, asked.specs[str(metric)], f"{system} against {asked.systems.baseline}, {options.side}", settings.runs
        )
        for (metric, system), rows in frame.groupby(["metric", "system"], sort=False)
    ]
    is_less = len(chosen) < len(all_keys) and not options.procedure
    less = ["Procedures without shared shuffles are omitted: this correction needs them."] * is_less
    sizes = len(family.systems), len(asked.scored)
    return frame, [*sections, answers.family_section(frame, *sizes, options.correction, settings.confidence, *less)]


def _equality(asked: Asked) -> Answer:
    settings, margin, side = asked.settings, asked.options.margin, asked.options.side
    vague = [one.metric for one in asked.scored if not asked.specs[one.metric.key].notation.has_direction]
    if vague and side != significance.SIDES[0]:
        raise SettingsError(f"--side needs a better direction, which {vague[0].name} does not have.")
    found = equality_frame(asked.family, asked.unit, margin, settings, asked.work, side)
    frame = with_names(found, asked.systems.names)
    return frame, [equality_section(frame, asked.specs, margin, settings.confidence, settings.runs, side)]


def _pairs(asked: Asked) -> Answer:
    options, settings = asked.options, asked.settings
    question = significance.question_on((options.procedure or [USUAL_FOR_PAIRS])[0], asked.unit)
    frames, sections = [], []
    for one in asked.scored:
        found = all_pairs(one, question, options.correction, settings, asked.work)
        frame = with_names(found, asked.systems.names, "better", "worse")
        frames.append(frame.assign(metric=one.metric.key, procedure=question.procedure, unit=question.unit))
        spec = asked.specs[one.metric.key]
        sections.append(answers.pairs_section(frame, question, spec, settings, options.correction))
    return pd.concat(frames), sections


def _own_runs(asked: Asked) -> Answer:
    found = {one.metric: halvings(one, asked.unit, asked.settings, asked.work) for one in asked.scored}
    if not any(found.values()):
        raise SettingsError(f"--own-runs needs a system with at least {counted(FEWEST_RUNS_TO_HALVE, 'run')}.")
    about = ["test_set", "metric"]
    frames = [frame_of(rows, Halvings).drop(columns=about).assign(metric=metric.key) for metric, rows in found.items()]
    runs, names = asked.settings.runs, asked.systems.names
    sentences = [
        f"{metric.name}: {halvings_sentence(replace(row, system=names[row.system]), runs)}"
        for metric, rows in found.items()
        for row in rows
    ]
    return with_names(pd.concat(frames), names, "system"), [halvings_section(sentences, runs)]


_EXAMPLES = examples(
    "compare --files runs/ --baseline old --procedure ar-segment two-way",
    "compare --files runs/ --baseline old --all-pairs",
    "compare --files runs/ --baseline old --margin 0.5 --side worse",
)
_PROCEDURES = "\n".join(f"  {key:<{max(map(len, PROCEDURES))}}  {spec.name}" for key, spec in PROCEDURES.items())


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options, with one ``--hyps-sysN`` for each system in the words."""
    parser.description = "Test the difference from the baseline. Choose the procedure before you look at results."
    parser.epilog = f"{_EXAMPLES}\n\nprocedures:\n{_PROCEDURES}"
    add_system_files(parser, words)
    add_metric_options(parser, ("bleu",), words)
    group = parser.add_argument_group("tests")
    text = f"procedures listed below (default: all; {USUAL_FOR_PAIRS} with --all-pairs)"
    group.add_argument("--procedure", nargs="+", choices=tuple(PROCEDURES), metavar="P", help=text)
    add_test_set(group)
    text = f"alternative hypothesis (default: {significance.SIDES[0]}); with --margin: not worse, or better by more"
    group.add_argument("--side", choices=significance.SIDES, help=text)
    group.add_argument("--correction", choices=tuple(CORRECTIONS), help="for multiple comparisons (default: holm)")
    add_truth(group, "--all-pairs", "test all pairs of systems, one-sided")
    add_truth(group, "--own-runs", "split-half check of each system's runs (6 or more)")
    group.add_argument("--margin", type=float, metavar="POINTS", help="test for a difference below POINTS (see --side)")
    output.add_design(group)
    output.add_run_word(group)
    output.add_resampling(group, "what tests resample; auto: documents if known")
    files = output.add_output_options(parser)
    files.add_argument("--csv", type=file_to_write, metavar="FILE", help="write all rows")
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, test, print.

    Raises
    ------
    MtevalError
        On bad input or options without effect.
    """
    question = _question(options)
    request = read_request_on_test_set(options)
    systems = request.systems
    experiment = request.experiment
    settings = request.settings
    systems.compared()
    with output.work_for(options) as work:
        scored = systems.comparable(request.scored(work))
        unit = significance.unit_of(scored[0], settings)
        asked = Asked(scored, unit, options, settings, work, catalog(experiment.given), systems)
        ways = {"": _procedures, "--all-pairs": _pairs, "--own-runs": _own_runs, "--margin": _equality}
        frame, sections = ways[question](asked)
    found = findings_of(experiment, scored, settings)
    if options.csv:
        write_text(options.csv, frame_csv(frame))
    sentences = [
        text for one in sections if one.table is None for text in (*one.lead, *(note.said for note in one.notes))
    ]
    other = {
        "settings": settings.deciding, "versions": dict(versions()), "sentences": sentences,
        "findings": findings_form(found),
    }  # fmt: skip
    warned = [] if options.format == "latex" else warning_section(found)
    as_lines = {"markdown": markdown_lines, "latex": latex_lines}.get(options.format, text_lines)
    lines = [frame_tsv(frame).removesuffix("\n")] if options.format == "tsv" else as_lines([*sections, *warned])
    output.publish(options, lambda: to_json({"comparisons": frame}, other), lines, found)


def _question(options: argparse.Namespace) -> str:
    """Return the option that selects the answer, empty for all procedures, and fill in defaults.

    Raises
    ------
    SettingsError
        If options exclude each other or would have no effect.
    """
    asked = {"--all-pairs": options.all_pairs, "--own-runs": options.own_runs, "--margin": options.margin is not None}
    chosen = [option for option, is_chosen in asked.items() if is_chosen]
    if len(chosen) > 1:
        raise SettingsError(f"Use only one of {' and '.join(chosen)}.")
    question = chosen[0] if chosen else ""
    without: Mapping[str, Sequence[str]] = {"": (), "--all-pairs": ("side",), "--margin": ("procedure", "correction")}
    without_effect = without.get(question, ("procedure", "side", "correction"))
    refuse(options, without_effect, f"has no effect with {question}. Use only one of them")
    if options.all_pairs and options.procedure and len(options.procedure) > 1:
        raise SettingsError("--all-pairs needs exactly one --procedure.")
    options.side = options.side or significance.SIDES[0]
    options.correction = options.correction or "holm"
    if options.correction == ALL_PAIRS and not options.all_pairs:
        raise SettingsError(f"--correction {ALL_PAIRS} needs --all-pairs.")
    named = options.procedure or ([USUAL_FOR_PAIRS] if options.all_pairs else [])
    is_released = options.design == "released"
    going_by = [key for key in usual(options.design) if is_released or PROCEDURES[key].design == options.design]
    if not question and options.design != "independent" and named and not set(named) & set(going_by):
        raise SettingsError(
            f"--design {options.design} has no effect on {', '.join(named)}. Add a procedure ({', '.join(going_by)}) or"
            " remove --design."
        )
    if lacking := [key for key in named if options.correction not in corrections_for(PROCEDURES[key])]:
        raise SettingsError(
            f"--correction {options.correction} does not work with {', '.join(lacking)}: no"
            f" {'standard errors' if options.correction == ALL_PAIRS else 'shared shuffles'}. Choose another correction"
            " or procedure."
        )
    output.is_taken(options)
    return question
