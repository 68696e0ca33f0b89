"""An experiment as the library saves it, and as an ``experiment.toml`` with its files.

Saved are files and their roles, settings, the numbers, and a card that a list shows without opening the experiment, as
JSON by the types of the fields. Opening computes nothing.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mteval.analysis.results import Results, reported_test_set
from mteval.base.errors import DataError
from mteval.base.words import counted, counted_range, listed
from mteval.library import Content
from mteval.metrics import METRICS
from mteval.readers.documents import Edits, InputFile, Problem
from mteval.readers.workspace import Workspace
from mteval.report.inputs import packed_inputs
from mteval.report.kept_numbers import evaluation_from, from_json_form, numbers_of, to_json_form
from mteval.values.definitions import FIRST, changed_since
from mteval.values.ledger import Entry
from mteval.values.model import Experiment
from mteval.values.notes import NotedError
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, PROVISIONAL, Conclusion


@dataclass(frozen=True)
class Concluded:
    """The verdict on one system by the primary metric."""

    system: str
    conclusion: str
    is_provisional: bool

    @property
    def word(self) -> str:
        """``▲ better``, or ``▲ better, provisional``."""
        conclusion = Conclusion[self.conclusion]
        text = f"{conclusion.shape} {conclusion.word}"
        if self.is_provisional:
            text += f", {PROVISIONAL}"
        return text


@dataclass(frozen=True)
class Card:
    """An experiment at a glance.

    Parameters
    ----------
    systems
        Keys, the baseline first; empty if outputs are missing.
    n_runs
        Of each of them, over all test sets.
    test_set, n_segments
        The one with the verdicts, and its number of segments.
    metric
        Name of the primary metric; empty if nothing was scored.
    concluded
        The verdicts.
    scored
        When these numbers were first seen, in seconds since 1970; 0 if unknown.
    spreads
        Standard deviation over runs by that metric, of each system with several.
    """

    systems: tuple[str, ...] = ()
    n_runs: tuple[int, ...] = ()
    test_set: str = ""
    n_segments: int = 0
    metric: str = ""
    concluded: tuple[Concluded, ...] = ()
    scored: float = field(default=0.0, compare=False)
    spreads: tuple[float, ...] = field(default=(), compare=False)

    @property
    def verdict(self) -> str:
        """The verdicts in one line; for many systems, how many have which."""
        if len(self.systems) < MANY_SYSTEMS:
            return "; ".join(f"{concluded.system} {concluded.word}" for concluded in self.concluded)
        n_systems = Counter(Conclusion[concluded.conclusion] for concluded in self.concluded)
        texts = []
        for conclusion in Conclusion:
            if n_systems[conclusion]:
                texts.append(f"{n_systems[conclusion]} {conclusion.shape} {conclusion.word}")
        return " · ".join(texts)


def card_of(experiment: Experiment | None, results: Results | None) -> Card:
    """Return the card of what is loaded, with its verdicts if there are any."""
    if experiment is None:
        return Card()
    baseline_first = sorted(experiment.systems, key=lambda system: system.key != experiment.baseline)
    test_set = experiment.test_sets[0]
    metric = ""
    concluded = []
    spreads: list[float] = []
    if results is not None:
        test_set = results.test_set
        primary = results.settings.primary_metric
        metric = results.spec(primary).name
        for verdict in results.verdicts(primary):
            concluded.append(Concluded(verdict.system, verdict.conclusion.name, verdict.is_provisional))
        for summary in results.evaluation.summaries:
            is_shown = summary.test_set == test_set.name and summary.metric == primary
            if is_shown and not math.isnan(summary.s_opt):  # several runs
                spreads.append(summary.s_opt)
    return Card(
        systems=tuple(system.key for system in baseline_first),
        n_runs=tuple(len(system.runs) for system in baseline_first),
        test_set=test_set.name,
        n_segments=test_set.n_segments,
        metric=metric,
        concluded=tuple(concluded),
        spreads=tuple(spreads),
    )


def card_from(form: object) -> Card:
    """Return the card of a saved experiment.

    Raises
    ------
    DataError
        If this version cannot read it.
    """
    return from_json_form(Card, form)


def line_from(form: Mapping[str, object]) -> str:
    """Return the card as one line.

    Raises
    ------
    DataError
        As ``card_from``.
    """
    if not form:
        return "damaged summary; open it to see the experiment"
    return in_a_line(card_from(form))


def usual_name(experiment: Experiment | None, n_files: int) -> str:
    """Return the default name of an experiment: its systems."""
    if experiment is None:
        return counted(n_files, "file")
    keys = [system.key for system in experiment.systems]
    if len(keys) < MANY_SYSTEMS:
        return listed(keys)
    return counted(len(keys), "system")


def in_a_line(card: Card) -> str:
    """Return ``2 systems · 3 runs each · 40 segments · BLEU · new ○ no clear difference``."""
    if not card.systems:
        return "outputs are missing"
    parts = [
        counted(len(card.systems), "system"),
        f"{counted_range(card.n_runs, 'run')} each",
        counted(card.n_segments, "segment"),
        card.metric or "nothing scored yet",
    ]
    if card.verdict:
        parts.append(card.verdict)
    return " · ".join(parts)


def when(seconds: float) -> str:
    """Return a time to the minute, in the local time zone."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class Bookmarks:
    """Bookmarked segments of a test set, zero-based, and labels of some by number from 1."""

    test_set: str
    segments: tuple[int, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """What the user made of the files: their roles, settings and choices.

    Parameters
    ----------
    edits
        The role of each file.
    settings
        None if those of the sidebar were invalid.
    baseline
        The chosen baseline; None for the guess.
    first_primary
        The primary metric when results were first shown; None if they were not.
    seen
        Results seen of these systems, including those with fewer runs.
    bookmarks
        Of the test sets that have any.
    notes, shares_notes
        Errors that the owner noted, and whether readers of the experiment see them.
    unread
        Files that were given and not read, while it is saved. The experiment would be another one without them. An
        opened one has them in its workspace.
    """

    edits: Edits
    settings: Settings | None
    baseline: str | None
    first_primary: str | None = None
    seen: tuple[Card, ...] = ()
    bookmarks: tuple[Bookmarks, ...] = ()
    notes: tuple[NotedError, ...] = ()
    shares_notes: bool = False
    unread: tuple[Entry, ...] = ()


@dataclass(frozen=True, eq=False)
class Opened:
    """A saved experiment, opened."""

    workspace: Workspace
    made: Made
    experiment: Experiment | None
    results: Results | None

    @property
    def settings(self) -> Settings | None:
        """As in ``Made``."""
        return self.made.settings


def content_of(
    workspace: Workspace, made: Made, results: Results | None, *, with_files: bool = True, with_numbers: bool = True
) -> Content:
    """Return the content to save; unchanged files and numbers can be skipped."""
    files = None
    if with_files:
        files = {file.name: file.content for file in workspace.files}
    card = card_of(workspace.experiment(made.baseline), results)
    if not with_numbers:
        numbers = None
    elif results is None:
        numbers = b""
    else:
        numbers = numbers_of(results.experiment, results.evaluation)
    made = replace(made, unread=workspace.unread)
    return Content(made=to_json_form(made), card=to_json_form(card), files=files, numbers=numbers)


def opened(content: Content) -> Opened:
    """Return a saved experiment as it was, without guessing or computing.

    Numbers that follow earlier definitions are ignored, with a warning that says what changed.

    Raises
    ------
    DataError
        If this version cannot read it.
    InputError
        If its numbers follow later definitions.
    """
    made = from_json_form(Made, content.made)
    files = [InputFile(name, blob) for name, blob in (content.files or {}).items()]
    workspace = Workspace.of(files, made.edits, frozenset(METRICS), made.unread)
    made = replace(made, unread=())
    experiment = workspace.experiment(made.baseline)
    if not content.numbers:  # nothing was scored
        return Opened(workspace, made, experiment, None)
    if experiment is not None:
        evaluation = evaluation_from(content.numbers, experiment)
        if evaluation is not None:
            results = Results(experiment, evaluation, reported_test_set(experiment))
            return Opened(workspace, made, experiment, results)
    changes = changed_since(json.loads(content.numbers).get("definitions", FIRST))
    if changes:
        message = f"Its numbers follow earlier definitions and are ignored. {' '.join(changes)}"
        workspace = replace(workspace, rejected=(*workspace.rejected, Problem(message, severity="warning")))
    return Opened(workspace, made, experiment, None)


def opened_again(saved: Opened, made: Mapping[str, Any]) -> Opened:
    """Return an opened experiment with what the user has made since, as JSON, of the same files and numbers.

    Raises
    ------
    DataError
        If this version cannot read it.
    """
    return replace(saved, made=replace(from_json_form(Made, made), unread=()))


def exported(workspace: Workspace, made: Made) -> dict[str, bytes]:
    """Return ``experiment.toml`` and the files that it names, by path; dropping them restores the experiment.

    Raises
    ------
    DataError
        If outputs are missing.
    """
    experiment = workspace.experiment(made.baseline)
    if experiment is None:
        raise DataError("Outputs are missing. Open the experiment to add them.")
    settings = made.settings if made.settings is not None else Settings()
    return packed_inputs(workspace.loaded(experiment), settings)
