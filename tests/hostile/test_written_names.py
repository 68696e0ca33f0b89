"""Whatever names are: what is written stays in its folder, and mteval reads the same names and texts back."""

import io
import json
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.base.errors import DataError
from mteval.cli import main
from mteval.interface.inputs import load_values
from mteval.readers.disk import Loaded
from mteval.readers.documents import InputFile
from mteval.readers.replays import read_experiment
from mteval.readers.trackers import fetched
from mteval.readers.workspace import Workspace
from mteval.render.bundle import placed, zipped
from mteval.report.history import History
from mteval.report.inputs import packed_inputs
from mteval.report.package import KINDS, Package, everything
from mteval.report.page import figures_of
from mteval.report.paper_table import LatexChoice
from mteval.values.settings import Settings
from tests.hostile.names import HOSTILE_NAMES

SETTINGS = Settings(metrics=("length",), n_bootstrap=20, n_shuffles=20)
N_SEGMENTS = 4
WITHOUT_FIGURES = [kind for kind in KINDS if kind != "figures"]
NAMES = [name for name in HOSTILE_NAMES if len(name) <= 200]
SOME = NAMES[::25]


def outputs(number: int, segments: int = N_SEGMENTS) -> list[str]:
    """Texts that differ between systems, some of which look like formulas."""
    starts = ("= the cat", "- a cat", "+ the cat", "@ cat")
    texts = []
    for segment in range(segments):
        start = starts[(segment + number) % 4]
        middle = "here " * ((number * segment) % 3)
        texts.append(f"{start} sat {middle}on {segment}")
    return texts


REFERENCES = [f"the cat sat on {segment}" for segment in range(N_SEGMENTS)]


def from_texts(names: Sequence[str], metric: str = "judge", test_set: str = "second") -> Loaded:
    """An experiment whose files are named after its systems, as programs hand them over."""
    runs = {}
    scores = {}
    for number, name in enumerate(["base", *names]):
        runs[name] = [outputs(number), outputs(number + 1)]
        scores_of_run = [segment + number / 7 for segment in range(N_SEGMENTS)]
        scores[name] = [scores_of_run, scores_of_run]
    second_test_set = {"systems": runs, "references": REFERENCES, "scores": {metric: scores}}
    return load_values(
        runs,
        REFERENCES,
        "base",
        None,
        ["doc"] * N_SEGMENTS,
        scores={metric: scores},
        test_sets={test_set: second_test_set},
    )


def from_rows(names: Sequence[str], segments: int = N_SEGMENTS) -> Loaded:
    """An experiment of one table, as somebody may send it."""
    lines = []
    for number, name in enumerate(["base", *names]):
        for run in range(3):
            for segment, text in enumerate(outputs(number + run, segments), start=1):
                row = {
                    "system": name,
                    "run": str(run),
                    "segment": str(segment),
                    "hypothesis": text,
                    "reference": f"the cat sat on {segment}",
                    "score": number + segment / 3,
                    "document": names[segment % len(names)],
                }
                lines.append(f"{json.dumps(row)}\n")
    workspace = Workspace().add([InputFile("a.jsonl", "".join(lines).encode())])
    workspace = workspace.direct("score", True).direct("a", True)
    experiment = workspace.experiment("base")
    assert experiment is not None, workspace.rejected
    return workspace.loaded(experiment)


def check_reads_back(loaded: Loaded, folder: Path) -> None:
    """The files of the experiment are below the folder, and make it again there and as an archive."""
    files = packed_inputs(loaded, SETTINGS)

    for path, content in placed(folder / "to", files).items():
        assert path.resolve().is_relative_to(folder / "to")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    again = read_experiment(folder / "to" / "experiment.toml").loaded.experiment
    assert again.digest == loaded.experiment.digest

    workspace = Workspace().add([InputFile("x.zip", zipped(files))])
    assert not workspace.rejected
    from_archive = workspace.experiment("base")
    assert from_archive is not None
    assert from_archive.digest == loaded.experiment.digest


@pytest.mark.parametrize("made", [from_texts, from_rows])
def test_an_experiment_of_all_hostile_names_reads_back_from_its_package(made, tmp_path: Path) -> None:
    one_of_each = {unicodedata.normalize("NFC", name): name for name in NAMES if name.strip()}
    names = list(one_of_each.values())

    if made is from_texts:
        check_reads_back(from_texts(names), tmp_path)
    else:
        # Three runs of all would be more columns than a table may have.
        check_reads_back(from_rows(names[::2]), tmp_path / "even")
        check_reads_back(from_rows(names[1::2]), tmp_path / "odd")


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60), min_size=1, max_size=4, unique=True))
def test_an_experiment_of_any_names_reads_back_from_its_package(tmp_path_factory, names: list[str]) -> None:
    names_of_systems = [name for name in names if name != "base"]

    check_reads_back(from_texts(names_of_systems), tmp_path_factory.mktemp("any"))


@pytest.mark.parametrize("metric", SOME)
def test_scores_and_test_sets_of_hostile_names_read_back(metric: str, tmp_path: Path) -> None:
    check_reads_back(from_texts(["new"], metric, metric), tmp_path)


PAIRS = [  # of more, figures show all together
    ("/../../../escaped/x", "x\r=1+1"),
    ("A", "a"),
    ("\ufb01", "fi"),
    ("..", "con"),
]


def reported(names: Sequence[str]) -> tuple[Loaded, Results]:
    """An experiment of systems of these names, and its results by BLEU."""
    loaded = from_rows(names, 24)
    evaluation = evaluate(loaded.experiment, replace(SETTINGS, metrics=("bleu",)), Work())
    return loaded, Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))


@pytest.mark.parametrize("names", PAIRS)
def test_every_file_of_a_report_has_a_path_of_its_own_below_the_folder(names: tuple[str, str]) -> None:
    loaded, results = reported(names)
    files = everything(results, loaded, LatexChoice(), WITHOUT_FIGURES).files
    figures = {f"figures/{name}.svg": name.encode() for name in figures_of(results)}
    assert sum("power" in path for path in figures) == len(names)
    package = Package({**files, **figures})
    assert len(package.files) == len(files) + len(figures)

    root = Path("/work/to")
    content_of_path = package.placed(root, results)

    assert all(path.resolve().is_relative_to(root) for path in content_of_path)
    # no two are one file on a system that ignores case and takes equal letters for one
    folded_paths = {unicodedata.normalize("NFKC", str(path)).casefold() for path in content_of_path}
    assert len(folded_paths) == len(content_of_path)
    with zipfile.ZipFile(io.BytesIO(package.zipped(results))) as archive:
        assert {root / name for name in archive.namelist()} == set(content_of_path)
    manifest = json.loads(content_of_path[root / "manifest.json"])
    assert {entry["path"] for entry in manifest["files"]} == set(package.files)


def files_around(folder: Path) -> set[Path]:
    """All files in and below a folder."""
    return {path for path in folder.rglob("*") if not path.is_dir()}


FEW = ["--ar-shuffles", "20", "--boot-samples", "20", "--quiet"]
ROWS = ["--files", "rows.jsonl", "--baseline", "base", "--metrics", "length", *FEW]
COMMANDS = {  # every command that writes several files, each into the folder out
    "report": ["report", *ROWS, "--to", "out", "--only", *WITHOUT_FIGURES],
    "report zip": ["report", *ROWS, "--to", "out/report.zip", "--only", "csv", "experiment"],
    "eval": ["eval", *ROWS, "--sentLevelDir", "out", "--rankDir", "out", "--csv", "out/x.csv", "--json", "out/x.json"],
    "people": ["people", "--judgements", "judged.csv", "--csv", "out", "--quiet"],
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_no_command_writes_outside_its_folder(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "deep" / "er" / "still"
    (place / "out").mkdir(parents=True)
    monkeypatch.chdir(place)
    names = ["base", "/../../../escaped/x", "x\r=1+1", "con", "a\u2028b", "=1+1", "A", "a"]
    lines = []
    for number, name in enumerate(names):
        for run in range(2):
            for segment, text in enumerate(outputs(number + run)):
                row = {
                    "system": name,
                    "run": str(run),
                    "segment": str(segment),
                    "hypothesis": text,
                    "reference": REFERENCES[segment],
                }
                lines.append(f"{json.dumps(row)}\n")
    Path("rows.jsonl").write_text("".join(lines))

    lines = ["annotator,system,segment,../adequacy\n"]
    for rater in ("../r", "r2"):
        for number, system in enumerate(("=x", "../y")):
            for segment in range(6):
                lines.append(f"{rater},{system},{segment},{(number + segment) % 5}\n")
    Path("judged.csv").write_text("".join(lines))

    files_before = files_around(tmp_path)
    assert main(COMMANDS[command]) == 0

    written_files = files_around(tmp_path) - files_before
    assert written_files
    assert all(path.is_relative_to(place / "out") for path in written_files)


class Served:
    """A run of a W&B server that chooses ID, name and files."""

    def __init__(self, key: str, file: str) -> None:
        self.id = self.name = key
        self._file = file

    def files(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=self._file, download=self._download)]

    def _download(self, root: str) -> None:
        path = Path(root, self._file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"columns": ["segment", "accuracy"], "data": [[1, 0.5]]}))


def test_no_run_of_a_server_is_written_outside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (str(tmp_path / "absolute"), *HOSTILE_NAMES)
    runs = [Served(name, "media/table/x.table.json") for name in names]
    api = SimpleNamespace(runs=lambda project, filters: runs)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(Api=lambda: api))
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)

    groups = ("team/project/base", "team/other/base", "team/x/..", "team/x/files", "team/x/systems")
    for group in groups:
        place = fetched(Path(f"wandb:{group}"), folder)
        assert place.is_relative_to(folder)
        folders_of_runs = {path.parent for path in files_around(place)}
        assert len(folders_of_runs) == len(runs)

    assert all(path.is_relative_to(folder) for path in files_around(tmp_path))
    assert len(list(folder.glob("systems/*"))) == len(groups)


@pytest.mark.parametrize("file", ["media/../../../x", "media/table/../../../../x", "media/..\\..\\..\\x", "media/\0"])
def test_files_of_a_server_that_leave_their_run_are_refused(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = SimpleNamespace(runs=lambda project, filters: [Served("seed", file)])
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(Api=lambda: api))
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(DataError, match="outside the run's folder"):
        fetched(Path("wandb:team/project/base"), tmp_path / "a" / "b")
    assert not files_around(tmp_path)


@pytest.mark.parametrize("name", ["x\r=1+1", "/../../escaped", "con", "=1", ".hidden"])
def test_a_history_keeps_files_of_any_name_in_its_folder(name: str, tmp_path: Path) -> None:
    loaded = from_texts([name])
    place = tmp_path / "deep" / "history"

    History(str(place)).accept(loaded, name, SETTINGS)

    assert all(path.is_relative_to(place) for path in files_around(tmp_path))
    history = History.at(str(place))
    experiment = history.workspace.experiment(history.baseline)
    assert experiment is not None
    assert [len(system.runs) for system in experiment.systems] == [4]


def test_the_real_unzip_gives_an_experiment_that_reads_back(tmp_path: Path) -> None:
    names = [name for name in NAMES if name.strip()]
    loaded = from_texts(names[::3])
    archive = tmp_path / "x.zip"
    archive.write_bytes(zipped(packed_inputs(loaded, SETTINGS)))

    folder = tmp_path / "unpacked"
    subprocess.run(["unzip", "-q", str(archive), "-d", str(folder)], check=True, stdin=subprocess.DEVNULL)

    experiment = read_experiment(folder / "experiment.toml").loaded.experiment
    assert experiment.digest == loaded.experiment.digest
