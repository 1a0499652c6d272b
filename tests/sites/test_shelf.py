from __future__ import annotations

import logging
from pathlib import Path

import pytest

from server.errors import BadInputError, NotFoundError, StorageError
from server.sites.site import SiteDefaults
from server.sites.table import SiteStore
from tests.clock import Clock

DEFAULTS = SiteDefaults("Larkmoor University")
FILE = """\
# ours
[sites.main]
name = "Larkmoor" # the short one

[[sites.main.contacts]]
label = { en = "Desk", es = "Mesa" }
phone = "555-0100"
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sites.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def shelf(path: Path, clock: Clock) -> SiteStore:
    return SiteStore(path, path.parent, DEFAULTS, clock)


def names(shelf: SiteStore) -> dict[str, str]:
    return {site.key: site.name for site in shelf.all()}


def test_an_entry_that_is_written_holds_at_once_and_in_the_file(shelf: SiteStore, path: Path) -> None:
    before = shelf.put("library", {"name": "Library", "origins": ["https://library.example.edu"]})
    assert before is None
    assert names(shelf) == {"main": "Larkmoor", "library": "Library"}
    assert names(SiteStore(path, path.parent, DEFAULTS)) == names(shelf)
    assert shelf.entry("library") == {"name": "Library", "origins": ["https://library.example.edu"]}


def test_what_people_wrote_beside_it_stays(shelf: SiteStore, path: Path) -> None:
    shelf.put("library", {"name": "Library"})
    assert path.read_text(encoding="utf-8").startswith(FILE.rstrip())


def test_what_was_there_is_returned(shelf: SiteStore) -> None:
    before = shelf.put("main", {"name": "Larkmoor University"})
    assert before == {
        "name": "Larkmoor",
        "contacts": [{"label": {"en": "Desk", "es": "Mesa"}, "phone": "555-0100"}],
    }
    assert shelf.remove("main") == {"name": "Larkmoor University"}
    assert names(shelf) == {"main": "Larkmoor University"}  # what the settings say


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"name": 7}, "sites.toml, site library: name is 7"),
        ({"origins": ["https://*.example.edu"]}, "not an origin"),
        ({"theme": {"colour": "#eeeeee"}}, "contrast"),
        ({"colour": "#17626b"}, "colour"),
        ({"theme": {"logo": "none.svg"}}, "logo"),
    ],
)
def test_what_is_wrong_is_told_and_changes_nothing(
    shelf: SiteStore, path: Path, values: dict[str, object], fault: str
) -> None:
    with pytest.raises(BadInputError, match=fault):
        shelf.put("library", values)
    assert path.read_text(encoding="utf-8") == FILE
    assert names(shelf) == {"main": "Larkmoor"}
    assert [file.name for file in path.parent.iterdir()] == ["sites.toml"]


def test_without_a_file_one_is_made(tmp_path: Path) -> None:
    shelf = SiteStore(None, tmp_path / "home", DEFAULTS)
    assert names(shelf) == {"main": "Larkmoor University"}
    shelf.put("library", {"name": "Library"})
    assert (tmp_path / "home" / "sites.toml").exists()
    assert set(names(shelf)) == {"main", "library"}


def test_a_change_by_hand_is_seen_after_a_while(shelf: SiteStore, path: Path, clock: Clock) -> None:
    path.write_text('[sites.main]\nname = "Other"\n', encoding="utf-8")
    assert names(shelf) == {"main": "Larkmoor"}
    clock.now = 60.0
    assert names(shelf) == {"main": "Other"}


def test_a_mistake_by_hand_is_logged_and_changes_nothing(
    shelf: SiteStore, path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text("[sites.main\n", encoding="utf-8")
    clock.now = 60.0
    with caplog.at_level(logging.WARNING):
        assert names(shelf) == {"main": "Larkmoor"}
    assert "not TOML" in caplog.text
    with pytest.raises(BadInputError):
        shelf.put("library", {"name": "Library"})


def test_an_entry_that_is_not_there_is_not_found(shelf: SiteStore) -> None:
    for ask in (shelf.entry, shelf.remove):
        with pytest.raises(NotFoundError):
            ask("nowhere")


def test_where_nothing_can_be_written_nothing_changes(tmp_path: Path) -> None:
    shelf = SiteStore(None, tmp_path / "home", DEFAULTS)
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises((StorageError, BadInputError)):
        shelf.put("library", {"name": "Library"})
    assert names(shelf) == {"main": "Larkmoor University"}


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"other\.toml"):
        SiteStore(tmp_path / "other.toml", tmp_path, DEFAULTS)
