import gzip
import re
from contextlib import ExitStack
from threading import Event

import pytest

from mteval.base.turns import Client
from mteval.ui.setup import reading

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) **b** $x$ :smile:"


def problems(app) -> list[str]:
    """Texts of the problems on the page, with their files."""
    return [line for line in app.text.split("\n") if "✕" in line]


def test_first_page_says_what_to_drop_and_offers_the_sample(app) -> None:
    assert not app.page.exception
    assert "one segment per line" in app.text
    assert app.recap == ""
    assert app.buttons == {"sample"}


def test_first_page_draws_three_ways_in_and_shows_an_answer(app) -> None:
    assert [tab.label for tab in app.page.tabs] == ["My runs", "One system only", "Scores without texts"]
    assert "2 systems × 3 runs" in app.text
    assert "1 system × 2 runs" in app.text
    assert "reordering vs baseline" in app.text
    assert "BLEU (95% CI" in app.text
    app.drop_systems(base=2, new=2)
    assert "2 systems × 3 runs" not in app.text, "explained until files are there"


def test_dropped_files_are_read_assigned_and_counted(app) -> None:
    app.drop_systems(base=3, new=2)
    assert not app.page.exception
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "3", "2"]]
    assert app.recap == "2 systems, 5 runs, 40 segments, sacreBLEU's convention — change"
    frame = app.page.dataframe[0].value
    assert list(frame["role"]) == ["hypothesis"] * 5 + ["reference"]
    assert set(frame["system"]) == {"", "base", "new"}


@pytest.mark.parametrize(("n_test_sets", "size"), [(2, "40 + 40 segments"), (5, "5 test sets, 200 segments")])
def test_many_test_sets_are_counted_not_listed(app, files, n_test_sets: int, size: str) -> None:
    texts = files(base=1, new=1)
    pairs = ("de-en", "cs-en", "fr-en", "zh-en", "ja-en")[:n_test_sets]
    app.drop({f"{pair}/{name}": text for pair in pairs for name, text in texts.items()})
    assert app.recap == f"2 systems × 1 run, {size}, sacreBLEU's convention — change"


def test_a_dropped_folder_keeps_its_paths(app, files) -> None:
    app.drop({f"experiment/{name}": text for name, text in files(base=2, new=2).items()}, zone="folder")
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "2", "2"]]


def test_compressed_files_are_read(app, files) -> None:
    app.drop({f"{name}.gz": gzip.compress(text.encode()) for name, text in files(base=2, new=2).items()})
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "2", "2"]]


def test_files_dropped_later_are_added_to_those_that_are_there(app, files) -> None:
    texts = files(base=3, new=3)
    app.drop({name: text for name, text in texts.items() if "new" not in name})
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "3"]]
    app.drop({name: text for name, text in texts.items() if "new" in name})
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "3", "3"]]


def test_the_same_files_dropped_twice_count_once(app, files) -> None:
    texts = files(base=2, new=2)
    app.drop(texts).drop(texts)
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "2", "2"]]


def test_a_bad_file_is_named_and_the_rest_stays_loaded(app, files) -> None:
    good = files(base=3, new=3)
    app.drop(good | {"new/opt3.txt": b"fine\n\xff\xfe broken\n", "base/opt3.txt": "too\nshort\n"})
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "3", "3"]]
    assert any("new/opt3.txt" in text and "UTF-8" in text for text in problems(app))
    assert any("base/opt3.txt" in text and "2" in text and "40" in text for text in problems(app))


def test_files_without_a_reference_say_so_and_nothing_can_be_scored(app, files) -> None:
    app.drop({name: text for name, text in files(base=2, new=2).items() if "refs" not in name})
    assert not app.page.exception
    assert app.text.count("No file is recognised as the reference") == 1
    assert problems(app) == [], "one cause, one question"
    assert app.buttons == {"start-over", "entry-delete"}


def test_nothing_but_an_unreadable_file_leaves_the_first_page_with_the_problem(app) -> None:
    app.drop({"odd.dat": b"\x00\x01\x02\x03"})
    assert not app.page.exception
    assert any("odd.dat" in text for text in problems(app))
    assert app.buttons == {"sample"}


def test_nothing_but_a_file_that_is_ignored_leaves_the_first_page_with_the_reason_unfolded(app) -> None:
    app.drop({"picture.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"})
    assert not app.page.exception
    (files,) = (part for part in app.page.expander if part.label == "1 file: 1 ignored.")
    assert files.proto.expanded
    assert app.cells("Input files") == [["picture.png", "ignored", "a picture", ""]]
    assert app.buttons == {"sample"}


def test_names_and_text_of_files_are_never_markup(app, files) -> None:
    folder = HOSTILE.replace("/script", "\\script")
    hostile = {name.replace("new/", f"{folder}/"): text for name, text in files(base=2, new=2).items()}
    unreadable = HOSTILE.replace("/", "_") + ".bin"
    app.drop(hostile | {unreadable: b"\x00\x01\x02"})
    assert not app.page.exception
    assert "<script" not in app.html
    assert "<script" in app.text
    assert all("javascript:" not in markdown.value for markdown in app.page.markdown)


def test_start_over_forgets_everything(app) -> None:
    app.drop_systems(base=2, new=2).press("start-over")
    assert not app.page.exception
    assert {"sample"} <= app.buttons
    assert "start-over" not in app.buttons
    assert app.recap == ""


def test_there_is_one_baseline_and_one_button_that_scores(app) -> None:
    app.drop_systems(base=2, new=2)
    assert [selectbox.key for selectbox in app.page.selectbox if selectbox.label == "Baseline"] == ["baseline"]
    for page in ("load", "scores", "significance", "segments", "report"):
        app.go(page)
        assert [button.key for button in app.page.button if button.label == "Score and compare"] == ["start"]
    app.compute()
    for page in ("load", "scores", "significance", "replication", "segments", "annotate", "report"):
        app.go(page)
        assert app.start_labels == [], page


def test_a_baseline_that_was_renamed_gives_way_to_one_that_is_there(app) -> None:
    app.drop_systems(base=2, new=2).choose("baseline", "new")
    for run in range(2):
        app.edit(f"new/opt{run}.txt", system="newer")
    baseline = app.page.selectbox(key="baseline")
    assert baseline.options == ["base", "newer"]
    assert baseline.value == "base"
    assert baseline.proto.set_value  # without it a browser goes on showing what was chosen


def test_the_metric_that_was_primary_stays_among_the_further_ones(app) -> None:
    app.choose("primary", "chrf")
    assert app.page.multiselect(key="metrics").value == ["bleu", "ter", "length"]
    app.choose("primary", "nist")
    assert app.page.multiselect(key="metrics").value == ["chrf", "bleu", "ter", "length"]
    app.choose("primary", "bleu")
    assert app.page.session_state["settings"].metrics == ("bleu", "chrf", "nist", "ter", "length")


def test_numbers_stay_when_given_scores_come_and_get_a_column_of_their_own(app, files) -> None:
    app.drop(files(base=1, new=1)).compute().go("load")
    app.drop({"Judge.seg.score": seg_scores(base=1, new=3)}).direct("Judge", True).settle()
    assert app.start_labels == []
    app.go("scores")
    assert "Not scored yet" not in app.text
    # The first row of each metric has a cell more than the others: its name.
    metrics = [row[0] for row in app.cells("40 segments") if len(row) == 8]
    assert metrics[-1].startswith("Judge")


def test_given_scores_are_not_shown_before_anything_was_asked_for(app, files) -> None:
    app.drop(files(base=1, new=1) | {"Judge.seg.score": seg_scores(base=1, new=3)}).direct("Judge", True)
    app.choose("primary", "judge").choose("metrics", [])
    app.go("scores")
    assert "Not scored yet" in app.text


def test_the_convention_follows_tokenized_text_and_another_one_is_advised_against(app, files) -> None:
    tokenized = {name: text.replace("\n", " , he said .\n") for name, text in files(base=2, new=2).items()}
    app.drop(tokenized)
    assert app.page.selectbox(key="convention").value == "multeval"
    assert "accept-convention" not in app.buttons
    app.choose("convention", "sacrebleu")
    assert app.text.count("choose the multeval convention") == 1
    assert "Consider the" not in app.text
    app.press("accept-convention")
    assert app.page.selectbox(key="convention").value == "multeval"
    assert "accept-convention" not in app.buttons


def test_a_convention_that_no_finding_speaks_of_is_still_advised_against(app) -> None:
    app.drop({"refs.txt": "one\ntwo\n", "base.txt": "one\ntwo words\n"})
    app.choose("convention", "multeval")
    assert "Consider the sacreBLEU" in app.text
    app.press("accept-convention")
    assert app.page.selectbox(key="convention").value == "sacrebleu"


def test_identical_systems_are_found_before_any_statistics(app, files) -> None:
    texts = files(base=2)
    copies = {name.replace("base", "copy"): text for name, text in texts.items()}
    app.drop(texts | copies)
    assert "Identical systems" in app.text


def test_the_sample_experiment_is_one_press_away(app) -> None:
    app.press("sample")
    assert not app.page.exception
    assert "start" in app.buttons
    rows = app.cells("Runs per system")
    assert {row[1] for row in rows} >= {"dev", "test"}
    assert all(row[-2:] == ["30", "30"] for row in rows)


def test_settings_in_the_address_are_taken(open_app) -> None:
    app = open_app(shuffles="500", convention="MultEval", primary="chrF")
    assert app.page.number_input(key="shuffles").value == 500
    app.drop_systems(base=2, new=2)
    assert app.page.session_state["settings"].convention == "multeval"
    assert app.recap.endswith("40 segments, MultEval's convention — change")
    assert app.page.session_state["settings"].primary_metric == "chrf"


@pytest.mark.parametrize("address", [{"shuffles": "many"}, {"primary": "none"}, {"seed": "-1"}, {"convention": "<b>"}])
def test_nonsense_in_the_address_is_ignored(open_app, address) -> None:
    from_address = open_app(**address)
    assert not from_address.page.exception
    assert from_address.page.session_state["settings"].n_shuffles == 10_000


def test_the_button_under_the_check_starts_the_work_and_shows_the_scores(app) -> None:
    app.drop_systems(base=2, new=2).press("start").settle()
    assert "All metrics" in [subheader.value for subheader in app.page.subheader]


TOKENIZER = "sacrebleu.bleu.tokenize"


def test_options_of_metrics_are_drawn_when_they_are_looked_at(app) -> None:
    assert app.options == []
    app.unfold("settings-panel").unfold("metric-options")
    assert TOKENIZER in app.options
    app.unfold("metric-options", False)
    assert app.options == []


def test_an_option_that_was_chosen_counts_after_its_expander_is_closed_and_on_other_pages(app) -> None:
    app.drop_systems(base=2, new=2)
    app.unfold("settings-panel").unfold("metric-options").choose(TOKENIZER, "intl").unfold("metric-options", False)
    assert app.page.session_state["settings"].options == {"bleu": {"tokenize": "intl"}}
    app.go("scores")
    assert app.page.session_state["settings"].options == {"bleu": {"tokenize": "intl"}}
    app.choose("convention", "multeval")
    assert app.page.session_state["settings"].options == {}
    app.choose("convention", "sacrebleu")
    assert app.page.session_state["settings"].options == {"bleu": {"tokenize": "intl"}}
    app.choose(TOKENIZER, "13a")
    assert app.page.session_state["settings"].options == {}
    app.page.run()
    assert app.options == []


def test_an_option_in_the_address_is_taken_without_a_look_at_it(open_app) -> None:
    app = open_app(**{TOKENIZER: "intl"})
    assert app.page.session_state["settings"].options == {"bleu": {"tokenize": "intl"}}


def drawn_numbers(app) -> set[str]:
    """Keys of the fields for numbers that the browser gets."""
    return {field.key for field in app.page.number_input}


def test_settings_are_sent_once_they_are_opened_and_stay_open_on_other_pages(app) -> None:
    app.drop_systems(base=2, new=2)
    assert "seed" not in drawn_numbers(app)
    app.unfold("settings-panel")
    assert "seed" in drawn_numbers(app)
    app.go("segments")
    assert "seed" in drawn_numbers(app)
    app.unfold("settings-panel", False)
    assert "seed" not in drawn_numbers(app)
    app.go("scores")
    assert "seed" not in drawn_numbers(app)


def test_a_setting_that_was_chosen_counts_after_its_panel_is_closed_and_on_other_pages(app) -> None:
    app.drop_systems(base=2, new=2)
    app.choose("seed", 7).choose("metrics", ["chrf"]).unfold("settings-panel", False)
    for page in ("segments", "scores"):
        app.go(page)
        settings = app.page.session_state["settings"]
        assert (settings.seed, settings.metrics) == (7, ("bleu", "chrf"))
        assert app.page.query_params["seed"] == "7", "the address has it, for links and F5"
    app.choose("seed", 12345).choose("metrics", ["chrf", "ter", "length"])
    assert "seed" not in app.page.query_params
    app.page.run()
    assert "seed" not in drawn_numbers(app)


def test_a_setting_in_the_address_is_taken_without_a_look_at_it(open_app) -> None:
    app = open_app(seed="7", shuffles="200")
    settings = app.page.session_state["settings"]
    assert (settings.seed, settings.n_shuffles) == (7, 200)


def directions(app) -> dict[str, bool]:
    """Whether higher is better, by the name of each metric that is loaded."""
    return {metric.name: metric.higher_is_better for metric in app.experiment.given}


def seg_scores(**lowest_of: float) -> str:
    """A file with scores of the forty segments of each system, from the lowest upwards again and again."""
    rows = []
    for system, lowest in lowest_of.items():
        for segment in range(40):
            rows.append(f"{system}\t{lowest + segment % 7}\n")
    return "".join(rows)


def forty_lines() -> str:
    """Different lines, as many as there are segments."""
    return "\n".join(f"line {number}" for number in range(40))


def forty_equal_lines() -> str:
    """Lines of one word, as many as there are segments."""
    return "\n".join(["abc"] * 40)


def test_dropped_scores_are_not_used_before_their_direction_is_chosen(app, files) -> None:
    app.drop(files(base=1, new=1) | {"Judge.score": seg_scores(base=1, other=2, new=3)})
    assert not app.page.exception
    frame = app.page.dataframe[0].value.set_index("file")
    assert list(frame.loc["Judge.score", ["role", "name"]]) == ["scores", "Judge"]
    assert "names other, not loaded on 'test'" in app.text
    assert "'Judge' are ignored until you choose" in app.text
    assert directions(app) == {}
    app.direct("Judge", False)
    assert directions(app) == {"Judge": False}
    assert "are ignored until" not in app.text
    assert "judge" in app.page.multiselect(key="metrics").value
    app.direct("Judge", True)
    assert directions(app) == {"Judge": True}


def test_the_direction_that_is_pressed_decides_which_system_is_shown_as_best(app, files) -> None:
    scores = seg_scores(base=1, new=3)
    app.drop(files(base=1, new=1) | {"Judge.score": scores, "Errors.score": scores})
    for name, label in (("Judge", "Higher is better"), ("Errors", "Lower is better")):
        (control,) = [group for group in app.page.button_group if group.key.endswith(f"-{name}")]
        value_of = {control.format_func(value): value for value in (True, False)}
        assert set(control.options) == set(value_of)
        app.direct(name, value_of[label])
    app.press("start").settle().go("scores")
    # Both score the new system higher, by two on average.
    rows = re.findall("<tr>(.*?)</tr>", app.html, re.S)
    for heading, best in (("Judge ↑", "new"), ("Errors ↓", "base")):
        places = [place for place, row in enumerate(rows) if plain(row).startswith(heading)]
        assert len(places) == 1, f"{heading} is not on the page"
        first = places[0]
        row_of_base, row_of_new = rows[first : first + 2]
        assert ("<b>" in row_of_base) == (best == "base"), heading
        assert ("<b>" in row_of_new) == (best == "new"), heading


def plain(markup: str) -> str:
    """A row of a table as it is read."""
    return " ".join(re.sub("<[^>]*>", " ", markup).split())


def test_scores_left_out_in_the_table_are_no_metric_any_more(app, files) -> None:
    app.drop(files(base=1, new=1) | {"Judge.score": seg_scores(base=1, new=3)}).direct("Judge", True)
    app.edit("Judge.score", included=False)
    assert not app.page.exception
    assert directions(app) == {}
    app.unfold("settings-panel")
    assert "judge" not in app.page.multiselect(key="metrics").value


def test_bad_scores_cost_nothing_else_and_renamed_ones_keep_their_direction(app, files) -> None:
    app.drop(files(base=1, new=1) | {"Judge.score": seg_scores(base=1, new=3)}).direct("Judge", True)
    app.drop({"X.seg.score": "base\tgood\n", "Y.csv": "system,segment,score\nbase,1,2\nbase,1,3\n"})
    assert any("X.seg.score, line 1" in text and "'good'" in text for text in problems(app))
    assert any("Y.csv, line 3" in text and "Second score" in text for text in problems(app))
    assert directions(app) == {"Judge": True}
    app.edit("Judge.score", name="<b>mine</b>")
    assert directions(app) == {"<b>mine</b>": True}
    assert "<b>mine</b>" not in app.html


def test_a_file_of_labels_is_a_column_of_the_test_set(app, files) -> None:
    labels = "long\nshort\n" * 20
    app.drop(files(base=1, new=1) | {"topic.labels": labels, "few.labels": "a\n"})
    (test_set,) = app.experiment.test_sets
    assert list(test_set.side) == ["topic"]
    assert any("few.labels" in text and "has 1 segment" in text for text in problems(app))


def test_scores_filed_as_wmt_files_them_say_which_way_is_better(app, files) -> None:
    app.drop(files(base=1, new=1) | {"COMET-refA.seg.score": seg_scores(base=1, new=3)})
    assert directions(app) == {"COMET-refA": True}
    assert "are ignored until" not in app.text
    app.direct("COMET-refA", False)
    assert directions(app) == {"COMET-refA": False}


def test_errors_counted_upwards_are_not_of_that_form_and_are_asked_about(app, files) -> None:
    app.drop(files(base=1, new=1) | {"TER-refA.seg.score": seg_scores(base=1, new=3)})
    assert directions(app) == {}
    assert "are ignored until" in app.text


def test_a_direction_that_was_taken_back_is_not_guessed_again(app, files) -> None:
    app.drop(files(base=1, new=1) | {"COMET.seg.score": seg_scores(base=1, new=3)}).direct("COMET", None)
    app.drop({"third.txt": forty_equal_lines()})
    assert directions(app) == {}


def test_scores_of_a_reference_are_not_said_to_be_of_something_that_is_not_loaded(app, files) -> None:
    scores = seg_scores(base=1, refB=2, gone=3)
    app.drop(files(base=1) | {"refB.en.txt": forty_lines(), "J.seg.score": scores})
    assert "Scores of refB are not used: here, it is a reference" in app.text
    assert "names gone, not loaded" in app.text


def test_a_reference_that_a_machine_may_have_made_is_asked_about(app, files) -> None:
    app.drop(files(base=1) | {"system-outputs/synthetic_ref.txt": forty_lines()})
    assert app.text.count("suggests a machine-made reference") == 1
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "1"]]
    (answer,) = [key for key in app.buttons if key.startswith("is-output")]
    app.press(answer)
    assert "machine-made reference" not in app.text
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "1", "1"]]
    assert "synthetic_ref" in app.html


@pytest.mark.parametrize(("answer", "references"), [("is-reference", "2"), ("is-nothing", "1")])
def test_the_answer_about_a_reference_is_final(app, files, answer: str, references: str) -> None:
    app.drop(files(base=1) | {"synthetic_ref.txt": forty_lines()})
    (button,) = [key for key in app.buttons if key.startswith(answer)]
    app.press(button)
    assert "machine-made reference" not in app.text
    assert app.cells("Runs per system") == [["test", "test", "40", references, "1"]]


def test_the_table_shows_the_ends_of_paths(app, files) -> None:
    folders = "a-long-name-of-a-folder/" * 4
    app.drop({f"experiment/2026/{folders}{name}": text for name, text in files(base=1, new=1).items()})
    assert list(app.page.dataframe[0].value["file"]) == ["base/opt0.txt", "new/opt0.txt", "refs.txt"]
    app.drop({f"other/{folders}third/opt0.txt": forty_equal_lines()})
    *_, last_path = app.page.dataframe[0].value["file"]
    assert last_path.startswith("…")
    assert last_path.endswith("third/opt0.txt")


def test_a_baseline_that_is_none_by_name_is_said_to_be_a_guess(app, files) -> None:
    texts = files(base=1, new=1)
    app.drop({"refs.txt": texts["refs.txt"], "b2.txt": texts["base/opt0.txt"], "b10.txt": texts["new/opt0.txt"]})
    assert app.experiment.baseline == "b2"
    assert "Baseline: b2" in app.text
    app.choose("baseline", "b10")
    assert "the first name" not in app.text


def test_a_baseline_that_is_called_so_needs_no_word(app) -> None:
    app.drop_systems(new=1, base=1)
    assert app.experiment.baseline == "base"
    assert "the first name" not in app.text


def test_many_systems_stand_below_each_other(app, files) -> None:
    app.drop(files(**{f"sys{number}": 1 for number in range(1, 11)}))
    rows = app.cells("Runs per system")
    assert rows[:3] == [["Role", "test"], ["Segments", "40"], ["References", "1"]]
    assert rows[3:] == [[f"sys{number}", "1"] for number in range(1, 11)]


def two_checkpoints_of_two_trainings(files) -> dict[str, str]:
    """Files of two systems, which are called as checkpoints of two trainings of each are."""
    texts = {}
    for name, text in files(base=4, new=4).items():
        for run in range(4):
            name = name.replace(f"opt{run}", f"seed{run % 2}-step{run}")
        texts[name] = text
    return texts


def test_outputs_of_a_training_count_once_after_their_pattern_is_given(app, files) -> None:
    app.drop(two_checkpoints_of_two_trainings(files))
    assert app.recap.startswith("2 systems × 4 runs, 40 segments")
    app.type("trainings", "seed{training}-step*")
    assert not app.page.exception
    assert app.cells("Trainings per system") == [["test", "test", "40", "1", "2 × 2 outputs", "2 × 2 outputs"]]
    assert "must contain {training} once" in app.type("trainings", "nothing").text
    assert app.type("trainings", "").recap.startswith("2 systems × 4 runs, 40 segments")


def test_suspected_trainings_are_averaged_by_the_button_beside_the_question(app, files) -> None:
    app.drop(two_checkpoints_of_two_trainings(files))
    assert "differ only in “step”" in app.text
    app.press("accept-trainings")
    assert not app.page.exception
    assert app.cells("Trainings per system") == [["test", "test", "40", "1", "2 × 2 outputs", "2 × 2 outputs"]]
    assert [field.value for field in app.page.text_input if field.key.startswith("trainings-")] == ["seed{training}"]
    assert "differ only in “step”" not in app.text


def test_outputs_of_whole_documents_are_realigned_by_a_button(app) -> None:
    app.drop(
        {
            "ref.txt": "the cat sat on the mat\nit was happy there\na dog came in\nall of them slept\n",
            "test.docs": "a\na\nb\nb\n",
            "base.opt0.txt": "the cat sat on the mat it was happy there\na dog came in all of them slept\n",
            "new.opt0.txt": "the cat sat on the mat\nit was happy there\na dog came in\nthey slept\n",
        }
    )
    app.press("realign")
    (test_set,) = app.experiment.test_sets
    assert test_set.runs_of("base")[0].hypotheses == (
        "the cat sat on the mat",
        "it was happy there",
        "a dog came in",
        "all of them slept",
    )
    assert "realign" not in app.buttons


@pytest.mark.arrival
def test_dropped_files_are_scored_and_the_verdict_is_on_the_page_that_opens(app) -> None:
    app.drop_systems(base=3, new=3).settle()
    assert not app.page.exception
    assert app.titles == ["Scores"]
    assert app.recap.startswith("2 systems × 3 runs, 40 segments")
    assert "new vs base" in app.text
    app.go("load")
    assert app.titles == ["Load an experiment"]
    assert "7 outputs" not in app.text
    labels = [expander.label for expander in app.page.expander]
    assert [label for label in labels if "✓" in label] == ["6 outputs, 1 reference ✓"]


@pytest.mark.arrival
def test_what_is_open_about_the_files_is_asked_first(app, files) -> None:
    texts = files(base=2, new=2)
    references = texts.pop("refs.txt")
    app.drop(texts)
    assert app.titles == ["Load an experiment"]
    app.drop({"refs.txt": references, "Judge.tsv": "system\trun\tsegment\tscore\nbase\t0\t1\t0.5\n"})
    assert app.titles == ["Load an experiment"], "the scores have no direction"
    app.direct("Judge", True).settle()
    assert app.titles == ["Scores"]


@pytest.mark.arrival
def test_slow_metrics_wait_for_a_click_and_a_new_baseline_asks_for_nothing(app) -> None:
    app.choose("metrics", ["meteor"]).drop_systems(base=2, new=2).settle()
    assert app.start_labels == ["Score METEOR"]
    assert set(app.evaluation.metrics) == {"bleu"}
    app.compute()
    assert set(app.evaluation.metrics) == {"bleu", "meteor"}
    app.choose("baseline", "new").choose("primary", "meteor")
    assert app.start_labels == []
    assert "BLEU was the primary metric when scoring began" in app.text
    app.choose("metrics", ["bleu", "ter"])
    assert "ter" in app.evaluation.metrics, "fast metrics ask for nothing"


@pytest.fixture
def other_visitors(apart, monkeypatch: pytest.MonkeyPatch) -> ExitStack:
    """Visitors whose files are being read until the stack is closed."""
    monkeypatch.setattr(reading, "PATIENCE", 0.0)
    turns = ExitStack()
    for name in ("first visitor", "second visitor"):
        turns.enter_context(apart.turns.turn(Client(name, Event())))
    return turns


def test_files_that_wait_for_other_visitors_are_added_when_their_turn_comes(app, files, other_visitors) -> None:
    with other_visitors:
        app.drop(files(base=2, new=2))
        assert "Reading waits for other visitors: 0 ahead in the queue" in app.text
        app.go("scores").go("load")
        assert not app.page.get("file_uploader")
        assert app.experiment is None
    app.wait_for_work(reading.PLACE)
    assert app.cells("Runs per system") == [["test", "test", "40", "1", "2", "2"]]
    assert app.page.get("file_uploader")


def test_reading_can_be_stopped_and_leaves_what_is_loaded(app, files, other_visitors, apart) -> None:
    with other_visitors:
        app.drop(files(base=2, new=2)).press(f"{reading.PLACE}-stop").wait_for_work(reading.PLACE)
        assert "Stopped. No files were added." in app.text
        assert app.page.get("file_uploader")
        assert app.experiment is None
        assert apart.turns.n_waiting == 0


def test_references_in_columns_are_split_by_a_button(app) -> None:
    rows = [("the cat sat on the mat", "a cat sat there"), ("it was happy", "it was glad")]
    app.drop(
        {
            "ref.txt": "".join(f"{first}\t{second}\n" for first, second in rows),
            "base.opt0.txt": "the cat sat\nit was happy\n",
            "new.opt0.txt": "a cat sat on the mat\nit was glad\n",
        }
    )
    assert "has 2 columns separated by tabs, which count as one text" in app.text
    (key,) = [button.key for button in app.page.button if button.key.startswith("split-")]
    app.press(key)
    assert not app.page.exception
    (test_set,) = app.experiment.test_sets
    assert test_set.references == tuple(rows)
    assert "separated by tabs, which count as one text" not in app.text


def test_the_files_stay_open_until_every_imported_score_has_a_direction(app, files) -> None:
    scores = {}
    for metric in ("fit", "care"):
        rows = [f"{system}\t0\t{n}\t{n % 3}" for system in ("base", "new") for n in range(1, 5)]
        scores[f"{metric}.tsv"] = "system\trun\tsegment\tscore\n" + "\n".join(rows) + "\n"
    app.drop({**files(base=1, new=1), **scores})

    def is_open() -> bool:
        (panel,) = [one for one in app.page.expander if "output" in one.label and "reference" in one.label]
        return panel.proto.expanded

    assert is_open()
    app.direct("fit", True)
    assert is_open()
    assert "choose a direction" in app.text
    app.direct("care", True)
    assert not is_open()
    assert "choose a direction" not in app.text
