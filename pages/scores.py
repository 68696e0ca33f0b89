"""How good is each system, and how unstable?"""

import streamlit as st

from mteval.ui import scores
from mteval.ui.elements import as_label
from mteval.ui.page import heading, require_results

heading("Scores", "How good is each system, and how stable?")
results = require_results()
primary = results.settings.primary_metric

st.subheader(f"{as_label(results.spec(primary).name)} (primary metric)", anchor=False)
scores.verdicts(results, primary)

st.subheader("All metrics", anchor=False)
scores.table(results)
scores.spreads(results)
scores.histogram(results)
