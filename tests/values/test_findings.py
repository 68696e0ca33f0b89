from mteval.values.findings import TITLES


def test_titles_leave_the_severity_to_the_word_before_them() -> None:
    """``Warning: Note on the files.`` is both."""
    for title in TITLES.values():
        assert {"warning", "note", "error", "problem"}.isdisjoint(title.lower().split()), title
