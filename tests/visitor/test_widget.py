from __future__ import annotations

from html import unescape
from typing import Any

from litestar.testing import TestClient

from server.visitor.assets import script_line, tag_line

Client = TestClient[Any]


def line(page: str, name: str) -> str:
    return unescape(page.partition(f'<code id="{name}">')[2].partition("</code>")[0])


def test_the_page_holds_the_widget_by_one_line_and_writes_that_line(client: Client) -> None:
    page = client.get("/demo").text
    assert '<script src="/widget.js" data-site="main" async></script>' in page
    own = "http://testserver.local/widget.js"
    assert line(page, "script-line") == f'<script src="{own}" data-site="main" async></script>'
    assert line(page, "tag-line") == '<lodge-chat site="main"></lodge-chat>'


def test_what_is_chosen_is_in_the_line_and_on_the_page(client: Client) -> None:
    page = client.get("/demo?site=library&label=Ask%20Finch&position=left&lang=es").text
    wanted = 'data-site="library" data-label="Ask Finch" data-lang="es" data-position="left"'
    assert wanted in line(page, "script-line")
    assert wanted in page.split("</head>")[0]
    assert "https://library.larkmoor.example" in page


def test_nothing_that_is_chosen_can_leave_its_quotes(client: Client) -> None:
    evil = '"><script>alert(1)</script>'
    page = client.get("/demo", params={"label": evil}).text
    assert "<script>alert" not in page
    assert "<script>" not in script_line("https://a.example", "main", {"label": evil})
    assert tag_line("main", {"label": '"'}) == '<lodge-chat site="main" label="&#34;"></lodge-chat>'
