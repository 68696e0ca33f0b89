"""Errors noted on the page of segments by keys alone: how many keys they take, what is kept, and where it shows."""

import csv
import random
import time
from statistics import median

import pytest
from playwright.sync_api import Locator, Page, expect

from mteval.annotations import SEVERITIES, word_spans
from mteval.annotations.typology import MQM_TOP
from mteval.ui.marker import CATEGORY_KEYS
from tests.browser.annotating import expect_saved, marks_on
from tests.browser.steps import COMPILING, at_rest, downloaded, drop, payloads, press, score

pytestmark = pytest.mark.browser

N_ERRORS = 10
SEED = 7
MOST_KEYS = 8  # in the median
JUMP = 5  # words that the keys of a jump pass over
COUNT_KEYS = """() => {
  window.mtKeys = 0;
  window.addEventListener('keydown', () => { window.mtKeys += 1; }, true);
}"""


@pytest.fixture
def segments(page: Page) -> Page:
    """The page of segments, two systems of three runs each."""
    drop(page, payloads(base=3, new=3))
    score(page)
    page.get_by_role("link", name="Segments").click()
    page.get_by_role("spinbutton", name="Segment", exact=True).wait_for(timeout=COMPILING)
    outputs(page).first.wait_for()
    at_rest(page)
    page.get_by_role("heading", name="Segments", exact=True).click()  # keys are meant for the page
    return page


def outputs(page: Page) -> Locator:
    """The texts in which errors are noted."""
    return page.locator(".marker .words")


def go_to_next_segment(page: Page) -> None:
    """Press the key at once, while what was noted is saved: it is not lost."""
    page.keyboard.press("n")
    expect(marks_on(page)).to_have_count(0)  # of the next segment


def keys_between(start: int, goal: int, n_words: int) -> list[str]:
    """The fewest keys from one word to another, by jumps, single steps, and the ends of the text."""
    keys_to: dict[int, list[str]] = {start: []}
    waiting = [start]
    for word in waiting:  # grows meanwhile: words are reached in the order of their distance
        target_of = {
            "ArrowRight": word + 1,
            "ArrowLeft": word - 1,
            ".": word + JUMP,
            ",": word - JUMP,
            "Home": 0,
            "End": n_words - 1,
        }
        for key, target in target_of.items():
            next_word = min(max(target, 0), n_words - 1)
            if next_word not in keys_to:
                keys_to[next_word] = [*keys_to[word], key]
                waiting.append(next_word)
    return keys_to[goal]


def test_ten_errors_are_noted_by_keys_alone_with_a_median_of_at_most_eight(segments: Page) -> None:
    page = segments
    draw = random.Random(SEED)
    page.evaluate(COUNT_KEYS)
    began = time.monotonic()
    noted = []
    n_keys_of_errors = []
    n_keys_before = 0
    page.keyboard.press("m")
    for number in range(N_ERRORS):
        if number > 0:
            go_to_next_segment(page)
        text = outputs(page).first.inner_text()
        words = word_spans(text)
        word = draw.randrange(len(words))
        category = draw.choice(MQM_TOP)
        severity = draw.choice(SEVERITIES)
        press(page, *keys_between(0, word, len(words)))
        category_key = CATEGORY_KEYS[MQM_TOP.index(category)].lower()
        severity_key = str(SEVERITIES.index(severity))
        press(page, category_key, severity_key)
        expect(marks_on(page).first).to_contain_text(f"{category}, {severity}")
        start, end = words[word]
        noted.append((text[start:end], category, severity))
        # The key that leads to a segment, and for the first one the key that leads to its words, are counted with it.
        n_keys = int(page.evaluate("window.mtKeys"))
        n_keys_of_errors.append(n_keys - n_keys_before)
        n_keys_before = n_keys
    assert median(n_keys_of_errors) <= MOST_KEYS, n_keys_of_errors
    seconds = time.monotonic() - began
    print(f"keys per error {n_keys_of_errors}, median {median(n_keys_of_errors)}; {seconds:.1f} s")
    expect_saved(page)
    expect(page.get_by_text("10 errors: base 10")).to_be_visible()

    page.reload()  # what is kept outlives the page
    page.get_by_role("button", name="My notes").click()
    expect(page.get_by_text("10 errors noted in 10 outputs.")).to_be_visible()
    rows = csv.DictReader(downloaded(page, "Download notes (TSV)").splitlines(), delimiter="\t")
    saved = []
    for row in rows:
        _, _, from_error = row["target"].partition("<v>")
        error, _, _ = from_error.partition("</v>")
        saved.append((error, row["category"], row["severity"]))
    assert sorted(saved) == sorted(noted)


def test_a_note_is_edited_commented_undone_and_says_in_how_many_runs_its_words_stand(segments: Page) -> None:
    page = segments
    page.keyboard.press("m")
    words = outputs(page).first.inner_text().split()
    marks = marks_on(page)

    page.keyboard.press("q")
    expect(marks).to_have_count(1)
    expect(marks).to_contain_text("Accuracy/Mistranslation, major")
    expect(marks).to_contain_text("of 3 runs")
    press(page, "w", "1")
    expect(marks).to_contain_text("Style/Awkward, minor")

    page.keyboard.press("Enter")
    page.keyboard.type("n p m 1")  # no key of the page
    page.keyboard.press("Enter")
    expect(marks).to_contain_text("n p m 1")
    page.keyboard.press("z")
    expect(marks).not_to_contain_text("n p m 1")
    page.keyboard.press("Delete")
    expect(marks).to_have_count(0)
    page.keyboard.press("z")
    expect(marks).to_have_count(1)

    press(page, "ArrowRight", " ", "ArrowRight", "r")
    expect(marks).to_have_count(2)
    expect(marks.nth(1)).to_contain_text(f"{words[1]} {words[2]}")
    press(page, "ArrowRight", "Shift+ArrowLeft", "a")  # the space between two words
    expect(marks.nth(2)).to_contain_text("missing word")

    page.keyboard.press("l")
    page.keyboard.type("word order")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Label: word order")).to_be_visible()
    expect(page.get_by_role("button", name="Bookmarked")).to_be_visible()
