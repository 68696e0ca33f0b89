"""Structured output: whether an endpoint takes a JSON schema, tried once per endpoint, model and protocol.

An endpoint that refuses it is asked without it, in this computation and in all later ones, until the cache is emptied.
It is never chosen per answer, since answers with and without a schema are not of one kind. The format is therefore part
of signatures, and known before the first score is looked up or computed.
"""

from collections.abc import Mapping
from typing import Any, Literal

from mteval.base.digests import digest_of
from mteval.metrics.neural.endpoints import Endpoint, Protocol

# Version of the rules of ``answer_text``, which few commands load; increase it when one of them changes, so that no
# earlier reading is used
PARSER = "6"
ResponseFormat = Literal["json-schema", "text", "untried"]
FAILING = (500, 501)  # llama-cpp-python answers so what it does not know
REFUSING = (400, 404, 406, 415, 422, *FAILING)  # how endpoints answer what they do not know

_TEXT: Mapping[str, Any] = {"type": "string"}
_ERROR: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "span": _TEXT,
        "category": _TEXT,
        "severity": {"type": "string", "enum": ["minor", "major", "critical"]},
    },
    "required": ["span", "category", "severity"],
    "additionalProperties": False,
}
_MEMBERS: Mapping[str, Any] = {"errors": {"type": "array", "items": _ERROR}, "score": {"type": "number"}}
_ASKED: Mapping[Protocol, tuple[str, ...]] = {"direct": ("score",), "mqm": ("errors",), "esa": ("errors", "score")}


def schema(protocol: Protocol) -> dict[str, Any]:
    """Return the value of ``response_format`` in a request."""
    members = _ASKED[protocol]
    judgement = {
        "type": "object",
        "properties": {name: _MEMBERS[name] for name in members},
        "required": list(members),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "judgement", "strict": True, "schema": judgement}}


def signed(asked: str, response_format: ResponseFormat) -> str:
    """Return the signature of answers: what was asked, how they are read, and their format."""
    return f"{asked}|parser:{PARSER}|format:{response_format}"


def is_read_otherwise(signature: str) -> bool:
    """Return whether scores of this signature are a judge's, and its answers were read by other rules than today's."""
    parts = signature.split("|")
    return any(part.startswith("judge:") for part in parts) and f"parser:{PARSER}" not in parts


def known_format(model: Endpoint, protocol: Protocol) -> ResponseFormat:
    """Return the format of an endpoint's answers as it was decided, by this process or an earlier one."""
    from mteval.metrics.neural.panel import kept_format  # here: few commands ask an endpoint

    match kept_format(_key(model, protocol)):
        case "json-schema":
            return "json-schema"
        case "text":
            return "text"
        case _:
            return "untried"


def decide_format(model: Endpoint, protocol: Protocol, response_format: ResponseFormat) -> None:
    """Keep the format of an endpoint's answers, for this computation and later ones."""
    from mteval.metrics.neural.panel import keep_format

    keep_format(_key(model, protocol), response_format)


def _key(model: Endpoint, protocol: Protocol) -> str:
    """Return what the decision about an endpoint is kept under."""
    return digest_of((model.url, model.model, protocol, PARSER, repr(schema(protocol))))
