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
    """

    noun: str
    luck: str

    @property
    def nouns(self) -> str:
        """Plural of the noun."""
        return plural(self.noun)

    def filled(self, template: str, **fields: str) -> str:
        """Fill in the fields of a template.

        Parameters
        ----------
        template
            With ``{run}``, ``{runs}``, ``{a_run}``, ``{luck}`` or ``{kind}`` (of luck);
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
            "kind": self.luck.removesuffix(" luck"),
        }
        capitalised = {_capitalised(name): _capitalised(word) for name, word in words.items()}
        return template.format_map({**words, **capitalised, **fields})


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


TRAINING_NOUN = "training"  # noun for runs that are averages over nested runs
SAMPLE_NOUN = "sample"  # of models that are not trained again
RUN = RunWord("run", "training luck")
_FURTHER = (
    RunWord("optimizer run", "optimizer luck"),
    RunWord("training seed", "training luck"),
    RunWord(TRAINING_NOUN, "training luck"),
    RunWord("checkpoint", "checkpoint luck"),
    RunWord(SAMPLE_NOUN, "sampling luck"),
    RunWord("prompt", "prompt luck"),
)
RUN_WORDS: Mapping[str, RunWord] = MappingProxyType({word.noun: word for word in (RUN, *_FURTHER)})
