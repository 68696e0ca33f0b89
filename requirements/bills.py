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
    # A package may be in several locks: its scope is that of the first.
    scopes: dict[tuple[str, str], str] = {}
    entries: dict[tuple[str, str], list[Package]] = {}
    for scope, texts in locks.items():
        for text in texts:
            for package in packages(text):
                key = (package.name, package.version)
                scopes.setdefault(key, scope)
                entries.setdefault(key, []).append(package)
    components = []
    for key, entries_of_package in sorted(entries.items()):
        components.append(_component(entries_of_package, scopes[key], licences[key]))
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
        "dependencies": _dependencies(entries),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _component(entries: list[Package], scope: str, licence: str) -> dict[str, Any]:
    """Return what a bill says of one version of a package, from its entries in all locks."""
    name = entries[0].name
    version = entries[0].version
    digests = sorted({digest for package in entries for digest in package.hashes})
    return {
        "type": "library",
        "bom-ref": _reference(name, version),
        "name": name,
        "version": version,
        "scope": scope,
        "licenses": [_licence(licence)],
        "purl": _reference(name, version),
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"https://pypi.org/project/{name}/{version}/",
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
            }
        ],
    }


def _dependencies(entries: Mapping[tuple[str, str], list[Package]]) -> list[dict[str, Any]]:
    """Return which packages each package needs; what no package needs, and what a file names, mteval needs."""
    reference_of = {name: _reference(name, version) for name, version in entries}
    needs: dict[str, set[str]] = {reference: set() for reference in ("mteval", *reference_of.values())}
    for (name, _version), entries_of_package in entries.items():
        parents = {parent for package in entries_of_package for parent in package.needed_by}
        if not parents:
            parents = {"mteval"}
        for parent in parents:
            needs[reference_of.get(parent, "mteval")].add(reference_of[name])
    return [{"ref": reference, "dependsOn": sorted(needed)} for reference, needed in sorted(needs.items())]


def _reference(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def licences_of(text: str) -> dict[tuple[str, str], str]:
    """Return the licences that a bill states."""
    licences = {}
    for component in json.loads(text)["components"]:
        licences[component["name"], component["version"]] = _stated(component["licenses"][0])
    return licences


def locks_of(name: str) -> dict[str, list[str]]:
    """Return the texts of the locks of a bill, by scope."""
    texts_of = {}
    for scope, files in BILLS[name].items():
        texts_of[scope] = [(FOLDER / file).read_text(encoding="utf-8") for file in files]
    return texts_of


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
    classifiers = _licence_classifiers(metadata)
    if classifiers and all(line in CLASSIFIERS for line in classifiers):
        return " OR ".join(sorted({CLASSIFIERS[line] for line in classifiers}))
    words = str(metadata.get("License") or "").strip()
    is_whole_text = "\n" in words
    if is_whole_text and classifiers:
        return ", ".join(classifiers)
    title = words.split("\n")[0].strip()
    if title and title.upper() != "UNKNOWN":
        return SPOKEN.get(title.lower()) or fixup_id(title) or title
    if classifiers:
        return ", ".join(classifiers)
    raise LookupError(f"{metadata['Name']} {metadata['Version']} states no licence")


def _licence_classifiers(metadata: Message) -> list[str]:
    """Return the licences among the classifiers of a package, without the words that all of them begin with."""
    names = []
    for classifier in metadata.get_all("Classifier", []):
        if not classifier.startswith("License :: "):
            continue
        name = classifier.removeprefix("License :: ")
        if name != "OSI Approved":
            names.append(name.removeprefix("OSI Approved :: "))
    return names


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
    wheels = []
    for file in files:
        is_wheel = file["filename"].endswith(".whl")
        if is_wheel and file["hashes"].get("sha256") in package.hashes:
            wheels.append(file)
    if not wheels:
        raise LookupError(f"{package.name} {package.version}: the package index has no wheel with a hash of the lock")
    wheel = min(wheels, key=lambda file: str(file["filename"]))
    with zipfile.ZipFile(io.BufferedReader(_Remote(wheel["url"], wheel["size"]), 2**16)) as archive:
        # Of the wheel itself: packages that it brings along have their metadata deeper down.
        (path,) = (name for name in archive.namelist() if name.count("/") == 1 and name.endswith(".dist-info/METADATA"))
        content = archive.read(path)
    return licence(BytesParser().parsebytes(content))


class _Remote(io.RawIOBase):
    """A file on a server, of which only the parts that are read travel: wheels can have hundreds of megabytes."""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start_of = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}
        self._position = start_of[whence] + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        request = urllib.request.Request(self._url, headers={"Range": f"bytes={self._position}-{end - 1}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            if answer.status != 206:
                raise OSError(f"{self._url}: the server does not send parts of files")
            content = answer.read()
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)


def _licence(stated: str) -> dict[str, Any]:
    """Return a licence as a bill has it: a name of SPDX, an expression of such names, or other words."""
    if fixup_id(stated) == stated:
        return {"license": {"id": stated}}
    if is_expression(stated):
        return {"expression": stated}
    return {"license": {"name": stated}}


def _stated(entry: dict[str, Any]) -> str:
    """Return the words of a licence in a bill."""
    if "expression" in entry:
        return str(entry["expression"])
    return str(entry["license"].get("id") or entry["license"]["name"])


def main() -> int:
    """Write the bills, or say what is wrong with them."""
    problems = []
    for name in BILLS:
        locks = locks_of(name)
        wanted = {}
        for texts in locks.values():
            for text in texts:
                for package in packages(text):
                    # The CPU build of PyTorch is not on the index; the other build of the same version, which comes
                    # later, has the same licence.
                    wanted[package.name, package.version] = package
        with ThreadPoolExecutor(8) as pool:
            futures = {key: pool.submit(fetched, package) for key, package in wanted.items()}
        problems += [str(future.exception()) for future in futures.values() if future.exception()]
        if not problems:
            text = bill(locks, {key: future.result() for key, future in futures.items()})
            problems += errors(text)
            (FOLDER / name).write_text(text, encoding="utf-8")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
