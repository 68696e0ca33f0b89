"""Options for the files to compare: by system, by MultEval's options, or inferred from file names."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import sacrebleu

from mteval.analysis.results import reported_test_set
from mteval.analysis.scoring import Scored
from mteval.answers.ledger import unread_lines
from mteval.base.errors import DataError, InputError, MtevalError, SettingsError
from mteval.base.words import composed
from mteval.cli.console import Named, add_files, keep_inputs, tell
from mteval.metrics import METRICS
from mteval.readers.assembly.ledger import entry_of_lines
from mteval.readers.assembly.test_sets import TRAINING, nested_pattern
from mteval.readers.disk import STANDARD_INPUT, Loaded, read_lines
from mteval.readers.documents import REALIGNABLE, WITHOUT_SCORES, FileRole, Problem, grouped, named
from mteval.readers.named_files import NO_FILES, FileSet, ScoreFiles, load_paths, load_scores
from mteval.values.languages import PAIR
from mteval.values.ledger import Ledger
from mteval.values.model import Experiment

_SYSTEM_OPTION = re.compile(r"(?:--hyps-sys|-H)(\d+)(?:=.*)?")
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
        if test_set is None:
            wanted = reported_test_set(self.experiment)
        else:
            wanted = self.experiment.test_set(test_set)
        experiment = replace(self.experiment, test_sets=(wanted,))
        return replace(self, loaded=replace(self.loaded, experiment=experiment))

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

    def comparable(self, scored_metrics: Sequence[Scored]) -> list[Scored]:
        """Return the metrics that have scores for all systems; print a note on the others.

        Raises
        ------
        DataError
            If there are none.
        """
        wanted = {run.system for run in scored_metrics[0].test_set.runs}
        wanted.add(self.experiment.baseline)
        for scored in scored_metrics:
            wanted.update(system.key for system in scored.test_set.systems)
        complete = [scored for scored in scored_metrics if wanted <= set(scored.statistics)]
        if not complete:
            names = ", ".join(scored.metric.name for scored in scored_metrics)
            raise DataError(
                f"Nothing to compare: no metric has scores for all systems ({names}). Use the same score name for all"
                " systems, or another metric."
            )
        for scored in scored_metrics:
            lacking = [name for key, name in self.names.items() if key in wanted and key not in scored.statistics]
            if lacking:
                tell(f"Skipping {scored.metric.name}: no scores for {', '.join(lacking)}.")
        return complete


def add_system_files(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add all options that name files, with ``--hyps-sysN`` for 1 and each number in the words."""
    parser.usage = """\
%(prog)s [--refs REF…] --system NAME RUN… --system NAME RUN… [option…]
       %(prog)s [--refs REF…] --hyps-baseline RUN… --hyps-sys1 RUN… [option…]
       %(prog)s --files PATH… [option…]
       %(prog)s --logs PATH… [option…]"""
    own = parser.add_argument_group("systems", "Text files have one segment per line. Use - for standard input.")
    add_whole(own)
    n_whole = len(own._group_actions)
    add_references(own)
    text = "name and outputs, one file per run; once per system, baseline first"
    own.add_argument("--system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="systems", help=text)
    add_source(own)
    add_documents(own)
    add_files(own, "--dev-refs", "references of a tuning set", "R")
    text = "outputs on the tuning set, runs in the same order"
    own.add_argument("--dev-system", nargs="+", action=Named, metavar=("NAME", "FILE"), dest="dev_systems", help=text)

    numbers = {1}
    for word in words:
        match = _SYSTEM_OPTION.fullmatch(word)
        if match:
            numbers.add(int(match[1]))
    multevals = parser.add_argument_group("systems, as in MultEval")
    add_files(multevals, "--hyps-baseline", "outputs of the baseline", "H")
    for number in sorted(numbers):
        add_files(multevals, f"--hyps-sys{number}", f"outputs of system {number}", "H")

    add_score_files(parser)
    parses = parser.add_argument_group("dependency parses", "CoNLL-U, one file per text file, in the same order.")
    add_files(parses, "--parses-refs", "parses of references", "P")
    add_files(parses, "--parses-baseline", "parses of baseline", "P")
    for number in sorted(numbers):
        add_files(parses, f"--parses-sys{number}", f"parses of system {number}", "P")

    one_by_one = [*own._group_actions[n_whole:], *multevals._group_actions, *parses._group_actions]
    parser.set_defaults(named_one_by_one={action.option_strings[0]: action.dest for action in one_by_one})
    text = "baseline system (default: the first; guessed with --files)"
    own.add_argument("--baseline", type=composed, metavar="NAME", help=text)
    add_text_options(own)


def add_text_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--sacrebleu-set``, ``--languages``, ``--samples``, ``--align`` and ``--nested``."""
    text = "references, source and documents from sacreBLEU's cache, e.g. wmt17/en-de"
    group.add_argument("--sacrebleu-set", metavar="SET/PAIR", help=text)
    group.add_argument("--languages", metavar="SRC-TGT", help="e.g. en-de; warn if a model was not trained on them")
    text = "every K consecutive files are samples of one run (default: 1)"
    group.add_argument("--samples", type=int, default=1, metavar="K", help=text)
    group.add_argument("--align", choices=("document",), help="realign outputs with other lines than the references")
    text = f"runs that share a training, by their names, e.g. seed{TRAINING}-step*; averaged within it"
    group.add_argument("--nested", default="", metavar="PATTERN", help=text)


def add_references(group: argparse._ActionsContainer) -> None:
    """Add ``--refs`` and ``--num-refs``."""
    add_files(group, "--refs", "references, one file per translation", "R")
    add_number_of_references(group)


def add_number_of_references(group: argparse._ActionsContainer) -> None:
    """Add ``--num-refs``."""
    text = "references in each file of --refs, in columns separated by tabs, as in sacreBLEU (default: 1)"
    group.add_argument("--num-refs", type=int, metavar="N", help=text)


def add_source(group: argparse._ActionsContainer) -> None:
    """Add ``--source``."""
    group.add_argument("--source", type=Path, metavar="S", help="source text, e.g. for COMET")


def add_documents(group: argparse._ActionsContainer) -> None:
    """Add ``--documents``."""
    text = "document ID per segment, one per line; tests then resample documents"
    group.add_argument("--documents", type=Path, metavar="FILE", help=text)


def add_test_set(group: argparse._ActionsContainer) -> None:
    """Add ``--test-set``."""
    text = "test set to report (default: the first with role test)"
    group.add_argument("--test-set", type=composed, metavar="NAME", help=text)


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
    files = []
    for role in roles:
        path = getattr(options, role)
        if path is not None:
            files.append((path, role))
    return files


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
        if error.code == WITHOUT_SCORES and options.logs:
            remedy = "Name texts with --files, or with --refs and --system."
            raise InputError(f"--logs: {error.message} {remedy}", error.file) from error
        if error.code != REALIGNABLE:
            raise
        raise InputError(f"{error.message} Or add --align document.", error.file, error.line) from error


def _read_systems(options: argparse.Namespace) -> Systems:
    """Read the files in the way that the options name them, and print notes on them."""
    _use_known_set(options)
    _check_forms(options)
    nested = nested_pattern(options.nested) if options.nested else ""
    scores = replace(score_files(options), lower_names=options.logs_lower)
    name_of: dict[str, str] = {}
    if options.files:
        from mteval.readers.folders import load_told_apart  # rarely needed

        files = [*options.files, *scores.higher, *scores.lower]
        loaded = load_told_apart(files, options.baseline, scores, nested, bool(options.align))
        _keep_files_read(files, loaded)
    elif options.systems:
        loaded = _load_named(options, options.systems, scores, nested)
    elif options.hyps_baseline:
        systems = _multevals_systems(options)
        name_of = {key: key.replace("sys", "system ") for key in systems}  # as MultEval names them
        loaded = _load_named(options, systems, scores, nested)
    else:
        ids = None if options.documents is None else read_lines(options.documents)
        loaded = load_scores(scores, ids, options.baseline, nested)
        if ids is not None:
            entry = entry_of_lines(options.documents, "documents", ids)
            ledger = loaded.experiment.ledger.including([entry])
            loaded = replace(loaded, experiment=replace(loaded.experiment, ledger=ledger))

    tell_unread(loaded.experiment.ledger)
    # other warnings are findings
    _tell_together(problem for problem in loaded.notes if problem.file in scores.names or problem.metric)
    loaded = loaded.in_languages(options.languages)
    names = {system.key: name_of.get(system.key, system.key) for system in loaded.experiment.systems}
    return Systems(loaded, names, is_multeval=bool(options.hyps_baseline))


def _keep_files_read(paths: Sequence[Path], loaded: Loaded) -> None:
    """Refuse to write over the files that were read, which are some of those below the paths."""
    from mteval.readers.folders import names_below
    from mteval.readers.trackers import is_tracked  # rarely needed, like the next

    if any(is_tracked(path) for path in paths):  # of runs of a tracker, no file here is read
        return
    names_read = {entry.file for entry in loaded.experiment.ledger.of("read")}
    name_of = names_below([path.absolute() for path in paths])
    keep_inputs(path for path, name in name_of.items() if name in names_read)


def _load_named(
    options: argparse.Namespace, systems: Mapping[str, Sequence[Path]], scores: ScoreFiles, nested: str
) -> Loaded:
    """Read outputs that are named by system; with MultEval's options, also their parses."""
    is_multeval = bool(options.hyps_baseline)
    return load_paths(
        options.refs,
        systems,
        baseline=options.baseline or next(iter(systems)),
        more=further_files(options),
        scores=scores,
        parses=_parse_files(options, systems) if is_multeval else NO_FILES,
        tuning=FileSet(options.dev_refs, options.dev_systems or {}),
        n_samples=options.samples,
        keeps_copies=is_multeval,
        nested=nested,
        aligns=bool(options.align),
        n_references=number_of_references(options),
    )


def number_of_references(options: argparse.Namespace) -> int:
    """Return the number of references per file.

    Raises
    ------
    MtevalError
        If it is below 1, or there are no files of references.
    """
    if options.num_refs is None:
        return 1
    if options.num_refs < 1:
        raise MtevalError(f"--num-refs is {options.num_refs}; expected 1 or more.")
    if not options.refs:
        raise MtevalError("--num-refs needs --refs.")
    return int(options.num_refs)


def _tell_together(problems: Iterable[Problem]) -> None:
    """Print problems, once what several files share."""
    for alike in grouped(((problem.severity, problem.message), problem) for problem in problems).values():
        if len(alike) == 1:
            tell(alike[0].text)
        else:
            tell(f"{named(problem.file or '' for problem in alike)}: {alike[0].message}")


def tell_unread(ledger: Ledger) -> None:
    """Print which files are not read, and why; nothing if all are."""
    for line in unread_lines(ledger):
        tell(line)


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
    if options.num_refs is not None:
        raise SettingsError("--num-refs is for files of --refs. Remove --num-refs or --sacrebleu-set.")
    name, _, pair = options.sacrebleu_set.rpartition("/")
    if not name or not pair:
        raise SettingsError(
            f"--sacrebleu-set is '{options.sacrebleu_set}'. Expected test set and language pair, e.g. wmt17/en-de."
        )
    # Files are named wmt17.en-de.src, wmt17.en-de.ref:A, …, where a slash in the name of the set is an underscore
    folder = Path(sacrebleu.utils.SACREBLEU_DIR, name)
    start = f"{name.replace('/', '_')}.{pair}"
    file_of_field = {}
    for path in sorted(folder.glob(f"{start}.*")):
        file_of_field[path.name.removeprefix(f"{start}.")] = path
    references = [path for field, path in file_of_field.items() if field.partition(":")[0] == "ref"]
    if not references:
        raise SettingsError(
            f"--sacrebleu-set: '{options.sacrebleu_set}' is not in sacreBLEU's cache ({folder}). Download it with"
            f" 'sacrebleu -t {name} -l {pair} --echo ref'."
        )
    options.refs = references
    options.source = options.source or file_of_field.get("src")
    options.documents = options.documents or file_of_field.get("docid")
    keep_inputs(file_of_field.values())
    if PAIR.fullmatch(pair):
        options.languages = options.languages or pair


def _multevals_systems(options: argparse.Namespace) -> dict[str, list[Path]]:
    """Return the files of each system by key: ``baseline``, ``sys1``, …

    Raises
    ------
    MtevalError
        If system numbers are not 1, 2, 3, …
    """
    given = {name: files for name, files in vars(options).items() if name.startswith("hyps_sys") and files}
    numbers = range(1, len(given) + 1)
    if set(given) != {f"hyps_sys{number}" for number in numbers}:
        options_found = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise MtevalError(
            f"System numbers have a gap: expected --hyps-sys1 to --hyps-sys{len(given)}, found {options_found}."
        )
    systems = {"baseline": options.hyps_baseline}
    for number in numbers:
        systems[f"sys{number}"] = given[f"hyps_sys{number}"]
    return systems


def _parse_files(options: argparse.Namespace, systems: Iterable[str]) -> FileSet:
    """Return the given parses of references and systems."""
    parses_of = {}
    for system in systems:
        files = vars(options).get(f"parses_{system}")
        if files:
            parses_of[system] = files
    return FileSet(options.parses_refs, parses_of)


def _check_forms(options: argparse.Namespace) -> None:
    """Check that the options that name files go together; logs are files with scores, higher is better."""
    if options.logs_lower and not options.logs:
        raise MtevalError("--logs-lower needs --logs.")
    names_all_files = "--logs" if options.logs else "--files"
    options.files = [*options.files, *options.logs]
    options.scores_higher = [*options.scores_higher, *options.logs]

    used = [name for name, dest in options.named_one_by_one.items() if getattr(options, dest)]
    if options.files and used:
        raise MtevalError(
            f"{names_all_files} cannot be combined with {used[0]}. Name all files with {names_all_files}, or none."
        )
    multevals = [name for name in used if name.startswith(("--hyps", "--parses"))]
    if options.systems and multevals:
        raise MtevalError(f"--system cannot be combined with {multevals[0]}. Name all systems in one way.")
    if options.files and options.samples != 1:
        raise MtevalError(f"--samples has no effect with {names_all_files}. Name sampled files like run1.sample2.")
    if options.hyps_baseline and options.baseline:
        raise MtevalError("--baseline cannot be combined with --hyps-baseline.")
    if not (options.files or options.systems or options.hyps_baseline):
        _check_scores_alone(options, used)
    if bool(options.dev_refs) != bool(options.dev_systems):
        raise MtevalError("A tuning set needs both --dev-refs and --dev-system.")
    dests = (*options.named_one_by_one.values(), "files", "scores_higher", "scores_lower")
    paths = list(_flattened(getattr(options, dest) for dest in dests))
    if paths.count(STANDARD_INPUT) > 1:
        raise MtevalError("Standard input (-) is given twice. It can be read only once.")


def _check_scores_alone(options: argparse.Namespace, used: Sequence[str]) -> None:
    """Check that without outputs there are scores, and no options about texts.

    Parameters
    ----------
    used
        The given options that name files.
    """
    for name in used:
        if name.startswith("--hyps"):
            raise MtevalError(f"{name} needs a baseline. Add --hyps-baseline FILE…, or use --system NAME FILE….")
    if options.refs or not score_files(options).names:
        raise MtevalError(_NOTHING)
    of_texts = [name for name in used if name != "--documents"]
    if options.samples != 1:
        of_texts.append("--samples")
    if of_texts:
        raise MtevalError(f"{of_texts[0]} needs outputs. Add them with --system.")


def _flattened(values: Iterable[object]) -> Iterator[object]:
    """Yield the values, flattening lists and dictionaries."""
    for value in values:
        if isinstance(value, dict):
            yield from _flattened(value.values())
        elif isinstance(value, list):
            yield from value
        else:
            yield value
