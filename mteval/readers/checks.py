"""Check loaded data for oddities."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, compress
from operator import contains, eq, ne

import numpy as np

from mteval.base.store import kept_beside
from mteval.base.words import agreeing, counted, counted_part
from mteval.readers.appearance import appearance_findings
from mteval.readers.assembly.alignment import WordLines, misplaced
from mteval.readers.chance import Chance
from mteval.readers.documents import grouped, named, shared_columns
from mteval.readers.seen_languages import unseen_languages
from mteval.values.findings import Finding, Level
from mteval.values.languages import LearnedMetric
from mteval.values.model import Experiment, Run, System, TestSet
from mteval.values.notation import percent
from mteval.values.run_words import RUN, SAMPLE_NOUN, RunWord
from mteval.values.settings import Convention

SHORTEST_COPY = 3  # words; shorter lines are often the same in both languages
NEARLY_ALL = 0.9  # share of equal segments from which texts count as copies
MORE_OF_REFERENCE = 0.05  # lines that one system shares with a reference, more than any other
MANY_LINES = 50  # a better system on simple text does not share so many more by chance
FEWEST_LINES = 10  # fewer equal lines may be chance
LINES_AT_ONCE = 1 << 11
SHORTEST = 0.5  # characters of an output per character of the references
LONGEST = 2.0
ALIKE = "Outputs that are so alike may be equal by chance."
FEW = 0.05  # share of segments with a trace that may be chance, such as names, numbers and addresses


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
    for test_set in experiment.test_sets:
        if test_set.has_texts:
            findings += _findings_of_texts(test_set, convention, runs, experiment.keeps_copies)
    for test_set in experiment.test_sets:
        findings += _documents(test_set)
        findings += _equal_scores(experiment, test_set, runs)
        findings += unseen_languages(test_set, experiment.given, learned)
    findings += _near_copies(experiment, runs)
    findings += _single_runs(experiment, runs)
    findings += _samples(experiment, runs)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "warning"))


def _findings_of_texts(
    test_set: TestSet, convention: Convention, word: RunWord, keeps_copies: bool
) -> Iterator[Finding]:
    """Yield the findings about the texts of one test set.

    An answer need not look like the target of a benchmark, and a good one equals it.
    """
    if test_set.has_targets:
        yield from _copies(test_set, word, keeps_copies)
        yield from _empty(test_set, word)
        yield from _repeated(test_set, word)
        return
    yield from _copies(test_set, word, keeps_copies)
    whole_copies = list(_whole_copies(test_set, word))
    yield from whole_copies
    yield from _reference_lines(test_set)
    yield from _empty(test_set, word)
    yield from _reference_columns(test_set)
    yield from output_columns(test_set, word)

    # A copy of the source repeats its lines and fits no reference, which is explained already.
    explained = {finding.systems for finding in whole_copies}
    for finding in chain(_source_copies(test_set, word), _order(test_set, word)):
        if finding.systems not in explained:
            yield finding

    yield from _marks(test_set, word)
    yield from _lengths(test_set, word)
    yield from _repeated(test_set, word)
    yield from appearance_findings(test_set, convention, word)


# Sentences about runs, and comparisons of their texts


def _runs(word: RunWord, keys: Iterable[str], system: str) -> str:
    """Return ``Runs 0 and 2 of 'base'``."""
    return f"{word.filled('{Runs}')} {named(keys)} of '{system}'"


def _output(word: RunWord, system: System, keys: Sequence[str]) -> str:
    """Return ``system 'base'``, or ``runs 0 and 2 of system 'base'`` if there are others."""
    if len(system.runs) == 1:
        return f"system '{system.key}'"
    noun = word.noun if len(keys) == 1 else word.nouns
    return f"{noun} {named(keys)} of system '{system.key}'"


def nearly_equal(texts: Sequence[str], other_texts: Sequence[str]) -> bool:
    """Return whether texts are equal in nearly all segments."""
    n_segments = len(texts)
    # Most texts differ in too many segments already among the first
    first = slice(n_segments // 4)
    if sum(map(ne, texts[first], other_texts[first])) > (1 - NEARLY_ALL) * n_segments + 1:
        return False
    return bool(sum(map(eq, texts, other_texts)) / n_segments >= NEARLY_ALL)


_Digests = tuple[str, ...]  # of all decodings of a run


def _digests_of(run: Run) -> _Digests:
    return tuple(decoding.digest for decoding in run.decodings)


# Copies


def _copies(test_set: TestSet, word: RunWord, keeps_copies: bool) -> Iterator[Finding]:
    """Yield findings about identical systems, runs and references."""
    identical_systems = _identical_systems(test_set)
    for systems in identical_systems:
        detail = f"The outputs of {named(systems)} are identical on '{test_set.name}'."
        severity, remedy = _about_equal(test_set, test_set.runs_of(systems[0])[0])
        yield Finding("identical-systems", f"{detail} {remedy}", severity, test_set.name, tuple(systems))
    yield from _identical_runs(test_set, word, keeps_copies, set(chain.from_iterable(identical_systems)))
    yield from uncounted_copies(test_set, word)
    yield from _identical_references(test_set)


def _identical_systems(test_set: TestSet) -> list[list[str]]:
    """Return groups of systems with the same outputs, in whatever order of their runs."""
    pairs = []
    for system in test_set.systems:
        digests = tuple(sorted(_digests_of(run) for run in test_set.runs_of(system.key)))
        pairs.append((digests, system.key))
    return [systems for systems in grouped(pairs).values() if len(systems) > 1]


def _identical_runs(test_set: TestSet, word: RunWord, keeps_copies: bool, explained: set[str]) -> Iterator[Finding]:
    """Yield findings about identical runs that all count, within a system and across systems.

    ``explained`` lists the systems that are identical to another as a whole.
    """
    reason = "as in MultEval" if keeps_copies else "since their scores differ"
    chance = Chance(test_set)
    for runs in _equal_runs(test_set):
        systems = tuple(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            keys = [run.key for run in runs]
            detail = f"{_runs(word, keys, systems[0])} are identical on '{test_set.name}'."
            severity: Level = "warning"
            if not keeps_copies and chance.may_repeat(runs[0]):
                detail += f" All count. {ALIKE} If they are copies, which hide {word.luck}, remove all but one."
                severity = "note"
            else:
                detail += f" All count, {reason}."
                detail += f" Copies hide {word.luck}. Remove all but one, or load the right files."
            yield Finding("copied-runs", detail, severity, test_set.name, systems)
        elif not explained.issuperset(systems):
            names = named(f"{run.system} {run.key}" for run in runs)
            severity, remedy = _about_equal(test_set, runs[0])
            detail = f"{names} are identical on '{test_set.name}'. {remedy}"
            yield Finding("shared-output", detail, severity, test_set.name, systems)


def _about_equal(test_set: TestSet, run: Run) -> tuple[Level, str]:
    """Return the severity of a finding on equal outputs of systems, and what to do.

    Good answers are equal, and few wrong ones may be so by chance.
    """
    if test_set.has_targets:
        pairs = zip(run.hypotheses, test_set.references, strict=True)
        n_wrong = sum(text not in references for text, references in pairs)
        if n_wrong < FEWEST_LINES:
            return "note", "Good systems may give the same answers if few are wrong."
    return "warning", "Check the files."


def _equal_runs(test_set: TestSet) -> list[list[Run]]:
    """Group equal runs: first within each system, then the first such run of each system across systems."""
    within_systems = grouped(((run.system, _digests_of(run)), run) for run in test_set.runs)
    first_runs = [runs[0] for runs in within_systems.values()]
    across_systems = grouped((_digests_of(run), run) for run in first_runs)
    return [runs for runs in chain(within_systems.values(), across_systems.values()) if len(runs) > 1]


def uncounted_copies(test_set: TestSet, word: RunWord = RUN) -> Iterator[Finding]:
    """Yield findings about copies of a run that were set aside when the files were read."""
    chance = Chance(test_set)
    original_of: dict[tuple[str, _Digests], str] = {}
    for run in test_set.runs:
        original_of.setdefault((run.system, _digests_of(run)), run.key)
    pairs = []
    for copy in test_set.copies:
        original = original_of[copy.system, _digests_of(copy)]
        pairs.append(((copy.system, original, chance.may_repeat(copy)), copy.key))
    for (system, original, may_be_chance), copies in grouped(pairs).items():
        detail = f"{_runs(word, (original, *copies), system)} are identical on '{test_set.name}'."
        detail += f" They count as one {word.noun}."
        severity: Level = "warning"
        if may_be_chance:
            detail += f" {ALIKE} If they are copies, load the right files."
            severity = "note"
        else:
            detail += " Remove the copies, or load the right files."
        yield Finding("copied-runs", detail, severity, test_set.name, (system,))


def _identical_references(test_set: TestSet) -> Iterator[Finding]:
    """Yield a finding if references agree nearly everywhere, where every segment has as many."""
    numbers_of_references = {len(references) for references in test_set.references}
    if len(numbers_of_references) > 1 or test_set.n_segments < FEWEST_LINES:
        return
    pairs = []
    columns = enumerate(_reference_texts(test_set), start=1)
    for (first, first_texts), (second, second_texts) in combinations(columns, 2):
        if nearly_equal(first_texts, second_texts):
            pairs.append(f"{first} and {second}")
    if pairs:
        detail = f"References {named(pairs)} on '{test_set.name}' agree in 90% of segments or more."
        detail += " Use independent ones."
        yield Finding("copied-references", detail, test_set=test_set.name)


def _reference_texts(test_set: TestSet) -> list[list[str]]:
    """Return the references that every segment has, one list each; ``zip`` would make an iterator per segment."""
    n_references = min(map(len, test_set.references))
    return [[texts[place] for texts in test_set.references] for place in range(n_references)]


def _whole_copies(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs that are a reference or the source, and a source that is a reference."""
    if test_set.n_segments < FEWEST_LINES:
        return
    references = _reference_texts(test_set)
    sources = [test_set.source] if test_set.source else []
    for system in test_set.systems:
        copies = _runs_equal_to(references, test_set, system)
        code = "reference-as-system"
        original = "a reference"
        if not copies:
            copies = _runs_equal_to(sources, test_set, system)
            code = "source-as-system"
            original = "the source"
        if copies:
            output = _output(word, system, copies)
            detail = f"The output of {output} on '{test_set.name}' equals {original} in 90% of segments or more,"
            detail += " so its scores mean nothing. Load its output instead."
            yield Finding(code, detail, test_set=test_set.name, systems=(system.key,))
    for source in sources:
        if any(nearly_equal(source, column) for column in references):
            detail = f"The references on '{test_set.name}' equal the source in 90% of segments or more."
            detail += " Load translations."
            yield Finding("reference-as-source", detail, test_set=test_set.name)


def _reference_lines(test_set: TestSet) -> Iterator[Finding]:
    """Yield a finding if one system shares many more lines with a reference than any other does."""
    if test_set.n_segments < FEWEST_LINES or not test_set.has_references or len(test_set.systems) < 2:
        return
    shares: dict[str, float] = {}
    for system in test_set.systems:
        shares_of_runs = []
        for run in test_set.runs_of(system.key):
            equal_lines = compress(run.hypotheses, map(contains, test_set.references, run.hypotheses))
            n_equal = sum(1 for line in equal_lines if line.strip())
            shares_of_runs.append(n_equal / test_set.n_segments)
        shares[system.key] = sum(shares_of_runs) / len(shares_of_runs)
    first, second, *_ = sorted(shares, key=lambda system: -shares[system])
    n_first, n_second = (round(shares[system] * test_set.n_segments) for system in (first, second))
    is_many = shares[first] - shares[second] >= MORE_OF_REFERENCE and n_first - n_second >= MANY_LINES
    is_a_copy = shares[first] >= NEARLY_ALL  # a finding of its own
    if not is_many or n_first < 2 * n_second or is_a_copy:
        return
    detail = (
        f"{counted_part(n_first, test_set.n_segments, 'line')} of '{first}' on '{test_set.name}' equal a reference;"
        f" the next system has {n_second:,}. If this reference was made from the output of '{first}', its scores"
        " are too high: use another reference."
    )
    yield Finding("reference-lines", detail, test_set=test_set.name, systems=(first,))


def _runs_equal_to(originals: Sequence[Sequence[str]], test_set: TestSet, system: System) -> list[str]:
    """Return the keys of a system's runs that nearly equal one of the texts; none if the first such run is blank."""
    copies = []
    for run in test_set.runs_of(system.key):
        if any(nearly_equal(run.hypotheses, original) for original in originals):
            copies.append(run)
    if not copies or not any(map(str.strip, copies[0].hypotheses)):
        return []
    return [run.key for run in copies]


def _near_copies(experiment: Experiment, word: RunWord) -> Iterator[Finding]:
    """Yield a note on the runs that agree in most segments, with the nearest pair of each system and test set."""
    if word.noun == SAMPLE_NOUN:
        return
    nearest_pairs = []
    systems: dict[str, None] = {}
    for test_set in experiment.test_sets:
        if test_set.n_segments < FEWEST_LINES or not test_set.has_texts:
            continue
        for system in test_set.systems:
            # Identical runs are a finding of their own.
            distinct_runs = {run.digest: run for run in test_set.runs_of(system.key) if any(run.hypotheses)}
            near = _near_pairs(list(distinct_runs.values()), test_set.n_segments)
            if near:
                nearest = max(near, key=lambda keys: near[keys])
                nearest_pairs.append(f"{named(nearest)} of '{system.key}' on '{test_set.name}' ({near[nearest]:.0%})")
                systems[system.key] = None
    if nearest_pairs:
        detail = f"Some {word.nouns} agree in 90% of segments or more: {named(nearest_pairs)}."
        detail += f" {word.filled('{Runs}')} that reach the same optimum look like this, too."
        yield Finding("near-copies", detail, "note", systems=tuple(systems))


def _near_pairs(runs: Sequence[Run], n_segments: int) -> dict[tuple[str, str], float]:
    """Return the pairs of runs that agree in most segments, by their keys, with the share of these segments."""
    # Hashes of texts, shape (runs, segments): comparing the texts of many pairs would take long.
    hashes = np.empty((len(runs), n_segments), dtype=np.int64)
    for row, run in zip(hashes, runs, strict=True):
        row[:] = np.fromiter(map(hash, run.hypotheses), np.int64, n_segments)
    # Most pairs differ in too many segments already among the first
    first = np.ascontiguousarray(hashes[:, : n_segments // 4])
    most_unlike = (1 - NEARLY_ALL) * n_segments + 1
    share_of = {}
    for place, run in enumerate(runs):
        # A run with all later ones at once: 500 runs have 124,750 pairs
        n_unlike = np.count_nonzero(first[place + 1 :] != first[place], axis=1)
        later_places = place + 1 + np.flatnonzero(n_unlike < most_unlike)
        shares = np.count_nonzero(hashes[later_places] == hashes[place], axis=1) / n_segments
        for later_place, share in zip(later_places.tolist(), shares.tolist(), strict=True):
            if share >= NEARLY_ALL:
                share_of[run.key, runs[later_place].key] = share
    return share_of


# Order of lines, and traces in the text


def _order(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs whose lines are reversed, shifted or unrelated to the references."""
    if not test_set.has_references:
        return
    longest_references = [max(texts, default="", key=len) for texts in test_set.references]
    references = WordLines.of(longest_references)
    for system in test_set.systems:
        pairs = []
        for run in test_set.runs_of(system.key):
            predicate = misplaced(WordLines.of(run.hypotheses), references)
            if predicate:
                pairs.append((predicate, run.key))
        for predicate, keys in grouped(pairs).items():
            output = _output(word, system, keys)
            detail = f"The lines of {output} on '{test_set.name}' {predicate} Check the file."
            yield Finding("line-order", detail, test_set=test_set.name, systems=(system.key,))


@dataclass(frozen=True)
class _Mark:
    """A trace of another step of the pipeline.

    Parameters
    ----------
    characters
        Every such trace contains one of these.
    name, remedy
        For the finding.
    """

    code: str
    characters: str
    pattern: re.Pattern[str]
    name: str
    remedy: str


_MARKS = (
    _Mark(
        "subwords",
        "@\u2581",
        re.compile(r"@@( |$)|\u2581"),
        "subword marks (@@, \u2581)",
        "Join the subwords first.",
    ),
    _Mark(
        "entities",
        "&",
        re.compile(r"&(amp|quot|apos|lt|gt|#\d+);"),
        "escaped characters (&quot;)",
        "Unescape them, e.g. with Moses' deescape-special-chars.",
    ),
    _Mark(
        "entities",
        "\\",
        # Commands of LaTeX may begin with \n, too
        re.compile(r"\\u[0-9a-fA-F]{4}|\\n(?!abla|eq|e\b|ew|ot|oindent|ode|u\b|ormal)|\\\""),
        "escaped characters (\\n)",
        "Decode them, e.g. by reading the outputs from JSON.",
    ),
    _Mark(
        "encoding",
        "\u00c3\u20ac\ufffd",
        re.compile(r"\u00c3[\u0080-\u00bf]|\u00e2\u20ac|\ufffd"),
        "garbled characters",
        "Save it as UTF-8 again.",
    ),
)


def _marks(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about traces of another step of the pipeline that the references do not show."""
    references = tuple(chain.from_iterable(test_set.references))
    characters = _characters_of_marks(test_set.runs)
    for mark in _MARKS:
        if characters.isdisjoint(mark.characters):
            continue
        is_in_references = any(mark.pattern.search(text) for _, text in _joined(references))
        if not is_in_references:
            find = partial(_marked, mark)
            yield from _per_system(test_set, word, find, mark.code, mark.name, mark.remedy, FEW)


def _characters_of_marks(runs: Iterable[Run]) -> set[str]:
    """Return those characters of marks that any output has; most outputs have none."""
    sought = set(chain.from_iterable(mark.characters for mark in _MARKS))
    in_outputs: set[str] = set()
    for run in runs:
        for _, text in _joined(run.hypotheses):
            in_outputs.update(character for character in sought - in_outputs if character in text)
    return in_outputs


def _marked(mark: _Mark, run: Run) -> list[int]:
    """Return the indices of the segments of a run with the trace."""
    segments: list[int] = []
    for start, text in _joined(run.hypotheses):
        if any(character in text for character in mark.characters):  # most lines are not worth the search
            lines = run.hypotheses[start : start + LINES_AT_ONCE]
            segments += (index for index, line in enumerate(lines, start) if mark.pattern.search(line))
    return segments


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the first of some lines at a time, and their text; all text at once would take much memory."""
    for start in range(0, len(lines), LINES_AT_ONCE):
        yield start, "\n".join(lines[start : start + LINES_AT_ONCE])


def _lengths(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about outputs that are much shorter or longer than the references."""
    # The mean length of a segment's references, summed over segments
    expected = sum(len(text) / len(texts) for texts in test_set.references for text in texts)
    if not expected or test_set.n_segments < FEWEST_LINES:
        return
    for system in test_set.systems:
        for run in test_set.runs_of(system.key):
            share = sum(map(len, run.hypotheses)) / expected
            if share == 0 or SHORTEST <= share <= LONGEST:
                continue
            detail = f"On '{test_set.name}', the output of {_output(word, system, (run.key,))}"
            detail += f" has {percent(share, 0)} of the references' length. Check the file."
            yield Finding("length", detail, test_set=test_set.name, systems=(system.key,))
            break  # the first such run of a system


def _repeated(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about one output for at least half of the segments."""
    if test_set.n_segments < FEWEST_LINES:
        return
    for system in test_set.systems:
        for run in test_set.runs_of(system.key):
            if 2 * len(set(run.hypotheses)) > test_set.n_segments + 2:
                continue  # too many distinct outputs for one that makes half of them
            text, count = Counter(run.hypotheses).most_common(1)[0]
            is_most = text.strip() and 2 * count >= test_set.n_segments
            if is_most and len(set(test_set.references)) > count:
                output = f"{word.noun} {run.key} of '{system.key}' on '{test_set.name}'"
                detail = f"{counted_part(count, test_set.n_segments, 'segment')} of {output} have the same output."
                yield Finding("repeated-lines", detail, test_set=test_set.name, systems=(system.key,))
                break  # the first such run of a system


def _empty(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about segments with an empty hypothesis or reference."""

    def empty_hypotheses(run: Run) -> list[int]:
        if all(map(str.strip, run.hypotheses)):
            return []
        return [index for index, text in enumerate(run.hypotheses) if not text.strip()]

    meaning = "They count as empty answers." if test_set.has_targets else "They count as empty translations."
    yield from _per_system(test_set, word, empty_hypotheses, "empty-hypotheses", "empty hypotheses", meaning)

    if all(map(str.strip, chain.from_iterable(test_set.references))):
        return
    some_empty: list[int] = []
    all_empty: list[int] = []
    for index, texts in enumerate(test_set.references):
        n_empty = sum(not text.strip() for text in texts)
        if n_empty:
            (all_empty if n_empty == len(texts) else some_empty).append(index)
    meaning_of = (
        (all_empty, "Any output counts as wrong there. Fix the reference."),
        (some_empty, "The other references of these segments count. Fix the empty one."),
    )
    for segments, meaning in meaning_of:
        if segments:
            affected = counted_part(len(segments), test_set.n_segments, "segment")
            detail = f"Test set '{test_set.name}' has an empty reference in {affected} (first: {segments[0] + 1})."
            yield Finding("empty-references", f"{detail} {meaning}", test_set=test_set.name)


def _reference_columns(test_set: TestSet) -> Iterator[Finding]:
    """Yield a finding if every line of a reference has the same number of tabs, as only columns have."""
    if test_set.n_segments < 2:
        return
    for place in range(max(map(len, test_set.references), default=0)):
        n_columns = shared_columns([texts[place] for texts in test_set.references if place < len(texts)])
        if n_columns == 1 or any(shared_columns(run.hypotheses) == n_columns for run in test_set.runs):
            continue
        detail = (
            f"Each line of a reference of '{test_set.name}' has {counted(n_columns, 'column')} separated by tabs, which"
            f" count as one text. For {counted(n_columns, 'reference')}, use --num-refs {n_columns} on the command"
            " line, or split the file on Load."
        )
        yield Finding("reference-columns", detail, test_set=test_set.name)


def output_columns(test_set: TestSet, word: RunWord = RUN) -> Iterator[Finding]:
    """Yield a finding per system if every line of its outputs, but not of a reference, has equally many tabs."""
    if test_set.n_segments < 2:
        return
    for system in test_set.systems:
        n_columns_of = {run.key: shared_columns(run.hypotheses) for run in test_set.runs_of(system.key)}
        in_columns = [key for key, n_columns in n_columns_of.items() if n_columns > 1]
        if not in_columns or _references_share_columns(test_set, n_columns_of[in_columns[0]]):
            continue
        n_columns = counted(n_columns_of[in_columns[0]], "column")
        detail = (
            f"Each line of {_output(word, system, in_columns)} on '{test_set.name}' has {n_columns} separated by tabs,"
            " which count as one text. Give each column a file of its own, or add a first line that names the columns"
            " (system, segment, hypothesis, reference, source)."
        )
        yield Finding("output-columns", detail, test_set=test_set.name, systems=(system.key,))


def _references_share_columns(test_set: TestSet, n_columns: int) -> bool:
    """Return whether every line of the first references has as many columns."""
    return shared_columns([texts[0] for texts in test_set.references if texts]) == n_columns


def _source_copies(test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about segments that repeat the source."""
    sources = enumerate(test_set.source or ())
    long_enough = {index: line for index, line in sources if len(line.split()) >= SHORTEST_COPY}

    def copied_segments(run: Run) -> list[int]:
        return [index for index, line in long_enough.items() if run.hypotheses[index] == line]

    trace = "segments identical to the source"
    meaning = "If there are many, check that this is a translation."
    yield from _per_system(test_set, word, copied_segments, "source-copies", trace, meaning, FEW)


def _per_system(
    test_set: TestSet,
    word: RunWord,
    find: Callable[[Run], list[int]],
    code: str,
    trace: str,
    meaning: str,
    few: float = 0.0,
) -> Iterator[Finding]:
    """Yield one finding per affected system, about its run with most affected segments.

    Parameters
    ----------
    find
        Returns the indices of the affected segments of a run.
    trace, meaning
        What the outputs have, and what it means.
    few
        The finding is a note if at most this share of segments is affected.
    """
    for system in test_set.systems:
        affected: list[tuple[Run, list[int]]] = []
        for run in test_set.runs_of(system.key):
            segments = find(run)
            if segments:
                affected.append((run, segments))
        if not affected:
            continue
        run, segments = max(affected, key=lambda item: len(item[1]))
        detail = f"System '{system.key}' on '{test_set.name}' has {trace}"
        if len(system.runs) > 1:
            runs = counted(len(system.runs), word.noun)
            detail += f" in {len(affected)} of {runs} (most in {word.noun} '{run.key}')"
        detail += f": {len(segments):,} of {test_set.n_segments:,} (first: {segments[0] + 1:,}). {meaning}"
        severity: Level = "note"
        if len(segments) > few * test_set.n_segments:
            severity = "warning"
        yield Finding(code, detail, severity, test_set.name, (system.key,))


# Documents, scores and runs


def _documents(test_set: TestSet) -> Iterator[Finding]:
    """Yield a finding if every segment is a document."""
    ids = test_set.documents
    if ids is not None and len(ids) > 1 and len(set(ids)) == len(ids):
        detail = f"Every document on '{test_set.name}' has one segment. Check that the file lists documents."
        yield Finding("document-ids", detail, "note", test_set.name)


def _equal_scores(experiment: Experiment, test_set: TestSet, word: RunWord) -> Iterator[Finding]:
    """Yield findings about runs without texts whose scores are all equal."""
    if test_set.has_texts:
        return
    for metric in experiment.given:
        pairs = []
        for scores in metric.scores:
            # Constant scores are equal by nature.
            if scores.test_set == test_set.name and len(set(scores.values)) > 1:
                pairs.append(((scores.system, scores.values), scores.run))
        for (system, values), keys in grouped(pairs).items():
            if len(keys) < 2:
                continue
            detail = f"{_runs(word, keys, system)} have the same {metric.name} for every segment of"
            detail += f" '{test_set.name}'. All count. If they are copies, remove all but one."
            severity: Level = "warning"
            if _may_be_equal_by_chance(values):
                detail += f" Different {word.nouns} may agree by chance if few segments have unusual scores."
                severity = "note"
            yield Finding("copied-scores", detail, severity, test_set.name, (system,), (metric.key,))


def _may_be_equal_by_chance(values: Sequence[float | None]) -> bool:
    """Return whether independent runs may have equal scores: few values, and few segments without the usual one.

    Answers are right or wrong, and runs of one model often err on the same questions (``benchmarks/right_files.py``).
    """
    counts = Counter(values)
    _, n_usual = counts.most_common(1)[0]
    return 2 * len(counts) <= len(values) and len(values) - n_usual < FEWEST_LINES


def _single_runs(experiment: Experiment, word: RunWord) -> Iterator[Finding]:
    """Yield a note if systems have one run."""
    single = [system.key for system in experiment.systems if len(system.runs) == 1]
    if not single:
        return
    if len(single) == len(experiment.systems):
        detail = word.filled("One {run} per system.")
    else:
        detail = f"{named(single)} {agreeing(len(single), 'has', 'have')} one {word.noun}."
    copied = {copy.system for test_set in experiment.test_sets for copy in test_set.copies}
    of_equal_runs = [system for system in single if system in copied]
    if of_equal_runs:
        detail += f" Equal {word.nouns} of {named(of_equal_runs)} count as one."
    detail += f" Three {word.nouns} per system would show whether new {word.nouns} change the result."
    if single == [experiment.baseline] and len(experiment.systems) > 1:
        detail += " Or declare the baseline as fixed in the settings."
    yield Finding("single-runs", detail, "note", systems=tuple(single))


def _samples(experiment: Experiment, word: RunWord) -> Iterator[Finding]:
    """Yield a note if runs have several decodings."""
    sampled: dict[str, None] = {}
    for test_set in experiment.test_sets:
        sampled.update(dict.fromkeys(run.system for run in test_set.runs if run.samples))
    if not sampled:
        return
    detail = word.filled("{Runs} of ") + named(sampled)
    detail += word.filled(" have several decoding samples, whose scores are averaged within {a_run}.")
    detail += f" Pages show the text of the first sample. Samples do not show {word.luck}."
    yield Finding("samples", detail, "note", systems=tuple(sampled))
