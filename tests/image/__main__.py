"""Carry out a Dockerfile without a container engine: ``python -m tests.image FOLDER``, as root.

Each stage starts from a clean Debian made by debootstrap; its commands run in it one by one, as the user that the file
names. Then the entry point is started with no network but a loopback of its own, the health check is asked, the user's
rights are looked at, and SIGTERM has to end it. What needs an engine is left out: layers, volumes, limits.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Template

ROOT = Path(__file__).parents[2]
SUITES = {"debian:bookworm-slim": "bookworm"}
SECONDS_TO_START, SECONDS_TO_REPORT, SECONDS_TO_END = 120, 300, 10
PASSED_ON = ("PIP_", "SSL_CERT_FILE")  # variables that begin so: how this machine reaches packages
REPORT = """
cd /opt/mteval/lib/python3.*/site-packages/mteval/dashboard/sample_data
mteval report --refs reference.test.txt --hyps-baseline baseline/test.opt0[0-2].txt \\
    --hyps-sys1 reordering/test.opt0[0-2].txt --metrics bleu --to /data/report >/data/report.txt
find /data/report -name '*.png' | grep .
"""  # figures are drawn by Chromium


@dataclass
class Stage:
    """A root file system and what has been said about it."""

    root: Path
    user: str = "root"
    folder: str = "/"
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/"})
    health: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)

    def command(self, words: Sequence[str]) -> list[str]:
        """The words, to be run in the stage as its user."""
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        change = ["chroot", f"--userspec={self.user}:{self.user}", str(self.root), "/usr/bin/env", "-i", *variables]
        return [*change, "sh", "-c", 'cd "$0" && exec "$@"', self.folder, *words]


def instructions(dockerfile: Path) -> Iterator[tuple[str, str]]:
    """The instructions with what stands behind them."""
    text = "\n".join(line for line in dockerfile.read_text().splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def build(dockerfile: Path, folder: Path, binds: Sequence[Path], is_built: bool) -> Stage:
    """The last stage, after all that the file says; where it was built before, what it says is only read."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    arguments: dict[str, str] = {}
    for name, rest in instructions(dockerfile):
        print(f"{name} {rest}", flush=True)
        if name == "ARG":
            argument, _, default = rest.partition("=")
            arguments[argument] = default
        elif name == "FROM":
            image, *named = Template(rest).substitute(arguments).split(" AS ")
            root = folder / f"stage-{len(stages)}"
            stage = stages[named[0] if named else ""] = Stage(root)
            if not is_built:
                _make_clean(root, SUITES[image], binds)
        elif is_built and name in ("RUN", "COPY"):
            continue
        elif name == "RUN":
            packages = {key: value for key, value in os.environ.items() if key.startswith(PASSED_ON)}
            while_built = replace(stage, environment=packages | stage.environment)
            subprocess.run(while_built.command(["sh", "-c", rest]), check=True)
        elif name == "COPY":
            _copy(stage, stages, shlex.split(rest))
        elif name == "ENV":
            stage.environment |= dict(word.split("=", 1) for word in shlex.split(rest))
        elif name == "WORKDIR":
            stage.folder = rest
            (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "USER":
            stage.user = rest
        elif name == "HEALTHCHECK":
            stage.health = json.loads(rest.partition(" CMD ")[2])
        elif name == "ENTRYPOINT":
            stage.entry = json.loads(rest)
        elif name not in ("EXPOSE", "VOLUME"):
            raise ValueError(f"'{name}' is no instruction that is known here")
    return stage


def _make_clean(root: Path, suite: str, binds: Sequence[Path]) -> None:
    """A clean Debian, made once and copied; of this machine it has what it takes to reach packages."""
    first = root.with_name(suite)
    if not first.exists():
        subprocess.run(["debootstrap", "--variant=minbase", suite, first, "http://deb.debian.org/debian"], check=True)
    subprocess.run(["cp", "--archive", "--reflink=auto", first, root], check=True)
    for path in (*binds, Path("/etc/resolv.conf")):
        place = root / str(path.resolve()).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path.resolve(), place, **({"dirs_exist_ok": True} if path.is_dir() else {}))
    (root / "dev" / "shm").chmod(0o1777)  # as an engine has it; Chromium wants it
    for device in ("null", "zero", "urandom"):
        if not (root / "dev" / device).exists():
            subprocess.run(["cp", "--archive", f"/dev/{device}", root / "dev" / device], check=True)


def _copy(stage: Stage, stages: dict[str, Stage], words: list[str]) -> None:
    """``COPY`` of paths, or of another stage's; from the project what is committed and not in ``.dockerignore``."""
    source = ROOT
    if words[0].startswith("--from="):
        source = stages[words.pop(0).partition("=")[2]].root
    *paths, target = words
    place = stage.root / os.path.join(stage.folder, target).lstrip("/")
    for path in paths:
        if source != ROOT:
            subprocess.run(["cp", "--archive", source / path.lstrip("/"), place], check=True)
            continue
        for file in _sent(path):
            copy = place / file if path == "." else place / Path(file).name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, copy)


def _sent(path: str) -> list[str]:
    """Files of the project below a path that an engine is sent."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = tuple(line[1:] for line in lines if line.startswith("!"))
    files = subprocess.run(
        ["git", "ls-files", path], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    return [file for file in files if file and any(file == one or file.startswith(f"{one}/") for one in kept)]


def run(stage: Stage) -> None:
    """Start the entry point without a network, as its user; ask for its health, look at its rights, end it."""
    command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *stage.command(stage.entry)]
    with _processes(stage.root), _ended(subprocess.Popen(command, start_new_session=True)) as server:
        inside = ["nsenter", f"--target={server.pid}", "--net"]
        _wait_for_health(server, [*inside, *stage.command(stage.health)])
        rights = ["sh", "-c", "id -un; touch /x /opt/mteval/x 2>&1; touch /data/x && echo kept"]
        said = subprocess.run([*inside, *stage.command(rights)], capture_output=True, text=True, check=False).stdout
        print(said)
        assert said.startswith("mteval\n")
        assert said.count("Permission denied") == 2
        assert said.endswith("kept\n")
        subprocess.run([*inside, *stage.command(["sh", "-c", REPORT])], check=True, timeout=SECONDS_TO_REPORT)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=SECONDS_TO_END) == 0
        print(f"ended {time.monotonic() - began:.1f} s after SIGTERM")


@contextmanager
def _ended(server: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends in any case."""
    try:
        yield server
    finally:
        server.kill()
        server.wait()


@contextmanager
def _processes(root: Path) -> Iterator[None]:
    """Let programs in a file system see the processes of this machine, as Chromium wants to."""
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", root / "proc"], check=True)


def _wait_for_health(server: subprocess.Popen[bytes], check: Sequence[str]) -> None:
    began = time.monotonic()
    while subprocess.run(check, check=False, capture_output=True).returncode:
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < began + SECONDS_TO_START, "it does not get healthy"
        time.sleep(1)
    print(f"healthy after {time.monotonic() - began:.0f} s")


def main() -> None:
    """Build and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="for the file systems, about 4 GB; it may keep a clean one")
    parser.add_argument("--bind", type=Path, nargs="*", default=[], help="files of this machine that pip needs")
    parser.add_argument("--again", action="store_true", help="start what was built there before")
    options = parser.parse_args()
    if os.getuid():
        sys.exit("Only root makes file systems with users of their own.")
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.again:
        for stage in options.folder.glob("stage-*"):
            shutil.rmtree(stage)
    run(build(ROOT / "Dockerfile", options.folder.absolute(), options.bind, options.again))


if __name__ == "__main__":
    main()
