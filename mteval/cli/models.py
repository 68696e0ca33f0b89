"""``mteval models``: get, list and check the models of learned metrics."""

import argparse
import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from mteval.base.errors import MissingDependencyError, MtevalError
from mteval.base.words import listed
from mteval.cli.console import examples, place_to_write, say, tell
from mteval.metrics import METRICS
from mteval.metrics.neural import bertscore, comet, environment, ratings
from mteval.metrics.neural.named_models import hub_cache, hub_name, model_folder
from mteval.render.text import aligned
from mteval.values.model import Run, TestSet

_FAMILIES = (comet.CHECKPOINTS, bertscore.ENCODERS, ratings.METRICX, ratings.BLEURT)
_PUBLISHED = (  # on the hub: metric, licence, whether access must be requested
    ("Unbabel/wmt22-comet-da", "COMET", "Apache-2.0", False),
    ("Unbabel/wmt22-cometkiwi-da", "COMET, no references", "CC BY-NC-SA 4.0", True),
    ("Unbabel/wmt23-cometkiwi-da-xl", "COMET, no references", "CC BY-NC-SA 4.0", True),
    ("Unbabel/wmt23-cometkiwi-da-xxl", "COMET, no references", "CC BY-NC-SA 4.0", True),
    ("Unbabel/XCOMET-XL", "COMET, marks errors", "CC BY-NC-SA 4.0", True),
    ("Unbabel/XCOMET-XXL", "COMET, marks errors", "CC BY-NC-SA 4.0", True),
    ("roberta-large", "BERTScore, English", "MIT", False),
    ("microsoft/deberta-xlarge-mnli", "BERTScore, English", "MIT", False),
    ("bert-base-multilingual-cased", "BERTScore, other languages", "Apache-2.0", False),
    ("google/metricx-24-hybrid-large-v2p6", "MetricX-24", "Apache-2.0", False),
    ("google/metricx-24-hybrid-xl-v2p6", "MetricX-24", "Apache-2.0", False),
    ("google/metricx-24-hybrid-xxl-v2p6", "MetricX-24", "Apache-2.0", False),
    ("google/mt5-large", "MetricX-24, its tokenizer", "Apache-2.0", False),
    ("lucadiliello/BLEURT-20", "BLEURT-20", "not stated", False),
)


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the actions with their options."""
    parser.description = "Get, list and check the models of learned metrics. Only 'get' uses the network."
    parser.epilog = examples("models get wmt22-comet-da", "models list")
    ways = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))
    get = ways.add_parser("get", help="download a model and its encoder from the Hugging Face hub")
    get.add_argument("name", metavar="NAME", help="name on the hub; wmt22-comet-da means Unbabel/wmt22-comet-da")
    get.add_argument("--no-weights", action="store_true", help="configuration and tokenizer only, for COMET's encoders")
    text = "also write an archive for a machine without network"
    get.add_argument("--bundle", type=place_to_write, metavar="FILE.tar", help=text)
    get.set_defaults(do=_get)
    ways.add_parser("list", help="list published models and whether they are on this machine").set_defaults(do=_list)
    check = ways.add_parser(
        "check", help="load the models that the environment or --model names, and score one segment"
    )
    check.add_argument("--model", nargs="+", default=[], metavar="NAME", help="names on the hub, or paths")
    check.set_defaults(do=_check)


def run(options: argparse.Namespace) -> None:
    """Run the chosen action.

    Raises
    ------
    MtevalError
        If a model cannot be downloaded or loaded.
    """
    options.do(options)


def _get(options: argparse.Namespace) -> None:
    python = environment.python_with("huggingface_hub", "mteval models get")
    script = Path(environment.__file__).with_name("hub.py")
    weights = "no" if options.no_weights else "yes"
    online = {name: value for name, value in environment.variables().items() if not name.endswith("_OFFLINE")}
    done = subprocess.run(
        [str(python), "-I", str(script), hub_name(options.name), weights],
        stdout=subprocess.PIPE,
        env=online,
        encoding="ascii",
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [one["error"] for one in found if "error" in one]
    if errors or not found:
        raise MtevalError(f"Cannot download {options.name}: {listed(errors or ['the download was interrupted'])}.")
    for one in found:
        say(f"{one['name']}: {one['folder']} (licence: {one['licence']})")
    if options.bundle:
        with tarfile.open(options.bundle, "w") as archive:  # as it lies in the cache, with links instead of copies
            for one in found:
                model = Path(one["folder"]).parent.parent
                archive.add(model, model.name)
        say(f"Unpack it on the other machine: tar -xf {options.bundle.name} -C {hub_cache()}")


def _list(options: argparse.Namespace) -> None:
    rows = [
        (name, metric, licence, "on request" if is_gated else "open", _state(model_folder(name)))
        for name, metric, licence, is_gated in _PUBLISHED
    ]
    say(*aligned(("model", "metric", "licence", "access", "on this machine"), rows, 5))
    for family in _FAMILIES:
        for name, path in family.paths.items():
            say(f"{family.variable}: {family.metric_name(name)} is {path}")


def _state(folder: Path | None) -> str:
    if folder is None:
        return "no"
    described = folder / "hparams.yaml"
    if described.is_file() and not comet.has_encoder(described.read_text(encoding="utf-8", errors="replace")):
        return "yes, but not its encoder"
    return "yes"


def _check(options: argparse.Namespace) -> None:
    for word in options.model:
        folder = model_folder(word) or Path(word)
        is_comet = folder.suffix == ".ckpt" or (folder / "hparams.yaml").is_file() or (folder / "checkpoints").is_dir()
        (comet.CHECKPOINTS if is_comet else ratings.family_of(folder) or bertscore.ENCODERS).name_further([word])
    if not (named := [name.lower() for family in _FAMILIES for name in family.paths]):
        raise MissingDependencyError(f"No model is named. {_FAMILIES[0].remedy}")
    output = "The house is small."
    texts = TestSet("test", ((output,),), source=(output,), runs=(Run("system", "0", (output,)),))
    failed = 0
    for key in named:
        tell(f"Loading {METRICS[key].name}")
        try:
            metric = METRICS[key].configure("sacrebleu", {})
            score = metric.prepare(texts).statistics([0], [output])[0, 0]
            outcome = f"ok ({score:.2f} for a test sentence; {metric.signature()})"
        except MtevalError as error:
            failed += 1
            outcome = str(error)
        say(f"{METRICS[key].name}: {outcome}")
    if failed:
        sys.stdout.flush()
        raise MtevalError(f"{failed} of {len(named)} models cannot be used; see above.")
