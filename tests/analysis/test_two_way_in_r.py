"""The two-way test in R (docs/two_way.R), written apart from the program, gives the program's numbers."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.comparison import Case, Outcome, compare
from mteval.analysis.corrections import family_p_values
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.two_answers import questions
from mteval.metrics import resolve
from mteval.readers.named_files import load_paths
from mteval.stats.multiplicity import holm_with_laws
from mteval.stats.units import df_of_units, unit_values
from mteval.values.settings import Settings

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "two_way.R"
TAIL_SIZES = ROOT / "mteval" / "stats" / "tail_sizes.csv"
RSCRIPT = shutil.which("Rscript")
SETTINGS = Settings(metrics=("bleu",), n_shuffles=10)

pytestmark = pytest.mark.skipif(RSCRIPT is None, reason="R is not installed (Debian: r-base-core)")


def by_r(scored: Scored, baseline: str, folder: Path) -> pd.DataFrame:
    """Return what R says about the unit values of all systems."""
    lines = []
    cases = {system: Case(scored, baseline, system, questions(scored, SETTINGS)[1]) for system in scored.statistics}
    for system, case in cases.items():
        sizes = case.unit_sizes
        values = unit_values(case.units[1], scored.scorer.score, sizes)
        if not lines:
            lines += [f"# df_units {df_of_units(sizes, values.shape[1])!r}", "system\trun\tunit\tvalue"]
        for run, of_run in enumerate(values):
            lines += [f"{system}\t{run}\t{unit}\t{float(value)!r}" for unit, value in enumerate(of_run)]
            lines.append(f"{system}\t{run}\tscore\t{float(case.scores[1][run])!r}")
    path = folder / "values.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [str(RSCRIPT), str(SCRIPT), str(path), baseline, str(TAIL_SIZES)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in printed.splitlines()]
    frame = pd.DataFrame([[cell.strip() for cell in row] for row in rows[1:]], columns=rows[0]).set_index("system")
    return frame.astype(float)


def by_mteval(scored: Scored, baseline: str) -> pd.DataFrame:
    """Return what the program says, with the columns of R."""
    _, both = questions(scored, SETTINGS)
    rows = {}
    outcomes = []
    for system in scored.statistics:
        if system != baseline:
            case = Case(scored, baseline, system, both)
            result = compare(case, SETTINGS, Work())
            outcomes.append(Outcome(case, result))
            rows[system] = {"error": result.standard_error, "df": result.df, "printed": result.p_value}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame["by_family"] = family_p_values(outcomes, SETTINGS.confidence)
    frame["adjusted"] = holm_with_laws(frame["printed"], frame["by_family"])
    return frame


def sample(n_runs: int, has_documents: bool) -> Scored:
    folder = ROOT / "sample_data"
    files = {}
    for system in ("baseline", "reordering"):
        files[system] = [folder / system / f"test.opt{run:02}.txt" for run in range(n_runs)]
    files["third"] = [folder / "baseline" / f"test.opt{run:02}.txt" for run in range(20, 22)]
    more = [(folder / "documents.test.txt", "documents")] if has_documents else []
    experiment = load_paths([folder / "reference.test.txt"], files, baseline="baseline", more=more).experiment
    return score_experiment(experiment, resolve(SETTINGS), Work())[0]


def assert_equal(scored: Scored, folder: Path) -> None:
    expected = by_mteval(scored, "baseline")
    found = by_r(scored, "baseline", folder)
    for column in expected:
        np.testing.assert_allclose(found.loc[expected.index, column], expected[column], rtol=1e-9, err_msg=column)


@pytest.mark.parametrize("has_documents", [False, True])
@pytest.mark.parametrize("n_runs", [3, 10])
def test_r_agrees_on_the_sample_and_its_family(n_runs: int, has_documents: bool, tmp_path: Path) -> None:
    assert_equal(sample(n_runs, has_documents), tmp_path)


def test_r_agrees_on_multeval_s_example(data_directory: Path, tmp_path: Path) -> None:
    folder = data_directory / "data" / "multeval-example"
    files = {key: [folder / f"hyps.lc.tok.en.{key}.opt{run}" for run in range(3)] for key in ("baseline", "sys1")}
    experiment = load_paths([folder / "refs.test2010.lc.tok.en.0"], files, baseline="baseline").experiment
    assert_equal(score_experiment(experiment, resolve(SETTINGS), Work())[0], tmp_path)
