"""The page Load accounts for every file, in one folded line, and asks one question per cause."""

import io
import zipfile


def expanders(app) -> list[str]:
    return [expander.label for expander in app.page.expander]


def test_a_line_says_what_became_of_dropped_files_if_any_is_not_read(app, files) -> None:
    app.drop(files(base=2, new=2))
    assert not any("read" in label for label in expanders(app))
    app.drop(
        {"new/opt2.txt": b"\xff\xfe", "weights.tsv": "system\trun\tLM\tPhrase\nbase\t0\t1\t2\n", "Thumbs.db": b"\0"}
    )
    assert not app.page.exception
    assert "8 files: 5 read, 2 ignored, 1 refused." in expanders(app)
    rows = app.cells("Input files")
    assert [(row[0], row[1]) for row in rows[:3]] == [
        ("new/opt2.txt", "refused"),
        ("Thumbs.db", "ignored"),
        ("weights.tsv", "ignored"),
    ]
    assert rows[0][2] == "see above"
    assert app.text.count("Fix the file or remove it") <= 1
    assert "No other problems found." in app.text


def test_the_clutter_of_an_archive_is_counted(app, files) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files(base=2, new=2).items():
            archive.writestr(name, text)
            archive.writestr(f"__MACOSX/{name}", "\0")
    app.drop({"all.zip": buffer.getvalue()})
    assert "10 files: 5 read, 5 ignored." in expanders(app)


def test_of_three_files_without_hints_one_is_asked_for_as_the_reference(app, files) -> None:
    texts = files(base=1, new=1)
    renamed = dict(zip(("a.txt", "b.txt", "c.txt"), texts.values(), strict=True))
    app.drop(renamed)
    assert not app.page.exception
    assert "No file is recognised as the reference." in app.text
    assert "has no reference" not in app.text
    buttons = [one for one in app.page.button if one.key.startswith("as-reference-")]
    assert len(buttons) == 3
    buttons[-1].click()
    app.page.run()
    assert app.experiment.test_sets[0].has_references
    assert "None of these files" not in app.text
