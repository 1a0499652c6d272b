"""Two snapshots side by side: which pages came in, went out, or read differently now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from server.errors import NotFoundError
from server.index.snapshot import Snapshot

Kind = Literal["in", "out", "changed"]
KINDS: tuple[Kind, ...] = ("in", "out", "changed")

# A page's text as one word: that of all its passages in their order.
_PAGES = """
SELECT url, pages.title, count(*),
    md5(string_agg(md5(concat_ws(chr(31), heading, text)), '' ORDER BY ordinal))
FROM chunks JOIN pages USING (page_id) GROUP BY page_id, url, pages.title ORDER BY url
"""
_PASSAGES = """
SELECT heading, text FROM chunks JOIN pages USING (page_id) WHERE url = ? ORDER BY ordinal
"""


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page that is not the same in both; a title or a count of passages is None where it is not there.

    `title_differs` and `text_differs` say in what. `why`: the reason for which the later snapshot left it
    out, where it noted one.
    """

    url: str
    kind: Kind
    title_before: str | None
    title_after: str | None
    passages_before: int | None
    passages_after: int | None
    title_differs: bool = False
    text_differs: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True)
class SnapshotComparison:
    """All pages that differ, by kind and URL, and how many are the same."""

    before: str
    after: str
    changes: Mapping[Kind, Sequence[PageChange]]
    same: int


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A page's passages, heading and text, that only one of the two has, in the page's order."""

    url: str
    only_before: tuple[tuple[str, str], ...]
    only_after: tuple[tuple[str, str], ...]


def compare(before: Snapshot, after: Snapshot) -> SnapshotComparison:
    """Every page of both, told apart by URL, and judged by its title and the texts of its passages."""
    old, new = _pages(before), _pages(after)
    dropped = {url: f"{reason}: {detail}" for url, reason, detail in after.rows("SELECT * FROM dropped")}
    changes: dict[Kind, list[PageChange]] = {kind: [] for kind in KINDS}
    for url, (title, passages, _) in new.items():
        if url not in old:
            changes["in"].append(PageChange(url, "in", None, title, None, passages))
    for url, (title, passages, text) in old.items():
        if url not in new:
            changes["out"].append(PageChange(url, "out", title, None, passages, None, why=dropped.get(url)))
            continue
        title_now, passages_now, text_now = new[url]
        if (title, text) != (title_now, text_now):
            differs = (title != title_now, text != text_now)
            changes["changed"].append(
                PageChange(url, "changed", title, title_now, passages, passages_now, *differs)
            )
    return SnapshotComparison(
        before.name, after.name, changes, len(old.keys() & new.keys()) - len(changes["changed"])
    )


def compare_page(before: Snapshot, after: Snapshot, url: str) -> ChangedPage:
    """What only one of the two says on a page; `NotFoundError` where neither has it."""
    old, new = before.rows(_PASSAGES, [url]), after.rows(_PASSAGES, [url])
    if not old and not new:
        raise NotFoundError("Neither of the two snapshots has a page of that address.")
    had, has = set(old), set(new)
    return ChangedPage(
        url, tuple(one for one in old if one not in has), tuple(one for one in new if one not in had)
    )


def _pages(snapshot: Snapshot) -> dict[str, tuple[str, int, str]]:
    """Title, count of passages and the text's word of every page, by URL in its order."""
    return {url: (title, passages, text) for url, title, passages, text in snapshot.rows(_PAGES)}
