from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.spans import Email, Phone, Url, emails, normal_url, phones, urls


def test_an_address_is_lower_case_and_without_the_full_stop() -> None:
    assert [found.value for found in emails("Write to Registrar@Example.edu. Or a.b+c@x.example.")] == [
        Email("registrar@example.edu"),
        Email("a.b+c@x.example"),
    ]
    assert not Email("registrar@example.edu").bears_out(Email("registrars@example.edu"))


@settings(deadline=None)
@given(
    st.from_regex(r"[2-9]\d{2}", fullmatch=True),
    st.from_regex(r"[2-9]\d{2}", fullmatch=True),
    st.integers(0, 9999),
)
def test_a_telephone_number_has_many_shapes(area: str, middle: str, last: int) -> None:
    expected = Phone(f"{area}{middle}{last:04d}")
    for shape in (
        "({}) {}-{:04d}",
        "{}-{}-{:04d}",
        "{}.{}.{:04d}",
        "+1 {} {} {:04d}",
        "1-{}-{}-{:04d}",
        "+1-{}-{}-{:04d}",
    ):
        assert [found.value for found in phones(f"Call {shape.format(area, middle, last)} now.")] == [
            expected
        ]


def test_a_short_number_is_the_end_of_a_long_one() -> None:
    assert Phone("8025550120").bears_out(Phone("5550120"))
    assert not Phone("8025550120").bears_out(Phone("8025550121"))
    assert [found.value for found in phones("dial 555-0120")] == [Phone("5550120")]


@pytest.mark.parametrize(
    "text", ["911", "2026-11-05", "$1,234,567", "1-2-3", "05099", "ISBN 978-0-00-000000-0"]
)
def test_what_is_no_telephone_number(text: str) -> None:
    assert list(phones(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://www.U.example/Path/#top.", Url("u.example/Path")),
        ("Go to www.u.example/a?b=1, please", Url("u.example/a?b=1")),
        ("(http://u.example:80/)", Url("u.example")),
        ("book at visit.u.example/tours", Url("visit.u.example/tours", bare=True)),
        ("https://u.example/a_(b)", Url("u.example/a_(b)")),
    ],
)
def test_a_web_address(text: str, expected: Url) -> None:
    assert [found.value for found in urls(text)] == [expected]


@pytest.mark.parametrize(
    "text", ["form.pdf", "e.g. this", "the end.Then more", "a@u.example", "U.S. and p.m."]
)
def test_what_is_no_web_address(text: str) -> None:
    assert [found.value for found in urls(text)] in ([], [Url("end.Then".lower(), bare=True)])


def test_two_ways_to_one_page() -> None:
    assert normal_url("http://www.u.example/a/") == normal_url("https://u.example/a#b") == "u.example/a"
    assert normal_url("https://u.example/a%20b") == "u.example/a b"


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for reader in (emails, urls, phones):
        for found in reader(text):
            assert 0 <= found.start < found.end <= len(text)
