"""Read the logs of other evaluation programs, each by its own module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mteval.base.errors import InputError
from mteval.readers.documents import Document
from mteval.readers.formats.logs.answers import HEAD, OPENINGS, Answer, Notes, NotNumbersError, Program
from mteval.readers.formats.logs.every_eval_ever import EVERY_EVAL_EVER
from mteval.readers.formats.logs.harness import HARNESS
from mteval.readers.formats.logs.helm import HELM
from mteval.readers.formats.logs.inspect_logs import INSPECT
from mteval.readers.formats.logs.lighteval import LIGHTEVAL
from mteval.readers.formats.logs.promptfoo import PROMPTFOO
from mteval.readers.formats.logs.wandb_tables import WANDB
from mteval.readers.formats.score_tables import METRIC, SCORE, score_streams
from mteval.readers.formats.tables import Row, read_output_table

# The first that fits reads a log; those with telling keys come before those with common ones
PROGRAMS: tuple[Program, ...] = (HELM, EVERY_EVAL_EVER, LIGHTEVAL, INSPECT, PROMPTFOO, WANDB, HARNESS)


def read_log(text: str, file: str) -> Document | None:
    """Read the answers of a log with their scores; return None if it is not a log.

    Raises
    ------
    InputError
        If the log is torn, has a structure that is not known, or has no scores.
    """
    program = program_of(text)
    if program is None:
        return None
    notes = Notes()
    try:
        answers = list(program.read(text, file, notes))
    except InputError:
        raise
    except NotNumbersError as error:
        raise InputError(str(error), file) from error
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise InputError(_unknown_structure(program, text, error), file) from error

    if not any(score is not None for answer in answers for score in answer.scores.values()):
        raise InputError(f"{_without_scores(program, text, answers)}", file)
    scores = score_streams(list(_score_rows(answers)), file, [SCORE])
    if not any(answer.hypothesis is not None for answer in answers):  # HELM has the answers in another file
        document = Document(file, "json", scores)
    else:
        document = read_output_table(_text_rows(answers), file)
        document = replace(document, format="json", streams=document.streams + scores)
    return replace(
        document,
        streams=tuple(replace(stream, left_out=notes.left_out) for stream in document.streams),
        notes=(*document.notes, *notes),
        program=program.name,
        version=program.version_of(text),
        warnings=tuple(notes.warnings),
    )


def program_of(text: str) -> Program | None:
    """Return the program that wrote a log, or None if it has no known form."""
    head = text[:HEAD].lstrip()
    if not head.startswith(OPENINGS):
        return None
    for program in PROGRAMS:
        if program.is_log(head, text):
            return program
    return None


def _unknown_structure(program: Program, text: str, error: Exception) -> str:
    """Return the message for a log that is whole JSON, but has other keys or values than expected."""
    version = program.version_of(text)
    stated = f" It states version {version}." if version else ""
    message = f"This log of {program.name} has a structure that mteval does not know"
    message += f" ({type(error).__name__}: {str(error)[:120]}).{stated}"
    return f"{message} Known: {program.known}. Write the log with one of these versions, or use a table of scores."


def _without_scores(program: Program, text: str, answers: Sequence[Answer]) -> str:
    """Return the message for a log in which no answer has a score."""
    version = program.version_of(text)
    stated = f" (version {version})" if version else ""
    if not answers:
        return f"The log of {program.name}{stated} has no answers. Run the evaluation again."
    return f"The log of {program.name}{stated} has no scores. Evaluate again with a metric or scorer."


def _text_rows(answers: Sequence[Answer]) -> Iterator[Row]:
    """Yield a row per answer with its texts."""
    for answer in answers:
        cells = _names_of(answer)
        cells |= {"source": answer.source, "hypothesis": answer.hypothesis, "reference": answer.reference}
        yield answer.line, cells


def _score_rows(answers: Sequence[Answer]) -> Iterator[Row]:
    """Yield a row per score. Metrics are in a column, since they may have the names of other columns."""
    for number, answer in enumerate(answers, start=1):
        for metric, score in answer.scores.items():
            if score is None:
                continue
            cells = _names_of(answer)
            cells |= {METRIC: metric, SCORE: repr(score), "hypothesis": answer.hypothesis}
            yield number, cells


def _names_of(answer: Answer) -> dict[str, str | None]:
    """Return the cells that say what an answer is to, and by which run."""
    return {
        "system": answer.system,
        "run": answer.run,
        "test_set": answer.test_set,
        "segment": answer.segment,
    }
