from __future__ import annotations

import pytest

from server.ingest.extract.extract import extract
from server.ingest.extract.scripted import needs_browser
from server.models import SourcePage

WORDS = "<p>The registrar's office is open on weekdays from nine to five, in Quarry Hall 204.</p>"


def asks(html: str) -> bool:
    page = SourcePage("https://a.example/", html.encode())
    return needs_browser(page, extract(page))


@pytest.mark.parametrize(
    "html",
    [
        '<title>Apply</title><div id="root"></div><script src="/main.js"></script>',
        "<body><div class=x id=app> </div></body>",
        "<body><app-root></app-root><script src=runtime.js></script></body>",
        "<body><noscript>You need to enable JavaScript to run this app.</noscript><div></div></body>",
        "<body><noscript><p>Este sitio requiere <b>JavaScript</b>.</p></noscript></body>",
    ],
)
def test_an_empty_page_that_scripts_fill(html: str) -> None:
    assert asks(html)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>Gone.</p>",
        f'<div id="root">{WORDS * 4}</div><noscript>Please enable JavaScript.</noscript>',
        f"<main>{WORDS * 4}</main><div id=app></div>",
        "<noscript><img src=pixel.gif></noscript><p>Short.</p>",
        "<p>Enable JavaScript in your browser to see the map.</p>",
    ],
)
def test_a_page_that_says_something_or_is_only_short(html: str) -> None:
    assert not asks(html)
