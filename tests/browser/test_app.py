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
    downloaded,
    drop,
    eventually,
    open_settings,
    score,
    scored,
    set_number,
    show_load,
    shown,
    shown_table,
)

pytestmark = pytest.mark.browser

RECORDED = re.compile(r"RESULT: (.+): (BLEU|TER|Length): (AVG|STDDEV): (\S+)")
SYSTEMS = {"baseline": "baseline", "system 1": "sys1", "system 2": "sys2"}
# Places in a row of ``shown_table``, which begins with the number of runs
MEAN = 1
RUN_DEVIATION = 3
DIFFERENCE = 4
P_VALUE = 5


def recorded_results(data: Path) -> dict[tuple[str, str, str], float]:
    """What MultEval printed, by metric, system and what it is (``AVG``, ``STDDEV``)."""
    text = (data / "reference" / "multeval" / "results.txt").read_text()
    results = {}
    for system, metric, quantity, value in RECORDED.findall(text):
        results[metric, SYSTEMS[system], quantity] = float(value)
    return results


def expect_recorded_numbers(
    table: dict[tuple[str, str], list[str]], recorded: dict[tuple[str, str, str], float]
) -> None:
    """Compare Table 1, which has two decimals, with what MultEval printed."""
    for metric in ("BLEU", "TER", "Length"):
        for system in SYSTEMS.values():
            cells = table[metric, system]
            mean = float(cells[MEAN].rstrip("†‡ "))
            assert mean == pytest.approx(recorded[metric, system, "AVG"], abs=0.00501)
            deviation = float(cells[RUN_DEVIATION])
            assert deviation == pytest.approx(recorded[metric, system, "STDDEV"], abs=0.00501)


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
    table = shown_table(page)
    expect_recorded_numbers(table, recorded)
    assert table["BLEU", "sys1"][DIFFERENCE] == "+0.29"
    assert table["BLEU", "sys2"][DIFFERENCE:] == ["0.00", "1.000", "1.000"]
    expect(card).to_contain_text("no clear difference")
    expect(card).to_contain_text("+0.29 BLEU (95% CI")  # sys2 is a copy, so there is one comparison
    expect(card).to_contain_text("Test-set luck")

    rows = csv.DictReader(io.StringIO(downloaded(page, "Download table (CSV)")))
    mean_of = {(row["metric"], row["system"]): float(row["mean"]) for row in rows}
    assert mean_of["bleu", "baseline"] == pytest.approx(recorded["BLEU", "baseline", "AVG"], abs=5e-7)

    def shown_bleu() -> list[str]:
        return shown_table(page)["BLEU", "sys1"]

    open_settings(page)
    set_number(page, "Shuffles", 500)
    eventually(lambda: shown_bleu()[P_VALUE] != table["BLEU", "sys1"][P_VALUE], "p stays what it was")
    set_number(page, "Shuffles", 600)
    expect(page).to_have_url(re.compile("shuffles=600"))
    page.get_by_role("link", name="Load").click()
    shown(page, "Load an experiment")
    expect(page).to_have_url(re.compile("shuffles=600"))
    page.get_by_role("link", name="Scores").click()
    scored(page)
    assert shown_bleu()[MEAN] == table["BLEU", "sys1"][MEAN]


def write_hostile_folder(folder: Path, name: str) -> None:
    """Write an experiment of which a system and a file that is no text are called so, and its texts are no better."""
    references = [f"line {number} of the **test** <script>alert({number})</script>" for number in range(12)]
    (folder / "refs.txt").write_text("\n".join(references) + "\n")
    for system in ("base", name):
        (folder / system).mkdir(parents=True)
        for run in range(2):
            outputs = []
            for number, line in enumerate(references):
                # Every third line lacks a word, in each run another third.
                if (number + run + len(system)) % 3 == 0:
                    line = line.replace("of the", "of")
                outputs.append(line)
            (folder / system / f"opt{run}.txt").write_text("\n".join(outputs) + "\n")
    (folder / f"{name}.dat").write_bytes(b"\x00\x01\x02\x03")


def test_a_folder_with_hostile_names_is_dropped_and_shown_as_plain_text(page: Page, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)> [b](javascript:alert(1)) **b** :smile: $x$"
    folder = tmp_path / "experiment"
    folder.mkdir()
    write_hostile_folder(folder, name)

    for_folders = page.get_by_test_id("stFileUploaderDropzoneInput").nth(1)
    for_folders.set_input_files(folder)
    page.locator(FOUND).wait_for()
    show_load(page)
    expect(page.locator(".mt-message", has_text=f"{name}.dat")).to_be_visible()
    score(page)
    expect(page.get_by_role("cell", name=name, exact=True).first).to_be_visible()
    expect(page.locator("img[src='x']")).to_have_count(0)
    expect(page.locator("a[href^='javascript']")).to_have_count(0)
