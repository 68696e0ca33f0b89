"""What mteval says about small experiments, judgements and campaigns: every section with its tooltips."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from mteval.answers.section import Section
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
from tests.annotations.conftest import campaign, tasks_for
from tests.answers import test_claims, test_replication, test_segments
from tests.contracts.test_sections import EXPERIMENTS, report_on
from tests.golden import CHANGING


def described(section: Section) -> Iterator[str]:
    """A section's words, columns with their tooltips, cells and notes, a line each."""
    for one in section.all:
        if one.key == "versions":
            continue
        yield f"== {one.key}: {one.title}{' (folded)' if one.is_detail else ''}"
        if one.verdict is not None:
            yield f"verdict: {one.verdict.plain} ({one.verdict.role})"
        yield from one.lead
        yield from (f"{name}: {text}" for name, text in one.terms)
        if one.table is not None:
            table = one.table
            yield f"table: {table.caption} [{table.groups} {table.look} {'folded' if table.is_folded else 'open'}]"
            for column in table.columns:
                heading = f"{column.name} / {column.short}" if column.short else column.name
                yield f"  {column.key} ({column.kind}): {heading}. {column.help}".rstrip()
            for block in table.blocks:
                yield "  --"
                yield from ("  | " + " | ".join(map(_cell, row)) for row in block)
        if one.figure is not None:
            yield f"figure: {one.legend}"
        yield from (f"{note.level}{' (wide)' if note.is_wide else ''}: {note.said}" for note in one.notes)


def _cell(cell: object) -> str:
    """A cell with its mark and tooltip."""
    text = f"*{cell.plain}*" if cell.is_best else cell.plain
    return f"{text} [{cell.help}]" if cell.help else text


def _claims() -> list[Section]:
    known = dataclasses.replace(
        test_claims.CLAIM, like_these=Finding(LIKE_THESE, "open", -0.2, 1.4, 0.1, 0.1, ""), tau=0.3, i_squared=0.4
    )
    return claims.claim_sections([test_claims.CLAIM, known], 0.95)


def _people() -> list[Section]:
    """Three annotators of three systems, and a metric that follows them."""
    generator = np.random.default_rng(8)
    rows = [
        (who, system, segment + 1, round(60 + 9 * place + 8 * generator.normal(), 2))
        for who in ("ann", "bob", "cat", "gpt-1", "gpt-2")
        for place, system in enumerate("CBA")
        for segment in range(15)
    ]
    judged = pd.DataFrame(rows, columns=["annotator", "system", "segment", "adequacy"])
    means = judged.groupby(["system", "segment"])["adequacy"].mean()
    with TemporaryDirectory() as folder:
        scores = Path(folder) / "M.seg.score"
        scores.write_text(
            "".join(f"{system}\t{value + 3 * generator.normal()}\n" for (system, _), value in means.items())
        )
        sizes = mteval.Settings(n_bootstrap=40, n_shuffles=80, seed=5)
        return list(
            people_sections(mteval.people(judged, scores_higher=[scores], judge="^gpt", settings=sizes).evaluation)
        )


MARKS = (
    Mark("hypothesis", 0, 6, "Accuracy/Mistranslation", "major"),
    Mark("source", 0, 6, "Accuracy/Omission", "minor", origin="xCOMET"),
)


def _marked() -> Iterator[Section]:
    """Errors that two annotators marked in outputs of two systems."""
    cat, mat = test_marked_errors.CAT, test_marked_errors.MAT
    judged = [
        test_marked_errors.judged("ann", "A", cat, mat), test_marked_errors.judged("bob", "A", cat),
        test_marked_errors.judged("ann", "B", mat), test_marked_errors.judged("bob", "B"),
    ]  # fmt: skip
    marked = test_marked_errors.frame(*judged)
    about = errors.errors_extent(marked, marked, 2)
    yield Section("errors", "Errors", (about,), errors.errors_table(marked, RUN))
    for one in errors.examples(marked, marked, test_marked_errors.TEST_SET, RUN, 9):
        yield Section("example", one.title, (example_block(one), *one.comments))


def _campaigns() -> Iterator[Section]:
    """One of each way, read by two, beside BLEU."""
    said: Mapping[str, Callable[[int, int], dict[str, object]]] = {
        "rating": lambda place, who: {"adequacy": 40 + 7 * place % 50 + who, "fluency": 90 - 5 * place % 40},
        "errors": lambda place, who: {"marks": MARKS[: (place + who) % 3]},
        "preference": lambda place, who: {"preference": ("first", "second", "equal", "first")[(place + who) % 4]},
    }
    for way, answer in said.items():
        one = campaign(way)
        tasks = [
            dataclasses.replace(task, is_complete=True, **answer(place // 2, len(task.annotator)))
            for place, task in enumerate(tasks_for(one, "ann", "bobby"))
        ]
        progress = {"ann": (len(tasks) // 2, len(tasks) // 2), "bobby": (len(tasks) // 2, len(tasks) // 2)}
        listed = errors.Listed(one.uid, one.name, one.way, one.test_set, one.created_at, True, progress)
        yield errors.progress_section(one, listed, tasks)
        yield from errors.prefilled_sections(tasks)
        test_set = campaign_test_set(one)
        runs = test_set.runs
        settings = Settings(metrics=("bleu", "length"), n_bootstrap=20, n_shuffles=20)
        scored = score_experiment(Experiment((test_set,), runs[0].system), resolve(settings), Work())
        frame, choices = judgement_frame(judgements_of_campaign(one, tasks)), HumanChoices(gold="ar-segment")
        people = HumanEvaluation(frame, choices, test_set, lambda scored=scored: scored, settings, Work())
        for question in ("gold", "metrics", "raters"):
            yield from sections_of(people, question)


def _comparisons() -> Iterator[Section]:
    """Every procedure by a metric of each direction, false alarms, verdicts by several metrics."""
    experiment = EXPERIMENTS["three systems"][0]()
    settings = Settings(metrics=("bleu", "ter"), n_bootstrap=20, n_shuffles=99)
    scored = score_experiment(experiment, resolve(settings), Work())
    for by in scored:
        outcomes = ask_family(Family.of([by], "base"), all_questions("segment"), settings, Work())
        frame, spec = family_frame(outcomes, "holm", settings), METRICS[by.metric.key]
        is_here = (frame["system"] == "system 1").to_numpy()
        tests = [test for test, wanted in zip(outcomes, is_here, strict=True) if wanted]
        yield procedures.procedures_section(frame[is_here], spec, "system 1 against base", settings.runs, set())
        yield procedures.family_section(frame, 2, 1, "holm", settings.confidence)
        yield procedures.superiority_section(tests[0].case, settings, spec)
        yield procedures.distributions_section(tests, spec, settings.runs)
        pairs = equality.systems_against_systems(by, ["base", "system 1", "system 2"])
        found = equality.equal_frame(by, pairs, all_questions("segment"), settings, Work())
        yield sensitivity.equals_section(found, 0.05, settings.runs)
    for decision in ("all", "any"):
        together = dataclasses.replace(settings, decision=decision)
        results = Results(experiment, evaluate_scored(experiment, scored, together, Work()), experiment.test_sets[0])
        yield from filter(None, (joint_section(results),))
        yield methods_section(results)


def _html(sections: list[Section]) -> Iterator[str]:
    """Its blocks, a tag a line, without figures."""
    for section in sections:
        blocks = (str(part) for part in section_parts(section) if isinstance(part, str))
        yield from (line for block in blocks for line in re.sub(r"(?<=>)(?=<)", "\n", block).splitlines())


def _nbest() -> Iterator[Section]:
    texts = (("a b c", "a b c d e", "a b c d", "d c b", "a b c"), ("e", "f", "e f g"))
    lists = [
        NbestList(segment, tuple(NbestEntry(text, "", -float(place)) for place, text in enumerate(of)))
        for segment, of in enumerate(texts)
    ]
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
        sections = [one for one in report_on("three systems") if one.key != "about"]
        lines = FORMS[name.removeprefix("three-systems-")](sections)
    return CHANGING.sub("VERSIONS", "\n".join(lines) + "\n")
