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
NAMES = [name for name in HOSTILE_NAMES if len(name) <= 200]
SOME = NAMES[::25]


def outputs(number: int, segments: int = N_SEGMENTS) -> list[str]:
    """Texts that differ between systems, some of which look like formulas."""
    starts = ("= the cat", "- a cat", "+ the cat", "@ cat")
    return [
        f"{starts[(segment + number) % 4]} sat {'here ' * ((number * segment) % 3)}on {segment}"
        for segment in range(segments)
    ]


REFERENCES = [f"the cat sat on {segment}" for segment in range(N_SEGMENTS)]


def from_texts(names: Sequence[str], metric: str = "judge", test_set: str = "second") -> Loaded:
    """An experiment whose files are named after its systems, as programs hand them over."""
    runs = {name: [outputs(number), outputs(number + 1)] for number, name in enumerate(["base", *names])}
    scores = {name: [[run + number / 7 for run in range(N_SEGMENTS)]] * 2 for number, name in enumerate(runs)}
    more = {"systems": runs, "references": REFERENCES, "scores": {metric: scores}}
    return load_values(
        runs, REFERENCES, "base", None, ["doc"] * N_SEGMENTS, scores={metric: scores}, test_sets={test_set: more}
    )


def from_rows(names: Sequence[str], segments: int = N_SEGMENTS) -> Loaded:
    """An experiment of one table, as somebody may send it."""
    rows = [
        {
            "system": name,
            "run": run,
            "segment": str(segment),
            "hypothesis": text,
            "reference": f"the cat sat on {segment}",
        }
        | {"score": number + segment / 3, "document": names[segment % len(names)]}
        for number, name in enumerate(["base", *names])
        for run in ("0", "1", "2")
        for segment, text in enumerate(outputs(number + int(run), segments), start=1)
    ]
    workspace = Workspace().add([InputFile("a.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows).encode())])
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
    dropped = Workspace().add([InputFile("x.zip", zipped(files))])
    assert not dropped.rejected
    assert dropped.experiment("base") is not None
    assert dropped.experiment("base").digest == loaded.experiment.digest  # type: ignore[union-attr]


@pytest.mark.parametrize("made", [from_texts, from_rows])
def test_an_experiment_of_all_hostile_names_reads_back_from_its_package(made, tmp_path: Path) -> None:
    names = [name for name in NAMES if name.strip()]
    # Three runs of all would be more columns than a table may have.
    parts = [names] if made is from_texts else [names[::2], names[1::2]]
    for number, part in enumerate(parts):
        check_reads_back(made(part), tmp_path / str(number))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60), min_size=1, max_size=4, unique=True))
def test_an_experiment_of_any_names_reads_back_from_its_package(tmp_path_factory, names: list[str]) -> None:
    check_reads_back(from_texts([name for name in names if name != "base"]), tmp_path_factory.mktemp("any"))


@pytest.mark.parametrize("metric", SOME)
def test_scores_and_test_sets_of_hostile_names_read_back(metric: str, tmp_path: Path) -> None:
    check_reads_back(from_texts(["new"], metric, metric), tmp_path)


PAIRS = [
    ("/../../../escaped/x", "x\r=1+1"),
    ("A", "a"),
    ("e\u0301", "\xe9"),
    ("..", "con"),
]  # of more, figures show all together


def reported(names: Sequence[str]) -> tuple[Loaded, Results]:
    loaded = from_rows(names, 24)
    evaluation = evaluate(loaded.experiment, replace(SETTINGS, metrics=("bleu",)), Work())
    return loaded, Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))


@pytest.mark.parametrize("names", PAIRS)
def test_every_file_of_a_report_has_a_path_of_its_own_below_the_folder(names: tuple[str, str]) -> None:
    loaded, found = reported(names)
    package = everything(found, loaded, LatexChoice(), [kind for kind in KINDS if kind != "figures"])
    drawn = {f"figures/{name}.svg": name.encode() for name in figures_of(found)}
    assert sum("power" in name for name in drawn) == len(names)
    whole = Package({**package.files, **drawn})
    assert len(whole.files) == len(package.files) + len(drawn)
    root = Path("/work/to")
    written = whole.placed(root, found)
    assert all(path.resolve().is_relative_to(root) for path in written)
    assert len({unicodedata.normalize("NFKC", str(path)).casefold() for path in written}) == len(written)
    with zipfile.ZipFile(io.BytesIO(whole.zipped(found))) as archive:
        assert {root / name for name in archive.namelist()} == {*written}
    listed = json.loads(written[root / "manifest.json"])["files"]
    assert {entry["path"] for entry in listed} == {*whole.files}


def files_around(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_dir()}


FEW = ["--ar-shuffles", "20", "--boot-samples", "20", "--quiet"]
ROWS = ["--files", "rows.jsonl", "--baseline", "base", "--metrics", "length", *FEW]
COMMANDS = {  # every command that writes several files, each into the folder out
    "report": ["report", *ROWS, "--to", "out", "--only", *(kind for kind in KINDS if kind != "figures")],
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
    rows = [
        {"system": name, "run": run, "segment": str(segment), "hypothesis": text, "reference": REFERENCES[segment]}
        for number, name in enumerate(names)
        for run in ("0", "1")
        for segment, text in enumerate(outputs(number + int(run)))
    ]
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    judged = [
        f"{rater},{system},{segment},{(number + segment) % 5}"
        for rater in ("../r", "r2")
        for number, system in enumerate(("=x", "../y"))
        for segment in range(6)
    ]
    Path("judged.csv").write_text("\n".join(["annotator,system,segment,../adequacy", *judged]) + "\n")
    before = files_around(tmp_path)
    assert main(COMMANDS[command]) == 0
    written = files_around(tmp_path) - before
    assert written
    assert all(path.is_relative_to(place / "out") for path in written)


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
    served = [Served(name, "media/table/x.table.json") for name in (str(tmp_path / "absolute"), *HOSTILE_NAMES)]
    api = SimpleNamespace(runs=lambda project, filters: served)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(Api=lambda: api))
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    for group in ("team/project/base", "team/other/base", "team/x/..", "team/x/files", "team/x/systems"):
        place = fetched(Path(f"wandb:{group}"), folder)
        assert place.is_relative_to(folder)
        assert len({path.parent for path in files_around(place)}) == len(served)
    assert all(path.is_relative_to(folder) for path in files_around(tmp_path))
    assert len({*folder.glob("systems/*")}) == 5


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
    kept = History.at(str(place))
    experiment = kept.workspace.experiment(kept.baseline)
    assert experiment is not None
    assert [len(system.runs) for system in experiment.systems] == [4]


def test_the_real_unzip_gives_an_experiment_that_reads_back(tmp_path: Path) -> None:
    loaded = from_texts([name for name in NAMES if name.strip()][::3])
    archive = tmp_path / "x.zip"
    archive.write_bytes(zipped(packed_inputs(loaded, SETTINGS)))
    subprocess.run(["unzip", "-q", str(archive), "-d", str(tmp_path / "here")], check=True, stdin=subprocess.DEVNULL)
    assert read_experiment(tmp_path / "here" / "experiment.toml").loaded.experiment.digest == loaded.experiment.digest
