"""Postal addresses that visitors give as somebody's home; an office has an address too."""

from __future__ import annotations

import re

from server.masking.found import Found, before
from server.masking.offices import MINE, OFFICE

# --- postal addresses -----------------------------------------------------------------------------

_WAY = (
    r"(?:street|st|avenue|ave|av|road|rd|lane|ln|drive|dr|court|ct|boulevard|blvd|way|place|pl|terrace|ter"
    r"|circle|cir|crescent|close|square|sq|highway|hwy|parkway|pkwy|row|trail|hill|gardens)"
)
_FLAT = r"(?:,? (?:apt|apartment|unit|flat|suite|ste|room|rm|no|#)\.? ?#?\w{1,5})"
_TOWN = r"(?:,? [A-Z][a-z]+(?: [A-Z][a-z]+)?,? [A-Z]{2}(?:,? \d{5}(?:-\d{4})?)?)"
_POSTCODE = r"(?:,? (?:[A-Z][a-z]+,? )?(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{5}(?:-\d{4})?))"
_HOUSE = (
    rf"(?i:\b\d{{1,5}}[a-d]? (?:[nsew]\.? |north |south |east |west )?(?:[\w'.-]{{1,20}} ){{1,3}}{_WAY}\b\.?)"
    rf"(?i:{_FLAT})?(?:{_TOWN}|{_POSTCODE})?"
)
_BOX = rf"(?i:\bp\.? ?o\.? box \d{{1,6}}\b)(?:{_TOWN}|{_POSTCODE})?"
_ABROAD = (
    r"(?i:\b(?:calle|avenida|avda\.?|c/|plaza|paseo|via|rue|avenue de|boulevard|carrera) "
    r"(?:[\w'.-]{1,20} ){0,4}?[\w'.-]{1,20},? (?:n[º°]?\.? ?)?\d{1,4}(?:,? ?\d{1,2}[º°ª]? ?[A-Z]?\b)?)"
    r"|(?i:\b\d{1,4},? (?:bis )?(?:rue|avenue|boulevard|place|chemin) (?:[\w'.-]{1,20} ?){1,4})"
    r"|(?i:\b[\w-]{2,24}(?:straße|strasse|str\.|weg|gasse|allee|platz|laan|straat) \d{1,4}[a-z]?\b)"
)
ADDRESS = re.compile(rf"(?P<it>{_HOUSE}|{_BOX}|{_ABROAD})")
_LIVES = re.compile(
    r"\b(?:(?:i|we|he|she|they|parents|family|mother|father|roommate)(?:'m| am|'re| are| is)?"
    r"(?: \w+){0,2} (?:live|lives|living|reside|resides|residing|moved|moving|stay|staying|rent|renting"
    r"|located)|(?:live|living|staying|reside|moved) (?:at|in|on|to)"
    r"|(?:my|our|his|her|their|mailing|home|new|permanent|current|billing|shipping|postal|parents'?)"
    r" (?:\w+ )?(?:address|house|apartment|place|home|flat|residence|dirección|direccion|adresse|anschrift)"
    r"|(?:send|mail|ship|post|deliver|forward)(?:ed|ing)? (?:\w+ ){0,5}to(?: me)?(?: at)?"
    r"|pick me up|address:|vivo|vivimos|mi (?:dirección|direccion|casa)|wohne|meine (?:adresse|anschrift)"
    r"|j'habite|mon adresse|abito|i'm at|i am at)\b.{0,40}$",
    re.IGNORECASE | re.DOTALL,
)
_HAS_FLAT = re.compile(rf"{_FLAT}", re.IGNORECASE)


def is_a_home(found: Found) -> bool:
    """Given as somebody's: by the words before it, or by its flat; an office has an address too."""
    said = before(found, 90)
    if re.search(rf"\b{OFFICE}\b[^.?!]{{0,40}}$", said, re.IGNORECASE) and not MINE.search(said[-60:]):
        return False
    if _LIVES.search(said):
        return True
    flat = _HAS_FLAT.search(found.group("it"))
    return bool(flat and re.search(r"apt|apartment|unit|flat|#", flat.group(), re.IGNORECASE))
