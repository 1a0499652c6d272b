from dataclasses import replace
from pathlib import Path

import pytest

from server.ask.curated import LiveRules
from server.settings import Settings
from server.sites.site import UNNAMED
from server.wiring.measuring import open_ground
from server.wiring.opening import build_sites, edit_sites, site_name
from tests import small_site


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home whose live snapshot is of pages that name their site."""
    settings = small_site.settings_for(tmp_path_factory.mktemp("named"))
    meta = '<meta property="og:site_name" content="Brackwater">'
    pages = [{**one, "html": meta + one["html"]} for one in small_site.kept_pages()[:3]]
    small_site.index_pages(settings, pages)
    return settings


def name_of_main(settings: Settings) -> str:
    sites = build_sites(settings)
    edit_sites(sites, LiveRules(tuple, lambda: ""), settings)
    main = sites.get("main")
    assert main is not None
    return main.name


def test_without_a_name_the_pages_own_is_used(named: Settings) -> None:
    assert (site_name(named), name_of_main(named)) == ("Brackwater", "Brackwater")


def test_a_name_in_the_settings_or_the_table_wins(named: Settings, tmp_path: Path) -> None:
    table = tmp_path / "sites.toml"
    table.write_text('[sites.main]\nname = "The College"\n', encoding="utf-8")
    assert name_of_main(replace(named, site_name="Brackwater College")) == "Brackwater College"
    assert name_of_main(replace(named, sites_file=str(table))) == "The College"


def test_before_the_first_snapshot_no_universitys_name_is_said(tmp_path: Path) -> None:
    settings = small_site.settings_for(tmp_path)
    assert (site_name(settings), name_of_main(settings)) == (UNNAMED, UNNAMED)


def test_a_snapshot_that_became_live_since_is_looked_at(named: Settings, tmp_path: Path) -> None:
    settings = small_site.settings_for(tmp_path)
    sites = build_sites(settings)
    edit_sites(sites, LiveRules(tuple, lambda: ""), settings)
    assert [site.name for site in sites.all()] == [UNNAMED]
    settings.snapshots_dir.parent.mkdir(parents=True, exist_ok=True)
    settings.snapshots_dir.symlink_to(named.snapshots_dir)
    assert [site.name for site in sites.all()] == ["Brackwater"]


@pytest.mark.parametrize(("set_name", "name"), [("", "Otherwater"), ("The College", "The College")])
def test_a_site_that_is_measured_by_a_pages_file_is_called_as_its_pages_say(
    named: Settings, tmp_path: Path, set_name: str, name: str
) -> None:
    """And not as the live snapshot's: what is asked of the one would be another university's there."""
    meta = '<meta property="og:site_name" content="Otherwater">'
    pages = [{**one, "html": meta + one["html"]} for one in small_site.kept_pages()[:3]]
    file = small_site.write_pages(tmp_path / "p.jsonl", pages)
    settings = replace(named, site_name=set_name)
    with open_ground(settings, file) as ground:
        ground.prepare(lambda _: None, lambda _: None)
        assert ground.asker(settings).options.site_name == name
