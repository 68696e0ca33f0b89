"""The guess on the names of files that toolkits and evaluation campaigns leave behind, as they come in a folder.

A layout is a list of names, each with what its file is: ``system run`` of an output, else its role, and its test set
where the names tell of one.
"""

import pytest

from mteval.readers.documents import Document, InputFile, Slot, Stream
from mteval.readers.guesses.layout import guess
from mteval.readers.workspace import Workspace

SEEDS = ("1", "2", "3")


def guessed(*names: str) -> dict[str, Slot]:
    documents = [Document(name, "lines", (Stream("", ("a b", "c d")),)) for name in names]
    return {slot.file: slot for slot in guess(documents)}


def told(slot: Slot) -> str:
    """What a slot says, as the layouts below say it."""
    what = f"{slot.system} {slot.run}" if slot.role == "hypothesis" else slot.role
    return what if slot.test_set == "test" else f"{what} @{slot.test_set}"


LAYOUTS: dict[str, dict[str, str]] = {
    "MultEval": {
        **{f"hyps.lc.tok.en.{system}.opt{run}": f"{system} {run} @test2010" for system in ("baseline", "sys1", "sys2")
           for run in "012"},
        "refs.test2010.lc.tok.en.0": "reference @test2010",
    },
    "Moses, MERT repeated": {
        "work/baseline/mert1/newstest2014.output": "baseline 1 @newstest2014",
        "work/baseline/mert2/newstest2014.output": "baseline 2 @newstest2014",
        "work/reordering/mert1/newstest2014.output": "reordering 1 @newstest2014",
        "work/reordering/mert2/newstest2014.output": "reordering 2 @newstest2014",
        "work/newstest2014-ref.de": "reference @newstest2014",
        "work/newstest2014-src.en": "source @newstest2014",
    },
    "Moses, its experiment management": {
        "evaluation/newstest2015.detokenized.1": "evaluation 1 @newstest2015",
        "evaluation/newstest2015.detokenized.2": "evaluation 2 @newstest2015",
        "evaluation/newstest2015.detokenized.10": "evaluation 10 @newstest2015",
        "evaluation/newstest2015.reference": "reference @newstest2015",
    },
    "a numeric suffix": {
        **{f"set1.out.{run}": f"set1 {run}" for run in range(4)},
        "set1.ref": "reference",
    },
    "numeric suffixes of several systems": {
        **{f"out/{system}.{run}.txt": f"{system} {run}" for system in ("big", "small", "sys1") for run in range(4)},
        "refs.txt": "reference",
    },
    "fairseq, checkpoints": {
        **{f"base/checkpoint_{n}/generate-test.txt": f"base {n}" for n in (10, 11, 12)},
        **{f"deep/checkpoint_{n}/generate-test.txt": f"deep {n}" for n in (10, 11, 12)},
        "test.ref": "reference",
    },
    "fairseq, seeds": {
        **{f"checkpoints/base_seed{n}/checkpoint_best/generate-test.txt": f"base {n}" for n in SEEDS},
        **{f"checkpoints/deep_seed{n}/checkpoint_best/generate-test.txt": f"deep {n}" for n in SEEDS},
        "test.ref": "reference",
    },
    "fairseq, one system's checkpoints": {
        "checkpoint_best/generate-test.txt": "system best",
        "checkpoint_last/generate-test.txt": "system last",
        "test.ref": "reference",
    },
    "language pairs in folders": {
        **{f"{pair}/{system}.{run}.txt": f"{system} {run} @{pair}" for pair in ("en-de", "zh-en")
           for system in ("base", "new") for run in range(2)},
        **{f"{pair}/ref.txt": f"reference @{pair}" for pair in ("en-de", "zh-en")},
    },
    "language pairs of two test sets": {
        **{f"{pair}/base.seed{run}.{name}": f"base {run} @{name} {pair}" for pair in ("en-de", "zh-en")
           for name in ("dev", "test2") for run in range(2)},
        **{f"{pair}/ref.{name}": f"reference @{name} {pair}" for pair in ("en-de", "zh-en")
           for name in ("dev", "test2")},
    },
    "one language pair": {
        **{f"en-de/{system}.{run}.txt": f"{system} {run}" for system in ("base", "new") for run in range(2)},
        "en-de/ref.txt": "reference",
    },
    "Hugging Face": {
        **{f"runs/opus-mt/run-{n}/predictions.txt": f"opus-mt {n}" for n in (42, 43, 1234)},
        **{f"runs/nllb-600M/run-{n}/generated_predictions.txt": f"nllb-600M {n}" for n in (42, 43, 1234)},
        "runs/references.txt": "reference",
    },
    "seeds in folders, below the system": {
        **{f"{system}/{seed}/hyp.txt": f"{system} {seed}" for system in ("base", "new") for seed in SEEDS},
        "refs.txt": "reference",
    },
    "seeds in folders, above the system": {
        **{f"seed_{seed}/{system}.txt": f"{system} {seed}" for system in ("base", "new") for seed in SEEDS},
        "refs.txt": "reference",
    },
    "numbers in folders, above the system": {
        **{f"{seed}/{system}.txt": f"{system} {seed}" for system in ("base", "new") for seed in SEEDS},
        "refs.txt": "reference",
    },
    "seeds at the end of folders": {
        **{f"{system}_{seed}/out.txt": f"{system} {seed}" for system in ("base", "new") for seed in SEEDS},
        "refs.txt": "reference",
    },
    "WMT 2019": {
        "sgm/newstest2019-ende-src.en.sgm": "source @newstest2019",
        "sgm/newstest2019-ende-ref.de.sgm": "reference @newstest2019",
        "txt/newstest2019.Facebook_FAIR.6862.en-de": "Facebook_FAIR.6862 0 @newstest2019",
        "txt/newstest2019.online-A.0.en-de": "online-A.0 0 @newstest2019",
        "txt/newstest2019.online-B.0.en-de": "online-B.0 0 @newstest2019",
        "txt/newstest2019.uedin.6002.en-de": "uedin.6002 0 @newstest2019",
    },
    "WMT 2023": {
        "wmt23/sources/he-en.txt": "source @wmt23",
        "wmt23/references/he-en.refA.txt": "reference @wmt23",
        "wmt23/references/he-en.refB.txt": "reference @wmt23",
        "wmt23/documents/he-en.docs": "documents @wmt23",
        "wmt23/metric-scores/he-en/BLEU-refA.seg.score": "scores @wmt23",
        "wmt23/metric-scores/he-en/BLEU-refA.sys.score": "other @wmt23",
        "wmt23/human-scores/he-en.mqm.seg.score": "scores @wmt23",
        "wmt23/system-outputs/he-en/GPT4-5shot.txt": "GPT4-5shot 0 @wmt23",
        "wmt23/system-outputs/he-en/NLLB_Greedy.txt": "NLLB_Greedy 0 @wmt23",
        "wmt23/system-outputs/he-en/ONLINE-A.txt": "ONLINE-A 0 @wmt23",
    },
    "Sockeye": {
        **{f"{system}.seed{n}/decode.output.0004{n}": f"{system} {n}" for system in ("rnn", "transformer")
           for n in SEEDS},
        "rnn.seed1/decode.source": "source",
        "rnn.seed1/decode.target": "reference",
    },
    "Marian": {
        **{f"model/{system}.run{n}/newstest2016.en.output": f"{system} {n} @newstest2016" for system in ("s2s", "amun")
           for n in SEEDS},
        "data/newstest2016.ref.en": "reference @newstest2016",
    },
    "OpenNMT": {
        **{f"base/pred_step_{n}.txt": f"base {n}" for n in (10000, 20000)},
        **{f"copy/pred_step_{n}.txt": f"copy {n}" for n in (10000, 20000)},
        "src-test.txt": "source",
        "tgt-test.txt": "reference",
    },
    "OpenNMT, seeds": {
        **{f"base_seed{n}/pred.txt": f"base {n}" for n in (3435, 3436)},
        **{f"copy_seed{n}/pred.txt": f"copy {n}" for n in (3435, 3436)},
        "tgt-test.txt": "reference",
    },
    "JoeyNMT": {
        **{f"models/{system}_s{n}/000{n}0000.hyps.test": f"{system} {n}" for system in ("rnn", "transformer")
           for n in SEEDS},
        **{f"models/{system}_s{n}/000{n}0000.hyps.dev": f"{system} {n} @dev" for system in ("rnn", "transformer")
           for n in SEEDS},
        "data/test.ref": "reference",
        "data/dev.ref": "reference @dev",
    },
    "tensor2tensor": {
        **{f"t2t/newstest2014.transformer.transformer_{size}.translate_ende_wmt32k.beam4.alpha0.6.decodes":
           f"{size} 0 @newstest2014" for size in ("base", "big")},
        "t2t/newstest2014.ref.de": "reference @newstest2014",
    },
    "tensor2tensor, checkpoints": {
        **{f"{size}/model.ckpt-{n}.decodes": f"{size} {n}" for size in ("base", "big") for n in (100000, 200000)},
        "ref.de": "reference",
    },
    "sacreBLEU": {
        "wmt20.en-de.src": "source @wmt20",
        "wmt20.en-de.ref": "reference @wmt20",
        "wmt20.en-de.base.detok.txt": "base 0 @wmt20",
        "wmt20.en-de.big.detok.txt": "big 0 @wmt20",
    },
    "lm-eval": {
        "results/meta-llama__Llama-3.1-8B/samples_wmt16-ro-en_2024-05-01T12-00-00.123456.jsonl":
            "meta-llama__Llama-3.1-8B 0",
        "results/Qwen__Qwen2-7B/samples_wmt16-ro-en_2024-05-02T13-10-09.654321.jsonl": "Qwen__Qwen2-7B 0",
        "refs.txt": "reference",
    },
    "large language models by version": {
        **{f"{name}.txt": f"{name} 0" for name in ("gpt-4", "llama-2", "llama-3", "llama-3.1", "llama-3.2")},
        "refs.txt": "reference",
    },
    "systems that are numbered": {
        **{f"sys-{n}.txt": f"sys-{n} 0" for n in SEEDS},
        "refs.txt": "reference",
    },
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["as listed", "backwards"])
def test_the_layout_is_understood_in_whatever_order_its_files_come(layout: str, order: str) -> None:
    files = LAYOUTS[layout]
    slots = guessed(*(files if order == "as listed" else reversed(files)))
    assert {name: told(slots[name]) for name in files} == files
    assert all(slot.included for slot in slots.values() if slot.role != "other")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a/checkpoint_1/out.txt", "a/checkpoint_2/out.txt", "b.txt"], "runs of a differ only in “checkpoint”"),
        (["a.step_100", "a.step_200", "b.step_100", "b.step_200"], "runs of a and b differ only in “step”"),
        (["a_seed1/checkpoint_best/out.txt", "a_seed2/checkpoint_best/out.txt"], None),
        (["a/checkpoint_best/out.txt", "b/checkpoint_best/out.txt"], None),
        (["a.run1", "a.run2"], None),
    ],
)
def test_checkpoints_give_a_warning(names: list[str], said: str | None) -> None:
    work = Workspace().add([InputFile(name, f"{name}\nb\n".encode()) for name in ("refs.txt", *names)])
    experiment = work.experiment()
    assert experiment is not None
    remarks = [finding.detail for finding in experiment.noticed if finding.code == "nested-names"]
    assert len(remarks) == (said is not None)
    assert said is None or said in remarks[0]
