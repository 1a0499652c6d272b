"""Pages that say nearly the same: found by MinHash, and then compared in earnest."""

import re
import zlib
from collections import Counter
from dataclasses import dataclass

import numpy as np
from datasketch import MinHash, MinHashLSH  # type: ignore[import-untyped]  # it ships no types
from numpy.typing import NDArray

_WORDS = re.compile(r"\w+")
_NUMBERS = re.compile(
    r"\d+|\b(?:once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|no|not|never)\b"
)
_NAMES = re.compile(r"\b[A-Z][\w'’-]*")
_SHINGLE_WORDS = 5
_PERMUTATIONS = 64


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a page's text is compared by, and the kept page that says nearly the same, if there is one."""

    shingles: NDArray[np.uint32]  # hashes of the text's runs of five words, sorted, each once
    numbers: Counter[str]
    names: frozenset[str]
    minhash: MinHash
    url: str | None = None


class NearDuplicates:
    """The pages kept so far. Hashing is seeded: the same pages in the same order always fare the same."""

    def __init__(self, jaccard: float) -> None:
        self._jaccard = jaccard
        self._pages: dict[str, Likeness] = {}
        # It only proposes pairs, so it may be laxer: datasketch cannot be built for 0.97 and more.
        self._near = MinHashLSH(threshold=min(max(jaccard, 0.1), 0.95), num_perm=_PERMUTATIONS)

    def like(self, text: str) -> Likeness:
        """A text's likeness, held against the pages kept."""
        shingles = _shingles(text)
        minhash = MinHash(num_perm=_PERMUTATIONS, seed=1, hashfunc=int)
        minhash.update_batch(shingles.tolist())
        page = Likeness(shingles, Counter(_NUMBERS.findall(text.casefold())), _names(text), minhash)
        near = sorted(url for url in self._near.query(minhash) if self._same(page, self._pages[url]))
        return Likeness(page.shingles, page.numbers, page.names, minhash, near[0]) if near else page

    def keep(self, url: str, likeness: Likeness) -> None:
        """Remember a page."""
        if url not in self._pages:
            self._pages[url] = likeness
            self._near.insert(url, likeness.minhash)

    def _same(self, one: Likeness, other: Likeness) -> bool:
        """Whether nearly all words agree, and every number, and no names stand in place of others.

        Two years' calendars, or two people's pages from one template, share nearly all of their words too.
        """
        if one.numbers != other.numbers or (one.names - other.names and other.names - one.names):
            return False
        shared = len(np.intersect1d(one.shingles, other.shingles, assume_unique=True))
        return shared >= self._jaccard * (len(one.shingles) + len(other.shingles) - shared)


def _shingles(text: str) -> NDArray[np.uint32]:
    words = _WORDS.findall(text.casefold())
    runs = (" ".join(words[i : i + _SHINGLE_WORDS]) for i in range(max(1, len(words) - _SHINGLE_WORDS + 1)))
    return np.unique(np.fromiter((zlib.crc32(run.encode()) for run in runs), dtype=np.uint32))


def _names(text: str) -> frozenset[str]:
    return frozenset(_NAMES.findall(text))
