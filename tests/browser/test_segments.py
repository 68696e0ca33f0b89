"""The segment page in a real browser: rows clicked, keys pressed, files saved, foreign and hostile text looked at."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.steps import COMPILING, at_rest, drop, payloads, place_of, score, set_number

pytestmark = pytest.mark.browser

ROW_HEIGHT = 35  # pixels
HEAD_HEIGHT = 35
N_SEGMENTS = 2489  # of MultEval's example
HOSTILE = (
    "<script>alert(1)</script> [x](javascript:alert(2)) <b>bold</b> **stars** $x$ :smile:"
    " <img src=x onerror=alert(3)> `c`"
)
LONG = "y" * 3000
CHINESE = "我喜欢机器翻译。"
DIRECTION = "element => getComputedStyle(element).direction"
IS_NOT_WIDER = "element => element.scrollWidth <= element.clientWidth"


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
    """Click on the name of the first column, left of the button of its menu."""
    box = place_of(table(page))
    page.mouse.click(box["x"] + 55, box["y"] + HEAD_HEIGHT / 2)


def look_at_menu_of_head(page: Page) -> None:
    """The menu of a column has nothing that knows only the rows in the browser."""
    box = place_of(table(page))
    page.mouse.move(box["x"] + 60, box["y"] + HEAD_HEIGHT / 2)  # the button of the menu appears under the pointer
    page.mouse.click(box["x"] + 95, box["y"] + HEAD_HEIGHT / 2)
    menu = page.get_by_test_id("stDataFrameColumnMenu")
    expect(menu.get_by_text("Hide column")).to_be_visible()
    for of_rows_here in ("Sort ascending", "Sort descending", "Statistics"):
        expect(menu.get_by_text(of_rows_here)).to_be_hidden()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)


def number(page: Page) -> Locator:
    """The field of the segment that is open."""
    return page.get_by_role("spinbutton", name="Segment", exact=True)


def show_unmatched_words(page: Page) -> None:
    """Go to the words and choose those without a match."""
    page.get_by_role("tab", name="Words").click()
    by = page.get_by_role("combobox", name="Words by")
    by.fill("unmatched")
    by.press("Enter")
    page.get_by_role("heading", name="Words without a match").wait_for()


def upload(name: str, lines: list[str]) -> FilePayload:
    """A file of these lines, to be dropped."""
    return {"name": name, "mimeType": "text/plain", "buffer": ("\n".join(lines) + "\n").encode()}


def blocks_of_rank_file(text: str) -> list[str]:
    """The segments of a rank file, each with its head and its numbers."""
    return text.split("\n\n")[:-1]


def recorded_blocks(data: Path) -> list[str]:
    """The segments as MultEval ranked them by BLEU."""
    path = data / "reference" / "multeval" / "rank" / "sys2.sortedby.bleu.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return blocks_of_rank_file(file.read())


def name_of(block: str) -> str:
    """The segment that a block is about, e.g. ``SENT 7``, counted from 0."""
    return block.split("\t")[0]


def numbers_of(block: str) -> list[str]:
    """``before``, ``after`` and ``difference`` of BLEU, as printed."""
    match = re.search(r"\bbleu: (\S+) -> (\S+) = (\S+)", block)
    return list(match.groups())


def test_segments_are_ranked_opened_filtered_and_saved_as_multeval_does(page: Page, data_directory: Path) -> None:
    drop(page, sorted((data_directory / "data" / "multeval-example").iterdir()))
    open_segments(page)
    expect(number(page)).to_have_value("1840")
    recorded = recorded_blocks(data_directory)
    order = [int(name_of(block).removeprefix("SENT ")) + 1 for block in recorded]
    open_by_click_and_keys(page, order)
    save_as_multeval_does(page, recorded)
    open_by_keys_faster_than_the_page(page, order)
    look_at_menu_of_head(page)
    sort_by_number(page, order[5])
    filter_by_words(page)
    filter_by_kind(page)


def open_by_click_and_keys(page: Page, order: list[int]) -> None:
    """A click opens the segment of a row; keys and buttons go on from there, in the order of the table."""
    click_row(page, 3)
    expect(page.get_by_text(re.compile(f"^4 of {N_SEGMENTS:,} in the table"))).to_be_visible()
    expect(number(page)).to_have_value(str(order[3]))
    page.get_by_role("heading", name="Segments").click()  # out of the table, which takes keys of its own
    page.keyboard.press("n")
    expect(number(page)).to_have_value(str(order[4]))
    page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[3]))
    page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[2]))
    page.get_by_role("button", name="Next N").click()
    expect(number(page)).to_have_value(str(order[3]))
    expect(page).to_have_url(re.compile(f"seg-open={order[3]}"))


def save_as_multeval_does(page: Page, recorded: list[str]) -> None:
    """The rank file has MultEval's numbers for each segment, and its differences in the same order."""
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download rank file").click()
    saved = blocks_of_rank_file(downloading.value.path().read_text(encoding="utf-8"))
    numbers_here = {name_of(block): numbers_of(block) for block in saved}
    numbers_there = {name_of(block): numbers_of(block) for block in recorded}
    assert numbers_here == numbers_there

    # Segments with the same difference may come in another order.
    differences = [numbers_of(block)[2] for block in saved]
    assert differences == [numbers_of(block)[2] for block in recorded]


def open_by_keys_faster_than_the_page(page: Page, order: list[int]) -> None:
    """Keys that are pressed before the page is drawn are all counted."""
    page.get_by_role("heading", name="Segments").click()
    for _ in range(4):
        page.keyboard.press("n")
    expect(number(page)).to_have_value(str(order[7]))
    for _ in range(2):
        page.keyboard.press("p")
    expect(number(page)).to_have_value(str(order[5]))
    expect(page).to_have_url(re.compile(f"seg-open={order[5]}(&|$)"))


def sort_by_number(page: Page, segment: int) -> None:
    """A click on the head of a column sorts by it, a second one the other way round; the open segment stays."""
    click_head(page)
    expect(page).to_have_url(re.compile("seg-sort=Segment"))
    expect(page.get_by_text(re.compile(f"^{segment:,} of {N_SEGMENTS:,} in the table"))).to_be_visible()
    click_head(page)
    expect(page).not_to_have_url(re.compile("seg-order=smallest"))
    place_from_the_end = N_SEGMENTS + 1 - segment
    expect(page.get_by_text(re.compile(f"^{place_from_the_end:,} of {N_SEGMENTS:,} in the table"))).to_be_visible()


def filter_by_words(page: Page) -> None:
    """A text filters the segments until a word without a match does, and a button ends that."""
    filtered = page.get_by_text(re.compile("match(es)? the filters"))
    page.get_by_label("Find").fill("president obama")
    page.get_by_label("Find").press("Enter")
    expect(filtered).to_be_visible()
    expect(page).to_have_url(re.compile(r"seg-text=president\+obama"))
    show_unmatched_words(page)
    click_row(page, 0)
    expect(page).to_have_url(re.compile("seg-ngram=.+"))
    expect(page).not_to_have_url(re.compile("seg-text"))
    page.get_by_role("button", name="Clear filters").click()
    expect(filtered).to_have_count(0)


def filter_by_kind(page: Page) -> None:
    """A click on the dot of a kind of segments filters by it."""
    page.get_by_role("tab", name="Kinds of segments").click()
    dot = page.locator(".js-plotly-plot .scatterlayer .trace").nth(1).locator(".point").nth(1)
    box = place_of(dot)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text("(length: 10–19 words)")).to_be_visible()
    expect(page).to_have_url(re.compile("seg-kind=length"))


def test_a_hebrew_source_is_written_from_right_to_left_and_chinese_as_it_is(page: Page, data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    source = first_lines(folder / "source.he.txt")
    reference = first_lines(folder / "refA.en.txt")
    output = first_lines(folder / "system-outputs" / "ONLINE-A.txt")
    other_output = first_lines(folder / "system-outputs" / "ONLINE-B.txt")
    other_output[0] = CHINESE
    files = [
        upload("source.txt", source),
        upload("reference.txt", reference),
        upload("a.run0.txt", output),
        upload("b.run0.txt", other_output),
    ]
    drop(page, files)
    open_segments(page)
    set_number(page, "Segment", 1)
    shown_source = page.get_by_role("definition").filter(has_text=source[0]).first
    shown_source.wait_for()
    assert shown_source.evaluate(DIRECTION) == "rtl"
    shown_reference = page.get_by_role("definition").filter(has_text=reference[0]).first
    assert shown_reference.evaluate(DIRECTION) == "ltr"
    expect(page.get_by_role("definition").filter(has_text=CHINESE).first).to_be_visible()


def first_lines(path: Path) -> list[str]:
    """The first segments of a file."""
    return path.read_text(encoding="utf-8").split("\n")[:30]


def test_hostile_text_is_shown_letter_by_letter_and_does_not_widen_the_page(page: Page) -> None:
    files = [upload("reference.txt", [HOSTILE, LONG]), upload("source.txt", [HOSTILE, LONG])]
    for system in ("good", "bad"):
        for run in range(2):
            lines = [f"{HOSTILE} {system}", f"{LONG} {system} {run}"]
            files.append(upload(f"{system}.opt{run}.txt", lines))
    drop(page, files)
    open_segments(page)
    main = page.get_by_test_id("stMain")
    made_of_text = main.locator("script, img[src='x'], a[href^='javascript']")
    for segment, text in ((1, HOSTILE), (2, LONG)):
        set_number(page, "Segment", segment)
        shown = page.get_by_role("definition").filter(has_text=text).first
        expect(shown).to_have_text(text)
        for tab in ("All runs", "In context", "Explanations"):
            page.get_by_role("tab", name=tab).click()
            page.get_by_role("tabpanel", name=tab).wait_for()
            at_rest(page)
            expect(made_of_text).to_have_count(0)
            page.wait_for_function(IS_NOT_WIDER, arg=main.element_handle())
    show_unmatched_words(page)
    page.get_by_role("tab", name="Kinds of segments").click()
    page.get_by_text("p is adjusted for").wait_for()


def test_an_address_opens_the_segment_that_it_names(page: Page) -> None:
    drop(page, payloads(base=3, new=3))
    open_segments(page)
    texts_of_open = page.locator(".mt-texts").first
    texts_before = texts_of_open.inner_text()
    open_by_number(page, 17)
    # The address may change before the script begins to draw the segment.
    expect(texts_of_open).not_to_have_text(texts_before, use_inner_text=True)
    at_rest(page)
    where = page.locator(".mt-where")
    place_of_17 = where.inner_text()
    texts_of_17 = texts_of_open.inner_text()
    open_by_number(page, 1)
    expect(texts_of_open).not_to_have_text(texts_of_17, use_inner_text=True)

    address_of_17 = page.url.replace("seg-open=1", "seg-open=17")
    page.goto(address_of_17)
    expect(number(page)).to_have_value("17")
    expect(where).to_have_text(place_of_17)
    expect(texts_of_open).to_have_text(texts_of_17, use_inner_text=True)
    page.reload()
    expect(where).to_have_text(place_of_17)
    expect(texts_of_open).to_have_text(texts_of_17, use_inner_text=True)

    page.goto(address_of_17.replace("seg-open=17", "seg-open=1.7e1"))
    expect(number(page)).not_to_have_value("")
    at_rest(page)
    expect(number(page)).not_to_have_value("17")


def open_by_number(page: Page, segment: int) -> None:
    """Write the number of a segment into its field, and wait until the address names it."""
    number(page).fill(str(segment))
    number(page).press("Enter")
    expect(page).to_have_url(re.compile(f"seg-open={segment}(&|$)"))
