"""The dashboard: its pages and the sidebar that they share."""

import streamlit as st

from mteval.ui.elements import show_left
from mteval.ui.page import ICON, dress, shared
from mteval.ui.session.progress import warm_further, warm_up
from mteval.ui.session.visitor import annotators_token, keep_within_limits, must_sign_in, require_sign_in, signed_in_as
from mteval.ui.setup.address import forget_odd_parameters
from mteval.ui.setup.entry import arrive, name_here
from mteval.ui.setup.entry_panel import new_runs, notices
from mteval.ui.setup.reading import take_what_came
from mteval.ui.setup.workspace import loaded_experiment
from mteval.values.service import ANNOTATOR, is_demo

st.set_page_config(page_title="mteval", page_icon=str(ICON), layout="wide")
forget_odd_parameters()
if not annotators_token() and not must_sign_in():
    arrive()
take_what_came()
experiment = loaded_experiment()
has_texts = experiment is None or experiment.has_texts
can_annotate = has_texts and not is_demo()  # campaigns are kept, and the demo keeps nothing
annotate = st.Page(
    "pages/annotate.py",
    title="Annotate",
    icon=":material/edit_note:",
    visibility="visible" if can_annotate else "hidden",
)
page = st.navigation(
    [
        st.Page("pages/load.py", title="Load", icon=":material/upload_file:", default=True),
        st.Page("pages/scores.py", title="Scores", icon=":material/leaderboard:"),
        st.Page("pages/significance.py", title="Significance", icon=":material/rule:"),
        st.Page("pages/replication.py", title="Replication", icon=":material/replay:"),
        st.Page("pages/segments.py", title="Segments", icon=":material/segment:"),
        st.Page("pages/people.py", title="People", icon=":material/groups:"),
        annotate,
        st.Page("pages/report.py", title="Report", icon=":material/description:"),
    ],
    position="hidden" if annotators_token() or must_sign_in() else "sidebar",
)
dress(name_here())
if not annotators_token():  # who came by an annotator's link sees their tasks and nothing else
    require_sign_in(page)
    warm_up()
    warm_further()
    shared(page.url_path)
    signed_in_as()
    keep_within_limits()
    notices()
    if page is not annotate:  # it may start over before anybody sees them, and shows them itself
        show_left()
    new_runs()
elif page is not annotate:
    st.switch_page(annotate, query_params={ANNOTATOR: annotators_token()})
page.run()
