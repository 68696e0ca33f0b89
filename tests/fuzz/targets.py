"""What mutated files are given to; whatever they are, no error but one of ours comes back."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random

import numpy as np

from mteval.analysis.people.files import mqm_text
from mteval.analysis.people.judgements import judgement_frame, prepared
from mteval.annotations import from_json, to_json
from mteval.base.errors import MtevalError
from mteval.readers.assembly.judgements import Judged, gathered, read_judgements
from mteval.readers.checks import check
from mteval.readers.documents import InputFile
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.formats.nbest import parse_nbest
from mteval.readers.formats.text import decode, split_lines
from mteval.readers.workspace import Workspace
from tests.fuzz.mutations import FILES, mutated, typed

BESIDE = [InputFile("ref.txt", b"a b c\nd e f .\n"), InputFile("base.opt1.txt", b"a b\nd e .\n")]
JUDGED = (
    "r.seg.rating",
    "appraise.csv",
    "esa.csv",
    "pairs.csv",
    "kinds.csv",
    "pearmut.jsonl",
    "pearmut.json",
    "judged.csv",
    "judged.jsonl",
    "errors.mqm.tsv",
    "table.csv",
    "table.jsonl",
    "m.seg.score",
    "humeval.jsonl",
)


def drop(file: InputFile) -> None:
    """On the first page, beside a reference and an output, as whatever each is guessed to be."""
    workspace = Workspace().add([file, *BESIDE])
    workspace = workspace.edit({row: {"included": True} for row in range(len(workspace.slots))})
    for name in workspace.score_names:
        workspace = workspace.direct(name, True)

    # Here and below, encode() raises for text with lone surrogates, which no page can show.
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        problem.text.encode()

    names_beside = {neighbour.name for neighbour in BESIDE}
    lost = names_beside - {document.name for document in workspace.documents}
    if lost and workspace.described is None and file.name not in lost:
        raise AssertionError(f"{lost} is lost beside {file.name}")

    experiment = workspace.experiment()
    if experiment is not None:
        check(experiment, "sacrebleu")
        experiment.digest.encode()

    for judgements_of_file in workspace.judgements.values():
        with suppress(MtevalError):  # scales that do not go together
            _check_judgements(gathered(judgements_of_file))


def judge(file: InputFile) -> None:
    """As judgements of people."""
    _check_judgements(read_judgements([file]))


def _check_judgements(judged: Judged) -> None:
    """Check that whatever was said is numbers and whole characters."""
    frame = prepared(judgement_frame(judged.judgements))
    frame.to_json().encode()
    for judgement in judged.judgements:
        assert np.isfinite(judgement.value)
        (judgement.hypothesis or "").encode()
        for error in judgement.errors:
            error.category.encode()
            error.severity.encode()


def campaign(file: InputFile) -> None:
    """As a campaign, which can be taken out and in, and filed as WMT does."""
    imported_campaign, tasks = from_json(decode(file.content, file.name), file.name)
    assert from_json(to_json(imported_campaign, tasks), "c.json") == (imported_campaign, tasks)
    mqm_text(imported_campaign, tasks).encode()


def describe(file: InputFile) -> None:
    """As an experiment's file."""
    parse_experiment(decode(file.content, file.name), file.name)


def nbest(file: InputFile) -> None:
    """As n-best lists."""
    for _ in parse_nbest(split_lines(decode(file.content, file.name)), file.name, 2):
        pass


TARGETS: Mapping[Callable[[InputFile], None], tuple[str, ...]] = {
    drop: tuple(FILES),
    judge: JUDGED,
    campaign: ("c.json",),
    describe: ("experiment.toml",),
    nbest: ("list.nbest",),
}


def all_cases() -> list[tuple[Callable[[InputFile], None], str]]:
    """Each target with each of its files."""
    cases = []
    for target, names in TARGETS.items():
        cases += [(target, name) for name in names]
    return cases


CASES = all_cases()


def run_case(seed: int) -> str:
    """Give one mutated file to one target; what became of it. An error that is not ours is raised."""
    chance = Random(seed)
    target, name = chance.choice(CASES)
    try:
        if chance.random() < 0.5:
            content = typed(FILES[name], chance)
        else:
            content = mutated(FILES[name], chance)
        target(InputFile(name, content))
    except MtevalError as error:
        str(error).encode("utf-8", "surrogatepass")
        return "refused"
    return "read"
