"""What version 0.2.0 saved and wrote. Every later version finds all of it again.

``recorded`` was made once, by ``python -m tests.version_0_2_0.record`` with version 0.2.0, and is not made again: users
have files like these. ``recorded/expected.json`` says what they contain.
"""

from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"
EXPECTED = RECORDED / "expected.json"
ANNOTATIONS = RECORDED / "annotations.zip"  # with the SQLite file
CAMPAIGNS = RECORDED / "campaigns.zip"  # a folder per campaign, with all its downloads
HISTORY = RECORDED / "history"  # of a gate
INPUTS = RECORDED / "inputs"  # files of an experiment, as a user has them
JUDGEMENTS = RECORDED / "judgements.sqlite"  # answers of an LLM judge
LIBRARY = RECORDED / "library.zip"
OUTPUTS = RECORDED / "outputs"  # what commands printed
PACKAGE = RECORDED / "package.zip"  # a report's archive

SYSTEMS = (
    "--refs", "inputs/refs.txt", "--source", "inputs/source.txt", "--documents", "inputs/documents.txt",
    "--system", "base", "inputs/base/opt0.txt", "inputs/base/opt1.txt", "inputs/base/opt2.txt",
    "--system", "new", "inputs/new/opt0.txt", "inputs/new/opt1.txt", "inputs/new/opt2.txt",
    "--threads", "1",
)  # fmt: skip
METRICS = ("--metrics", "bleu", "ter")
JUDGED = (
    "--judgements", "inputs/people.csv", "--refs", "inputs/refs.txt",
    "--outputs", "inputs/base", "inputs/new", "--metrics", "bleu", "--threads", "1",
)  # fmt: skip
EXAMINED = ("package/experiment.toml", "--threads", "1", "--format", "json")
TESTS = ("--boot-samples", "50", "--ar-shuffles", "200")
# What ``tests/golden`` does not record: commands by the name of the file with what they printed. They start in a folder
# with ``inputs``, ``outputs`` and the unpacked ``package``.
COMMANDS = {
    "eval-planned.json": ("eval", *SYSTEMS, *METRICS, *TESTS, "--plan", "outputs/plan.toml", "--format", "json"),
    "claim.json": ("claim", *EXAMINED, "--test-sets", "test", "dev", "--metrics", "bleu", "ter"),
    "gate-of-experiment.json": ("gate", *EXAMINED, "--candidate", "new", "--worse-by", "9", "oracle=0.1"),
    "people.json": ("people", *JUDGED, "--replicates", "50", "--resamples", "200", "--format", "json"),
    "words.json": ("words", *SYSTEMS, *METRICS, "--ar-shuffles", "100", "--format", "json"),
    "nbest.txt": (
        "nbest", "--nbest", "inputs/list.nbest", "--refs", "inputs/refs.txt", "--metrics", "bleu", "ter",
        "--threads", "1",
    ),
    "sample.tsv": ("sample", "4", *JUDGED[2:]),
}  # fmt: skip
PLAN = (
    "plan", "--refs", "inputs/refs.txt", "--source", "inputs/source.txt", "--documents", "inputs/documents.txt",
    "--baseline", "base", "--systems", "new", "--runs", "3", "--metrics", "bleu", "ter", "--target", "0.5", *TESTS,
)  # fmt: skip
GATE = ("gate", "--metrics", "bleu", "--worse-by", "60", "--resamples", "200", "--threads", "1", "--format", "json")
JUDGE = (
    "eval", *SYSTEMS, "--metrics", "llm-judge", "--llm-judge.protocol", "esa", *TESTS, "--format", "json",
)  # fmt: skip
