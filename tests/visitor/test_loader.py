from __future__ import annotations

import gzip
import json
from typing import Any

from litestar.testing import TestClient

from server.messages.catalogue import Catalogue
from server.settings import PROJECT, Settings
from server.visitor.assets import PLACEHOLDER, STATIC_DIR, Assets, launcher_facts, loader
from server.wiring.opening import build_sites
from tests.scripted_app import CONTACT_URL, site_table

CATALOGUE = Catalogue.read()


def facts(**main: Any) -> dict[str, Any]:
    return launcher_facts(site_table(main=main).all()[0], CATALOGUE)


def test_it_is_told_who_may_embed_it_its_words_and_its_look() -> None:
    own = facts(contact_url="", theme={})
    assert own["o"] == ["https://www.larkmoor.example"]
    assert own["t"]["en"] == [
        "Ask a question",
        "The chat is not available. Ask a person",
        "The chat is not available at the moment",
    ]
    assert own["t"]["es"][0] == "Haga una pregunta"
    assert own["c"] == "#17626b"
    assert set(own) == {"o", "t", "c"}


def test_it_is_told_what_differs_from_the_default() -> None:
    theme = {"colour": "#ffffff", "text": "#000000"}
    own = facts(theme={"colour": "#7a1f2b", "corner_px": 0, "font": "Georgia", "position": "left"})
    assert (own["r"], own["f"], own["p"], own["u"]) == (0, "Georgia", "left", CONTACT_URL)
    assert "i" not in own
    assert facts(theme={**theme, "colour": "#8a8a8a"})["i"] == "#000000"
    assert len(own["t"]["en"]) == 2


def test_the_table_of_sites_stands_where_the_name_was() -> None:
    built = (STATIC_DIR / "widget.js").read_bytes()
    assert built.count(PLACEHOLDER) == 1
    body = loader(Assets.read(), site_table(), CATALOGUE).body
    assert PLACEHOLDER not in body
    start = body.index(b'{"main"')
    table, _ = json.JSONDecoder().raw_decode(body[start:].decode())
    assert list(table) == ["main", "library"]


def test_the_demos_loader_with_its_table_is_under_3_kb_compressed() -> None:
    settings = Settings.read(
        {
            "LODGE_SITES_FILE": str(PROJECT / "corpus" / "demo_site" / "sites.toml"),
            "LODGE_FRAME_ORIGINS": "http://127.0.0.1:8090 http://localhost:8090",
            "LODGE_CONTACT_URL": "http://127.0.0.1:8090/about/contact/",
        }
    )
    packed = loader(Assets.read(), build_sites(settings), CATALOGUE).packed
    assert packed is not None
    assert len(packed) < 3_400


def test_it_is_kept_for_minutes_and_used_for_days_while_the_server_is_down(client: TestClient[Any]) -> None:
    response = client.get("/widget.js", headers={"Accept-Encoding": "gzip"})
    assert "max-age=300" in response.headers["cache-control"]
    assert "stale-if-error=604800" in response.headers["cache-control"]
    assert response.headers["content-type"].startswith("text/javascript")
    assert response.headers["content-encoding"] == "gzip"
    again = client.get("/widget.js", headers={"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304


def test_a_word_that_ends_a_script_is_only_a_word() -> None:
    theme = site_table(main={"contact_url": "https://a.example/</script>"})
    packed = loader(Assets.read(), theme, CATALOGUE).packed
    assert packed is not None
    assert b"https://a.example/</script>" in gzip.decompress(packed)
