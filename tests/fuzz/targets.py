"""What mutated files are given to; whatever they are, no error but one of ours comes back."""

from collections.abc import Callable, Mapping
from random import Random

from mteval.annotations import from_json
from mteval.errors import MtevalError
from mteval.readers import InputFile, check
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.experiment_file.contents import parse_experiment
from mteval.readers.formats.mqm import read_mqm
from mteval.readers.formats.nbest import parse_nbest
from mteval.readers.formats.text import decode, split_lines
from mteval.readers.workspace import Workspace
from tests.fuzz.mutations import FILES, mutated

BESIDE = [InputFile("ref.txt", b"a b c\nd e f .\n"), InputFile("base.opt1.txt", b"a b\nd e .\n")]
JUDGED = ("r.seg.rating", "appraise.csv", "errors.mqm.tsv", "table.csv", "table.jsonl", "m.seg.score")


def drop(file: InputFile) -> None:
    """On the first page, beside a reference and an output, as whatever each is guessed to be."""
    workspace = Workspace().add([file, *BESIDE])
    workspace = workspace.edit({row: {"included": True} for row in range(len(workspace.slots))})
    for name in workspace.score_names:
        workspace = workspace.direct(name, True)
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        problem.text.encode()
    lost = {one.name for one in BESIDE} - {document.name for document in workspace.documents}
    if lost and workspace.described is None and file.name not in lost:
        raise AssertionError(f"{lost} is lost beside {file.name}")
    experiment = workspace.experiment()
    if experiment is not None:
        check(experiment, "sacrebleu")
        experiment.digest.encode()


def judge(file: InputFile) -> None:
    """As judgements of people."""
    read_judgements([file])


def errors(file: InputFile) -> None:
    """As WMT's table of errors."""
    read_mqm(file)


def campaign(file: InputFile) -> None:
    """As a campaign."""
    from_json(decode(file.content, file.name), file.name)


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
    errors: ("errors.mqm.tsv",),
    campaign: ("c.json",),
    describe: ("experiment.toml",),
    nbest: ("list.nbest",),
}
CASES = [(target, name) for target, names in TARGETS.items() for name in names]


def run_case(seed: int) -> str:
    """Give one mutated file to one target; what became of it. An error that is not ours is raised."""
    chance = Random(seed)
    target, name = chance.choice(CASES)
    try:
        target(InputFile(name, mutated(FILES[name], chance)))
    except MtevalError as error:
        str(error).encode("utf-8", "surrogatepass")
        return "refused"
    return "read"
