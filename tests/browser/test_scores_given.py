"""Imported scores, in a real browser: dropped, asked about, averaged, tested and ranked."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.steps import FOR_FILES, at_rest, drop, eventually, score, show_load

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
    """Choose the first option that begins so, by keys: a list that was clicked open closes if the page is redrawn.

    If the page is redrawn between two keys, they are forgotten, and pressed once more.
    """
    box = page.get_by_role("combobox", name=label).first

    def is_chosen() -> bool:
        at_rest(page)
        if not box.input_value().startswith(option):
            box.fill(option)
            box.press("Enter")
            at_rest(page)
        return box.input_value().startswith(option)

    eventually(is_chosen, f"'{option}' is not chosen")


def row_of(page: Page, metric: str, system: str) -> Locator:
    """The row of a system in the table of scores, in the part of a metric."""
    return page.locator("table.mt-table tbody").filter(has_text=metric).locator("tr", has_text=system)


def test_given_scores_are_metrics_on_every_page(page: Page, data_directory: Path) -> None:
    folder = data_directory / "data" / "wmt23-he-en"
    comet = folder / "scores" / "COMET-refA.seg.score"
    files = [
        folder / "refA.en.txt",
        folder / "documents.tsv",
        folder / "system-outputs" / "GPT4-5shot.txt",
        folder / "system-outputs" / "NLLB_Greedy.txt",
        folder / "system-outputs" / "ONLINE-B.txt",
        comet,
        folder / "scores" / "he-en.mqm.seg.score",
    ]
    drop(page, files)
    show_load(page)
    expect(page.get_by_text("and 5 more, not loaded on 'test'. Their scores are ignored")).to_have_count(1)
    expect(page.get_by_text("and 4 more, not loaded on 'test'. Their scores are ignored")).to_have_count(1)
    expect(page.get_by_text("Scores of refA are not used")).to_have_count(1)

    # WMT files both so that higher is better, which is chosen from the start; without a choice scores are ignored.
    for number, metric in enumerate(("COMET-refA", "he-en.mqm")):
        page.get_by_text("3 outputs, 1 reference").click()  # it folds whenever nothing is open
        page.get_by_text("Imported scores").wait_for()
        notice = page.get_by_text(f"The scores '{metric}' are ignored until you choose")
        higher = page.get_by_role("radio", name="Higher is better").nth(number)
        at_rest(page)
        expect(higher).to_be_checked()
        higher.click()
        expect(notice).to_be_visible()
        at_rest(page)
        higher.click()
        at_rest(page)
        expect(notice).to_have_count(0)

    choose(page, "Primary metric", "he-en.mqm")
    score(page)
    expect(row_of(page, "COMET-refA", "ONLINE-B")).to_contain_text(f"{averages(comet)['ONLINE-B']:.4f}")
    expect(page.get_by_role("combobox", name="Primary metric")).to_have_value("he-en.mqm")

    # People judged some segments alone.
    page.get_by_role("link", name="Significance").click()
    expect(page.get_by_text(re.compile(r"1,?090 of 1,?910 segments")).first).to_be_attached()

    page.get_by_role("link", name="Replication").click()
    expect(page.get_by_text("detect a true difference")).to_be_visible()

    page.get_by_role("link", name="Segments").click()
    choose(page, "Rank by", "COMET-refA")
    column_of_table = page.get_by_text("COMET-refA GPT4-5shot")
    difference = page.get_by_text("Δ COMET-refA")
    expect(column_of_table.or_(difference).first).to_be_attached()


def accuracy_of(system: str, run: int, item: int) -> float:
    """A score from 0 to 1, which differs between systems, runs and items."""
    shift = 1 if system == "new" else 0
    return (item * 7 + run * 3 + shift) % 5 / 4


def accuracies() -> FilePayload:
    """Scores of two systems with three runs each on 40 items, without any text."""
    lines = ["system\trun\tsegment\tscore"]
    for system in ("old", "new"):
        for run in range(3):
            for item in range(1, 41):
                lines.append(f"{system}\t{run}\tq{item}\t{accuracy_of(system, run, item)}")
    return {"name": "accuracy.tsv", "mimeType": "text/plain", "buffer": ("\n".join(lines) + "\n").encode()}


def test_scores_without_texts_are_compared_and_what_is_about_texts_steps_aside(page: Page) -> None:
    page.locator(FOR_FILES).first.set_input_files([accuracies()])
    expect(page.get_by_text("The scores 'accuracy' are ignored until you choose")).to_be_visible()
    page.get_by_role("radio", name="Higher is better").click()
    page.get_by_role("heading", name="All metrics").wait_for()
    choose(page, "Baseline", "old")
    at_rest(page)
    expect(page.get_by_role("combobox", name="Convention")).to_have_count(0)
    expect(page.get_by_role("link", name="Annotate")).to_have_count(0)
    show_load(page)
    expect(page.get_by_text("No problems found.")).to_be_visible()

    score(page)
    expect(page.get_by_role("combobox", name="Primary metric")).to_have_value("accuracy")
    values = [accuracy_of("new", run, item) for run in range(3) for item in range(1, 41)]
    mean = sum(values) / len(values)
    expect(row_of(page, "accuracy", "new")).to_contain_text(f"{mean:.4f}")

    page.get_by_role("link", name="Replication").click()
    expect(page.get_by_text("How many runs").first).to_be_visible()

    page.get_by_role("link", name="Segments").click()
    expect(page.locator("dl.mt-texts dt").first).to_have_text("Item")
    at_rest(page)
    expect(page.get_by_role("tab", name="Words")).to_have_count(0)
    expect(page.locator(".mt-outputs tbody tr")).to_have_count(6)  # three runs of two systems
