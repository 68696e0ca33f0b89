"""What axe-core finds on a page that is at rest."""

from contextlib import suppress

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.places import SETTLED
from tests.browser.steps import eventually

SETTLING = 200  # milliseconds: figures are drawn after the script has ended
HAS_AXE = "'axe' in window"
# With rules, only those are tried.
VIOLATIONS = """async ([within, rules]) => {
  const options = { resultTypes: ['violations'] };
  if (rules) options.runOnly = { type: 'rule', values: rules };
  const results = await axe.run(within, options);
  return results.violations;
}"""
RULES_OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
MOST_ELEMENTS = 3  # named of each violation


def serious(page: Page, of_looks: bool = False, within: str = "html") -> list[tuple[str, list[str]]]:
    """What axe-core holds to be serious or worse, with the first elements and what is wrong with them.

    Only what stays: a page that is drawn again, or takes the colours of another theme, is faint meanwhile. Size and
    theme of a page that was looked at before matter to the rules of looks alone.

    Parameters
    ----------
    of_looks
        Whether to try only the rules of looks.
    within
        Selector of the part of the page that is looked at.
    """
    page.wait_for_timeout(SETTLING)
    if not page.evaluate(HAS_AXE):
        page.evaluate(AXE_SCRIPT)
    found: list[tuple[str, list[str]]] = []

    def is_nothing_found() -> bool:
        nonlocal found
        found = _found(page, of_looks, within)
        return not found

    with suppress(AssertionError):  # the caller says what is found
        eventually(is_nothing_found, "axe-core finds something", SETTLED)
    return found


def _found(page: Page, of_looks: bool, within: str) -> list[tuple[str, list[str]]]:
    """What axe-core finds at this moment."""
    rules = RULES_OF_LOOKS if of_looks else None
    found = []
    for violation in page.evaluate(VIOLATIONS, [within, rules]):
        if violation["impact"] not in ("serious", "critical"):
            continue
        elements = []
        for node in violation["nodes"][:MOST_ELEMENTS]:
            elements.append(f"{node['html'][:200]} {node['failureSummary']}")
        found.append((violation["id"], elements))
    return found
