"""A program as a user writes it; the type checker reads it with the types that the package promises."""

from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

import mteval


def report(base: list[list[str]], new: list[Path], reference: list[str], folder: Path) -> tuple[str, pd.DataFrame]:
    """Compare lists of texts with files, and write what was found."""
    comparison: mteval.Comparison = mteval.compare(
        {"base": base, "new": new}, reference, ["bleu"], n_shuffles=200, seed=1
    )
    words: list[str] = [verdict.system for verdict in comparison.verdicts if verdict.difference > 0]
    figure: go.Figure = comparison.figure("runs")
    figure.update_layout(title="Runs")
    missing: tuple[str, ...] = comparison.save(folder / "report.zip")
    assert not missing
    plan: mteval.Plan = mteval.plan(comparison, 1.0)
    scores: pd.DataFrame = mteval.score({"new": new}, [reference, folder / "other.txt"], ["ter"])
    return f"{', '.join(words)}: {plan.runs}\n{comparison.to_latex()}", scores


def scores_alone(accuracy: dict[str, list[list[float]]]) -> str:
    """Compare scores of items and look at them in the dashboard."""
    comparison = mteval.compare_scores(accuracy, "accuracy", baseline="old", settings=mteval.Settings(n_shuffles=100))
    comparison.open("--no-browser").terminate()
    return str(comparison)


def judged(judgements: Path, compared: mteval.Comparison) -> go.Figure:
    """Compare metrics and tests with what people said."""
    people: mteval.People = mteval.people([judgements], compared, scales=["adequacy"], procedures=["ar-segment"])
    accuracy: pd.DataFrame = people.frames["accuracy"]
    assert len(accuracy)
    return people.figure("gold")
