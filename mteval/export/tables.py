"""Frames as CSV: full precision, undefined values empty."""

import pandas as pd


def overview_csv(overview: pd.DataFrame) -> str:
    """Clark et al.'s Table 1 as a file: one column a number, the run scores left out."""
    return frame_csv(overview.drop(columns=["metric_name", "direction", "run_scores"]))


def frame_csv(frame: pd.DataFrame) -> str:
    """Any frame of numbers and words, without its index."""
    return frame.to_csv(index=False, lineterminator="\n")
