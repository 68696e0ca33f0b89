"""What mteval says about small experiments, judgements and campaigns: every section with its tooltips."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import mteval
from mteval.analysis import equality
from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.nbest import ListScorers, score_lists, summarize_lists
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import campaign_test_set, judgement_frame, judgements_of_campaign
from mteval.analysis.results import Results
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.significance import Family, all_questions, ask_family, family_frame
from mteval.annotations import Mark
from mteval.answers import claims, errors, nbest, procedures, sensitivity
from mteval.answers.methods import methods_section
from mteval.answers.people import sections_of
from mteval.answers.ranking import joint_section
from mteval.answers.section import Cell, Section, Table
from mteval.metrics import METRICS, resolve
from mteval.readers.formats.nbest import NbestEntry, NbestList
from mteval.render.html import example_block, section_parts
from mteval.render.latex import latex_lines
from mteval.render.markdown import markdown_lines
from mteval.render.text import text_lines
from mteval.report.page import people_sections
from mteval.values.claim import LIKE_THESE, Finding
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RUN
from mteval.values.settings import Settings
from tests.analysis.people import test_marked_errors
from tests.annotations.conftest import campaign as make_campaign
from tests.annotations.conftest import tasks_for
from tests.answers import test_claims, test_replication, test_segments
from tests.contracts.test_sections import EXPERIMENTS, report_on
from tests.golden import CHANGING


def described(section: Section) -> Iterator[str]:
    """A section's words, columns with their tooltips, cells and notes, a line each."""
    for part in section.all:
        if part.key == "versions":
            continue
        folded = " (folded)" if part.is_detail else ""
        yield f"== {part.key}: {part.title}{folded}"
        if part.verdict is not None:
            yield f"verdict: {part.verdict.plain} ({part.verdict.role})"
        yield from part.lead
        for name, text in part.terms:
            yield f"{name}: {text}"
        if part.table is not None:
            yield from _table(part.table)
        if part.figure is not None:
            yield f"figure: {part.legend}"
        for note in part.notes:
            wide = " (wide)" if note.is_wide else ""
            yield f"{note.level}{wide}: {note.said}"


def _table(table: Table) -> Iterator[str]:
    """A table's caption and look, its columns, and its rows."""
    state = "folded" if table.is_folded else "open"
    yield f"table: {table.caption} [{table.groups} {table.look} {state}]"
    for column in table.columns:
        heading = column.name
        if column.short:
            heading = f"{column.name} / {column.short}"
        yield f"  {column.key} ({column.kind}): {heading}. {column.help}".rstrip()
    for block in table.blocks:
        yield "  --"
        for row in block:
            yield "  | " + " | ".join(map(_cell, row))


def _cell(cell: Cell) -> str:
    """A cell with its mark and tooltip."""
    text = cell.plain
    if cell.is_best:
        text = f"*{text}*"
    if cell.help:
        text = f"{text} [{cell.help}]"
    return text


def _claims() -> list[Section]:
    """A claim about these test sets, and one about test sets like these as well."""
    about_like_these = dataclasses.replace(
        test_claims.CLAIM, like_these=Finding(LIKE_THESE, "open", -0.2, 1.4, 0.1, 0.1, ""), tau=0.3, i_squared=0.4
    )
    return claims.claim_sections([test_claims.CLAIM, about_like_these], 0.95)


def _people() -> list[Section]:
    """Three annotators of three systems, and a metric that follows them."""
    generator = np.random.default_rng(8)
    level_of = {"C": 60, "B": 69, "A": 78}
    annotators = ("ann", "bob", "cat", "gpt-1", "gpt-2")
    rows = []
    for annotator, (system, level), segment in product(annotators, level_of.items(), range(1, 16)):
        rows.append((annotator, system, segment, round(level + 8 * generator.normal(), 2)))
    judged = pd.DataFrame(rows, columns=["annotator", "system", "segment", "adequacy"])

    lines = []
    for (system, _), mean in judged.groupby(["system", "segment"])["adequacy"].mean().items():
        lines.append(f"{system}\t{mean + 3 * generator.normal()}\n")
    settings = mteval.Settings(n_bootstrap=40, n_shuffles=80, seed=5)
    with TemporaryDirectory() as folder:
        scores = Path(folder) / "M.seg.score"
        scores.write_text("".join(lines))
        people = mteval.people(judged, scores_higher=[scores], judge="^gpt", settings=settings)
        return list(people_sections(people.evaluation))


MARKS = (
    Mark("hypothesis", 0, 6, "Accuracy/Mistranslation", "major"),
    Mark("source", 0, 6, "Accuracy/Omission", "minor", origin="xCOMET"),
)


def _marked() -> Iterator[Section]:
    """Errors that two annotators marked in outputs of two systems."""
    cat = test_marked_errors.CAT
    mat = test_marked_errors.MAT
    marked = test_marked_errors.frame(
        test_marked_errors.judged("ann", "A", cat, mat),
        test_marked_errors.judged("bob", "A", cat),
        test_marked_errors.judged("ann", "B", mat),
        test_marked_errors.judged("bob", "B"),
    )
    extent = errors.errors_extent(marked, marked, 2)
    yield Section("errors", "Errors", (extent,), errors.errors_table(marked, RUN))
    for example in errors.examples(marked, marked, test_marked_errors.TEST_SET, RUN, 9):
        yield Section("example", example.title, (example_block(example), *example.comments))


def _answer(way: str, segment: int, shift: int) -> dict[str, object]:
    """What an annotator with this shift says of a segment in a campaign of this way."""
    if way == "rating":
        return {"adequacy": 40 + 7 * segment % 50 + shift, "fluency": 90 - 5 * segment % 40}
    if way == "errors":
        return {"marks": MARKS[: (segment + shift) % 3]}
    preferences = ("first", "second", "equal", "first")
    return {"preference": preferences[(segment + shift) % 4]}


def _campaigns() -> Iterator[Section]:
    """One of each way, read by two, beside BLEU."""
    for way in ("rating", "errors", "preference"):
        campaign = make_campaign(way)
        tasks = []
        for place, task in enumerate(tasks_for(campaign, "ann", "bobby")):
            answer = _answer(way, place // 2, len(task.annotator))
            tasks.append(dataclasses.replace(task, is_complete=True, **answer))

        n_each = len(tasks) // 2
        progress = {"ann": (n_each, n_each), "bobby": (n_each, n_each)}
        listed = errors.Listed(
            campaign.uid, campaign.name, campaign.protocol, campaign.test_set, campaign.created_at, True, progress
        )
        yield errors.progress_section(campaign, listed, tasks)
        yield from errors.prefilled_sections(tasks)

        test_set = campaign_test_set(campaign)
        settings = Settings(metrics=("bleu", "length"), n_bootstrap=20, n_shuffles=20)
        scored = score_experiment(Experiment((test_set,), test_set.runs[0].system), resolve(settings), Work())
        frame = judgement_frame(judgements_of_campaign(campaign, tasks))
        choices = HumanChoices(gold="ar-segment")
        people = HumanEvaluation(frame, choices, test_set, lambda scored=scored: scored, settings, Work())
        for question in ("gold", "metrics", "raters"):
            yield from sections_of(people, question)


def _comparisons() -> Iterator[Section]:
    """Every procedure by a metric of each direction, false alarms, verdicts by several metrics."""
    experiment = EXPERIMENTS["three systems"][0]()
    settings = Settings(metrics=("bleu", "ter"), n_bootstrap=20, n_shuffles=99)
    scored = score_experiment(experiment, resolve(settings), Work())
    for scored_by in scored:
        spec = METRICS[scored_by.metric.key]
        outcomes = ask_family(Family.of([scored_by], "base"), all_questions("segment"), settings, Work())
        frame = family_frame(outcomes, "holm", settings)  # a row for each outcome
        is_of_system_1 = (frame["system"] == "system 1").to_numpy()
        tests = list(compress(outcomes, is_of_system_1))
        rows = frame[is_of_system_1]
        yield procedures.procedures_section(rows, spec, "system 1 against base", settings.runs, set())
        yield procedures.family_section(frame, 2, 1, "holm", settings.confidence)
        yield procedures.superiority_section(tests[0].case, settings, spec)
        yield procedures.distributions_section(tests, spec, settings.runs)

        pairs = equality.systems_against_systems(scored_by, ["base", "system 1", "system 2"])
        equal = equality.equal_frame(scored_by, pairs, all_questions("segment"), settings, Work())
        yield sensitivity.equals_section(equal, 0.05, settings.runs)

    for decision in ("all", "any"):
        joint_settings = dataclasses.replace(settings, decision=decision)
        evaluation = evaluate_scored(experiment, scored, joint_settings, Work())
        results = Results(experiment, evaluation, experiment.test_sets[0])
        joint = joint_section(results)
        if joint is not None:
            yield joint
        yield methods_section(results)


def _html(sections: list[Section]) -> Iterator[str]:
    """Its blocks, a tag a line, without figures."""
    for section in sections:
        for part in section_parts(section):
            if isinstance(part, str):
                yield from re.sub(r"(?<=>)(?=<)", "\n", part).splitlines()


def _nbest() -> Iterator[Section]:
    """Lists of two segments by a metric that gets lower and one that gets higher."""
    texts = (("a b c", "a b c d e", "a b c d", "d c b", "a b c"), ("e", "f", "e f g"))
    lists = []
    for segment, texts_of_segment in enumerate(texts):
        entries = [NbestEntry(text, "", -float(place)) for place, text in enumerate(texts_of_segment)]
        lists.append(NbestList(segment, tuple(entries)))
    metrics = resolve(Settings(metrics=("ter", "bleu"), convention="multeval"))
    ready = ListScorers.of(metrics, TestSet("test", (("a b c d",), ("e f",))))
    summary = summarize_lists(lists, ready, 2, Work())
    yield nbest.oracles(summary, ("ter", "bleu"), "run.nbest")
    yield nbest.depth(summary, "bleu")
    yield nbest.places(summary, "ter")
    yield nbest.opened(next(iter(score_lists(lists, ready, 2, Work()))), "ter")


TOLD: Mapping[str, Callable[[], list[Section]]] = {
    **{f"report-on-{name.replace(' ', '-')}": lambda name=name: report_on(name) for name in EXPERIMENTS},
    "claims": _claims,
    "marked-errors": lambda: list(_marked()),
    "comparisons": lambda: list(_comparisons()),
    "people": _people,
    "campaigns": lambda: list(_campaigns()),
    "nbest-lists": lambda: list(_nbest()),
    "segments": lambda: list(test_segments._sections(test_segments._data())),
    "replication": lambda: test_replication.sections(test_replication.about()),
}

FORMS: Mapping[str, Callable[[list[Section]], Iterable[str]]] = {
    "text": text_lines,
    "markdown": markdown_lines,
    "latex": latex_lines,
    "html": _html,
}
RECORDED_TOLD = (*TOLD, *(f"three-systems-{form}" for form in FORMS))


def told(name: str) -> str:
    """All sections of one of ``TOLD``, or a report in one of ``FORMS``, without versions of packages."""
    if name in TOLD:
        lines: Iterable[str] = (line for section in TOLD[name]() for line in described(section))
    else:
        sections = [section for section in report_on("three systems") if section.key != "about"]
        lines = FORMS[name.removeprefix("three-systems-")](sections)
    return CHANGING.sub("VERSIONS", "\n".join(lines) + "\n")
