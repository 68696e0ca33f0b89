"""Marked errors in a real browser: dropped with the outputs, filtered, and a click that leads to the segment."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.axe import serious
from tests.browser.steps import at_rest, drop, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

REFERENCES = ["the cat sat on the mat", "it rained all day", "nobody went out"] * 4
HEAD = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"


def payload(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def lines(rows: list[str]) -> str:
    return "\n".join(rows) + "\n"


def test_a_marked_error_leads_to_its_segment(page: Page) -> None:
    first = [text.replace("cat", "dog") for text in REFERENCES]
    second = [text.replace("sat", "sits") for text in first]
    other = [text.replace("day", "night") for text in REFERENCES]
    marked = [
        f"new\td{n // 3}\t{n % 3 + 1}\t{n + 1}\t{rater}\t\t{text.replace('dog', '<v>dog</v>')}\t"
        + (
            "Accuracy/Mistranslation\tMajor"
            if "dog" in text and not (rater == "bob" and n == 3)
            else "No-error\tNo-error"
        )
        for rater in ("ann", "bob")
        for n, text in enumerate(first)
    ]
    drop(
        page,
        [payload("refs.txt", lines(REFERENCES)), payload("base/opt0.txt", lines(other)),
         payload("new/opt0.txt", lines(first)), payload("new/opt1.txt", lines(second)),
         payload("errors.tsv", HEAD + lines(marked))],
    )  # fmt: skip
    score(page)
    page.get_by_role("link", name="People").click()
    expect(page.get_by_text("24 judgements by 2 annotators of 1 system on 12 segments in 4 documents")).to_be_visible()
    page.get_by_role("radio", name="Errors", exact=True).click()
    expect(page.get_by_text("7 of 7 marked errors.")).to_be_visible()
    opened = page.locator(".mt-example")
    expect(opened).to_contain_text("0 of 1 other annotator marked")  # what they disagree about is first
    expect(opened).to_contain_text("same words in 2 of 2 runs")
    expect(opened.locator("mark")).to_have_text("dog")
    at_rest(page)
    assert list(serious(page)) == []
    page.get_by_role("button", name="Open in Segments").click()
    page.get_by_role("heading", name="Segments").wait_for()
    at_rest(page)
    expect(page.get_by_role("spinbutton", name="Segment", exact=True)).to_have_value("4")
    expect(page).to_have_url(re.compile("segments"))
