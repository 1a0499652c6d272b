"""A question's scope as Typesense's `filter_by`: the pages that `search/filters.py` lets DuckDB bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from server.records import Scope
from server.search.snapshot import Snapshot
from server.search.typesense.schema import day_number, key

_LAST_DAY = 99_999_999
_NONE = "-1"  # no page, and no day, has this number


def filter_by(scope: Scope | None, snapshot: Snapshot) -> str:
    """The filter of a search; empty when the scope limits nothing.

    It names numbers alone (`schema.key`), so nothing that stands in a scope can break it or reach beyond it.
    """
    if scope is None:
        return ""
    found = [
        _any_of(_topic_keys(scope.topics)) if scope.topics is not None else "",
        _any_of(key("host", site) for site in scope.sites) if scope.sites else "",
        f"page:=[{_ranges(_pages_below(scope.prefix, snapshot))}]" if scope.prefix else "",
        _any_of([key("lang", None), key("lang", scope.lang)]) if scope.lang else "",
        _days(scope.since, scope.until) if scope.since or scope.until else "",
        "archived:=false" if not scope.archived else "",
    ]
    return " && ".join(condition for condition in found if condition)


def _any_of(keys: Iterable[int]) -> str:
    return f"keys:=[{','.join(str(number) for number in keys)}]"


def _topic_keys(topics: Mapping[str, Sequence[str]]) -> list[int]:
    """A page without a topic may be about anything; one without a sub-topic, about any of its topic's."""
    keys = [key("topic", None)]
    for topic, subtopics in topics.items():
        if subtopics:
            keys += [key("path", topic), *(key("path", f"{topic}/{subtopic}") for subtopic in subtopics)]
        else:
            keys.append(key("topic", topic))
    return keys


def _days(since: str | None, until: str | None) -> str:
    """Both days included; a page without a day has the number 0, and is outside."""
    first = max(1, day_number(since)) if since else 1
    last = day_number(until) if until else _LAST_DAY
    return f"day:=[{f'{first}..{last}' if first <= last else _NONE}]"


def _pages_below(prefix: str, snapshot: Snapshot) -> list[int]:
    """The pages whose URL begins so. Typesense's own prefixes are those of words."""
    sql = "SELECT page_id FROM pages WHERE starts_with(url, ?) ORDER BY page_id"
    return [page for (page,) in snapshot.rows(sql, [prefix])]


def _ranges(pages: Sequence[int]) -> str:
    """`[0, 1, 2, 7]` → `0..2,7`: pages that were crawled one after another are often alike."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    return ",".join(str(a) if a == b else f"{a}..{b}" for a, b in runs) or _NONE
