"""Scores computed elsewhere, in a real browser: dropped, asked about, averaged, tested and ranked."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import FOR_FILES, score

pytestmark = pytest.mark.browser


def averages(path: Path) -> dict[str, float]:
    """Of each system of a file of scores, by plain Python."""
    scores: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        system, score = line.split("\t")
        if score != "None":
            scores.setdefault(system, []).append(float(score))
    return {system: sum(values) / len(values) for system, values in scores.items()}


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=re.compile(f"^{re.escape(option)}")).click()


def test_given_scores_are_metrics_on_every_page(page: Page, data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    names = ("GPT4-5shot", "NLLB_Greedy", "ONLINE-B")
    files = [folder / "refA.en.txt", folder / "documents.tsv"]
    files += [folder / "system-outputs" / f"{name}.txt" for name in names]
    comet = folder / "scores" / "COMET-refA.seg.score"
    files += [comet, folder / "scores" / "he-en.mqm.seg.score"]
    page.locator(FOR_FILES).first.set_input_files(files)
    page.get_by_role("heading", name="Scores computed elsewhere").wait_for()
    expect(page.get_by_text("and 5 more, not loaded on 'test'; their scores are left out")).to_have_count(1)
    expect(page.get_by_text("and 4 more, not loaded on 'test'; their scores are left out")).to_have_count(1)
    expect(page.get_by_text("also has scores of refA, loaded as reference and not compared")).to_have_count(1)
    for number, metric in enumerate(("COMET-refA", "he-en.mqm")):  # WMT files both so that higher is better
        notice = page.get_by_text(f"The scores '{metric}' are not used until it is said")
        higher = page.get_by_role("radio", name="Higher is better").nth(number)
        expect(higher).to_be_checked()
        higher.click()
        expect(notice).to_be_visible()
        higher.click()
        expect(notice).to_have_count(0)

    choose(page, "Primary metric", "he-en.mqm")
    score(page)
    row = page.locator("table.mt-table tbody").filter(has_text="COMET-refA").locator("tr", has_text="ONLINE-B")
    expect(row).to_contain_text(f"{averages(comet)['ONLINE-B']:.4f}")

    expect(page.get_by_text("he-en.mqm, the primary metric")).to_be_visible()

    page.get_by_role("link", name="Significance").click()
    expect(page.get_by_text(re.compile(r"1,?090 of 1,?910 segments are left out")).first).to_be_visible()

    page.get_by_role("link", name="Replication").click()
    expect(page.get_by_text("has one run: how much runs differ cannot be known")).to_be_visible()

    page.get_by_role("link", name="Segments").click()
    choose(page, "Rank by", "COMET-refA")
    expect(page.get_by_text("COMET-refA GPT4-5shot").or_(page.get_by_text("Δ COMET-refA")).first).to_be_attached()
