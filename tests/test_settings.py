from __future__ import annotations

import dataclasses
from datetime import date
from pathlib import Path

import pytest

from server.ask.context import known_strategies
from server.ask.strategy.presets import PRESETS
from server.calibration import FITTED, Calibration, read_calibration
from server.settings import PROJECT, STRATEGIES, STRATEGIES_TOLD, Settings
from server.variables import PREFIX, SettingError


def test_without_variables_everything_is_as_the_table_says() -> None:
    assert Settings.read({}) == Settings()


def test_variables_are_read_as_their_settings_types() -> None:
    settings = Settings.read(
        {
            "LODGE_PORT": "9000",
            "LODGE_CRAWL_DELAY_S": "0.5",
            "LODGE_SITE_NAME": "Brackwater College",
            "LODGE_FUSION": "rrf",
            "LODGE_HNSW_FROM_CHUNKS": "0",
        }
    )
    assert (settings.port, settings.crawl_delay_s, settings.hnsw_from_chunks) == (9000, 0.5, 0)
    assert (settings.site_name, settings.fusion) == ("Brackwater College", "rrf")


def test_every_strategy_there_is_can_be_the_default() -> None:
    assert list(STRATEGIES) == [*known_strategies(), *PRESETS]


def test_a_day_is_read_or_named() -> None:
    assert Settings.read({}).day is None
    assert Settings.read({"LODGE_TODAY": "2026-11-22"}).day == date(2026, 11, 22)
    with pytest.raises(SettingError, match="LODGE_TODAY is 'soon'; it takes a day"):
        _ = Settings.read({"LODGE_TODAY": "soon"}).day


def test_paths_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings.read({"LODGE_HOME": "here", "LODGE_MODELS_DIR": "~/models"})
    assert settings.home == tmp_path / "here"
    assert settings.models_dir == Path.home() / "models"


def test_as_variables_they_are_the_same_settings_again(tmp_path: Path) -> None:
    settings = dataclasses.replace(Settings(), home=tmp_path, port=9000, fusion="rrf", rerank_stop=0.001)
    assert Settings.read(settings.as_environ()) == settings
    assert Settings.read(Settings().as_environ()) == Settings()


def test_other_variables_are_not_looked_at() -> None:
    assert Settings.read({"PORT": "1", "lodge_port": "2", "LODGE_API_URL": "http://127.0.0.1"}) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("LODGE_PORT", "http", "a whole number"),
        ("LODGE_PORT", "80.5", "a whole number"),
        ("LODGE_PORT", "", "a whole number"),
        ("LODGE_PORT", "0", "1 or more"),
        ("LODGE_CRAWL_DELAY_S", "soon", "a number"),
        ("LODGE_CRAWL_DELAY_S", "-1", "0 or more"),
        ("LODGE_CRAWL_DELAY_S", "nan", "a number"),
        ("LODGE_STRATEGY", "magic", f"one of: {STRATEGIES_TOLD}"),
        ("LODGE_FUSION", "SCORE", "one of: score, rrf"),
    ],
)
def test_a_wrong_value_names_the_variable_and_what_would_be_right(name: str, value: str, takes: str) -> None:
    with pytest.raises(SettingError) as caught:
        Settings.read({name: value})
    assert str(caught.value).startswith(f"{name} is ")
    assert str(caught.value).endswith(f"it takes {takes}.")


def test_every_file_of_a_run_is_under_home(tmp_path: Path) -> None:
    settings = Settings.read({"LODGE_HOME": str(tmp_path)})
    assert settings.crawl_dir == tmp_path / "crawl"
    assert settings.snapshots_dir == tmp_path / "snapshots"
    assert settings.records_database_url == f"sqlite:///{tmp_path}/records.sqlite"


def test_records_may_live_elsewhere() -> None:
    url = "postgresql+psycopg://lodge@db/lodge"
    assert Settings.read({"LODGE_RECORDS_URL": url}).records_database_url == url


def test_every_setting_has_a_sentence_and_an_allowed_default() -> None:
    for field in dataclasses.fields(Settings):
        sentence = field.metadata["sentence"]
        assert sentence[0].isupper(), field.name
        assert sentence.endswith("."), field.name
        takes = field.metadata["takes"]
        assert not takes.allowed or field.default in takes.allowed, field.name
        assert takes.at_least is None or takes.at_least <= field.default <= takes.at_most, field.name


def test_the_defaults_read_from_variables_are_the_defaults() -> None:
    """Every default is a value that its own variable could be set to."""
    defaults = {
        PREFIX + f.name.upper(): str(getattr(Settings(), f.name)) for f in dataclasses.fields(Settings)
    }
    assert Settings.read(defaults) == Settings()


def test_nothing_is_read_from_outside_the_project_by_default() -> None:
    settings = Settings()
    assert all(p.is_relative_to(PROJECT) for p in (settings.home, settings.models_dir, settings.filters_file))


def test_the_shipped_calibration_is_the_table() -> None:
    shipped = read_calibration(Settings().calibration)
    assert shipped == {name: getattr(Calibration(), name) for name in FITTED}
    assert list(shipped) == list(FITTED)


def test_a_sites_calibration_is_read_and_a_variable_wins(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text("refusal_threshold = 0.6\nrerank_candidates = 20\n", encoding="utf-8")
    own = {"LODGE_CALIBRATION": str(file)}
    settings = Settings.read(own)
    assert (settings.refusal_threshold, settings.rerank_candidates) == (0.6, 20)
    assert settings.fusion_alpha == Settings().fusion_alpha
    assert Settings.read(own | {"LODGE_REFUSAL_THRESHOLD": "0.7"}).refusal_threshold == 0.7
    assert Settings.read(settings.as_environ()) == settings


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("refusal = 0.5", "has refusal; it takes: fusion, fusion_alpha"),
        ("refusal_threshold = 50", "refusal_threshold is '50'; it takes 1 or less."),
        ("candidates = 2.5", "candidates is '2.5'; it takes a whole number."),
        ("candidates = true", "candidates is no number or text."),
        ("fusion = 'magic'", "fusion is 'magic'; it takes one of: score, rrf."),
        ("fusion", "is not TOML"),
    ],
)
def test_a_wrong_calibration_names_its_file_and_key(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "site.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingError, match=r"^LODGE_CALIBRATION '.*site\.toml'") as caught:
        Settings.read({"LODGE_CALIBRATION": str(file)})
    assert told in str(caught.value)


def test_a_calibration_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be read: No such file or directory"):
        Settings.read({"LODGE_CALIBRATION": str(tmp_path / "none.toml")})
