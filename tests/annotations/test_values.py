"""Words, typologies, campaigns and their files."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.annotations import (
    DEFAULT_TYPOLOGY,
    Campaign,
    Category,
    Control,
    Mark,
    Task,
    Typology,
    from_json,
    to_json,
    with_controls,
    word_spans,
)
from mteval.base.errors import InputError, SettingsError
from tests.annotations.conftest import NASTY, campaign, tasks_for


@given(st.text())
def test_every_character_but_space_is_in_exactly_one_word(text: str) -> None:
    spans = word_spans(text)
    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert all(start < end for start, end in spans)
    assert {place for place, character in enumerate(text) if not character.isspace()} <= set(covered)
    assert not any(text[place].isspace() for place in covered)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's a well-known “fact”.", ["It's", "a", "well-known", "“", "fact", "”", "."]),
        ("我喜欢 BLEU。", ["我", "喜", "欢", "BLEU", "。"]),
        ("שלום, עולם!", ["שלום", ",", "עולם", "!"]),
        ("naïve cafe\u0301s", ["naïve", "cafe\u0301s"]),
        ("ครับ", ["ค", "รั", "บ"]),
        ("", []),
    ],
)
def test_words_are_units_a_reader_would_mark(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


def test_default_weights_are_those_of_wmt() -> None:
    """Freitag et al. (2021), table 4."""
    weights = {
        ("Non-translation!", "major"): 25,
        ("Accuracy/Mistranslation", "major"): 5,
        ("Fluency/Punctuation", "minor"): 0.1,
        ("Fluency/Punctuation", "major"): 5,
        ("Style/Awkward", "minor"): 1,
        ("Style/Awkward", "neutral"): 0,
        ("a category that is gone", "major"): 5,
    }
    assert {key: DEFAULT_TYPOLOGY.weight(*key) for key in weights} == weights


@pytest.mark.parametrize(
    ("categories", "words"),
    [
        ((), "at least one category"),
        ((Category(" "),), "each with a name"),
        ((Category("a"), Category("a")), "'a' appears 2 times"),
        ((Category("a", minor=-1),), "'a' has an invalid weight"),
        ((Category("a", major=float("nan")),), "'a' has an invalid weight"),
    ],
)
def test_invalid_typology_is_an_error(categories: tuple[Category, ...], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Typology(categories)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": " "}, "has no name"),
        ({"way": "dance"}, "way of working is 'dance'"),
        ({"way": "preference", "outputs": campaign().outputs[:1]}, "1 output, but this way of working needs two"),
        ({"source": ("x",)}, "different numbers of segments"),
    ],
)
def test_invalid_campaign_is_an_error(changes: dict, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        dataclasses.replace(campaign(), **changes)


HALF = r"\ud800"  # as JSON has it; files are of whole characters


def judged(way: str) -> tuple[Campaign, tuple[Task, ...]]:
    one = campaign(way, name=NASTY)
    said = {
        "rating": {"adequacy": 3.0, "fluency": 99.5},
        "preference": {"preference": "second"},
        "errors": {"marks": (Mark("hypothesis", 0, 6, "Other", "major", NASTY), Mark("source", 0, 3, "x", "minor"))},
        "esa": {
            "score": 12.5,
            "marks": (Mark("hypothesis", 0, 6, "", "major", weight=2.5, origin="xCOMET", suggested="minor"),),
            "rejected": (Mark("hypothesis", 0, 3, "", "minor", origin="xCOMET", suggested="minor"),),
        },
    }
    if way == "esa":
        plan = dataclasses.replace(one.plan, by_document=True, checks=2, prefilled_by="xCOMET")
        control = Control("training", NASTY, "a wrong word", 2, 7, "major", 10.0, 60.5, NASTY, "better", "Other")
        one = dataclasses.replace(one, plan=plan, instructions=NASTY, controls=(control,))
    first, *others = tasks_for(one, "ann", "bob")
    if way == "esa":
        one, (*others, first) = with_controls(one, (first, *others))
    return one, (dataclasses.replace(first, comment=NASTY, is_complete=True, **said[way]), *others)


@pytest.mark.parametrize("way", ["rating", "preference", "errors", "esa"])
def test_json_round_trip_is_lossless(way: str) -> None:
    one, tasks = judged(way)
    text = to_json(one, tasks).replace(HALF, "?")
    assert to_json(*from_json(text, "x.json")) == text


def test_digest_in_a_file_is_ignored() -> None:
    text = changed(["campaign", "outputs", 0, "digest"], "f" * 32)
    assert from_json(text, "x.json")[0].outputs[0].digest == judged("errors")[0].outputs[0].digest


def changed(path: list, value: object) -> str:
    data = json.loads(to_json(*judged("errors")).replace(HALF, "?"))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "something else"}',
        changed(["campaign", "way"], "dance"),
        changed(["campaign", "outputs"], []),
        changed(["campaign", "typology"], [{"name": "a", "colour": "red"}]),
        changed(["tasks", 0, "segment"], 6),
        changed(["tasks", 0, "segment"], "0"),
        changed(["tasks", 0, "output"], 2),
        changed(["tasks", 0, "output"], None),
        changed(["tasks", 0, "adequacy"], "much"),
        changed(["tasks", 0, "marks", 0, "end"], 10_000),
        changed(["tasks", 0, "marks", 0, "side"], "elsewhere"),
        changed(["tasks", 0, "extra"], 1),
        changed(["tasks", 0, "control"], 0),
        changed(["tasks", 0, "score"], 101),
    ],
)
def test_other_files_are_errors(text: str) -> None:
    with pytest.raises(InputError, match=r"x\.json"):
        from_json(text, "x.json")
