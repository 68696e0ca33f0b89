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
from tests.annotations.conftest import NASTY, tasks_for
from tests.annotations.conftest import campaign as make_campaign


@given(st.text())
def test_every_character_but_space_is_in_exactly_one_word(text: str) -> None:
    spans = word_spans(text)

    covered: list[int] = []
    for start, end in spans:
        covered += range(start, end)
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
        ({"way": "preference", "outputs": make_campaign().outputs[:1]}, "1 output, but this way of working needs two"),
        ({"source": ("x",)}, "different numbers of segments"),
    ],
)
def test_invalid_campaign_is_an_error(changes: dict, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        dataclasses.replace(make_campaign(), **changes)


HALF = r"\ud800"  # as JSON has it; files are of whole characters


def judged(way: str) -> tuple[Campaign, tuple[Task, ...]]:
    """A campaign with an answer of its way of working, all texts of which are unusual."""
    marks_of_metric = {
        "marks": (Mark("hypothesis", 0, 6, "", "major", weight=2.5, origin="xCOMET", suggested="minor"),),
        "rejected": (Mark("hypothesis", 0, 3, "", "minor", origin="xCOMET", suggested="minor"),),
    }
    answers = {
        "rating": {"adequacy": 3.0, "fluency": 99.5},
        "preference": {"preference": "second"},
        "errors": {"marks": (Mark("hypothesis", 0, 6, "Other", "major", NASTY), Mark("source", 0, 3, "x", "minor"))},
        "esa": {"score": 12.5, **marks_of_metric},
    }
    campaign = make_campaign(way, name=NASTY)
    if way != "esa":
        answered, *rest = tasks_for(campaign, "ann", "bob")
    else:
        plan = dataclasses.replace(campaign.plan, by_document=True, checks=2, prefilled_by="xCOMET")
        control = Control("training", NASTY, "a wrong word", 2, 7, "major", 10.0, 60.5, NASTY, "better", "Other")
        campaign = dataclasses.replace(campaign, plan=plan, instructions=NASTY, controls=(control,))
        campaign, tasks = with_controls(campaign, tasks_for(campaign, "ann", "bob"))
        *rest, answered = tasks
    answered = dataclasses.replace(answered, comment=NASTY, is_complete=True, **answers[way])
    return campaign, (answered, *rest)


@pytest.mark.parametrize("way", ["rating", "preference", "errors", "esa"])
def test_json_round_trip_is_lossless(way: str) -> None:
    text = to_json(*judged(way)).replace(HALF, "?")

    campaign, tasks = from_json(text, "x.json")

    assert to_json(campaign, tasks) == text


def test_digest_in_a_file_is_ignored() -> None:
    text = changed(["campaign", "outputs", 0, "digest"], "f" * 32)

    campaign, _ = from_json(text, "x.json")

    unchanged, _ = judged("errors")
    assert campaign.outputs[0].digest == unchanged.outputs[0].digest


def changed(path: list, value: object) -> str:
    """A campaign's file, with another value at a path."""
    data = json.loads(to_json(*judged("errors")).replace(HALF, "?"))
    *parents, last_key = path
    container = data
    for key in parents:
        container = container[key]
    container[last_key] = value
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
