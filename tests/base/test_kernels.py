"""Compiled code is made anew where what it says has changed, and nowhere else."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from mteval.base.code_folder import CodeFolder
from mteval.base.kernels import code_directory, digest_of_code

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "mteval").rglob("*.py"))
KERNELS = [name for name in SOURCES if name.endswith("_kernels.py")]
ALLOWED = ("typing", "numpy", "numpy.typing", "mteval.base.arrays", "mteval.base.kernels")
DECORATORS = ("mteval.base.kernels.kernel",)

# What is compiled anew with a module: it and those that call it, or call one that does.
CALLERS = {
    "mteval/metrics/edits/distance_kernels.py": {"edits/distance", "edits/shifts", "edits/ter"},
    "mteval/metrics/edits/ter_kernels.py": {"edits/ter"},
    "mteval/base/word_kernels.py": {*("base/word", "text/text", "ngram/nist", "meteor/matches", "meteor/beam")},
    "mteval/metrics/text/text_kernels.py": {*("text/text", "ngram/nist", "meteor/matches", "meteor/beam")},
    "mteval/metrics/meteor/matches_kernels.py": {"meteor/matches", "meteor/beam"},
    "mteval/stats/stats_kernels.py": {"stats/stats"},
}

CALLED = '''
"""Called."""
from mteval.base.kernels import kernel
FACTOR = 3

@kernel
def scaled(x):
    return FACTOR * x
'''
CALLER = """
from mteval.base.kernels import kernel
from some.called_kernels import scaled

@kernel
def more(x):
    return scaled(x) + 1
"""
OTHER = '''
from mteval.base.kernels import kernel

@kernel
def less(x):
    """One less."""
    return x - 1
'''
CALLS = """
from some.caller_kernels import more
from some.other_kernels import less
print(more(1), less(1), *(sum(f.stats.cache_misses.values()) for f in (more, less)))
"""
SCORES = """
import sys
import mteval
from mteval.metrics import METRICS
from mteval.values.model import TestSet
scorer = METRICS["bleu"].configure("sacrebleu", {}).prepare(TestSet("test", (("the cat sat .",), ("a dog",))))
scorer.statistics([0, 1], ["the cat .", "a dog"])
modules = [module for name, module in sys.modules.items() if name.endswith("_kernels")]
stats = [function.stats for module in modules for function in vars(module).values() if hasattr(function, "stats")]
print(mteval.__file__, *(sum(sum(counts.values()) for counts in kind) for kind in zip(*((s[1], s[2]) for s in stats))))
"""


RESULTS = """
from some.caller_kernels import more
from some.other_kernels import less
print(more(1), more(2.5), less(1))
"""


# Importing numba and its first compilation take longer than what each test asks for: a copy of a process that has done
# both stands in for a new one.
WARM = """
import json, os, sys, traceback
import numba
from numba.core import config
numba.njit(lambda x: x + 1)(1)
print(flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    copy = os.fork()
    if copy == 0:
        for number, name in enumerate(("stdout", "stderr"), 1):
            os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.path[:0] = asked["path"]
        config.reload_config()
        status = 0
        try:
            exec(compile(asked["code"], "code", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""


running: list["subprocess.Popen[str]"] = []


@pytest.fixture(scope="module", autouse=True)
def warm() -> Iterator["subprocess.Popen[str]"]:
    """The process that is copied."""
    with subprocess.Popen([sys.executable, "-c", WARM], stdin=PIPE, stdout=PIPE, text=True) as one:
        one.stdout.readline()
        running.append(one)
        yield one
        one.stdin.close()


def run(code: str, folder: Path, **environment: str) -> list[str]:
    """What a new process prints, words of a line apart."""
    return ran(code, folder, **environment).stdout.split()


def ran(code: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A new process after its end."""
    (warm,) = running
    with TemporaryDirectory() as written:
        files = {name: str(Path(written) / name) for name in ("stdout", "stderr")}
        asked = files | {"code": code, "folder": str(folder), "path": [str(folder), str(ROOT)]}
        print(json.dumps(asked | {"environment": os.environ | environment}), file=warm.stdin, flush=True)
        status = int(warm.stdout.readline())
        done = subprocess.CompletedProcess(code, status, *(Path(name).read_text() for name in files.values()))
    done.check_returncode()
    return done


def with_other_docstrings(source: str) -> str:
    """Docstrings say something else, stand on other lines, and are there where there were none; comments likewise."""
    lines = source.splitlines()
    for node in sorted(_documented(ast.parse(source)), key=lambda node: -node.body[0].lineno):
        first = node.body[0]
        indent = " " * first.col_offset
        is_told = ast.get_docstring(node) is not None
        lines[first.lineno - 1 : first.end_lineno if is_told else first.lineno - 1] = [
            *(f'{indent}"""In other words,', "", f'{indent}on more lines."""', f"{indent}# and why")
        ]
    return "\n".join(["# a comment", *lines, ""])


def _documented(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef]:
    """Parts that a docstring can be put into; a decorated or one-line first statement is left alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if not getattr(first, "decorator_list", None) and first.lineno > getattr(node, "lineno", 0):
                yield node


def digests(root: Path) -> dict[str, str]:
    """Of all modules with compiled code below a directory."""
    return {name: digest_of_code(name.removesuffix(".py").replace("/", "."), root) for name in KERNELS}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a package of three modules, of which one calls another."""
    (tmp_path / "some").mkdir()
    for name, source in (("called", CALLED), ("caller", CALLER), ("other", OTHER)):
        (tmp_path / "some" / f"{name}_kernels.py").write_text(source)
    return tmp_path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A directory with the sources in it."""
    shutil.copytree(ROOT / "mteval", tmp_path / "mteval", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_docstrings_and_comments_change_no_digest(copy: Path) -> None:
    for name in SOURCES:
        source = (ROOT / name).read_text(encoding="utf-8")
        (copy / name).write_text(with_other_docstrings(source), encoding="utf-8")
    assert (copy / KERNELS[0]).read_text(encoding="utf-8").count("In other words") > 1
    assert digests(copy) == digests(ROOT)


@pytest.mark.parametrize("name", CALLERS)
def test_other_code_changes_the_digests_of_its_module_and_its_callers_alone(copy: Path, name: str) -> None:
    with (copy / name).open("a", encoding="utf-8") as module:
        module.write("\nMORE = 1\n")
    before, after = digests(ROOT), digests(copy)
    changed = {name for name in KERNELS if before[name] != after[name]}
    assert {"/".join(Path(name).with_suffix("").parts[-2:]).removesuffix("_kernels") for name in changed} == CALLERS[
        name
    ]


# CPython 3.11 fails where a thread parses while another is at it. Threads change places within the parser only during
# garbage collection that runs Python code, which is made to happen often and to wait until the other thread has parsed.
DIGEST_BESIDE_PARSING = """
import ast, gc, sys, threading, time
from pathlib import Path
from mteval.base.kernels import digest_of_code
parsed = 0
is_done = False
def parse_again_and_again():
    global parsed
    while not is_done:
        try:
            ast.parse("x = [f(y) for y in z]")
        except SystemError:
            pass
        parsed += 1
def let_the_other_parse(phase, info):
    before = parsed
    while threading.current_thread() is threading.main_thread() and parsed == before:
        time.sleep(0)
threading.Thread(target=parse_again_and_again, daemon=True).start()
sys.setswitchinterval(1e-4)
gc.set_threshold(100)
gc.callbacks.append(let_the_other_parse)
try:
    print(digest_of_code("MODULE", Path("ROOT")))
finally:
    gc.callbacks.clear()
    is_done = True
"""


@pytest.mark.parametrize("name", ["mteval/metrics/text/text_kernels.py", "mteval/metrics/edits/ter_kernels.py"])
def test_a_digest_made_while_another_thread_parses_is_right(name: str) -> None:
    module = name.removesuffix(".py").replace("/", ".")
    code = DIGEST_BESIDE_PARSING.replace("MODULE", module).replace("ROOT", str(ROOT))
    assert run(code, ROOT) == [digest_of_code(module, ROOT)]


@pytest.mark.parametrize(
    ("source", "is_same"),
    [
        ("import some.called_kernels as called\nx = called.scaled(1)\n", True),
        ("from some.called_kernels import scaled; x = scaled(1)\n", True),
        ("from some import (\n    called_kernels as called,  # why\n)\nx = called.scaled(1)\n", True),
        ("import some.called_kernels as called\nx = called.scaled(2)\n", False),
        ("import some.called_kernels as called\nx = called.scaled(1)\nf'{x}'\n", False),
        ("import some.called_kernels as called\nif x:\n    y = 1\nz = 1\n", False),
        ("import some.called_kernels as called\nif x:\n    y = 1\n    z = 1\n", False),
    ],
)
def test_a_digest_names_what_a_module_does_and_what_it_imports(package: Path, source: str, is_same: bool) -> None:
    caller, called = package / "some" / "caller_kernels.py", package / "some" / "called_kernels.py"

    def digest(of: str) -> str:
        """Of the module in a folder of its own: digests are made once."""
        root = Path(mkdtemp(dir=package))
        shutil.copytree(package / "some", root / "some")
        (root / "some" / "caller_kernels.py").write_text(of)
        return digest_of_code("some.caller_kernels", root)

    caller.write_text(source)
    before = digest(source)
    laid_out = source.replace("    ", "\t").replace(" = ", "  =  ").replace("\n", "  # so\n\n")
    assert digest(laid_out + "'nothing uses this'\n") == before
    first = "import some.called_kernels as called\nx = called.scaled(1)\n"
    assert (digest(first) == before) == (source == first)
    called.write_text(CALLED.replace("FACTOR = 3", "FACTOR = 13"))
    assert digest(source) != before


def test_a_copy_with_other_docstrings_uses_the_compiled_code_of_the_original(copy: Path) -> None:
    run(SCORES, ROOT)
    for name in SOURCES:
        source = (ROOT / name).read_text(encoding="utf-8")
        (copy / name).write_text(with_other_docstrings(source), encoding="utf-8")
    file, hits, misses = run(SCORES, copy)
    assert Path(file).is_relative_to(copy)
    assert int(hits) > 0
    assert int(misses) == 0


def test_only_what_changed_and_its_callers_are_compiled(package: Path) -> None:
    def calls() -> list[str]:
        return run(CALLS, package, NUMBA_CACHE_DIR=str(package / "code"))

    assert calls() == ["4", "0", "1", "1"]
    assert calls() == ["4", "0", "0", "0"]
    for name, source in (("called", CALLED), ("caller", CALLER), ("other", OTHER)):
        (package / "some" / f"{name}_kernels.py").write_text(with_other_docstrings(source))
    assert calls() == ["4", "0", "0", "0"]
    (package / "some" / "called_kernels.py").write_text(CALLED.replace("FACTOR = 3", "FACTOR = 13"))
    assert calls() == ["14", "0", "1", "0"]
    (package / "some" / "called_kernels.py").write_text(CALLED)
    assert calls() == ["4", "0", "0", "0"], "what was compiled earlier is still there"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("other.unlink()", "FileNotFoundError"),
        ("other.write_text('x = (')", "TokenError"),
        ("other.write_bytes(b'# coding: none')", "SyntaxError"),
    ],
)
def test_a_module_whose_code_cannot_be_read_is_compiled_at_every_start_and_the_others_are_kept(
    package: Path, change: str, said: str
) -> None:
    other, code = package / "some" / "other_kernels.py", package / "code"
    changed = CALLS.replace("print(", f"from pathlib import Path\nother = Path({str(other)!r})\n{change}\nprint(")
    for n_made in (1, 0):
        other.write_text(OTHER)
        done = ran(changed, package, NUMBA_CACHE_DIR=str(code))
        assert done.stdout.split() == ["4", "0", str(n_made), "1"]
        assert done.stderr.count("\n") == 1
        assert f"The code of some.other_kernels cannot be read ({said}: " in done.stderr
    assert [path.name.split("-")[0] for path in code.iterdir()] == ["some.caller_kernels"]
    other.write_text(OTHER)
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "0", "1"]


def test_few_states_of_a_module_are_kept(tmp_path: Path) -> None:
    package, code = tmp_path / "some", tmp_path / "code"
    package.mkdir()
    (package / "other_kernels.py").write_text(OTHER)
    for number in range(12):
        (code / f"some.other_kernels-{number:02}").mkdir(parents=True)
        os.utime(code / f"some.other_kernels-{number:02}", (number, number))
    (code / "some.third_kernels-00").mkdir()
    run("from some.other_kernels import less; less(1)", tmp_path, NUMBA_CACHE_DIR=str(code))
    kept = sorted(path.name for path in code.iterdir())
    assert kept[:7] == [f"some.other_kernels-{number:02}" for number in range(5, 12)]
    assert kept[7].startswith("some.other_kernels-")
    assert kept[8:] == ["some.third_kernels-00"]


def test_where_nothing_can_be_written_functions_work_all_the_same(tmp_path: Path) -> None:
    package, file = tmp_path / "some", tmp_path / "file"
    package.mkdir()
    file.touch()
    (package / "other_kernels.py").write_text(OTHER)
    assert run("from some.other_kernels import less; print(less(1))", tmp_path, NUMBA_CACHE_DIR=str(file)) == ["0"]


LITTLE_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))"


def test_on_a_full_disk_functions_work_all_the_same_and_the_next_time_too(package: Path) -> None:
    code = package / "code"
    for _ in range(2):  # an index fits, the code that it names does not
        assert run(LITTLE_ROOM + CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "1", "1"]
    assert all(path.stat().st_size <= 1_000 for path in code.rglob("*") if path.is_file())
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "1", "1"]
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "0", "0"]


def placed_file(folder: CodeFolder, name: str) -> Path:
    """Return a file in the folder where numba would write it."""
    below = folder.path / "numbas"
    below.mkdir(exist_ok=True)
    return below / name


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    """A folder of one function's machine code, and a file of another function."""
    made = CodeFolder(tmp_path / "code", "some.module", "0123")
    made.make()
    for name in ("code.less-1.py311.nbi", "code.less-1.py311.1.nbc", "code.less_more-1.py311.nbi"):
        placed_file(made, name).write_bytes(b"machine code of " + name.encode())
    made.seal("less")
    return made


def test_sealed_files_stay(folder: CodeFolder) -> None:
    folder.remove_unsealed("less")
    names = {path.name for path in folder.path.rglob("*.nb?")}
    assert names == {"code.less-1.py311.nbi", "code.less-1.py311.1.nbc", "code.less_more-1.py311.nbi"}


def test_every_damaged_file_is_removed_before_numba_reads_it(folder: CodeFolder) -> None:
    for name in ("code.less-1.py311.nbi", "code.less-1.py311.1.nbc"):
        for of in (name, f"{name}.seal"):
            path = placed_file(folder, of)
            whole = path.read_bytes()
            changes = [whole[:n] for n in range(len(whole))]
            changes += [whole[:n] + bytes([whole[n] ^ 1 << n % 8]) + whole[n + 1 :] for n in range(len(whole))]
            for changed in changes:
                path.write_bytes(changed)
                folder.remove_unsealed("less")
                assert not placed_file(folder, name).exists()
                placed_file(folder, name).write_bytes(b"machine code of " + name.encode())
                path.write_bytes(whole)
                folder.remove_unsealed("less")
                assert placed_file(folder, name).exists()


def test_a_file_without_a_seal_or_with_that_of_another_file_is_removed(folder: CodeFolder) -> None:
    index = placed_file(folder, "code.less-1.py311.nbi")
    code = placed_file(folder, "code.less-1.py311.1.nbc")
    code.write_bytes(index.read_bytes())
    placed_file(folder, f"{code.name}.seal").write_bytes(placed_file(folder, f"{index.name}.seal").read_bytes())
    placed_file(folder, f"{index.name}.seal").unlink()
    folder.remove_unsealed("less")
    assert {path.name for path in folder.path.rglob("*.nb?")} == {"code.less_more-1.py311.nbi"}


def test_one_changed_bit_in_machine_code_changes_no_number(package: Path) -> None:
    code = package / "code"
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "1", "1"]
    for path in sorted(code.rglob("*.nb?")):
        whole = path.read_bytes()
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        values = run(CALLS, package, NUMBA_CACHE_DIR=str(code))
        assert values[:2] == ["4", "0"]
        assert values[2:] in (["1", "0"], ["0", "1"])
        assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "0", "0"]


def test_where_others_may_write_nothing_is_read_since_reading_can_run_code(package: Path) -> None:
    code = package / "code"
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "1", "1"]
    code.chmod(0o777)
    done = ran(CALLS, package, NUMBA_CACHE_DIR=str(code))
    assert done.stdout.split() == ["4", "0", "1", "1"]
    assert "others may write to" in done.stderr
    code.chmod(0o700)
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "0", "0"]


UNREADABLE = """
import numba.core.caching as c
def failing(self, *given):
    raise PermissionError("not this time")
c.IndexDataCacheFile.load = failing
"""


def test_files_that_numba_cannot_read_are_named_once_and_functions_work(package: Path) -> None:
    done = ran(UNREADABLE + RESULTS, package, NUMBA_CACHE_DIR=str(package / "code"))
    assert done.stdout.split() == ["4", "8.5", "0"]
    assert done.stderr.count("\n") == 1
    assert "(PermissionError: not this time): they are compiled at every start; results do not change." in done.stderr


def test_what_was_compiled_is_found_through_a_link(package: Path) -> None:
    code = package / "code"
    link = package / "link"
    link.symlink_to(code)
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(code)) == ["4", "0", "1", "1"]
    assert run(CALLS, package, NUMBA_CACHE_DIR=str(link)) == ["4", "0", "0", "0"]


def test_another_cache_directory_of_numba_is_left_as_it_was(package: Path) -> None:
    kept = str(package / "code")
    code = RESULTS + "import numba; print(numba.config.CACHE_DIR)"
    assert run(code, package, NUMBA_CACHE_DIR=kept) == ["4", "8.5", "0", kept]


def test_the_compiler_is_told_where() -> None:
    from mteval.base.word_kernels import number_words

    assert Path(number_words.stats.cache_path).name.startswith("mteval.base.word_kernels-")
    assert code_directory().is_absolute()


def test_an_error_of_a_function_itself_is_passed_on(package: Path) -> None:
    source = OTHER.replace("return x - 1", 'raise ValueError("none is less")')
    (package / "some" / "other_kernels.py").write_text(source)
    code = "from some.other_kernels import less\ntry:\n    less(1)\nexcept ValueError as error:\n    print(error)"
    done = ran(code, package, NUMBA_CACHE_DIR=str(package / "code"))
    assert (done.stdout, done.stderr) == ("none is less\n", "")


def refused(name: str, source: str) -> list[str]:
    """What may not be imported into a module."""
    modules, names = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    if name.endswith("_kernels.py"):
        return sorted(module for module in modules if not module.endswith("_kernels") and module not in ALLOWED)
    if name == "mteval/base/kernels.py":
        return []
    return sorted(other for other in modules | names if other.split(".")[0] == "numba" or other in DECORATORS)


def test_compiled_code_and_what_it_needs_stand_in_modules_of_their_own() -> None:
    sources = {name: (ROOT / name).read_text(encoding="utf-8") for name in SOURCES}
    assert {name: refused(name, source) for name, source in sources.items() if refused(name, source)} == {}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("mteval/metrics/length.py", "from mteval.base.kernels import kernel"),
        ("mteval/metrics/length.py", "import numba"),
        ("mteval/metrics/length_kernels.py", "from mteval.metrics.base import IntArray"),
        ("mteval/metrics/length_kernels.py", "import mteval.values.settings"),
        ("mteval/metrics/length_kernels.py", "from mteval.metrics.text import words_kernels"),
    ],
)
def test_other_modules_would_be_refused(name: str, source: str) -> None:
    assert len(refused(name, source)) == 1
