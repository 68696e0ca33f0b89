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
from mteval.cli.console import examples, file_to_write, keep_inputs, opened, say, tell
from mteval.metrics import METRICS
from mteval.metrics.neural import bertscore, comet, environment, ratings
from mteval.metrics.neural.named_models import Family, hub_cache, hub_name, model_folder
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
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))

    get = actions.add_parser("get", help="download a model and its encoder from the Hugging Face hub")
    get.add_argument("name", metavar="NAME", help="name on the hub; wmt22-comet-da means Unbabel/wmt22-comet-da")
    get.add_argument("--no-weights", action="store_true", help="configuration and tokenizer only, for COMET's encoders")
    text = "also write an archive for a machine without network"
    get.add_argument("--bundle", type=file_to_write, metavar="FILE.tar", help=text)
    get.set_defaults(do=_get)

    list_all = actions.add_parser("list", help="list published models and whether they are on this machine")
    list_all.set_defaults(do=_list)

    text = "load the models that the environment or --model names, and score one segment"
    check = actions.add_parser("check", help=text)
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
    """Download a model in the environment of learned metrics, and bundle it if wanted."""
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
    # The script prints one line per model: its name, folder and licence, or an error
    downloads = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [download["error"] for download in downloads if "error" in download]
    if not downloads:
        errors = ["the download was interrupted"]
    if errors:
        raise MtevalError(f"Cannot download {options.name}: {listed(errors)}.")
    for download in downloads:
        say(f"{download['name']}: {download['folder']} (licence: {download['licence']})")
    if options.bundle:
        models = [Path(download["folder"]).parent.parent for download in downloads]
        for model in models:
            keep_inputs(model.rglob("*"))
        with opened(options.bundle, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
            for model in models:  # as it lies in the cache, with links instead of copies
                archive.add(model, model.name)
        say(f"Unpack it on the other machine: tar -xf {options.bundle.name} -C {hub_cache()}")


def _list(options: argparse.Namespace) -> None:
    rows = []
    for name, metric, licence, is_gated in _PUBLISHED:
        access = "on request" if is_gated else "open"
        rows.append((name, metric, licence, access, _state(model_folder(name))))
    say(*aligned(("model", "metric", "licence", "access", "on this machine"), rows, 5))
    for family in _FAMILIES:
        for name, path in family.paths.items():
            say(f"{family.variable}: {family.metric_name(name)} is {path}")


def _state(folder: Path | None) -> str:
    """Return whether a model is on this machine, given its folder; None if it has none."""
    if folder is None:
        return "no"
    description = folder / "hparams.yaml"  # COMET's, which names the encoder
    if description.is_file() and not comet.has_encoder(description.read_text(encoding="utf-8", errors="replace")):
        return "yes, but not its encoder"
    return "yes"


def _check(options: argparse.Namespace) -> None:
    """Score one segment by each named model.

    Raises
    ------
    MtevalError
        If no model is named, or one of them cannot be used.
    """
    for name in options.model:
        _family_of(name).name_further([name])
    keys = [name.lower() for family in _FAMILIES for name in family.paths]
    if not keys:
        raise MissingDependencyError(f"No model is named. {_FAMILIES[0].remedy}")

    output = "The house is small."
    texts = TestSet("test", ((output,),), source=(output,), runs=(Run("system", "0", (output,)),))
    n_failed = 0
    for key in keys:
        tell(f"Loading {METRICS[key].name}")
        try:
            metric = METRICS[key].configure("sacrebleu", {})
            score = metric.prepare(texts).statistics([0], [output])[0, 0]
            outcome = f"ok ({score:.2f} for a test sentence; {metric.signature()})"
        except MtevalError as error:
            n_failed += 1
            outcome = str(error)
        say(f"{METRICS[key].name}: {outcome}")
    if n_failed:
        sys.stdout.flush()
        raise MtevalError(f"{n_failed} of {len(keys)} models cannot be used; see above.")


def _family_of(name: str) -> Family:
    """Return the family of a model on this machine, by its files; BERTScore's encoders have none of their own."""
    folder = model_folder(name) or Path(name)
    if folder.suffix == ".ckpt" or (folder / "hparams.yaml").is_file() or (folder / "checkpoints").is_dir():
        return comet.CHECKPOINTS
    return ratings.family_of(folder) or bertscore.ENCODERS
