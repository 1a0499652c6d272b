"""Foreign text stays text."""

from __future__ import annotations

import pytest

from admin.formatting import counted, link, literal, moment, shortened


def test_markdown_in_foreign_text_is_shown_not_obeyed() -> None:
    assert literal("![x](http://evil.example) $a$\n# b") == (r"\!\[x\]\(http\:\/\/evil\.example\) \$a\$ \# b")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/>x", "http://a.example/a b", ""])
def test_an_address_that_is_no_plain_web_page_is_no_link(url: str) -> None:
    assert "](<" not in link("Title", url)


def test_a_web_page_is_a_link_whose_label_is_literal() -> None:
    assert link("Fees [2026]", "https://a.example/(x)") == r"[Fees \[2026\]](<https://a.example/(x)>)"


def test_times_are_told_in_the_readers_zone_or_in_utc() -> None:
    assert moment("2026-03-01T10:05:00+00:00", "America/New_York") == "1 Mar 2026, 05:05 EST"
    assert moment("2026-03-01T10:05:00+00:00", None) == "1 Mar 2026, 10:05 UTC"
    assert moment("2026-03-01T10:05:00+00:00", "Nowhere/../Land") == "1 Mar 2026, 10:05 UTC"


def test_long_text_is_shortened_to_one_line() -> None:
    assert shortened("a\nb", 20) == "a b"
    assert shortened("word " * 50, 20) == "word word word word…"


@pytest.mark.parametrize(
    ("count", "more", "text"),
    [(1, "", "1 page"), (0, "", "0 pages"), (2000, "", "2,000 pages"), (2, "sheets", "2 sheets")],
)
def test_one_is_not_told_as_several(count: int, more: str, text: str) -> None:
    assert counted(count, "page", more) == text
