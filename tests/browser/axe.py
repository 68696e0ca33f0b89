"""What axe-core finds on a page that is at rest."""

from collections.abc import Iterator

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SETTLING = 200  # milliseconds: figures are drawn after the script has ended
HAS_AXE = "'axe' in window"
# With rules, only those are tried.
VIOLATIONS = """async rules => {
  const options = { resultTypes: ['violations'] };
  if (rules) options.runOnly = { type: 'rule', values: rules };
  const results = await axe.run(options);
  return results.violations;
}"""
RULES_OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
MOST_ELEMENTS = 3  # named of each violation


def serious(page: Page, of_looks: bool = False) -> Iterator[tuple[str, list[str]]]:
    """What axe-core holds to be serious or worse, with the first elements and what is wrong with them.

    Size and theme of a page that was looked at already matter to the rules of looks alone.
    """
    page.wait_for_timeout(SETTLING)
    if not page.evaluate(HAS_AXE):
        page.evaluate(AXE_SCRIPT)
    rules = RULES_OF_LOOKS if of_looks else None
    for violation in page.evaluate(VIOLATIONS, rules):
        if violation["impact"] not in ("serious", "critical"):
            continue
        elements = []
        for node in violation["nodes"][:MOST_ELEMENTS]:
            elements.append(f"{node['html'][:200]} {node['failureSummary']}")
        yield violation["id"], elements
