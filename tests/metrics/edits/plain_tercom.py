"""tercom 0.8.0 as MultEval runs it, written to be read: slow, no tricks, lists of words in, a number of edits out.

The oracle of the compiled kernels, and itself checked against what tercom recorded.
"""

import math
from dataclasses import dataclass

MAX_SPAN = 10


@dataclass(frozen=True)
class Alignment:
    """A cheapest path that the beam let through.

    ``cost`` is its edits; ``place[m]`` the hypothesis position consumed last when reference word m was, -1 before the
    first; ``wrong_hypothesis`` and ``wrong_reference`` say which positions are not matches.
    """

    cost: int
    place: list[int]
    wrong_hypothesis: list[bool]
    wrong_reference: list[bool]


@dataclass(frozen=True)
class Shift:
    """Words ``start`` to ``end`` (included) of the hypothesis go after position ``target``; -1 is the front."""

    start: int
    end: int
    target: int


def tercom_edits(hypothesis: list[str], reference: list[str], beam: float = 20, max_distance: int = 50) -> int:
    """Shifts taken plus the edit distance left."""
    if not hypothesis or not reference:
        return max(len(hypothesis), len(reference))
    words = hypothesis
    n_shifts = 0
    while (shift := best_shift(words, reference, beam, max_distance)) is not None:
        words = shifted(words, shift)
        n_shifts += 1
    return n_shifts + align(words, reference, beam).cost


def best_shift(words: list[str], reference: list[str], beam: float, max_distance: int) -> Shift | None:
    """The shift that one round takes, if any."""
    path = align(words, reference, beam)
    best = None
    best_cost = path.cost
    candidates = find_candidates(words, reference, path, max_distance)
    for length in range(MAX_SPAN, 0, -1):
        shifts_of_length = [shift for shift in candidates if shift.end - shift.start + 1 == length]
        for shift in shifts_of_length:
            # tercom takes for granted that a shift saves at most two edits a word of its span, and looks no further.
            saved = path.cost - best_cost
            if saved > 2 * length or (best is not None and saved == 2 * length):
                return best

            cost_with_shift = align(shifted(words, shift), reference, beam).cost + 1
            gain = best_cost - cost_with_shift
            if gain > 0 or (gain == 0 and best is None):
                best = shift
                best_cost = cost_with_shift
    return best


def find_candidates(words: list[str], reference: list[str], path: Alignment, max_distance: int) -> list[Shift]:
    """All shifts worth trying, in tercom's order."""
    candidates = []
    for start in range(len(words)):
        if not has_place_to_go(start, occurrences(words[start : start + 1], reference), path, max_distance):
            continue
        for end in range(start, min(start + MAX_SPAN, len(words))):
            places = occurrences(words[start : end + 1], reference)
            if not places:
                break
            if not any(path.wrong_hypothesis[start : end + 1]):
                continue
            usable = []
            for m in places:
                is_inside_the_span = start <= path.place[m] <= end
                if not is_inside_the_span and abs(path.place[m] - start) <= max_distance:
                    usable.append(m)
            if not usable:
                break
            for m in usable:
                if any(path.wrong_reference[m : m + end - start + 1]):
                    candidates += targets(start, end, m, path.place)
    return candidates


def has_place_to_go(start: int, places: list[int], path: Alignment, max_distance: int) -> bool:
    """Whether one of these reference positions is aligned elsewhere than the word at start, and near enough."""
    for m in places:
        distance = path.place[m] - start
        if distance != 0 and -max_distance - 1 <= distance <= max_distance:
            return True
    return False


def targets(start: int, end: int, m: int, place: list[int]) -> list[Shift]:
    """Shifts of a span towards reference position m: before it, or after one of the words that it would match."""
    shifts = []
    for offset in range(-1, end - start + 1):
        if offset == -1 and m == 0:
            shifts.append(Shift(start, end, -1))
        elif place[m + offset] != start and (offset == 0 or place[m + offset] != place[m]):
            shifts.append(Shift(start, end, place[m + offset]))
    return shifts


def occurrences(span: list[str], reference: list[str]) -> list[int]:
    """Where the reference has these words in a row."""
    return [m for m in range(len(reference) - len(span) + 1) if reference[m : m + len(span)] == span]


def shifted(words: list[str], shift: Shift) -> list[str]:
    """The words after the shift; a target inside the span moves it right by the target's offset."""
    span = words[shift.start : shift.end + 1]
    rest = words[: shift.start] + words[shift.end + 1 :]
    if shift.target < shift.start:
        at = shift.target + 1
    elif shift.target > shift.end:
        at = shift.target + 1 - len(span)
    else:
        at = min(shift.target, len(rest))
    return rest[:at] + span + rest[at:]


def align(words: list[str], reference: list[str], beam: float) -> Alignment:
    """The edit distance column by column (one a hypothesis word), pushed from each cell that the beam keeps."""
    # cost[j][i]: the edits that turn the first j hypothesis words into the first i reference words;
    # came_by[j][i]: the last of these edits.
    n_words = len(words)
    n_reference = len(reference)
    cost = [[math.inf] * (n_reference + 1) for _ in range(n_words + 1)]
    came_by = [[""] * (n_reference + 1) for _ in range(n_words + 1)]
    cost[0][0] = 0

    def offer(j: int, i: int, value: float, operation: str) -> None:
        if value < cost[j][i]:
            cost[j][i] = value
            came_by[j][i] = operation

    best_diagonal = math.inf
    for j in range(n_words + 1):
        limit = best_diagonal + beam
        best_diagonal = math.inf
        for i in range(n_reference + 1):
            cost_of_cell = cost[j][i]
            if cost_of_cell == math.inf or (j < n_words and cost_of_cell > limit):
                continue
            if i < n_reference and j < n_words:
                if reference[i] == words[j]:
                    operation = "match"
                    diagonal = cost_of_cell
                else:
                    operation = "substitution"
                    diagonal = cost_of_cell + 1
                offer(j + 1, i + 1, diagonal, operation)
                best_diagonal = min(best_diagonal, diagonal)
            if j < n_words:
                offer(j + 1, i, cost_of_cell + 1, "insertion")
            if i < n_reference:
                offer(j, i + 1, cost_of_cell + 1, "deletion")
    return follow(came_by, int(cost[n_words][n_reference]))


def follow(came_by: list[list[str]], cost: int) -> Alignment:
    """Read the path back from the last cell."""
    j = len(came_by) - 1
    i = len(came_by[0]) - 1
    path = Alignment(cost, [-1] * i, [False] * j, [False] * i)
    while i or j:
        operation = came_by[j][i]
        takes_reference_word = operation != "insertion"
        takes_hypothesis_word = operation != "deletion"
        if takes_reference_word:
            path.place[i - 1] = j - 1
            path.wrong_reference[i - 1] = operation != "match"
        if takes_hypothesis_word:
            path.wrong_hypothesis[j - 1] = operation != "match"
        if takes_reference_word:
            i -= 1
        if takes_hypothesis_word:
            j -= 1
    return path
