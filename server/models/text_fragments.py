"""The link to the very words of a source: the page's address with a text fragment, or a document's page.

As in the WICG draft (https://wicg.github.io/scroll-to-text-fragment/): `#:~:text=before-,first words,last`.
A browser that finds the words scrolls to them and marks them; any other opens the page.
"""

import re
from urllib.parse import quote as percent_encoded

from server.models.table_rows import read_row

# A stretch of more words is named by its first and last ones, which must not overlap.
WHOLE_WORDS, EDGE_WORDS = 10, 5
# "Cum laude: 3.50": cells of a row, a term with its definition, or one line.
_PAIR = re.compile(r"([^:]{1,60}):\s+(\S.*)")
_ITEM_NUMBER = re.compile(r"^\d{1,2}[.)]\s+")  # a list's own number is no text of its page
_SPACED_OUT = re.compile(r"[^\S\n]{3,}")  # what is not shown of a passage is spaces there


def link_to_text(url: str, quote: str) -> str:
    """The address of `quote` on the page `url`; the page's own where there is nothing to look for.

    A line of the quote is a block of the page, or several: a row's cells, a term and its definition. What is
    looked for begins in one block and ends in one; a row's first cell is named as what stands before it.
    """
    parts = (part.strip() for line in quote.split("\n") for part in _SPACED_OUT.split(line))
    lines = [_ITEM_NUMBER.sub("", part) for part in parts if part]
    if not lines or not url.startswith(("http://", "https://")):
        return url
    first, last = _blocks(lines[0]), _blocks(lines[-1])
    before = ""
    if read_row(lines[0]):
        before = f"{_encoded(first[0].split()[-EDGE_WORDS:])}-,"
        first = first[1:]
    start, end = first[0].split(), last[-1].split()
    is_one = len(lines) == 1 and len(first) == 1
    if is_one and len(start) <= WHOLE_WORDS:
        told = _encoded(start)
    else:
        told = f"{_encoded(start[:EDGE_WORDS])},{_encoded(end[-EDGE_WORDS:])}"
    return f"{url}{'' if '#' in url else '#'}:~:text={before}{told}"


def link_to_page(url: str, page: int) -> str:
    """The address of a page of a document, as browsers open PDFs (RFC 8118, section 3)."""
    return f"{url.partition('#')[0]}#page={page}"


def _blocks(line: str) -> list[str]:
    """The pieces of a line that may stand apart on the page."""
    if row := read_row(line):
        return [cell for cell in row.cells if cell]
    pair = _PAIR.fullmatch(line)
    return list(pair.groups()) if pair else [line]


def _encoded(words: list[str]) -> str:
    return percent_encoded(" ".join(words), safe="").replace("-", "%2D")
