"""Names of files, systems, runs and test sets: parse, compare and sort them."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mteval.base.words import composed

SUFFIXES = re.compile(
    r"(?ais)(?<=.)(\.(gz|bz2|xz|zst|zip|tar|tgz|txt|text|tsv|csv|xlsx|jsonl|json|sgm|sgml|xml|tmx|xlf|(sdl|mq)?xliff"
    r"|conllu))+\Z"
)
# Files of programs, and what they print: no outputs
OF_PROGRAMS = re.compile(
    r"(^|/)(readme|license|licence|changelog|makefile|mlmodel)[^/]*$|(^|/)requirements[^/]*\.(txt|in)$"
    r"|\.(md|log|err|py|sh|pl|cfg|ini|ya?ml|toml|cff|bib|ipynb|rst|patch)$|(^|/)(version|metrics|config|_?success|done)$"
    r"|(^|/)([^/]*[-_.])?(logs?|stdout|stderr)(\.txt)?$|(^|/)(nohup\.out|slurm(-[^/]*)?\.(out|err))$|\.[oe]\d{3,}$",
    re.I,
)
NAMED_SUFFIX = re.compile(r"(\.seg)?(\.scores?|\.labels?)?(\.(te?xt|[tc]sv|jsonl?))?(\.(gz|bz2|xz))?( \(\d+\))?$", re.I)
REFERENCE_WORD = re.compile(r"(refs?|references?|gold|targets?|tgt|trg)([a-z]|\d{1,2})?", re.I)
OUTPUT_FOLDER = re.compile(r"(hyps?|hypotheses|out|outputs?|translations?|systems?)", re.I)
# Words of names of files that no person wrote
MACHINE_MADE = re.compile(
    r"(?i)synth(etic)?|pseudo|silver|auto(matic)?|generated|machine|mt|nmt|llm|(chat)?gpt\d*|google|deepl|bt|back|back-?translat(ed|ion)"
    r"|distill(ed)?|paraphrased?|mtpe|pe|post-?edit(ed|s)?|noisy|dummy|fake"
)
CLEAR_ROLES = {
    "hypothesis": re.compile(r"hyps?\d*|hypothes[ie]s", re.I),
    "reference": re.compile(r"refs?[a-z\d]?|references?\d?|gold", re.I),
    "source": re.compile(r"src|source", re.I),
}
CHECKPOINT_WORDS = r"checkpoint|ckpt|step|epoch|update"
CHECKPOINT_PART = re.compile(rf"(?:^|(?<=[-_]))(?:{CHECKPOINT_WORDS})[-_=]?(\d+|best|last|avg)(?=$|[-_])", re.I)
BASELINE_NAMES = (r"baseline", r"base", r"baseline.*", r"base\b.*", r".*baseline.*", r".*\bbase\b.*")
DEFAULT_RUN = "0"
DEFAULT_TEST_SET = "test"
SAMPLE = re.compile(r"(.+) sample (\S+)")
DIGITS = "0123456789"
SEPARATORS = "-_./ "


def name_of_file(path: str) -> str:
    """Return a file name without folders and without suffixes such as ``.seg.score``, ``.labels`` or ``.tsv``."""
    plain = path.replace("\\", "/").rsplit("/", 1)[-1]
    return NAMED_SUFFIX.sub("", plain) or plain


def without_suffixes(part: str) -> str:
    """Strip suffixes that describe how a file is stored."""
    return SUFFIXES.sub("", part)


def common_tail(first: str, second: str) -> int:
    """Count the parts that two paths share from the end, ignoring the file's suffix."""
    *first_folders, first_file = composed(first).replace("\\", "/").split("/")
    *second_folders, second_file = composed(second).replace("\\", "/").split("/")
    # A shared folder says nothing of files with other names
    if without_suffixes(first_file) != without_suffixes(second_file):
        return 0
    return 1 + shared_length([first_folders[::-1], second_folders[::-1]])


def is_doubtful_reference(path: str) -> bool:
    """Whether a file named as a reference may be machine-made, e.g. ``synthetic_ref``, or a file among outputs."""
    *folders, file = path.replace("\\", "/").split("/")
    words = words_of(without_suffixes(file))
    if not any(REFERENCE_WORD.fullmatch(word) for word in words):
        return False
    folder_words = words_of(" ".join(folders))
    return any(map(MACHINE_MADE.fullmatch, words)) or any(map(OUTPUT_FOLDER.fullmatch, folder_words))


def role_in(path: str) -> str | None:
    """Return ``hypothesis``, ``reference`` or ``source`` if the name of a text file clearly states it, else None."""
    file = path.replace("\\", "/").rsplit("/", 1)[-1]
    for word in re.split(r"[._\s]+", without_suffixes(file)):
        for role, pattern in CLEAR_ROLES.items():
            if pattern.fullmatch(word):
                return role
    return None


def words_of(part: str) -> list[str]:
    """Split a name at dots, dashes, underscores and spaces."""
    return [word for word in re.split(r"[-._\s]+", part) if word]


def natural_order(key: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a sorting key: ``opt2`` before ``opt10``, ``base`` before ``GPT``, ``test.ref`` before ``test2``."""
    # Numbers of at most 18 digits: ``int`` refuses those of thousands
    pieces = re.findall(r"[0-9]{1,18}|[-_./ ]|[^-_./ 0-9]+", key.casefold())
    return tuple(map(_rank, pieces)), key  # the name itself orders ``A`` and ``a``, whose pieces are equal


def _rank(piece: str) -> tuple[int, int, str]:
    """Sort separators first, then numbers, then words."""
    if piece[0] in SEPARATORS:
        return 0, 0, piece
    if piece[0] in DIGITS:
        return 1, int(piece), ""
    return 2, 0, piece


def shared_length(items: Sequence[Sequence[str]]) -> int:
    """Count the leading elements that all items share."""
    length = 0
    for column in zip(*items, strict=False):
        if len(set(column)) > 1:
            break
        length += 1
    return length


def sample_name(run: str, sample: str) -> str:
    """Return the run name of one of several decodings of a trained model."""
    return f"{run} sample {sample}"


def run_names(n_files: int, n_samples: int) -> Iterator[str]:
    """Yield ``0``, ``1``, …, or names of samples: every ``n_samples`` consecutive files belong to one run."""
    for index in range(n_files):
        run, sample = divmod(index, n_samples)
        if n_samples == 1:
            yield str(run)
        else:
            yield sample_name(str(run), str(sample + 1))


def run_and_sample(name: str) -> tuple[str, str | None]:
    """Split a run name into run and sample; the sample is None if there is none."""
    match = SAMPLE.fullmatch(name)
    if match is None:
        return name, None
    return match[1], match[2]


def is_dev(test_set: str) -> bool:
    """Whether the name is that of a tuning set."""
    return re.match(r"(news)?(dev|tun|val)", test_set, re.I) is not None


def guess_baseline(systems: Iterable[str]) -> str | None:
    """Return the system named baseline or base, else one whose name contains it, else the first by name.

    The order of the systems does not matter.
    """
    in_order = sorted(systems, key=natural_order)
    for pattern in BASELINE_NAMES:  # the clearest first
        for name in in_order:
            if re.fullmatch(pattern, name, re.IGNORECASE):
                return name
    return in_order[0] if in_order else None


def is_called_baseline(system: str) -> bool:
    """Whether the name marks a system as the baseline."""
    return any(re.fullmatch(pattern, system, re.IGNORECASE) for pattern in BASELINE_NAMES)
