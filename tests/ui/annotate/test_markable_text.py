"""What stands on each word of a text that is marked: the look of the severest mark, and all of them in words."""

from mteval.annotations import Mark
from mteval.ui.annotate.fields import pieces


def marked(text: str, *marks: Mark) -> list[tuple[str, str, str]]:
    return [(piece["text"], piece["kind"], piece["marks"]) for piece in pieces(text, marks)]


def test_of_several_marks_the_severest_is_seen_and_that_there_are_several() -> None:
    major, minor = Mark("hypothesis", 0, 7, "", "major"), Mark("hypothesis", 4, 7, "", "minor", origin="xCOMET")
    for marks in ((major, minor), (minor, major)):
        shown = marked("the cat sat", *marks)
        assert [piece[:2] for piece in shown] == [
            ("the", "major"), (" ", "major"), ("cat", "major found several"), (" ", ""), ("sat", ""),
        ]  # fmt: skip
        assert sorted(shown[2][2].split("; ")) == ["major", "minor, found by xCOMET"]
    assert shown[0][2] == "major"


def test_a_mark_within_a_word_is_seen_on_the_word() -> None:
    found = Mark("hypothesis", 3, 4, "", "minor", origin="xCOMET")
    assert marked("cats", found) == [("cats", "minor found", "minor, found by xCOMET")]
    assert marked("cats sat", Mark("hypothesis", 0, 4, "", "minor")) == [
        ("cats", "minor", "minor"),
        (" ", "", ""),
        ("sat", "", ""),
    ]
