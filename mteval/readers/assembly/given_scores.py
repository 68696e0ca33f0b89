"""Match scores from files with loaded runs and segments, or build a test set from scores; report what is ignored."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from mteval.base.errors import DataError, InputError
from mteval.base.words import counted, counted_part, free_name, numbered
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import Problem, ScoreColumn, Slot, Stream, named
from mteval.readers.formats.score_tables import cut, read_score_lines
from mteval.readers.names import DEFAULT_RUN, REFERENCE_WORD, common_tail, words_of
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import Spans
from mteval.values.model import Run, TestSet

NO_SYSTEM = "names no system. Add a column system, and a column run if systems have several runs."
NO_TEXTS = "(no texts)"
FEWEST_FILLED = 0.5  # share of the numbers up to the largest one that must occur
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
        runs = [(loaded.system, loaded.key) for loaded in test_set.runs_of(system) if run in (None, loaded.key)]
        if runs or run is not None or test_set.runs_of(system):
            return runs
        of_test_set = [slot for slot in self.slots if (slot.role, slot.test_set) == ("hypothesis", test_set.name)]
        tails = [common_tail(system, slot.file) for slot in of_test_set]
        longest = max(tails, default=0)
        named = (slot for slot, tail in zip(of_test_set, tails, strict=True) if tail == longest > 0)
        return [(str(slot.system), str(slot.run)) for slot in named]

    def runs_in(self, file: str, test_set: TestSet) -> list[Run]:
        """Return the runs loaded from a file."""
        slots = [slot for slot in self.slots if (slot.role, slot.file) == ("hypothesis", file)]
        names = {(str(slot.system), str(slot.run)) for slot in slots if slot.test_set == test_set.name}
        return [run for run in test_set.runs if (run.system, run.key) in names]

    def is_reference(self, name: str, test_set: TestSet) -> bool:
        """Whether a name in a file of scores is that of a reference file, e.g. ``refB`` for ``refB.en.txt``."""
        files = [slot.file for slot in self.slots if (slot.role, slot.test_set) == ("reference", test_set.name)]
        words = {word.lower() for file in files for word in words_of(file.rsplit("/", 1)[-1])}
        is_word = REFERENCE_WORD.fullmatch(name) is not None and name.lower() in words
        return is_word or any(common_tail(name, file) for file in files)


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
    problems, outputs = list[Problem](), Outputs(built, slots)
    metrics: dict[str, Metric] = defaultdict(dict)
    for item in items:
        problems += _read(item, outputs, metrics[item.slot.shown_name])
    given, taken = [], set(reserved)
    for name, metric in metrics.items():
        if name in directions and metric:
            runs = ((test_set, run.system, run.key) for test_set, one in built.items() for run in one.test_set.runs)
            scores = tuple(metric[run_name][0] for run_name in runs if run_name in metric)
            free = free_name(name, lambda one: key_of_scores(one) in taken, partial(numbered, mark="given"))
            taken.add(key_of_scores(free))
            given.append(GivenMetric(key_of_scores(free), free, scores, directions[name], "file"))
            problems += _gaps(name, metric, built)
            problems = [replace(one, metric=free) if one.metric == name else one for one in problems]
        elif metric:
            message = f"The scores '{name}' are ignored until you choose whether higher or lower is better"
            message += " (command line: --scores-higher or --scores-lower)."
            problems.append(Problem(message, severity="warning"))
    return tuple(given), problems


def _read(item: Assigned, outputs: Outputs, metric: Metric) -> list[Problem]:
    """Add the scores of a slot; return problems."""
    if (built := outputs.built.get(item.slot.test_set)) is None:
        names = named(outputs.built) or "none"
        return [item.problem(f"is for test set '{item.slot.test_set}', which is not loaded. Loaded: {names}.")]
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError as error:
        return [Problem.of(error)]
    problems, absent = list[Problem](), list[str]()
    for column in columns:
        try:
            if not (runs := _runs_of(item, column, built, outputs, len(columns))):
                absent.append(" ".join(filter(None, (column.system or item.slot.system, column.run or item.slot.run))))
            # of identical runs only those without scores, since each may have its own file
            fresh = [run for run in runs if (built.test_set.name, run.system, run.key) not in metric]
            for run in fresh if len(runs) > 1 and fresh else runs:
                problems += _take(item, column, built, run, metric)
        except DataError as error:
            problems.append(item.problem(str(error)))
    return [*problems, *_absent(item, absent, len(columns), outputs, built.test_set)]


def _runs_of(item: Assigned, column: ScoreColumn, built: Built, outputs: Outputs, n_columns: int) -> list[Run]:
    """Return the runs that a column scores: by the user's choice, by names in the file, else by its texts.

    Identical outputs of several runs have the same scores.

    Raises
    ------
    DataError
        If a name fits several runs, or there is no name and no run has the texts.
    """
    said = item.slot.system if n_columns == 1 else None
    system, run = said or column.system or item.slot.system, column.run or item.slot.run
    if not system and column.texts is not None:
        own = outputs.runs_in(item.slot.file, built.test_set)  # the run loaded from the same file
        if len(own) == 1:
            return own
        return runs_with(at(places_of(column, built, item.slot.file), column.texts), built.test_set.runs)
    if not system:
        raise DataError(NO_SYSTEM)
    names = outputs.runs_named(system, run, built.test_set)
    if len(names) > 1:
        raise DataError(f"names '{system}', which could be {named(' '.join(run) for run in names)}. Add a column run.")
    return [run for run in built.test_set.runs if (run.system, run.key) in names]


def _take(item: Assigned, column: ScoreColumn, built: Built, run: Run, metric: Metric) -> list[Problem]:
    """Add the scores of a run; return problems."""
    run_name = built.test_set.name, run.system, run.key
    places = places_of(column, built, run.system)
    doubt = "" if column.texts is None else doubt_about(run, at(places, column.texts))
    found = aligned(column, places, built.test_set.name, run)
    if run_name in metric:
        message = f"has scores of system '{run.system}', run '{run.key}', but so does '{metric[run_name][1]}'."
        raise DataError(f"{message} Rename the scores, or remove one file.")
    metric[run_name] = found, item.slot.file
    return [item.problem(doubt, severity="warning")] if doubt else []


def _absent(item: Assigned, names: list[str], n_columns: int, outputs: Outputs, test_set: TestSet) -> Iterator[Problem]:
    """Report names in a file of scores that are not loaded systems; some may be references."""
    references = [name for name in names if outputs.is_reference(name, test_set)]
    absent = [name for name in names if name not in references]
    if absent and len(names) == n_columns:
        systems = named(system.key for system in test_set.systems)
        message = f"names {named(absent)}, but '{test_set.name}' has {systems}."
        yield item.problem(f"{message} Use the same names in the table and the file.")
    elif absent:
        message = f"names {named(absent)}, not loaded on '{test_set.name}'. Their scores are ignored."
        yield item.problem(message, severity="note")
    if references:
        message = f"has scores of the reference {named(references)}, which are ignored."
        yield item.problem(message, severity="note")


def _gaps(name: str, metric: Metric, built: Mapping[str, Built]) -> Iterator[Problem]:
    """Report runs or test sets without scores."""
    for test_set in (built_set.test_set for built_set in built.values()):
        without = [run for run in test_set.runs if (test_set.name, run.system, run.key) not in metric]
        lacking = [f"{run.system} {run.key}" for run in without]
        if len(lacking) == len(test_set.runs):
            yield Problem(f"'{name}' has no scores on '{test_set.name}'.", severity="note")
        elif lacking:
            message = f"'{name}' has no scores for {named(lacking)} on '{test_set.name}', so it does not compare them."
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
    n_others = [len(_others(run, texts)) for run in runs]
    if any(texts) and 0 in n_others:
        return [run for run, count in zip(runs, n_others, strict=True) if count == 0]
    nearest = runs[n_others.index(min(n_others))]
    equal = counted_part(len(texts) - min(n_others), len(texts), "segment")
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
    others = _others(run, texts)
    if not others or not any(run.hypotheses):  # only scores are loaded
        return ""
    places = {hypothesis.strip(): segment for segment, hypothesis in enumerate(run.hypotheses) if hypothesis.strip()}
    moved = [(one, place) for one in others if (place := places.get((texts[one] or "").strip())) is not None]
    if moved and 2 * len(moved) >= len(others):
        segment, place = moved[0]
        message = f"has the outputs of '{run.system}', run '{run.key}', in another order: its segment {segment + 1} is"
        raise DataError(f"{message} segment {place + 1} of the output. Reorder the scores, or add a column segment.")
    first, part = others[0], counted_part(len(others), len(run.hypotheses), "segment")
    doubt = f"is for texts that differ from '{run.system}', run '{run.key}', in {part}. Segment {first + 1}:"
    doubt += f" '{cut(texts[first] or '')}', loaded as '{cut(run.hypotheses[first])}'. Check that the scores are of"
    return f"{doubt} this output. They are used anyway, but errors marked in these segments are ignored."


def aligned_spans(spans: Sequence[Spans | None], texts: Texts | None, run: Run) -> tuple[Spans | None, ...]:
    """Return the spans in characters of the loaded outputs; None if another text was marked.

    Programs strip an output before they read it, and count from there.

    Raises
    ------
    DataError
        If an error is marked beyond the end of an output and the file does not contain the texts.
    """
    if texts is not None:
        return tuple(map(_moved, spans, texts, run.hypotheses))
    for segment, (found, hypothesis) in enumerate(zip(spans, run.hypotheses, strict=True), start=1):
        for span in found or ():
            if span.end > len(hypothesis):
                where = f"{span.start} to {span.end} in segment {segment} of '{run.system}', run '{run.key}'"
                has = f"which has {len(hypothesis)}. Count characters of the loaded output, from 0."
                raise DataError(f"marks characters {where}, {has}")
    return tuple(spans)


def _others(run: Run, texts: Texts) -> list[int]:
    """Return the segments whose texts differ."""
    rows = enumerate(zip(texts, run.hypotheses, strict=True))
    return [segment for segment, (text, loaded) in rows if text is not None and text.strip() != loaded.strip()]


def _moved(spans: Spans | None, text: str | None, hypothesis: str) -> Spans | None:
    if spans is None or text is None or text.strip() != hypothesis.strip():
        return None
    by = len(hypothesis) - len(hypothesis.lstrip()) - len(text) + len(text.lstrip())
    return tuple(replace(span, start=span.start + by, end=span.end + by) for span in spans) if by else spans


def places_of(column: ScoreColumn, built: Built, system: str) -> Places:
    """Return the position in a column of each segment's score, or None.

    Keyed scores may lack segments. Keys are those of the test set; if none is, they are segment numbers from 1.

    Raises
    ------
    DataError
        If the scores are not of these segments; the message continues after the name of the list.
    """
    n_segments = len(built.order.leading)
    if column.keys is None:
        n_scores = len(column.values)
        if n_scores == n_segments:
            return built.kept
        if n_scores == len(built.kept):  # without the segments that have no reference
            return tuple(range(n_scores))
        message = f"has {counted(n_scores, 'score')} of '{system}', but test set '{built.test_set.name}' has"
        remedy = "Give one score per segment (None if missing), or a column segment."
        raise DataError(f"{message} {counted(n_segments, 'segment')}. {remedy}")
    indices = {name: index for index, name in enumerate(built.order.keys or ())}
    if indices.keys().isdisjoint(column.keys):
        indices = {str(index + 1): index for index in range(n_segments)}
    places: list[int | None] = [None] * n_segments
    for place, key in enumerate(column.keys):
        if key not in indices:
            has = f"'{built.test_set.name}' has '{next(iter(indices))}' to '{next(reversed(indices))}'"
            message = f"has a score of '{system}' for segment '{' '.join(key.split(chr(9)))}', but test set {has}."
            raise DataError(f"{message} Fix the row.")
        places[indices[key]] = place
    return tuple(places[index] for index in built.kept)


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
    judgements = None if column.judgements is None else tuple(count or 0 for count in at(places, column.judgements))
    texts = None if column.texts is None else at(places, column.texts)
    spans = None if column.spans is None else aligned_spans(at(places, column.spans), texts, run)
    deviations = None if column.deviations is None else at(places, column.deviations)
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
    for test_set in dict.fromkeys(item.slot.test_set for item in items if item.slot.role == "scores"):
        here = [item for item in items if item.slot.test_set == test_set]
        columns = [named for item in here if item.slot.role == "scores" for named in _columns(item)]
        others = [item for item in here if item.slot.role in ("source", "documents")]
        keys = _keys([column for _, column in columns], others)
        if columns and keys:
            blank = ("",) * len(keys)
            filled = [(Slot(NO_TEXTS, "reference", test_set=test_set), blank)]
            for output in dict.fromkeys(output for output, _ in columns):
                filled.append((Slot(NO_TEXTS, "hypothesis", *output, test_set), blank))
            if keys != _numbers(len(keys)) and not any(item.slot.role == "source" for item in others):
                filled.append((Slot(NO_TEXTS, "source", test_set=test_set), keys))
            yield from (Assigned(slot, Stream("", lines, keys=keys)) for slot, lines in filled)


def _columns(item: Assigned) -> Iterator[tuple[tuple[str, str], ScoreColumn]]:
    """Yield the scores of outputs with system and run."""
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError:  # reported when the scores are added
        return
    for column in columns:
        if system := column.system or item.slot.system:
            yield (system, column.run or item.slot.run or DEFAULT_RUN), column


def _keys(columns: Sequence[ScoreColumn], others: Iterable[Assigned]) -> tuple[str, ...]:
    """Return the segment names in order: numbers if they fill most places, else names."""
    keys = tuple(dict.fromkeys(key for column in columns for key in column.keys or ()))
    counts = [len(item.stream.lines) for item in others] + [len(column.values) for column in columns if not column.keys]
    places = [int(key) for key in keys if re.fullmatch(r"[1-9][0-9]{0,8}", key)]
    if len(places) < len(keys):
        return keys
    n_segments = max(counts or places, default=0)
    return keys if not counts and len(places) < FEWEST_FILLED * n_segments else _numbers(n_segments)


def _numbers(n_segments: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n_segments + 1)))
