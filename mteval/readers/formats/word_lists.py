"""Lists of words: frequencies from a counts file or a corpus, and terminology as a table or in TBX."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element

from mteval.base.errors import InputError
from mteval.readers.formats.xml_trees import LANGUAGE, parsed_xml
from mteval.values.languages import codes_of

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
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
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
    """Whether a line is a word, a tab and a whole number."""
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
    is_xml = text.lstrip().startswith("<")
    pairs = _terms_of_tbx(text, file, languages) if is_xml else _terms_of_table(text)
    targets_of: dict[str, dict[str, None]] = defaultdict(dict)  # in order, without repetitions
    for source, targets in pairs:
        targets_of[source] |= dict.fromkeys(filter(None, targets))
    terms = {source: tuple(targets) for source, targets in targets_of.items() if source and targets}
    if not terms:
        raise InputError("No terms found. Expected TBX, or a table with source and target terms between tabs.", file)
    return terms


def _terms_of_table(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield source terms with targets; a term alone in its line is both."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        source = cells[0]
        targets = cells[1:] or [source]
        yield source, targets


def _terms_of_tbx(text: str, file: str, languages: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the source terms of each entry with all its target terms."""
    pair = codes_of(languages.lower())  # terms of every region count
    for element in parsed_xml(text, file, forbids_dtd=False).iter():
        if _tag(element.tag) not in ("termEntry", "conceptEntry"):  # TBX version 2 and 3
            continue
        terms_of = _terms_by_language(element)
        if len(pair) == 2:
            source, target = pair
            sources = _terms_of_language(terms_of, source)
            targets = _terms_of_language(terms_of, target)
        elif len(terms_of) > 1:
            sources, targets, *_ = terms_of.values()
        else:
            continue
        for term in sources:
            yield term, targets


def _terms_by_language(entry: Element) -> dict[str, list[str]]:
    """Return the terms of an entry by language, as written there in lower case (e.g. ``de-at``)."""
    terms_of: dict[str, list[str]] = {}
    for section in entry.iter():
        if _tag(section.tag) not in LANGUAGES:
            continue
        language = (section.get(LANGUAGE) or section.get("lang") or "").lower()
        terms = terms_of.setdefault(language, [])
        for element in section.iter():
            if _tag(element.tag) == "term":
                terms.append("".join(element.itertext()).strip())
    return terms_of


def _terms_of_language(terms_of: Mapping[str, Sequence[str]], code: str) -> list[str]:
    """Return the terms in a language, whatever its region."""
    terms: list[str] = []
    for language, of_language in terms_of.items():
        if language.split("-")[0] == code:
            terms += of_language
    return terms


def _tag(name: str) -> str:
    """Return the name of an element without its namespace."""
    return name.rpartition("}")[2]
