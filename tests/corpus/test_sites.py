from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.demo_site.site import SiteError
from corpus.sites.build import HERE, NAMES, Site, build, main
from scripts.data_files import read_rows

PAGE = "title: Dogs & fees\nmodified: 2026-09-02\n---\n<p>Dogs pay.</p>\n<!-- table: fees -->\n"
MENU = "{% for entry in menu %}{{ entry.url }} {% endfor %}"
LAYOUT = "<title>{{ page.title }}</title>{{ unit }}|" + MENU + "|{{ content }}"
SITE = """
base_url = "https://a.example"
layout = "main"
folders.dogs = { layout = "old", name = "Dogs" }
menus.old = [{ title = "Home", url = "/" }]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of three pages, a layout and a table."""
    files = {
        "site.toml": SITE,
        "pages/index.html": PAGE.replace("<!-- table: fees -->", ""),
        "pages/dogs/index.html": PAGE,
        "pages/dogs/big.html": PAGE,
        "tables/fees.csv": "Dog,Fee\nbig & old,$5\n",
        "layouts/main.html": "main: " + LAYOUT,
        "layouts/old.html": "old: " + LAYOUT,
        "layouts/table.html": "{% for row in rows %}<tr>{{ row | join(' ') }}</tr>{% endfor %}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_page_has_the_layout_unit_and_menu_of_its_folder_and_its_tables(small: Path) -> None:
    lines = [json.loads(line) for line in Site(small).lines()]
    assert [line["url"] for line in lines] == [
        "https://a.example/dogs/big/", "https://a.example/dogs/", "https://a.example/",
    ]  # fmt: skip
    big, _, home = lines
    assert big == {
        "url": "https://a.example/dogs/big/",
        "title": "Dogs & fees",
        "html": "old: <title>Dogs &amp; fees</title>Dogs|/ |<p>Dogs pay.</p>\n"
        "<tr>Dog Fee</tr><tr>big &amp; old $5</tr>",
        "last_modified": "2026-09-02",
    }
    assert home["html"] == "main: <title>Dogs &amp; fees</title>|/dogs/ |<p>Dogs pay.</p>"


@pytest.mark.parametrize("name", NAMES)
def test_a_site_is_built_whole_and_always_the_same(name: str, tmp_path: Path) -> None:
    for out in ("one.jsonl.gz", "two.jsonl.gz"):
        assert main([name, str(tmp_path / out)]) == 0
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()
    lines = read_rows(tmp_path / "one.jsonl.gz")
    assert len({line["url"] for line in lines}) == len(list((HERE / name / "pages").rglob("*.html")))
    for line in lines:
        assert line["url"].startswith(f"{Site(HERE / name).base_url}/")
        assert "<!-- table:" not in line["html"]
        assert "{{" not in line["html"]
        assert line["title"].strip()


def test_what_cannot_be_built_is_said(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(
        SiteError,
        match=r"There is no site nowhere; there are aldermoor, brackwater, .*, wendham\.",
    ):
        build("nowhere", tmp_path / "out.jsonl.gz")
    assert main(["nowhere", str(tmp_path / "out.jsonl.gz")]) == 1
    assert "no site nowhere" in capsys.readouterr().err
    assert main([]) == 2
    (small / "tables/fees.csv").unlink()
    with pytest.raises(SiteError, match=r"/dogs/big/: there is no table fees\.csv"):
        list(Site(small).lines())
