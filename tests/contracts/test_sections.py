"""Every section of every kind of experiment, in every form: complete, readable, and clear about adjusted p-values.

A new section is covered as soon as a report has it; nothing is registered here. If one fails, the message says what to
do; changed words are recorded anew with ``python -m tests.golden``.
"""

import html
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain

import plotly.graph_objects as go
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.gates import gated
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.several_test_sets import named_apart
from mteval.answers.gate import gate_section
from mteval.answers.section import Column, Section, Table
from mteval.metrics import resolve
from mteval.render.frames import frame_csv, to_json
from mteval.render.html import section_parts
from mteval.render.latex import escape, latex_lines
from mteval.render.markdown import markdown_lines
from mteval.render.text import text_lines
from mteval.report.page import sections
from mteval.values.gate import GateRule
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Role, Run, Sample, TestSet
from mteval.values.notation import DASH
from mteval.values.settings import Settings

WORDS = "the quick brown fox jumps over the lazy dog while it rains on every roof"
REFERENCES = tuple(" ".join(WORDS.split()[place % 5 :]) for place in range(24))
EMPTY = re.compile(r"\b(?:nan|None|NaN|inf)\b")


def output(number: int, every: int = 4) -> tuple[str, ...]:
    """The references, of which more words are left out where ``every`` is smaller."""
    period = every + number % 3
    lines = []
    for line_number, line in enumerate(REFERENCES):
        words = line.split()
        lines.append(" ".join(word for at, word in enumerate(words) if (at + line_number + number) % period))
    return tuple(lines)


def runs_of(n_systems: int, n_runs: int) -> tuple[Run, ...]:
    """Runs of a baseline and of further systems, no two of which have the same outputs."""
    names = ["base", *(f"system {number}" for number in range(1, n_systems))]
    runs = []
    for place, name in enumerate(names):
        for run in range(n_runs):
            runs.append(Run(name, str(run), output(7 * place + run, 3 + place % 4)))
    return tuple(runs)


def on(runs: tuple[Run, ...], name: str = "test", role: Role = "test", documents: bool = False) -> TestSet:
    ids = tuple(f"d{place // 4}" for place in range(len(REFERENCES))) if documents else None
    return TestSet(name, tuple((line,) for line in REFERENCES), runs, role, documents=ids)


def with_given() -> Experiment:
    """A metric whose scores came with the runs, on a part of the segments."""
    runs = runs_of(2, 3)
    scores = tuple(
        GivenScores(
            "test", run.system, run.key, tuple(None if at % 3 == 0 else float(at % 5 + place) for at in range(24))
        )
        for place, run in enumerate(runs)
    )
    return Experiment((on(runs, documents=True),), "base", (GivenMetric("mqm", "MQM", scores, False),))


def with_samples() -> Experiment:
    runs = tuple(
        Run(run.system, run.key, samples[0].hypotheses, samples=samples)
        for number, run in enumerate(runs_of(2, 2))
        for samples in [tuple(Sample(str(place), output(3 * number + place)) for place in range(3))]
    )
    return Experiment((on(runs),), "base")


def several_test_sets() -> Experiment:
    sets = (on(runs_of(3, 3)), on(runs_of(3, 3), "news", documents=True), on(runs_of(3, 3), "tune", "dev"))
    return Experiment(sets, "base")


# On how many of the 24 segments the runs of each system have scores that were given.
N_SCORED = {"base": 24, "system 1": 20, "system 2": 12}


def differing_systems() -> Experiment:
    """Three systems scored by people on different parts of two test sets, one of which has documents."""
    runs = runs_of(3, 3)
    test_sets = (on(runs), on(runs, "news", documents=True))
    scores = []
    for test_set in test_sets:
        for place, run in enumerate(runs):
            n_scored = N_SCORED[run.system]
            values = [float((7 * at + 5 * place) % 11) for at in range(n_scored)]
            missing = [None] * (len(REFERENCES) - n_scored)
            scores.append(GivenScores(test_set.name, run.system, run.key, (*values, *missing)))
    return Experiment(test_sets, "base", (GivenMetric("mqm", "MQM", tuple(scores), True),))


EXPERIMENTS: Mapping[str, tuple[Callable[[], Experiment], tuple[str, ...]]] = {
    "three systems": (lambda: Experiment((on(runs_of(3, 3)),), "base"), ("bleu", "ter", "length")),
    "six runs": (lambda: Experiment((on(runs_of(2, 6), documents=True),), "base"), ("bleu",)),
    "one run": (lambda: Experiment((on(runs_of(2, 1)),), "base"), ("bleu", "ter")),
    "two runs": (lambda: Experiment((on(runs_of(2, 2)),), "base"), ("bleu",)),
    "one system": (lambda: Experiment((on(runs_of(1, 3)),), "base"), ("bleu",)),
    "many systems": (lambda: Experiment((on(runs_of(12, 2)),), "base"), ("bleu", "length")),
    "given scores": (with_given, ("bleu", "mqm")),
    "several test sets": (several_test_sets, ("bleu", "ter")),
    "samples": (with_samples, ("bleu",)),
    "no direction": (lambda: Experiment((on(runs_of(3, 3)),), "base"), ("length",)),
}
# Its sections are read below, not recorded.
DIFFERING = "differing systems"
ALL_EXPERIMENTS = {**EXPERIMENTS, DIFFERING: (differing_systems, ("bleu", "mqm"))}


@cache
def report_on(name: str) -> list[Section]:
    """All sections of a report on one of the experiments, and a gate."""
    make, metrics = ALL_EXPERIMENTS[name]
    experiment = make()
    settings = Settings(metrics=metrics, n_bootstrap=20, n_shuffles=100)
    evaluation = evaluate(experiment, settings, Work())
    report = sections(Results(experiment, evaluation, reported_test_set(experiment)))
    scored = score_experiment(experiment, resolve(settings, experiment.given), Work())

    has_gate = len(experiment.systems) > 1 and metrics != ("length",)
    if has_gate:
        sources = named_apart([("", scored)], is_shared=True)
        baseline, candidate = [system.key for system in experiment.systems[:2]]
        answer = gated(sources, evaluation.metrics, baseline, candidate, GateRule(), settings, Work())
        report = [*report, gate_section(answer)]
    return report


@pytest.fixture(scope="module", params=ALL_EXPERIMENTS)
def report(request: pytest.FixtureRequest) -> list[Section]:
    """The report on one of the experiments."""
    return report_on(request.param)


def parts_of(report: list[Section]) -> Iterator[Section]:
    """Every section, each followed by the sections inside it."""
    for section in report:
        yield from section.all


def tables(report: list[Section]) -> Iterator[tuple[Section, Table]]:
    """Every table, and the section that it stands in."""
    for part in parts_of(report):
        if part.table is not None:
            yield part, part.table


def texts(report: list[Section]) -> Iterator[str]:
    """Every sentence that is no number of a table."""
    for part in parts_of(report):
        yield part.title
        yield from part.lead
        yield part.legend
        yield from (note.said for note in part.notes)
        for term in part.terms:
            yield from term
        yield part.table.caption if part.table else ""


def test_no_two_sections_have_one_key(report: list[Section]) -> None:
    keys = Counter(part.key for part in parts_of(report))
    assert [key for key, count in keys.items() if count > 1] == [], "give each Section a key of its own"


def test_text_has_every_cell_and_sentence_and_says_nothing_of_undefined_numbers(report: list[Section]) -> None:
    for form in (text_lines, markdown_lines, latex_lines):
        written = "\n".join(form(report))
        assert not EMPTY.search(written), f"{form}: write undefined numbers through a Column's kind, which gives a dash"
    plain = "\n".join(text_lines(report))
    for part in parts_of(report):
        for text in (part.title, *part.lead, *(note.said for note in part.brief.notes)):
            assert text in plain, part.key
    # Text has the brief form of a table: what fits a terminal.
    for part in parts_of(report):
        if part.table is None:
            continue
        for row in part.brief.table.texts:
            for cell in row:
                assert cell in plain, part.key


FIELD = re.compile(r"(?<!%)\{[A-Za-z_]+\}")  # of a template; figures have %{x} in hover texts


def test_no_field_of_a_template_is_left_in_any_form(report: list[Section]) -> None:
    for form in (text_lines, markdown_lines):
        assert FIELD.findall("\n".join(form(report))) == [], form
    for section in report:
        for piece in section_parts(section):  # with tooltips
            written = piece.to_json() if isinstance(piece, go.Figure) else str(piece)
            assert FIELD.findall(written) == [], section.key


def test_markdown_and_latex_have_every_cell(report: list[Section]) -> None:
    markdown = "\n".join(markdown_lines(report))
    latex = "\n".join(latex_lines(report))
    for part in parts_of(report):
        table = part.brief.table
        if table is None:
            continue
        for row in table.texts:
            for cell in row:
                in_markdown = cell.replace("&", "&amp;").replace("<", "&lt;")
                in_markdown = re.sub(r"([*_`|\\[$~])", r"\\\1", in_markdown)
                assert in_markdown in markdown, part.key
                assert escape(cell) in latex, part.key


def test_html_has_every_cell_and_sentence_and_draws_every_figure(report: list[Section]) -> None:
    for section in report:
        pieces = list(section_parts(section))
        figures = [piece for piece in pieces if isinstance(piece, go.Figure)]
        page = "".join(str(piece) for piece in pieces if not isinstance(piece, go.Figure))
        plain = html.unescape(re.sub("<[^>]*>", "", page))
        assert len(figures) == sum(part.figure is not None for part in section.all), section.key
        assert not EMPTY.search(plain), section.key
        for _, table in tables([section]):
            for row in table.cells:
                for cell in row:
                    # Dots are drawn, so the text of such a cell is an attribute.
                    assert cell.text in (page if cell.dots else plain), section.key
        with_spaces = re.sub(r"\s", " ", plain)  # shapes stay at their words by spaces that do not break
        for text in texts([section]):
            assert re.sub(r"\s", " ", text) in with_spaces or section.title == text, section.key


def test_values_for_programs_are_all_there(report: list[Section]) -> None:
    frames = {part.key: table.values for part, table in tables(report)}
    written = json.loads(to_json(frames, {}))
    for key, frame in frames.items():
        assert len(written[key]) == len(frame)
        assert frame_csv(frame).count("\n") >= len(frame) + 1


def test_a_number_that_is_there_is_written_and_one_that_is_not_is_a_dash(report: list[Section]) -> None:
    for part, table in tables(report):
        for row, cells in zip(table.rows, table.cells, strict=True):
            for column, cell in zip(table.columns, cells, strict=True):
                value = row.get(column.read[0])
                if not isinstance(value, float) or column.is_word:
                    continue
                is_dash = cell.text.startswith(DASH) and not cell.shape
                assert is_dash == math.isnan(value), (part.key, column.key, value, cell.text)


def test_a_p_value_says_whether_it_is_adjusted(report: list[Section]) -> None:
    for part, table in tables(report):
        for column in filter(is_p, table.columns):
            says_adjusted = "adjusted" in column.name or "adjusted" in column.short
            remedy = f"{part.key}, {column.name}: make it with p_column(…, is_adjusted=…)"
            assert says_adjusted == column.is_adjusted, remedy
            field = column.read[0]
            raw = field.removesuffix("_adjusted")
            if raw != field and raw in table.frame and not says_adjusted:
                assert table.frame[raw].equals(table.frame[field]), (part.key, column.name)


def is_p(column: Column) -> bool:
    return column.kind == "p"


def test_whatever_shows_a_verdict_shows_its_interval_and_what_was_compared(report: list[Section]) -> None:
    """Of cards; the ranking has them as columns and in its caption."""
    for part in parts_of(report):
        if part.verdict is None or part.table is not None:
            continue
        words = " ".join([*part.lead, *chain.from_iterable(part.terms)])
        shows_p = "p = " in words or "p < " in words
        assert "segments" in words or "documents" in words, f"{part.key}: say what was compared"
        assert not shows_p or " CI " in words, f"{part.key}: show the interval with p"


def parts_by_key(name: str) -> dict[str, Section]:
    """Every section of a report, and what they contain, by key."""
    return {part.key: part for part in parts_of(report_on(name))}


def words_of(section: Section) -> str:
    """Everything that one section says, its table apart from its caption aside."""
    texts = [*section.lead, section.legend, *(note.said for note in section.notes)]
    texts += chain.from_iterable(section.terms)
    texts += [text for term in section.terms for text in term]
    if section.table is not None:
        texts.append(section.table.caption)
    return " ".join(texts)


def headings_of(section: Section) -> list[str]:
    assert section.table is not None
    return [column.name for column in section.table.columns]


@pytest.mark.parametrize(("system", "part"), [("system 1", "20 of 24"), ("system 2", "12 of 24")])
def test_each_verdict_says_on_which_part_its_own_system_is_compared(system: str, part: str) -> None:
    parts = parts_by_key(DIFFERING)
    terms = dict(parts[f"mqm-verdict-{system}"].terms)
    assert terms["Compared on"] == f"{part} segments; units: segments"
    assert dict(parts[f"bleu-verdict-{system}"].terms)["Compared on"] == "24 segments; units: segments"
    n_skipped = 24 - N_SCORED[system]
    assert f"MQM ({system}): {n_skipped} of 24 segments are skipped" in words_of(parts["mqm-notes"])
    assert "skipped" not in words_of(parts["bleu-notes"])


def test_tables_of_scores_and_methods_say_that_the_systems_cover_different_parts() -> None:
    parts = parts_by_key(DIFFERING)
    n_scores = 3 * sum(N_SCORED.values())
    extent = f"{n_scores} scores on 12 to 24 of 24 segments"
    assert f"MQM ({extent})" in words_of(parts["scores"])
    assert f"MQM ({extent} in 3 to 6 of 6 documents)" in words_of(parts["on-news"])
    assert f"MQM on test: {extent}; MQM on news: {extent} in 3 to 6 of 6 documents" in words_of(parts["appendix"])
    assert "Segments that a run has no score for are excluded" in words_of(parts["appendix"])
    complete = parts_by_key("three systems")
    for key in ("scores", "appendix"):
        assert "excluded" not in words_of(complete[key])
        assert " of 24 segments" not in words_of(complete[key])


@pytest.mark.parametrize("system", ["system 1", "system 2"])
def test_a_claim_over_test_sets_names_the_unit_of_each(system: str) -> None:
    claim = parts_by_key(DIFFERING)[f"claim-bleu-{system}"]
    assert claim.table is not None
    cells_of = {row[0]: row[1] for row in claim.table.texts}
    assert cells_of["test"] == "24 segments"
    assert cells_of["news"] == "6 documents"


def test_each_section_about_several_systems_says_that_p_is_adjusted_and_about_one_that_it_is_not() -> None:
    several = parts_by_key(DIFFERING)
    assert {"p (adjusted)", "p_run (adjusted)"} <= set(headings_of(several["scores"]))
    assert {"p (adjusted)", "p_run (adjusted)"} <= set(headings_of(several["words-frequency"]))
    assert "p (adjusted)" in headings_of(several["simultaneous"])
    assert "p adjusted (Holm)" in words_of(several["scores"])
    assert "Holm-adjusted for 2 comparisons" in words_of(several["methods"])
    assert "two-sided at 2.50% (Holm, 2 systems)" in words_of(several["bleu-power-system 1"])
    for system in ("system 1", "system 2"):
        assert "adjusted p" in words_of(several[f"bleu-verdict-{system}"])
        assert "not adjusted for the number of systems" in words_of(several[f"mqm-verdict-{system}"])
    alone = parts_by_key("two runs")
    assert {"p", "p_run"} <= set(headings_of(alone["scores"]))
    for key in ("scores", "methods", "bleu-verdict-system 1", "bleu-power"):
        words = words_of(alone[key])
        assert not re.search("adjusted (p|.Holm)|Holm", words), (key, words)


def test_p_of_two_systems_is_doubled_by_holm_and_shown_beside_the_unadjusted_one() -> None:
    parts = parts_by_key(DIFFERING)
    scores = parts["scores"].table
    assert scores is not None
    of_bleu = scores.frame[scores.frame["metric"] == "bleu"].set_index("system")
    for system in ("system 1", "system 2"):
        p = of_bleu.loc[system, "p_test_set"]
        assert p == pytest.approx(1 / 1001)  # no shuffle of 1,000 is as extreme
        assert of_bleu.loc[system, "p_test_set_adjusted"] == pytest.approx(2 * p)
        answer = dict(parts[f"bleu-verdict-{system}"].terms)["Test-set luck"]
        assert answer == "ruled out (adjusted p = 0.002, Holm; unadjusted p < 0.001)"
    place = headings_of(parts["scores"]).index("p (adjusted)")
    rows_of_bleu, _ = scores.blocks
    assert [row[place].text for row in rows_of_bleu] == [DASH, "0.002", "0.002"]
