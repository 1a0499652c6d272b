"""An RSS or Atom feed as its items: title, address, day and summary, as JSON that `feeds.py` reads."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from lxml import etree
from lxml import html as lxml_html

from server.ingest.documents.failures import UnreadableDocumentError

MOST_ITEMS = 200
LONGEST_TITLE, LONGEST_SUMMARY = 300, 2_000
_COMMENTS = re.compile(r"comments (?:on|for)\b", re.IGNORECASE)
_TITLE, _ADDRESS = ("title",), ("link", "guid", "id")
_DAYS = ("published", "pubDate", "date", "issued", "updated")
_SUMMARIES = ("summary", "description", "encoded", "content")


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One item, "" for what it does not say. `day` is ISO 8601; `link` is as it is written."""

    title: str
    link: str
    day: str
    summary: str


def feed_root(body: bytes) -> etree._Element | None:
    """The tree of a feed as far as it goes; None where it is none. Nothing outside of it is read."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    try:
        return etree.fromstring(body, parser)
    except (etree.LxmlError, ValueError):
        return None


def feed_as_json(body: bytes) -> str:
    """`{"title": …, "items": […]}`; a feed that breaks off has the items before."""
    root = feed_root(body)
    if root is None:
        raise UnreadableDocumentError("damaged")
    channel = next(root.iter("{*}channel"), root)
    title = _plain(_said(channel, _TITLE), LONGEST_TITLE)
    if _COMMENTS.match(title):
        raise UnreadableDocumentError("comments")
    items = [_item(one) for one in islice(root.iter("{*}item", "{*}entry"), MOST_ITEMS)]
    kept = [asdict(one) for one in items if one.title]
    if not kept:
        raise UnreadableDocumentError("empty_feed")
    return json.dumps({"title": title, "items": kept})


def _item(entry: etree._Element) -> FeedItem:
    stamp = next(filter(None, (_day(_said(entry, (name,))) for name in _DAYS)), "")
    summary = next(filter(None, (_plain(_said(entry, (name,)), LONGEST_SUMMARY) for name in _SUMMARIES)), "")
    return FeedItem(_plain(_said(entry, _TITLE), LONGEST_TITLE), _link(entry), stamp, summary)


def _link(entry: etree._Element) -> str:
    for child in entry.iterchildren("{*}link"):
        if child.get("rel", "alternate") == "alternate" and (address := child.get("href") or child.text):
            return str(address).strip()
    named = _said(entry, _ADDRESS)
    return named if named.startswith(("http://", "https://")) else ""


def _said(parent: etree._Element, names: tuple[str, ...]) -> str:
    """The text of the first of its children with one of these names, whatever their namespace."""
    for name in names:
        for child in parent.iterchildren(f"{{*}}{name}"):
            if text := "".join(map(str, child.itertext())).strip():
                return text
    return ""


def _plain(text: str, most: int) -> str:
    """Without markup, on one line; no longer than `most`, up to a word's end."""
    if "<" in text or "&" in text:
        try:
            text = " ".join(map(str, lxml_html.document_fromstring(text).itertext()))
        except (etree.LxmlError, ValueError):
            return ""
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] + "…"


def _day(text: str) -> str:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text).date().isoformat()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return ""
