"""Long work is stopped on the page that waits for it; what was there before stays, and the same can be done again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import window
from tests.browser.steps import COMPILING, FOUND, drop, open_settings, payloads, score, set_number, show_load

pytestmark = pytest.mark.browser

MANY_SHUFFLES = 1_000_000
FEW_SHUFFLES = 200
N_SEGMENTS = 12_000
N_RUNS = 3
N_WORDS = 25  # of a segment
N_PERMUTED = 6  # words at the beginning of each segment that outputs have in another order
SHARE_REPLACED = 0.4  # of the words of outputs
LOADED = f"2 systems × {N_RUNS} runs, {N_SEGMENTS:,} segments"


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The app on its first page, few shuffles."""
    with window(browser) as page:
        page.set_default_timeout(COMPILING)
        page.goto(f"{address}/?shuffles=1000")
        page.get_by_role("heading", name="Load an experiment").wait_for()
        yield page


@pytest.fixture(scope="module")
def large_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """References and three runs of two systems, long enough for TER to take a while; hardly a line comes twice."""
    folder = tmp_path_factory.mktemp("large")
    generator = np.random.default_rng(8)
    vocabulary = np.array([f"word{number}" for number in range(3_000)])
    references = generator.choice(vocabulary, (N_SEGMENTS, N_WORDS))
    files = [write_words(folder / "refs.txt", references)]
    for system in ("baseline", "system"):
        for run in range(N_RUNS):
            is_replaced = generator.random(references.shape) < SHARE_REPLACED
            outputs = np.where(is_replaced, generator.choice(vocabulary, (1, N_WORDS)), references)
            outputs[:, :N_PERMUTED] = generator.permuted(outputs[:, :N_PERMUTED], axis=1)
            files.append(write_words(folder / f"{system}.opt{run}.txt", outputs))
    return files


def write_words(path: Path, words: np.ndarray) -> Path:
    """Write words, one segment a row."""
    lines = [" ".join(row) for row in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_scoring_of_large_files_is_stopped_and_can_be_started_again(page: Page, large_files: list[Path]) -> None:
    drop(page, payloads(base=2, new=2))
    score(page)  # by now nothing waits for the compiler any more

    page.goto(page.url.partition("/scores")[0])  # a new session: files would be added to those that are there
    drop(page, large_files)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Scores computed so far are kept.")).to_be_visible()
    expect(page.get_by_role("heading", name="All metrics")).to_have_count(0)

    show_load(page)
    expect(page.locator(FOUND)).to_contain_text(LOADED)
    score(page)


def test_draws_of_runs_are_stopped_and_computed_afterwards_with_fewer_shuffles(page: Page) -> None:
    page.get_by_role("link", name="Replication").click()
    plot = page.locator(".js-plotly-plot:visible").first
    plot.wait_for()
    page.get_by_role("tab", name="Try your luck").click()
    p_values = page.get_by_role("heading", name="p-values with fewer runs")
    p_values.wait_for()

    stop = page.locator(".st-key-published-stop button")
    compute = page.locator(".st-key-published-again button")
    stopped = page.get_by_text("Stopped.")
    open_settings(page)
    set_number(page, "Shuffles", MANY_SHUFFLES)
    stop.click()
    expect(stopped).to_be_visible()
    expect(compute).to_be_visible()
    expect(p_values).to_have_count(0)

    page.get_by_role("tab", name="Number of runs").click()
    plot.wait_for()
    page.get_by_role("tab", name="Try your luck").click()
    expect(stopped).to_be_visible()

    set_number(page, "Shuffles", FEW_SHUFFLES)
    p_values.wait_for()
    expect(stopped).to_have_count(0)

    set_number(page, "Shuffles", MANY_SHUFFLES)
    expect(stopped).to_be_visible()
    compute.click()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    stop.click()
    expect(stopped).to_be_visible()
