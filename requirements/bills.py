"""Write the bills of materials of the locks, in CycloneDX's JSON: ``python -m requirements.bills``.

Everything but the licences is in the locks. Licences come from the metadata of the packages on the package index.
"""

import io
import json
import sys
import urllib.request
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from email.parser import BytesParser
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.spdx import fixup_id, is_expression
from cyclonedx.validation.json import JsonStrictValidator

from requirements.locks import FOLDER, Package, packages

INDEX = "https://pypi.org/simple"
# Locks of a bill. What is only in one of the second kind is optional: the container has it, or a computer with CUDA.
BILLS = {
    "app.cdx.json": {"required": ("app.txt",), "optional": ("image.txt",)},
    "neural.cdx.json": {"required": ("neural.txt", "torch-cpu.txt"), "optional": ("torch-cuda.txt",)},
}
# Packages whose metadata name no licence. Their repositories were read instead.
NOT_IN_THE_METADATA = {
    "cuda-toolkit": "none stated",  # it has no files, only the names of NVIDIA's packages
    "mt-thresholds": "none stated",  # nor is there one in its repository
    "pycocoevalcap": "BSD-2-Clause AND MIT",  # license.txt, and bleu/LICENSE for that folder
}
# Classifiers of the package index, and what SPDX calls these licences. "BSD License" is not among them: it has several.
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
SPOKEN = {  # what people write instead of SPDX's names
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit license": "MIT",
    "the mit license": "MIT",
    "the mit license (mit)": "MIT",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
}
Licences = Mapping[tuple[str, str], str]


def bill(locks: Mapping[str, Iterable[str]], licences: Licences) -> str:
    """Return the bill of the texts of locks, by scope; the same locks and licences give the same text."""
    scopes: dict[tuple[str, str], str] = {}
    entries: dict[tuple[str, str], list[Package]] = {}
    for scope, texts in locks.items():
        for package in (package for text in texts for package in packages(text)):
            key = (package.name, package.version)
            scopes.setdefault(key, scope)
            entries.setdefault(key, []).append(package)
    references = {name: f"pkg:pypi/{name}@{version}" for name, version in entries}
    components = []
    for (name, version), same in sorted(entries.items()):
        licence = licences[name, version]
        hashes = sorted({digest for package in same for digest in package.hashes})
        components.append(
            {
                "type": "library",
                "bom-ref": references[name],
                "name": name,
                "version": version,
                "scope": scopes[name, version],
                "licenses": [_licence(licence)],
                "purl": references[name],
                "externalReferences": [
                    {
                        "type": "distribution",
                        "url": f"https://pypi.org/project/{name}/{version}/",
                        "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
                    }
                ],
            }
        )
    needs: dict[str, set[str]] = {reference: set() for reference in ("mteval", *references.values())}
    for (name, _version), same in entries.items():
        for needed_by in {parent for package in same for parent in package.needed_by} or {"mteval"}:
            needs[references.get(needed_by, "mteval")].add(references[name])
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "mteval",
                "name": "mteval",
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": name, "dependsOn": sorted(needed)} for name, needed in sorted(needs.items())],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def licences_of(text: str) -> dict[tuple[str, str], str]:
    """Return the licences that a bill states."""
    return {(part["name"], part["version"]): _stated(part["licenses"][0]) for part in json.loads(text)["components"]}


def locks_of(name: str) -> dict[str, list[str]]:
    """Return the texts of the locks of a bill, by scope."""
    return {
        scope: [(FOLDER / file).read_text(encoding="utf-8") for file in files] for scope, files in BILLS[name].items()
    }


def errors(text: str) -> list[str]:
    """Return what CycloneDX's schema says against a bill."""
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return [] if error is None else [str(error)]


def licence(metadata: Message) -> str:
    """Return the licence that the metadata of a package state: SPDX's expression, else the words of the package.

    Classifiers come before the old field ``License``, which often holds a whole text, unless they are vague.

    Raises
    ------
    LookupError
        If there is none.
    """
    stated = metadata.get("License-Expression")
    if stated:
        return str(stated)
    prefix = "License :: "
    classifiers = [line.removeprefix(prefix) for line in metadata.get_all("Classifier", []) if line.startswith(prefix)]
    classifiers = [line.removeprefix("OSI Approved :: ") for line in classifiers if line != "OSI Approved"]
    spoken = str(metadata.get("License") or "").strip()
    if all(line in CLASSIFIERS for line in classifiers) and classifiers:
        return " OR ".join(sorted({CLASSIFIERS[line] for line in classifiers}))
    is_text = "\n" in spoken
    title = spoken.split("\n")[0].strip()
    if is_text and classifiers:
        return ", ".join(classifiers)
    if title and title.upper() != "UNKNOWN":
        return SPOKEN.get(title.lower()) or fixup_id(title) or title
    if classifiers:
        return ", ".join(classifiers)
    raise LookupError(f"{metadata['Name']} {metadata['Version']} states no licence")


def fetched(package: Package) -> str:
    """Return the licence of a package as the index has it.

    Raises
    ------
    LookupError
        If the index has no wheel with a hash of the lock, or the package states no licence.
    """
    if package.name in NOT_IN_THE_METADATA:
        return NOT_IN_THE_METADATA[package.name]
    accepted = {"Accept": "application/vnd.pypi.simple.v1+json"}
    request = urllib.request.Request(f"{INDEX}/{package.name}/", headers=accepted)
    with urllib.request.urlopen(request, timeout=60) as page:
        files: list[dict[str, Any]] = json.load(page)["files"]
    wheels = [
        file for file in files if file["filename"].endswith(".whl") and file["hashes"].get("sha256") in package.hashes
    ]
    if not wheels:
        raise LookupError(f"{package.name} {package.version}: the package index has no wheel with a hash of the lock")
    wheel = min(wheels, key=lambda file: str(file["filename"]))
    with zipfile.ZipFile(io.BufferedReader(_Remote(wheel["url"], wheel["size"]), 2**16)) as archive:
        (path,) = (name for name in archive.namelist() if name.count("/") == 1 and name.endswith(".dist-info/METADATA"))
        content = archive.read(path)
    return licence(BytesParser().parsebytes(content))


class _Remote(io.RawIOBase):
    """A file on a server, of which only the parts that are read travel: wheels can have hundreds of megabytes."""

    def __init__(self, url: str, size: int) -> None:
        self._url, self._size, self._position = url, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = offset + (0, self._position, self._size)[whence]
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        asked = urllib.request.Request(self._url, headers={"Range": f"bytes={self._position}-{end - 1}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            if answer.status != 206:
                raise OSError(f"{self._url}: the server does not send parts of files")
            content = answer.read()
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)


def _licence(stated: str) -> dict[str, Any]:
    identifier = fixup_id(stated)
    if identifier == stated:
        return {"license": {"id": stated}}
    return {"expression": stated} if is_expression(stated) else {"license": {"name": stated}}


def _stated(entry: dict[str, Any]) -> str:
    if "expression" in entry:
        return str(entry["expression"])
    return str(entry["license"].get("id") or entry["license"]["name"])


def main() -> int:
    """Write the bills, or say what is wrong with them."""
    wrong = []
    for name in BILLS:
        locks = locks_of(name)
        wanted = {
            # The CPU build of PyTorch is not on the index; the other build of the same version has the same licence
            (package.name, package.version): package
            for texts in locks.values()
            for text in texts
            for package in packages(text)
        }
        with ThreadPoolExecutor(8) as pool:
            told = {key: pool.submit(fetched, package) for key, package in wanted.items()}
        wrong += [str(future.exception()) for future in told.values() if future.exception()]
        if not wrong:
            text = bill(locks, {key: future.result() for key, future in told.items()})
            wrong += errors(text)
            (FOLDER / name).write_text(text, encoding="utf-8")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
