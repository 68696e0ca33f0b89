"""Learned metrics on the pages, with a small model and without one."""

from tests.metrics.neural.test_model_files import cached


def with_sources(files) -> dict[str, str]:
    """Files of two systems, and a file with the source sentences."""
    return files(base=3, new=3) | {"source.txt": "".join(f"Satz {number}\n" for number in range(40))}


def test_chosen_without_a_model_it_says_what_is_missing_and_the_form_stays(app, files, monkeypatch) -> None:
    monkeypatch.delenv("MTEVAL_COMET", raising=False)
    app.drop(with_sources(files)).choose("primary", "comet")
    assert not app.page.exception
    assert "COMET has no model: no checkpoint is set. Set MTEVAL_COMET=" in app.text
    assert app.start_labels == ["Score and compare"]
    assert app.page.button(key="start").disabled
    app.choose("primary", "bleu")
    assert "start" in app.buttons


def test_without_a_model_it_is_left_out_and_the_others_are_scored(app, files, monkeypatch) -> None:
    monkeypatch.delenv("MTEVAL_COMET", raising=False)
    app.drop(with_sources(files)).choose("metrics", ["comet", "chrf"])
    assert "COMET has no model" in app.text
    app.compute().go("scores")
    assert "COMET has no model" in app.text
    assert app.evaluation.settings.metrics == ("bleu", "chrf")


def test_with_a_model_and_sources_it_is_a_metric_like_the_others(app, files, comet_checkpoint) -> None:
    app.drop(with_sources(files)).choose("primary", "comet").compute().go("scores")
    assert not app.page.exception
    assert any(cells[0].startswith("COMET") for cells in app.cells("40 segments"))


def test_without_sources_the_reason_stands_beside_the_metric(app, files, comet_checkpoint) -> None:
    app.drop(files(base=3, new=3)).choose("primary", "comet")
    assert not app.page.exception
    assert "COMET needs source sentences" in app.text
    assert app.page.button(key="start").disabled


def test_a_language_that_the_model_has_not_seen_is_a_warning_where_it_is_declared(
    app, files, tmp_path, monkeypatch
) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "model.ckpt").touch()
    parameters = "class_identifier: regression_metric\npretrained_model: microsoft/infoxlm-large\n"
    (tmp_path / "hparams.yaml").write_text(parameters)
    monkeypatch.setenv("MTEVAL_COMET", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    cached(tmp_path / "hub", "microsoft/infoxlm-large")
    app.drop(with_sources(files)).choose("metrics", ["comet"]).type("languages", "en-liv")
    assert "Scores of COMET are" in app.text
    app.type("languages", "Livonian")
    assert "Livonian" in app.text
    app.type("languages", "en-de")
    assert "Livonian" not in app.text


def test_languages_declared_after_scoring_are_in_the_methods_and_no_number_goes(app, files) -> None:
    app.drop(files(base=3, new=3)).compute().go("load").type("languages", "de-en").go("report")
    assert not app.page.exception
    assert any("40 segments (test, de-en)" in code.value for code in app.page.code)


def test_no_widget_takes_the_path_of_a_checkpoint(app, files, comet_checkpoint) -> None:
    app.drop(with_sources(files)).choose("primary", "comet").unfold("metric-options")
    assert [key for key in app.options if ".comet." in key] == [
        "sacrebleu.comet.batch_size",
        "sacrebleu.comet.context",
        "sacrebleu.comet.precision",
        "sacrebleu.comet.references",
    ]


def test_bertscore_says_what_its_model_lacks_and_shows_no_path(app, files, bertscore_model, monkeypatch) -> None:
    app.drop(files(base=3, new=3)).choose("primary", "bertscore").unfold("metric-options")
    assert not app.page.exception
    assert not app.page.button(key="start").disabled
    assert [key for key in app.options if ".bertscore." in key] == [
        "sacrebleu.bertscore.batch_size",
        "sacrebleu.bertscore.layer",
        "sacrebleu.bertscore.rescale",
        "sacrebleu.bertscore.tokenizer",
    ]
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(bertscore_model.parents[1] / "encoder"))
    app.page.run()
    assert "no layer for 'encoder'" in app.text
    assert app.page.button(key="start").disabled


def test_before_a_judge_is_asked_the_page_says_where_texts_go_and_about_what_it_costs(app, files, monkeypatch) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE", "tiny-model@http://127.0.0.1:9/v1")
    monkeypatch.setenv("MTEVAL_JUDGE_PRICE", "1000/10")
    app.drop(with_sources(files)).choose("metrics", ["llm-judge"])
    assert not app.page.exception
    assert "LLM judge sends source and outputs to 127.0.0.1:9: " in app.text
    assert " tokens read and " in app.text
    assert " written ($" in app.text
    app.choose("metrics", [])
    assert "127.0.0.1:9" not in app.text


def test_beside_the_scores_of_a_judge_the_page_shows_how_its_answers_were_understood(
    app, files, judge_endpoint
) -> None:
    judge_endpoint.answer = lambda prompt, number: "8.5/10" if "<<<Satz 3>>>" in prompt else "Score (0-100): 85"
    app.drop(with_sources(files)).choose("primary", "llm-judge").compute().go("scores")
    assert not app.page.exception
    assert "LLM judge: no answer was understood for" in app.text
    assert app.cells("Judge") == [
        ["LLM judge", "base", "120", "97.5%", "0.0%", "2.5%", "–"],
        ["LLM judge", "new", "120", "97.5%", "0.0%", "2.5%", "1.000"],
    ]
