"""What the command line prints for small experiments, recorded whole.

A printed number, heading or sentence that changes shows as a difference here. Where the change is wanted, record anew
with ``python -m tests.golden`` and read the difference before you commit it.
"""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from mteval.cli import main

ROOT = Path(__file__).parent.parent.parent
RECORDED = Path(__file__).parent / "recorded"


def runs(system: str, *numbers: int, test_set: str = "test") -> str:
    """Files of the sample's runs."""
    return " ".join(f"sample_data/{system}/{test_set}.opt{number:02}.txt" for number in numbers)


REFERENCE = "--refs sample_data/reference.test.txt"
DOCUMENTS = "--documents sample_data/documents.test.txt"
FEW = "--boot-samples 50 --ar-shuffles 200 --threads 1"
THREE = f"{REFERENCE} --system base {runs('baseline', 0, 1, 2)} --system new {runs('reordering', 0, 1, 2)}"
ONE = f"{REFERENCE} --system base {runs('baseline', 3)} --system new {runs('reordering', 3)}"
TWO = f"{REFERENCE} --system base {runs('baseline', 4, 5)} --system new {runs('reordering', 4, 5)}"
SIX = f"{REFERENCE} --system base {runs('baseline', *range(6))} --system new {runs('reordering', *range(6))}"
FIVE_SYSTEMS = f"{REFERENCE} --system base {runs('baseline', 0, 1, 2)} " + " ".join(
    f"--system {name} {runs(system, *numbers)}"
    for name, system, numbers in (
        ("one", "reordering", (0, 1, 2)),
        ("two", "reordering", (3, 4, 5)),
        ("three", "baseline", (3, 4, 5)),
        ("four", "reordering", (6, 7, 8)),
    )
)
MULTEVAL = f"{REFERENCE} --hyps-baseline {runs('baseline', 0, 1, 2)} --hyps-sys1 {runs('reordering', 0, 1, 2)}"
TUNED = (
    f"{THREE} --dev-refs sample_data/reference.dev.txt --dev-system base {runs('baseline', 0, 1, 2, test_set='dev')}"
    f" --dev-system new {runs('reordering', 0, 1, 2, test_set='dev')}"
)
FORMATS = ("text", "tsv", "json", "latex", "markdown")
COMMANDS = {
    **{f"eval-{form}": f"eval {THREE} {FEW} --metrics bleu ter length --format {form}" for form in FORMATS},
    **{f"eval-five-{form}": f"eval {FIVE_SYSTEMS} {FEW} --metrics bleu chrf --format {form}" for form in FORMATS},
    "eval-one-run": f"eval {ONE} {FEW} --metrics bleu",
    "eval-two-runs": f"eval {TWO} {FEW} --metrics bleu",
    "eval-multeval": f"eval {MULTEVAL} {FEW} --metrics bleu ter",
    "eval-documents": f"eval {THREE} {DOCUMENTS} {FEW} --metrics bleu --convention sacrebleu",
    "eval-tuned": f"eval {TUNED} {FEW} --metrics bleu",
    "eval-looks": f"eval {THREE} {FEW} --metrics bleu --looks 3 5",
    "eval-seeds": f"eval {THREE} {FEW} --metrics bleu --run-word prompt",
    "eval-fixed": f"eval {THREE} {FEW} --metrics bleu --design fixed",
    "eval-paired": f"eval {THREE} {FEW} --metrics bleu --design paired",
    "eval-samples": f"eval {SIX} {FEW} --metrics bleu --samples 2",
    **{
        f"compare-{form}": f"compare {THREE} --resamples 200 --threads 1 --metrics bleu ter --format {form}"
        for form in FORMATS
    },
    "compare-pairs": f"compare {FIVE_SYSTEMS} --resamples 200 --threads 1 --metrics bleu --all-pairs",
    "compare-margin": f"compare {THREE} --resamples 200 --threads 1 --metrics bleu --margin 0.5",
    "compare-strict": f"compare {FIVE_SYSTEMS} --resamples 200 --threads 1 --metrics bleu --procedure two-way-strict",
    **{
        f"gate-{form}": f"gate {REFERENCE} --baseline {runs('baseline', 0, 1, 2)} --candidate {runs('reordering', 0)}"
        f" --metrics bleu chrf --worse-by 0.3 --threads 1 --format {form}"
        for form in ("text", "markdown", "json")
    },
    "compare-own-runs": f"compare {SIX} --resamples 200 --threads 1 --metrics bleu --own-runs",
    "replicate-text": f"replicate {SIX} --draws 20 --ar-shuffles 100 --threads 1 --metrics bleu",
    "replicate-json": f"replicate {SIX} --draws 20 --ar-shuffles 100 --threads 1 --metrics bleu --format json",
}
CHANGING = re.compile(r'("versions": \{.*?\}|version:[\w.+-]+)', re.DOTALL)  # of packages


def printed(name: str) -> str:
    """What a command prints, standard output first, without versions of packages."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        status = main(COMMANDS[name].split())
    told = "".join(line.rpartition("\r")[2] for line in errors.getvalue().splitlines(keepends=True))
    return CHANGING.sub("VERSIONS", f"{output.getvalue()}--- standard error, status {status}\n{told}")
