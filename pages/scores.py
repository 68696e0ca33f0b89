"""How good is each system, and how unstable?"""

import streamlit as st

from mteval.ui import scores
from mteval.ui.answers import answers
from mteval.ui.page import heading, require_results
from mteval.ui.parts.tables import as_label
from mteval.ui.setup.words import said

heading("Scores", "How good is each system, and how much of that would another test set or another {run} change?")
results = require_results()
primary = results.settings.primary_metric

st.subheader(f"{as_label(results.spec(primary).name)}, the primary metric", anchor=False)
answers(results, primary)
scores.runs(results, primary)

st.subheader("All metrics", anchor=False)
frame = scores.table(results)
scores.downloads(results, frame)
scores.column_help()
scores.remarks(results)
scores.samples(results)

st.subheader(said("Run scores"), anchor=False)
scores.histogram(results)
