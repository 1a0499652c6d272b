"""What a page says beside its main part: the box at the side with an office's telephone and hours.

Much of what stands there is the site's (news, links, a form), so only what tells whom to reach or when is
kept; and what stands beside a page's title, above its main part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from server.ingest.extract.main_content import holds_title, text_of

# A telephone, a mail address, a time of day.
_CONTACT = re.compile(
    r"""\(?\b\d{3}\)?[ .\u2011-]\d{3}[ .\u2011-]\d{4}\b | \+\d[\d\ ()-]{7,}\d | \S@\S+\.\w
      | \b\d{1,2}(?::\d\d)?\ ?[ap]\.?m\b""",
    re.IGNORECASE | re.VERBOSE,
)
# What is at the foot of every page is the site's, whatever it tells.
_FOOT = re.compile(r"(?:^|[\s_-])(?:foot|footer|colophon|copyright|legal)(?:$|[\s_-])", re.IGNORECASE)
_MOST_CHARS = 1500
# So deep below a side of the page it is looked for.
_DEEPEST = 12


def beside(body: etree._Element, main: etree._Element) -> tuple[list[etree._Element], list[etree._Element]]:
    """The elements that are told before the main part and those after it, each in its order on the page.

    `body` is pruned; `main` lies in it, and where it is the body there is nothing beside.
    """
    around = {main, *main.iterancestors()}
    before: list[etree._Element] = []
    after: list[etree._Element] = []
    for parent in main.iterancestors():
        for element in parent:
            if element in around:
                continue
            if holds_title(element):
                before.append(element)
            else:
                after += _contacts(element)
        if parent is body:
            break
    return before, after


def _contacts(element: etree._Element, depth: int = 0) -> Iterator[etree._Element]:
    """The largest parts of an element that tell whom to reach or when, and little else."""
    if _FOOT.search(f"{element.get('class', '')} {element.get('id', '')}"):
        return
    text = text_of(element)
    if not _CONTACT.search(text):
        return
    if len(text) <= _MOST_CHARS:
        yield element
    elif depth < _DEEPEST:
        for child in element:
            yield from _contacts(child, depth + 1)
