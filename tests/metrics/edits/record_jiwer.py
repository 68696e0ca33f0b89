"""Record what jiwer answers for garbled texts; run in an environment of its own.

``python record_jiwer.py`` writes ``recorded/jiwer.json`` beside this file, with jiwer's version. Each case has
references, hypotheses, and jiwer's rates: with its own transformations, and with the usual ones for case and
punctuation.
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

import jiwer

N_CASES = 60
PIECES = [
    *("the", "cat", "The", "CAT", "sat", "on", "a", "mat", "it", "I", "x", "5", "1.5", "1,000", "a-b", ".", ",", "?"),
    *("!", "--", "...", "(x)", "'s", "&", "&quot;", "中文本。", "日本語", "é", "e\u0301", "ß", "İ", "ΑΣ", "«x»", "„y“"),
    *("😀", "½", "don't", "_x_", "$5", "+", "‿", "·", "naïve"),
]
SPACES = ("", " ", " ", " ", "  ")


def transformation(lowercase: bool, no_punct: bool, of_characters: bool) -> jiwer.Compose:
    """The usual steps, in the usual order."""
    steps: list[jiwer.AbstractTransform] = []
    if lowercase:
        steps.append(jiwer.ToLowerCase())
    if no_punct:
        steps.append(jiwer.RemovePunctuation())
    if no_punct or not of_characters:
        steps.append(jiwer.RemoveMultipleSpaces())
    steps += [jiwer.Strip(), jiwer.ReduceToListOfListOfChars() if of_characters else jiwer.ReduceToListOfListOfWords()]
    return jiwer.Compose(steps)


def text(draw: random.Random, pieces: list[str]) -> str:
    """The pieces with spaces between, or none."""
    return "".join(piece + draw.choice(SPACES) for piece in pieces)


def pair(draw: random.Random) -> tuple[str, str]:
    """A reference and a hypothesis that lost, moved or won words."""
    pieces = draw.choices(PIECES, k=draw.randint(1, 30))
    kept = [piece for piece in pieces if draw.random() < 0.8]
    cut = draw.randint(0, len(kept))
    garbled = kept[cut:] + kept[:cut] if draw.random() < 0.4 else kept + draw.choices(PIECES, k=draw.randint(0, 3))
    return text(draw, pieces), " " * draw.randint(0, 1) + text(draw, garbled)


def rates(references: list[str], hypotheses: list[str]) -> dict[str, float]:
    """By metric and options as mteval writes them."""
    values = {"wer": jiwer.wer(references, hypotheses), "cer": jiwer.cer(references, hypotheses)}
    for lowercase, no_punct in ((True, False), (False, True), (True, True)):
        options = f" lowercase={lowercase} no_punct={no_punct}"
        words = transformation(lowercase, no_punct, of_characters=False)
        characters = transformation(lowercase, no_punct, of_characters=True)
        values["wer" + options] = jiwer.wer(references, hypotheses, words, words)
        values["cer" + options] = jiwer.cer(references, hypotheses, characters, characters)
    return values


def main() -> None:
    """Write the file; jiwer refuses a reference that has nothing left, so other texts are drawn then."""
    draw = random.Random(7)
    cases = []
    while len(cases) < N_CASES:
        pairs = [pair(draw) for _ in range(draw.randint(1, 6))]
        references = [reference for reference, _ in pairs]
        hypotheses = [hypothesis for _, hypothesis in pairs]
        try:
            values = rates(references, hypotheses)
        except ValueError:
            continue
        cases.append({"references": references, "hypotheses": hypotheses, "rates": values})
    content = json.dumps({"jiwer": version("jiwer"), "cases": cases}, ensure_ascii=False, indent=0)
    (Path(__file__).parent / "recorded" / "jiwer.json").write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
