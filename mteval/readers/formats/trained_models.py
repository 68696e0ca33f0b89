"""Files that training programs write beside outputs: weights, vocabularies and settings of a model.

They are ignored by their names, if their content is what the name says.
"""

import re
from contextlib import suppress

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import IGNORED, InputFile, Problem
from mteval.readers.formats.text import split_lines

MOST_VALUES = 20_000_000
HEAD_OF_WEIGHTS = 4_096  # bytes that show what a file is
WEIGHTS = re.compile(
    r"\.(bin|ckpt|gguf|h5|index|keras|model|msgpack|npy|npz|onnx|pb|pickle|pkl|pt|pth|safetensors|spm|tflite)$"
    r"|(^|/)events\.out\.tfevents\.[^/]*$|(^|/)params\.[^/]*$|(^|/)checkpoint[-_.]?[^/]*\.data-[^/]*$",
    re.I,
)
PICTURES = re.compile(r"\.(png|jpe?g|gif|webp|ico)$", re.I)
SETTINGS = re.compile(
    r"(^|/)([a-z0-9_]*config|added_tokens|special_tokens_map|tokenizer|vocab(\.(src|trg)\.\d+)?|modules|symbol"
    r"|trainer_state|training_args|((all|train|eval|test|predict|validation)_)results|[^/]*\.index)\.json$",
    re.I,
)
FLAT_SETTINGS = re.compile(r"(^|/)(args|arguments|hparams|hyperparameters|params|opts?|options|metrics)\.json$", re.I)
VOCABULARY = re.compile(
    r"(^|/)([^/]*[-_.])?(vocab(ulary)?|bpe[-_.]?codes|codes)([-_.][^/]*)?$|(^|/)(dict(\.[a-z]{2,3}([-_]\w+)?)?|merges)\.txt$",
    re.I,
)
LINE_OF_VOCABULARY = re.compile(r"\S+([ \t]\S+)?")  # a word, perhaps with its count, or a pair to merge
PICTURE = "a picture"
OF_MODEL = "written by a training program: weights, a vocabulary, settings or results"


def ignored_beside_outputs(file: InputFile) -> Problem | None:
    """Return the note on a binary file that no person meant as an input: weights or a picture; None for others."""
    if not is_binary(file.content):
        return None
    if WEIGHTS.search(file.name):
        return Problem(OF_MODEL, file.name, None, "note", IGNORED)
    if PICTURES.search(file.name):
        return Problem(PICTURE, file.name, None, "note", IGNORED)
    return None


def may_be_weights(name: str) -> bool:
    """Whether a name is that of weights, which are too large to be read for nothing."""
    return WEIGHTS.search(name) is not None


def is_binary(content: bytes) -> bool:
    """Whether a file is no text: an archive or something with zero bytes near its start."""
    return content.startswith((b"PK", b"\x80")) or b"\0" in content[:HEAD_OF_WEIGHTS]


def ignore_part_of_model(text: str, file: str) -> None:
    """Raise InputError with the code ``IGNORED`` for settings in JSON, or a vocabulary."""
    is_part = VOCABULARY.search(file) is not None and _is_vocabulary(text)
    if SETTINGS.search(file) or FLAT_SETTINGS.search(file):
        with suppress(ValueError):
            value = bounded_json(text, MOST_VALUES)
            is_part = _is_flat(value) if FLAT_SETTINGS.search(file) else isinstance(value, dict | list)
    if is_part:
        raise InputError(OF_MODEL, file, code=IGNORED)


def _is_flat(value: object) -> bool:
    """Whether a value in JSON is an object without lists or objects in it."""
    return isinstance(value, dict) and not any(isinstance(part, dict | list) for part in value.values())


def _is_vocabulary(text: str) -> bool:
    """Whether the lines are distinct words, perhaps with counts, or pairs of byte-pair encoding."""
    lines = split_lines(text)
    return all(map(LINE_OF_VOCABULARY.fullmatch, lines)) and len(set(lines)) == len(lines)
