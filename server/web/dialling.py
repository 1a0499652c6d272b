"""Help lines in an answer as links: on a phone in distress, one touch must do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from server.ask.receiving.distress import US_HELP_LINES
from server.records import HelpLine, Site


def dialled(text: str, site: Site) -> Markup:
    """A text, or HTML (`Markup`), with the numbers and addresses of the site's help lines as links.

    Only where they stand as help lines have them: a number between a colon and a full stop. "988" elsewhere
    is a room, or a price.
    """
    page = str(escape(text))
    known = _known(site.help_lines or US_HELP_LINES)
    return Markup(known.sub(_link, page)) if known else Markup(page)  # noqa: S704 - escaped above


def _known(lines: Sequence[HelpLine]) -> re.Pattern[str] | None:
    phones = [rf"(?<=: ){re.escape(str(escape(line.phone)))}(?=\.)" for line in lines if line.phone]
    pages = [
        rf"(?<![\w\"/]){re.escape(str(escape(line.url)))}(?![\w/\"])" for line in lines if _is_page(line.url)
    ]
    return re.compile("|".join((*phones, *pages))) if phones or pages else None


def _is_page(url: str) -> bool:
    return url.startswith(("https://", "http://"))


def _link(match: re.Match[str]) -> str:
    found = match.group()
    if _is_page(found):
        return f'<a href="{found}" target="_blank" rel="noopener">{found}</a>'
    return f'<a href="tel:{re.sub(r"[^0-9+]", "", found)}" dir="ltr">{found}</a>'
