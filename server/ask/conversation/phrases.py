"""A question's words and phrases, as far as lists of small words tell them apart (English, Spanish)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# "add/drop", "I-20", "e-mail", "don't", "14-a-week", "J.D." are one word each.
_WORD = re.compile(r"[^\W_]+(?:['’.&/+-][^\W_]+)*|\$\d[\d,.]*")
_CLITIC = re.compile(r"['’](?:s|re|m|ve|ll|d)$")


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as a line."""
    return frozenset(text.split())


DETERMINERS = word_set(
    "a an the my your our his her its their this that these those some any all both each every no another"
    " el la los las lo un una unos unas mi mis tu tus su sus nuestro nuestra este esta estos estas ese"
    " esa esos esas"
)
PREPOSITIONS = word_set(
    "of in on at for from to with without by about during after before into between among under over within"
    " until till through than as per via around near since"
    " de del en a al para por con sin sobre entre desde hasta durante"
)
PRONOUNS = word_set(
    "i me you we us he him she it they them one ones mine yours ours theirs myself yourself themselves itself"
    " who whom whose which what someone anyone somebody anybody something anything everyone everybody nobody"
    " nothing everything there here u"
    " yo me te se nos le les él ella ellos ellas usted ustedes nosotros eso esto aquello alguien algo"
)
QUESTION_WORDS = word_set(
    "what when where who whom whose which why how wat wen whats whens wheres whos hows"
    " qué cuál cuáles cuándo dónde quién quiénes cómo cuánto cuánta cuántos cuántas por porqué"
    " que cual cuales cuando donde quien como cuanto cuanta cuantos cuantas"
)
AUXILIARIES = word_set(
    "am is are was were be been being do does did done have has had having can could will would shall"
    " should may"
    " might must ought isn't aren't wasn't weren't don't doesn't didn't haven't hasn't can't couldn't won't"
    " wouldn't shouldn't dont doesnt cant isnt arent wont im ive id i'm i've i'd"
    " es son está están ser estar hay puedo puede pueden puedes tengo tiene tienen debo debe deben fue"
    " era será"
)
# What visitors do; of no use in a noun phrase, except after a determiner ("the need", "a change").
VERBS = word_set(
    "get gets got getting go goes going went gone come comes coming need needs needed want wants wanted"
    " know knows"
    " tell tells show find finds say says said mean means meant take takes taking took make makes making made"
    " give gives giving gave use uses using used let try trying think ask asks like likes look looking see"
    " happen happens happened work works start starts started begin begins end ends keep keeps become"
    " count counts"
    " cost costs apply applies contact call email write talk speak explain describe list help run runs"
    " open opens"
    " close closes live lives eat cause causes win join bring pay pays last lasts differ compare affect"
    " change"
    " changes do doing lose chair chairs chaired teach teaches lead leads appeal hold held offer offers"
    " offered include includes required require requires"
    " necesito quiero saber decir hacer cuesta cuestan empieza empiezan termina terminan abre cierra"
)
_SMALL = word_set(
    "and or but so if then also too due not no yes ok okay well please just only even still really very"
    " much many"
    " more most less least few other others else such same own again ever never always often now soon later"
    " long far ahead late up down out off back away maybe perhaps actually hi hello hey thanks thank yeah"
    " that's there's let's able possible best better there when while because though although about"
    " y o pero si sí no también tampoco más menos muy ya sólo solo favor gracias"
)
_LEADING_VERBS = word_set("tell know want need explain describe show find get wonder wondering looking")
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | PRONOUNS | QUESTION_WORDS | AUXILIARIES | _SMALL


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
class Phrase:
    """Words that stand together in `text`, from `start` to `end`."""

    text: str
    start: int
    end: int

    @property
    def keys(self) -> tuple[str, ...]:
        """Its content words."""
        return tuple(word.key for word in words_of(self.text) if word.key not in FUNCTION_WORDS)


def words_of(text: str) -> list[Word]:
    """The words in order."""
    return [
        Word(match.group(), match.start(), _CLITIC.sub("", match.group().casefold()))
        for match in _WORD.finditer(text)
    ]


def content_words(text: str) -> list[Word]:
    """The words that say what a text is about."""
    return [word for word in words_of(text) if word.key not in FUNCTION_WORDS and word.key not in VERBS]


def noun_phrases(text: str) -> list[Phrase]:
    """Runs of content words, each with the determiner before it, in order.

    A common verb belongs to a run only right after a determiner: "a change form", not "the library closes".
    """
    words = words_of(text)
    phrases: list[Phrase] = []
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


def linked_phrases(text: str) -> list[Phrase]:
    """The noun phrases, those linked by prepositions as one: "the president of the college"."""
    linked: list[Phrase] = []
    for phrase in noun_phrases(text):
        goes_on = linked and _only_prepositions(text[linked[-1].end : phrase.start])
        start = linked.pop().start if goes_on else phrase.start
        linked.append(Phrase(text[start : phrase.end], start, phrase.end))
    return linked


def _only_prepositions(gap: str) -> bool:
    words = words_of(gap)
    return not set(".,;:?!()") & set(gap) and all(word.key in PREPOSITIONS for word in words)


def _phrase(text: str, words: Sequence[Word]) -> Phrase:
    return Phrase(text[words[0].start : words[-1].end], words[0].start, words[-1].end)


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


def share_of(keys: Iterable[str], among: Iterable[str]) -> float:
    """The share of the words that are among the others; 1 when there are none."""
    wanted = set(keys)
    return len(wanted & set(among)) / len(wanted) if wanted else 1.0
