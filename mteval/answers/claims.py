"""What several test sets say together, in words."""

from collections.abc import Iterator, Sequence

from mteval.answers.procedures import UNIT_NAMES
from mteval.answers.verdict import Said, both_question, p_before_and_after, unadjusted
from mteval.base.words import agreeing, counted, listed
from mteval.values.claim import LIKE_THESE, THESE_RUNS, THESE_TEST_SETS, Claim, Finding
from mteval.values.notation import DASH, level, percent
from mteval.values.verdict import Conclusion

FEW_TEST_SETS = 5  # of fewer, how much test sets differ is known so badly that it is said
QUESTION_NAMES = {
    THESE_RUNS: "Test-set luck",
    LIKE_THESE: "Test sets like these",
}
COLUMNS = ("Test set", "Units", "Runs", "Difference", "Interval, test-set luck", "Interval, both kinds")
FOREST_HELP = (
    "A row a test set, and the mean, in which each counts alike. Thick bars: {confidence} interval for other {units},"
    " these {runs} taken as given. Thin bars: for new {runs} as well."
)
LAST_ROW_HELP = (
    " In the last row the thick bar is that of the thin one above it, and the thin one is for other test sets as well."
)


def claim_sentence(claim: Claim, confidence: float) -> str:
    """The one to quote: the mean difference, its interval, and what is ruled out."""
    if claim.conclusion is Conclusion.CANNOT_BE_SAID:
        return f"{_on_average(claim)}, {_direction(claim)}. {claim.runs.said(claim.these_test_sets.note)}"
    return f"{_on_average(claim)}, {_direction(claim)}: {_these_test_sets(claim, confidence)}."


def claim_answers(claim: Claim, confidence: float) -> Iterator[Said]:
    """The three questions with their answers, and how much the test sets differ."""
    answers = (_these_runs(claim, confidence), _these_test_sets(claim, confidence), _like_these(claim, confidence))
    for finding, answer in zip(claim.findings, answers, strict=True):
        yield Said(_question(claim, finding.question), _sentence(answer))
    if claim.tau == claim.tau:
        yield Said("How much test sets differ", _spread(claim))


def scope_sentences(claim: Claim) -> str:
    """Which test sets, how they count, and whose runs stand behind them."""
    names = listed([row.test_set for row in claim.rows])
    return " ".join((f"Test sets: {names}; each counts alike.", _groups(claim), *claim.notes))


def claim_cells(claim: Claim) -> Iterator[tuple[str, ...]]:
    """The cells of ``COLUMNS``: a row a test set, and the whole."""
    notation = claim.notation
    for row in claim.rows:
        yield (
            row.test_set,
            _counted_units(row.n_units, row.unit),
            _counts(row.n_runs),
            notation.difference(row.difference),
            notation.interval(row.low_test_set, row.high_test_set),
            notation.interval(row.low, row.high),
        )
    ends = ((one.low, one.high) for one in (claim.these_runs, claim.these_test_sets))
    mean = notation.difference(claim.difference)
    yield ("Mean", DASH, DASH, mean, *(notation.interval(*end) for end in ends))
    if claim.like_these.answer != "refused":
        yield (QUESTION_NAMES[LIKE_THESE], DASH, DASH, mean, DASH, _interval(claim, claim.like_these))


def forest_words(claim: Claim, confidence: float) -> str:
    """What the bars of the figure are."""
    text = FOREST_HELP.format(confidence=level(confidence), units=_units(claim), runs=claim.runs.nouns)
    return text if claim.like_these.answer == "refused" else text + LAST_ROW_HELP


def methods_sentences(claims: Sequence[Claim]) -> Iterator[str]:
    """What was done, for the methods section; nothing where there is no claim over several test sets."""
    if not claims:
        return
    claim = claims[0]
    names = listed([row.test_set for row in claim.rows])
    yield (
        f"Claims over {counted(claim.n_test_sets, 'test set')} ({names}) are about the mean of their differences:"
        f" contributions of {_units(claim)} are weighted so that each test set counts alike, {_units(claim)} are drawn"
        f" within test sets, and {claim.runs.nouns} are crossed with {_crossed(claim)} (Student's t with"
        " Satterthwaite's degrees of freedom)."
    )
    if any(one.like_these.answer != "refused" for one in claims):
        yield (
            "For other test sets like these the variance between test sets takes the place of that over"
            f" {_units(claim)}, with one degree of freedom less than there are test sets."
        )
    yield (
        "How much true differences vary between test sets is given as tau (Paule and Mandel, 1982) and I² (Higgins and"
        " Thompson, 2002)."
    )


def _question(claim: Claim, question: str) -> str:
    return both_question(claim.runs) if question == THESE_TEST_SETS else QUESTION_NAMES[question]


def _these_runs(claim: Claim, confidence: float) -> str:
    finding, units = claim.these_runs, _units(claim)
    if finding.answer == "refused":
        return finding.note
    if finding.answer == "ruled out":
        what = f"not explained by the choice of {units}"
    else:
        what = f"the choice of {units} as its explanation cannot be ruled out"
    return f"{what}, these {claim.runs.nouns} taken as given {_numbers(claim, finding, confidence)}"


def _these_test_sets(claim: Claim, confidence: float) -> str:
    finding = claim.these_test_sets
    if finding.answer == "refused":
        return claim.runs.said(finding.note)
    numbers = _numbers(claim, finding, confidence)
    if finding.answer == "ruled out":
        text = f"not explained by new {_units(claim)} and {claim.runs.again} on these test sets {numbers}"
    else:
        text = f"luck cannot be ruled out as the explanation on these test sets {numbers}"
    return f"{text}; {claim.runs.said('provisional, from two runs of a system')}" if claim.is_provisional else text


def _like_these(claim: Claim, confidence: float) -> str:
    finding = claim.like_these
    if finding.answer == "refused":
        return claim.runs.said(finding.note)
    numbers = _numbers(claim, finding, confidence)
    if finding.answer == "ruled out":
        return f"not explained by the choice of these test sets among others like them either {numbers}"
    return f"whether other test sets like these would show it is open {numbers}"


def _spread(claim: Claim) -> str:
    notation, last = claim.notation, claim.n_test_sets - 1
    if claim.tau == 0:
        text = "Luck alone explains how the observed differences vary from test set to test set (τ = 0)"
    else:
        text = (
            "True differences vary from test set to test set with a standard deviation τ ="
            f" {notation.number(claim.tau)} {claim.metric_name}; I² = {percent(claim.i_squared, 0)} of what is observed"
            " is beyond luck"
        )
    few = claim.n_test_sets < FEW_TEST_SETS
    says = agreeing(last, "says", "say")
    return f"{text}, known from {counted(last, 'degree')} of freedom, which {says} little of it." if few else f"{text}."


def _numbers(claim: Claim, finding: Finding, confidence: float) -> str:
    interval = f"{level(confidence)} interval {_interval(claim, finding)}{unadjusted(finding.corrections)}"
    return f"({interval}; {p_before_and_after(finding.p_value, finding.p_adjusted, finding.corrections)})"


def _interval(claim: Claim, finding: Finding) -> str:
    return claim.notation.interval(finding.low, finding.high)


def _on_average(claim: Claim) -> str:
    difference = claim.notation.difference(claim.difference)
    return f"{difference} {claim.metric_name} on average over {counted(claim.n_test_sets, 'test set')}"


def _direction(claim: Claim) -> str:
    if claim.difference == 0:
        return f"{claim.system} level with {claim.baseline}"
    better, worse = claim.notation.comparatives
    return f"{claim.system} {better if claim.improvement > 0 else worse} than {claim.baseline}"


def _groups(claim: Claim) -> str:
    nouns = claim.runs.nouns
    if claim.n_groups == 1:
        return f"The same {nouns} of each system stand behind all test sets, so that their luck is common to these."
    if claim.n_groups == claim.n_test_sets:
        return f"Each test set has {nouns} of its own, whose luck is its own."
    return f"{claim.n_groups} groups of test sets have {nouns} of their own; within a group they are the same."


def _crossed(claim: Claim) -> str:
    if claim.n_groups == 1:
        return "all of them"
    return f"the test sets that they translated, of which there are {counted(claim.n_groups, 'group')}"


def _units(claim: Claim) -> str:
    return listed(list(dict.fromkeys(UNIT_NAMES[row.unit] for row in claim.rows)))


def _counted_units(number: int, unit: str) -> str:
    return f"{number:,} {UNIT_NAMES[unit]}"


def _counts(n_runs: tuple[int, int]) -> str:
    return f"{n_runs[0]}" if n_runs[0] == n_runs[1] else f"{n_runs[0]} and {n_runs[1]}"


def _sentence(text: str) -> str:
    """With a capital at its beginning and a full stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
