"""What the crawler reads in an HTML page: its links, and what it says about being indexed and followed."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from lxml import etree, html

from server.ingest.crawl.urls import normalise, text_key
from server.ingest.extract.charset import has_excess, known_charset, without_crowds_in_bytes, without_excess

MAX_LINKS = 20_000  # looked at in one page, in its order, each as often as it is there
_NOFRAMES = re.compile(r"</?noframes\b[^<>]*>", re.IGNORECASE)
_MARKUP = "<a b='c'>"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSEEN = frozenset(("script", "style", "noscript", "template"))
_REFRESH = re.compile(r"^\s*[\d.]+\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Links are normalised, in page order, each once; `unfollowed` are those marked `rel=nofollow`.

    `cut` is why not all of the page was read, a word of `records.CUT`.
    """

    links: tuple[str, ...] = ()
    unfollowed: tuple[str, ...] = ()
    canonical: str | None = None
    robots: frozenset[str] = frozenset()
    text_key: str = ""
    text_hash: str = ""
    cut: str | None = None


def read_facts(body: bytes, url: str, charset: str | None = None, agent: str = "") -> PageFacts:
    """The facts of one page; `charset` is the header's, `agent` the crawler's name in a robots `<meta>`."""
    own = "utf-16" if body.startswith(_UTF_16) else known_charset(charset)
    tree = _parse(body, own)
    if tree is None:
        return PageFacts()
    base = _base_of(tree, url)
    encoding = _encoding_of_links(tree, own)
    found: dict[str, bool] = {}
    hrefs = chain(_hrefs(tree), _hrefs_without_frames(tree))
    for href, followed in islice(hrefs, MAX_LINKS):
        link = normalise(href, base, encoding)
        if link is not None:
            found[link] = found.get(link, False) or followed
    text = " ".join(" ".join(_texts(tree)).split())
    return PageFacts(
        tuple(link for link, followed in found.items() if followed),
        tuple(link for link, followed in found.items() if not followed),
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
