"""What a block of a page is, by its markup: steps or a list of links, a notice, code, a form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lxml import etree

from server.academic_terms import days_in
from server.ingest.extract.main_content import letters_of, link_share, text_of
from server.ingest.extract.text_lines import lines_in
from server.models import BlockKind

_NOTICE = re.compile(
    r"(?:^|[\s_-])(?:notices?|alerts?|callouts?|warnings?|announcements?|advisor(?:y|ies)|admonition|important)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NOTICE_ROLES = frozenset({"alert", "status", "note"})
_CODE = re.compile(r"(?:^|[\s_-])(?:code|highlight|language|source|terminal)(?:$|[\s_-])", re.IGNORECASE)
_FIELDS = ("input", "select", "textarea")
# A form of more characters is around a page's text, as some systems have it.
_MOST_FORM_CHARS = 600
# A heading by its looks is no longer than this; one that asks may be.
_MOST_HEADING_CHARS, _MOST_QUESTION_CHARS = 60, 120
BOLD = ("b", "strong")
_BELOW_HEADING = frozenset({"p", "ul", "ol", "div", "table"})
# In a short text it makes a fact of it: a price, a time, a telephone number, an address of mail, a room.
_FACT = re.compile(
    r"[$€£@]\s?\d|@|\d[:/.-]\d|\d{5}|\b(?:room|hall|suite|building|floor|box)\b|\d\s?[ap]\.?m\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
# Of a list of links nearly all is links, and each is as short as a link is.
_ALL_LINKS, _LEAST_LINKS, _MOST_LINK_CHARS = 0.9, 2, 100


def kind_of_list(element: etree._Element) -> BlockKind:
    """What a list is: one of links leads elsewhere."""
    links = [text_of(link) for link in element.iterdescendants("a")]
    if link_share(element) >= _ALL_LINKS and _are_short(links):
        return "links"
    return "steps" if element.tag == "ol" else "list"


def are_links(text: str, links: Sequence[str]) -> bool:
    """Whether a paragraph is nothing but links, one beside the other."""
    letters = sum(map(str.isalnum, text))
    linked = sum(char.isalnum() for link in links for char in link)
    return bool(letters) and linked >= _ALL_LINKS * letters and _are_short(links)


def only_leads(text: str, link: str) -> bool:
    """Whether a text is a link, and tells nothing besides: a name with a post or a number does."""
    is_name = not any(char.isdigit() or char == "," for char in link)
    return is_name and letters_of(text) == letters_of(link) and len(link) <= _MOST_HEADING_CHARS


def _are_short(links: Sequence[str]) -> bool:
    said = [link for link in links if link]
    return len(said) >= _LEAST_LINKS and max(map(len, said)) <= _MOST_LINK_CHARS


def points_within(element: etree._Element, openers: Collection[etree._Element]) -> bool:
    """Whether a list has nothing but links to places of its own page, or what opens panels."""
    links = list(element.iterdescendants("a"))
    if len(links) < _LEAST_LINKS or not all(
        link in openers or link.get("href", "").startswith("#") for link in links
    ):
        return False
    return link_share(element) >= _ALL_LINKS


def kind_of_preformatted(element: etree._Element) -> BlockKind:
    """What preformatted text is: old pages have their tables and letters in it."""
    has_code = next(element.iterdescendants("code", "samp", "kbd"), None) is not None
    return "code" if has_code or _CODE.search(element.get("class", "")) else "paragraph"


def heads(paragraph: etree._Element) -> bool:
    """Whether a paragraph is a heading by its looks: short, bold from end to end, with text below that is
    not, or is a label at most ("Effective fall 2019:").

    "Deadline: May 1" is a fact, however bold, and a sentence is one; "You need:" leads in to what is below.
    """
    text = text_of(paragraph)
    asks = text.endswith("?")
    if not text or len(text) > (_MOST_QUESTION_CHARS if asks else _MOST_HEADING_CHARS):
        return False
    if text[-1] in ".!,;:" or not (asks or _may_be_name(text)):
        return False
    if not is_bold(paragraph) or _leads_elsewhere(paragraph) or len(lines_in(paragraph)) > 1:
        return False
    below = paragraph.getnext()
    if below is None or below.tag not in _BELOW_HEADING or not text_of(below):
        return False
    return not is_bold(below) or (text_of(below).endswith(":") and below.tag == "p")


def _may_be_name(text: str) -> bool:
    """Whether a short text may name what is below it: "Step 2: Find an advisor", no day, price or number."""
    if not any(map(str.isdigit, text)):
        return True
    return len(_WORD.findall(text)) > 1 and not _FACT.search(text) and not days_in(text)


def _leads_elsewhere(element: etree._Element) -> bool:
    """Whether it has a link; a place to jump to is none."""
    return any(link.get("href") for link in element.iter("a"))


def is_bold(element: etree._Element, tags: Sequence[str] = BOLD) -> bool:
    """Whether all of its text is in such elements within it."""
    bold = (one for one in element.iterdescendants(*tags) if next(one.iterancestors(*tags), None) is None)
    return "".join("".join(map(text_of, bold)).split()) == "".join(text_of(element).split())


def kind_around(element: etree._Element) -> BlockKind | None:
    """What paragraphs are because they stand in this element; None: what they are without it."""
    if element.get("role") in _NOTICE_ROLES or _NOTICE.search(element.get("class", "")):
        return "notice"
    if element.tag == "form" and len(text_of(element)) <= _MOST_FORM_CHARS:
        fields = [field for field in element.iterdescendants(*_FIELDS) if field.get("type") != "hidden"]
        return "form" if fields else None
    return None
