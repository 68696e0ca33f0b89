"""Which files, which system, which run, which test set?"""

import streamlit as st

from mteval.answers.experiments import baseline_note, composition
from mteval.answers.section import noted
from mteval.ui.elements import show_notes, show_section
from mteval.ui.page import heading, is_first, request_scores, settings_of_session, start_button
from mteval.ui.setup import files
from mteval.ui.setup.entry_panel import entry_panel, keep_switch, recent_experiments
from mteval.ui.setup.workspace import loaded_experiment, run_word, workspace

heading("Load an experiment", "Drop system outputs (one segment per line) and references, or just scores.")
files.drop_zones()
keep_switch()
loaded = workspace()
if not loaded.documents:
    files.problems(loaded.rejected)
    files.sample_button()
    recent_experiments()
    st.stop()

entry_panel()

st.subheader("Files", anchor=False)
files.assignment_table()
files.many_at_once()
files.doubtful_references()
files.problems((*loaded.rejected, *loaded.assembly.problems))
files.realignment()
files.directions(loaded.score_names)
files.start_over_button()

experiment = loaded_experiment()
if experiment is None:
    recent_experiments()
    st.stop()

st.subheader("Your experiment", anchor=False)
show_section(composition(experiment, run_word()), has_title=False)
files.languages(experiment)
files.trainings(experiment)
show_notes(noted(baseline_note(experiment)))

st.subheader("Data check", anchor=False)
settings = settings_of_session()
convention = settings.convention if settings else "sacrebleu"
files.data_check(experiment, convention, settings)

if is_first(experiment, settings):
    start_button(experiment, settings, "content", request_scores)

recent_experiments()
