"""Everything that the program's own readers find in recorded files, as plain JSON."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
from sqlalchemy.engine import URL

from mteval.annotations import AnnotationStore, open_store
from mteval.base.errors import DataError
from mteval.library import Library
from mteval.metrics import METRICS
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.documents import InputFile, Slot
from mteval.readers.replays import read_experiment
from mteval.readers.workspace import Workspace
from mteval.report.history import History
from mteval.report.kept_experiment import Opened, line_from, opened
from mteval.ui.annotate.administration import downloads
from mteval.values.asker import Asker
from mteval.values.model import Experiment, Run, TestSet
from tests.version_0_2_0 import ANNOTATIONS, CAMPAIGNS, HISTORY, LIBRARY, PACKAGE

Json = Any
VISITORS = ("ann", "ben", "cleo", "dora", "stranger")
FRAMES = ("scores", "summary", "comparisons", "coverage", "parts", "ranks", "intervals", "simultaneous")


def unlike(expected: Json, found: Json, where: str = "") -> Iterator[str]:
    """Yield each difference. A later version may know more about an object, but nothing else and no less."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            if name not in found:
                yield f"{where}/{name} is missing; expected {value!r}"
            else:
                yield from unlike(value, found[name], f"{where}/{name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            yield from unlike(value, other, f"{where}/{place}")
    elif expected != found or type(expected) is not type(found):
        yield f"{where} is {found!r}; expected {expected!r}"


def plain(value: object) -> Json:
    """Return a value as JSON with all its digits; numbers that are none become null."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, frozenset, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, (np.floating, float)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if value is None or value is pd.NA:
        return None
    return value if isinstance(value, (str, int, bool)) else str(value)


def rows_of(frame: pd.DataFrame) -> Json:
    """Return the columns of a frame, by their names of then, and its rows."""
    return {
        "columns": ["s_run" if column == "s_opt" else column for column in frame.columns],
        "rows": plain(frame.to_numpy(dtype=object).tolist()),
    }


def in_library(directory: Path) -> Json:
    """Return every experiment of a library: its labels, links, rights, states, files and numbers."""
    library = Library(directory, 1 << 30)
    return {
        "damage": plain(library.check()),
        "bytes": library.size(),
        "tags": {visitor: plain(library.tags(visitor)) for visitor in VISITORS},
        "ended sign-ins": [name for name in ("first", "second") if library.has_ended(name)],
        "experiments": {listed.name: _saved(library, listed.uid) for listed in library.listed()},
    }


def _saved(library: Library, uid: str) -> Json:
    listed = library.entry(uid)
    content = library.content(uid)
    return {
        "listed": plain(listed),
        "line": line_from(listed.card),
        "states": plain(library.states(uid)),
        "rights": {visitor: _right(library, uid, Asker(visitor)) for visitor in VISITORS},
        "editor link": _right(library, uid, Asker(token=listed.editor)),
        "reader link": _right(library, uid, Asker(token=listed.reader)),
        "files": {name: blob.decode() for name, blob in (content.files or {}).items()},
        "has numbers": bool(content.numbers),
        "opened": in_opened(opened(content)),
    }


def _right(library: Library, uid: str, asker: Asker) -> str:
    reached = library.reached(uid, asker)
    if reached is None:
        return "none"
    return "change" if reached.may_edit else "read"


def in_opened(kept: Opened) -> Json:
    """Return all of an experiment that was opened without computing anything."""
    found = {
        "made": plain(kept.made),
        "slots": plain(kept.workspace.slots),
        "directions": plain(kept.workspace.edits.directions),
        "judgements": plain(kept.workspace.judgements),
        "problems": [problem.text for problem in kept.workspace.assembly.problems],
        "experiment": None if kept.experiment is None else in_experiment(kept.experiment),
        "evaluation": None,
    }
    if kept.results is not None:
        evaluation = kept.results.evaluation
        found["evaluation"] = {
            "frames": {name: rows_of(getattr(evaluation, name)) for name in FRAMES},
            "settings": plain(evaluation.settings),
            "signatures": plain(evaluation.signatures),
            "versions": plain(evaluation.versions),
            "findings": plain(evaluation.findings),
            "verdicts": [
                {"system": one.system, "metric": one.metric, "word": one.conclusion.word, "p": plain(one.p_run)}
                for one in kept.results.verdicts()
            ],
        }
    return found


def in_experiment(experiment: Experiment) -> Json:
    """Return all texts, scores and names of an experiment."""
    return {
        "digest": experiment.digest,
        "baseline": experiment.baseline,
        "systems": {system.key: plain(system.runs) for system in experiment.systems},
        "given": plain(experiment.given),
        "nested": plain(experiment.nested),
        "test sets": [_test_set(one) for one in experiment.test_sets],
    }


def _test_set(test_set: TestSet) -> Json:
    return {
        "digest": test_set.digest,
        "name": test_set.name,
        "role": test_set.role,
        "languages": test_set.languages,
        "references": plain(test_set.references),
        "source": plain(test_set.source),
        "documents": plain(test_set.documents),
        "side": plain(test_set.side),
        "runs": [_run(run) for run in test_set.runs],
    }


def _run(run: Run) -> Json:
    return {"system": run.system, "run": run.key, "digest": run.digest, "hypotheses": plain(run.hypotheses)}


def in_slots(slots: Sequence[Slot], folder: Path) -> Json:
    """Return the roles of files, named from their folder."""
    return [plain(asdict(slot) | {"file": Path(slot.file).relative_to(folder).as_posix()}) for slot in slots]


def in_annotations(path: Path) -> Json:
    """Return every campaign of an annotation database: texts, answers, marks, links and rights."""
    with closing(open_store(URL.create("sqlite", database=str(path)))) as store:
        return {
            "damage": plain(store.check()),
            "coordinated by": {
                visitor: sorted(listed.name for listed in store.list_campaigns(visitor)) for visitor in VISITORS
            },
            "campaigns": {listed.name: _campaign(store, listed.uid) for listed in store.list_campaigns()},
        }


def _campaign(store: AnnotationStore, uid: str) -> Json:
    campaign = store.campaign(uid)
    listed = next(one for one in store.list_campaigns() if one.uid == uid)
    links = store.links(uid)
    tokens = {"": links.coordinator, **links.annotators}
    return {
        "listed": plain(listed) | {"way": campaign.way},  # which the list named then
        "campaign": plain(campaign),
        "tasks": plain(store.tasks(uid)),
        "links": plain(tokens),
        "opened": {name: _opened(store, token) for name, token in tokens.items()},
    }


def _opened(store: AnnotationStore, token: str) -> Json:
    try:
        return plain(store.opened(token))
    except DataError as error:
        return f"refused: {error}"


def in_judgements(name: str, content: bytes) -> Json:
    """Return the judgements in a file."""
    return plain(read_judgements([InputFile(name, content)]).judgements)


def in_package(path: Path) -> Json:
    """Return the experiment and settings of an ``experiment.toml`` on disk."""
    replay = read_experiment(path, METRICS)
    return {
        "made with": replay.file.made_with,
        "settings": plain(replay.file.settings),
        "slots": in_slots(replay.loaded.slots, path.parent),
        "experiment": in_experiment(replay.loaded.experiment),
        "notes": [note.message for note in replay.loaded.notes],
    }


def in_dropped(path: Path) -> Json:
    """Return the experiment and settings of an archive that is dropped into the dashboard."""
    workspace = Workspace(reserved=frozenset(METRICS)).add([InputFile(path.name, path.read_bytes())])
    described = workspace.described
    assert described is not None, workspace.rejected
    experiment = workspace.experiment(described.baseline)
    assert experiment is not None, workspace.assembly.problems
    return {"settings": plain(described.settings), "experiment": in_experiment(experiment)}


def in_history(path: Path) -> Json:
    """Return the runs of a gate's baseline."""
    history = History.at(f"{path}/")
    experiment = history.workspace.experiment(history.baseline)
    assert experiment is not None
    return {"baseline": history.baseline, "experiment": in_experiment(experiment)}


# Downloads of a campaign that the program's reader of judgements takes. The others are for other programs.
OF_JUDGEMENTS = (".csv", ".mqm.tsv", ".zip")


def downloads_of(store: AnnotationStore) -> Iterator[tuple[str, bytes]]:
    """Yield what the dashboard offers for download, by campaign and file."""
    for listed in store.list_campaigns():
        for _, file, write in downloads(store.campaign(listed.uid), store.tasks(listed.uid)):
            content = write()
            yield f"{listed.name}/{file}", content if isinstance(content, bytes) else content.encode()


def in_downloads() -> Iterator[tuple[str, Json]]:
    """Yield the judgements in the downloads of campaigns, by path."""
    with ZipFile(CAMPAIGNS) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for path, content in files.items():
        name = Path(path).name
        if name.endswith(".pearmut.zip"):  # besides annotations, it has files for Pearmut's server
            with ZipFile(io.BytesIO(content)) as of_pearmut:
                yield path, in_judgements("annotations.json", of_pearmut.read("annotations.json"))
        elif name.endswith(OF_JUDGEMENTS):
            yield path, in_judgements(name, content)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a folder."""
    with ZipFile(archive) as opened_archive:
        opened_archive.extractall(folder)


def found_in_all(folder: Path) -> Json:
    """Return all that is found in the recorded files. Databases are read as copies in a folder."""
    folder.mkdir()
    unpack(LIBRARY, folder / "library")
    unpack(PACKAGE, folder / "package")
    unpack(ANNOTATIONS, folder)
    return {
        "library": in_library(folder / "library"),
        "annotations": in_annotations(folder / "annotations.sqlite"),
        "downloads": dict(in_downloads()),
        "package": in_package(folder / "package" / "experiment.toml"),
        "dropped": in_dropped(PACKAGE),
        "history": in_history(HISTORY),
    }
