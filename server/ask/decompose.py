"""Several questions in one: each is asked on its own, with what they share; what is left is named.

Where another question begins the router says (`route.py`); without it, rules do, which hear a quarter as
many.

Visitors leave out what they have just said: "what gpa do i need to transfer and when is the deadline"
asks for two things of transferring. A part whose nouns only say what is asked for ("the deadline", "my
credits") gets the words that the line is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from server.ask.conversation.families import names_a_kind, without_kinds
from server.ask.conversation.phrases import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    Word,
    words_of,
)
from server.ask.conversation.pieces import (
    ACTS,
    ATTRIBUTES,
    ENDED,
    JOINED,
    JOINER,
    KNOWING,
    LITTLE,
    MEASURES,
    RUN_ON,
    are_one_question,
    asks,
    begins_asking,
    does_something,
    is_turned,
    named_in,
    names_something,
    plain,
)
from server.ask.conversation.turns import cues_of
from server.ask.grounding.evidence import is_planted

MOST_PARTS = 3
# Between two questions: the end of one, or "and", "also" before another that has words of its own.
_END = re.compile(r"(?<=\?)(?!\s*\?)[\s\"”')]*(?=\S)|\s*[;\n]\s*(?=\S)")
_AND = re.compile(
    r"[,.]?\s+(?:(?:and|but|plus|y|pero|[+&])\s+(?:also\s+|then\s+|además\s+|también\s+)?|also,?\s+"
    r"|además,?\s+|también\s+)(?=\S)|[,.]\s+(?=\S)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.?!][\s\"”')]+(?=\w)")
# What is ordered is no question, though it begins like one: "tell me to write to …".
_ORDER = re.compile(
    r"\W*(?:please\s+)?(?:say|repeat|confirm|add|pretend|(?:tell|show)\s+\w+\s+(?:to|that))\b", re.IGNORECASE
)
# "career center: what floor"
_TOPIC = re.compile(r"^\W*([^:?.,;]{3,40}):\s+(?=\S)")
# Questions in one word that may follow another with nothing between.
_CONTRACTED = frozenset({"whats", "whens", "wheres", "hows", "whos"})
# Of what points back: not "which ones", which asks for more of the same.
_IT = frozenset({"it", "its", "they", "them", "their"})
MOST_SUBJECT_WORDS = 5
# A part that names more leaves nothing out; a question begins so few words after its sentence at most.
MOST_NAMED, MOST_BEFORE = 2, 2


@dataclass(frozen=True, slots=True)
class Parts:
    """The questions, in their order; `left` are those beyond the limit, which are not answered.

    `subjects` are the words that each question leaves out, since another one of the line has them.
    """

    asked: tuple[str, ...]
    left: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()

    def subject(self, i: int) -> str:
        """What a question leaves out; empty where it says all of it."""
        return self.subjects[i] if self.subjects else ""

    def whole(self, i: int) -> str:
        """A question with what it leaves out, as it is searched."""
        subject = self.subject(i)
        return f"{self.asked[i].rstrip(' ?.!')} ({subject})?" if subject else self.asked[i]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the router has a line taken apart, by the first characters of words: with which further questions
    begin, which words other questions leave out, and with which a question begins that leaves some out."""

    begins: Sequence[int]
    shared: frozenset[int] = frozenset()
    lacks: frozenset[int] = frozenset()


def split_question(text: str, most: int = MOST_PARTS, cuts: Cuts | None = None) -> Parts:
    """One question for each thing asked; without `cuts` it is taken apart by rules.

    A statement belongs to the question after it ("I'm a sophomore. When do I register?"), a question without
    words of its own to the one before it ("When is it open? And where?" stays one when that is all there is).
    """
    places = _places(text, cuts) if cuts else []
    parts = [JOINED.sub("", text[first:last]).strip() for first, last in places] or _by_rules(text)
    asked = tuple(plain(part) if i else part for i, part in enumerate(parts))
    if not asked:
        return Parts((text,))
    subjects = _left_out(asked)
    if cuts:
        subjects = [_shared(text, *own, cuts) or rule for own, rule in zip(places, subjects, strict=True)]
    subjects = subjects[:most]
    return Parts(asked[:most], asked[most:], tuple(subjects) if any(subjects) else ())


def _places(text: str, cuts: Cuts) -> list[tuple[int, int]]:
    """Where its questions stand; what cannot be asked by itself stays with what is before it, and so does a
    sentence that asks nothing, an order, and what only says who asks ("…, grad")."""
    places = [0]
    begins = sorted({_sentence_start(text, begin) for begin in cuts.begins} - {0})
    for cut, end in pairwise((*begins, len(text))):
        before, after = text[places[-1] : cut], text[cut:end]
        is_loose = ENDED.search(before) and not asks(after)
        is_named = _points_back(text[:cut], before, after) or all(
            names_something(text[first:last])
            or (does_something(text[first:last]) and _shared(text, first, last, cuts))
            for first, last in ((places[-1], cut), (cut, end))
        )
        only_says_who = {word.key for word in words_of(without_kinds(plain(after)))} <= LITTLE
        is_order = is_planted(text[:cut]) or is_planted(after) or _ORDER.match(after)
        if is_named and not (is_loose or only_says_who or is_order or are_one_question(before, after)):
            places.append(cut)
    return list(pairwise((*places, len(text))))


def _points_back(line: str, before: str, after: str) -> bool:
    """Whether a question only points to what the line names before it, which contextualize.py makes whole:
    "when is the proposal due? and how long does it have to be"."""
    asked = plain(after)
    points = any(word.key in _IT for word in cues_of(asked).pronouns)
    return points and begins_asking(asked) and asks(JOINED.sub("", before)) and names_something(line)


def _sentence_start(text: str, begin: int) -> int:
    """Where what is heard to begin there begins: with its sentence, if that began a word or two before, and
    it asks nothing by itself. A joining word ("Also …") is none of it."""
    if begins_asking(text[begin:]):
        return begin
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, begin)]
    start = ends[-1] if ends else begin
    return start if 0 < len(words_of(JOINER.sub("", text[start:begin]))) <= MOST_BEFORE else begin


def _shared(text: str, first: int, last: int, cuts: Cuts) -> str:
    """What the question that stands there leaves out of the rest of the line, as the router has it.

    One that names several things of its own leaves out nothing, whatever the router says.
    """
    words = words_of(text)
    inside = [word for word in words if first <= word.start < last]
    if not inside or inside[0].start not in cuts.lacks or len(named_in(text[first:last])) > MOST_NAMED:
        return ""
    known = {word.key for word in inside} | DETERMINERS
    taken = " ".join(word.text for word in words if word.start in cuts.shared and word.key not in known)
    if all(word.key in MEASURES for word in named_in(taken)):  # the "late" of "late fee" is no subject
        return ""
    if names_a_kind(text[first:last]):  # "tuition for undergrads, and for grad students"
        taken = without_kinds(taken)
    return " ".join(taken.split()[:MOST_SUBJECT_WORDS])


def _by_rules(text: str) -> list[str]:
    return [part for piece in _pieces(text) for part in _at_and(piece)]


def _left_out(parts: Sequence[str]) -> list[str]:
    """What each part leaves out of what the line is about."""
    if len(parts) == 1:
        return [""]
    if topic := _TOPIC.match(parts[0]):
        return ["", *(topic[1] for _ in parts[1:])]
    own = [_subject_words(part) for part in parts]
    wide = (_subject_words(part, modifiers=True) for part in parts)
    about = next(filter(None, wide), None) or [word.key for word in named_in(parts[0])]
    subject = " ".join(about[:MOST_SUBJECT_WORDS])
    known = {word.key for word in words_of(subject)}
    return [
        subject
        if _lacks_subject(part) and not words and not known & {word.key for word in words_of(part)}
        else ""
        for part, words in zip(parts, own, strict=True)
    ]


def _subject_words(part: str, *, modifiers: bool = False) -> list[str]:
    """The words of a part that say what it is about, and not what is asked for of that; in their order.

    `modifiers`: those before what is asked for, too, the "housing" of "housing deposit".
    """
    inside = set[int]()
    for run in _runs(part):
        asked_for = run[-1].key in ATTRIBUTES
        if modifiers or not asked_for:
            inside |= {word.start for word in run if not asked_for or word.key not in ATTRIBUTES}
    acts = ACTS if _lacks_subject(part) else ()
    return [word.text for word in words_of(part) if word.start in inside or word.key in acts]


def _lacks_subject(part: str) -> bool:
    """Whether all its nouns only say what is asked for, and nothing in it points back by a pronoun."""
    return not cues_of(part).pronouns and all(run[-1].key in ATTRIBUTES for run in _runs(part))


def _runs(text: str) -> list[list[Word]]:
    """The content words that stand together; a weak verb or a preposition parts them."""
    runs: list[list[Word]] = []
    for word in named_in(text):
        if runs and not text[runs[-1][-1].end : word.start].strip():
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def _pieces(text: str) -> list[str]:
    """Split where a question ends; what asks nothing, or nothing by itself, stays with its neighbour."""
    pieces: list[str] = []
    loose = ""
    for piece in (piece.strip() for piece in _END.split(text)):
        whole = f"{loose} {piece}".strip()
        names = bool(named_in(piece)) and not cues_of(plain(piece))
        if not asks(piece) or not (names or pieces):
            loose = whole
        elif names:
            pieces.append(whole)
            loose = ""
        else:
            pieces[-1], loose = f"{pieces[-1]} {whole}", ""
    if loose:
        pieces = [*pieces[:-1], f"{pieces[-1]} {loose}"] if pieces else [loose]
    return pieces


def _at_and(text: str) -> list[str]:
    """Split before "and when …", when both sides are questions with words of their own."""
    for match in _AND.finditer(text):
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        joined = match.group().strip(" ,.") != ""
        begins = begins_asking(after) or (joined and is_turned(after))
        if begins and _asks_something(before) and _is_independent(after):
            return [*_at_and(before), *_at_and(after)]
    return _run_on(text)


def _run_on(text: str) -> list[str]:
    """Split where a second question begins with nothing between: "how do i transfer whats the deadline"."""
    words = words_of(text)
    for i in range(2, len(words) - 1):
        turned = words[i].key in RUN_ON and words[i + 1].key in AUXILIARIES
        begins = turned or (words[i].key in _CONTRACTED and words[i + 1].key in DETERMINERS)
        if not begins or words[i - 1].key in KNOWING | PREPOSITIONS | QUESTION_WORDS:
            continue
        before, after = text[: words[i].start].strip(), text[words[i].start :]
        if _asks_something(before) and _is_independent(after):
            return [before, *_run_on(after)]
    return [text]


def _asks_something(text: str) -> bool:
    """Whether it is a question by itself, about something."""
    text = _TOPIC.sub("", text)
    keys = [word.key for word in words_of(text)[:2]]
    tells = len(keys) == 2 and keys[0] in ("when", "cuando") and keys[1] in PRONOUNS
    return asks(text) and not tells and bool(named_in(text) or any(w.key in ACTS for w in words_of(text)))


def _is_independent(text: str) -> bool:
    """Whether a question after another can be asked by itself: it names something and does not point back."""
    return names_something(text) and not cues_of(plain(text)).pronouns
