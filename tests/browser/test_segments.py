"""The segment page in a real browser: rows clicked, keys pressed, files saved, foreign and hostile text looked at."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.steps import COMPILING, at_rest, drop, payloads, place_of, score, set_number

pytestmark = pytest.mark.browser

ROW_HEIGHT, HEAD_HEIGHT = 35, 35
HOSTILE = (
    "<script>alert(1)</script> [x](javascript:alert(2)) <b>bold</b> **stars** $x$ :smile:"
    " <img src=x onerror=alert(3)> `c`"
)
LONG = "y" * 3000


def open_segments(page: Page) -> None:
    """Score, and go to the page."""
    score(page)
    page.get_by_role("link", name="Segments").click()
    number(page).wait_for(timeout=COMPILING)


def table(page: Page) -> Locator:
    """The first table that is shown."""
    return page.get_by_test_id("stDataFrame").locator("visible=true").first


def click_row(page: Page, row: int) -> None:
    """Click into a row of the first table shown, which is drawn on a canvas."""
    box = place_of(table(page))
    page.mouse.click(box["x"] + 20, box["y"] + HEAD_HEIGHT + ROW_HEIGHT * (row + 0.5))


def click_head(page: Page) -> None:
    """Click on the head of the first column."""
    box = place_of(table(page))
    page.mouse.click(box["x"] + 80, box["y"] + HEAD_HEIGHT / 2)


def number(page: Page) -> Locator:
    return page.get_by_role("spinbutton", name="Segment", exact=True)


def show_unmatched_words(page: Page) -> None:
    """Go to the words and choose those without a match."""
    page.get_by_role("tab", name="Words").click()
    by = page.get_by_role("combobox", name="Words by")
    by.fill("unmatched")
    by.press("Enter")
    page.get_by_role("heading", name="Words without a match").wait_for()


def upload(name: str, lines: list[str]) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": ("\n".join(lines) + "\n").encode()}


def recorded_segments(data: Path, metric: str) -> list[str]:
    """The blocks of a rank file of MultEval."""
    path = data / "reference" / "multeval" / "rank" / f"sys2.sortedby.{metric}.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().split("\n\n")[:-1]


def test_segments_are_ranked_opened_filtered_and_saved_as_multeval_does(page: Page, data_directory: Path) -> None:
    drop(page, sorted((data_directory / "data" / "multeval-example").iterdir()))
    open_segments(page)
    expect(number(page)).to_have_value("1840")

    recorded = recorded_segments(data_directory, "bleu")
    order = [int(block.split("\t")[0].removeprefix("SENT ")) + 1 for block in recorded]
    click_row(page, 3)
    expect(page.get_by_text(re.compile("^4 of 2,489 in the table"))).to_be_visible()
    expect(number(page)).to_have_value(str(order[3]))
    page.get_by_role("heading", name="Segments").click()
    page.keyboard.press("n")
    expect(number(page)).to_have_value(str(order[4]))
    page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[3]))
    page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[2]))
    page.get_by_role("button", name="Next N").click()
    expect(number(page)).to_have_value(str(order[3]))
    expect(page).to_have_url(re.compile(f"seg-open={order[3]}"))

    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download rank file").click()
    saved = downloading.value.path().read_text(encoding="utf-8").split("\n\n")[:-1]
    ours, theirs = ({block.split("\t")[0]: numbers_of(block, "bleu") for block in one} for one in (saved, recorded))
    assert ours == theirs
    differences = [ours[block.split("\t")[0]][2] for block in saved]
    assert differences == [theirs[block.split("\t")[0]][2] for block in recorded]

    page.get_by_role("heading", name="Segments").click()
    for _ in range(4):  # faster than the page is drawn
        page.keyboard.press("n")
    expect(number(page)).to_have_value(str(order[7]))
    for _ in range(2):
        page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[5]))
    expect(page).to_have_url(re.compile(f"seg-open={order[5]}(&|$)"))

    click_head(page)
    expect(page).to_have_url(re.compile("seg-sort=Segment"))
    expect(page.get_by_text(re.compile(f"^{order[5]:,} of 2,489 in the table"))).to_be_visible()
    click_head(page)
    expect(page).not_to_have_url(re.compile("seg-order=smallest"))
    expect(page.get_by_text(re.compile(f"^{2490 - order[5]:,} of 2,489 in the table"))).to_be_visible()

    page.get_by_label("Find").fill("president obama")
    page.get_by_label("Find").press("Enter")
    expect(page.get_by_text(re.compile("match(es)? the filters"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"seg-text=president\+obama"))
    show_unmatched_words(page)
    click_row(page, 0)
    expect(page).to_have_url(re.compile("seg-ngram=.+"))
    expect(page).not_to_have_url(re.compile("seg-text"))
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text(re.compile("match(es)? the filters"))).to_have_count(0)

    page.get_by_role("tab", name="Kinds of segments").click()
    dot = page.locator(".js-plotly-plot .scatterlayer .trace").nth(1).locator(".point").nth(1)
    box = place_of(dot)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text("(length: 10–19 words)")).to_be_visible()
    expect(page).to_have_url(re.compile("seg-kind=length"))


def numbers_of(block: str, metric: str) -> list[str]:
    """``before``, ``after`` and ``difference`` of one metric, as printed."""
    found = re.search(rf"\b{metric}: (\S+) -> (\S+) = (\S+)", block)
    return list(found.groups())


def test_a_hebrew_source_is_written_from_right_to_left_and_chinese_as_it_is(page: Page, data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    lines = {
        name: (folder / file).read_text(encoding="utf-8").split("\n")[:30]
        for name, file in {
            "source": "source.he.txt",
            "ref": "refA.en.txt",
            "a": "system-outputs/ONLINE-A.txt",
            "b": "system-outputs/ONLINE-B.txt",
        }.items()
    }
    lines["b"][0] = "我喜欢机器翻译。"
    names = {"source": "source.txt", "ref": "reference.txt", "a": "a/run0.txt", "b": "b/run0.txt"}
    drop(page, [upload(names[key].replace("/", "."), texts) for key, texts in lines.items()])
    open_segments(page)
    set_number(page, "Segment", 1)
    source = page.get_by_role("definition").filter(has_text=lines["source"][0]).first
    source.wait_for()
    assert source.evaluate("element => getComputedStyle(element).direction") == "rtl"
    reference = page.get_by_role("definition").filter(has_text=lines["ref"][0]).first
    assert reference.evaluate("element => getComputedStyle(element).direction") == "ltr"
    expect(page.get_by_role("definition").filter(has_text="我喜欢机器翻译。").first).to_be_visible()


def test_hostile_text_is_shown_letter_by_letter_and_does_not_widen_the_page(page: Page) -> None:
    files = [upload("reference.txt", [HOSTILE, LONG]), upload("source.txt", [HOSTILE, LONG])]
    for system in ("good", "bad"):
        for run in range(2):
            files.append(upload(f"{system}.opt{run}.txt", [f"{HOSTILE} {system}", f"{LONG} {system} {run}"]))
    drop(page, files)
    open_segments(page)
    for segment, text in ((1, HOSTILE), (2, LONG)):
        set_number(page, "Segment", segment)
        shown = page.get_by_role("definition").filter(has_text=text).first
        expect(shown).to_have_text(text)
        main = page.get_by_test_id("stMain")
        for tab in ("All runs", "In context", "Explanations"):
            page.get_by_role("tab", name=tab).click()
            assert main.locator("script, img[src='x'], a[href^='javascript']").count() == 0
            page.wait_for_function("element => element.scrollWidth <= element.clientWidth", arg=main.element_handle())
    show_unmatched_words(page)
    page.get_by_role("tab", name="Kinds of segments").click()
    page.get_by_text("p is adjusted for").wait_for()


def test_an_address_opens_the_segment_that_it_names(page: Page) -> None:
    drop(page, payloads(base=3, new=3))
    open_segments(page)
    texts_of_open = page.locator(".mt-texts").first
    texts_of_first = texts_of_open.inner_text()
    number(page).fill("17")
    number(page).press("Enter")
    expect(page).to_have_url(re.compile("seg-open=17(&|$)"))
    # The address may change before the script begins to draw the segment
    expect(texts_of_open).not_to_have_text(texts_of_first, use_inner_text=True)
    at_rest(page)
    where = page.locator(".mt-where")
    place = where.inner_text()
    texts = texts_of_open.inner_text()
    number(page).fill("1")
    number(page).press("Enter")
    expect(page).to_have_url(re.compile("seg-open=1(&|$)"))
    expect(texts_of_open).not_to_have_text(texts, use_inner_text=True)

    page.goto(page.url.replace("seg-open=1", "seg-open=17"))
    expect(number(page)).to_have_value("17")
    expect(where).to_have_text(place)
    expect(texts_of_open).to_have_text(texts, use_inner_text=True)
    page.reload()
    expect(where).to_have_text(place)
    expect(page.locator(".mt-texts").first).to_have_text(texts, use_inner_text=True)
