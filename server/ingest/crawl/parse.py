"""What a response means: a page with its links, a redirect, a sitemap, the rules of a robots.txt."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from lxml import etree, html
from protego import Protego

from server.ingest.crawl.feed_links import feed_href, item_links
from server.ingest.crawl.fetch import FetchedResponse
from server.ingest.crawl.nouns import LEADS_TO, NEEDS_BROWSER, PAGE_TYPES, Copy, CrawlOutcome, QueuedUrl
from server.ingest.crawl.store import now_iso
from server.ingest.crawl.urls import normalise, text_key
from server.ingest.documents.read import (
    ATOM,
    DOCUMENTS,
    DOCX,
    FEEDS,
    OFFICE_FILES,
    PDF,
    PPTX,
    RSS,
    XML_TYPES,
    feed_type,
)
from server.ingest.extract.charset import has_excess, known_charset, without_crowds_in_bytes, without_excess
from server.ingest.extract.extract import extract
from server.ingest.extract.scripted import asks_for_browser, needs_browser
from server.models import SourcePage

MAX_LINKS = 20_000  # looked at in one page, in its order, each as often as it is there
_NOFRAMES = re.compile(r"</?noframes\b[^<>]*>", re.IGNORECASE)
_MARKUP = "<a b='c'>"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSEEN = frozenset(("script", "style", "noscript", "template"))
_REFRESH = re.compile(r"^\s*[\d.]+\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """Links are normalised, in page order, each once; `unfollowed` are those marked `rel=nofollow`.

    `feeds` are calendars and feeds that it links to, beside `links`.
    `cut` is why not all of the page was read, a word of `nouns.CUT`; `needs_browser`: scripts write its text.
    """

    links: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    canonical: str | None = None
    robots: frozenset[str] = frozenset()
    text_key: str = ""
    text_hash: str = ""
    cut: str | None = None
    needs_browser: bool = False


def read_facts(body: bytes, url: str, charset: str | None = None, agent: str = "") -> ParsedPage:
    """The facts of one page; `charset` is the header's, `agent` the crawler's name in a robots `<meta>`."""
    own = "utf-16" if body.startswith(_UTF_16) else known_charset(charset)
    tree = _parse(body, own)
    if tree is None:
        return ParsedPage()
    base = _base_of(tree, url)
    encoding = _encoding_of_links(tree, own)
    found: dict[str, bool] = {}
    hrefs = chain(_hrefs(tree), _hrefs_without_frames(tree))
    for href, followed in islice(hrefs, MAX_LINKS):
        link = normalise(href, base, encoding)
        if link is not None:
            found[link] = found.get(link, False) or followed
    feeds = _feeds_of(tree, base, encoding)
    text = " ".join(" ".join(_texts(tree)).split())
    return ParsedPage(
        tuple(link for link, followed in found.items() if followed and link not in feeds),
        tuple(link for link, followed in found.items() if not followed),
        tuple(link for link in feeds if found.get(link, True)),
        _canonical_of(tree, base),
        _robots_of(tree, agent),
        text_key(text),
        hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        "tags" if has_excess(body) else "links" if next(hrefs, None) else None,
    )


def _parse(body: bytes, charset: str | None) -> html.HtmlElement | None:
    """The tree, or None. A comment that never ends would swallow the rest: it is made to end at its `>`."""
    body, charset = _for_lxml(body, charset)
    end = max(body.rfind(b"-->"), body.rfind(b"--!>"), 0)
    body = without_excess(body[:end] + body[end:].replace(b"<!--", b"<!"))
    body = without_crowds_in_bytes(body)
    parser = html.HTMLParser(encoding=charset, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(body, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return None


def _for_lxml(body: bytes, charset: str | None) -> tuple[bytes, str | None]:
    """The body and its charset; in UTF-8 where lxml has none such, or ASCII's characters lie elsewhere."""
    if charset is None or (_is_like_ascii(charset) and _is_known_to_lxml(charset)):
        return body, charset
    return body.decode(charset, "replace").encode("utf-8", "replace"), "utf-8"


def _is_like_ascii(charset: str) -> bool:
    return _MARKUP.encode(charset, "replace") == _MARKUP.encode()


def _is_known_to_lxml(charset: str) -> bool:
    try:
        html.HTMLParser(encoding=charset)
    except LookupError:
        return False
    return True


def _encoding_of_links(tree: html.HtmlElement, charset: str | None) -> str:
    """What a query's letters are sent in: the page's charset, or UTF-8 where that is one such as UTF-16."""
    used = charset or known_charset(tree.getroottree().docinfo.encoding)
    return used if used and _is_like_ascii(used) else "utf-8"


def _base_of(tree: html.HtmlElement, url: str) -> str:
    base = next((tag.get("href") for tag in tree.iter("base") if tag.get("href")), None)
    return (normalise(base, url) if base else None) or url


def _hrefs(tree: html.HtmlElement) -> Iterator[tuple[str, bool]]:
    """Every link of the page and whether it may be followed."""
    for tag in tree.iter("a", "area", "frame", "iframe", "link", "meta"):
        rel = (tag.get("rel") or "").lower().split()
        if tag.tag == "link" and not {"next", "prev", "alternate"}.intersection(rel):
            continue
        if tag.tag == "link" and "alternate" in rel and not tag.get("hreflang"):
            continue
        href = (
            _refresh_of(tag) if tag.tag == "meta" else tag.get("src" if "frame" in str(tag.tag) else "href")
        )
        if href:
            yield href, "nofollow" not in rel


def _feeds_of(tree: html.HtmlElement, base: str, encoding: str) -> dict[str, None]:
    """The calendars and feeds that a page links to."""
    hrefs = (href for tag in islice(tree.iter("a", "link"), MAX_LINKS) if (href := feed_href(tag, base)))
    return {link: None for href in hrefs if (link := normalise(href, base, encoding))}


def _hrefs_without_frames(tree: html.HtmlElement) -> Iterator[tuple[str, bool]]:
    """A frameset's own menu, which the parser leaves as text; read once, whatever is nested in it."""
    menus = " ".join(tag.text or "" for tag in tree.iter("noframes"))
    plain = _NOFRAMES.sub("", menus).encode("utf-8", "replace")
    inner = _parse(plain, "utf-8") if plain.strip() else None
    if inner is not None:
        yield from _hrefs(inner)


def _refresh_of(tag: html.HtmlElement) -> str | None:
    if (tag.get("http-equiv") or "").lower() != "refresh":
        return None
    match = _REFRESH.match(tag.get("content") or "")
    return match and match[1]


def _canonical_of(tree: html.HtmlElement, base: str) -> str | None:
    for tag in tree.iter("link"):
        if "canonical" in (tag.get("rel") or "").lower().split() and tag.get("href"):
            return normalise(tag.get("href", ""), base)
    return None


def _robots_of(tree: html.HtmlElement, agent: str) -> frozenset[str]:
    names = {"robots", agent.lower()}
    wanted = (tag for tag in tree.iter("meta") if (tag.get("name") or "").lower() in names)
    return robots_words(",".join(tag.get("content") or "" for tag in wanted))


def robots_words(text: str, agent: str = "") -> frozenset[str]:
    """`"noindex, follow"` → its words; `none` means both. A part for another agent (`bot: …`) is left out."""
    words: set[str] = set()
    ours = True
    for part in text.lower().split(","):
        name, colon, rest = part.rpartition(":")
        if colon:
            ours = name.strip() in ("", agent.lower())
        if ours:
            words.add(rest.strip())
    return frozenset(words | ({"noindex", "nofollow"} if "none" in words else set()))


def _texts(tree: html.HtmlElement) -> Iterator[str]:
    for tag in tree.iter():
        if tag.text and tag.tag not in _UNSEEN:
            yield tag.text
        if tag.tail:
            yield tag.tail


HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))
RETRY_STATUSES = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A URL's outcome with what it brought; `text_key` is None for what has no text."""

    outcome: CrawlOutcome
    copy: Copy | None = None
    facts: ParsedPage | None = None
    target: str | None = None

    @property
    def text_key(self) -> str | None:
        """What tells this page's text from another's."""
        if self.facts is not None and self.facts.text_key:
            return self.facts.text_key
        return self.copy.body_hash if self.copy else None


def judge(item: QueuedUrl, reply: FetchedResponse, agent: str) -> Verdict:
    """The verdict on any reply but 304, whose page is the copy we hold."""
    status = reply.status
    if 300 <= status < 400:
        return _moved(reply)
    if status in (404, 410) and item.body_hash is not None:
        return Verdict(CrawlOutcome("gone", f"http {status}", "The page has been taken away.", status))
    if not 200 <= status < 300:
        return Verdict(CrawlOutcome("failed", f"http {status}", f"The server answered {status}.", status))
    kind = page_type(reply)
    if kind is None:
        named = reply.content_type or "binary data"
        return Verdict(CrawlOutcome("skipped", "type", f"{named} is not read.", status))
    facts = facts_of(reply, agent)
    copy = _copy(reply, kind, facts)
    known = copy.body_hash == item.body_hash
    outcome = CrawlOutcome("unchanged" if known else "fetched", status=status)
    outcome = outcome.sent(NEEDS_BROWSER if facts.needs_browser else None)
    return Verdict(outcome.cut(facts.cut), copy, facts)


def _moved(reply: FetchedResponse) -> Verdict:
    location = reply.headers.get("location")
    target = normalise(location, reply.url) if location else None
    if target is None:
        return Verdict(CrawlOutcome("failed", "redirect", "A redirect to nowhere.", reply.status))
    return Verdict(CrawlOutcome("redirect", None, f"{LEADS_TO}{target}", reply.status), target=target)


def page_type(reply: FetchedResponse) -> str | None:
    """The media type by header and first bytes, or None when it is not one that we keep."""
    kind, start = reply.content_type, reply.body[:1024]
    if kind and kind not in (*PAGE_TYPES, *XML_TYPES):
        return None
    if (feed := feed_type(start, kind)) or kind in (*FEEDS, *XML_TYPES):
        return feed
    if start.startswith(b"%PDF-"):
        return PDF
    if kind in (DOCX, PPTX) and start.startswith(OFFICE_FILES):
        return kind
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    named = kind or ("text/html" if b"<" in start else "text/plain")
    return None if kind in DOCUMENTS else named


def facts_of(reply: FetchedResponse, agent: str) -> ParsedPage:
    """Links and robots words of a page, those of its `X-Robots-Tag` header among them."""
    told = robots_words(reply.headers.get("x-robots-tag", ""), agent)
    kind = page_type(reply)
    if kind in (RSS, ATOM):
        return ParsedPage(item_links(reply.body, reply.url), robots=told)
    if kind not in HTML_TYPES:
        return ParsedPage(robots=told)
    facts = read_facts(reply.body, reply.url, reply.charset, agent)
    return replace(facts, robots=facts.robots | told, needs_browser=_needs_browser(reply))


def _needs_browser(reply: FetchedResponse) -> bool:
    if not asks_for_browser(reply.body):
        return False
    page = SourcePage(reply.url, reply.body, content_type=reply.headers.get("content-type"))
    return needs_browser(page, extract(page))


def _copy(reply: FetchedResponse, kind: str, facts: ParsedPage) -> Copy:
    digest = hashlib.sha256(reply.body).hexdigest()
    return Copy(
        content_type=kind,
        headers=json.dumps(dict(reply.headers)),
        etag=reply.headers.get("etag"),
        last_modified=reply.headers.get("last-modified"),
        body=reply.body,
        body_hash=digest,
        text_key=facts.text_key or digest,
        canonical=facts.canonical,
        noindex="noindex" in facts.robots,
        fetched_at=now_iso(),
        text_hash=facts.text_hash or digest,
    )


MAX_CRAWL_DELAY_S = 60.0
MAX_SITEMAP_BYTES, MAX_SITEMAP_ENTRIES = 50_000_000, 50_000  # as sitemaps.org has them
_LOST = (OSError, EOFError, etree.LxmlError)


class RobotsRules:
    """What robots.txt asks of us. Without one, or with a garbled one, everything is allowed (RFC 9309)."""

    def __init__(self, body: bytes, agent: str) -> None:
        self._rules = Protego.parse(body.decode("utf-8-sig", "ignore"))
        self._agent = agent
        asked = float(self._rules.crawl_delay(agent) or 0.0)
        # Crawl-delay in seconds, 0 when none is asked for; one longer than a minute counts as a minute.
        self.delay_s = min(asked, MAX_CRAWL_DELAY_S)

    def allows(self, url: str) -> bool:
        """Whether the URL may be fetched."""
        return bool(self._rules.can_fetch(url, self._agent))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps it names, as they are written there."""
        return tuple(self._rules.sitemaps)


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page, or another sitemap, that a sitemap lists; `lastmod` is the site's word, ISO 8601."""

    url: str
    lastmod: str | None
    is_sitemap: bool


def read_sitemap(body: bytes, url: str) -> Iterator[SitemapEntry]:
    """The entries of a sitemap or sitemap index, plain or gzipped; a broken one ends where it breaks.

    So does one with more entries than a sitemap may have: a small file can unpack to millions.
    """
    return islice(_entries(body, url), MAX_SITEMAP_ENTRIES)


def _entries(body: bytes, url: str) -> Iterator[SitemapEntry]:
    try:
        xml = _unpacked(body)
        for _, tag in etree.iterparse(io.BytesIO(xml), events=("end",), recover=True, resolve_entities=False):
            entry = _entry(tag, url)
            if entry is not None:
                yield entry
                tag.clear()
    except _LOST:
        return


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    with gzip.open(io.BytesIO(body)) as file:
        return file.read(MAX_SITEMAP_BYTES)


def _entry(tag: etree._Element, base: str) -> SitemapEntry | None:
    kind = _local_name(tag)
    if kind not in ("url", "sitemap"):
        return None
    texts = {_local_name(child): (child.text or "").strip() for child in tag}
    url = normalise(texts["loc"], base) if texts.get("loc") else None
    return SitemapEntry(url, texts.get("lastmod") or None, kind == "sitemap") if url else None


def _local_name(tag: etree._Element) -> str:
    return tag.tag.rpartition("}")[2] if isinstance(tag.tag, str) else ""
