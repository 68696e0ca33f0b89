"""What the first page shows as an example: the verdict on the sample as a card, and its runs as strips."""

from dataclasses import replace

from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.results import Results, overview, reported_test_set
from mteval.analysis.scoring import Work, score_experiment
from mteval.answers.ranking import verdict_section
from mteval.answers.scores import scores_of
from mteval.base.words import counted
from mteval.metrics import resolve
from mteval.render.html import card, join, section_table, tag
from mteval.ui.setup.workspace import sample
from mteval.values.settings import Settings

MOST_TERMS = 2  # of the card: both kinds of luck


def answer_on_the_sample() -> str:
    """The markup that the first page shows, computed anew."""
    experiment = sample().experiment(None)
    assert experiment is not None
    work = Work()
    settings = Settings()
    scored = score_experiment(experiment, resolve(settings), work)
    evaluation = evaluate_scored(experiment, scored, settings, work)
    results = Results(experiment, evaluation, reported_test_set(experiment))

    metric = settings.primary_metric
    verdict = next(section for section in verdict_section(results, metric).all if section.terms)
    short = replace(verdict, terms=verdict.terms[:MOST_TERMS], notes=(), parts=())
    rows = overview(results)
    table = scores_of(results, rows[rows["metric"] == metric])
    columns = tuple(column for column in table.columns if column.key in ("system", "run_scores", "average"))
    strips = replace(table, columns=columns, caption="", groups="")
    parts = (
        tag("h3", "Example answer", class_="mt-get"),
        card(short),
        section_table(strips),
        tag("p", _extent(results), class_="mt-quiet"),
    )
    return f"{join(parts)}\n"


def _extent(results: Results) -> str:
    """``The sample: 2 systems × 30 runs, 300 segments. Dots: runs. Line: mean.``."""
    test_set = results.test_set
    n_runs = counted(max(results.run_counts), "run")
    systems = counted(len(test_set.systems), "system")
    return f"The sample: {systems} × {n_runs}, {counted(test_set.n_segments, 'segment')}. Dots: runs. Line: mean."
