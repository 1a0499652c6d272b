"""The message catalogue: everything that Lodge says to a visitor, by language.

A language is a file of messages, checked against the English one. Its plurals, dates and lists are by CLDR,
through Babel, which is loaded when it is first needed: most answers say nothing of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.errors import BadInputError
from server.models import Site
from server.toml_files import read_toml

if TYPE_CHECKING:
    from babel import Locale

MESSAGES_DIR = Path(__file__).parent
ENGLISH = "en"
# A sentence for each of a language's plural forms, as CLDR names them; `other` is always there.
Plural = Mapping[str, str]
PLURAL_FORMS = frozenset({"zero", "one", "two", "few", "many", "other"})
# What earlier files of messages may hold, and nothing says any more.
RETIRED = frozenset({"date", "months", "announced_source", "more_topics"})
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_BLANK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, eq=False)
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
    conversation: str
    honesty: str
    question_label: str
    placeholder: str
    send: str
    limit_hint: Plural
    chars_left: Plural
    chars_over: Plural
    you_asked: str
    answer_from: str
    searching: str
    writing: str
    stop: str
    stopped: str
    sources: str
    source_number: str
    page_number: str
    show_quote: str
    new_tab: str
    updated: str
    fetched: str
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
    announced_sources: Plural
    refused_no_evidence: str
    refused_off_topic: str
    refused_closed: str
    refused_elsewhere: str
    refused_unsafe: str
    missing: str
    nothing_surer: str
    left_out: str
    too_many_questions: str
    hours_open: str
    hours_closed: str
    hours_unlisted: str
    hours_now_open: str
    hours_now_closed: str
    hours_still_open: str
    hours_parts: str
    hours_span: str
    hours_all_day: str
    hours_none: str
    hours_today: str
    hours_tomorrow: str
    hours_on: str
    hours_yes: str
    hours_no: str
    hours_am: str
    hours_pm: str
    hours_noon: str
    hours_midnight: str
    hours_corrected: str
    hours_corrected_since: str
    deadline_over: str
    deadlines_over: str
    day_passed: str
    deadline_next: str
    deadline_next_of: str
    deadlines_from: str
    deadlines_between: str
    deadlines_some: str
    other_language: str
    seems: str
    seem: str
    similar: str
    more_on_page: Plural
    show_all_rows: Plural
    show_all: Plural
    marked_row: str
    counted_rows: str
    counted_rows_of: str
    rows_with: str
    rows_without: str
    rows_none: str
    computed_least: str
    computed_most: str
    computed_earliest: str
    computed_latest: str
    quoted: str
    narrow_is_of: str
    narrow_who: str
    narrow_question: str
    kind_undergraduate: str
    kind_graduate: str
    kind_law: str
    kind_international: str
    kind_domestic: str
    kind_in_state: str
    kind_out_of_state: str
    kind_first_year: str
    kind_transfer: str
    kind_returning: str
    kind_visiting: str
    kind_online: str
    kind_on_campus: str
    kind_student: str
    kind_employee: str
    kind_visitor: str
    kind_alumni: str
    greeting: str
    how_are_you: str
    thanks_said: str
    goodbye: str
    who: str
    acknowledgement: str
    in_emergency: str
    in_distress: str
    nothing_to_check: str
    still_says: str
    has_changed: str
    has_changed_but: str
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
    slow: str
    lost: str
    unsent: str
    offline: str
    unavailable: str
    busy: Plural
    too_many: Plural
    ask_again: str
    expired: str
    problem_title: str
    problem_back: str
    problem_empty: str
    problem_too_long: Plural
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

    def kind(self, name: str) -> str:
        """What a kind of people is called (`corpus/lexicons/families.toml`), as it stands in a sentence."""
        return str(getattr(self, f"kind_{name}"))

    def refusals(self) -> tuple[str, ...]:
        """The sentences of a whole refusal."""
        return (
            self.refused_no_evidence,
            self.refused_off_topic,
            self.refused_closed,
            self.refused_elsewhere.partition("{university}")[0],
            self.refused_unsafe,
        )

    def weekday(self, day: date) -> str:
        """ "Monday, March 3", as the language has it."""
        from babel.dates import format_date, format_skeleton  # noqa: PLC0415 - as above

        locale = _locale(self.lang)
        return f"{format_date(day, 'EEEE', locale)}, {format_skeleton('MMMMd', day, locale=locale)}"

    def date(self, day: date) -> str:
        """ "March 3, 2025", as the language has it."""
        from babel.dates import format_date  # noqa: PLC0415 - a command that says nothing does without

        return format_date(day, "long", _locale(self.lang))

    def joined(self, items: Sequence[str]) -> str:
        """Words in one sentence: a, b and c."""
        if len(items) < 2:
            return "".join(items)
        from babel.lists import format_list  # noqa: PLC0415

        return format_list(items, locale=_locale(self.lang))

    def name_of(self, lang: str) -> str:
        """What the language calls one by its ISO 639 code: "inglés"; the code where it has no name for it."""
        return str(_locale(self.lang).languages.get(lang, lang))

    def listed(self, items: Sequence[str]) -> str:
        """Visitors' words in one sentence, each in quotation marks: “a” and “b”."""
        quoted = [fill(self.quoted, text=item) for item in items]
        if len(quoted) < 2:
            return "".join(quoted)
        from babel.lists import format_list  # noqa: PLC0415

        return format_list(quoted, locale=_locale(self.lang))

    def counted(self, message: Plural, /, **number: int) -> str:
        """The form of a message that goes with its number, filled in: `counted(texts.busy, seconds=30)`."""
        [count] = number.values()
        form = _locale(self.lang).plural_form(count)
        return fill(message.get(form, message["other"]), **number)


@cache
def _locale(lang: str) -> Locale:
    """The language's rules; those of English for one that CLDR does not know."""
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415

    try:
        return Locale(lang)
    except UnknownLocaleError:
        return Locale(ENGLISH)


@lru_cache(maxsize=256)
def _for_site(texts: Texts, name: str) -> Texts:
    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {form: fill(text, site=name) for form, text in value.items()}
        return fill(value, site=name) if isinstance(value, str) else value

    return Texts(**{field.name: named(getattr(texts, field.name)) for field in fields(texts)})


def fill(text: str, /, **values: object) -> str:
    """The text with `{name}` replaced; whatever else stands in braces, as in a site's name, stays."""
    return _BLANK.sub(lambda blank: str(values.get(blank[1], blank[0])), text)


class Catalogue:
    """The languages there are."""

    def __init__(self, languages: Mapping[str, Texts]) -> None:
        self._languages = languages

    @classmethod
    def read(cls, folder: Path = MESSAGES_DIR) -> Catalogue:
        """The files of messages that ship, and those of the folder, which go before them.

        What a file leaves out or leaves empty is said as it ships: in its language, or else in English. A
        fault in one is a `BadInputError` that names it.
        """
        first = MESSAGES_DIR / f"{ENGLISH}.toml"
        english = _messages(first)
        known = {ENGLISH: english}
        paths = (path for own in dict.fromkeys((MESSAGES_DIR, folder)) for path in sorted(own.glob("*.toml")))
        for path in paths:
            if path != first:
                known[path.stem] = {**known.get(path.stem, english), **_checked(path, english)}
        return cls({lang: _texts(lang, messages) for lang, messages in known.items()})

    def offered(self, site: Site | None) -> tuple[str, ...]:
        """The languages of a site, its default first: those it wants and there are, or else all."""
        chosen = [lang for lang in site.languages if lang in self._languages] if site else []
        return tuple(chosen or sorted(self._languages, key=lambda lang: (lang != ENGLISH, lang)))

    def missing(self, site: Site) -> tuple[str, ...]:
        """The languages that a site wants and nobody has written."""
        return tuple(lang for lang in site.languages if lang not in self._languages)

    def texts(self, site: Site | None, wanted: Sequence[str] = (), name: str = "") -> Texts:
        """What the site says, in the first wanted language that it offers ("es-MX" is Spanish).

        Without a table of sites, what is said of one of that name.
        """
        offered = self.offered(site)
        asked = (tag.replace("_", "-").split("-")[0].lower() for tag in wanted)
        lang = next((lang for lang in asked if lang in offered), offered[0])
        return self.spoken(lang, site.name if site else name)

    def spoken(self, lang: str, name: str) -> Texts:
        """What is said of a site of that name in a language there is, whether or not the site offers it."""
        return self._languages[lang].for_site(name)

    def every(self, name: str) -> tuple[Texts, ...]:
        """The same in all languages."""
        return tuple(self.spoken(lang, name) for lang in self._languages)


@cache
def shipped() -> Catalogue:
    """The catalogue as it ships."""
    return Catalogue.read()


def accepted(header: str) -> list[str]:
    """The languages of an `Accept-Language` header, the most wanted first (RFC 9110, 12.5.4)."""
    weighted = []
    for part in header.split(","):
        tag, _, parameter = (one.strip() for one in part.partition(";"))
        weight = parameter.lower().removeprefix("q=") if parameter else "1"
        weighted.append((float(weight) if re.fullmatch(r"[01](\.\d{0,3})?", weight) else 0.0, tag))
    return [tag for weight, tag in sorted(weighted, key=lambda pair: -pair[0]) if weight and tag]


def _texts(lang: str, messages: Mapping[str, Any]) -> Texts:
    return Texts(lang=lang, **{**messages, "seasons": tuple(messages["seasons"])})


def _messages(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"The messages {path} cannot be read: {error}.") from None


def _checked(path: Path, english: Mapping[str, Any]) -> dict[str, Any]:
    """The messages of a file, each of its English one's kind; without those it leaves empty."""
    if not _LANGUAGE.fullmatch(path.stem):
        raise BadInputError(f"{path}: a file of messages is named by its language, such as es.toml.")
    messages = {key: value for key, value in _messages(path).items() if key not in RETIRED}
    if unknown := sorted(set(messages) - set(english)):
        raise BadInputError(f"{path} has {', '.join(unknown)}, which messages/en.toml has not.")
    said = {key: value for key, value in messages.items() if value != ""}
    return {key: _checked_one(f"{path}: {key}", value, english[key]) for key, value in said.items()}


def _checked_one(where: str, value: Any, english: Any) -> Any:
    if isinstance(english, list):
        if not isinstance(value, list) or len(value) != len(english) or not _are_texts(value):
            raise BadInputError(f"{where} takes {len(english)} texts.")
        return value
    if isinstance(english, dict):
        return _checked_plural(where, value, english["other"])
    if not isinstance(value, str):
        raise BadInputError(f"{where} is {value!r}; it takes text.")
    if where.endswith(": dir") and value not in ("ltr", "rtl"):
        raise BadInputError(f"{where} is {value!r}; it takes ltr or rtl.")
    return _with_blanks(where, value, english, optional={"site"})


def _checked_plural(where: str, value: Any, english: str) -> dict[str, str]:
    """A text for every number, or a table of plural forms; only `other` must have the number in it."""
    forms = {"other": value} if isinstance(value, str) else value
    if (
        not isinstance(forms, dict)
        or not _are_texts(forms.values())
        or not {"other"} <= set(forms) <= PLURAL_FORMS
    ):
        allowed = ", ".join(sorted(PLURAL_FORMS))
        raise BadInputError(
            f"{where} is {value!r}; it takes text, or a table with other and any of {allowed}."
        )
    any_of = set(_BLANK.findall(english))
    return {
        form: _with_blanks(where, text, english, optional={"site"} if form == "other" else any_of)
        for form, text in forms.items()
    }


def _with_blanks(where: str, text: str, english: str, optional: set[str]) -> str:
    """The text, which leaves the same blanks as the English one, but for what it need not say."""
    blanks, wanted = set(_BLANK.findall(text)), set(_BLANK.findall(english))
    if not wanted - optional <= blanks <= wanted:
        named = ", ".join(f"{{{blank}}}" for blank in sorted(wanted)) or "none"
        raise BadInputError(f"{where} has other words in braces than the English one, which has {named}.")
    return text


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
