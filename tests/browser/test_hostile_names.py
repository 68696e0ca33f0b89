"""Whatever systems, metrics, files, people and campaigns are called: every page shows it as text and asks no other
host for anything.
"""

import json
import time
from collections.abc import Callable
from urllib.parse import urlparse

import pytest
from playwright.sync_api import ConsoleMessage, FilePayload, Page, expect

from mteval.annotations import Campaign, Category, Mark, Output, Plan, Task, Typology, to_json
from mteval.base.words import UNPRINTABLE, visible
from tests.browser.steps import FOR_FILES, at_rest, drop, eventually, scored

pytestmark = [pytest.mark.browser, pytest.mark.long]

SYSTEMS = (
    "![a](http://evil.example/a.png)",
    "<img src=http://evil.example/b.png onerror=alert(1)>",
    ":red[c] $c$ # c\u202e",
)
METRIC = "![m](http://evil.example/m.png)\u2067"
DOCUMENT = "<a href='http://evil.example/d'>d</a>"
LINK = "![x](http://evil.example/x)"
NAME = "# ![c](http:evil.example) **c** :red[c] \u202ec\u2066 =1+1"
ANNOTATORS = ("![n](http://evil.example/n.png)", "<img src=http://evil.example/n onerror=alert(2)>")
CATEGORY = "<a href='http://evil.example/k'>k</a> ![k](http://evil.example/k.png)"
# Elements that a name has become, each by what it asks for
MADE_OF_NAMES = """() => [...document.querySelectorAll('img, a, image, iframe, script, link, .katex, s, del')]
  .map(part => part.getAttribute('src') ?? part.getAttribute('href') ?? part.getAttribute('xlink:href')
    ?? part.className)
  .filter(address => /evil|katex/.test(address))"""
N_RUNS = 3  # of each system
N_SEGMENTS = 8
PAGES = ("Scores", "Significance", "Replication", "Segments", "Report")


# What the policy refuses a script of the page that asks another host
REFUSED = """async url => {
  const refused = [];
  document.addEventListener('securitypolicyviolation', event => refused.push(event.effectiveDirective));
  for (const kind of ['img', 'script'])
    document.head.append(Object.assign(document.createElement(kind), {src: url}));
  await fetch(url, {mode: 'no-cors'}).catch(() => null);
  const deadline = performance.now() + 10_000;
  while (refused.length < 3 && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return refused.sort();
}"""


def table() -> bytes:
    """Outputs of systems with hostile names, with scores of a hostile metric."""
    lines = []
    for place, system in enumerate(SYSTEMS):
        for run in range(N_RUNS):
            for segment in range(N_SEGMENTS):
                verb = "lay" if (segment + run + place) % 3 else "sat"
                row = {
                    "system": system,
                    "run": str(run),
                    "segment": segment,
                    "document": DOCUMENT,
                    "hypothesis": f"the cat {segment} {verb} on {LINK}",
                    "reference": f"the cat {segment} sat on {LINK}",
                    "metric": METRIC,
                    "score": (7 * segment + 3 * run + 5 * place) % 11 / 10,
                }
                lines.append(json.dumps(row))
    return "\n".join(lines).encode()


@pytest.fixture
def hosts(page: Page, address: str) -> Callable[[], set[str]]:
    """The hosts that were asked for something, and what the policy forbade, since the page was opened."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlparse(request.url).netloc))

    def note_refusal(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            asked.append(message.text)

    page.on("console", note_refusal)
    own_host = urlparse(address).netloc
    return lambda: set(asked) - {own_host, ""}


def judgements() -> bytes:
    """What two annotators said of all outputs of the first runs."""
    lines = ["annotator\tsystem\tsegment\tadequacy"]
    for annotator in ANNOTATORS:
        for place, system in enumerate(SYSTEMS):
            for segment in range(N_SEGMENTS):
                adequacy = (3 * segment + 5 * place + len(annotator)) % 100
                lines.append(f"{annotator}\t{system}\t{segment + 1}\t{adequacy}")
    return "\n".join(lines).encode()


def errors() -> bytes:
    """Errors of a hostile category that they marked in some of these outputs, in WMT's table."""
    lines = ["system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"]
    for annotator in ANNOTATORS:
        for system in SYSTEMS:
            for segment in range(4):
                number = str(segment + 1)
                target = f"the <v>cat</v> {segment}"
                cells = (system, DOCUMENT, number, number, annotator, LINK, target, CATEGORY, "Major")
                lines.append("\t".join(cells))
    return "\n".join(lines).encode()


def campaign() -> bytes:
    """A campaign of marked errors, as it is exported."""
    outputs = tuple(Output(system, "0", (LINK, f"{DOCUMENT} {system}")) for system in SYSTEMS[:2])
    hostile_campaign = Campaign(
        uid=f"{time.monotonic_ns():032x}",
        name=NAME,
        way="errors",
        test_set=DOCUMENT,
        test_set_digest="0" * 32,
        outputs=outputs,
        references=((LINK,), (DOCUMENT,)),
        source=(LINK, METRIC),
        documents=(DOCUMENT, DOCUMENT),
        plan=Plan(METRIC, METRIC, random=2),
        typology=Typology((Category(CATEGORY),)),
        instructions=f"{LINK} {DOCUMENT}",
    )
    mark = Mark("hypothesis", 0, 4, CATEGORY, "major", comment=LINK)
    tasks = []
    for annotator in ANNOTATORS:
        for output in range(2):
            for segment in range(2):
                place = 2 * output + segment
                task = Task(
                    annotator,
                    place,
                    segment,
                    "random",
                    output,
                    comment=LINK,
                    is_complete=True,
                    marks=(mark,),
                )
                tasks.append(task)
    return to_json(hostile_campaign, tasks).encode()


def payload(name: str, content: bytes) -> FilePayload:
    """A file to be dropped."""
    return {"name": name, "mimeType": "text/plain", "buffer": content}


def expect_text_alone(page: Page, shown: str = "") -> None:
    """A name is on the page as it is, and nothing has become of any; none turns round what stands beside it."""
    at_rest(page)
    expect(page.get_by_test_id("stApp").get_by_text(visible(shown)).first).to_be_attached()
    assert page.evaluate(MADE_OF_NAMES) == []
    assert UNPRINTABLE.findall(page.get_by_test_id("stApp").inner_text()) == []


def go(page: Page, name: str) -> None:
    """Go to a page by its link in the sidebar."""
    page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()


def test_no_name_is_anything_but_text_on_any_page(page: Page, hosts: Callable[[], set[str]]) -> None:
    files = [
        payload("<b>![f](http://evil.example/f.png).jsonl", table()),
        payload(f"{NAME}.tsv", judgements()),
        payload(f"{NAME}.mqm.tsv", errors()),
    ]
    drop(page, files)
    page.get_by_role("radio", name="Higher is better").click()
    scored(page)
    primary = page.get_by_role("combobox", name="Primary metric")
    primary.fill("evil")
    primary.press("Enter")
    eventually(lambda: "evil" in primary.input_value(), "the metric is not chosen")
    at_rest(page)
    for name in PAGES:
        go(page, name)
        expect_text_alone(page, SYSTEMS[0])

    go(page, "Segments")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("spinbutton", name="Improvement in").first.wait_for()
    expect_text_alone(page, SYSTEMS[0])

    go(page, "People")
    for tab in ("Check", "Report", "Collect", "Analyse"):
        page.get_by_role("tab", name=tab).click()
        page.get_by_role("tabpanel", name=tab).wait_for()
        expect_text_alone(page)
    for question in ("Tests", "Metrics", "Systems"):
        page.get_by_role("radio", name=question, exact=True).click()
        expect_text_alone(page)
    page.get_by_role("radio", name="Errors", exact=True).click()
    expect_text_alone(page, CATEGORY)

    go(page, "Replication")
    page.get_by_role("button", name="Present").click()
    page.locator(".mt-slide-title:visible").wait_for()
    expect_text_alone(page, SYSTEMS[0])
    assert hosts() == set()


def test_no_name_in_a_campaign_is_anything_but_text(page: Page, hosts: Callable[[], set[str]]) -> None:
    file_name = f"{NAME}.json".replace("/", "")
    page.locator(FOR_FILES).first.set_input_files([payload(file_name, campaign())])
    page.get_by_text("with 8 judgements").wait_for()
    expect_text_alone(page, NAME)
    page.get_by_test_id("stSidebar").get_by_role("link", name="People").click()
    page.get_by_role("radio", name="Errors", exact=True).click()
    expect_text_alone(page, CATEGORY)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Annotate").click()
    expect_text_alone(page, ANNOTATORS[0])
    address_of_campaign = page.get_by_role("link", name="Open").first.get_attribute("href")
    page.goto(str(address_of_campaign))
    page.get_by_role("heading", name=visible(NAME)).wait_for()
    expect_text_alone(page, LINK)
    assert hosts() == set()


def test_the_policy_lets_no_script_ask_another_host(page: Page) -> None:
    assert page.evaluate(REFUSED, "http://evil.example/") == ["connect-src", "img-src", "script-src-elem"]
    answer = page.request.get(page.url)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
