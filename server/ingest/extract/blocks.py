"""The walk over a page's own part: headings become sections, and what stands under them becomes blocks."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from lxml import etree

from server.ingest.extract import tables
from server.ingest.extract.block_kinds import (
    are_links,
    heads,
    kind_around,
    kind_of_list,
    kind_of_preformatted,
    points_within,
)
from server.ingest.extract.data_tables import is_data_table
from server.ingest.extract.fields import field_of
from server.ingest.extract.main_content import text_of
from server.ingest.extract.panels import Panels
from server.models import Block, BlockKind, Section

_BLOCK_TAGS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "div", "fieldset"}
    | {"figcaption", "figure", "footer", "form", "header", "hr", "legend", "main", "p", "pre", "section"}
    | {"caption", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
    | {"dd", "dir", "dl", "dt", "li", "menu", "ol", "ul"}
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_STRUCTURE = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "details", "button")
_CARD = re.compile(r"(?:^|[\s_-])(?:vcard|h-card|contact-card|address)(?:$|[\s_-])", re.IGNORECASE)
_LAST_UPDATED = re.compile(
    r"(?:page |this page was )?last (?:updated|modified|reviewed|revised|changed)\b.{0,60}", re.I | re.DOTALL
)
PAGE_NUMBER = "data-page"  # of what stands on a page of a document, in the HTML that is made of it
_SPACE = re.compile(r"[^\S\n]+")
_ADDRESS = re.compile(r"\S+@\S|(?:https?://|www\.)\S", re.IGNORECASE)
_LONGEST_ITEM = 1500
_LABEL_WORDS, _SENTENCE_WORDS = 4, 6  # a label, and what is told below it
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
_ORNAMENTS = "#¶»›▶▸► "  # around a heading
_LONGEST_HEADING = 300  # one that is longer is a paragraph
_LEVEL = re.compile(r"[1-9]\d?", re.ASCII)
_BY_LOOKS = 6.5  # a heading that only looks like one ends at the next, and at any other
_WITHIN = 0.01  # a panel or table is a level of its own, just below its heading and above those inside it


@dataclass
class Outline:
    """Sections as they grow: the headings above the place reached, and the blocks under them."""

    found: list[tuple[tuple[str, ...], list[Block]]] = field(default_factory=list)
    path: list[tuple[float, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    bare: bool = False  # the last heading has nothing under it yet
    page: int | None = None  # of a document, the page reached

    def heading(self, level: float, text: str) -> None:
        """Begin a section; a heading of the same or a higher level ends those before it.

        One that says again what the one right above it says, as a window does that a link opens, is none.
        """
        if not text or (self.bare and text == self.path[-1][1] and level > self.path[-1][0]):
            return
        self._end_section()
        if len(text) > _LONGEST_HEADING:  # every passage below would carry it
            self.close(level)
            self.block("paragraph", text)
            return
        self.close(level)
        self.path.append((level, text))
        self.bare = True

    def close(self, level: float) -> None:
        """End every section of this level or a lower one."""
        self._end_section()
        while self.path and self.path[-1][0] >= level:
            _, text = self.path.pop()
            if self.bare:  # a heading with nothing under it is itself what the page says
                self._keep([Block("paragraph", text, self.page)])
            self.bare = False

    def block(self, kind: BlockKind, text: str) -> None:
        """Add a block to the section; a mark alone, as an arrow to the top, is none."""
        if kind == "code" or any(map(str.isalnum, text)):
            self.blocks.append(Block(kind, text, self.page))
            self.bare = False

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that have ended."""
        return tuple(Section(path, tuple(blocks)) for path, blocks in self.found)

    @property
    def level(self) -> float:
        """The level of the innermost heading, 0 above all of them."""
        return self.path[-1][0] if self.path else 0

    def _end_section(self) -> None:
        if self.blocks:
            self._keep(self.blocks)
            self.blocks = []

    def _keep(self, blocks: list[Block]) -> None:
        path = tuple(text for _, text in self.path)
        if self.found and self.found[-1][0] == path:
            self.found[-1][1].extend(blocks)
        else:
            self.found.append((path, list(blocks)))


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
        if tag in _BLOCK_TAGS or tag in _HEADINGS:
            self._flush()
        if self.of_document and (page := element.get(PAGE_NUMBER)):
            self.outline.page = int(page)
        if tag in _HEADINGS or element.get("role") == "heading":
            self._heading(element)
            return False
        if tag == "p" and heads(element):
            self.outline.heading(_BY_LOOKS, text_of(element).strip(_ORNAMENTS))
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
        if element.tag in _BLOCK_TAGS or element in self.levels:
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
        texts = _paragraphs("".join(self.inline))
        kind = self.kinds[-1][1] if self.kinds else "paragraph"
        if are_links("".join(texts), self.links):
            kind = "links"
        for text in texts:
            if not _LAST_UPDATED.fullmatch(text):
                self.outline.block(kind, text)
        self.inline.clear()
        self.links.clear()

    def _whole(self, element: etree._Element) -> bool:
        """Deal with an element that becomes blocks as a whole; False when its children are to be walked."""
        match element.tag:
            case "table":
                return self._table(element)
            case "ul" | "ol" | "dir" | "menu" if _is_plain(element, ("li",)):
                self.outline.block(kind_of_list(element), _list(element))
            case "dl" if _is_definition_list(element):
                for line in _definitions(element):
                    self.outline.block("definition", line)
            case "pre":
                self.outline.block(kind_of_preformatted(element), _preformatted(element))
            case _ if _is_card(element):
                self._flush()
                self.outline.block("card", flat(element))
            case _ if field := field_of(element):
                self._flush()
                self.outline.block("definition", field)
            case _:
                return False
        return True

    def _table(self, table: etree._Element) -> bool:
        if not is_data_table(table, flat):
            return False
        level = self.outline.level + _WITHIN
        self.outline.heading(level, tables.caption_of(table, flat))
        for row in tables.rows(tables.grid(table, flat)):
            if row.is_label:
                self.outline.heading(level + _WITHIN, row.text)
            else:
                self.outline.block("table", row.text)
        self.outline.close(level)
        return True


def flat(element: etree._Element, without: tuple[str, ...] = ()) -> str:
    """All of an element as one line; where a line broke, a comma stands unless there was a mark already, or a
    colon behind a label at its beginning: "PICKUP: You will be notified by mail."

    Elements within it that have one of the tags in `without` are passed over.
    """
    pieces: list[str] = [""]
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if inner.tag in _BLOCK_TAGS or inner.tag == "br":
            pieces.append("")
        if event == "end":
            pieces[-1] += "" if inner is element else inner.tail or ""
        elif inner.tag in without and inner is not element:
            walk.skip_subtree()
        else:
            pieces[-1] += inner.text or ""
    lines = [line for piece in pieces if (line := " ".join(piece.split()))]
    if len(lines) > 1 and _is_label(lines[0], lines[1]):
        lines[0] += ":"
    ends = [line if line[-1] in ".,;:!?–—" else line + "," for line in lines[:-1]]
    return " ".join([*ends, *lines[-1:]])


def _is_label(line: str, below: str) -> bool:
    """Whether a first line names what the sentences below it tell."""
    words = below.split()
    tells = below[0].isupper() and len(words) >= _SENTENCE_WORDS and _SENTENCE.search(below) is not None
    return tells and line[-1].isalpha() and len(line.split()) <= _LABEL_WORDS and not _ADDRESS.search(line)


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of inline text, in which a line break is a zero character: two of them part paragraphs."""
    found = []
    for part in re.split(r"\0\s*\0[\s\0]*", text):
        lines = [line for piece in part.split("\0") if (line := " ".join(piece.split()))]
        found.append(_join_wrapped(lines))
    return [text for text in found if text]


def _join_wrapped(lines: list[str]) -> str:
    """Lines, joined where a break only wraps a sentence."""
    text = ""
    for line in lines:
        wrapped = text and text[-1] not in ".!?:;" and line[0].islower() and not _ADDRESS.match(line)
        text += ("" if not text else " " if wrapped else "\n") + line
    return text


def _is_plain(element: etree._Element, item_tags: tuple[str, ...]) -> bool:
    """Whether a list is one of short items and nothing else, not a frame around sections and tables."""
    stray = [element.text, *(child.tail for child in element)]
    if any(child.tag not in (*item_tags, "div") for child in element) or "".join(filter(None, stray)).strip():
        return False
    if next(element.iterdescendants(*_STRUCTURE), None) is not None:
        return False
    return all(len(text_of(item)) <= _LONGEST_ITEM for item in element) and len(element) > 0


def _is_definition_list(element: etree._Element) -> bool:
    has_terms, nested = element.find(".//dt") is not None, element.find(".//dl") is not None
    return has_terms and not nested and _is_plain(element, ("dt", "dd"))


def _list(element: etree._Element) -> str:
    lines = []
    number = 0
    for item in element:
        number += item.tag == "li"
        if line := flat(item):
            lines.append(f"{number}. {line}" if element.tag == "ol" and item.tag == "li" else line)
    return "\n".join(lines)


def _definitions(element: etree._Element) -> list[str]:
    """`term: definition` for each term; terms in a row share a definition, and definitions a term."""
    entries: list[tuple[list[str], list[str]]] = []
    after: str | None = None
    for item in element.iterdescendants("dt", "dd"):
        if not entries or (item.tag == "dt" and after == "dd"):
            entries.append(([], []))
        # An item that was never closed holds those after it.
        entries[-1][item.tag == "dd"].append(flat(item, without=("dt", "dd")))
        after = str(item.tag)
    return [line for terms, meanings in entries if (line := _definition(terms, meanings))]


def _definition(terms: list[str], meanings: list[str]) -> str:
    """One line of a definition list; a term whose meanings are all empty says nothing."""
    term = ", ".join(name.rstrip(":") for name in terms if name)
    meaning = "; ".join(filter(None, meanings))
    if meanings and not meaning:
        return ""
    return f"{term}: {meaning}" if term and meaning else term or meaning


def _preformatted(element: etree._Element) -> str:
    lines = "".join(map(str, element.itertext())).splitlines()
    return "\n".join(line for raw in lines if (line := _SPACE.sub(" ", raw).strip()))


def _is_card(element: etree._Element) -> bool:
    if element.tag != "address" and not _CARD.search(element.get("class", "")):
        return False
    return (
        next(element.iterdescendants(*_STRUCTURE, "ul", "dl"), None) is None and len(text_of(element)) <= 600
    )


def _in_heading(element: etree._Element) -> bool:
    return element.tag in _HEADINGS or next(element.iterancestors(*_HEADINGS), None) is not None


_RULE = re.compile(r"[\s=_*~.+#-]*")
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_COLUMNS = re.compile(r"[^\S\n]{2,}|\t")


def sections_of_text(text: str) -> tuple[Section, ...]:
    """The sections of a text, each under a one-line heading or none."""
    sections: list[Section] = []
    heading: tuple[str, ...] = ()
    blocks: list[Block] = []
    for part in _BLANK_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = [line for raw in part.split("\n") if (line := _tidy(raw))]
        if _begins_with_heading(lines):
            if blocks:
                sections.append(Section(heading, tuple(blocks)))
            heading, blocks, lines = (lines[0].rstrip(":"),), [], lines[1:]
        if lines:
            blocks.append(Block("paragraph", _unwrap(lines)))
    if blocks:
        sections.append(Section(heading, tuple(blocks)))
    return tuple(sections)


def _tidy(line: str) -> str:
    """A line with its columns kept apart; a ruled line is nothing."""
    return "" if _RULE.fullmatch(line) else " ".join(_COLUMNS.sub("  ", line.strip()).split(" "))


def _begins_with_heading(lines: list[str]) -> bool:
    """A short line after a blank one, without a full stop, with a sentence right below it."""
    if len(lines) < 2 or len(lines[0]) > 80 or not 1 < len(lines[0].split()) <= 12:
        return False
    first, below = lines[0], lines[1]
    names_something = (first[0].isupper() or first[0].isdigit()) and first[-1] not in ".,;!)"
    return names_something and "  " not in first and _is_prose(below)


def _is_prose(line: str) -> bool:
    return len(line.split()) >= 8 and line[0].isupper() and "  " not in line


def _unwrap(lines: list[str]) -> str:
    """Lines that were only wrapped at a margin joined again; lines that stand alone left as they are."""
    text = lines[0]
    for before, line in pairwise(lines):
        wrapped = len(before) >= 50 and before[-1] not in ".:;!?" and line[0].islower()
        text += (" " if wrapped else "\n") + line
    return text
