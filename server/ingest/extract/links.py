"""What a page's markup tells beside its text: where its links lead and what they say, how it is described."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from urllib.parse import urlsplit

from lxml import etree

from server.ingest.crawl.urls import normalise
from server.ingest.extract.main_content import text_of

MAX_LINKS = 2_000  # looked at in one page
MAX_LINK_CHARS = 120  # a longer text is a whole teaser; its heading, if it has one, is what it calls the page
MAX_DESCRIPTION_CHARS, MAX_KEYWORDS_CHARS = 400, 200
_ORNAMENT = " \t\xa0→←↑↓⇒»«›‹><•·|…*–—-+:▶►▸✓"
_DESCRIPTIONS = ("description", "og:description", "dc.description", "dcterms.description")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def links_of(root: etree._Element, url: str) -> tuple[tuple[str, str], ...]:
    """The page's links as (normalised URL, text), in its order, each pair once; none to the page itself.

    A link that shows no word says what its image's alternative, its label or its title says.
    """
    own = normalise(url) or ""
    named = (normalise(href, url) for tag in root.iter("base") if (href := tag.get("href")))
    base = next(named, None) or own
    found: dict[tuple[str, str], None] = {}
    for link in islice(root.iter("a", "area"), MAX_LINKS):
        href = (link.get("href") or "").strip()
        if href and not href.startswith(("#", "mailto:", "tel:", "javascript:")) and (text := _text(link)):
            target = _address(href, base)
            if target is not None and target != own:
                found[target, text] = None
    return tuple(found)


def _text(link: etree._Element) -> str:
    shown = text_of(link)
    if len(shown) > MAX_LINK_CHARS:
        shown = next((text_of(heading) for heading in link.iter(*_HEADINGS)), "")
    images = (image.get("alt") or "" for image in link.iter("img"))
    for text in (shown, *images, link.get("aria-label"), link.get("title"), link.get("alt")):
        tidy = " ".join((text or "").split()).strip(_ORNAMENT)
        if any(map(str.isalnum, tidy)) and len(tidy) <= MAX_LINK_CHARS:
            return tidy
    return ""


def _address(href: str, base: str) -> str | None:
    """The normalised address; what a menu repeats on every page is worked out once."""
    if href.startswith("/") and not href.startswith("//"):
        parts = urlsplit(base)
        return _resolved(href, f"{parts.scheme}://{parts.netloc}/")
    if "://" in href:
        return _resolved(href, None)
    return _resolved(href, base if href.startswith("?") else base.partition("?")[0].rpartition("/")[0] + "/")


@lru_cache(maxsize=16_384)
def _resolved(href: str, base: str | None) -> str | None:
    try:
        return normalise(href, base)
    except ValueError:
        return None


def description_of(root: etree._Element, title: str) -> str:
    """What the page's meta elements say of it, its keywords last; empty where they only repeat its title."""
    said: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").casefold()
        said.setdefault(name, " ".join((meta.get("content") or "").split()))
    sentence = next((text for name in _DESCRIPTIONS if (text := said.get(name, ""))), "")
    known = words_of(title)
    parts = (_cut(sentence, MAX_DESCRIPTION_CHARS), _cut(said.get("keywords", ""), MAX_KEYWORDS_CHARS))
    return " · ".join(part for part in parts if part and not words_of(part) <= known)


def site_name_in(root: etree._Element) -> str:
    """What the page's meta elements call its site, or nothing."""
    names = ("og:site_name", "application-name")
    metas = {
        (meta.get("property") or meta.get("name") or ""): meta.get("content") for meta in root.iter("meta")
    }
    return next((" ".join(name.split()) for key in names if (name := metas.get(key))), "")


def words_of(text: str) -> frozenset[str]:
    """A text's words in small letters, without what stands around them."""
    spaced = "".join(char if char.isalnum() else " " for char in text.casefold())
    return frozenset(spaced.split())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0]
