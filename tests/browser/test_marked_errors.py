"""Marked errors and a test set without references, in a real browser: from dropped files to the verdict."""

import json

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.steps import drop, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

N = 24
HOSTILE = "<img src=x onerror=document.title='taken'>"
STYLES = "mark => [getComputedStyle(mark).textDecorationStyle, getComputedStyle(mark).backgroundColor]"


def outputs(system: str, run: int) -> list[str]:
    """The first word is wrong in the outputs of the new system."""
    first = "dog" if system == "new" else "cat"
    return [f"{first} number {segment * 7 % 11} sat on mat {(segment + run) % 5} {HOSTILE}" for segment in range(N)]


def scored(lines: list[str], system: str) -> list[dict[str, object]]:
    """What comet-score writes of one file of outputs."""
    rows: list[dict[str, object]] = [
        {"src": "s", "mt": line, "COMET": 0.5 + (segment % 5) / 10 + (system == "base") / 20}
        for segment, line in enumerate(lines)
    ]
    if system == "new":
        for row in rows:
            row["errors"] = [
                {"text": "dog", "confidence": 0.625, "severity": "major", "start": 0, "end": 3},
                {"text": "sat", "confidence": 0.5, "severity": "minor", "start": 4, "end": 10},
            ]
    return rows


@pytest.fixture
def files() -> list[FilePayload]:
    """Two systems of three runs, their sources, no reference, and xCOMET's scores with the errors that it marks."""
    texts = {f"{system}.opt{run}.txt": outputs(system, run) for system in ("base", "new") for run in range(3)}
    scores = {name: scored(lines, name.split(".")[0]) for name, lines in texts.items()}
    texts["source.txt"] = [f"Satz {segment} der Quelle" for segment in range(N)]
    named = {name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()}
    named["xcomet.json"] = json.dumps(scores, indent=4)
    return [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in named.items()]


def test_errors_are_seen_in_outputs_that_have_no_reference(page: Page, files: list[FilePayload]) -> None:
    drop(page, files)
    expect(page.get_by_text("has no reference, so reference-based metrics are unavailable")).to_be_visible()
    page.get_by_role("radio", name="Higher is better").click()
    expect(page.get_by_text("ignored until you choose")).to_have_count(0)
    score(page)
    expect(page.get_by_role("combobox", name="Primary metric")).to_have_value("COMET (given)")

    page.get_by_role("link", name="Segments").click()
    major, minor = (page.locator(f"dl.mt-texts mark.mt-severity-{severity}") for severity in ("major", "minor"))
    expect(major).to_have_text(["dog"])
    expect(major).to_have_attribute("title", "major, confidence 0.63")
    looks = [mark.evaluate(STYLES) for mark in (major, minor)]
    assert [style for style, _ in looks] == ["solid", "dotted"]
    assert looks[0][1] != looks[1][1]
    expect(page.get_by_text("2 errors: “dog” (major, confidence 0.63)")).to_be_visible()
    expect(page.get_by_text("no errors marked")).to_be_visible()
    expect(page).not_to_have_title("taken")
    expect(page.locator("img[src=x]")).to_have_count(0)

    page.get_by_role("tab", name="All runs").click()
    expect(page.locator(".mt-outputs td mark.mt-severity-major").first).to_have_text("dog")

    page.get_by_role("link", name="People").click()
    expect(page.get_by_text(f"bootstrap CI over {N} segments")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download errors (CSV)").click()
    head, *rows = downloading.value.path().read_text(encoding="utf-8").splitlines()
    assert head == "test_set,metric,system,run,segment,start,end,severity,category,confidence,text"
    assert len(rows) == 3 * N * 2
    assert rows[0] == "test,comet-given,new,0,1,0,3,major,,0.625,dog"
