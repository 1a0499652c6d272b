"""Anchor texts: what the links of all pages say of the page they point to (Brin & Page 1998, section 2.2)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from functools import cache, lru_cache
from urllib.parse import urlsplit

from server.lexicons import lexicon
from server.models import Document

MOST_ANCHORS = 8  # of a page
MANY_PAGES = 25  # a text that points to as many pages tells nothing of any
MAX_PAIRS = 300_000  # of a text and an address; about 90 MB
_MAX_HOPS = 8
_ADDRESS = re.compile(
    r"(?:https?:|www\.)\S+|\S+@\S+|[\w-]{2,}(?:\.[\w-]+)*\.[a-z]{2,5}(?:/\S*)?", re.IGNORECASE
)
_DEFAULT_PAGE = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp|cfm|shtml)$", re.IGNORECASE)


class AnchorTexts:
    """Counts, for every address that is linked to, how many pages say which text of it.

    A page counts once for a text. Addresses that differ in scheme, `www.`, a slash at the end or the name of
    a folder's own page are one. Beyond `MAX_PAIRS` different pairs, only those known already are counted.
    """

    def __init__(self) -> None:
        self._pages_of: Counter[tuple[str, str]] = Counter()

    def add(self, document: Document) -> None:
        """The links of one more page, whether it is kept itself or not."""
        pairs = {(place_of(url), text) for url, text in document.links if not says_nothing(text)}
        if len(self._pages_of) >= MAX_PAIRS:
            pairs &= self._pages_of.keys()
        self._pages_of.update(pairs)

    def of_pages(self, urls: Iterable[str], same: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The texts that point to each of these pages, the most frequent first, in their usual spelling.

        `same` are addresses that lead to another: redirects, second addresses, copies left out.
        """
        kept: dict[str, str] = {}
        for url in urls:
            kept.setdefault(place_of(url), url)
        leads = {place_of(url): place_of(target) for url, target in same.items()}
        said: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for (place, text), pages in self._pages_of.items():
            page = kept.get(end_of(place, leads, kept))
            if page is not None:
                said[page][" ".join(text.casefold().split())][text] += pages
        pointed = Counter(key for texts in said.values() for key in texts)
        return {
            url: ordered
            for url, texts in said.items()
            if (ordered := _ordered(spelt for key, spelt in texts.items() if pointed[key] < MANY_PAGES))
        }


def _ordered(texts: Iterable[Counter[str]]) -> tuple[str, ...]:
    """The texts, each as a count of its spellings, by how many pages say them."""
    by_count = sorted(texts, key=lambda spelt: (-spelt.total(), min(spelt)))
    return tuple(min(spelt, key=lambda text: (-spelt[text], text)) for spelt in by_count[:MOST_ANCHORS])


def end_of(place: str, leads: Mapping[str, str], kept: Container[str]) -> str:
    """Where a place leads that is not kept itself, as far as it is known."""
    for _ in range(_MAX_HOPS):
        if place in kept or place not in leads:
            break
        place = leads[place]
    return place


@lru_cache(maxsize=16_384)
def place_of(url: str) -> str:
    """What addresses of one page have in common."""
    parts = urlsplit(url)
    path = _DEFAULT_PAGE.sub("/", parts.path).rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.removeprefix('www.')}{path}{query}"


@lru_cache(maxsize=16_384)
def says_nothing(text: str) -> bool:
    """Whether a link text tells nothing of where it leads: "click here", "next", an address, a number."""
    plain = text.casefold().strip(" .:…!()[]")
    if sum(map(str.isalpha, plain)) < 2 or _ADDRESS.fullmatch(plain):
        return True
    return _nothing().fullmatch(plain) is not None


@cache
def _nothing() -> re.Pattern[str]:
    return lexicon("pages").pattern("link_says_nothing")
