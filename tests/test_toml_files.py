"""Every file that people write in TOML: what it says, or one sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from server.errors import LodgeError
from server.index.text import load_synonyms
from server.inference.session import EmbedderCard, read_card
from server.ingest.filter import load_rules
from server.ingest.topics.labels import load_topics
from server.masking import own_patterns
from server.messages.catalogue import Catalogue
from server.sites.site import SiteDefaults
from server.sites.table import load_sites
from server.toml_files import read_toml


def sites(path: Path) -> object:
    return load_sites(path, SiteDefaults("Larkmoor"))


def messages(path: Path) -> object:
    path.rename(path.with_name("xx.toml"))
    return Catalogue.read(path.parent)


def card(path: Path) -> object:
    path.rename(path.with_name("model.toml"))
    for name in ("model.onnx", "tokenizer.json"):
        (path.parent / name).touch()
    return read_card(path.parent, EmbedderCard)


READERS: dict[str, Callable[[Path], Any]] = {
    "sites": sites,
    "synonyms": load_synonyms,
    "topics": load_topics,
    "rules": load_rules,
    "patterns": own_patterns,
    "messages": messages,
    "card": card,
}
# The words of all of them, so that what is made gets beyond the first question.
WORDS = """
sites main name theme colour font logo origins languages contacts topics title label email phone url limits
max_question_chars help_lines questions strategy synonym words asked also why topic prefix subtopic rule
reason pattern off regex self_harm assault danger medical harmless kind dims welcome
months dir
"""
KEYS = st.sampled_from(WORDS.split()) | st.text(max_size=4)
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.dates() | st.text(max_size=6)
    | st.sampled_from(["a{9999999999}", "(", "(?P<it>", "https://[::1", "#17626b", "\x00", "..", "e-mail"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip
BROKEN = {
    "brackets without end": "x = " + "[" * 3000,
    "lists in lists": "x = " + "[" * 3000 + "]" * 3000,
    "tables in tables": "x = {" + "x = {" * 2000,
    "a number without end": "x = " + "1" * 5000,
    "a day that is none": "x = 2026-02-30",
    "nothing but a key": "x",
    "half a character": 'x = "\\ud800"',
}


def read(reader: Callable[[Path], Any], path: Path, content: bytes) -> str:
    """The sentence of a refusal, or nothing."""
    path.write_bytes(content)
    try:
        reader(path)
    except LodgeError as error:
        return error.message
    return ""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in READERS}


@pytest.mark.parametrize("name", READERS)
@given(document=st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_a_file_says_it_is_read_or_refused_in_a_sentence(
    folders: dict[str, Path], name: str, document: dict[str, Any]
) -> None:
    content = tomlkit.dumps(document).encode()
    sentence = read(READERS[name], folders[name] / f"{name}.toml", content)
    assert not sentence or sentence.endswith(".")


@pytest.mark.parametrize("name", READERS)
@given(content=st.binary(max_size=60) | st.text("[]{}=\"'.,#\n\\a1-:é", max_size=40).map(str.encode))
def test_bytes_that_are_no_toml_are_refused_in_a_sentence(
    folders: dict[str, Path], name: str, content: bytes
) -> None:
    sentence = read(READERS[name], folders[name] / f"{name}.toml", content)
    assert not sentence or sentence.endswith(".")


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("name", READERS)
def test_what_the_library_tells_of_in_other_ways_is_refused_too(tmp_path: Path, name: str, what: str) -> None:
    assert read(READERS[name], tmp_path / "a.toml", BROKEN[what].encode())


@pytest.mark.parametrize("what", ["brackets without end", "a number without end"])
def test_all_faults_are_value_errors(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(BROKEN[what], encoding="utf-8")
    with pytest.raises(ValueError, match=r"nested too deeply|4300 digits"):
        read_toml(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    """As some editors on Windows write one."""
    path = tmp_path / "a.toml"
    path.write_bytes("\ufeff[sites.main]\nname = 'Larkmoor'\n".encode())
    assert read_toml(path) == {"sites": {"main": {"name": "Larkmoor"}}}


@pytest.mark.parametrize("pattern", ["a{99999999999}", "(" * 5000 + ")" * 5000])
def test_a_rule_whose_pattern_is_too_much_is_named(tmp_path: Path, pattern: str) -> None:
    sentence = read(load_rules, tmp_path / "a.toml", f"[[rule]]\nreason='x'\npattern='{pattern}'".encode())
    assert "Rule 1 of" in sentence
    assert "no regular expression" in sentence
