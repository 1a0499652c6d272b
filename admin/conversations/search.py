"""What conversations are looked for: the parts of the filter in an editor's words, kept in the address."""

from __future__ import annotations

from collections.abc import Mapping

from admin.formatting import in_address

NAMES = ("since", "until", "site", "topic", "outcome", "rating", "answerer", "text", "url")

# In an editor's words → what the API calls it.
OUTCOMES: Mapping[str, Mapping[str, str]] = {
    "Answered": {"refused": "false"},
    "Refused": {"refused": "true"},
    "Simpler than usual": {"degraded": "true"},
    "Help lines shown": {"help": "shown"},
    "Help lines possibly missed": {"help": "missed"},
}
RATINGS: Mapping[str, str] = {
    "Helpful": "helpful",
    "Not helpful": "unhelpful",
    "Rated at all": "any",
    "Not rated": "none",
}
ANSWERERS: Mapping[str, str] = {
    "extractive": "quoting the site",
    "llm": "the language model",
    "curated": "an editor",
    "help": "help lines",
    "courtesy": "a friendly line",
}


def chosen(query: Mapping[str, str]) -> dict[str, str]:
    """The filter in an address, without what it cannot mean."""
    known = in_address(query, NAMES)
    for name, allowed in (("outcome", OUTCOMES), ("rating", RATINGS)):
        if known.get(name) not in (None, *allowed):
            del known[name]
    return known


def for_api(found: Mapping[str, str]) -> dict[str, str]:
    """The same as the API takes it."""
    plain = {name: value for name, value in found.items() if name not in ("outcome", "rating")}
    if "rating" in found:
        plain["rating"] = RATINGS[found["rating"]]
    return {**plain, **OUTCOMES.get(found.get("outcome", ""), {})}
