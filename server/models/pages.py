"""A page's way in: `SourcePage` → `Document` (of `Section`s of `Block`s) → `Chunk`; or a `Drop`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["paragraph", "list", "table", "definition"]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page as it was fetched, or as a line of a pages file gave it.

    `body` is raw bytes from the crawl store (its charset still to be found) or text from a pages file;
    `is_html` says which extraction it needs. Times are ISO 8601, as far as they are known.
    """

    url: str
    body: bytes | str
    is_html: bool = True
    title: str | None = None
    status: int = 200
    content_type: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a definition or one table row, as text that reads alone."""

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading; `heading_path` runs from the page's first heading down to it."""

    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What is worth knowing of a page: its main text, in sections. Dates are ISO 8601 days or times.

    `terms` are the terms and academic years it speaks of ("2024-fall", "2024/25"), the oldest first;
    `archived`: the site itself has put it away.
    """

    url: str
    title: str
    sections: tuple[Section, ...]
    lang: str | None = None
    published: str | None = None
    modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()
    archived: bool = False

    @property
    def text(self) -> str:
        """All the main text, without the headings."""
        return "\n".join(block.text for section in self.sections for block in section.blocks)


@dataclass(frozen=True, slots=True)
class Drop:
    """A page that was left out, and why. `reason` is a stable word, `detail` a sentence for a person."""

    url: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, small enough to embed. `ordinal` counts within its page from 0.

    `terms` are those that its headings and text name, or else those of its page.
    """

    url: str
    ordinal: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    terms: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The heading path as one line, without a first heading that only repeats the title."""
        return heading_line(self.title, self.heading_path)

    @property
    def indexed_text(self) -> str:
        """What is embedded: title and headings, then the text, so that a bare table row has a subject."""
        return lead_line(self.title, self.heading) + "\n" + self.text


def heading_line(title: str, heading_path: tuple[str, ...]) -> str:
    """`("Tuition", "Graduate")` under the title "Tuition" → `"Graduate"`."""
    known = title.casefold()
    path = [h for h in heading_path if h]
    if path and (path[0].casefold() == known or known.startswith(path[0].casefold())):
        path = path[1:]
    return " › ".join(path)


def lead_line(title: str, heading: str) -> str:
    """Title and headings as the line before a passage's text; empty where it has neither."""
    return " · ".join(part for part in (title, heading) if part)
