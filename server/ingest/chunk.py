"""Cutting a document into chunks that follow its structure: section, paragraph, sentence, word."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from server.models import Block, Chunk, Document, LineKind, Section
from server.sentences import sentences

_WORD = re.compile(r"\S{1,400}")  # what is longer is no word, and is cut like a sentence
_CELL = re.compile(r";(?=\s)")
_SUBJECT = " — "  # what stands before it in a table row says what the row is about


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """How large chunks are: at most `chars`, at least `min_words`, with `overlap_chars` of the one before.

    Where the two limits cannot both hold, `min_words` wins. A page with fewer words has no chunk at all.
    """

    chars: int = 500
    overlap_chars: int = 0
    min_words: int = 10


def chunk(document: Document, size: ChunkSize) -> tuple[Chunk, ...]:
    """The chunks of a document, in its order; no word of it is lost, and no chunk crosses a section.

    Sections too small for a chunk are first joined to a neighbour, their headings becoming part of the text.
    """
    sections = join_small(document.sections, size.min_words)
    pieces = [
        (section.heading_path, piece) for section in sections for piece in _cut(_Tape.of(section), size)
    ]
    return tuple(
        Chunk(
            document.url,
            ordinal,
            document.title,
            path,
            piece.text,
            description=document.description,
            page=piece.page,
            line_kinds=piece.line_kinds,
        )
        for ordinal, (path, piece) in enumerate(pieces)
    )


def shortened(document: Document, most_chars: int) -> Document:
    """The document up to so many characters of its text; itself where it has no more."""
    if sum(len(block.text) for section in document.sections for block in section.blocks) <= most_chars:
        return document
    sections, room = [], most_chars
    for section in document.sections:
        blocks = []
        for block in section.blocks:
            blocks.append(replace(block, text=block.text[:room]))
            room -= len(blocks[-1].text)
        sections.append(replace(section, blocks=tuple(block for block in blocks if block.text)))
    return replace(document, sections=tuple(section for section in sections if section.blocks))


# --- sections that are too small -----------------------------------------------------------------


def join_small(sections: tuple[Section, ...], min_words: int) -> list[Section]:
    """Sections of at least `min_words` words each: a smaller one joins the neighbour it is most akin to.

    A page that is smaller as a whole comes out empty.
    """
    filled = [section for section in sections if _count(section)]
    if sum(map(_count, filled)) < min_words:
        return []
    groups: list[list[Section]] = []
    words = 0  # in the last group
    for before, section, after in zip((None, *filled), filled, (*filled[1:], None), strict=False):
        stays = _count(section) < min_words and not _prefers_next(before, section, after)
        if groups and (words < min_words or stays):
            groups[-1].append(section)
            words += _count(section)
        else:
            groups.append([section])
            words = _count(section)
    if len(groups) > 1 and words < min_words:
        last = groups.pop()
        groups[-1] += last
    return [_join(group, min_words) for group in groups]


def _count(section: Section) -> int:
    return sum(len(block.text.split()) for block in section.blocks)


def _prefers_next(before: Section | None, section: Section, after: Section | None) -> bool:
    """Whether a small section is more akin to the one after it; of two as akin, the smaller is taken."""
    if before is None or after is None:
        return before is None
    path = section.heading_path
    shared_before, shared_after = _shared(path, before.heading_path), _shared(path, after.heading_path)
    if shared_before == shared_after:
        return _count(after) <= _count(before)
    return shared_after > shared_before


def _join(group: list[Section], min_words: int) -> Section:
    """Sections as one: under the headings of the large one among them, or those that all of them share."""
    if len(group) == 1:
        return group[0]
    large = next((section for section in group if _count(section) >= min_words), None)
    shared = min(_shared(group[0].heading_path, section.heading_path) for section in group)
    path = large.heading_path if large else group[0].heading_path[:shared]
    return Section(path, tuple(block for section in group for block in _with_headings(section, path)))


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many headings two paths have in common, from the top."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _with_headings(section: Section, path: tuple[str, ...]) -> tuple[Block, ...]:
    """A section's blocks, the first led in by the headings that `path` does not hold."""
    lead = " › ".join(section.heading_path[_shared(section.heading_path, path) :])
    if not lead or not section.blocks:
        return section.blocks
    first, *rest = section.blocks
    mark = "" if lead[-1] in ".:?!" else ":"
    return (replace(first, text=f"{lead}{mark} {first.text}"), *rest)


# --- cutting one section -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tape:
    """A section as one text, with the words in it and the places where it may be cut.

    A place is a count of words: a cut at 3 stands before the fourth word.
    """

    text: str
    starts: list[int]  # offset of each word
    ends: list[int]
    block_starts: list[int]
    block_cuts: list[int]
    sentence_cuts: list[int]
    rows: dict[int, str]  # the place where each table row begins → its subject
    pages: list[int | None]  # of each block, the document's page where it begins
    line_kinds: list[LineKind]  # of each line of the text

    @classmethod
    def of(cls, section: Section) -> "_Tape":
        blocks = [block for block in section.blocks if block.text.strip()]
        text = "\n".join(block.text for block in blocks)
        words = [match.span() for match in _WORD.finditer(text)]
        ends = [end for _, end in words]
        block_starts, block_cuts, sentence_cuts, rows, offset = [], [], [], {}, 0
        for block in blocks:
            block_starts.append(bisect_right(ends, offset))
            if block.kind == "table":
                rows[block_starts[-1]] = _subject(block.text)
            sentence_cuts += [bisect_right(ends, offset + end) for end in _sentence_ends(block)]
            offset += len(block.text) + 1
            if not block.text.rstrip().endswith(":"):  # what leads in a list stays with it
                block_cuts.append(bisect_right(ends, offset))
        pages, starts = [block.page for block in blocks], [start for start, _ in words]
        kinds = [kind for block in blocks for kind in _line_kinds(block)]
        return cls(text, starts, ends, block_starts, block_cuts, sentence_cuts, rows, pages, kinds)

    def length(self, first: int, last: int) -> int:
        """Characters from the word `first` up to, not including, the word `last`."""
        return self.ends[last - 1] - self.starts[first] if last > first else 0

    def piece(self, first: int, last: int, lead: str) -> "_ChunkText":
        """From the word `first` up to, not including, the word `last`, with what leads in to it."""
        start, end = self.starts[first], self.ends[last - 1]
        line = self.text.count("\n", 0, start)
        begun = next(kind for kind in reversed(self.line_kinds[: line + 1]) if kind)
        below = self.line_kinds[line + 1 : line + self.text.count("\n", start, end) + 1]
        page = self.pages[bisect_right(self.block_starts, first) - 1]
        return _ChunkText(lead + self.text[start:end], page, (begun, *below))


@dataclass(frozen=True, slots=True)
class _ChunkText:
    """A chunk's text, the page where it begins, and what its lines are."""

    text: str
    page: int | None
    line_kinds: tuple[LineKind, ...]


def _line_kinds(block: Block) -> list[LineKind]:
    goes_on: list[LineKind] = [""] * block.text.count("\n")
    return [block.kind, *goes_on]


def _subject(row: str) -> str:
    before, mark, _ = row.partition(_SUBJECT)
    return before + mark if mark else ""


def _sentence_ends(block: Block) -> list[int]:
    """Where sentences end, or the cells of a table row."""
    if block.kind == "table":
        return [match.end() for match in _CELL.finditer(block.text)]
    return [end for _, end in sentences(block.text)]


def _cut(tape: _Tape, size: ChunkSize) -> Iterator[_ChunkText]:
    """A section's chunks.

    The rest of a row that had to be cut begins with its subject again.
    """
    first = done = 0
    while done < len(tape.starts):
        lead = _lead(tape, done, size)
        if lead:
            first = done
        room = size.chars - len(lead)
        end = _end(tape, first, done, room, size)
        if first < done and tape.length(first, end) > room:  # no room to repeat what stood before
            first, end = done, _end(tape, done, done, room, size)
        yield tape.piece(first, end, lead)
        first, done = _overlap(tape, first, end, size), end


def _lead(tape: _Tape, place: int, size: ChunkSize) -> str:
    """The subject of the table row that `place` cuts in two, unless it is too long to be repeated."""
    begins = tape.block_starts[bisect_right(tape.block_starts, place) - 1]
    subject = tape.rows.get(begins, "") if begins != place else ""
    return subject if len(subject) <= size.chars // 3 else ""


def _end(tape: _Tape, first: int, done: int, room: int, size: ChunkSize) -> int:
    """The best place to end a chunk that begins with the word `first` and goes beyond the word `done`."""
    count = len(tape.starts)
    least, most = max(first + size.min_words, done + 1), count - size.min_words
    if tape.length(first, count) <= room or least > most:
        return count
    furthest = bisect_right(tape.ends, tape.starts[first] + room)
    most = max(min(furthest, most), least)
    block, sentence = _last_cut(tape.block_cuts, least, most), _last_cut(tape.sentence_cuts, least, most)
    if block and _next_block_fits(tape, block, size):
        return block
    return sentence or block or most


def _last_cut(cuts: list[int], least: int, most: int) -> int:
    """The last of some places between two others; 0 when there is none."""
    found = bisect_right(cuts, most)
    return cuts[found - 1] if found and cuts[found - 1] >= least else 0


def _next_block_fits(tape: _Tape, place: int, size: ChunkSize) -> bool:
    """Whether the block that begins at `place` can stay whole in a chunk of its own."""
    following = bisect_right(tape.block_cuts, place)
    return following < len(tape.block_cuts) and tape.length(place, tape.block_cuts[following]) <= size.chars


def _overlap(tape: _Tape, first: int, done: int, size: ChunkSize) -> int:
    """Where the next chunk begins: some words back, but never back over the beginning of a table row."""
    if done >= len(tape.starts) or done in tape.rows:
        return done
    reach = min(size.overlap_chars, size.chars // 2)
    return max(bisect_left(tape.starts, tape.starts[done] - reach), first + 1)
