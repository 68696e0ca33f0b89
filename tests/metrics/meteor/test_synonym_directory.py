"""Synonyms of a user's folder, named as METEOR names them."""

from pathlib import Path

import pytest

from mteval.base.errors import InputError, SettingsError
from mteval.metrics.meteor.metric import SPEC, Meteor
from mteval.values.model import TestSet
from tests.extras import needs_meteor

pytestmark = needs_meteor
TEST_SET = TestSet("one", (("the big dog barked",),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two words share set 7; ``hunde`` is an irregular form of ``dog``."""
    for language in ("english", "italian"):
        (tmp_path / f"{language}.synsets").write_text("dog\n7 9\npooch\n7\nbarked\n3\n", encoding="utf-8")
        (tmp_path / f"{language}.exceptions").write_text("pooch\nhunde\n", encoding="utf-8")
    return tmp_path


def score(hypothesis: str, **options: object) -> float:
    metric = SPEC.configure("multeval", {"modules": "exact synonym", "weights": "1 1", **options})
    scorer = metric.prepare(TEST_SET)
    return float(scorer.score(scorer.statistics([0], [hypothesis]).sum(axis=0)))


@pytest.mark.parametrize("hypothesis", ["the big pooch barked", "the big hunde barked"])
def test_synonyms_of_the_folder_match(folder: Path, hypothesis: str) -> None:
    exact = score("the big dog barked")
    assert score(hypothesis, synonym_directory=str(folder)) == pytest.approx(exact)
    assert score(hypothesis) < exact


def test_another_language_may_have_synonyms(folder: Path) -> None:
    options = {"language": "it", "task": "li", "synonym_directory": str(folder)}
    assert score("the big pooch barked", **options) == pytest.approx(score("the big dog barked", **options))


def test_the_content_of_the_folder_is_in_the_signature(folder: Path) -> None:
    before = Meteor(synonym_directory=folder).signature()
    assert before != Meteor().signature()
    (folder / "english.synsets").write_text("dog\n7\n", encoding="utf-8")
    assert Meteor(synonym_directory=folder).signature() != before
    without = ("exact", "stem", "paraphrase")
    assert Meteor(modules=without, synonym_directory=folder).signature() == Meteor(modules=without).signature()


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "english.exceptions").unlink()
    with pytest.raises(SettingsError, match=r"has no file english\.exceptions\. METEOR reads english\.synsets and"):
        score("a", synonym_directory=str(folder))


def test_a_damaged_file_is_an_error_with_its_line(folder: Path) -> None:
    (folder / "english.synsets").write_text("dog\n7\npooch\nseven\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"4: The line is 'seven'. Expected the numbers"):
        score("a", synonym_directory=str(folder))
