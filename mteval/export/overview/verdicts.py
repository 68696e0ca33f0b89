"""The verdicts by every metric as an HTML table: systems as rows, metrics as columns."""

from collections.abc import Sequence

from mteval.export.columns import metric_heading
from mteval.export.markup import Markup, join, scrolling, tag
from mteval.export.overview.ranking import shape_of
from mteval.export.prose.verdicts import PROVISIONAL, word
from mteval.notation import DASH, p_value
from mteval.verdict import Conclusion, Verdict

MARK_OF_TWO_RUNS = "*"


def verdicts_table(verdicts: Sequence[Verdict]) -> Markup:
    """The shape of the verdict with the difference, and both adjusted p-values below; from best to worst by the first.

    Parameters
    ----------
    verdicts
        Of one or more systems and metrics against one baseline, on one test set.
    """
    metrics = list(dict.fromkeys(one.metric for one in verdicts))
    best_first = sorted(verdicts, key=lambda one: (metrics.index(one.metric), -one.improvement))
    systems = list(dict.fromkeys(one.system for one in best_first))
    found = {(one.system, one.metric): one for one in verdicts}
    headings = {one.metric: metric_heading(one.notation, one.metric_name) for one in verdicts}
    head = [tag("th", "System", scope="col", class_="mt-name")]
    head += [tag("th", headings[metric], scope="col") for metric in metrics]
    rows = [
        tag("tr", tag("th", system, scope="row", title=system), *(_cell(found.get((system, one))) for one in metrics))
        for system in systems
    ]
    caption = tag("caption", *_caption(verdicts))
    table = tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="mt-table mt-crossed")
    return scrolling(table)


def _caption(verdicts: Sequence[Verdict]) -> list[str]:
    """What shapes and numbers are, with the shapes that are there."""
    seen = {one.conclusion: tag("span", shape_of(one), " ", one.conclusion.word, class_="mt-key") for one in verdicts}
    shapes = [seen[one] for one in Conclusion if one in seen]
    looked = ", the second after the planned looks" if any("looks" in one.corrections for one in verdicts) else ""
    words = (
        f"Against {verdicts[0].baseline}: difference of the averages, then p for test-set luck and p for test-set and"
        f" {verdicts[0].runs.luck} together, both after Holm{looked}. "
    )
    provisional = f" {MARK_OF_TWO_RUNS} {PROVISIONAL}" if any(one.is_provisional for one in verdicts) else ""
    return [words, tag("span", join(shapes, " "), provisional, class_="mt-keys")]


def _cell(verdict: Verdict | None) -> Markup:
    if verdict is None:
        return tag("td", DASH)
    mark = MARK_OF_TWO_RUNS if verdict.is_provisional else ""
    difference = verdict.notation.difference(verdict.difference) + mark
    p_values = (verdict.p_test_set_adjusted, verdict.p_both_adjusted)
    below = tag("span", " · ".join(map(p_value, p_values)), class_="mt-below")
    words = f"{verdict.system} by {verdict.metric_name}: {word(verdict)}"
    return tag("td", shape_of(verdict), difference, below, title=words)
