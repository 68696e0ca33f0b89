"""Signing in with a real OpenID provider on this machine: whom campaigns belong to, and links that outlive it."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
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
from tests.browser.steps import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.long]

LONG = "x" * 250
ELSEWHERE = re.compile(r"^(?!https?://127\.0\.0\.1[:/])")  # addresses of other machines
USERS = {"ann": "Ann Lee", "bob": "Bob Roe", LONG: "Lena Long"}


@contextmanager
def provider() -> Iterator[str]:
    """An OpenID provider that knows three people; its address."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", f"--port={port}"]
    command += [f"--user-claims={json.dumps({'sub': sub, 'name': name})}" for sub, name in USERS.items()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/.well-known/openid-configuration").close()
                    break
                except OSError:
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def campaign_in(home: Path) -> Links:
    """A campaign in the database of a server; its links."""
    texts = ("one", "two")
    campaign = Campaign(
        uid=secrets.token_hex(16),
        name="Secret reading",
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

    def open_one() -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}))
        contexts[-1].route(ELSEWHERE, lambda route: route.abort())
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE * 1000)
        return page

    yield open_one
    for context in contexts:
        context.close()


def sign_in(page: Page, user: str) -> None:
    """Ask to be let in, and say at the provider who it is."""
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=user, exact=True).click()
    page.get_by_text(f"Signed in as {USERS[user]}").wait_for()


def test_campaigns_belong_to_whoever_signed_in_and_links_outlive_it(
    tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    links, port = campaign_in(tmp_path), free_port()
    named = tmp_path / "provider.toml"
    with provider() as issuer:
        named.write_text(
            f"""[auth]
            redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
            cookie_secret = "{secrets.token_hex(32)}"
            client_id = "mteval"
            client_secret = "{secrets.token_hex(16)}"
            server_metadata_url = "{issuer}/.well-known/openid-configuration"
            """
        )
        home = {"MTEVAL_HOME": str(tmp_path), "MTEVAL_DATABASE": ""}
        with serving(tmp_path, f"--sign-in={named}", port=port, **home) as address:
            _check(address, links, new_page)
    assert "Secret reading" not in (tmp_path / "log.txt").read_text()
    assert os.path.getsize(tmp_path / "annotations.sqlite")


def _check(address: str, links: Links, new_page: Callable[[], Page]) -> None:
    page = new_page()
    page.goto(f"{address}/annotate?coordinator={links.coordinator}")
    page.get_by_text("requires you to sign in").wait_for()
    assert "Secret reading" not in page.locator("body").inner_text()
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    sign_in(page, "ann")
    page.get_by_text("0 of 2 done").wait_for()  # the link led there after all

    elsewhere = new_page()
    elsewhere.goto(f"{address}/annotate")
    sign_in(elsewhere, "ann")
    elsewhere.get_by_text("0 of 2 done").wait_for()  # it is hers, in whichever browser

    other = new_page()
    other.goto(f"{address}/annotate")
    sign_in(other, "bob")
    other.get_by_text("No campaigns yet").wait_for()

    nameless = new_page()
    nameless.goto(f"{address}/annotate")
    sign_in(nameless, LONG)  # another person's name could have the same beginning
    nameless.get_by_text("Your sign-in identifies you by 2").wait_for()
    assert "No campaigns" not in nameless.locator("body").inner_text()
    nameless.get_by_role("button", name="Sign out").click()
    nameless.get_by_role("button", name="End session").click()
    nameless.get_by_text("requires you to sign in").wait_for()

    rater = new_page()
    rater.goto(f"{address}/annotate?annotator={links.annotators['rater']}")  # needs no account
    rater.get_by_text("1 of 2 · 0 done").wait_for()

    tab = page.context.new_page()
    tab.goto(f"{address}/annotate")
    tab.get_by_text("0 of 2 done").wait_for()
    copied = page.context.cookies()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()  # the provider asks, too
    page.get_by_text("requires you to sign in").wait_for()

    tab.get_by_text("New campaign", exact=True).first.click()  # the other window of the same browser, still open
    tab.get_by_text("requires you to sign in").wait_for()
    thief = new_page()
    thief.context.add_cookies(copied)
    thief.goto(f"{address}/annotate")
    thief.get_by_text("requires you to sign in").wait_for()
    elsewhere.reload()  # another sign-in of the same person goes on
    elsewhere.get_by_text("Signed in as Ann Lee").wait_for()
