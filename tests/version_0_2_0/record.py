"""How the files in ``recorded`` were made: ``python -m tests.version_0_2_0.record``, with version 0.2.0 of the program.

It documents what is in them, and need not run with later versions.
"""

import io
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from sqlalchemy.engine import URL

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.annotations import (
    AnnotationStore,
    Answer,
    Campaign,
    Category,
    Control,
    Output,
    Plan,
    SaidMark,
    Sampled,
    Task,
    Typology,
    deal_tasks,
    merged,
    open_store,
    prefilled,
    with_controls,
)
from mteval.annotations.database import backup
from mteval.cli import main
from mteval.library import Content, Library
from mteval.metrics import METRICS
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from mteval.render.bundle import zipped
from mteval.report.kept_experiment import Bookmarks, Card, Made, content_of
from mteval.values.asker import OPERATOR, Asker
from mteval.values.notes import NotedError
from mteval.values.settings import Settings
from tests.judge_endpoint import of_its_own, serving
from tests.version_0_2_0 import (
    ANNOTATIONS,
    CAMPAIGNS,
    COMMANDS,
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
    RECORDED,
)
from tests.version_0_2_0.reading import downloads_of, found_in_all

ANN, BEN, CLEO = Asker("ann", name="Ann"), Asker("ben"), Asker("cleo")
SOURCE = (
    "Der schnelle Fuchs springt über den faulen Hund .",
    "Es regnet auf jedem Dach der alten Stadt .",
    "Die Katze sitzt auf der Matte und schläft .",
    "Wir fahren morgen mit dem Zug nach Wien .",
    "Sie fragte , ob das Café noch offen sei .",
    "Der Preis stieg um 3,5 % auf 1.200 € .",
    "„ Nein “ , sagte er und schloss die Tür .",
    "Am Abend spielten die Kinder im Garten 🙂 .",
)
REFERENCES = (
    "The quick fox jumps over the lazy dog .",
    "It is raining on every roof of the old town .",
    "The cat is sitting on the mat and sleeping .",
    "Tomorrow we are taking the train to Vienna .",
    "She asked whether the café was still open .",
    "The price rose by 3.5 % to € 1,200 .",
    '" No , " he said and closed the door .',
    "In the evening the children played in the garden 🙂 .",
)
DOCUMENTS = ("news#1", "news#1", "news#1", "talk", "talk", "chat", "chat", "chat")
LABELS = ("animals", "weather", "animals", "travel", "travel", "money", "talk", "people")


DEV_REFERENCES = (
    "The garden is green .",
    "My train is late again today .",
    "He bought three books and a map .",
    "The old bridge was closed for a week .",
    "Nobody knew the answer to the last question .",
)


def output(every: int, start: int, references: Sequence[str] = REFERENCES) -> list[str]:
    """Return the references without every n-th word, as a system that leaves out words."""
    lines = []
    for place, reference in enumerate(references):
        words = reference.split()
        kept = [word for number, word in enumerate(words) if (number + place + start) % every]
        lines.append(" ".join(kept))
    return lines


def write_inputs() -> None:
    """Write the files of an experiment: texts, labels, scores of a metric, judgements and an n-best list."""
    texts: dict[str, Sequence[str]] = {
        "refs.txt": REFERENCES, "source.txt": SOURCE, "documents.txt": DOCUMENTS, "topic.labels": LABELS,
        "dev/refs.txt": DEV_REFERENCES,
    }  # fmt: skip
    for system, every in (("base", 4), ("new", 6)):
        for run in range(3):
            texts[f"{system}/opt{run}.txt"] = output(every, run)
            texts[f"dev/{system}/opt{run}.txt"] = output(every, run + 1, DEV_REFERENCES)
    scores = ["system,run,segment,score"]
    people = ["annotator,system,segment,adequacy"]
    for system, every in (("base", 4), ("new", 6)):
        for run in range(3):
            for segment in range(len(REFERENCES)):
                score = 0.5 + every / 20 + (segment * 7 + run * 3) % 10 / 100
                missing = system == "base" and run == 2 and segment == 7
                scores.append(f"{system},{run},{segment + 1},{'' if missing else score}")
        for annotator, shift in (("ann", 0), ("Bén <b>", 4), ("gpt-1", 1)):
            for segment in range(len(REFERENCES)):
                people.append(f"{annotator},{system},{segment + 1},{50 + 4 * every + (segment * 5 + shift) % 13}")
    texts["Oracle.csv"] = scores
    texts["people.csv"] = people
    texts["list.nbest"] = [
        f"{segment} ||| {line} ||| lm= -{place}.5 ||| -{place}.25"
        for segment, reference in enumerate(REFERENCES)
        for place, line in enumerate((reference, reference.replace("the ", ""), reference.lower()[:20]))
    ]
    for name, lines in texts.items():
        path = INPUTS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


SETTINGS = Settings(
    metrics=("bleu", "ter", "oracle"),
    options={"bleu": {"lowercase": True}},
    n_bootstrap=40,
    n_shuffles=100,
    seed=7,
    run_word="training seed",
    confidence=0.9,
)
NOTES = (
    NotedError("n1", "test", "base", "0", 0, output(4, 0)[0], 0, 5, "Accuracy/Omission", "major", "a word is lost"),
    NotedError("n2", "test", "new", "1", 6, output(6, 1)[6], 2, 4, "Fluency/Punctuation", "minor"),
)


def whole_workspace() -> Workspace:
    """Return the input files as a visitor's, with edits: a label, a direction, an output that is left out."""
    files = [InputFile(path.relative_to(INPUTS).as_posix(), path.read_bytes()) for path in sorted(INPUTS.rglob("*.*"))]
    workspace = Workspace(reserved=frozenset(METRICS)).add(files)
    rows = {slot.file: row for row, slot in enumerate(workspace.slots)}
    edits: dict[int, dict[str, Any]] = {
        rows["topic.labels"]: {"role": "labels", "name": "topic"},
        rows["documents.txt"]: {"role": "documents"},
        rows["Oracle.csv"]: {"role": "scores", "name": "Oracle"},
    }
    for file, row in rows.items():
        if file.startswith("dev/"):
            edits[row] = {"test_set": "dev"}
    for file in ("dev/base", "dev/new"):
        for run in range(3):
            row = rows[f"{file}/opt{run}.txt"]
            edits[row] |= {"role": "hypothesis", "system": file.removeprefix("dev/"), "run": str(run)}
    workspace = workspace.edit(edits).direct("Oracle", True)
    return workspace.declare("test", "de-en")


def record_library(directory: Path) -> None:
    """Make a library of three experiments: a whole one, one without outputs, and one that is being computed."""
    library = Library(directory, 1 << 30)
    workspace = whole_workspace()
    experiment = workspace.experiment("base")
    assert experiment is not None, workspace.assembly.problems
    results = Results(experiment, evaluate(experiment, SETTINGS, Work()), reported_test_set(experiment))
    made = Made(
        workspace.edits, SETTINGS, "base", "bleu", (Card(("base", "new"), (2, 2), "test", 8, "BLEU"),),
        (Bookmarks("test", (0, 6), {"7": "quotes"}),), NOTES, True,
    )  # fmt: skip
    whole = library.add(content_of(workspace, made, results), "Whole — “with” <everything>", ANN)
    library.label(whole.uid, ANN, note="kept by 0.2.0", pin=True, tags="paper, wmt")
    library.redeem(whole.editor, BEN)
    library.redeem(whole.reader, CLEO)
    changed = replace(made, settings=replace(SETTINGS, seed=8))
    library.change(whole.uid, content_of(workspace, changed, None, with_files=False), BEN)
    library.change(whole.uid, content_of(workspace, made, results, with_files=False), ANN)

    references = Workspace().add([InputFile("refs.txt", (INPUTS / "refs.txt").read_bytes())])
    incomplete = library.add(content_of(references, Made(references.edits, None, None), None), "references only", BEN)
    library.redeem(incomplete.reader, CLEO)
    library.replace_link(incomplete.uid, BEN, is_reader=True, until=time.time() + 100 * 365 * 86_400)
    library.replace_link(incomplete.uid, BEN, is_reader=False, until=time.time() - 1)

    # As the dashboard saves it while numbers are being computed: without any, to be completed later.
    computing = Made(workspace.edits, replace(SETTINGS, metrics=("bleu", "chrf")), None)
    started = content_of(workspace, computing, None)
    library.add(Content(started.made, started.card, started.files, b""), "being computed", ANN)
    library.end_sign_in(Asker("cleo", sign_in="first"))
    assert library.check() == ()


OUTPUTS_READ = tuple(
    Output(system, f"opt{run}", tuple(output(every, run)))
    for system, every, run in (("base", 4, 0), ("new", 6, 0), ("best", 9, 1), ("copy", 9, 1))
)
TYPOLOGY = Typology((Category("Accuracy/Omission"), Category("Other", 0.5, 2.0, 10.0), Category("Stil – ganz eigen")))
PRACTICE = (
    Control("training", SOURCE[2], "The dog is sitting on the mat .", 4, 7, "major", 10.0, 60.5, "A cat is no dog."),
)


def campaign(name: str, way: Any, number: int, n_outputs: int, plan: Plan, **more: Any) -> Campaign:
    """Return a campaign on the first outputs."""
    return Campaign(
        uid=f"{number:032x}", name=name, way=way, test_set="test", test_set_digest="d" * 32,
        outputs=OUTPUTS_READ[:n_outputs], references=tuple((one,) for one in REFERENCES), source=SOURCE,
        documents=DOCUMENTS, plan=plan, created_at=f"2026-01-0{number}T10:00:00.000+00:00", **more,
    )  # fmt: skip


def campaigns() -> Iterator[tuple[Campaign, tuple[Task, ...]]]:
    """Yield a campaign of each protocol with its tasks, before anything is answered."""
    strata = ("random",) * 4 + ("improvement", "decline")
    sample = [Sampled(segment, stratum) for segment, stratum in enumerate(strata)]
    random = [Sampled(segment, "random") for segment in range(5)]
    people = ("ann", "Bén <b>")

    plan = Plan("dev", "bleu", random=4, improvements=1, declines=1, shared=3, seed=5)
    one = campaign("DA", "rating", 1, 2, plan, instructions="Read both.\nThen rate <b>how good</b> it is.")
    yield one, deal_tasks(one, sample, people)

    one = campaign("MQM", "errors", 2, 2, Plan(random=5, by_document=True, seed=6), typology=TYPOLOGY)
    yield one, deal_tasks(one, [Sampled(segment, "random") for segment in range(5)], people)

    plan = Plan(random=5, checks=2, prefilled_by="xCOMET", probabilities=tuple(0.5 + n / 20 for n in range(8)))
    one = campaign("ESA", "esa", 3, 2, plan, controls=PRACTICE)
    tasks = prefilled(deal_tasks(one, random, people), "xCOMET", lambda output, segment: [(0, 3, "minor")])
    yield with_controls(one, tasks)

    one = campaign("preference", "preference", 4, 2, Plan(random=5, is_merged=True, seed=8))
    yield one, merged(one, deal_tasks(one, random, people))

    plan = Plan(random=4, side_by_side=3, is_merged=True, checks=1, seed=9)
    one = campaign("contrastive", "esa", 5, 4, plan)
    yield with_controls(one, merged(one, deal_tasks(one, random[:4], people)))

    plan = Plan(random=4, side_by_side=2, is_adaptive=True, seed=10)
    one = campaign("adaptive", "esa", 6, 3, plan)
    yield one, merged(one, deal_tasks(one, random[:4], people))

    one = campaign("closed", "rating", 7, 1, Plan(random=5, seed=11))
    yield one, deal_tasks(one, random, ["ann"])


def answered(one: Campaign, task: Task, number: int) -> Answer:
    """Return what an annotator says about a task: a different answer each time."""
    values: dict[str, Any] = {"comment": "" if number % 3 else f"Kommentar {number}: <i>„so“</i> 🙂"}
    values |= {"seconds": 4.5 + number, "paused": 0.5 * (number % 2), "is_complete": number % 5 != 4}
    marks: list[SaidMark] = []
    for mark in task.marks:  # found by a metric: one is rejected, one changed, one kept
        how = {"severity": "major" if number % 3 == 1 else mark.severity, "is_rejected": number % 3 == 2}
        marks.append(SaidMark(str(mark.id), mark.side, mark.start, mark.end, category=mark.category, **how))
    text = one.shown_output(task)
    if one.way in ("errors", "esa") and number % 2 == 0:
        end = len(text) - 2
        category = "Other" if one.way == "errors" else ""
        severity = ("minor", "major", "critical", "neutral")[number % 4] if one.way == "errors" else "major"
        marks.append(SaidMark(uuid.uuid4().hex, "hypothesis", end - 5, end, severity, category, "falsch"))
        omission = "Accuracy/Omission" if one.way == "errors" else ""
        marks.append(SaidMark(uuid.uuid4().hex, "source", 0, 3, "minor", omission))
    if one.way == "rating":
        values |= {"adequacy": 40.0 + 3.5 * (number % 12), "fluency": 90.25 - 5 * (number % 9)}
    if one.way == "esa":
        values["score"] = 35.0 + 6.25 * (number % 10)
    if one.way == "preference":
        values["preference"] = ("first", "second", "equal")[number % 3]
    return Answer(uuid.uuid4().hex, 1, task.revision, tuple(marks), **values)


def answer_all(store: AnnotationStore, one: Campaign) -> None:
    """Answer nearly all tasks, each by the link of its annotator."""
    links = store.links(one.uid)
    for number, task in enumerate(store.tasks(one.uid)):
        if number % 11 == 10:
            continue  # not opened yet
        asker = Asker(token=links.annotators[task.annotator])
        if one.plan.is_adaptive and task.probability is None:
            beside = [
                other.id
                for other in store.tasks(one.uid, task.annotator)
                if other.segment == task.segment and other.control is None
            ]
            store.assign(beside, asker)
            task = next(other for other in store.tasks(one.uid) if other.id == task.id)
        store.answer(task.id, answered(one, task, number), asker)
        if number % 7 == 3 and task.stratum != "training":  # changed later
            now = next(other for other in store.tasks(one.uid) if other.id == task.id)
            store.answer(task.id, answered(one, now, number + 1), asker)


def record_annotations(path: Path) -> None:
    """Make an annotation database, and download each campaign in every format."""
    with closing(open_store(URL.create("sqlite", database=str(path)))) as store:
        for one, tasks in campaigns():
            store.add(one, tasks, ANN)
            answer_all(store, one)
        by_name = {listed.name: listed.uid for listed in store.list_campaigns()}
        store.coordinate(store.links(by_name["MQM"]).coordinator, BEN)
        store.renew_link(by_name["DA"], "Bén <b>", ANN, time.time() - 1)
        store.renew_link(by_name["ESA"], None, ANN)
        store.set_typology(by_name["MQM"], Typology((*TYPOLOGY.categories, Category("Added later", 1, 3, 9))), BEN)
        store.close_campaign(by_name["closed"], ANN)
        store.end_sign_in(Asker("cleo", sign_in="first"))
        assert store.check() == ()
        files = dict(downloads_of(store))
    CAMPAIGNS.write_bytes(zipped(files))
    copy = path.with_suffix(".backup")
    backup(copy, URL.create("sqlite", database=str(path)))
    ANNOTATIONS.write_bytes(zipped({"annotations.sqlite": copy.read_bytes()}))


def printed(*words: str) -> str:
    """Return what a command prints."""
    found, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(found), redirect_stderr(errors):
        try:
            status = main(list(words))
        except SystemExit:  # of a word that is no option
            status = 2
    assert status != 2, (words, errors.getvalue())
    return found.getvalue()


def record_commands() -> None:
    """Write a plan, a report's folder and archive, a gate's history, and what commands print."""
    OUTPUTS.mkdir()
    printed(*PLAN, "--freeze", "outputs/plan.toml")
    workspace = whole_workspace()
    with TemporaryDirectory() as folder:
        os.environ["MTEVAL_HOME"] = folder
        library = Library(Path(folder) / "library", 1 << 30)
        made = Made(workspace.edits, SETTINGS, "base")
        library.add(content_of(workspace, made, None), "to export", OPERATOR)
        printed("library", "export", "to export", "--to", "exported")
        toml = Path("exported/experiment.toml")
        kinds = ("experiment", "json", "csv", "latex", "methods")
        printed("report", str(toml), "--to", "package.zip", "--only", *kinds, "--threads", "1")
        shutil.rmtree("exported")
    with ZipFile(PACKAGE) as archive:
        archive.extractall("package")
    for name, words in COMMANDS.items():
        (OUTPUTS / name).write_text(printed(*words), encoding="utf-8")
    shutil.rmtree("package")
    runs = [f"inputs/base/opt{run}.txt" for run in range(3)]
    first = (
        *GATE,
        "--refs",
        "inputs/refs.txt",
        "--baseline",
        *runs,
        "--candidate",
        "inputs/new/opt0.txt",
        "--history",
        "history/",
    )
    (OUTPUTS / "gate-first.json").write_text(printed(*first), encoding="utf-8")
    with TemporaryDirectory() as folder:  # the second candidate is not kept
        shutil.copytree(HISTORY, Path(folder) / "history")
        second = (*GATE, "--candidate", "inputs/new/opt1.txt", "--history", f"{folder}/history/")
        (OUTPUTS / "gate-second.json").write_text(printed(*second), encoding="utf-8")


def record_judgements(cache: Path) -> None:
    """Let a judge rate all outputs, and keep its answers."""
    with serving() as endpoint:
        endpoint.answer = of_its_own
        os.environ["MTEVAL_JUDGE"] = f"tiny-model@{endpoint.url}"
        (OUTPUTS / "judge.json").write_text(printed(*JUDGE), encoding="utf-8")
    shutil.copy(cache / "judgements.sqlite", JUDGEMENTS)


def record() -> None:
    """Make all files, then write down what the program's readers find in them."""
    for path in RECORDED.iterdir() if RECORDED.is_dir() else ():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    RECORDED.mkdir(exist_ok=True)
    write_inputs()
    os.chdir(RECORDED)
    with TemporaryDirectory() as folder:
        cache = Path(os.environ.setdefault("MTEVAL_CACHE", folder))
        (cache / "judgements.sqlite").unlink(missing_ok=True)
        directory = Path(folder) / "library"
        record_library(directory)
        names = sorted(path for path in directory.rglob("*") if path.is_file())
        LIBRARY.write_bytes(zipped({path.relative_to(directory).as_posix(): path.read_bytes() for path in names}))
        record_annotations(Path(folder) / "annotations.sqlite")
        record_commands()
        record_judgements(cache)
    write_expected()


def write_expected() -> None:
    """Write down what the program's readers find in the recorded files."""
    with TemporaryDirectory() as folder:
        found = found_in_all(Path(folder) / "read")
    EXPECTED.write_text(json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
