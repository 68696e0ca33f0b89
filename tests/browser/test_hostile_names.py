"""Whatever systems, metrics and files are called: every page shows it as text, and asks no other host for anything."""

import json
from collections.abc import Callable
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import at_rest, drop, score

pytestmark = [pytest.mark.browser, pytest.mark.long]

SYSTEMS = ("![a](http://evil.example/a.png)", "<img src=http://evil.example/b.png onerror=alert(1)>", ":red[c] $c$ # c")
METRIC = "![m](http://evil.example/m.png)"
DOCUMENT = "<a href='http://evil.example/d'>d</a>"
LINK = "![x](http://evil.example/x)"
PAGES = ("Scores", "Significance", "Replication", "Segments", "Report")


def table() -> bytes:
    """Outputs of systems with hostile names, with scores of a hostile metric."""
    places = [(place, run, number) for place in range(3) for run in range(3) for number in range(8)]
    return "\n".join(json.dumps(row(*place)) for place in places).encode()


def row(place: int, run: int, number: int) -> dict[str, object]:
    verb = "lay" if (number + run + place) % 3 else "sat"
    return {
        "system": SYSTEMS[place],
        "run": str(run),
        "segment": number,
        "document": DOCUMENT,
        "hypothesis": f"the cat {number} {verb} on {LINK}",
        "reference": f"the cat {number} sat on {LINK}",
        "metric": METRIC,
        "score": (7 * number + 3 * run + 5 * place) % 11 / 10,
    }


REFUSED = """async url => {
  const refused = [];
  document.addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective));
  for (const kind of ['img', 'script'])
    document.head.append(Object.assign(document.createElement(kind), {src: url}));
  await fetch(url, {mode: 'no-cors'}).catch(() => null);
  await new Promise(resolve => setTimeout(resolve, 300));
  return refused.sort();
}"""


@pytest.fixture
def hosts(page: Page, address: str) -> Callable[[], set[str]]:
    """The hosts that were asked for something, and what the policy forbade, since the page was opened."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlparse(request.url).netloc))
    page.on("console", lambda said: asked.append(said.text) if "Content Security Policy" in said.text else None)
    own = urlparse(address).netloc
    return lambda: set(asked) - {own, ""}


def test_no_name_is_anything_but_text_on_any_page(page: Page, hosts: Callable[[], set[str]]) -> None:
    drop(page, [{"name": "<b>![f](http://evil.example/f.png).jsonl", "mimeType": "text/plain", "buffer": table()}])
    page.get_by_role("radio", name="Higher is better").click()
    at_rest(page)
    score(page)
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("combobox", name="Primary metric").fill("evil")
    sidebar.get_by_role("combobox", name="Primary metric").press("Enter")
    page.get_by_role("heading", name="the primary metric").filter(has_text="evil").wait_for()
    at_rest(page)
    for name in PAGES:
        sidebar.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=name, exact=True).wait_for()
        at_rest(page)
        expect(page.get_by_test_id("stMain").get_by_text(SYSTEMS[0]).first).to_be_attached()
        for picture in page.get_by_test_id("stApp").locator("img").all():
            assert "evil" not in (picture.get_attribute("src") or "")
        assert page.locator("a[href*='evil.example']").count() == 0
    assert hosts() == set()


def test_the_policy_lets_no_script_ask_another_host(page: Page) -> None:
    assert page.evaluate(REFUSED, "http://evil.example/") == ["connect-src", "img-src", "script-src-elem"]
    answer = page.request.get(page.url)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
