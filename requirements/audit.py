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
        requirements = Path(folder, "packages.txt")
        report = Path(folder, "report.json")
        lines = [f"{name}=={version}\n" for name, version in wanted.items()]
        requirements.write_text("".join(lines), encoding="utf-8")
        program = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner=off"]
        program += ["--format=json", f"--output={report}", f"--requirement={requirements}", *options]
        # Its status is 1 with a vulnerability as well as without data; only the report tells
        done = subprocess.run(program, check=False, capture_output=True, text=True)
        if not report.exists() or not report.stat().st_size:
            print(done.stderr.strip(), file=sys.stderr)
            return [UNAVAILABLE]
        return problems(json.loads(report.read_text(encoding="utf-8")), wanted.items())


def main(arguments: list[str]) -> int:
    """Print the problems of the packages of all locks; the status is 1 if there are any."""
    end_of_locks = len(arguments)
    if "--" in arguments:
        end_of_locks = arguments.index("--")
    locks = arguments[:end_of_locks]
    options = arguments[end_of_locks + 1 :]

    unchecked = set()
    for lock in locks:
        for package in packages(Path(lock).read_text(encoding="utf-8")):
            unchecked.add((package.name, package.version))
    n_packages = len(unchecked)
    lines = []
    while unchecked:  # pip-audit refuses two versions of a package in one list
        batch = dict(sorted(unchecked))
        lines += audited(batch, options)
        unchecked -= set(batch.items())
    if lines:
        print("\n".join(lines))
        return 1
    print(f"{n_packages} packages of {len(locks)} locks have no known vulnerability.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
