"""Context of a match: numbers and addresses of the site and its offices, which are not personal; homes."""

from __future__ import annotations

import re

from server.masking import checks

Found = re.Match[str]


def span_of(found: Found) -> tuple[int, int]:
    """From where to where it is personal."""
    return found.span("it") if "it" in found.re.groupindex else found.span()


def before(found: Found, chars: int = 48) -> str:
    """What stands before the personal part."""
    start = span_of(found)[0]
    return found.string[max(0, start - chars) : start]


def after(found: Found, chars: int = 32) -> str:
    """What stands after it."""
    end = span_of(found)[1]
    return found.string[end : end + chars]


# --- e-mail addresses -----------------------------------------------------------------------------

# Mailboxes of offices, which are not personal.
_MAILBOXES = (
    "info contact help helpdesk support office admin admissions admission apply registrar bursar cashier "
    "financialaid finaid aid scholarships housing reslife library archives press media news webmaster "
    "postmaster noreply no-reply security police parking careers career jobs hr alumni giving "
    "international advising counseling health wellness dean graduate gradschool undergraduate transfer "
    "testing tutoring accessibility disability titleix it itservices ithelp studentaccounts records "
    "transcripts payroll athletics events tours visit"
)
_OFFICES = frozenset(_MAILBOXES.split())


# What is written for the signs of an address: "ana (at) example (dot) edu", "ana at example dot edu".
AT = r"(?: ?[(\[{<] ?(?:at|@) ?[)\]}>] ?| at | ?@ ?)"
DOT = r"(?: ?[(\[{<] ?(?:dot|\.) ?[)\]}>] ?| dot )"
_TOLD_AT, _TOLD_DOT = re.compile(AT, re.IGNORECASE), re.compile(DOT, re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[{<] ?(?:at|@) ?[)\]}>]", re.IGNORECASE)
_ADDRESS_BEFORE = re.compile(
    r"\b(?:e-?mail|mail|correo(?: electrónico)?|courriel|adresse|address)(?: address| me| us)?"
    r"(?: is| es| ist| est| to| at|:| =)*\s?$",
    re.IGNORECASE,
)


def as_address(text: str) -> str:
    """An e-mail address that is told in words, with its signs; anything else as it is."""
    told = _TOLD_DOT.sub(".", _TOLD_AT.sub("@", text, count=1))
    return told if re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", told) else text


def is_somebodys(found: Found) -> bool:
    """Of an e-mail address: whether it is a person's, and no office's mailbox."""
    local = as_address(found.group()).partition("@")[0].casefold()
    return re.sub(r"[._-]", "", local) not in _OFFICES and local not in _OFFICES


def is_told_as_address(found: Found) -> bool:
    """Of words that may be somebody's address: "(at)" in brackets, a name that no word looks like, or words
    before it that say so. "I study at example.edu" and "the party @ example.edu" tell a place."""
    told = found.group()
    local, _, domain = as_address(told).partition("@")
    if not re.search(r"\.[^\W\d]{2,}$", domain) or not is_somebodys(found):
        return False
    if _BRACKETED.search(told) or _ADDRESS_BEFORE.search(before(found)):
        return True
    is_a_place_too = " at " in told.casefold() and told.endswith(domain)
    no_word = r"[^\W\d].*[._]\w" if is_a_place_too else r"[^\W\d].*[\d._]"
    return re.search(no_word, local) is not None


# --- numbers --------------------------------------------------------------------------------------

# A day ("2026-03-01", "3/1/2026"), a year ("2026/27"): what a question about deadlines is full of.
_DAY = r"(?:(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d)"
_YEAR = r"(?:(?:19|20)\d\d(?:[-/](?:19|20)?\d\d)?)"
_DATES = re.compile(rf"\s*(?:{_DAY}|{_YEAR})(?:[\s/.-]+(?:{_DAY}|{_YEAR}))*\s*")
_DAY_RUN = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])")
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? $|\b(?:enero|febrero|marzo|abril|mayo"
    r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre) (?:de )?$",
    re.IGNORECASE,
)
_NO_PHONE = re.compile(
    r"\d{5}-\d{4}"  # a ZIP code with its four
    r"|\d{1,4} ?/ ?\d{1,4}"  # a score of so many
    r"|\d{3}(?: ?/ ?\d{3})+"  # courses, "201/202/203"
    r"|\d{1,3}(?: 000)+|\d{1,3}(?:[.]\d{3}){2,}"  # a great number
    r"|(?:[01]?\d|2[0-3])[.][0-5]\d-(?:[01]?\d|2[0-3])[.][0-5]\d"  # from hour to hour
    r"|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"  # an IP address, of which a visitor asks as of a setting
    r"|\d{2,3}\.\d{1,2}-\d{2,3}\.\d{1,2}"  # sections of a law, "99.30-99.37"
    r"|\d\.\d{1,3}-\d\.\d{1,3}"  # averages of grades, "3.7-3.85"
    r"|\d{1,3}(?:\.\d{1,3}){3}-\d{1,3}(?:\.\d{1,3}){3}"  # IP addresses from one to another
    r"|\d{1,2}(?:\.\d{1,2}){2}-\d{1,2}(?:\.\d{1,2}){2}"  # versions
    r"|\d{1,3}(?: 000)+-\d{1,3}(?: 000)+"  # from one great number to another
)
# Of scores, hours, years or pages; three and four digits may be a telephone.
_RANGE = re.compile(r"([1-9]\d{2,3})-([1-9]\d{2,3})")
_RANGED = re.compile(
    r"\b(?:ranges?|scores?|sat|act|gre|toefl|points|pages?|pp|between|from|rooms|offices|years?|catalogs?)\b",
    re.IGNORECASE,
)
# What stands before a number of the site's own.
_ITS_OWN = re.compile(
    r"(?:[$€£#]|\b(?:isbn|issn|doi|fafsa|ceeb|crn|cip|opeid|ein|oclc|code|codes|grant|award|form|call number"
    r"|barcode|versions?|build|model|articles?|sections?|title|policy|courses?|class|catalog|rooms?|suites?"
    r"|building|bldg|offices|pages?|pp|chapters?|parts?|serial|lot|bus|route|order|ticket|error|po|sku|record"
    r"|handle|oai|pmid|census|act|zip|zip code|from|between"
    r")\b(?: (?:code|number|no|id))?)[\s:.#]{0,3}(?:is |was |of |ISBN |1[03])?[:\s]{0,2}$",
    re.IGNORECASE,
)
_DEPARTMENT = re.compile(r"\b[A-Z]{2,4}[- ]?$")
_COUNTED = re.compile(
    r"\s?(?:%|\$|€|£|(?:us)?d(?:ollars)?\b|euros?\b|(?:\w+ )?(?:students|people|books|volumes|words|dollars"
    r"|alumni|copies|items|titles|applicants|characters|seats|square feet|sq ft|acres|bytes|kb|mb)\b)",
    re.IGNORECASE,
)
MINE = re.compile(
    r"\b(?:my|mine|our|me|mi|mein|meine|meiner|mon|mio|moi|his|her|their|i am|i'm|am|soy|ich bin)\b",
    re.IGNORECASE,
)
OFFICE = (
    r"(?:office|registrar|department|dept|desk|library|admissions|financial aid|bursar|hotline|switchboard"
    r"|main (?:line|number)|police|security|safety|health center|campus|clinic|center|centre|dean|housing"
    r"|university|college|school|escort|emergency|oficina)"
)
_AN_OFFICES_BEFORE = re.compile(
    rf"\b{OFFICE}\b(?:'s)?(?: (?:still|phone|telephone|number|line|fax|tel|main|direct|office|reachable"
    r"|really|correct|the|is|at|on|under|by|using|through|hours|listed|answer|open|with|for))*\W{0,3}$"
    r"|(?:^|[.?!,¿] ?)(?:is|was|es)(?: it| this| that)?(?: still| the| el)*\s$"
    r"|\b(?:called|calling|dial(?:led|ed|ing)?|rang|tried|trying|reached|phoned|faxed"
    r"|answers?(?: at)?|picks? up(?: at)?|does|whose|who is|who's|what is)\W{1,2}(?:at )?$",
    re.IGNORECASE,
)
_AN_OFFICES_AFTER = re.compile(
    rf"\W{{0,3}}(?:(?:is |still |the |right |correct |a |phone |fax |main |direct )*(?:number|line|extension"
    rf"|fax|phone)\b|(?:for|of|at|reach|belong to|go to|is)? ?(?:the |your )?(?:\w+ )?{OFFICE}\b)",
    re.IGNORECASE,
)


def _is_an_offices(found: Found) -> bool:
    """Of a telephone number: whether a visitor asks about it, rather than gives it as theirs."""
    said, following = before(found), after(found)
    if MINE.search(re.split(r"[.?!]\s", said)[-1]):
        return False
    return bool(_AN_OFFICES_BEFORE.search(said) or _AN_OFFICES_AFTER.match(following))


def is_no_days(found: Found) -> bool:
    """Of a number in groups: whether it is something else than days or years in a row."""
    return _DATES.fullmatch(found.group()) is None


def is_phone(found: Found) -> bool:
    """Seven digits and more, unless they are days, years, hours, scores, or an office's."""
    text, digits = re.sub(r" ?- ?", "-", found.group()), len(checks.digits_of(found.group()))
    if not 7 <= digits <= 15 or any(own.fullmatch(text) for own in (_DATES, _DAY_RUN, _NO_PHONE)):
        return False
    if re.match(r"\d{1,2},? (?:19|20)\d\d\b", text) and _MONTH.search(before(found)):
        return False
    if _is_range(text, before(found)):
        return False
    return not (_is_the_sites(found) or _is_an_offices(found))


def _is_range(text: str, said: str) -> bool:
    """From a number to a greater one; of three digits and four only after words of scores and the like."""
    ends = _RANGE.fullmatch(text)
    if ends is None or not int(ends[1]) < int(ends[2]) <= 2400:
        return False
    return len(ends[1]) == 4 or (_RANGED.search(said) is not None and not MINE.search(said))


def _is_the_sites(found: Found) -> bool:
    """A price, a code, a count, a book's number."""
    said = before(found)
    if MINE.search(said[-24:]) and not re.search(r"[$€£]$|isbn\W*$", said, re.IGNORECASE):
        return False
    return bool(_is_led(said) or _COUNTED.match(after(found)) or _is_book(found.group()))


def _is_led(said: str) -> bool:
    return bool(_ITS_OWN.search(said) or _DEPARTMENT.search(said))


def _is_book(found: str) -> bool:
    digits = checks.digits_of(found)
    return len(digits) == 13 and digits[:3] in ([9, 7, 8], [9, 7, 9])


def is_no_sites_number(found: Found) -> bool:
    """Of a long number: whether it is no day, price, code, count or book of the site's."""
    text = found.group()
    if _DATES.fullmatch(text) or _DAY_RUN.fullmatch(text):
        return False
    return not _is_the_sites(found)


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
