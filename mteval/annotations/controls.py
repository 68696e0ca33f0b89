"""Items with known answers: by some an annotator learns, by others it is seen whether they read."""

from dataclasses import dataclass
from typing import Literal

from mteval.errors import SettingsError

ControlKind = Literal["training", "check"]
CONTROLS: tuple[ControlKind, ...] = ("training", "check")


@dataclass(frozen=True)
class Control:
    """An item with a known answer.

    Parameters
    ----------
    kind
        ``training``: the answer is shown once the annotator has given theirs. ``check``: an output of the campaign with
        words that do not belong there, which looks like any other.
    start, end
        Characters of the hypothesis that are wrong; both 0 where nothing is.
    severity, category
        Of that error; empty where any will do.
    low, high
        Between which a score should be.
    explanation
        Why; shown with the answer.
    intact
        The output without the defect; the better of two outputs; empty for training on one output.

    Raises
    ------
    SettingsError
        Where there is no text, or a span or a range is none.
    """

    kind: ControlKind
    source: str
    hypothesis: str
    start: int = 0
    end: int = 0
    severity: str = ""
    low: float = 0.0
    high: float = 100.0
    explanation: str = ""
    intact: str = ""
    category: str = ""

    def __post_init__(self) -> None:
        what = f"The item '{self.hypothesis[:60]}' with a known answer"
        if not self.hypothesis.strip():
            raise SettingsError("An item with a known answer has no output; write the text that is to be judged.")
        if not 0 <= self.start <= self.end <= len(self.hypothesis):
            raise SettingsError(
                f"{what} has its error at characters {self.start} to {self.end}; the text has {len(self.hypothesis)}."
            )
        if not 0 <= self.low <= self.high <= 100:
            raise SettingsError(f"{what} expects scores from {self.low:g} to {self.high:g}; give a range in 0 to 100.")

    @property
    def has_error(self) -> bool:
        """Whether something is wrong with it."""
        return self.end > self.start
