"""The leaderboard as a file: a fragment of HTML for a web page, Markdown for a model card, CSV, and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.leaderboard import definition, leaderboard_frame, leaderboard_section, named_ranking
from mteval.answers.section import Section
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.render.frames import frame_csv, to_json
from mteval.render.html import Markup, section_parts, styled
from mteval.render.markdown import summary_lines
from mteval.values.verdict import MANY_SYSTEMS, Ranking

LeaderboardForm = Literal["html", "md", "csv", "json"]
FORMS: tuple[LeaderboardForm, ...] = get_args(LeaderboardForm)
JOINT = "; "  # between the names of tied systems in CSV


def form_of(path: Path) -> LeaderboardForm:
    """Return the form that the ending of a file names.

    Raises
    ------
    SettingsError
        If it names none.
    """
    for form in FORMS:
        if path.suffix == f".{form}":
            return form
    endings = ", ".join(f".{form}" for form in FORMS)
    raise SettingsError(f"{path} does not name a form of a leaderboard. Its name must end in one of {endings}.")


def leaderboard(results: Results, form: LeaderboardForm) -> str:
    """Return the leaderboard by the primary metric.

    Raises
    ------
    SettingsError
        If there is no ranking, or the form is unknown.
    """
    if form not in FORMS:
        raise SettingsError(f"'{form}' is not a form of a leaderboard. Use {', '.join(FORMS)}.")
    ranking = named_ranking(results)
    section = leaderboard_section(results)
    if ranking is None or section is None:
        name = results.spec(results.settings.primary_metric).name
        raise SettingsError(
            f"A leaderboard needs {counted(MANY_SYSTEMS, 'system')} with scores by a metric with a better direction."
            f" {name} ranks fewer on '{results.test_set.name}'."
        )
    return _WRITERS[form](results, ranking, section)


def _html(results: Results, ranking: Ranking, section: Section) -> str:
    return f"{styled(*(part for part in section_parts(section) if isinstance(part, Markup)))}\n"


def _markdown(results: Results, ranking: Ranking, section: Section) -> str:
    return "\n".join(summary_lines([section])).rstrip("\n") + "\n"


def _csv(results: Results, ranking: Ranking, section: Section) -> str:
    """Return the rows, each with the names of tied systems and the test behind them."""
    frame = leaderboard_frame(results)
    return frame_csv(
        frame.assign(
            tied_with=[JOINT.join(tied) for tied in frame["tied_with"]],
            test_set=results.test_set.name,
            procedure=ranking.procedure,
            unit=ranking.unit,
            correction=ranking.correction,
            level=round(ranking.level, 6),
            signature=results.signatures[results.spec(ranking.metric).name],
        )
    )


def _json(results: Results, ranking: Ranking, section: Section) -> str:
    frame = leaderboard_frame(results)
    frames = {
        "leaderboard": frame.assign(tied_with=frame["tied_with"].map(list)),
        "pairs": pd.DataFrame([asdict(pair) for pair in ranking.pairs]),
    }
    header = {"definition": definition(results, ranking), "versions": dict(results.evaluation.versions)}
    return to_json(frames, header)


_WRITERS: Mapping[LeaderboardForm, Callable[[Results, Ranking, Section], str]] = MappingProxyType(
    {"html": _html, "md": _markdown, "csv": _csv, "json": _json}
)
