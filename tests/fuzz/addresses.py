"""Addresses that chance made: whatever they say, the page that a real server draws is one of ours."""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from urllib.parse import quote_from_bytes, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.served import ROOT
from benchmarks.visitors import connected, is_drawn
from mteval.library.started import LINK, TICKET
from mteval.metrics import METRICS
from mteval.values.service import ANNOTATOR, COORDINATOR
from mteval.values.settings import CONVENTIONS
from tests.coroutines import completed
from tests.fuzz.command_lines import NUMBERS, TEXTS
from tests.hostile.inputs import ADDRESSES
from tests.patience import OUTER_LIMIT

PAGES = ("", "scores", "significance", "replication", "segments", "people", "annotate", "report", "nowhere")
SHARED = ("primary", "metrics", "convention", "unit", "design", "shuffles", "replicates", "confidence", "seed", "looks")
OF_PAGES = ("baseline", "test-set", "metric", "system", "seg-open", "seg-pair", "seg-kind", "campaign", "annotate")
LINKS = (LINK, TICKET, ANNOTATOR, COORDINATOR, "embed", "embed_options")
OPTIONS = tuple(
    f"{convention}.{key}.{option.name}"
    for convention in CONVENTIONS
    for key, spec in METRICS.items()
    for option in spec.options
)
ODD = (b"%", b"%zz", b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"&&", b"=", b";", b"+", b"#", b"?", b"[]", b"%00", b"\r\n")


def address(chance: Random, link: str) -> tuple[str, str]:
    """A page, and what stands after the question mark, perhaps with the link of an experiment that is there."""
    page = chance.choice(PAGES)
    if chance.random() < 0.1:
        return page, urlencode(chance.choice(ADDRESSES), errors="surrogatepass")

    pairs = []
    if chance.random() < 0.8:
        pairs.append((LINK, link))
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        name = chance.choice((*SHARED, *OF_PAGES, *LINKS, chance.choice(OPTIONS), chance.choice(TEXTS)))
        value = chance.choice((*NUMBERS, *TEXTS, "bleu", "TER", "true", "1", link, link[:-1]))
        pairs.append((name, value))
    query = urlencode(pairs, errors="surrogatepass")

    for _ in range(chance.choice((0, 0, 1, 2))):
        place = chance.randrange(len(query) + 1)
        odd_bytes = chance.choice(ODD)
        odd_text = chance.choice((quote_from_bytes(odd_bytes), odd_bytes.decode("latin-1")))
        query = query[:place] + odd_text + query[place:]
    return page, query


async def drawn(host: str, page: str, query: str, seconds: float) -> Sequence[ForwardMsg]:
    """All that a server sends whoever opens an address.

    Raises
    ------
    TimeoutError
        Where the page is not drawn within so many seconds.
    """
    messages = list[ForwardMsg]()
    async with asyncio.timeout(seconds), connected(host) as link:
        request = BackMsg()
        request.rerun_script.page_name = page
        request.rerun_script.query_string = query
        await link.send(request.SerializeToString())
        while not messages or not is_drawn(messages[-1]):
            message = ForwardMsg()
            message.ParseFromString(await link.recv())
            messages.append(message)
    return messages


def leaked_path(message: ForwardMsg, root: Path) -> str | None:
    """Return a path of the server's code in what it sends, with some of what follows; None if there is none.

    A path begins with the root of the server's code, or is one of an installed package. The name of the root's folder
    alone is no path.
    """
    content = message.SerializeToString()
    starts_of_roots = [re.escape(os.fsencode(path) + b"/") for path in {root, root.resolve()}]
    match = re.search(b"|".join([*starts_of_roots, rb"/site-packages/"]), content)
    if match is None:
        return None
    return content[match.start() : match.end() + 80].decode(errors="replace")


def run_address(seed: int, host: str, link: str, seconds: float = OUTER_LIMIT) -> str:
    """Open one address; what became of it. A page that shows an error of Python's is one."""
    page, query = address(Random(seed), link)
    outcome = "empty"
    for message in completed(drawn(host, page, query, seconds)):
        if message.WhichOneof("type") == "delta":
            outcome = "drawn"
            element = message.delta.new_element
            if element.WhichOneof("type") == "exception":
                error = element.exception
                raise AssertionError(f"{page}?{query[:500]}: {error.type} {error.message[:500]}")
        assert b"Traceback" not in message.SerializeToString(), query[:500]
        path = leaked_path(message, ROOT)
        assert path is None, (query[:500], path)
    return outcome
