from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ask.conversation.families import families
from server.errors import BadInputError
from server.messages.catalogue import MESSAGES_DIR, Catalogue, Texts, accepted, fill
from server.models import FeedbackReasons
from server.settings import PROJECT
from server.toml_files import read_toml
from tests.scripted_app import site_table

CATALOGUE = Catalogue.read()
KEYS = {field.name for field in fields(Texts)} - {"lang"}
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


def test_what_stands_in_for_a_blank_is_not_looked_at_again() -> None:
    assert fill("{a} {b}", a="{b}", b="{a}") == "{b} {a}"
    assert fill("{text}", text="so") == "so"


@pytest.mark.parametrize("lang", ["en", "es"])
def test_english_and_spanish_say_everything(lang: str) -> None:
    """In its own file: every key of the code, and none without words."""
    own = read_toml(MESSAGES_DIR / f"{lang}.toml")
    assert own.keys() == KEYS
    assert all(own.values())


def test_every_message_is_said_somewhere() -> None:
    """By its name in the code or in a template; reasons, kinds and problems are looked up by theirs."""
    sources = [path for kind in ("*.py", "*.html") for path in (PROJECT / "server").rglob(kind)]
    texts = [path.read_text(encoding="utf-8") for path in sources if path.name != "catalogue.py"]
    said = set(re.findall(r"\b(?:t|texts|other)[.](\w+)|\"(\w+)\"", "\n".join(texts)))
    names = {name for pair in said for name in pair}
    names |= {f"reason_{reason}" for reasons in FeedbackReasons.values() for reason in reasons}
    names |= {f"kind_{kind.name}" for kinds in families().values() for kind in kinds}
    assert KEYS - names == {"quoted"}  # by the catalogue itself


def test_spanish_is_not_english() -> None:
    english, spanish = (CATALOGUE.texts(MAIN, [lang]) for lang in ("en", "es"))
    same = {key for key in KEYS if getattr(english, key) == getattr(spanish, key)}
    assert same == {"dir"}


def test_a_language_has_its_own_dates_and_lists() -> None:
    english, spanish = (CATALOGUE.texts(MAIN, [lang]) for lang in ("en", "es"))
    day = date(2026, 3, 1)
    assert (english.date(day), spanish.date(day)) == ("March 1, 2026", "1 de marzo de 2026")
    for items, in_english, in_spanish in (
        (["a"], "“a”", "«a»"),
        (["a", "b"], "“a” and “b”", "«a» y «b»"),
        (["a", "b", "{text}"], "“a”, “b”, and “{text}”", "«a», «b» y «{text}»"),
    ):
        assert (english.listed(items), spanish.listed(items)) == (in_english, in_spanish)


def test_a_number_has_the_form_that_goes_with_it() -> None:
    english, spanish = (CATALOGUE.texts(MAIN, [lang]) for lang in ("en", "es"))
    assert english.counted(english.chars_left, count=1) == "1 character left"
    assert english.counted(english.chars_left, count=0) == "0 characters left"
    assert spanish.counted(spanish.chars_left, count=1) == "Queda 1 carácter"
    assert spanish.counted(spanish.announced_sources, count=1) == "Sigue una fuente."


def test_a_language_may_have_more_forms_than_english(tmp_path: Path) -> None:
    forms = (
        '{ one = "{count} znak", few = "{count} znaki", many = "{count} znaków", other = "{count} znaku" }'
    )
    polish = Catalogue.read(written(tmp_path, f"chars_left = {forms}", "pl.toml")).texts(MAIN, ["pl"])
    said = [polish.counted(polish.chars_left, count=count) for count in (1, 2, 5, 22)]
    assert said == ["1 znak", "2 znaki", "5 znaków", "22 znaki"]


def test_a_language_that_nobody_has_rules_for_has_those_of_english(tmp_path: Path) -> None:
    rare = Catalogue.read(written(tmp_path, 'name = "Rare"', "xx.toml")).texts(MAIN, ["xx"])
    assert rare.date(date(2026, 3, 1)) == "March 1, 2026"
    assert rare.counted(rare.chars_left, count=1) == "1 character left"


def test_babel_is_not_loaded_before_it_is_needed() -> None:
    """Which most questions never do: it takes as long as a search."""
    script = (
        "import sys; from server.messages.catalogue import shipped; from server.ask import pipeline; "
        "shipped().spoken('es', 'U').listed(['a']); print('babel' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


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


def test_a_file_of_an_earlier_lodge_still_opens(tmp_path: Path) -> None:
    """It has dates and months of its own, one text for every number, and leaves refusals to the flow."""
    earlier = """
date = "{day}. {month} {year}"
months = ["Januar"]
announced_source = "Eine Quelle folgt."
announced_sources = "{count} Quellen folgen."
refused_no_evidence = ""
refused_off_topic = "Dazu sagt diese Seite nichts."
"""
    german = Catalogue.read(written(tmp_path, earlier)).texts(MAIN, ["de"])
    assert german.date(date(2026, 3, 1)) == "1. März 2026"
    assert german.counted(german.announced_sources, count=2) == "2 Quellen folgen."
    assert german.refused_no_evidence == CATALOGUE.texts(MAIN).refused_no_evidence
    assert german.refused_off_topic == "Dazu sagt diese Seite nichts."


def test_what_a_sites_own_spanish_leaves_out_is_said_in_ours(tmp_path: Path) -> None:
    own = Catalogue.read(written(tmp_path, 'send = "Mandar"', "es.toml")).texts(MAIN, ["es"])
    assert (own.send, own.goodbye) == ("Mandar", CATALOGUE.texts(MAIN, ["es"]).goodbye)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("titel = 'x'", "has titel, which messages/en.toml has not"),
        ("title = 3", "title is 3; it takes text"),
        ("title = 'Fragen Sie {uni}'", "braces than the English one, which has {site}"),
        ("send = '{site}'", "braces than the English one, which has none"),
        ("seasons = ['Winter']", "seasons takes 4 texts"),
        ("chars_left = 3", "chars_left is 3; it takes text, or a table with other"),
        ("chars_left = { one = 'eins' }", "it takes text, or a table with other"),
        ("chars_left = { other = '{count}', lots = '' }", "it takes text, or a table with other"),
        ("chars_left = { other = 'so many' }", "braces than the English one, which has {count}"),
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
