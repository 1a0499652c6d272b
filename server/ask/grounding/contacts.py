"""E-mail addresses, web addresses and telephone numbers, whatever their case and punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from server.ask.grounding.spans import Found

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


def emails(text: str) -> Iterator[Found[Email]]:
    """Every e-mail address."""
    for match in _EMAIL.finditer(text):
        address = match.group().rstrip(".-")
        yield Found(Email(address.lower()), match.start(), match.start() + len(address))


def urls(text: str) -> Iterator[Found[Url]]:
    """Every web address, also without a scheme ("visit.example.edu/tours") or spelt ("evil dot com")."""
    for match in _SPELT.finditer(text):
        address = re.sub(_DOT, ".", match.group(), flags=re.IGNORECASE)
        yield Found(Url(normal_url(address), True), match.start(), match.end())
    for match in _URL.finditer(text):
        address = match.group().rstrip(_ENDING)
        if match["full"] or not _NO_HOST.search(match["host"]):
            yield Found(
                Url(normal_url(address), not match["full"]), match.start(), match.start() + len(address)
            )


def phones(text: str) -> Iterator[Found[Phone]]:
    """Every telephone number of seven digits or more."""
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) == 11 and digits[0] == "1":
            digits = digits[1:]
        yield Found(Phone(digits), match.start(), match.end())


def normal_url(url: str) -> str:
    """Host and path, for comparing: without scheme, "www.", default port, fragment and last slash."""
    parts = urlsplit(url if "://" in url else f"//{url}")
    host = parts.netloc.lower().rpartition("@")[2].removeprefix("www.")
    host = host.removesuffix(":80").removesuffix(":443")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{unquote(parts.path).rstrip('/')}{query}"
