"""Check the packages of locks for known vulnerabilities: ``python -m requirements.audit LOCK… [-- OPTION…]``.

Options are those of pip-audit, which is asked about every version of every lock, whatever system it is for. By itself
pip-audit passes over packages for other systems, and warns of those that its source does not know.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from requirements.locks import packages

UNAVAILABLE = "The vulnerability data are unavailable; no package was checked."


def problems(report: Mapping[str, Any], wanted: Collection[tuple[str, str]]) -> list[str]:
    """Return a line per vulnerability in pip-audit's report, and per wanted package that it did not check."""
    audited = [entry for entry in report["dependencies"] if "vulns" in entry]
    checked = {(entry["name"], entry["version"]): entry["vulns"] for entry in audited}
    lines = []
    for name, version in sorted(wanted):
        if (name, version) not in checked:
            lines.append(f"{name} {version} could not be audited")
            continue
        for vulnerability in checked[name, version]:
            fixed = ", ".join(vulnerability["fix_versions"]) or "none"
            lines.append(f"{name} {version}: {vulnerability['id']}, fixed in: {fixed}")
    return lines


def audited(wanted: Mapping[str, str], options: Collection[str]) -> list[str]:
    """Return the problems of one version of each of these packages."""
    with tempfile.TemporaryDirectory() as folder:
        listed, written = Path(folder, "packages.txt"), Path(folder, "report.json")
        listed.write_text("".join(f"{name}=={version}\n" for name, version in wanted.items()), encoding="utf-8")
        asked = ["--disable-pip", "--no-deps", "--progress-spinner=off", "--format=json", f"--output={written}"]
        program = [sys.executable, "-m", "pip_audit", *asked, f"--requirement={listed}", *options]
        # Its status is 1 with a vulnerability as well as without data; only the report tells
        done = subprocess.run(program, check=False, capture_output=True, text=True)
        if not written.exists() or not written.stat().st_size:
            print(done.stderr.strip(), file=sys.stderr)
            return [UNAVAILABLE]
        return problems(json.loads(written.read_text(encoding="utf-8")), wanted.items())


def main(arguments: list[str]) -> int:
    """Print the problems of the packages of all locks; the status is 1 if there are any."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    locks, options = arguments[:cut], arguments[cut + 1 :]
    left = {(part.name, part.version) for lock in locks for part in packages(Path(lock).read_text(encoding="utf-8"))}
    n_packages = len(left)
    found = []
    while left:  # pip-audit refuses two versions of a package in one list
        batch = dict(sorted(left))
        found += audited(batch, options)
        left -= set(batch.items())
    print("\n".join(found) or f"{n_packages} packages of {len(locks)} locks have no known vulnerability.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
