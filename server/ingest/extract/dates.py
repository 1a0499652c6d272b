"""When a page was published and last changed, as far as the page itself says so."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from lxml import etree

from server.ingest.crawl.nouns import http_date

_PUBLISHED_NAMES = (
    *("article:published_time", "datepublished", "dcterms.created", "dcterms.issued", "dc.date.created"),
    *("dc.date.issued", "pubdate", "publish-date", "date", "dc.date"),
)
_MODIFIED_NAMES = (
    *("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "dc.date.modified"),
    *("last-modified", "last_modified", "revised"),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = (
    r"(?P<month>[A-Z][a-z]{2,8})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"
    r"|(?P<day2>\d{1,2})(?:st|nd|rd|th)?[ -](?P<month2>[A-Z][a-z]{2,8})\.?,?[ -](?P<year2>\d{4})"
    r"|(?P<iso>\d{4}-\d{2}-\d{2})"
    r"|(?P<us_month>\d{1,2})/(?P<us_day>\d{1,2})/(?P<us_year>\d{4})"
)
_WRITTEN = re.compile(_DATE)
_LAST_UPDATED = re.compile(
    r"(?i:last (?:updated|modified|reviewed|revised|changed)|updated on|revised)(?: on)?[:\s]{0,4}"
    r"(?:[A-Z][a-z]+day,? )?(?:" + _DATE + ")"
)


@dataclass(frozen=True, slots=True)
class PageDates:
    """ISO 8601 days or times; None where nothing is known."""

    published: str | None
    modified: str | None


def page_dates(root: etree._Element) -> PageDates:
    """What JSON-LD, meta elements, `<time>` and "Last updated" lines say, in this order."""
    linked = list(linked_data(root))
    meta = _meta(root)
    published = _first(linked, "datePublished", "dateCreated") or _first_of(meta, _PUBLISHED_NAMES)
    modified = _first(linked, "dateModified") or _first_of(meta, _MODIFIED_NAMES)
    return PageDates(
        published or _time_element(root, "published"),
        modified or _time_element(root, "updated") or _last_updated_line(root),
    )


def iso(text: str | None) -> str | None:
    """A date in any of the usual spellings as ISO 8601; None for what is none, or lies before the Web."""
    for read in (_read_iso, _read_http, _read_written):
        found = read((text or "").strip()[:60])
        if found:
            year = int(found[:4])
            return found if 1990 <= year <= 2100 else None
    return None


def _read_iso(text: str) -> str | None:
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        return datetime.fromisoformat(text).isoformat() if len(text) > 10 else None
    except ValueError:
        return None


def _read_http(text: str) -> str | None:
    moment = http_date(text)
    return moment.isoformat() if moment else None


def _read_written(text: str) -> str | None:
    found = _WRITTEN.search(text)
    return _written_day(found) if found else None


def _written_day(found: re.Match[str]) -> str | None:
    groups = found.groupdict()
    if groups["iso"]:
        return _read_iso(groups["iso"])
    if groups["us_year"]:
        month = int(groups["us_month"])
    else:
        name = (groups["month"] or groups["month2"]).casefold()
        month = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else 0
    day = groups["day"] or groups["day2"] or groups["us_day"]
    year = groups["year"] or groups["year2"] or groups["us_year"]
    try:
        return date(int(year), month, int(day)).isoformat()
    except ValueError:
        return None


def linked_data(root: etree._Element) -> Iterator[dict[str, Any]]:
    """The JSON-LD objects of a page, those within a `@graph` too; broken JSON is passed over."""
    for script in root.iter("script"):
        if script.get("type", "").strip().casefold() != "application/ld+json":
            continue
        try:
            found = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        for item in found if isinstance(found, list) else [found]:
            if isinstance(item, dict):
                graph = item.get("@graph")
                inner = graph if isinstance(graph, list) else []
                yield from (part for part in (item, *inner) if isinstance(part, dict))


def _first(objects: list[dict[str, Any]], *keys: str) -> str | None:
    values = (item.get(key) for key in keys for item in objects)
    return next((found for value in values if isinstance(value, str) and (found := iso(value))), None)


def _meta(root: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        found.setdefault(name.casefold(), element.get("content", ""))
    return found


def _first_of(meta: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := iso(meta.get(name)))), None)


def _time_element(root: etree._Element, kind: str) -> str | None:
    """The first `<time>` that names itself so; a page has others, of its events."""
    for element in root.iter("time"):
        named = f"{element.get('class', '')} {element.get('itemprop', '')}".casefold()
        if kind in named or (kind == "published" and "datepublished" in named):
            return iso(element.get("datetime") or element.text)
    return None


def _last_updated_line(root: etree._Element) -> str | None:
    body = next(root.iter("body"), root)
    text = " ".join(" ".join(map(str, body.itertext())).split())
    found = _LAST_UPDATED.search(text)
    return iso(_written_day(found)) if found else None
