"""METEOR in plain Python, for tests: every list is a list, every path an object, nothing is clever.

Knows words only through the functions of ``Knowledge``, so that tests can make up languages of few words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

MODULES = ("exact", "stem", "synonym", "paraphrase")


@dataclass(frozen=True)
class Knowledge:
    """What the plain METEOR knows of a language."""

    code: Callable[[str], int]
    stem: Callable[[str], str]
    synsets: Callable[[str], frozenset[int]]
    paraphrases: Mapping[str, Sequence[str]]
    function_words: frozenset[str]


@dataclass(frozen=True)
class Match:
    reference_start: int
    reference_length: int
    hypothesis_start: int
    hypothesis_length: int
    module: str

    @property
    def reference_words(self):
        return range(self.reference_start, self.reference_start + self.reference_length)

    @property
    def hypothesis_words(self):
        return range(self.hypothesis_start, self.hypothesis_start + self.hypothesis_length)


@dataclass(frozen=True)
class Path:
    matches: tuple[Match, ...] = ()
    weight: int = 0
    chunks: int = 0
    distance: int = 0
    open_end: int | None = None  # where the open chunk ends in the hypothesis

    @property
    def order(self):
        return -self.weight, self.chunks, self.distance

    @property
    def used(self):
        return {word for match in self.matches for word in match.hypothesis_words}

    def closed(self):
        """The path after its open chunk, if there is one."""
        if self.open_end is None:
            return self
        return replace(self, chunks=self.chunks + 1, open_end=None)

    def taking(self, match):
        """The path with one more match, which continues the open chunk or begins another."""
        broken = self.open_end is not None and self.open_end != match.hypothesis_start
        divisor = 2
        if match.module == "exact":
            divisor = 1
        weight = match.reference_length // divisor + match.hypothesis_length // divisor
        return replace(
            self,
            matches=(*self.matches, match),
            weight=self.weight + weight,
            chunks=self.chunks + broken,
            open_end=match.hypothesis_start + match.hypothesis_length,
        )


def candidates(reference, hypothesis, knowledge, modules):
    """All matches, by the reference word where they start."""
    starting = [[] for _ in reference]

    def add_words(module, agree):
        for i, a in enumerate(reference):
            for j, b in enumerate(hypothesis):
                if agree(a, b):
                    starting[i].append(Match(i, 1, j, 1, module))

    def differ(a, b):
        return knowledge.code(a) != knowledge.code(b)

    def same_stem(a, b):
        return differ(a, b) and knowledge.code(knowledge.stem(a)) == knowledge.code(knowledge.stem(b))

    if "exact" in modules:
        add_words("exact", lambda a, b: not differ(a, b))
    if list(reference) == list(hypothesis):
        return starting
    if "stem" in modules:
        add_words("stem", same_stem)
    if "synonym" in modules:
        add_words("synonym", lambda a, b: differ(a, b) and bool(knowledge.synsets(a) & knowledge.synsets(b)))
    if "paraphrase" in modules:
        for i, n, j, m in phrase_pairs(reference, hypothesis, knowledge):
            starting[i].append(Match(i, n, j, m, "paraphrase"))
        for j, m, i, n in phrase_pairs(hypothesis, reference, knowledge):
            starting[i].append(Match(i, n, j, m, "paraphrase"))
    return starting


def phrase_pairs(text, second_text, knowledge):
    """Phrases of a text whose paraphrases stand in a second one: start and length, start and length there."""
    for start in range(len(text)):
        for length in range(1, len(text) - start + 1):
            phrase = " ".join(text[start : start + length])
            for paraphrase in knowledge.paraphrases.get(phrase, ()):
                words = paraphrase.split(" ")
                for position in range(len(second_text) - len(words) + 1):
                    if list(second_text[position : position + len(words)]) == words:
                        yield start, length, position, len(words)


def align(reference, hypothesis, knowledge, modules=MODULES, beam_size=40):
    """The matches of the best alignment and its number of chunks."""
    starting = candidates(reference, hypothesis, knowledge, modules)
    all_matches = list(chain.from_iterable(starting))

    def is_fixed(word):
        """Whether a reference word has one match, which no other match competes with."""
        if len(starting[word]) != 1:
            return False
        (only_match,) = starting[word]
        for match in all_matches:
            if match is only_match:
                continue
            if set(match.reference_words) & set(only_match.reference_words):
                return False
            if set(match.hypothesis_words) & set(only_match.hypothesis_words):
                return False
        return True

    paths = [Path()]
    for word in range(len(reference)):
        fixed = is_fixed(word)
        continued = []
        for path in paths:
            if path.matches and word in path.matches[-1].reference_words:
                continued.append(path)
                continue
            for match in starting[word]:
                if not path.used & set(match.hypothesis_words):
                    continued.append(path.taking(match))
                    path = replace(path, distance=path.distance + abs(word - match.hypothesis_start))
            if not fixed:
                continued.append(path.closed())
        paths = sorted(continued, key=lambda path: path.order)[:beam_size]
    best = min((path.closed() for path in paths), key=lambda path: path.order)
    return best.matches, best.chunks


def statistics(reference, hypothesis, knowledge, modules=MODULES, beam_size=40):
    """The 23 numbers; a segment that is matched wholly in one chunk has none."""
    matches, chunks = align(reference, hypothesis, knowledge, modules, beam_size)

    def n_function(words):
        return sum(word.lower() in knowledge.function_words for word in words)

    def n_content(words):
        return len(words) - n_function(words)

    numbers = [len(hypothesis), len(reference), n_function(hypothesis), n_function(reference)]
    for module in MODULES:
        matched_hypothesis = []
        matched_reference = []
        for match in matches:
            if match.module == module:
                matched_hypothesis += [hypothesis[word] for word in match.hypothesis_words]
                matched_reference += [reference[word] for word in match.reference_words]
        numbers += [n_content(matched_hypothesis), n_content(matched_reference)]
        numbers += [n_function(matched_hypothesis), n_function(matched_reference)]

    hypothesis_matches = sum(match.hypothesis_length for match in matches)
    reference_matches = sum(match.reference_length for match in matches)
    is_matched_wholly = hypothesis_matches == len(hypothesis) and reference_matches == len(reference)
    if is_matched_wholly and chunks == 1:
        chunks = 0
    return [*numbers, chunks, hypothesis_matches, reference_matches]
