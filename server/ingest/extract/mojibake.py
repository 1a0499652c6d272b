"""Text that was UTF-8, was read as another charset and saved as what that made of it: "Technologyâ€™s"."""

from __future__ import annotations

import re

from ftfy import fix_encoding
from ftfy.badness import is_bad

# Text between two tags or line breaks.
_RUN = re.compile(r"[^<>\n]++")
# More of a page than this is left as it is: ftfy reads it several times over.
MOST_MANGLED = 200_000


def mended(html: str) -> str:
    """The page as it was meant, where ftfy takes a run of its text for such: "Technology’s"."""
    if html.isascii() or not is_bad(html):
        return html
    bad = [run for run in _RUN.findall(html) if not run.isascii() and is_bad(run)]
    if sum(map(len, bad)) > MOST_MANGLED:
        return html
    meant = {run: fix_encoding(run) for run in set(bad)}
    return _RUN.sub(lambda found: meant.get(found[0], found[0]), html)
