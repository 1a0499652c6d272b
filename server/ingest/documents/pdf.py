"""A PDF as HTML: its text in reading order, headings by type size, lists, tables, and each page's number."""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfplumber.pdf import PDF
from pdfplumber.utils.exceptions import PdfminerException

from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.headed import Header, headings_apart, segments_of
from server.ingest.documents.lines import Line, PlacedWord, Run, TableLines, in_reading_order, rows_of
from server.ingest.documents.ocr import text_in_picture

MAX_PAGES, MAX_SECONDS = 600, 45.0
SCANNED = "Read from a picture of the page; figures may be wrong"
FORM = "This document is a form to fill in."

_MARGIN_ROWS, _MARGIN = 3, 0.12  # rows at either end of a page, within so much of its height
_REPEATED = 0.4  # on so many of the pages: a running header or footer
_PAGE_NUMBER = re.compile(r"(?:page\s+)?(?:[ivxlc]{1,7}|\d{1,4})(?:\s*(?:of|/)\s*\d{1,4})?", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_CONTENTS = re.compile(r"(?:\.\s?){4,}\s*[\divxlc]+$|…{2,}\s*[\divxlc]+$", re.IGNORECASE)
_BULLET = re.compile(r"[•●▪■◦○‣⁃∙·\uf0b7\uf0a7\uf076✓➢]\s*|(?:[-–o])\s+(?=\S)")
_STEP = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:;][”\"')\]]?$")
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_LEAD_ROWS = 4  # above a table's header: its name, and what is said of all of it
_ONCE = 0.8  # with fewer places than letters, by so much, letters are printed more than once
_HEADING_WORDS, _HEADING_CHARS = 16, 140
_LARGER = 1.1  # than the type of most of the text
_FULL, _BREAK = 0.7, "\v"  # a line that ends before so much of the width was ended there by its writer
_LEADING = 1.55  # a gap between lines of more than so many times the usual one begins a paragraph
_PRODUCED = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel) - |untitled|.*\.(?:docx?|indd|pptx?|dat|exe|rtf|pdf)$)", re.I
)


Rows = tuple[tuple[tuple[str, bool], ...], ...]  # of cells: the text, and whether it is bold


@dataclass(frozen=True, slots=True)
class _PdfPage:
    """What is read of a page: rows of words, and tables with the height at which they stand."""

    number: int
    height: float
    rows: list[Line]
    tables: list[TableLines]
    sizes: Counter[float]  # of type, by the letters set in it
    scanned: str = ""


@dataclass(slots=True)
class _Piece:
    """A heading, paragraph, list item or table of the document, and the page where it begins."""

    page: int
    tag: str  # h, p, ul, ol or table
    text: str = ""
    style: tuple[float, bool] = (0.0, False)
    rows: Rows = ()


def pdf_as_html(body: bytes) -> str:
    """The document's text; `UnreadableDocumentError` says why there is none."""
    try:
        with pdfplumber.open(io.BytesIO(body)) as pdf:
            title, form = str(pdf.metadata.get("Title") or ""), "AcroForm" in pdf.doc.catalog
            pages = list(_pages(pdf))
    except PdfminerException as error:
        raise _reason(error) from error
    if not any(page.rows or page.tables or page.scanned for page in pages):
        raise UnreadableDocumentError("scanned" if pages else "empty")
    body_size = _body_size(pages)
    pieces = list(_joined(_pieces(_without_margins(pages, body_size), body_size)))
    return _html("" if _PRODUCED.search(title) else title, pieces, form=form)


def _reason(error: PdfminerException) -> UnreadableDocumentError:
    inner = error.args[0] if error.args else None
    locked = isinstance(inner, (PDFPasswordIncorrect, PDFEncryptionError))
    return UnreadableDocumentError("encrypted" if locked else "damaged")


# --- a page's words ------------------------------------------------------------------------------


def _pages(pdf: PDF) -> Iterator[_PdfPage]:
    """The pages, as many as may be read in the time that there is."""
    start = time.monotonic()
    for page in pdf.pages[:MAX_PAGES]:
        if time.monotonic() - start > MAX_SECONDS:
            return
        tables = [table for found in page.find_tables() if (table := _ruled(found))]
        boxes = [table.bbox for table, _ in tables]
        words = [word for word in _words(page) if not any(_inside(word, box) for box in boxes)]
        scanned = "" if words or tables or not page.images else text_in_picture(page)
        sizes = Counter(round(char["size"] * 2) / 2 for char in page.chars if char["text"].strip())
        rows = [row for row in rows_of(words) if not _CONTENTS.search(row.text)]
        ruled = [lines for _, lines in tables]
        yield _PdfPage(page.page_number, float(page.height), rows, ruled, sizes, scanned)
        page.close()


def _words(page: Any) -> Iterator[PlacedWord]:
    for one in _printed_once(page).extract_words(extra_attrs=["size", "fontname"], x_tolerance_ratio=0.15):
        if one["upright"] and one["size"] > 0:
            bold = bool(_BOLD.search(one["fontname"]))
            yield PlacedWord(one["text"], one["x0"], one["x1"], one["top"], one["bottom"], one["size"], bold)


def _printed_once(page: Any) -> Any:
    """The page with each letter once, where they are printed twice to look bold."""
    places = {(char["text"], round(char["x0"]), round(char["top"])) for char in page.chars}
    return page.dedupe_chars() if len(places) < _ONCE * len(page.chars) else page


def _inside(word: PlacedWord, box: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = box
    return left <= (word.x0 + word.x1) / 2 <= right and top <= (word.top + word.bottom) / 2 <= bottom


def _ruled(table: Any) -> tuple[Any, TableLines] | None:
    """A table by its lines; None for a box around text."""
    rows = [[" ".join((cell or "").split()) for cell in row] for row in table.extract(x_tolerance_ratio=0.15)]
    filled = [cell for row in rows for cell in row if cell]
    columns = [place for place in range(len(rows[0]) if rows else 0) if any(row[place] for row in rows)]
    rows = [[row[place] for place in columns] for row in rows if any(row)]
    if len(rows) < 2 or len(columns) < 2 or max(map(len, filled)) > 900:
        return None
    return table, TableLines(tuple(tuple((cell, False) for cell in row) for row in rows), table.bbox[1])


# --- what is on every page -----------------------------------------------------------------------


def _without_margins(pages: Sequence[_PdfPage], body: float) -> list[_PdfPage]:
    """The pages without running headers and footers, and without their numbers."""
    margins = [_margin_rows(page) for page in pages]
    counts = Counter(key for rows in margins for key in set(map(_key, rows)))
    least = max(2, _REPEATED * len(pages))
    running: set[int] = set()
    titles: set[str] = set()  # a title above every page is said once
    for page, rows in zip(pages, margins, strict=True):
        for row in rows:
            is_title = row.size >= _LARGER * body and row.bottom < page.height / 2
            if _is_running(row, counts, least, body) and not (is_title and row.text not in titles):
                running.add(id(row))
            titles.add(row.text)
    return [replace(page, rows=[row for row in page.rows if id(row) not in running]) for page in pages]


def _margin_rows(page: _PdfPage) -> list[Line]:
    """The first and last rows, where they stand near the edge."""
    top, bottom = _MARGIN * page.height, (1 - _MARGIN) * page.height
    ends = {id(row): row for row in (*page.rows[:_MARGIN_ROWS], *page.rows[-_MARGIN_ROWS:])}
    return [row for row in ends.values() if row.bottom < top or row.top > bottom]


def _is_running(row: Line, counts: Counter[str], least: float, body: float) -> bool:
    """Whether it stands on many pages; one that is no larger than the text may also be a page's number."""
    is_number = row.size < _LARGER * body and _PAGE_NUMBER.fullmatch(row.text.strip("-– "))
    return counts[_key(row)] >= least or bool(is_number)


def _key(row: Line) -> str:
    return _DIGITS.sub("#", row.text.casefold())


# --- what is under which heading -----------------------------------------------------------------


def _pieces(pages: Sequence[_PdfPage], body: float) -> Iterator[_Piece]:
    header: Header | None = None  # of a table that the page before ended with
    for page in pages:
        if page.scanned:
            yield _Piece(page.number, "h", SCANNED, (0.0, False))
            yield from (
                _Piece(page.number, "p", " ".join(part.split())) for part in page.scanned.split("\n\n")
            )
        runs: list[tuple[float, Run]] = [(table.top, table) for table in page.tables]
        for part in _around(page.rows, sorted(table.top for table in page.tables)):
            segments, header = segments_of(list(headings_apart(part)), header)
            for one in segments:
                if isinstance(one, TableLines):
                    runs.append((one.top, one))
                else:
                    runs += [(one[0].top, run) for run in in_reading_order(one)]
        for _, run in sorted(runs, key=lambda pair: pair[0]):
            if isinstance(run, TableLines):
                yield from _of_table(run.rows, page.number, body)
            else:
                yield from _of_lines(run, page.number, body)


def _of_table(rows: Rows, page: int, body: float) -> Iterator[_Piece]:
    """A table as one, or as several where a row of headers stands within; what is above them leads in."""
    first = 0
    for place, row in enumerate(rows):
        if place and len(row) > 1 and all(bold for _, bold in row):
            above = range(max(first, place - _LEAD_ROWS), place)
            lead = next((one for one in above if rows[one][0][1] and not rows[one][-1][1]), place)
            if first < lead:
                yield _Piece(page, "table", rows=rows[first:lead])
            for text, bold in (cell for cells in rows[lead:place] for cell in cells if cell[0]):
                yield _Piece(page, "h" if bold else "p", text, (body, True))
            first = place
    yield _Piece(page, "table", rows=rows[first:])


def _around(rows: Sequence[Line], tops: Sequence[float]) -> Iterator[list[Line]]:
    """The rows before, between and after these heights."""
    parts: list[list[Line]] = [[] for _ in range(len(tops) + 1)]
    for row in rows:
        parts[sum(top <= row.top for top in tops)].append(row)
    return (part for part in parts if part)


def _body_size(pages: Iterable[_PdfPage]) -> float:
    """The type size of most letters."""
    sizes: Counter[float] = Counter()
    for page in pages:
        sizes.update(page.sizes)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _of_lines(lines: Sequence[Line], page: int, body: float) -> Iterator[_Piece]:
    """Lines one below the other as headings, paragraphs and items."""
    pitches = sorted(b.bottom - a.bottom for a, b in pairwise(lines) if b.bottom > a.bottom)
    usual = pitches[len(pitches) // 3] if pitches else 0.0
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    piece: _Piece | None = None
    before: Line | None = None
    for line in lines:
        new = _new_piece(line, page, body)
        far = before is not None and line.bottom - before.bottom > _LEADING * max(usual, line.size)
        if piece and before and not far and _goes_on(piece, before, new, right):
            piece.text += ("\n" if before.x1 > left + _FULL * (right - left) else _BREAK) + line.text
        else:
            if piece:
                yield piece
            piece = new
        before = line
    if piece:
        yield piece


def _new_piece(line: Line, page: int, body: float) -> _Piece:
    text, style = line.text, (round(line.size * 2) / 2, line.bold)
    if found := _BULLET.match(text):
        return _Piece(page, "ul", text[found.end() :], style) if text[found.end() :] else _Piece(page, "p")
    if _is_heading(line, body):
        return _Piece(page, "h", text, style)
    return _Piece(page, "ol" if _STEP.match(text) else "p", text, style)


def _is_heading(line: Line, body: float) -> bool:
    stands_out = line.bold or line.size >= _LARGER * body
    text = line.text
    short = len(line.words) <= _HEADING_WORDS and len(text) <= _HEADING_CHARS
    return (
        stands_out
        and short
        and any(letter.isalpha() for letter in text)
        and not text.endswith((".", ",", ";"))
    )


def _goes_on(piece: _Piece, before: Line, new: _Piece, right: float) -> bool:
    """Whether a line belongs to the piece above it."""
    if new.tag in ("ul", "ol"):
        return False
    if piece.tag == "h" or new.tag == "h":
        return piece.tag == new.tag and piece.style == new.style and len(piece.text) < _HEADING_CHARS
    ended = bool(_SENTENCE_END.search(before.text)) and before.x1 < right - 4 * before.size
    return not ended


def _joined(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Paragraphs and tables that go on over the end of a page in one; words cut at a line's end mended."""
    last: _Piece | None = None
    for piece in pieces:
        if last and piece.page == last.page + 1 and _goes_over(last, piece):
            if piece.tag == "table":
                rows = piece.rows[1:] if piece.rows[0] == last.rows[0] else piece.rows
                last.rows += rows
            else:
                last.text += "\n" + piece.text
            last.page = piece.page if piece.tag == "table" else last.page
            continue
        if last:
            yield _mended(last)
        last = piece
    if last:
        yield _mended(last)


def _goes_over(last: _Piece, piece: _Piece) -> bool:
    if piece.tag == "table":
        # One whose header says what it is stands by itself, and its rows on their own page.
        is_headed = all(bold for _, bold in piece.rows[0])
        return last.tag == "table" and piece.rows[0] == last.rows[0] and not is_headed
    return (
        last.tag in ("p", "ul", "ol")
        and piece.tag == "p"
        and piece.text[:1].islower()
        and not _SENTENCE_END.search(last.text)
    )


_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")


def _mended(piece: _Piece) -> _Piece:
    """The piece on one line, without the hyphens of its line ends."""
    text = _HYPHEN.sub(lambda found: "" if found.string[found.end()].islower() else "-", piece.text)
    piece.text = _BREAK.join(" ".join(line.split()) for line in text.split(_BREAK))
    return piece


# --- as HTML -------------------------------------------------------------------------------------


def _html(title: str, pieces: Sequence[_Piece], *, form: bool) -> str:
    ranks = sorted({piece.style for piece in pieces if piece.tag == "h"}, reverse=True)
    levels = {style: min(rank, 6) for rank, style in enumerate(ranks, 1)}
    if not title.strip() and ranks:
        first = pieces[0].page
        title = " ".join(p.text for p in pieces if p.page == first and p.tag == "h" and p.style == ranks[0])
    parts = [f"<title>{escape(' '.join(title.split()))}</title><body>"]
    if form:
        parts.append(f"<p>{FORM}</p>")
    page, items = 0, ""
    for piece in pieces:
        if items and (piece.tag != items or piece.page != page):
            parts.append(f"</{items}>")
            items = ""
        if piece.page != page:
            parts.append(f"{'</div>' if page else ''}<div data-page='{piece.page}'>")
            page = piece.page
        if piece.tag in ("ul", "ol") and not items:
            items = piece.tag
            parts.append(f"<{items}>")
        parts.append(_element(piece, levels))
    parts.append(f"</{items}>" if items else "")
    return "".join([*parts, "</div></body>" if page else "</body>"])


def _element(piece: _Piece, levels: dict[tuple[float, bool], int]) -> str:
    text = escape(piece.text).replace(_BREAK, "<br>" if piece.tag == "p" else " ")
    match piece.tag:
        case "h":
            return f"<h{levels[piece.style]}>{text}</h{levels[piece.style]}>"
        case "ul" | "ol":
            return f"<li>{text}</li>"
        case "table":
            return _table(piece.rows)
        case _:
            return f"<p>{text}</p>" if text else ""


def _table(rows: Rows) -> str:
    """A first column in bold, below the first row, is one of headers."""
    named = len(rows) > 1 and all(row[0][1] for row in rows[1:]) and not all(bold for _, bold in rows[-1])
    return f"<table>{''.join(_row(row, named=named) for row in rows)}</table>"


def _row(cells: Sequence[tuple[str, bool]], *, named: bool) -> str:
    parts = []
    for place, (text, bold) in enumerate(cells):
        tag = "th" if (named and place == 0) or all(bold for text, bold in cells if text) else "td"
        parts.append(f"<{tag}>{escape(text)}</{tag}>")
    return f"<tr>{''.join(parts)}</tr>"
