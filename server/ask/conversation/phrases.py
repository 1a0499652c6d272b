"""A question's words and phrases, as far as lists of small words tell them apart
(`corpus/lexicons/words.toml`): noun phrases, and whether it is in English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from server.ask.ports import SnapshotText
from server.lexicons import lexicon

# "add/drop", "I-20", "e-mail", "don't", "14-a-week", "J.D." are one word each.
_WORD = re.compile(r"[^\W_]+(?:['’.&/+-][^\W_]+)*|\$\d[\d,.]*")
_CLITIC = re.compile(r"['’](?:s|re|m|ve|ll|d)$")


_WORDS = lexicon("words")
DETERMINERS = _WORDS.words("determiners")
PREPOSITIONS = _WORDS.words("prepositions")
PRONOUNS = _WORDS.words("pronouns")
QUESTION_WORDS = _WORDS.words("question_words")
AUXILIARIES = _WORDS.words("auxiliaries")
# What visitors do; of no use in a noun phrase, except after a determiner ("the need", "a change").
VERBS = _WORDS.words("verbs")
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | PRONOUNS | QUESTION_WORDS | AUXILIARIES | _WORDS.words("others")
_LEADING_VERBS = _WORDS.words("leading_verbs")
_ENGLISH, _OTHER_LANGUAGES = _WORDS.words("english"), _WORDS.words("other_languages")
_SPANISH, _IN_NAMES = _WORDS.words("spanish"), _WORDS.words("spanish_in_names")
_SPANISH_ALONE = _SPANISH | _IN_NAMES
_NOT_SPANISH = (_ENGLISH | _OTHER_LANGUAGES) - _SPANISH - _IN_NAMES


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it stands; `key` is what it is looked up by: small letters, no "'s"."""

    text: str
    start: int
    key: str

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    @property
    def is_name(self) -> bool:
        """It looks like a name, a code or a number: "Finch" in the middle, "CSC", "101"."""
        return self.text[0].isdigit() or self.text[:1] == "$" or (self.start > 0 and self.text[0].isupper())


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words that stand together in `text`, from `start` to `end`."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words in order."""
    return [
        Word(match.group(), match.start(), _CLITIC.sub("", match.group().casefold()))
        for match in _WORD.finditer(text)
    ]


def content_words(text: str) -> list[Word]:
    """The words that say what a text is about."""
    return [word for word in words_of(text) if word.key not in FUNCTION_WORDS and word.key not in VERBS]


def noun_phrases(text: str) -> list[NounPhrase]:
    """Runs of content words, each with the determiner before it, in order.

    A common verb belongs to a run only right after a determiner: "a change form", not "the library closes".
    """
    words = words_of(text)
    phrases: list[NounPhrase] = []
    i = 0
    while i < len(words):
        start = i
        if words[i].key in DETERMINERS:
            i += 1
        first = i
        while i < len(words) and _joins(text, words, i, first, start):
            i += 1
        if i > first:
            phrases.append(_phrase(text, words[start:i]))
        i = max(i, start + 1)
    return phrases


def _joins(text: str, words: Sequence[Word], i: int, first: int, start: int) -> bool:
    """Whether word `i` goes on with a run that begins at `first`, its determiner at `start`."""
    if i > start and _is_apart(text, words[i - 1], words[i]):
        return False
    if words[i].key in FUNCTION_WORDS:
        return False
    return words[i].key not in VERBS or (i == first and first > start)


def _is_apart(text: str, one: Word, other: Word) -> bool:
    return any(mark in text[one.end : other.start] for mark in ",;:?!()")


def linked_phrases(text: str) -> list[NounPhrase]:
    """The noun phrases, those linked by prepositions as one: "the president of the college"."""
    linked: list[NounPhrase] = []
    for phrase in noun_phrases(text):
        goes_on = linked and _only_prepositions(text[linked[-1].end : phrase.start])
        start = linked.pop().start if goes_on else phrase.start
        linked.append(NounPhrase(text[start : phrase.end], start, phrase.end))
    return linked


def _only_prepositions(gap: str) -> bool:
    words = words_of(gap)
    return not set(".,;:?!()") & set(gap) and all(word.key in PREPOSITIONS for word in words)


def _phrase(text: str, words: Sequence[Word]) -> NounPhrase:
    return NounPhrase(text[words[0].start : words[-1].end], words[0].start, words[-1].end)


def without_lead(text: str) -> str:
    """The question without its asking: "can I repeat a course I failed?" → "repeat a course I failed"."""
    words = words_of(text)
    skip = 0
    while skip < len(words) and _is_lead(words, skip):
        skip += 1
    if skip == len(words):
        return text.strip("?!.¿¡ ")
    return _without_asking(text[words[skip].start :].strip("?!.¿¡ "))


def _without_asking(text: str) -> str:
    """ "times can I repeat a course" → "times repeat a course"."""
    for aux, following in reversed(list(pairwise(words_of(text)))):
        if aux.key in AUXILIARIES:
            end = following.end if following.key in PRONOUNS else aux.end
            text = text[: aux.start] + text[end:].lstrip()
    return text


def _is_lead(words: Sequence[Word], i: int) -> bool:
    key = words[i].key
    if key in DETERMINERS:  # it belongs to what follows, unless that is small too
        return i + 1 < len(words) and words[i + 1].key in FUNCTION_WORDS
    return key in FUNCTION_WORDS or (key in _LEADING_VERBS)


def sentence(text: str) -> str:
    """As a line for a person: one space between words, and a question mark at its end."""
    line = " ".join(text.split()).rstrip("?!. ")
    return f"{line}?"


def topic_of(question: str, keyword: SnapshotText) -> str:
    """The phrase that the question is about: the one whose words weigh most; without any, what it says.

    A bare word is as likely a verb as a noun, so it counts half beside "the fee", "CSC 310" or "meal plans".
    """
    phrases = linked_phrases(question)
    if not phrases:
        return without_lead(question)
    return max(phrases, key=lambda phrase: _topic_weight(question, phrase, keyword)).text


def _topic_weight(question: str, phrase: NounPhrase, keyword: SnapshotText) -> float:
    words = words_of(phrase.text)
    is_bare = len(words) == 1 and not (phrase.start and phrase.text[0].isupper())
    return sum(keyword.word_weights(phrase.text).values()) * (0.5 if is_bare else 1.0)


_LETTERS_ALONE = re.compile(r"[^\W\d_]+")


def is_english(text: str) -> bool:
    """True unless two small words or the letters of another language say otherwise.

    A question in another language is never turned away as off topic: the scope's models know English alone.
    """
    if "¿" in text or "¡" in text:
        return False
    words = [word.lower() for word in _LETTERS_ALONE.findall(text)]
    if any(not _is_latin(char) for word in words for char in word):
        return False
    ours = sum(word in _ENGLISH for word in words)
    theirs = sum(word in _OTHER_LANGUAGES for word in words)
    return theirs < 2 or ours >= theirs


# No Spanish word has them.
_FOREIGN_LETTERS = frozenset("àâãäåæçèêëìîïòôõöøùûýœß")


def is_spanish(text: str) -> bool:
    """True where a mark that only Spanish has says so, or its small words: two, and more than others' are; of
    a line without small words of others, one that campuses have, and half of its words.

    "De la" alone is no sign: names have it.
    """
    letters = text.casefold()
    if "¿" in letters or "¡" in letters:
        return True
    words = _LETTERS_ALONE.findall(letters)
    ours = sum(word in _SPANISH for word in words)
    beside = sum(word in _IN_NAMES for word in words)
    theirs = sum(word in _NOT_SPANISH for word in words)
    if _FOREIGN_LETTERS & set(letters):
        return False
    if ours > 0 and ours + beside > max(1, theirs):
        return True
    if theirs:
        return False
    meant = [_glossary().pattern.fullmatch(without_accents(word)) for word in words]
    known = sum(match is not None or word in _SPANISH_ALONE for word, match in zip(words, meant, strict=True))
    return 2 * known >= len(words) and any(match and match.lastindex in _glossary().nouns for match in meant)


@dataclass(frozen=True, slots=True)
class _Glossary:
    """Spanish words and phrases as one pattern, a group each; by a group's number its English words."""

    pattern: re.Pattern[str]
    meanings: Sequence[str]
    nouns: Set[int]


@cache
def _glossary() -> _Glossary:
    lists = lexicon("spanish")
    forms = [
        (without_accents(form), meaning, name == "in_english")
        for name in ("in_english", "small")
        for meaning, own in lists.part(name).items()
        for form in own
    ]
    forms.sort(key=lambda form: len(form[0]), reverse=True)
    ended = (form.replace("*", "(?:e?s)?").replace("@", "(?:me|se|lo|la|nos)?") for form, *_ in forms)
    nouns = {number for number, (*_, is_noun) in enumerate(forms, 1) if is_noun}
    pattern = re.compile(rf"\b(?:{'|'.join(f'({form})' for form in ended)})\b")
    return _Glossary(pattern, ["", *(meaning for _, meaning, _ in forms)], nouns)


def in_english(text: str, knows: Callable[[Sequence[str]], set[str]]) -> str | None:
    """A Spanish question in English, word for word, as the lexicon has them; None where a word is missing.

    What `knows` has of the lower-case words that are left, and what has a figure, stays as it is.
    """
    glossary, line = _glossary(), without_accents(text).strip("¿¡ ")
    meant = [match.lastindex or 0 for match in glossary.pattern.finditer(line)]
    left = [word for word in _WORD.findall(glossary.pattern.sub(" ", line)) if word.isalpha()]
    if glossary.nouns.isdisjoint(meant) or len(knows(left)) < len(set(left)):
        return None
    return sentence(glossary.pattern.sub(lambda match: glossary.meanings[match.lastindex or 0], line))


def without_accents(text: str) -> str:
    """Small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith(("LATIN", "MODIFIER", "COMBINING"))
