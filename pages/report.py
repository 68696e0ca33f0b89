"""Give me the table for the paper, and everything behind it."""

import streamlit as st

from mteval.ui import report
from mteval.ui.page import heading, require_results
from mteval.ui.setup.workspace import workspace

heading("Report", "Table, methods and files for your paper.")
results = require_results()
loaded = workspace().loaded(results.experiment)
results = report.with_people(results, loaded)

st.subheader("Table for the paper", anchor=False)
choice = report.choose_table(results)
report.table_preview(results, choice)

st.subheader("Methods", anchor=False)
report.methods_preview(results)

st.subheader("Download", anchor=False)
report.file_buttons(results, loaded, choice, report.choose_further(results))
