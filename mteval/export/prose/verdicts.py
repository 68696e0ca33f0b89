"""The verdict on a system in a few words: beside a shape, in a row of a table, in the legend of a figure."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.counts import counted, listed
from mteval.export.prose.answers import declared_sentence, disagreement_remark, unadjusted
from mteval.export.significance import NOT_FIXED, UNIT_NAMES
from mteval.notation import DASH, level, p_equals
from mteval.verdict import Answer, Conclusion, Correction, Ranking, Verdict

MOST_NAMED = 3
_SHORT: Mapping[Correction, str] = {"looks": "the looks", "systems": "Holm"}
PROVISIONAL = "provisional"


def word(verdict: Verdict) -> str:
    """``better``, or ``better, provisional``."""
    return f"{verdict.conclusion.word}, {PROVISIONAL}" if verdict.is_provisional else verdict.conclusion.word


def gain(verdict: Verdict, confidence: float) -> str:
    """The difference with its interval: of both kinds of luck, else of the test set's alone, which is then said."""
    notation = verdict.notation
    difference = f"{notation.difference(verdict.difference)} {verdict.metric_name}"
    both, test_set = (verdict.low, verdict.high), (verdict.low_test_set, verdict.high_test_set)
    if notation.interval(*both) != DASH:
        interval = f"{difference}, {level(confidence)} interval {notation.interval(*both)}"
        return interval + unadjusted(verdict.corrections)
    if notation.interval(*test_set) != DASH:
        alone = notation.interval(*test_set)
        interval = f"{difference}, {level(confidence)} interval {alone} for test-set luck alone"
        return interval + unadjusted(_of_systems(verdict.p_test_set, verdict.p_test_set_adjusted))
    return difference


def test_set_luck_in_short(verdict: Verdict) -> str:
    """Whether luck with the test set is ruled out."""
    corrections = _of_systems(verdict.p_test_set, verdict.p_test_set_adjusted)
    return _in_short(verdict.test_set_luck, verdict.p_test_set_adjusted, corrections)


def both_in_short(verdict: Verdict) -> str:
    """Whether luck with the test set and with training together is."""
    if verdict.both == "refused" and verdict.n_runs < 2:
        return f"no answer from one {verdict.runs.noun}"
    return _in_short(verdict.both, verdict.p_both_adjusted, verdict.corrections)


def _of_systems(raw: float, adjusted: float) -> tuple[Correction, ...]:
    return ("systems",) if adjusted != raw else ()


def _in_short(answer: Answer, adjusted: float, corrections: Sequence[Correction]) -> str:
    if answer == "refused":
        return "no answer"
    corrected = f" after {listed([_SHORT[one] for one in corrections])}" if corrections else ""
    return f"{'ruled out' if answer == 'ruled out' else 'cannot be ruled out'} ({p_equals(adjusted)}{corrected})"


def tally(verdicts: Sequence[Verdict]) -> str:
    """How many systems have which verdict: ``3 better, 2 worse, 6 not shown``, all of them in order of the words."""
    found = [verdict.conclusion for verdict in verdicts]
    return ", ".join(f"{found.count(one):,} {one.word}" for one in Conclusion if one in found)


def against_sentence(verdicts: Sequence[Verdict]) -> str:
    """The same as a sentence about the baseline, with what is provisional."""
    baseline, metric, runs = verdicts[0].baseline, verdicts[0].metric_name, verdicts[0].runs
    if all(verdict.both == "refused" and verdict.n_runs < 2 for verdict in verdicts):
        return (
            f"Against {baseline} by {metric} no verdict can be said: one {runs.noun} shows nothing of {runs.luck}."
            " What follows is about test-set luck alone."
        )
    text = f"Against {baseline} by {metric}: {tally(verdicts)}."
    reasons = {verdict.note_both for verdict in verdicts if verdict.both == "refused"}
    if len(reasons) == 1:  # as where planned looks have not come; several are said system by system
        text = f"{text} {runs.said(reasons.pop())}".rstrip()
    if any(verdict.is_provisional for verdict in verdicts):
        text += f" Verdicts from two {runs.nouns} of a system are {PROVISIONAL}."
    return text


def forest_help(verdicts: Sequence[Verdict], confidence: float) -> str:
    """What the bars of the forest plot are, of those that it has."""
    nouns = verdicts[0].runs.nouns
    text = f"Thick bars: {level(confidence)} interval for another choice of the test set, these {nouns} taken as given."
    if any(verdict.low == verdict.low for verdict in verdicts):
        text += f" Thin bars: for new {nouns} as well."
    has_looks = any("looks" in verdict.corrections for verdict in verdicts)
    looks, and_looks = ("the planned looks and ", "for the looks and ") if has_looks else ("", "")
    text += f" Intervals are not adjusted for {looks}the number of systems; verdicts are, {and_looks}by Holm."
    return f"{text} {declared_sentence(verdicts[0].design, verdicts[0].baseline)}".rstrip()


def ranking_sentences(ranking: Ranking) -> str:
    """What the ranks and the groups rest on."""
    n = len(ranking.rows)
    luck = (
        "test-set and training luck together"
        if ranking.is_both
        else "test-set luck alone, since no pair has an answer to more"
    )
    groups = (
        "There is one group: no line can be drawn."
        if ranking.n_groups == 1
        else f"A line parts {ranking.n_groups:,} groups: all systems above it are shown better than all below it."
    )
    return (
        f"Ranks among {counted(n, 'system')}: from 1 more than those shown better to {n:,} less those shown worse. All"
        f" {counted(n * (n - 1) // 2, 'pair')} are tested for {luck} ({ranking.procedure}, {UNIT_NAMES[ranking.unit]}"
        f" as units, {ranking.correction}, level {level(ranking.level)}); being adjusted for all pairs, this may show"
        f" less than the verdicts against the baseline do. {groups}" + (f" {NOT_FIXED}" if ranking.was_fixed else "")
    )


def remarks_on(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each remark once, after the metrics and systems that it is about."""
    about: dict[str, dict[str, list[str]]] = {}
    for verdict in verdicts:
        for remark in filter(None, dict.fromkeys((disagreement_remark(verdict), *_notes(verdict)))):
            about.setdefault(remark, {}).setdefault(verdict.metric_name, []).append(verdict.system)
    is_pair = len({verdict.system for verdict in verdicts}) == 1
    for remark, metrics in about.items():
        named = [name if is_pair else f"{name} ({_named(systems)})" for name, systems in metrics.items()]
        yield f"{', '.join(named)}: {remark}"


def _notes(verdict: Verdict) -> Iterator[str]:
    """What the procedures remark beside an answer; why there is none is said in its place."""
    if verdict.test_set_luck != "refused":
        yield verdict.runs.said(verdict.note_test_set)
    if verdict.both != "refused":
        yield verdict.runs.said(verdict.note_both)


def _named(systems: Sequence[str]) -> str:
    """The names of a few systems, the number of many."""
    return ", ".join(systems) if len(systems) <= MOST_NAMED else counted(len(systems), "system")
