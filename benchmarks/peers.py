"""The same tasks in other packages, through their own functions; a loop if there is no peer."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from logging import WARNING, getLogger
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest, _bootstrap_resample

Streams = Sequence[Sequence[str]]


def statistics(metric: Any, runs: Streams, references: Streams) -> list[Any]:
    """sacreBLEU's sufficient statistics of every run."""
    return [metric._extract_corpus_statistics(list(run), [list(stream) for stream in references]) for run in runs]


def bleu(tokenize: str = "13a") -> BLEU:
    """A fresh metric each time: an old one would have its tokenized lines cached."""
    return BLEU(tokenize=tokenize, force=True)


def chrf(word_order: int) -> CHRF:
    """chrF or chrF++."""
    return CHRF(word_order=word_order)


def ter() -> TER:
    """TER with sacreBLEU's defaults."""
    return TER()


def bootstrap(metric: Any, statistics_of_runs: Sequence[Any], n_replicates: int) -> list[float]:
    """sacreBLEU's bootstrap of each run."""
    scores = [_bootstrap_resample(stats, metric, n_replicates)[1] for stats in statistics_of_runs]
    return [float(np.std([score.score for score in run], ddof=1)) for run in scores]


def paired_test(kind: str, baseline: Sequence[str], system: Sequence[str], references: Streams, metric: Any) -> Any:
    """sacreBLEU's ``--paired-ar`` or ``--paired-bs``, from text to p-value."""
    systems = [("baseline", list(baseline)), ("system", list(system))]
    return PairedTest(systems, {"BLEU": metric}, [list(stream) for stream in references], test_type=kind)()


def paired_randomization(metric: Any, baseline: Any, system: Any, n_shuffles: int) -> float:
    """The resampling part of ``--paired-ar``, from statistics to p-value."""
    from sacrebleu import significance

    class Prepared:
        """A metric whose statistics are at hand."""

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return system

        _aggregate_and_compute = staticmethod(metric._aggregate_and_compute)

    baseline_info = {"BLEU": (baseline, metric._aggregate_and_compute(baseline))}
    _, results = significance._paired_ar_test(
        baseline_info, "system", list(system), None, {"BLEU": Prepared()}, n_shuffles, seed=1
    )
    return float(results["BLEU"].p_value)


def sacrebleu_bleu(run: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU's BLEU of one run."""
    return float(bleu().corpus_score(list(run), [list(references)]).score)


def sacrebleu_chrf(run: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU's chrF of one run."""
    return float(chrf(0).corpus_score(list(run), [list(references)]).score)


def jiwer(run: Sequence[str], references: Sequence[str]) -> float:
    """jiwer's WER of one run."""
    import jiwer

    return float(jiwer.wer(list(references), list(run)))


def rapidfuzz(run: Sequence[str], references: Sequence[str]) -> float:
    """WER of one run by rapidfuzz's distance (C++)."""
    from rapidfuzz.distance.Levenshtein import distance

    n_errors = sum(distance(line.split(), reference.split()) for line, reference in zip(run, references, strict=True))
    return n_errors / sum(len(reference.split()) for reference in references)


def has_others() -> bool:
    """Return whether the packages of ``requirements.txt``, which nothing else needs, and METEOR's are installed."""
    return all(map(find_spec, ("compare_mt", "bleuscore", "fastchrf", "pycocoevalcap")))


def bleuscore(run: Sequence[str], references: Sequence[str]) -> float:
    """bleuscore's BLEU of one run (Rust, all cores), with the tokenizer and smoothing of Hugging Face's metric."""
    import bleuscore

    return float(bleuscore.compute([[line] for line in references], list(run))["bleu"])


def fastchrf(run: Sequence[str], references: Sequence[str]) -> Any:
    """fastchrf's chrF of every segment (Rust)."""
    import fastchrf

    return fastchrf.pairwise_chrf([[line] for line in run], [[line] for line in references])


def compare_mt_statistics(run: Sequence[str], references: Sequence[str]) -> Any:
    """compare-mt's sufficient statistics of one run for BLEU, of text cut at white space."""
    from compare_mt.scorers import BleuScorer

    getLogger().setLevel(WARNING)  # a package that it loads lets every other one talk
    return BleuScorer().cache_stats([line.split() for line in references], [line.split() for line in run])


def compare_mt_bootstrap(statistics_of_runs: Sequence[Any], n_replicates: int) -> Any:
    """compare-mt's bootstrap of two systems, from statistics to shares of wins; by default on half the segments."""
    from compare_mt.scorers import BleuScorer
    from compare_mt.sign_utils import eval_with_paired_bootstrap

    n_segments = len(statistics_of_runs[0])
    texts = [None] * n_segments  # it asks for their number alone where it has statistics
    return eval_with_paired_bootstrap(
        texts, [texts, texts], None, BleuScorer(), num_samples=n_replicates, cache_stats=list(statistics_of_runs)
    )


def differences_in_a_loop(
    baseline: Sequence[float], system: Sequence[float], ks: Iterable[int], n_draws: int
) -> list[list[float]]:
    """Return differences of the mean scores of k random runs, draw by draw in plain NumPy."""
    generator = np.random.default_rng(1)

    def mean(scores: Sequence[float], k: int) -> float:
        return float(generator.choice(scores, k, replace=False).mean())

    return [[mean(system, k) - mean(baseline, k) for _ in range(n_draws)] for k in ks]
