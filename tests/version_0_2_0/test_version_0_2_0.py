"""Later versions find all that version 0.2.0 saved, and print what it printed.

The oracle is ``recorded/expected.json``, what version 0.2.0 found in its own files, and the texts in ``record.py``.
"""

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy.engine import URL

from mteval.analysis import gates
from mteval.annotations import campaigns, from_json, open_store, to_json
from mteval.cli import main
from mteval.readers import experiment_file
from mteval.render import frames
from mteval.report import kept_numbers
from mteval.stats.procedures.randomization import ExchangeBeyond
from mteval.values import definitions
from tests.comparing import assert_same
from tests.golden import CHANGING
from tests.version_0_2_0 import (
    ANNOTATIONS,
    CAMPAIGNS,
    COMMANDS,
    EXAMINED,
    EXPECTED,
    GATE,
    HISTORY,
    INPUTS,
    JUDGE,
    JUDGEMENTS,
    LIBRARY,
    OUTPUTS,
    PACKAGE,
    PLAN,
)
from tests.version_0_2_0.reading import (
    downloads_of,
    in_annotations,
    in_downloads,
    in_dropped,
    in_history,
    in_library,
    in_package,
    unlike,
    unpack,
)

RECORDED_DEFINITIONS = 6
# What version 0.2.0 did not say yet: what each input file was read as
FILES = re.compile(r',\n "files": \[.*?\n \]', re.DOTALL)
# Nor how often people agree with a difference, and why an interval of judgements is missing
LATER_COLUMNS = re.compile(
    r'\n +"share_of_pairs": (?:null|[\d.]+),'
    r'|,\n +"note": "[^"]*"(?=\n)'
    r'|\n +"p_adjusted": [^\n]+(?=\n +"is_better")'  # of human judgements
    r'|(?:,\n +"(?:s_run|p_both|p_both_adjusted)": [^\n,]+)+(?=\n +\})'  # the old names, after the new ones
)
# Gates warned about test sets that they did not test
UNTESTED = re.compile(r',\n  \{\n   "code": [^{}]*"test_set": "dev",[^{}]*\}')
REWORDED = {  # sentences and columns of now, as they were then
    '"s_opt":': '"s_run":',
    r"$s_{\text{opt}}$": r"$s_{\text{test}}$",
    "SD (training), s_opt:": "SD (training), s_test:",
    # Three decimals everywhere
    "+50.19, p = 0.001)": "+50.19, p = 0.0013)",
    "it is 0.099 with a Monte Carlo error of 0.03.": "it is 0.0990 with a Monte Carlo error of 0.0299.",
    # A sentence that was missing
    "Agreement of annotators is Krippendorff's alpha (raw and standardised by annotator).\n": "",
    '"p_run":': '"p_both":',
    '"p_run_adjusted":': '"p_both_adjusted":',
    "Use more shuffles to reduce it.": "Use more.",
    "Judgements of adequacy were": "Ratings (not error weights) were",
    # Marks that the table does not have
    r"difference from base. Bold: best mean.": (
        r"difference from base. $^{\dagger}$: test-set luck ruled out; $^{\ddagger}$: both (10\%). Bold: best mean."
    ),
    # The test of all pairs by human judgements that is the default now; rank-sum is there by name
    "(Approximate randomization over documents": "with the Wilcoxon rank-sum test over judgements",
    ", adjusted for all pairs (max-T over shared shuffles))": ", unadjusted (Graham et al., 2014)",
}
VERSION = re.compile(r"mteval \d[\w.]*|\d{4}-\d\d-\d\dT[\d:.+]+")


@pytest.fixture(autouse=True)
def _definitions_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read by the definitions of then: numbers by earlier ones are not shown, which other tests cover."""
    for module in (definitions, kept_numbers, experiment_file, frames, campaigns):
        monkeypatch.setattr(module, "DEFINITIONS", RECORDED_DEFINITIONS)
    # A gate did not exchange units then
    monkeypatch.setattr(gates, "exchange_beyond", lambda *_: ExchangeBeyond(0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads(EXPECTED.read_text(encoding="utf-8"))


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the inputs, the package and what was printed, in which commands start."""
    shutil.copytree(INPUTS, tmp_path / "inputs")
    shutil.copytree(OUTPUTS, tmp_path / "outputs")
    unpack(PACKAGE, tmp_path / "package")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_versions(text: str) -> str:
    text = LATER_COLUMNS.sub("", FILES.sub("", text))
    for now, then in REWORDED.items():
        text = text.replace(now, then)
    return VERSION.sub("VERSION", CHANGING.sub("VERSIONS", text))


def with_columns_of(recorded: str, table: str) -> str:
    """The columns of a table that a recorded one has, too."""
    header = next(csv.reader(io.StringIO(recorded)))
    rows = []
    for row in csv.DictReader(io.StringIO(table)):
        rows.append(",".join(row[column] for column in header))
    return "\n".join([",".join(header), *rows])


def test_library_has_all_experiments_with_texts_numbers_states_and_rights(tmp_path: Path, expected: Any) -> None:
    unpack(LIBRARY, tmp_path / "library")
    assert list(unlike(expected["library"], in_library(tmp_path / "library"))) == []


def test_annotation_database_has_all_campaigns_answers_marks_and_links(tmp_path: Path, expected: Any) -> None:
    unpack(ANNOTATIONS, tmp_path)
    assert list(unlike(expected["annotations"], in_annotations(tmp_path / "annotations.sqlite"))) == []


def test_downloads_of_campaigns_are_read_back(expected: Any) -> None:
    assert list(unlike(expected["downloads"], dict(in_downloads()))) == []


def test_campaign_files_are_read_and_written_back_whole() -> None:
    with ZipFile(CAMPAIGNS) as archive:
        files = [name for name in archive.namelist() if Path(name).name.count(".") == 1 and name.endswith(".json")]
        assert len(files) == 7
        for name in files:
            text = archive.read(name).decode()
            assert json.loads(to_json(*from_json(text, name))) == json.loads(text)


def test_downloads_of_recorded_campaigns_are_the_same_bytes(tmp_path: Path) -> None:
    unpack(ANNOTATIONS, tmp_path)
    with closing(open_store(URL.create("sqlite", database=str(tmp_path / "annotations.sqlite")))) as store:
        found = dict(downloads_of(store))
    # Tables with outputs of the same text tell since which judgements nobody gave, in a column after those of before
    name = "contrastive/campaign-contrastive.csv"
    assert found[name].partition(b"\n")[0].rstrip().endswith(b",automatic")
    found[name] = re.sub(rb",(automatic|[01])(?=\r?$)", b"", found[name], flags=re.MULTILINE)
    with ZipFile(CAMPAIGNS) as archive:
        recorded = {name: archive.read(name) for name in archive.namelist()}
    assert {name: found.get(name) == content for name, content in recorded.items()} == dict.fromkeys(recorded, True)


def test_experiment_file_with_its_inputs_is_read_from_a_folder_and_an_archive(unpacked: Path, expected: Any) -> None:
    assert list(unlike(expected["package"], in_package(unpacked / "package" / "experiment.toml"))) == []
    assert list(unlike(expected["dropped"], in_dropped(PACKAGE))) == []


def test_history_of_a_gate_is_read(expected: Any) -> None:
    assert list(unlike(expected["history"], in_history(HISTORY))) == []


def test_recorded_texts_and_scores_are_those_that_went_in(expected: Any) -> None:
    whole = expected["library"]["experiments"]["Whole — “with” <everything>"]
    files = {path.relative_to(INPUTS).as_posix(): path.read_text(encoding="utf-8") for path in _files(INPUTS)}
    assert whole["files"] == files
    experiment = whole["opened"]["experiment"]
    for test_set, folder in (("test", ""), ("dev", "dev/")):
        (read,) = [one for one in experiment["test sets"] if one["name"] == test_set]
        assert [one for (one,) in read["references"]] == files[f"{folder}refs.txt"].splitlines()
        for run in read["runs"]:
            assert run["hypotheses"] == files[f"{folder}{run['system']}/opt{run['run']}.txt"].splitlines()
    (oracle,) = experiment["given"]
    rows = [line.split(",") for line in files["Oracle.csv"].splitlines()[1:]]
    scores = {(one["system"], one["run"]): one["values"] for one in oracle["scores"]}
    for system, run, segment, score in rows:
        assert scores[system, run][int(segment) - 1] == (float(score) if score else None)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_version_0_2_0_printed(
    name: str, unpacked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = list(COMMANDS[name])
    if words[0] == "people":
        words += ["--gold", "rank-sum", "--gold-unit", "judgement"]  # the defaults of then
    assert main(words) != 2
    recorded = (OUTPUTS / name).read_text(encoding="utf-8")
    if words[0] == "gate":
        recorded = UNTESTED.sub("", recorded)
    assert_same(without_versions(capsys.readouterr().out), without_versions(recorded))


def test_recomputing_gives_the_numbers_of_the_report(unpacked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *EXAMINED]) == 0
    recorded = (unpacked / "package" / "numbers.json").read_text(encoding="utf-8")
    assert_same(without_versions(capsys.readouterr().out), without_versions(recorded))


def test_frozen_plan_is_the_same(unpacked: Path) -> None:
    assert main([*PLAN, "--freeze", "plan.toml"]) == 0
    then, now = (path.read_text(encoding="utf-8") for path in (OUTPUTS / "plan.toml", unpacked / "plan.toml"))
    digest = re.compile('digest = "[0-9a-f]{64}"')  # of everything, the time included
    assert without_versions(digest.sub("", now)) == without_versions(digest.sub("", then))


def test_report_of_recorded_experiment_has_the_same_files(unpacked: Path) -> None:
    kinds = ("experiment", "json", "csv", "latex", "methods")
    assert main(["report", "package/experiment.toml", "--to", "again.zip", "--only", *kinds, "--threads", "1"]) == 0
    with ZipFile(PACKAGE) as recorded, ZipFile("again.zip") as again:
        assert set(again.namelist()) == {*recorded.namelist(), "references.bib"}  # which is new
        # The manifest has digests of files with versions. The default test of judgements is another one now
        changed = {"manifest.json", "people.json", "people/gold.csv"}
        for name in set(recorded.namelist()) - changed:
            then, now = (without_versions(archive.read(name).decode()) for archive in (recorded, again))
            if name.endswith(".csv"):
                now = with_columns_of(then, now)
                then = with_columns_of(then, then)
            assert_same(now, then, name)


def test_gate_begins_and_continues_a_history_as_before(unpacked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [f"inputs/base/opt{run}.txt" for run in range(3)]
    first = (*GATE, "--refs", "inputs/refs.txt", "--baseline", *runs, "--candidate", "inputs/new/opt0.txt")
    assert main([*first, "--history", "history/"]) == 0
    recorded = (OUTPUTS / "gate-first.json").read_text(encoding="utf-8")
    assert_same(without_versions(capsys.readouterr().out), without_versions(recorded))
    kept = {path.relative_to(HISTORY): without_versions(path.read_text(encoding="utf-8")) for path in _files(HISTORY)}
    made = unpacked / "history"
    assert {path.relative_to(made): without_versions(path.read_text(encoding="utf-8")) for path in _files(made)} == kept

    shutil.rmtree(made)
    shutil.copytree(HISTORY, made)
    assert main([*GATE, "--candidate", "inputs/new/opt1.txt", "--history", "history/"]) == 0
    recorded = (OUTPUTS / "gate-second.json").read_text(encoding="utf-8")
    assert_same(without_versions(capsys.readouterr().out), without_versions(recorded))


def test_answers_of_a_judge_that_may_have_been_misread_are_asked_for_again(
    unpacked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (unpacked / "cache").mkdir()
    shutil.copy(JUDGEMENTS, unpacked / "cache" / "judgements.sqlite")
    monkeypatch.setenv("MTEVAL_CACHE", "cache")
    recorded = (OUTPUTS / "judge.json").read_text(encoding="utf-8")
    host = re.search(r"\|host:([^|]+)", recorded)  # where a judge answered then
    assert host is not None
    monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@http://{host[1]}/v1")
    assert main(list(JUDGE)) == 2  # nobody answers there any more, and what was read then is not served
    assert capsys.readouterr().out == ""
