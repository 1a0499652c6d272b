"""Turns an answer into what the page shows: pure functions, no HTML of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from server.records import Answer, Citation
from server.web.texts import Texts

_MARKER = re.compile(r"\s?\[(\d{1,2})\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORTEST_MARK = 12


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: plain, marked, or the reference to citation `n`."""

    text: str
    marked: bool = False
    n: int | None = None


def answer_pieces(answer: Answer) -> list[Piece]:
    """The answer's text, its `[n]` taken out as references where a citation `n` exists."""
    known = {citation.n for citation in answer.citations}
    pieces: list[Piece] = []
    end = 0
    for match in _MARKER.finditer(answer.answer):
        if (n := int(match[1])) in known:
            pieces += [Piece(answer.answer[end : match.start()]), Piece(str(n), n=n)]
            end = match.end()
    return [piece for piece in (*pieces, Piece(answer.answer[end:])) if piece.text]


def quote_pieces(citation: Citation, answer_text: str) -> list[Piece]:
    """The quote, with those of the answer's sentences that it contains marked."""
    sentences = _SENTENCE_END.split(_MARKER.sub("", answer_text))
    wanted = [sentence.strip() for sentence in sentences if len(sentence.strip()) >= _SHORTEST_MARK]
    if not wanted:
        return [Piece(citation.quote)]
    # Spaces and line breaks differ between a passage and what was taken from it.
    longest_first = sorted(wanted, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, sentence.split())) for sentence in longest_first)
    parts = re.split(f"({pattern})", citation.quote)
    return [Piece(part, marked=bool(i % 2)) for i, part in enumerate(parts) if part]


def link(url: str) -> str | None:
    """The URL if a page may link to it; a crawled page's `javascript:` is not one."""
    return url if urlsplit(url).scheme in ("http", "https") else None


def host_and_path(url: str) -> str:
    """An address as people read it: without scheme and trailing slash."""
    parts = urlsplit(url)
    return (parts.netloc.removeprefix("www.") + parts.path).rstrip("/")


def source_date(citation: Citation, texts: Texts) -> tuple[str, str] | None:
    """(ISO day, sentence): when the page was changed, or else when it was read."""
    for stamp, sentence in ((citation.last_modified, texts.updated), (citation.fetched_at, texts.fetched)):
        if day := _day(stamp):
            date = f"{day.day} {day:%B} {day.year}"
            return f"{day:%Y-%m-%d}", sentence.format(date=date)
    return None


def announcement(answer: Answer, texts: Texts) -> str:
    """What a screen reader says once, when the answer is complete."""
    spoken = texts.announced.format(answer=_MARKER.sub("", answer.answer))
    count = len(answer.citations)
    if count == 0:
        return spoken
    return f"{spoken} {texts.announced_source if count == 1 else texts.announced_sources.format(count=count)}"


def _day(stamp: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp) if stamp else None
    except ValueError:
        return None
