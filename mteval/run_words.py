"""What a run is, in the user's word: all that is said of training luck is about that, and about nothing else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mteval.counts import plural


@dataclass(frozen=True)
class RunWord:
    """How to speak of runs.

    Parameters
    ----------
    noun
        One of them: ``run``, ``checkpoint``.
    luck
        What their spread is called.
    again
        What could have come out otherwise: ``re-run training``.
    meaning
        What is drawn anew from run to run.
    """

    noun: str
    luck: str
    again: str
    meaning: str

    @property
    def nouns(self) -> str:
        """Several of them."""
        return plural(self.noun)

    def said(self, text: str) -> str:
        """A remark that speaks of runs, in this word; for remarks of procedures, which name nothing of the user's."""
        if self == RUN:
            return text
        words = {RUN.again: self.again, RUN.luck: self.luck, "runs": self.nouns, "run": self.noun}
        return re.sub(rf"(?<![\w-])({'|'.join(words)})\b", lambda found: words[found[1]], text)


RUN = RunWord("run", "training luck", "re-run training", "the optimizer or the training, as the user knows")
_OTHERS = (
    RunWord("optimizer run", "optimizer luck", "re-run optimizers", "the optimizer's start, the model otherwise kept"),
    RunWord("training seed", "training luck", "training with other seeds", "the seed of a whole training"),
    RunWord("checkpoint", "checkpoint luck", "other checkpoints", "the step at which one training was read out"),
    RunWord("sample", "sampling luck", "new samples", "the decoding, one trained model kept"),
    RunWord("prompt", "prompt luck", "other prompts", "the words of the prompt, one model kept"),
)
RUN_WORDS: Mapping[str, RunWord] = MappingProxyType({word.noun: word for word in (RUN, *_OTHERS)})
