"""Boilerplate: what the pages of a site share, found by its repetition and left out of each.

A site's first pages are held back until enough of them are known, so that pages still stream.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from urllib.parse import urlsplit

from server.ingest.crawl.urls import site_of
from server.ingest.extract.main_content import letters_of
from server.ingest.informative import is_informative
from server.lexicons import lexicon
from server.models import Block, Document, Section

SAMPLE_PAGES = 200
HELD_CHARS = 20_000_000  # of all sites' pages together
LEAST_PAGES = 8  # a smaller site is left as it is
LEAST_REPEATS = 5
SHARED = 0.3  # of a site's pages; what says nothing and stands on so many is boilerplate
MOSTLY_SHARED = 0.6  # likewise, for what says something; one page keeps it
SHARED_HEADING = 0.5
_DESCRIBED_ALIKE = 3
_NAME_CHARS = range(2, 81)
# What a start page's title says beside the name: "Welcome to Ridgeton", "UTCS Home Page".
_START = re.compile(
    r"^welcome to (?:the )?|(?<=\w)(?:['’]s?)?[\s,:-]+(?:home ?page|web ?site)$", re.IGNORECASE
)
# Marks that stand alone between the parts of a title; two of them need no space.
_SEPARATOR = re.compile(r"\s+(?:[^\w\s'\"“”‘’(),.&?!+-]{1,3}|-{1,3})\s+|\s*[|»]\s*")

_MORE = re.compile(r"\s*[:–—|-]\s*\w.*[^.!?;:,]")


class Boilerplate:
    """Cleans pages as they come, each by what the first pages of its own site have shown."""

    def __init__(self) -> None:
        self._templates: dict[str, SiteTemplate] = {}
        self._held: dict[str, list[Document]] = {}
        self._pages: Counter[str] = Counter()

    def cleaned(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents without what their sites' pages share; those of one site stay in order."""
        held_chars = 0
        for document in documents:
            site = site_of(document.url)
            self._pages[site] += 1
            if template := self._templates.get(site):
                yield template.cleaned(document)
                continue
            held = self._held.setdefault(site, [])
            held.append(document)
            held_chars += len(document.text)
            if len(held) >= SAMPLE_PAGES:
                held_chars -= sum(len(one.text) for one in held)
                yield from self._release(site)
            elif held_chars > HELD_CHARS:
                held_chars = 0
                yield from self._release(*self._held)
        yield from self._release(*self._held)

    def _release(self, *sites: str) -> Iterator[Document]:
        for site in sites:
            held = self._held.pop(site)
            is_part = len(self._pages) > 1 and _is_sub_domain(site)
            template = self._templates[site] = SiteTemplate(held, is_part=is_part)
            yield from map(template.cleaned, held)

    @property
    def site_name(self) -> str:
        """What the site with the most pages calls itself; empty where its pages do not tell.

        A club's or an office's own host ("rowing.x.edu") names no university, however many pages it has.
        """
        sites = [site for site, _ in self._pages.most_common()]
        whole = [site for site in sites if not _is_sub_domain(site)]
        return next(filter(None, (self._templates[site].name for site in whole or sites)), "")


@dataclass(frozen=True, slots=True)
class _Counts:
    """On how many of the sample's pages something stands, by its letters and digits."""

    pages: int
    of: Counter[str]

    def is_shared(self, text: str, share: float) -> bool:
        """Whether it stands on such a share of them, and often enough to be no chance."""
        return (
            self.pages >= LEAST_PAGES
            and (count := self.of[_key(text)]) >= LEAST_REPEATS
            and count >= share * self.pages
        )


class SiteTemplate:
    """What the sampled pages of one site share: blocks, headings, parts of titles, descriptions, its name."""

    def __init__(self, pages: Sequence[Document], *, is_part: bool = False) -> None:
        """`is_part`: the site is a part of a larger one, and its name tells its pages from the others'."""
        self._blocks = _counted(pages, lambda page: (b.text for s in page.sections for b in s.blocks))
        self._first_headings = _counted(pages, lambda page: _headings(page, 0))
        self._last_headings = _counted(pages, lambda page: _headings(page, -1))
        self._title_parts = _counted(pages, _names_in)
        self._titles = _counted(pages, lambda page: (page.title,))
        self._descriptions = _counted(pages, lambda page: (page.description,))
        # What says something and stands on most pages, or beside several, once it stood on one.
        self._told: set[str] = set()
        self.name = _name_of(pages, self._title_parts)
        self._part = self.name if is_part else ""

    def cleaned(self, document: Document) -> Document:
        """The document without what its site's pages share; one that has nothing else keeps its text."""
        sections = tuple(self._sections(document))
        return replace(
            document,
            title=self._in_part(self._title(document), document),
            description=self._description(document.description),
            sections=sections or document.sections,
        )

    def _sections(self, document: Document) -> Iterator[Section]:
        links = {_key(text) for _, text in document.links}
        for section in document.sections:
            path = section.heading_path
            if section.beside and self._is_told("\n".join(block.text for block in section.blocks)):
                continue
            if (
                path
                and self._last_headings.is_shared(path[-1], SHARED_HEADING)
                and _all_links(section, links)
            ):
                continue
            if path and self._first_headings.is_shared(path[0], SHARED_HEADING):
                path = path[1:]
            blocks = tuple(block for block in section.blocks if not self._leaves_out(block))
            if blocks:
                yield Section(path, blocks)

    def _leaves_out(self, block: Block) -> bool:
        if not self._blocks.is_shared(block.text, SHARED):
            return False
        if not is_informative(block.text):
            return True
        return self._blocks.is_shared(block.text, MOSTLY_SHARED) and self._is_told(block.text)

    def _description(self, description: str) -> str:
        """The description, unless it is the site's: one page has it, the first that does."""
        if self._descriptions.of[_key(description)] < _DESCRIBED_ALIKE:
            return description
        return "" if self._is_told(description) else description

    def _is_told(self, text: str) -> bool:
        key = _key(text)
        if key in self._told:
            return True
        self._told.add(key)
        return False

    def _title(self, document: Document) -> str:
        """The title without the site's name; from its `<title>` or headings where it is nothing else."""
        headings = (heading for section in document.sections for heading in section.heading_path)
        for title in (document.title, document.head_title, *headings):
            own = self._own_part(title)
            if own and not self._titles.is_shared(own, SHARED):
                return _told_more(own, document)
        return document.title

    def _in_part(self, title: str, document: Document) -> str:
        """The title, with the name of that part of the site which the page belongs to.

        "Hours" is every office's page; "Hours – University Library" is one's. Such a name stands on several
        pages' `<title>`, and not on most of the site's.
        """
        known = letters_of(title)
        parts = [part for _, part in _parts(document.head_title) if self._is_part(part)]
        names = [
            part for part in dict.fromkeys([*parts, self._part]) if part and letters_of(part) not in known
        ]
        return " – ".join([title, *names])

    def _is_part(self, part: str) -> bool:
        count = self._title_parts.of[_key(part)]
        return (
            count >= _DESCRIBED_ALIKE
            and not self._title_parts.is_shared(part, SHARED)
            and not _says_start(part)
        )

    def _own_part(self, title: str) -> str:
        """What is left of a title between the parts that many titles begin or end with."""
        spans = [span for span, _ in _parts(title)]
        shared = [self._title_parts.is_shared(part, SHARED) for _, part in _parts(title)]
        while shared and shared[-1]:
            spans, shared = spans[:-1], shared[:-1]
        while shared and shared[0]:
            spans, shared = spans[1:], shared[1:]
        own = title[spans[0][0] : spans[-1][1]] if spans else ""
        return own if own and not _says_start(own) else title


def _told_more(title: str, document: Document) -> str:
    """The title, or the line at the page's top that says which of several of that name it is: "Graduate
    policies: Filing fee" for "Graduate policies"."""
    blocks = document.sections[0].blocks if document.sections else ()
    first = blocks[0].text if blocks else ""
    is_more = len(first) in _NAME_CHARS and first.casefold().startswith(title.casefold())
    return first if is_more and _MORE.fullmatch(first, len(title)) else title


def _counted(pages: Sequence[Document], texts_of: Callable[[Document], Iterable[str]]) -> _Counts:
    """Each text counts once for a page; what few pages have is forgotten."""
    keys = ({_key(text) for text in texts_of(page)} - {""} for page in pages)
    counts = Counter(key for page_keys in keys for key in page_keys)
    return _Counts(
        len(pages), Counter({key: count for key, count in counts.items() if count >= _DESCRIBED_ALIKE})
    )


def _headings(page: Document, place: int) -> Iterator[str]:
    return (section.heading_path[place] for section in page.sections if section.heading_path)


def _all_links(section: Section, links: set[str]) -> bool:
    return all(_key(line) in links for block in section.blocks for line in block.text.splitlines())


def _name_of(pages: Sequence[Document], parts: _Counts) -> str:
    """What most pages' meta elements or titles call the site, or else the start page's title or heading."""
    declared = Counter(page.site_name for page in pages if page.site_name)
    named = [name for name, count in declared.most_common(1) if 2 * count >= len(pages)]
    spelt = Counter(part for page in pages for part in _names_in(page))
    most = max(parts.of.values(), default=0)
    if most >= max(3, SHARED * len(pages)):
        named += sorted((p for p in spelt if parts.of[_key(p)] == most), key=lambda p: (-spelt[p], p))
    starts = (page for page in pages if urlsplit(page.url).path in ("", "/"))
    named += [
        part for page in starts for title in (page.head_title, page.title) for _, part in _parts(title)[::-1]
    ]
    bare = (_START.sub("", name) for name in named if not _says_start(name))
    return next((name for name in bare if len(name) in _NAME_CHARS), "")


def _parts(title: str) -> list[tuple[tuple[int, int], str]]:
    """The parts of a title, each with its place in it."""
    cuts = [(0, 0), *(match.span() for match in _SEPARATOR.finditer(title)), (len(title), len(title))]
    spans = [(before[1], after[0]) for before, after in pairwise(cuts)]
    return [(span, part) for span in spans if (part := title[slice(*span)].strip())]


def _names_in(page: Document) -> list[str]:
    """The parts of a page's `<title>` where it has several."""
    parts = [part for _, part in _parts(page.head_title or page.title)]
    return parts if len(parts) > 1 else []


def _says_start(text: str) -> bool:
    """Whether a text says no more than that this is a start page."""
    return not set(text.casefold().split()) - lexicon("pages").words("start_words")


def _key(text: str) -> str:
    return letters_of(text) or "".join(text.split())


def _is_sub_domain(site: str) -> bool:
    """Whether a host is that of a part of a site: "library.x.edu", and neither "www.x.edu" nor an address."""
    labels = site.rsplit(":", 1)[0].split(".")
    return len(labels) > 2 and labels[0] != "www" and not labels[-1].isdigit()
