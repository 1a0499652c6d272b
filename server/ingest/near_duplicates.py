"""Pages that say nearly the same: found by MinHash, and then compared in earnest."""

import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

import numpy as np
from datasketch import MinHash, MinHashLSH  # type: ignore[import-untyped]  # it ships no types
from numpy.typing import NDArray

from server.ingest.crawl.urls import site_of

_WORDS = re.compile(r"\w+")
_NUMBERS = re.compile(
    r"\d+|\b(?:once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|no|not|never)\b"
)
_NAMES = re.compile(r"\b[A-Z][\w'’-]*")
_SHINGLE_WORDS = 5
_PERMUTATIONS = 64
_CONTAINED = 0.9  # of the runs of words
_LEAST_SHINGLES = 40  # a shorter text may be a template's with a word or two of its own
_MOST_OF_A_TITLE = 20


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a page's text is compared by, and the kept page that says nearly the same, if there is one."""

    shingles: NDArray[np.uint32]  # hashes of the text's runs of five words, sorted, each once
    numbers: Counter[str]
    names: frozenset[str]
    minhash: MinHash
    title: str = ""
    url: str | None = None


class NearDuplicates:
    """The pages kept so far. Hashing is seeded: the same pages in the same order always fare the same."""

    def __init__(self, jaccard: float) -> None:
        self._jaccard = jaccard
        self._pages: dict[str, Likeness] = {}
        self._titled: defaultdict[str, list[str]] = defaultdict(list)  # title → URLs
        # It only proposes pairs, so it may be laxer: datasketch cannot be built for 0.97 and more.
        self._near = MinHashLSH(threshold=min(max(jaccard, 0.1), 0.95), num_perm=_PERMUTATIONS)

    def like(self, text: str, title: str = "", url: str = "") -> Likeness:
        """A text's likeness, held against the pages kept; closer against those of its title elsewhere."""
        shingles = _shingles(text)
        minhash = MinHash(num_perm=_PERMUTATIONS, seed=1, hashfunc=int)
        minhash.update_batch(shingles.tolist())
        numbers = Counter(_NUMBERS.findall(text.casefold()))
        page = Likeness(shingles, numbers, _names(text), minhash, " ".join(title.casefold().split()))
        near = sorted(url for url in self._near.query(minhash) if self._same(page, self._pages[url]))
        if not near and page.title:
            others = (one for one in self._titled[page.title] if site_of(one) != site_of(url))
            near = [one for one in others if _within(page, self._pages[one])]
        return replace(page, url=near[0]) if near else page

    def keep(self, url: str, likeness: Likeness) -> None:
        """Remember a page."""
        if url not in self._pages:
            self._pages[url] = likeness
            self._near.insert(url, likeness.minhash)
            if likeness.title and len(self._titled[likeness.title]) < _MOST_OF_A_TITLE:
                self._titled[likeness.title].append(url)

    def _same(self, one: Likeness, other: Likeness) -> bool:
        """Whether nearly all words agree, and every number, and no names stand in place of others.

        Two years' calendars, or two people's pages from one template, share nearly all of their words too.
        """
        if one.numbers != other.numbers or (one.names - other.names and other.names - one.names):
            return False
        shared = len(np.intersect1d(one.shingles, other.shingles, assume_unique=True))
        return shared >= self._jaccard * (len(one.shingles) + len(other.shingles) - shared)


def _within(one: Likeness, other: Likeness) -> bool:
    """Whether a page says nothing that another of its title does not say in the same words.

    So it is with a post that two sites of a university carry, each in its own frame.
    """
    if len(one.shingles) < _LEAST_SHINGLES or not one.numbers <= other.numbers:
        return False
    shared = len(np.intersect1d(one.shingles, other.shingles, assume_unique=True))
    return shared >= _CONTAINED * len(one.shingles) and len(one.names - other.names) <= 1


def _shingles(text: str) -> NDArray[np.uint32]:
    words = _WORDS.findall(text.casefold())
    runs = (" ".join(words[i : i + _SHINGLE_WORDS]) for i in range(max(1, len(words) - _SHINGLE_WORDS + 1)))
    return np.unique(np.fromiter((zlib.crc32(run.encode()) for run in runs), dtype=np.uint32))


def _names(text: str) -> frozenset[str]:
    return frozenset(_NAMES.findall(text))
