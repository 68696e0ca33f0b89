"""The grid: systems as rows, test sets or language pairs as columns, and the claim over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results
from mteval.answers.claims import claim_sentence
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.base.words import counted, listed
from mteval.metrics.base import MetricSpec
from mteval.values.claim import Claim
from mteval.values.notation import DASH, p_equals
from mteval.values.verdict import Conclusion

_CONCLUSIONS: Mapping[str, Conclusion] = {conclusion.word: conclusion for conclusion in Conclusion}
MOST_NAMED = 6  # test sets of one conclusion that a sentence names

_Answers = Mapping[tuple[str, str], Row]  # rows of the grid by system and test set


def grid_section(results: Results, metric: str) -> Section | None:
    """Return the scores and verdicts by one metric on every test set, and on their average; None for one test set."""
    if not results.evaluation.claims:
        return None
    frame = grid_frame(results.evaluation)
    frame = frame[frame["metric"] == metric]
    spec = results.spec(metric)
    test_sets = list(dict.fromkeys(frame["test_set"]))  # and the average
    answers: _Answers = {(row["system"], row["test_set"]): row for row in frame.to_dict("records")}
    claims = [claim for claim in results.evaluation.claims if claim.metric == metric]

    systems = list(dict.fromkeys(frame["system"]))
    if results.has_many_systems:  # from best to worst, as in rankings
        sign = -1 if spec.notation.direction == "↓" else 1
        systems.sort(key=lambda system: -sign * answers[system, AVERAGE]["mean"])

    columns = [Column("system", "System")]
    for place, test_set in enumerate(test_sets):
        heading = "Average" if test_set == AVERAGE else test_set
        columns.append(Column(f"mean {place}", heading, "number", write=partial(_cell, answers, test_set, spec)))
    rows = []
    for system in systems:
        row: dict[str, object] = {"system": system}
        for place, test_set in enumerate(test_sets):
            row[f"mean {place}"] = answers[system, test_set]["mean"]
        rows.append(row)
    table = Table(tuple(columns), pd.DataFrame(rows), _caption(frame, spec, claims), look="crossed")

    lead = []
    if results.has_many_systems:
        lead.append(_tally(claims, spec))
    else:
        for claim in claims:
            sentence = claim_sentence(claim, results.settings.confidence)
            lead.append(f"{sentence} {_by_test_set(claim, answers, test_sets)}".rstrip())
    notes = noted(_variation(claims))
    return Section(f"{metric}-grid", f"{spec.name} on all test sets", tuple(lead), table, notes=notes)


def _cell(answers: _Answers, test_set: str, spec: MetricSpec, row: Row) -> Cell:
    """Return the score of a system on a test set, with the shape of its verdict."""
    answer = answers[row["system"], test_set]
    if pd.isna(answer["mean"]):  # the system has no output there
        return Cell(DASH)
    score = spec.notation.number(answer["mean"])
    conclusion = _CONCLUSIONS.get(answer["conclusion"])
    if conclusion is None:  # the baseline
        return Cell(score)
    p = answer["p_both_adjusted"]
    if pd.isna(p):  # a single run
        p = answer["p_test_set_adjusted"]
    column = "average" if test_set == AVERAGE else test_set
    help = f"{row['system']} on {column}: {conclusion.word}, {spec.notation.difference(answer['difference'])}"
    if not pd.isna(p):
        help += f" ({p_equals(p)})"
    return Cell.of(conclusion, score, help=help)


def _caption(frame: pd.DataFrame, spec: MetricSpec, claims: Sequence[Claim]) -> str:
    """Return what the cells hold, and what their shapes mean."""
    concluded = set(frame["conclusion"])
    shapes = [f"{conclusion.shape} {word}" for word, conclusion in _CONCLUSIONS.items() if word in concluded]
    against = ""
    if claims:
        against = f", with the verdict against {claims[0].baseline}"
    return f"{spec.name}{against}. {'  '.join(shapes)}".rstrip()


def _by_test_set(claim: Claim, answers: _Answers, test_sets: Sequence[str]) -> str:
    """Return on which test sets the system is better, worse, and so on."""
    names_by_word: dict[str, list[str]] = {}
    for test_set in test_sets:
        word = answers[claim.system, test_set]["conclusion"]
        if word and test_set != AVERAGE:
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


def _tally(claims: Sequence[Claim], spec: MetricSpec) -> str:
    """Return how many systems have which verdict on average; empty without claims."""
    if not claims:
        return ""
    n_systems = Counter(claim.conclusion for claim in claims)
    tally = [f"{n_systems[conclusion]:,} {conclusion.word}" for conclusion in Conclusion if conclusion in n_systems]
    n_test_sets = counted(claims[0].n_test_sets, "test set")
    return f"{spec.name} on average over {n_test_sets}, against {claims[0].baseline}: {', '.join(tally)}."


def _variation(claims: Sequence[Claim]) -> str:
    """Return how much the true differences vary between test sets; empty if that is unknown."""
    known = [claim for claim in claims if not pd.isna(claim.tau)]
    if not known:
        return ""
    parts = [f"{claim.system} {claim.notation.number(claim.tau)}" for claim in known]
    return f"SD of the true differences between test sets (τ): {', '.join(parts)}."
