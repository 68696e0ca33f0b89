"""What the columns of Clark et al.'s Table 1 are: what each is called, what it means, how its cells are written.

The table on the page and in the report, the text table, the LaTeX table with its caption and preview, and the help
read this and nothing else. A new column is an entry here, for a column of the frame that ``analysis.overview`` makes.

What numbers rest on, in words: below tables, in captions and in the methods section.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from mteval.base.words import counted, counted_part
from mteval.render.html import Markup
from mteval.values.notation import DASH, Notation, fixed, p_value
from mteval.values.verdict import MANY_SYSTEMS, Coverage

Kind = Literal["count", "number", "difference", "p"]
Layout = Literal["booktabs", "multeval", "systems"]  # the last with systems as rows and metrics as columns
LAYOUTS: tuple[Layout, ...] = ("booktabs", "multeval", "systems")


@dataclass(frozen=True)
class Heading:
    """What stands over a column of the table for the paper: in its source and in its preview."""

    tex: str
    html: Markup


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    key
        As users choose it.
    field
        The column of an overview whose values it shows.
    kind
        How they are written.
    name, screen
        What it is called on pages, as plain text and as the heading of the table.
    paper, multeval
        What it is called in the table for the paper, and in MultEval's layout of it where that has the column.
    text
        What MultEval's text table calls it; empty where it does not name it.
    help
        What it means, in a sentence or two.
    caption
        The same for the paper, in TeX; ``{heading}`` and other words in braces are filled in.
    is_optional
        Whether the page leaves it out where no row has a value.
    is_default
        Whether the table for the paper has it unless others are chosen.
    """

    key: str
    field: str
    kind: Kind
    name: str
    screen: Markup
    paper: Heading
    help: str
    caption: str
    multeval: Heading | None = None
    text: str = ""
    is_optional: bool = False
    is_default: bool = True

    def heading(self, layout: Layout) -> Heading:
        """What it is called in a layout of the table for the paper."""
        return self.multeval if layout == "multeval" and self.multeval is not None else self.paper


_ALL = (
    Column(
        "runs", "n_runs", "count", "Runs", Markup("Runs"), Heading("$n$", Markup("<i>n</i>")),
        "Optimizer samples or training seeds of the system; three or more are needed for a verdict.",
        "{heading}: runs.",
    ),
    Column(
        "average", "mean", "number", "Average", Markup("Average"), Heading("Avg", Markup("Avg")),
        "Mean of the corpus scores of the runs.",
        "{heading}: mean of the scores of the runs.",
        multeval=Heading("Avg", Markup("Avg")),
    ),
    Column(
        "s_sel", "s_sel", "number", "s (test set)", Markup("s (test set)"),
        Heading(r"$\overline{s}_{\text{sel}}$", Markup("s̄<sub>sel</sub>")),
        "Spread that another choice of test sentences would bring: standard deviation over bootstrap replicates of the"
        " test set, averaged over runs. Clark et al. call it s_sel.",
        "{heading}: standard deviation over {bootstrap} bootstrap replicates of the test set, averaged over runs: luck"
        " with the choice of segments.",
        multeval=Heading(r"$\overline{s}_{\text{sel}}$", Markup("s̄<sub>sel</sub>")), text="s_sel",
    ),
    Column(
        "s_dev", "s_dev", "number", "s (training, tuning set)", Markup("s (training,<br>tuning set)"),
        Heading(r"$s_{\text{dev}}$", Markup("s<sub>dev</sub>")),
        "Spread that another run brings on the tuning set: standard deviation of the run scores there. Clark et al."
        " call it s_dev.",
        "{heading}: standard deviation over runs on the tuning set.",
        is_optional=True, is_default=False,
    ),
    Column(
        "s_test", "s_test", "number", "s (training)", Markup("s (training)"),
        Heading(r"$s_{\text{test}}$", Markup("s<sub>test</sub>")),
        "Spread that another run brings on this test set: standard deviation of the run scores. Clark et al. call it"
        " s_test.",
        "{heading}: standard deviation over runs: luck with training.",
        multeval=Heading(r"$s_{\text{Test}}$", Markup("s<sub>Test</sub>")), text="s_opt",
    ),
    Column(
        "difference", "difference", "difference", "Difference", Markup("Difference"),
        Heading(r"$\Delta$", Markup("Δ")),
        "Average of the system minus average of the baseline.",
        "{heading}: difference from the mean of {baseline}.",
    ),
    Column(
        "p_test_set", "p_test_set", "p", "p, test-set luck", Markup("p<br>test-set luck"),
        Heading(r"$p_{\text{test set}}$", Markup("<i>p</i><sub>test set</sub>")),
        "How often exchanging the systems' outputs at random, these runs taken as given, makes a difference as large as"
        " the one observed: small values rule out luck with the choice of the test set.",
        "{heading}: probability of a difference from {baseline} at least as large as the one observed if the outputs of"
        " both were exchanged at random, these runs taken as given (approximate randomization by {exchanged},"
        " {shuffles} shuffles): luck with the choice of {units}.",
        multeval=Heading("$p$-value", Markup("<i>p</i>-value")), text="p",
    ),
    Column(
        "p_both", "p_both", "p", "p, both kinds", Markup("p<br>both kinds"),
        Heading(r"$p_{\text{both}}$", Markup("<i>p</i><sub>both</sub>")),
        "The same question for a new test set and new runs together: small values also rule out that re-running the"
        " optimizer explains the difference.",
        "{heading}: the same question for new {units} and new runs together (two-way procedure).",
        text="p_run",
    ),
)  # fmt: skip
COLUMNS: Mapping[str, Column] = MappingProxyType({column.key: column for column in _ALL})
DEFAULT_COLUMNS: tuple[str, ...] = tuple(column.key for column in _ALL if column.is_default)
MULTEVAL_COLUMNS = tuple(column.key for column in _ALL if column.multeval is not None)
MARKED = "average"  # the column that has the marks and, of the best system, bold numbers
FIXED_COLUMNS: Mapping[Layout, tuple[str, ...]] = MappingProxyType(
    {"multeval": MULTEVAL_COLUMNS, "systems": (MARKED,)}  # of layouts for which none can be chosen
)
MARKS = "Marks"
MARKS_HELP = (
    "† test-set luck is ruled out; ‡ test-set and training luck together are ruled out (provisional from two runs);"
    " both after Holm's correction for the number of systems compared."
)


def columns_in(layout: Layout, chosen: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table in a layout: its own, or those that were chosen."""
    return FIXED_COLUMNS.get(layout, tuple(chosen))


def usual_layout(n_systems: int) -> Layout:
    """The layout of the table for the paper unless another is chosen: a row a system where there are many."""
    return "systems" if n_systems >= MANY_SYSTEMS else "booktabs"


def metric_heading(notation: Notation, name: str) -> str:
    """A metric's name with its arrow, which no line break parts from it."""
    arrow = f"\N{NO-BREAK SPACE}{notation.direction}" if notation.has_direction else ""
    return f"{name}{arrow}"


@dataclass(frozen=True)
class Form:
    """How one kind of table writes its cells.

    Parameters
    ----------
    notation
        From the notation of a metric to the one used here.
    p
        Writes a p-value.
    undefined
        What stands where there is no number.
    has_marks
        Whether it marks what is ruled out and prints the best average in bold.
    """

    notation: Callable[[Notation], Notation]
    p: Callable[[float], str]
    undefined: str
    has_marks: bool


@dataclass(frozen=True)
class Cell:
    """A cell: its text as people read it, whether it is the best of its column, and the mark after it."""

    text: str
    is_best: bool = False
    mark: str = ""


def _short_p(value: float) -> str:
    """Two digits, and a bound for what rounds to nothing."""
    return "<0.01" if value < 0.005 else fixed(value, 2)


SCREEN = Form(lambda notation: notation, p_value, DASH, has_marks=True)
FORMS: Mapping[Layout, Form] = MappingProxyType(
    {
        "booktabs": Form(lambda notation: notation.coarser, _short_p, DASH, has_marks=True),
        "multeval": Form(lambda notation: notation.coarser, lambda p: fixed(p, 2), "-", has_marks=False),
        "systems": Form(lambda notation: notation.coarser, _short_p, DASH, has_marks=True),
    }
)


def cell(column: Column, row: Any, form: Form) -> Cell:
    """The cell of a row of an overview, as a table of that form has it.

    Parameters
    ----------
    row
        With the attributes ``notation``, ``is_best``, ``mark`` and that of the column.
    """
    text = _written(column, row, form)
    has_marks = form.has_marks and column.key == MARKED
    return Cell(text, bool(row.is_best), row.mark) if has_marks else Cell(text)


def _written(column: Column, row: Any, form: Form) -> str:
    value = getattr(row, column.field)
    if value != value:  # NaN
        return form.undefined
    if column.kind == "count":
        return f"{value:,}"
    if column.kind == "p":
        return form.p(value)
    notation = form.notation(row.notation)
    return notation.difference(value) if column.kind == "difference" else notation.number(value)


ByMetric = Mapping[str, Sequence[Coverage]]  # of the systems, by the metric's shown name


def coverage_text(coverage: ByMetric, test_set: str) -> str:
    """``1,910 segments of test in 97 documents. Given with the runs: MQM (9,840 scores on 820 of 1,910 segments).``"""
    return " ".join((f"{size_of_test_set(coverage, f' of {test_set}')}.", *_sentences(coverage)))


def size_of_test_set(coverage: ByMetric, name: str) -> str:
    """``1,910 segments in 97 documents``; the name of the test set comes after the segments."""
    first = next(row for rows in coverage.values() for row in rows)
    inside = f" in {counted(first.of_documents, 'document')}" if first.of_documents else ""
    return f"{counted(first.of_segments, 'segment')}{name}{inside}"


def given_names(coverage: ByMetric) -> list[str]:
    """The metrics whose scores came with the runs."""
    return [name for name, rows in coverage.items() if any(row.n_given for row in rows)]


def covered(coverage: Coverage) -> str:
    """What one comparison rests on: ``820 of 1,910 segments in 40 of 97 documents``, or the whole test set."""
    return _part([coverage]) or size_of_test_set({"": [coverage]}, "")


def extent(rows: Sequence[Coverage]) -> str:
    """What one metric rests on: ``9,840 scores on 820 of 1,910 segments in 40 of 97 documents``; empty where on all."""
    return " on ".join(filter(None, (_given(rows), _part(rows))))


def _given(rows: Sequence[Coverage]) -> str:
    """``12 scores``, ``12 scores of 24 judgements``; empty where none is given."""
    n_given, n_judgements = sum(row.n_given for row in rows), sum(row.n_judgements for row in rows)
    scores = counted(n_given, "score") if n_given else ""
    return f"{scores} of {counted(n_judgements, 'judgement')}" if n_judgements else scores


def _sentences(coverage: ByMetric) -> Iterator[str]:
    given = given_names(coverage)
    for title, names in (
        ("Given with the runs", given),
        ("On a part", [name for name in coverage if name not in given and _part(coverage[name])]),
    ):
        if names:
            yield f"{title}: {', '.join(f'{name} ({extent(coverage[name])})' for name in names)}."


def _part(rows: Sequence[Coverage]) -> str:
    """Which part of the test set the systems' averages are of; empty where it is all of it."""
    if all(row.is_whole for row in rows):
        return ""
    segments = _of([row.n_segments for row in rows], rows[0].of_segments, "segment")
    if not rows[0].of_documents:
        return segments
    return f"{segments} in {_of([row.n_documents for row in rows], rows[0].of_documents, 'document')}"


def _of(numbers: Sequence[int], total: int, noun: str) -> str:
    """``820 of 1,910 segments``, ``800 to 820 of 1,910 segments`` where systems differ."""
    if len(set(numbers)) == 1:
        return counted_part(numbers[0], total, noun)
    return f"{min(numbers):,} to {counted_part(max(numbers), total, noun)}"
