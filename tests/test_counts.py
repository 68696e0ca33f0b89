"""Counts and names on README and pages are those of the code and of the recorded measurements."""

import csv
import re

import pytest

from benchmarks import doors, others
from mteval._version import __version__
from mteval.analysis.corrections import CORRECTIONS
from mteval.cli import COMMANDS
from mteval.metrics import METRICS
from mteval.stats.procedures.registry import PROCEDURES
from mteval.ui.session.visitor import LEFT_OUT, MOST_METRICS
from tests.conftest import ROOT

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS += ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")


def page(name: str) -> str:
    """The text of a page below the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def rows(text: str) -> list[list[str]]:
    """The cells of the rows of the tables in a text."""
    lines = [line.strip("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def test_the_number_of_mistakes_is_that_of_the_table_and_of_the_code(data_directory: object) -> None:
    found, *_ = page("docs/doors.md").split("\n## ")
    n_rows = len(rows(found)) - 2  # head and rule
    (n_named,) = re.findall(r"(\d+) mistakes", page("docs/index.md"))
    assert int(n_named) == n_rows == len(list(doors.mistakes()))


@pytest.mark.parametrize("name", ["docs/commands.md", "docs/peers.md"])
def test_the_number_of_procedures(name: str) -> None:
    (named,) = re.findall(r"(\w+) procedures", page(name))
    assert NUMBERS.index(named) == len(PROCEDURES)


def test_the_numbers_of_further_tests_and_corrections() -> None:
    (named,) = re.findall(r"\[(\w+) others\]\(method.md#further-procedures\)", page("docs/peers.md"))
    of_test_set = [key for key, spec in PROCEDURES.items() if spec.luck == "test-set"]
    assert NUMBERS.index(named) == len(of_test_set) - 1  # the default is named before them
    for text in (page("docs/peers.md"), page("docs/method.md")):
        (named,) = re.findall(r"\b(\w+) corrections\b", text)
        assert NUMBERS.index(named.lower()) == len(CORRECTIONS.keys() - {"none"})


def test_the_page_of_commands_lists_every_command() -> None:
    listed = re.findall(r"^\| `mteval (\w+)` \|", page("docs/commands.md"), re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)


def test_the_rates_of_other_tools_are_those_recorded() -> None:
    text = page("docs/peers.md")
    assert others.START + others.table() + others.END in text
    with others.RESULTS.open(encoding="utf-8") as file:
        rate_of = {row["package"]: float(row["rate"]) for row in csv.DictReader(file) if row["shift"] == "3.0"}
    sentence = "call {evalsig:.0%} of equally good models different, mteval {mteval:.0%}".format(**rate_of)
    assert sentence in " ".join(page("README.md").split())
    assert rate_of["evalsig"] == rate_of["evalstats"]


def test_the_table_of_tools_has_this_version() -> None:
    (versions,) = (row for row in rows(page("docs/peers.md")) if row[0] == "version")
    assert versions[-1] == __version__


def test_how_much_faster_bleu_is_than_sacrebleu_s_is_that_recorded() -> None:
    (named,) = re.findall(r"(\d+) times faster than sacreBLEU", page("docs/index.md"))
    for name in ("docs/speed.md", "benchmarks/results.md"):
        (row,) = (row for row in rows(page(name)) if re.match(r"`?mteval.score`? by BLEU", row[0]))
        assert row[3].split(" /")[0] == named


def test_the_metrics_of_the_demo() -> None:
    text = page("docs/hosting.md")
    (named,) = re.findall(r"computes (\w+) metrics at a time", text)
    assert NUMBERS.index(named) == MOST_METRICS
    (left_out,) = re.findall(r"at a time. (.+) and learned metrics are not\s+available", text)
    assert left_out.lower() == ", ".join(METRICS[key].name for key in METRICS if key in ("meteor", *LEFT_OUT)).lower()
    for key in ("meteor", "comet", "bertscore", "metricx-24", "bleurt-20", "llm-judge"):
        assert METRICS[key].is_slow, key
