"""Marked errors in a real browser: dropped with the outputs, filtered, and a click that leads to the segment."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.axe import serious
from tests.browser.steps import at_rest, drop, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

REFERENCES = ["the cat sat on the mat", "it rained all day", "nobody went out"] * 4
COLUMNS = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity")
ONLY_ANN_MARKED = 3  # place, from 0, of the output whose error bob lets pass


def text_file(name: str, lines: list[str]) -> FilePayload:
    """A file of these lines, to be dropped."""
    return {"name": name, "mimeType": "text/plain", "buffer": ("\n".join(lines) + "\n").encode()}


def marked_errors(outputs: list[str]) -> list[str]:
    """What two annotators marked in the outputs of a system, as lines of WMT's table: every "dog" is a mistranslation.

    Three segments make a document.
    """
    rows = ["\t".join(COLUMNS)]
    for rater in ("ann", "bob"):
        for place, output in enumerate(outputs):
            is_marked = "dog" in output and not (rater == "bob" and place == ONLY_ANN_MARKED)
            if is_marked:
                target = output.replace("dog", "<v>dog</v>")
                category = "Accuracy/Mistranslation"
                severity = "Major"
            else:
                target = output
                category = "No-error"
                severity = "No-error"
            document = f"d{place // 3}"
            cells = ("new", document, str(place % 3 + 1), str(place + 1), rater, "", target, category, severity)
            rows.append("\t".join(cells))
    return rows


def test_a_marked_error_leads_to_its_segment(page: Page) -> None:
    first_run = [text.replace("cat", "dog") for text in REFERENCES]
    second_run = [text.replace("sat", "sits") for text in first_run]
    baseline = [text.replace("day", "night") for text in REFERENCES]
    files = [
        text_file("refs.txt", REFERENCES),
        text_file("base/opt0.txt", baseline),
        text_file("new/opt0.txt", first_run),
        text_file("new/opt1.txt", second_run),
        text_file("errors.tsv", marked_errors(first_run)),
    ]
    drop(page, files)
    score(page)

    page.get_by_role("link", name="People").click()
    expect(page.get_by_text("24 judgements by 2 annotators of 1 system on 12 segments in 4 documents")).to_be_visible()
    page.get_by_role("radio", name="Errors", exact=True).click()
    # Four outputs have a dog, and one of them was marked by ann alone.
    expect(page.get_by_text("7 of 7 marked errors.")).to_be_visible()

    # The first example is the one that the annotators disagree about.
    example = page.locator(".mt-example")
    expect(example).to_contain_text("0 of 1 other annotator marked")
    expect(example).to_contain_text("same words in 2 of 2 runs")
    expect(example.locator("mark")).to_have_text("dog")
    at_rest(page)
    assert serious(page) == []

    page.get_by_role("button", name="Open in Segments").click()
    page.get_by_role("heading", name="Segments").wait_for()
    at_rest(page)
    segment = page.get_by_role("spinbutton", name="Segment", exact=True)
    expect(segment).to_have_value(str(ONLY_ANN_MARKED + 1))
    expect(page).to_have_url(re.compile("segments"))
