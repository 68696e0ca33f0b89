"""Marked errors and a test set without references, in a real browser: from dropped files to the verdict."""

import json

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.steps import downloaded, drop, score, text_file

pytestmark = [pytest.mark.browser, pytest.mark.long]

N_SEGMENTS = 24
N_RUNS = 3
HOSTILE = "<img src=x onerror=document.title='taken'>"
UNDERLINE = "mark => getComputedStyle(mark).textDecorationStyle"
BACKGROUND = "mark => getComputedStyle(mark).backgroundColor"
ERRORS = [
    {"text": "dog", "confidence": 0.625, "severity": "major", "start": 0, "end": 3},
    {"text": "sat", "confidence": 0.5, "severity": "minor", "start": 4, "end": 10},
]


def outputs_of(system: str, run: int) -> list[str]:
    """The first word is wrong in the outputs of the new system."""
    first_word = "dog" if system == "new" else "cat"
    lines = []
    for segment in range(N_SEGMENTS):
        lines.append(f"{first_word} number {segment * 7 % 11} sat on mat {(segment + run) % 5} {HOSTILE}")
    return lines


def comet_scores(system: str, lines: list[str]) -> list[dict[str, object]]:
    """What comet-score writes of one file of outputs: the base system is better, the new one has errors marked."""
    rows: list[dict[str, object]] = []
    for segment, line in enumerate(lines):
        row: dict[str, object] = {"src": "s", "mt": line, "COMET": 0.5 + (segment % 5) / 10}
        if system == "base":
            row["COMET"] = 0.55 + (segment % 5) / 10
        else:
            row["errors"] = ERRORS
        rows.append(row)
    return rows


@pytest.fixture
def files() -> list[FilePayload]:
    """Two systems of three runs, their sources, no reference, and xCOMET's scores with the errors that it marks."""
    source = [f"Satz {segment} der Quelle" for segment in range(N_SEGMENTS)]
    files = [text_file("source.txt", as_text(source))]
    scores_of = {}
    for system in ("base", "new"):
        for run in range(N_RUNS):
            name = f"{system}.opt{run}.txt"
            lines = outputs_of(system, run)
            files.append(text_file(name, as_text(lines)))
            scores_of[name] = comet_scores(system, lines)
    files.append(text_file("xcomet.json", json.dumps(scores_of, indent=4)))
    return files


def as_text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_errors_are_seen_in_outputs_that_have_no_reference(page: Page, files: list[FilePayload]) -> None:
    drop(page, files)
    expect(page.get_by_text("has no reference, so reference-based metrics are unavailable")).to_be_visible()
    page.get_by_role("radio", name="Higher is better").click()
    expect(page.get_by_text("ignored until you choose")).to_have_count(0)
    score(page)
    expect(page.get_by_role("combobox", name="Primary metric")).to_have_value("COMET (given)")

    page.get_by_role("link", name="Segments").click()
    major = page.locator("dl.mt-texts mark.mt-severity-major")
    minor = page.locator("dl.mt-texts mark.mt-severity-minor")
    expect(major).to_have_text(["dog"])
    expect(major).to_have_attribute("title", "major, confidence 0.63")
    assert major.evaluate(UNDERLINE) == "solid"
    assert minor.evaluate(UNDERLINE) == "dotted"
    assert major.evaluate(BACKGROUND) != minor.evaluate(BACKGROUND)
    expect(page.get_by_text("2 errors: “dog” (major, confidence 0.63)")).to_be_visible()
    expect(page.get_by_text("no errors marked")).to_be_visible()
    expect(page).not_to_have_title("taken")
    expect(page.locator("img[src=x]")).to_have_count(0)

    page.get_by_role("tab", name="All runs").click()
    expect(page.locator(".mt-outputs td mark.mt-severity-major").first).to_have_text("dog")

    page.get_by_role("link", name="People").click()
    expect(page.get_by_text(f"bootstrap CI over {N_SEGMENTS} segments")).to_be_visible()
    head, *rows = downloaded(page, "Download errors (CSV)").splitlines()
    assert head == "test_set,metric,system,run,segment,start,end,severity,category,confidence,text"
    assert len(rows) == N_RUNS * N_SEGMENTS * len(ERRORS)
    assert rows[0] == "test,comet-given,new,0,1,0,3,major,,0.625,dog"
