"""Match scores from files with loaded runs and segments, or build a test set from scores; report what is ignored."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from typing import TypeVar

from mteval.base.errors import DataError, InputError
from mteval.base.words import agreeing, counted, counted_part, free_name, numbered
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import Problem, ScoreColumn, Slot, Stream, named
from mteval.readers.formats.score_tables import are_negated_errors, cut, known_direction, read_score_lines
from mteval.readers.names import DEFAULT_RUN, REFERENCE_WORD, common_tail, words_of
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import Spans
from mteval.values.model import Run, TestSet

NO_SYSTEM = "names no system. Add a column system, and a column run if systems have several runs."
NO_TEXTS = "(no texts)"
FEWEST_FILLED = 0.5  # share of the numbers up to the largest one that must occur
FEWEST_MOVED = 0.5  # share of differing texts found elsewhere in an output in another order

T = TypeVar("T")
Places = tuple[int | None, ...]  # position in a column of each segment of the test set
Texts = Sequence[str | None]  # one per segment; None if the file has none
RunName = tuple[str, str, str]  # test set, system and run
Metric = dict[RunName, tuple[GivenScores, str]]  # scores of one metric, each with its file


@dataclass(frozen=True)
class Outputs:
    """What scores are matched with: test sets by name, and the slots of outputs and references."""

    built: Mapping[str, Built]
    slots: Sequence[Slot]

    def runs_named(self, system: str, run: str | None, test_set: TestSet) -> list[tuple[str, str]]:
        """Return the runs that a file names by system and optional run, or by the file of an output.

        The file with the longest common end matches.
        """
        runs_of_system = test_set.runs_of(system) or self._runs_spelled_like(system, test_set)
        if run is not None:
            return [(loaded.system, loaded.key) for loaded in runs_of_system if loaded.key == run]
        if runs_of_system:
            return [(loaded.system, loaded.key) for loaded in runs_of_system]
        slots = [slot for slot in self.slots if slot.role == "hypothesis" and slot.test_set == test_set.name]
        tails = [common_tail(system, slot.file) for slot in slots]
        longest = max(tails, default=0)
        if longest == 0:
            return []
        return [(str(slot.system), str(slot.run)) for slot, n in zip(slots, tails, strict=True) if n == longest]

    def _runs_spelled_like(self, system: str, test_set: TestSet) -> tuple[Run, ...]:
        """Return the runs of the only system with this name in other case, or without spaces around it."""
        plain = system.strip().casefold()
        systems = [loaded.key for loaded in test_set.systems if loaded.key.strip().casefold() == plain]
        return test_set.runs_of(systems[0]) if len(systems) == 1 else ()

    def runs_in(self, file: str, test_set: TestSet) -> list[Run]:
        """Return the runs loaded from a file."""
        names = set()
        for slot in self.slots:
            if slot.role == "hypothesis" and slot.file == file and slot.test_set == test_set.name:
                names.add((str(slot.system), str(slot.run)))
        return [run for run in test_set.runs if (run.system, run.key) in names]

    def is_reference(self, name: str, test_set: TestSet) -> bool:
        """Whether a name in a file of scores is that of a reference file, e.g. ``refB`` for ``refB.en.txt``."""
        files = [slot.file for slot in self.slots if slot.role == "reference" and slot.test_set == test_set.name]
        if any(common_tail(name, file) for file in files):
            return True
        if not REFERENCE_WORD.fullmatch(name):
            return False
        words = set[str]()
        for file in files:
            words.update(word.lower() for word in words_of(file.rsplit("/", 1)[-1]))
        return name.lower() in words


def given_metrics(
    items: Iterable[Assigned],
    built: Mapping[str, Built],
    slots: Sequence[Slot],
    directions: Mapping[str, bool],
    reserved: Collection[str],
) -> tuple[tuple[GivenMetric, ...], list[Problem]]:
    """Return the metrics with a known direction, and problems with the rest.

    Parameters
    ----------
    items
        The scores; those with one name are one metric.
    built
        Test sets by name.
    slots
        Slots of outputs in use and of references.
    directions
        Whether higher is better, by name.
    reserved
        Keys of other metrics.
    """
    problems: list[Problem] = []
    outputs = Outputs(built, slots)
    metrics: dict[str, Metric] = defaultdict(dict)
    stated: dict[str, bool] = {}  # by the format of a file
    for item in items:
        if item.stream.is_higher_better is not None:
            stated[item.slot.shown_name] = item.stream.is_higher_better
        problems += _read(item, outputs, metrics[item.slot.shown_name])

    given = []
    gaps_of: dict[str, list[Problem]] = {}  # by the final name
    undirected: list[str] = []
    taken = set(reserved)
    for name, metric in metrics.items():
        if not metric:
            continue
        if name not in directions:
            undirected.append(f"'{name}'")
            continue
        free = free_name(name, lambda candidate: key_of_scores(candidate) in taken, partial(numbered, mark="given"))
        key = key_of_scores(free)
        taken.add(key)
        in_order = _scores_in_order(metric, built)
        given.append(GivenMetric(key, free, in_order, directions[name], "file"))
        contradicted = _contradicted_direction(name, in_order, stated.get(name), directions[name])
        if contradicted:
            problems.append(Problem(contradicted, severity="warning", code="direction", metric=name))
        gaps_of[free] = [replace(problem, metric=free) for problem in _gaps(name, metric, built)]
        # Its problems belong to the metric under its new name
        for place, problem in enumerate(problems):
            if problem.metric == name:
                problems[place] = replace(problem, metric=free)
    if undirected:
        message = f"The scores {named(undirected)} are ignored until you choose whether higher or lower is better"
        message += " (command line: --scores-higher, --scores-lower or --logs)."
        problems.append(Problem(message, severity="warning"))
    for first, second in _versions_apart(given):
        gaps_of[first] = gaps_of[second] = []  # the two versions explain the gaps
        message = f"'{first}' and '{second}' look like versions of one metric, each with scores of other systems."
        remedy = "Scores of two versions are not comparable. Score all systems with one of them."
        problems.append(Problem(f"{message} {remedy}", severity="warning", code="not-compared"))
    return tuple(given), [*problems, *chain.from_iterable(gaps_of.values())]


def _versions_apart(given: Iterable[GivenMetric]) -> Iterator[tuple[str, str]]:
    """Yield the names of two metrics that differ in a number, and share no system."""
    for first, second in combinations(given, 2):
        is_one_metric = _without_version(first.name) == _without_version(second.name)
        systems = {scores.system for scores in first.scores}
        if is_one_metric and systems.isdisjoint(scores.system for scores in second.scores):
            yield first.name, second.name


def _without_version(name: str) -> str:
    """Return the letters of a name, e.g. "wmtcometda" of "wmt22-comet-da"."""
    return re.sub(r"[^a-z]|(?<![a-z])v(?=[0-9])", "", name.lower())


def _contradicted_direction(
    name: str, scores: Iterable[GivenScores], stated: bool | None, is_higher_better: bool
) -> str:
    """Return how the direction given for a metric contradicts what its file or name says; empty if it does not."""
    values = [value for of_run in scores for value in of_run.values]
    known = known_direction(name, values) if stated is None else stated
    if known is None or known == is_higher_better:
        return ""
    says = "its name" if stated is None else "its file"
    if stated is None and are_negated_errors(name, values):
        says = "its name and negative values"
    if known:
        message = f"Higher is better on '{name}' according to {says}, but lower was chosen."
        option = "--scores-higher"
    else:
        message = f"Lower is better on '{name}' according to {says}, but higher was chosen."
        option = f"--scores-lower, for logs --logs-lower {key_of_scores(name)}"
    message += " With the wrong direction,"
    return f"{message} the worse system would be called better. Change it ({option}), or rename the scores."


def _read(item: Assigned, outputs: Outputs, metric: Metric) -> list[Problem]:
    """Add the scores of a slot; return problems."""
    built = outputs.built.get(item.slot.test_set)
    if built is None:
        names = named(outputs.built) or "none"
        return [item.problem(f"is for test set '{item.slot.test_set}', which is not loaded. Loaded: {names}.")]
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError as error:
        return [Problem.of(error)]
    problems: list[Problem] = []
    absent: list[str] = []
    spelled: dict[str, str] = {}  # names of systems in the file that differ from the loaded ones in spelling
    for column in columns:
        try:
            runs = _runs_of(item, column, built, outputs, len(columns))
            if column.system and runs and is_other_spelling(column.system, runs[0].system):
                spelled[column.system] = runs[0].system
            if not runs:
                name = column.system or item.slot.system or ""
                if not outputs.is_reference(name, built.test_set):
                    name = f"{name} {column.run or item.slot.run or ''}".strip()
                absent.append(name)
            for run in _runs_to_fill(runs, built.test_set.name, metric):
                problems += _add_scores(item, column, built, run, metric)
        except DataError as error:
            problems.append(item.problem(str(error)))
    problems += _problems_of_absent(item, absent, len(columns), outputs, built.test_set)
    if spelled:
        names = named(f"'{name}'" for name in spelled)
        systems = named(f"'{system}'" for system in dict.fromkeys(spelled.values()))
        message = f"names {names}, read as {systems}: only case or spaces differ."
        problems.append(item.problem(message, severity="note"))
    problems += _doubt_about_numbers(item, columns, built)
    return problems


def is_other_spelling(name: str, system: str) -> bool:
    """Whether two names of a system differ in case, or in spaces around them, alone."""
    return name != system and name.strip().casefold() == system.strip().casefold()


def _doubt_about_numbers(item: Assigned, columns: Iterable[ScoreColumn], built: Built) -> Iterator[Problem]:
    """Report numbers of segments that may count from 0: none is that of the last segment, nor 0.

    They are read as counting from 1. Texts beside the scores would tell (``doubt_about``).
    """
    keyed = [column for column in columns if column.keys is not None and column.texts is None]
    n_segments = len(built.order.leading)
    index_of = _index_of_keys(built, chain.from_iterable(column.keys or () for column in keyed))
    are_keys_of_texts = built.test_set.has_texts and built.order.keys == tuple(index_of)
    if not keyed or str(n_segments) not in index_of or are_keys_of_texts:
        return
    numbers = set[str]().union(*(column.keys or () for column in keyed))
    if str(n_segments) in numbers or not numbers <= index_of.keys():
        return
    largest = max(map(int, numbers))
    message = f"has scores of segments up to number {largest}; test set '{built.test_set.name}' has {n_segments}."
    message += " They are read as counting from 1. If they count from 0, add 1 to each."
    # A whole test set but its last segment looks like one that counts from 0 and lost its first
    is_whole = len(numbers) == n_segments - 1
    yield item.problem(message, severity="warning" if is_whole else "note")


def _runs_of(item: Assigned, column: ScoreColumn, built: Built, outputs: Outputs, n_columns: int) -> list[Run]:
    """Return the runs that a column scores: by the user's choice, by names in the file, else by its texts.

    Identical outputs of several runs have the same scores.

    Raises
    ------
    DataError
        If a name fits several runs, or there is no name and no run has the texts.
    """
    system = column.system or item.slot.system
    if n_columns == 1 and item.slot.system:  # the user's choice is clear
        system = item.slot.system
    run = column.run or item.slot.run
    if not system and column.texts is not None:
        runs_of_file = outputs.runs_in(item.slot.file, built.test_set)
        if len(runs_of_file) == 1:
            return runs_of_file
        return runs_with(at(places_of(column, built, item.slot.file), column.texts), built.test_set.runs)
    if not system:
        raise DataError(NO_SYSTEM)
    names = outputs.runs_named(system, run, built.test_set)
    if len(names) > 1:
        candidates = named(" ".join(name) for name in names)
        raise DataError(f"names '{system}', which could be {candidates}. Add a column run.")
    return [loaded for loaded in built.test_set.runs if (loaded.system, loaded.key) in names]


def _runs_to_fill(runs: list[Run], test_set: str, metric: Metric) -> list[Run]:
    """Return only those of several identical runs that have no scores, since each may have its own file."""
    without_scores = [run for run in runs if (test_set, run.system, run.key) not in metric]
    if len(runs) > 1 and without_scores:
        return without_scores
    return runs


def _add_scores(item: Assigned, column: ScoreColumn, built: Built, run: Run, metric: Metric) -> list[Problem]:
    """Add the scores of a run; return problems."""
    places = places_of(column, built, run.system)
    doubt = ""
    if column.texts is not None:
        doubt = doubt_about(run, at(places, column.texts))
    scores = aligned(column, places, built.test_set.name, run)
    run_name = built.test_set.name, run.system, run.key
    if run_name in metric:
        _, earlier_file = metric[run_name]
        message = f"has scores of system '{run.system}', run '{run.key}', but so does '{earlier_file}'."
        raise DataError(f"{message} Rename the scores, or remove one file.")
    metric[run_name] = scores, item.slot.file
    if not doubt:
        return []
    return [item.problem(doubt, severity="warning")]


def _problems_of_absent(
    item: Assigned, names: list[str], n_columns: int, outputs: Outputs, test_set: TestSet
) -> Iterator[Problem]:
    """Report names in a file of scores that are not loaded systems; some may be references."""
    references = [name for name in names if outputs.is_reference(name, test_set)]
    absent = [name for name in names if name not in references]
    if absent and len(names) == n_columns:
        lacking_runs = {name: _system_of_name(name, test_set) for name in absent}
        if all(lacking_runs.values()):
            loaded = []
            for system in test_set.systems:
                if system.key in lacking_runs.values():
                    loaded.append(f"{counted(len(system.runs), 'run')} of {system.key} ({named(system.runs)})")
            message = f"names {named(absent)}, but '{test_set.name}' has {', '.join(loaded)}."
            yield item.problem(f"{message} Load the outputs of these runs, or correct the runs that the scores name.")
        else:
            systems = named(system.key for system in test_set.systems)
            message = f"names {named(absent)}, but '{test_set.name}' has {systems}."
            yield item.problem(f"{message} Use the same names in the table and the file.")
    elif absent:
        message = f"names {named(absent)}, not loaded on '{test_set.name}'. Their scores are ignored."
        yield item.problem(message, severity="note")
    if references:
        roles = "references, not systems" if len(references) > 1 else "a reference, not a system"
        message = f"Scores of {named(references)} are not used: here, {agreeing(len(references), 'it is', 'they are')}"
        # Without the name of the metric, so that many files say it once
        yield Problem(f"{message} {roles}.", item.slot.file, None, "note", metric=item.slot.shown_name)


def _system_of_name(name: str, test_set: TestSet) -> str:
    """Return the loaded system that a run in a file of scores is of, e.g. of ``B 26`` or ``B/26``; empty if none."""
    candidates = {name[: separator.start()] for separator in re.finditer(r"[/\\ ]", name)}
    candidates.update(re.split(r"[/\\ ]", name)[:-1])  # folders
    of_name = [system.key for system in test_set.systems if system.key in candidates]
    return max(of_name, key=len, default="")


def _scores_in_order(metric: Metric, built: Mapping[str, Built]) -> tuple[GivenScores, ...]:
    """Return the scores of a metric in the order of test sets and runs."""
    in_order = []
    for test_set, built_test_set in built.items():
        for run in built_test_set.test_set.runs:
            run_name = (test_set, run.system, run.key)
            if run_name in metric:
                scores, _ = metric[run_name]
                in_order.append(scores)
    return tuple(in_order)


def _gaps(name: str, metric: Metric, built: Mapping[str, Built]) -> Iterator[Problem]:
    """Report runs or test sets without scores."""
    for built_test_set in built.values():
        test_set = built_test_set.test_set
        lacking = [run for run in test_set.runs if (test_set.name, run.system, run.key) not in metric]
        if len(lacking) == len(test_set.runs):
            yield Problem(f"'{name}' has no scores on '{test_set.name}'.", severity="note")
        elif lacking:
            runs = named(f"{run.system} {run.key}" for run in lacking)
            message = f"'{name}' has no scores for {runs} on '{test_set.name}', so it does not compare them."
            yield Problem(message, severity="warning", metric=name)


def key_of_scores(name: str) -> str:
    """Return the key of a metric on the command line."""
    return re.sub(r"[^\w.+]+", "-", name.lower()).strip("-.") or "scores"


def runs_with(texts: Texts, runs: Sequence[Run]) -> list[Run]:
    """Return the runs that have these texts; several if outputs are identical.

    Raises
    ------
    DataError
        If no run has them.
    """
    n_differing = [len(_differing(run, texts)) for run in runs]
    fewest = min(n_differing)
    if any(texts) and fewest == 0:
        return [run for run, n in zip(runs, n_differing, strict=True) if n == 0]
    nearest = runs[n_differing.index(fewest)]
    equal = counted_part(len(texts) - fewest, len(texts), "segment")
    message = f"names no system, and its outputs match no loaded run. Closest: '{nearest.system}', run '{nearest.key}'"
    raise DataError(f"{message} ({equal} equal). Add columns system and run.")


def doubt_about(run: Run, texts: Texts) -> str:
    """Return half a sentence about scores of texts other than the loaded ones; empty if they agree.

    Texts may differ because they were scored in another form, e.g. detokenized.

    Raises
    ------
    DataError
        If the texts are those of the run in another order.
    """
    differing = _differing(run, texts)
    if not differing or not any(run.hypotheses):  # only scores are loaded
        return ""
    place_of = {}
    for place, hypothesis in enumerate(run.hypotheses):
        if hypothesis.strip():
            place_of[hypothesis.strip()] = place
    moved = [segment for segment in differing if (texts[segment] or "").strip() in place_of]
    if moved and len(moved) >= FEWEST_MOVED * len(differing):
        first = moved[0]
        place = place_of[(texts[first] or "").strip()]
        message = f"has the outputs of '{run.system}', run '{run.key}', in another order: its segment {first + 1} is"
        raise DataError(f"{message} segment {place + 1} of the output. Reorder the scores, or add a column segment.")
    first = differing[0]
    part = counted_part(len(differing), len(run.hypotheses), "segment")
    doubt = f"is for texts that differ from '{run.system}', run '{run.key}', in {part}. Segment {first + 1}:"
    doubt += f" '{cut(texts[first] or '')}', loaded as '{cut(run.hypotheses[first])}'. Check that the scores are of"
    return f"{doubt} this output. They are used anyway, but errors marked in these segments are ignored."


def _differing(run: Run, texts: Texts) -> list[int]:
    """Return the segments whose texts differ from the output, spaces around them aside."""
    differing = []
    for segment, (text, hypothesis) in enumerate(zip(texts, run.hypotheses, strict=True)):
        if text is not None and text.strip() != hypothesis.strip():
            differing.append(segment)
    return differing


def aligned_spans(spans: Sequence[Spans | None], texts: Texts | None, run: Run) -> tuple[Spans | None, ...]:
    """Return the spans in characters of the loaded outputs; None if another text was marked.

    Programs strip an output before they read it, and count from there.

    Raises
    ------
    DataError
        If an error is marked beyond the end of an output and the file does not contain the texts.
    """
    if texts is not None:
        return tuple(_moved(*row) for row in zip(spans, texts, run.hypotheses, strict=True))
    for segment, (spans_of_segment, hypothesis) in enumerate(zip(spans, run.hypotheses, strict=True), start=1):
        for span in spans_of_segment or ():
            if span.end > len(hypothesis):
                where = f"{span.start} to {span.end} in segment {segment} of '{run.system}', run '{run.key}'"
                has = f"which has {len(hypothesis)}. Count characters of the loaded output, from 0."
                raise DataError(f"marks characters {where}, {has}")
    return tuple(spans)


def _moved(spans: Spans | None, text: str | None, hypothesis: str) -> Spans | None:
    """Move spans by the spaces that only one of two texts begins with; None if the texts differ otherwise."""
    if spans is None or text is None or text.strip() != hypothesis.strip():
        return None
    n_spaces_of_text = len(text) - len(text.lstrip())
    n_spaces_of_hypothesis = len(hypothesis) - len(hypothesis.lstrip())
    shift = n_spaces_of_hypothesis - n_spaces_of_text
    if shift == 0:
        return spans
    return tuple(replace(span, start=span.start + shift, end=span.end + shift) for span in spans)


def places_of(column: ScoreColumn, built: Built, system: str) -> Places:
    """Return the position in a column of each segment's score, or None.

    Keyed scores may lack segments. Keys are those of the test set; if none is, they are segment numbers from 1.

    Raises
    ------
    DataError
        If the scores are not of these segments; the message continues after the name of the list.
    """
    if column.keys is None:
        return _places_without_keys(column, built, system)
    n_segments = len(built.order.leading)
    index_of = _index_of_keys(built, column.keys)
    places: list[int | None] = [None] * n_segments
    for place, key in enumerate(column.keys):
        if key not in index_of:
            first = next(iter(index_of))
            last = next(reversed(index_of))
            shown = " ".join(key.split("\t"))
            message = f"has a score of '{system}' for segment '{shown}', but test set '{built.test_set.name}' has"
            remedy = "Fix the row."
            if key == "0" and first == "1":
                remedy = "Its segments seem to count from 0: add 1 to each number."
            raise DataError(f"{message} '{first}' to '{last}'. {remedy}")
        places[index_of[key]] = place
    return tuple(places[index] for index in built.kept)


def _index_of_keys(built: Built, keys: Iterable[str]) -> dict[str, int]:
    """Return the index of each segment by its key in the test set, or by its number if no key is one of these."""
    index_of = {name: index for index, name in enumerate(built.order.keys or ())}
    if index_of.keys().isdisjoint(keys):
        index_of = {str(index + 1): index for index in range(len(built.order.leading))}
    return index_of


def _places_without_keys(column: ScoreColumn, built: Built, system: str) -> Places:
    """Return the positions of scores in the order of the segments."""
    n_scores = len(column.values)
    n_segments = len(built.order.leading)
    ends_empty = column.values[-1:] == (None,)
    if n_scores == n_segments or (n_scores == n_segments + 1 and ends_empty):  # a line end too many
        return built.kept
    if n_scores == len(built.kept):  # without the segments that have no reference
        return tuple(range(n_scores))
    message = f"has {counted(n_scores, 'score')} of '{system}', but test set '{built.test_set.name}' has"
    remedy = "Give one score per segment (None if missing), or a column segment."
    raise DataError(f"{message} {counted(n_segments, 'segment')}. {remedy}")


def at(places: Places, values: Sequence[T]) -> tuple[T | None, ...]:
    """Return one value of a column per segment."""
    return tuple(None if place is None else values[place] for place in places)


def aligned(column: ScoreColumn, places: Places, test_set: str, run: Run) -> GivenScores:
    """Return the scores of a run from a column.

    Raises
    ------
    DataError
        If errors are marked beyond the end of an output.
    """
    texts = None
    if column.texts is not None:
        texts = at(places, column.texts)
    judgements = None
    if column.judgements is not None:
        judgements = tuple(count or 0 for count in at(places, column.judgements))
    spans = None
    if column.spans is not None:
        spans = aligned_spans(at(places, column.spans), texts, run)
    deviations = None
    if column.deviations is not None:
        deviations = at(places, column.deviations)
    return GivenScores(test_set, run.system, run.key, at(places, column.values), judgements, spans, deviations)


def scores_of(stream: Stream, file: str) -> tuple[ScoreColumn, ...]:
    """Return the scores of each output in a stream.

    Raises
    ------
    InputError
        If its lines are not scores.
    """
    return stream.scores or read_score_lines(stream.lines, file)


def has_no_texts(item: Assigned) -> bool:
    """Whether scores name their systems and come without the scored outputs."""
    return all(column.system and column.texts is None for column in item.stream.scores)


def empty_texts(items: Sequence[Assigned]) -> Iterator[Assigned]:
    """Yield a reference and outputs without words for each test set that has scores.

    Scores without a system, and files without scores, are skipped. Item names take the place of the source, where users
    can search for them.
    """
    test_sets = dict.fromkeys(item.slot.test_set for item in items if item.slot.role == "scores")
    for test_set in test_sets:
        of_test_set = [item for item in items if item.slot.test_set == test_set]
        columns: list[tuple[tuple[str, str], ScoreColumn]] = []
        for item in of_test_set:
            if item.slot.role == "scores":
                columns += _columns(item)
        sources = [item for item in of_test_set if item.slot.role == "source"]
        documents = [item for item in of_test_set if item.slot.role == "documents"]
        keys = _segment_names([column for _, column in columns], [*sources, *documents])
        if not columns or not keys:
            continue
        blank = ("",) * len(keys)
        yield Assigned(Slot(NO_TEXTS, "reference", test_set=test_set), Stream("", blank, keys=keys))
        for system, run in dict.fromkeys(output for output, _ in columns):
            yield Assigned(Slot(NO_TEXTS, "hypothesis", system, run, test_set), Stream("", blank, keys=keys))
        if keys != _numbers(len(keys)) and not sources:
            yield Assigned(Slot(NO_TEXTS, "source", test_set=test_set), Stream("", keys, keys=keys))


def why_no_test_set(item: Assigned) -> Problem:
    """Return why scores without texts make no test set: none is a score, or they name no system."""
    try:
        scores_of(item.stream, item.slot.file)
    except InputError as error:
        return Problem.of(error)
    return item.problem(NO_SYSTEM)


def _columns(item: Assigned) -> Iterator[tuple[tuple[str, str], ScoreColumn]]:
    """Yield the scores of outputs with system and run."""
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError:  # reported when the scores are added
        return
    for column in columns:
        system = column.system or item.slot.system
        run = column.run or item.slot.run or DEFAULT_RUN
        if system:
            yield (system, run), column


def _segment_names(columns: Sequence[ScoreColumn], texts: Iterable[Assigned]) -> tuple[str, ...]:
    """Return the segment names in order: numbers if they fill most places, else names.

    ``texts`` are the source and the documents, which tell the number of segments.
    """
    keys = tuple(dict.fromkeys(chain.from_iterable(column.keys or () for column in columns)))
    numbers = [int(key) for key in keys if re.fullmatch(r"[1-9][0-9]{0,8}", key)]
    if len(numbers) < len(keys):
        return keys
    lengths = [len(item.stream.lines) for item in texts]
    lengths += [len(column.values) for column in columns if not column.keys]
    if lengths:
        return _numbers(max(lengths))
    largest = max(numbers, default=0)
    if len(numbers) < FEWEST_FILLED * largest:
        return keys
    return _numbers(largest)


def _numbers(n_segments: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, n_segments + 1))
