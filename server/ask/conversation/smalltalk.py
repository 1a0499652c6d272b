"""Greetings, thanks and the like: answered with a friendly line, and never taken for a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SmallTalkKind = Literal["greeting", "how_are_you", "thanks", "goodbye", "who", "acknowledgement"]
Language = Literal["en", "es"]

_MARKS = re.compile(r"[^\w\s']+|(?<!\w)'|'(?!\w)")
# Said around everything, and nothing by itself.
_FILLER = (
    r"(?:there|again|everyone|all|lodge|bot|chatbot|buddy|friend|mate|sir|madam|ma'am|dear"
    r"|so (?:very )?much|very much"
    r"|a (?:lot|bunch|million)|so|very|really|well|then|now|please|oh|ah|wow|okay|ok|and|to you"
    r"|for (?:your|the|all your|all the) (?:quick |kind )?(?:help|info(?:rmation)?|answers?|reply|time)"
    r"|for (?:that|this|everything)|for helping(?: me)?(?: out)?|for letting me know|you"
    r"|por (?:todo|la ayuda|tu ayuda|su ayuda)|a todos|muchas|mil|de nuevo)"
)
_LINES: tuple[tuple[SmallTalkKind, Language, str], ...] = (
    (
        "how_are_you",
        "en",
        r"how (?:are|r) (?:you|u|things)(?: doing| today| going)*|how's it going|how is it going"
        r"|how do you do"
        r"|what's up|whats up|sup|wassup|nice to meet you|pleased to meet you",
    ),
    (
        "how_are_you",
        "es",
        r"(?:cómo|como) (?:estás?|estas|te va|le va|va todo)|(?:qué|que) tal|mucho gusto|encantad[oa]",
    ),
    (
        "who",
        "en",
        r"(?:who|what)(?: exactly)? are (?:you|u)(?: exactly)?|who is this|who am i (?:talking|speaking"
        r"|chatting) (?:to|with)"
        r"|(?:are|r) (?:you|u) (?:a |an )?(?:real |actual |live )?(?:bot|robot|chat ?bot|human|person"
        r"|real|ai|machine|alive"
        r"|computer|someone real)(?: or (?:a |an )?(?:real )?(?:bot|robot|human|person|machine|ai|computer))?"
        r"|am i (?:talking|speaking|chatting) (?:to|with) (?:a |an )?(?:real )?(?:bot|robot|human|person"
        r"|machine|ai|computer)"
        r"|is this (?:a |an )?(?:real )?(?:bot|robot|human|person|ai|chat ?bot)|what(?:'s| is) your name"
        r"|do you have a name"
        r"|state your name|what(?: should| can| do) (?:i|we|they|people) call you(?: by)?|what do you go by"
        r"|what (?:can|do) you do(?: for me)?|what can i ask(?: you)?|how can you help(?: me)?"
        r"|what are you for|who made you"
        r"|can you help(?: me)?|help|i need help|help me",
    ),
    (
        "who",
        "es",
        r"(?:quién|quien|qué|que) eres|(?:cómo|como) te llamas|eres (?:un |una )?(?:robot|bot|humano"
        r"|persona|máquina|maquina)"
        r"|(?:qué|que) puedes hacer|ayuda|(?:puedes|puede) ayudarme|necesito ayuda",
    ),
    (
        "thanks",
        "en",
        r"thanks?|thank (?:you|u|ya)|thx|thnx|thanx|ty|tysm|cheers|much appreciated|(?:i )?appreciate it"
        r"|(?:you are|you're) (?:the best"
        r"|great|awesome|helpful)|that(?:'s| is|s)? (?:was )?(?:all|it|very helpful|helpful|perfect"
        r"|great|awesome|good to know"
        r"|what i needed)|(?:that |this )?(?:really )?help(?:s|ed)(?: a lot)?|great|awesome|perfect|cool"
        r"|nice|excellent|wonderful"
        r"|good to know|good job|well done|love it",
    ),
    ("thanks", "es", r"gracias|te lo agradezco|se lo agradezco|perfecto|genial|estupendo|muy amable"),
    (
        "goodbye",
        "en",
        r"(?:good ?)?bye(?: ?bye)?|see (?:you|ya)(?: later| soon)?|later|cya|take care|good ?night"
        r"|have a (?:nice|good|great)"
        r" (?:day|one|evening|night|weekend|time)|talk to you later|ttyl|farewell|so long|catch you later",
    ),
    (
        "goodbye",
        "es",
        r"adiós|adios|hasta (?:luego|pronto|mañana|la vista)|chao|chau|nos vemos|buenas noches"
        r"|que tenga(?:s)? un buen día",
    ),
    (
        "greeting",
        "en",
        r"hi+|hello+|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning"
        r"|afternoon|evening|g'day|heya",
    ),
    ("greeting", "es", r"hola+|buen(?:os)? días?|buenos dias|buenas(?: tardes)?|saludos|qué hubo"),
    (
        "acknowledgement",
        "en",
        r"ok(?:ay)?|k|kk|alright|all right|got it|i see|understood|sure|fine|sounds good|makes sense"
        r"|no thanks|no thank you"
        r"|nothing(?: else)?|never ?mind|nvm|right|i know|lol|haha+",
    ),
    (
        "acknowledgement",
        "es",
        r"vale|de acuerdo|entendido|entiendo|está bien|esta bien|claro|nada más|nada mas",
    ),
)
_WHOLE = tuple(
    (kind, language, re.compile(rf"(?:{_FILLER}\s+)*(?:{line})(?:\s+{_FILLER})*", re.IGNORECASE))
    for kind, language, line in _LINES
)
# Of several things said at once the first of these is answered: "hi, who are you?", "ok thanks bye".
_ORDER: tuple[SmallTalkKind, ...] = ("who", "how_are_you", "goodbye", "thanks", "greeting", "acknowledgement")
MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What kind of talk it is, and in which language."""

    kind: SmallTalkKind
    language: Language


def small_talk(text: str) -> SmallTalk | None:
    """The kind of talk when the text is nothing else; None for a question, even with a "hi" before it."""
    rest = " ".join(_MARKS.sub(" ", text.replace("’", "'")).split())
    if not rest or len(rest.split()) > MOST_WORDS:
        return None
    heard: list[SmallTalk] = []
    while rest:
        found = _longest(rest)
        if found is None:
            return None
        talk, end = found
        heard.append(talk)
        rest = rest[end:].strip()
    return min(heard, key=lambda talk: _ORDER.index(talk.kind))


def _longest(text: str) -> tuple[SmallTalk, int] | None:
    """The line that takes most of the text's beginning, up to the end of a word."""
    best: tuple[SmallTalk, int] | None = None
    for kind, language, pattern in _WHOLE:
        match = pattern.match(text)
        if (
            match
            and match.end() > (best[1] if best else 0)
            and not text[match.end() : match.end() + 1].strip()
        ):
            best = SmallTalk(kind, language), match.end()
    return best


_REPLIES: dict[Language, dict[SmallTalkKind, str]] = {
    "en": {
        "greeting": "Hello! What would you like to know about {site}?",
        "how_are_you": "Very well, thank you! What would you like to know about {site}?",
        "thanks": "You're welcome! If there is anything else about {site}, just ask.",
        "goodbye": "Good-bye, and all the best!",
        "who": (
            "I am Lodge, a computer program, not a person. I answer questions from {site}'s own web"
            " pages and show"
            " where each answer stands. What would you like to know?"
        ),
        "acknowledgement": "Good. Is there anything else you would like to know about {site}?",
    },
    "es": {
        "greeting": "¡Hola! ¿Qué le gustaría saber sobre {site}?",
        "how_are_you": "¡Muy bien, gracias! ¿Qué le gustaría saber sobre {site}?",
        "thanks": "¡De nada! Si necesita algo más sobre {site}, pregunte.",
        "goodbye": "¡Adiós, y que le vaya bien!",
        "who": (
            "Soy Lodge, un programa, no una persona. Respondo con lo que dicen las páginas web de {site}"
            " e indico"
            " dónde está cada respuesta. ¿Qué le gustaría saber?"
        ),
        "acknowledgement": "Bien. ¿Hay algo más que quiera saber sobre {site}?",
    },
}


def reply(talk: SmallTalk, site_name: str) -> str:
    """A friendly line in its language."""
    return _REPLIES[talk.language][talk.kind].format(site=site_name)
