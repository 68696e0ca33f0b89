"""Version of the definitions behind numbers, e.g. of p, s_sel or a default.

It is stored with all saved numbers. To change a definition so that the same data give other numbers, add a row to
``MEANINGS`` that describes the change in one sentence.
"""

from collections.abc import Mapping

from mteval.base.errors import InputError

MEANINGS: Mapping[int, str] = {
    1: "The definitions of mteval 0.2, as in docs/ and the papers cited there.",
    2: (
        "p_run below 5% is corrected for few runs. Adjusted p-values of three or more"
        " systems use the family's mean spread over runs."
    ),
    3: (
        "Intervals of agreement with people correct for noise in system scores. s_sel resamples documents if the tests"
        " do, except under MultEval's convention."
    ),
    4: "Runs of a system with identical texts count once.",
    5: "The interval for test-set luck inverts the shuffle test. Over few units, Student's t replaces percentiles.",
    6: (
        "p_run is at least p on the same units, with an interval to match. There is no verdict if p"
        " cannot reach the level. With one run per system, the verdict is about test-set luck."
        " Error spans of whitespace only count, as missing words. The interval of preferences won is exact, as the sign"
        " test is."
    ),
    7: (
        "The range of a plan covers the uncertainty of all its variances. A plan uses the larger of two estimates of"
        " the variance between runs. The interval of a mean of scores of 0 and 1 is Beta-based. Expected agreement with"
        " people is averaged over the differences that the data leave open. Claims about three or more systems are"
        " adjusted by the family's mean spread over runs, as single test sets are."
    ),
}
DEFINITIONS = max(MEANINGS)
FIRST = 1  # of files without a version


def changed_since(written: int, file: str | None = None) -> tuple[str, ...]:
    """Return the changes since numbers were written, one sentence each.

    Parameters
    ----------
    written
        Version stored with the numbers, ``FIRST`` if none.
    file
        File name for the error.

    Raises
    ------
    InputError
        If a newer mteval wrote them.
    """
    if written > DEFINITIONS:
        message = f"It was written by a newer mteval (definitions version {written}; supported: up to {DEFINITIONS})."
        raise InputError(f"{message} Update mteval.", file)
    return tuple(MEANINGS[version] for version in range(written + 1, DEFINITIONS + 1))
