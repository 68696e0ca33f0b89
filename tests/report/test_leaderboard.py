"""The leaderboard: who is best, with tiers and ties as all pairs of tests give them, in every form."""

import csv
import io
import itertools
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import mteval
from mteval.base.errors import SettingsError
from mteval.base.words import as_before_inert, visible
from mteval.cli import main

HOSTILE = "<script>alert(1)</script>|*x*"


@pytest.fixture(scope="module")
def comparison() -> mteval.Comparison:
    """Five systems on 60 segments: two at the top, two in the middle, one at the bottom."""
    random = np.random.default_rng(5)
    difficulty = random.normal(size=60)
    shift_of = {"top": 3.0, HOSTILE: 3.02, "middle": 1.0, "also middle": 1.01, "bottom": -2.0}
    scores = {}
    for system, shift in shift_of.items():
        scores[system] = [list(difficulty + shift + 0.3 * random.normal(size=60))]
    return mteval.compare_scores(scores, "accuracy", n_shuffles=2000, n_bootstrap=20)


@pytest.fixture(scope="module")
def document(comparison: mteval.Comparison) -> dict[str, list[dict[str, object]]]:
    return json.loads(comparison.leaderboard("json"))


def test_tiers_and_ties_follow_from_the_tests_of_all_pairs(
    comparison: mteval.Comparison, document: dict[str, list[dict[str, object]]]
) -> None:
    pairs = comparison.pairs("ar-segment", correction="max-t")
    apart = {frozenset((row.better, row.worse)) for row in pairs.itertuples() if row.p_adjusted <= 0.05}
    rows = {row["system"]: row for row in document["leaderboard"]}
    assert len(apart) == 8
    for one, other in itertools.permutations(rows, 2):
        is_tied = frozenset((one, other)) not in apart
        assert (other in rows[one]["tied_with"]) == is_tied
        assert (rows[one]["tier"] == rows[other]["tier"]) == is_tied
    assert [row["tier"] for row in document["leaderboard"]] == [1, 1, 2, 2, 3]
    assert [(row["first_rank"], row["last_rank"]) for row in document["leaderboard"]] == [
        (1, 2),
        (1, 2),
        (3, 4),
        (3, 4),
        (5, 5),
    ]
    shown = {frozenset((pair["better"], pair["worse"])) for pair in document["pairs"] if pair["is_shown"]}
    assert shown == apart


def test_the_definition_says_which_test_at_which_level(document: dict[str, dict[str, object]]) -> None:
    (definition,) = document["definition"]
    assert definition["metric"] == "accuracy"
    assert definition["unit"] == "segment"
    assert definition["level"] == pytest.approx(0.05, abs=1e-12)
    assert definition["correction"] == "max-T over shared shuffles"
    assert not definition["covers_training_luck"]
    words = " ".join(definition["words"])
    assert "All 10 pairs tested for test-set luck only" in words
    assert "Tier: every system of a tier is better than every system of later tiers." in words
    assert "60 segments" in words


def test_csv_has_the_same_rows_with_the_test_behind_them(
    comparison: mteval.Comparison, document: dict[str, list[dict[str, object]]]
) -> None:
    rows = list(csv.DictReader(io.StringIO(comparison.leaderboard("csv"))))
    assert [int(row["tier"]) for row in rows] == [row["tier"] for row in document["leaderboard"]]
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in document["leaderboard"]]
    assert [row["tied_with"] for row in rows] == [json.dumps(row["tied_with"]) for row in document["leaderboard"]]
    assert {row["correction"] for row in rows} == {"max-T over shared shuffles"}
    assert all(row["signature"] for row in rows)


def test_markdown_is_one_table_with_every_system_and_the_definition(comparison: mteval.Comparison) -> None:
    lines = comparison.leaderboard("md").splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 5
    headings = [heading.strip() for heading in table[0].split("|")[1:-1]]
    assert headings == ["Tier", "Ranks", "System", "No clear difference from", "accuracy\N{NO-BREAK SPACE}↑"]
    # A name cannot end its cell
    assert all(len(line.replace("\\|", "").split("|")) == len(table[0].split("|")) for line in table)
    assert any(line.startswith("- All 10 pairs tested") for line in lines)


def test_html_is_a_fragment_in_which_names_stay_text(comparison: mteval.Comparison) -> None:
    fragment = comparison.leaderboard("html")
    tags = []
    texts = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

        def handle_data(self, data: str) -> None:
            texts.append(data)

    Reader().feed(fragment)
    assert not {"script", "html", "body", "link"} & set(tags)
    assert HOSTILE in texts
    assert tags.count("tbody") == 3, "one block per tier"
    assert "All 10 pairs tested" in " ".join(texts)


NAMES = (
    "<script>alert(1)</script>",
    "</td></table><h1>",
    "\"a\" 'b'",
    "x|y",
    "\\input{/etc/passwd} $x$ %_&#^",
    "\u202egpj.exe",
    "שלום",
    "=HYPERLINK(1)",
    "\x1b[31mred",
    "[a](javascript:b)",
    "a&lt;b",
    "~~c~~",
    "x" * 200,
)


def test_hostile_names_are_the_same_in_every_form_and_do_nothing() -> None:
    random = np.random.default_rng(5)
    scores = {name: [list(place + random.normal(size=30))] for place, name in enumerate(NAMES)}
    comparison = mteval.compare_scores(scores, "accuracy", n_shuffles=100, n_bootstrap=20)
    best_first = list(reversed(NAMES))
    document = json.loads(comparison.leaderboard("json"))
    assert [row["system"] for row in document["leaderboard"]] == best_first
    rows = list(csv.DictReader(io.StringIO(comparison.leaderboard("csv"))))
    assert [as_before_inert(row["system"]) for row in rows] == best_first
    assert not any(row["system"].startswith("=") for row in rows)

    fragment = comparison.leaderboard("html")
    texts: list[str] = []
    tags: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.add(tag)

        def handle_data(self, data: str) -> None:
            texts.append(data)

    Reader().feed(fragment)
    assert {visible(name) for name in NAMES} <= set(texts)
    assert not {"script", "h1", "a", "img"} & tags

    markdown = comparison.leaderboard("md")
    for text in (fragment, markdown):
        assert not set("\u202e\x1b") & set(text)
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(NAMES)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}
    # Nothing begins a tag, an entity, a link, a formula or struck text
    for name in ("<script", "$x$", "[a](", "a&lt;b", "~~c"):
        assert not re.search(rf"(?<!\\){re.escape(name)}", markdown), name


@pytest.fixture(scope="module")
def on_several() -> mteval.Comparison:
    """Four systems with people's scores on two language pairs and a tuning set, and three of them on another pair."""
    random = np.random.default_rng(3)
    references = [f"a{n} b{n} c{n} d{n} e{n} f{n}" for n in range(40)]
    right = {"base": 2, "one; two": 5, "three": 3, "four": 4}

    def systems(names: tuple[str, ...]) -> dict[str, list[list[str]]]:
        outputs = {}
        for name in names:
            kept = right[name] + random.integers(0, 2, size=40)
            words = [line.split() for line in references]
            outputs[name] = [[" ".join([*w[:n], *(["x"] * (6 - n))]) for w, n in zip(words, kept, strict=True)]]
        return outputs

    everyone = tuple(right)
    test_sets = {
        "fr-en": {"systems": systems(everyone), "references": references},
        "zh-en": {"systems": systems(everyone[:3]), "references": references},
        "tuning": {"systems": systems(everyone), "references": references, "role": "dev"},
    }
    # People contradict the metric on one system, and did not judge another
    scores = {"mqm": {"base": [[-1.0] * 40], "one; two": [[-4.0 - n % 3 for n in range(40)]], "three": [[-1.0] * 40]}}
    return mteval.compare(
        systems(everyone),
        references,
        ["chrf", "ter"],
        scores=scores,
        test_sets=test_sets,
        n_shuffles=2000,
        n_bootstrap=20,
    )


def test_every_test_set_with_a_ranking_and_the_average_are_in_every_form(on_several: mteval.Comparison) -> None:
    places = ["test", "fr-en"]
    markdown = on_several.leaderboard("md").splitlines()
    titles = [line for line in markdown if line.startswith("### ")]
    assert titles == ["### chrF on all test sets", "### chrF on test", "### chrF on fr-en", "### Definition"]
    html = on_several.leaderboard("html")
    assert [html.index(f"<h3>chrF on {name}</h3>") for name in places]
    without = "No leaderboard on zh-en: fewer than 4 systems have scores there."
    assert f"- {without}" in markdown
    assert without in html
    for text in (html, "\n".join(markdown)):
        assert "Best average first; on average, only differences from base are tested." in text
    document = json.loads(on_several.leaderboard("json"))
    assert document["note"] == without
    assert [definition["test_set"] for definition in document["definition"]] == places
    assert list(dict.fromkeys(pair["test_set"] for pair in document["pairs"])) == places
    rows = list(csv.DictReader(io.StringIO(on_several.leaderboard("csv"))))
    for table in (rows, document["leaderboard"]):
        assert [row["test_set"] for row in table] == ["test"] * 4 + ["fr-en"] * 4 + ["(average)"] * 4
    assert [row["tier"] for row in document["leaderboard"]][-4:] == [None] * 4
    assert all(type(row["tier"]) is int for row in document["leaderboard"][:8])
    of_average = {row["system"]: row["mean"] for row in document["leaderboard"][-4:]}
    grid = on_several.grid()
    for row in grid[(grid["test_set"] == "(average)") & (grid["metric"] == "chrf")].itertuples():
        assert of_average[row.system] == (None if np.isnan(row.mean) else row.mean)


def test_averages_have_means_by_all_metrics_and_no_ranks(on_several: mteval.Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(on_several.leaderboard("csv"))))
    averages = {row["system"]: row for row in rows if row["test_set"] == "(average)"}
    grid = on_several.grid()
    means = grid[grid["metric"] == "ter"].set_index(["system", "test_set"])["mean"]
    for system in ("base", "one; two", "three"):
        mean = (means[system, "test"] + means[system, "fr-en"] + means[system, "zh-en"]) / 3
        assert float(averages[system]["ter"]) == pytest.approx(mean, abs=1e-12)
    assert averages["four"]["ter"] == averages["four"]["mean"] == ""  # not on every test set
    for average in averages.values():
        assert {average[column] for column in ("tier", "first_rank", "last_rank", "tied_with", "procedure")} == {""}


def test_a_leaderboard_of_a_chosen_test_set_is_of_it_alone(on_several: mteval.Comparison) -> None:
    markdown = on_several.on("fr-en").leaderboard("md")
    assert [line for line in markdown.splitlines() if line.startswith("### ")] == ["### chrF on fr-en"]


def test_people_stand_beside_the_metric_in_every_form(on_several: mteval.Comparison) -> None:
    for form in ("md", "html"):
        text = " ".join(on_several.on("test").leaderboard(form).split())
        assert "People disagree by mqm: one; two (worse, −3.9" in text.replace("\\", "")
        assert "not judged" in text
    rows = list(csv.DictReader(io.StringIO(on_several.on("test").leaderboard("csv"))))
    document = json.loads(on_several.on("test").leaderboard("json"))
    for table in (rows, document["leaderboard"]):
        verdict_of = {row["system"]: (row["verdict"], row["verdict_by_people"]) for row in table}
        assert verdict_of["one; two"] == ("better", "worse")
        assert verdict_of["four"] == ("better", "")
        assert verdict_of["base"] == ("", "")


def test_tied_names_in_csv_are_a_list_whatever_they_contain() -> None:
    random = np.random.default_rng(5)
    scores = {name: [list(random.normal(size=20))] for name in ("a; b", 'say "c"', "d, e", "f")}
    comparison = mteval.compare_scores(scores, "accuracy", n_shuffles=200, n_bootstrap=20)
    rows = list(csv.DictReader(io.StringIO(comparison.leaderboard("csv"))))
    for row in rows:
        assert set(json.loads(row["tied_with"])) <= set(scores) - {row["system"]}
    assert any("a; b" in json.loads(row["tied_with"]) for row in rows)


def test_too_few_systems_have_no_leaderboard() -> None:
    few = mteval.compare_scores({"a": [[1.0, 2.0, 3.0]], "b": [[2.0, 2.0, 3.0]]}, "accuracy", n_shuffles=10)
    with pytest.raises(SettingsError, match="4 systems with scores by a metric with a better direction"):
        few.leaderboard()


def test_the_ending_of_the_file_decides_and_others_are_refused(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "eval",
        "--metrics",
        "length",
        "--ar-shuffles",
        "50",
        "--boot-samples",
        "20",
        "--refs",
        str(tmp_path / "ref"),
    ]
    (tmp_path / "ref").write_text("a b\nc d\n" * 5, encoding="utf-8")
    for place, name in enumerate("abcd"):
        (tmp_path / name).write_text(
            "\n".join(f"{'x ' * (place + line % 3 + 1)}" for line in range(10)), encoding="utf-8"
        )
        words += ["--system", name, str(tmp_path / name)]
    assert main([*words, "--leaderboard", str(tmp_path / "board.txt")]) == 2
    assert "must end in one of .html, .md, .csv, .json" in capsys.readouterr().err
    assert main([*words, "--leaderboard", str(tmp_path / "board.md")]) == 2, "length has no better direction"
    words[2] = "chrf"
    assert main([*words, "--leaderboard", str(tmp_path / "board.md")]) == 0
    assert (tmp_path / "board.md").read_text(encoding="utf-8").startswith("### chrF on ")
