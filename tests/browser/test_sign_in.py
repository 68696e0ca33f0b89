"""Signing in with a real OpenID provider on this machine: whom campaigns belong to, and links that outlive it."""

import json
import os
import re
import secrets
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy.engine import URL

from mteval.annotations import Sampled, deal_tasks, open_store
from mteval.annotations.campaigns import Campaign, Output
from mteval.annotations.store import Links
from mteval.values.asker import OPERATOR
from tests.browser.conftest import free_port, serving
from tests.browser.steps import PATIENCE, at_rest, eventually

pytestmark = [pytest.mark.browser, pytest.mark.long]

LONG = "x" * 250  # an identifier longer than what mteval keeps
ELSEWHERE = re.compile(r"^(?!https?://127\.0\.0\.1[:/])")  # addresses of other machines
CAMPAIGN = "Secret reading"
CONFIGURATION = "/.well-known/openid-configuration"
USERS = {"ann": "Ann Lee", "bob": "Bob Roe", LONG: "Lena Long"}


@contextmanager
def provider() -> Iterator[str]:
    """An OpenID provider that knows three people; its address."""
    port = free_port()
    issuer = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "oidc_provider_mock", f"--port={port}"]
    for user, name in USERS.items():
        claims = {"sub": user, "name": name}
        command.append(f"--user-claims={json.dumps(claims)}")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            eventually(lambda: answers(f"{issuer}{CONFIGURATION}"), "the provider does not answer")
            yield issuer
        finally:
            process.terminate()


def answers(address: str) -> bool:
    """Whether a server answers at an address."""
    try:
        urllib.request.urlopen(address).close()
    except OSError:
        return False
    return True


def campaign_in(home: Path) -> Links:
    """A campaign in the database of a server; its links."""
    texts = ("one", "two")
    campaign = Campaign(
        uid=secrets.token_hex(16),
        name=CAMPAIGN,
        way="rating",
        test_set="test",
        test_set_digest="d" * 32,
        outputs=(Output("system", "0", texts),),
        references=(texts, texts),
    )
    store = open_store(URL.create("sqlite", database=str(home / "annotations.sqlite")))
    sample = [Sampled(segment, "random") for segment in range(2)]
    store.add(campaign, deal_tasks(campaign, sample, ("rater",)), asker=OPERATOR)
    links = store.links(campaign.uid)
    store.close()
    return links


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[[], Page]]:
    """A page in a browser that has been nowhere; nothing outside this machine is asked for."""
    contexts = []

    def open_page() -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        context.route(ELSEWHERE, lambda route: route.abort())
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        return page

    yield open_page
    for context in contexts:
        context.close()


def sign_in(page: Page, user: str) -> None:
    """Ask to be let in, and say at the provider who it is."""
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=user, exact=True).click()
    page.get_by_text(f"Signed in as {USERS[user]}").wait_for()


def sign_out(page: Page) -> None:
    """Ask to be let go, which the provider asks about, too."""
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()
    wait_for_gate(page)


def wait_for_gate(page: Page) -> None:
    """Wait until the page says that one has to sign in."""
    page.get_by_text("requires you to sign in").wait_for()
    at_rest(page)


def test_campaigns_belong_to_whoever_signed_in_and_links_outlive_it(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    links = campaign_in(tmp_path)
    port = free_port()
    settings = tmp_path / "provider.toml"
    with provider() as issuer:
        settings.write_text(
            f"""[auth]
            redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
            cookie_secret = "{secrets.token_hex(32)}"
            client_id = "mteval"
            client_secret = "{secrets.token_hex(16)}"
            server_metadata_url = "{issuer}{CONFIGURATION}"
            """
        )
        home = {"MTEVAL_HOME": str(tmp_path), "MTEVAL_DATABASE": ""}
        with serving(tmp_path, f"--sign-in={settings}", port=port, **home) as address:
            _check(address, links, new_page)
    assert CAMPAIGN not in (tmp_path / "log.txt").read_text()
    assert os.path.getsize(tmp_path / "annotations.sqlite")


def _check(address: str, links: Links, new_page: Callable[[], Page]) -> None:
    # A campaign is hidden before signing in; afterwards its link opens it.
    page = new_page()
    page.goto(f"{address}/annotate?coordinator={links.coordinator}")
    wait_for_gate(page)
    assert CAMPAIGN not in page.locator("body").inner_text()
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    sign_in(page, "ann")
    page.get_by_text("0 of 2 done").wait_for()

    # From now on it is hers alone, in any browser.
    elsewhere = new_page()
    elsewhere.goto(f"{address}/annotate")
    sign_in(elsewhere, "ann")
    elsewhere.get_by_text("0 of 2 done").wait_for()

    other = new_page()
    other.goto(f"{address}/annotate")
    sign_in(other, "bob")
    other.get_by_text("No campaigns yet").wait_for()

    # Whose identifier is too long has none: another person's could have the same beginning.
    nameless = new_page()
    nameless.goto(f"{address}/annotate")
    sign_in(nameless, LONG)
    nameless.get_by_text("Your sign-in identifies you by 2").wait_for()
    at_rest(nameless)
    assert "No campaigns" not in nameless.locator("body").inner_text()
    sign_out(nameless)

    # An annotator needs no account.
    annotator = new_page()
    annotator.goto(f"{address}/annotate?annotator={links.annotators['rater']}")
    annotator.get_by_text("1 of 2 · 0 done").wait_for()

    # Signing out ends the other windows of the same browser, and what was copied of its cookies.
    window = page.context.new_page()
    window.goto(f"{address}/annotate")
    window.get_by_text("0 of 2 done").wait_for()
    copied_cookies = page.context.cookies()
    sign_out(page)

    window.get_by_text("New campaign", exact=True).first.click()
    wait_for_gate(window)
    thief = new_page()
    thief.context.add_cookies(copied_cookies)
    thief.goto(f"{address}/annotate")
    wait_for_gate(thief)

    # Another sign-in of the same person goes on.
    elsewhere.reload()
    elsewhere.get_by_text("Signed in as Ann Lee").wait_for()
