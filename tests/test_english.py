"""What mteval shows is plain English: no tic of the list below, and no sentence of more than 30 words.

``python -m tests.test_english [FOLDER ...]`` lists the offenders of folders or files, long sentences included.
"""

import argparse
import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = ("app.py", "pages", "mteval")
PROSE = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs")
LONG, TOO_LONG = 20, 30  # words: from the first on a sentence is listed, above the second it fails
EXEMPT = ("mteval/answers/methods.py",)  # a paragraph for papers
CODE_OF_OTHERS = re.compile(r"^([a-z]{2,3} ){9}|\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA)\b|charset=|\[option|\(\?")
FIELD = "{}"

UNITS = (
    "baseline|batch|campaign|comparison|core|day|document|draw|experiment|file|language|line|metric|model|output|page"
    "|pair|process|row|run|sample|segment|sentence|server|side|system|test set|token|visitor|week|word"
)
PER = "copies|each|ids?|lines?|minutes|names?|outputs?|pages?|runs?|scores?|seconds|sentences?|words?"
TICS = {  # what not to write: what to write instead
    r"\b(is|are|was|were|be|been|being) (said|told|had)\b|\bsays? nothing\b|\bsaid (of|by)\b": "show, print, tell",
    r"\bstands?\b(?! for)|\bstood\b": "is",
    r"\bremark(s|ed)?\b|\bwhat is noticed\b|\bto be known\b": "note, warning",
    r"\b[Tt]aken? for\b|\btakes for\b": "treated as, recognised as",
    r"\b[Mm]end(s|ed)?\b": "fix",
    r"(?<!tools )\b[Ll](eave|eaves|eaving|eft) (it |them |\{\} )?out\b": "ignore, skip",
    r"\b[Tt]ak(e|en|es|ing) (it |them )?out\b": "remove",
    r"\bjudges? by\b|\bp judged\b": "p (adjusted), based on",
    r"\b(would|will|can|to|which|that|may) bring\b|\bbrings\b|\bbrought\b": "show, give, add, cause",
    rf"\b(one|two|three|\d+|\{{\}}|{PER}) an? ({UNITS})\b": "per",
    r", as (by|from|of|when|where|with) ": "e.g.",
    r"\bone's\b|(^|[.;,:] )[Oo]ne (can|may|must|should|sees|wants|leaves|knows|has)\b": "you, or the noun",
    r"(^|[.!?] )(Of|What) (?!to do next)[^.?!]*(\.|$)": "subject, verb; What only in a question",
    r"(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more\b|better\b|worse\b|other\b)\w+": "is not a",
    r"\b[Ww]here (there|none|nobody|no|one|some|any)\b|(^|[.!?] )Where [^.?!]*\.": "if",
    r"\bboth kinds\b": "test-set luck, training luck, both",
    r"\b(cannot|can) be (said|had|told|known)\b|^not shown$": "no verdict, unknown, unavailable",
    r"\bholds? together\b": "simultaneous CI",
    r"\bother order\b": "wrong order, reversed",
    r"\b(planned|named|later|earlier|all) looks?\b|\b[Ll]ooks (planned|at the runs)\b": "interim analysis",
    r"\bhal(f|ves) of (one's|its|their) own\b": "split-half check",
    r"\b(take|takes|taken|took|taking) (it |them )?back\b|\bnothing more can be\b": "undo; closed, read-only",
    r"\bwhat people wrote\b|\blongest ago\b|\bforgotten\b|\bforgets?\b": "reference; least recently used; lost",
    r"\bmakes? a talk\b|\bwhole or not at all\b|\bgets on\b|\b[Tt]ake down\b": "slides; atomic; continue; record",
    r"\b(is|are) to be\b": "must, should",
    r"\b[Nn]othing of\b|\b[Nn]othing looks\b": "does not show; no … found",
    r"\bless (those|each)\b": "minus",
}


@dataclass(frozen=True)
class Text:
    """A text that somebody reads, and where it is."""

    place: str
    words: str

    def tics(self) -> Iterator[str]:
        """What is in it that should not be, with the remedy."""
        for pattern, remedy in TICS.items():
            for found in re.finditer(pattern, self.words):
                yield f"{self.place}: “{found[0].strip()}” → {remedy}: {self.words[:150]!r}"

    def long_sentences(self, limit: int) -> Iterator[str]:
        """Its sentences of more words than that."""
        for sentence in re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bet al\.)(?<!\bvs\.)[”\")]?\s+", self.words):
            n_words = len(re.findall(r"[\w{][^\s]*", sentence))
            if n_words > limit:
                yield f"{self.place}: {n_words} words: {sentence!r}"


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Each text of a module and its line: docstrings are none, and fields of a template are ``{}``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (str(part.value) if isinstance(part, ast.Constant) else FIELD for part in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, re.sub(r"\{\w*\}", FIELD, node.value)


def paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    """Each paragraph, list item and table cell of a page and its line, without code."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), path.read_text("utf-8"), flags=re.M | re.S)
    for block in re.finditer(r"(?:^.*\S.*\n?)+", text, flags=re.M):
        line = text.count("\n", 0, block.start()) + 1
        for item in re.split(r"^\s*(?:[-*]|\d+\.|#+|>|\|)\s+|\s\|\s|\s\|$", block[0], flags=re.M):
            plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "X", item)).replace("**", "")
            yield line, " ".join(plain.split())


def texts(*places: str) -> Iterator[Text]:
    """All texts of code and prose below some places."""
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in {".py", ".md"}:
                name = str(file.relative_to(ROOT))
                for line, text in (strings if file.suffix == ".py" else paragraphs)(file):
                    words = " ".join(re.sub(r"</?\w[^>]*>", " ", text).split())
                    if " " in words and not CODE_OF_OTHERS.search(words):
                        yield Text(f"{name}:{line}", words)


def test_nothing_shown_has_a_tic() -> None:
    offenders = [tic for text in texts(*CODE, *PROSE) for tic in text.tics()]
    assert not offenders, "\n".join(offenders)


def test_no_sentence_shown_has_more_than_thirty_words() -> None:
    shown = (text for text in texts(*CODE, *PROSE) if not text.place.startswith(EXEMPT))
    offenders = [sentence for text in shown for sentence in text.long_sentences(TOO_LONG)]
    assert not offenders, "\n".join(offenders)


def main() -> None:
    """List the offenders of the places named, else of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", default=[*CODE, *PROSE])
    for text in texts(*parser.parse_args().places):
        for offender in (*text.tics(), *text.long_sentences(LONG)):
            print(offender)


if __name__ == "__main__":
    main()
