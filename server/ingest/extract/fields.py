"""A label and its value, as content management systems write them: each in an element of its own.

"Deadline" above "May 1" means little to who reads a line alone, and a label without its value is no answer;
nor is "14:1" without "students to a teacher" below it.
"""

from __future__ import annotations

import re

from lxml import etree

from server.ingest.extract.block_kinds import BOLD, is_bold
from server.ingest.extract.main_content import text_of

# Drupal's fields and views, and what others call a label.
_LABEL = re.compile(r"(?:^|\s)(?:field(?:__|-)label|views-label|label|term|key|dt)(?:$|[\s-])", re.IGNORECASE)
# Hours stand beside what they are of: a day, a desk.
_HOURS = re.compile(
    r"(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?)?\s?(?:[-–—]|to\b)|closed\b|cerrado\b)", re.IGNORECASE
)
_FIGURE = re.compile(r"[$€£]?\d[\d.,:/]*\s?[%+kKmM]?\+?")
_BOLD = (*BOLD, "label")
_BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "p", "form", "pre", "address")
_INLINE = frozenset({"span", "div", "label", "b", "strong"})
MOST_LABEL_CHARS, MOST_VALUE_CHARS = 40, 200


def field_of(element: etree._Element) -> str:
    """The line "label: value" of an element that is nothing else, or "figure what-of"; "" for any other."""
    if element.tag not in ("div", "li", "span") or len(element) != 2 or (element.text or "").strip():
        return ""
    label, value = element
    if (
        label.tag not in _INLINE
        or value.tag not in ("span", "div")
        or f"{label.tail or ''}{value.tail or ''}".strip()
    ):
        return ""
    named = text_of(label).rstrip(" :\xa0")
    if not 0 < len(named) <= MOST_LABEL_CHARS:
        return ""
    told = text_of(value)
    is_figure = _FIGURE.fullmatch(named) is not None and told[:1].isalpha()
    is_named = not is_figure and (_is_label(label) or _HOURS.match(told) is not None)
    if not 0 < len(told) <= MOST_VALUE_CHARS or not (is_figure or is_named):
        return ""
    if next(element.iterdescendants(*_BLOCKS), None) is not None or next(value.iter("br"), None) is not None:
        return ""
    return f"{named} {told}" if is_figure else f"{named}: {told}"


def _is_label(element: etree._Element) -> bool:
    """Whether a class says so, all of it is bold, or it ends with a colon."""
    said = _LABEL.search(element.get("class", "")) or text_of(element).endswith(":")
    return bool(said) or element.tag in _BOLD or is_bold(element, _BOLD)
