"""Documents of ten to fifteen sentences, and test sets made of them."""

from dataclasses import dataclass

from maker.matter import matter
from maker.pieces import Sentence
from maker.sentences import sentence
from maker.stream import Stream
from maker.town import TOWN
from maker.work import WORK

DOMAINS = TOWN + WORK


@dataclass(frozen=True)
class Segment:
    """A sentence and the document that it stands in."""

    document: str
    sentence: Sentence


def corpus(seed: int, test_set: str, size: int) -> list[Segment]:
    """``size`` segments in whole documents, the domains taking turns."""
    stream = Stream(seed, test_set, "documents")
    segments: list[Segment] = []
    count = 0
    while len(segments) < size:
        domain = DOMAINS[count % len(DOMAINS)]
        count += 1
        length = stream.pick(_lengths(size - len(segments)))
        about = matter(stream, domain)
        name = f"{domain.name}-{test_set}-{count:02d}"
        segments += [Segment(name, sentence(stream, about, position)) for position in range(length)]
    return segments


def _lengths(left: int) -> list[int]:
    """Lengths of the next document after which the segments left can still be split into documents of 10 to 15."""
    return [length for length in range(10, 16) if left >= length and 10 * -((length - left) // 15) <= left - length]
