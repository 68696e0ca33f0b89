"""``mteval compare``: any procedure on any pair of systems, all pairs, equality, and halves of one's own runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, BorrowedRow, borrowed_rows, corrections_for
from mteval.analysis.equality import FEWEST_RUNS_TO_HALVE, Halvings, equality_frame, halvings
from mteval.analysis.evaluation import versions
from mteval.analysis.pairs import all_pairs
from mteval.analysis.results import with_names
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.significance import SIDES, Family, all_questions, ask_family, family_frame, question_on, unit_of
from mteval.analysis.two_answers import two_answers
from mteval.analysis.work import Work, frame_of
from mteval.answers import borrowed
from mteval.answers import procedures as answers
from mteval.answers.equality import equality_section, halvings_section, halvings_sentence
from mteval.answers.section import Section, noted
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.cli.console import add_json, add_truth, examples, file_to_write, write_lines
from mteval.cli.options.computation import add_output_options, is_taken, work_for
from mteval.cli.options.latex import add_test_set, comparable, reported
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_design, add_number, add_run_word, add_seed, add_shuffles, settings_of
from mteval.cli.options.systems import Systems, add_system_files, read_systems
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.render.csv import frame_csv, frame_tsv
from mteval.render.json import to_json
from mteval.render.latex import latex_lines
from mteval.render.markdown import markdown_lines
from mteval.render.text import text_lines
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import answering, usual
from mteval.values.settings import Design, Settings

USUAL_FOR_PAIRS = answering("test-set", "segment").key
_FORMS: Mapping[str, Callable[[Sequence[Section]], Iterator[str]]] = {
    "text": text_lines,
    "markdown": markdown_lines,
    "latex": latex_lines,
}


@dataclass(frozen=True)
class Asked:
    """All that an answer is made from; ``unit`` is what is drawn or exchanged."""

    scored: Sequence[Scored]
    unit: str
    options: argparse.Namespace
    settings: Settings
    work: Work
    specs: Mapping[str, MetricSpec]
    systems: Systems

    @property
    def family(self) -> Family:
        """All systems against the baseline."""
        return Family.of(self.scored, self.systems.experiment.baseline)


Answer = tuple[pd.DataFrame, Sequence[Section]]  # all rows, and how they are shown


def _procedures(asked: Asked) -> Answer:
    options, settings, family = asked.options, asked.settings, asked.family
    all_keys = usual(settings.design)
    chosen = options.procedure or [key for key in all_keys if options.correction in corrections_for(PROCEDURES[key])]
    outcomes = ask_family(family, all_questions(asked.unit, chosen), settings, asked.work, options.side)
    frame = with_names(family_frame(outcomes, options.correction, settings), asked.systems.names)
    sections = [
        answers.procedures_section(
            rows, asked.specs[str(metric)], f"{system} against {asked.systems.baseline}, {options.side}", settings.runs
        )
        for (metric, system), rows in frame.groupby(["metric", "system"], sort=False)
    ]
    is_less = len(chosen) < len(all_keys) and not options.procedure
    less = "Procedures whose comparisons share no shuffles, which this correction needs, are left out."
    sizes = len(family.systems), len(asked.scored)
    more = [less] if is_less else []
    return frame, [*sections, answers.family_section(frame, *sizes, options.correction, settings.confidence, *more)]


def _equality(asked: Asked) -> Answer:
    frame = equality_frame(asked.family, asked.unit, asked.options.margin, asked.settings, asked.work)
    frame = with_names(frame, asked.systems.names)
    settings = asked.settings
    return frame, [equality_section(frame, asked.specs, asked.options.margin, settings.confidence, settings.runs)]


def _pairs(asked: Asked) -> Answer:
    options, settings = asked.options, asked.settings
    question = question_on((options.procedure or [USUAL_FOR_PAIRS])[0], asked.unit)
    frames, sections = [], []
    for one in asked.scored:
        found = all_pairs(one, question, options.correction, settings, asked.work)
        frame = with_names(found, asked.systems.names, "better", "worse")
        frames.append(frame.assign(metric=one.metric.key, procedure=question.procedure, unit=question.unit))
        spec = asked.specs[one.metric.key]
        sections.append(answers.pairs_section(frame, question, spec, settings, options.correction))
    return pd.concat(frames), sections


def _borrowed(asked: Asked) -> Answer:
    settings = asked.settings
    found = two_answers(reported(asked.systems.experiment, asked.options.test_set), asked.scored, settings, asked.work)
    frames, sections = [], []
    for one in asked.scored:
        rows = borrowed_rows(one, found, settings)
        if not rows:
            raise SettingsError(f"{one.metric.name}: {borrowed.not_borrowed_sentence(settings.runs)}")
        frames.append(with_names(frame_of(rows, BorrowedRow), asked.systems.names, "baseline", "system"))
        spec, alpha = asked.specs[one.metric.key], 1 - settings.confidence
        sections.append(borrowed.borrowed_section(frames[-1], spec, asked.systems.baseline, alpha, runs=settings.runs))
    return pd.concat(frames), [*sections, Section("note", "", notes=noted(borrowed.borrowed_note(settings.runs)))]


def _own_runs(asked: Asked) -> Answer:
    found = {one.metric: halvings(one, asked.unit, asked.settings, asked.work) for one in asked.scored}
    if not any(found.values()):
        raise SettingsError(
            f"No system has {counted(FEWEST_RUNS_TO_HALVE, 'run')} or more, so that none can be halved."
        )
    about = ["test_set", "metric"]
    frames = [frame_of(rows, Halvings).drop(columns=about).assign(metric=metric.key) for metric, rows in found.items()]
    runs = asked.settings.runs
    sentences = [
        f"{metric.name}: {halvings_sentence(replace(row, system=asked.systems.names[row.system]), runs)}"
        for metric, rows in found.items()
        for row in rows
    ]
    return with_names(pd.concat(frames), asked.systems.names, "system"), [halvings_section(sentences, runs)]


ANSWERS: Mapping[str, Callable[[Asked], Answer]] = {
    "": _procedures,
    "--all-pairs": _pairs,
    "--borrow": _borrowed,
    "--own-runs": _own_runs,
    "--margin": _equality,
}


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
        " adjusted p, resamples. Choose the procedure before you see the numbers."
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
        frame, sections = ANSWERS[_question(options)](
            Asked(scored, unit, options, settings, work, catalog(experiment.given), systems)
        )
    _write(frame, sections, options, settings)


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
    if not question:
        _check_design(options.design, asked)
    lacking = [key for key in asked if options.correction not in corrections_for(PROCEDURES[key])]
    if lacking:
        raise SettingsError(
            f"--correction {options.correction} cannot be had for {', '.join(lacking)}, whose comparisons"
            f" {'have no standard errors' if options.correction == ALL_PAIRS else 'share no shuffles'}; take another"
            " correction or other procedures."
        )
    is_taken(options, options.csv, options.json)


def _check_design(design: Design, asked: Sequence[str]) -> None:
    """Refuse a declaration that none of the named procedures goes by."""
    if design == "independent" or not asked or any(PROCEDURES[key].design == design for key in asked):
        return
    going_by = ", ".join(key for key, spec in PROCEDURES.items() if spec.design == design)
    raise SettingsError(f"--design {design} has no effect on {', '.join(asked)}; name {going_by} too, or leave it out.")


def _write(frame: pd.DataFrame, sections: Sequence[Section], options: argparse.Namespace, settings: Settings) -> None:
    """Files, and what is printed unless a file takes its place."""
    sentences = [
        text for one in sections if one.table is None for text in (*one.lead, *(note.said for note in one.notes))
    ]
    other = {"settings": settings.deciding, "versions": dict(versions()), "sentences": sentences}
    if options.csv:
        write_lines(options.csv, frame_csv(frame).splitlines())
    if options.json:
        write_lines(options.json, to_json({"comparisons": frame}, other).splitlines())
    if is_taken(options, options.csv, options.json):
        return
    if options.format == "json":
        print(to_json({"comparisons": frame}, other), end="")
    elif options.format == "tsv":
        print(frame_tsv(frame), end="")
    else:
        for line in _FORMS[options.format](sections):
            print(line)
