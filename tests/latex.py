"""A real LaTeX, where one is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

# Debian has multirow in a package of 35 MB with much else; what it sets is the third argument
STAND_IN = "\\ProvidesPackage{multirow}\n\\newcommand{\\multirow}[3]{#3}\n"


def set_by_latex(document: str, folder: Path) -> Path:
    """Return the PDF file that LaTeX makes of a document, or fail with its own words if it cannot set it."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    (folder / "document.tex").write_text(document, encoding="utf-8")
    if not subprocess.run(["kpsewhich", "multirow.sty"], capture_output=True, check=False).stdout:
        (folder / "multirow.sty").write_text(STAND_IN)
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "document.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
    return folder / "document.pdf"
