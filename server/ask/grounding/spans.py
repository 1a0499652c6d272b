"""What every reader of facts is written with: a value and where it stands; and the readers of e-mail
addresses, web addresses and telephone numbers, whatever their case and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import unquote, urlsplit

Value_co = TypeVar("Value_co", covariant=True)

DASH = r"(?:-|–|—|‐|‑|−)"


@dataclass(frozen=True, slots=True)
class Span(Generic[Value_co]):
    """A value and the characters that said it."""

    value: Value_co
    start: int
    end: int


def alternatives(words: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these spans hidden behind characters that no pattern matches, everything else in
    place.
    """
    pieces, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            begin = max(start, done)
            pieces += [text[done:begin], "\0" * (end - begin)]
            done = end
    return "".join([*pieces, text[done:]])


_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.UNICODE)
# A bare host needs a letters-only last part, and a page's file name is none.
_URL = re.compile(
    r"""(?<![\w@.])(?:
        (?P<full>(?:https?|ftp)://|www\.)[^\s<>"'“”()\[\]]*(?:\([^\s<>()]*\)[^\s<>"'“”()\[\]]*)*
        | (?P<host>(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})(?::\d+)?(?:/[^\s<>"'“”()\[\]]*)?
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_DOT = r"\s?[\[(]dot[\])]\s?|\sdot\s"
_SPELT = re.compile(
    rf"\b[a-z0-9-]+(?:(?:{_DOT})[a-z0-9-]+)*(?:{_DOT})(?:com|org|net|edu|gov|info|biz|example|io|co|us|uk|xyz|ru|cn)\b",
    re.IGNORECASE,
)
_NO_HOST = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|html?|jpe?g|png|zip|txt|csv|js|py)$|^(?:[a-z]\.)+[a-z]{1,2}$", re.IGNORECASE
)
_PHONE = re.compile(
    r"""(?<![\w.+$€£/-])(?:\+?\d{1,3}[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .–-])\d{3}[ .–-]\d{4}(?![\w-]|\.\d)
      | (?<![\w.+$€£/-])\d{3}[.–-]\d{4}(?![\w-]|\.\d)
      | (?<![\w.$€£/-])\+\d[\d .()–-]{6,16}\d(?!\w)
      | (?<![\w.+$€£/,-])\d{10}(?!\w)""",
    re.VERBOSE,
)
_ENDING = ".,;:!?…'’”\"»*_"


@dataclass(frozen=True, slots=True)
class Email:
    """An address in lower case."""

    address: str

    def bears_out(self, claimed: Email) -> bool:
        """The same address."""
        return self.address == claimed.address


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number's digits, without a country's 1."""

    digits: str

    def bears_out(self, claimed: Phone) -> bool:
        """The same number; one of seven digits is the end of a longer one."""
        short, long = sorted((self.digits, claimed.digits), key=len)
        return long.endswith(short) and len(short) >= 7


@dataclass(frozen=True, slots=True)
class Url:
    """A web address as `normal_url` makes it; `bare`: it was written without "http://" or "www."."""

    address: str
    bare: bool = False

    def bears_out(self, claimed: Url) -> bool:
        """The same address."""
        return self.address == claimed.address


def emails(text: str) -> Iterator[Span[Email]]:
    """Every e-mail address."""
    for match in _EMAIL.finditer(text):
        address = match.group().rstrip(".-")
        yield Span(Email(address.lower()), match.start(), match.start() + len(address))


def urls(text: str) -> Iterator[Span[Url]]:
    """Every web address, also without a scheme ("visit.example.edu/tours") or spelt ("evil dot com")."""
    for match in _SPELT.finditer(text):
        address = re.sub(_DOT, ".", match.group(), flags=re.IGNORECASE)
        yield Span(Url(normal_url(address), True), match.start(), match.end())
    for match in _URL.finditer(text):
        address = match.group().rstrip(_ENDING)
        if match["full"] or not _NO_HOST.search(match["host"]):
            yield Span(
                Url(normal_url(address), not match["full"]), match.start(), match.start() + len(address)
            )


def phones(text: str) -> Iterator[Span[Phone]]:
    """Every telephone number of seven digits or more."""
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) == 11 and digits[0] == "1":
            digits = digits[1:]
        yield Span(Phone(digits), match.start(), match.end())


def normal_url(url: str) -> str:
    """Host and path, for comparing: without scheme, "www.", default port, fragment and last slash."""
    parts = urlsplit(url if "://" in url else f"//{url}")
    host = parts.netloc.lower().rpartition("@")[2].removeprefix("www.")
    host = host.removesuffix(":80").removesuffix(":443")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{unquote(parts.path).rstrip('/')}{query}"
