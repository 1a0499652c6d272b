"""The folded parts of a page: accordions, tabs and toggles, and what a visitor presses to open them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import cast

from lxml import etree

Panels = dict[etree._Element, etree._Element]
_Pairs = Iterator[tuple[etree._Element, etree._Element]]
_Ids = dict[str, etree._Element]

_OPENERS = etree.XPath(
    "//*[@aria-controls or @aria-expanded or @data-target or @data-bs-target"
    " or @data-toggle or @data-bs-toggle or @commandfor or @popovertarget or @role='tab']"
)
# By which attribute an opener names what it opens.
_NAMES = ("aria-controls", "data-target", "data-bs-target", "commandfor", "popovertarget")
_WITH_ID = etree.XPath("//*[@id]")
_LABELLED = etree.XPath("//*[@role='tabpanel' or @role='region'][@aria-labelledby]")
_TO_PLACES = etree.XPath("//a[starts-with(@href, '#')]")
_TOGGLES = etree.XPath("//label[@for][not(ancestor::form) and not(ancestor::fieldset)]")
_QUESTIONS = etree.XPath("//*[contains(@itemtype, 'schema.org/Question')]")
_FOLDED = etree.XPath("//*[@hidden or contains(@style, 'display')]")

_PANEL_TAGS = frozenset({"div", "section", "article", "ul", "ol", "dl", "dd", "p", "table"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_OPENS = re.compile(
    r"(?:^|[\s_-])(?:accordions?|toggles?|faqs?|questions?|expand\w*|collaps\w*|trigger|spoiler|tabs?)(?:$|[\s_-])",
    re.IGNORECASE,
)
_TAB_LIST = re.compile(r"(?:^|[\s_-])tabs?(?:$|[\s_-])", re.IGNORECASE)
_FOLDED_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_MOST_OPENER_CHARS = 200
_LEAST_TABS = 2


def panels(root: etree._Element) -> Panels:
    """The parts of a page that a button, a tab or a toggle opens, each with what opens it."""
    ids: _Ids = {element.get("id", ""): element for element in _elements(_WITH_ID, root)}
    found: Panels = {}
    for pairs in (_controlled, _labelled, _toggled, _linked, _questions):
        for panel, opener in pairs(root, ids):
            if panel is not opener and not _holds(panel, opener):
                found.setdefault(panel, opener)
    for panel, opener in _below_a_title(root):
        found.setdefault(panel, opener)
    return found


def is_folded(element: etree._Element) -> bool:
    """Whether an element is shown only once something has opened it."""
    style = element.get("style")
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(style and _FOLDED_STYLE.search(style))
    )


def _controlled(root: etree._Element, ids: _Ids) -> _Pairs:
    """What an opener names, or what stands right below one that says it expands."""
    for opener in _elements(_OPENERS, root):
        target = _target(opener)
        panel = ids.get(target) if target else None
        if panel is None and opener.get("aria-expanded") is not None:
            panel = _next_panel(opener)
        if panel is not None:
            yield panel, opener


def _target(opener: etree._Element) -> str:
    """The id of what an element opens, as far as it names it."""
    named = next(filter(None, map(opener.get, _NAMES)), None)
    return (named or opener.get("href") or "").strip().lstrip("#")


def _next_panel(opener: etree._Element) -> etree._Element | None:
    """The element after a button, or after the heading around it."""
    place: etree._Element | None = opener
    for _ in range(3):
        if place is None or place.tag in ("body", "main", "li"):
            return None
        following = place.getnext()
        if following is not None:
            return following if following.tag in _PANEL_TAGS - {"table", "ol", "article"} else None
        place = place.getparent()
    return None


def _labelled(root: etree._Element, ids: _Ids) -> _Pairs:
    """Panels that name their tab, where the tab does not name them."""
    for panel in _elements(_LABELLED, root):
        opener = ids.get(panel.get("aria-labelledby", "").split(" ")[0])
        if opener is not None:
            yield panel, opener


def _toggled(root: etree._Element, ids: _Ids) -> _Pairs:
    """Panels that a style sheet shows when the radio button or box before them is checked."""
    groups: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for label in _elements(_TOGGLES, root):
        toggle = ids.get(label.get("for", ""))
        if toggle is not None and toggle.get("type") in ("radio", "checkbox"):
            following = label.getnext()
            if following is not None and following.tag in _PANEL_TAGS:
                yield following, label
            else:
                groups[toggle.get("name") or ""].append(label)
    for labels in groups.values():
        yield from zip(_as_many_below(labels[-1], len(labels)), labels, strict=False)


def _as_many_below(label: etree._Element, count: int) -> list[etree._Element]:
    """The panels of `count` tabs, below the last of them; none where their number is another."""
    place: etree._Element | None = label
    for _ in range(2):
        if place is None or count < _LEAST_TABS:
            break
        below = [element for element in place.itersiblings() if element.tag in _PANEL_TAGS]
        inner = [element for element in below[0] if element.tag in _PANEL_TAGS] if len(below) == 1 else []
        for panes in (below, inner):
            if len(panes) == count:
                return panes
        place = place.getparent()
    return []


def _linked(root: etree._Element, ids: _Ids) -> _Pairs:
    """Panels that links to places of the page open: one of them is folded, or their list says it has tabs."""
    lists: defaultdict[etree._Element, list[tuple[etree._Element, etree._Element]]] = defaultdict(list)
    for link in _elements(_TO_PLACES, root):
        panel = ids.get(link.get("href", "")[1:])
        if panel is not None and panel.tag in _PANEL_TAGS:
            lists[_list_around(link)].append((panel, link))
    for around, pairs in lists.items():
        folded = [panel.getparent() for panel, _ in pairs if is_folded(panel)]
        if _TAB_LIST.search(f"{around.get('class', '')} {around.get('role', '')}"):
            folded += [panel.getparent() for panel, _ in pairs]
        yield from (pair for pair in pairs if pair[0].getparent() in folded)


def _list_around(link: etree._Element) -> etree._Element:
    """The list that a link is in, or else the element around it."""
    around = next(link.iterancestors("ul", "ol", "nav"), None)
    parent = around if around is not None else link.getparent()
    return parent if parent is not None else link


def _questions(root: etree._Element, ids: _Ids) -> _Pairs:
    """The answers of questions that are marked up as schema.org has them."""
    for question in _elements(_QUESTIONS, root):
        name = next(iter(_own(question, "name")), None)
        for answer in (*_own(question, "acceptedAnswer"), *_own(question, "suggestedAnswer")):
            if name is not None:
                yield answer, name


def _own(item: etree._Element, prop: str) -> list[etree._Element]:
    return [element for element in item.iterdescendants() if prop in element.get("itemprop", "").split()]


def _below_a_title(root: etree._Element) -> _Pairs:
    """What is folded below a short line, where a class says that it unfolds or the page that it is found."""
    for panel in _elements(_FOLDED, root):
        title = panel.getprevious()
        if title is None or not is_folded(panel) or panel.tag not in _PANEL_TAGS:
            continue
        text = "".join(map(str, title.itertext())).strip()
        names = f"{title.get('class', '')} {panel.get('class', '')}"
        is_found = panel.get("hidden") == "until-found" and title.tag in _HEADINGS
        if 0 < len(text) <= _MOST_OPENER_CHARS and (is_found or _OPENS.search(names)):
            yield panel, title


def _holds(panel: etree._Element, opener: etree._Element) -> bool:
    return any(ancestor is panel for ancestor in opener.iterancestors())


def _elements(path: etree.XPath, element: etree._Element) -> list[etree._Element]:
    return cast(list[etree._Element], path(element))
