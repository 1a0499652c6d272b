"""Check digits: whether a number is one of its kind, or only looks like it. Each takes what was found."""

from __future__ import annotations

import re
from collections.abc import Callable

Check = Callable[[str], bool]

_VERHOEFF_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
_CODICE_VALUES = (
    "1 0 5 7 9 13 15 17 19 21 1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23"
)
_CODICE_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        map(int, _CODICE_VALUES.split()),
        strict=True,
    )
)


def in_plain_digits(text: str) -> str:
    """The same text, as long as it is, with 0 to 9 in place of the digits of other scripts ("٣" is 3)."""
    return text if text.isascii() else re.sub(r"\d", lambda digit: str(int(digit[0])), text)


def digits_of(found: str) -> list[int]:
    """The digits alone, in their order, of whatever script."""
    return [int(one) for one in re.findall(r"\d", found)]


def luhn(found: str) -> bool:
    """Payment cards, Canadian social insurance numbers, Swedish personal numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits_of(found))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def is_card(found: str) -> bool:
    """13 to 19 digits that pass Luhn; those of books (ISBN, 978 and 979) are none."""
    digits = digits_of(found)
    return 13 <= len(digits) <= 19 and digits[:2] != [9, 7] and luhn(found)


def is_ssn(found: str) -> bool:
    """A US social security or taxpayer number: no part of it is all zeros."""
    digits = "".join(map(str, digits_of(found)))
    return digits[:3] not in {"000", "666"} and digits[3:5] != "00" and digits[5:] != "0000"


def is_dni(found: str) -> bool:
    """A Spanish DNI or NIE: its letter is the remainder by 23."""
    plain = re.sub(r"[^0-9A-Z]", "", found.upper())
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == plain[-1]


def is_cpf(found: str) -> bool:
    """A Brazilian CPF: its last two digits follow from the others."""
    digits = digits_of(found)
    if len(digits) != 11:
        return False
    for end in (9, 10):
        total = sum(digit * (end + 1 - place) for place, digit in enumerate(digits[:end]))
        if (total * 10 % 11) % 10 != digits[end]:
            return False
    return True


def is_aadhaar(found: str) -> bool:
    """An Indian Aadhaar number, by Verhoeff's scheme."""
    state = 0
    for place, digit in enumerate(reversed(digits_of(found))):
        state = int(_VERHOEFF_D[state][int(_VERHOEFF_P[place % 8][digit])])
    return state == 0


def is_codice_fiscale(found: str) -> bool:
    """An Italian tax code: its last letter follows from the others."""
    code = found.upper()
    even = sum(int(one) if one.isdigit() else ord(one) - 65 for one in code[1:15:2])
    odd = sum(_CODICE_ODD[one] for one in code[0:15:2])
    return chr((even + odd) % 26 + 65) == code[-1]


def is_nir(found: str) -> bool:
    """A French social security number: its last two digits are 97 less the rest's remainder by 97."""
    digits = "".join(map(str, digits_of(found)))
    return len(digits) == 15 and 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_steuer_id(found: str) -> bool:
    """A German tax identification number, by ISO 7064 mod 11, 10."""
    *digits, last = digits_of(found)
    product = 10
    for digit in digits:
        product = (((digit + product) % 10 or 10) * 2) % 11
    return digits[0] != 0 and (11 - product) % 10 == last


def is_pesel(found: str) -> bool:
    """A Polish PESEL: weights 1, 3, 7 and 9."""
    digits = digits_of(found)
    return sum(d * w for d, w in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), strict=True)) % 10 == 0


def either(*checks: Check) -> Check:
    """Passes what any of the checks passes."""
    return lambda found: any(check(found) for check in checks)
