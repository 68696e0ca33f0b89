"""What is compared: systems with their runs by name, as MultEval names them, or files that are told apart by name."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sacrebleu

from mteval.analysis.scoring import language_warnings
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import counted
from mteval.cli.console import Named, Once, tell
from mteval.metrics import METRICS
from mteval.readers import FileRole
from mteval.readers.disk import STANDARD_INPUT, Loaded, read_lines
from mteval.readers.named_files import NO_FILES, FileSet, ScoreFiles, load_paths, load_scores
from mteval.readers.names import name_of_file
from mteval.values.languages import PAIR
from mteval.values.model import Experiment


def _add_parse_files(parser: argparse.ArgumentParser, numbers: Iterable[int]) -> None:
    """Add ``--parses-refs``, ``--parses-baseline``, and ``--parses-sysN`` for each number of a system."""
    group = parser.add_argument_group(
        "dependency parses", "In CoNLL-U, one file for each file of text in MultEval's words, in the same order."
    )
    add = partial(group.add_argument, nargs="+", action=Once, type=Path, metavar="P")
    texts = {"refs": "references", "baseline": "baseline's output"}
    texts |= {f"sys{number}": f"output of system {number}" for number in numbers}
    for name, text in texts.items():
        add(f"--parses-{name}", dest=f"parses_{name}", help=f"parses of the {text}")
    add("--parses-sys", dest="single_parses", help="parses of the files of --hyps-sys")


def _parse_files(options: argparse.Namespace, systems: Iterable[str], baseline: str) -> FileSet:
    """The files that the user gave.

    Parameters
    ----------
    systems
        Keys, in the order of ``--hyps-sys`` where that was given.

    Raises
    ------
    MtevalError
        Where ``--parses-sys`` does not go with ``--hyps-sys``.
    """
    others = [system for system in systems if system != baseline]
    single = options.single_parses or []
    if single and len(single) != len(options.single_runs or []):
        raise MtevalError(
            f"--parses-sys has {counted(len(single), 'file')} and --hyps-sys {len(options.single_runs or [])}; give one"
            " parse for each, in the same order, or --parses-sys1 with --hyps-sys1."
        )
    given = {system: vars(options).get(f"parses_{system}") for system in (baseline, *others) if not single}
    given |= {baseline: options.parses_baseline} | {one: [file] for one, file in zip(others, single, strict=False)}
    return FileSet(options.parses_refs or (), {system: files for system, files in given.items() if files})


def add_score_files(parser: argparse.ArgumentParser) -> None:
    """Add ``--scores-higher`` and ``--scores-lower``."""
    group = parser.add_argument_group(
        "scores computed elsewhere",
        "Files .seg.score, tables with columns system, segment and score, what comet-score --to_json writes, and logs"
        " of other evaluation programs. A metric is called after its file or column, a system as here or as its file.",
    )
    for direction in ("higher", "lower"):
        group.add_argument(
            f"--scores-{direction}", nargs="+", type=Path, default=[], metavar="FILE",
            help=f"scores that are better when {direction}",
        )  # fmt: skip


def score_files(options: argparse.Namespace) -> ScoreFiles:
    """The files that the user gave."""
    return ScoreFiles(options.scores_higher, options.scores_lower, METRICS)


def _use_known_set(options: argparse.Namespace) -> None:
    """Take ``--refs``, ``--source`` and ``--documents`` from a test set that sacreBLEU has fetched.

    Nothing is fetched here.

    Raises
    ------
    SettingsError
        Where it is not in the cache, or references are named as well.
    """
    if options.sacrebleu_set is None:
        return
    if options.refs or options.files:
        raise SettingsError("--sacrebleu-set brings the references; leave out --refs and --files.")
    name, _, pair = options.sacrebleu_set.rpartition("/")
    if not name or not pair:
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not a test set with a language pair; expected both, as"
            " wmt17/en-de."
        )
    start = Path(sacrebleu.utils.SACREBLEU_DIR, name, f"{name.replace('/', '_')}.{pair}")
    found = {path.name.removeprefix(f"{start.name}."): path for path in sorted(start.parent.glob(f"{start.name}.*"))}
    references = [path for field, path in found.items() if field.partition(":")[0] == "ref"]
    if not references:
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not in sacreBLEU's cache, {start.parent}; fetch it by"
            f" 'sacrebleu -t {name} -l {pair} --echo ref'."
        )
    options.refs = references
    options.source = options.source or found.get("src")
    options.documents = options.documents or found.get("docid")
    if PAIR.fullmatch(pair):
        options.languages = options.languages or pair


def say_unseen(experiment: Experiment, keys: Iterable[str]) -> None:
    """Print that a model behind one of the metrics, or behind given scores, has not seen a language."""
    for warning in language_warnings(experiment, keys):
        tell(warning)


_BASELINE = "baseline"  # MultEval's word
_SYSTEM_OPTION = re.compile(r"--hyps-sys(\d+)(?:=.*)?")
_USAGE = """\
%(prog)s [--refs REF…] --system NAME RUN… --system NAME RUN… [option…]
       %(prog)s [--refs REF…] --hyps-baseline RUN… --hyps-sys1 RUN… [option…]
       %(prog)s --files PATH… [option…]"""
_NOTHING = (
    "Nothing says what is compared: give --refs and --system NAME FILE… for each system, MultEval's --refs and"
    " --hyps-baseline, --files with everything, or scores alone by --scores-higher and --scores-lower."
)


@dataclass(frozen=True)
class Systems:
    """What is compared.

    Parameters
    ----------
    loaded
        The experiment with its files.
    names
        How each system is shown, by key.
    is_multeval
        Whether MultEval's options named them.
    """

    loaded: Loaded
    names: Mapping[str, str]
    is_multeval: bool

    @property
    def experiment(self) -> Experiment:
        """The references and all systems."""
        return self.loaded.experiment

    @property
    def baseline(self) -> str:
        """How the baseline is shown."""
        return self.names[self.experiment.baseline]

    def compared(self) -> list[str]:
        """Keys of the systems that are compared with the baseline.

        Raises
        ------
        MtevalError
            Where there is none.
        """
        systems = [system.key for system in self.experiment.systems if system.key != self.experiment.baseline]
        if not systems:
            raise MtevalError(
                "There is no system to compare with the baseline; name its outputs with"
                f" {'--hyps-sys1' if self.is_multeval else '--system NAME FILE…'}."
            )
        return systems


def add_system_files(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add all options that name files; ``--hyps-sysN`` for each number that the words name."""
    parser.usage = _USAGE
    own = parser.add_argument_group("what is compared", "Text has one segment a line, and - is standard input.")
    _add_own(own)
    _add_multevals(parser.add_argument_group("the same in MultEval's words"), _system_numbers(words))
    add_score_files(parser)
    _add_parse_files(parser, _system_numbers(words))


def add_references(group: argparse._ArgumentGroup) -> None:
    """Add ``--refs``."""
    group.add_argument(
        "--refs", nargs="+", action=Once, type=Path, metavar="R",
        help="one or more references; none for metrics that need none",
    )  # fmt: skip


def add_source(group: argparse._ArgumentGroup) -> None:
    """Add ``--source``."""
    group.add_argument(
        "--source", type=Path, metavar="S", help="the source sentences, for metrics that read them, as COMET"
    )


def _add_own(group: argparse._ArgumentGroup) -> None:
    add_references(group)
    group.add_argument(
        "--sacrebleu-set", metavar="SET/PAIR",
        help="references, source and documents from sacreBLEU's cache, as wmt17/en-de",
    )  # fmt: skip
    group.add_argument(
        "--system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="systems",
        help="a system and its output, one file a run; once for each system, the first is the baseline",
    )  # fmt: skip
    group.add_argument("--baseline", metavar="NAME", help="the system that others are compared with")
    add_source(group)
    group.add_argument("--documents", type=Path, metavar="FILE", help="id of the document of each segment, one a line")
    group.add_argument(
        "--languages", metavar="SRC-TGT",
        help="what is translated into what, as en-de: a language that a model has not seen is warned of",
    )  # fmt: skip
    group.add_argument(
        "--samples", type=int, default=1, metavar="K",
        help="every K files of a system after one another are decoding samples of one trained model, which are averaged"
        " within its run (default: 1)",
    )  # fmt: skip
    group.add_argument("--dev-refs", nargs="+", action=Once, type=Path, metavar="R", help="references of a tuning set")
    group.add_argument(
        "--dev-system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="dev_systems",
        help="a system's output on the tuning set, its runs in the same order",
    )  # fmt: skip
    group.add_argument(
        "--files", nargs="+", action=Once, type=Path, metavar="PATH",
        help="instead of all these: files, folders, archives, tables, SGML and XML; systems, runs and test sets are"
        " told apart by names, as on the page",
    )  # fmt: skip


def _add_multevals(group: argparse._ArgumentGroup, numbers: Iterable[int]) -> None:
    texts = {"baseline": "the baseline's output, one file a run"}
    texts |= {f"sys{number}": f"output of system {number}, one file a run" for number in numbers}
    for name, text in texts.items():
        group.add_argument(f"--hyps-{name}", nargs="+", action=Once, type=Path, metavar="H", help=text)
    group.add_argument(
        "--hyps-sys", nargs="+", action=Once, type=Path, metavar="H", dest="single_runs",
        help="each file is a system with one run, called after it",
    )  # fmt: skip


def read_systems(options: argparse.Namespace) -> Systems:
    """Read everything; what there is to say of the files is printed on standard error.

    Raises
    ------
    MtevalError
        Where the options contradict each other, and where a file cannot be read or does not fit the others.
    """
    _use_known_set(options)
    _check_forms(options)
    scores, names = score_files(options), dict[str, str]()
    if not options.files and not _names_texts(options):
        ids = None if options.documents is None else read_lines(options.documents)
        loaded = load_scores(scores, ids, options.baseline)
    elif options.files:
        from mteval.readers.workspace import load_told_apart  # here, because few command lines need a guess

        loaded = load_told_apart([*options.files, *scores.higher, *scores.lower], options.baseline, scores, METRICS)
    else:
        loaded, names = _load_named(options)
    for problem in loaded.remarks:
        if problem.severity == "warning" or problem.file in scores.names:
            tell(problem.text)
    loaded = loaded.in_languages(options.languages)
    shown = {system.key: names.get(system.key, system.key) for system in loaded.experiment.systems}
    return Systems(loaded, shown, is_multeval=bool(options.hyps_baseline))


def _names_texts(options: argparse.Namespace) -> bool:
    return bool(options.systems or options.hyps_baseline)


def _load_named(options: argparse.Namespace) -> tuple[Loaded, dict[str, str]]:
    systems, names = (options.systems, {}) if options.systems else _multevals_systems(options)
    baseline = options.baseline or next(iter(systems))
    further: list[tuple[Path | None, FileRole]] = [(options.source, "source"), (options.documents, "documents")]
    loaded = load_paths(
        options.refs or (),
        systems,
        baseline=baseline,
        more=[(path, role) for path, role in further if path is not None],
        scores=score_files(options),
        parses=_parse_files(options, systems, _BASELINE) if options.hyps_baseline else NO_FILES,
        tuning=FileSet(options.dev_refs or (), options.dev_systems or {}),
        n_samples=options.samples,
    )
    return loaded, names


def _multevals_systems(options: argparse.Namespace) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """Files of the baseline and of each system under its key, ``sys1`` and so on, and how these are shown.

    Raises
    ------
    MtevalError
        Where numbers do not run from 1 without a gap, as MultEval wants them, or both forms are mixed.
    """
    given = {name: files for name, files in vars(options).items() if name.startswith("hyps_sys") and files}
    expected = [f"hyps_sys{number}" for number in range(1, len(given) + 1)]
    found = ", ".join(f"--{name.replace('_', '-')}" for name in given)
    if given and options.single_runs:
        raise MtevalError(f"--hyps-sys stands beside {found}; number all systems, or none.")
    if set(given) != set(expected):
        raise MtevalError(
            f"Systems are numbered from 1 without a gap: expected --hyps-sys1 to --hyps-sys{len(given)}, found {found}."
        )
    single = options.single_runs or []
    groups = [given[name] for name in expected] or [[file] for file in single]
    systems = {f"sys{number}": files for number, files in enumerate(groups, start=1)}
    shown = [name_of_file(str(file)) for file in single]
    if not shown or len({*shown, _BASELINE}) <= len(shown):
        shown = [f"system {number}" for number in range(1, len(groups) + 1)]
    return {_BASELINE: options.hyps_baseline} | systems, dict(zip(systems, shown, strict=True))


def _check_forms(options: argparse.Namespace) -> None:
    """Refuse what would be ignored, and what is missing."""
    used = list(_used(options))
    if options.files and used:
        raise MtevalError(f"--files stands beside {used[0]}; name everything by --files, or nothing.")
    multevals = [name for name in used if name.startswith(("--hyps", "--parses"))]
    if options.systems and multevals:
        raise MtevalError(f"--system stands beside {multevals[0]}; name all systems in one way.")
    if options.files and options.samples != 1:
        raise MtevalError("--samples counts files that are named; names such as run1.sample2 tell --files of samples.")
    if options.hyps_baseline and options.baseline:
        raise MtevalError("--baseline stands beside --hyps-baseline; leave one of the two out.")
    if not options.files and not _names_texts(options):
        if options.refs or not score_files(options).names:
            raise MtevalError(_NOTHING)
        about_texts = [name for name in used if name != "--documents"] + ["--samples"] * (options.samples != 1)
        if about_texts:
            why = "is about outputs, and scores stand alone here; name outputs by --system."
            raise MtevalError(f"{about_texts[0]} {why}")
    if bool(options.dev_refs) != bool(options.dev_systems):
        raise MtevalError("A tuning set takes both --dev-refs and --dev-system NAME FILE…; one of them is missing.")
    if [*vars(options).values(), *_paths(options)].count(STANDARD_INPUT) > 1:
        raise MtevalError("Standard input, -, is named twice; it can be read once.")


def _used(options: argparse.Namespace) -> Iterator[str]:
    """The options that name files one by one."""
    names = {"refs": "--refs", "systems": "--system", "source": "--source", "documents": "--documents"}
    names |= {"dev_refs": "--dev-refs", "dev_systems": "--dev-system", "single_runs": "--hyps-sys"}
    hyps = {name: f"--{name.replace('_', '-')}" for name in vars(options) if name.startswith("hyps_")}
    for name, option in (names | hyps).items():
        if vars(options).get(name):
            yield option
    if any(files for name, files in vars(options).items() if name.startswith(("parses_", "single_parses"))):
        yield "--parses-…"


def _paths(options: argparse.Namespace) -> Iterator[Path]:
    """Paths in lists of files."""
    for value in vars(options).values():
        for files in value.values() if isinstance(value, dict) else [value]:
            yield from (file for file in files if isinstance(file, Path)) if isinstance(files, list) else ()


def _system_numbers(words: Sequence[str]) -> list[int]:
    """N of every ``--hyps-sysN`` among the words, and 1, so that the help names it."""
    return sorted({1, *(int(match[1]) for word in words if (match := _SYSTEM_OPTION.fullmatch(word)))})
