from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.visitor.assets import STATIC_DIR, Assets, logo_url, style_sheet, style_url, variables
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, site_table, web_app

RED = {"theme": {"colour": "#7a1f2b", "corner_px": 0, "font": "Georgia, serif"}}


def test_a_theme_is_a_few_variables_for_light_and_dark() -> None:
    css = variables(site_table(main=RED).all()[0].theme)
    light, dark = css.split("@media (prefers-color-scheme:dark)")
    assert "--accent:#7a1f2b;--accent-ink:#ffffff;--link:#7a1f2b;" in light
    assert "--corner:0px;--font:Georgia, serif;" in light
    assert "--accent:#" in dark
    assert "#7a1f2b" not in dark


def test_the_sheet_is_the_chat_pages_with_the_sites_variables_last() -> None:
    assets = Assets.read()
    own = style_sheet(assets, site_table(main=RED).all()[0])
    assert own.body.startswith((STATIC_DIR / "chat.css").read_bytes())
    assert own.packed is not None
    assert gzip.decompress(own.packed) == own.body
    assert own.version != style_sheet(assets, site_table().all()[0]).version


def test_the_page_names_its_sites_sheet_by_its_version(client: TestClient[Any]) -> None:
    page = client.get("/chat?site=library").text
    [address] = [
        part.split('"')[0] for part in page.split('href="') if part.startswith("/sites/library/chat.css")
    ]
    response = client.get(address)
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["content-type"] == "text/css; charset=utf-8"
    assert client.get("/sites/library/chat.css?v=old").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/sites/nowhere/chat.css", "/sites/nowhere/logo", "/sites/main/logo"])
def test_what_a_site_has_not_is_a_404(client: TestClient[Any], path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_logo_is_served_as_the_image_it_is(parts: ScriptedParts, tmp_path: Path) -> None:
    (tmp_path / "heron.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    parts.sites = site_table(main={"theme": {"logo": str(tmp_path / "heron.svg")}})
    address = logo_url(Assets.read(), parts.sites.all()[0])
    with TestClient(web_app(OPTIONS, parts)) as client:
        response = client.get(address)
        assert f'src="{address}"' in client.get("/chat").text
    assert response.headers["content-type"].startswith("image/svg+xml")
    assert response.headers["content-security-policy"].startswith("default-src 'none'")
    assert logo_url(Assets.read(), site_table().all()[0]).startswith("/static/lodge.svg")


def test_the_address_changes_with_the_theme() -> None:
    assets = Assets.read()
    plain, red = (style_url(assets, site_table(main=values).all()[0]) for values in ({}, RED))
    assert plain != red
