"""Categories of errors and their weights, edited in place."""

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd
import streamlit as st

from mteval.annotations import Category, Typology


def edited_typology(typology: Typology, key: str) -> Callable[[], Typology]:
    """The categories and weights, to be edited in place; gives what they are now.

    What is given raises SettingsError where the edits make no typology.
    """
    with st.expander("Categories and weights", icon=":material/category:"):
        edited = st.data_editor(
            pd.DataFrame(typology.to_rows()),
            num_rows="dynamic",
            hide_index=True,
            key=key,
            column_config={
                "name": st.column_config.TextColumn("Category", required=True, width="large"),
                **{
                    severity: st.column_config.NumberColumn(severity.capitalize(), min_value=0, required=True)
                    for severity in ("minor", "major", "critical")
                },
            },
        )
    return lambda: Typology(tuple(map(_category, edited.dropna().to_dict("records"))))


def _category(row: dict[Hashable, Any]) -> Category:
    return Category(str(row["name"]), *(float(row[severity]) for severity in ("minor", "major", "critical")))
