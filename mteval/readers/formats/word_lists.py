"""Lists of words: frequencies from a counts file or a corpus, and terminology as a table or in TBX."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from mteval.base.errors import InputError
from mteval.readers.formats.xml_trees import LANGUAGE, parsed_xml

LINES_AT_ONCE = 50_000
LANGUAGES = ("langSet", "langSec")


def read_frequencies(
    lines: Sequence[str], file: str, words_of: Callable[[Sequence[str]], Iterable[str]]
) -> dict[str, int]:
    """Return the frequency of each word: from lines ``word TAB count``, otherwise counted in the text.

    Parameters
    ----------
    words_of
        Returns the words of some lines of text.

    Raises
    ------
    InputError
        If a file of counts has a line without a count, or no words are found.
    """
    counts = Counter[str]()
    if lines and _is_count(lines[0]):
        for number, line in ((number, line) for number, line in enumerate(lines, start=1) if line.strip()):
            if not _is_count(line):
                raise InputError(f"Expected a word, a tab and its count; found '{line[:40]}'.", file, number)
            word, _, count = line.rpartition("\t")
            counts[word] += int(count)
    else:
        for start in range(0, len(lines), LINES_AT_ONCE):
            counts.update(words_of(lines[start : start + LINES_AT_ONCE]))
    if not counts:
        raise InputError("The file has no words. Give a text, or lines with a word, a tab and its count.", file)
    return dict(counts)


def _is_count(line: str) -> bool:
    word, tab, count = line.rpartition("\t")
    return bool(word and tab) and count.strip().isdecimal()


def read_terms(text: str, file: str, languages: str = "") -> dict[str, tuple[str, ...]]:
    """Return the accepted translations of each source term.

    A table has source and target term in two columns; more lines or columns give more translations. A list in one
    column has target terms alone. In TBX, source and target are the languages of the test set, by default the first
    two of each entry.

    Raises
    ------
    InputError
        If the XML cannot be read, or there is no term.
    """
    terms: dict[str, dict[str, None]] = defaultdict(dict)
    for source, targets in _of_tbx(text, file, languages) if text.lstrip().startswith("<") else _of_table(text):
        terms[source] |= dict.fromkeys(filter(None, targets))
    if not (found := {source: tuple(targets) for source, targets in terms.items() if source and targets}):
        raise InputError("No terms found. Expected TBX, or a table with source and target terms between tabs.", file)
    return found


def _of_table(text: str) -> Iterable[tuple[str, Sequence[str]]]:
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        yield cells[0], cells[1:] if len(cells) > 1 else cells


def _of_tbx(text: str, file: str, languages: str) -> Iterable[tuple[str, Sequence[str]]]:
    wanted = languages.lower().split("-") if languages else []
    for element in parsed_xml(text, file, forbids_dtd=False).iter():
        if _tag(element.tag) not in ("termEntry", "conceptEntry"):  # TBX version 2 and 3
            continue
        terms: dict[str, list[str]] = {}
        for section in element.iter():
            if _tag(section.tag) in LANGUAGES:
                name = (section.get(LANGUAGE) or section.get("lang") or "").lower()
                words = ("".join(one.itertext()).strip() for one in section.iter() if _tag(one.tag) == "term")
                terms.setdefault(name, []).extend(words)
        sides = [*terms.values()]
        if len(wanted) == 2:
            named = [(name.split("-")[0], term) for name, some in terms.items() for term in some]
            sides = [[term for code, term in named if code == one] for one in wanted]
        if len(sides) > 1:
            yield from ((term, sides[1]) for term in sides[0])


def _tag(tag: str) -> str:
    return tag.rpartition("}")[2]
