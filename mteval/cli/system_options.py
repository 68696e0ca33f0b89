"""Options for the files to compare: by system, by MultEval's options, or inferred from file names."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import sacrebleu

from mteval.analysis.results import reported_test_set
from mteval.analysis.scoring import Scored
from mteval.base.errors import DataError, InputError, MtevalError, SettingsError
from mteval.cli.console import Named, add_files, tell
from mteval.metrics import METRICS
from mteval.readers.assembly.experiment import UNKNOWN
from mteval.readers.assembly.test_sets import TRAINING, nested_pattern
from mteval.readers.disk import STANDARD_INPUT, Loaded, read_lines
from mteval.readers.documents import REALIGNABLE, FileRole, named
from mteval.readers.formats.score_tables import COUNTS_ERRORS
from mteval.readers.guesses.file_names import NOT_TEXT
from mteval.readers.named_files import NO_FILES, FileSet, ScoreFiles, load_paths, load_scores
from mteval.values.languages import PAIR
from mteval.values.model import Experiment

LOWER_BY_NAME = re.compile(rf"{COUNTS_ERRORS.pattern}|perplexity|loss|latency|cost|bits_per_byte", re.IGNORECASE)
_SYSTEM_OPTION = re.compile(r"--hyps-sys(\d+)(?:=.*)?")
_NOTHING = (
    "No systems given. Use --refs REF --system NAME FILE… (once per system), --files FOLDER, or --scores-higher FILE…"
    " for scores alone."
)


@dataclass(frozen=True)
class Systems:
    """The systems to compare.

    Parameters
    ----------
    loaded
        The experiment with its files.
    names
        Shown name of each system, by key.
    is_multeval
        Whether MultEval's options named the systems.
    """

    loaded: Loaded
    names: Mapping[str, str]
    is_multeval: bool

    @property
    def experiment(self) -> Experiment:
        """References and systems."""
        return self.loaded.experiment

    @property
    def baseline(self) -> str:
        """Shown name of the baseline."""
        return self.names[self.experiment.baseline]

    def on(self, test_set: str | None) -> "Systems":
        """Return the systems on one test set, by default the reported one.

        Raises
        ------
        DataError
            If the test set does not exist.
        """
        one = reported_test_set(self.experiment) if test_set is None else self.experiment.test_set(test_set)
        return replace(self, loaded=replace(self.loaded, experiment=replace(self.experiment, test_sets=(one,))))

    def compared(self) -> list[str]:
        """Return the keys of all systems but the baseline.

        Raises
        ------
        MtevalError
            If there are none.
        """
        systems = [system.key for system in self.experiment.systems if system.key != self.experiment.baseline]
        if not systems:
            option = " (--hyps-sys1)" if self.is_multeval else ""
            raise MtevalError(f"Nothing to compare with the baseline. Add the files of a second system{option}.")
        return systems

    def comparable(self, scored: Sequence[Scored]) -> list[Scored]:
        """Return the metrics that have scores for all systems; print a note on the others.

        Raises
        ------
        DataError
            If there are none.
        """
        wanted = {run.system for run in scored[0].test_set.runs} | {self.experiment.baseline}
        wanted |= {system.key for one in scored for system in one.test_set.systems}
        whole = [one for one in scored if wanted <= set(one.statistics)]
        for one in scored:
            lacking = [name for key, name in self.names.items() if key in wanted and key not in one.statistics]
            if lacking and whole:
                tell(f"Skipping {one.metric.name}: no scores for {', '.join(lacking)}.")
        if not whole:
            names = ", ".join(one.metric.name for one in scored)
            raise DataError(
                f"Nothing to compare: no metric has scores for all systems ({names}). Use the same score name for all"
                " systems, or another metric."
            )
        return whole


def add_system_files(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add all options that name files, with ``--hyps-sysN`` for 1 and each number in the words."""
    parser.usage = """\
%(prog)s [--refs REF…] --system NAME RUN… --system NAME RUN… [option…]
       %(prog)s [--refs REF…] --hyps-baseline RUN… --hyps-sys1 RUN… [option…]
       %(prog)s --files PATH… [option…]
       %(prog)s --logs PATH… [option…]"""
    numbers = sorted({1, *(int(match[1]) for word in words if (match := _SYSTEM_OPTION.fullmatch(word)))})
    own = parser.add_argument_group("systems", "Text files have one segment per line. Use - for standard input.")
    add_whole(own)
    add_references(own)
    text = "name and outputs, one file per run; once per system, baseline first"
    own.add_argument("--system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="systems", help=text)
    add_source(own)
    add_documents(own)
    add_files(own, "--dev-refs", "references of a tuning set", "R")
    text = "outputs on the tuning set, runs in the same order"
    own.add_argument("--dev-system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="dev_systems", help=text)
    multevals = parser.add_argument_group("systems, as in MultEval")
    add_files(multevals, "--hyps-baseline", "outputs of the baseline", "H")
    for number in numbers:
        add_files(multevals, f"--hyps-sys{number}", f"outputs of system {number}", "H")
    add_score_files(parser)
    parses = parser.add_argument_group("dependency parses", "CoNLL-U, one file per text file, in the same order.")
    texts = {"refs": "references", "baseline": "baseline", **{f"sys{n}": f"system {n}" for n in numbers}}
    for name, text in texts.items():
        add_files(parses, f"--parses-{name}", f"parses of {text}", "P")
    one_by_one = [action for group in (own, multevals, parses) for action in group._group_actions][3:]  # not --files
    parser.set_defaults(named_one_by_one={action.option_strings[0]: action.dest for action in one_by_one})
    own.add_argument("--baseline", metavar="NAME", help="baseline system (default: the first; guessed with --files)")
    add_text_options(own)


def add_text_options(own: argparse._ArgumentGroup) -> None:
    """Add ``--sacrebleu-set``, ``--languages``, ``--samples``, ``--align`` and ``--nested``."""
    text = "references, source and documents from sacreBLEU's cache, e.g. wmt17/en-de"
    own.add_argument("--sacrebleu-set", metavar="SET/PAIR", help=text)
    own.add_argument("--languages", metavar="SRC-TGT", help="e.g. en-de; warn if a model was not trained on them")
    text = "every K consecutive files are samples of one run (default: 1)"
    own.add_argument("--samples", type=int, default=1, metavar="K", help=text)
    text = f"runs that share a training, by their names, e.g. seed{TRAINING}-step*; averaged within it"
    own.add_argument("--align", choices=("document",), help="realign outputs with other lines than the references")
    own.add_argument("--nested", default="", metavar="PATTERN", help=text)


def add_references(group: argparse._ActionsContainer) -> None:
    """Add ``--refs``."""
    add_files(group, "--refs", "references, one file per translation", "R")


def add_source(group: argparse._ActionsContainer) -> None:
    """Add ``--source``."""
    group.add_argument("--source", type=Path, metavar="S", help="source text, e.g. for COMET")


def add_documents(group: argparse._ActionsContainer) -> None:
    """Add ``--documents``."""
    text = "document ID per segment, one per line; tests then resample documents"
    group.add_argument("--documents", type=Path, metavar="FILE", help=text)


def add_test_set(group: argparse._ActionsContainer) -> None:
    """Add ``--test-set``."""
    group.add_argument("--test-set", metavar="NAME", help="test set to report (default: the first with role test)")


def add_whole(group: argparse._ArgumentGroup) -> None:
    """Add the options that name all files at once."""
    add_files(group, "--files", "files or folders; infer systems, runs and test sets from names", "PATH")
    add_files(group, "--logs", "logs of other programs, or folders; every score counts, higher is better", "PATH")
    group.add_argument("--logs-lower", nargs="+", default=[], metavar="SCORE", help="scores of --logs: lower is better")


def add_score_files(parser: argparse.ArgumentParser) -> None:
    """Add ``--scores-higher`` and ``--scores-lower``."""
    group = parser.add_argument_group(
        "scores computed elsewhere",
        "Segment scores, tables or logs (docs/given-scores.md). The file or column names the metric.",
    )
    for direction in ("higher", "lower"):
        add_files(group, f"--scores-{direction}", f"scores where {direction} is better")


def score_files(options: argparse.Namespace) -> ScoreFiles:
    """Return the files of ``--scores-higher`` and ``--scores-lower``."""
    return ScoreFiles(options.scores_higher, options.scores_lower, METRICS)


def further_files(options: argparse.Namespace) -> list[tuple[Path, FileRole]]:
    """Return the files of ``--source`` and ``--documents`` with their roles."""
    roles: tuple[FileRole, ...] = ("source", "documents")
    return [(path, role) for role in roles if (path := getattr(options, role)) is not None]


def read_systems(options: argparse.Namespace) -> Systems:
    """Read all files, and print notes on them on stderr.

    Raises
    ------
    MtevalError
        If options exclude each other, or a file cannot be read or does not match the others.
    """
    try:
        return _read_systems(options)
    except InputError as error:
        if error.code != REALIGNABLE:
            raise
        raise InputError(f"{error.message} Or add --align document.", error.file, error.line) from error


def _read_systems(options: argparse.Namespace) -> Systems:
    _use_known_set(options)
    _check_forms(options)
    nested = nested_pattern(options.nested) if options.nested else ""
    scores, names = replace(score_files(options), lower_names=options.logs_lower), dict[str, str]()
    if options.files:
        from mteval.readers.workspace import load_told_apart  # rarely needed

        files = [*options.files, *scores.higher, *scores.lower]
        loaded = load_told_apart(files, options.baseline, scores, nested, bool(options.align))
    elif options.systems or options.hyps_baseline:
        systems, names = (options.systems, {}) if options.systems else _multevals_systems(options)
        loaded = load_paths(
            options.refs,
            systems,
            baseline=options.baseline or next(iter(systems)),
            more=further_files(options),
            scores=scores,
            parses=_parse_files(options, systems) if options.hyps_baseline else NO_FILES,
            tuning=FileSet(options.dev_refs, options.dev_systems or {}),
            n_samples=options.samples,
            keeps_copies=bool(options.hyps_baseline),
            nested=nested,
            aligns=bool(options.align),
        )
    else:
        ids = None if options.documents is None else read_lines(options.documents)
        loaded = load_scores(scores, ids, options.baseline, nested)
    given = loaded.experiment.given if options.logs else ()
    if odd := [one.key for one in given if one.higher_is_better and LOWER_BY_NAME.search(one.name)]:
        found = f"By --logs, higher is better on {', '.join(odd)}."
        tell(f"{found} If lower is better, add --logs-lower {' '.join(odd)}.")
    unknown = (str(one.file) for one in loaded.notes if UNKNOWN in one.message)
    ignored = [file for file in unknown if not NOT_TEXT.search(file)]
    if ignored and not options.logs:  # beside logs there are files of all kinds
        tell(f"Ignored {named(ignored)}: {UNKNOWN}.")
    for problem in loaded.notes:
        if problem.file in scores.names or problem.metric:  # other warnings are findings
            tell(problem.text)
    loaded = loaded.in_languages(options.languages)
    shown = {system.key: names.get(system.key, system.key) for system in loaded.experiment.systems}
    return Systems(loaded, shown, is_multeval=bool(options.hyps_baseline))


def _use_known_set(options: argparse.Namespace) -> None:
    """Set ``--refs``, ``--source`` and ``--documents`` to a test set in sacreBLEU's cache; nothing is downloaded.

    Raises
    ------
    SettingsError
        If it is not in the cache, or references are given as well.
    """
    if options.sacrebleu_set is None:
        return
    if options.refs or options.files:
        raise SettingsError("--sacrebleu-set includes the references. Remove --refs and --files.")
    name, _, pair = options.sacrebleu_set.rpartition("/")
    if not name or not pair:
        raise SettingsError(
            f"--sacrebleu-set is '{options.sacrebleu_set}'. Expected test set and language pair, e.g. wmt17/en-de."
        )
    start = Path(sacrebleu.utils.SACREBLEU_DIR, name, f"{name.replace('/', '_')}.{pair}")
    found = {path.name.removeprefix(f"{start.name}."): path for path in sorted(start.parent.glob(f"{start.name}.*"))}
    if not (references := [path for field, path in found.items() if field.partition(":")[0] == "ref"]):
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not in sacreBLEU's cache ({start.parent}). Download it with"
            f" 'sacrebleu -t {name} -l {pair} --echo ref'."
        )
    options.refs = references
    options.source = options.source or found.get("src")
    options.documents = options.documents or found.get("docid")
    if PAIR.fullmatch(pair):
        options.languages = options.languages or pair


def _multevals_systems(options: argparse.Namespace) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """Return the files of each system by key (``baseline``, ``sys1``, …), and the systems' shown names.

    Raises
    ------
    MtevalError
        If system numbers are not 1, 2, 3, …
    """
    given = {name: files for name, files in vars(options).items() if name.startswith("hyps_sys") and files}
    numbers = range(1, len(given) + 1)
    if set(given) != {f"hyps_sys{number}" for number in numbers}:
        found = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise MtevalError(f"System numbers have a gap: expected --hyps-sys1 to --hyps-sys{len(given)}, found {found}.")
    systems = {f"sys{number}": given[f"hyps_sys{number}"] for number in numbers}
    names = {f"sys{number}": f"system {number}" for number in numbers}
    return {"baseline": options.hyps_baseline} | systems, names  # as MultEval names it


def _parse_files(options: argparse.Namespace, systems: Iterable[str]) -> FileSet:
    """Return the given parses of references and systems."""
    given = {system: vars(options).get(f"parses_{system}") for system in systems}
    return FileSet(options.parses_refs, {system: files for system, files in given.items() if files})


def _check_forms(options: argparse.Namespace) -> None:
    """Check that the options that name files go together; logs are files with scores, higher is better."""
    if options.logs_lower and not options.logs:
        raise MtevalError("--logs-lower needs --logs.")
    whole = "--logs" if options.logs else "--files"
    options.files, options.scores_higher = [*options.files, *options.logs], [*options.scores_higher, *options.logs]
    used = [name for name, dest in options.named_one_by_one.items() if getattr(options, dest)]
    if options.files and used:
        raise MtevalError(f"{whole} cannot be combined with {used[0]}. Name all files with {whole}, or none.")
    multevals = [name for name in used if name.startswith(("--hyps", "--parses"))]
    if options.systems and multevals:
        raise MtevalError(f"--system cannot be combined with {multevals[0]}. Name all systems in one way.")
    if options.files and options.samples != 1:
        raise MtevalError(f"--samples has no effect with {whole}. Name sampled files like run1.sample2.")
    if options.hyps_baseline and options.baseline:
        raise MtevalError("--baseline cannot be combined with --hyps-baseline.")
    if not (options.files or options.systems or options.hyps_baseline):
        if compared := [name for name in multevals if name.startswith("--hyps")]:
            raise MtevalError(f"{compared[0]} needs a baseline. Add --hyps-baseline FILE…, or use --system NAME FILE….")
        if options.refs or not score_files(options).names:
            raise MtevalError(_NOTHING)
        if about_texts := [name for name in used if name != "--documents"] + ["--samples"] * (options.samples != 1):
            raise MtevalError(f"{about_texts[0]} needs outputs. Add them with --system.")
    if bool(options.dev_refs) != bool(options.dev_systems):
        raise MtevalError("A tuning set needs both --dev-refs and --dev-system.")
    dests = (*options.named_one_by_one.values(), "files", "scores_higher", "scores_lower")
    if list(_paths(getattr(options, dest) for dest in dests)).count(STANDARD_INPUT) > 1:
        raise MtevalError("Standard input (-) is given twice. It can be read only once.")


def _paths(values: Iterable[object]) -> Iterator[object]:
    """Yield the values, flattening lists and dictionaries."""
    for value in values:
        yield from _paths(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
