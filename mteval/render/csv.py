"""Frames as CSV and TSV with full precision, undefined values empty."""

from __future__ import annotations

import pandas as pd


def frame_csv(frame: pd.DataFrame) -> str:
    """Any frame of numbers and words, without its index."""
    return frame.to_csv(index=False, lineterminator="\n")


def frame_tsv(frame: pd.DataFrame) -> str:
    """The same with tabs."""
    return frame.to_csv(index=False, sep="\t", lineterminator="\n")
