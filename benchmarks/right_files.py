"""A standing null for what mteval suspects of files: how often is a warning about files that are right?

Usage: ``python -m benchmarks.right_files [--draws 200]`` (a few minutes on one core). Writes ``right_files.csv`` beside
this file, which ``benchmarks.calibration`` puts on its page.

Files are made from real scores (WMT23 he-en and zh-en, WMT25) and outputs (the sample, MultEval's example, WMT23), or
from independent runs with a seed. Each is right, so that every warning is a false alarm. The same files with the
mistake that a warning is about show its power.
"""

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from string import ascii_letters

import numpy as np
import pandas as pd

from benchmarks.example import ROOT, data_directory
from benchmarks.real_runs import FIXED, REPORTED
from mteval.analysis.findings import findings_of
from mteval.analysis.people.judgements import may_count_from_0
from mteval.base.arrays import FloatArray
from mteval.metrics import METRICS
from mteval.readers.checks import check
from mteval.readers.documents import InputFile
from mteval.readers.formats.score_tables import COUNTS_ERRORS, NO_SCORE
from mteval.readers.workspace import Workspace
from mteval.values.findings import Finding
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

RESULTS = Path(__file__).with_name("right_files.csv")
N_DRAWS = 200  # of each kind of files
SEED = 72
COLUMNS = ("kind", "what", "source", "part", "n", "rate")

# Sentences without a code of their own, by how they are called in the results
COUNTS_FROM_0 = "numbers"
PEOPLE_FROM_0 = "people's numbers"
ALL_MISSING = "all missing"
MARKED_LINES = "marked lines"
HEADER = "header"
SENTENCES: Mapping[str, str] = {
    COUNTS_FROM_0: "Segments of scores may count from 0",
    PEOPLE_FROM_0: "Segments of judgements may count from 0",
    ALL_MISSING: "A file of scores has no score",
    MARKED_LINES: "Each line has a number, an ID or quotation marks",
    HEADER: "The first line looks like a header",
}
COUNTS_FROM_0_WORDS = "If they count from 0, add 1 to each."
HEADER_WORDS = "looks like a header"
HEADERS = ("hypothesis", "Translation", "mt", "output", "text", "predictions", "generated_text", "decoded")

Drawn = tuple[str, str, str, bool]  # kind, what, source, and whether there is a warning
Values = Mapping[str, FloatArray]  # segment scores by system, NaN if missing
Draw = Callable[[np.random.Generator], Iterator[Drawn]]


def main() -> None:
    """Take the number of draws from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="files of each kind")
    measured(parser.parse_args().draws).to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def measured(n_draws: int, draws: Sequence[Draw] = ()) -> pd.DataFrame:
    """Return rates of warnings by kind, check, source and part."""
    warned: dict[tuple[str, str, str, str], list[bool]] = defaultdict(list)
    for draw in draws or DRAWS:
        generator = np.random.default_rng(SEED)
        for number in range(n_draws):
            part = (FIXED, REPORTED)[number % 2]
            for kind, what, source, is_warned in draw(generator):
                warned[kind, what, source, part].append(is_warned)
    rows = [(*key, len(are_warned), float(np.mean(are_warned))) for key, are_warned in sorted(warned.items())]
    return pd.DataFrame(rows, columns=list(COLUMNS))


# Scores in files


@cache
def real_scores() -> Mapping[str, Values]:
    """Return the real segment scores of each metric, in the direction of its file: higher is better."""
    data = data_directory()
    paths = [*(data / "wmt23-he-en" / "scores").glob("*.seg.score")]
    paths += (data / "wmt23-he-en-metrics").glob("*.seg.score.gz")
    paths += (data / "wmt23-zh-en-ratings").glob("*.seg.score.gz")
    scores_of = {}
    for path in sorted(paths):
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        by_system: dict[str, list[float]] = defaultdict(list)
        for line in content.decode().splitlines():
            system, _, score = line.rpartition("\t")
            by_system[system].append(float("nan") if score == "None" else float(score))
        scores_of[path.name.partition(".seg")[0]] = {key: np.array(values) for key, values in by_system.items()}
    return scores_of | _scores_of_wmt25()


def _scores_of_wmt25() -> dict[str, Values]:
    """Return the scores of WMT25's metrics on the documents that all systems have."""
    scores_of: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for path in sorted((data_directory() / "wmt25-extract").glob("*.scores.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            document = f"{row['language_pair']} {row['document_id']}"
            for metric, values in row["metric_scores"].items():
                scores_of[metric][path.name.partition(".")[0]][document] = values
    in_common = {}
    for metric, by_system in scores_of.items():
        documents = sorted(set.intersection(*(set(of_system) for of_system in by_system.values())))
        in_common[metric] = {
            system: np.array([value for document in documents for value in of_system[document]], dtype=float)
            for system, of_system in by_system.items()
        }
    return in_common


def _some_of(scores: Values, generator: np.random.Generator) -> Values:
    """Return the scores of 2 to 5 systems on 5 to 200 segments that all have."""
    systems = generator.choice(sorted(scores), min(len(scores), int(generator.integers(2, 6))), replace=False)
    all_scores = np.array([scores[system] for system in systems])
    present = np.flatnonzero(~np.isnan(all_scores).any(axis=0))
    n_segments = min(len(present), int(generator.choice([5, 20, 50, 200])))
    chosen = generator.choice(present, n_segments, replace=False)
    return {str(system): values[chosen] for system, values in zip(systems, all_scores, strict=True)}


def _table(metric: str, scores: Mapping[str, Sequence[float] | FloatArray], numbers: Sequence[int] = ()) -> InputFile:
    """Return a table of scores; a name ``system/run`` names a run, and a missing score is an empty cell."""
    rows = [f"system\trun\tsegment\t{metric}"]
    for name, values in scores.items():
        system, _, run = name.partition("/")
        for number, value in zip(numbers or range(1, len(values) + 1), values, strict=True):
            text = "" if np.isnan(value) else repr(float(value))
            rows.append(f"{system}\t{run or 0}\t{number}\t{text}")
    return InputFile("scores.tsv", "\n".join(rows).encode())


def _read(*files: InputFile, directions: Mapping[str, bool] | None = None) -> Workspace:
    """Return files as they are read, with these directions of their metrics."""
    workspace = Workspace(reserved=METRICS).add(files)
    for metric, is_higher in (directions or {}).items():
        workspace = workspace.direct(metric, is_higher)
    return workspace


def _findings(workspace: Workspace) -> tuple[Finding, ...]:
    """Return the warnings about an experiment."""
    experiment = workspace.experiment()
    assert experiment is not None
    settings = Settings()
    if experiment.given:
        settings = replace(settings, metrics=tuple(metric.key for metric in experiment.given))
    findings = findings_of(experiment, (), settings)
    return tuple(finding for finding in findings if finding.severity == "warning")


def _has(workspace: Workspace, code: str) -> bool:
    return any(finding.code == code for finding in _findings(workspace))


def directions(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether the right direction of a metric is doubted, and whether the wrong one is.

    Scores stand as in their files, standardised, or as differences from a system. Those that are named after errors
    stand with the opposite sign as well, as errors do outside WMT.
    """
    for metric, scores in real_scores().items():
        values = _some_of(scores, generator)
        pooled = np.concatenate([*values.values()])
        spread = pooled.std() or 1.0  # of a few segments, people's scores may all be 0
        first = next(iter(values.values()))
        forms = {
            "as in files of WMT": (values, True),
            "standardised": ({key: (of_key - pooled.mean()) / spread for key, of_key in values.items()}, True),
            "differences from a system": ({key: of_key - first for key, of_key in values.items()}, True),
        }
        if COUNTS_ERRORS.search(metric):
            for form, (of_form, _) in [*forms.items()]:
                forms[f"{form}, opposite sign"] = ({key: -of_key for key, of_key in of_form.items()}, False)
        for form, (of_form, is_higher) in forms.items():
            file = _table(metric, of_form)
            yield "warning", "direction", form, _has(_read(file, directions={metric: is_higher}), "direction")
            wrong = _read(file, directions={metric: not is_higher})
            yield "power", "direction", form, _has(wrong, "direction")


def numbers(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether numbers from 1 are taken to count from 0 if some segments have no score, and the reverse."""
    for n_segments in (20, 100, 500):
        texts = [f"line {number} of {generator.integers(1000)}" for number in range(n_segments)]
        outputs = [InputFile("reference.txt", "\n".join(texts).encode())]
        outputs += [InputFile(f"{system}.txt", "\n".join(texts[::-1]).encode()) for system in "AB"]
        for n_missing in (1, 2, n_segments // 2):
            missing = generator.choice(n_segments, n_missing, replace=False)
            present = [number for number in range(1, n_segments + 1) if number - 1 not in missing]
            yield from _numbers_drawn("warning", n_segments, n_missing, outputs, present, generator)
        yield from _numbers_drawn("power", n_segments, 1, outputs, range(1, n_segments), generator)


def _numbers_drawn(
    kind: str,
    n_segments: int,
    n_missing: int,
    outputs: Sequence[InputFile],
    present: Sequence[int],
    generator: np.random.Generator,
) -> Iterator[Drawn]:
    """Yield whether these numbers of segments are doubted, of a metric's scores and of people's."""
    scores = {system: generator.random(len(present)) for system in "AB"}
    read = _read(*outputs, _table("quality", scores, present), directions={"quality": True})
    warned = any(COUNTS_FROM_0_WORDS in finding.detail for finding in _findings(read))
    missing = "half" if 2 * n_missing == n_segments else str(n_missing)
    source = f"{missing} of {n_segments} segments without a score"
    yield kind, COUNTS_FROM_0, source, warned
    test_set = TestSet("test", ((),) * n_segments, ())
    judged = pd.DataFrame({"segment": [str(number) for number in present]})
    yield kind, PEOPLE_FROM_0, source, may_count_from_0(judged, test_set)


def missing_scores(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether a file in which most scores are missing is refused as one without any."""
    for metric, scores in real_scores().items():
        values = _some_of(scores, generator)
        kept = {}
        for system, of_system in values.items():
            is_kept = generator.random(len(of_system)) < 0.1
            is_kept[generator.integers(len(of_system))] = True
            kept[system] = np.where(is_kept, of_system, np.nan)
        empty = {system: np.full(len(of_system), np.nan) for system, of_system in values.items()}
        for kind, of_kind in (("warning", kept), ("power", empty)):
            read = _read(_table(metric, of_kind))
            problems = (*read.rejected, *read.assembly.problems)
            is_refused = any(problem.message == NO_SCORE for problem in problems)
            yield kind, ALL_MISSING, "nine of ten scores missing", is_refused


def copied_scores(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether scores of three independent runs are reported as copies: right or wrong answers, and real scores.

    Some questions are hard and others easy for all runs: their shares of right answers have a beta distribution, with
    which runs of a model agree on most questions or on many.
    """
    for n_questions, ability, alike in product((20, 50, 200), (0.5, 0.8, 0.95), (0.3, 2.0)):
        easiness = generator.beta(alike * ability, alike * (1 - ability), n_questions)
        answers = (generator.random((3, n_questions)) < easiness).astype(float)
        runs = {f"A/{number}": of_run for number, of_run in enumerate(answers)}
        runs["B/0"] = 1 - answers[0]
        source = f"right and wrong answers to {n_questions} questions"
        for kind, of_kind in (("warning", runs), ("power", runs | {"A/2": answers[1]})):
            read = _read(_table("accuracy", of_kind), directions={"accuracy": True})
            yield kind, "copied-scores", source, _has(read, "copied-scores")
    for metric, scores in real_scores().items():
        values = [*_some_of(scores, generator).values()]
        runs = {f"A/{number}": of_run for number, of_run in enumerate(values)}
        runs["B/0"] = values[0][::-1]
        for kind, of_kind in (("warning", runs), ("power", runs | {"A/1": values[0]})):
            read = _read(_table(metric, of_kind), directions={metric: True})
            yield kind, "copied-scores", "real scores, systems as runs", _has(read, "copied-scores")


def equal_answers(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether two systems that answer yes or no, each for itself, seem to have one file, and whether copies do.

    Shares of right answers are as in ``copied_scores``.
    """
    for n_questions, ability, alike in product((20, 50, 200), (0.8, 0.95), (0.3, 2.0)):
        easiness = generator.beta(alike * ability, alike * (1 - ability), n_questions)
        is_right = generator.random((2, n_questions)) < easiness
        source = f"yes and no to {n_questions} questions"
        for kind, second in (("warning", is_right[1]), ("power", is_right[0])):
            runs = []
            for system, of_system in (("A", is_right[0]), ("B", second)):
                runs.append(Run(system, "0", tuple("yes" if right else "no" for right in of_system.tolist())))
            test_set = TestSet("test", (("yes",),) * n_questions, tuple(runs), has_targets=True)
            findings = check(Experiment((test_set,), "A"), "sacrebleu")
            codes = {finding.code for finding in findings if finding.severity == "warning"}
            yield kind, "identical-systems", source, "identical-systems" in codes


def equal_runs(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether a warning calls independent runs that answer yes or no copies, and whether it finds a real copy.

    Shares of right answers are as in ``copied_scores``.
    """
    for n_questions, ability, alike in product((5, 20, 50, 200), (0.8, 0.95), (0.3, 2.0)):
        easiness = generator.beta(alike * ability, alike * (1 - ability), n_questions)
        is_right = generator.random((3, n_questions)) < easiness
        is_yes = generator.random(n_questions) < 0.5
        truth, wrong = np.where(is_yes, "yes", "no"), np.where(is_yes, "no", "yes")
        source = f"yes and no to {n_questions} questions"
        for kind, answers in (("warning", is_right), ("power", is_right[[0, 1, 1]])):
            files = [InputFile("reference.txt", "\n".join(truth.tolist()).encode())]
            for run, of_run in enumerate(answers):
                texts = np.where(of_run, truth, wrong)
                files.append(InputFile(f"A.{run}.txt", "\n".join(texts.tolist()).encode()))
            yield kind, "copied-runs", source, _has(_read(*files), "copied-runs")


# Names, and columns in outputs


def spellings(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether different systems on two test sets are reported as one system with two spellings."""
    letters = np.array([*ascii_letters])
    real = sorted({system for scores in real_scores().values() for system in scores})
    sources = {
        "names of WMT systems": lambda: generator.choice(real, 4, replace=False).tolist(),
        "names of one letter": lambda: generator.choice(letters, 4, replace=False).tolist(),
        "names of three letters": lambda: ["".join(generator.choice(letters, 3)) for _ in range(4)],
    }
    for source, names in sources.items():
        first, second, third, fourth = names()
        yield "warning", "not-compared", source, _are_taken_for_one([(first, second), (third, fourth)])
        other_case = first.swapcase()
        if other_case not in (first, second, third):
            yield "power", "not-compared", source, _are_taken_for_one([(first, second), (other_case, third)])


def _are_taken_for_one(names: Sequence[tuple[str, str]]) -> bool:
    """Return whether there is a warning about names of systems, two on each of two test sets."""
    rows = ["test_set\tsystem\tsegment\thypothesis\treference"]
    for number, systems in enumerate(names):
        for system in systems:
            rows += [f"t{number}\t{system}\t{segment}\t{system} {segment}\tr {segment}" for segment in range(1, 4)]
    return _has(_read(InputFile("outputs.tsv", "\n".join(rows).encode())), "not-compared")


@cache
def real_outputs() -> tuple[tuple[str, ...], ...]:
    """Return real outputs as lines: of WMT23, MultEval's example and the sample."""
    data = data_directory()
    paths = [*(data / "wmt23-he-en" / "system-outputs").glob("*.txt"), *(data / "multeval-example").glob("hyps.*")]
    paths += (ROOT / "sample_data").glob("*/test.opt0?.txt")
    return tuple(tuple(path.read_text(encoding="utf-8").splitlines()) for path in sorted(paths))


def columns(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether outputs or references are reported as columns, with and without tabs in their text.

    With a tab, half of the lines have one, e.g. before a formula or a list item.
    """
    lines = real_outputs()[generator.integers(len(real_outputs()))]
    for n_segments in (5, 20, 100):
        chosen = [lines[place] for place in generator.integers(len(lines), size=n_segments)]
        has_tab = generator.random(n_segments) < 0.5
        with_tabs = [f"\t{line}" if tab else line for line, tab in zip(chosen, has_tab, strict=True)]
        in_columns = [f"{line}\t{line}" for line in chosen]
        forms = (
            ("warning", "real texts", chosen),
            ("warning", f"a tab in half of {n_segments} lines", with_tabs),
            ("power", "real texts", in_columns),
        )
        for kind, source, texts in forms:
            yield kind, "output-columns", source, _has_finding(texts, chosen, "output-columns")
            yield kind, "reference-columns", source, _has_finding(chosen, texts, "reference-columns")


def lines(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether real lines seem to have numbers, IDs or quotation marks, and whether lines with IDs do."""
    of_output = real_outputs()[generator.integers(len(real_outputs()))]
    for n_lines in (5, 20, 100):
        start = generator.integers(len(of_output) - n_lines)
        chosen = of_output[start : start + n_lines]
        marked = {
            "warning": chosen,
            "power": [f"talk-{number:04} {line}" for number, line in enumerate(chosen)],
        }
        for kind, texts in marked.items():
            (document,) = _read(InputFile("a.txt", "\n".join(texts).encode())).documents
            yield kind, MARKED_LINES, f"{n_lines} neighbouring lines", bool(document.warnings)


def headers(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether a first line is taken for a header: one of real texts, a single word, and a real header."""
    of_output = real_outputs()[generator.integers(len(real_outputs()))]
    start = generator.integers(len(of_output) - 20)
    chosen = of_output[start : start + 20]
    terms = generator.permutation([*{word for line in of_output for word in line.split()}])[:20].tolist()
    for source, texts in (("20 neighbouring lines", chosen), ("20 words as terms", terms)):
        header = HEADERS[generator.integers(len(HEADERS))]
        for kind, of_kind in (("warning", texts), ("power", (header, *texts))):
            (document,) = _read(InputFile("a.txt", "\n".join(of_kind).encode())).documents
            yield kind, HEADER, source, any(HEADER_WORDS in warning for warning in document.warnings)


def _has_finding(outputs: Sequence[str], references: Sequence[str], code: str) -> bool:
    """Return whether the check of an output and its references warns."""
    runs = (Run("A", "0", tuple(outputs)),)
    test_set = TestSet("test", tuple((reference,) for reference in references), runs)
    findings = check(Experiment((test_set,), "A"), "sacrebleu")
    return any(finding.code == code and finding.severity == "warning" for finding in findings)


@cache
def real_references() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return real texts by kind of row: English references, and German and Ukrainian outputs of WMT25."""
    data = data_directory()
    english = [*(data / "wmt23-he-en").glob("ref?.en.txt"), *(data / "multeval-example").glob("refs.*")]
    english += (ROOT / "sample_data").glob("reference.*.txt")
    others: dict[str, list[str]] = defaultdict(list)
    for path in sorted((data / "wmt25-extract").glob("*.jsonl")):
        if ".scores." not in path.name:
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                others[row["doc_id"].partition("_")[0]] += row["hypothesis"].split("\n")
    return {
        "warning": tuple(tuple(path.read_text(encoding="utf-8").splitlines()) for path in sorted(english)),
        "power": tuple(tuple(lines) for _, lines in sorted(others.items())),
    }


def languages(generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield whether METEOR's English words are doubted for English references, and for others."""
    settings = Settings(metrics=("meteor",))
    for kind, texts in real_references().items():
        lines = texts[generator.integers(len(texts))]
        chosen = [lines[place] for place in generator.integers(len(lines), size=generator.choice([5, 20, 100]))]
        runs = (Run("A", "0", tuple(chosen)),)
        test_set = TestSet("test", tuple((line,) for line in chosen), runs)
        findings = findings_of(Experiment((test_set,), "A"), (), settings)
        source = "5 to 100 real references"
        yield kind, "meteor-language", source, any(finding.code == "meteor-language" for finding in findings)


DRAWS: tuple[Draw, ...] = (
    directions,
    numbers,
    missing_scores,
    copied_scores,
    equal_answers,
    equal_runs,
    spellings,
    columns,
    lines,
    headers,
    languages,
)


if __name__ == "__main__":
    main()
