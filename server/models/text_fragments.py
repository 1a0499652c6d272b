"""The link to the very words of a source: the page's address with a text fragment.

As in the WICG's draft (https://wicg.github.io/scroll-to-text-fragment/): `#:~:text=first words,last words`. A
browser that finds the words scrolls to them and marks them; any other opens the page.
"""

import re
from urllib.parse import quote as percent_encoded

from server.models.table_rows import read_row

# A stretch of more words is named by its first and last ones.
WHOLE_WORDS, EDGE_WORDS = 8, 5
_SPACED_OUT = re.compile(r"[^\S\n]{3,}")  # what is not shown of a passage is spaces there


def link_to_text(url: str, quote: str) -> str:
    """The address of `quote` on the page `url`; the page's own where there is nothing to look for.

    A line of the quote is a block of the page, and a table's row is cells of it: what is looked for lies in
    one block, from its first words to its last, or from the first of several to the last.
    """
    lines = [part.strip() for line in quote.split("\n") for part in _SPACED_OUT.split(line) if part.strip()]
    if not lines or not url.startswith(("http://", "https://")):
        return url
    first, last = _blocks(lines[0]), _blocks(lines[-1])
    start, end = first[0].split(), last[-1].split()
    if len(lines) == 1 and len(first) == 1:
        wanted = [start] if len(start) <= WHOLE_WORDS else [start[:EDGE_WORDS], start[-EDGE_WORDS:]]
    else:
        wanted = [start[:EDGE_WORDS], end[-EDGE_WORDS:]]
    told = ",".join(percent_encoded(" ".join(words), safe="").replace("-", "%2D") for words in wanted)
    return f"{url}{'' if '#' in url else '#'}:~:text={told}"


def _blocks(line: str) -> list[str]:
    """The pieces of a line that stand apart on the page: a row's cells, else the line alone."""
    row = read_row(line)
    return [cell for cell in row.cells if cell] if row else [line]
