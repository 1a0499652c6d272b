from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.settings import PROJECT, Settings
from server.sites.site import SiteDefaults
from server.sites.table import load_sites
from server.wiring.opening import build_sites

DEFAULTS = SiteDefaults("Example University", main_origins=("https://www.example.edu",))


def written(folder: Path, text: str) -> Path:
    path = folder / "sites.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_there_is_main_out_of_the_settings() -> None:
    table = load_sites(None, DEFAULTS)
    [main] = table.all()
    assert (main.key, main.name, main.origins) == ("main", "Example University", DEFAULTS.main_origins)
    assert table.get("library") is None


def test_a_file_adds_sites_and_speaks_for_main(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[sites.library]\nname = "Finch"\n[sites.main]\norigins = ["https://example.edu"]\n',
    )
    table = load_sites(path, DEFAULTS)
    assert [site.key for site in table.all()] == ["main", "library"]
    main, library = table.all()
    assert main.origins == ("https://example.edu", "https://www.example.edu")
    assert (library.name, library.origins) == ("Finch", ())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[sites.main", "is not TOML"),
        ("name = 'x'", r"may hold nothing but \[sites"),
        ("sites = 1", r"may hold nothing but \[sites"),
        ("[sites]\nmain = 1", "sites.toml, site main: it is no table"),
    ],
)
def test_a_file_that_is_no_table_of_sites_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInputError, match=sentence) as error:
        load_sites(path, DEFAULTS)
    assert str(path) in error.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none.toml cannot be read: No such file"):
        load_sites(tmp_path / "none.toml", DEFAULTS)


def test_an_origin_in_the_settings_that_is_none_is_named() -> None:
    with pytest.raises(BadInputError, match=r"LODGE_FRAME_ORIGINS has 'https://example[.]edu/path'"):
        load_sites(None, SiteDefaults("U", main_origins=("https://example.edu/path",)))


def test_the_home_may_hold_a_table_and_a_setting_may_name_one(tmp_path: Path) -> None:
    assert Settings(home=tmp_path).sites_path is None
    path = written(tmp_path, "[sites.library]\n")
    assert Settings(home=tmp_path).sites_path == path
    other = Settings(home=tmp_path, sites_file=str(tmp_path / "other.toml"))
    with pytest.raises(BadInputError, match=r"other.toml cannot be read"):
        build_sites(other)


def test_the_demo_universitys_table_is_in_order() -> None:
    settings = Settings.read({"LODGE_SITES_FILE": str(PROJECT / "corpus" / "demo_site" / "sites.toml")})
    [main] = build_sites(settings).all()
    assert main.name == "Larkmoor University"
    assert main.theme.logo is not None
    assert main.help_lines
    for lang in ("en", "es"):
        assert len([question for question in main.questions if question.speaks(lang)]) >= 3
        assert all(topic.title.speaks(lang) and topic.contacts for topic in main.topics)
