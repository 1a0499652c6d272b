"""What is not answered whatever the pages say: orders to the assistant, and how to do harm.

Both are heard in a few plain forms, in English and Spanish. It need not hear them all: an order that is not
heard finds nothing to obey it, because an answer holds only what the pages say. Whoever wants to report
something, or reads about it ("weapons policy", "hacking club"), asks for no recipe and is not meant.
"""

from __future__ import annotations

import re
from typing import Literal

Matter = Literal["order", "harm"]

_RULES = (
    r"(?:system |hidden |initial |original |secret |own |first )*"
    r"(?:prompts?|instructions?|rules|programming|guidelines)"
)
_ORDERS = (
    r"(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|everything\s+)?(?:of\s+)?"
    r"(?:the\s+|your\s+|these\s+|my\s+)?(?:previous|prior|above|earlier|preceding|your|former)\b",
    r"(?:reveal|print|show|repeat|output|display|leak|tell\s+me|give\s+me|what(?:'s|\s+is|\s+are))\s+"
    rf"(?:me\s+)?(?:all\s+)?(?:of\s+)?your\s+{_RULES}",
    r"you\s+are\s+now\s+(?:a|an|in|dan|no\s+longer|free)\b",
    r"(?:pretend|act|behave|role-?play)\s+(?:to\s+be|as\s+(?:if|though)\s+you|as\s+(?:a|an|my))\b",
    r"(?:developer|debug|dan|god|jailbreak|unrestricted|admin)\s+mode\b",
    r"do\s+anything\s+now\b",
    r"(?:ignora|olvida|desobedece)\s+(?:todas\s+)?(?:las|tus|sus)\s+(?:instrucciones|reglas)",
)
_HOW_TO = (
    r"(?:how\s+(?:do|can|could|would|should|to)\b(?:\s+(?:i|you|we|one|someone|somebody))?"
    r"|(?:help|teach|show|tell)\s+me\s+(?:how\s+)?(?:to\s+)?"
    r"|instructions?\s+(?:for|to)|recipe\s+for|ways?\s+to|c[oó]mo\s+(?:se\s+|puedo\s+)?)"
)
_SOMEBODY = (
    r"(?:someone|somebody|people|my|a|an|the|him|her|them|students?|teachers?|professors?|a\s+alguien)\b"
)
_HARM = (
    r"(?:make|build|assemble|construct|cook|synthesi[sz]e|fabricar|hacer|construir)\s+(?:\w+\s+){0,3}"
    r"(?:bombs?|explosives?|molotov|nerve\s+(?:gas|agent)|ricin|meth(?:amphetamine)?|napalm|bombas?)\b",
    r"(?:kill|murder|poison|stab|shoot|strangle|stalk|blackmail|kidnap|rape|roofie|matar|envenenar)\s+"
    + _SOMEBODY,
    r"(?:hack|break)\s+into\s+(?:[\w'’]+\s+){0,4}"
    r"(?:accounts?|e-?mails?|systems?|network|server|database|grades?|portal|room|dorm|office)\b",
    r"(?:falsify|forge|fake|counterfeit)\s+(?:\w+\s+){0,3}"
    r"(?:grades?|transcripts?|diplomas?|degrees?|signatures?|ids?)\b",
)
_ORDERED = re.compile("|".join(rf"\b(?:{form})" for form in _ORDERS), re.IGNORECASE)
_HARMFUL = re.compile(rf"\b{_HOW_TO}\s*(?:\w+\s+){{0,2}}(?:{'|'.join(_HARM)})", re.IGNORECASE)


def unsafe(question: str) -> Matter | None:
    """What keeps a question from being answered; None for nothing."""
    if _ORDERED.search(question):
        return "order"
    return "harm" if _HARMFUL.search(question) else None
