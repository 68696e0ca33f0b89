"""Links between pages of the documentation lead somewhere."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

THEMES = ("gh-light-mode-only", "gh-dark-mode-only")  # GitHub and the site show such a picture in that theme alone
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")])


def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return what GitHub makes of the headings of a page: lower case, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        is_for_theme = heading in THEMES and target.suffix == ".png"
        if not target.exists() or (heading and not is_for_theme and heading not in anchors(target)):
            broken.append(link)
    assert broken == []
