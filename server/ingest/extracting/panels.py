"""The folded parts of a page: accordions, tabs and toggles, and what a visitor presses to open them."""

from typing import cast

from lxml import etree

Panels = dict[etree._Element, etree._Element]

_OPENERS = etree.XPath(
    "//*[@aria-controls or @aria-expanded or @data-target or @data-bs-target"
    " or @data-toggle or @data-bs-toggle or @role='tab']"
)
_WITH_ID = etree.XPath("//*[@id]")


def panels(root: etree._Element) -> Panels:
    """The parts of a page that a button, a tab or a toggle opens, each with what opens it."""
    openers = cast(list[etree._Element], _OPENERS(root))
    if not openers:
        return {}
    by_id = {element.get("id"): element for element in cast(list[etree._Element], _WITH_ID(root))}
    found: Panels = {}
    for opener in openers:
        target = _target(opener)
        panel = by_id.get(target) if target else None
        if panel is None and opener.get("aria-expanded") is not None:
            panel = _next_panel(opener)
        if panel is not None and panel is not opener:
            found.setdefault(panel, opener)
    return found


def _target(opener: etree._Element) -> str:
    """The id of what an element opens, as far as it names it."""
    named = opener.get("aria-controls") or opener.get("data-target") or opener.get("data-bs-target")
    return (named or opener.get("href") or "").strip().lstrip("#")


def _next_panel(opener: etree._Element) -> etree._Element | None:
    """The element after a button, or after the heading around it."""
    place: etree._Element | None = opener
    for _ in range(3):
        if place is None or place.tag in ("body", "main", "li"):
            return None
        following = place.getnext()
        if following is not None:
            return following if following.tag in ("div", "section", "ul", "dl", "p") else None
        place = place.getparent()
    return None
