"""``mteval compare``: any procedure, all pairs, equivalence, pooled run variances and the split-half check."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from mteval.cli.console import add_truth, examples, file_to_write, number, refuse, write_text
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
from mteval.values.findings import Finding
from mteval.values.settings import Design, Settings

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
    """Test the difference of each system from the baseline, by several procedures."""
    options = asked.options
    settings = asked.settings
    usual_keys = significance.usual_on(asked.scored[0], settings.design)
    notes = []
    if options.procedure:
        keys = options.procedure
    else:
        keys = [key for key in usual_keys if options.correction in corrections_for(PROCEDURES[key])]
        if len(keys) < len(usual_keys):
            notes.append("Procedures without shared shuffles are omitted: this correction needs them.")
    family = asked.family
    questions = significance.all_questions(asked.unit, keys)
    outcomes = significance.ask_family(family, questions, settings, asked.work, options.side)
    frame = with_names(significance.family_frame(outcomes, options.correction, settings), asked.systems.names)

    sections = []
    for (metric, system), rows in frame.groupby(["metric", "system"], sort=False):
        title = f"{system} against {asked.systems.baseline}, {options.side}"
        sections.append(answers.procedures_section(rows, asked.specs[str(metric)], title, settings.runs))
    n_systems = len(family.systems)
    n_metrics = len(asked.scored)
    sections.append(
        answers.family_section(frame, n_systems, n_metrics, options.correction, settings.confidence, *notes)
    )
    return frame, sections


def _equality(asked: Asked) -> Answer:
    """Test whether each system differs from the baseline by less than a margin."""
    settings = asked.settings
    margin = asked.options.margin
    side = asked.options.side
    if side != significance.SIDES[0]:
        for scored in asked.scored:
            if not asked.specs[scored.metric.key].notation.has_direction:
                raise SettingsError(f"--side needs a better direction, which {scored.metric.name} does not have.")
    frame = equality_frame(asked.family, asked.unit, margin, settings, asked.work, side)
    frame = with_names(frame, asked.systems.names)
    return frame, [equality_section(frame, asked.specs, margin, settings.confidence, settings.runs, side)]


def _pairs(asked: Asked) -> Answer:
    """Test all pairs of systems by each metric."""
    settings = asked.settings
    correction = asked.options.correction
    procedure = asked.options.procedure[0] if asked.options.procedure else USUAL_FOR_PAIRS
    question = significance.question_on(procedure, asked.unit)
    frames = []
    sections = []
    for scored in asked.scored:
        metric = scored.metric.key
        frame = all_pairs(scored, question, correction, settings, asked.work)
        frame = with_names(frame, asked.systems.names, "better", "worse")
        frames.append(frame.assign(metric=metric, procedure=question.procedure, unit=question.unit))
        sections.append(answers.pairs_section(frame, question, asked.specs[metric], settings, correction))
    return pd.concat(frames), sections


def _own_runs(asked: Asked) -> Answer:
    """Test halves of each system's runs against each other."""
    halvings_by = {scored.metric: halvings(scored, asked.unit, asked.settings, asked.work) for scored in asked.scored}
    if not any(halvings_by.values()):
        raise SettingsError(f"--own-runs needs a system with at least {counted(FEWEST_RUNS_TO_HALVE, 'run')}.")
    names = asked.systems.names
    frames = []
    sentences = []
    for metric, rows in halvings_by.items():
        frame = frame_of(rows, Halvings).drop(columns=["test_set", "metric"])
        frames.append(frame.assign(metric=metric.key))
        for row in rows:
            row_with_name = replace(row, system=names[row.system])
            sentences.append(f"{metric.name}: {halvings_sentence(row_with_name, asked.settings.runs)}")
    return with_names(pd.concat(frames), names, "system"), [halvings_section(sentences, asked.settings.runs)]


_EXAMPLES = examples(
    "compare --files runs/ --baseline old --procedure ar-segment two-way",
    "compare --files runs/ --baseline old --all-pairs",
    "compare --files runs/ --baseline old --margin 0.5 --side worse",
)
_WIDTH_OF_KEYS = max(map(len, PROCEDURES))
_PROCEDURES = "\n".join(f"  {key:<{_WIDTH_OF_KEYS}}  {spec.name}" for key, spec in PROCEDURES.items())
# Options without effect, by the option that selects the answer
_WITHOUT_EFFECT: Mapping[str, Sequence[str]] = {
    "": (),
    "--all-pairs": ("side",),
    "--own-runs": ("procedure", "side", "correction"),
    "--margin": ("procedure", "correction"),
}


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
    group.add_argument(
        "--margin", type=number, metavar="POINTS", help="test for a difference below POINTS (see --side)"
    )
    output.add_design(group)
    output.add_run_word(group)
    output.add_resampling(group, "what tests resample; auto: documents if known")
    files = output.add_output_options(parser)
    files.add_argument("--csv", type=file_to_write, metavar="FILE", help="write all rows")
    output.add_computing_options(parser)


# What answers each question, by the option that asks it
_ANSWERS: Mapping[str, Callable[[Asked], Answer]] = {
    "": _procedures,
    "--all-pairs": _pairs,
    "--own-runs": _own_runs,
    "--margin": _equality,
}


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
        frame, sections = _ANSWERS[question](asked)
    findings = findings_of(experiment, scored, settings)
    if options.csv:
        write_text(options.csv, frame_csv(frame))
    header = {
        "settings": settings.deciding,
        "versions": dict(versions()),
        "sentences": list(_sentences(sections)),
        "findings": findings_form(findings),
        "files": experiment.ledger.form(),
    }
    lines = _lines(options.format, frame, sections, findings)
    output.publish(options, lambda: to_json({"comparisons": frame}, header), lines, findings)


def _sentences(sections: Iterable[Section]) -> Iterator[str]:
    """Yield the texts of sections without a table, whose numbers are in no frame."""
    for section in sections:
        if section.table is None:
            yield from section.lead
            for note in section.notes:
                yield note.said


def _lines(
    format: output.Format, frame: pd.DataFrame, sections: Sequence[Section], findings: Sequence[Finding]
) -> Iterable[str]:
    """Return the answer in a format; those for programs have no warnings."""
    if format == "tsv":
        return [frame_tsv(frame).removesuffix("\n")]
    if format == "latex":
        return latex_lines(sections)
    with_warnings = [*sections, *warning_section(findings)]
    if format == "markdown":
        return markdown_lines(with_warnings)
    return text_lines(with_warnings)


def _question(options: argparse.Namespace) -> str:
    """Return the option that selects the answer, empty for all procedures, and fill in defaults.

    Raises
    ------
    SettingsError
        If options exclude each other or would have no effect.
    """
    asked = []
    if options.all_pairs:
        asked.append("--all-pairs")
    if options.own_runs:
        asked.append("--own-runs")
    if options.margin is not None:
        asked.append("--margin")
    if len(asked) > 1:
        raise SettingsError(f"Use only one of {' and '.join(asked)}.")
    question = asked[0] if asked else ""
    refuse(options, _WITHOUT_EFFECT[question], f"has no effect with {question}. Use only one of them")
    if options.all_pairs and options.procedure and len(options.procedure) > 1:
        raise SettingsError("--all-pairs needs exactly one --procedure.")

    options.side = options.side or significance.SIDES[0]
    options.correction = options.correction or "holm"
    if options.correction in ALL_PAIRS and not options.all_pairs:
        raise SettingsError(f"--correction {options.correction} needs --all-pairs.")
    procedures = options.procedure or []
    if options.all_pairs and not procedures:
        procedures = [USUAL_FOR_PAIRS]
    if not question:
        _check_design(options.design, procedures)
    _check_correction(options.correction, procedures)
    output.check_one_is_printed(options)
    return question


def _check_design(design: Design, procedures: Sequence[str]) -> None:
    """Raise an error if none of the named procedures goes by the design."""
    if design == "independent" or not procedures:
        return
    by_design = [key for key in usual(design) if design == "released" or PROCEDURES[key].design == design]
    if not set(procedures) & set(by_design):
        raise SettingsError(
            f"--design {design} has no effect on {', '.join(procedures)}. Add a procedure ({', '.join(by_design)}) or"
            " remove --design."
        )


def _check_correction(correction: str, procedures: Sequence[str]) -> None:
    """Raise an error if one of the named procedures lacks what the correction needs."""
    lacking = [key for key in procedures if correction not in corrections_for(PROCEDURES[key])]
    if lacking:
        needed = "standard errors" if correction in ALL_PAIRS else "shared shuffles"
        raise SettingsError(
            f"--correction {correction} does not work with {', '.join(lacking)}: no {needed}. Choose another correction"
            " or procedure."
        )
