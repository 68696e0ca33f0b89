"""Which files, which system, which run, which test set?"""

import streamlit as st

from mteval.answers.experiments import baseline_note
from mteval.answers.section import noted
from mteval.ui.annotate.administration import take_campaigns
from mteval.ui.elements import show_left, show_notes
from mteval.ui.page import heading, lead_on_with_one_system, settings_of_session
from mteval.ui.setup import files, first_page
from mteval.ui.setup.entry_panel import entry_menu, keep_switch, recent_experiments
from mteval.ui.setup.workspace import is_reference_open, loaded_experiment, workspace

heading("Load an experiment", "Drop system outputs (one segment per line) and references, or just scores.")
show_left()
files.drop_zones(take_campaigns)
loaded = workspace()
experiment = loaded_experiment()
if not loaded.documents:
    files.problems(loaded.rejected)
    files.unread_files(loaded.rejected)
    first_page.explanation()
    with st.container(horizontal=True, vertical_alignment="center"):
        files.sample_button()
        keep_switch()
    recent_experiments()
    st.stop()

entry_menu()
files.loaded_files(experiment)
if experiment is not None and not is_reference_open(experiment):
    show_notes(noted(baseline_note(experiment)))
    if len(experiment.systems) == 1:
        lead_on_with_one_system()
    st.subheader("Data check", anchor=False)
    settings = settings_of_session()
    convention = settings.convention if settings else "sacrebleu"
    files.data_check(experiment, convention, settings)
recent_experiments()
