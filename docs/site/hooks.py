"""Hooks of MkDocs: links to files outside ``docs/`` lead to copies on the site, and the search has a name."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
ICON = ROOT / "mteval" / "ui" / "icon.svg"
COPIES = "repository"
_OUTWARD = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")


def _target(page: str, link: str) -> Path:
    """Return the file of the repository that a link on a page of ``docs/`` means."""
    return (ROOT / "docs" / page).parent.joinpath(link).resolve()


def _is_outside(path: Path) -> bool:
    return not path.is_relative_to(ROOT / "docs")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the icon, and a copy of each file outside ``docs/`` that a page links to; Markdown becomes plain text."""
    files.append(File.generated(config, "images/icon.svg", abs_src_path=str(ICON)))
    copied: set[Path] = set()
    for page in list(files.documentation_pages()):
        for _, link, _ in _OUTWARD.findall(page.content_string):
            path = _target(page.src_uri, link)
            if _is_outside(path) and path.is_file() and path not in copied:
                copied.add(path)
                files.append(File.generated(config, _copy_of(path), abs_src_path=str(path)))
    return files


def _copy_of(path: Path) -> str:
    """Return where the copy lies on the site. MkDocs would make a page of a name that ends in .md."""
    name = str(path.relative_to(ROOT))
    if path.suffix == ".md":
        name += ".txt"
    return f"{COPIES}/{name}"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links out of ``docs/`` to the copies. Folders have none, so that only their text stays."""
    depth = page.file.src_uri.count("/")

    def replaced(match: re.Match[str]) -> str:
        text, link, _ = match.groups()
        path = _target(page.file.src_uri, link)
        if not _is_outside(path):
            return match[0]
        if not path.is_file():
            return text
        return f"[{text}]({'../' * depth}{_copy_of(path)})"

    return _OUTWARD.sub(replaced, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the search of a page."""
    return _with_named_search(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Name the search of what is no page: the answer to a wrong address."""
    return _with_named_search(output_content)


def _with_named_search(html: str) -> str:
    """Name the dialog of the search, which screen readers announce."""
    return html.replace('component="search" role="dialog"', 'component="search" role="dialog" aria-label="Search"')
