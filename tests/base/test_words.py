"""One run is "1 run": counts are put into words in one place, and nobody writes a plural after a number."""

import ast
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from mteval.base.words import (
    agreeing,
    all_counted,
    counted,
    counted_part,
    counted_range,
    free_name,
    listed,
    numbered,
    plural,
)

ROOT = Path(__file__).parents[2]
NOUNS = (
    "annotators|bytes|cells|characters|checkpoints|columns|combinations|comparisons|documents|draws|entries|files"
    "|hypotheses|judgements|lines|lists|metrics|outputs|pairs|parameters|parses|raters|references|replicates|resamples"
    "|rows|runs|scores|segments|sentences|shuffles|systems|tasks|times|units|votes|weights|words|workers"
)
_PLURAL = re.compile(rf"^ (?:(?!(?:a|and|as|has|in|needs|of|on|the) )[a-z]+ )?(?:{NOUNS})\b")
HOME = {"counted", "counted_part", "counted_range", "all_counted", "agreeing"}
_SUFFIX = re.compile(r"^s\b")
# Texts that stand before such a word, numbers that are never one, and names of random streams, which must stay.
KEPT = {
    ("mteval/analysis/nbest.py", "metric.name"),
    ("mteval/analysis/replication/draws.py", "k"),
    ("mteval/analysis/replication/draws.py", "k"),
    ("mteval/analysis/replication/draws.py", "n"),
    ("mteval/analysis/segments/table.py", "LENGTH_EDGES[-1]"),
    ("mteval/analysis/segments/table.py", "high - 1"),
    ("mteval/analysis/segments/table.py", "kind"),
    ("mteval/annotations/sample.py", "plan.random"),
    ("mteval/answers/gold.py", "gold.unit"),
    ("mteval/cli/segment_files.py", "metric"),
    ("mteval/report/multeval.py", "side"),
    ("mteval/report/paper_table.py", "exchanged"),
    ("mteval/answers/gold.py", "form.capitalize()"),
    ("mteval/answers/runs.py", "above"),
    ("mteval/answers/runs.py", "runs.noun"),
    ("mteval/base/bounded_input.py", "LONGEST_NAME"),
    ("mteval/base/bounded_input.py", "LONGEST_TEXT"),
    ("mteval/readers/assembly/judgements.py", "message"),
    ("mteval/answers/runs.py", "n_pairs"),
    ("mteval/metrics/neural/named_models.py", "self.name"),
    ("mteval/ui/segments/page.py", "name"),
    ("mteval/answers/gate.py", "MOST_TIMES"),
    ("mteval/answers/ranking.py", "n_pairs"),
    ("mteval/stats/procedures/spec.py", "unit"),
    ("mteval/ui/replication.py", "pool.unit.capitalize()"),
}


def test_one_is_one_and_anything_else_are_many() -> None:
    assert [counted(n, "run") for n in (0, 1, 2, 1910)] == ["0 runs", "1 run", "2 runs", "1,910 runs"]
    assert [agreeing(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]
    assert [all_counted(n, "pair") for n in (1, 66)] == ["the only pair", "all 66 pairs"]


def test_plurals_follow_english_spelling() -> None:
    assert plural("run") == "runs"
    assert plural("entry") == "entries"
    assert plural("display") == "displays"
    assert plural("hypothesis") == "hypotheses"
    assert plural("pass") == "passes"


def test_the_noun_of_a_part_goes_with_the_whole() -> None:
    assert counted_part(1, 1910, "segment") == "1 of 1,910 segments"
    assert counted_part(1, 1, "segment") == "1 of 1 segment"


def test_numbers_that_differ_are_a_range() -> None:
    assert counted_range([3, 3], "run") == "3 runs"
    assert counted_range([5, 1, 2], "run") == "1 to 5 runs"
    assert counted_range([1], "run") == "1 run"


def test_names_are_listed_with_an_and_before_the_last() -> None:
    assert listed("a") == "a"
    assert listed("") == "none"
    assert listed("ab") == "a and b"
    assert listed("abc") == "a, b and c"


def texts_after_values(path: Path) -> Iterator[tuple[ast.expr, str]]:
    """Each value in an f-string with the text that follows it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            for value, text in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    yield value.value, str(text.value)


def is_counted(value: ast.expr) -> bool:
    """Whether it comes from the home of counts, with its noun."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in HOME


_HOVER = re.compile(rf"%\{{\w+\}} (?:{NOUNS})\b")


def test_no_plural_is_written_after_a_number_that_a_figure_fills_in() -> None:
    for path in sorted((ROOT / "mteval" / "figures").glob("*.py")):
        assert not _HOVER.findall(path.read_text(encoding="utf-8").replace("{{", "{").replace("}}", "}")), path


def plurals_by_hand(folder: Path) -> Iterator[tuple[str, str]]:
    """Values in f-strings that are followed by a plural: the file, and the code of the value."""
    for path in sorted(folder.rglob("*.py")):
        if path.name == "words.py":
            continue
        for value, text in texts_after_values(path):
            has_plural = _PLURAL.match(text) or _SUFFIX.match(text)
            if has_plural and not is_counted(value):
                yield str(path.relative_to(folder.parent)), ast.unparse(value)


@pytest.mark.parametrize("part", ["mteval", "pages"])
def test_no_plural_is_written_after_a_number_by_hand(part: str) -> None:
    plurals = [place for place in plurals_by_hand(ROOT / part) if place not in KEPT]
    assert not plurals, f"use mteval.base.words for {plurals}"


def test_what_is_kept_is_there() -> None:
    plurals = set(plurals_by_hand(ROOT / "mteval"))
    assert plurals >= KEPT, f"no longer there: {KEPT - plurals}"


def test_a_plural_by_hand_is_found(tmp_path: Path) -> None:
    code = 'a = f"{n} runs"\nb = f"{n:,} bootstrap replicates"\nc = f"{n} {what}s"\nd = f"{counted(n, what)} of runs"\n'
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "module.py").write_text(code, encoding="utf-8")
    assert len(list(plurals_by_hand(tmp_path / "some"))) == 3


def test_a_name_that_is_free_stays_and_others_are_numbered_from_two() -> None:
    assert free_name("a", set().__contains__) == "a"
    assert free_name("a", {"a"}.__contains__) == "a (2)"
    assert free_name("a", {"a", "a (2)", "a (4)"}.__contains__) == "a (3)"


def test_numbers_stand_with_a_mark_where_the_caller_wants_one() -> None:
    marked = partial(numbered, mark="given")
    assert free_name("bleu", {"bleu"}.__contains__, marked) == "bleu (given)"
    assert free_name("bleu", {"bleu", "bleu (given)"}.__contains__, marked) == "bleu (given 2)"
