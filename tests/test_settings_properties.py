"""Settings, whatever the environment holds: the value, or one sentence that names the variable."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
from pathlib import Path
from typing import get_type_hints

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from server.counting import Counter, parsed_limits
from server.errors import BadInputError, TooManyError
from server.index.typesense.connection import Cluster
from server.settings import Settings
from server.storage.engine import engine_for
from server.variables import PREFIX, SettingError

FIELDS = dataclasses.fields(Settings)
TYPES = get_type_hints(Settings)
NAMES = [PREFIX + field.name.upper() for field in FIELDS]
# What a variable can hold: no NUL, and bytes that are no UTF-8 as half characters.
ODD = st.sampled_from(
    ["", " ", "\r", "80\r", "1_000", "٨٠٨٠", "-0", "+5", "0x10", "1e999", "inf", "-Infinity", "nan",
     "1" * 5000, "1e3", "~nobody-of-that-name/x", "\udce9", "a\nb", "..", "9" * 25, "0.1.2", "½"]
)  # fmt: skip
TEXTS = ODD | st.text(st.characters(exclude_characters="\0"), max_size=20)
NUMBERS = [name for name, field in zip(NAMES, FIELDS, strict=True) if TYPES[field.name] in (int, float)]


@given(st.sampled_from(NAMES), TEXTS)
@example("LODGE_CALIBRATION", "1" * 5000)
def test_a_variable_is_read_or_refused_in_a_sentence_that_names_it(name: str, text: str) -> None:
    field = name.removeprefix(PREFIX).lower()
    try:
        settings = Settings.read({name: text})
    except SettingError as error:
        told = str(error)
    else:
        told = f"{name} is what it was set to."
        _require_read(settings, field, text)
    assert told.startswith(f"{name} ")
    assert told.endswith(".")
    assert told.isprintable()
    assert len(told) < 1_000


def _require_read(settings: Settings, field: str, text: str) -> None:
    """It is of its kind, nothing else is set, and a program started with the same has the same."""
    value = getattr(settings, field)
    assert type(value) in (TYPES[field], type(Path()))
    assert dataclasses.replace(settings, **{field: getattr(Settings(), field)}) == Settings()
    assert Settings.read(settings.as_environ()) == settings
    if isinstance(value, str):
        assert value == text
        value.encode()


@given(st.sampled_from(NUMBERS), st.floats() | st.integers() | st.integers(-5, 70_000))
def test_a_number_is_itself_within_its_bounds_and_refused_outside(name: str, number: float) -> None:
    field = next(one for one in FIELDS if PREFIX + one.name.upper() == name)
    least, most = field.metadata["takes"].at_least, field.metadata["takes"].at_most
    fits = TYPES[field.name] is float or isinstance(number, int)
    value = None
    with contextlib.suppress(SettingError):
        value = getattr(Settings.read({name: str(number)}), field.name)
    assert (value is not None) == (fits and least <= number <= most)
    assert value in (None, number)
    assert value is None or math.isfinite(value)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cc"]), max_size=12) | ODD)
def test_the_files_that_are_named_by_texts_are_paths_or_refused(text: str) -> None:
    settings = dataclasses.replace(Settings(), sites_file=text, personal_file=text)
    for name in ("sites", "personal"):
        variable = f"LODGE_{name.upper()}_FILE"
        told, path = variable, None
        try:
            path = getattr(settings, f"{name}_path")
        except SettingError as error:
            told = str(error)
        assert told.startswith(variable)
        assert path is None or path.is_absolute()


@given(
    st.builds(
        "{}{}{}{}".format,
        st.integers(-1, 10**20) | st.just(""),
        st.sampled_from(["/", " per ", "", ";"]),
        st.integers(0, 10**20) | st.just(""),
        st.sampled_from(["minute", "minutes", "hour", "year", "fortnight", "", "minute;1/hour"]),
    )
    | TEXTS
)
def test_limits_are_limits_that_can_be_counted_or_refused(text: str) -> None:
    told, wait_s = "LODGE_LIMIT_SITE is a limit", 1
    try:
        found = parsed_limits("LODGE_LIMIT_SITE", text)
        assert bool(found) == bool(text.strip())
        asyncio.run(Counter().admit([(limit, "kind", "key") for limit in found]))
    except BadInputError as error:
        told = error.message
    except TooManyError as error:
        wait_s = error.retry_after_s
    assert told.startswith("LODGE_LIMIT_SITE is ")
    assert 1 <= wait_s <= 366 * 86_400


@pytest.mark.parametrize("text", ["1/0minutes", "5 per 00 hours", "1/99999999999999999years"])
def test_limits_that_would_silently_be_others_are_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"^LODGE_LIMIT_SITE is "):
        parsed_limits("LODGE_LIMIT_SITE", text)


@given(
    st.text(max_size=15) | st.sampled_from(["postgresql://u:hidden@h:port/d", "http://[::1", "sqlite:///"])
)
def test_a_records_url_is_one_or_refused_without_its_password(url: str) -> None:
    told = "LODGE_RECORDS_URL is one"
    try:
        engine_for(url).dispose()
    except BadInputError as error:
        told = error.message
    assert "hidden" not in told
    assert told.startswith(("LODGE_RECORDS_URL ", "The records store needs a file"))


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "a\r"])
def test_a_key_that_no_header_carries_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(BadInputError, match=r"LODGE_TYPESENSE_KEY (takes|is empty)"):
        Cluster(("http://search:8108",), key).check()


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("LODGE_PORT", "70000", "65535 or less"),
        ("LODGE_REQUEST_S", "inf", "1000000000 or less"),
        ("LODGE_KEEP_AUDIT_DAYS", "99999999999", "36500 or less"),
        ("LODGE_REFUSAL_THRESHOLD", "50", "1 or less"),
        ("LODGE_HOME", "", "a path"),
        ("LODGE_HOME", "~nobody-of-that-name/x", "a path"),
        ("LODGE_SITE_NAME", "Universit\udce9", "plain text"),
        ("LODGE_LLM_KEY", "secret\r", "plain text"),
    ],
)
def test_values_that_were_a_traceback_or_something_else(name: str, value: str, takes: str) -> None:
    with pytest.raises(SettingError) as caught:
        Settings.read({name: value})
    assert str(caught.value).endswith(f"it takes {takes}.")
    assert "secret" not in str(caught.value)


def test_lists_of_words_may_stand_on_several_lines() -> None:
    value = "https://a.example\n  https://b.example\n"
    assert Settings.read({"LODGE_FRAME_ORIGINS": value}).frame_origins.split() == value.split()
