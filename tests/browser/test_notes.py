"""Errors noted on the page of segments by keys alone: how many keys they take, what is kept, and where it shows."""

import random
import time
from statistics import median

import pytest
from playwright.sync_api import Locator, Page, expect

from mteval.annotations import SEVERITIES, word_spans
from mteval.annotations.typology import MQM_TOP
from mteval.ui.marker import CATEGORY_KEYS
from tests.browser.steps import COMPILING, drop, payloads, score

pytestmark = pytest.mark.browser

N_ERRORS, SEED, MOST_KEYS = 10, 7, 8
JUMP = 5


@pytest.fixture
def segments(page: Page) -> Page:
    """The page of segments, two systems of three runs each."""
    drop(page, payloads(base=3, new=3))
    score(page)
    page.get_by_role("link", name="Segments").click()
    page.get_by_role("spinbutton", name="Segment", exact=True).wait_for(timeout=COMPILING)
    outputs(page).first.wait_for()
    return page


def outputs(page: Page) -> Locator:
    return page.locator(".marker .words")


def state(page: Page) -> Locator:
    return page.locator(".marker")


def steps_to(start: int, goal: int, n_words: int) -> list[str]:
    """The fewest keys from one word to another, by jumps of five, single steps, and the ends of the text."""
    reached: dict[int, list[str]] = {start: []}
    waiting = [start]
    for word in waiting:
        ways = {"ArrowRight": word + 1, "ArrowLeft": word - 1, ".": word + JUMP, ",": word - JUMP, "Home": 0,
                "End": n_words - 1}  # fmt: skip
        for key, next_word in ways.items():
            place = min(max(next_word, 0), n_words - 1)
            if place not in reached:
                reached[place] = [*reached[word], key]
                waiting.append(place)
    return reached[goal]


def test_ten_errors_are_noted_by_keys_alone_with_at_most_eight_each(segments: Page) -> None:
    page, draw = segments, random.Random(SEED)
    page.get_by_role("heading", name="Segments", exact=True).click()
    page.evaluate("window.mtKeys = 0; window.addEventListener('keydown', () => { window.mtKeys += 1; }, true)")
    pressed, noted, began = [], [], time.monotonic()
    before, at = 0, 0
    page.keyboard.press("m")
    for number in range(N_ERRORS):
        text = outputs(page).first.inner_text()
        words = word_spans(text)
        word = draw.randrange(len(words))
        category, severity = draw.choice(MQM_TOP), draw.choice(SEVERITIES)
        for key in steps_to(at, word, len(words)):
            page.keyboard.press(key)
        page.keyboard.press(CATEGORY_KEYS[MQM_TOP.index(category)].lower())
        page.keyboard.press(str(SEVERITIES.index(severity)))
        start, end = words[word]
        noted.append((text[start:end], category, severity))
        expect(page.locator(".marker .marks li").first).to_contain_text(f"{category}, {severity}")
        if number + 1 < N_ERRORS:
            page.keyboard.press("n")
            expect(page.locator(".marker .marks li")).to_have_count(0)  # of the next segment
            at = 0
        count = int(page.evaluate("window.mtKeys"))
        pressed.append(count - before)
        before = count
    assert median(pressed) <= MOST_KEYS, pressed
    print(f"keys per error {pressed}, median {median(pressed)}; {time.monotonic() - began:.1f} s")
    expect(state(page)).to_have_attribute("data-state", "saved")
    expect(page.get_by_text("10 errors: base 10")).to_be_visible()

    page.reload()  # what is kept outlives the page
    page.get_by_role("button", name="My notes").click()
    expect(page.get_by_text("10 errors noted in 10 outputs.")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download notes (TSV)").click()
    rows = [line.split("\t") for line in downloading.value.path().read_text(encoding="utf-8").splitlines()[1:]]
    found = sorted((row[6].partition("<v>")[2].partition("</v>")[0], row[7], row[8]) for row in rows)
    assert found == sorted(noted)


def test_a_note_is_edited_commented_undone_and_says_in_how_many_runs_its_words_stand(segments: Page) -> None:
    page = segments
    page.get_by_role("heading", name="Segments", exact=True).click()
    page.keyboard.press("m")
    text = outputs(page).first.inner_text()
    marks = page.locator(".marker .marks li")
    page.keyboard.press("q")
    expect(marks).to_have_count(1)
    expect(marks).to_contain_text("Accuracy/Mistranslation, major")
    expect(marks).to_contain_text("of 3 runs")
    page.keyboard.press("w")
    page.keyboard.press("1")
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
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    expect(marks).to_have_count(2)
    expect(marks.nth(1)).to_contain_text(" ".join(text.split()[1:3]))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("a")
    expect(marks.nth(2)).to_contain_text("missing word")
    page.keyboard.press("l")
    page.keyboard.type("word order")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Label: word order")).to_be_visible()
    expect(page.get_by_role("button", name="Bookmarked")).to_be_visible()
