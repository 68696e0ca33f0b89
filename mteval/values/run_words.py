"""The user's word for a run (seed, prompt, checkpoint …) and related phrases."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mteval.base.words import plural


@dataclass(frozen=True)
class RunWord:
    """Words for runs.

    Parameters
    ----------
    noun
        Singular: ``run``, ``checkpoint``.
    luck
        Name of the luck between them.
    again
        Phrase for new ones: ``re-run training``.
    """

    noun: str
    luck: str
    again: str

    @property
    def nouns(self) -> str:
        """Plural of the noun."""
        return plural(self.noun)

    def filled(self, template: str, **fields: str) -> str:
        """Fill in the fields of a template.

        Parameters
        ----------
        template
            With ``{run}``, ``{runs}``, ``{a_run}``, ``{luck}``, ``{kind}`` (of luck) or ``{again}``;
            capitalised at the start of a sentence, e.g. ``{Run}``. Must not contain user input.
        fields
            Values of other fields, inserted unchanged.
        """
        article = "an" if self.noun[0] in "aeiou" else "a"
        words = {
            "run": self.noun,
            "runs": self.nouns,
            "a_run": f"{article} {self.noun}",
            "luck": self.luck,
            "again": self.again,
            "kind": self.luck.removesuffix(" luck"),
        }
        capitalised = {_capitalised(name): _capitalised(word) for name, word in words.items()}
        return template.format_map({**words, **capitalised, **fields})


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


OF_TRAININGS = "training"  # noun for runs that are averages over nested runs
OF_RELEASED = "sample"  # of models that are not trained again
RUN = RunWord("run", "training luck", "re-run training")
_FURTHER = (
    RunWord("optimizer run", "optimizer luck", "re-run optimizers"),
    RunWord("training seed", "training luck", "training with other seeds"),
    RunWord(OF_TRAININGS, "training luck", "re-run training"),
    RunWord("checkpoint", "checkpoint luck", "other checkpoints"),
    RunWord(OF_RELEASED, "sampling luck", "new samples"),
    RunWord("prompt", "prompt luck", "other prompts"),
)
RUN_WORDS: Mapping[str, RunWord] = MappingProxyType({word.noun: word for word in (RUN, *_FURTHER)})
