"""What axe-core finds on a page that is at rest."""

from collections.abc import Iterator
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SETTLING = 200  # milliseconds: figures are drawn after the script has ended
VIOLATIONS = """rules => axe.run({resultTypes: ['violations'], ...(rules && {runOnly: {type: 'rule', values: rules}})})
  .then(results => results.violations)"""
OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]


def serious(page: Page, of_looks: bool = False) -> Iterator[tuple[str, Any]]:
    """What axe-core holds to be serious or worse, with the first elements and what is wrong with them.

    Size and theme of a page that was looked at already matter to the rules of looks alone.
    """
    page.wait_for_timeout(SETTLING)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    for violation in page.evaluate(VIOLATIONS, OF_LOOKS if of_looks else None):
        if violation["impact"] in ("serious", "critical"):
            nodes = violation["nodes"][:3]
            yield violation["id"], [f"{node['html'][:200]} {node['failureSummary']}" for node in nodes]
