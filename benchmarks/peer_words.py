"""Record what compare-mt 0.2.10 counts, for the tests and for the table in ``docs/words.md``.

compare-mt needs the package ``six`` and pins nothing else that mteval uses, so it runs in an environment of its own::

    python -m venv /tmp/compare-mt && /tmp/compare-mt/bin/pip install compare-mt==0.2.10 six
    /tmp/compare-mt/bin/python benchmarks/peer_words.py tests/analysis/words/compare_mt.json
    /tmp/compare-mt/bin/python benchmarks/peer_words.py --example FOLDER

The first command reads the first segments of the sample and one run of each system. The second prints the table for
MultEval's example.
"""

import json
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "sample_data"
N_SEGMENTS = 120
CLASSES = ("short", "middle", "long")
SYSTEMS = ("baseline", "reordering")
PATHS = {
    "reference": "reference.test.txt",
    "source": "source.test.txt",
    "baseline": "baseline/test.opt00.txt",
    "reordering": "reordering/test.opt00.txt",
}
N_NGRAMS = 200  # of each system, the most frequent ones


def label_of(word: str) -> str:
    """Return a label that needs no tagger: how long a word is."""
    short, middle, long = CLASSES
    if len(word) < 4:
        return short
    if len(word) < 8:
        return middle
    return long


def alignment_of(source: str, reference: str) -> str:
    """Return a word alignment that needs no aligner: the diagonal, with every fourth source word unaligned."""
    n_source = len(source.split())
    last = len(reference.split()) - 1
    return " ".join(f"{word}-{min(word, last)}" for word in range(n_source) if word % 4 != 3)


def sample_texts() -> dict[str, list[str]]:
    """Return references, sources and one output of each system."""
    texts = {}
    for name, path in PATHS.items():
        lines = (SAMPLE / path).read_text(encoding="utf-8").splitlines()
        texts[name] = lines[:N_SEGMENTS]
    return texts


def recorded() -> dict[str, object]:
    """Return compare-mt's counts on the sample: matches, words of the reference, words of the output, per group."""
    from compare_mt import version_info

    texts = sample_texts()
    tokens = {name: [line.split() for line in lines] for name, lines in texts.items()}
    reference = tokens["reference"]
    outputs = {system: tokens[system] for system in SYSTEMS}
    return {
        "compare-mt": version_info.__version__,
        "words": _word_counts(texts, tokens),
        "ngrams": {system: _ngram_counts(reference, output) for system, output in outputs.items()},
        "lengths": {system: _length_counts(reference, output) for system, output in outputs.items()},
    }


def _word_counts(texts: dict[str, list[str]], tokens: dict[str, list[list[str]]]) -> dict[str, object]:
    """Return the counts of each way of grouping words, by system."""
    from compare_mt import bucketers

    reference = tokens["reference"]
    outputs = [tokens[system] for system in SYSTEMS]

    def counts(bucketer, **labels):
        statistics, *_ = bucketer.calc_statistics(reference, outputs, **labels)
        return {system: list(map(_plain_row, rows)) for system, rows in zip(SYSTEMS, statistics, strict=True)}

    def labelled(label):
        label_of_text = {name: [list(map(label, line)) for line in lines] for name, lines in tokens.items()}
        return {
            "ref_labels": label_of_text["reference"],
            "out_labels": [label_of_text[system] for system in SYSTEMS],
        }

    by_length = bucketers.LabelWordBucketer(label_set=list(CLASSES))
    by_number = bucketers.NumericalLabelWordBucketer()
    by_source = bucketers.FreqWordBucketer(freq_data=tokens["source"])
    alignments = list(map(alignment_of, texts["source"], texts["reference"]))
    return {
        "frequency": counts(bucketers.FreqWordBucketer(freq_data=reference)),
        "case": counts(bucketers.CaseWordBucketer()),
        "label": counts(by_length, **labelled(label_of)),
        "number": counts(by_number, **labelled(lambda word: str(len(word) / 10))),
        "source": counts(by_source, src=tokens["source"], ref_aligns=list(map(_pairs_of, alignments))),
    }


def _plain_row(row) -> list[float]:
    """Return a row of compare-mt's statistics as JSON has it: three counts, then scores."""
    counts = [int(value) for value in row[:3]]
    scores = [float(value) for value in row[3:]]
    return counts + scores


def _pairs_of(alignment: str) -> list[tuple[int, ...]]:
    """Return the pairs of places that an alignment such as ``0-0 1-1`` names."""
    return [tuple(map(int, pair.split("-"))) for pair in alignment.split()]


def _ngram_counts(reference: list[list[str]], output: list[list[str]]) -> list[list[object]]:
    """Return the most frequent n-grams of an output: their number there, matched ones, and those of the reference."""
    from compare_mt import ngram_utils

    total, match, _, under = ngram_utils.compare_ngrams(reference, output)
    frequent = sorted(total, key=lambda ngram: (-total[ngram], ngram))
    rows = []
    for ngram in frequent[:N_NGRAMS]:
        in_reference = match[ngram] + under[ngram]
        rows.append([" ".join(ngram), total[ngram], match[ngram], in_reference])
    return rows


def _length_counts(reference: list[list[str]], output: list[list[str]]) -> list[int]:
    """Return how many sentences fall in each group of differences of length."""
    from compare_mt import bucketers

    corpora = bucketers.LengthDiffSentenceBucketer().create_bucketed_corpus(output, ref=reference)
    return [len(sentences) for sentences, _, _ in corpora]


def example(folder: Path) -> None:
    """Print F by frequency on single runs of MultEval's example."""
    from compare_mt import bucketers

    def read(name: str) -> list[list[str]]:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        return [line.split() for line in lines]

    reference = read("refs.test2010.lc.tok.en.0")
    outputs = [read(f"hyps.lc.tok.en.{system}.opt0") for system in ("baseline", "sys1")]
    bucketer = bucketers.FreqWordBucketer(freq_data=reference)
    statistics, *_ = bucketer.calc_statistics(reference, outputs)
    for place, name in enumerate(bucketer.bucket_strs):
        cells = []
        for rows in statistics:
            match, of_reference, of_output, *scores = rows[place]
            cells.append(f"{match}/{of_reference}/{of_output} {scores[2]:.6f}")
        print(name, *cells)


if __name__ == "__main__":
    if sys.argv[1] == "--example":
        example(Path(sys.argv[2]))
    else:
        text = json.dumps(recorded(), ensure_ascii=False, indent=None)
        Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")
