"""How what reads text from outside slows down as it grows: four times as much takes four times as long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from litestar.connection import ASGIConnection

from server.counting import parsed_limits
from server.errors import BadInputError
from server.http.middleware import caller_of
from server.index.text import words
from server.llm.wire import EventReader
from server.masking import Masker, without_masks
from server.messages.catalogue import accepted
from server.storage.engine import end_of
from server.visitor.api import event_bytes

SMALL, TIMES = 20_000, 4  # characters, and how many times as many
MOST = 10.0  # a greater ratio is a finding; the square would be 16

Work = Callable[[str], object]

# What makes a pattern try again: nearly a number, an address, a mask, a sentence of an office.
MASKED = (
    "1", "1 ", "1-", "12 ", "+", "(1", "a@", "a.", "a@b.", "@", "[", "[phone ", "[phone 1] ", "1 a ",
    "12 Main St ", "my ssn is ", "ssn ", "802555-0110.",
    "id id ", "passport ", "calle a ", "p.o. box ", "a'", "٣", "٣ ",
    "call me at 802 555 0110 ", "ana@example.edu ",
    "–", "1–", "1\u2009", "1\u200b", "4111.", "4111/", "DE89 ", "DE89", "a at ", "a(at)", "a dot ",
    "4111 1111 1111 1111 ", "the office's number is ", "we live at ",
)  # fmt: skip


def _masked(text: str) -> object:
    masker = Masker()
    return masker.echoed(without_masks(masker.masked(text)))


def _one_line(text: str) -> object:
    reader, raw = EventReader(), text.encode()
    return [list(reader.feed(raw[at : at + 7])) for at in range(0, len(raw), 7)]


def _called(text: str) -> object:
    headers = [(b"x-forwarded-for", text.encode("latin-1", "replace"))]
    return caller_of(ASGIConnection({"type": "http", "headers": headers, "client": None}), 3)  # type: ignore[arg-type]


def _refused(read: Work) -> Work:
    def work(text: str) -> object:
        try:
            return read(text)
        except BadInputError as error:
            return error

    return work


def cases() -> Iterator[tuple[str, Work, str]]:
    """What is measured: its name, what reads, and what its text is made of."""
    yield from ((f"masking {unit!r}", _masked, unit) for unit in MASKED)
    yield from (
        (f"the model's stream, {unit!r}", _one_line, unit) for unit in ("data: x", "\n", "\r", "data:\n\n")
    )
    yield from (
        (f"events, {unit!r}", lambda text: event_bytes("a", text), unit) for unit in ("\r", "\r\n", "a")
    )
    yield from ((f"Accept-Language {unit!r}", accepted, unit) for unit in ("de,", ";", "de;q=0.5,", " "))
    yield from ((f"X-Forwarded-For {unit!r}", _called, unit) for unit in ("1.2.3.4,", ",", " ", "1", "["))
    yield from (
        (f"limits {unit!r}", _refused(lambda text: parsed_limits("LODGE_LIMIT_SITE", text)), unit)
        for unit in ("1", " ", "1/minute;", "/", "1 per ")
    )
    yield from ((f"moments {unit!r}", _refused(end_of), unit) for unit in ("2026-", "0", "T", " "))
    yield from ((f"a query's words {unit!r}", words, unit) for unit in ("a", "-", "é", '"a* ', "\0"))


def seconds(work: Work, text: str) -> float:
    """Of processor time, the least of three."""
    took = []
    for _ in range(3):
        began = time.process_time()
        work(text)
        took.append(time.process_time() - began)
    return min(took)


def rows() -> Iterator[tuple[str, float, float, float]]:
    """Each with the seconds for little and for much, and their ratio; what takes less than 1 ms has none."""
    for name, work, unit in cases():
        little, much = (unit * (chars // len(unit)) for chars in (SMALL, SMALL * TIMES))
        first, second = seconds(work, little), seconds(work, much)
        yield name, first, second, second / max(first, 1e-3)
