"""What a number rests on: how many segments, documents and given scores."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coverage:
    """What the numbers of one system by one metric on one test set rest on.

    Parameters
    ----------
    n_segments, n_documents
        Those that every run of the system has a score of, and the documents that these are of; no documents where the
        test set names none.
    of_segments, of_documents
        Those of the test set.
    n_given
        Scores that came with the runs, on whatever segments; 0 for a metric that is computed here.
    n_judgements
        Judgements of people that the given scores are means of; 0 where that is not known.
    """

    test_set: str
    metric: str
    system: str
    n_segments: int
    of_segments: int
    n_documents: int
    of_documents: int
    n_given: int
    n_judgements: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether no segment is left out."""
        return self.n_segments == self.of_segments
