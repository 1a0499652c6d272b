"""Whether a table holds values by row and column, or a page's layout, a menu, an album."""

from __future__ import annotations

from itertools import chain

from lxml import etree

from server.ingest.extract.tables import CellText, grid, names_its_columns, own_rows, without_spacers

# Of a table without headers so many cells are pictures alone, or have one or are links: an album, a menu.
_BARE, _NEARLY_ALL = 0.4, 0.8
# A cell of values below headers has fewer characters than this; a layout's may have more.
_LONG = 1500
# What no cell of values has.
_OF_LAYOUT = ("h1", "h2", "h3", "form", "details", "article", "hr")


def is_data_table(table: etree._Element, cell_text: CellText) -> bool:
    """Whether a table holds values by row and column, rather than the layout of a page."""
    if (
        table.get("role") in ("presentation", "none")
        or next(table.iterdescendants("table"), None) is not None
    ):
        return False
    if any(next(part.iter(*_OF_LAYOUT), None) is not None for part in table if part.tag != "caption"):
        return False
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in own_rows(table)]
    rows = [row for row in rows if row]
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return False
    texts = [[cell_text(cell) for cell in row] for row in rows]
    is_short = max(len(text) for row in texts for text in row) < _LONG
    if any(cell.tag == "th" for row in rows for cell in row):
        return is_short
    if _is_gallery(list(chain(*rows)), list(chain(*texts)), cell_text):
        return False
    return _looks_like_data(texts) or (is_short and names_its_columns(grid(table, cell_text)))


def _is_gallery(cells: list[etree._Element], texts: list[str], cell_text: CellText) -> bool:
    """Whether nearly every cell is a link and nothing else, or has a picture, or many are pictures alone: a
    menu, or an album, whose rows mean nothing."""
    pictured = [cell.find(".//img") is not None for cell in cells]
    filled = sum(bool(text) or picture for text, picture in zip(texts, pictured, strict=True))
    bare = sum(picture and not text for text, picture in zip(texts, pictured, strict=True))
    links = sum(
        bool(text) and "".join(map(cell_text, cell.iterdescendants("a"))) == text
        for text, cell in zip(texts, cells, strict=True)
    )
    return bare >= _BARE * filled or max(sum(pictured), links) >= _NEARLY_ALL * filled


def _looks_like_data(rows: list[list[str]]) -> bool:
    """For a table without header cells: as many cells in most rows, nearly all filled, all of them short.

    Columns and rows that only space the others do not count.
    """
    rows = [row for row in without_spacers(rows, lambda text: text) if any(row)]
    widths = [len(row) for row in rows]
    if not widths:
        return False
    usual = max(set(widths), key=widths.count)
    texts = [text for row in rows for text in row]
    filled = [text for text in texts if text]
    return (
        usual >= 2
        and widths.count(usual) >= 0.7 * len(widths)
        and len(filled) >= 0.6 * len(texts)
        and max(map(len, filled)) <= 300
        and sum(map(len, filled)) <= 80 * len(filled)
    )
