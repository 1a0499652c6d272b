"""What the visitor's pages say, by language: one file of messages each, checked against the English one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.models import Site
from server.toml_files import read_toml

MESSAGES_DIR = Path(__file__).parent / "messages"
ENGLISH = "en"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_BLANK = re.compile(r"\{\w+\}")


_LISTS = {"months": (12, "twelve names of the months"), "seasons": (4, "four names of the seasons")}


@dataclass(frozen=True, slots=True)
class Texts:
    """A language. The keys are those of messages/en.toml, in its order; `lang` is the file's name."""

    lang: str
    name: str
    dir: str
    title: str
    skip: str
    welcome: str
    welcome_more: str
    suggested: str
    more_topics: str
    conversation: str
    honesty: str
    question_label: str
    placeholder: str
    send: str
    limit_hint: str
    chars_left: str
    chars_over: str
    you_asked: str
    answer_from: str
    searching: str
    writing: str
    stop: str
    stopped: str
    sources: str
    source_number: str
    show_quote: str
    new_tab: str
    updated: str
    fetched: str
    date: str
    months: tuple[str, ...]
    notice: str
    curated: str
    as_of: str
    past_term: str
    changed: str
    older: str
    seasons: tuple[str, ...]
    closest: str
    degraded: str
    announced: str
    announced_source: str
    announced_sources: str
    refused_no_evidence: str
    refused_off_topic: str
    refused_unsafe: str
    copy: str
    copied: str
    not_copied: str
    helpful_question: str
    helpful: str
    unhelpful: str
    why_helpful: str
    why_unhelpful: str
    reason_wrong: str
    reason_incomplete: str
    reason_outdated: str
    reason_off_topic: str
    reason_clear: str
    reason_complete: str
    reason_other: str
    comment: str
    send_feedback: str
    thanks: str
    thanks_more: str
    options: str
    ask_person: str
    contact_page: str
    save: str
    save_text: str
    save_json: str
    print: str
    start_over: str
    start_over_more: str
    start_over_confirm: str
    erased: str
    language: str
    lost: str
    unsent: str
    offline: str
    unavailable: str
    busy: str
    too_many: str
    ask_again: str
    expired: str
    problem_title: str
    problem_back: str
    problem_empty: str
    problem_too_long: str
    problem_too_large: str
    problem_not_found: str
    problem_not_allowed: str
    problem_on_hold: str
    problem_internal: str
    problem_other: str
    saved_title: str
    saved_on: str
    saved_question: str
    saved_answer: str
    launcher: str
    launcher_down: str
    launcher_gone: str

    def for_site(self, name: str) -> Texts:
        """The same with the site's name in place of `{site}`."""
        return _for_site(self, name)

    def reason(self, name: str) -> str:
        """A reason that can be given with a rating, in words."""
        return str(getattr(self, f"reason_{name}"))


@lru_cache(maxsize=256)
def _for_site(texts: Texts, name: str) -> Texts:
    values = {field.name: getattr(texts, field.name) for field in fields(texts)}
    named = {key: fill(value, site=name) for key, value in values.items() if isinstance(value, str)}
    return Texts(**{**values, **named})


def fill(text: str, **values: object) -> str:
    """The text with `{name}` replaced; whatever else stands in braces, as in a site's name, stays."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


class Catalogue:
    """The languages there are."""

    def __init__(self, languages: Mapping[str, Texts]) -> None:
        self._languages = languages

    @classmethod
    def read(cls, folder: Path = MESSAGES_DIR) -> Catalogue:
        """The files of messages that ship, and those of the folder, which go before them.

        A fault in one is a `BadInputError` that names it.
        """
        english = _messages(MESSAGES_DIR / f"{ENGLISH}.toml")
        paths = {path.stem: path for own in (MESSAGES_DIR, folder) for path in sorted(own.glob("*.toml"))}
        return cls({lang: _texts(path, english) for lang, path in paths.items()})

    def offered(self, site: Site) -> tuple[str, ...]:
        """The languages of a site, its default first: those it wants and there are, or else all."""
        chosen = [lang for lang in site.languages if lang in self._languages]
        return tuple(chosen or sorted(self._languages, key=lambda lang: (lang != ENGLISH, lang)))

    def missing(self, site: Site) -> tuple[str, ...]:
        """The languages that a site wants and nobody has written."""
        return tuple(lang for lang in site.languages if lang not in self._languages)

    def texts(self, site: Site, wanted: Sequence[str] = ()) -> Texts:
        """What the site says, in the first wanted language that it offers ("es-MX" is Spanish)."""
        offered = self.offered(site)
        asked = (tag.replace("_", "-").split("-")[0].lower() for tag in wanted)
        lang = next((lang for lang in asked if lang in offered), offered[0])
        return self._languages[lang].for_site(site.name)


def accepted(header: str) -> list[str]:
    """The languages of an `Accept-Language` header, the most wanted first (RFC 9110, 12.5.4)."""
    weighted = []
    for part in header.split(","):
        tag, _, parameter = (one.strip() for one in part.partition(";"))
        weight = parameter.lower().removeprefix("q=") if parameter else "1"
        weighted.append((float(weight) if re.fullmatch(r"[01](\.\d{0,3})?", weight) else 0.0, tag))
    return [tag for weight, tag in sorted(weighted, key=lambda pair: -pair[0]) if weight and tag]


def _texts(path: Path, english: Mapping[str, Any]) -> Texts:
    if not _LANGUAGE.fullmatch(path.stem):
        raise BadInputError(f"{path}: a file of messages is named by its language, such as es.toml.")
    messages = _messages(path)
    if unknown := sorted(set(messages) - set(english)):
        raise BadInputError(f"{path} has {', '.join(unknown)}, which messages/en.toml has not.")
    for key, value in messages.items():
        _check(path, key, value, english[key])
    values = {**english, **messages}
    lists = {key: tuple(values[key]) for key in _LISTS}
    return Texts(lang=path.stem, **{**values, **lists})


def _messages(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"The messages {path} cannot be read: {error}.") from None


def _check(path: Path, key: str, value: Any, english: Any) -> None:
    """A message is of the English one's kind and leaves the same blanks."""
    if key in _LISTS:
        length, what = _LISTS[key]
        if not isinstance(value, list) or len(value) != length or not all(isinstance(m, str) for m in value):
            raise BadInputError(f"{path}: {key} takes the {what}.")
    elif not isinstance(value, str):
        raise BadInputError(f"{path}: {key} is {value!r}; it takes text.")
    elif key == "dir" and value not in ("ltr", "rtl"):
        raise BadInputError(f"{path}: dir is {value!r}; it takes ltr or rtl.")
    elif set(_BLANK.findall(value)) != set(_BLANK.findall(english)):
        blanks = ", ".join(sorted(set(_BLANK.findall(english)))) or "none"
        raise BadInputError(
            f"{path}: {key} has other words in braces than the English one, which has {blanks}."
        )
