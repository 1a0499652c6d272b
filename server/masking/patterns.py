"""Patterns of personal data: one row a kind, matched in folded text; an installation can add its own.

Dates, prices, rooms, courses, book numbers and offices' telephones look alike and must stay, so most rows
check a match again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.masking import checks
from server.masking.offices import (
    ADDRESS,
    AT,
    DOT,
    Found,
    before,
    is_a_home,
    is_no_days,
    is_no_sites_number,
    is_phone,
    is_somebodys,
    is_told_as_address,
)
from server.toml_files import read_toml


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of personal data. `kind` stands in the mask; `holds` checks again what `shape` has found.

    Where the shape has a group `it`, that alone is personal, and the rest is what it is known by.
    """

    kind: str
    shape: re.Pattern[str]
    holds: Callable[[Found], bool] = lambda _found: True
    name: str = ""  # by which it can be switched off; empty: its kind
    as_written: bool = False  # searched for in the text as it was written, too

    @property
    def switch(self) -> str:
        """The name by which an installation switches it off."""
        return self.name or self.kind


def _checked(check: checks.Check) -> Callable[[Found], bool]:
    return lambda found: check(found.group(found.re.groupindex.get("it", 0)))


_NATIONAL = "national number"
_STUDENT = "student number"
# What stands between the groups of a number: "4111 1111", "4111-1111", "4111 - 1111".
_GAP = r"(?: ?- ?| )"
_DOMAIN = rf"[\w-]{{1,63}}(?:(?:\.|{DOT})[\w-]{{1,63}}){{1,8}}"
_LEADS = r"(?:\s|:|#|=|is|was|no\.?|number|nr\.?|ends? (?:in|with)|are|que es|es)"

# An earlier pattern's finds are no longer there for a later one.
PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "e-mail",
        re.compile(r"(?<![\w.+%'-])[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
        is_somebodys,
    ),
    Pattern(
        "e-mail",
        re.compile(rf"(?i:(?<![\w.+%'-])[\w.+%'-]{{0,63}}\w(?:{DOT}[\w.+%'-]{{1,64}}){{0,3}}{AT}{_DOMAIN})"),
        is_told_as_address,
    ),
    Pattern("address", ADDRESS, is_a_home),
    Pattern(
        "card number",
        re.compile(rf"(?<![\w.,-])(?:\d{_GAP}?){{12,18}}\d(?!\w)"),
        lambda found: checks.is_card(found.group()) and is_no_days(found),
    ),
    Pattern(
        "card number",
        re.compile(
            r"(?<![\w./-])\d{4}(?P<gap>[./_])(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{1,7}|\d{6}(?P=gap)\d{4,5})(?!\w)"
        ),
        lambda found: checks.is_issued_card(found.group()) and is_no_days(found),
    ),
    Pattern(
        "bank account",
        re.compile(
            rf"(?<!\w)[A-Za-z]{{2}}\d\d(?:[A-Za-z\d]{{11,30}}|{_GAP}[A-Za-z\d]{{4}}"
            rf"(?:{_GAP}(?=[A-Za-z]*\d)[A-Za-z\d]{{4}}){{1,6}}(?:{_GAP}(?=[A-Za-z]*\d)[A-Za-z\d]{{1,3}})?)(?!\w)"
        ),
        _checked(checks.is_iban),
        "iban",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<![\w.-])\d{3}( ?[-./_] ?| )\d{2}\1\d{4}(?![\w-])"),
        _checked(checks.is_ssn),
        "us ssn",
    ),
    Pattern(
        _NATIONAL,
        re.compile(
            rf"(?i:\b(?:ssn|itin|social(?: security)?|social insurance|sin)\b{_LEADS}{{0,8}}[^\w\d]{{0,2}})"
            r"(?P<it>\d{9}|\d{4})(?!\w)"
        ),
        name="us ssn said",
    ),
    Pattern(
        _NATIONAL,
        re.compile(rf"(?<!\w)(?:\d{{8}}|[XYZxyz]{_GAP}?\d{{7}}){_GAP}?[A-Za-z](?!\w)"),
        _checked(checks.is_dni),
        "es dni",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"),
        name="uk nino",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<![\w.-])\d{3}( ?- ?| )\d{3}\1\d{3}(?![\w-])"),
        _checked(checks.luhn),
        "ca sin",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\w-])"),
        _checked(checks.either(checks.is_cpf, checks.is_steuer_id, checks.is_pesel)),
        "br cpf, de steuer-id, pl pesel",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<![\w.-])[2-9]\d{3}( ?- ?| )\d{4}\1\d{4}(?![\w-])"),
        _checked(checks.is_aadhaar),
        "in aadhaar",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<!\w)[A-Za-z]{6}\d\d[A-EHLMPRSTa-ehlmprst]\d\d[A-Za-z]\d{3}[A-Za-z](?!\w)"),
        _checked(checks.is_codice_fiscale),
        "it codice fiscale",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<![\w.-])[12] ?\d\d ?\d\d ?\d\d ?\d{3} ?\d{3} ?\d\d(?!\w)"),
        _checked(checks.is_nir),
        "fr nir",
    ),
    Pattern(
        _NATIONAL,
        re.compile(r"(?<!\w)(?:19|20)?\d{6}[-+]\d{4}(?!\w)"),
        _checked(checks.is_personnummer),
        "se personnummer",
    ),
    Pattern(_NATIONAL, re.compile(r"(?<!\w)[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d(?!\w)"), name="mx curp"),
    Pattern(
        _NATIONAL,
        re.compile(
            rf"(?i:\b(?:passport|pasaporte|reisepass|visa|sevis|i-?20|driver'?s licen[cs]e"
            rf"|national id|national number|identity card|id card|dni|nie|curp|aadhaar|pan)\b"
            rf"{_LEADS}{{0,8}}[^\w\d]{{0,2}})"
            r"(?P<it>[A-Z]{0,5}[- ]?\d{6,10}[A-Z]?"
            r"|(?i:(?=(?:[A-Z]*\d){3})(?![A-Z]+(?:19|20)\d\d\b)[A-Z][A-Z\d]{6,9}))(?!\w)",
        ),
        name="passport",
    ),
    Pattern(
        _STUDENT,
        re.compile(
            rf"(?i:\b(?:(?:student|banner|emplid|empl|applicants?|matriculation|matrikelnummer|matr[íi]cula|panther"
            rf"|account|library card|id|netid|uid)(?:'s)?(?: (?:id|card|number|account))?"
            rf"|(?:campus|university|college|application|card) (?:id|number))\b{_LEADS}{{0,8}}[^\w\d]{{0,2}})"
            r"(?P<it>(?:[A-Za-z]{1,3}-?)?\d{5,10})(?![\w-])",
        ),
        lambda found: not re.search(r"(?:zip|form|code)\W*(?:is )?$", before(found), re.IGNORECASE),
    ),
    Pattern(
        "number",
        re.compile(rf"(?<![\w.,])(?:\d{_GAP}?){{12,18}}\d(?!\w)"),
        is_no_sites_number,
        "long number",
    ),
    Pattern(
        "phone",
        re.compile(r"(?<!\w)(?:\+|\(|00)?\d(?:[ ()./-]{0,3}\d){5,17}(?!\w)"),
        is_phone,
    ),
    Pattern("number", re.compile(r"(?<![\w.,/-])[A-Za-z]{0,2}\d{6,}(?!\w)"), is_no_sites_number),
)


LONGEST = 300  # characters of a regular expression


def own_patterns(path: Path | None) -> tuple[Pattern, ...]:
    """Those of a TOML file, or without one those that ship.

    `off` is a list of names; `[[pattern]]` has a `name`, which stands in the mask, and a `regex`, of which
    the group `it`, where it has one, is the personal part. `BadInputError` says what is wrong with it.
    """
    if path is None:
        return PATTERNS
    try:
        table = read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"LODGE_PERSONAL_FILE {path} cannot be read: {error}.") from error
    if unknown := sorted(set(table) - {"off", "pattern"}):
        raise BadInputError(f"LODGE_PERSONAL_FILE has {unknown[0]!r}; it takes: off, [[pattern]].")
    off, rows = table.get("off", []), table.get("pattern", [])
    if not isinstance(off, list) or not isinstance(rows, list):
        raise BadInputError("LODGE_PERSONAL_FILE takes a list of names as off, and [[pattern]] entries.")
    known = {pattern.switch for pattern in PATTERNS}
    if strange := [name for name in off if not isinstance(name, str) or name not in known]:
        raise BadInputError(
            f"LODGE_PERSONAL_FILE switches off {strange[0]!r}. There are: {', '.join(sorted(known))}."
        )
    return (*map(_pattern, rows), *(p for p in PATTERNS if p.switch not in off))


def _pattern(row: Any) -> Pattern:
    if not isinstance(row, dict) or set(row) - {"name", "regex"}:
        raise BadInputError(f"LODGE_PERSONAL_FILE: {row!r} is no entry; it takes a `name` and a `regex`.")
    name, regex = row.get("name"), row.get("regex")
    if not (isinstance(name, str) and re.fullmatch(r"[a-z][a-z -]{0,29}", name)):
        raise BadInputError(f"LODGE_PERSONAL_FILE: {name!r} is no name; it takes small letters.")
    if not isinstance(regex, str) or len(regex) > LONGEST:
        raise BadInputError(f"LODGE_PERSONAL_FILE: {name} lacks a `regex` of at most {LONGEST} characters.")
    try:
        shape = re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInputError(f"LODGE_PERSONAL_FILE: the regex of {name} is none: {error}.") from error
    if shape.search(""):
        raise BadInputError(f"LODGE_PERSONAL_FILE: the regex of {name} matches nothing at all.")
    return Pattern(name, shape, as_written=True)
