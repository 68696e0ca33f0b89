"""What axe-core finds on a page that is at rest."""

from collections.abc import Iterator
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SETTLING = 200  # milliseconds: figures are drawn after the script has ended
VIOLATIONS = "axe.run({resultTypes: ['violations']}).then(results => results.violations)"


def serious(page: Page) -> Iterator[tuple[str, Any]]:
    """What axe-core holds to be serious or worse, with the first elements and what is wrong with them."""
    page.wait_for_timeout(SETTLING)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    for violation in page.evaluate(VIOLATIONS):
        if violation["impact"] in ("serious", "critical"):
            nodes = violation["nodes"][:3]
            yield violation["id"], [f"{node['html'][:200]} {node['failureSummary']}" for node in nodes]
