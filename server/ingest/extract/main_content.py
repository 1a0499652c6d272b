"""A page's own part: what is cut away as unseen or the site's, and the element that holds the rest."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import cast

from lxml import etree

from server.ingest.extract.panels import Panels, is_folded

_NEVER_TEXT = frozenset(
    {"script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "audio"}
    | {"video", "select", "option", "input", "textarea", "nav", "dialog", "map", "head"}
)
_BOILERPLATE_ROLE = re.compile(
    "navigation|banner|contentinfo|search|dialog|alertdialog|menu|menubar|toolbar|doc-toc"
)
_WINDOWS = frozenset({"dialog", "alertdialog"})
_OF_THE_SITE = ("nav", "header", "footer")

# Words of class names and ids. The first are boilerplate wherever they stand, the second where links prevail:
# a dining hall's menu is content, and so is a call-out at the side.
_BOILERPLATE = re.compile(
    r"""(?:^|[\s_-])(?:
        breadcrumbs? | crumbs | cookies? | consent | gdpr | skip-?(?:link|nav|to-content)? | skiplinks?
      | social | socials?-?(?:links|media|icons)? | sharing | share-?(?:bar|buttons?|links)? | sharedaddy
      | (?:site|global)-?(?:header|footer|search|nav) | navbar | navigation | utility-?(?:bar|nav)
      | nav-?links | pagination | pager | page-?tools | print-?(?:link|this) | search-?(?:form|box)
      | back-?to-?top
      | respond | last-?(?:updated|modified) | advert | ads?
    )(?:$|[\s_-])""",
    re.IGNORECASE | re.VERBOSE,
)
# What readers have said below a page is not the site's word, whatever elements hold it.
_COMMENTS = re.compile(
    r"(?:^|[\s_-])(?:comments?-?(?:area|list|form|respond|reply)|commentlist|disqus_thread)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LINKED_BOILERPLATE = re.compile(
    r"""(?:^|[\s_-])(?:
        nav | menu | submenu | dropdown | side-?bar | related | see-?also | (?:more|quick)-?links | links
      | toc | header | footer | masthead | topbar | tags? | tagcloud | categories | (?<!elementor-)widget
      | recent | archives? | meta | secondary
    )(?:$|[\s_-])""",
    re.IGNORECASE | re.VERBOSE,
)
_UNSEEN_STYLE = re.compile(
    r"visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?\s*(?:!|;|$)"
    r"|(?:left|top|right|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_CONTAINER = re.compile(
    r"""(?:^|\s)(?:
        main | content | primary | region-content | main[-_]?(?:content|body|column|text)
      | page[-_]?(?:content|body) | (?:entry|post|body|mid)[-_]?content | article[-_]?(?:content|body)
    )(?:$|\s)""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKED_MAIN = etree.XPath(".//main | .//article | .//*[@role='main'] | .//div[@id or @class]")
_TEXT_LENGTH = etree.XPath("string-length(normalize-space())")
# Where the mail goes and which number to call is what a page says, and so is an address that is spelt out.
_TOLD = re.compile(r"(?:mailto|tel|sms):", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+", re.IGNORECASE)
_MOST_CONTAINERS = 50  # a page that marks more than these marks nothing
_LEAST_SHARE = 0.3  # a container with less of the page's prose than this is not its main one


def text_of(element: etree._Element) -> str:
    """All the text in an element, its white space collapsed."""
    return " ".join("".join(map(str, element.itertext())).split())


def letters_of(text: str) -> str:
    """The letters and digits alone, in small letters: the same for all spellings of one line."""
    return "".join(filter(str.isalnum, text.casefold()))


def prune(body: etree._Element, opened: Panels) -> None:
    """Cut away, in place, what is no text, what is not seen, and what is the site's and not the page's."""
    waiting = [body]
    while waiting:
        parent = waiting.pop()
        kept: etree._Element | None = None
        tails: list[str] = []  # the text after what is cut; joined once, for they may be many
        for child in list(parent):
            if _is_unseen(child, opened) or _is_boilerplate(child, opened):
                tails.append(child.tail or "")
                parent.remove(child)
            else:
                _append(parent, kept, tails)
                kept, tails = child, []
                waiting.append(child)
        _append(parent, kept, tails)


def _append(parent: etree._Element, before: etree._Element | None, tails: list[str]) -> None:
    """Put text into an element, after one of its children or before the first."""
    text = "".join(f" {tail}" for tail in tails)
    if text and before is not None:
        before.tail = (before.tail or "") + text
    elif text:
        parent.text = (parent.text or "") + text


def _is_unseen(element: etree._Element, opened: Panels) -> bool:
    """Whether nobody sees an element; what is only folded up, and has something to unfold it, is seen."""
    if not isinstance(element.tag, str) or (
        element.tag in _NEVER_TEXT and not _is_asked_for(element, opened)
    ):
        return True
    style = element.get("style")
    if style and _UNSEEN_STYLE.search(style):
        return True
    return is_folded(element) and element not in opened


def _is_asked_for(element: etree._Element, opened: Panels) -> bool:
    """Whether it is a window that a button or link of the page's own text opens: a course's description.

    One that comes by itself, or from a page's head or menu (a search, a sign-in), is the site's.
    """
    if element.tag != "dialog" and element.get("role") not in _WINDOWS:
        return False
    return element in opened and next(opened[element].iterancestors(*_OF_THE_SITE), None) is None


def _is_boilerplate(element: etree._Element, opened: Panels) -> bool:
    role = element.get("role")
    if element.tag in ("main", "article", "body") or role == "main":
        return False
    names = f"{element.get('class', '')} {element.get('id', '')}"
    if _COMMENTS.search(names):
        return True
    if (
        (role and _BOILERPLATE_ROLE.fullmatch(role) and not _is_asked_for(element, opened))
        or (element.tag in ("header", "footer") and not _within_content(element) and not holds_title(element))
        or (names != " " and _BOILERPLATE.search(names))
    ):
        return not _holds_main(element)
    if element.tag in ("aside", "footer") or (names != " " and _LINKED_BOILERPLATE.search(names)):
        return link_share(element) > 0.5 and not (_holds_main(element) or _heads_entry(element))
    return False


def _heads_entry(element: etree._Element) -> bool:
    """Whether it is the header of an entry, an article among others: its title may be a link to it."""
    is_header = element.tag == "header" or "header" in element.get("class", "").casefold()
    is_titled = next(element.iter("h1", "h2", "h3", "h4"), None) is not None
    return is_header and is_titled and next(element.iterancestors("article"), None) is not None


def _within_content(element: etree._Element) -> bool:
    return any(
        outer.tag in ("main", "article", "section") or _names_container(outer)
        for outer in element.iterancestors()
    )


def holds_title(element: etree._Element) -> bool:
    """Whether a header is the page's and not the site's: its h1 is no link to the start, and says the title.

    Such a header often stands above the main part, with the page's first sentence.
    """
    if element.tag != "header" or element.get("role") == "banner":
        return False
    heading = next(element.iter("h1"), None)
    if heading is None or next(heading.iter("a"), None) is not None:
        return False
    if next(heading.iterancestors("a"), None) is not None:
        return False
    title = next(element.getroottree().iter("title"), None)
    named = letters_of(text_of(heading))
    return bool(named) and title is not None and named in letters_of(text_of(title))


def _holds_main(element: etree._Element) -> bool:
    """Whether the page's own part lies inside: a wrapper may be named after what else it holds."""
    return any(True for _ in _containers(element))


def link_share(element: etree._Element) -> float:
    """How much of an element's text leads elsewhere, from 0 to 1; one without text counts as all of it."""
    whole = _length(element)
    return min(1.0, _linked_length(element) / whole) if whole else 1.0


def main_container(body: etree._Element) -> etree._Element:
    """The element that holds the page's own text; the body where the page does not mark it."""
    best = max(islice(_containers(body), _MOST_CONTAINERS), key=_prose, default=body)
    return best if _prose(best) >= _prose(body) * _LEAST_SHARE else body


def _containers(element: etree._Element) -> Iterator[etree._Element]:
    """The elements within one that say they hold the page's main part."""
    for inner in _elements(_MARKED_MAIN, element):
        if inner.tag != "div" or inner.get("role") == "main" or _names_container(inner):
            yield inner


def _names_container(element: etree._Element) -> bool:
    return any(_CONTAINER.search(element.get(name, "")) for name in ("id", "class"))


def _prose(element: etree._Element) -> float:
    """Characters of an element's text that are not links."""
    return _length(element) - _linked_length(element)


def _elements(path: etree.XPath, element: etree._Element) -> list[etree._Element]:
    return cast(list[etree._Element], path(element))


def _length(element: etree._Element) -> float:
    return cast(float, _TEXT_LENGTH(element))


def _linked_length(element: etree._Element) -> float:
    return sum(_length(link) for link in element.iter("a") if not _tells(link))


def _tells(link: etree._Element) -> bool:
    """Whether a link is itself what is to be known: a mail address, a telephone, an address spelt out."""
    return bool(_TOLD.match(link.get("href", "").strip()) or _ADDRESS.fullmatch(text_of(link)))
