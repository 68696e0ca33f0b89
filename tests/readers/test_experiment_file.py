"""``experiment.toml``: what was written reads as it was, and what cannot be read is named by file and key."""

from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from mteval.base.errors import InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.documents import Edits, InputFile, Slot
from mteval.readers.experiment_file import describe, experiment_toml, parse_experiment
from mteval.readers.formats.text import original
from mteval.readers.formats.uploads import unpack
from mteval.readers.guesses.layout import guess
from mteval.readers.replays import experiment_among, read_experiment, slots_in_use
from mteval.report.score_tables import given_tables
from mteval.values.definitions import DEFINITIONS
from mteval.values.model import Experiment
from mteval.values.settings import Settings

FILES = {
    "ref.dev.txt": "a b\nc d\n",
    "ref.test.txt": "e f g\nh i j\n",
    "docs.test.txt": "d1\nd2\n",
    "source.test.txt": "E F G\nH I J\n",
    "old/dev.opt1.txt": "a b\nc x\n",
    "old/dev.opt2.txt": "a x\nc d\n",
    "old/test.opt1.txt": "e f g\nh i x\n",
    "old/test.opt2.txt": "e f x\nh i j\n",
    'new "one"/dev.opt1.txt': "a b\nc d\n",
    'new "one"/test.opt1.txt': "e f g\r\nh i j\r\n",
    "test.nbest": "0 ||| e f ||| x ||| 1\n1 ||| h ||| x ||| 2\n",
}
SETTINGS = Settings(
    metrics=("ter", "bleu"),
    convention="multeval",
    options={"ter": {"beam_width": 7, "case_sensitive": True}, "bleu": {"smooth_value": 0.1}},
    n_bootstrap=17,
    n_shuffles=19,
    seed=2**40,
    confidence=0.975,
    exchange_unit="segment",
)
TODAY = f"definitions = {DEFINITIONS}\n"
SMALL = """
format = 1
baseline = "a"
[settings]
metrics = ["bleu"]
seed = 3
[[test_sets]]
name = "t"
role = "test"
references = ["r.txt"]
[test_sets.systems.a]
0 = "a.txt"
"""
SCORES = """
0 = "a.txt"
[[scores]]
name = "x"
better = "lower"
files = ["f"]
"""


def written(folder: Path, files: dict[str, str | bytes]) -> tuple[Experiment, str]:
    """The experiment of the files, which are put into a folder, and its description."""
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    documents, _ = unpack([InputFile(name, content) for name, content in contents.items()])
    slots = guess(documents)
    assembly = assemble(documents, Edits(slots))
    assert assembly.experiment is not None
    used = slots_in_use(assembly.experiment, slots, assembly.problems)
    text = experiment_toml(describe(assembly.experiment, used, SETTINGS, lambda name: name))
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    return assembly.experiment, text


def test_experiment_file_round_trip(tmp_path: Path) -> None:
    experiment, _ = written(tmp_path, FILES)
    replay = read_experiment(tmp_path / "experiment.toml")
    assert replay.loaded.experiment == experiment
    assert replay.file.settings == SETTINGS
    assert [slot.file for slot in replay.loaded.slots if slot.role == "nbest"] == [str(tmp_path / "test.nbest")]


def test_ignored_files_do_not_stop_a_replay(tmp_path: Path) -> None:
    files = FILES | {"old/dev.opt3.txt": "one line\n", "ref2.dev.txt": "1\n2\n3\n", "old/test.opt3.txt": "e\n"}
    experiment, text = written(tmp_path, files)
    assert "opt3" not in text
    assert "ref2" not in text
    # Refused files are not written, so their warnings do not come back
    read_back = read_experiment(tmp_path / "experiment.toml").loaded.experiment
    assert read_back == replace(experiment, noticed=())


def test_columns_of_a_table_are_named_by_file_and_part(tmp_path: Path) -> None:
    rows = [("s", run, segment, f"{run} {segment}", "r") for run in ("1", "2") for segment in ("x", "y")]
    lines = ["system\trun\tsegment\thypothesis\treference", *("\t".join(row) for row in rows)]
    experiment, text = written(tmp_path, {"all.tsv": "\n".join(lines) + "\n"})
    assert 'file = "all.tsv"' in text
    assert read_experiment(tmp_path / "experiment.toml").loaded.experiment == experiment


def test_labels_and_scores_are_read_as_they_were(tmp_path: Path) -> None:
    lines = "".join(f"{system}\t{score}\n" for system in ("old", 'new "one"') for score in ("0.1", "-2e-7"))
    people = "system,score,judgements\nold,-1,3\nold,,\n"
    files = FILES | {"topic.test.labels": "x\ny\n", "COMET.test.seg.score": lines, "MQM.test.csv": people}
    files = {name: text for name, text in files.items() if "opt2" not in name}
    documents, _ = unpack([InputFile(name, text.encode()) for name, text in files.items()])
    slots = guess(documents)
    directions = {"COMET.test": False, "MQM.test": True}
    experiment = assemble(documents, Edits(slots, directions), None, ("bleu",)).experiment
    assert experiment is not None
    tables = given_tables(experiment.given)
    paths = {place: f"given {number}.csv" for number, place in enumerate(tables)}
    contents = files | {paths[place]: table for place, table in tables.items()}
    used = [slot for slot in slots if slot.role not in ("scores", "other")]
    contents["experiment.toml"] = experiment_toml(describe(experiment, used, SETTINGS, lambda name: name, paths))
    for name, text in contents.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    replay = read_experiment(tmp_path / "experiment.toml", reserved=("bleu",))
    assert replay.loaded.experiment == experiment
    assert experiment.test_set("test").side == {"topic.test": ("x", "y")}
    metric, mqm = replay.loaded.experiment.given
    assert [one.values for one in metric.scores] == [(0.1, -2e-7)] * 2
    assert [(one.values, one.judgements) for one in mqm.scores] == [((-1.0, None), (3, 0))]
    dropped = experiment_among(*unpack([InputFile(f"x/{name}", text.encode()) for name, text in contents.items()]))
    assert dropped is not None
    assert dropped.file is not None
    edits = replace(dropped.file.edits, slots=dropped.slots)
    assert assemble(dropped.documents, edits, experiment.baseline, ("bleu",)).experiment == experiment


def test_the_role_of_a_test_set_is_that_of_the_file_whatever_its_name(tmp_path: Path) -> None:
    _, text = written(tmp_path, FILES)
    path = tmp_path / "experiment.toml"
    path.write_text(text.replace('role = "dev"', 'role = "analysis"').replace('role = "test"', 'role = "dev"'))
    experiment = read_experiment(path).loaded.experiment
    assert {one.name: one.role for one in experiment.test_sets} == {"test": "dev", "dev": "analysis"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("seed = 3", 'seed = "3"'), r"'settings\.seed' is '3'; expected a whole number\.$"),
        (("seed = 3", "seed = true"), r"'settings\.seed' is true"),
        (("seed = 3", "sead = 3"), r"'settings\.sead' is unknown.*'settings\.seed'.*"),
        (("seed = 3", "seed = -1"), r"'settings': The seed is -1"),
        (("seed = 3", 'convention = "x"'), r"'settings\.convention' is 'x'; expected one of sacrebleu, multeval\.$"),
        (("seed = 3", "options.bleu.smooth = []"), r"'settings\.options\.bleu\.smooth' is a list"),
        (('"bleu"', "1"), r"'settings\.metrics\[1\]' is 1"),
        (("format = 1", "format = 2"), r"'format' is 2\. Expected 1"),
        (("format = 1", ""), r"'format' is missing"),
        (('baseline = "a"', ""), r"'baseline' is missing"),
        (('role = "test"', 'role = "tset"'), r"'test_sets\[1\]\.role' is 'tset'"),
        (
            ('role = "test"', 'role = "test"\nlanguages = "x"'),
            r"'test_sets\[1\]\.languages': .* are 'x'; expected the codes",
        ),
        (('["r.txt"]', '"r.txt"'), r"'test_sets\[1\]\.references' is 'r.txt'"),
        (('0 = "a.txt"', "0 = 1"), r"'test_sets\[1\]\.systems\.a\.0' is 1"),
        (('0 = "a.txt"', '0 = {file = "a"}'), r"'test_sets\[1\]\.systems\.a\.0\.part' is missing"),
        (('0 = "a.txt"', '"" = "a.txt"'), r"need names"),
        (("[[test_sets]]", "[test_sets]"), r"'test_sets' is a table"),
        (('name = "t"', "name ="), r"not valid TOML: .*line 8"),
        (('0 = "a.txt"', '0 = "a.txt"\n[[scores]]\nname = "x"\nfiles = ["f"]'), r"'scores\[1\]\.better' is missing"),
        (
            ('0 = "a.txt"', SCORES.replace("lower", "up")),
            r"'scores\[1\]\.better' is 'up'",
        ),
        (('0 = "a.txt"', SCORES.replace('["f"]', "[]")), r"'scores\[1\]\.files' is an empty list"),
        (('0 = "a.txt"', SCORES.replace('["f"]', "[1]")), r"'scores\[1\]\.files\[1\]' is 1"),
        (('0 = "a.txt"', SCORES.replace('["f"]', '[{file = "f", test_set = "u"}]')), r"test_set' is 'u'"),
        (
            ('0 = "a.txt"', SCORES + SCORES.replace('0 = "a.txt"', "")),
            r"'scores\[2\]\.name' is 'x', as for earlier scores",
        ),
    ],
)
def test_invalid_value_is_an_error_with_its_key(change: tuple[str, str], expected: str) -> None:
    with pytest.raises(InputError, match=expected) as caught:
        parse_experiment(SMALL.replace(*change), "my/experiment.toml")
    assert str(caught.value).startswith("my/experiment.toml: ")


def test_declared_languages_are_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("a\n")
    (tmp_path / "a.txt").write_text("b\n")
    text = SMALL.replace('role = "test"', 'role = "test"\nlanguages = "EN-zh_CN"')
    (tmp_path / "experiment.toml").write_text(text)
    replay = read_experiment(tmp_path / "experiment.toml")
    experiment = replay.loaded.experiment
    assert experiment.test_set("t").languages == "en-zh_CN"
    described = describe(experiment, replay.loaded.slots, SETTINGS, lambda name: name)
    assert described["test_sets"][0]["languages"] == "en-zh_CN"


def test_file_of_an_earlier_version_is_read() -> None:
    text = Path(__file__).parent.joinpath("recorded", "experiment.0.2.0.toml").read_text(encoding="utf-8")
    described = parse_experiment(text, "experiment.toml")
    edits = described.edits
    assert described.settings == Settings(
        ("bleu", "length", "ter"), n_bootstrap=20, n_shuffles=50, options={"bleu": {"lowercase": True}}, seed=7
    )
    assert (described.baseline, edits.roles, edits.directions) == ("base", {"test": "test"}, {"MQM": True})
    assert (described.made_with, len(described.changed)) == ("mteval 0.2.0", DEFINITIONS - 1)
    assert edits.slots[-2:] == (
        Slot("inputs/one/opt0.txt", "hypothesis", "one", "0"),
        Slot("scores/mqm.test.csv", "scores", name="MQM"),
    )
    assert described.keys[-2:] == ("test_sets[1].systems.one.0", "scores[1].files[1]")


def test_earlier_definitions_give_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mteval.values.definitions.MEANINGS", {1: "", 2: "", 3: "s_sel goes by documents."})
    monkeypatch.setattr("mteval.values.definitions.DEFINITIONS", 3)
    (tmp_path / "r.txt").write_text("a\n")
    (tmp_path / "a.txt").write_text("b\n")
    for text, expected in ((SMALL, 1), (f"definitions = 2\n{SMALL}", 1), (f"definitions = 3\n{SMALL}", 0)):
        (tmp_path / "experiment.toml").write_text(text)
        notes = read_experiment(tmp_path / "experiment.toml").loaded.notes
        files = [InputFile(name, (tmp_path / name).read_bytes()) for name in ("experiment.toml", "r.txt", "a.txt")]
        dropped = experiment_among(*unpack(files))
        assert dropped is not None
        for found in (notes, dropped.problems):
            assert ["s_sel goes by documents." in problem.text for problem in found] == [True] * expected


def test_later_definitions_are_an_error() -> None:
    text = f"definitions = {DEFINITIONS + 1}\nlater = true\n{SMALL}"
    with pytest.raises(InputError, match=r"^experiment\.toml: It was written by a newer mteval"):
        parse_experiment(text, "experiment.toml")


def test_duplicate_test_set_name_is_an_error() -> None:
    second = SMALL[SMALL.index("[[test_sets]]") :]
    with pytest.raises(InputError, match=r"'test_sets\[2\]\.name' is 't', as for an earlier test set"):
        parse_experiment(SMALL + second, "experiment.toml")


def test_missing_file_is_an_error_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(SMALL)
    with pytest.raises(InputError, match=r"'test_sets\[1\]\.references\[1\]' is 'r\.txt', but .* does not exist"):
        read_experiment(tmp_path / "experiment.toml")


def test_what_is_no_experiment_file_is_named_as_what_it_is(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("system,segment,score\nA,1,0.5\n")
    instead = r".* use mteval eval --files, or in Python mteval\.compare or mteval\.compare_scores\."
    with pytest.raises(InputError, match=rf"This is a folder without an experiment\.toml\. {instead}"):
        read_experiment(tmp_path)
    with pytest.raises(InputError, match=f"which describes files and settings. {instead}"):
        read_experiment(table)
    with ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("run.txt", "a\n")
    with pytest.raises(InputError, match=rf"This is an archive without an experiment\.toml\. {instead}"):
        read_experiment(tmp_path / "runs.zip")

    (tmp_path / "experiment.toml").write_text(SMALL)
    with pytest.raises(InputError, match=r"This is a folder\. Name the experiment\.toml in it\.$"):
        read_experiment(tmp_path)
    (tmp_path / "copy.txt").write_text(f"{SMALL}\n=")
    with pytest.raises(InputError, match="not valid TOML"):
        read_experiment(tmp_path / "copy.txt")


def test_files_that_do_not_fit_stop_the_replay(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(SMALL)
    (tmp_path / "r.txt").write_text("one\ntwo\n")
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(InputError, match=r"a\.txt"):
        read_experiment(tmp_path / "experiment.toml")


@pytest.mark.parametrize(
    "content",
    [
        b"a\nb\n",
        b"a\r\nb\r\n",
        b"a\r\r\nb\n",
        b"\xef\xbb\xbf\xef\xbb\xbfa\nb",
        "a\u2028b\n\n\u0085\n".encode(),
        b"0 ||| a ||| f ||| 1\n0 ||| b ||| f ||| 2\n",
        b"system\trun\thypothesis\treference\ns\t1\ta\tb\n",
        b'{"system": "s", "run": "1", "hypothesis": "a", "reference": "b"}\n',
    ],
)
def test_a_document_gives_a_file_that_is_read_as_the_same_document(content: bytes) -> None:
    (document,), _ = unpack([InputFile("name.txt", content)])
    (again,), _ = unpack([InputFile("name.txt", original(document))])
    assert replace(again, original=b"") == replace(document, original=b"")


def test_dropped_experiment_ignores_other_files() -> None:
    uploads = {
        "x/experiment.toml": TODAY + SMALL,
        "x/r.txt": "a\n",
        "x/a.txt": "a\n",
        "x/table.csv": "no\n",
        "y.txt": "z\n",
    }
    documents, problems = unpack([InputFile(name, text.encode()) for name, text in uploads.items()])
    dropped = experiment_among(documents, problems)
    assert dropped is not None
    assert dropped.problems == ()
    assert [one.name for one in dropped.documents] == ["x/r.txt", "x/a.txt"]
    assert [(slot.file, slot.role) for slot in dropped.slots] == [("x/r.txt", "reference"), ("x/a.txt", "hypothesis")]


def test_dropped_experiment_reports_missing_and_unreadable_files() -> None:
    uploads = {"experiment.toml": (TODAY + SMALL).encode(), "a.txt": b"\xff\xff"}
    dropped = experiment_among(*unpack([InputFile(name, content) for name, content in uploads.items()]))
    assert dropped is not None
    first, second = dropped.problems
    assert "'r.txt', which was not dropped with it" in first.text
    assert "not valid UTF-8" in second.text


def test_several_dropped_experiments_are_an_error() -> None:
    uploads = [InputFile(name, SMALL.encode()) for name in ("a/experiment.toml", "b/experiment.toml")]
    dropped = experiment_among(*unpack(uploads))
    assert dropped is not None
    assert dropped.file is None
    assert "a/experiment.toml, b/experiment.toml." in dropped.problems[0].text


def test_the_example_of_the_documentation_can_be_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "experiment-file.md").read_text(encoding="utf-8")
    described = parse_experiment(page.split("```toml\n")[1].split("```")[0], "experiment.toml")
    assert [slot.stream for slot in described.edits.slots if slot.system == "new"] == ["new 1", "", ""]
    assert described.settings.options == {"bleu": {"lowercase": True}}
