"""A page's sections as they grow: the headings above the place reached, and the blocks under them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from server.models import Block, BlockKind, Section

BY_LOOKS = 6.5  # a heading that only looks like one ends at the next, and at any other
_BY_LABEL = 6.6  # below it, if there is one
_LONGEST_HEADING = 300  # one that is longer is a paragraph
_LINKS_BELOW_EACH_OTHER = 3  # a menu, and no answer
# A short line that only names what is below it, but for whose it is; and a line that leads in to a list.
_LABEL = re.compile(r"(?!by |written by |posted by )[^\W_][^\n.!?:]{2,59}:?", re.IGNORECASE)
_LEAD = re.compile(r"[A-Z][^\n]{30,}:")


@dataclass
class Outline:
    """Sections as they grow: the headings above the place reached, and the blocks under them."""

    found: list[tuple[tuple[str, ...], list[Block]]] = field(default_factory=list)
    path: list[tuple[float, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    bare: bool = False  # the last heading has nothing under it yet
    page: int | None = None  # of a document, the page reached
    links: int = 0  # so many of the last blocks are a link each

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

    def block(self, kind: BlockKind, text: str, *, is_link: bool = False) -> None:
        """Add a block to the section; a mark alone, as an arrow to the top, is none.

        A list of one item goes on with the one above it, and links that follow each other are a list of them.
        """
        if kind != "code" and not any(map(str.isalnum, text)):
            return
        self._lead_in(kind, text)
        last = self.blocks[-1] if self.blocks else None
        is_item = kind == "list" and "\n" not in text and not text.endswith(":")
        if last and is_item and last.kind == "list" and self.page == last.page:
            self.blocks[-1] = Block(kind, f"{last.text}\n{text}", self.page)
        else:
            self.blocks.append(Block(kind, text, self.page))
        self.links = self.links + 1 if is_link else 0
        if self.links >= _LINKS_BELOW_EACH_OTHER:
            self.blocks[-self.links :] = [replace(one, kind="links") for one in self.blocks[-self.links :]]
        self.bare = False

    def _lead_in(self, kind: BlockKind, text: str) -> None:
        """What the last block is to the one that comes, if it is a short line that only names that.

        Above a list it leads in to it; a label above what leads in itself is a heading: "Effective fall
        2019:", "The following is required:".
        """
        last = self.blocks[-1] if self.blocks else None
        if last is None or last.kind != "paragraph" or not _LABEL.fullmatch(last.text):
            return
        if kind in ("list", "steps") and last.text[-1].isalnum() and ": " not in text.partition("\n")[0]:
            self.blocks[-1] = replace(last, text=f"{last.text}:")
        elif kind == "paragraph" and last.text[-1] == ":" and _LEAD.fullmatch(text):
            self.blocks.pop()
            self.heading(_BY_LABEL, last.text.rstrip(":"))

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
            self.blocks, self.links = [], 0

    def _keep(self, blocks: list[Block]) -> None:
        path = tuple(text for _, text in self.path)
        if self.found and self.found[-1][0] == path:
            self.found[-1][1].extend(blocks)
        else:
            self.found.append((path, list(blocks)))
