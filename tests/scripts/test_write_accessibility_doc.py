from __future__ import annotations

from pathlib import Path

import pytest

from scripts.write_accessibility_doc import Criterion, Evidence, criteria, page

SHOWN = (Evidence("tests/e2e/test_page.py", "test_it_can_be_read"),)
TABLE = """
["2.1.1"]
name = "Keyboard"
level = "A"
["1.4.3"]
name = "Contrast (Minimum)"
level = "AA"
["1.4.2"]
name = "Audio Control"
level = "A"
not_applicable = "There is no audio."
"""


def read(folder: Path, test: str) -> list[Criterion]:
    """The criteria of `TABLE`, with this one file of tests."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test_page.py").write_text(test, encoding="utf-8")
    (folder / "wcag.toml").write_text(TABLE, encoding="utf-8")
    return criteria(folder / "tests", folder / "wcag.toml")


def test_a_criterion_is_supported_where_a_test_carries_it_and_nowhere_else(tmp_path: Path) -> None:
    found = read(tmp_path, '@pytest.mark.wcag("2.1.1")\ndef test_it_is_done_by_keyboard(): ...\n')
    assert {one.number: one.verdict for one in found} == {
        "1.4.2": "not applicable",
        "1.4.3": "not shown",
        "2.1.1": "supports",
    }
    assert found[2].evidence[0].sentence == "it is done by keyboard"


@pytest.mark.parametrize("other", ["skip", "skipif(True)", "xfail"])
def test_a_test_that_may_be_left_out_shows_nothing(tmp_path: Path, other: str) -> None:
    test = f'@pytest.mark.{other}\n@pytest.mark.wcag("2.1.1")\ndef test_it(): ...\n'
    assert read(tmp_path, test)[2].verdict == "not shown"


def test_a_criterion_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"9\.9\.9"):
        read(tmp_path, '@pytest.mark.wcag("9.9.9")\ndef test_it(): ...\n')


def test_what_does_not_apply_is_not_tested_and_what_is_partly_met_is() -> None:
    with pytest.raises(ValueError, match="said not to apply"):
        Criterion("1.4.2", "Audio Control", "A", SHOWN, not_applicable="There is no audio.")
    with pytest.raises(ValueError, match="no test shows it"):
        Criterion("2.1.1", "Keyboard", "A", (), partly="Half of it.")
    assert Criterion("2.1.1", "Keyboard", "A", SHOWN, partly="Half of it.").verdict == "partly supports"


def test_the_page_counts_and_links(tmp_path: Path) -> None:
    written = page(read(tmp_path, ""), {"empty": None}, {"dark": None})
    assert "| A | 0 | 0 | 1 | 1 |\n| AA | 0 | 0 | 0 | 1 |" in written
    row = page([Criterion("2.1.1", "Keyboard", "A", SHOWN)], {}, {}).splitlines()
    assert (
        "| 2.1.1 Keyboard | A | supports | [test_page.py](../tests/e2e/test_page.py): it can be read |" in row
    )
