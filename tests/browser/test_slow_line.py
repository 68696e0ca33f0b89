"""Pages are complete even if the server's messages arrive late."""

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import window
from tests.browser.steps import COMPILING, scored

pytestmark = pytest.mark.browser

# The browser gets each message of the server late, but sends its own at once: while a page changes, it still asks for
# the progress on the page before.
LATE = """
window.WebSocket = class extends WebSocket {
  addEventListener(type, listen, options) {
    const late = (event) => setTimeout(() => listen(event), 700);  // milliseconds
    super.addEventListener(type, type === "message" ? late : listen, options);
  }
  set onmessage(listen) { this.addEventListener("message", listen); }
};
"""


def test_the_scores_are_complete_after_progress_was_shown_on_the_page_before(
    browser: Browser, fresh_address: str
) -> None:
    with window(browser) as page:
        page.add_init_script(LATE)
        page.goto(fresh_address)  # which has not read the sample yet, so that progress is shown
        page.get_by_role("button", name="Try the sample experiment").click()
        page.get_by_role("heading", name="All metrics").wait_for(timeout=COMPILING)
        scored(page)
