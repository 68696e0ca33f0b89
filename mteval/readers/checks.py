"""Check loaded data for oddities."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, combinations
from operator import eq

import numpy as np

from mteval.base.store import kept_beside
from mteval.base.words import agreeing, counted, counted_part
from mteval.readers.appearance import appearances
from mteval.readers.assembly.alignment import misplaced, words_of
from mteval.readers.documents import grouped, named
from mteval.readers.seen_languages import unseen_languages
from mteval.values.findings import Finding, Level
from mteval.values.languages import LearnedMetric
from mteval.values.model import Experiment, Run, System, TestSet
from mteval.values.notation import percent
from mteval.values.run_words import OF_RELEASED, RUN, RunWord
from mteval.values.settings import Convention

SHORTEST_COPY = 3  # words; shorter lines are often the same in both languages
NEARLY_ALL = 0.9  # share of equal segments from which texts count as copies
FEWEST_LINES = 10  # fewer equal lines may be chance
LINES_AT_ONCE = 1 << 14
LENGTHS = (0.5, 2.0)  # characters of an output per character of the references


@kept_beside  # a command says what is wrong with the files first, and repeats it with the numbers
def check(
    experiment: Experiment, convention: Convention, learned: tuple[LearnedMetric, ...] = (), runs: RunWord = RUN
) -> tuple[Finding, ...]:
    """Check the data before any statistics, warnings first. Test sets of scores only have no texts to check.

    Parameters
    ----------
    convention
        How the metrics treat the text.
    learned
        Metrics to compute whose models' training languages are known.
    runs
        Word for a run.
    """
    findings: list[Finding] = []
    for test_set in (one for one in experiment.test_sets if one.has_texts):
        copied = [*_whole_copies(test_set, runs)]
        explained = {finding.systems for finding in copied}
        findings += (*_copies(test_set, runs, experiment.keeps_copies), *copied, *_near_copies(test_set, runs))
        findings += _empty(test_set, runs)
        order = (*_source_copies(test_set, runs), *_order(test_set, runs))
        findings += (finding for finding in order if finding.systems not in explained)
        findings += (*_marks(test_set, runs), *_lengths(test_set, runs), *_repeated(test_set, runs))
        findings += appearances(test_set, convention, runs)
    for test_set in experiment.test_sets:
        findings += (*_documents(test_set), *_equal_scores(experiment, test_set, runs))
        findings += unseen_languages(test_set, experiment.given, learned)
    findings += (*_single_runs(experiment, runs), *_samples(experiment, runs))
    return tuple(sorted(findings, key=lambda finding: finding.severity != "warning"))


_Texts = tuple[str, ...]  # digests of all decodings of a run
Find = Callable[[Run], list[int]]  # indices of the affected segments of a run


def _texts(run: Run) -> _Texts:
    return tuple(decoding.digest for decoding in run.decodings)


def _copies(test_set: TestSet, word: RunWord, keeps_copies: bool) -> Iterator[Finding]:
    """Yield findings about identical runs: within a system, across systems, and whole systems."""
    here, are = partial(Finding, test_set=test_set.name), f"are identical on '{test_set.name}'."
    systems_of = grouped((tuple(sorted(map(_texts, test_set.runs_of(one.key)))), one.key) for one in test_set.systems)
    identical = [group for group in systems_of.values() if len(group) > 1]
    for group in identical:
        yield here("identical-systems", f"The outputs of {named(group)} {are} Check the files.", systems=tuple(group))
    reason = "as in MultEval" if keeps_copies else "since their scores differ"
    for runs in _equal_runs(test_set):
        systems = tuple(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            detail = f"{_runs(word, (run.key for run in runs), systems[0])} {are} All count, {reason}."
            detail += f" Copies hide {word.luck}. Remove all but one, or load the right files."
            yield here("copied-runs", detail, systems=systems)
        elif not set(systems) <= {name for group in identical for name in group}:
            detail = f"{named(f'{run.system} {run.key}' for run in runs)} {are} Check the files."
            yield here("shared-output", detail, systems=systems)
    originals = {(run.system, _texts(run)): run.key for run in reversed(test_set.runs)}
    copies_of = grouped(((copy.system, originals[copy.system, _texts(copy)]), copy.key) for copy in test_set.copies)
    for (key, original), copies in copies_of.items():
        detail = f"{_runs(word, (original, *copies), key)} {are}"
        detail += f" They count as one {word.noun}. Remove the copies, or load the right files."
        yield here("copied-runs", detail, systems=(key,))
    columns = list(zip(*test_set.references, strict=True)) if len({*map(len, test_set.references)}) == 1 else []
    pairs = [(a, b) for a, b in combinations(range(len(columns)), 2) if equal_share(columns[a], columns[b]) >= 0.9]
    if pairs and test_set.n_segments >= FEWEST_LINES:
        about = named(f"{first + 1} and {second + 1}" for first, second in pairs)
        detail = f"References {about} on '{test_set.name}' agree in 90% of segments or more. Use independent ones."
        yield here("copied-references", detail)


def _equal_runs(test_set: TestSet) -> list[list[Run]]:
    """Group equal runs: first within each system, then one of each system across systems."""
    inside = grouped(((run.system, _texts(run)), run) for run in test_set.runs).values()
    across = grouped((_texts(group[0]), group[0]) for group in inside).values()
    return [group for group in (*inside, *across) if len(group) > 1]


def _runs(word: RunWord, keys: Iterable[str], system: str) -> str:
    """Return ``Runs 0 and 2 of 'base'``."""
    return f"{word.filled('{Runs}')} {named(keys)} of '{system}'"


def _output(word: RunWord, system: System, keys: Iterable[str]) -> str:
    """Return ``system 'base'``, or ``run 0 and 2 of system 'base'`` if there are others."""
    which = "" if len(system.runs) == 1 else f"{word.noun} {named(keys)} of "
    return f"{which}system '{system.key}'"


def equal_share(some: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of segments with equal texts."""
    return float(sum(map(eq, some, other))) / len(some)


def _whole_copies(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs that are a reference or the source, and a source that is a reference."""
    if test_set.n_segments < FEWEST_LINES:
        return
    references = [*map(tuple, zip(*test_set.references, strict=False))]
    sources = [test_set.source] if test_set.source else []
    originals = (("reference-as-system", "a reference", references), ("source-as-system", "the source", sources))
    for system in test_set.systems:
        runs = test_set.runs_of(system.key)
        for code, name, columns in originals:
            copies = [run for run in runs if any(equal_share(run.hypotheses, one) >= NEARLY_ALL for one in columns)]
            if copies and any(map(str.strip, copies[0].hypotheses)):
                about = _output(word, system, (run.key for run in copies))
                detail = f"The output of {about} on '{test_set.name}' equals {name} in 90% of segments or more, so its"
                detail += " scores mean nothing. Load its output instead."
                yield Finding(code, detail, test_set=test_set.name, systems=(system.key,))
                break
    if any(equal_share(source, column) >= NEARLY_ALL for source in sources for column in references):
        detail = f"The references on '{test_set.name}' equal the source in 90% of segments or more. Load translations."
        yield Finding("reference-as-source", detail, test_set=test_set.name)


def _near_copies(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield a finding per system with runs that agree in most segments, as checkpoints of one training do."""
    if test_set.n_segments < FEWEST_LINES or word.noun == OF_RELEASED:
        return
    for system in test_set.systems:
        runs = list({run.digest: run for run in test_set.runs_of(system.key) if any(run.hypotheses)}.values())
        texts = [np.fromiter(map(hash, run.hypotheses), np.int64, test_set.n_segments) for run in runs]  # many pairs
        pairs = combinations(zip(runs, texts, strict=True), 2)
        shares = {(a.key, b.key): float(np.mean(of_a == of_b)) for (a, of_a), (b, of_b) in pairs}
        if near := {keys: share for keys, share in shares.items() if share >= NEARLY_ALL}:
            (first, second), share = max(near.items(), key=lambda item: item[1])
            more = f" ({counted(len(near), 'pair')} of {word.nouns} agree in 90% or more)" if len(near) > 1 else ""
            detail = f"{_runs(word, (first, second), system.key)} on '{test_set.name}' agree in {share:.0%} of segments"
            detail += f"{more}. If they come from one training, they do not show {word.luck}."
            detail += " Declare their trainings to average within each."
            yield Finding("near-copies", detail, test_set=test_set.name, systems=(system.key,))


def _order(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs whose lines are reversed, shifted or unrelated to the references."""
    if not test_set.has_references:
        return
    reference = [max(texts, default="", key=len) for texts in test_set.references]
    words = cache(words_of)  # of lines that runs share
    for system in test_set.systems:
        found = ((run.key, misplaced(run.hypotheses, reference, words)) for run in test_set.runs_of(system.key))
        runs = {key: said for key, said in found if said}
        for said in dict.fromkeys(runs.values()):
            about = _output(word, system, (key for key, one in runs.items() if one == said))
            detail = f"The lines of {about} on '{test_set.name}' {said} Check the file."
            yield Finding("line-order", detail, test_set=test_set.name, systems=(system.key,))


# Per code: what every such trace contains, the trace, its name, and what to do.
_MARKS: Mapping[str, tuple[str, re.Pattern[str], str, str]] = {
    "subwords": ("@\u2581", re.compile(r"@@( |$)|\u2581"), "subword marks (@@, \u2581)", "Join the subwords first."),
    "entities": ("&", re.compile(r"&(amp|quot|apos|lt|gt|#\d+);"), "escaped characters (&quot;)",
                 "Unescape them, e.g. with Moses' deescape-special-chars."),
    "encoding": ("\u00c3\u20ac\ufffd", re.compile(r"\u00c3[\u0080-\u00bf]|\u00e2\u20ac|\ufffd"),
                 "garbled characters", "Save it as UTF-8 again."),
}  # fmt: skip


def _marks(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about traces of another step of the pipeline that the references do not show."""
    references = tuple(chain.from_iterable(test_set.references))
    for code, (needed, pattern, what, meaning) in _MARKS.items():
        if not any(pattern.search(text) for _, text in _joined(references)):
            yield from _per_system(test_set, word, code, what, meaning, partial(_marked, needed, pattern), 0.05)


def _marked(needed: str, pattern: re.Pattern[str], run: Run) -> list[int]:
    found: list[int] = []
    for start, text in _joined(run.hypotheses):
        if any(character in text for character in needed):  # most lines are not worth the search
            lines = run.hypotheses[start : start + LINES_AT_ONCE]
            found += (index for index, line in enumerate(lines, start) if pattern.search(line))
    return found


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the first of some lines at a time, and their text; all text at once would take much memory."""
    for start in range(0, len(lines), LINES_AT_ONCE):
        yield start, "\n".join(lines[start : start + LINES_AT_ONCE])


def _lengths(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs that are much shorter or longer than the references."""
    expected = sum(len(text) / len(texts) for texts in test_set.references for text in texts)
    for system in test_set.systems if expected and test_set.n_segments >= FEWEST_LINES else ():
        shares = {run.key: sum(map(len, run.hypotheses)) / expected for run in test_set.runs_of(system.key)}
        if odd := {key: share for key, share in shares.items() if not LENGTHS[0] <= share <= LENGTHS[1] and share}:
            key, share = next(iter(odd.items()))
            has = f"has {percent(share, 0)} of the references' length. Check the file."
            detail = f"On '{test_set.name}', the output of {_output(word, system, (key,))} {has}"
            yield Finding("length", detail, test_set=test_set.name, systems=(system.key,))


def _repeated(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about one output for at least half of the segments."""
    for system in test_set.systems if test_set.n_segments >= FEWEST_LINES else ():
        for run in test_set.runs_of(system.key):
            (text, count), *_ = Counter(run.hypotheses).most_common(1)
            if text.strip() and 2 * count >= test_set.n_segments and len({*test_set.references}) > count:
                where = f"{word.noun} {run.key} of '{system.key}' on '{test_set.name}'"
                detail = f"{counted_part(count, test_set.n_segments, 'segment')} of {where} have the same output."
                yield Finding("repeated-lines", detail, test_set=test_set.name, systems=(system.key,))
                break


def _documents(test_set: TestSet) -> Iterator[Finding]:
    ids = test_set.documents
    if ids is not None and len(ids) > 1 and len(set(ids)) == len(ids):
        detail = f"Every document on '{test_set.name}' has one segment. Check that the file lists documents."
        yield Finding("document-ids", detail, "note", test_set.name)


def _equal_scores(experiment: Experiment, test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about runs without texts whose scores are all equal."""
    for metric in experiment.given if not test_set.has_texts else ():
        scores = (one for one in metric.scores if one.test_set == test_set.name and len({*one.values}) > 1)
        for (system, _), keys in grouped(((one.system, one.values), one.run) for one in scores).items():
            if len(keys) > 1:
                detail = f"{_runs(word, keys, system)} have the same {metric.name} for every segment of"
                detail += f" '{test_set.name}'. All count. If they are copies, remove all but one."
                yield Finding("copied-scores", detail, test_set=test_set.name, systems=(system,), metrics=(metric.key,))


def _empty(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    yield from _per_system(
        *(test_set, word, "empty-hypotheses", "empty hypotheses", "They count as empty translations."),
        lambda run: [index for index, text in enumerate(run.hypotheses) if not text.strip()],
    )
    if empty := [index for index, texts in enumerate(test_set.references) if not all(map(str.strip, texts))]:
        affected = counted_part(len(empty), test_set.n_segments, "segment")
        detail = f"Test set '{test_set.name}' has an empty reference in {affected} (first: {empty[0] + 1})."
        detail += " Any output counts as wrong there. Fix the reference."
        yield Finding("empty-references", detail, test_set=test_set.name)


def _source_copies(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    lines = enumerate(test_set.source or ())
    long_enough = {index: line for index, line in lines if len(line.split()) >= SHORTEST_COPY}
    yield from _per_system(
        *(test_set, word, "source-copies", "segments identical to the source"),
        "If there are many, check that this is a translation.",
        lambda run: [index for index, line in long_enough.items() if run.hypotheses[index] == line],
        0.05,  # share of segments; fewer are names, numbers and addresses
    )


def _per_system(
    test_set: TestSet, word: RunWord, code: str, what: str, meaning: str, find: Find, many: float = 0.0
) -> Iterator[Finding]:
    """Yield one finding per affected system; a note if at most a share ``many`` of its segments is affected."""
    for system in test_set.systems:
        if not (affected := [(run, segments) for run in test_set.runs_of(system.key) if (segments := find(run))]):
            continue
        run, segments = max(affected, key=lambda item: len(item[1]))
        runs = f" in {len(affected)} of {counted(len(system.runs), word.noun)} (most in {word.noun} '{run.key}')"
        runs = "" if len(system.runs) == 1 else runs
        where = f"{len(segments):,} of {test_set.n_segments:,} (first: {segments[0] + 1:,})"
        detail = f"System '{system.key}' on '{test_set.name}' has {what}{runs}: {where}. {meaning}"
        level: Level = "warning" if len(segments) > many * test_set.n_segments else "note"
        yield Finding(code, detail, level, test_set.name, (system.key,))


def _single_runs(experiment: Experiment, word: RunWord) -> Iterator[Finding]:
    if single := [system.key for system in experiment.systems if len(system.runs) == 1]:
        detail = word.filled("One {run} per system.")
        if len(single) < len(experiment.systems):
            detail = f"{named(single)} {agreeing(len(single), 'has', 'have')} one {word.noun}."
        detail += f" Three {word.nouns} per system would show whether new {word.nouns} change the result."
        if single == [experiment.baseline] and len(experiment.systems) > 1:
            detail += " Or declare the baseline as fixed in the settings."
        yield Finding("single-runs", detail, "note", systems=tuple(single))


def _samples(experiment: Experiment, word: RunWord) -> Iterator[Finding]:
    if sampled := {run.system: None for test_set in experiment.test_sets for run in test_set.runs if run.samples}:
        detail = word.filled("{Runs} of ") + named(sampled)
        detail += word.filled(" have several decoding samples, whose scores are averaged within {a_run}.")
        detail += f" Pages show the text of the first sample. Samples do not show {word.luck}."
        yield Finding("samples", detail, "note", systems=tuple(sampled))
