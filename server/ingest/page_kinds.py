"""What kind of page a page is, and for whom: by its address, structured data, dates, name and layout.

The rules are lists in `corpus/lexicons/page_kinds.toml`. What a page merely mentions counts for nothing.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, get_args
from urllib.parse import unquote, urlsplit

from server.ingest.academic_terms import is_archived
from server.ingest.extract.charset import decode
from server.ingest.extract.main_content import letters_of
from server.lexicons import Lexicon, lexicon
from server.models import Audience, Document, PageKind, SourcePage

# The first kind that any evidence of a sort shows; what shows none is reference.
TOLD: tuple[PageKind, ...] = ("form", "event", "news", "person", "links")
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
LINKS_SHARE, MIN_LINKS = 0.6, 8
MOST_PROSE_CHARS = 500
MIN_FIELDS = 3
OPENING_CHARS = 400
MAX_NAME_CHARS = 300

# A tag's inside is read as far as 2,000 characters, and an element's to the next that begins: a page of
# nothing but openings costs no more than its length.
_IN = r"[^<>]{0,2000}"
_LINKED_DATA = re.compile(
    rf"<script\b{_IN}application/ld\+json{_IN}>([^<]*(?:<(?!/?script\b)[^<]*)*)</script", re.IGNORECASE
)
_ITEM_TYPE = re.compile(r"""\bitemtype\s?=\s?["']https?://schema\.org/(\w+)""", re.IGNORECASE)
_POSTED = re.compile(rf"""<meta\b{_IN}\bproperty\s?=\s?["']article:published_time""", re.IGNORECASE)
_IS_ARTICLE = re.compile(rf"""<meta\b{_IN}["']og:type["']{_IN}content\s?=\s?["']article""", re.IGNORECASE)
_BODY_CLASS = re.compile(rf"""<body\b{_IN}\bclass\s?=\s?["']([^"'<>]*)""", re.IGNORECASE)
_LINK = re.compile(rf"<a\b{_IN}>([^<]*(?:<(?!/?a\b)[^<]*)*)</a", re.IGNORECASE)
_FORM = re.compile(rf"<form\b({_IN})>([^<]*(?:<(?!/?form\b)[^<]*)*)", re.IGNORECASE)
_METHOD = re.compile(r"""\bmethod\s?=\s?["']?post""", re.IGNORECASE)
_FIELD = re.compile(rf"<(?:textarea|select|input)\b{_IN}>", re.IGNORECASE)
_NO_FIELD = re.compile(
    r"""\btype\s?=\s?["']?(?:hidden|submit|button|image|reset|search|radio|checkbox)""", re.IGNORECASE
)
_ASIDE = re.compile(
    r"search|comment|feedback|helpful|newsletter|subscribe|login|sign-?in|mc-|filter|exposed", re.IGNORECASE
)
_CRUMBS = re.compile(
    rf"<(nav|ol|ul|div|p)\b{_IN}breadcrumb{_IN}>"
    r"([^<]*(?:<(?!/\1\b|(?:main|article|section|h1)\b)[^<]*)*)",
    re.IGNORECASE,
)
_INDEX = re.compile(r"/(?:index|home|default|welcome)?(?:\.\w{2,5})?$")
_TAG = re.compile(r"<[^<>]*>")


def with_kind(document: Document, page: SourcePage) -> Document:
    """The document with its kind and audiences."""
    source = ""
    if page.is_html:
        source = decode(page.body, page.content_type) if isinstance(page.body, bytes) else page.body
    path = unquote(urlsplit(document.url).path).lower()
    kind = "archived" if is_archived(document) else _kind(document, source, path)
    return replace(document, kind=kind, audiences=_audiences(document, source, path))


@dataclass(frozen=True, slots=True)
class KindRules:
    """The patterns of one kind; `excluded` are names of pages that only look like it."""

    types: re.Pattern[str]
    classes: re.Pattern[str]
    address: re.Pattern[str]
    title: re.Pattern[str]
    excluded: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class AudienceRules:
    """The patterns of one audience; `excluded` is what only sounds like it."""

    address: re.Pattern[str]
    name: re.Pattern[str]
    excluded: re.Pattern[str]


def _kind(document: Document, source: str, path: str) -> PageKind:
    """By the strongest evidence there is: structured data, then name, address, opening and layout."""
    rules, name = _kind_rules(), _name(document)
    may_be = [kind for kind in TOLD if not rules[kind].excluded.search(name)]
    types, classes = _types(source, document.title), _classes(source)
    parts = _parts(path)
    tests = (
        lambda kind: any(rules[kind].types.fullmatch(one) for one in types),
        lambda kind: any(rules[kind].classes.fullmatch(one) for one in classes),
        lambda kind: rules[kind].title.fullmatch(document.title.strip()),
        lambda kind: rules[kind].address.search(parts),
    )
    for test in tests:
        if found := next((kind for kind in may_be if test(kind)), None):
            return found
    if "news" in may_be and _is_dated(document, source, path, classes):
        return "news"
    if "event" in may_be and _is_announced(document):
        return "event"
    if "form" in may_be and _fields(source) >= MIN_FIELDS:
        return "form"
    return "links" if _is_list_of_links(document, source) else "reference"


def _types(source: str, title: str) -> set[str]:
    """The schema.org types of what the page is about; one with another name than the page's is not."""
    found = set(_ITEM_TYPE.findall(source)) - {"Person", "Event"} if "itemtype" in source else set()
    for item in _linked_data(source):
        named = item.get("name") or item.get("headline")
        if (
            isinstance(named, str)
            and letters_of(named) not in letters_of(title)
            and letters_of(title) not in letters_of(named)
        ):
            continue
        types = item.get("@type")
        found |= {one for one in (types if isinstance(types, list) else [types]) if isinstance(one, str)}
    if "WebPage" in found or "Article" in found:
        found.discard("Person")  # who wrote it
    return found


def _classes(source: str) -> list[str]:
    found = _BODY_CLASS.search(source)
    return found[1].lower().split() if found else []


def _parts(path: str) -> str:
    """`/users/kay/kay.html` and `/users/kay/index.html` are `users/kay`."""
    *above, last = _INDEX.sub("", path).strip("/").split("/")
    bare = last.partition(".")[0]
    return "/".join([*above, *([bare] if above[-1:] != [bare] else [])])


def _linked_data(source: str) -> Iterator[dict[str, Any]]:
    """The JSON-LD objects of a page and of its `@graph`; broken JSON is passed over."""
    for script in _LINKED_DATA.findall(source):
        try:
            found = json.loads(script)
        except (ValueError, RecursionError):
            continue
        for item in found if isinstance(found, list) else [found]:
            if isinstance(item, dict):
                graph = item.get("@graph")
                yield from (
                    one
                    for one in (item, *(graph if isinstance(graph, list) else ()))
                    if isinstance(one, dict)
                )


def _is_dated(document: Document, source: str, path: str, classes: Sequence[str]) -> bool:
    """Whether it says when it was posted: in its address, its meta elements or its first words."""
    dated = _dated_rules()
    if dated["upload"].search(path):
        return False
    stays = any(dated["stays"].fullmatch(one) for one in classes)
    posted = not stays and _POSTED.search(source) and _IS_ARTICLE.search(source)
    return bool(dated["address"].search(path) or posted or dated["byline"].match(_opening(document)))


def _is_announced(document: Document) -> bool:
    """Whether its first lines name a day and, beside each other, a time and a place, as an event's do."""
    dated, opening = _dated_rules(), _opening(document)
    return all(dated[name].search(opening) for name in ("when", "where", "day"))


def _opening(document: Document) -> str:
    lines = (
        line
        for section in document.sections[:2]
        for block in section.blocks[:6]
        for line in block.text.split("\n")
    )
    return "\n".join(lines)[:OPENING_CHARS]


def _fields(source: str) -> int:
    """How many fields there are to fill in, in the page's largest form that is its own."""
    forms = _FORM.findall(source) if "<form" in source or "<FORM" in source else []
    own = (body for head, body in forms if _METHOD.search(head) and not _ASIDE.search(head))
    return max((sum(not _NO_FIELD.search(one) for one in _FIELD.findall(body)) for body in own), default=0)


def _is_list_of_links(document: Document, source: str) -> bool:
    """Whether most of its text is that of links."""
    lines = [line.strip(" •|·-\t") for line in document.text.split("\n")]
    if len(lines) < MIN_LINKS:
        return False
    links = {_plain(text) for text in _LINK.findall(source)}
    linked = [line for line in lines if line in links]
    of_links, of_all = sum(map(len, linked)), sum(map(len, lines))
    return (
        len(linked) >= MIN_LINKS
        and of_links >= LINKS_SHARE * of_all
        and of_all - of_links <= MOST_PROSE_CHARS
    )


def _audiences(document: Document, source: str, path: str) -> tuple[Audience, ...]:
    """Those that its name shows, or its address, or the way to it."""
    name, crumbs, parts = _name(document), _crumbs(source), _parts(path)
    return tuple(
        audience
        for audience, rules in _audience_rules().items()
        if rules.name.search(rules.excluded.sub(" ", name))
        or (not rules.excluded.search(name) and (rules.address.search(parts) or rules.name.search(crumbs)))
    )


def _name(document: Document) -> str:
    """Its title, and the heading above all its text if that is another."""
    paths = {
        section.heading_path[0][:MAX_NAME_CHARS] for section in document.sections if section.heading_path
    }
    return "\n".join((document.title, *(paths if len(paths) == 1 else ())))


def _crumbs(source: str) -> str:
    """The page's way from the home page, as it shows it."""
    found = _CRUMBS.search(source) if "breadcrumb" in source else None
    return _plain(found[2]) if found else ""


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())


@cache
def _kind_rules() -> dict[PageKind, KindRules]:
    rules = lexicon("page_kinds")
    types, classes, address, title, excluded = (
        rules.part(name) for name in ("types", "classes", "address", "title", "not")
    )
    return {
        kind: KindRules(
            _any(types, kind),
            _any(classes, kind),
            address.pattern(kind, "(?:^|/)(?:{})(?:/|$)"),
            title.pattern(kind),
            _any(excluded, kind),
        )
        for kind in TOLD
    }


@cache
def _audience_rules() -> dict[Audience, AudienceRules]:
    rules = lexicon("page_kinds").part("audience")
    return {
        audience: AudienceRules(
            rules.part(audience).pattern("address", "(?:^|/)(?:{})(?:/|$)"),
            rules.part(audience).pattern("name", r"\b(?:{})(?!\w)"),
            _any(rules.part(audience), "not"),
        )
        for audience in AUDIENCES
    }


@cache
def _dated_rules() -> dict[str, re.Pattern[str]]:
    rules = lexicon("page_kinds").part("dated")
    label = r"(?m:^)(?:{})\s*(?::|\|)"
    return {
        "address": rules.pattern("address"),
        "upload": rules.pattern("upload"),
        "day": rules.pattern("day"),
        "stays": lexicon("page_kinds").part("classes").pattern("stays"),
        "byline": rules.pattern("byline", r"\W*(?:.{0,200}\n)?(?:{})"),
        "when": rules.pattern("when", label),
        "where": rules.pattern("where", label),
    }


def _any(rules: Lexicon, name: str) -> re.Pattern[str]:
    """Any of a list, or nothing of an empty one."""
    return rules.pattern(name) if rules.get(name) else re.compile(r"(?!)")
