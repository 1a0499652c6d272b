"""How near each page is to the front door, which says how much of everybody's it is (Craswell et al. 2005,
"Relevance Weighting for Query Independent Evidence", SIGIR, where it is the fewest clicks).

It is told by how many pages are nearer: two clicks are few where sixty pages are one click away, and many
where five are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate
from urllib.parse import urlsplit

from server.ingest.anchors import end_of, place_of
from server.models import Document
from server.models.sites import least_of_large

MAX_LINKS = 2_000_000  # of all pages together; about 16 MB


class ClickDistances:
    """Remembers where the links of every page lead; beyond `MAX_LINKS` of them no further page's."""

    def __init__(self) -> None:
        self._leads_to: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, str] = {}  # each place once, however many links lead there
        self._links = 0

    def add(self, document: Document) -> None:
        """The links of one more page, whether it is kept itself or not."""
        if self._links >= MAX_LINKS:
            return
        places = {
            self._places.setdefault(place, place) for place in (place_of(url) for url, _ in document.links)
        }
        self._leads_to[place_of(document.url)] = tuple(places)
        self._links += len(places)

    def of_pages(self, urls: Collection[str], same: Mapping[str, str]) -> dict[str, int]:
        """How many of these pages are fewer clicks from a front door than each of those that links lead to.

        `same` are addresses that lead to another: redirects, second addresses, copies left out.
        """
        kept = {place_of(url) for url in urls}
        leads = {place_of(url): place_of(target) for url, target in same.items()}
        known = kept | self._leads_to.keys()
        clicks = dict.fromkeys((place for place in _doors(urls) if place in known), 0)
        reached: Iterable[str] = list(clicks)
        while reached:
            further: dict[str, None] = {}
            for place in reached:
                for target in self._leads_to.get(place, ()):
                    end = end_of(target, leads, known)
                    if end in known and end not in clicks:
                        clicks[end] = clicks[place] + 1
                        further[end] = None
            reached = further
        of_page = {url: clicks[place] for url in urls if (place := place_of(url)) in clicks}
        at = Counter(of_page.values())
        nearer = dict(zip(sorted(at), accumulate((at[one] for one in sorted(at)), initial=0), strict=False))
        return {url: nearer[own] for url, own in of_page.items()}


def _doors(urls: Iterable[str]) -> list[str]:
    """The home pages of the large hosts: of these each has a front door of its own."""
    pages = Counter(urlsplit(url).netloc for url in urls)
    least = least_of_large(pages)
    return sorted({place_of(f"https://{host}/") for host, count in pages.items() if count >= least})
