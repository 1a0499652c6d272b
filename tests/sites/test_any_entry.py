"""Whatever an editor writes for a site: it is there again to the letter, or refused in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadInputError, NotFoundError
from server.models import Theme
from server.sites.entry import Entry
from server.sites.shelf import SiteStore
from server.sites.site import SiteDefaults, read_site
from server.sites.table import load_sites
from server.sites.theme import read_theme
from server.visitor.assets import variables

DEFAULTS = SiteDefaults("Larkmoor")
KEYS = st.sampled_from(["main", "other", "lib", "x-1"])
LINES = st.text(max_size=8).filter(str.isprintable) | st.sampled_from(
    ["'''", '"', "a.b", "#", "=", "[x]", "\\u"]
)
PHRASES = LINES | st.dictionaries(st.sampled_from(["en", "es", "deu", ""]), LINES, max_size=2)
CONTACTS = st.fixed_dictionaries(
    {"label": LINES.map("Desk {}".format), "phone": st.just("555-0100")}, optional={"hours": PHRASES}
)
TOPICS = st.dictionaries(
    LINES,
    st.fixed_dictionaries(
        {"title": LINES.map("On {}".format)}, optional={"contacts": st.lists(CONTACTS, max_size=1)}
    ),
    max_size=2,
)
SITES = st.fixed_dictionaries(
    {},
    optional={
        "name": LINES,
        "theme": st.fixed_dictionaries({"corner_px": st.integers(0, 28)}),
        "questions": st.lists(PHRASES, max_size=2),
        "contacts": st.lists(CONTACTS, max_size=2),
        "topics": TOPICS,
        "limits": st.fixed_dictionaries({"max_question_chars": st.integers(1, 2000)}),
    },
)
# The ways in which people write one, by hand.
FILES = (
    "",
    "# ours\n[sites]\n",
    "\ufeff[sites.main]\r\nname = 'Larkmoor' # the short one\r\n",
    "sites.main.name = 'x'\n",
    "[sites.main]\nname = 'x'\n[sites.other]\n[sites.main.theme]\ncorner_px = 3\n",
    "[sites.main.theme]\ncorner_px = 2\n[sites.main]\nname = 'z'",
    "[sites.other]\nname = 'y'\n[[sites.other.contacts]]\nlabel = 'd'\nphone = '555-0100'\n# the end",
    "[sites.'main']\nname = '''x'''",
)


@given(
    text=st.sampled_from(FILES), steps=st.lists(st.tuples(KEYS, SITES | st.none()), min_size=1, max_size=3)
)
def test_what_is_written_is_read_again_and_nothing_else_changes(
    tmp_path_factory: pytest.TempPathFactory, text: str, steps: list[tuple[str, dict[str, Any] | None]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "sites.toml"
    path.write_text(text, encoding="utf-8")
    shelf = SiteStore(path, path.parent, DEFAULTS)
    known = {key: shelf.entry(key) for key in ("main", "other") if f"sites.{key}" in text.replace("'", "")}
    for key, values in steps:
        if values is not None:
            assert shelf.put(key, values) == known.get(key)
            known[key] = values
        elif key in known:
            assert shelf.remove(key) == known.pop(key)
        else:
            with pytest.raises(NotFoundError):
                shelf.remove(key)
    again = SiteStore(path, path.parent, DEFAULTS)
    assert {key: again.entry(key) for key in known} == known
    assert again.all() == shelf.all()
    assert {site.key for site in again.all()} == {"main", *known}


WORDS = st.text(max_size=4) | st.sampled_from(
    "name theme colour font logo origins contacts label phone topics title en".split()  # noqa: SIM905
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(
    values=JSON | st.dictionaries(st.sampled_from(["theme", "contacts", "topics", "questions", "name"]), JSON)
)
def test_whatever_json_is_given_for_a_site_it_is_one_or_refused_in_a_sentence(values: Any) -> None:
    told = "The body, site main: ."
    try:
        read_site("main", values, DEFAULTS, "The body")
    except BadInputError as error:
        told = error.message
    assert told.startswith("The body, site main: ")
    assert told.endswith(".")


@given(st.text("ab -,'\"_", max_size=14) | st.text("a'\";}{:\n\\/*", max_size=8))
def test_a_font_ends_no_style(font: str) -> None:
    """Nothing that is let through closes a rule, opens a comment, or leaves a quote open."""
    try:
        theme = read_theme(Entry({"font": font}, "The body"), None)
    except BadInputError:
        return
    css = variables(theme)
    outside = re.sub(r"\"[^\"]*\"|'[^']*'", "", css)
    plain = variables(Theme(theme.light, theme.dark, theme.corner_px, "", theme.position, None))
    assert not set("'\"\\\n") & set(outside)
    for sign in "{};:@":
        assert outside.count(sign) == plain.count(sign) + (sign in ";:" and bool(theme.font))


def test_a_quote_that_never_closes_is_no_font() -> None:
    with pytest.raises(BadInputError, match="font"):
        read_theme(Entry({"font": '"Source Sans'}, "The body"), None)
    font = "'Source Sans', \"O'Neill\", serif"
    assert read_theme(Entry({"font": font}, "The body"), None).font == font


def test_half_a_character_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    shelf = SiteStore(None, tmp_path, DEFAULTS)
    shelf.put("main", {"name": "Larkmoor"})
    with pytest.raises(BadInputError, match="half a character"):
        shelf.put("main", {"name": "\ud800"})
    assert shelf.entry("main") == {"name": "Larkmoor"}
    assert [path.name for path in tmp_path.iterdir()] == ["sites.toml"]


@pytest.mark.parametrize("text", ["sites = 3\n", "sites = [1]\n", "x = " + "[" * 3000])
def test_a_file_that_was_broken_by_hand_meanwhile_is_named(tmp_path: Path, text: str) -> None:
    shelf = SiteStore(None, tmp_path, DEFAULTS)
    (tmp_path / "sites.toml").write_text(text, encoding="utf-8")
    acts: list[Callable[[], object]] = [
        lambda: shelf.put("a", {}),
        lambda: shelf.entry("a"),
        lambda: shelf.remove("a"),
    ]
    for act in acts:
        with pytest.raises(BadInputError, match=r"sites[.]toml"):
            act()


def test_a_setting_that_no_site_takes_is_told_by_its_name() -> None:
    for name, defaults in {
        "LODGE_CONTACT_URL": SiteDefaults("Larkmoor", contact_url="ask us"),
        "LODGE_SITE_NAME": SiteDefaults("Lark\u200bmoor"),
    }.items():
        with pytest.raises(BadInputError, match=name):
            load_sites(None, defaults)
