"""The grid: systems and test sets or language pairs crossed, and the claim over all of them.

Systems are rows and test sets are columns, their average last. With many test sets it is turned, so that it fits a
page, a paper and a terminal: test sets are rows, sorted by their mean improvement, and systems are columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results
from mteval.answers.claims import claim_sentence
from mteval.answers.findings import MARK_OF_DOUBT, doubt_notes, doubtful_by, doubtful_scores, reasons_in_brief
from mteval.answers.scores import LAW_OF_FAMILY
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.answers.verdict import disagreement_sentences
from mteval.base.words import counted, listed, shortened
from mteval.metrics.base import MetricSpec
from mteval.values.claim import Claim
from mteval.values.findings import Finding
from mteval.values.notation import DASH, Notation, level, p_equals
from mteval.values.verdict import Conclusion

MOST_COLUMNS = 8  # test sets in columns, beside their average
MOST_NAMED = 6  # test sets of one conclusion that a sentence names
LONGEST_HEADING = 31  # characters, in tables of text
NAME_OF_AVERAGE = "Average"

_CONCLUSIONS: Mapping[str, Conclusion] = {conclusion.word: conclusion for conclusion in Conclusion}
_Answers = Mapping[tuple[str, str], Row]  # rows of the grid by system and test set


@dataclass(frozen=True)
class _Grid:
    """What a grid shows, by one metric.

    Parameters
    ----------
    answers
        Rows of ``grid_frame`` by system and test set.
    systems, test_sets
        In the order in which they are shown; the average is the last test set.
    names
        What each system is called.
    best
        The best mean on each test set.
    largest
        The largest difference to the baseline in the grid, without a sign; 0 without any.
    confidence
        Of intervals, as text.
    doubtful
        Systems and test sets of scores that may be too good.
    """

    answers: _Answers
    systems: tuple[str, ...]
    test_sets: tuple[str, ...]
    names: Mapping[str, str]
    best: Mapping[str, float]
    largest: float
    confidence: str
    doubtful: Collection[tuple[str, str]]

    @property
    def is_turned(self) -> bool:
        """Whether test sets are rows."""
        return len(self.test_sets) > MOST_COLUMNS + 1

    @classmethod
    def of(cls, results: Results, metric: str, shown: Collection[str] | None = None) -> _Grid:
        """Return the grid by a metric, with many systems and many test sets sorted from best to worst.

        Parameters
        ----------
        shown
            Systems to show; None for all.
        """
        frame = grid_frame(results.evaluation)
        frame = frame[frame["metric"] == metric]
        if shown is not None:
            frame = frame[frame["system"].isin(shown)]
        answers: _Answers = {(row["system"], row["test_set"]): row for row in frame.to_dict("records")}
        systems = list(dict.fromkeys(frame["system"]))
        test_sets = [test_set for test_set in dict.fromkeys(frame["test_set"]) if test_set != AVERAGE]
        sign = -1 if results.spec(metric).notation.direction == "↓" else 1

        if results.has_many_systems:  # from best to worst, as in rankings; those without a mean last
            by_mean = {system: sign * answers[system, AVERAGE]["mean"] for system in systems}
            systems.sort(key=lambda system: -np.nan_to_num(by_mean[system], nan=-np.inf))
        if len(test_sets) > MOST_COLUMNS:
            gains = sign * frame.groupby("test_set")["difference"].mean()
            test_sets.sort(key=lambda test_set: -np.nan_to_num(gains[test_set], nan=-np.inf))

        signed_means = sign * frame.set_index("test_set")["mean"]
        best = sign * signed_means.groupby(level=0).max()
        largest = frame["difference"].abs().max()
        return cls(
            answers,
            tuple(systems),
            (*test_sets, AVERAGE),
            {system: results.name_of(system) for system in systems},
            {str(test_set): float(mean) for test_set, mean in best.items()},
            0.0 if pd.isna(largest) else float(largest),
            level(results.settings.confidence),
            _doubtful_places(results, metric, test_sets),
        )


def _doubtful_places(results: Results, metric: str, test_sets: Collection[str]) -> set[tuple[str, str]]:
    """Return systems and test sets on which the scores by a metric may be too good; averages include such scores."""
    places = set()
    for test_set in test_sets:
        on_test_set = results.on(results.experiment.test_set(test_set))
        for system in doubtful_by(on_test_set, metric):
            places |= {(system, test_set), (system, AVERAGE)}
    return places


def _findings_on_all(results: Results, metric: str) -> list[Finding]:
    """Return what is odd about the data of the test sets in the grid."""
    if metric in results.evaluation.of_people:  # people read no reference
        return []
    findings: dict[Finding, None] = {}
    for test_set in dict.fromkeys(row.test_set for claim in claims_by(results, metric) for row in claim.rows):
        on_test_set = results.on(results.experiment.test_set(test_set))
        findings.update(dict.fromkeys(on_test_set.findings(metric)))
    return [*findings]


def doubts_in_grid(results: Results, metric: str) -> str:
    """Return why marked scores of the grid may be too good, with displayed names; empty if none is marked."""
    findings = results.with_names_in(_findings_on_all(results, metric))
    return reasons_in_brief(findings, {metric: results.spec(metric).name})


def grid_section(results: Results, metric: str) -> Section | None:
    """Return the scores and verdicts by one metric on every test set, and on their average; None for one test set."""
    table = grid_table(results, metric)
    if table is None:
        return None
    spec = results.spec(metric)
    claims = claims_by(results, metric)
    lead = []
    if results.has_many_systems:
        lead.append(_tally(claims, spec, results))
    else:
        answers = _Grid.of(results, metric).answers
        for claim in claims:
            named = replace(claim, system=results.name_of(claim.system), baseline=results.name_of(claim.baseline))
            sentence = claim_sentence(named, results.settings.confidence)
            lead.append(f"{sentence} {_by_test_set(claim, answers)}".rstrip())
    lead += _people_on_average(claims, results)
    lead += _disagreements(results, metric)
    doubts = doubt_notes(doubtful_scores(_findings_on_all(results, metric)))
    of_adjusted_p = ""
    if any(not pd.isna(claim.these_test_sets.p_family) for claim in claims):
        of_adjusted_p = results.run_word.filled(LAW_OF_FAMILY)
    notes = (
        *noted(*doubts, level="warning"),
        *noted(of_adjusted_p, is_wide=results.has_many_systems),  # text has no p of many systems
        *noted(_variation(claims, results)),
    )
    return Section(f"{metric}-grid", f"{spec.name} on all test sets", tuple(lead), table, notes=notes)


def grid_table(
    results: Results, metric: str, notation: Notation | None = None, shown: Collection[str] | None = None
) -> Table | None:
    """Return the table of the grid; None for one test set.

    Parameters
    ----------
    notation
        How scores are written; as on pages by default.
    shown
        Systems to show; None for all.
    """
    if not results.evaluation.claims:
        return None
    spec = results.spec(metric)
    grid = _Grid.of(results, metric, shown)
    cell = partial(_cell, grid, spec.notation if notation is None else notation)
    caption = _caption(grid, spec, claims_by(results, metric), results)
    if grid.is_turned:
        return _with_test_sets_as_rows(grid, cell, caption)
    return _with_systems_as_rows(grid, cell, caption)


def claims_by(results: Results, metric: str) -> list[Claim]:
    """Return the claims over all test sets by a metric."""
    return [claim for claim in results.evaluation.claims if claim.metric == metric]


def _with_systems_as_rows(grid: _Grid, cell: partial[Cell], caption: str) -> Table:
    columns = [Column("system", "System")]
    for place, test_set in enumerate(grid.test_sets):
        write = partial(_cell_of_test_set, cell, test_set)
        columns.append(Column(f"mean {place}", _name_of(test_set), "number", write=write))
    rows = []
    for system in grid.systems:
        row: dict[str, object] = {"system": grid.names[system], "key": system}
        for place, test_set in enumerate(grid.test_sets):
            row[f"mean {place}"] = grid.answers[system, test_set]["mean"]
        rows.append(row)
    return Table(tuple(columns), pd.DataFrame(rows), caption, look="grid")


def _with_test_sets_as_rows(grid: _Grid, cell: partial[Cell], caption: str) -> Table:
    columns = [Column("test_set", "Test set")]
    for place, system in enumerate(grid.systems):
        write = partial(_cell_of_system, cell, system)
        name = grid.names[system]
        columns.append(Column(f"mean {place}", name, "number", write=write, short=shortened(name, LONGEST_HEADING)))
    rows = []
    for test_set in grid.test_sets:
        # The average has a block of its own, which sorting leaves in its place
        row: dict[str, object] = {"test_set": _name_of(test_set), "key": test_set, "block": test_set == AVERAGE}
        for place, system in enumerate(grid.systems):
            row[f"mean {place}"] = grid.answers[system, test_set]["mean"]
        rows.append(row)
    return Table(tuple(columns), pd.DataFrame(rows), caption, groups="block", look="grid")


def _name_of(test_set: str) -> str:
    return NAME_OF_AVERAGE if test_set == AVERAGE else test_set


def _cell_of_test_set(cell: partial[Cell], test_set: str, row: Row) -> Cell:
    return cell(row["key"], test_set)


def _cell_of_system(cell: partial[Cell], system: str, row: Row) -> Cell:
    return cell(system, row["key"])


def _cell(grid: _Grid, notation: Notation, system: str, test_set: str) -> Cell:
    """Return the score of a system on a test set, with the shape of its verdict and the size of its difference."""
    answer = grid.answers[system, test_set]
    mean = answer["mean"]
    if pd.isna(mean):  # the system has no output there
        return Cell(DASH)
    is_best = len(grid.systems) > 1 and mean == grid.best[test_set]
    mark = MARK_OF_DOUBT if (system, test_set) in grid.doubtful else ""
    score = notation.number(mean)
    conclusion = _CONCLUSIONS.get(answer["conclusion"])
    opens = () if test_set == AVERAGE else (system, test_set)
    if conclusion is None:  # the baseline
        return Cell(score, is_best=is_best, mark=mark, opens=opens)

    p = answer["p_run_adjusted"]
    if pd.isna(p):  # a single run
        p = answer["p_test_set_adjusted"]
    column = "average" if test_set == AVERAGE else test_set
    help = f"{grid.names[system]} on {column}: {conclusion.word}, {notation.difference(answer['difference'])}"
    if not pd.isna(p):
        help += f" ({_interval_and_p(grid, notation, answer, p)})"
    tint = 0.0
    if conclusion.is_shown and grid.largest > 0:
        tint = abs(answer["difference"]) / grid.largest
    return replace(Cell.of(conclusion, score, help=help), is_best=is_best, mark=mark, tint=tint, opens=opens)


def _interval_and_p(grid: _Grid, notation: Notation, answer: Row, p: float) -> str:
    """Return ``95% CI +0.20 to +1.10, p = 0.012``, as the verdict on the test set's own page has them."""
    interval = notation.interval(answer["low"], answer["high"])
    named_p = p_equals(p)
    if answer["is_p_adjusted"]:
        named_p = f"adjusted {named_p}"
    if interval == DASH:
        return named_p
    kind = f"{grid.confidence} CI"
    if answer["is_simultaneous"]:
        kind = f"simultaneous {kind}"
    elif answer["is_p_adjusted"]:
        kind = f"unadjusted {kind}"
    return f"{kind} {interval}, {named_p}"


def shapes_of(results: Results, metric: str) -> str:
    """Return what the shapes in the grid mean: ``▲ better, ○ no clear difference``."""
    frame = grid_frame(results.evaluation)
    concluded = set(frame.loc[frame["metric"] == metric, "conclusion"])
    return ", ".join(f"{conclusion.shape} {word}" for word, conclusion in _CONCLUSIONS.items() if word in concluded)


def _caption(grid: _Grid, spec: MetricSpec, claims: Sequence[Claim], results: Results) -> str:
    """Return what the cells hold, what their shapes mean, and how systems are sorted: their order is not tested."""
    against = ""
    order = ""
    if claims:
        baseline = results.name_of(claims[0].baseline)
        against = f", with the verdict against {baseline}"
        if results.has_many_systems:
            order = f" Best average first; on average, only differences from {baseline} are tested."
    if grid.is_turned:
        order += " Largest mean improvement first."
    shapes = shapes_of(results, spec.key)
    legend = f" {shapes}." if shapes else ""
    return f"{spec.name}{against}.{order}{legend}"


def _by_test_set(claim: Claim, answers: _Answers) -> str:
    """Return on which test sets the system is better, worse, and so on."""
    names_by_word: dict[str, list[str]] = {}
    for (system, test_set), answer in answers.items():
        word = answer["conclusion"]
        if system == claim.system and word and test_set != AVERAGE:
            names_by_word.setdefault(word, []).append(test_set)
    parts = []
    for word in _CONCLUSIONS:
        names = names_by_word.get(word)
        if names:
            test_sets_in_words = listed(names)
            if len(names) > MOST_NAMED:
                test_sets_in_words = counted(len(names), "test set")
            parts.append(f"{word} on {test_sets_in_words}")
    if not parts:
        return ""
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _tally(claims: Sequence[Claim], spec: MetricSpec, results: Results) -> str:
    """Return how many systems have which verdict on average; empty without claims."""
    if not claims:
        return ""
    n_systems = Counter(claim.conclusion for claim in claims)
    tally = [f"{n_systems[conclusion]:,} {conclusion.word}" for conclusion in Conclusion if conclusion in n_systems]
    n_test_sets = counted(claims[0].n_test_sets, "test set")
    baseline = results.name_of(claims[0].baseline)
    return f"{spec.name} on average over {n_test_sets}, against {baseline}: {', '.join(tally)}."


def _claims_by_people(results: Results) -> list[Claim]:
    """Return the claims over all test sets by human scores, whether or not the scores are among the metrics."""
    evaluation = results.evaluation
    by_people = [claim for claim in evaluation.claims if claim.metric in evaluation.of_people]
    return [*by_people, *evaluation.claims_by_people]


def claims_by_first_score(results: Results, metric: str) -> list[Claim]:
    """Return the claims by the first human scores other than a metric."""
    others = [claim for claim in _claims_by_people(results) if claim.metric != metric]
    return [claim for claim in others if claim.metric == others[0].metric]


def _people_on_average(claims: Sequence[Claim], results: Results) -> Iterator[str]:
    """Yield a sentence per human score about the systems on average: whom it contradicts; all of few systems."""
    by_people = _claims_by_people(results)
    disagreeing: dict[str, list[str]] = {}
    agreeing: dict[str, list[str]] = {}
    for claim in claims:
        for human in by_people:
            if human.system != claim.system or human.metric == claim.metric:
                continue
            told = f"{results.name_of(human.system)} ({_briefly(human)})"
            if human.conclusion.contradicts(claim.conclusion):
                disagreeing.setdefault(human.metric_name, []).append(told)
            elif not results.has_many_systems:
                agreeing.setdefault(human.metric_name, []).append(told)
    for score, systems in disagreeing.items():
        yield f"On average people disagree by {score}: {listed(systems)}."
    for score, systems in agreeing.items():
        yield f"People on average, by {score}: {listed(systems)}."


def _briefly(claim: Claim) -> str:
    """Return ``worse, −1.18, adjusted p = 0.004``."""
    p = claim.deciding.p_adjusted
    parts = [claim.conclusion.word, claim.notation.difference(claim.difference)]
    if not pd.isna(p):
        parts.append(f"{'adjusted ' if claim.deciding.corrections else ''}{p_equals(p)}")
    return ", ".join(parts)


def _disagreements(results: Results, metric: str) -> Iterator[str]:
    """Yield a sentence per human score that contradicts verdicts on a test set."""
    names = dict.fromkeys(row.test_set for claim in claims_by(results, metric) for row in claim.rows)
    for name in names:
        on_test_set = results.on(results.experiment.test_set(name))
        verdicts = on_test_set.named(on_test_set.verdicts(metric))
        by_people = on_test_set.named(on_test_set.verdicts_by_people)
        for sentence in disagreement_sentences(verdicts, by_people):
            yield f"{name}: {sentence}"


def _variation(claims: Sequence[Claim], results: Results) -> str:
    """Return how much the true differences vary between test sets; empty if that is unknown."""
    known = [claim for claim in claims if not pd.isna(claim.tau)]
    if not known:
        return ""
    parts = [f"{results.name_of(claim.system)} {claim.notation.number(claim.tau)}" for claim in known]
    return f"SD of the true differences between test sets (τ): {', '.join(parts)}."
