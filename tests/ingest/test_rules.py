from pathlib import Path

import pytest

from server.errors import BadInputError
from server.ingest.filter import load_rules
from server.settings import Settings

SITE = "https://www.larkmoor.example"


def test_a_prefix_is_one_of_the_path_or_of_the_whole_address(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(
        '[[rule]]\nreason = "old"\nprefix = "/old/"\n'
        '[[rule]]\nreason = "away"\nprefix = "https://b.example/"\nwhy = "x"'
    )
    path, whole = load_rules(tmp_path / "f.toml")
    assert path.matches("https://a.example/old/1")
    assert not path.matches("https://a.example/new/old/")
    assert whole.matches("https://b.example/1")
    assert not whole.matches("https://a.example/?https://b.example/")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/about/directory/jane-doe/", None),
        ("/faculty/profiles/view_faculty.php?ucinetid=kobsa", None),
        ("/people/people.html", None),
        ("/people/graduate-students/", None),
        ("/people/", None),
        ("/faculty/", None),
        ("/faculty/handbook/", None),
        ("/admissions/transfer/credit/slate-valley/", None),
        ("/transfer-credit/equivalencies/", None),
        ("/admissions/transfer/", None),
        ("/registrar/transfer-credit-policy/", None),
        ("/academics/calendar/archive/2023-24/", None),
        ("/academics/calendar/2026-27/", None),
        ("/news/2017/06/", "archive"),
        ("/news/2017/06/05/command-line-workshop/", None),
        ("/author/admin/page/4/", "archive"),
        ("/library/archives/", None),
        ("/library/special-collections-and-archives-hours/", None),
    ],
)
def test_the_rules_that_ship_leave_out_these_pages_and_not_those(path: str, reason: str | None) -> None:
    rules = load_rules(Settings().filters_file)
    assert next((rule.reason for rule in rules if rule.matches(SITE + path)), None) == reason


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[[rule]", "are not TOML"),
        ("rules = 1", "nothing but"),
        ("rule = 1", "nothing but"),
        ('[[rule]]\nreason = "a"\nprefix = 1', "Rule 1 of .* is not a table of strings"),
        (
            '[[rule]]\nreason = "a"\nprefix = "/"\n[[rule]]\nreason = "b"',
            "Rule 2 of .* either a prefix or a pattern",
        ),
        ('[[rule]]\nreason = "a"\nprefix = "/"\npattern = "b"', "either a prefix or a pattern"),
        ('[[rule]]\nreason = "a"\npattern = "("', "no regular expression"),
        ('[[rule]]\nreason = "A b"\nprefix = "/"', "has the reason 'A b'"),
        ('[[rule]]\nreason = "a"\nprefx = "/"', "has prefx"),
    ],
)
def test_a_broken_file_says_which_rule_is_wrong(tmp_path: Path, toml: str, message: str) -> None:
    (tmp_path / "f.toml").write_text(toml)
    with pytest.raises(BadInputError, match=message):
        load_rules(tmp_path / "f.toml")


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_rules(tmp_path / "none.toml")
