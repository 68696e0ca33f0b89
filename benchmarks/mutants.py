"""Which small faults in the code do the tests miss?

Usage: ``python -m benchmarks.mutants mteval/readers --tests tests/readers`` from the root of a clone of its own, since
faults are written into the files. It prints a line per mutant.

All places where a fault fits are listed in the order of files and lines, shuffled with a seed, and tried in this order.
A first run of the tests records which lines each test reaches, and how long it takes. For each mutant only the tests
that reach its lines run, the fastest first, until one fails or the time is over.
"""

import argparse
import ast
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from coverage import CoverageData

ROOT = Path(__file__).parent.parent
SEED = 20_261_129
KILLED = "killed"
SURVIVED = "survived"
HUNG = "killed by a test that does not end"
NOT_REACHED = "not reached"
OUT_OF_TIME = "survived the tests that fit in the time"
OVER = 99  # the exit status of a run whose time is over
ON_IMPORT = ""  # the context of lines that ran before any test
QUIET = ("-n", "0", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
# Loaded once, before a process per mutant is forked; nothing of mteval is, but for what --loaded names
HEAVY = ("numba", "pandas", "scipy.stats", "sqlalchemy", "sacrebleu", "playwright.sync_api", "streamlit")
FLIPPED: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


@dataclass(frozen=True)
class Mutant:
    """A fault: a place in the code, and what replaces the text there."""

    file: str
    first_line: int
    last_line: int
    kind: str
    before: str
    after: str
    code: str  # of the whole module


@dataclass(frozen=True)
class Place:
    """Where a fault fits: the node of a module's tree, by its number, and the kind of fault."""

    path: Path
    number: int
    kind: str


def nodes(tree: ast.AST) -> list[Any]:
    """Return the nodes of a tree that have lines."""
    return [node for node in ast.walk(tree) if hasattr(node, "lineno")]


def places_of(path: Path) -> Iterator[Place]:
    """Yield all places of a module where a fault fits."""
    for number, node in enumerate(nodes(ast.parse(path.read_bytes()))):
        for kind in kinds_of(node):
            yield Place(path, number, kind)


def mutant_at(place: Place) -> Mutant:
    """Return the mutant with a fault in one place."""
    tree = ast.parse(place.path.read_bytes())
    node = nodes(tree)[place.number]
    last_line = node.end_lineno
    if isinstance(node, (ast.If, ast.While)):
        last_line = node.test.end_lineno
    before = ast.unparse(node)
    change(node, place.kind)
    return Mutant(
        str(place.path.relative_to(ROOT)),
        node.lineno,
        last_line,
        place.kind,
        before,
        ast.unparse(node),
        ast.unparse(tree),
    )


def kinds_of(node: ast.AST) -> list[str]:
    """Return the names of the faults that fit a node."""
    kinds = []
    if isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPPED:
        kinds.append("comparison")
    if isinstance(node, ast.BoolOp):
        kinds.append("and, or")
    if isinstance(node, ast.BinOp) and type(node.op) in FLIPPED:
        kinds.append("plus, minus")
    if isinstance(node, ast.Constant) and type(node.value) is int:
        kinds.append("one more")
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        kinds.append("true, false")
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        kinds.append("condition")
    if isinstance(node, ast.Call) and len(node.args) > 1 and not any(map(is_starred, node.args[:2])):
        kinds.append("arguments")
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Raise)) or (isinstance(node, ast.Expr) and is_call(node.value)):
        kinds.append("statement")
    if isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        kinds.append("result")
    return kinds


def is_starred(node: ast.AST) -> bool:
    return isinstance(node, ast.Starred)


def is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)


def is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def change(node: Any, kind: str) -> None:
    """Put a fault into a node."""
    if kind == "comparison":
        node.ops[0] = FLIPPED[type(node.ops[0])]()
    elif kind in ("and, or", "plus, minus"):
        node.op = FLIPPED[type(node.op)]()
    elif kind == "one more":
        node.value += 1
    elif kind == "true, false":
        node.value = not node.value
    elif kind == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "arguments":
        node.args[:2] = node.args[1], node.args[0]
    elif kind == "result":
        node.value = ast.Constant(None)
    else:
        assert kind == "statement"
        node.__class__ = ast.Pass
        node._fields = ()


def sampled(folder: Path, n: int, seed: int) -> Iterator[Mutant]:
    """Yield the first mutants of a folder in the order of the seed."""
    places: list[Place] = []
    for path in sorted(folder.rglob("*.py")):
        places += places_of(path)
    random.Random(seed).shuffle(places)
    for place in places[:n]:
        yield mutant_at(place)


class Stopwatch:
    """Records the processor time of each test."""

    def __init__(self) -> None:
        self.seconds_of: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds_of[item.nodeid] = time.process_time() - start


class Chosen:
    """Runs some tests only, in a given order, and ends when the time is over."""

    def __init__(self, tests: Sequence[str], seconds: float) -> None:
        self.place_of = {test: place for place, test in enumerate(tests)}
        self.seconds = seconds  # of processor time, which starts at 0 in a forked process

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.place_of]
        items.sort(key=lambda item: self.place_of[item.nodeid])

    def pytest_runtest_logfinish(self) -> None:
        if time.process_time() > self.seconds:
            pytest.exit("the time is over", returncode=OVER)


def run_forked(arguments: Sequence[str], plugin: object, seconds: float, log: Path) -> int | None:
    """Run pytest in a process of its own; its exit status, or None if it did not end in time."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        sys.dont_write_bytecode = True
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        status = int(pytest.main([*QUIET, *arguments], plugins=[plugin]))
        if isinstance(plugin, Stopwatch):
            log.with_suffix(".json").write_text(json.dumps(plugin.seconds_of), encoding="utf-8")
        sys.stdout.flush()
        os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def tests_of(mutant: Mutant, reached: CoverageData, seconds_of: dict[str, float]) -> list[str]:
    """Return the tests that reach a mutant, the fastest first; for what runs on import, those that reach its module."""
    contexts_of = reached.contexts_by_lineno(str(ROOT / mutant.file))
    contexts: set[str] = set()
    for line in range(mutant.first_line, mutant.last_line + 1):
        contexts.update(contexts_of.get(line, ()))
    if contexts == {ON_IMPORT}:
        contexts.update(*contexts_of.values())
    tests = {context.partition("|")[0] for context in contexts}
    return sorted(tests & seconds_of.keys(), key=lambda test: (seconds_of[test], test))


def outcome_of(mutant: Mutant, tests: Sequence[str], seconds: float, log: Path) -> str:
    """Return what the tests say about a mutant."""
    if not tests:
        return NOT_REACHED
    path = ROOT / mutant.file
    original = path.read_bytes()
    times = path.stat()
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    path.write_text(mutant.code, encoding="utf-8")
    try:
        status = run_forked(["-x", *files], Chosen(tests, seconds), 20 * seconds + 120, log)
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    if status is None:
        return HUNG
    return {0: SURVIVED, OVER: OUT_OF_TIME}.get(status, KILLED)


def main() -> None:
    parser = argparse.ArgumentParser(description="Which small faults in the code do the tests miss?")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60, help="of processor time per mutant")
    parser.add_argument("--loaded", nargs="*", default=[], help="modules of lower floors, loaded before the fork")
    parser.add_argument("--results", type=Path, required=True, help="folder of logs, of coverage and of the results")
    options = parser.parse_args()
    options.results.mkdir(exist_ok=True)
    for name in (*HEAVY, *options.loaded):
        import_module(name)
    inside = ".".join(options.folder.parts)
    assert not [name for name in sys.modules if name.startswith(inside)], f"--loaded has modules of {inside}"

    os.environ["COVERAGE_FILE"] = str(options.results / "coverage")
    times = options.results / "tests.json"
    if not times.is_file():
        cover = [f"--cov={options.folder}", "--cov-context=test", "--cov-report="]
        run_forked([*cover, "-m", "not long", *options.tests], Stopwatch(), 7200, times.with_suffix(".log"))
    seconds_of = json.loads(times.read_text(encoding="utf-8"))
    reached = CoverageData(os.environ["COVERAGE_FILE"])
    reached.read()

    for number, mutant in enumerate(sampled(ROOT / options.folder, options.n, SEED)):
        tests = tests_of(mutant, reached, seconds_of)
        outcome = outcome_of(mutant, tests, options.seconds, options.results / f"{number}.log")
        place = f"{mutant.file}:{mutant.first_line}"
        print(
            number,
            outcome,
            len(tests),
            place,
            mutant.kind,
            repr(mutant.before),
            repr(mutant.after),
            sep="\t",
            flush=True,
        )


if __name__ == "__main__":
    main()
