"""Check digits: whether a number is one of its kind, or only looks like it. Each takes the text that matched.

The schemes of countries are python-stdnum's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from stdnum import iban
from stdnum import luhn as stdnum_luhn
from stdnum.br import cpf
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.in_ import aadhaar
from stdnum.it import codicefiscale
from stdnum.pl import pesel
from stdnum.se import personnummer

Check = Callable[[str], bool]

# How the numbers of payment cards begin: American Express, Diners, JCB, Visa, Mastercard, Discover, Maestro.
_ISSUER = re.compile(r"3|4|5[0-8]|6|2(?:2[2-9]|[3-6]|7[01]|720)")


def plain_digits(text: str) -> str:
    """The text with 0 to 9 in place of the digits of other scripts ("٣" is 3)."""
    return text if text.isascii() else re.sub(r"\d", lambda digit: str(int(digit[0])), text)


def digits_of(found: str) -> list[int]:
    """The digits alone, in their order, of whatever script."""
    return [int(one) for one in re.findall(r"\d", found)]


def luhn(found: str) -> bool:
    """Payment cards and Canadian social insurance numbers."""
    return stdnum_luhn.is_valid(_digits(found))


def is_card(found: str) -> bool:
    """13 to 19 digits that pass Luhn; those of books (ISBN, 978 and 979) are none."""
    digits = _digits(found)
    return 13 <= len(digits) <= 19 and not digits.startswith("97") and luhn(digits)


def is_issued_card(found: str) -> bool:
    """A card's number that begins as those of an issuer do, and as no year does."""
    return is_card(found) and _ISSUER.match(_digits(found)) is not None


def is_ssn(found: str) -> bool:
    """A US social security or taxpayer number: no part of it is all zeros."""
    digits = _digits(found)
    return digits[:3] not in {"000", "666"} and digits[3:5] != "00" and digits[5:] != "0000"


def is_iban(found: str) -> bool:
    """The number of a bank account: its remainder by 97 is 1."""
    return iban.is_valid(_compact(found), check_country=False)


def is_dni(found: str) -> bool:
    """A Spanish DNI or NIE: its letter is the remainder by 23."""
    plain = _compact(found)
    return dni.is_valid(plain) or nie.is_valid(plain)


def is_cpf(found: str) -> bool:
    """A Brazilian CPF: its last two digits follow from the others."""
    return cpf.is_valid(_digits(found))


def is_aadhaar(found: str) -> bool:
    """An Indian Aadhaar number, by Verhoeff's scheme."""
    return aadhaar.is_valid(_digits(found))


def is_codice_fiscale(found: str) -> bool:
    """An Italian tax code: its last letter follows from the others."""
    return codicefiscale.is_valid(_compact(found))


def is_nir(found: str) -> bool:
    """A French social security number: its last two digits are 97 less the rest's remainder by 97."""
    return nir.is_valid(_digits(found))


def is_steuer_id(found: str) -> bool:
    """A German tax identification number, by ISO 7064 mod 11, 10."""
    return idnr.is_valid(_digits(found))


def is_pesel(found: str) -> bool:
    """A Polish PESEL: a day of birth, and weights 1, 3, 7 and 9."""
    return pesel.is_valid(_digits(found))


def is_personnummer(found: str) -> bool:
    """A Swedish personal number: a day of birth, and Luhn."""
    return personnummer.is_valid(plain_digits(found))


def either(*checks: Check) -> Check:
    """A check that passes what any of these passes."""
    return lambda found: any(check(found) for check in checks)


def _digits(found: str) -> str:
    return "".join(map(str, digits_of(found)))


def _compact(found: str) -> str:
    return re.sub(r"[^0-9A-Z]", "", plain_digits(found).upper())
