from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadInputError
from server.visitor.i18n import MESSAGES_DIR, Catalogue, Texts, accepted, fill
from tests.scripted_app import site_table

CATALOGUE = Catalogue.read()
MAIN = site_table().all()[0]


def written(folder: Path, text: str, name: str = "de.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_site_is_named_wherever_a_sentence_speaks_of_it() -> None:
    texts = CATALOGUE.texts(MAIN)
    assert texts.title == "Ask Larkmoor University"
    assert "Larkmoor University's own web pages" in texts.honesty
    assert texts.updated == "Updated {date}"


def test_a_sites_name_may_hold_braces() -> None:
    assert fill("Ask {site}, {count} times", site="{U}", count=3) == "Ask {U}, 3 times"


@pytest.mark.parametrize("lang", ["en", "es"])
def test_english_and_spanish_say_everything(lang: str) -> None:
    """In its own file: every key of the code, and none but a refusal's without words."""
    text = (MESSAGES_DIR / f"{lang}.toml").read_text(encoding="utf-8")
    own = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    assert own == {field.name for field in fields(Texts)} - {"lang"}
    texts = CATALOGUE.texts(MAIN, [lang])
    silent = {field.name for field in fields(Texts) if not getattr(texts, field.name)}
    english_refusals = {"refused_no_evidence", "refused_off_topic", "refused_unsafe"}
    assert silent == (english_refusals if lang == "en" else set())


def test_spanish_is_not_english() -> None:
    english, spanish = (CATALOGUE.texts(MAIN, [lang]) for lang in ("en", "es"))
    same = {f.name for f in fields(Texts) if getattr(english, f.name) == getattr(spanish, f.name)}
    assert same == {"dir"}


@pytest.mark.parametrize(
    ("wanted", "lang"),
    [([], "en"), (["es"], "es"), (["es-MX"], "es"), (["fr", "ES_419"], "es"), (["fr"], "en"), (["x"], "en")],
)
def test_the_first_wanted_language_that_there_is_is_spoken(wanted: list[str], lang: str) -> None:
    assert CATALOGUE.texts(MAIN, wanted).lang == lang


def test_a_site_may_choose_its_languages() -> None:
    spanish = site_table(main={"languages": ["es", "fr"]}).all()[0]
    assert CATALOGUE.offered(spanish) == ("es",)
    assert CATALOGUE.texts(spanish, ["en"]).lang == "es"
    none = site_table(main={"languages": ["fr"]}).all()[0]
    assert CATALOGUE.offered(none) == ("en", "es")


@pytest.mark.parametrize(
    ("header", "languages"),
    [
        ("", []),
        ("es", ["es"]),
        ("fr;q=0.3, es-MX, en;q=0.9", ["es-MX", "en", "fr"]),
        ("en;q=0, es;q=oops, *;q=0.1", ["*"]),
    ],
)
def test_what_a_browser_accepts_is_read_by_weight(header: str, languages: list[str]) -> None:
    assert accepted(header) == languages


@given(
    st.lists(
        st.tuples(st.from_regex("[a-z]{2,3}(-[A-Z]{2})?", fullmatch=True), st.integers(1, 1000)), max_size=6
    ),
    st.sampled_from(["{};q={}", "{} ; q={}", "\t{};Q={} "]),
)
def test_languages_come_by_weight_however_a_client_writes_them(
    wanted: list[tuple[str, int]], form: str
) -> None:
    header = ",".join(form.format(tag, f"{weight / 1000:.3f}") for tag, weight in wanted)
    assert accepted(header) == [tag for tag, _ in sorted(wanted, key=lambda pair: -pair[1])]


@given(st.text(max_size=40) | st.text("de-,;q=.01* ", max_size=60))
def test_whatever_a_client_accepts_it_is_spoken_to(header: str) -> None:
    assert CATALOGUE.texts(MAIN, accepted(header)).lang in CATALOGUE.offered(MAIN)


def test_another_language_is_one_more_file_and_lacks_nothing(tmp_path: Path) -> None:
    more = Catalogue.read(written(tmp_path, 'name = "Deutsch"\ntitle = "Fragen Sie {site}"\n'))
    assert more.offered(MAIN) == ("en", "de", "es")
    german = more.texts(MAIN, ["de"])
    assert (german.lang, german.title, german.send) == ("de", "Fragen Sie Larkmoor University", "Send")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("titel = 'x'", "has titel, which messages/en.toml has not"),
        ("title = 3", "title is 3; it takes text"),
        ("title = 'Fragen Sie {uni}'", "braces than the English one, which has {site}"),
        ("send = '{site}'", "braces than the English one, which has none"),
        ("months = ['Januar']", "months takes the twelve names"),
        ("dir = 'up'", "dir is 'up'; it takes ltr or rtl"),
        ("title = ", "cannot be read"),
    ],
)  # fmt: skip
def test_a_file_of_messages_that_would_not_do_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=re.escape(sentence)) as error:
        Catalogue.read(written(tmp_path, text))
    assert "de.toml" in error.value.message


def test_a_file_is_named_by_its_language(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"deutsch[.]toml: a file of messages is named by its language"):
        Catalogue.read(written(tmp_path, "", "deutsch.toml"))
