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


def label_of(word: str) -> str:
    """Return a label that needs no tagger: how long a word is."""
    return CLASSES[0 if len(word) < 4 else 1 if len(word) < 8 else 2]


def alignment_of(source: str, reference: str) -> str:
    """Return a word alignment that needs no aligner: the diagonal, with every fourth source word unaligned."""
    n_source, n_target = len(source.split()), len(reference.split())
    return " ".join(f"{word}-{min(word, n_target - 1)}" for word in range(n_source) if word % 4 != 3)


def sample_texts() -> dict[str, list[str]]:
    """Return references, sources and one output of each system."""
    paths = {
        "reference": "reference.test.txt", "source": "source.test.txt", "baseline": "baseline/test.opt00.txt",
        "reordering": "reordering/test.opt00.txt",
    }  # fmt: skip
    return {name: (SAMPLE / path).read_text(encoding="utf-8").splitlines()[:N_SEGMENTS] for name, path in paths.items()}


def recorded() -> dict[str, object]:
    """Return compare-mt's counts on the sample: matches, words of the reference, words of the output, per group."""
    from compare_mt import bucketers, ngram_utils, version_info

    texts = sample_texts()
    tokens = {name: [line.split() for line in lines] for name, lines in texts.items()}
    ref, outs = tokens["reference"], [tokens["baseline"], tokens["reordering"]]
    labels = {name: [[label_of(word) for word in line] for line in lines] for name, lines in tokens.items()}
    numbers = {name: [[str(len(word) / 10) for word in line] for line in lines] for name, lines in tokens.items()}
    aligned = [alignment_of(*pair) for pair in zip(texts["source"], texts["reference"], strict=True)]
    pairs = [[tuple(map(int, one.split("-"))) for one in line.split()] for line in aligned]

    def counts(bucketer, **more):
        statistics, *_ = bucketer.calc_statistics(ref, outs, **more)
        return {
            system: [[int(value) for value in row[:3]] + [float(value) for value in row[3:]] for row in rows]
            for system, rows in zip(("baseline", "reordering"), statistics, strict=True)
        }

    def of(kind):
        return {"ref_labels": kind["reference"], "out_labels": [kind["baseline"], kind["reordering"]]}

    by_source = bucketers.FreqWordBucketer(freq_data=tokens["source"])
    found = {
        "frequency": counts(bucketers.FreqWordBucketer(freq_data=ref)),
        "case": counts(bucketers.CaseWordBucketer()),
        "label": counts(bucketers.LabelWordBucketer(label_set=list(CLASSES)), **of(labels)),
        "number": counts(bucketers.NumericalLabelWordBucketer(), **of(numbers)),
        "source": counts(by_source, src=tokens["source"], ref_aligns=pairs),
    }
    ngrams = {}
    for system, out in zip(("baseline", "reordering"), outs, strict=True):
        total, match, _, under = ngram_utils.compare_ngrams(ref, out)
        frequent = sorted(total, key=lambda one: (-total[one], one))[:200]
        ngrams[system] = [[" ".join(one), total[one], match[one], match[one] + under[one]] for one in frequent]
    lengths = bucketers.LengthDiffSentenceBucketer()
    differences = {
        system: [len(some) for some, _, _ in lengths.create_bucketed_corpus(out, ref=ref)]
        for system, out in zip(("baseline", "reordering"), outs, strict=True)
    }
    return {"compare-mt": version_info.__version__, "words": found, "ngrams": ngrams, "lengths": differences}


def example(folder: Path) -> None:
    """Print F by frequency on single runs of MultEval's example."""
    from compare_mt import bucketers

    def read(name: str) -> list[list[str]]:
        return [line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    ref = read("refs.test2010.lc.tok.en.0")
    outs = [read(f"hyps.lc.tok.en.{system}.opt0") for system in ("baseline", "sys1")]
    bucketer = bucketers.FreqWordBucketer(freq_data=ref)
    statistics, *_ = bucketer.calc_statistics(ref, outs)
    for place, name in enumerate(bucketer.bucket_strs):
        print(name, *(f"{row[place][0]}/{row[place][1]}/{row[place][2]} {row[place][5]:.6f}" for row in statistics))


if __name__ == "__main__":
    if sys.argv[1] == "--example":
        example(Path(sys.argv[2]))
    else:
        Path(sys.argv[1]).write_text(json.dumps(recorded(), ensure_ascii=False, indent=None) + "\n", encoding="utf-8")
