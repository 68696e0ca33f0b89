"""The main job in a real browser, on real files."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import wider_than_their_container
from tests.browser.steps import (
    COMPILING,
    FOUND,
    at_rest,
    drop,
    eventually,
    score,
    set_number,
    show_load,
    shown_table,
)

pytestmark = pytest.mark.browser

RECORDED = re.compile(r"RESULT: (.+): (BLEU|TER|Length): (AVG|STDDEV): (\S+)")
SYSTEMS = {"baseline": "baseline", "system 1": "sys1", "system 2": "sys2"}


def recorded_results(data: Path) -> dict[tuple[str, str, str], float]:
    """What MultEval printed, by metric, system and what it is (``AVG``, ``STDDEV``)."""
    text = (data / "reference" / "multeval" / "results.txt").read_text()
    return {(metric, SYSTEMS[system], what): float(value) for system, metric, what, value in RECORDED.findall(text)}


def test_real_files_are_dropped_scored_and_read_off_the_page(page: Page, data_directory: Path) -> None:
    drop(page, sorted((data_directory / "data" / "multeval-example").iterdir()))
    expect(page.locator(FOUND)).to_contain_text(
        "3 systems × 3 runs, 2,489 segments, tokenized text: MultEval's convention"
    )
    card = page.locator("section.mt-verdict").filter(has_text="sys1 vs baseline")
    expect(card).to_be_in_viewport(timeout=COMPILING)  # no click from the drop to the verdict
    at_rest(page)
    assert wider_than_their_container(page) == []

    recorded = recorded_results(data_directory)
    shown = shown_table(page)
    for metric in ("BLEU", "TER", "Length"):
        for system in SYSTEMS.values():
            numbers = shown[metric, system]
            assert float(numbers[1].rstrip("†‡ ")) == pytest.approx(recorded[metric, system, "AVG"], abs=0.00501)
            assert float(numbers[3]) == pytest.approx(recorded[metric, system, "STDDEV"], abs=0.00501)
    assert shown["BLEU", "sys1"][4] == "+0.29"
    assert shown["BLEU", "sys2"][4:] == ["0.00", "1.000", "1.000"]
    expect(card).to_contain_text("no clear difference")
    expect(card).to_contain_text("+0.29 BLEU (95% CI")  # sys2 is a copy, so there is one comparison
    expect(card).to_contain_text("Test-set luck")

    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download table (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(downloading.value.path().read_text())))
    means = {(row["metric"], row["system"]): float(row["mean"]) for row in rows}
    assert means["bleu", "baseline"] == pytest.approx(recorded["BLEU", "baseline", "AVG"], abs=5e-7)

    page.get_by_test_id("stSidebar").get_by_text("Settings", exact=True).click()
    set_number(page, "Shuffles", 500)
    eventually(lambda: shown_table(page)["BLEU", "sys1"][5] != shown["BLEU", "sys1"][5], "p stays what it was")
    set_number(page, "Shuffles", 600)
    expect(page).to_have_url(re.compile("shuffles=600"))
    page.get_by_role("link", name="Load").click()
    page.get_by_role("heading", name="Load an experiment").wait_for()
    expect(page).to_have_url(re.compile("shuffles=600"))
    page.get_by_role("link", name="Scores").click()
    page.get_by_role("heading", name="All metrics").wait_for()
    assert shown_table(page)["BLEU", "sys1"][1] == shown["BLEU", "sys1"][1]


def test_a_folder_with_hostile_names_is_dropped_and_shown_as_plain_text(page: Page, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)> [b](javascript:alert(1)) **b** :smile: $x$"
    lines = [f"line {i} of the **test** <script>alert({i})</script>" for i in range(12)]
    folder = tmp_path / "experiment"
    for system in ("base", name):
        (folder / system).mkdir(parents=True)
        for run in range(2):
            kept = [
                line if (i + run + len(system)) % 3 else line.replace("of the", "of") for i, line in enumerate(lines)
            ]
            (folder / system / f"opt{run}.txt").write_text("\n".join(kept) + "\n")
    (folder / "refs.txt").write_text("\n".join(lines) + "\n")
    (folder / f"{name}.bin").write_bytes(b"\x00\x01\x02\x03")

    page.get_by_test_id("stFileUploaderDropzoneInput").nth(1).set_input_files(folder)
    page.locator(FOUND).wait_for()
    show_load(page)
    expect(page.locator(".mt-message", has_text=f"{name}.bin")).to_be_visible()
    score(page)
    expect(page.get_by_role("cell", name=name, exact=True).first).to_be_visible()
    expect(page.locator("img[src='x']")).to_have_count(0)
    expect(page.locator("a[href^='javascript']")).to_have_count(0)
