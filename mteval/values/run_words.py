"""What a run is, in the user's word: all that is said of training luck is about that, and about nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mteval.base.words import plural


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

    def filled(self, template: str, **fields: str) -> str:
        """A template of the program's own with its fields filled in.

        Parameters
        ----------
        template
            With ``{run}``, ``{runs}``, ``{a_run}``, ``{luck}`` or ``{again}``, at the beginning of a sentence ``{Run}``
            and so on. Nothing that a user wrote stands in it.
        fields
            Other fields, whose texts are taken as they are.
        """
        article = "an" if self.noun[0] in "aeiou" else "a"
        words = {
            "run": self.noun, "runs": self.nouns, "a_run": f"{article} {self.noun}", "luck": self.luck,
            "again": self.again,
        }  # fmt: skip
        capital = {name[0].upper() + name[1:]: word[0].upper() + word[1:] for name, word in words.items()}
        return template.format_map({**words, **capital, **fields})


RUN = RunWord("run", "training luck", "re-run training", "the optimizer or the training, as the user knows")
_OTHERS = (
    RunWord("optimizer run", "optimizer luck", "re-run optimizers", "the optimizer's start, the model otherwise kept"),
    RunWord("training seed", "training luck", "training with other seeds", "the seed of a whole training"),
    RunWord("checkpoint", "checkpoint luck", "other checkpoints", "the step at which one training was read out"),
    RunWord("sample", "sampling luck", "new samples", "the decoding, one trained model kept"),
    RunWord("prompt", "prompt luck", "other prompts", "the words of the prompt, one model kept"),
)
RUN_WORDS: Mapping[str, RunWord] = MappingProxyType({word.noun: word for word in (RUN, *_OTHERS)})
