"""Where sentences begin and end: a leaf both for cutting pages into chunks and for quoting an answer."""

import re

_END = re.compile(
    r"""\n\s*                                  # a line of its own: a list item, a table row, a heading
      | (?<![.!?…])[.!?…]++["'”’»)\]]*+\s+(?=\S)  # or a closing mark, then white space
      | [。！？]+                               # or a full stop that needs no space after it
    """,
    re.VERBOSE,
)
_OPENING = "\"'“‘«([¿¡*-–—•"

# These are followed by the name that belongs to them.
_TITLE = re.compile(
    "dra?|mr|mrs|ms|mx|prof|rev|hon|st|mt|ft|gen|gov|sen|rep|pres|asst|assoc|vs|cf|e\\.g|i\\.e|dept|univ|sra|srta|ing|lic"
)
# These belong to a number that follows: "see no. 5", but "The answer is no."
_BEFORE_NUMBER = re.compile(
    "nos?|figs?|eq|sec|ch|chap|art|vol|pp?|pg|rm|bldg|ext|tel|ph|para|approx|ca|ver|ed"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
# These stand in the middle or at the end; a capital letter after them usually begins a sentence.
_INNER = re.compile(
    r"etc|a\.m|p\.m|u\.s|u\.k|ph\.d|m\.d|[bm]\.[as]|m\.b\.a|ed\.d|d\.c|n\.y|inc|ltd|co|corp|jr|sr|ave|blvd|rd|hwy"
    "|apt|al|est|incl|mon|tues?|wed|thu|thurs?|fri|sat|sun"
)
# "the U.S. Department of Education", but "in the U.S. Apply by May".
_OF_A_COUNTRY = re.compile(r"u\.s|u\.k")
_COUNTRYS = re.compile(
    "(?:News|Dep(?:t|artment)|Citizen|Embass|Consulate|Bank|Postal|Mail|Government|Army|Navy|Air|Marine|Coast|Census"
    "|Treasury|Congress|Senate|House|Supreme|Bureau|Immigration|Customs|Passport|Visa|Agenc|Geological|Patent|Federal"
    "|Constitution|History|Dollar|Secretary|Veteran|Military|President|Copyright|Open|Green|Code|Institution)"
)
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-HJ-Z]")
_ITEM_NUMBER = re.compile(r"\d{1,3}|[A-Za-z]|[ivxIVX]+")
_DAY_OR_MONTH = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
    r"|(?:March|April|May|June|July|E[SD]?T|C[SD]?T|P[SD]?T)\b"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of `text`'s sentences, in order, without the white space around them.

    A line break ends a sentence. Every character that is not white space is in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if _is_end(text, start, match):
            _add(spans, text, start, match.end())
            start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group().strip()
    if not mark or "\n" in match.group() or mark[0] in "。！？":
        return True
    following = text[match.end() : match.end() + 12].lstrip(_OPENING)
    if following[:1].islower():
        return False
    return mark != "." or not _is_abbreviation(text, start, match.start(), following)


def _is_abbreviation(text: str, start: int, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it; the sentence begins at `start`."""
    words = text[max(start, stop - 40) : stop].split()
    word = words[-1].lstrip(_OPENING) if words else ""
    if not word or (len(words) == 1 and _ITEM_NUMBER.fullmatch(word)):
        return True  # "1. Apply": the number of a list's item
    lower = word.casefold()
    if _OF_A_COUNTRY.fullmatch(lower) and _COUNTRYS.match(following):
        return True
    if _INNER.fullmatch(lower):
        return bool(_DAY_OR_MONTH.match(following)) or following[:1].isdigit()
    if _BEFORE_NUMBER.fullmatch(lower):
        return following[:1].isdigit()
    return bool(_TITLE.fullmatch(lower) or _INITIALS.fullmatch(word))


def letters(text: str) -> str:
    """Letters and digits alone, in lower case: what is left when punctuation and spacing do not count."""
    return "".join(c for c in text.casefold() if c.isalnum())


_SOURCE_MARK = re.compile(r"\s*\[\d+\]")


def without_marks(answer: str) -> str:
    """An answer's own words: the `[n]` that name its sources are no part of what it says."""
    return _SOURCE_MARK.sub("", answer)
