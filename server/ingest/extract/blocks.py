"""The walk over a page's own part: headings become sections, and what stands under them becomes blocks."""

import re

from lxml import etree

from server.ingest.extract import tables
from server.ingest.extract.block_kinds import (
    are_links,
    heads,
    kind_around,
    kind_of_list,
    kind_of_preformatted,
    only_leads,
    points_within,
)
from server.ingest.extract.data_tables import is_data_table
from server.ingest.extract.fields import field_of
from server.ingest.extract.lists import (
    STRUCTURE,
    definitions,
    is_definition_list,
    is_plain,
    list_text,
    typed_list,
)
from server.ingest.extract.main_content import text_of
from server.ingest.extract.outline import BY_LOOKS, Outline
from server.ingest.extract.panels import Panels
from server.ingest.extract.text_lines import BLOCK_TAGS, flat, paragraphs, tidied_lines
from server.ingest.extract.typed_tables import text_parts
from server.models import BlockKind, Section

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CARD = re.compile(r"(?:^|[\s_-])(?:vcard|h-card|contact-card|address)(?:$|[\s_-])", re.IGNORECASE)
_LAST_UPDATED = re.compile(
    r"(?:page |this page was )?last (?:updated|modified|reviewed|revised|changed)\b.{0,60}", re.I | re.DOTALL
)
PAGE_NUMBER = "data-page"  # of what stands on a page of a document, in the HTML that is made of it
_ORNAMENTS = "#¶»›▶▸► "  # around a heading
_LEVEL = re.compile(r"[1-9]\d?", re.ASCII)
_WITHIN = 0.01  # a panel or table is a level of its own, just below its heading and above those inside it


def sections_of(
    container: etree._Element, opened: Panels, *, of_document: bool = False
) -> tuple[Section, ...]:
    """The sections of a pruned container; `opened` maps what a button opens to the button.

    `of_document`: it was made of a document, and says which page its parts stand on.
    """
    return _Walk(opened, of_document=of_document).run(container)


class _Walk:
    """One pass over the tree, start and end of each element in turn; no depth of nesting can exhaust it."""

    def __init__(self, opened: Panels, *, of_document: bool) -> None:
        self.of_document = of_document
        self.outline = Outline()
        self.opened = opened
        self.openers = set(opened.values())
        self.inline: list[str] = []
        self.levels: dict[etree._Element, float] = {}  # what is to be closed when its element ends
        self.kinds: list[tuple[etree._Element, BlockKind]] = []  # what a paragraph is, the innermost last
        self.links: list[str] = []  # the texts of links among `inline`

    def run(self, container: etree._Element) -> tuple[Section, ...]:
        walk = etree.iterwalk(container, events=("start", "end"))
        for event, element in walk:
            if event == "end":
                self._end(element)
                if element is not container:
                    self.inline.append(element.tail or "")
            elif self._start(element):
                self.inline.append(element.text or "")
            else:
                walk.skip_subtree()
        self._flush()
        self.outline.close(0)
        return self.outline.sections

    def _start(self, element: etree._Element) -> bool:
        """Begin an element; False when it has been dealt with as a whole."""
        tag = element.tag
        if tag in BLOCK_TAGS or tag in _HEADINGS:
            self._flush()
        if self.of_document and (page := element.get(PAGE_NUMBER)):
            self.outline.page = int(page)
        if tag in _HEADINGS or element.get("role") == "heading":
            self._heading(element)
            return False
        if tag == "p" and heads(element):
            self.outline.heading(BY_LOOKS, text_of(element).strip(_ORNAMENTS))
            return False
        if tag == "br":
            self.inline.append("\0")
        if tag == "summary":
            self._open(element.getparent(), element)
            return False
        if element in self.opened and not _in_heading(self.opened[element]):
            self._flush()
            self._open(element, self.opened[element])
        if element in self.openers or tag in ("button", "label") or self._only_points(element):
            return False
        if not self._whole(element):
            self._enter(element)
            return True
        return False

    def _enter(self, element: etree._Element) -> None:
        """Note what paragraphs within an element are."""
        kind = kind_around(element)
        opener = self.opened.get(element)
        if element.tag == "details":
            opener = next(element.iterchildren("summary"), None)
        if opener is not None and text_of(opener).endswith("?"):
            kind = "question"
        if kind is not None:
            self._flush()
            self.kinds.append((element, kind))

    def _only_points(self, element: etree._Element) -> bool:
        """Whether all that a list has is what opens panels, or where on this page its headings are."""
        if element.tag not in ("ul", "ol") or not points_within(element, self.openers):
            return False
        self.outline.bare = False  # "On this page" is no text of the page
        return True

    def _end(self, element: etree._Element) -> None:
        if element.tag in BLOCK_TAGS or element in self.levels:
            self._flush()
        if element.tag == "a":
            self.links.append(text_of(element))
        if self.kinds and self.kinds[-1][0] is element:
            self._flush()
            self.kinds.pop()
        if element in self.levels:
            self.outline.close(self.levels.pop(element))

    def _heading(self, element: etree._Element) -> None:
        self._flush()
        named = _LEVEL.search(element.get("aria-level", ""))
        level = _HEADINGS.get(str(element.tag)) or (int(named[0]) if named else 2)
        self.outline.heading(level, text_of(element).strip(_ORNAMENTS))

    def _open(self, panel: etree._Element | None, opener: etree._Element) -> None:
        """A panel is a section under the words that open it, and ends with its element."""
        level = self.outline.level + _WITHIN
        if panel is not None:
            self.levels[panel] = level
        self.outline.heading(level, text_of(opener))

    def _flush(self) -> None:
        texts = paragraphs("".join(self.inline))
        kind = self.kinds[-1][1] if self.kinds else "paragraph"
        if are_links("".join(texts), self.links):
            kind = "links"
        is_link = kind == "paragraph" and len(self.links) == 1 and only_leads("".join(texts), self.links[0])
        for text in texts:
            if kind == "paragraph" and not is_link and any(typed := typed_list(text)):
                self.outline.block("paragraph", typed[0])
                self.outline.block("list", typed[1])
            elif not _LAST_UPDATED.fullmatch(text):
                self.outline.block(kind, text, is_link=is_link)
        self.inline.clear()
        self.links.clear()

    def _whole(self, element: etree._Element) -> bool:
        """Deal with an element that becomes blocks as a whole; False when its children are to be walked."""
        match element.tag:
            case "table":
                return self._table(element)
            case "ul" | "ol" | "dir" | "menu" if is_plain(element, ("li",)):
                self.outline.block(kind_of_list(element), list_text(element))
            case "dl" if is_definition_list(element):
                for line in definitions(element):
                    self.outline.block("definition", line)
            case "pre":
                self._preformatted(element)
            case _ if _is_card(element):
                self._flush()
                self.outline.block("card", flat(element))
            case _ if field := field_of(element):
                self._flush()
                self.outline.block("definition", field)
            case _:
                return False
        return True

    def _preformatted(self, element: etree._Element) -> None:
        kind, text = kind_of_preformatted(element), "".join(map(str, element.itertext()))
        if kind == "code":
            self.outline.block(kind, tidied_lines(text.splitlines()))
            return
        for part in text_parts(text):
            if part.grid:
                self._rows(part.grid, part.caption)
            else:
                self.outline.block(kind, tidied_lines(part.lines))

    def _table(self, table: etree._Element) -> bool:
        if not is_data_table(table, flat):
            return False
        self._rows(tables.grid(table, flat), tables.caption_of(table, flat))
        return True

    def _rows(self, grid: tables.Grid, caption: str) -> None:
        """A table's rows below its caption; what comes after is not below it."""
        level = self.outline.level + _WITHIN
        self.outline.heading(level, caption)
        for row in tables.rows(grid):
            if row.is_label:
                self.outline.heading(level + _WITHIN, row.text)
            else:
                self.outline.block("table", row.text)
        self.outline.close(level)


def _is_card(element: etree._Element) -> bool:
    if element.tag != "address" and not _CARD.search(element.get("class", "")):
        return False
    return (
        next(element.iterdescendants(*STRUCTURE, "ul", "dl"), None) is None and len(text_of(element)) <= 600
    )


def _in_heading(element: etree._Element) -> bool:
    return element.tag in _HEADINGS or next(element.iterancestors(*_HEADINGS), None) is not None
